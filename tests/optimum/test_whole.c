/* Whole numbers from doubles, and quotients of large ones. */
#include "optimum/whole.h"

#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST = 12, TRIALS = 2000 };

static const double tolerance = 1e-10;
static const int64_t limit = (int64_t)1 << 38;

/* Ratios with denominators up to 40, with noise. */
struct draw {
    size_t count;
    double value[MOST];
    struct nb_ratio ratio[MOST];
    int64_t denominator; /* least common */
};

static void draw(struct nb_random *random, double noise, struct draw *out)
{
    out->count = 1 + nb_random_below(random, MOST);
    out->denominator = 1;
    for (size_t i = 0; i < out->count; i++) {
        const int64_t top = (int64_t)nb_random_below(random, 200) - 60;
        const int64_t bottom = 1 + (int64_t)nb_random_below(random, 40);
        out->ratio[i] = nb_ratio_make(top, bottom);
        out->value[i] = nb_ratio_value(out->ratio[i]) +
                        noise * (2 * nb_random_unit(random) - 1);
        out->denominator =
            nb_unite(out->denominator, out->ratio[i].denominator, INT64_MAX);
    }
}

/* The ratios are recovered, over their least common denominator, unless that
 * exceeds the limit. Up to 10^6 the tolerance leaves no choice. */
static void finds_ratios_in_noise(void **state)
{
    (void)state;
    size_t found = 0, passed = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct nb_random random;
        struct draw ratios;
        int64_t whole[MOST];
        nb_random_init(&random, seed, 0);
        draw(&random, 1e-12, &ratios);
        const int64_t most = 1 + (int64_t)nb_random_below(&random, 1000000);
        const int64_t denominator =
            nb_whole_find(ratios.count, ratios.value, tolerance, most, whole);
        if (ratios.denominator > most) {
            passed++;
            if (denominator != 0)
                fail_msg("seed %u: %lld", (unsigned)seed,
                         (long long)denominator);
            continue;
        }
        found++;
        for (size_t i = 0; i < ratios.count; i++)
            if (denominator != ratios.denominator ||
                nb_ratio_compare(nb_ratio_make(whole[i], denominator),
                                 ratios.ratio[i]) != 0)
                fail_msg("seed %u: value %.17g is %lld / %lld", (unsigned)seed,
                         ratios.value[i], (long long)whole[i],
                         (long long)denominator);
    }
    assert_true(found > TRIALS / 10 && passed > TRIALS / 10);
}

/* For any values, the result lies within the tolerance. */
static void stays_within_the_tolerance(void **state)
{
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct nb_random random;
        struct draw values;
        int64_t whole[MOST];
        nb_random_init(&random, seed, 1);
        draw(&random, 1, &values);
        const double wide = pow(10, -(double)nb_random_below(&random, 10));
        const int64_t denominator =
            nb_whole_find(values.count, values.value, wide, limit, whole);
        found += denominator != 0;
        for (size_t i = 0; i < values.count && denominator != 0; i++)
            if (!(fabs((double)whole[i] / (double)denominator -
                       values.value[i]) <= wide * (1 + 1e-6)))
                fail_msg("seed %u: value %.17g is %lld / %lld", (unsigned)seed,
                         values.value[i], (long long)whole[i],
                         (long long)denominator);
    }
    assert_true(found > TRIALS / 2);
}

static void finds_known_denominators(void **state)
{
    (void)state;
    const double third[] = { 0, 1, -2.0 / 3, 5.0 / 7, 1.0 / 11, 0x1p20 };
    int64_t whole[6];
    assert_int_equal(nb_whole_find(6, third, tolerance, 231, whole), 231);
    const int64_t expected[] = { 0, 231, -154, 165, 21, 231 << 20 };
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(whole[i], expected[i]);
    assert_int_equal(nb_whole_find(6, third, tolerance, 230, whole), 0);
    assert_int_equal(nb_whole_find(2, third, tolerance, 1, whole), 1);
    assert_int_equal(nb_whole_find(3, third, tolerance, 1, whole), 0);
    assert_int_equal(nb_whole_find(0, third, tolerance, 1, whole), 1);
    const double root = 0.70710678118654752;
    assert_int_equal(nb_whole_find(1, &root, 1e-15, 1000000, whole), 0);
    assert_int_equal(nb_whole_find(1, &root, 1e-3, 1000000, whole), 41);
}

static void rounds_to_the_nearest(void **state)
{
    (void)state;
    const double value[] = { 0.24, 0.26, -0.26, 3, 0 };
    const int64_t expected[] = { 0, 1, -1, 6, 0 };
    int64_t whole[5];
    nb_whole_find(5, value, 0, 2, whole);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(whole[i], expected[i]);
}

/* A number of this many bits. */
static nb_int128 draw_bits(struct nb_random *random, unsigned bits)
{
    nb_uint128 value = (nb_uint128)1 << (bits - 1);
    for (unsigned b = 0; b + 1 < bits; b++)
        value |= (nb_uint128)nb_random_below(random, 2) << b;
    return (nb_int128)value;
}

/* lower b <= a <= upper b, for a / b from 2^9 to 2^11: doubles there are whole
 * multiples of 2^-44, and all products have less than 127 bits. */
static void must_enclose(struct nb_enclosure found, nb_int128 a, nb_int128 b)
{
    const nb_int128 lower = (nb_int128)ldexp(found.lower, 44);
    const nb_int128 upper = (nb_int128)ldexp(found.upper, 44);
    const nb_int128 top = a << 44;
    assert_true(found.lower >= 512 && found.upper <= 2048);
    assert_true(lower * b <= top && top <= upper * b);
    assert_true(found.upper - found.lower <= found.upper * 0x1p-50);
}

static void divides_outward(void **state)
{
    (void)state;
    const nb_int128 great = (nb_int128)1 << 90;
    assert_true(nb_enclosure_is_zero(nb_whole_quotient(0, great)));
    assert_true(nb_ratio_is_infinite(nb_whole_quotient(great, 0).exact));
    struct nb_enclosure found = nb_whole_quotient(6 * great, 4 * great);
    assert_int_equal(found.exact.numerator, 3);
    assert_int_equal(found.exact.denominator, 2);
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct nb_random random;
        nb_random_init(&random, seed, 2);
        const nb_int128 a = draw_bits(&random, 80);
        const nb_int128 b = draw_bits(&random, 70);
        must_enclose(nb_whole_quotient(a, b), a, b);
        const nb_int128 small = draw_bits(&random, 40);
        const nb_int128 part = draw_bits(&random, 30);
        found = nb_whole_quotient(small * b, part * b);
        assert_true(nb_ratio_compare(found.exact, nb_ratio_make(small, part)) ==
                    0);
        must_enclose(found, small, part);
    }
    found = nb_whole_quotient(((nb_int128)1 << 120) + 1, 3);
    assert_false(nb_ratio_is_known(found.exact));
    assert_true(found.lower < 0x1p120 / 3 * (1 + 0x1p-50) &&
                found.upper > 0x1p120 / 3 * (1 - 0x1p-50));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_ratios_in_noise),
        cmocka_unit_test(stays_within_the_tolerance),
        cmocka_unit_test(finds_known_denominators),
        cmocka_unit_test(rounds_to_the_nearest),
        cmocka_unit_test(divides_outward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
