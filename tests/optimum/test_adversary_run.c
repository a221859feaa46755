/* Run of the adversary's search: the traffic of its permutations, threads,
 * time, memory. */
#include "support/adversary_case.h"
#include "support/cases.h"
#include "support/ratio_checks.h"
#include "support/topology_checks.h"
#include "support/traffic_case.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Terminal by terminal, the traffic is the permutation's. */
static void makes_the_traffic_of_a_permutation(void **state)
{
    (void)state;
    enum { ROUTERS = 6, SIDES = 12 };
    static const uint32_t terminals[2][ROUTERS] = { { 2, 2, 2, 2, 2, 2 },
                                                    { 3, 0, 1, 2, 4, 0 } };
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct adversary_case network;
        struct nb_sides sides = { 0 };
        struct nb_traffic traffic = { 0 };
        uint32_t permutation[SIDES];
        uint64_t expected[ROUTERS][ROUTERS] = { { 0 } }, rate[ROUTERS];
        struct nb_random random;
        adversary_case_open(&network, "ring:6", NB_PATHS_ANY);
        traffic_case_set_terminals(&network.topology, terminals[seed % 2]);
        assert_int_equal(nb_sides_find(&network.topology, &sides, NULL), NB_OK);
        assert_true(sides.count <= SIDES);
        nb_random_init(&random, seed, 0);
        nb_random_permutation(&random, (uint32_t)sides.count, permutation);
        for (size_t s = 0; s < sides.count; s++)
            expected[sides.router[s]][sides.router[permutation[s]]] +=
                sides.multiplicity;
        assert_int_equal(nb_adversary_traffic(&network.topology, &sides,
                                              permutation, &traffic, NULL),
                         NB_OK);
        assert_int_equal(traffic.denominator, 1);
        for (uint32_t j = 0; j < ROUTERS; j++) {
            assert_int_equal(
                nb_traffic_column(&traffic, &network.topology, j, rate, NULL),
                NB_OK);
            for (uint32_t i = 0; i < ROUTERS; i++)
                TOPOLOGY_CHECK(rate[i] == expected[i][j], "seed %u: %u to %u",
                               (unsigned)seed, i, j);
        }
        for (size_t d = 1; d < traffic.demand_count; d++)
            assert_true(
                traffic.demands[d - 1].target < traffic.demands[d].target ||
                traffic.demands[d - 1].source < traffic.demands[d].source);
        nb_traffic_release(&traffic);
        nb_sides_release(&sides);
        adversary_case_close(&network);
    }
}

static void does_not_depend_on_threads(void **state)
{
    (void)state;
    for (int p = 0; p < 2; p++) {
        struct adversary_case network;
        struct nb_adversary found[2];
        adversary_case_open(&network, "mesh:4x3", adversary_paths[p]);
        for (int t = 0; t < 2; t++) {
            const struct nb_run run = { .threads = 1 + 3 * t };
            const struct nb_adversary_question question = {
                .topology = &network.topology,
                .path_class = &network.path_class,
                .seed = 5,
                .starts = 4,
                .seconds = INFINITY,
            };
            assert_int_equal(
                nb_adversary_find(&question, &run, &found[t], NULL), NB_OK);
        }
        assert_memory_equal(found[0].permutation, found[1].permutation,
                            found[0].sides.count * sizeof(uint32_t));
        assert_int_equal(found[0].evaluated, found[1].evaluated);
        assert_memory_equal(found[0].best.length, found[1].best.length,
                            network.topology.channel_count * sizeof(int64_t));
        ratio_must_equal(found[1].best.throughput.exact,
                         found[0].best.throughput.exact, "mesh:4x3");
        nb_adversary_release(&found[0]);
        nb_adversary_release(&found[1]);
        adversary_case_close(&network);
    }
}

/* No time is still enough for one permutation and a bound on its optimum. */
static void stops_in_time(void **state)
{
    (void)state;
    struct adversary_case network;
    struct nb_adversary found = { 0 };
    adversary_case_open(&network, "torus:4x4", NB_PATHS_MINIMAL);
    const struct nb_adversary_question question = {
        .topology = &network.topology,
        .path_class = &network.path_class,
        .starts = 1000000,
        .seconds = 1e-9,
    };
    assert_int_equal(nb_adversary_find(&question, NULL, &found, NULL), NB_OK);
    assert_true(found.was_stopped);
    assert_int_equal(found.evaluated, 1);
    adversary_must_be_permutation(found.sides.count, found.permutation);
    const struct nb_enclosure claimed = found.best.throughput;
    const struct nb_enclosure proven = adversary_case_optimum(
        &network, &found.sides, found.permutation, &found.best);
    assert_true(claimed.upper == proven.upper && isfinite(claimed.upper));
    const struct nb_enclosure optimum =
        adversary_case_optimum(&network, &found.sides, found.permutation, NULL);
    assert_true(proven.lower <= optimum.upper);
    assert_true(optimum.lower <= proven.upper);
    nb_adversary_release(&found);
    adversary_case_close(&network);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    struct adversary_case network;
    adversary_case_open(&network, "ring:3", NB_PATHS_MINIMAL);
    const struct nb_run run = { .threads = 1 };
    const struct nb_adversary_question question = {
        .topology = &network.topology,
        .path_class = &network.path_class,
        .starts = 3,
        .seconds = INFINITY,
    };
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY && allowed < 20000;
         allowed = nb_cases_allowed(allowed, 6)) {
        struct nb_adversary found = { 0 };
        nb_memory_allow(allowed);
        status = nb_adversary_find(&question, &run, &found, NULL);
        nb_memory_allow(-1);
        nb_adversary_release(&found);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    adversary_case_close(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_the_traffic_of_a_permutation),
        cmocka_unit_test(does_not_depend_on_threads),
        cmocka_unit_test(stops_in_time),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
