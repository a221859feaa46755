/* tor as a plain program, which counts the transitions of all shortest
 * paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/walk.h"

#include "core/memory.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROUTERS = 32, MOST_CHANNELS = 200, MOST_HOPS = 256 };

struct plain {
    const struct nb_topology *topology;
    struct nb_tree_order order;
    uint32_t destination, hops[MOST_ROUTERS];
    uint64_t load[MOST_CHANNELS]; /* pairs of terminals */
};

static bool is_up(const struct plain *plain, uint32_t channel)
{
    return nb_is_up(&plain->order, &plain->topology->channels[channel]);
}

/* The fewest turns from down to up on shortest paths from a router to which a
 * packet came down, or not; channel: NB_NONE, or the first on the path. */
static uint32_t fewest(const struct plain *plain, uint32_t router, bool is_down,
                       uint32_t channel)
{
    uint32_t least = router == plain->destination ? 0 : NB_NONE;
    for (uint32_t c = 0; c < plain->topology->channel_count; c++) {
        const struct nb_channel *at = &plain->topology->channels[c];
        if (at->source != router || (channel != NB_NONE && c != channel) ||
            plain->hops[at->target] + 1 != plain->hops[router])
            continue;
        const uint32_t own =
            (is_down && is_up(plain, c)) +
            fewest(plain, at->target, !is_up(plain, c), NB_NONE);
        least = own < least ? own : least;
    }
    return least;
}

/* The first of the channels with the fewest turns ahead and the least load. */
static uint32_t choose(const struct plain *plain, uint32_t router, bool is_down)
{
    const uint32_t least = fewest(plain, router, is_down, NB_NONE);
    uint32_t best = NB_NONE;
    for (uint32_t c = 0; c < plain->topology->channel_count; c++)
        if (plain->topology->channels[c].source == router &&
            fewest(plain, router, is_down, c) == least &&
            (best == NB_NONE || plain->load[c] < plain->load[best]))
            best = c;
    return best;
}

/* The path of a pair in the tables is the plain one, whose class counts the
 * turns so far. */
static void compare_pair(struct plain *plain, const struct nb_routing *found,
                         uint32_t source, const char *name)
{
    const struct nb_topology *topology = plain->topology;
    uint32_t path[MOST_ROUTERS], turns = 0;
    uint8_t class[MOST_ROUTERS];
    size_t length = 0;
    bool is_down = false, is_same = true;
    const size_t answer =
        nb_table_ways_path(found, source, plain->destination, path, class);
    for (uint32_t r = source; r != plain->destination && is_same; length++) {
        const uint32_t c = choose(plain, r, is_down);
        turns += is_down && is_up(plain, c);
        is_same =
            length < answer && path[length] == c && class[length] == turns;
        plain->load[c] += (uint64_t)topology->terminals[source] *
                          topology->terminals[plain->destination];
        is_down = !is_up(plain, c);
        r = topology->channels[c].target;
    }
    TOPOLOGY_CHECK(is_same && length == answer, "%s: %u to %u", name, source,
                   plain->destination);
}

static void compare(const struct nb_topology *topology, const char *name,
                    const char *routing)
{
    static struct plain plain;
    struct nb_routing found;
    char text[200];
    snprintf(text, sizeof text, "%s@%s", routing, name);
    plain = (struct plain){ .topology = topology };
    assert_true(topology->router_count <= MOST_ROUTERS &&
                topology->channel_count <= MOST_CHANNELS);
    assert_int_equal(nb_routing_build(routing, topology, &found, NULL), NB_OK);
    assert_int_equal(nb_tree_order_build(&found, false, &plain.order, NULL),
                     NB_OK);
    for (uint32_t d = 0; d < topology->router_count; d++) {
        plain.destination = d;
        walk_shortest(topology, d, plain.hops);
        for (uint32_t s = 0; s < topology->router_count; s++)
            if (s != d && walk_has_pair(&found, s, d))
                compare_pair(&plain, &found, s, text);
    }
    nb_tree_order_release(&plain.order);
    nb_routing_release(&found);
}

static void compare_all(const struct problem *problem, const char *name)
{
    compare(&problem->topology, name, "tor");
    compare(&problem->topology, name, "tor:tree=dfs");
    compare(&problem->topology, name, "tor:root=1");
}

static void test_known_networks(void **state)
{
    static const char *const cases[] = {
        "minhop@ring:5",
        "minhop@mesh:3x3",
        "minhop@torus:4x4",
        "minhop@torus:5x4",
        "minhop@ccc:3",
        "minhop@hypercube:3",
        "minhop@complete:5",
        "minhop@fattree:k=2,n=3",
        "minhop@ring:4,terminals=3",
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

/* Every other router of a ring is a root, so every second hop leads up. A path
 * of h hops from a root turns up h / 2 times: on 254 routers it needs 64
 * layers, which are permitted, and on 256 routers 65. */
static void test_most_layers(void **state)
{
    (void)state;
    for (uint32_t n = 254; n <= 256; n += 2) {
        struct nb_topology ring;
        struct nb_routing routing;
        struct nb_error err = { 0 };
        uint32_t path[MOST_HOPS];
        uint8_t class[MOST_HOPS];
        char text[1000] = "tor:root=0";
        for (uint32_t r = 2; r < n; r += 2)
            snprintf(text + strlen(text), sizeof text - strlen(text), "+%u", r);
        char network[20];
        snprintf(network, sizeof network, "ring:%u", n);
        assert_int_equal(nb_topology_build(network, &ring, NULL), NB_OK);
        const enum nb_status status =
            nb_routing_build(text, &ring, &routing, &err);
        TOPOLOGY_CHECK((status == NB_OK) == (n == 254), "%s: %s", network,
                       err.message);
        if (status == NB_OK) {
            const size_t hops =
                nb_table_ways_path(&routing, 0, n / 2, path, class);
            assert_int_equal(hops, 127);
            assert_int_equal(class[126], 63);
            nb_routing_release(&routing);
        } else {
            assert_non_null(strstr(err.message, "needs 65 layers"));
        }
        nb_topology_release(&ring);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_networks),
        cmocka_unit_test(test_random_networks),
        cmocka_unit_test(test_most_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
