/* Schemes for any network: their ledgers on networks that are known, and that
 * nothing waits in a circle on random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/vc_dependencies.h"

#include "core/memory.h"
#include "routing/segments.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <stdio.h>
#include <stdlib.h>

/* Hops of all pairs, and those after which a packet's class is another one. */
struct ledger {
    uint64_t pairs, hops, transitions;
};

static struct ledger ledger_of(const struct nb_routing *routing)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    struct ledger ledger = { 0 };
    uint8_t *class = nb_new_array(n, sizeof *class);
    assert_non_null(class);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            if (s == d)
                continue;
            const size_t length =
                nb_table_ways_path(routing, s, d, NULL, class);
            ledger.pairs++;
            ledger.hops += length;
            for (size_t h = 1; h < length; h++)
                ledger.transitions += class[h] != class[h - 1];
        }
    nb_delete(class);
    return ledger;
}

/* Turns of the 8-ary 2-mesh and 2-cube, and what Up*Down* prohibits of them, in
 * the middle as in a corner; and its hops: 5.3333 are the least, 4.5714 are
 * not. Source: an enumeration by another program. */
static void test_updown_prohibits_turns(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t turns, prohibited;
        uint64_t hops;
    } cases[] = {
        { "updown:root=0@mesh:8x8", 584, 98, 21504 },
        { "updown:root=27@mesh:8x8", 584, 98, 21504 },
        { "updown:root=0@torus:8x8", 768, 160, 18432 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_tree_order order = { 0 };
        struct nb_turns turns = { 0 };
        size_t all, prohibited;
        problem_open_example(&problem, cases[i].name);
        assert_int_equal(
            nb_tree_order_build(&problem.routing, false, &order, NULL), NB_OK);
        assert_int_equal(nb_turns_init(&problem.topology, &turns, NULL), NB_OK);
        nb_tree_order_prohibit(&order, false, &turns);
        nb_turns_count(&turns, &all, &prohibited);
        assert_int_equal(all, cases[i].turns);
        assert_int_equal(prohibited, cases[i].prohibited);
        const struct ledger ledger = ledger_of(&problem.routing);
        assert_int_equal(ledger.pairs, 4032);
        assert_int_equal(ledger.hops, cases[i].hops);
        nb_turns_release(&turns);
        nb_tree_order_release(&order);
        problem_close(&problem);
    }
}

/* With the tree's links alone packets cross no others: 2 (routers - 1) channels
 * carry all. */
static void test_updown_uses_the_tree_alone(void **state)
{
    (void)state;
    struct problem problem;
    uint32_t path[16];
    bool is_used[48] = { 0 };
    size_t used = 0;
    problem_open_example(&problem, "updown:links=tree@mesh:4x4");
    assert_int_equal(problem.topology.channel_count, 48);
    for (uint32_t d = 0; d < 16; d++)
        for (uint32_t s = 0; s < 16; s++) {
            const size_t length =
                s == d ? 0
                       : nb_table_ways_path(&problem.routing, s, d, path, NULL);
            for (size_t h = 0; h < length; h++)
                is_used[path[h]] = true;
        }
    for (size_t c = 0; c < 48; c++)
        used += is_used[c];
    assert_int_equal(used, 30);
    problem_close(&problem);
}

/* An ear decomposition: links - routers + 1. */
static void test_segments_are_ears(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        size_t segments;
    } cases[] = { { "mesh:8x8", 49 },
                  { "torus:8x8", 65 },
                  { "ring:9", 1 },
                  { "complete:6", 10 },
                  { "hypercube:5", 49 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct nb_topology topology;
            struct nb_turns turns = { 0 };
            struct nb_segment_counts counts;
            assert_int_equal(
                nb_topology_build(cases[i].topology, &topology, NULL), NB_OK);
            assert_int_equal(nb_turns_init(&topology, &turns, NULL), NB_OK);
            assert_int_equal(nb_segments_find(&topology, seed == 0, seed,
                                              &turns, &counts, NULL),
                             NB_OK);
            TOPOLOGY_CHECK(counts.subnets == 1 && counts.starting == 1 &&
                               counts.starting + counts.regular +
                                       counts.unitary ==
                                   cases[i].segments,
                           "%s, seed %u: %zu %zu %zu %zu", cases[i].topology,
                           (unsigned)seed, counts.subnets, counts.starting,
                           counts.regular, counts.unitary);
            nb_turns_release(&turns);
            nb_topology_release(&topology);
        }
}

/* All 4032 pairs of an 8-ary 2-mesh take shortest paths; what they depend on
 * within layers and their transitions are 17472 together, hops but for each
 * pair's first. */
static void test_lash_tor_ledger(void **state)
{
    (void)state;
    static const char *const cases[] = { "lash-tor@mesh:8x8",
                                         "lash-tor:balance=none@mesh:8x8",
                                         "tor@mesh:8x8", "lash@mesh:8x8" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        problem_open_example(&problem, cases[i]);
        const struct ledger ledger = ledger_of(&problem.routing);
        assert_int_equal(ledger.pairs, 4032);
        assert_int_equal(ledger.hops - ledger.pairs, 17472);
        problem_close(&problem);
    }
}

/* Uniform traffic over a k-ary n-tree by d-mod-k: every channel of a level
 * carries as much. */
static void test_ftree_is_even(void **state)
{
    (void)state;
    struct problem problem;
    uint32_t path[16];
    problem_open_example(&problem, "ftree@fattree:k=4,n=2");
    const size_t m = problem.topology.channel_count;
    uint64_t *count = nb_new_array(m, sizeof *count);
    assert_non_null(count);
    for (uint32_t d = 0; d < 4; d++)
        for (uint32_t s = 0; s < 4; s++) {
            const size_t length =
                s == d ? 0
                       : nb_table_ways_path(&problem.routing, s, d, path, NULL);
            assert_int_equal(length, s == d ? 0 : 2);
            for (size_t h = 0; h < length; h++)
                count[path[h]]++;
        }
    for (size_t c = 0; c < m; c++)
        TOPOLOGY_CHECK(count[c] <= 3, "channel %zu: %u", c, (unsigned)count[c]);
    nb_delete(count);
    problem_close(&problem);
}

/* A random tree and more links, some of them parallel, as an edge list. */
static void random_text(struct nb_random *random, uint32_t n, uint32_t more,
                        char *text, size_t size)
{
    size_t length = 0;
    for (uint32_t r = 1; r < n + more; r++) {
        const uint32_t a = r < n ? r : (uint32_t)nb_random_below(random, n);
        uint32_t b = (uint32_t)nb_random_below(random, r < n ? r : n);
        if (a == b)
            b = (b + 1) % n;
        length += (size_t)snprintf(text + length, size - length,
                                   "%u %u\n%u %u\n", a, b, b, a);
    }
    assert_true(length < size);
}

static void check_is_free(const struct problem *problem, const char *name)
{
    struct vc_dependencies found;
    vc_dependencies_open(&found, &problem->routing, name);
    TOPOLOGY_CHECK(dependencies_are_acyclic(&found.graph, NULL), "%s", name);
    vc_dependencies_close(&found);
}

/* Nothing waits in a circle, and every pair is routed: the walk would fail. */
static void test_random_networks_are_free(void **state)
{
    (void)state;
    static const char *const schemes[] = {
        "updown",
        "updown:tree=dfs",
        "updown:links=tree",
        "updown:tables=router",
        "updown:tables=router,tree=dfs",
        "updown:tables=router,links=tree",
        "tor",
        "tor:tree=dfs",
        "lash",
        "dfsssp",
        "lash-tor:layers=1",
        "lash-tor:layers=2",
        "lash-tor:layers=3,balance=none",
        "sr",
        "sr:segments=random,seed=5",
        "ftree",
        "nue",
        "nue:layers=2,tree=dfs",
    };
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char text[8192], name[80];
        struct nb_random random;
        nb_random_init(&random, seed, 0);
        const uint32_t n = 4 + (uint32_t)nb_random_below(&random, 16);
        const uint32_t more = (uint32_t)nb_random_below(&random, 2 * n);
        random_text(&random, n, more, text, sizeof text);
        for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
            struct problem problem;
            snprintf(name, sizeof name, "seed %u: %s", (unsigned)seed,
                     schemes[i]);
            problem_open_file(&problem, text, ".txt", "", schemes[i]);
            check_is_free(&problem, name);
            problem_close(&problem);
        }
    }
}

/* What is not permitted, and what is said. */
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *routing, *message;
    } cases[] = {
        { "ring:5", "dfsssp:layers=1",
          "routing dfsssp: layers=1 are too few for this network (permitted: "
          "2 to 64)" },
        { "mesh:3x3", "updown:root=9",
          "routing updown: root=9 is no router (permitted: names or numbers of "
          "some that have not failed, joined by +; or auto)" },
        { "mesh:3x3", "ftree:root=0+8",
          "routing ftree: topology mesh:3x3 is not a fat tree (permitted: a "
          "network whose roots are all equally far from each router with "
          "terminals; root=... says which they are)" },
        { "ring:6", "updown:root=0+3",
          "no path of permitted turns leads from router 3 to router 0 "
          "(permitted: other roots)" },
        { "ring:6", "updown:root=0+3,tables=router",
          "no path of permitted turns leads from router 3 to router 0 "
          "(permitted: other roots)" },
        { "mesh:3x3", "nue:root=0+8",
          "routing nue: root=0+8 are several roots (permitted here: one)" },
        { "file:data/topologies/kautz-igraph.graphml", "sr",
          "routing sr: topology file:data/topologies/kautz-igraph.graphml is "
          "not "
          "one whose channels all have one back" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_topology topology;
        struct nb_routing routing;
        struct nb_error err = { 0 };
        assert_int_equal(nb_topology_build(cases[i].topology, &topology, NULL),
                         NB_OK);
        assert_int_equal(
            nb_routing_build(cases[i].routing, &topology, &routing, &err),
            NB_INVALID);
        assert_string_equal(err.message, cases[i].message);
        nb_topology_release(&topology);
    }
}

/* The most pairs of hosts over a channel between switches. */
static uint32_t most_pairs(const struct nb_routing *routing)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    uint32_t most = 0;
    uint32_t *path = nb_new_array(n, sizeof *path);
    uint32_t *count = nb_new_array(topology->channel_count, sizeof *count);
    assert_true(path != NULL && count != NULL);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            if (s == d || topology->terminals[s] == 0 ||
                topology->terminals[d] == 0)
                continue;
            const size_t length = nb_table_ways_path(routing, s, d, path, NULL);
            assert_true(length > 0);
            for (size_t h = 0; h < length; h++)
                count[path[h]]++;
        }
    for (size_t c = 0; c < topology->channel_count; c++)
        if (topology->terminals[topology->channels[c].source] == 0 &&
            topology->terminals[topology->channels[c].target] == 0 &&
            count[c] > most)
            most = count[c];
    nb_delete(path);
    nb_delete(count);
    return most;
}

static unsigned layers_on(const struct nb_topology *topology,
                          const char *scheme, uint32_t *most)
{
    struct nb_routing routing;
    assert_int_equal(nb_routing_build(scheme, topology, &routing, NULL), NB_OK);
    const unsigned layers = nb_table_ways_layers(&routing);
    *most = most_pairs(&routing);
    nb_routing_release(&routing);
    return layers;
}

/* Beside opensm 3.3.23 on the same networks: no more layers than its lash and
 * dfsssp need, and no more pairs on a cable than with the best of all its
 * engines. */
static void test_beside_opensm(void **state)
{
    (void)state;
    static const struct {
        const char *net;
        uint32_t most;
        unsigned lash, dfsssp;
    } peers[] = {
        { "torus4x4", 12, 2, 3 },
        { "torus6x5", 30, 4, 5 },
        { "mesh4x4", 16, 1, 2 },
        { "hypercube5", 16, 1, 5 },
        { "ft8x4", 28, 1, 1 },
        { "knt4x3", 92, 3, 1 },
        { "dragonfly_a4h2p2", 88, 3, 4 },
        { "rrg32d4", 31, 4, 4 },
    };
    const char *from = getenv("NETBOUND_FABRICS");
    if (from == NULL) {
        print_message("networks of opensm are skipped: NETBOUND_FABRICS is not "
                      "set\n");
        skip();
    }
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        struct nb_topology topology;
        char name[512];
        uint32_t most;
        snprintf(name, sizeof name, "file:%s/nets/%s.net", from, peers[i].net);
        assert_int_equal(nb_topology_build(name, &topology, NULL), NB_OK);
        const unsigned lash = layers_on(&topology, "lash", &most);
        const unsigned dfsssp = layers_on(&topology, "dfsssp", &most);
        TOPOLOGY_CHECK(lash <= peers[i].lash && dfsssp <= peers[i].dfsssp &&
                           most <= peers[i].most,
                       "%s: lash %u layers; dfsssp %u, %u pairs", peers[i].net,
                       lash, dfsssp, most);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_updown_prohibits_turns),
        cmocka_unit_test(test_updown_uses_the_tree_alone),
        cmocka_unit_test(test_segments_are_ears),
        cmocka_unit_test(test_lash_tor_ledger),
        cmocka_unit_test(test_ftree_is_even),
        cmocka_unit_test(test_random_networks_are_free),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_beside_opensm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
