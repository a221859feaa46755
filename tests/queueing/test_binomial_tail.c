/* Tails of binomial distributions against exact fractions and GSL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "queueing/binomial_tail.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include <math.h>

static bool is_in(struct nb_bracket bracket, double value, double error)
{
    return bracket.lower <= value * (1 + error) &&
           value * (1 - error) <= bracket.upper &&
           bracket.upper - bracket.lower <= 1e-9 * bracket.upper;
}

/* Sums of exact fractions, by a separate program. */
static void test_golden(void **state)
{
    (void)state;
    const struct nb_ratio hundredth = { 1, 100 }, third = { 8, 25 };
    assert_true(is_in(nb_binomial_at_least(1000, hundredth, 55),
                      1.5683000449195686e-23, 1e-15));
    assert_true(is_in(nb_binomial_union(1000, hundredth, 55),
                      1.7351847906748546e-19, 1e-15));
    assert_true(is_in(nb_binomial_at_most(500, third, 80),
                      2.8013366530216815e-16, 1e-15));
}

static void test_ends(void **state)
{
    (void)state;
    const struct nb_ratio half = { 1, 2 };
    assert_true(nb_binomial_at_least(10, half, 0).upper == 1);
    assert_true(nb_binomial_at_least(10, half, 11).upper == 0);
    assert_true(nb_binomial_at_most(10, half, 10).lower == 1);
    assert_true(nb_binomial_at_least(7, nb_ratio_one, 7).lower == 1);
    assert_true(nb_binomial_at_least(7, nb_ratio_zero, 1).upper == 0);
    assert_true(nb_binomial_at_most(7, nb_ratio_one, 6).upper == 0);
    assert_true(nb_binomial_at_most(7, nb_ratio_zero, 0).lower == 1);
    assert_true(nb_binomial_union(3, half, 4).upper == 0);
    assert_true(is_in(nb_binomial_union(3, half, 2), 0.75, 0));
    /* Far below the least double. */
    const struct nb_bracket none =
        nb_binomial_at_least(100000, nb_ratio_make(1, 1000000), 50000);
    assert_true(none.lower == 0 && none.upper < 1e-300);
}

/* Against GSL, which does not sum terms; and the two tails add up to 1. */
static void test_beside_gsl(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 7, 0);
    for (int i = 0; i < 2000; i++) {
        const uint32_t n = 1 + (uint32_t)nb_random_below(&random, 3000);
        const uint32_t k = (uint32_t)nb_random_below(&random, n + 1);
        const int64_t parts = 2 + (int64_t)nb_random_below(&random, 1000);
        const struct nb_ratio p = nb_ratio_make(
            1 + (int64_t)nb_random_below(&random, (uint64_t)parts - 1), parts);
        const struct nb_bracket above = nb_binomial_at_least(n, p, k + 1);
        const struct nb_bracket below = nb_binomial_at_most(n, p, k);
        const double q = gsl_cdf_binomial_Q(k, nb_ratio_value(p), n);
        const bool is_right =
            (q < 1e-290 ? above.lower <= 1e-280 : is_in(above, q, 1e-9)) &&
            above.lower + below.lower <= 1 + 1e-12 &&
            above.upper + below.upper >= 1 - 1e-12;
        if (!is_right)
            print_error("n %u, k %u, p %lld/%lld: %.17g %.17g, not %.17g\n", n,
                        k, (long long)p.numerator, (long long)p.denominator,
                        above.lower, above.upper, q);
        assert_true(is_right);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_beside_gsl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
