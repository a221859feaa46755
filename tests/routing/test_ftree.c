/* ftree on a tree whose leaves have different numbers of channels up, and on
 * trees that lack cables; for k-ary n-trees see test_universal.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "routing/table_ways.h"

#include <stdio.h>

/* Routers 0 and 1 are roots, 2 and 3 lie below both, 4 and 5 are leaves below 2
 * and 3, and 6 below 3 alone. Destinations are numbered 0, 1, 2. */
static const char uneven[] = "router 0 router 2 router 3\n"
                             "router 1 router 2 router 3\n"
                             "router 4 node 0 router 2 router 3\n"
                             "router 5 node 1 router 2 router 3\n"
                             "router 6 node 2 router 3\n";

/* By hand. A leaf has up to two channels up, so the level above it divides the
 * number by 2: packets for 6, number 2, go up the first channel from a leaf,
 * and the second one from router 2. */
static void test_channels_up_differ(void **state)
{
    (void)state;
    static const struct {
        uint32_t source, destination, length, at[4];
    } cases[] = {
        { 4, 6, 4, { 2, 1, 3, 6 } }, { 5, 6, 4, { 2, 1, 3, 6 } },
        { 6, 4, 2, { 3, 4 } },       { 6, 5, 2, { 3, 5 } },
        { 4, 5, 2, { 3, 5 } },       { 5, 4, 2, { 2, 4 } },
    };
    struct problem problem;
    problem_open_file(&problem, uneven, ".anynet", "", "ftree:root=0+1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t path[7];
        assert_int_equal(nb_table_ways_path(&problem.routing, cases[i].source,
                                            cases[i].destination, path, NULL),
                         cases[i].length);
        for (size_t h = 0; h < cases[i].length; h++)
            assert_int_equal(problem.topology.channels[path[h]].target,
                             cases[i].at[h]);
    }
    problem_close(&problem);
}

/* A path goes up level by level and then down; levels are those of the tree
 * before cables failed. */
static void check_path(const struct nb_routing *routing, uint32_t source,
                       uint32_t destination, const char *name)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t words = topology->tree.words;
    uint32_t path[64], level = source / words;
    bool is_down = false;
    const size_t length =
        nb_table_ways_path(routing, source, destination, path, NULL);
    TOPOLOGY_CHECK(length > 0, "%s: no path from %u to %u", name, source,
                   destination);
    for (size_t h = 0; h < length; h++) {
        const uint32_t to = topology->channels[path[h]].target;
        const bool rises = to / words == level + 1;
        TOPOLOGY_CHECK(rises != (to / words + 1 == level) &&
                           !(rises && is_down),
                       "%s: %u to %u, hop %zu", name, source, destination, h);
        is_down = !rises;
        level = to / words;
    }
    assert_int_equal(topology->channels[path[length - 1]].target, destination);
}

/* Trees that lack cables keep all their roots: every scheme that goes up and
 * then down does so by levels, and reaches all. */
static void test_missing_cables(void **state)
{
    static const char *const schemes[] = { "ftree", "updown", "tor",
                                           "updown:tables=router" };
    static const char *const trees[] = { "fattree:k=3,n=3", "fattree:k=4,n=2",
                                         "fattree:k=2,n=4" };
    size_t built = 0;
    (void)state;
    for (int seed = 1; seed <= 8; seed++)
        for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
            for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
                struct nb_topology topology;
                struct nb_routing routing;
                char name[100];
                snprintf(name, sizeof name, "%s,fail=random:2,fail-seed=%d",
                         trees[t], seed);
                if (nb_topology_build(name, &topology, NULL) != NB_OK)
                    continue; /* a router lost all its cables */
                if (nb_routing_build(schemes[s], &topology, &routing, NULL) !=
                    NB_OK) {
                    nb_topology_release(&topology);
                    continue;
                }
                built++;
                const uint32_t leaves = topology.tree.words;
                for (uint32_t a = 0; a < leaves; a++)
                    for (uint32_t b = 0; b < leaves; b++)
                        if (a != b)
                            check_path(&routing, a, b, name);
                nb_routing_release(&routing);
                nb_topology_release(&topology);
            }
    assert_true(built > 80); /* of 96; others have leaves without a common
                              * router above */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels_up_differ),
        cmocka_unit_test(test_missing_cables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
