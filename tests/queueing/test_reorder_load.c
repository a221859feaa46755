#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "queueing/reorder_load.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <string.h>

static const struct nb_arrivals sixteen = { .radix = 16 };
static const struct nb_arrivals four_bursty = { .kind = NB_ARRIVE_ONOFF,
                                                .radix = 4,
                                                .burst = { 3, 1 } };
static const struct nb_arrivals one = { .radix = 1 };
static const struct nb_reorder_network networks[] = {
    { &sixteen, 5, NB_HOP_QUEUE },
    { &sixteen, 2, NB_HOP_WAIT },
    { &four_bursty, 3, NB_HOP_QUEUE },
};

static struct nb_bracket at(const struct nb_reorder_network *network,
                            enum nb_reorder_way way, double load, size_t depth)
{
    struct nb_bracket found;
    assert_int_equal(nb_reorder_probability(network, way,
                                            nb_load_of_value(load), depth,
                                            &found, NULL),
                     NB_OK);
    return found;
}

/* The probability passes the overflow within the bracket of loads. */
static void test_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (int way = NB_REORDER_EXACT; way <= NB_REORDER_CHERNOFF; way++) {
            const struct nb_reorder_network *network = &networks[i];
            const enum nb_reorder_way by = (enum nb_reorder_way)way;
            struct nb_bracket load;
            if (network->arrivals == &four_bursty && by == NB_REORDER_CHERNOFF)
                continue;
            assert_int_equal(
                nb_reorder_max_load(network, by, 25, 1e-9, &load, NULL), NB_OK);
            if (!(load.upper - load.lower < 2e-12 &&
                  at(network, by, load.lower, 25).upper < 1e-9 &&
                  at(network, by, load.upper, 25).lower >= 1e-9))
                fail_msg("network %zu, method %d: [%.17g, %.17g]", i, way,
                         load.lower, load.upper);
        }
}

/* Theorem 7 needs 96 packets at load 0.8 and 198 at 0.9 for 1e-15, computed
 * independently: this depth carries that load, and one packet less does not. */
static void test_known_loads(void **state)
{
    (void)state;
    static const struct {
        double load;
        size_t depth;
    } rows[] = { { 0.8, 96 }, { 0.9, 198 } };
    for (size_t i = 0; i < 2; i++) {
        struct nb_bracket enough, less;
        assert_int_equal(nb_reorder_max_load(&networks[0], NB_REORDER_CHERNOFF,
                                             rows[i].depth, 1e-15, &enough,
                                             NULL),
                         NB_OK);
        assert_int_equal(nb_reorder_max_load(&networks[0], NB_REORDER_CHERNOFF,
                                             rows[i].depth - 1, 1e-15, &less,
                                             NULL),
                         NB_OK);
        assert_true(enough.lower > rows[i].load && less.upper < rows[i].load);
    }
}

/* One input never waits, so nothing is ever out of order; bursts of mean 3
 * reach a load of 3/4. */
static void test_most(void **state)
{
    (void)state;
    const struct nb_reorder_network alone = { &one, 5, NB_HOP_WAIT };
    struct nb_bracket load;
    assert_int_equal(
        nb_reorder_max_load(&alone, NB_REORDER_EXACT, 1, 1e-15, &load, NULL),
        NB_OK);
    assert_true(load.upper == 1 && load.upper - load.lower < 1e-11);
    assert_int_equal(nb_reorder_max_load(&networks[2], NB_REORDER_EXACT, 200,
                                         1e-3, &load, NULL),
                     NB_OK);
    assert_true(load.lower <= 0.75 && load.upper >= 0.75 &&
                load.upper - load.lower < 1e-15);
}

/* Sources with bursts of one packet alternate forever at load 1/2, and the
 * search stops just below it; an overflow of 1 is never reached below
 * saturation; and a slightly smaller one is reached where the delays are too
 * many to list. */
static void test_extreme_loads(void **state)
{
    (void)state;
    static const struct nb_arrivals pausing = { .kind = NB_ARRIVE_ONOFF,
                                                .radix = 16,
                                                .burst = { 1, 1 } };
    const struct nb_reorder_network pauses = { &pausing, 5, NB_HOP_QUEUE };
    struct nb_bracket load;
    assert_int_equal(
        nb_reorder_max_load(&pauses, NB_REORDER_EXACT, 10, 1e-15, &load, NULL),
        NB_OK);
    assert_true(load.lower > 0.3 && load.upper < 0.5 &&
                at(&pauses, NB_REORDER_EXACT, load.lower, 10).upper < 1e-15 &&
                at(&pauses, NB_REORDER_EXACT, load.upper, 10).lower >= 1e-15);
    assert_int_equal(
        nb_reorder_max_load(&pauses, NB_REORDER_EXACT, 10, 0.99, &load, NULL),
        NB_OK);
    assert_true(load.lower < 0.5 && load.lower > 0.499999 && load.upper == 0.5);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(nb_reorder_max_load(&networks[i], NB_REORDER_EXACT, 10,
                                             1, &load, NULL),
                         NB_OK);
        assert_true(load.lower == (i < 2 ? 1 : 0.75) &&
                    load.upper == load.lower);
    }
    assert_int_equal(nb_reorder_max_load(&networks[0], NB_REORDER_EXACT, 10,
                                         0.9, &load, NULL),
                     NB_OK);
    assert_true(
        load.upper - load.lower < 1e-9 && load.upper < 1 &&
        at(&networks[0], NB_REORDER_EXACT, load.lower, 10).upper < 0.9 &&
        at(&networks[0], NB_REORDER_EXACT, load.upper, 10).lower >= 0.9);
    struct nb_error err = { 0 };
    assert_int_equal(nb_reorder_max_load(&networks[0], NB_REORDER_EXACT, 10,
                                         0.9999999, &load, &err),
                     NB_INVALID);
    assert_true(
        strstr(err.message,
               "the search for the largest load with depth 10: load 0.9") ==
        err.message);
}

/* Without load nothing waits; from load 1 on everything does. */
static void test_limits(void **state)
{
    (void)state;
    struct nb_distribution delay;
    assert_int_equal(nb_reorder_delay(&networks[1], nb_load_of_value(0), 1e-30,
                                      &delay, NULL),
                     NB_OK);
    assert_true(delay.tail[1].high == 0);
    nb_distribution_release(&delay);
    for (int way = NB_REORDER_EXACT; way <= NB_REORDER_CHERNOFF; way++) {
        const enum nb_reorder_way by = (enum nb_reorder_way)way;
        assert_true(at(&networks[0], by, 0, 1).upper == 0);
        assert_true(at(&networks[0], by, 1, 1000).lower == 1);
        assert_true(at(&networks[0], by, 1.5, 1000).lower == 1);
    }
}

/* Small probabilities are not lost among those left out, and neither are very
 * small largest loads. */
static void test_smallest(void **state)
{
    (void)state;
    const struct nb_bracket tail = at(&networks[0], NB_REORDER_EXACT, 0.1, 100);
    assert_true(tail.lower > 0 && tail.upper < 1e-250);
    assert_true(tail.upper - tail.lower < 1e-9 * tail.upper);
    struct nb_bracket load;
    assert_int_equal(nb_reorder_max_load(&networks[0], NB_REORDER_EXACT, 1,
                                         1e-100, &load, NULL),
                     NB_OK);
    assert_true(load.upper < 1e-30 &&
                load.upper - load.lower < 1e-11 * load.lower);
}

static void test_too_many_delays(void **state)
{
    (void)state;
    struct nb_distribution delay = { 0 };
    struct nb_error err = { 0 };
    assert_int_equal(nb_reorder_delay(&networks[0], nb_load_of_value(0.99999),
                                      1e-30, &delay, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "(permitted: up to 100000)"));
    nb_distribution_release(&delay);
}

static enum nb_status memory_try(void)
{
    struct nb_bracket found;
    enum nb_status status = nb_reorder_max_load(&networks[1], NB_REORDER_EXACT,
                                                3, 0.5, &found, NULL);
    if (status == NB_OK)
        status = nb_reorder_probability(&networks[1], NB_REORDER_CHERNOFF,
                                        nb_load_of_value(0.5), 3, &found, NULL);
    if (status == NB_OK)
        status = nb_reorder_probability(&networks[2], NB_REORDER_EXACT,
                                        nb_load_of_value(0.5), 3, &found, NULL);
    return status;
}

/* No allocation failure leaks memory. */
static void test_failing_memory(void **state)
{
    (void)state;
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        const long before = nb_memory_live_blocks();
        nb_memory_allow(allowed);
        status = memory_try();
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_known_loads),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_extreme_loads),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_too_many_delays),
        cmocka_unit_test(test_failing_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
