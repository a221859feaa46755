/* Bounds and estimates against closed forms and the exact distribution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/twofold_wide.h"

#include "queueing/arrivals.h"
#include "queueing/convolve.h"
#include "queueing/large_deviations.h"

#include <gsl/gsl_errno.h>

#include <math.h>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg("" #condition ": " __VA_ARGS__);                          \
    } while (0)

enum { MOST = 60 };

static void make_queue(const char *load, int64_t radix,
                       struct nb_distribution *out)
{
    const struct nb_arrivals arrivals = { .radix = radix };
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(load, &ratio, NULL), NB_OK);
    assert_int_equal(
        nb_arrivals_law(&arrivals, nb_load_of_ratio(ratio), out, NULL), NB_OK);
}

static struct nb_distribution_sum
make_sum(const struct nb_distribution *distribution, size_t count,
         const struct nb_distribution *distributions[])
{
    for (size_t i = 0; i < count; i++)
        distributions[i] = distribution;
    return (struct nb_distribution_sum){ distributions, count, NULL };
}

static struct nb_deviation at(const struct nb_distribution_sum *sum, double n)
{
    struct nb_deviation result;
    assert_int_equal(nb_deviation_at(sum, n, &result, NULL), NB_OK);
    return result;
}

/*
 * Geometric distributions of ratio r: the least value is at z = n / (r (n +
 * h)),
 *
 *     (1 - r)^h (n + h)^(n + h) r^n / (n^n h^h),
 *
 * and the tilted variance h q / (1 - q)^2, q = n / (n + h).
 */
static void test_geometric(void **state)
{
    const struct nb_distribution *distributions[MOST];
    static const size_t counts[] = { 1, 3, 50 };
    static const double ns[] = { 40, 41, 100, 1000, 20000 };
    struct nb_distribution distribution = { 0 };
    (void)state;
    assert_int_equal(nb_distribution_reserve(&distribution, 1, NULL), NB_OK);
    const long double r = 0.375L;
    distribution.mass[0] = wide_to_scaled(1 - r);
    distribution.mass[1] = wide_to_scaled((1 - r) * r);
    distribution.tail[1] = wide_to_scaled(r);
    distribution.tail[0] = wide_to_scaled(1);
    distribution.rate = wide_to(-logl(r));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof ns / sizeof *ns; k++) {
            const long double h = (long double)counts[i], n = ns[k];
            const long double q = n / (n + h);
            const long double bound =
                expl(h * logl(1 - r) + (n + h) * logl(n + h) + n * logl(r) -
                     n * logl(n) - h * logl(h));
            const long double estimate =
                bound * (1 - q) /
                ((1 - r / q) * sqrtl(2 * 3.14159265358979323846L * h * q));
            const struct nb_distribution_sum sum =
                make_sum(&distribution, counts[i], distributions);
            const struct nb_deviation found = at(&sum, ns[k]);
            if (bound < 1e-300L) {
                CHECK(found.chernoff < 1e-299, "%g", found.chernoff);
                continue;
            }
            CHECK(found.chernoff >= (double)(bound * (1 - 1e-15L)) &&
                      found.chernoff <= (double)(bound * (1 + 1e-10L)),
                  "%Lg distributions, n %Lg: %.17g, not %.17Lg", h, n,
                  found.chernoff, bound);
            CHECK(fabs(found.bahadur_rao / (double)estimate - 1) < 1e-8,
                  "%Lg distributions, n %Lg: %.17g, not %.17Lg", h, n,
                  found.bahadur_rao, estimate);
        }
    nb_distribution_release(&distribution);
}

/* One input: each distribution is 0 or 1, the sum binomial, the bound of n =
 * count its one mass there. */
static void test_bounded(void **state)
{
    const struct nb_distribution *distributions[MOST];
    struct nb_distribution distribution = { 0 };
    (void)state;
    make_queue("0.25", 1, &distribution);
    const struct nb_distribution_sum sum =
        make_sum(&distribution, 10, distributions);
    assert_true(fabs(at(&sum, 10).chernoff * pow(4, 10) - 1) < 1e-12);
    assert_true(at(&sum, 10).chernoff * pow(4, 10) >= 1);
    assert_true(at(&sum, 11).chernoff == 0);
    assert_true(at(&sum, 2).chernoff == 1); /* below the mean, 2.5 */
    /* relative entropy of 5/10 to 1/4: (16/12)^-5 ... = (3/4)^5 */
    assert_true(fabs(at(&sum, 5).chernoff / pow(0.75, 5) - 1) < 1e-8);
    nb_distribution_release(&distribution);
    make_queue("0", 4, &distribution);
    const struct nb_distribution_sum none =
        make_sum(&distribution, 3, distributions);
    double depth;
    assert_int_equal(nb_deviation_depth(&none, 1e-300, &depth, NULL), NB_OK);
    assert_true(depth == 1);
    nb_distribution_release(&distribution);
}

/* Never below the distribution itself; the estimate approaches it. */
static void test_against_law(void **state)
{
    static const char *const loads[] = { "0.01", "0.2", "0.6", "0.9", "0.99" };
    static const int64_t radices[] = { 2, 5, 16 };
    static const size_t counts[] = { 1, 2, 5, MOST };
    const struct nb_distribution *distributions[MOST];
    (void)state;
    for (size_t i = 0; i < 5 * 3 * 4; i++) {
        const size_t count = counts[i / 15];
        struct nb_distribution distribution = { 0 }, exact = { 0 };
        double depth;
        make_queue(loads[i % 5], radices[i / 5 % 3], &distribution);
        const struct nb_distribution_sum sum =
            make_sum(&distribution, count, distributions);
        assert_int_equal(nb_deviation_depth(&sum, 1e-60, &depth, NULL), NB_OK);
        assert_true(at(&sum, depth).chernoff < 1e-60);
        assert_true(at(&sum, depth - 1).chernoff >= 1e-60);
        assert_int_equal(nb_distributions_convolve(distributions, count,
                                                   (size_t)depth, &exact, NULL),
                         NB_OK);
        const double step = ceil(depth / 97);
        double last = 1;
        for (double n = 0; n <= depth; n += step) {
            const struct nb_deviation found = at(&sum, n);
            const struct nb_bracket tail =
                nb_distribution_tail_bracket(&exact, n);
            CHECK(found.chernoff >= tail.lower,
                  "load %s, radix %lld, %zu distributions, n %g: bound %g "
                  "below %g",
                  loads[i % 5], (long long)radices[i / 5 % 3], count, n,
                  found.chernoff, tail.lower);
            CHECK(found.chernoff <= last * (1 + 1e-9), "n %g", n);
            last = found.chernoff;
        }
        /* Stirling's error for that many distributions: 1/(12 count), as for
         * one of their order at the pole; the rest is the correction of 1/n. */
        const double ratio =
            at(&sum, depth).bahadur_rao / nb_distribution_tail(&exact, depth);
        const double slack = 0.1 / (double)count + 0.01;
        CHECK(fabs(ratio - 1) < slack,
              "load %s, radix %lld, %zu distributions: the estimate is %g of "
              "the distribution",
              loads[i % 5], (long long)radices[i / 5 % 3], count, ratio);
        nb_distribution_release(&exact);
        nb_distribution_release(&distribution);
    }
}

/* So close to saturation that whole cycles are no longer doubles: refused. */
static void test_too_far(void **state)
{
    const struct nb_distribution *distributions[2];
    struct nb_distribution distribution = { 0 };
    struct nb_error err = { 0 };
    double depth;
    (void)state;
    make_queue("0.99999999999999999", 2, &distribution);
    const struct nb_distribution_sum sum =
        make_sum(&distribution, 2, distributions);
    assert_int_equal(nb_deviation_depth(&sum, 1e-15, &depth, &err),
                     NB_NO_CONVERGENCE);
    nb_distribution_release(&distribution);
}

/* Several at once, in any order, equal those computed one by one. */
static void test_several(void **state)
{
    static const double ns[] = { 0, 3, 4, 5, 60, 61, 7, 300, 299, 1, 12 };
    enum { COUNT = sizeof ns / sizeof *ns };
    const struct nb_distribution *distributions[MOST];
    struct nb_distribution distribution = { 0 };
    struct nb_deviation found[COUNT];
    (void)state;
    make_queue("0.9", 16, &distribution);
    const struct nb_distribution_sum sum =
        make_sum(&distribution, 3, distributions);
    assert_int_equal(nb_deviations_at(&sum, ns, COUNT, found, NULL), NB_OK);
    for (size_t i = 0; i < COUNT; i++) {
        const struct nb_deviation one = at(&sum, ns[i]);
        CHECK(fabs(found[i].chernoff / one.chernoff - 1) < 1e-13 &&
                  fabs(found[i].bahadur_rao / one.bahadur_rao - 1) < 1e-8,
              "n %g: %.17g, %.17g", ns[i], found[i].chernoff, one.chernoff);
    }
    nb_distribution_release(&distribution);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometric),   cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_against_law), cmocka_unit_test(test_too_far),
        cmocka_unit_test(test_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
