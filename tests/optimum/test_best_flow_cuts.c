/* The best flow between known bounds: dimension order below, cuts above. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "optimum/best_flow.h"
#include "bounds/cuts/bisection.h"
#include "load/channel_loads.h"

#include <math.h>

static struct nb_enclosure find(const struct nb_topology *topology,
                                const char *pattern, enum nb_paths paths)
{
    const struct nb_run one = { .threads = 1 };
    struct nb_traffic traffic;
    struct nb_path_class class;
    struct nb_best_flow best;
    assert_int_equal(nb_traffic_build(pattern, topology, false, &traffic, NULL),
                     NB_OK);
    assert_int_equal(
        nb_path_class_init(topology, paths, nb_ratio_one, &class, NULL), NB_OK);
    const struct nb_best_flow_question question = {
        .topology = topology,
        .traffic = &traffic,
        .path_class = &class,
        .seconds = INFINITY,
    };
    assert_int_equal(nb_best_flow_find(&question, &one, &best, NULL), NB_OK);
    const struct nb_enclosure throughput = best.throughput;
    nb_best_flow_release(&best);
    nb_traffic_release(&traffic);
    return throughput;
}

/* Uniform traffic of rate theta sends theta N/4 in each direction between
 * halves of N terminals: theta <= 2 B / N, with B for both directions. */
static void test_cuts_bound_uniform_traffic(void **state)
{
    static const char *const networks[] = {
        "ring:8",        "torus:4x4",   "torus:8x8",     "mesh:4x4",
        "mesh:4x6",      "hypercube:4", "complete:6",    "ccc:3",
        "ccc:4",         "torus:6x3",   "hyperx:4x4",    "slimfly:5",
        "dragonfly:h=1", "mesh:8x8",    "dragonfly:h=2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct nb_topology topology;
        struct nb_capacity capacity;
        struct nb_bisection bisection;
        assert_int_equal(nb_topology_build(networks[i], &topology, NULL),
                         NB_OK);
        assert_int_equal(nb_capacity_find(&topology, NULL, &capacity, NULL),
                         NB_OK);
        assert_int_equal(
            nb_bisection_find(&topology, &capacity, NULL, &bisection, NULL),
            NB_OK);
        const double cut =
            2 * bisection.bandwidth.upper / (double)topology.terminal_count;
        const struct nb_enclosure any =
            find(&topology, "uniform", NB_PATHS_ANY);
        const struct nb_enclosure minimal =
            find(&topology, "uniform", NB_PATHS_MINIMAL);
        if (topology.terminal_count % 2 != 0 || minimal.lower > any.upper ||
            any.lower > cut * (1 + 1e-12))
            fail_msg("%s: minimal %.12g, any %.12g, cut %.12g", networks[i],
                     minimal.lower, any.upper, cut);
        nb_bisection_release(&bisection);
        nb_topology_release(&topology);
    }
}

/* Where other shortest paths help, the best flow on them is strictly above
 * dimension order; elsewhere never below. */
static void test_dimension_order_is_below(void **state)
{
    static const struct {
        const char *topology, *traffic;
        bool is_less;
    } rows[] = {
        { "torus:8x8", "transpose", true },
        { "torus:5x5", "transpose", true },
        { "mesh:4x4", "transpose", true },
        { "mesh:8x8", "transpose", true },
        { "hypercube:4", "transpose", true },
        { "hypercube:6", "bit-reverse", true },
        { "torus:8x8", "tornado", false },
        { "torus:8x8", "uniform", false },
        { "mesh:4x4", "uniform", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_topology topology;
        struct nb_routing routing;
        struct nb_traffic traffic;
        struct nb_channel_loads loads;
        assert_int_equal(nb_topology_build(rows[i].topology, &topology, NULL),
                         NB_OK);
        assert_int_equal(nb_routing_build("dor", &topology, &routing, NULL),
                         NB_OK);
        assert_int_equal(
            nb_traffic_build(rows[i].traffic, &topology, false, &traffic, NULL),
            NB_OK);
        assert_int_equal(
            nb_channel_loads_find(&routing, &traffic, NULL, &loads, NULL),
            NB_OK);
        const struct nb_enclosure minimal =
            find(&topology, rows[i].traffic, NB_PATHS_MINIMAL);
        if (rows[i].is_less ? loads.throughput.upper >= minimal.lower
                            : loads.throughput.lower > minimal.upper)
            fail_msg("%s, %s: dor %.12g, minimal %.12g", rows[i].topology,
                     rows[i].traffic, loads.throughput.lower, minimal.lower);
        nb_channel_loads_release(&loads);
        nb_traffic_release(&traffic);
        nb_routing_release(&routing);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts_bound_uniform_traffic),
        cmocka_unit_test(test_dimension_order_is_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
