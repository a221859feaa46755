/* lash-tor as a plain program: whole graphs of layers, copied before each try.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/dependencies.h"
#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "routing/table_ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUTERS = 25, MOST_LAYERS = 4 };

/* A path with the class of each hop. */
struct path {
    bool is_shortest;
    size_t length;
    uint32_t channel[MOST_ROUTERS];
    uint8_t class[MOST_ROUTERS];
};

struct plain {
    const struct nb_topology *topology;
    struct nb_routing updown;
    size_t layers;
    struct dependencies layer[MOST_LAYERS];
    struct path path[MOST_ROUTERS][MOST_ROUTERS]; /* [destination][source] */
    size_t share[MOST_LAYERS]; /* pairs whose whole path is in this layer */
};

/* At each router the neighbour that is nearer and whose number differs least,
 * over the first such channel. */
static void follow(const struct nb_topology *topology, uint32_t source,
                   uint32_t destination, struct path *path)
{
    uint32_t hops[MOST_ROUTERS];
    walk_shortest(topology, destination, hops);
    path->length = 0;
    for (uint32_t r = source; r != destination;) {
        uint32_t best = NB_NONE;
        int least = 0;
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            const struct nb_channel *at = &topology->channels[c];
            const int apart = abs((int)at->target - (int)r);
            if (at->source != r || hops[at->target] + 1 != hops[r] ||
                (best != NB_NONE && apart >= least))
                continue;
            best = c;
            least = apart;
        }
        path->channel[path->length++] = best;
        r = topology->channels[best].target;
    }
}

/* The first of some layers that accepts the whole path; else as much of it as
 * the first accepts, as much of the rest as the second accepts, and so on. */
static bool divide(struct plain *plain, struct path *path, size_t layers)
{
    size_t at = 0;
    for (size_t l = 0; l < layers; l++)
        if (dependencies_accept(&plain->layer[l], path->channel,
                                path->length)) {
            memset(path->class, (int)l, path->length);
            return true;
        }
    for (size_t l = 0; l < layers; l++) {
        size_t end = path->length;
        while (end > at && !dependencies_accept(&plain->layer[l],
                                                path->channel + at, end - at))
            end--;
        for (; at < end; at++)
            path->class[at] = (uint8_t)l;
    }
    return at == path->length;
}

/* Divides the shortest paths of pairs that have none yet, in the order of
 * destinations. */
static void divide_all(struct plain *plain, size_t layers)
{
    const uint32_t n = (uint32_t)plain->topology->router_count;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            struct path path = { .is_shortest = true };
            if (s == d || plain->path[d][s].is_shortest)
                continue;
            follow(plain->topology, s, d, &path);
            if (!divide(plain, &path, layers))
                continue;
            plain->path[d][s] = path;
            plain->share[path.class[0]] +=
                path.class[0] == path.class[path.length - 1];
            for (size_t h = 1; h < path.length; h++)
                if (path.class[h] == path.class[h - 1])
                    dependencies_add_path(&plain->layer[path.class[h]],
                                          path.channel + h - 1, 2);
        }
}

/* The remaining pairs take Up*Down* paths in the last layer. */
static void add_updown(struct plain *plain)
{
    const uint32_t n = (uint32_t)plain->topology->router_count;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            struct path *path = &plain->path[d][s];
            if (s == d || path->is_shortest)
                continue;
            path->length =
                nb_table_ways_path(&plain->updown, s, d, path->channel, NULL);
            memset(path->class, (int)plain->layers - 1, path->length);
            dependencies_add_path(&plain->layer[plain->layers - 1],
                                  path->channel, path->length);
        }
}

/* A pair moves to the layer with the fewest pairs, the first of these, if that
 * leaves its own with more than it. Layers keep the turns of pairs that have
 * left. */
static bool move(struct plain *plain, struct path *path)
{
    size_t least = 0;
    for (size_t l = 1; l < plain->layers; l++)
        least = plain->share[l] < plain->share[least] ? l : least;
    const size_t own = path->class[0];
    if (!path->is_shortest || own != path->class[path->length - 1] ||
        plain->share[least] + 1 >= plain->share[own] ||
        !dependencies_accept(&plain->layer[least], path->channel, path->length))
        return false;
    dependencies_add_path(&plain->layer[least], path->channel, path->length);
    plain->share[own]--;
    plain->share[least]++;
    memset(path->class, (int)least, path->length);
    return true;
}

static void balance(struct plain *plain)
{
    const uint32_t n = (uint32_t)plain->topology->router_count;
    for (bool moves = true; moves;) {
        moves = false;
        for (uint32_t d = 0; d < n; d++)
            for (uint32_t s = 0; s < n; s++)
                moves |= s != d && move(plain, &plain->path[d][s]);
    }
}

static void plain_find(const struct nb_topology *topology, size_t layers,
                       bool is_balanced, struct plain *out)
{
    memset(out, 0, sizeof *out);
    out->topology = topology;
    out->layers = layers;
    assert_true(topology->router_count <= MOST_ROUTERS &&
                layers <= MOST_LAYERS);
    assert_int_equal(nb_routing_build("updown", topology, &out->updown, NULL),
                     NB_OK);
    for (size_t l = 0; l < layers; l++)
        dependencies_open(&out->layer[l], topology->channel_count);
    divide_all(out, layers - 1);
    add_updown(out);
    divide_all(out, layers);
    if (is_balanced)
        balance(out);
}

static void plain_close(struct plain *plain)
{
    for (size_t l = 0; l < plain->layers; l++)
        dependencies_close(&plain->layer[l]);
    nb_routing_release(&plain->updown);
}

/* Paths that change layer, of all cases; cases with longer paths. */
static size_t transitions, detours;

static void compare(const struct nb_topology *topology, const char *name,
                    size_t layers, bool is_balanced)
{
    const uint32_t n = (uint32_t)topology->router_count;
    static struct plain plain;
    struct nb_routing found;
    bool has_detour = false, has_updown = false;
    char routing[80];
    snprintf(routing, sizeof routing, "lash-tor:layers=%zu,balance=%s", layers,
             is_balanced ? "least" : "none");
    assert_int_equal(nb_routing_build(routing, topology, &found, NULL), NB_OK);
    plain_find(topology, layers, is_balanced, &plain);
    for (uint32_t d = 0; d < n; d++) {
        uint32_t hops[MOST_ROUTERS];
        walk_shortest(topology, d, hops);
        for (uint32_t s = 0; s < n; s++) {
            const struct path *path = &plain.path[d][s];
            uint32_t channel[MOST_ROUTERS];
            uint8_t class[MOST_ROUTERS];
            if (s == d)
                continue;
            const size_t length =
                nb_table_ways_path(&found, s, d, channel, class);
            bool is_same = length == path->length;
            for (size_t h = 0; h < length && is_same; h++)
                is_same = channel[h] == path->channel[h] &&
                          class[h] == path->class[h];
            TOPOLOGY_CHECK(is_same, "%s, %s: %u to %u", name, routing, s, d);
            transitions += class[0] != class[length - 1];
            has_detour |= length > hops[s];
            has_updown |= !path->is_shortest;
        }
    }
    assert_false(found.is_minimal && has_detour);
    assert_true(found.is_minimal || has_updown);
    detours += has_detour;
    plain_close(&plain);
    nb_routing_release(&found);
}

static void compare_all(const struct problem *problem, const char *name)
{
    for (size_t layers = 1; layers <= MOST_LAYERS; layers++)
        for (int is_balanced = 0; is_balanced < 2; is_balanced++)
            compare(&problem->topology, name, layers, is_balanced != 0);
}

static void test_known_networks(void **state)
{
    static const char *const cases[] = {
        "minhop@ring:5",      "minhop@ring:8",     "minhop@mesh:3x3",
        "minhop@torus:4x3",   "minhop@torus:5x5",  "minhop@ccc:3",
        "minhop@hypercube:3", "minhop@complete:5",
    };
    (void)state;
    problem_each_of(cases, sizeof cases / sizeof *cases, compare_all);
    assert_true(transitions > 0 && detours > 0);
}

static void test_random_networks(void **state)
{
    (void)state;
    graph_each_linked(12, compare_all);
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
