/* Networks from files: the shipped ones, edge lists, and files refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/text.h"
#include "topology/metrics.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Counted by eye in the files, and by the programs that wrote them. */
static const struct {
    const char *specification;
    size_t routers, channels, terminals;
    uint32_t diameter;
    struct nb_ratio bandwidth; /* the sum over channels */
} shipped[] = {
    { "file:data/topologies/abilene.txt", 11, 28, 11, 5, { 53, 2 } },
    { "file:data/topologies/abilene.txt,directed=no,terminals=3",
      11,
      28,
      33,
      5,
      { 53, 2 } },
    { "file:data/topologies/ring-directed.csv,directed=yes",
      5,
      6,
      5,
      4,
      { 11, 2 } },
    { "file:data/topologies/ring-directed.csv,bandwidth=2",
      5,
      12,
      5,
      2,
      { 21, 1 } },
    /* Terminals 0, 1, 2 at three routers, those of the parameter at seven. */
    { "file:data/topologies/petersen-networkx.graphml",
      10,
      30,
      10,
      2,
      { 55, 1 } },
    { "file:data/topologies/petersen-networkx.graphml,terminals=4,"
      "bandwidth=1/2",
      10,
      30,
      31,
      2,
      { 50, 1 } },
    { "file:data/topologies/kautz-igraph.graphml,directed=yes,terminals=2",
      12,
      24,
      24,
      3,
      { 24, 1 } },
    { "file:data/topologies/fat-tree-igraph.graphml",
      15,
      28,
      16,
      6,
      { 48, 1 } },
};

static void test_shipped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        const char *name = shipped[i].specification;
        struct nb_topology topology = { 0 };
        struct nb_distance_summary distance;
        struct nb_ratio sum = nb_ratio_zero;
        topology_must_build(name, &topology);
        for (size_t c = 0; c < topology.channel_count; c++)
            sum = nb_ratio_add(sum, topology.channels[c].bandwidth);
        assert_int_equal(nb_distance_search(&topology, &distance, NULL), NB_OK);
        TOPOLOGY_CHECK(topology.router_count == shipped[i].routers &&
                           topology.channel_count == shipped[i].channels &&
                           topology.terminal_count == shipped[i].terminals,
                       "%s: %zu routers, %zu channels, %zu terminals", name,
                       topology.router_count, topology.channel_count,
                       topology.terminal_count);
        TOPOLOGY_CHECK(distance.diameter == shipped[i].diameter, "%s: %u", name,
                       distance.diameter);
        TOPOLOGY_CHECK(nb_ratio_compare(sum, shipped[i].bandwidth) == 0,
                       "%s: bandwidths sum to %g", name, nb_ratio_value(sum));
        nb_topology_release(&topology);
    }
}

/* A network of one kind, written as an edge list and read back. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const names[] = { "torus:4x3", "complete:6", "ccc:3",
                                         "mesh:2x2x3,bandwidth=3/7" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_topology built = { 0 }, read = { 0 };
        struct nb_text text = { 0 };
        topology_must_build(names[i], &built);
        for (size_t c = built.channel_count; c-- > 0;) {
            char bandwidth[NB_RATIO_TEXT];
            nb_ratio_print(built.channels[c].bandwidth, bandwidth);
            nb_text_print(&text, "%u,%u,%s\r\n", built.channels[c].source,
                          built.channels[c].target, bandwidth);
        }
        assert_int_equal(nb_text_check(&text, NULL), NB_OK);
        topology_must_build_file(text.bytes, ".csv", ",directed=yes", &read);
        TOPOLOGY_CHECK(topology_same_channels(&built, &read, NULL), "%s",
                       names[i]);
        nb_text_release(&text);
        nb_topology_release(&built);
        nb_topology_release(&read);
    }
}

/* Whole numbers 0..n-1 name themselves; other names are numbered by
 * appearance. */
static void test_names(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file("\xEF\xBB\xBF# comment\n\n 2\t1 # another\n1,0",
                             ".txt", "", &topology);
    assert_int_equal(topology.router_count, 3);
    assert_int_equal(topology.out_start[2] - topology.out_start[1], 2);
    nb_topology_release(&topology);
    topology_must_build_file("2 0\n0 01", ".txt", "", &topology);
    assert_int_equal(topology.out_start[2] - topology.out_start[1], 2);
    assert_int_equal(topology.channels[0].target, 1);
    nb_topology_release(&topology);
    topology_must_build_file("5 9\n9 7\n", ".txt", "", &topology);
    assert_int_equal(topology.router_count, 3);
    assert_int_equal(topology.out_start[2] - topology.out_start[1], 2);
    nb_topology_release(&topology);
}

static void test_parallel_edges(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file("a b 1/3\na b 2e-1\n", ".txt", "", &topology);
    assert_int_equal(topology.channel_count, 4);
    assert_int_equal(topology.channels[0].bandwidth.denominator, 3);
    assert_int_equal(topology.channels[1].bandwidth.denominator, 5);
    nb_topology_release(&topology);
}

static const struct topology_refusal refused[] = {
    { "", ".txt", "", NB_INVALID, { "0 routers", "at least 2" } },
    { "# nothing\n", ".txt", "", NB_INVALID, { "0 routers" } },
    { "a b\nc\n", ".txt", "", NB_INVALID, { ":2: ", "\"c\"" } },
    { "a b 1 2\n", ".txt", "", NB_INVALID, { ":1: ", "\"a\"" } },
    { "a b 0\n", ".txt", "", NB_INVALID, { ":1: ", "\"0\"", "> 0" } },
    { "a b -2\n", ".txt", "", NB_INVALID, { ":1: ", "\"-2\"" } },
    { "a b nan\n", ".txt", "", NB_INVALID, { ":1: ", "\"nan\"" } },
    { "a b inf\n", ".txt", "", NB_INVALID, { ":1: ", "\"inf\"" } },
    { "a b 1x\n", ".txt", "", NB_INVALID, { ":1: ", "\"1x\"" } },
    { "a b 1e-30\n", ".txt", "", NB_OVERFLOW, { ":1: ", "\"1e-30\"" } },
    { "a b\nc d\n",
      ".txt",
      "",
      NB_INVALID,
      { "2 parts", "2 routers with \"a\", 2 with \"c\"" } },
    { "a b\nb c\n",
      ".txt",
      ",directed=yes",
      NB_INVALID,
      { "\"a\" is not reached from router \"b\"" } },
    { "0 1\n2 3\n", ".txt", "", NB_INVALID, { "\"2\"", "\"0\"" } },
    { "a b\n", ".txt", ",directed=maybe", NB_INVALID, { "maybe" } },
    { "a b\n", ".graphml", "", NB_INVALID, { ":1: " } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

static void test_unreadable(void **state)
{
    (void)state;
    static const char *const missing[] = { "/nonexistent/graph.txt", NULL };
    static const char *const folder[] = { "directory", NULL };
    static const char *const path[] = { "path", NULL };
    topology_must_refuse("file:/nonexistent/graph.txt", NB_IO, missing);
    topology_must_refuse("file:/", NB_IO, folder);
    topology_must_refuse("file", NB_INVALID, path);
}

static void test_zero_byte(void **state)
{
    (void)state;
    static const char *const texts[] = { "(permitted: text)", NULL };
    char specification[TOPOLOGY_WORD];
    const int length = snprintf(specification, sizeof specification,
                                "file:/tmp/netbound-zero-%ld", (long)getpid());
    assert_true(length > 0);
    const char *path = specification + strlen("file:");
    assert_int_equal(nb_file_write(path, "a b\0c d\n", 8, NULL), NB_OK);
    topology_must_refuse(specification, NB_INVALID, texts);
    unlink(path);
}

/* Tens of thousands of names. */
static void test_long_cycle(void **state)
{
    (void)state;
    enum { ROUTERS = 20000 };
    struct nb_text text = { 0 };
    for (unsigned r = 0; r < ROUTERS; r++)
        nb_text_print(&text, "router-%u router-%u\n", r * 7 % ROUTERS,
                      (r + 1) * 7 % ROUTERS);
    assert_int_equal(nb_text_check(&text, NULL), NB_OK);
    struct nb_topology topology = { 0 };
    topology_must_build_file(text.bytes, ".txt", "", &topology);
    assert_int_equal(topology.router_count, ROUTERS);
    for (uint32_t c = 0; c < topology.channel_count; c++) {
        const uint32_t gap = (topology.channels[c].target + ROUTERS -
                              topology.channels[c].source) %
                             ROUTERS;
        assert_true(gap == 1 || gap == ROUTERS - 1);
    }
    nb_topology_release(&topology);
    nb_text_release(&text);
}

static void test_names_are_kept(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    assert_int_equal(
        nb_topology_build("file:data/topologies/abilene.txt", &topology, NULL),
        NB_OK);
    assert_string_equal(nb_router_name(&topology, 0), "Seattle");
    assert_string_equal(nb_router_name(&topology, 6), "Indianapolis");
    nb_topology_release(&topology);
    /* Numbers are names only if they differ from the routers' numbers. */
    topology_must_build_file("0 1\n1 2\n", ".txt", "", &topology);
    assert_null(nb_router_name(&topology, 1));
    nb_topology_release(&topology);
    topology_must_build_file("7 1\n1 2\n", ".txt", "", &topology);
    assert_string_equal(nb_router_name(&topology, 0), "7");
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_parallel_edges),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_zero_byte),
        cmocka_unit_test(test_long_cycle),
        cmocka_unit_test(test_names_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
