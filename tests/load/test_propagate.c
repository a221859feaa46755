/* Visits and flows over random graphs against plain recursion in ratios, and
 * where they no longer fit whole numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/random.h"
#include "load/propagate.h"

#include <fenv.h>
#include <math.h>

enum { NODES = 7, HOPS = 3, CHANNELS = 4, GRAPHS = 300 };

/* Nodes lead to lower ones, and 0 is the destination; a path may cross a
 * channel several times. */
struct graph {
    struct nb_topology topology; /* the graph whose channels are counted */
    struct nb_routing routing;
    struct nb_walker walker;
    struct nb_upstream upstream;
    struct nb_walk_node node[NODES + 1];
    struct nb_hop hop[NODES * HOPS];
    uint32_t number[NODES];
};

static void graph_begin(struct graph *graph)
{
    *graph = (struct graph){ 0 };
    graph->topology.channel_count = CHANNELS;
    graph->routing.topology = &graph->topology;
    graph->walker.routing = &graph->routing;
    graph->walker.node = graph->node;
    graph->walker.hop = graph->hop;
    graph->walker.order = graph->number;
    graph->walker.node_count = 1;
    graph->upstream.node = graph->number + 1;
    for (uint32_t i = 0; i < NODES; i++)
        graph->number[i] = i;
}

/* Adds a hop of the last node begun. */
static void graph_hop(struct graph *graph, uint32_t channel, uint32_t to,
                      uint64_t weight)
{
    struct nb_walker *walker = &graph->walker;
    graph->hop[walker->hop_count++] = (struct nb_hop){
        .channel = channel,
        .node = to,
        .weight = weight,
        .share = (double)weight,
    };
    graph->node[walker->node_count - 1].total += weight;
    graph->node[walker->node_count].first = walker->hop_count;
}

static void graph_node(struct graph *graph)
{
    struct nb_walker *walker = &graph->walker;
    graph->node[walker->node_count++].first = walker->hop_count;
    graph->upstream.count++;
}

static void graph_draw(struct graph *graph, struct nb_random *random)
{
    graph_begin(graph);
    for (uint32_t i = 1; i < NODES; i++) {
        graph_node(graph);
        for (uint64_t h = nb_random_below(random, HOPS) + 1; h > 0; h--)
            graph_hop(graph, (uint32_t)nb_random_below(random, CHANNELS),
                      (uint32_t)nb_random_below(random, i),
                      nb_random_below(random, 4) + 1);
    }
}

static struct nb_ratio graph_visits(const struct graph *graph, uint32_t node,
                                    uint32_t channel)
{
    struct nb_ratio sum = nb_ratio_zero;
    if (node == 0)
        return sum;
    for (size_t h = graph->node[node].first; h < graph->node[node + 1].first;
         h++) {
        const struct nb_hop *hop = &graph->hop[h];
        struct nb_ratio part = graph_visits(graph, hop->node, channel);
        if (hop->channel == channel)
            part = nb_ratio_add(part, nb_ratio_one);
        sum = nb_ratio_add(
            sum, nb_ratio_multiply(part, nb_ratio_make(hop->weight, 1)));
    }
    return nb_ratio_divide(sum, nb_ratio_make(graph->node[node].total, 1));
}

static bool graph_finds(const struct graph *graph, uint32_t channel,
                        int64_t limit, int64_t *visits, int64_t *denominator)
{
    for (size_t i = 0; i < NODES; i++)
        visits[i] = 0;
    *denominator = 1;
    return nb_walk_visits(&graph->walker, &graph->upstream, channel, limit,
                          visits, denominator);
}

static void check_visits(const struct graph *graph, uint64_t seed,
                         uint32_t channel)
{
    int64_t visits[NODES], again[NODES], denominator, other;
    double value[NODES] = { 0 };
    TOPOLOGY_CHECK(
        graph_finds(graph, channel, INT64_MAX / 4, visits, &denominator),
        "seed %ju", (uintmax_t)seed);
    nb_walk_visits_value(&graph->walker, &graph->upstream, channel, value);
    int64_t most = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const struct nb_ratio expected = graph_visits(graph, i, channel);
        TOPOLOGY_CHECK(nb_ratio_compare(nb_ratio_make(visits[i], denominator),
                                        expected) == 0 &&
                           fabs(value[i] - nb_ratio_value(expected)) < 1e-14,
                       "seed %ju: node %u, channel %u: %jd / %jd, %.17g",
                       (uintmax_t)seed, i, channel, (intmax_t)visits[i],
                       (intmax_t)denominator, value[i]);
        most = visits[i] > most ? visits[i] : most;
    }
    if (most == 0)
        return;
    most = denominator > most ? denominator : most;
    TOPOLOGY_CHECK(graph_finds(graph, channel, most, again, &other) &&
                       other == denominator &&
                       !graph_finds(graph, channel, most - 1, again, &other),
                   "seed %ju: channel %u, limit %jd", (uintmax_t)seed, channel,
                   (intmax_t)most);
}

/* nb_walk_carry into the loads of channels. */
static bool graph_carries(const struct graph *graph, int64_t *flow,
                          int64_t *load, int64_t *denominator)
{
    int64_t part[NODES * HOPS];
    const bool is_done = nb_walk_carry(&graph->walker, flow, part, denominator);
    for (size_t h = 0; h < graph->walker.hop_count && is_done; h++)
        load[graph->hop[h].channel] += part[h];
    return is_done;
}

/* A flow from a node crosses a channel as often as the node's visits. */
static void check_flows(const struct graph *graph, uint64_t seed,
                        uint32_t source)
{
    int64_t denominator = 1, whole[NODES] = { 0 }, crossed[CHANNELS] = { 0 };
    double flow[NODES] = { [0] = 0 }, load[CHANNELS] = { 0 };
    flow[source] = 1;
    nb_walk_carry_value(&graph->walker, flow, load);
    whole[source] = 1;
    TOPOLOGY_CHECK(graph_carries(graph, whole, crossed, &denominator),
                   "seed %ju", (uintmax_t)seed);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        const struct nb_ratio expected = graph_visits(graph, source, c);
        TOPOLOGY_CHECK(nb_ratio_compare(nb_ratio_make(crossed[c], denominator),
                                        expected) == 0 &&
                           fabs(load[c] - nb_ratio_value(expected)) < 1e-14,
                       "seed %ju: from %u, channel %u: %jd / %jd, %.17g",
                       (uintmax_t)seed, source, c, (intmax_t)crossed[c],
                       (intmax_t)denominator, load[c]);
    }
}

static void test_drawn_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct nb_random random;
        struct graph graph;
        nb_random_init(&random, seed, 0);
        graph_draw(&graph, &random);
        for (uint32_t c = 0; c < CHANNELS; c++)
            check_visits(&graph, seed, c);
        for (uint32_t source = 1; source < NODES; source++)
            check_flows(&graph, seed, source);
    }
}

/* One path 2, 1, 0 over two channels, or twice over one; products with the
 * weights have more than 64 bits. */
static bool carry_path(uint32_t channel, int64_t far, int64_t near,
                       int64_t *load)
{
    struct graph graph;
    int64_t flow[NODES] = { 0, near, far }, denominator = 1;
    graph_begin(&graph);
    graph_node(&graph);
    graph_hop(&graph, 0, 0, 9);
    graph_node(&graph);
    graph_hop(&graph, channel, 1, 9);
    load[0] = load[1] = 0;
    return graph_carries(&graph, flow, load, &denominator) && denominator == 1;
}

/* Few of the possible nodes, which are found by their hash. */
static void test_upstream_of_one_source(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_walker walker;
    struct nb_upstream upstream = { 0 };
    const uint32_t source = 100;
    problem_open(&problem, "mesh:9000", "dor");
    const uint32_t channel = topology_find_channel(&problem.topology, 50, 49);
    assert_int_equal(nb_walker_init(&problem.routing, NULL, &walker, NULL),
                     NB_OK);
    assert_int_equal(nb_walker_go(&walker, 0, &source, 1, 0, 0, NULL), NB_OK);
    assert_int_equal(walker.node_count, 101);
    assert_int_equal(nb_upstream_take(&upstream, &walker, NULL), NB_OK);
    nb_upstream_find(&upstream, &walker, channel);
    assert_int_equal(upstream.count, 51);
    for (size_t i = 0; i < upstream.count; i++)
        assert_int_equal(walker.node[upstream.node[i]].router, 50 + i);
    nb_upstream_release(&upstream);
    nb_walker_release(&walker);
    problem_close(&problem);
}

static void test_flows_of_62_bits(void **state)
{
    (void)state;
    const int64_t half = (int64_t)1 << 61;
    int64_t load[CHANNELS];
    assert_true(carry_path(1, half, half - 1, load));
    assert_true(load[0] == 2 * half - 1 && load[1] == half);
    assert_false(carry_path(1, half, half, load));
    assert_true(carry_path(0, half - 1, 0, load));
    assert_true(load[0] == 2 * half - 2);
}

static void test_weights_that_are_not_exact(void **state)
{
    (void)state;
    struct graph graph;
    int64_t visits[NODES], denominator, load[CHANNELS] = { 0 };
    graph_begin(&graph);
    graph_node(&graph);
    graph_hop(&graph, 0, 0, 1);
    graph.node[1].total = 0;
    assert_false(graph_finds(&graph, 0, 100, visits, &denominator));
    int64_t flow[NODES] = { 0 };
    denominator = 1;
    assert_true(graph_carries(&graph, flow, load, &denominator));
    flow[1] = 1;
    assert_false(graph_carries(&graph, flow, load, &denominator));
}

/* A router that many packets cross. With every rounding up, and with every one
 * down, errors add up as in the worst case, each a whole last digit instead of
 * half of one: both results are still within the error. */
static void test_one_sided_roundings(void **state)
{
    (void)state;
    enum { MANY = 1000, ALL = MANY + 2 };
    static struct nb_walk_node node[ALL + 1];
    static struct nb_hop hop[ALL];
    static uint32_t order[ALL], in_start[ALL + 1];
    const int modes[2] = { FE_UPWARD, FE_DOWNWARD };
    double load[2][2] = { { 0 } };
    for (uint32_t i = 0; i <= ALL; i++) {
        node[i].first = i > 0 ? i - 1 : 0;
        in_start[i] = i > 1 ? MANY + 1 : i;
    }
    for (uint32_t i = 0; i < ALL; i++) {
        order[i] = i;
        hop[i] = (struct nb_hop){
            .channel = i > 0, .node = i > 0, .weight = 1, .share = 1
        };
    }
    const struct nb_topology topology = { .router_count = ALL,
                                          .in_start = in_start };
    const struct nb_routing routing = { .topology = &topology,
                                        .state_count = 1,
                                        .most_hops = 1 };
    const struct nb_walker walker = { .routing = &routing,
                                      .node_count = ALL,
                                      .node = node,
                                      .hop = hop,
                                      .order = order,
                                      .longest = 2 };
    for (size_t k = 0; k < 2; k++) {
        static double flow[ALL];
        struct nb_random random;
        nb_random_init(&random, 1, 0);
        for (size_t i = 0; i < ALL; i++)
            flow[i] = i > 1 ? nb_random_unit(&random) : 0;
        fesetround(modes[k]);
        nb_walk_carry_value(&walker, flow, load[k]);
        fesetround(FE_TONEAREST);
    }
    const double error = nb_walk_error(&walker, 0);
    for (size_t c = 0; c < 2; c++)
        TOPOLOGY_CHECK(load[0][c] - load[1][c] <= 4.01 * error * load[0][c] &&
                           load[1][c] > MANY / 3.0 && error < 1e-12,
                       "channel %zu: %.17g to %.17g, error %g", c, load[1][c],
                       load[0][c], error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_graphs),
        cmocka_unit_test(test_upstream_of_one_source),
        cmocka_unit_test(test_flows_of_62_bits),
        cmocka_unit_test(test_weights_that_are_not_exact),
        cmocka_unit_test(test_one_sided_roundings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
