#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"

#include "core/random.h"
#include "core/ratio.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether a is top/bottom in lowest terms; bottom > 0. */
static bool ratio_is(struct nb_ratio a, nb_int128 top, nb_int128 bottom)
{
    return a.denominator > 0 &&
           (nb_int128)a.numerator * bottom == top * a.denominator &&
           nb_gcd((uint64_t)llabs(a.numerator), (uint64_t)a.denominator) == 1;
}

static void test_arithmetic(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 1, 0);
    /* Parts below 2^30: cross products of three fit 128 bits, and all results
     * fit 64 bits. */
    for (int i = 0; i < 200000; i++) {
        const struct nb_ratio a = ratio_draw(&random, 30);
        const struct nb_ratio b = ratio_draw(&random, 30);
        const nb_int128 p = a.numerator, q = a.denominator;
        const nb_int128 r = b.numerator, s = b.denominator;
        RATIO_CHECK(ratio_is(nb_ratio_add(a, b), p * s + r * q, q * s), a, b);
        RATIO_CHECK(ratio_is(nb_ratio_subtract(a, b), p * s - r * q, q * s), a,
                    b);
        RATIO_CHECK(ratio_is(nb_ratio_multiply(a, b), p * r, q * s), a, b);
        const struct nb_ratio quotient = nb_ratio_divide(a, b);
        if (r != 0)
            RATIO_CHECK(ratio_is(quotient, r > 0 ? p * s : -p * s,
                                 r > 0 ? q * r : -q * r),
                        a, b);
        const int order = (p * s > r * q) - (p * s < r * q);
        RATIO_CHECK(nb_ratio_compare(a, b) == order, a, b);
        RATIO_CHECK(nb_ratio_compare(b, a) == -order, a, b);
    }
}

/* Whether top/bottom reduced fits 63 bits, by plain Euclid in 128. */
static bool ratio_fits(nb_int128 top, nb_int128 bottom)
{
    nb_int128 a = top < 0 ? -top : top, b = bottom;
    while (b != 0) {
        const nb_int128 rest = a % b;
        a = b;
        b = rest;
    }
    top = (top < 0 ? -top : top) / a;
    return top <= INT64_MAX && bottom / a <= INT64_MAX;
}

static void test_overflow_is_detected(void **state)
{
    (void)state;
    struct nb_random random;
    size_t known = 0, unknown = 0;
    nb_random_init(&random, 2, 0);
    for (int i = 0; i < 200000; i++) {
        const struct nb_ratio a = ratio_draw(&random, 62);
        const struct nb_ratio b = ratio_draw(&random, 62);
        const nb_int128 p = a.numerator, q = a.denominator;
        const nb_int128 r = b.numerator, s = b.denominator;
        const struct nb_ratio sum = nb_ratio_add(a, b);
        const struct nb_ratio product = nb_ratio_multiply(a, b);
        RATIO_CHECK(nb_ratio_is_known(sum) == ratio_fits(p * s + r * q, q * s),
                    a, b);
        RATIO_CHECK(nb_ratio_is_known(product) == ratio_fits(p * r, q * s), a,
                    b);
        known += nb_ratio_is_known(sum);
        unknown += !nb_ratio_is_known(sum);
        const int order = (p * s > r * q) - (p * s < r * q);
        RATIO_CHECK(nb_ratio_compare(a, b) == order, a, b);
    }
    assert_true(known > 10000 && unknown > 10000);
}

static void test_unknown_and_infinite(void **state)
{
    (void)state;
    const struct nb_ratio none = { 0, 0 }, half = { 1, 2 }, minus = { -1, 2 };
    const struct nb_ratio inf = nb_ratio_infinity, zero = nb_ratio_zero;
    assert_false(nb_ratio_is_known(none));
    assert_true(nb_ratio_is_known(zero) && nb_ratio_is_known(inf));
    assert_true(nb_ratio_is_infinite(inf) && !nb_ratio_is_infinite(half));
    const struct nb_ratio undefined[] = {
        nb_ratio_add(none, half),      nb_ratio_add(half, none),
        nb_ratio_multiply(none, inf),  nb_ratio_divide(half, none),
        nb_ratio_subtract(inf, inf),   nb_ratio_subtract(half, inf),
        nb_ratio_multiply(inf, zero),  nb_ratio_multiply(zero, inf),
        nb_ratio_multiply(inf, minus), nb_ratio_divide(zero, zero),
        nb_ratio_divide(minus, zero),  nb_ratio_divide(inf, inf),
        nb_ratio_make(0, 0),           nb_ratio_make(-1, 0),
    };
    for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++)
        if (nb_ratio_is_known(undefined[i]))
            fail_msg("case %zu is known", i);
    const struct nb_ratio infinite[] = {
        nb_ratio_add(inf, minus),     nb_ratio_add(half, inf),
        nb_ratio_add(inf, inf),       nb_ratio_subtract(inf, half),
        nb_ratio_divide(half, zero),  nb_ratio_divide(inf, half),
        nb_ratio_multiply(half, inf), nb_ratio_make(7, 0),
    };
    for (size_t i = 0; i < sizeof infinite / sizeof *infinite; i++)
        if (!nb_ratio_is_infinite(infinite[i]))
            fail_msg("case %zu is not infinite", i);
    assert_int_equal(nb_ratio_compare(nb_ratio_divide(minus, inf), zero), 0);
    assert_int_equal(nb_ratio_compare(inf, half), 1);
    assert_int_equal(nb_ratio_compare(minus, inf), -1);
    assert_int_equal(nb_ratio_compare(inf, inf), 0);
    assert_true(isnan(nb_ratio_value(none)));
    assert_true(nb_ratio_value(inf) == INFINITY);
}

/* There is no negative infinity, so this has no value. */
static void test_infinity_over_negative(void **state)
{
    (void)state;
    const struct nb_ratio minus = { -2, 1 };
    assert_false(nb_ratio_is_known(nb_ratio_divide(nb_ratio_infinity, minus)));
}

static void test_make(void **state)
{
    (void)state;
    const nb_int128 most = INT64_MAX;
    const struct nb_ratio a = nb_ratio_make(-6, -4);
    assert_true(a.numerator == 3 && a.denominator == 2);
    const struct nb_ratio b = nb_ratio_make(6, -4);
    assert_true(b.numerator == -3 && b.denominator == 2);
    const struct nb_ratio zero = nb_ratio_make(0, -most * most);
    assert_true(zero.numerator == 0 && zero.denominator == 1);
    const struct nb_ratio one = nb_ratio_make(most * most, most * most);
    assert_true(one.numerator == 1 && one.denominator == 1);
    assert_true(nb_ratio_is_known(nb_ratio_make(most, most - 1)));
    assert_false(nb_ratio_is_known(nb_ratio_make(most + 1, 1)));
    assert_false(nb_ratio_is_known(nb_ratio_make(-most - 1, 1)));
    assert_false(nb_ratio_is_known(nb_ratio_make(1, most + 1)));
    assert_true(nb_gcd(0, 0) == 0 && nb_gcd(0, 9) == 9 && nb_gcd(9, 0) == 9);
    assert_true(nb_gcd(UINT64_MAX, 3) == 3 && nb_gcd(462, 1071) == 21);
}

/* Compares a non-negative double m 2^e with p/q exactly: -1, 0, 1. It compares
 * m q 2^e with p; whatever cannot be shifted within 128 bits is decided by its
 * magnitude. */
static int ratio_compare_double(double value, struct nb_ratio a)
{
    int exponent;
    if (a.numerator < 0)
        return -ratio_compare_double(
            -value, (struct nb_ratio){ -a.numerator, a.denominator });
    if (value == 0)
        return a.numerator > 0 ? -1 : 0;
    const double fraction = frexp(value, &exponent);
    uint64_t mantissa = (uint64_t)(fraction * 0x1p53);
    exponent -= 53;
    while (mantissa % 2 == 0) {
        mantissa /= 2;
        exponent++;
    }
    nb_uint128 left = (nb_uint128)mantissa * (uint64_t)a.denominator;
    nb_uint128 right = (nb_uint128)a.numerator;
    for (; exponent > 0; exponent--) {
        if (left >> 127 != 0)
            return 1;
        left *= 2;
    }
    /* left 2^e against right: double right, or halve left where that is exact;
     * a right of 2^127 or more exceeds every left (below 2^117). */
    for (; exponent < 0; exponent++) {
        if (left % 2 == 0 && left != 0)
            left /= 2;
        else if (right >> 126 != 0)
            return -1;
        else
            right *= 2;
    }
    return (left > right) - (left < right);
}

static void ratio_check_bracket(struct nb_ratio a)
{
    double lower, upper;
    const double value = nb_ratio_value(a);
    nb_ratio_bracket(a, &lower, &upper);
    RATIO_CHECK(ratio_compare_double(lower, a) <= 0, a, a);
    RATIO_CHECK(ratio_compare_double(upper, a) >= 0, a, a);
    RATIO_CHECK(lower <= value && value <= upper, a, a);
    if (lower == upper) {
        RATIO_CHECK(ratio_compare_double(lower, a) == 0, a, a);
    } else {
        RATIO_CHECK(nextafter(lower, INFINITY) == upper, a, a);
        RATIO_CHECK(ratio_compare_double(lower, a) < 0, a, a);
        RATIO_CHECK(ratio_compare_double(upper, a) > 0, a, a);
    }
}

static void test_bracket(void **state)
{
    (void)state;
    static const struct nb_ratio special[] = {
        { 0, 1 },
        { 1, 1 },
        { 1, 3 },
        { 2, 3 },
        { INT64_MAX, 1 },
        { 1, INT64_MAX },
        { INT64_MAX, INT64_MAX - 1 },
        { INT64_MAX - 1, INT64_MAX },
        { INT64_MAX, 2 },
        { 2, INT64_MAX },
        { (int64_t)1 << 62, 1 },
        { 1, (int64_t)1 << 62 },
        { ((int64_t)1 << 53) + 1, 1 },
        { ((int64_t)1 << 54) + 1, (int64_t)1 << 62 },
        { 3, ((int64_t)1 << 61) - 1 },
        { ((int64_t)1 << 62) + 255, ((int64_t)1 << 61) - 511 },
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        ratio_check_bracket(special[i]);
    struct nb_random random;
    nb_random_init(&random, 3, 0);
    for (int i = 0; i < 300000; i++) {
        const struct nb_ratio a = ratio_draw(&random, 63);
        if (nb_ratio_is_known(a))
            ratio_check_bracket(a);
    }
    double lower, upper;
    nb_ratio_bracket(nb_ratio_infinity, &lower, &upper);
    assert_true(upper == INFINITY);
}

/* Tiny ratios whose quotient by a short mantissa comes close to a double. */
static void test_bracket_near_doubles(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 4, 0);
    for (int i = 0; i < 100000; i++) {
        const nb_int128 q = (nb_int128)1 << (53 + nb_random_below(&random, 10));
        const nb_int128 p = 1 + (nb_int128)nb_random_below(&random, 1000);
        const nb_int128 nudge = (nb_int128)nb_random_below(&random, 3) - 1;
        ratio_check_bracket(nb_ratio_make(p, q + nudge));
        ratio_check_bracket(nb_ratio_make(q + nudge, p));
    }
}

/* A ratio in 64 digits, which are all if it is halfway, and one more if there
 * is a rest; strtod rounds it correctly. */
static double ratio_by_digits(struct nb_ratio a)
{
    enum { DIGITS = 64 };
    char text[DIGITS + 40];
    const uint64_t q = (uint64_t)a.denominator;
    const uint64_t p = (uint64_t)llabs(a.numerator);
    nb_uint128 rest = p % q;
    int length = snprintf(text, sizeof text, "%s%" PRIu64 ".",
                          a.numerator < 0 ? "-" : "", p / q);
    for (int i = 0; i < DIGITS; i++, rest = rest * 10 % q)
        text[length++] = (char)('0' + (int)(rest * 10 / q));
    text[length++] = rest > 0 ? '1' : '0';
    text[length] = '\0';
    return strtod(text, NULL);
}

static void value_is_nearest(struct nb_ratio a)
{
    RATIO_CHECK(nb_ratio_value(a) == ratio_by_digits(a), a, a);
}

static void test_value_is_nearest(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 5, 0);
    for (unsigned bits = 1; bits <= 62; bits++)
        for (int i = 0; i < 4000; i++)
            value_is_nearest(ratio_draw(&random, bits));
    /* Halfway between doubles, and next to that. */
    for (int i = 0; i < 20000; i++) {
        const int64_t odd = (int64_t)1 << 53 | (int64_t)1 |
                            (int64_t)(nb_random_next(&random) >> 11);
        const int64_t top = odd << nb_random_below(&random, 9);
        const int64_t bottom = (int64_t)1 << nb_random_below(&random, 63);
        for (int64_t nudge = -1; nudge <= 1; nudge++)
            value_is_nearest(nb_ratio_make(top + nudge, bottom));
    }
    value_is_nearest((struct nb_ratio){ INT64_MAX, 1 });
    value_is_nearest((struct nb_ratio){ -INT64_MAX, INT64_MAX - 1 });
    value_is_nearest((struct nb_ratio){ 1, INT64_MAX });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_overflow_is_detected),
        cmocka_unit_test(test_unknown_and_infinite),
        cmocka_unit_test(test_infinity_over_negative),
        cmocka_unit_test(test_make),
        cmocka_unit_test(test_bracket),
        cmocka_unit_test(test_bracket_near_doubles),
        cmocka_unit_test(test_value_is_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
