/* Reordering, compared with counting in a list of all that arrived. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "sim/overtaking.h"
#include "support/simulation.h"

#include <string.h>

enum { PAIRS = 3, PACKETS = 2000 };

static const uint32_t pairs[PAIRS][2] = { { 0, 1 }, { 1, 0 }, { 7, 70000 } };

/* Packets of a pair in the order of their arrival, some not measured. */
static void arrive(struct nb_overtaking *reorder, const uint32_t *pair,
                   uint32_t number, bool *has_arrived, uint32_t count,
                   bool is_measured, uint64_t *expected)
{
    uint32_t overtakers = 0;
    for (uint32_t k = number + 1; k < count; k++)
        overtakers += has_arrived[k];
    has_arrived[number] = true;
    if (is_measured)
        expected[overtakers < NB_OVERTAKING_WINDOW ? overtakers
                                                   : NB_OVERTAKING_WINDOW]++;
    nb_overtaking_arrive(reorder, pair[0], pair[1], number, is_measured);
}

static void check_histogram(const struct nb_overtaking *reorder,
                            const uint64_t *expected, uint64_t seed,
                            uint32_t spread)
{
    for (size_t n = 0; n <= NB_OVERTAKING_WINDOW; n++)
        SIMULATION_CHECK(reorder->overtaken.count[n] == expected[n],
                         "%zu overtakers: %ju, expecting %ju; seed %ju, "
                         "spread %u",
                         n, (uintmax_t)reorder->overtaken.count[n],
                         (uintmax_t)expected[n], (uintmax_t)seed, spread);
}

/* Packet k of a pair arrives at time k + a random number below spread. */
static void check_random(uint64_t seed, uint32_t spread)
{
    static uint64_t expected[NB_OVERTAKING_WINDOW + 1];
    static bool has_arrived[PAIRS][PACKETS];
    static uint32_t time[PAIRS][PACKETS];
    struct nb_overtaking reorder;
    struct nb_random random;
    memset(expected, 0, sizeof expected);
    memset(has_arrived, 0, sizeof has_arrived);
    nb_random_init(&random, seed, spread);
    assert_int_equal(nb_overtaking_init(PAIRS, &reorder, NULL), NB_OK);
    for (uint32_t k = 0; k < PACKETS; k++)
        for (size_t p = 0; p < PAIRS; p++) {
            time[p][k] = k + (uint32_t)nb_random_below(&random, spread);
            assert_int_equal(
                nb_overtaking_send(&reorder, pairs[p][0], pairs[p][1]), k);
        }
    for (uint32_t now = 0; now < PACKETS + spread; now++)
        for (size_t p = 0; p < PAIRS; p++) {
            const uint32_t first = now < spread ? 0 : now - spread;
            for (uint32_t k = first; k <= now && k < PACKETS; k++)
                if (time[p][k] == now)
                    arrive(&reorder, pairs[p], k, has_arrived[p], PACKETS,
                           nb_random_below(&random, 4) > 0, expected);
        }
    check_histogram(&reorder, expected, seed, spread);
    nb_overtaking_release(&reorder);
}

static void test_random_orders(void **state)
{
    static const uint32_t spread[] = { 1, 2, 5, 64, 65, 300, PACKETS };
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (size_t i = 0; i < sizeof spread / sizeof *spread; i++)
            check_random(seed, spread[i]);
}

/* One packet waits until a number of later ones have arrived, in order. */
static void check_straggler(uint32_t overtakers)
{
    static uint64_t expected[NB_OVERTAKING_WINDOW + 1];
    struct nb_overtaking reorder;
    memset(expected, 0, sizeof expected);
    assert_int_equal(nb_overtaking_init(1, &reorder, NULL), NB_OK);
    for (uint32_t k = 0; k <= overtakers + 10; k++)
        nb_overtaking_send(&reorder, 5, 6);
    for (uint32_t k = 1; k <= overtakers; k++)
        nb_overtaking_arrive(&reorder, 5, 6, k, true);
    nb_overtaking_arrive(&reorder, 5, 6, 0, true);
    for (uint32_t k = overtakers + 1; k <= overtakers + 10; k++)
        nb_overtaking_arrive(&reorder, 5, 6, k, true);
    expected[0] = overtakers + 10;
    expected[overtakers < NB_OVERTAKING_WINDOW ? overtakers
                                               : NB_OVERTAKING_WINDOW]++;
    check_histogram(&reorder, expected, overtakers, 0);
    nb_overtaking_release(&reorder);
}

/* The window's end, and packets beyond it. */
static void test_stragglers(void **state)
{
    (void)state;
    check_straggler(NB_OVERTAKING_WINDOW - 2);
    check_straggler(NB_OVERTAKING_WINDOW - 1);
    check_straggler(NB_OVERTAKING_WINDOW);
    check_straggler(NB_OVERTAKING_WINDOW + 1);
    check_straggler(3 * NB_OVERTAKING_WINDOW);
}

/* Two packets late, the second by a little: packets beyond the window for the
 * first are within it for the second. */
static void test_late_within_the_window(void **state)
{
    enum { LATE = NB_OVERTAKING_WINDOW - 5, LAST = NB_OVERTAKING_WINDOW + 20 };
    static uint64_t expected[NB_OVERTAKING_WINDOW + 1];
    struct nb_overtaking reorder;
    (void)state;
    assert_int_equal(nb_overtaking_init(1, &reorder, NULL), NB_OK);
    for (uint32_t k = 0; k <= LAST; k++)
        nb_overtaking_send(&reorder, 0, 1);
    for (uint32_t k = 1; k <= LAST; k++)
        if (k != LATE)
            nb_overtaking_arrive(&reorder, 0, 1, k, true);
    nb_overtaking_arrive(&reorder, 0, 1, LATE, true);
    nb_overtaking_arrive(&reorder, 0, 1, 0, true);
    expected[0] = LAST - 1;
    expected[LAST - LATE]++;
    expected[NB_OVERTAKING_WINDOW]++;
    check_histogram(&reorder, expected, 0, 0);
    nb_overtaking_release(&reorder);
}

static void test_too_many_pairs(void **state)
{
    struct nb_overtaking reorder;
    struct nb_error err = { 0 };
    (void)state;
    assert_int_equal(nb_overtaking_init(65537, &reorder, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "65537"));
    assert_non_null(strstr(err.message, "65536"));
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_orders),
        cmocka_unit_test(test_stragglers),
        cmocka_unit_test(test_late_within_the_window),
        cmocka_unit_test(test_too_many_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
