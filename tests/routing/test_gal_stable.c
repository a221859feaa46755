/* The threshold of gal:stable=yes against its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/adaptive.h"
#include "../support/topology_checks.h"

#include "core/random.h"

/* The definition: running sums over 50 cycles, compared every 20
 * [Singh2005, section 5.2.4]. */
enum { STABLE_CYCLES = 6000, STABLE_LEAST = 2, STABLE_MOST = 128 };

static uint32_t stable_drained(const uint32_t *departures, int64_t end)
{
    uint32_t sum = 0;
    for (int64_t t = end - 50; t < end; t++)
        sum += t >= 0 ? departures[t] : 0;
    return sum;
}

/* The threshold, found by asking with more and more packets in the first queue;
 * the maximum if no queue reaches it. */
static uint32_t stable_threshold(struct adaptive *adaptive, uint32_t source,
                                 uint32_t destination)
{
    uint32_t waiting = 0;
    adaptive->waiting[1] = 0;
    for (; waiting < 2 * STABLE_MOST; waiting++) {
        adaptive->waiting[0] = waiting;
        if (!adaptive_is_first(adaptive, source, destination))
            return waiting;
    }
    return STABLE_MOST;
}

/* Lets 0 to 3 packets leave, as given by departures, and compares the threshold
 * each period. Returns the last threshold; highest: out. */
static uint32_t stable_run(struct adaptive *adaptive, const char *name,
                           const uint32_t *departures, uint32_t *highest)
{
    const struct nb_routing *routing = &adaptive->problem.routing;
    uint32_t expected = STABLE_LEAST;
    *highest = expected;
    for (int64_t t = 0; t < STABLE_CYCLES; t++) {
        for (uint32_t i = 0; i < departures[t]; i++)
            routing->kind->left(routing, &adaptive->view, 0, 3, (uint64_t)t);
        routing->kind->observe(routing, &adaptive->view, (uint64_t)t);
        if ((t + 1) % 20 != 0)
            continue;
        if (stable_drained(departures, t + 1) <
            stable_drained(departures, t + 1 - 20))
            expected += expected < STABLE_MOST;
        else
            expected -= expected > STABLE_LEAST;
        *highest = expected > *highest ? expected : *highest;
        const uint32_t found = stable_threshold(adaptive, 0, 3);
        TOPOLOGY_CHECK(found == expected, "%s, cycle %lld: %u, not %u", name,
                       (long long)t, found, expected);
        TOPOLOGY_CHECK(stable_threshold(adaptive, 0, 2) == STABLE_LEAST &&
                           stable_threshold(adaptive, 3, 0) == STABLE_LEAST,
                       "%s, cycle %lld: of another pair", name, (long long)t);
    }
    return expected;
}

static void test_stable_threshold_follows_the_drain(void **state)
{
    (void)state;
    struct adaptive adaptive;
    uint32_t departures[STABLE_CYCLES], highest;
    struct nb_random random;
    /* Falling for 140 periods, then level. */
    for (uint32_t t = 0; t < STABLE_CYCLES; t++)
        departures[t] = t < 2800 ? 141 - t / 20 : 1;
    adaptive_open(&adaptive, "ring:8", "gal:stable=yes");
    const uint32_t last =
        stable_run(&adaptive, "falling", departures, &highest);
    assert_int_equal(highest, STABLE_MOST);
    assert_int_equal(last, STABLE_LEAST);
    adaptive_close(&adaptive);
    for (uint64_t seed = 0; seed < 10; seed++) {
        nb_random_init(&random, 524, seed);
        for (size_t t = 0; t < STABLE_CYCLES; t++)
            departures[t] = (uint32_t)nb_random_below(&random, 4);
        adaptive_open(&adaptive, "ring:8", "gal:stable=yes");
        stable_run(&adaptive, "random", departures, &highest);
        assert_true(highest > STABLE_LEAST);
        adaptive_close(&adaptive);
    }
}

/* At the greatest threshold all take the shorter direction, whatever waits. */
static void test_stable_limits(void **state)
{
    (void)state;
    struct adaptive adaptive;
    adaptive_open(&adaptive, "ring:8", "gal:5,stable=yes,most=5");
    adaptive.waiting[0] = 1000000;
    assert_true(adaptive_is_first(&adaptive, 0, 3));
    adaptive_close(&adaptive);
    adaptive_open(&adaptive, "ring:8", "gal:5,stable=no,most=5");
    adaptive.waiting[0] = 5;
    assert_false(adaptive_is_first(&adaptive, 0, 3));
    adaptive_close(&adaptive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stable_threshold_follows_the_drain),
        cmocka_unit_test(test_stable_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
