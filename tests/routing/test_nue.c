/* nue as a plain program, for one root and without sweeps: whole graphs of
 * layers, copied before each try. With sweeps and several roots: no worse, one
 * next hop for each destination, and no worse than opensm's. */
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
#include "deadlock/deadlock.h"
#include "load/single_paths.h"
#include "routing/formats/forwarding.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROUTERS = 20, MOST_CHANNELS = 100, MOST_LAYERS = 3 };

struct plain {
    const struct nb_topology *topology;
    struct nb_tree_order order;
    size_t layers;
    struct dependencies layer[MOST_LAYERS];
    bool is_tree[MOST_CHANNELS];
    double load[MOST_CHANNELS];
    /* The search for one destination. */
    uint32_t next[MOST_ROUTERS]; /* NB_NONE: not met */
    double cost[MOST_ROUTERS];
    bool is_forced[MOST_ROUTERS];
};

static const struct nb_channel *channel(const struct plain *plain, uint32_t c)
{
    return &plain->topology->channels[c];
}

/* The tree's channels are the first ones between routers and their parents on
 * the way from a router with terminals to the root. Each layer begins with all
 * turns between them, except back. */
static void plain_open(const struct nb_routing *routing, size_t layers,
                       struct plain *out)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t m = (uint32_t)topology->channel_count;
    *out = (struct plain){ .topology = topology, .layers = layers };
    assert_true(topology->router_count <= MOST_ROUTERS && m <= MOST_CHANNELS);
    assert_int_equal(nb_tree_order_build(routing, true, &out->order, NULL),
                     NB_OK);
    for (uint32_t r = 0; r < topology->router_count; r++)
        for (uint32_t at = r;
             topology->terminals[r] > 0 && out->order.parent[at] != NB_NONE;
             at = out->order.parent[at]) {
            const uint32_t parent = out->order.parent[at];
            out->is_tree[topology_find_channel(topology, at, parent)] = true;
            out->is_tree[topology_find_channel(topology, parent, at)] = true;
        }
    for (size_t l = 0; l < layers; l++) {
        dependencies_open(&out->layer[l], m);
        for (uint32_t a = 0; a < m; a++)
            for (uint32_t b = 0; b < m; b++)
                if (out->is_tree[a] && out->is_tree[b] &&
                    channel(out, a)->target == channel(out, b)->source &&
                    channel(out, a)->source != channel(out, b)->target)
                    dependencies_add(&out->layer[l], a, b);
    }
}

static void plain_close(struct plain *plain)
{
    for (size_t l = 0; l < plain->layers; l++)
        dependencies_close(&plain->layer[l]);
    nb_tree_order_release(&plain->order);
}

/* Whether a channel is the only one out of a router, or into one. */
static bool is_only(const struct nb_topology *topology, uint32_t c)
{
    size_t out = 0, in = 0;
    for (uint32_t o = 0; o < topology->channel_count; o++) {
        out += topology->channels[o].source == topology->channels[c].source;
        in += topology->channels[o].target == topology->channels[c].target;
    }
    return out == 1 || in == 1;
}

/* A hop costs 1/5; a channel with the greatest load costs 1 more, others by the
 * eighth power of their share of it. All bandwidths are 1. */
static double price(const struct plain *plain, uint32_t c)
{
    double most = 0;
    for (uint32_t o = 0; o < plain->topology->channel_count; o++)
        if (plain->load[o] > most && !is_only(plain->topology, o))
            most = plain->load[o];
    const double share = plain->load[c] / (most > 0 ? most : 1);
    const double square = share * share, fourth = square * square;
    return 0.2 + fourth * fourth;
}

static bool is_met(const struct plain *plain, uint32_t router,
                   uint32_t destination)
{
    return router == destination || plain->next[router] != NB_NONE;
}

/* Sends a router over a channel unless it leads back or closes a cycle. */
static bool take(struct plain *plain, struct dependencies *layer, uint32_t c,
                 uint32_t destination)
{
    const uint32_t from = channel(plain, c)->source;
    const uint32_t to = channel(plain, c)->target;
    const uint32_t turn[] = { c, plain->next[to] };
    if (to != destination) {
        if (channel(plain, turn[1])->target == from ||
            !dependencies_accept(layer, turn, 2))
            return false;
        dependencies_add(layer, turn[0], turn[1]);
    }
    plain->next[from] = c;
    plain->cost[from] = plain->cost[to] + price(plain, c);
    return true;
}

/* The channel along the tree towards a destination: to the child below which it
 * is, else to the parent. */
static uint32_t tree_channel(const struct plain *plain, uint32_t router,
                             uint32_t destination)
{
    const uint32_t *parent = plain->order.parent;
    uint32_t below = destination;
    while (below != NB_NONE && parent[below] != router)
        below = parent[below];
    return topology_find_channel(plain->topology, router,
                                 below != NB_NONE ? below : parent[router]);
}

/* Forced routers first, those nearest to the destination before others. */
static void take_forced(struct plain *plain, struct dependencies *layer,
                        uint32_t destination)
{
    const uint32_t n = (uint32_t)plain->topology->router_count;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t r = 0; r < n; r++) {
            const uint32_t c = plain->is_forced[r] && r != destination
                                   ? tree_channel(plain, r, destination)
                                   : NB_NONE;
            if (c != NB_NONE && plain->next[r] == NB_NONE &&
                is_met(plain, channel(plain, c)->target, destination))
                assert_true(take(plain, layer, c, destination));
        }
}

/* Takes the cheapest channel that was not refused, again and again, the first
 * one among equals. */
static void search(struct plain *plain, struct dependencies *layer,
                   uint32_t destination)
{
    const uint32_t m = (uint32_t)plain->topology->channel_count;
    bool is_refused[MOST_CHANNELS] = { false };
    for (uint32_t r = 0; r < MOST_ROUTERS; r++)
        plain->next[r] = NB_NONE;
    plain->cost[destination] = 0;
    take_forced(plain, layer, destination);
    for (;;) {
        uint32_t best = NB_NONE;
        double least = 0;
        for (uint32_t c = 0; c < m; c++) {
            const uint32_t from = channel(plain, c)->source;
            const uint32_t to = channel(plain, c)->target;
            if (is_refused[c] || is_met(plain, from, destination) ||
                !is_met(plain, to, destination))
                continue;
            const double cost = plain->cost[to] + price(plain, c);
            if (best == NB_NONE || cost < least) {
                best = c;
                least = cost;
            }
        }
        if (best == NB_NONE)
            return;
        is_refused[best] = !take(plain, layer, best, destination);
    }
}

/* Pairs that go along the tree, of all cases. */
static size_t along_the_tree;

/* Adds the turns of paths that packets take to a layer. */
static void keep_turns(const struct plain *plain, struct dependencies *layer,
                       uint32_t destination)
{
    for (uint32_t s = 0; s < plain->topology->router_count; s++) {
        if (s == destination || plain->topology->terminals[s] == 0)
            continue;
        uint32_t turn[2] = { plain->next[s] };
        for (uint32_t at = channel(plain, turn[0])->target; at != destination;
             at = channel(plain, turn[0])->target) {
            turn[1] = plain->next[at];
            dependencies_add(layer, turn[0], turn[1]);
            turn[0] = turn[1];
        }
    }
}

/* Searches on a copy of the layer until all routers are met. */
static void find(struct plain *plain, size_t layer, uint32_t destination)
{
    const uint32_t n = (uint32_t)plain->topology->router_count;
    const size_t m = plain->topology->channel_count;
    bool is_any = true;
    memset(plain->is_forced, 0, sizeof plain->is_forced);
    while (is_any) {
        struct dependencies copy;
        dependencies_open(&copy, m);
        memcpy(copy.arc, plain->layer[layer].arc, m * m * sizeof *copy.arc);
        search(plain, &copy, destination);
        is_any = false;
        for (uint32_t r = 0; r < n; r++) {
            if (is_met(plain, r, destination) ||
                plain->topology->terminals[r] == 0)
                continue;
            is_any = true;
            along_the_tree++;
            for (uint32_t at = r; at != destination;
                 at = channel(plain, tree_channel(plain, at, destination))
                          ->target)
                plain->is_forced[at] = true;
        }
        if (!is_any)
            keep_turns(plain, &plain->layer[layer], destination);
        dependencies_close(&copy);
    }
}

/* Every terminal sends to every one there. */
static void count_loads(struct plain *plain, uint32_t destination)
{
    const struct nb_topology *topology = plain->topology;
    for (uint32_t s = 0; s < topology->router_count; s++)
        for (uint32_t at = s; topology->terminals[s] > 0 && at != destination;
             at = channel(plain, plain->next[at])->target)
            plain->load[plain->next[at]] += (double)topology->terminals[s] *
                                            topology->terminals[destination];
}

static void compare_to(const struct plain *plain,
                       const struct nb_routing *found, uint32_t destination,
                       size_t layer, const char *name)
{
    for (uint32_t s = 0; s < plain->topology->router_count; s++) {
        uint32_t path[MOST_ROUTERS], at = s;
        uint8_t class[MOST_ROUTERS];
        if (s == destination || plain->topology->terminals[s] == 0)
            continue;
        const size_t length =
            nb_table_ways_path(found, s, destination, path, class);
        for (size_t h = 0; h < length; h++) {
            TOPOLOGY_CHECK(path[h] == plain->next[at] && class[h] == layer,
                           "%s: %u to %u", name, s, destination);
            at = channel(plain, path[h])->target;
        }
        assert_int_equal(at, destination);
    }
}

static void compare(const struct nb_topology *topology, const char *name,
                    size_t layers, const char *tree)
{
    static struct plain plain;
    struct nb_routing found;
    char routing[80], text[200];
    size_t destinations = 0;
    snprintf(routing, sizeof routing, "nue:layers=%zu,tree=%s,root=1,sweeps=0",
             layers, tree);
    snprintf(text, sizeof text, "%s@%s", routing, name);
    assert_int_equal(nb_routing_build(routing, topology, &found, NULL), NB_OK);
    plain_open(&found, layers, &plain);
    for (uint32_t d = 0; d < topology->router_count; d++) {
        if (topology->terminals[d] == 0)
            continue;
        const size_t layer = destinations++ % layers;
        find(&plain, layer, d);
        count_loads(&plain, d);
        compare_to(&plain, &found, d, layer, text);
    }
    plain_close(&plain);
    nb_routing_release(&found);
}

static void compare_all(const struct problem *problem, const char *name)
{
    for (size_t layers = 1; layers <= MOST_LAYERS; layers++) {
        compare(&problem->topology, name, layers, "bfs");
        compare(&problem->topology, name, layers, "dfs");
    }
}

static void test_known_networks(void **state)
{
    static const char *const cases[] = {
        "minhop@ring:5",          "minhop@ring:8",     "minhop@mesh:3x3",
        "minhop@torus:4x4",       "minhop@complete:5", "minhop@hypercube:3",
        "minhop@fattree:k=2,n=3",
    };
    (void)state;
    problem_each_of(cases, sizeof cases / sizeof *cases, compare_all);
}

static void test_random_networks(void **state)
{
    (void)state;
    graph_each_linked(20, compare_all);
    assert_true(along_the_tree > 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The greatest number of pairs on a channel between switches, where terminals
 * stand for hosts; checks freedom from deadlock, and that forwarding tables
 * hold the scheme. */
static uint64_t most_pairs(const struct nb_topology *topology,
                           const char *scheme)
{
    struct nb_routing routing;
    struct nb_single_paths paths;
    struct nb_deadlock deadlock;
    uint32_t *next;
    uint64_t *load = nb_new_array(topology->channel_count, sizeof *load);
    uint64_t most = 0;
    assert_int_equal(nb_routing_build(scheme, topology, &routing, NULL), NB_OK);
    assert_int_equal(nb_table_ways_new(topology, &next, NULL), NB_OK);
    assert_int_equal(nb_forwarding_find(&routing, "", next, NULL), NB_OK);
    assert_int_equal(nb_deadlock_find(&routing, NULL, &deadlock, NULL), NB_OK);
    assert_int_equal(deadlock.verdict, NB_DEADLOCK_FREE);
    assert_int_equal(
        nb_single_paths_find(&routing, routing.topology, &paths, NULL), NB_OK);
    nb_single_paths_load(&paths, load);
    for (size_t c = 0; c < topology->channel_count; c++)
        most = load[c] > most ? load[c] : most;
    nb_single_paths_release(&paths);
    nb_deadlock_release(&deadlock);
    nb_routing_release(&routing);
    nb_delete(next);
    nb_delete(load);
    return most;
}

/* Greatest loads of opensm 3.3.23, engine nue, with 1 and 8 lanes. */
static const struct {
    const char *network;
    uint64_t one, eight;
} opensm[] = {
    { "torus:4x4", 16, 12 },   { "torus:6x5", 79, 30 },
    { "mesh:4x4", 28, 20 },    { "hypercube:5", 114, 27 },
    { "torus:8x8", 269, 130 }, { "mesh:6x5", 92, 48 },
};

static void test_opensm(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof opensm / sizeof *opensm; i++) {
        struct nb_topology topology;
        topology_must_build(opensm[i].network, &topology);
        const uint64_t one = most_pairs(&topology, "nue:layers=1");
        const uint64_t eight = most_pairs(&topology, "nue:layers=8");
        TOPOLOGY_CHECK(one <= opensm[i].one && eight <= opensm[i].eight,
                       "%s: %d and %d", opensm[i].network, (int)one,
                       (int)eight);
        assert_true(one <= most_pairs(&topology, "nue:sweeps=0,root=0"));
        nb_topology_release(&topology);
    }
}

/* The most that a cable of a leaf carries at least: the pairs of its terminals
 * with all others, evenly. */
static double leaf_bound(const struct nb_topology *topology)
{
    double bound = 0, terminals = 0;
    for (uint32_t r = 0; r < topology->router_count; r++)
        terminals += topology->terminals[r];
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const double own = topology->terminals[r];
        const double cables =
            topology->out_start[r + 1] - (double)topology->out_start[r];
        const double each = own * (terminals - own) / cables;
        bound = each > bound ? each : bound;
    }
    return bound;
}

/* On fat trees one layer is enough for paths that divide the load like those of
 * any shortest paths, also where cables are missing. All terminals of a leaf
 * share their paths here, so the bound is not reached. */
static void test_fat_trees(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 4; seed++) {
        struct nb_topology topology;
        char name[80];
        snprintf(name, sizeof name,
                 "clos:12x6,up=4,fail=random:%d,fail-seed=%d", seed, seed);
        topology_must_build(name, &topology);
        const double load = (double)most_pairs(&topology, "nue");
        const double other = (double)most_pairs(&topology, "dfsssp");
        TOPOLOGY_CHECK(
            load <= other * 1.02 && load <= leaf_bound(&topology) * 1.25,
            "%s: %g, %g, bound %g", name, load, other, leaf_bound(&topology));
        nb_topology_release(&topology);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_networks),
        cmocka_unit_test(test_random_networks),
        cmocka_unit_test(test_opensm),
        cmocka_unit_test(test_fat_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
