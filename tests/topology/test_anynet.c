/* anynet files: correct files, and those refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "support/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The expected network: its channels as "source>target" of every router in
 * turn, and the terminals of every router. */
static const struct {
    const char *text;
    size_t routers;
    const char *channels;
    uint32_t terminals[5];
} networks[] = {
    /* Stated at one end, linked both ways. */
    { "router 0 node 0 node 1 node 2 router 1\n"
      "router 1 node 3 node 4 node 5\n"
      "router 2 node 6 node 7 node 8 router 1 router 0\n",
      3,
      "0>1 0>2 1>0 1>2 2>0 2>1 ",
      { 3, 3, 3 } },
    /* Stated at both ends, or twice: one link; latencies change nothing. */
    { "router 0 node 0 5 router 1 15 router 1\n"
      "router 1 router 0 3\nrouter 1 node 1 1 router 2 2147483647",
      3,
      "0>1 1>0 1>2 2>1 ",
      { 1, 1, 0 } },
    /* A line may begin with a node, and state a node twice. */
    { "\n node 0  router 1 \r\n\trouter 1\trouter 0 7\r\nnode 0 router 1 9\n\n",
      2,
      "0>1 1>0 ",
      { 0, 1 } },
    /* A line may name only a router. Leading zeros are ignored. */
    { "router 002\nrouter 1 node 00 router 02 router 0\n",
      3,
      "0>1 1>0 1>2 2>1 ",
      { 0, 1, 0 } },
    /* Nodes in any order count at their routers. */
    { "router 1 node 2 node 0 router 0\nrouter 0 node 3 node 1 node 4\n",
      2,
      "0>1 1>0 ",
      { 3, 2 } },
};

static void check_network(const struct nb_topology *topology, size_t index)
{
    struct nb_text found = { 0 };
    assert_int_equal(topology->router_count, networks[index].routers);
    for (size_t r = 0; r < topology->router_count; r++)
        assert_int_equal(topology->terminals[r], networks[index].terminals[r]);
    for (size_t c = 0; c < topology->channel_count; c++) {
        nb_text_print(&found, "%u>%u ", topology->channels[c].source,
                      topology->channels[c].target);
        assert_int_equal(nb_ratio_compare(topology->channels[c].bandwidth,
                                          (struct nb_ratio){ 3, 2 }),
                         0);
    }
    assert_string_equal(found.bytes, networks[index].channels);
    nb_text_release(&found);
    assert_null(nb_router_name(topology, 0));
}

static void links_are_read_as_booksim_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(networks[i].text, ".anynet",
                                 ",terminals=4,directed=yes,bandwidth=3/2",
                                 &topology);
        check_network(&topology, i);
        nb_topology_release(&topology);
    }
}

/* Recognised by content where the name does not decide; edge lists are never
 * taken for anynet. */
static void format_is_recognised(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file(networks[0].text, ".txt", ",bandwidth=3/2",
                             &topology);
    check_network(&topology, 0);
    nb_topology_release(&topology);
    topology_must_build_file(networks[3].text, ".txt",
                             ",format=anynet,bandwidth=3/2", &topology);
    check_network(&topology, 3);
    nb_topology_release(&topology);
    topology_must_build_file("router 0\nnode 1\n0 node\n", ".txt", "",
                             &topology);
    assert_string_equal(nb_router_name(&topology, 0), "router");
    assert_int_equal(topology.channel_count, 6);
    nb_topology_release(&topology);
    topology_must_build_file("a b 2\n", ".anynet", ",format=edges", &topology);
    assert_int_equal(topology.channel_count, 2);
    nb_topology_release(&topology);
    topology_must_build_file("<graphml><graph><node id='a'/><node id='b'/>"
                             "<edge source='a' target='b'/></graph></graphml>",
                             ".anynet", ",format=graphml", &topology);
    assert_int_equal(topology.channel_count, 2);
    nb_topology_release(&topology);
}

static void terminals_may_have_a_bandwidth(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file(networks[0].text, ".anynet",
                             ",terminal-bandwidth=2/3", &topology);
    assert_int_equal(topology.terminal_bandwidth.numerator, 2);
    assert_int_equal(topology.terminal_bandwidth.denominator, 3);
    nb_topology_release(&topology);
    topology_must_build_file(networks[0].text, ".anynet",
                             ",terminal-bandwidth=unlimited", &topology);
    assert_false(nb_ratio_is_known(topology.terminal_bandwidth));
    nb_topology_release(&topology);
}

#define ANYNET(text, ...)                                                      \
    {                                                                          \
        text, ".anynet", "", NB_INVALID,                                       \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }

static const struct topology_refusal refused[] = {
    ANYNET("", "0 routers", "at least 2"),
    ANYNET("router 0 node 0\n", "1 router (", "at least 2"),
    ANYNET("router 0 router 1\n", "0 terminals"),
    ANYNET("Router 0 node 0\n", ":1: ", "\"Router\"", "router or node"),
    ANYNET("router 0 node 0\n# x\n", ":2: ", "\"#\"", "router or node"),
    ANYNET("router\n", ":1: it ends after \"router\"", "a number"),
    ANYNET("router 0 router 1 node\n", ":1: it ends after \"node\""),
    ANYNET("router x node 0\n", ":1: ", "router \"x\"", "from 0 to 4294967294"),
    ANYNET("router 0 node -1\n", ":1: ", "node \"-1\"", "whole number"),
    ANYNET("router 4294967295 node 0\n", ":1: ", "\"4294967295\""),
    ANYNET("router 0 1 node 0\n", ":1: ", "\"1\"", "router or node"),
    ANYNET("router 0 node 0\n\nrouter 0 router 1 0\n", ":3: ", "\"0\"",
           "latency from 1 to 2147483647"),
    ANYNET("router 0 router 1 2147483648\n", ":1: ", "\"2147483648\""),
    ANYNET("router 0 router 1 1.5\n", ":1: ", "\"1.5\"", "latency"),
    ANYNET("router 0 router 1 5 6\n", ":1: ", "\"6\"", "router or node"),
    ANYNET("router 0 router 1 rooter 2\n", ":1: ", "\"rooter\"",
           "router, node, or one latency"),
    ANYNET("router 0 node 0\nnode 0 node 1\n",
           ":2: ", "node 0 is linked with node 1", "with a router"),
    ANYNET("router 0 node 0 router 1\nnode 1 router 0\nrouter 1 node 0\n",
           ":3: ", "node 0 is linked with router 1",
           "on line 1 with router 0 (permitted: one"),
    ANYNET("router 0 node 0 router 1\nrouter 1 node 2\n",
           ":2: ", "a node 2 but no node 1", "0, 1, 2"),
    ANYNET("router 0 node 1 router 1\n", ":1: ", "a node 1 but no node 0"),
    ANYNET("router 0 node 0 router 2\n", "a router 2 but no router 1",
           "0, 1, 2"),
    ANYNET("router 1 node 0 router 2\n", "a router 2 but no router 0"),
    ANYNET("router 0 node 0 router 1\nrouter 2 router 3\n", "2 parts",
           "2 routers with \"0\"", "2 with \"2\""),
    { "router 0 node 0\n",
      ".txt",
      ",format=anynets",
      NB_INVALID,
      { "\"anynets\"", "auto", "anynet" } },
    { "router 0 node 0 router 1\n",
      ".txt",
      ",terminal-bandwidth=0",
      NB_INVALID,
      { "terminal-bandwidth \"0\"", "unlimited", "> 0" } },
    { "router 0 node 0 router 1\n",
      ".txt",
      ",terminal-bandwidth=inf",
      NB_INVALID,
      { "terminal-bandwidth \"inf\"" } },
};

static void other_lines_are_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

static void zero_bytes_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "(permitted: text)", NULL };
    static const char bytes[] = "router 0 node 0 router 1\0\n";
    char path[NB_SCRATCH_FILE], specification[TOPOLOGY_WORD];
    nb_scratch_file(path, ".anynet", "");
    nb_scratch_write(path, bytes, sizeof bytes - 1);
    snprintf(specification, sizeof specification, "file:%s", path);
    topology_must_refuse(specification, NB_INVALID, texts);
    unlink(path);
}

/* A file with bytes changed, removed or inserted: either a network, or one line
 * that names the file and no memory leak. */
static void damaged_files_are_read_or_refused(void **state)
{
    (void)state;
    static const char spare[] = " \n\t0129-.#<rno";
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct nb_random random;
        struct nb_topology topology = { 0 };
        struct nb_error error = { 0 };
        char text[256], path[NB_SCRATCH_FILE], specification[TOPOLOGY_WORD];
        nb_random_init(&random, seed, 0);
        snprintf(text, sizeof text, "%s", networks[seed % 5].text);
        for (uint64_t i = nb_random_below(&random, 3) + 1; i > 0; i--) {
            const size_t at = (size_t)nb_random_below(&random, strlen(text));
            const char byte = spare[nb_random_below(&random, sizeof spare - 1)];
            if (nb_random_below(&random, 3) == 0)
                memmove(text + at, text + at + 1, strlen(text + at));
            else
                text[at] = byte;
        }
        nb_scratch_file(path, ".anynet", text);
        snprintf(specification, sizeof specification, "file:%s", path);
        if (nb_topology_build(specification, &topology, &error) != NB_OK)
            TOPOLOGY_CHECK(strstr(error.message, path) != NULL &&
                               strchr(error.message, '\n') == NULL,
                           "seed %" PRIu64 ": %s", seed, error.message);
        nb_topology_release(&topology);
        unlink(path);
        TOPOLOGY_CHECK(nb_memory_live_blocks() == 0, "seed %" PRIu64, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_read_as_booksim_does),
        cmocka_unit_test(format_is_recognised),
        cmocka_unit_test(terminals_may_have_a_bandwidth),
        cmocka_unit_test(other_lines_are_refused),
        cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
