#include "core/decimal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

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
