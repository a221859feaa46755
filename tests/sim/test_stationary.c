/* Where a start-up ends, and whether a queue grows. */
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

/* The rule as stated. */
static double mser_score(const double *value, size_t count, size_t cut)
{
    const double left = (double)(count - cut);
    double mean = 0, score = 0;
    for (size_t i = cut; i < count; i++)
        mean += value[i] / left;
    for (size_t i = cut; i < count; i++)
        score += (value[i] - mean) * (value[i] - mean) / (left * left);
    return score;
}

static void test_mser_is_the_least(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 1997, 0);
    size_t found = 0;
    for (int trial = 0; trial < 400; trial++) {
        const size_t count = 2 + (size_t)nb_random_below(&random, 100);
        const double start = 8 * series_normal(&random);
        const double pace = 1 + 30 * nb_random_unit(&random);
        double value[128], least = INFINITY;
        for (size_t i = 0; i < count; i++)
            value[i] =
                1000 + start * exp(-(double)i / pace) + series_normal(&random);
        size_t expected = 0;
        for (size_t cut = 0; cut <= count / 2; cut++)
            if (mser_score(value, count, cut) < least) {
                least = mser_score(value, count, cut);
                expected = cut;
            }
        if ((double)expected > 0.9 * (double)(count / 2))
            expected = count;
        found += expected > 0 && expected < count;
        const size_t cut = nb_mser_cut(value, count);
        if (cut != expected)
            fail_msg("trial %d: %zu of %zu, not %zu", trial, cut, count,
                     expected);
    }
    assert_in_range(found, 100, 300); /* all answers occur */
}

/* A start-up that decays by e every 8 values: at the cut it is as small as the
 * noise, and only little was cut in vain. */
static void test_mser_finds_the_start(void **state)
{
    (void)state;
    enum { COUNT = 200, TRIALS = 200 };
    size_t good = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        double value[COUNT];
        struct nb_random random;
        nb_random_init(&random, 69, trial);
        for (size_t i = 0; i < COUNT; i++)
            value[i] = 40 * (1 - exp(-(double)i / 8)) + series_normal(&random);
        const size_t cut = nb_mser_cut(value, COUNT);
        good += cut >= 16 && cut <= 48; /* 5.4 and 0.1 are left */
    }
    assert_in_range(good, TRIALS * 19 / 20, TRIALS);
}

static void test_mser_by_hand(void **state)
{
    (void)state;
    double value[100];
    for (size_t i = 0; i < 100; i++)
        value[i] = 2.385;
    assert_int_equal(nb_mser_cut(value, 100), 0); /* the first of equal ones */
    for (size_t i = 0; i < 45; i++)
        value[i] = -1;
    assert_int_equal(nb_mser_cut(value, 100), 45);
    value[45] = -1; /* beyond nine tenths of the half */
    assert_int_equal(nb_mser_cut(value, 100), 100);
    for (size_t i = 0; i < 100; i++)
        value[i] = (double)i;
    assert_int_equal(nb_mser_cut(value, 100), 100);
    assert_int_equal(nb_mser_cut(value, 1), 1);
    assert_int_equal(nb_mser_cut(value, 0), 0);
}

/* Increments over batches of 1000 cycles of Q' = max(Q - 1, 0) + A, where two
 * packets come at once or none. */
static bool queue_grows(double load, size_t tests, uint64_t seed,
                        uint64_t trial, double level)
{
    enum { BATCHES = 32, CYCLES = 1000, WARM_UP = 2000 };
    double increment[BATCHES];
    struct nb_random random;
    int64_t queue = 0, before = 0;
    nb_random_init(&random, seed, trial);
    for (int64_t cycle = -WARM_UP; cycle < BATCHES * CYCLES; cycle++) {
        queue -= queue > 0;
        queue += nb_random_unit(&random) < load / 2 ? 2 : 0;
        if (cycle < 0)
            before = queue;
        else if (cycle % CYCLES == CYCLES - 1) {
            increment[cycle / CYCLES] = (double)(queue - before);
            before = queue;
        }
    }
    return nb_is_growing(increment, BATCHES, level, tests);
}

static void test_growth_of_queues(void **state)
{
    (void)state;
    enum { TRIALS = 200 };
    size_t wrong = 0, right = 0, shared = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        wrong += queue_grows(0.9, 1, 31, trial, 0.05);
        right += queue_grows(1.04, 1, 37, trial, 1e-3);
        shared += queue_grows(1.04, 64, 41, trial, 1e-3);
    }
    if (wrong > TRIALS / 20 || right < TRIALS * 99 / 100 ||
        shared < TRIALS * 95 / 100)
        fail_msg("of %d queues %zu grow at load 0.9; %zu, %zu at 1.04", TRIALS,
                 wrong, right, shared);
}

/* If increments are independent and normal the level is exact. */
static void test_growth_has_its_level(void **state)
{
    (void)state;
    static const struct {
        size_t count, tests;
        double level;
    } rows[] = { { 8, 1, 0.05 }, { 32, 5, 0.25 }, { 2, 4, 0.2 } };
    enum { TRIALS = 20000 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_random random;
        size_t wrong = 0;
        nb_random_init(&random, 43, i);
        for (int trial = 0; trial < TRIALS; trial++) {
            double increment[32];
            for (size_t b = 0; b < rows[i].count; b++)
                increment[b] = series_normal(&random);
            wrong += nb_is_growing(increment, rows[i].count, rows[i].level,
                                   rows[i].tests);
        }
        if (fabs((double)wrong - 0.05 * TRIALS) > 100) /* deviation 31 */
            fail_msg("row %zu: %zu of %d", i, wrong, TRIALS);
    }
}

static void test_growth_of_few(void **state)
{
    (void)state;
    static const double up[4] = { 3, 3, 3, 3 }, none[4] = { 0 };
    static const double down[4] = { -5, -5.5, -4, -5 };
    assert_true(nb_is_growing(up, 4, 1e-3, 100));
    assert_true(nb_is_growing(up, 2, 1e-3, 100));
    assert_false(nb_is_growing(up, 1, 1e-3, 1));
    assert_false(nb_is_growing(up, 0, 1e-3, 1));
    assert_false(nb_is_growing(none, 4, 1e-3, 1));
    assert_false(nb_is_growing(down, 4, 0.05, 1));
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mser_is_the_least),
        cmocka_unit_test(test_mser_finds_the_start),
        cmocka_unit_test(test_mser_by_hand),
        cmocka_unit_test(test_growth_of_queues),
        cmocka_unit_test(test_growth_has_its_level),
        cmocka_unit_test(test_growth_of_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
