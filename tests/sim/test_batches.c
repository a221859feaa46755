/* Batch means of series of known means: what is merged, and that intervals
 * cover the mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "sim/statistics.h"
#include "support/series.h"

#include <gsl/gsl_errno.h>
#include <math.h>

enum { MOST = 1024 }; /* batches of a series */

/* The number of 400 intervals that cover the mean; of tiny batches, also
 * merged. */
static void batches_cover(const struct series *series, uint64_t seed,
                          size_t *tiny, size_t *merged)
{
    static double sum[MOST], weight[MOST];
    const double mean = series_mean(series);
    size_t count = series->replications * series->length;
    *tiny = *merged = 0;
    for (uint64_t trial = 0; trial < 400; trial++) {
        struct nb_random random;
        nb_random_init(&random, seed, trial);
        series_draw(series, &random, sum, weight);
        struct nb_estimate e = nb_estimate_ratio(sum, weight, count, 0.95);
        *tiny += fabs(e.mean - mean) <= e.half_width;
        const size_t left =
            nb_merge_batches(sum, weight, count, series->replications);
        e = nb_estimate_ratio(sum, weight, left, 0.95);
        *merged += fabs(e.mean - mean) <= e.half_width;
    }
}

/* 95 % intervals: between 90 % and 98 % cover the mean with merging, and fewer
 * without if batches are small. */
static void test_coverage(void **state)
{
    (void)state;
    static const struct {
        struct series series;
        double tiny_least, tiny_most;
    } rows[] = {
        { { SERIES_AUTOREGRESSIVE, 0, 1, 32, 2 }, 0.9, 0.98 },
        { { SERIES_AUTOREGRESSIVE, 0.9, 1, 1024, 4 }, 0, 0.7 },
        { { SERIES_AUTOREGRESSIVE, 0.9, 4, 128, 4 }, 0, 0.7 },
        { { SERIES_AUTOREGRESSIVE, 0.9, 9, 37, 5 }, 0, 0.75 },
        { { SERIES_WAITS, 0.8, 1, 1024, 30 }, 0, 0.75 },
        { { SERIES_WAITS, 0.8, 4, 256, 30 }, 0, 0.75 },
        { { SERIES_UNEVEN, 0, 2, 32, 20 }, 0.9, 0.98 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t tiny, merged;
        batches_cover(&rows[i].series, 1000003, &tiny, &merged);
        if (merged < 360 || merged > 392 ||
            (double)tiny < 400 * rows[i].tiny_least ||
            (double)tiny > 400 * rows[i].tiny_most)
            fail_msg("row %zu: %zu of 400 hold, %zu without merging", i, merged,
                     tiny);
    }
}

/* Independent batches are merged with the probability of half a standard
 * deviation, 0.3085, for any number of replications. */
static void test_merging_by_chance(void **state)
{
    (void)state;
    static const struct {
        size_t replications, length;
    } rows[] = { { 1, 32 }, { 1, 100 }, { 4, 16 }, { 8, 5 }, { 20, 2 } };
    enum { TRIALS = 10000 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t count = rows[i].replications * rows[i].length;
        struct nb_random random;
        size_t merged = 0;
        nb_random_init(&random, 1941, i);
        for (int trial = 0; trial < TRIALS; trial++) {
            double sum[128], weight[128];
            for (size_t b = 0; b < count; b++) {
                sum[b] = 5 + series_normal(&random);
                weight[b] = 1;
            }
            merged += nb_merge_batches(sum, weight, count,
                                       rows[i].replications) < count;
        }
        /* Three deviations of the count are 139; the ratio is not quite
         * normal. */
        if (fabs((double)merged - 0.3085 * TRIALS) > 230)
            fail_msg("%zu replications of %zu: %zu of %d merged",
                     rows[i].replications, rows[i].length, merged, TRIALS);
    }
}

/* A rising line is merged as far as permitted; every batch left contains whole
 * batches, in order, of one replication. */
static void test_merging_keeps_sums(void **state)
{
    (void)state;
    static const struct {
        size_t replications, length, left;
        size_t last; /* batches in the last one of a replication */
    } rows[] = {
        { 1, 32, 8, 4 },  { 1, 35, 8, 7 },  { 1, 15, 15, 1 }, { 1, 16, 8, 2 },
        { 3, 32, 12, 8 }, { 2, 21, 10, 5 }, { 8, 7, 8, 7 },   { 50, 1, 50, 1 },
        { 1, 3, 3, 1 },   { 7, 9, 14, 5 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t length = rows[i].length;
        const size_t count = rows[i].replications * length;
        double sum[128], weight[128];
        for (size_t b = 0; b < count; b++) {
            sum[b] = (double)(b % length) * 3 + (double)(b / length) * 0.5;
            weight[b] = 1;
        }
        const size_t left =
            nb_merge_batches(sum, weight, count, rows[i].replications);
        const size_t kept = left / rows[i].replications;
        if (left != rows[i].left || weight[left - 1] != (double)rows[i].last)
            fail_msg("row %zu: %zu batches, the last of %g", i, left,
                     weight[left - 1]);
        for (size_t b = 0, next = 0; b < left; b++) {
            const size_t replication = b / kept;
            double expected = 0;
            if (b % kept == 0)
                next = 0;
            for (double part = 0; part < weight[b]; part++)
                expected += (double)next++ * 3 + (double)replication * 0.5;
            if (sum[b] != expected)
                fail_msg("row %zu, batch %zu: %g, not %g", i, b, sum[b],
                         expected);
            assert_true((b + 1) % kept != 0 || next == length);
        }
    }
}

/* No merging if neighbours alternate, nor if nothing varies or was seen. */
static void test_nothing_to_merge(void **state)
{
    (void)state;
    double sum[64], weight[64], zero[64] = { 0 };
    for (size_t i = 0; i < 64; i++) {
        sum[i] = i % 2 == 0 ? 3.7 : 1.9;
        weight[i] = (double)(1 + i / 8);
    }
    double equal[64];
    for (size_t i = 0; i < 64; i++)
        equal[i] = 3 * weight[i];
    assert_int_equal(nb_merge_batches(equal, weight, 64, 4), 64);
    assert_int_equal(nb_merge_batches(zero, zero, 64, 4), 64);
    for (size_t i = 0; i < 64; i++)
        weight[i] = 1;
    assert_int_equal(nb_merge_batches(sum, weight, 64, 4), 64);
}

/* Replications that differ by more than their batches keep one batch each, if
 * there are 4 replications. */
static void test_merging_replications(void **state)
{
    (void)state;
    for (size_t replications = 3; replications <= 4; replications++) {
        double sum[128], weight[128];
        for (size_t b = 0; b < replications * 32; b++) {
            sum[b] = (double)(b / 32) + (b % 2 == 0 ? 0.01 : -0.01);
            weight[b] = 1;
        }
        assert_int_equal(
            nb_merge_batches(sum, weight, replications * 32, replications),
            replications == 3 ? 12 : 4);
    }
}

/* Series worth few independent values are slow, and hardly any others: with
 * correlation 0.9 from value to value, 128 are worth 6.7. */
static void test_slow(void **state)
{
    (void)state;
    static const struct {
        struct series series;
        size_t least, most; /* of 400 */
    } rows[] = {
        { { SERIES_AUTOREGRESSIVE, 0.9, 4, 32, 1 }, 380, 400 },
        { { SERIES_AUTOREGRESSIVE, 0.9, 4, 32, 16 }, 0, 20 },
        { { SERIES_AUTOREGRESSIVE, 0, 1, 32, 1 }, 0, 20 },
        { { SERIES_AUTOREGRESSIVE, 0, 20, 6, 1 }, 0, 20 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct series *series = &rows[i].series;
        const size_t count = series->replications * series->length;
        size_t slow = 0;
        for (uint64_t trial = 0; trial < 400; trial++) {
            double sum[128], weight[128];
            struct nb_random random;
            nb_random_init(&random, 1000003, trial);
            series_draw(series, &random, sum, weight);
            slow += nb_is_slow(sum, weight, count, series->replications);
        }
        if (slow < rows[i].least || slow > rows[i].most)
            fail_msg("row %zu: %zu of 400 are slow", i, slow);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_merging_by_chance),
        cmocka_unit_test(test_merging_keeps_sums),
        cmocka_unit_test(test_nothing_to_merge),
        cmocka_unit_test(test_merging_replications),
        cmocka_unit_test(test_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
