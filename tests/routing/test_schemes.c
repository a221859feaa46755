/* Conformance: every registered scheme on each of its examples, and what
 * each scheme promises besides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <stdio.h>
#include <string.h>

/* The walk itself checks every step, and that the packet arrives. */
static void schemes_check_pairs(const struct walk_case *walk_case,
                                const char *name)
{
    const struct nb_topology *topology = &walk_case->topology;
    const size_t n = topology->router_count;
    struct walk walk;
    struct nb_ratio *crossings =
        nb_new_array(topology->channel_count, sizeof *crossings);
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(crossings != NULL && distance != NULL && queue != NULL);
    walk_open(&walk, &walk_case->routing, name);
    for (uint32_t j = 0; j < n; j++) {
        nb_distances_to(topology, j, distance, queue);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t longest;
            struct nb_ratio sum = nb_ratio_zero;
            const struct nb_ratio hops =
                walk_pair(&walk, i, j, crossings, &longest);
            const struct nb_ratio least = { distance[i], 1 };
            for (size_t c = 0; c < topology->channel_count; c++)
                sum = nb_ratio_add(sum, crossings[c]);
            TOPOLOGY_CHECK(walk_same(sum, hops), "%s: %u to %u", name, i, j);
            TOPOLOGY_CHECK(nb_ratio_compare(hops, least) >= 0, "%s: %u to %u",
                           name, i, j);
            const bool is_minimal = walk_case->routing.phase == NULL;
            TOPOLOGY_CHECK(!is_minimal || (walk_same(hops, least) &&
                                           longest == distance[i]),
                           "%s: %u to %u", name, i, j);
        }
    }
    walk_close(&walk);
    nb_delete(crossings);
    nb_delete(distance);
    nb_delete(queue);
}

static void test_every_walk_arrives(void **state)
{
    (void)state;
    walk_each_example(schemes_check_pairs);
}

static uint32_t schemes_find_channel(const struct nb_topology *topology,
                                     uint32_t source, uint32_t target)
{
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == source &&
            topology->channels[c].target == target)
            return c;
    fail_msg("no channel from %u to %u", source, target);
    return NB_NONE;
}

extern const struct nb_routing_kind nb_routing_min, nb_routing_val;

/* For every generator g of a class the scheme declares: the load of (g i,
 * g j) on g c is that of (i, j) on c. */
static void schemes_check_symmetries(const struct walk_case *walk_case,
                                     const char *name)
{
    const struct nb_topology *topology = &walk_case->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    if (topology->kind->symmetry == NULL)
        return;
    struct nb_ratio *all = walk_all_pairs(&walk_case->routing, name);
    uint32_t *map = nb_new_array(n, sizeof *map);
    uint32_t *channel_map = nb_new_array(m, sizeof *channel_map);
    assert_true(map != NULL && channel_map != NULL);
    unsigned class;
    for (size_t g = 0; (class = topology->kind->symmetry(topology, g, map));
         g++) {
        if ((class & walk_case->routing.symmetries) == 0)
            continue;
        for (uint32_t c = 0; c < m; c++)
            channel_map[c] = schemes_find_channel(
                topology, map[topology->channels[c].source],
                map[topology->channels[c].target]);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (size_t c = 0; c < m; c++)
                    TOPOLOGY_CHECK(
                        walk_same(
                            all[(i * n + j) * m + c],
                            all[(map[i] * n + map[j]) * m + channel_map[c]]),
                        "%s: generator %zu of class %u: %zu to %zu on %zu",
                        name, g, class, i, j, c);
    }
    nb_delete(all);
    nb_delete(map);
    nb_delete(channel_map);
}

/* Shapes where a declaration that is a little too wide would show: radices
 * 2, odd and even side by side, each with every tie rule. */
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
};

static void test_declared_symmetries(void **state)
{
    (void)state;
    walk_each_example(schemes_check_symmetries);
    for (size_t i = 0; i < sizeof delicate / sizeof *delicate; i++) {
        struct walk_case walk_case;
        walk_case_build(delicate[i], &walk_case);
        schemes_check_pairs(&walk_case, delicate[i]);
        schemes_check_symmetries(&walk_case, delicate[i]);
        walk_case_release(&walk_case);
    }
}

/* Numbers of shortest paths by trying every channel at every router. */
static uint64_t schemes_count_paths(const struct nb_topology *topology,
                                    const uint32_t *distance, uint32_t router)
{
    uint64_t count = distance[router] == 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        if (topology->channels[c].source == router &&
            distance[topology->channels[c].target] + 1 == distance[router])
            count += schemes_count_paths(topology, distance,
                                         topology->channels[c].target);
    return count;
}

/* Follows every path that the scheme can take; each must come to the
 * destination with probability 1/paths. Returns their number. */
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
    TOPOLOGY_CHECK(walk_same(probability, nb_ratio_make(1, paths)),
                   "%s: a path to %u has probability %g, not 1/%llu",
                   walk->name, destination, nb_ratio_value(probability),
                   (unsigned long long)paths);
    return 1;
}

static void schemes_check_even_paths(const char *name)
{
    struct walk_case walk_case;
    struct walk walk;
    walk_case_build(name, &walk_case);
    const struct nb_topology *topology = &walk_case.topology;
    const size_t n = topology->router_count;
    uint32_t *distance = nb_new_array(n, sizeof *distance);
    uint32_t *queue = nb_new_array(n, sizeof *queue);
    assert_true(distance != NULL && queue != NULL);
    walk_open(&walk, &walk_case.routing, name);
    for (uint32_t j = 0; j < n; j++) {
        nb_distances_to(topology, j, distance, queue);
        for (uint32_t i = 0; i < n; i++) {
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
    walk_case_release(&walk_case);
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

/* One path of dor: dimensions in a given order, ties going plus where the
 * dimension's bit is set. Adds share to the channels it crosses. */
static void schemes_add_path(const struct nb_topology *topology,
                             const size_t *order, unsigned plus,
                             uint32_t source, uint32_t destination,
                             struct nb_ratio share, struct nb_ratio *crossings)
{
    const struct nb_grid *grid = &topology->grid;
    uint32_t at[NB_MAX_GRID], to[NB_MAX_GRID];
    nb_grid_split(grid, source, at);
    nb_grid_split(grid, destination, to);
    for (size_t i = 0; i < grid->dimensions; i++) {
        const size_t d = order[i];
        const int k = (int)grid->radix[d];
        int offset = (int)to[d] - (int)at[d];
        if (grid->wraps) {
            offset = (offset + k) % k;
            const bool is_minus = 2 * offset == k && k > 2
                                      ? (plus >> d & 1) == 0
                                      : 2 * offset > k;
            offset -= is_minus ? k : 0;
        }
        for (; offset != 0; offset += offset > 0 ? -1 : 1) {
            const uint32_t from = nb_grid_join(grid, at);
            at[d] = (uint32_t)(((int)at[d] + (offset > 0 ? 1 : -1) + k) % k);
            const uint32_t c =
                schemes_find_channel(topology, from, nb_grid_join(grid, at));
            crossings[c] = nb_ratio_add(crossings[c], share);
        }
    }
}

/* All orders of the dimensions, the first alone or all alike. */
static const size_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

static void schemes_closed_form(const struct nb_topology *topology,
                                bool is_random, const char *ties,
                                uint32_t source, uint32_t destination,
                                struct nb_ratio *crossings)
{
    const size_t dimensions = topology->grid.dimensions;
    const unsigned masks = 1U << dimensions;
    uint32_t coordinate[NB_MAX_GRID], sum = 0;
    nb_grid_split(&topology->grid, source, coordinate);
    for (size_t d = 0; d < dimensions; d++)
        sum += coordinate[d];
    for (size_t c = 0; c < topology->channel_count; c++)
        crossings[c] = nb_ratio_zero;
    /* Fewer than three dimensions: orders repeat, equally often only if the
     * absent ones are skipped over. */
    for (size_t o = 0; o < (is_random ? 6 : 1); o++) {
        size_t order[3], length = 0;
        for (size_t i = 0; i < 3; i++)
            if (orders[o][i] < dimensions)
                order[length++] = orders[o][i];
        for (unsigned plus = 0; plus < masks; plus++) {
            const bool is_split = strcmp(ties, "split") == 0;
            const bool is_plus = strcmp(ties, "plus") == 0 || sum % 2 == 0;
            if (!is_split && plus != (is_plus ? masks - 1 : 0))
                continue;
            const struct nb_ratio share = nb_ratio_make(
                1, (is_random ? 6 : 1) * (is_split ? (int)masks : 1));
            schemes_add_path(topology, order, plus, source, destination, share,
                             crossings);
        }
    }
}

static void schemes_check_dor(const char *shape, bool is_random,
                              const char *ties)
{
    char name[TOPOLOGY_WORD];
    struct walk_case walk_case;
    struct walk walk;
    snprintf(name, sizeof name, "dor:order=%s,ties=%s@%s",
             is_random ? "random" : "fixed", ties, shape);
    walk_case_build(name, &walk_case);
    const struct nb_topology *topology = &walk_case.topology;
    struct nb_ratio *found =
        nb_new_array(topology->channel_count, sizeof *found);
    struct nb_ratio *expected =
        nb_new_array(topology->channel_count, sizeof *expected);
    assert_true(found != NULL && expected != NULL);
    walk_open(&walk, &walk_case.routing, name);
    for (uint32_t i = 0; i < topology->router_count; i++)
        for (uint32_t j = 0; j < topology->router_count; j++) {
            walk_pair(&walk, i, j, found, NULL);
            schemes_closed_form(topology, is_random, ties, i, j, expected);
            for (size_t c = 0; c < topology->channel_count; c++)
                TOPOLOGY_CHECK(walk_same(found[c], expected[c]),
                               "%s: %u to %u on %zu", name, i, j, c);
        }
    walk_close(&walk);
    nb_delete(found);
    nb_delete(expected);
    walk_case_release(&walk_case);
}

static void test_dor_takes_its_paths(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "ring:6",      "ring:5",   "torus:4x4",  "torus:4x3",  "torus:2x4",
        "torus:4x2x3", "mesh:4x3", "mesh:2x3x2", "hypercube:3"
    };
    static const char *const ties[] = { "split", "plus", "parity" };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t t = 0; t < 3; t++)
            for (int is_random = 0; is_random < 2; is_random++)
                schemes_check_dor(shapes[s], is_random, ties[t]);
}

/* Loads and hops of two phases are the means over all way-points of those of
 * the phases. */
static void schemes_check_composition(const struct walk_case *walk_case,
                                      const char *name)
{
    const struct nb_routing *routing = &walk_case->routing;
    const size_t n = walk_case->topology.router_count;
    const size_t m = walk_case->topology.channel_count;
    if (routing->phase == NULL)
        return;
    struct nb_ratio *both = walk_all_pairs(routing, name);
    struct nb_ratio *one = walk_all_pairs(routing->phase, name);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t c = 0; c < m; c++) {
                struct nb_ratio sum = nb_ratio_zero;
                for (size_t q = 0; q < n; q++)
                    sum = nb_ratio_add(sum,
                                       nb_ratio_add(one[(i * n + q) * m + c],
                                                    one[(q * n + j) * m + c]));
                sum = nb_ratio_divide(sum, nb_ratio_make((nb_int128)n, 1));
                TOPOLOGY_CHECK(walk_same(sum, both[(i * n + j) * m + c]),
                               "%s: %zu to %zu on %zu", name, i, j, c);
            }
    nb_delete(both);
    nb_delete(one);
}

static void test_two_phases_compose(void **state)
{
    (void)state;
    walk_each_example(schemes_check_composition);
}

/* Start states name every router with terminals once, and no other. */
static void test_way_points(void **state)
{
    (void)state;
    const char *examples = nb_routing_val.examples;
    char name[TOPOLOGY_WORD];
    while (topology_next_word(&examples, name)) {
        struct walk_case walk_case;
        walk_case_build(name, &walk_case);
        const struct nb_routing *routing = &walk_case.routing;
        const uint32_t n = (uint32_t)walk_case.topology.router_count;
        for (uint32_t i = 0; i < n; i++) {
            bool is_seen[64] = { false };
            const uint32_t destination = (i + 1) % n;
            assert_int_equal(routing->kind->start_count(routing), n);
            for (uint32_t s = 0; s < n; s++) {
                const nb_route_state first =
                    routing->kind->start(routing, s, i, destination);
                uint32_t way_point =
                    routing->kind->target(routing, first, i, destination);
                /* With the source as way-point the first phase is over. */
                if (way_point == destination && is_seen[destination])
                    way_point = i;
                TOPOLOGY_CHECK(way_point < n && !is_seen[way_point],
                               "%s: %u from %u", name, way_point, i);
                is_seen[way_point] = true;
            }
        }
        walk_case_release(&walk_case);
    }
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
        { "torus:4x4", "min:ties=plus", "permitted: none" },
        { "torus:4x4", "dorr", "permitted: dor, " },
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

static void test_failing_memory(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build("torus:3x3", &topology);
    const long before = nb_memory_live_blocks();
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY && allowed < 1000;
             allowed++) {
            struct nb_routing routing = { 0 };
            nb_memory_allow(allowed);
            status = nb_routing_build(nb_routing_kinds[k]->kind.name, &topology,
                                      &routing, NULL);
            nb_memory_allow(-1);
            if (status == NB_OK)
                nb_routing_release(&routing);
            TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                           "%s leaks after %ld allocations",
                           nb_routing_kinds[k]->kind.name, allowed);
        }
        assert_int_equal(status, NB_OK);
    }
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_walk_arrives),
        cmocka_unit_test(test_declared_symmetries),
        cmocka_unit_test(test_min_takes_all_shortest_paths_evenly),
        cmocka_unit_test(test_dor_takes_its_paths),
        cmocka_unit_test(test_two_phases_compose),
        cmocka_unit_test(test_way_points),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
