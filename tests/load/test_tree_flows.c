/* Flows by subtrees of fat trees against flows followed channel by channel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/tree_flows.h"
#include "load/turn_flows.h"

#include <math.h>
#include <string.h>

/* Data of one traffic under one routing. */
struct flow_case {
    const char *name;
    struct problem problem;
    struct nb_traffic traffic;
    struct nb_tree_flows flows;
    struct nb_turn_flows turns;
    struct nb_channel_loads loads;
};

static void case_open(struct flow_case *test, const char *tree,
                      const char *routing, const char *traffic)
{
    struct nb_error error = { 0 };
    *test = (struct flow_case){ .name = traffic };
    problem_open(&test->problem, tree, routing);
    TOPOLOGY_CHECK(
        nb_traffic_build(traffic, &test->problem.topology, true, &test->traffic,
                         &error) == NB_OK &&
            nb_tree_flows_find(&test->problem.routing, &test->traffic,
                               &test->flows, &error) == NB_OK &&
            nb_turn_flows_find(&test->problem.routing, &test->traffic, NULL,
                               &test->turns, &error) == NB_OK &&
            nb_channel_loads_find(&test->problem.routing, &test->traffic, NULL,
                                  &test->loads, &error) == NB_OK,
        "%s, %s, %s: %s", tree, routing, traffic, error.message);
}

static void case_close(struct flow_case *test)
{
    nb_channel_loads_release(&test->loads);
    nb_turn_flows_release(&test->turns);
    nb_tree_flows_release(&test->flows);
    nb_tree_flows_release(&test->flows);
    nb_traffic_release(&test->traffic);
    problem_close(&test->problem);
}

static uint32_t case_level(const struct flow_case *test, uint32_t router)
{
    return router / test->problem.topology.tree.words;
}

/* The index of a router's subtree among its siblings: a digit of its word. */
static uint32_t case_child(const struct flow_case *test, uint32_t router)
{
    const struct nb_tree *tree = &test->problem.topology.tree;
    uint32_t word = router % tree->words;
    for (uint32_t level = case_level(test, router); level > 0; level--)
        word /= tree->arity;
    return word % tree->arity;
}

/* The subtree below a router of level height - 1. */
static uint32_t case_subtree(const struct flow_case *test, uint32_t router)
{
    const struct nb_tree *tree = &test->problem.topology.tree;
    uint32_t word = router % tree->words;
    for (uint32_t level = case_level(test, router); level > 0; level--)
        word /= tree->arity;
    return word;
}

/* The flow from each channel into the router to one output; factor outputs are
 * summed. */
static void case_check_turns(const struct flow_case *test, uint32_t router,
                             size_t way, const struct nb_ratio *above,
                             const struct nb_ratio *below, double factor)
{
    const struct nb_topology *topology = &test->problem.topology;
    const uint32_t k = topology->tree.arity;
    const double *flow = test->turns.flow + test->turns.start[way];
    double local = 0;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++, flow++) {
        const uint32_t source =
            topology->channels[topology->in_channel[i]].source;
        const bool is_above =
            case_level(test, source) > case_level(test, router);
        double expected = 0;
        if (is_above && above != NULL)
            expected = factor * nb_ratio_value(above[0]);
        if (!is_above)
            expected = factor * nb_ratio_value(below[case_child(test, source)]);
        TOPOLOGY_CHECK(fabs(*flow - expected) <= 1e-12 * expected,
                       "%s: router %u, output %zu, from router %u: %.17g, not "
                       "%.17g",
                       test->name, router, way, source, expected, *flow);
    }
    if (case_level(test, router) == 0)
        for (uint32_t i = 0; i < k; i++)
            local += factor * nb_ratio_value(below[i]);
    TOPOLOGY_CHECK(fabs(*flow - local) <= 1e-12 * local,
                   "%s: router %u, output %zu, terminals: %.17g, not %.17g",
                   test->name, router, way, local, *flow);
}

static void case_check_load(const struct flow_case *test, size_t channel,
                            const struct nb_ratio *rates, size_t count)
{
    struct nb_ratio sum = nb_ratio_zero;
    for (size_t i = 0; i < count; i++)
        sum = nb_ratio_add(sum, rates[i]);
    TOPOLOGY_CHECK(nb_ratio_compare(sum, test->loads.load[channel].exact) == 0,
                   "%s: channel %zu: %g, not %g", test->name, channel,
                   nb_ratio_value(sum),
                   nb_ratio_value(test->loads.load[channel].exact));
}

static void case_check(const struct flow_case *test)
{
    const struct nb_topology *topology = &test->problem.topology;
    const uint32_t k = topology->tree.arity;
    struct nb_ratio rates[16];
    assert_true(test->loads.is_exact && 2 * k <= 16);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel channel = topology->channels[c];
        const uint32_t source = case_level(test, channel.source);
        const uint32_t target = case_level(test, channel.target);
        const bool is_up = target > source;
        const size_t count =
            is_up ? nb_tree_flows_inputs(&test->flows, NB_TREE_UP, source + 1,
                                         case_subtree(test, channel.source),
                                         rates)
                  : nb_tree_flows_inputs(&test->flows, NB_TREE_DOWN, target + 1,
                                         case_subtree(test, channel.target),
                                         rates);
        assert_int_equal(count, is_up ? k : 2 * k);
        case_check_load(test, c, rates, count);
        case_check_turns(test, channel.source, c, is_up ? NULL : rates,
                         is_up ? rates : rates + k, 1);
    }
    for (uint32_t leaf = 0; leaf < topology->tree.words; leaf++) {
        nb_tree_flows_inputs(&test->flows, NB_TREE_DOWN, 0, leaf, rates);
        case_check_turns(test, leaf, topology->channel_count + leaf, rates,
                         rates + k, k);
    }
}

static void test_flows_are_those_of_channels(void **state)
{
    static const char *const trees[] = { "fattree:k=2,n=2", "fattree:k=2,n=4",
                                         "fattree:k=3,n=3", "fattree:k=4,n=2" };
    static const char *const traffics[] = {
        "uniform",
        "random-permutation:seed=3",
        "tornado",
        "neighbour",
        "hot-spot:nodes=1,share=1/3",
        "hot-spot:nodes=0+1,share=2/7,background=random-permutation",
    };
    (void)state;
    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (size_t i = 0; i < sizeof traffics / sizeof *traffics; i++)
            for (int by_root = 0; by_root < 2; by_root++) {
                struct flow_case test;
                case_open(&test, trees[t], by_root ? "rrr" : "rcar",
                          traffics[i]);
                case_check(&test);
                case_close(&test);
            }
}

static void test_large_trees_are_refused(void **state)
{
    struct nb_topology topology = { .tree = { 20, 2, 1 << 19 } };
    const struct nb_routing routing = { .topology = &topology };
    struct nb_traffic traffic = { .denominator = 1 };
    struct nb_tree_flows flows;
    struct nb_error error = { 0 };
    (void)state;
    assert_int_equal(nb_tree_flows_find(&routing, &traffic, &flows, &error),
                     NB_INVALID);
    assert_non_null(strstr(error.message, "524288 leaf switches"));
}

static void test_failing_memory(void **state)
{
    struct problem problem;
    struct nb_traffic traffic = { 0 };
    (void)state;
    problem_open(&problem, "fattree:k=2,n=3", "rcar");
    assert_int_equal(
        nb_traffic_build("tornado", &problem.topology, false, &traffic, NULL),
        NB_OK);
    const long blocks = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_tree_flows flows;
        nb_memory_allow(allowed);
        status = nb_tree_flows_find(&problem.routing, &traffic, &flows, NULL);
        nb_memory_allow(-1);
        nb_tree_flows_release(&flows);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 3);
    nb_traffic_release(&traffic);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flows_are_those_of_channels),
        cmocka_unit_test(test_large_trees_are_refused),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
