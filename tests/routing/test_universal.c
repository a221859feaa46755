/* Schemes for any network: their counts on known networks, and no cycles of
 * dependencies on random ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/graphs.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "../support/vc_dependencies.h"

#include "core/memory.h"
#include "routing/segments.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"
#include "core/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts the hops of all pairs except each packet's first: each is within the
 * class of the previous hop, or a transition. Also counts pairs by their first
 * class. */
struct ledger {
    uint64_t pairs, hops, within, transitions;
    uint64_t of_class[NB_MOST_VC_CLASSES];
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
            ledger.of_class[class[0]]++;
            for (size_t h = 1; h < length; h++)
                if (class[h] == class[h - 1])
                    ledger.within++;
                else
                    ledger.transitions++;
        }
    nb_delete(class);
    return ledger;
}

/* Turns of the 8-ary 2-mesh and 2-cube, and those that Up*Down* prohibits, with
 * the root in the middle or in a corner; and its mean hops: 5.3333 is the
 * minimum of the mesh, 4.5714 is not the minimum of the cube. Source: an
 * enumeration by another program. */
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

/* With the tree's links only, packets cross no others: 2 (routers - 1) channels
 * carry all traffic. */
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

/* Segments by every kind of search in turn, the seed's share of them one-way.
 */
static void find_segments(const struct nb_topology *topology, uint64_t seed,
                          struct nb_segment_counts *counts)
{
    const struct nb_segment_rule rule = { .search = seed % 4,
                                          .is_one_way = seed % 8 > 3,
                                          .seed = seed };
    struct nb_turns turns = { 0 };
    assert_int_equal(nb_turns_init(topology, &turns, NULL), NB_OK);
    assert_int_equal(nb_segments_find(topology, &rule, &turns, counts, NULL),
                     NB_OK);
    nb_turns_release(&turns);
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
        for (uint64_t seed = 0; seed < 40; seed++) {
            struct nb_topology topology;
            struct nb_segment_counts counts;
            assert_int_equal(
                nb_topology_build(cases[i].topology, &topology, NULL), NB_OK);
            find_segments(&topology, seed, &counts);
            TOPOLOGY_CHECK(counts.subnets == 1 && counts.starts == 1 &&
                               counts.starting == 1 &&
                               counts.starting + counts.regular +
                                       counts.unitary ==
                                   cases[i].segments,
                           "%s, seed %u: %zu %zu %zu %zu", cases[i].topology,
                           (unsigned)seed, counts.subnets, counts.starting,
                           counts.regular, counts.unitary);
            nb_topology_release(&topology);
        }
}

/* The number of pairs of routers with a channel: parallel ones are one link. */
static size_t links_of(const struct nb_topology *topology)
{
    size_t count = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        count += nb_channel_rank(topology, c) == 0;
    return count / 2;
}

/* Whether routers lose each other without the links between two of them. */
static bool is_bridge(const struct nb_topology *topology,
                      const struct nb_channel *link)
{
    uint32_t stack[32], height = 0;
    bool is_met[32] = { 0 };
    stack[height++] = link->source;
    is_met[link->source] = true;
    while (height > 0) {
        const uint32_t r = stack[--height];
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            if (is_met[to] || (r == link->source && to == link->target))
                continue;
            is_met[to] = true;
            stack[height++] = to;
        }
    }
    return !is_met[link->target];
}

static size_t bridges_of(const struct nb_topology *topology)
{
    size_t count = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        count += nb_channel_rank(topology, c) == 0 &&
                 is_bridge(topology, &topology->channels[c]);
    return count / 2;
}

/* The sum also holds with bridges, which are links but in no segment, and with
 * parallel channels. The sparsest of these networks are trees, without any
 * segment; others have several subnets, joined by bridges. Without the bridges
 * a network falls into as many parts as routers are tried as starts. */
static void test_segments_between_bridges(void **state)
{
    (void)state;
    size_t without = 0, several = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        char text[8192];
        struct nb_random random;
        struct problem problem;
        struct nb_segment_counts counts;
        nb_random_init(&random, seed, 0);
        const uint32_t n = 2 + (uint32_t)nb_random_below(&random, 24);
        const uint32_t more = (uint32_t)nb_random_below(&random, n / 2 + 1);
        graph_links(&random, n, more, text, sizeof text);
        problem_open_file(&problem, text, ".txt", "", "minhop");
        const struct nb_topology *topology = &problem.topology;
        find_segments(topology, seed, &counts);
        TOPOLOGY_CHECK(
            counts.starting + counts.regular + counts.unitary ==
                    links_of(topology) - topology->router_count + 1 &&
                counts.subnets == counts.starting &&
                counts.starts == bridges_of(topology) + 1,
            "seed %u: %zu subnets, %zu + %zu + %zu, %zu links, %zu routers",
            (unsigned)seed, counts.subnets, counts.starting, counts.regular,
            counts.unitary, links_of(topology), topology->router_count);
        without += counts.subnets == 0;
        several += counts.subnets > 1;
        problem_close(&problem);
    }
    assert_true(without > 0 && several > 0);
}

/* All 4032 pairs of an 8-ary 2-mesh take shortest paths; their dependencies
 * within layers and their transitions are 17472 in total, the hops except each
 * pair's first; in an 8-ary 2-cube 12352, and more if there are too few layers.
 * lash never changes to another layer, and in a mesh no packet needs to: from
 * the root in a corner, a shortest path leads up and then down. */
static void test_lash_tor_ledger(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t sum;
        bool has_transitions;
    } cases[] = {
        { "lash-tor@mesh:8x8", 17472, false },
        { "lash-tor:balance=none@mesh:8x8", 17472, false },
        { "tor@mesh:8x8", 17472, false },
        { "lash@mesh:8x8", 17472, false },
        { "lash@torus:8x8", 12352, false },
        { "tor@torus:8x8", 12352, true },
        { "lash-tor:layers=3@torus:8x8", 12352, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        problem_open_example(&problem, cases[i].name);
        const struct ledger ledger = ledger_of(&problem.routing);
        TOPOLOGY_CHECK(ledger.pairs == 4032 &&
                           ledger.within + ledger.transitions == cases[i].sum &&
                           (ledger.transitions > 0) == cases[i].has_transitions,
                       "%s: %u pairs, %u within, %u transitions", cases[i].name,
                       (unsigned)ledger.pairs, (unsigned)ledger.within,
                       (unsigned)ledger.transitions);
        problem_close(&problem);
    }
    struct problem problem;
    problem_open_example(&problem, "lash-tor:layers=2@torus:8x8");
    const struct ledger ledger = ledger_of(&problem.routing);
    assert_true(ledger.transitions > 0);
    assert_true(ledger.within + ledger.transitions > 12352);
    problem_close(&problem);
}

/* Where one layer would be enough, four are filled equally. */
static void test_lash_tor_balances(void **state)
{
    (void)state;
    struct problem problem;
    problem_open_example(&problem, "lash-tor@mesh:8x8");
    const struct ledger ledger = ledger_of(&problem.routing);
    for (size_t l = 0; l < 4; l++)
        assert_int_equal(ledger.of_class[l], 1008);
    problem_close(&problem);
}

/* On a k-ary n-tree, with k^(n-1) leaves and the same number of roots, which
 * are the last routers, d-mod-k sends the packets for each leaf over a root of
 * its own. So each root has the same number of pairs: those of the leaf with
 * the leaves that no lower router joins with it. */
static void test_ftree_is_even(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t leaves, pairs;
    } cases[] = { { "ftree@fattree:k=4,n=2", 4, 3 },
                  { "ftree@fattree:k=2,n=3", 4, 2 },
                  { "ftree@fattree:k=4,n=3", 16, 12 },
                  { "ftree@fattree:k=3,n=4", 27, 18 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        uint32_t path[16], pairs[27] = { 0 };
        const uint32_t leaves = cases[i].leaves;
        problem_open_example(&problem, cases[i].name);
        const struct nb_topology *topology = &problem.topology;
        const uint32_t root = (uint32_t)topology->router_count - leaves;
        for (uint32_t d = 0; d < leaves; d++)
            for (uint32_t s = 0; s < leaves; s++) {
                const size_t length =
                    s == d ? 0
                           : nb_table_ways_path(&problem.routing, s, d, path,
                                                NULL);
                for (size_t h = 0; h < length; h++)
                    if (topology->channels[path[h]].target >= root)
                        pairs[topology->channels[path[h]].target - root]++;
            }
        for (uint32_t r = 0; r < leaves; r++)
            TOPOLOGY_CHECK(pairs[r] == cases[i].pairs, "%s, root %u: %u",
                           cases[i].name, r, pairs[r]);
        problem_close(&problem);
    }
}

static void check_is_free(const struct problem *problem, const char *name)
{
    struct vc_dependencies found;
    vc_dependencies_open(&found, &problem->routing, name);
    TOPOLOGY_CHECK(dependencies_are_acyclic(&found.graph, NULL), "%s", name);
    vc_dependencies_close(&found);
}

/* No cycle of dependencies, and every pair is routed, or the walk would
 * fail. */
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
        "sr:segments=shortest-drawn,seed=5",
        "sr:segments=walk,seed=5",
        "lash-tor:layers=3,paths=4",
        "updown:root=random",
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
        graph_links(&random, n, more, text, sizeof text);
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

/* What is not permitted, and the message. */
static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *routing, *message;
    } cases[] = {
        { "ring:5", "dfsssp:layers=1",
          "routing dfsssp: layers=1 is too few for this network (permitted: 2 "
          "to 64)" },
        { "mesh:3x3", "updown:root=9",
          "routing updown: root=9 is not a router (permitted: names or numbers "
          "of routers that have not failed, joined by +; auto or random)" },
        { "mesh:3x3", "ftree:root=0+8",
          "routing ftree: topology mesh:3x3 is not a fat tree (permitted: a "
          "network in which any two routers with terminals have a root above "
          "both; root=... names the roots)" },
        { "ring:6", "updown:root=0+3",
          "no path of permitted turns leads from router 3 to router 0 "
          "(permitted: other roots)" },
        { "ring:6", "updown:root=0+3,tables=router",
          "no path of permitted turns leads from router 3 to router 0 "
          "(permitted: other roots)" },
        { "mesh:3x3", "nue:root=0+8",
          "routing nue: topology mesh:3x3 is not a fat tree (permitted: one "
          "root, or several with one above any two routers with terminals)" },
        { "file:data/topologies/kautz-igraph.graphml,directed=yes", "sr",
          "routing sr: topology "
          "file:data/topologies/kautz-igraph.graphml,directed=yes is "
          "not one whose links are all bidirectional" },
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

/* Each of the schemes immediately refuses networks too large for tables. */
static void test_memory_is_asked_for(void **state)
{
    (void)state;
    static const char *const schemes[] = {
        "minhop",   "updown", "updown:tables=router",
        "tor",      "lash",   "dfsssp",
        "lash-tor", "sr",     "ftree",
        "nue",
    };
    struct nb_topology topology;
    assert_int_equal(nb_topology_build("ring:1000000", &topology, NULL), NB_OK);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct nb_routing routing;
        struct nb_error err = { 0 };
        TOPOLOGY_CHECK(
            nb_routing_build(schemes[i], &topology, &routing, &err) ==
                    NB_NO_MEMORY &&
                strstr(err.message, "tables of a routing: needs 286102") ==
                    err.message,
            "%s: %s", schemes[i], err.message);
    }
    nb_topology_release(&topology);
}

/* The maximum number of pairs of hosts over a channel between switches. */
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

/* Compared with opensm 3.3.23 on the same networks: no more layers than its
 * lash and dfsssp need, and no more pairs on a cable than with the best of all
 * its engines. */
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
        cmocka_unit_test(test_segments_between_bridges),
        cmocka_unit_test(test_lash_tor_ledger),
        cmocka_unit_test(test_lash_tor_balances),
        cmocka_unit_test(test_ftree_is_even),
        cmocka_unit_test(test_random_networks_are_free),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory_is_asked_for),
        cmocka_unit_test(test_beside_opensm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
