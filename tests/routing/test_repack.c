/* Layers after repacking, with the same paths or others: paths, loads and
 * dependencies, each found again in a plain way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/dependencies.h"
#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "routing/next_hops.h"
#include "routing/repack.h"
#include "routing/routing.h"
#include "routing/table_ways.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUTERS = 128, MOST_CHANNELS = 520, MOST_LAYERS = 128 };

struct tables {
    const struct nb_topology *topology;
    const char *name;
    uint32_t *next;
    uint8_t *layer;
    size_t count;
};

static bool is_pair(const struct nb_topology *topology, uint32_t s, uint32_t d)
{
    return s != d && topology->terminals[s] > 0 && topology->terminals[d] > 0;
}

/* Hops between all routers, by relaxing every channel until nothing changes:
 * [destination][router]. */
static void find_distances(const struct nb_topology *topology,
                           uint32_t distance[MOST_ROUTERS][MOST_ROUTERS])
{
    memset(distance, UINT8_MAX, MOST_ROUTERS * sizeof *distance);
    for (uint32_t d = 0; d < topology->router_count; d++) {
        bool changes = true;
        distance[d][d] = 0;
        while (changes) {
            changes = false;
            for (size_t c = 0; c < topology->channel_count; c++) {
                const uint32_t to = distance[d][topology->channels[c].target];
                uint32_t *from = &distance[d][topology->channels[c].source];
                if (to == NB_NONE || *from <= to + 1)
                    continue;
                *from = to + 1;
                changes = true;
            }
        }
    }
}

/* The greatest load of all pairs; fails the test if a path is not shortest. */
static double check_paths(const struct tables *tables)
{
    static uint32_t distance[MOST_ROUTERS][MOST_ROUTERS];
    static double load[MOST_CHANNELS];
    const struct nb_topology *topology = tables->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    double most = 0;
    memset(load, 0, sizeof load);
    find_distances(topology, distance);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            uint32_t at = s, hops = 0;
            if (!is_pair(topology, s, d))
                continue;
            for (; at != d && hops < n; hops++) {
                const uint32_t c = tables->next[d * n + at];
                assert_int_equal(topology->channels[c].source, at);
                load[c] += (double)topology->terminals[s] *
                           topology->terminals[d] /
                           nb_ratio_value(topology->channels[c].bandwidth);
                at = topology->channels[c].target;
            }
            TOPOLOGY_CHECK(hops == distance[d][s], "%s: %u hops from %u to %u",
                           tables->name, hops, s, d);
        }
    for (size_t c = 0; c < topology->channel_count; c++)
        most = fmax(most, load[c]);
    return most;
}

/* Fails the test if the paths of a layer depend on each other in a cycle. */
static void check_layers(const struct tables *tables)
{
    const struct nb_topology *topology = tables->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    for (size_t l = 0; l < tables->count; l++) {
        struct dependencies plain;
        dependencies_open(&plain, topology->channel_count);
        for (uint32_t d = 0; d < n; d++)
            for (uint32_t s = 0; s < n; s++) {
                uint32_t path[MOST_ROUTERS];
                if (!is_pair(topology, s, d))
                    continue;
                assert_true(tables->layer[d * n + s] < tables->count);
                if (tables->layer[d * n + s] == l)
                    dependencies_add_path(
                        &plain, path,
                        nb_table_hops_follow(topology, tables->next + d * n, s,
                                             d, path));
            }
        TOPOLOGY_CHECK(dependencies_are_acyclic(&plain, NULL),
                       "%s: layer %zu has a cycle", tables->name, l);
        dependencies_close(&plain);
    }
}

/* Begins with a layer for each source: shortest paths from one router lead away
 * from it, so there is no cycle. Returns the number of layers. */
static size_t repack(const struct nb_topology *topology,
                     enum nb_layers_paths paths, const char *name)
{
    const size_t n = topology->router_count;
    struct tables tables = { .topology = topology, .name = name, .count = n };
    /* A search for two layers without other paths would be long. */
    const size_t wanted = paths == NB_LAYERS_KEEP_PATHS ? NB_COMMON_LANES : 0;
    assert_true(n <= MOST_LAYERS && topology->channel_count <= MOST_CHANNELS);
    tables.layer = nb_new_array(n * n, sizeof *tables.layer);
    uint32_t *before = nb_new_array(n * n, sizeof *before);
    assert_int_equal(nb_table_ways_new(topology, &tables.next, NULL), NB_OK);
    assert_int_equal(
        nb_next_hops_by_load(topology, NULL, 1, tables.next, NULL, NULL),
        NB_OK);
    memcpy(before, tables.next, n * n * sizeof *before);
    for (size_t k = 0; k < n * n; k++)
        tables.layer[k] = (uint8_t)(k % n);
    const double most = check_paths(&tables);
    check_layers(&tables);
    assert_int_equal(nb_layers_repack(topology, paths, tables.next,
                                      tables.layer, wanted, &tables.count,
                                      NULL),
                     NB_OK);
    const double now = check_paths(&tables);
    TOPOLOGY_CHECK(now <= most * (1 + 1e-9), "%s: load %g, not %g", name, now,
                   most);
    if (paths == NB_LAYERS_KEEP_PATHS)
        assert_memory_equal(tables.next, before, n * n * sizeof *before);
    check_layers(&tables);
    nb_delete(tables.next);
    nb_delete(tables.layer);
    nb_delete(before);
    return tables.count;
}

static void repack_problem(const struct problem *problem, const char *name)
{
    repack(&problem->topology, NB_LAYERS_KEEP_PATHS, name);
    repack(&problem->topology, NB_LAYERS_CHANGE_PATHS, name);
}

static void test_random_networks(void **state)
{
    (void)state;
    graph_each_linked(20, repack_problem);
    graph_each_random(10, 6, 6, 12, repack_problem);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A ring has cycles, and two layers are enough [DallySeitz1987]. Others: fewer
 * than the layers that opensm's dfsssp has on a 6x5 torus (5) and a random
 * regular network of 32 (4). With other paths, two: one is not enough on
 * torus:6x6, where two hops in a row are the only shortest path between their
 * ends, and all of them wait for each other in a cycle. */
static void test_known_networks(void **state)
{
    static const struct {
        const char *name;
        enum nb_layers_paths paths;
        size_t most;
    } cases[] = {
        { "ring:8", NB_LAYERS_KEEP_PATHS, 2 },
        { "ring:13", NB_LAYERS_KEEP_PATHS, 2 },
        { "torus:4x4", NB_LAYERS_KEEP_PATHS, 2 },
        { "regular:32,degree=4", NB_LAYERS_KEEP_PATHS, 3 },
        { "torus:6x6", NB_LAYERS_KEEP_PATHS, 3 },
        { "regular:32,degree=4", NB_LAYERS_CHANGE_PATHS, 2 },
        { "torus:6x6", NB_LAYERS_CHANGE_PATHS, 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        topology_must_build(cases[i].name, &topology);
        const size_t count = repack(&topology, cases[i].paths, cases[i].name);
        TOPOLOGY_CHECK(count <= cases[i].most, "%s: %zu layers, not %zu",
                       cases[i].name, count, cases[i].most);
        nb_topology_release(&topology);
    }
}

/* A scheme whose paths may change keeps within the layers that it is given. */
static void test_layers_of_schemes(void **state)
{
    static const struct {
        const char *topology, *routing;
        unsigned layers;
    } cases[] = {
        { "torus:6x6", "dfsssp", 3 },
        { "torus:6x6", "dfsssp:layers=2", 2 },
        { "regular:128,degree=4", "lash:layers=5", 5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_routing routing;
        topology_must_build(cases[i].topology, &topology);
        assert_int_equal(
            nb_routing_build(cases[i].routing, &topology, &routing, NULL),
            NB_OK);
        TOPOLOGY_CHECK(nb_table_ways_layers(&routing) <= cases[i].layers,
                       "%s on %s: %u layers", cases[i].routing,
                       cases[i].topology, nb_table_ways_layers(&routing));
        nb_routing_release(&routing);
        nb_topology_release(&topology);
    }
}

/* Without memory nothing changes, and nothing leaks. */
static void test_failed_allocations(void **state)
{
    enum { ROUTERS = 9 };
    struct nb_topology topology;
    uint32_t *next;
    uint8_t layer[ROUTERS * ROUTERS];
    enum nb_status status = NB_NO_MEMORY;
    size_t count = ROUTERS;
    (void)state;
    topology_must_build("torus:3x3", &topology);
    assert_int_equal(nb_table_ways_new(&topology, &next, NULL), NB_OK);
    assert_int_equal(nb_next_hops_by_load(&topology, NULL, 1, next, NULL, NULL),
                     NB_OK);
    for (size_t k = 0; k < sizeof layer; k++)
        layer[k] = (uint8_t)(k % ROUTERS);
    const long blocks = nb_memory_live_blocks();
    for (long allowed = 0; status != NB_OK; allowed++) {
        assert_int_equal(count, ROUTERS);
        nb_memory_allow(allowed);
        status = nb_layers_repack(&topology, NB_LAYERS_CHANGE_PATHS, next,
                                  layer, 2, &count, NULL);
        nb_memory_allow(-1);
        assert_true(status == NB_OK || status == NB_NO_MEMORY);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_true(count < ROUTERS);
    nb_delete(next);
    nb_topology_release(&topology);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_networks),
        cmocka_unit_test(test_known_networks),
        cmocka_unit_test(test_layers_of_schemes),
        cmocka_unit_test(test_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
