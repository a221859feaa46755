/* Intermediate routers in quadrants and relative routing on networks too large
 * to walk every pair: against sums over the intermediate routers of random
 * pairs, closed forms, and the same analysis without symmetry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "core/random.h"
#include "load/channel_loads.h"
#include "load/pair_loads.h"

#include <math.h>

enum { WAY_STARTS = 64, WAY_HOPS = 12, WAY_PAIRS = 60 };

/* Crossings of a channel by a packet in a state, summed over all its
 * choices. */
static long double way_follow(const struct nb_routing *routing,
                              uint32_t channel, nb_route_state state,
                              uint32_t router, uint32_t destination)
{
    struct nb_hop hops[WAY_HOPS];
    const size_t count =
        nb_route_step(routing, NULL, state, router, destination, hops);
    long double sum = 0, total = 0;
    assert_true(count <= WAY_HOPS);
    for (size_t h = 0; h < count; h++) {
        const uint32_t next =
            routing->topology->channels[hops[h].channel].target;
        total += hops[h].weight;
        sum += hops[h].weight *
               ((hops[h].channel == channel) +
                way_follow(routing, channel, hops[h].next, next, destination));
    }
    return count > 0 ? sum / total : 0;
}

/* The mean over every start and intermediate router, one by one. */
static long double way_pair(const struct nb_routing *routing, uint32_t channel,
                            uint32_t source, uint32_t destination)
{
    struct nb_start starts[WAY_STARTS];
    const size_t count = nb_route_starts(routing, source, destination, starts);
    long double sum = 0;
    assert_true(count <= WAY_STARTS);
    for (size_t s = 0; s < count; s++) {
        long double part = 0;
        for (uint64_t w = 0; w < nb_start_ways(&starts[s]); w++)
            part += way_follow(
                routing, channel,
                nb_route_begin(routing, &starts[s], w, source, destination),
                source, destination);
        sum += part * starts[s].weight / nb_start_ways(&starts[s]);
    }
    return sum / routing->start_total;
}

static void way_check_pairs(const struct problem *problem, const char *name)
{
    const uint32_t n = (uint32_t)problem->topology.router_count;
    const uint32_t m = (uint32_t)problem->topology.channel_count;
    struct nb_random random;
    struct nb_error error = { 0 };
    nb_random_init(&random, 20261121, 0);
    for (int k = 0; k < 3; k++) {
        const uint32_t channel = (uint32_t)nb_random_below(&random, m);
        struct nb_pair_loads loads;
        assert_int_equal(nb_pair_loads_find(&problem->routing, 1, &channel,
                                            NULL, &loads, &error),
                         NB_OK);
        TOPOLOGY_CHECK(loads.is_exact || loads.relative_error < 1e-14, "%s",
                       name);
        for (int pair = 0; pair < WAY_PAIRS; pair++) {
            const uint32_t i = (uint32_t)nb_random_below(&random, n);
            const uint32_t j = (uint32_t)nb_random_below(&random, n);
            const long double expected =
                way_pair(&problem->routing, channel, i, j);
            const long double slack =
                (loads.relative_error + 0x1p-52) * expected;
            TOPOLOGY_CHECK(
                fabsl(nb_pair_load_value(&loads, i, j) - expected) <= slack,
                "%s: channel %u, %u to %u: %.17g, not %.20Lg", name, channel, i,
                j, nb_pair_load_value(&loads, i, j), expected);
        }
        nb_pair_loads_release(&loads);
    }
}

static void test_large_quadrants_agree_with_sums(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "rlb@torus:27x9",   "rlb:fixed@torus:27x9",
        "rlbth@torus:29x8", "romm@mesh:29x11",
        "romm@torus:40x31", "romm:fixed@mesh:31x13",
        "rlb@torus:9x5x4",  "romm@mesh:7x5x4",
        "rlb@ring:64",      "rlb:backtracking=yes@torus:27x9",
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (nb_cases_have(i, 3))
            problem_each_of(&examples[i], 1, way_check_pairs);
}

/* Uniform traffic under rlb: a packet makes sum_a 2 a (k - a) / k^2 hops in a
 * dimension of radix k, (k^2 - 1) / (3 k), equally in both directions. */
static void test_uniform_loads_in_doubles(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic;
    struct nb_channel_loads loads;
    problem_open(&problem, "torus:27x9", "rlb");
    const struct nb_topology *topology = &problem.topology;
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem.routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    assert_false(loads.is_exact);
    for (size_t c = 0; c < loads.channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double k = channel->source / 27 == channel->target / 27 ? 27 : 9;
        const double expected = (k * k - 1) / (6 * k);
        TOPOLOGY_CHECK(loads.load[c].lower <= expected * (1 + 0x1p-51) &&
                           loads.load[c].upper >= expected * (1 - 0x1p-51) &&
                           loads.load[c].upper - loads.load[c].lower < 1e-10,
                       "channel %zu: [%.17g, %.17g], not %.17g", c,
                       loads.load[c].lower, loads.load[c].upper, expected);
    }
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

/* A permutation's loads, by the traffic at intermediate routers and by pair
 * loads. */
static void way_check_traffic(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    struct nb_traffic traffic;
    struct nb_channel_loads loads;
    struct nb_random random;
    struct nb_error error = { 0 };
    assert_int_equal(nb_traffic_build("random-permutation:seed=5", topology,
                                      false, &traffic, &error),
                     NB_OK);
    assert_int_equal(nb_channel_loads_find(&problem->routing, &traffic, NULL,
                                           &loads, &error),
                     NB_OK);
    nb_random_init(&random, 7, 0);
    for (int k = 0; k < 4; k++) {
        const uint32_t channel =
            (uint32_t)nb_random_below(&random, topology->channel_count);
        struct nb_pair_loads pairs;
        double sum = 0;
        assert_int_equal(nb_pair_loads_find(&problem->routing, 1, &channel,
                                            NULL, &pairs, &error),
                         NB_OK);
        for (size_t d = 0; d < traffic.demand_count; d++)
            sum += nb_pair_load_value(&pairs, traffic.demands[d].source,
                                      traffic.demands[d].target);
        const double slack = sum * (pairs.relative_error + n * 0x1p-52);
        TOPOLOGY_CHECK(
            loads.load[channel].lower <= sum + slack &&
                loads.load[channel].upper >= sum - slack &&
                loads.load[channel].upper - loads.load[channel].lower < 1e-10,
            "%s: channel %u: [%.17g, %.17g], not %.17g", name, channel,
            loads.load[channel].lower, loads.load[channel].upper, sum);
        nb_pair_loads_release(&pairs);
    }
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
}

static void test_traffic_agrees_with_pairs(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "rlb@torus:27x9",  "romm@mesh:29x11", "rlb:fixed@torus:8x8",
        "rlbth@torus:9x7", "romm@torus:8x8",  "rlb:backtracking=yes@torus:8x6",
        "rdr@torus:8x8",   "romm@mesh:6x5",
    };
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    way_check_traffic);
}

/* Rates so large that scaled sums exceed 61 bits: values reported as exact must
 * be exact. */
static void test_huge_rates(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_traffic traffic;
    problem_open(&problem, "torus:4x3", "rlb");
    for (int shift = 40; shift < 62; shift++) {
        struct nb_channel_loads loads;
        assert_int_equal(nb_traffic_build("random-permutation:seed=3",
                                          &problem.topology, true, &traffic,
                                          NULL),
                         NB_OK);
        for (size_t d = 0; d < traffic.demand_count; d++)
            traffic.demands[d].weight = ((uint64_t)1 << shift) + 2 * d + 1;
        assert_int_equal(nb_channel_loads_find(&problem.routing, &traffic, NULL,
                                               &loads, NULL),
                         NB_OK);
        for (uint32_t c = 0; c < loads.channel_count; c++) {
            struct nb_pair_loads pairs;
            long double sum = 0;
            assert_int_equal(
                nb_pair_loads_find(&problem.routing, 1, &c, NULL, &pairs, NULL),
                NB_OK);
            for (size_t d = 0; d < traffic.demand_count; d++)
                sum += (long double)traffic.demands[d].weight *
                       nb_pair_load_weight(&pairs, traffic.demands[d].source,
                                           traffic.demands[d].target) /
                       pairs.denominator;
            TOPOLOGY_CHECK(loads.load[c].lower <= sum * (1 + 0x1p-50L) &&
                               loads.load[c].upper >= sum * (1 - 0x1p-50L),
                           "2^%d: channel %u: [%.17g, %.17g], not %.17Lg",
                           shift, c, loads.load[c].lower, loads.load[c].upper,
                           sum);
            nb_pair_loads_release(&pairs);
        }
        nb_channel_loads_release(&loads);
        nb_traffic_release(&traffic);
    }
    problem_close(&problem);
}

/* Exactness does not depend on the channels computed together, and on rings it
 * remains where an intermediate router's own denominators would not fit. */
static void test_exactness(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_pair_loads loads;
    const uint32_t first = 0;
    problem_open(&problem, "ring:64", "rlb");
    assert_int_equal(
        nb_pair_loads_find(&problem.routing, 1, &first, NULL, &loads, NULL),
        NB_OK);
    assert_true(loads.is_exact);
    nb_pair_loads_release(&loads);
    problem_close(&problem);
    problem_open(&problem, "torus:2x4x17,terminals=100000",
                 "rlb:backtracking=yes");
    enum { CHANNELS = 680 };
    static uint32_t channel[CHANNELS];
    static struct nb_pair_loads all[CHANNELS];
    assert_int_equal(problem.topology.channel_count, CHANNELS);
    for (uint32_t c = 0; c < CHANNELS; c++)
        channel[c] = c;
    assert_int_equal(nb_pair_loads_find(&problem.routing, CHANNELS, channel,
                                        NULL, all, NULL),
                     NB_OK);
    size_t exact = 0, found = 0;
    for (uint32_t c = 0; c < CHANNELS; c += 17, found++) {
        exact += all[c].is_exact;
        assert_int_equal(
            nb_pair_loads_find(&problem.routing, 1, &c, NULL, &loads, NULL),
            NB_OK);
        assert_int_equal(loads.is_exact, all[c].is_exact);
        for (size_t i = 0; i < loads.n; i++)
            assert_true(nb_pair_load_value(&loads, i, (i + 7) % loads.n) ==
                        nb_pair_load_value(&all[c], i, (i + 7) % loads.n));
        nb_pair_loads_release(&loads);
    }
    assert_true(0 < exact && exact < found); /* the limit lies between */
    for (uint32_t c = 0; c < CHANNELS; c++)
        nb_pair_loads_release(&all[c]);
    problem_close(&problem);
}

static void way_forget_symmetry(struct nb_routing *routing)
{
    routing->symmetries = 0;
    if (routing->phase != NULL)
        routing->phase->symmetries = 0;
}

/* One graph per orbit and one matching per orbit give the result of using
 * all. */
static void way_check_symmetry(const struct problem *problem, const char *name)
{
    struct nb_worst_case with, without;
    struct problem plain;
    const uint32_t channel = (uint32_t)problem->topology.channel_count / 2 + 1;
    struct nb_pair_loads loads[2];
    problem_open_example(&plain, name);
    way_forget_symmetry(&plain.routing);
    assert_int_equal(nb_pair_loads_find(&problem->routing, 1, &channel, NULL,
                                        &loads[0], NULL),
                     NB_OK);
    assert_int_equal(
        nb_pair_loads_find(&plain.routing, 1, &channel, NULL, &loads[1], NULL),
        NB_OK);
    assert_true(loads[0].is_exact && loads[1].is_exact);
    assert_int_equal(loads[0].denominator, loads[1].denominator);
    for (size_t i = 0; i < loads[0].n; i++)
        for (size_t j = 0; j < loads[0].n; j++)
            TOPOLOGY_CHECK(nb_pair_load_weight(&loads[0], i, j) ==
                               nb_pair_load_weight(&loads[1], i, j),
                           "%s: %zu to %zu", name, i, j);
    assert_int_equal(nb_worst_case_find(&problem->routing, NULL, &with, NULL),
                     NB_OK);
    assert_int_equal(nb_worst_case_find(&plain.routing, NULL, &without, NULL),
                     NB_OK);
    assert_int_equal(without.bound_count, problem->topology.channel_count);
    assert_true(with.bound_count <= without.bound_count);
    assert_int_equal(with.load.exact.numerator, without.load.exact.numerator);
    assert_int_equal(with.load.exact.denominator,
                     without.load.exact.denominator);
    nb_worst_case_release(&with);
    nb_worst_case_release(&without);
    nb_pair_loads_release(&loads[0]);
    nb_pair_loads_release(&loads[1]);
    problem_close(&plain);
}

static void test_symmetry_changes_nothing(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "dor@torus:6x4",   "dor:order=random@torus:6x6",
        "romm@torus:6x6",  "rlb@torus:6x4",
        "rlb@torus:5x5",   "rlbth@torus:8x4",
        "val@torus:5x5",   "min@torus:6x6",
        "min@hypercube:5", "min@ccc:3",
        "min@complete:12", "romm@mesh:5x4",
        "rdr@torus:3x4x3", "dor:ties=parity@torus:4x8",
    };
    problem_each_of(examples, sizeof examples / sizeof *examples,
                    way_check_symmetry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_quadrants_agree_with_sums),
        cmocka_unit_test(test_uniform_loads_in_doubles),
        cmocka_unit_test(test_traffic_agrees_with_pairs),
        cmocka_unit_test(test_symmetry_changes_nothing),
        cmocka_unit_test(test_huge_rates),
        cmocka_unit_test(test_exactness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
