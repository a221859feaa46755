/* Schemes that mix paths of one phase and of two: loads against walks, and
 * virtual-channel classes without cycles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/mixed.h"
#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/vc_dependencies.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/pair_loads.h"

static const char *const networks[] = { "ring:5",          "torus:4x3",
                                        "mesh:3x3",        "hypercube:3",
                                        "fattree:k=2,n=2", "dragonfly:h=1" };
enum { NETWORKS = sizeof networks / sizeof *networks };

/* A third of the packets takes only the phase, the rest two of it. */
static void test_walks_are_mixed(void **state)
{
    (void)state;
    for (size_t k = 0; k < NETWORKS; k++) {
        struct problem problem;
        problem_open(&problem, networks[k], "min");
        mixed_build(&mixed_oblivious, &problem.topology, &problem.routing);
        const size_t n = problem.topology.router_count;
        const size_t m = problem.topology.channel_count;
        struct nb_ratio *mixed = walk_all_pairs(&problem.routing, networks[k]);
        struct nb_ratio *one =
            walk_all_pairs(problem.routing.phase, networks[k]);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                for (size_t c = 0; c < m; c++) {
                    struct nb_ratio sum = nb_ratio_zero;
                    size_t count = 0;
                    for (uint32_t q = 0; q < n; q++) {
                        if (problem.topology.terminals[q] == 0)
                            continue;
                        sum = nb_ratio_add(sum, one[(i * n + q) * m + c]);
                        sum = nb_ratio_add(sum, one[(q * n + j) * m + c]);
                        count++;
                    }
                    sum = nb_ratio_add(
                        nb_ratio_multiply(
                            sum, nb_ratio_make(2, 3 * (nb_int128)count)),
                        nb_ratio_multiply(one[(i * n + j) * m + c],
                                          nb_ratio_make(1, 3)));
                    TOPOLOGY_CHECK(
                        !walk_has_pair(&problem.routing, i, j) ||
                            ratio_same(sum, mixed[(i * n + j) * m + c]),
                        "%s: %u to %u on %zu", networks[k], i, j, c);
                }
        nb_delete(mixed);
        nb_delete(one);
        problem_close(&problem);
    }
}

static void test_pair_loads(void **state)
{
    (void)state;
    for (size_t k = 0; k < NETWORKS; k++) {
        struct problem problem;
        problem_open(&problem, networks[k], "min");
        mixed_build(&mixed_oblivious, &problem.topology, &problem.routing);
        const size_t routers = problem.topology.router_count;
        const size_t m = problem.topology.channel_count;
        struct nb_ratio *walked = walk_all_pairs(&problem.routing, networks[k]);
        uint32_t *endpoint = nb_new_array(routers, sizeof *endpoint);
        assert_non_null(endpoint);
        const size_t n = nb_endpoints(&problem.topology, endpoint);
        for (uint32_t c = 0; c < m; c++) {
            struct nb_pair_loads loads;
            assert_int_equal(
                nb_pair_loads_find(&problem.routing, 1, &c, NULL, &loads, NULL),
                NB_OK);
            assert_true(loads.is_exact);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    TOPOLOGY_CHECK(
                        ratio_same(
                            nb_ratio_make(nb_pair_load_weight(&loads, i, j),
                                          loads.denominator),
                            walked[(endpoint[i] * routers + endpoint[j]) * m +
                                   c]),
                        "%s: %zu to %zu on %u", networks[k], i, j, c);
            nb_pair_loads_release(&loads);
        }
        nb_delete(walked);
        nb_delete(endpoint);
        problem_close(&problem);
    }
}

static void check_channel_loads(const struct problem *problem, const char *name,
                                const char *pattern)
{
    const size_t n = problem->topology.router_count;
    const size_t m = problem->topology.channel_count;
    struct nb_ratio *walked = walk_all_pairs(&problem->routing, name);
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads;
    struct nb_ratio *sum = nb_new_array(m, sizeof *sum);
    uint64_t *rate = nb_new_array(n, sizeof *rate);
    assert_true(sum != NULL && rate != NULL);
    for (uint32_t c = 0; c < m; c++)
        sum[c] = nb_ratio_zero;
    assert_int_equal(
        nb_traffic_build(pattern, &problem->topology, false, &traffic, NULL),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    assert_true(loads.is_exact);
    for (uint32_t j = 0; j < n; j++) {
        assert_int_equal(
            nb_traffic_column(&traffic, &problem->topology, j, rate, NULL),
            NB_OK);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t c = 0; c < m; c++)
                sum[c] = nb_ratio_add(
                    sum[c], nb_ratio_multiply(
                                nb_ratio_make((nb_int128)rate[i],
                                              (nb_int128)traffic.denominator),
                                walked[(i * n + j) * m + c]));
    }
    for (uint32_t c = 0; c < m; c++)
        TOPOLOGY_CHECK(ratio_same(sum[c], loads.load[c].exact),
                       "%s, %s: channel %u", name, pattern, c);
    nb_delete(sum);
    nb_delete(rate);
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    nb_delete(walked);
}

static void test_channel_loads(void **state)
{
    (void)state;
    static const char *const patterns[] = { "uniform", "nearest-neighbour",
                                            "random-permutation:seed=5" };
    for (size_t k = 0; k < NETWORKS; k++)
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            struct problem problem;
            problem_open(&problem, networks[k], "min");
            mixed_build(&mixed_oblivious, &problem.topology, &problem.routing);
            if (p != 1 || problem.topology.grid.dimensions > 0)
                check_channel_loads(&problem, networks[k], patterns[p]);
            problem_close(&problem);
        }
}

static void test_nothing_waits_in_a_circle(void **state)
{
    (void)state;
    for (size_t k = 0; k < NETWORKS; k++) {
        struct problem problem;
        struct vc_dependencies found;
        problem_open(&problem, networks[k], "min");
        mixed_build(&mixed_oblivious, &problem.topology, &problem.routing);
        vc_dependencies_open(&found, &problem.routing, networks[k]);
        TOPOLOGY_CHECK(dependencies_are_acyclic(&found.graph, NULL), "%s",
                       networks[k]);
        vc_dependencies_close(&found);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_are_mixed),
        cmocka_unit_test(test_pair_loads),
        cmocka_unit_test(test_channel_loads),
        cmocka_unit_test(test_nothing_waits_in_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
