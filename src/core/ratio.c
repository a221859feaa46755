#include "core/ratio.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct nb_ratio unknown = { 0, 0 };

bool nb_ratio_is_known(struct nb_ratio a)
{
    return a.numerator != 0 || a.denominator != 0;
}

bool nb_ratio_is_infinite(struct nb_ratio a)
{
    return a.denominator == 0 && a.numerator != 0;
}

uint64_t nb_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static nb_uint128 ratio_gcd(nb_uint128 a, nb_uint128 b)
{
    while (b >> 64 != 0) {
        const nb_uint128 rest = a % b;
        a = b;
        b = rest;
    }
    if (b == 0)
        return a;
    return nb_gcd((uint64_t)b, (uint64_t)(a % b));
}

int64_t nb_unite(int64_t a, int64_t b, int64_t limit)
{
    if (a == 0 || b == 0)
        return 0;
    const nb_int128 united =
        (nb_int128)(a / (int64_t)nb_gcd((uint64_t)a, (uint64_t)b)) * b;
    return united <= limit ? (int64_t)united : 0;
}

struct nb_ratio nb_ratio_make(nb_int128 a, nb_int128 b)
{
    if (b == 0)
        return a > 0 ? nb_ratio_infinity : unknown;
    const bool is_negative = (a < 0) != (b < 0);
    nb_uint128 top = a < 0 ? -(nb_uint128)a : (nb_uint128)a;
    nb_uint128 bottom = b < 0 ? -(nb_uint128)b : (nb_uint128)b;
    const nb_uint128 common = ratio_gcd(top, bottom);
    top /= common;
    bottom /= common;
    if (top > INT64_MAX || bottom > INT64_MAX)
        return unknown;
    return (struct nb_ratio){ is_negative ? -(int64_t)top : (int64_t)top,
                              (int64_t)bottom };
}

/* Sums and differences of 64-bit cross products stay below 2^127. */
static struct nb_ratio ratio_combine(struct nb_ratio a, struct nb_ratio b,
                                     int sign)
{
    if (!nb_ratio_is_known(a) || !nb_ratio_is_known(b))
        return unknown;
    if (nb_ratio_is_infinite(a) || nb_ratio_is_infinite(b)) {
        const bool is_defined = !nb_ratio_is_infinite(b) || sign > 0;
        return is_defined ? nb_ratio_infinity : unknown;
    }
    const nb_int128 left = (nb_int128)a.numerator * b.denominator;
    const nb_int128 right = (nb_int128)b.numerator * a.denominator;
    return nb_ratio_make(sign > 0 ? left + right : left - right,
                         (nb_int128)a.denominator * b.denominator);
}

struct nb_ratio nb_ratio_add(struct nb_ratio a, struct nb_ratio b)
{
    return ratio_combine(a, b, 1);
}

struct nb_ratio nb_ratio_subtract(struct nb_ratio a, struct nb_ratio b)
{
    return ratio_combine(a, b, -1);
}

struct nb_ratio nb_ratio_multiply(struct nb_ratio a, struct nb_ratio b)
{
    if (!nb_ratio_is_known(a) || !nb_ratio_is_known(b))
        return unknown;
    return nb_ratio_make((nb_int128)a.numerator * b.numerator,
                         (nb_int128)a.denominator * b.denominator);
}

struct nb_ratio nb_ratio_divide(struct nb_ratio a, struct nb_ratio b)
{
    if (!nb_ratio_is_known(a) || !nb_ratio_is_known(b))
        return unknown;
    if (nb_ratio_is_infinite(b) && !nb_ratio_is_infinite(a))
        return nb_ratio_zero;
    if (nb_ratio_is_infinite(a) && b.numerator < 0)
        return unknown; /* there is no -inf */
    return nb_ratio_make((nb_int128)a.numerator * b.denominator,
                         (nb_int128)a.denominator * b.numerator);
}

int nb_ratio_compare(struct nb_ratio a, struct nb_ratio b)
{
    /* Infinity (1, 0) compares correctly: x*0 < 1*q for every finite x/q. */
    const nb_int128 left = (nb_int128)a.numerator * b.denominator;
    const nb_int128 right = (nb_int128)b.numerator * a.denominator;
    return (left > right) - (left < right);
}

/* Bits up to the highest one; value > 0. */
static int ratio_bits(uint64_t value)
{
    return 64 - __builtin_clzll(value);
}

double nb_ratio_value(struct nb_ratio a)
{
    const int64_t most = (int64_t)1 << 53; /* these are doubles themselves */
    if (!nb_ratio_is_known(a))
        return NAN;
    if (nb_ratio_is_infinite(a))
        return INFINITY;
    if (-most <= a.numerator && a.numerator <= most && a.denominator <= most)
        return (double)a.numerator / (double)a.denominator;
    /* A quotient of 56 bits or more rounds as the ratio does, if its last bit
     * says that there is a rest. */
    const uint64_t p =
        a.numerator < 0 ? -(uint64_t)a.numerator : (uint64_t)a.numerator;
    const uint64_t q = (uint64_t)a.denominator;
    const int more = 56 + ratio_bits(q) - ratio_bits(p | 1);
    const int shift = more > 0 ? more : 0;
    const nb_uint128 top = (nb_uint128)p << shift;
    const double value = (double)((uint64_t)(top / q) | (top % q != 0));
    return ldexp(a.numerator < 0 ? -value : value, -shift);
}

void nb_ratio_bracket(struct nb_ratio a, double *lower, double *upper)
{
    const double value = nb_ratio_value(a);
    *lower = *upper = value;
    if (value < 0) {
        nb_ratio_bracket(nb_ratio_subtract(nb_ratio_zero, a), upper, lower);
        *lower = -*lower;
        *upper = -*upper;
        return;
    }
    if (!(value < INFINITY) || value == 0)
        return;
    /* Compare value * denominator with numerator exactly: value = m 2^e with
     * an integer m < 2^53, shifts of at most 62 + 53 bits are exact. */
    int exponent;
    const double mantissa = frexp(value, &exponent);
    nb_uint128 left =
        (nb_uint128)(uint64_t)ldexp(mantissa, 53) * (uint64_t)a.denominator;
    nb_uint128 right = (uint64_t)a.numerator;
    exponent -= 53;
    if (exponent >= 0) {
        left <<= exponent; /* value < 2^63, so left stays below 2^126 */
    } else if (-exponent <= 64) {
        right <<= -exponent;
    } else { /* value < 2^-11: p <= value q shifted; compare the quotient */
        const int excess = -exponent - 64;
        const nb_uint128 low =
            left & (((nb_uint128)1 << (excess > 127 ? 127 : excess)) - 1);
        left >>= excess > 127 ? 127 : excess;
        right <<= 64;
        if (left == right && low != 0) {
            *lower = nextafter(value, 0);
            return;
        }
    }
    if (left > right)
        *lower = nextafter(value, 0);
    else if (left < right)
        *upper = nextafter(value, INFINITY);
}

void nb_ratio_print(struct nb_ratio a, char text[NB_RATIO_TEXT])
{
    if (!nb_ratio_is_known(a))
        text[0] = '\0';
    else if (nb_ratio_is_infinite(a))
        snprintf(text, NB_RATIO_TEXT, "inf");
    else if (a.denominator == 1)
        snprintf(text, NB_RATIO_TEXT, "%" PRId64, a.numerator);
    else
        snprintf(text, NB_RATIO_TEXT, "%" PRId64 "/%" PRId64, a.numerator,
                 a.denominator);
}

/* Reads digits into *value; returns the first character after them, NULL on
 * overflow of 64 bits. */
static const char *ratio_read_digits(const char *text, uint64_t *value,
                                     int *count)
{
    for (; *text >= '0' && *text <= '9'; text++, (*count)++) {
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*text - '0'), value))
            return NULL;
    }
    return text;
}

/* The decimal exponent after "e"; returns NULL if it is malformed. */
static const char *ratio_read_exponent(const char *text, int *exponent)
{
    if (*text != 'e' && *text != 'E')
        return text;
    char *end;
    const long value = strtol(text + 1, &end, 10);
    /* strtol also takes leading space. */
    if (strchr("+-0123456789", text[1]) == NULL || end == text + 1 ||
        value < -1000 || value > 1000)
        return NULL;
    *exponent += (int)value;
    return end;
}

static struct nb_ratio ratio_scale(nb_int128 top, nb_int128 bottom,
                                   int exponent)
{
    for (; exponent != 0 && top != 0; exponent += exponent < 0 ? 1 : -1) {
        nb_int128 *side = exponent < 0 ? &bottom : &top;
        nb_int128 *other = exponent < 0 ? &top : &bottom;
        if (*other % 10 == 0) {
            *other /= 10;
        } else {
            if (*side > (nb_int128)1 << 120 || *side < -((nb_int128)1 << 120))
                return unknown;
            *side *= 10;
        }
    }
    return nb_ratio_make(top, bottom);
}

enum nb_status nb_ratio_read(const char *text, struct nb_ratio *out,
                             struct nb_error *err)
{
    const bool is_negative = *text == '-';
    const char *next = text + (*text == '-' || *text == '+');
    uint64_t top = 0, bottom = 1;
    int digits = 0, fraction = 0, exponent = 0, divisor = 0;
    next = ratio_read_digits(next, &top, &digits);
    if (next != NULL && *next == '.')
        next = ratio_read_digits(next + 1, &top, &fraction);
    if (next != NULL && digits + fraction > 0) {
        exponent = -fraction;
        if (*next == '/' && fraction == 0) {
            bottom = 0;
            next = ratio_read_digits(next + 1, &bottom, &divisor);
        } else {
            next = ratio_read_exponent(next, &exponent);
        }
    }
    const bool is_number =
        next != NULL && *next == '\0' && digits + fraction > 0 && bottom != 0;
    if (!is_number)
        return nb_fail(err, NB_INVALID,
                       "\"%s\" is not a number (permitted: p/q, p or a "
                       "decimal of at most 18 digits)",
                       text);
    *out = ratio_scale(is_negative ? -(nb_int128)top : (nb_int128)top,
                       (nb_int128)bottom, exponent);
    if (!nb_ratio_is_known(*out))
        return nb_fail(err, NB_OVERFLOW,
                       "\"%s\" does not fit a ratio of 64-bit integers", text);
    return NB_OK;
}
