/* nue as a plain program: whole graphs of layers, copied before each try. */
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
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <stdio.h>

enum { MOST_ROUTERS = 20, MOST_CHANNELS = 100, MOST_LAYERS = 3 };

struct plain {
    const struct nb_topology *topology;
    struct nb_tree_order order;
    size_t layers;
    struct dependencies layer[MOST_LAYERS];
    bool is_tree[MOST_CHANNELS];
    double load[MOST_CHANNELS];
    /* The search for one destination. */
    uint32_t next[MOST_ROUTERS], hops[MOST_ROUTERS], met[MOST_ROUTERS];
    size_t met_count;
};

static const struct nb_channel *channel(const struct plain *plain, uint32_t c)
{
    return &plain->topology->channels[c];
}

/* The tree's channels are the first ones between routers and their parents, and
 * each layer begins with all turns between them, except back. */
static void plain_open(const struct nb_routing *routing, size_t layers,
                       struct plain *out)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t m = (uint32_t)topology->channel_count;
    *out = (struct plain){ .topology = topology, .layers = layers };
    assert_true(topology->router_count <= MOST_ROUTERS && m <= MOST_CHANNELS);
    assert_int_equal(nb_tree_order_build(routing, true, &out->order, NULL),
                     NB_OK);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t parent = out->order.parent[r];
        if (parent == NB_NONE)
            continue;
        out->is_tree[topology_find_channel(topology, r, parent)] = true;
        out->is_tree[topology_find_channel(topology, parent, r)] = true;
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

/* Whether a router can send over a channel, and then on from the router there,
 * which was met before. */
static bool permits(const struct plain *plain, size_t layer, uint32_t c)
{
    const uint32_t to = channel(plain, c)->target;
    const uint32_t turn[] = { c, plain->next[to] };
    return plain->hops[to] == 0 ||
           (channel(plain, turn[1])->target != channel(plain, c)->source &&
            dependencies_accept(&plain->layer[layer], turn, 2));
}

/* Of all permitted channels from a router, the first of those with the fewest
 * hops to the destination and, among these, the least load. */
static uint32_t choose(const struct plain *plain, size_t layer, uint32_t router)
{
    uint32_t best = NB_NONE, fewest = NB_NONE;
    for (uint32_t c = 0; c < plain->topology->channel_count; c++) {
        const uint32_t hops = plain->hops[channel(plain, c)->target];
        if (channel(plain, c)->source != router || hops == NB_NONE ||
            !permits(plain, layer, c))
            continue;
        if (best == NB_NONE || hops < fewest ||
            (hops == fewest && plain->load[c] < plain->load[best])) {
            best = c;
            fewest = hops;
        }
    }
    return best;
}

/* Routers are met in the order of a search from the destination. */
static void search(struct plain *plain, size_t layer, uint32_t destination)
{
    const uint32_t n = (uint32_t)plain->topology->router_count;
    for (uint32_t r = 0; r < n; r++)
        plain->hops[r] = NB_NONE;
    plain->hops[destination] = 0;
    plain->met[0] = destination;
    plain->met_count = 1;
    for (size_t i = 0; i < plain->met_count; i++)
        for (uint32_t c = 0; c < plain->topology->channel_count; c++) {
            const uint32_t from = channel(plain, c)->source;
            if (channel(plain, c)->target != plain->met[i] ||
                plain->hops[from] != NB_NONE)
                continue;
            const uint32_t best = choose(plain, layer, from);
            if (best == NB_NONE)
                continue;
            const uint32_t to = channel(plain, best)->target;
            if (to != destination)
                dependencies_add(&plain->layer[layer], best, plain->next[to]);
            plain->next[from] = best;
            plain->hops[from] = plain->hops[to] + 1;
            plain->met[plain->met_count++] = from;
        }
}

/* The path of a router that the search met. */
static size_t follow(const struct plain *plain, uint32_t source, uint32_t *path)
{
    size_t length = 0;
    for (uint32_t r = source; plain->hops[r] > 0;
         r = channel(plain, path[length++])->target)
        path[length] = plain->next[r];
    return length;
}

/* The path along the tree: up to the first router above both, then down. */
static size_t follow_tree(const struct plain *plain, uint32_t source,
                          uint32_t destination, uint32_t *path)
{
    const uint32_t *parent = plain->order.parent;
    uint32_t down[MOST_ROUTERS];
    size_t length = 0, depth = 0, above = 0;
    for (uint32_t r = destination; r != NB_NONE; r = parent[r])
        down[depth++] = r;
    for (uint32_t r = source;; r = parent[r]) {
        for (above = 0; above < depth && down[above] != r; above++)
            continue;
        if (above < depth)
            break;
        path[length++] = topology_find_channel(plain->topology, r, parent[r]);
    }
    for (; above > 0; above--)
        path[length++] = topology_find_channel(plain->topology, down[above],
                                               down[above - 1]);
    return length;
}

/* Every terminal that was met sends to every one there. */
static void count_loads(struct plain *plain, uint32_t destination)
{
    const struct nb_topology *topology = plain->topology;
    for (size_t i = 1; i < plain->met_count; i++) {
        uint32_t path[MOST_ROUTERS];
        const uint32_t source = plain->met[i];
        const size_t length = follow(plain, source, path);
        for (size_t h = 0; h < length; h++)
            plain->load[path[h]] +=
                (double)topology->terminals[source] *
                topology->terminals[destination] /
                nb_ratio_value(channel(plain, path[h])->bandwidth);
    }
}

/* Pairs that go along the tree, of all cases. */
static size_t along_the_tree;

static void compare_to(const struct plain *plain,
                       const struct nb_routing *found, uint32_t destination,
                       size_t layer, const char *name)
{
    for (uint32_t s = 0; s < plain->topology->router_count; s++) {
        uint32_t expected[MOST_ROUTERS], path[MOST_ROUTERS];
        uint8_t class[MOST_ROUTERS];
        if (s == destination || plain->topology->terminals[s] == 0)
            continue;
        const bool is_met = plain->hops[s] != NB_NONE;
        const size_t length =
            is_met ? follow(plain, s, expected)
                   : follow_tree(plain, s, destination, expected);
        bool is_same =
            nb_table_ways_path(found, s, destination, path, class) == length;
        for (size_t h = 0; h < length && is_same; h++)
            is_same = path[h] == expected[h] && class[h] == layer;
        TOPOLOGY_CHECK(is_same, "%s: %u to %u", name, s, destination);
        along_the_tree += !is_met;
    }
}

static void compare(const struct nb_topology *topology, const char *name,
                    size_t layers, const char *tree)
{
    static struct plain plain;
    struct nb_routing found;
    char routing[80], text[200];
    size_t destinations = 0;
    snprintf(routing, sizeof routing, "nue:layers=%zu,tree=%s", layers, tree);
    snprintf(text, sizeof text, "%s@%s", routing, name);
    assert_int_equal(nb_routing_build(routing, topology, &found, NULL), NB_OK);
    plain_open(&found, layers, &plain);
    for (uint32_t d = 0; d < topology->router_count; d++) {
        if (topology->terminals[d] == 0)
            continue;
        const size_t layer = destinations++ % layers;
        search(&plain, layer, d);
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_networks),
        cmocka_unit_test(test_random_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
