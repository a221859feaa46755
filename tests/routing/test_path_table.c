/* Path tables: writing and reading return the same table, and invalid tables
 * are refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/graphs.h"
#include "../support/path_cases.h"
#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "core/memory.h"

#include <string.h>
#include <unistd.h>

/* Routers 0, 1, 2 in a ring of links, two of them between 0 and 1; router 3 has
 * no terminals. */
static const char small_network[] =
    "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminals\"/>"
    "<graph edgedefault=\"undirected\">"
    "<node id=\"0\"/><node id=\"1\"/><node id=\"2\"/>"
    "<node id=\"3\"><data key=\"t\">0</data></node>"
    "<edge source=\"0\" target=\"1\"/><edge source=\"0\" target=\"1\"/>"
    "<edge source=\"1\" target=\"2\"/><edge source=\"2\" target=\"0\"/>"
    "<edge source=\"2\" target=\"3\"/>"
    "</graph></graphml>";

#define HEADER "source,destination,weight,path\n"
#define REST   "0,2,1,0-2\n1,2,1,1-2\n2,0,1,2-0\n2,1,1,2-1\n"
#define SMALL  "0,1,1,0-1\n1,0,1,1-0\n" REST

/* Reads a text as if it were a file. */
static enum nb_status table_read(const struct nb_topology *topology,
                                 const char *text, struct nb_path_table *table,
                                 struct nb_error *error)
{
    char path[NB_SCRATCH_FILE];
    nb_scratch_file(path, ".csv", text);
    const enum nb_status status =
        nb_path_table_read(topology, path, table, error);
    unlink(path);
    return status;
}

/* By destination, source and channels, no path twice. */
static bool table_ascends(const struct nb_path_table *table, size_t p)
{
    const struct nb_table_path *a = &table->path[p], *b = a + 1;
    if (a->destination != b->destination)
        return a->destination < b->destination;
    if (a->source != b->source)
        return a->source < b->source;
    for (size_t i = 0; i < a->length && i < b->length; i++) {
        const uint32_t one = table->channel[a->first + i];
        const uint32_t other = table->channel[b->first + i];
        if (one != other)
            return one < other;
    }
    return a->length < b->length;
}

static void table_check_index(const struct nb_path_table *table, uint32_t n,
                              uint64_t seed)
{
    size_t *pair = nb_new_array(n * n + 1, sizeof *pair);
    assert_non_null(pair);
    nb_path_table_index(table, n, pair);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++)
            for (size_t p = 0; p < table->path_count; p++) {
                const bool is_listed =
                    pair[d * n + s] <= p && p < pair[d * n + s + 1];
                TOPOLOGY_CHECK(is_listed == (table->path[p].source == s &&
                                             table->path[p].destination == d),
                               "seed %llu: path %zu, %u to %u",
                               (unsigned long long)seed, p, s, d);
            }
    assert_int_equal(pair[n * n], table->path_count);
    nb_delete(pair);
}

/* Every path as text and back; returns the number of texts with a rank. */
static size_t table_check_texts(const struct nb_topology *topology,
                                const struct nb_path_table *table,
                                uint64_t seed)
{
    uint32_t *channel = nb_new_array(topology->router_count, sizeof *channel);
    size_t ranks = 0;
    assert_non_null(channel);
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        const uint32_t *own = table->channel + path->first;
        struct nb_text text = { 0 };
        char wrong[NB_PATH_WRONG] = "";
        size_t length = 0;
        nb_path_print(topology, path->source, own, path->length, &text);
        assert_int_equal(nb_text_check(&text, NULL), NB_OK);
        const char *said =
            nb_path_read(topology, text.bytes, channel, &length, wrong);
        TOPOLOGY_CHECK(said == NULL && length == path->length &&
                           memcmp(channel, own, length * sizeof *own) == 0,
                       "seed %llu: \"%s\": %s", (unsigned long long)seed,
                       text.bytes, wrong);
        ranks += strchr(text.bytes, '/') != NULL;
        nb_text_release(&text);
    }
    nb_delete(channel);
    return ranks;
}

/* A table written in any order is sorted after reading. */
static void table_check_file(const struct nb_topology *topology,
                             const struct nb_path_table *table,
                             struct nb_random *random, uint64_t seed)
{
    struct nb_path_table shuffled = { 0 }, found = { 0 };
    struct nb_error error = { 0 };
    char path[NB_SCRATCH_FILE];
    const uint32_t count = (uint32_t)table->path_count;
    uint32_t *order = nb_new_array(count, sizeof *order);
    assert_non_null(order);
    nb_random_permutation(random, count, order);
    for (size_t i = 0; i < count; i++) {
        const struct nb_table_path *p = &table->path[order[i]];
        assert_int_equal(nb_path_table_add(&shuffled, p->source, p->destination,
                                           p->weight, table->channel + p->first,
                                           p->length, NULL),
                         NB_OK);
    }
    nb_scratch_file(path, ".csv", "");
    TOPOLOGY_CHECK(
        nb_path_table_write(&shuffled, topology, path, &error) == NB_OK &&
            nb_path_table_read(topology, path, &found, &error) == NB_OK,
        "seed %llu: %s", (unsigned long long)seed, error.message);
    TOPOLOGY_CHECK(path_cases_same(table, &found), "seed %llu",
                   (unsigned long long)seed);
    for (size_t i = 0; i < count; i++) /* line 1 is the header */
        TOPOLOGY_CHECK(shuffled.path[found.path[i].line - 2].source ==
                               found.path[i].source &&
                           shuffled.path[found.path[i].line - 2].weight ==
                               found.path[i].weight,
                       "seed %llu: line %u", (unsigned long long)seed,
                       found.path[i].line);
    unlink(path);
    nb_delete(order);
    nb_path_table_release(&shuffled);
    nb_path_table_release(&found);
}

static void test_random_tables_come_back(void **state)
{
    (void)state;
    static char text[1 << 16];
    size_t ranks = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct nb_topology topology;
        struct nb_path_table table;
        struct nb_random random;
        nb_random_init(&random, seed, 1);
        graph_random(seed, 2 + (uint32_t)(seed % 7), 9, text, sizeof text);
        topology_must_build_file(text, ".graphml", "", &topology);
        path_cases_draw(&topology, &random, 5, UINT64_C(1) << 53, &table);
        for (size_t p = 0; p + 1 < table.path_count; p++)
            TOPOLOGY_CHECK(table_ascends(&table, p), "seed %llu: path %zu",
                           (unsigned long long)seed, p);
        table_check_index(&table, (uint32_t)topology.router_count, seed);
        ranks += table_check_texts(&topology, &table, seed);
        table_check_file(&topology, &table, &random, seed);
        nb_path_table_release(&table);
        nb_path_table_release(&table);
        nb_topology_release(&topology);
    }
    assert_true(ranks > 100); /* there were parallel channels */
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The paths of small networks, written as by people and spreadsheets. */
static void test_other_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
    } cases[] = {
        { HEADER SMALL },
        { "\xEF\xBB\xBF" HEADER SMALL },
        { "# a comment\n\n" HEADER "\n \t\n" SMALL "# the end" },
        { "source,destination,weight,path\r\n" SMALL "\r\n" },
        { HEADER REST "0,1,1,0-1\r\n\r\n1,0,1,1-0\r" },
        { " source , destination\t,weight, path \n" SMALL },
        { HEADER REST " 0, 1 , 1,\t0-1 \n1,0,1,1-0\n" },
        { HEADER REST "1,0,1,1-0\n0,1,1,0-1/0" },
        { HEADER REST "01,0,1,1-00\n0,1,001,0-01/00\n" },
    };
    struct nb_topology topology;
    struct nb_path_table first = { 0 };
    topology_must_build_file(small_network, ".graphml", "", &topology);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_path_table table = { 0 };
        struct nb_error error = { 0 };
        TOPOLOGY_CHECK(table_read(&topology, cases[i].text, &table, &error) ==
                           NB_OK,
                       "text %zu: %s", i, error.message);
        assert_int_equal(table.path_count, 6);
        if (i == 0)
            first = table;
        TOPOLOGY_CHECK(path_cases_same(&first, &table), "text %zu", i);
        if (i > 0)
            nb_path_table_release(&table);
    }
    nb_path_table_release(&first);
    /* The second of two channels, and a router's path to itself. */
    assert_int_equal(table_read(&topology,
                                HEADER "1,0,1,1-0\n" REST "0,1,5,0-1/1\n"
                                       "2,2,3,2\n",
                                &first, NULL),
                     NB_OK);
    assert_int_equal(first.path_count, 7);
    assert_int_equal(first.path[2].weight, 5); /* 1-0, 2-0, this */
    assert_int_equal(first.channel[first.path[2].first],
                     nb_channel_find(&topology, 0, 1, 0) + 1);
    assert_int_equal(first.path[6].length, 0);
    nb_path_table_release(&first);
    nb_topology_release(&topology);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said[2];
    } cases[] = {
        { "", { "is empty", "permitted: the header" } },
        { "# nothing\n", { "is empty", "permitted: the header" } },
        { SMALL, { ":1: header \"0,1,1,0-1\" is not", "permitted: source," } },
        { "source,destination,path\n",
          { ":1: header \"source,destination,path\"", "permitted: so" } },
        { "source,destination,path,weight\n" SMALL,
          { ":1: header \"source,destination,path,w", "permitted: so" } },
        { HEADER "0,1,1\n" SMALL, { ":2: 3 values", "permitted: 4" } },
        { HEADER "0,1,1,0-1,\n" SMALL, { ":2: 5 values", "permitted: 4" } },
        { HEADER "0,1,\"1,0-1\n" SMALL, { ":2: 3 values", "permitted" } },
        { HEADER "4,1,1,0-1\n" SMALL,
          { ":2: source \"4\" is not", "of 0 to 3" } },
        { HEADER "# x\n\n0,-1,1,0-1\n" SMALL,
          { ":4: destination \"-1\" is not", "of 0 to 3" } },
        { HEADER "3,1,1,3-2-1\n" SMALL,
          { ":2: source \"3\" is not", "a router with terminals" } },
        { HEADER ",1,1,0-1\n" SMALL, { "source \"\" is not", "of 0 to 3" } },
        { HEADER "0,1,0,0-1\n" SMALL,
          { ":2: weight \"0\" is not", "from 1 to 9007199254740992" } },
        { HEADER "0,1,9007199254740993,0-1\n" SMALL,
          { "weight \"9007199254740993\"", "from 1 to 9007199254740992" } },
        { HEADER "0,1,0.5,0-1\n" SMALL,
          { "weight \"0.5\"", "a whole number from 1" } },
        { HEADER "0,1,1,\n" SMALL, { "no router at \"\"", "permitted: rout" } },
        { HEADER "0,1,1,0-\n" SMALL, { "no router at \"\"", "joined by" } },
        { HEADER "0,1,1,0--1\n" SMALL, { "no router at \"-1\"", "joined by" } },
        { HEADER "0,1,1,0 - 1\n" SMALL, { "no router at \"0 - 1\"", "join" } },
        { HEADER "0,1,1,0-1/\n" SMALL, { "no router at \"1/\"", "joined by" } },
        { HEADER "0,1,1,0/1-1\n" SMALL, { "no router at \"0/1-1", "joined" } },
        { HEADER "0,1,1,0-4-1\n" SMALL, { "no router 4", "joined by" } },
        { HEADER "0,1,1,0-4294967296-1\n" SMALL,
          { "no router 4294967296", "joined by" } },
        { HEADER "0,1,1,0-3-1\n" SMALL,
          { "no channel from router 0 to 3", "with a channel" } },
        { HEADER "0,1,1,0-1/2\n" SMALL,
          { "no channel from router 0 to 1/2", "with a channel" } },
        { HEADER "0,1,1,0-0-1\n" SMALL,
          { "no channel from router 0 to 0", "with a channel" } },
        { HEADER "0,1,1,0-2-0-1\n" SMALL, { "router 0 twice", "none twice" } },
        { HEADER "0,1,1,0-2-3-2-1\n" SMALL, { "router 2 twice", "none twi" } },
        { HEADER "0,1,1,0-2\n" SMALL,
          { "path \"0-2\" is not", "from source 0 to destination 1" } },
        { HEADER "0,1,1,2-1\n" SMALL,
          { "path \"2-1\" is not", "from source 0 to destination 1" } },
        { HEADER SMALL "0,1,7,0-1/0\n",
          { ":8: the path from router 0 to 1 repeats line 2", "once" } },
        { HEADER "0,1,1,0-1\n" REST,
          { "has no path from router 1 to 0", "at least one" } },
        { HEADER, { "has no path from router 1 to 0", "at least one" } },
        { HEADER "0,1,1,0-1\n1,0,1,1-0\n0,2,1,0-2\n1,2,1,1-2\n2,0,1,2-0\n",
          { "has no path from router 2 to 1", "at least one" } },
    };
    struct nb_topology topology;
    topology_must_build_file(small_network, ".graphml", "", &topology);
    const long before = nb_memory_live_blocks();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_path_table table = { 0 };
        struct nb_error error = { 0 };
        const enum nb_status status =
            table_read(&topology, cases[i].text, &table, &error);
        for (size_t t = 0; t < 2; t++)
            TOPOLOGY_CHECK(
                status == NB_INVALID &&
                    strstr(error.message, cases[i].said[t]) != NULL &&
                    strstr(error.message, "permitted") != NULL &&
                    strncmp(error.message, "/tmp/netbound-test-", 19) == 0,
                "case %zu: status %d, \"%s\" does not say \"%s\"", i,
                (int)status, error.message, cases[i].said[t]);
        assert_int_equal(table.path_count, 0);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    struct nb_path_table table = { 0 };
    assert_int_equal(nb_path_table_read(&topology, "/tmp", &table, NULL),
                     NB_IO);
    assert_int_equal(
        nb_path_table_write(&table, &topology, "/nowhere/t.csv", NULL), NB_IO);
    nb_topology_release(&topology);
}

/* A zero byte would hide what follows it. */
static void test_zero_byte(void **state)
{
    (void)state;
    static const char text[] = HEADER SMALL "\0" SMALL;
    char path[NB_SCRATCH_FILE];
    struct nb_topology topology;
    struct nb_path_table table = { 0 };
    struct nb_error error = { 0 };
    topology_must_build_file(small_network, ".graphml", "", &topology);
    nb_scratch_file(path, ".csv", "");
    nb_scratch_write(path, text, sizeof text - 1);
    assert_int_equal(nb_path_table_read(&topology, path, &table, &error),
                     NB_INVALID);
    assert_non_null(strstr(error.message, "is 0 (permitted: text)"));
    unlink(path);
    nb_topology_release(&topology);
}

/* nb_path_read searches the path itself, without the reader's marks. */
static void test_wrong_paths(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        { "", "no router at \"\"" },
        { "0-1-2-0", "router 0 twice" },
        { "0-2-3-2", "router 2 twice" },
        { "0-1/1-2-1/0", "router 1 twice" },
        { "1-3", "no channel from router 1 to 3" },
        { "1-0/7", "no channel from router 1 to 0/7" },
        { "5", "no router 5" },
    };
    struct nb_topology topology;
    topology_must_build_file(small_network, ".graphml", "", &topology);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t channel[4];
        size_t length;
        char wrong[NB_PATH_WRONG];
        const char *said =
            nb_path_read(&topology, cases[i].text, channel, &length, wrong);
        TOPOLOGY_CHECK(said == wrong && strcmp(said, cases[i].said) == 0,
                       "\"%s\": %s", cases[i].text, said);
    }
    nb_topology_release(&topology);
}

static void test_failing_memory(void **state)
{
    (void)state;
    char path[NB_SCRATCH_FILE];
    struct nb_topology topology;
    topology_must_build_file(small_network, ".graphml", "", &topology);
    nb_scratch_file(path, ".csv", HEADER SMALL);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY && allowed < 1000; allowed++) {
        struct nb_path_table table = { 0 };
        nb_memory_allow(allowed);
        status = nb_path_table_read(&topology, path, &table, NULL);
        if (status == NB_OK)
            status = nb_path_table_write(&table, &topology, path, NULL);
        nb_memory_allow(-1);
        nb_path_table_release(&table);
        TOPOLOGY_CHECK(nb_memory_live_blocks() == before,
                       "leaks after %ld allocations", allowed);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 6);
    unlink(path);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tables_come_back),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_zero_byte),
        cmocka_unit_test(test_wrong_paths),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
