/* Conformance: every registered scheme on each of its examples, and the
 * scheme's own promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "topology/metrics.h"
#include "topology/symmetry.h"

#include <string.h>

/* The walk itself checks every step, and that the packet arrives. */
static void schemes_check_pairs(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count;
    struct walk walk;
    struct nb_ratio *crossings =
        nb_new_array(topology->channel_count, sizeof *crossings);
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *nearest = nb_new_array(n, sizeof *nearest);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(crossings != NULL && distance != NULL && nearest != NULL &&
                queue != NULL);
    walk_open(&walk, &problem->routing, name);
    for (uint32_t j = 0; j < n; j++) {
        walk_shortest(topology, j, distance);
        nb_distances_to(topology, j, nearest, queue);
        for (uint32_t i = 0; i < n; i++) {
            if (!walk_has_pair(&problem->routing, i, j))
                continue;
            uint32_t longest;
            struct nb_ratio sum = nb_ratio_zero;
            const struct nb_ratio hops =
                walk_pair(&walk, i, j, crossings, &longest);
            const struct nb_ratio shortest = { distance[i], 1 };
            const struct nb_ratio least = { nearest[i], 1 };
            for (size_t c = 0; c < topology->channel_count; c++)
                sum = nb_ratio_add(sum, crossings[c]);
            TOPOLOGY_CHECK(ratio_same(sum, hops), "%s: %u to %u", name, i, j);
            TOPOLOGY_CHECK(nb_ratio_compare(hops, least) >= 0, "%s: %u to %u",
                           name, i, j);
            const bool is_minimal = problem->routing.is_minimal;
            TOPOLOGY_CHECK(!is_minimal || (ratio_same(hops, shortest) &&
                                           longest == distance[i]),
                           "%s: %u to %u", name, i, j);
        }
    }
    walk_close(&walk);
    nb_delete(crossings);
    nb_delete(distance);
    nb_delete(nearest);
    nb_delete(queue);
}

static void test_every_walk_arrives(void **state)
{
    (void)state;
    problem_each_example(schemes_check_pairs);
}

extern const struct nb_routing_kind nb_routing_min;

/* Whether every channel has an image. */
static bool schemes_keeps_all(const struct nb_topology *topology,
                              const uint32_t *map)
{
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (nb_channel_image(topology, map, c) == NB_NONE)
            return false;
    return true;
}

/* For every generator g of a class the scheme declares: the load of (g i,
 * g j) on g c is that of (i, j) on c. */
static void schemes_check_symmetries(const struct problem *problem,
                                     const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    if (topology->kind->symmetry == NULL)
        return;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, name);
    uint32_t *map = nb_new_array(n, sizeof *map);
    uint32_t *channel_map = nb_new_array(m, sizeof *channel_map);
    assert_true(map != NULL && channel_map != NULL);
    unsigned class;
    for (size_t g = 0; (class = topology->kind->symmetry(topology, g, map));
         g++) {
        if ((class & problem->routing.symmetries) == 0)
            continue;
        if (nb_has_failures(topology) && !schemes_keeps_all(topology, map))
            continue; /* not offered either */
        for (uint32_t c = 0; c < m; c++)
            channel_map[c] = topology_find_channel(
                topology, map[topology->channels[c].source],
                map[topology->channels[c].target]);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (size_t c = 0; c < m; c++)
                    TOPOLOGY_CHECK(
                        ratio_same(
                            all[(i * n + j) * m + c],
                            all[(map[i] * n + map[j]) * m + channel_map[c]]),
                        "%s: generator %zu of class %u: %zu to %zu on %zu",
                        name, g, class, i, j, c);
    }
    nb_delete(all);
    nb_delete(map);
    nb_delete(channel_map);
}

/* Shapes that reveal a declaration that is slightly too wide: radices 2, odd
 * and even, next to each other, each with every tie rule. */
static const char *const delicate[] = {
    "dor:ties=plus@torus:4x4",
    "dor:ties=parity@torus:4x5",
    "dor:ties=parity@torus:6x2",
    "dor:ties=parity@torus:4x3",
    "dor:order=random,ties=plus@torus:4x4",
    "dor:order=random,ties=parity@torus:4x4",
    "dor:order=random@torus:3x3",
    "dor:ties=parity@ring:6",
    "dor:ties=plus@ring:6",
    "dor@torus:2x2",
    "dor:ties=parity@torus:2x4",
    "dor:order=random@mesh:3x3",
    "val:ties=parity@torus:4x2",
    "val:ties=plus@torus:4x3",
    "val:order=random@torus:4x4",
    "val:order=random,ties=parity@torus:4x4",
    "min@torus:4x4",
    "min@complete:6",
    "ival@torus:2x4",
    "ival@torus:5x3",
    "ival:direction=ring@torus:2x2",
    "ival:direction=ring@torus:6x3",
    "o1turn@mesh:3x3",
    "ring@ring:7",
    "turns:3@torus:2x4",
    "turns:3@torus:4x4",
};

static void test_declared_symmetries(void **state)
{
    (void)state;
    problem_each_example(schemes_check_symmetries);
    for (size_t i = 0; i < sizeof delicate / sizeof *delicate; i++) {
        struct problem problem;
        problem_open_example(&problem, delicate[i]);
        schemes_check_pairs(&problem, delicate[i]);
        schemes_check_symmetries(&problem, delicate[i]);
        problem_close(&problem);
    }
}

/* Numbers of shortest paths by trying every channel at every router; distances
 * as route tables count them. */
static uint64_t schemes_count_paths(const struct nb_topology *topology,
                                    const uint32_t *distance, uint32_t router)
{
    const struct nb_route_table table = { .distance = (uint32_t *)distance };
    uint64_t count = distance[router] == 0;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == router &&
            nb_is_on_the_way(topology, &table, c))
            count += schemes_count_paths(topology, distance,
                                         topology->channels[c].target);
    return count;
}

/* Follows every path that the scheme can take; each must reach the destination
 * with probability 1/paths. Returns the number of paths. */
static uint64_t schemes_follow(struct walk *walk, nb_route_state at,
                               uint32_t router, uint32_t destination,
                               struct nb_ratio probability, uint64_t paths)
{
    const struct nb_topology *topology = walk->routing->topology;
    struct nb_hop hops[16];
    const size_t count = walk_step(walk, at, router, destination);
    uint64_t total = 0, found = 0;
    assert_true(count <= sizeof hops / sizeof *hops);
    memcpy(hops, walk->hops, count * sizeof *hops);
    for (size_t h = 0; h < count; h++)
        total += hops[h].weight;
    for (size_t h = 0; h < count; h++)
        found += schemes_follow(
            walk, hops[h].next, topology->channels[hops[h].channel].target,
            destination,
            nb_ratio_multiply(probability,
                              nb_ratio_make(hops[h].weight, total)),
            paths);
    if (count > 0)
        return found;
    TOPOLOGY_CHECK(ratio_same(probability, nb_ratio_make(1, paths)),
                   "%s: a path to %u has probability %g, not 1/%llu",
                   walk->name, destination, nb_ratio_value(probability),
                   (unsigned long long)paths);
    return 1;
}

static void schemes_check_even_paths(const char *name)
{
    struct problem problem;
    struct walk walk;
    problem_open_example(&problem, name);
    const struct nb_topology *topology = &problem.topology;
    const size_t n = topology->router_count;
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(distance != NULL && queue != NULL);
    walk_open(&walk, &problem.routing, name);
    for (uint32_t j = 0; j < n; j++) {
        nb_ways_to(topology, j, distance, queue);
        for (uint32_t i = 0; i < n; i++) {
            if (nb_router_has_failed(topology, i) ||
                nb_router_has_failed(topology, j))
                continue;
            const uint64_t paths = schemes_count_paths(topology, distance, i);
            TOPOLOGY_CHECK(
                schemes_follow(&walk, 0, i, j, nb_ratio_one, paths) == paths,
                "%s: %u to %u has %llu paths", name, i, j,
                (unsigned long long)paths);
        }
    }
    walk_close(&walk);
    nb_delete(distance);
    nb_delete(queue);
    problem_close(&problem);
}

static void test_min_takes_all_shortest_paths_evenly(void **state)
{
    (void)state;
    const char *examples = nb_routing_min.examples;
    char name[TOPOLOGY_WORD];
    while (topology_next_word(&examples, name))
        schemes_check_even_paths(name);
    schemes_check_even_paths("min@torus:4x4");
    schemes_check_even_paths("min@file:data/topologies/abilene.txt");
    schemes_check_even_paths("min@file:data/topologies/"
                             "ring-directed.csv,directed=yes");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *routing, *said;
    } cases[] = {
        { "complete:5", "dor", "topology complete has none" },
        { "ccc:3", "dor", "topology ccc has none" },
        { "file:data/topologies/abilene.txt", "dor", "topology file has none" },
        { "ccc:3", "dor:order=random", "topology ccc has none" },
        { "ccc:3", "val:order=random", "topology ccc has none" },
        { "complete:5", "val:ties=parity", "topology complete has none" },
        { "torus:4x4", "dor:ties=minus", "split|plus|parity" },
        { "torus:4x4", "dor:order=xy", "fixed|random" },
        { "torus:4x4", "min:ties=plus", "permitted: classes" },
        { "torus:4x4", "o1turn", "is not a two-dimensional mesh" },
        { "torus:2x3", "o1turn", "is not a two-dimensional mesh" },
        { "mesh:3x3x3", "o1turn", "is not a two-dimensional mesh" },
        { "complete:4", "o1turn", "is not a two-dimensional mesh" },
        { "mesh:3x3x3", "turns", "is not a two-dimensional mesh or" },
        { "ring:5", "turns", "is not a two-dimensional mesh or torus" },
        { "ccc:3", "turns:2", "is not a two-dimensional mesh or torus" },
        { "mesh:4x4", "turns:0", "from 1 to 1000000000" },
        { "mesh:4x4", "turns:max=2.5", "from 1 to 1000000000" },
        { "torus:4x4", "ring", "is not a ring" },
        { "torus:2", "ring", "one radix above 2" },
        { "mesh:5", "wrd", "is not a ring" },
        { "complete:5", "ring", "is not a ring" },
        { "mesh:4x4", "ival", "is not a two-dimensional torus" },
        { "ring:6", "ival", "is not a two-dimensional torus" },
        { "torus:3x3x3", "ival", "is not a two-dimensional torus" },
        { "torus:4x4", "ival:direction=x", "intermediate router|ring" },
        { "torus:4x4", "dorr", "permitted: acor, any-minimal, chaos, cqr, " },
        { "torus:4x4", "rrr", "topology torus:4x4 is not a fat tree" },
        { "complete:4", "rcar", "topology complete:4 is not a fat tree" },
        { "fattree:k=2,n=2", "dor", "topology fattree has none" },
        { "fattree:k=2,n=2", "rcar:k=2", "permitted: none" },
    };
    const long before = nb_memory_live_blocks();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_routing routing = { 0 };
        struct nb_error error = { 0 };
        topology_must_build(cases[i].topology, &topology);
        const enum nb_status status =
            nb_routing_build(cases[i].routing, &topology, &routing, &error);
        TOPOLOGY_CHECK(status == NB_INVALID &&
                           strstr(error.message, cases[i].said) != NULL &&
                           strstr(error.message, "permitted") != NULL,
                       "%s on %s: %s", cases[i].routing, cases[i].topology,
                       error.message);
        nb_routing_release(&routing);
        nb_topology_release(&topology);
    }
    assert_int_equal(nb_memory_live_blocks(), before);
}

/* On the network of its first example. */
static void schemes_fail_memory(const struct nb_routing_kind *kind)
{
    const char *examples = kind->examples;
    char name[TOPOLOGY_WORD];
    struct nb_topology topology;
    enum nb_status status = NB_NO_MEMORY;
    assert_true(topology_next_word(&examples, name));
    char *at = strrchr(name, '@');
    *at = '\0';
    topology_must_build(at + 1, &topology);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY && allowed < 1000;
         allowed++) {
        struct nb_routing routing = { 0 };
        nb_memory_allow(allowed);
        status = nb_routing_build(name, &topology, &routing, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_routing_release(&routing);
        TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                       "%s leaks after %ld allocations", name, allowed);
    }
    assert_int_equal(status, NB_OK);
    nb_topology_release(&topology);
}

static void test_failing_memory(void **state)
{
    (void)state;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++)
        schemes_fail_memory(nb_routing_kinds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_walk_arrives),
        cmocka_unit_test(test_declared_symmetries),
        cmocka_unit_test(test_min_takes_all_shortest_paths_evenly),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
