/* Pairs assigned to layers: a plain search finds no cycle in any layer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/dependencies.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "deadlock/dealt.h"
#include "routing/walker.h"

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
        cmocka_unit_test(test_other_layers_do_not_hold),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
