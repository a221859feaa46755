#include "core/decimal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMAL_DIGITS = 18 };

bool nb_decimal_print(struct nb_ratio value, char text[NB_RATIO_TEXT])
{
    assert(value.numerator >= 0 && value.denominator > 0);
    const int64_t whole = value.numerator / value.denominator;
    nb_int128 rest = value.numerator % value.denominator;
    int length = snprintf(text, NB_RATIO_TEXT, "%" PRId64, whole);
    int digits = whole == 0 ? 0 : length;
    if (rest != 0 && digits < DECIMAL_DIGITS)
        text[length++] = '.';
    for (; rest != 0 && digits < DECIMAL_DIGITS; digits++) {
        rest *= 10;
        text[length++] = (char)('0' + (int)(rest / value.denominator));
        rest %= value.denominator;
    }
    text[length] = '\0';
    return rest == 0;
}

/* Takes digits up to most of them off a text; the next one rounds. */
static void decimal_take(const char *text, size_t length, long most,
                         uint64_t *out)
{
    long taken = 0;
    for (size_t i = 0; i < length && taken <= most; i++) {
        if (text[i] == '.')
            continue;
        if (taken < most)
            *out = *out * 10 + (uint64_t)(text[i] - '0');
        else
            *out += text[i] >= '5';
        taken++;
    }
    for (; taken < most; taken++)
        *out *= 10;
}

bool nb_decimal_round(const char *text, struct nb_ratio *out)
{
    static const char digits[] = "0123456789";
    text += *text == '+';
    text += strspn(text, "0");
    const size_t whole = strspn(text, digits);
    size_t length = whole + (text[whole] == '.');
    length += strspn(text + length, digits);
    long point = (long)whole; /* digits before the point */
    if (text[length] == 'e' || text[length] == 'E') {
        const char *exponent = text + length + 1;
        const size_t sign = *exponent == '-' || *exponent == '+';
        const size_t own = strspn(exponent + sign, digits);
        if (own < 1 || own > 4 || exponent[sign + own] != '\0')
            return false;
        point += strtol(exponent, NULL, 10);
    } else if (text[length] != '\0') {
        return false;
    }
    const long places = point > 0 ? DECIMAL_DIGITS - point : DECIMAL_DIGITS;
    if (places < 0 || length > INT32_MAX)
        return false;
    uint64_t value = 0;
    int64_t unit = 1;
    decimal_take(text, length, point + places, &value);
    for (long i = 0; i < places; i++)
        unit *= 10;
    *out = nb_ratio_make((nb_int128)value, unit);
    return value >= UINT64_C(1000000000000);
}
