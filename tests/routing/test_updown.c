/* updown with next hops of routers, as a plain program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "load/single_paths.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <stdio.h>

enum { MOST_CHANNELS = 200, MOST_ROUTERS = 32 };

/* Hops of every router to a destination: of the shortest path down, if there is
 * one, else one more than the least of its neighbours above. */
static void find_hops(const struct nb_topology *topology,
                      const struct nb_tree_order *order, uint32_t destination,
                      uint32_t hops[MOST_ROUTERS])
{
    const uint32_t n = (uint32_t)topology->router_count;
    uint32_t down[MOST_ROUTERS];
    for (uint32_t r = 0; r < n; r++)
        down[r] = r == destination ? 0 : n;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            const struct nb_channel *at = &topology->channels[c];
            if (!nb_is_up(order, at) && down[at->target] + 1 < down[at->source])
                down[at->source] = down[at->target] + 1;
        }
    for (uint32_t r = 0; r < n; r++)
        hops[r] = down[r];
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            const struct nb_channel *at = &topology->channels[c];
            if (nb_is_up(order, at) && down[at->source] == n &&
                hops[at->target] + 1 < hops[at->source])
                hops[at->source] = hops[at->target] + 1;
        }
}

/* Paths have these lengths, and never lead up after they led down. */
static void compare(const struct nb_topology *topology, const char *name,
                    const char *scheme)
{
    const uint32_t n = (uint32_t)topology->router_count;
    struct nb_tree_order order = { 0 };
    struct nb_routing routing;
    assert_true(n <= MOST_ROUTERS);
    assert_int_equal(nb_routing_build(scheme, topology, &routing, NULL), NB_OK);
    assert_int_equal(nb_tree_order_build(&routing, false, &order, NULL), NB_OK);
    for (uint32_t d = 0; d < n; d++) {
        uint32_t hops[MOST_ROUTERS], path[MOST_ROUTERS];
        find_hops(topology, &order, d, hops);
        for (uint32_t s = 0; s < n; s++) {
            if (s == d || topology->terminals[s] == 0 ||
                topology->terminals[d] == 0)
                continue;
            const size_t length =
                nb_table_ways_path(&routing, s, d, path, NULL);
            bool is_legal = true;
            for (size_t h = 1; h < length; h++)
                is_legal =
                    is_legal &&
                    (nb_is_up(&order, &topology->channels[path[h - 1]]) ||
                     !nb_is_up(&order, &topology->channels[path[h]]));
            TOPOLOGY_CHECK(is_legal && length == hops[s],
                           "%s, %s, %u to %u: %zu hops, not %u", scheme, name,
                           s, d, length, hops[s]);
        }
    }
    nb_tree_order_release(&order);
    nb_routing_release(&routing);
}

static void compare_all(const struct problem *problem, const char *name)
{
    compare(&problem->topology, name, "updown:tables=router,root=0");
    compare(&problem->topology, name, "updown:tables=router,root=0,tree=dfs");
    compare(&problem->topology, name, "updown:tables=router,root=1");
}

static void test_known_networks(void **state)
{
    static const char *const cases[] = {
        "minhop@ring:5",          "minhop@ring:6",     "minhop@mesh:3x3",
        "minhop@torus:5x4",       "minhop@ccc:3",      "minhop@hypercube:3",
        "minhop@complete:5",      "minhop@mesh:4x4",   "minhop@ring:7",
        "minhop@fattree:k=2,n=3", "minhop@hyperx:3x3",
    };
    (void)state;
    problem_each_of(cases, sizeof cases / sizeof *cases, compare_all);
}

static void test_random_networks(void **state)
{
    (void)state;
    graph_each_linked(20, compare_all);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The greatest number of pairs on a channel. */
static uint64_t most_pairs(const struct nb_topology *topology,
                           const char *scheme)
{
    struct nb_routing routing;
    struct nb_single_paths paths;
    uint64_t load[MOST_CHANNELS], most = 0;
    assert_true(topology->channel_count <= MOST_CHANNELS);
    assert_int_equal(nb_routing_build(scheme, topology, &routing, NULL), NB_OK);
    assert_int_equal(
        nb_single_paths_find(&routing, routing.topology, &paths, NULL), NB_OK);
    nb_single_paths_load(&paths, load);
    for (size_t c = 0; c < topology->channel_count; c++)
        most = load[c] > most ? load[c] : most;
    nb_single_paths_release(&paths);
    nb_routing_release(&routing);
    return most;
}

/* On small networks all roots are tried, so none is better than auto. */
static void test_best_root(void **state)
{
    (void)state;
    static const char *const names[] = { "mesh:6x5", "torus:4x4", "mesh:3x4" };
    static const char *const tables[] = { "channel", "router,sweeps=0" };
    for (size_t i = 0; i < 6; i++) {
        struct nb_topology topology;
        char scheme[80];
        topology_must_build(names[i / 2], &topology);
        snprintf(scheme, sizeof scheme, "updown:tables=%s", tables[i % 2]);
        const uint64_t most = most_pairs(&topology, scheme);
        uint64_t least = UINT64_MAX;
        for (uint32_t r = 0; r < topology.router_count; r++) {
            snprintf(scheme, sizeof scheme, "updown:tables=%s,root=%u",
                     tables[i % 2], r);
            const uint64_t one = most_pairs(&topology, scheme);
            least = one < least ? one : least;
        }
        TOPOLOGY_CHECK(most == least, "%s: %d, not %d", names[i / 2], (int)most,
                       (int)least);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_networks),
        cmocka_unit_test(test_random_networks),
        cmocka_unit_test(test_best_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
