/* Pairs assigned to layers: as a plain greedy search assigns them, and a plain
 * search finds no cycle in any layer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/dependencies.h"
#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/route_waits.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "deadlock/dealt.h"
#include "routing/walker.h"

#include <string.h>

/* Adds what the packets of a pair wait for. */
static void add_pair(struct nb_walker *walker, uint32_t source,
                     uint32_t destination, struct dependencies *graph)
{
    assert_int_equal(nb_walker_go(walker, destination, &source, 1, 0, 0, NULL),
                     NB_OK);
    for (size_t h = 0; h < walker->hop_count; h++) {
        const struct nb_walk_node *node = &walker->node[walker->hop[h].node];
        for (size_t g = node[0].first; g < node[1].first; g++)
            dependencies_add(graph, walker->hop[h].channel,
                             walker->hop[g].channel);
    }
}

static void check_layers(const struct problem *problem,
                         const struct nb_dealt *dealt, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    struct nb_walker walker;
    assert_int_equal(nb_walker_init(&problem->routing, NULL, &walker, NULL),
                     NB_OK);
    for (unsigned l = 0; l < dealt->count; l++) {
        struct dependencies graph;
        bool is_used = false;
        dependencies_open(&graph, topology->channel_count);
        for (uint32_t pair = 0; pair < n * n; pair++)
            if (dealt->layer[pair] == l && topology->terminals[pair % n] > 0 &&
                topology->terminals[pair / n] > 0) {
                is_used = true;
                add_pair(&walker, pair % n, pair / n, &graph);
            }
        TOPOLOGY_CHECK(is_used, "%s: layer %u is empty", name, l);
        TOPOLOGY_CHECK(dependencies_are_acyclic(&graph, NULL), "%s: layer %u",
                       name, l);
        dependencies_close(&graph);
    }
    nb_walker_release(&walker);
}

/* At most this many layers, and more than one where needed. */
static const struct {
    const char *name;
    unsigned least, most;
} cases[] = {
    { "min@ring:3", 1, 1 },     { "min@ring:5", 2, 2 },
    { "min@ring:8", 2, 3 },     { "min@mesh:3x3", 2, 2 },
    { "min@mesh:4x4", 2, 2 },   { "dor@mesh:4x4", 1, 1 },
    { "dor@torus:4x4", 2, 4 },  { "min@hypercube:3", 2, 3 },
    { "min@ccc:3", 2, 4 },      { "min@dragonfly:h=2,p=1", 2, 2 },
    { "min@complete:5", 1, 1 }, { "min@fattree:k=2,n=3", 1, 1 },
};

static void test_no_layer_has_a_cycle(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_dealt dealt;
        bool holds;
        problem_open_example(&problem, cases[i].name);
        assert_int_equal(nb_dealt_find(&problem.routing, &dealt, NULL), NB_OK);
        TOPOLOGY_CHECK(dealt.count >= cases[i].least &&
                           dealt.count <= cases[i].most,
                       "%s: %u layers", cases[i].name, dealt.count);
        check_layers(&problem, &dealt, cases[i].name);
        assert_int_equal(nb_dealt_check(&problem.routing, &dealt, &holds, NULL),
                         NB_OK);
        assert_true(holds);
        nb_dealt_release(&dealt);
        problem_close(&problem);
    }
}

/* The layers of a plain search: their graphs between channels. */
struct plain {
    struct dependencies layer[NB_MOST_VC_CLASSES];
    unsigned count;
};

/* Tries to add the dependencies of a pair to a layer; false if there would be a
 * cycle, and the layer is as before. */
static bool plain_accepts(struct dependencies *layer,
                          const struct route_pair *pair)
{
    const size_t size = layer->count * layer->count;
    bool *before = nb_new_array(size, sizeof *before);
    assert_non_null(before);
    memcpy(before, layer->arc, size * sizeof *before);
    for (size_t h = 0; h < pair->hop_count; h++) {
        const struct route_node *node = &pair->node[pair->hop[h].node];
        for (size_t g = node->first; g < node->end; g++)
            dependencies_add(layer, pair->hop[h].channel, pair->hop[g].channel);
    }
    const bool accepts = memcmp(before, layer->arc, size) == 0 ||
                         dependencies_are_acyclic(layer, NULL);
    if (!accepts)
        memcpy(layer->arc, before, size * sizeof *before);
    nb_delete(before);
    return accepts;
}

/* The first layer that accepts a pair; NB_MOST_VC_CLASSES if none does. */
static unsigned plain_place(struct plain *plain, const struct route_pair *pair)
{
    for (unsigned l = 0; l < NB_MOST_VC_CLASSES; l++) {
        const bool is_new = l == plain->count;
        if (is_new)
            dependencies_open(&plain->layer[plain->count++],
                              pair->classes->routing->topology->channel_count);
        if (plain_accepts(&plain->layer[l], pair))
            return l;
        if (is_new) /* a cycle within the pair */
            break;
    }
    return NB_MOST_VC_CLASSES;
}

static void compare_layers(const struct nb_routing *routing,
                           const struct nb_dealt *found, const char *name)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    struct plain plain = { 0 };
    struct nb_vc_classes classes;
    struct route_pair pair;
    bool is_placed = true;
    assert_int_equal(nb_vc_classes_build(routing, &classes, NULL), NB_OK);
    route_pair_open(&pair, &classes, name);
    for (uint32_t i = 0; i < n * n && is_placed; i++) {
        if (!walk_has_pair(routing, i % n, i / n))
            continue;
        route_pair_follow(&pair, i % n, i / n);
        const unsigned layer = plain_place(&plain, &pair);
        is_placed = layer < NB_MOST_VC_CLASSES;
        TOPOLOGY_CHECK(!is_placed || found->layer[i] == layer,
                       "%s: %u to %u in layer %u, not %u", name, i % n, i / n,
                       found->layer[i], layer);
    }
    assert_int_equal(found->count, is_placed ? plain.count : 0);
    for (unsigned l = 0; l < plain.count; l++)
        dependencies_close(&plain.layer[l]);
    route_pair_close(&pair);
    nb_vc_classes_release(&classes);
}

static void compare(const struct problem *problem, const char *name)
{
    struct nb_routing routing = problem->routing;
    struct nb_dealt found;
    bool holds;
    if (routing.kind->is_adaptive || routing.phase != NULL)
        return;
    routing.vc_rule = "any";
    assert_int_equal(nb_dealt_find(&routing, &found, NULL), NB_OK);
    compare_layers(&routing, &found, name);
    if (found.count > 0) {
        assert_int_equal(nb_dealt_check(&routing, &found, &holds, NULL), NB_OK);
        TOPOLOGY_CHECK(holds, "%s", name);
        found.count++;
        assert_int_equal(nb_dealt_check(&routing, &found, &holds, NULL), NB_OK);
        TOPOLOGY_CHECK(!holds, "%s: an empty layer", name);
    }
    nb_dealt_release(&found);
}

/* Whether no layer of an assignment has a cycle, and the last is not empty. */
static bool plain_holds(const struct nb_routing *routing,
                        const struct nb_dealt *given, const char *name)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    struct nb_vc_classes classes;
    struct route_pair pair;
    bool holds = true;
    unsigned count = 0;
    assert_int_equal(nb_vc_classes_build(routing, &classes, NULL), NB_OK);
    route_pair_open(&pair, &classes, name);
    for (unsigned l = 0; l <= given->count && holds; l++) {
        struct dependencies graph;
        dependencies_open(&graph, routing->topology->channel_count);
        for (uint32_t i = 0; i < n * n && holds; i++) {
            if (!walk_has_pair(routing, i % n, i / n) || given->layer[i] != l)
                continue;
            route_pair_follow(&pair, i % n, i / n);
            holds = plain_accepts(&graph, &pair);
            count = l + 1;
        }
        dependencies_close(&graph);
    }
    route_pair_close(&pair);
    nb_vc_classes_release(&classes);
    return holds && count == given->count;
}

/* Assignments in which one pair is in another layer. A pair above the first
 * layer is moved down, where it closes a cycle. */
static void check_moves(const struct problem *problem, const char *name)
{
    const uint32_t n = (uint32_t)problem->topology.router_count;
    static uint64_t seed;
    struct nb_random random;
    struct nb_dealt dealt;
    if (problem->routing.phase != NULL)
        return;
    nb_random_init(&random, ++seed, 0);
    assert_int_equal(nb_dealt_find(&problem->routing, &dealt, NULL), NB_OK);
    for (uint32_t i = 0; i < n * n && dealt.count > 0; i++) {
        const uint8_t layer = dealt.layer[i];
        bool holds;
        if (layer == 0 && nb_random_below(&random, 10) > 0)
            continue;
        dealt.layer[i] = (uint8_t)nb_random_below(
            &random, layer == 0 ? dealt.count + 1 : layer);
        const bool expected = plain_holds(&problem->routing, &dealt, name);
        assert_int_equal(
            nb_dealt_check(&problem->routing, &dealt, &holds, NULL), NB_OK);
        TOPOLOGY_CHECK(holds == expected, "%s, seed %d, pair %u: %d", name,
                       (int)seed, i, holds);
        dealt.layer[i] = layer;
    }
    nb_dealt_release(&dealt);
}

static void test_other_assignments(void **state)
{
    (void)state;
    graph_each_random(40, 4, 6, 20, check_moves);
}

static void test_as_a_plain_search(void **state)
{
    (void)state;
    problem_each_example(compare);
    graph_each_random(60, 4, 6, 20, compare);
}

/* With all pairs in one layer there is a cycle. */
static void test_other_layers_do_not_hold(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_dealt dealt;
    bool holds = true;
    problem_open_example(&problem, "min@mesh:3x3");
    assert_int_equal(nb_dealt_find(&problem.routing, &dealt, NULL), NB_OK);
    for (size_t pair = 0; pair < 81; pair++)
        dealt.layer[pair] = 0;
    dealt.count = 1;
    assert_int_equal(nb_dealt_check(&problem.routing, &dealt, &holds, NULL),
                     NB_OK);
    assert_false(holds);
    nb_dealt_release(&dealt);
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_dealt dealt;
    enum nb_status status = NB_NO_MEMORY;
    problem_open_example(&problem, "min@mesh:3x3");
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status = nb_dealt_find(&problem.routing, &dealt, NULL);
        nb_memory_allow(-1);
        if (status != NB_OK)
            assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    nb_dealt_release(&dealt);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_layer_has_a_cycle),
        cmocka_unit_test(test_as_a_plain_search),
        cmocka_unit_test(test_other_assignments),
        cmocka_unit_test(test_other_layers_do_not_hold),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
