/* Quantiles, estimates and histograms, compared with plain formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "sim/statistics.h"
#include "support/series.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

/* Solutions of the incomplete beta function's equation in 30 digits; the first
 * ones are those of printed
 * tables: 12.706, 4.303, 2.776, 2.2622, 2.045, 2.0395, 4.6041 and 1.6839. */
static void test_t_quantiles(void **state)
{
    (void)state;
    static const struct {
        double confidence;
        size_t count;
        double t;
    } rows[] = {
        { 0.95, 2, 12.706204736174705 },
        { 0.95, 3, 4.3026527297494639 },
        { 0.95, 5, 2.7764451051977987 },
        { 0.95, 10, 2.2621571627982055 },
        { 0.95, 30, 2.0452296421327030 },
        { 0.95, 32, 2.0395134463964085 },
        { 0.99, 5, 4.6040948713499932 },
        { 0.9, 41, 1.6838510133356526 },
        { 0.5, 8, 0.71114177808178631 },
        { 0.95, 1000001, 1.959966356814107 },
        { 0.999998, 32, 5.828601803899664 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double t = nb_t_quantile(rows[i].confidence, rows[i].count);
        if (!(fabs(t / rows[i].t - 1) < 1e-9))
            fail_msg("confidence %g, %zu values: %.17g, not %.17g",
                     rows[i].confidence, rows[i].count, t, rows[i].t);
    }
    /* The normal distribution's. */
    assert_true(fabs(nb_t_quantile(0.95, 1000000000) - 1.959964) < 1e-6);
    assert_true(nb_t_quantile(0.95, 1) == INFINITY);
    assert_true(nb_t_quantile(0.95, 0) == INFINITY);
}

/* Batches of means 1 .. k: their mean is (k + 1) / 2, their variance k (k + 1)
 * / 12 over k - 1, and t has k - 1 degrees, as tables print it, for any number
 * of observations per batch. */
static void test_batch_means(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double t;
    } rows[] = { { 2, 12.706 }, { 5, 2.776 }, { 30, 2.045 } };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (double weight = 1; weight <= 1000; weight *= 10) {
            const double k = (double)rows[r].count;
            const double half = rows[r].t * sqrt(k * (k + 1) / 12 / k);
            double sum[30], weights[30];
            for (size_t i = 0; i < rows[r].count; i++) {
                sum[i] = weight * (double)(i + 1);
                weights[i] = weight;
            }
            const struct nb_estimate found =
                nb_estimate_ratio(sum, weights, rows[r].count, 0.95);
            assert_true(fabs(found.mean - (k + 1) / 2) < 1e-12);
            if (!(fabs(found.half_width / half - 1) < 3e-4))
                fail_msg("%zu batches: %.17g, not %.17g", rows[r].count,
                         found.half_width, half);
        }
}

/* By variances and the covariance of sums and weights instead of residuals:
 * V = V_yy - 2 r V_yw + r^2 V_ww. */
static struct nb_estimate estimate_plainly(const double *sum,
                                           const double *weight, size_t count)
{
    const long double k = (long double)count;
    long double y = 0, w = 0, yy = 0, yw = 0, ww = 0;
    for (size_t i = 0; i < count; i++) {
        y += sum[i] / k;
        w += weight[i] / k;
    }
    for (size_t i = 0; i < count; i++) {
        yy += (sum[i] - y) * (sum[i] - y) / (k - 1);
        yw += (sum[i] - y) * (weight[i] - w) / (k - 1);
        ww += (weight[i] - w) * (weight[i] - w) / (k - 1);
    }
    const long double r = y / w;
    const long double variance = yy - 2 * r * yw + r * r * ww;
    const long double half =
        (long double)nb_t_quantile(0.95, count) * sqrtl(variance / k) / w;
    return (struct nb_estimate){ (double)r, (double)half };
}

static void test_ratio_by_covariances(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 1978, 0);
    for (int trial = 0; trial < 500; trial++) {
        const size_t count = 2 + (size_t)nb_random_below(&random, 40);
        double sum[64], weight[64], value[64];
        for (size_t i = 0; i < count; i++) {
            weight[i] = i < 2 ? 1 + nb_random_unit(&random)
                              : (double)nb_random_below(&random, 4) * 2.385;
            sum[i] = weight[i] * (7.31 + series_normal(&random));
            value[i] = sum[i] * 0x1p-3; /* in another unit, of equal weights */
        }
        const struct nb_estimate e =
            nb_estimate_ratio(sum, weight, count, 0.95);
        const struct nb_estimate plain = estimate_plainly(sum, weight, count);
        if (!(fabs(e.mean / plain.mean - 1) < 1e-14 &&
              fabs(e.half_width / plain.half_width - 1) < 1e-10))
            fail_msg("trial %d, %zu batches: %.17g -+ %.17g, not %.17g -+ "
                     "%.17g",
                     trial, count, e.mean, e.half_width, plain.mean,
                     plain.half_width);
        for (size_t i = 0; i < count; i++)
            weight[i] = 8;
        const struct nb_estimate same =
            nb_estimate_ratio(sum, weight, count, 0.95);
        const struct nb_estimate mean = nb_estimate_mean(value, count, 0.95);
        if (same.mean != mean.mean ||
            !(fabs(same.half_width / mean.half_width - 1) < 1e-12))
            fail_msg("trial %d, %zu values: %.17g -+ %.17g, not %.17g -+ "
                     "%.17g",
                     trial, count, mean.mean, mean.half_width, same.mean,
                     same.half_width);
    }
}

/* By hand, and without spread, or nothing to measure it. */
static void test_estimates_of_few(void **state)
{
    (void)state;
    static const double none[4] = { 0 },
                        equal[7] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
    static const double up[5] = { 1, 2, 3, 4, 5 };
    static const double once[4] = { 0, 6, 0, 0 }, twice[4] = { 0, 3, 0, 7 };
    static const double thirds[4] = { 0, 1, 0, 7.0 / 3 };
    /* t_{4,0.975} sqrt(2.5 / 5) */
    struct nb_estimate e = nb_estimate_mean(up, 5, 0.95);
    assert_true(e.mean == 3 && fabs(e.half_width - 1.9632432) < 1e-7);
    e = nb_estimate_mean(equal, 7, 0.95);
    assert_true(e.mean == 0.1 && e.half_width == 0);
    e = nb_estimate_ratio(thirds, twice, 4, 0.95);
    assert_true(fabs(e.mean - 1.0 / 3) < 1e-16 && e.half_width == 0);
    e = nb_estimate_ratio(none, twice, 4, 0.95);
    assert_true(e.mean == 0 && e.half_width == 0);
    e = nb_estimate_ratio(twice, once, 4, 0.95);
    assert_true(e.mean == 10.0 / 6 && e.half_width == INFINITY);
    e = nb_estimate_ratio(none, none, 4, 0.95);
    assert_true(isnan(e.mean) && e.half_width == INFINITY);
    e = nb_estimate_ratio(twice, none, 4, 0.95);
    assert_true(isnan(e.mean) && e.half_width == INFINITY);
    e = nb_estimate_mean(up, 1, 0.95);
    assert_true(e.mean == 1 && e.half_width == INFINITY);
    e = nb_estimate_mean(up, 0, 0.95);
    assert_true(isnan(e.mean) && e.half_width == INFINITY);
}

static void histogram_must_init(struct nb_histogram *histogram, size_t size)
{
    struct nb_error err = { 0 };
    if (nb_histogram_init(histogram, size, &err) != NB_OK)
        fail_msg("%s", err.message);
}

static void test_histogram(void **state)
{
    (void)state;
    struct nb_histogram one = { 0 }, other = { 0 }, empty = { 0 };
    histogram_must_init(&one, 10);
    histogram_must_init(&other, 10);
    assert_int_equal(nb_histogram_quantile(&one, 0.5), 0);
    for (uint64_t value = 0; value < 9; value++)
        nb_histogram_count(&one, value);
    nb_histogram_count(&other, UINT64_MAX);
    nb_histogram_add(&one, &other);
    nb_histogram_add(&other, &one);
    assert_int_equal(one.total, 10);
    assert_int_equal(other.total, 11);
    assert_int_equal(one.count[8], 1);
    assert_int_equal(one.count[9], 0);
    assert_int_equal(other.count[10], 2);
    /* Each of 0..8 is a tenth, and so is the last cell. */
    assert_int_equal(nb_histogram_quantile(&one, 0), 0);
    assert_int_equal(nb_histogram_quantile(&one, 0.1), 0);
    assert_int_equal(nb_histogram_quantile(&one, 0.1000001), 1);
    assert_int_equal(nb_histogram_quantile(&one, 0.3), 2);
    assert_int_equal(nb_histogram_quantile(&one, 0.7), 6);
    assert_int_equal(nb_histogram_quantile(&one, 0.9), 8);
    assert_int_equal(nb_histogram_quantile(&one, 0.91), 10);
    assert_int_equal(nb_histogram_quantile(&one, 1), 10);
    /* An empty object adds nothing, and may be released. */
    nb_histogram_add(&empty, &empty);
    assert_int_equal(nb_histogram_quantile(&empty, 0.5), 0);
    nb_histogram_release(&empty);
    nb_histogram_release(&one);
    nb_histogram_release(&one);
    nb_histogram_release(&other);
    histogram_must_init(&one, 0);
    nb_histogram_count(&one, 0);
    assert_int_equal(nb_histogram_quantile(&one, 0.5), 0);
    nb_histogram_release(&one);
}

/* Compared with sorted values; shares differ from hundredths. */
static void test_histogram_quantiles(void **state)
{
    (void)state;
    enum { SIZE = 20, VALUES = 100 };
    struct nb_random random;
    nb_random_init(&random, 47, 0);
    for (int trial = 0; trial < 50; trial++) {
        struct nb_histogram histogram = { 0 };
        histogram_must_init(&histogram, SIZE);
        uint64_t sorted[VALUES];
        for (size_t i = 0; i < VALUES; i++) {
            const uint64_t value = nb_random_below(&random, 1 + i);
            const uint64_t cell = value < SIZE ? value : SIZE;
            nb_histogram_count(&histogram, value);
            size_t at = i;
            for (; at > 0 && sorted[at - 1] > cell; at--)
                sorted[at] = sorted[at - 1];
            sorted[at] = cell;
        }
        for (size_t i = 0; i < VALUES; i++) {
            const double share = ((double)i + 0.5) / VALUES;
            const size_t n = nb_histogram_quantile(&histogram, share);
            if (n != sorted[i])
                fail_msg("trial %d, share %g: %zu, not %d", trial, share, n,
                         (int)sorted[i]);
        }
        nb_histogram_release(&histogram);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct nb_histogram histogram = { 0 };
    struct nb_error err = { 0 };
    const long blocks = nb_memory_live_blocks();
    nb_memory_allow(0);
    const enum nb_status status = nb_histogram_init(&histogram, 37, &err);
    nb_memory_allow(-1);
    assert_int_equal(status, NB_NO_MEMORY);
    assert_non_null(strstr(err.message, "a histogram"));
    nb_histogram_release(&histogram);
    assert_int_equal(nb_memory_live_blocks(), blocks);
    assert_int_equal(nb_histogram_init(&histogram, SIZE_MAX / 8, NULL),
                     NB_NO_MEMORY);
    histogram_must_init(&histogram, 37);
    nb_histogram_release(&histogram);
    assert_int_equal(nb_memory_live_blocks(), blocks);
}

/* By hand: limits that one mean exceeds by itself on the side of the extreme,
 * and all of them at once on the other. */
static void test_extremes(void **state)
{
    struct nb_interval least = { NAN, NAN, NAN }, most = { NAN, NAN, NAN };
    const struct nb_estimate one = { 5, 1 }, two = { 4.5, 3 };
    (void)state;
    assert_true(nb_extreme_take(&least, NB_LEAST, one, 1.5));
    assert_true(nb_extreme_take(&most, NB_LARGEST, one, 1.5));
    assert_true(least.value == 5 && least.lower == 4 && least.upper == 6.5);
    assert_true(most.value == 5 && most.lower == 3.5 && most.upper == 6);
    assert_true(nb_extreme_take(&least, NB_LEAST, two, 4));
    assert_false(nb_extreme_take(&most, NB_LARGEST, two, 4));
    assert_true(least.value == 4.5 && least.lower == 1.5 && least.upper == 6.5);
    assert_true(most.value == 5 && most.lower == 3.5 && most.upper == 7.5);
}

/* An interval is cut at the maximum of its quantity, but contains its value. */
static void test_intervals(void **state)
{
    static const struct {
        double mean, half, most, lower, upper;
    } rows[] = {
        { 0.5, 0.25, 1, 0.25, 0.75 }, { 0.5, 0.75, 1, 0, 1 },
        { 0.5, INFINITY, 1, 0, 1 },   { 1.25, 0.5, 1, 0.75, 1.25 },
        { 1.25, 0.125, 1, 1, 1.25 },  { 3, INFINITY, INFINITY, 0, INFINITY },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct nb_interval found = nb_interval_of(
            (struct nb_estimate){ rows[i].mean, rows[i].half }, rows[i].most);
        if (found.value != rows[i].mean || found.lower != rows[i].lower ||
            found.upper != rows[i].upper)
            fail_msg("row %zu: %g in [%g, %g]", i, found.value, found.lower,
                     found.upper);
    }
    const struct nb_interval none =
        nb_interval_of((struct nb_estimate){ INFINITY, NAN }, INFINITY);
    assert_true(isnan(none.lower) && isnan(none.upper));
}

/* By hand, and of nothing. */
static void test_jain_by_hand(void **state)
{
    static const double x[] = { 3, 1, 0, 4 };
    struct nb_jain jain = { 0 };
    (void)state;
    assert_true(isnan(nb_jain_index(&jain).value));
    for (size_t i = 0; i < 4; i++)
        nb_jain_take(&jain, (struct nb_estimate){ x[i], 0 });
    struct nb_interval found = nb_jain_index(&jain);
    assert_true(fabs(found.value - 64.0 / 104) < 1e-15 &&
                fabs(found.lower - found.value) < 1e-12 &&
                fabs(found.upper - found.value) < 1e-12);
    nb_jain_take(&jain, (struct nb_estimate){ 1, INFINITY });
    found = nb_jain_index(&jain);
    assert_true(found.lower == 1.0 / 5 && found.upper == 1);
}

/* Draws some values of every mean, whose errors are partly the same, and finds
 * the index. */
static struct nb_interval jain_draw(struct nb_random *random,
                                    const double *mean, size_t count,
                                    double common)
{
    enum { VALUES = 33 };
    double value[16][VALUES];
    struct nb_jain jain = { 0 };
    for (size_t v = 0; v < VALUES; v++) {
        const double all = series_normal(random);
        for (size_t i = 0; i < count; i++)
            value[i][v] = mean[i] + common * all +
                          sqrt(1 - common * common) * series_normal(random);
    }
    for (size_t i = 0; i < count; i++)
        nb_jain_take(&jain, nb_estimate_mean(value[i], VALUES, 0.95));
    return nb_jain_index(&jain);
}

/* The interval contains the index 95 times of 100 or more, whether the means
 * are equal or not and however their errors depend on each other. */
static void test_jain_covers(void **state)
{
    static const double spread[] = { 0, 0.3, 3 };
    static const double common[] = { 0, 0.7, 1 };
    enum { TRIALS = 1000 };
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 210021, 0);
    for (size_t k = 0; k < 9; k++) {
        size_t held = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            const size_t count = 2 + (size_t)nb_random_below(&random, 12);
            double mean[16];
            struct nb_jain jain = { 0 };
            for (size_t i = 0; i < count; i++) {
                mean[i] = 4 + spread[k / 3] * nb_random_unit(&random);
                nb_jain_take(&jain, (struct nb_estimate){ mean[i], 0 });
            }
            const double truth = nb_jain_index(&jain).value;
            const struct nb_interval found =
                jain_draw(&random, mean, count, common[k % 3]);
            held += found.lower <= truth && truth <= found.upper + 1e-12;
        }
        if ((double)held < 0.94 * TRIALS) /* 1.4 deviations below 0.95 */
            fail_msg("spread %g, common %g: held %zu times of %d",
                     spread[k / 3], common[k % 3], held, TRIALS);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t_quantiles),
        cmocka_unit_test(test_batch_means),
        cmocka_unit_test(test_ratio_by_covariances),
        cmocka_unit_test(test_estimates_of_few),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_jain_by_hand),
        cmocka_unit_test(test_jain_covers),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_histogram_quantiles),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
