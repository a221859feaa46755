/* Necessary pairs against the distances without the channel. */
#include "load/necessary.h"

#include "../support/graphs.h"
#include "../support/necessary_matrix.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void must_find(const struct problem *problem, const char *name,
                      int threads, const struct nb_sides *sides,
                      struct nb_necessary *out)
{
    const struct nb_run run = { .threads = threads };
    struct nb_error err = { 0 };
    if (nb_necessary_find(&problem->routing, sides, &run, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
}

/* Every pair of sides once, and no other. */
static void compare_channel(const struct nb_topology *topology,
                            const struct nb_sides *sides,
                            const struct nb_necessary_pairs *pairs,
                            uint32_t channel, const char *name)
{
    static bool pair[NECESSARY_ROUTERS * NECESSARY_ROUTERS];
    const size_t n = topology->router_count;
    size_t expected = 0;
    necessary_matrix(topology, channel, pair);
    for (size_t i = 0; i < sides->count; i++)
        for (size_t j = 0; j < sides->count; j++)
            expected += pair[sides->router[i] * n + sides->router[j]];
    TOPOLOGY_CHECK(pairs->row_start[sides->count] == expected,
                   "%s: channel %u has %zu pairs, not %zu", name, channel,
                   pairs->row_start[sides->count], expected);
    for (size_t j = 0; j < sides->count; j++) {
        bool is_seen[4 * NECESSARY_ROUTERS] = { false };
        for (size_t k = pairs->row_start[j]; k < pairs->row_start[j + 1]; k++) {
            const uint32_t i = pairs->column[k];
            TOPOLOGY_CHECK(i < sides->count && !is_seen[i] &&
                               pair[sides->router[i] * n + sides->router[j]],
                           "%s: channel %u, side %u to side %zu", name, channel,
                           i, j);
            is_seen[i] = true;
        }
    }
}

/* For problems of any-minimal. */
static void compare(const struct problem *problem, const char *name)
{
    const struct nb_topology *topology = &problem->topology;
    struct nb_sides sides = { 0 };
    struct nb_necessary necessary = { 0 };
    assert_int_equal(nb_sides_find(topology, &sides, NULL), NB_OK);
    assert_true(sides.count <= 4 * NECESSARY_ROUTERS);
    must_find(problem, name, 0, &sides, &necessary);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct nb_necessary_pairs pairs = { 0 };
        assert_int_equal(nb_necessary_pairs_find(&necessary, c, &pairs, NULL),
                         NB_OK);
        compare_channel(topology, &sides, &pairs, c, name);
        nb_necessary_pairs_release(&pairs);
        nb_necessary_pairs_release(&pairs);
    }
    nb_necessary_release(&necessary);
    nb_necessary_release(&necessary);
    nb_sides_release(&sides);
}

static void agrees_on_networks(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "any-minimal@ring:3",
        "any-minimal@ring:6",
        "any-minimal@ring:7,terminals=2",
        "any-minimal@torus:4x4",
        "any-minimal@torus:5x5",
        "any-minimal@torus:3x6",
        "any-minimal@torus:2x4",
        "any-minimal@torus:2x3x4",
        "any-minimal@mesh:7",
        "any-minimal@mesh:4x4",
        "any-minimal@mesh:2x7",
        "any-minimal@mesh:3x2x3",
        "any-minimal@complete:7",
        "any-minimal@ccc:3",
        "any-minimal@ccc:4",
        "any-minimal@hypercube:5",
        "any-minimal@file:data/topologies/abilene.txt",
        "any-minimal@file:data/topologies/petersen-networkx.graphml",
        "any-minimal@file:data/topologies/kautz-igraph.graphml,directed=yes",
        "any-minimal@file:data/topologies/fat-tree-igraph.graphml",
        "any-minimal@file:data/topologies/ring-directed.csv,directed=yes",
    };
    problem_each_of(examples, sizeof examples / sizeof *examples, compare);
}

/* Different terminals at the routers, none at some; parallel channels. */
static void agrees_on_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        char text[8000], name[40];
        struct problem problem;
        graph_random(seed, 4 + (uint32_t)seed % 17, 24, text, sizeof text);
        snprintf(name, sizeof name, "random graph of seed %u", (unsigned)seed);
        problem_open_file(&problem, text, ".graphml", "", "any-minimal");
        compare(&problem, name);
        problem_close(&problem);
    }
}

static size_t count_pairs(const struct nb_necessary *necessary,
                          uint32_t channel)
{
    struct nb_necessary_pairs pairs = { 0 };
    assert_int_equal(nb_necessary_pairs_find(necessary, channel, &pairs, NULL),
                     NB_OK);
    const size_t count = pairs.row_start[necessary->sides->count];
    nb_necessary_pairs_release(&pairs);
    return count;
}

/* A one-way ring with one of its channels doubled: neither of the two is needed
 * by any pair; each other channel is needed by half of the pairs. */
static void parallel_channels_are_not_necessary(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_sides sides = { 0 };
    struct nb_necessary necessary = { 0 };
    problem_open_file(&problem, "0 1\n0 1\n1 2\n2 3\n3 0\n", ".txt",
                      ",directed=yes", "any-minimal");
    compare(&problem, "doubled channel");
    assert_int_equal(problem.topology.channel_count, 5);
    assert_int_equal(nb_sides_find(&problem.topology, &sides, NULL), NB_OK);
    must_find(&problem, "doubled channel", 1, &sides, &necessary);
    for (uint32_t c = 0; c < 5; c++) {
        const bool is_doubled = problem.topology.channels[c].source == 0;
        assert_int_equal(count_pairs(&necessary, c), is_doubled ? 0 : 6);
    }
    nb_necessary_release(&necessary);
    nb_sides_release(&sides);
    problem_close(&problem);
}

static void does_not_depend_on_threads(void **state)
{
    (void)state;
    static const char *const cases[] = { "any-minimal@mesh:5x4",
                                         "any-minimal@ccc:4" };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct problem problem;
        struct nb_sides sides = { 0 };
        struct nb_necessary one = { 0 }, four = { 0 };
        problem_open_example(&problem, cases[k]);
        assert_int_equal(nb_sides_find(&problem.topology, &sides, NULL), NB_OK);
        must_find(&problem, cases[k], 1, &sides, &one);
        must_find(&problem, cases[k], 4, &sides, &four);
        const size_t n = problem.topology.router_count;
        const size_t bytes = one.tree_count * n * sizeof(uint32_t);
        assert_true(one.tree_count < n);
        assert_int_equal(one.tree_count, four.tree_count);
        assert_memory_equal(one.only, four.only, bytes);
        assert_memory_equal(one.place, four.place, bytes);
        assert_memory_equal(one.extent, four.extent, bytes);
        assert_memory_equal(one.list, four.list, bytes);
        nb_necessary_release(&one);
        nb_necessary_release(&four);
        nb_sides_release(&sides);
        problem_close(&problem);
    }
}

static enum nb_status try_everything(const struct problem *problem)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_sides sides = { 0 };
    struct nb_necessary necessary = { 0 };
    struct nb_necessary_pairs pairs = { 0 };
    enum nb_status status = nb_sides_find(&problem->topology, &sides, NULL);
    if (status == NB_OK)
        status = nb_necessary_find(&problem->routing, &sides, &run, &necessary,
                                   NULL);
    if (status == NB_OK)
        status = nb_necessary_pairs_find(&necessary, 0, &pairs, NULL);
    nb_necessary_pairs_release(&pairs);
    nb_necessary_release(&necessary);
    nb_sides_release(&sides);
    return status;
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    struct problem problem;
    problem_open(&problem, "mesh:3x3", "any-minimal");
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY && allowed < 1000;
         allowed++) {
        nb_memory_allow(allowed);
        status = try_everything(&problem);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_networks),
        cmocka_unit_test(agrees_on_random_graphs),
        cmocka_unit_test(parallel_channels_are_not_necessary),
        cmocka_unit_test(does_not_depend_on_threads),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
