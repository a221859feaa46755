/* Layers after repacking, checked by plain graphs of dependencies. */
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
#include "routing/table_ways.h"

#include <string.h>

enum { MOST_ROUTERS = 40, MOST_CHANNELS = 200, MOST_LAYERS = 40 };

/* Gives each source a layer of its own: shortest paths from one router lead
 * away from it, so there is no cycle. Returns their number. */
static size_t begin(const struct nb_topology *topology, uint8_t *layer)
{
    const size_t n = topology->router_count;
    for (size_t d = 0; d < n; d++)
        for (size_t s = 0; s < n; s++)
            layer[d * n + s] = (uint8_t)s;
    return n;
}

/* Fails the test if the paths of a layer depend on each other in a cycle. */
static void check_layers(const struct nb_topology *topology,
                         const uint32_t *next, const uint8_t *layer,
                         size_t count, const char *name)
{
    static struct dependencies plain[MOST_LAYERS];
    const size_t n = topology->router_count;
    assert_true(n <= MOST_ROUTERS && count <= MOST_LAYERS &&
                topology->channel_count <= MOST_CHANNELS);
    for (size_t l = 0; l < count; l++)
        dependencies_open(&plain[l], topology->channel_count);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            uint32_t path[MOST_ROUTERS];
            if (s == d || topology->terminals[s] == 0 ||
                topology->terminals[d] == 0)
                continue;
            const size_t length =
                nb_next_hops_follow(topology, next + d * n, s, d, path);
            TOPOLOGY_CHECK(layer[d * n + s] < count, "%s: layer %d of %zu",
                           name, layer[d * n + s], count);
            dependencies_add_path(&plain[layer[d * n + s]], path, length);
        }
    for (size_t l = 0; l < count; l++) {
        TOPOLOGY_CHECK(dependencies_are_acyclic(&plain[l], NULL),
                       "%s: layer %zu has a cycle", name, l);
        dependencies_close(&plain[l]);
    }
}

static size_t repack(const struct nb_topology *topology, const char *name)
{
    const size_t n = topology->router_count;
    uint8_t *layer = nb_new_array(n * n, sizeof *layer);
    uint32_t *next;
    assert_int_equal(nb_table_ways_new(topology, &next, NULL), NB_OK);
    assert_int_equal(nb_next_hops_by_load(topology, NULL, 1, next, NULL, NULL),
                     NB_OK);
    size_t count = begin(topology, layer);
    check_layers(topology, next, layer, count, name);
    assert_int_equal(
        nb_layers_repack(topology, next, layer, true, &count, NULL), NB_OK);
    check_layers(topology, next, layer, count, name);
    nb_delete(next);
    nb_delete(layer);
    return count;
}

static void repack_problem(const struct problem *problem, const char *name)
{
    repack(&problem->topology, name);
}

static void test_random_networks(void **state)
{
    (void)state;
    graph_each_linked(20, repack_problem);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A ring has cycles, and two layers are enough [DallySeitz1987]. Others: fewer
 * than the layers that opensm's dfsssp has on a 6x5 torus (5) and a random
 * regular network of 32 (4). */
static void test_known_networks(void **state)
{
    static const struct {
        const char *name;
        size_t most;
    } cases[] = {
        { "ring:8", 2 },    { "ring:13", 2 },
        { "torus:4x4", 2 }, { "regular:32,degree=4", 3 },
        { "torus:6x6", 3 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        topology_must_build(cases[i].name, &topology);
        const size_t count = repack(&topology, cases[i].name);
        TOPOLOGY_CHECK(count <= cases[i].most, "%s: %zu layers, not %zu",
                       cases[i].name, count, cases[i].most);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_networks),
        cmocka_unit_test(test_known_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
