/* Sums of distributions against closed forms, the plain double sum, and
 * sampling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/twofold_wide.h"

#include "core/memory.h"
#include "core/random.h"
#include "queueing/arrivals.h"
#include "queueing/convolve.h"

#include <gsl/gsl_errno.h>

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition, ...)                                                  \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg("" #condition ": " __VA_ARGS__);                          \
    } while (0)

enum { HOPS = 6 };

/* P(X >= n) = ratio^n, with the list ending at any length. */
static void make_geometric(long double ratio, size_t length,
                           struct nb_distribution *out)
{
    assert_int_equal(nb_distribution_reserve(out, length, NULL), NB_OK);
    for (size_t n = 0; n <= length; n++)
        out->mass[n] =
            wide_to_scaled((1 - ratio) * powl(ratio, (long double)n));
    out->tail[length] = wide_to_scaled(powl(ratio, (long double)length));
    nb_distribution_add_up(out);
    out->rate = wide_to(-logl(ratio));
    out->error = 1e-18 * (double)(length + 4);
    out->rate_error = 1e-18 / out->rate.high;
}

static void make_queue(const char *load, int64_t radix,
                       struct nb_distribution *out)
{
    const struct nb_arrivals arrivals = { .radix = radix };
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(load, &ratio, NULL), NB_OK);
    assert_int_equal(
        nb_arrivals_law(&arrivals, nb_load_of_ratio(ratio), out, NULL), NB_OK);
}

/* P(S >= n), S a sum of count such variables: fewer than count successes, of
 * probability 1 - ratio, in n + count - 1 trials. */
static long double negative_binomial(long double ratio, int count, double n)
{
    const long double trials = (long double)n + count - 1;
    long double sum = 0, term = powl(ratio, trials);
    for (int i = 0; i < count; i++) {
        sum += term;
        term *= (trials - i) / (i + 1) * (1 - ratio) / ratio;
    }
    return sum;
}

static void check_geometric(const long double ratio, size_t listed, int count)
{
    const size_t length = 3000;
    struct nb_distribution distribution = { 0 }, sum = { 0 };
    const struct nb_distribution *distributions[HOPS];
    make_geometric(ratio, listed, &distribution);
    for (int i = 0; i < count; i++)
        distributions[i] = &distribution;
    assert_int_equal(nb_distributions_convolve(distributions, (size_t)count,
                                               length, &sum, NULL),
                     NB_OK);
    assert_true(sum.is_cut);
    CHECK(sum.error < 1e-13, "error %g", sum.error);
    for (size_t n = 0; n <= length; n++) {
        const long double true_tail =
            negative_binomial(ratio, count, (double)n);
        const long double found = wide_of_scaled(sum.tail[n]);
        const long double off = fabsl(found - true_tail);
        CHECK(off < (sum.error + 1e-15L) *
                        fmaxl(true_tail, (long double)NB_DISTRIBUTION_LEAST),
              "ratio %Lg, %zu listed, %d hops: P(S >= %zu) is %Lg, not %Lg",
              ratio, listed, count, n, found, true_tail);
    }
    nb_distribution_release(&sum);
    nb_distribution_release(&distribution);
}

static void test_geometric(void **state)
{
    (void)state;
    check_geometric(0.5L, 1, 1);
    check_geometric(0.5L, 1, 5);
    check_geometric(0.875L, 2, 2);
    check_geometric(0.875L, 40, 6);
    check_geometric(0.97L, 7, 3);
}

/* If every rounding is up, or every one down, errors add up as in the worst
 * case: both results are still within the stated error. */
static void test_one_sided_roundings(void **state)
{
    (void)state;
    enum { LENGTH = 3000 };
    const int modes[2] = { FE_UPWARD, FE_DOWNWARD };
    struct nb_distribution distribution = { 0 }, sum[2] = { { 0 } };
    make_geometric(0.97L, 7, &distribution);
    distribution.error = distribution.rate_error = 0; /* exact input */
    const struct nb_distribution *const two[] = { &distribution,
                                                  &distribution };
    for (size_t k = 0; k < 2; k++) {
        fesetround(modes[k]);
        const enum nb_status status =
            nb_distributions_convolve(two, 2, LENGTH, &sum[k], NULL);
        fesetround(FE_TONEAREST);
        assert_int_equal(status, NB_OK);
    }
    for (size_t n = 0; n <= LENGTH; n++)
        CHECK(fabs(nb_twofold_subtract(sum[0].tail[n], sum[1].tail[n]).high) <=
                  2.01 * sum[0].error * sum[0].tail[n].high,
              "P(S >= %zu) is %a + %a, and %a + %a, error %g", n,
              sum[0].tail[n].high, sum[0].tail[n].low, sum[1].tail[n].high,
              sum[1].tail[n].low, sum[0].error);
    nb_distribution_release(&sum[0]);
    nb_distribution_release(&sum[1]);
    nb_distribution_release(&distribution);
}

/* The distribution's masses one by one, including its far part; the last is the
 * tail. */
static long double *plain(const struct nb_distribution *distribution,
                          size_t length)
{
    long double *mass = calloc(length + 1, sizeof *mass);
    assert_non_null(mass);
    for (size_t n = 0; n < length; n++)
        mass[n] = wide_mass(distribution, (double)n);
    mass[length] = wide_tail(distribution, (double)length);
    return mass;
}

/* Sums of masses; everything from length on is collected there. */
static void plain_add(long double *sum, const long double *mass, size_t length)
{
    long double *old = malloc((length + 1) * sizeof *old);
    assert_non_null(old);
    for (size_t n = 0; n <= length; n++) {
        old[n] = sum[n];
        sum[n] = 0;
    }
    for (size_t i = 0; i <= length; i++)
        for (size_t k = 0; k <= length; k++)
            sum[i + k < length ? i + k : length] += old[i] * mass[k];
    free(old);
}

static void test_plain_sum(void **state)
{
    static const char *const loads[] = { "0",   "0.05",  "0.3", "0.62",
                                         "0.9", "0.985", "1/3" };
    static const int64_t radices[] = { 1, 2, 3, 16, 1000 };
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 20261121, 7);
    for (int trial = 0; trial < 40; trial++) {
        struct nb_distribution distribution[HOPS] = { 0 }, sum = { 0 };
        const struct nb_distribution *distributions[HOPS];
        const size_t count = 1 + nb_random_below(&random, HOPS);
        const size_t length = 1 + nb_random_below(&random, 260);
        long double *expected = NULL;
        for (size_t i = 0; i < count; i++) {
            make_queue(loads[nb_random_below(&random, 7)],
                       radices[nb_random_below(&random, 5)], &distribution[i]);
            distributions[i] = &distribution[i];
            long double *mass = plain(&distribution[i], length);
            if (i == 0) {
                expected = mass;
                continue;
            }
            plain_add(expected, mass, length);
            free(mass);
        }
        assert_int_equal(
            nb_distributions_convolve(distributions, count, length, &sum, NULL),
            NB_OK);
        for (size_t n = length; n > 0; n--) {
            const long double value =
                wide_of_scaled(n == length ? sum.tail[n] : sum.mass[n]);
            /* The plain sum has one rounding for each of its terms. */
            const long double wide =
                2 * sum.error + (long double)(count * length) * LDBL_EPSILON;
            CHECK(
                fabsl(value - expected[n]) <= wide * expected[n] + 1e-320L,
                "trial %d, %zu distributions, length %zu: %Lg, not %Lg at %zu",
                trial, count, length, value, expected[n], n);
        }
        const double all = nb_scaled_value(
            nb_twofold_more(sum.tail[0], -NB_DISTRIBUTION_SCALE));
        CHECK(fabs(all) <= sum.error, "trial %d: all is 1 + %g", trial, all);
        CHECK(sum.error < 1e-12, "trial %d: error %g", trial, sum.error);
        free(expected);
        nb_distribution_release(&sum);
        for (size_t i = 0; i < count; i++)
            nb_distribution_release(&distribution[i]);
    }
}

/* A sample by inversion. */
static size_t draw(const struct nb_distribution *distribution,
                   struct nb_random *random)
{
    const double unit = 1 - nb_random_unit(random);
    size_t n = 0;
    while (nb_distribution_tail(distribution, (double)n + 1) >= unit)
        n++;
    return n;
}

static void test_samples(void **state)
{
    enum { SAMPLES = 200000, LENGTH = 60 };
    static const char *const loads[] = { "0.9", "0.8", "0.5" };
    struct nb_distribution distribution[3] = { 0 }, sum = { 0 };
    const struct nb_distribution *distributions[3];
    struct nb_random random;
    double count[LENGTH + 1] = { 0 };
    (void)state;
    nb_random_init(&random, 5, 0);
    for (int i = 0; i < 3; i++) {
        make_queue(loads[i], 16, &distribution[i]);
        distributions[i] = &distribution[i];
    }
    assert_int_equal(
        nb_distributions_convolve(distributions, 3, LENGTH, &sum, NULL), NB_OK);
    for (int i = 0; i < SAMPLES; i++) {
        const size_t total = draw(&distribution[0], &random) +
                             draw(&distribution[1], &random) +
                             draw(&distribution[2], &random);
        for (size_t n = 0; n <= LENGTH && n <= total; n++)
            count[n]++;
    }
    for (size_t n = 0; n <= LENGTH; n++) {
        const double p = nb_scaled_value(sum.tail[n]);
        const double deviation = sqrt(p * fmax(1 - p, 0) / SAMPLES);
        CHECK(fabs(count[n] / SAMPLES - p) <= 5 * deviation + 1e-4 * p + 1e-5,
              "seed 5: P(S >= %zu) is %g, sampled %g", n, p,
              count[n] / SAMPLES);
    }
    nb_distribution_release(&sum);
    for (int i = 0; i < 3; i++)
        nb_distribution_release(&distribution[i]);
}

static void test_too_long(void **state)
{
    struct nb_distribution distribution = { 0 }, sum = { 0 };
    struct nb_error err = { 0 };
    (void)state;
    make_geometric(0.5L, 64, &distribution);
    const struct nb_distribution *distributions[] = { &distribution,
                                                      &distribution };
    assert_int_equal(nb_distributions_convolve(distributions, 2,
                                               (size_t)1 << 40, &sum, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "1e+11"));
    nb_distribution_release(&distribution);
}

static void test_failing_memory(void **state)
{
    struct nb_distribution distribution = { 0 };
    (void)state;
    make_queue("0.8", 16, &distribution);
    const struct nb_distribution *distributions[] = { &distribution,
                                                      &distribution,
                                                      &distribution };
    const long live = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_distribution sum = { 0 };
        nb_memory_allow(allowed);
        status = nb_distributions_convolve(distributions, 3, 100, &sum, NULL);
        nb_memory_allow(-1);
        nb_distribution_release(&sum);
        CHECK(nb_memory_live_blocks() == live, "%ld allowed: leaks", allowed);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 3);
    nb_distribution_release(&distribution);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geometric),
        cmocka_unit_test(test_one_sided_roundings),
        cmocka_unit_test(test_plain_sum),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
