/* Forwarding tables: the meaning of files in all formats, compared with routes
 * that opensm and its peers report, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "routing/formats/forwarding.h"
#include "routing/table_ways.h"
#include "routing/unrouted.h"
#include "topology/fabric.h"
#include "traffic/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPINES "file:data/fabrics/two-spines.ibnetdiscover"
#define RING   "file:data/fabrics/ring5.ibnetdiscover"

static uint32_t forwarding_router(const struct nb_topology *topology,
                                  const char *name)
{
    const uint32_t router = nb_router_find(topology, name, strlen(name));
    TOPOLOGY_CHECK(router != NB_NONE, "there is no \"%s\"", name);
    return router;
}

/* From the lowest LID of a router to the lowest of another. */
static enum nb_forwarding_end follow(const struct nb_forwarding *forwarding,
                                     uint32_t source, uint32_t destination,
                                     uint32_t *channel, uint8_t *class,
                                     size_t *length)
{
    return nb_forwarding_follow(forwarding, source, 0,
                                forwarding->first[destination], channel, class,
                                length);
}

/* Pairs, and the ports by which their packets leave the switches, in the format
 * of the dump; "" for a host's own ports. */
static const struct {
    const char *source, *destination, *ports;
} routes[] = {
    { "a HCA-1", "b HCA-1", "leaf 0[2] " },
    { "a HCA-1", "c HCA-1 H-0000000000000a30",
      "leaf 0[5] spine 0[3] leaf 1[1] " },
    { "a HCA-1", "c HCA-1 H-0000000000000a40",
      "leaf 0[6] spine 0[3] leaf 1[2] " },
    { "c HCA-1 H-0000000000000a30", "b HCA-1",
      "leaf 1[7] spine 1[1] leaf 0[2] " },
    { "storage HCA-1", "c HCA-1 H-0000000000000a30", "spine 1[2] leaf 1[1] " },
};

static void check_routes(const struct nb_forwarding *forwarding)
{
    const struct nb_topology *topology = forwarding->topology;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        uint32_t channel[16];
        uint8_t class[16];
        size_t length;
        struct nb_text found = { 0 };
        assert_int_equal(
            follow(forwarding, forwarding_router(topology, routes[i].source),
                   forwarding_router(topology, routes[i].destination), channel,
                   class, &length),
            NB_ARRIVES);
        for (size_t h = 1; h < length; h++) {
            const struct nb_fabric_port *port =
                nb_fabric_port_of(topology, channel[h]);
            nb_router_print(topology, port->router, &found);
            nb_text_print(&found, "[%u] ", port->port);
            assert_int_equal(class[h], 0);
        }
        assert_string_equal(found.bytes, routes[i].ports);
        nb_text_release(&found);
    }
}

/* The tables of two-spines.lft in another format; in the last one, each table
 * ends with a LID that the next has with another port. */
enum form { FDBS, DUMP_LFTS, WITHOUT_NAMES };

static void forwarding_print(enum form form, struct nb_text *text)
{
    struct nb_text dump = { 0 };
    assert_int_equal(
        nb_text_read_file("data/fabrics/two-spines.lft", 1 << 20, &dump, NULL),
        NB_OK);
    unsigned lid, port, first = 0;
    for (char *line = strtok(dump.bytes, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        char guid[32], rest[80];
        if (sscanf(line, "Unicast lids [0-9] of switch Lid %u guid %31s", &lid,
                   guid) == 2) {
            if (form == FDBS)
                nb_text_print(text,
                              "dump_ucast_routes: Switch %s\n"
                              "LID    : Port : Hops : Optimal\n",
                              guid);
            else if (form == DUMP_LFTS)
                nb_text_print(text,
                              "Unicast lids [0x0-0x9] of switch Lid %u guid %s "
                              "(x):\n  Lid  Out   Destination\n"
                              "       Port     Info \n",
                              lid, guid);
            else
                nb_text_print(text,
                              "\nUnicast lids [0-9] of switch Lid %u guid %s "
                              ":\r\n",
                              lid, guid);
        } else if (sscanf(line, "0x%x %u # %79[^\n]", &lid, &port, rest) == 3) {
            first = lid == 1 ? port : first;
            if (form == FDBS)
                nb_text_print(text, "0x%04X : %03u  : 01   : yes\n", lid, port);
            else if (form == DUMP_LFTS)
                nb_text_print(text, "0x%04x %03u : (%s)\n", lid, port, rest);
            else if (lid > 1)
                nb_text_print(text, "0x%x %u\n", lid, port);
        } else if (form == WITHOUT_NAMES) {
            nb_text_print(text, "0x1 %u\n# that is all\n", first);
        } else {
            nb_text_print(text, form == FDBS ? "0x000A : UNREACHABLE\n"
                                             : "9 valid lids dumped \n");
        }
    }
    nb_text_release(&dump);
}

static void test_forms(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_forwarding forwarding;
    topology_must_build(SPINES, &topology);
    assert_int_equal(nb_forwarding_read(&topology,
                                        "data/fabrics/two-spines.lft", false,
                                        &forwarding, NULL),
                     NB_OK);
    check_routes(&forwarding);
    nb_forwarding_release(&forwarding);
    for (int form = FDBS; form <= WITHOUT_NAMES; form++) {
        struct nb_text text = { 0 };
        char path[NB_SCRATCH_FILE];
        forwarding_print((enum form)form, &text);
        assert_true(nb_is_forwarding(text.bytes));
        nb_scratch_file(path, ".txt", text.bytes);
        assert_int_equal(
            nb_forwarding_read(&topology, path, false, &forwarding, NULL),
            NB_OK);
        check_routes(&forwarding);
        nb_forwarding_release(&forwarding);
        nb_text_release(&text);
        remove(path);
    }
    nb_topology_release(&topology);
}

/* A file that is cut anywhere except after a table is refused if an earlier
 * table has an end mark. */
static void test_cut(void **state)
{
    (void)state;
    static const char end[] = "9 lids dumped";
    struct nb_topology topology;
    struct nb_text whole = { 0 };
    topology_must_build(SPINES, &topology);
    assert_int_equal(
        nb_text_read_file("data/fabrics/two-spines.lft", 1 << 20, &whole, NULL),
        NB_OK);
    const char *first = strstr(whole.bytes, end);
    for (size_t length = (size_t)(first - whole.bytes) + strlen(end) + 1;
         length < whole.length; length++) {
        struct nb_forwarding forwarding;
        char path[NB_SCRATCH_FILE], *cut = strndup(whole.bytes, length);
        const size_t left = strlen(end) + (cut[length - 1] == '\n');
        const bool is_behind =
            strncmp(cut + length - left, end, strlen(end)) == 0;
        nb_scratch_file(path, ".lft", cut);
        const enum nb_status status =
            nb_forwarding_read(&topology, path, false, &forwarding, NULL);
        TOPOLOGY_CHECK(status == (is_behind ? NB_OK : NB_INVALID),
                       "%zu bytes: status %d", length, status);
        nb_forwarding_release(&forwarding);
        remove(path);
        free(cut);
    }
    nb_text_release(&whole);
    nb_topology_release(&topology);
}

/* LASH divides the pairs of a ring of five between two layers. */
static void test_levels(void **state)
{
    (void)state;
    struct problem problem;
    problem_open(&problem, RING, "file:data/fabrics/ring5-lash.lft");
    assert_int_equal(nb_table_ways_layers(&problem.routing), 1);
    problem_close(&problem);
    problem_open(&problem, RING,
                 "file:data/fabrics/ring5-lash.lft,"
                 "sl=data/fabrics/ring5-lash.sl");
    assert_int_equal(nb_table_ways_layers(&problem.routing), 2);
    /* LIDs 1 and 8 are h0 and h2. */
    const uint32_t h0 = forwarding_router(&problem.topology, "h0 HCA-1");
    const uint32_t h2 = forwarding_router(&problem.topology, "h2 HCA-1");
    const uint32_t h1 = forwarding_router(&problem.topology, "h1 HCA-1");
    struct nb_start start;
    (void)nb_route_starts(&problem.routing, h0, h2, &start);
    assert_int_equal(nb_table_ways_layer(&problem.routing, start.state, h0, h2),
                     1);
    (void)nb_route_starts(&problem.routing, h0, h1, &start);
    assert_int_equal(nb_table_ways_layer(&problem.routing, start.state, h0, h1),
                     0);
    problem_close(&problem);
}

#define LANES " : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n"

/* Lanes of the whole ring: the levels, except at sw1 for one direction through
 * it, and for one host. A switch and ports of it may be left out; 99: none
 * is. */
static void lanes_print(unsigned left_out, unsigned in, unsigned out,
                        struct nb_text *text)
{
    for (unsigned s = 0; s < 5; s++) {
        nb_text_print(text,
                      "Switch 0x00000000000%x, base LID 3, \"sw%u\"\n"
                      "#in out : 0  1  2  3  4  5  6  7\n",
                      0x10000 + 0x100 * s, s);
        for (unsigned i = 0; i < 16; i++)
            if (s == left_out && i / 4 == in && i % 4 == out)
                continue;
            else if (s == 1 && i == 2 * 4 + 1)
                nb_text_print(text, "2 1 : 3 4 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n");
            else if (s == 1 && i == 1 * 4 + 2)
                nb_text_print(text, "1 2 : 15 15 15 15 15 15 15 15 15 15 15 15 "
                                    "15 15 15 15\n");
            else
                nb_text_print(text, "%u %u" LANES, i / 4, i % 4);
    }
    nb_text_print(text,
                  "Channel Adapter 0x0000000001000001, base LID 1, \"h0\"\n"
                  "0 0 : 5 6 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n");
    for (unsigned h = 1; h < 5; h++)
        nb_text_print(text,
                      "Channel Adapter 0x%016x, base LID 1, \"h%u\"\n"
                      "0 0" LANES,
                      0x1000001 + 0x10 * h, h);
}

static void lanes_read(const struct nb_topology *topology, const char *path,
                       struct nb_forwarding *out)
{
    assert_int_equal(nb_forwarding_read(topology, "data/fabrics/ring5-lash.lft",
                                        false, out, NULL),
                     NB_OK);
    assert_int_equal(
        nb_forwarding_read_levels(out, "data/fabrics/ring5-lash.sl", NULL),
        NB_OK);
    assert_int_equal(nb_forwarding_read_lanes(out, path, NULL), NB_OK);
}

/* Lanes that change along the path, at one switch for one direction through
 * it. */
static void test_lanes(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_forwarding forwarding;
    struct nb_text text = { 0 };
    char path[NB_SCRATCH_FILE];
    uint32_t channel[16];
    uint8_t class[16];
    size_t length;
    topology_must_build(RING, &topology);
    lanes_print(99, 0, 0, &text);
    nb_scratch_file(path, ".txt", text.bytes);
    nb_text_release(&text);
    lanes_read(&topology, path, &forwarding);
    const uint32_t h0 = forwarding_router(&topology, "h0 HCA-1");
    const uint32_t h2 = forwarding_router(&topology, "h2 HCA-1");
    /* h0 sw0 sw1 sw2 h2 at level 1 */
    assert_int_equal(follow(&forwarding, h0, h2, channel, class, &length),
                     NB_ARRIVES);
    static const uint8_t expected[] = { 6, 1, 4, 1 };
    assert_int_equal(length, 4);
    assert_memory_equal(class, expected, sizeof expected);
    /* Lane 15 carries no data: the way back, through sw1, is dropped. */
    assert_int_equal(follow(&forwarding, h2, h0, channel, class, &length),
                     NB_IS_DROPPED);
    nb_forwarding_release(&forwarding);
    nb_topology_release(&topology);
    remove(path);
}

/* A row that a packet needs is reported if missing; others need not be
 * there. */
static void test_lanes_left_out(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_forwarding forwarding;
    uint32_t channel[16];
    uint8_t class[16];
    size_t length, lacking = 0;
    topology_must_build(RING, &topology);
    const uint32_t h0 = forwarding_router(&topology, "h0 HCA-1");
    const uint32_t h2 = forwarding_router(&topology, "h2 HCA-1");
    for (unsigned i = 0; i < 16; i++) {
        struct nb_routing routing = { .topology = &topology };
        struct nb_error err = { 0 };
        struct nb_text text = { 0 };
        char path[NB_SCRATCH_FILE], expected[64];
        lanes_print(1, i / 4, i % 4, &text);
        nb_scratch_file(path, ".txt", text.bytes);
        nb_text_release(&text);
        lanes_read(&topology, path, &forwarding);
        const enum nb_forwarding_end end =
            follow(&forwarding, h0, h2, channel, class, &length);
        assert_int_equal(end, i == 2 * 4 + 1 ? NB_HAS_NO_LANE : NB_ARRIVES);
        /* Packets through sw1 go from any of its three cables to another. */
        const bool is_used = i / 4 > 0 && i % 4 > 0 && i / 4 != i % 4;
        assert_int_equal(nb_forwarding_ways(&forwarding, &routing, &err),
                         is_used ? NB_INVALID : NB_OK);
        snprintf(expected, sizeof expected,
                 "from port %u to port %u of \"sw1\"", i / 4, i % 4);
        assert_true(!is_used || (strstr(err.message, expected) != NULL &&
                                 strstr(err.message, path) != NULL));
        lacking += is_used;
        nb_routing_release(&routing);
        nb_forwarding_release(&forwarding);
        remove(path);
    }
    assert_int_equal(lacking, 6);
    nb_topology_release(&topology);
}

/* Switches that send packets in a loop, or nowhere: the pairs are not routed,
 * which is no error. */
static void test_unrouted(void **state)
{
    (void)state;
    static const char tables[] =
        "Unicast lids [0-9] of switch Lid 1 guid 0x100 ('leaf 0'):\n"
        "0x0005 001\n0x0006 002\n0x0007 005\n0x0008 255\n0x0009 004\n"
        "Unicast lids [0-9] of switch Lid 3 guid 0x300 ('spine 0'):\n"
        "0x0007 002\n";
    struct problem problem;
    struct nb_forwarding forwarding;
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_FILE], routing[NB_SCRATCH_FILE + 8];
    uint32_t channel[16];
    uint8_t class[16];
    size_t length;
    nb_scratch_file(path, ".lft", tables);
    snprintf(routing, sizeof routing, "file:%s", path);
    problem_open(&problem, SPINES, routing);
    assert_int_equal(nb_routes_require(&problem.routing, NULL, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "18 of 20 pairs"));
    /* From both hosts of leaf 0 to the host with LID 7. */
    assert_int_equal(problem.routing.circling, 2);
    assert_int_equal(
        nb_forwarding_read(&problem.topology, path, false, &forwarding, NULL),
        NB_OK);
    const uint32_t a = forwarding_router(&problem.topology, "a HCA-1");
    static const struct {
        const char *destination;
        enum nb_forwarding_end end;
    } ends[] = { { "b HCA-1", NB_ARRIVES },
                 { "c HCA-1 H-0000000000000a30", NB_GOES_ROUND },
                 { "c HCA-1 H-0000000000000a40", NB_IS_DROPPED },
                 { "storage HCA-1", NB_IS_DROPPED } };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        assert_int_equal(
            follow(&forwarding, a,
                   forwarding_router(&problem.topology, ends[i].destination),
                   channel, class, &length),
            ends[i].end);
    nb_forwarding_release(&forwarding);
    problem_close(&problem);
    remove(path);
}

static void must_refuse(const char *topology_text, const char *tables,
                        const char *parameters, const char *const *texts)
{
    struct nb_topology topology;
    struct nb_routing routing = { 0 };
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_FILE], text[NB_SCRATCH_PATH];
    topology_must_build(topology_text, &topology);
    nb_scratch_file(path, ".lft", tables);
    snprintf(text, sizeof text, "file:%s,%s", path, parameters);
    const long blocks = nb_memory_live_blocks();
    assert_int_equal(nb_routing_build(text, &topology, &routing, &err),
                     NB_INVALID);
    for (; *texts != NULL; texts++)
        TOPOLOGY_CHECK(strstr(err.message, *texts) != NULL,
                       "\"%s\" does not say \"%s\"", err.message, *texts);
    assert_int_equal(nb_memory_live_blocks(), blocks);
    nb_routing_release(&routing);
    nb_topology_release(&topology);
    remove(path);
}

#define HEAD "Unicast lids [0-9] of switch Lid 1 guid 0x100 ('leaf 0'):\n"

static const struct {
    const char *topology, *tables;
    const char *texts[4];
} refused[] = {
    { SPINES, HEAD "0x0005 009\n", { ":2: ", "\"009\"", "0 to 8" } },
    { SPINES, HEAD "0x0005 x\n", { ":2: ", "\"x\"" } },
    { SPINES, HEAD "0x0000 001\n", { ":2: ", "0x0001 to 0xBFFF" } },
    { SPINES, HEAD "0x0005 001\n" HEAD, { ":3: ", "\"leaf 0\"", "twice" } },
    { SPINES, "Switch 0x700\n", { ":1: ", "0x0000000000000700" } },
    { SPINES, "Switch 0xa50\n", { ":1: ", "no switch" } },
    { SPINES, "0x0005 001\n", { ":1: ", "before any switch" } },
    { SPINES, HEAD "what\n", { ":2: ", "\"what\"" } },
    { SPINES, HEAD "0x0005 0x1\n", { ":2: ", "\"0x1\"", "0 to 8" } },
    { SPINES, HEAD "0x0005 001\n0x0005 002\n", { ":3: ", "0x0005", "port 1" } },
    { SPINES, "", { "it has no rows" } },
    { SPINES, HEAD "0x0001 001\n", { "none of its LIDs is a host's" } },
    { "file:data/fabrics/ring.net",
      "Switch 0x100\n",
      { "no switch has GUID" } },
    { "ring:5", HEAD "0x0005 001\n", { "GUIDs", "topology ring" } },
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        must_refuse(refused[i].topology, refused[i].tables, "format=lft",
                    refused[i].texts);
}

static const struct {
    const char *name, *text;
    const char *texts[4];
} refused_beside[] = {
    { "sl", "5 6\n", { ":1: ", "source LID" } },
    { "sl", "5 6 16\n", { ":1: ", "\"16\"" } },
    { "sl", "5 99999 1\n", { ":1: ", "\"99999\"" } },
    { "sl2vl", "Switch 0x100\n1 2 : 0 1 2\n", { ":2: ", "lane" } },
    { "sl2vl", "1 2 : 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 16\n", { "\"16\"" } },
    { "sl2vl", "Switch x\n", { ":1: ", "\"Switch x\"" } },
    { "sl", "# none\n", { "it is empty" } },
    { "sl", "5 6 ERR\n", { ":1: ", "\"ERR\"" } },
    { "sl", "5 6 1\n6 5 0\n99 5 1\n", { ":3: ", "LID 99" } },
    { "sl", "5 6 1\n6 5 0\n5 6 0\n", { ":3: ", "level 1" } },
    { "sl", "6 5 0\n", { "1 of 2 paths", "LID 5", "LID 6" } },
    { "sl2vl", "", { "no lanes" } },
    { "sl2vl", "Switch 0x700\n", { ":1: ", "0x0000000000000700" } },
    { "sl2vl", "Switch 0xa50\n", { ":1: ", "no switch" } },
    { "sl2vl", "Switch 0x100\n1 9" LANES, { ":2: ", "\"9\"", "0 to 8" } },
    { "sl2vl",
      "Switch 0x100\n1 2" LANES "1 2 : 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
      { "lines 2 and 3", "port 1 to port 2", "\"leaf 0\"" } },
    { "sl2vl", "Switch 0x200\n1 2" LANES, { "it has no lanes of" } },
};

static void test_refused_beside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused_beside / sizeof *refused_beside;
         i++) {
        char path[NB_SCRATCH_FILE], parameter[NB_SCRATCH_FILE + 16];
        nb_scratch_file(path, ".txt", refused_beside[i].text);
        snprintf(parameter, sizeof parameter, "%s=%s", refused_beside[i].name,
                 path);
        must_refuse(SPINES, HEAD "0x0005 001\n0x0006 002\n", parameter,
                    refused_beside[i].texts);
        remove(path);
    }
}

/* The rows of a file, read as plainly as possible: the port of each switch for
 * each LID; 255: none. */
enum { LIDS = 64 };

static void rows_read(const struct nb_topology *topology, const char *path,
                      uint32_t port[][LIDS])
{
    struct nb_text text = { 0 };
    uint32_t router = NB_NONE;
    unsigned lid, out;
    unsigned long long guid;
    memset(port, 255, topology->router_count * sizeof *port);
    assert_int_equal(nb_text_read_file(path, 1 << 20, &text, NULL), NB_OK);
    for (char *line = strtok(text.bytes, "\n"); line != NULL;
         line = strtok(NULL, "\n"))
        if (sscanf(line, "Unicast lids %*s of switch Lid %u guid %llx", &lid,
                   &guid) == 2) {
            router = nb_fabric_find_guid(topology->fabric, guid);
        } else if (sscanf(line, "0x%x %u", &lid, &out) == 2) {
            assert_in_range(lid, 1, LIDS - 1);
            port[router][lid] = out;
        }
    nb_text_release(&text);
}

/* The router behind a router on the way to a LID, and the channel there. */
static uint32_t rows_next(const struct nb_topology *topology,
                          uint32_t port[][LIDS], uint32_t router, uint32_t lid,
                          uint32_t *channel)
{
    const struct nb_fabric *fabric = topology->fabric;
    const struct nb_fabric_port *at =
        fabric->node[router].is_switch
            ? nb_fabric_find(fabric, router, port[router][lid])
            : nb_fabric_door(fabric, router);
    assert_non_null(at);
    *channel = nb_fabric_channel(topology, at);
    return at->target;
}

/* All switches have rows for all switches and hosts, and packets arrive; those
 * between hosts take the scheme's next hops. */
static void check_written(const char *topology, const char *routing)
{
    static uint32_t port[LIDS][LIDS];
    struct problem problem;
    struct nb_start start;
    char path[NB_SCRATCH_FILE];
    nb_scratch_file(path, ".lft", "");
    problem_open(&problem, topology, routing);
    assert_int_equal(nb_forwarding_write(&problem.routing, path, NULL), NB_OK);
    rows_read(&problem.topology, path, port);
    const struct nb_topology *network = &problem.topology;
    const size_t n = network->router_count;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const bool is_pair = s != d && network->terminals[s] > 0 &&
                                 network->terminals[d] > 0;
            uint32_t at = s;
            if (is_pair)
                (void)nb_route_starts(&problem.routing, s, d, &start);
            for (size_t length = 0; at != d; length++) {
                struct nb_hop hop;
                uint32_t channel;
                if (is_pair)
                    (void)nb_route_step(&problem.routing, NULL, start.state, at,
                                        d, &hop);
                at = rows_next(network, port, at,
                               nb_fabric_lid(network->fabric, d), &channel);
                assert_true(length < n);
                assert_true(!is_pair || channel == hop.channel);
                start.state = hop.next;
            }
        }
    problem_close(&problem);
    remove(path);
}

static void test_written(void **state)
{
    (void)state;
    check_written(SPINES, "minhop");
    check_written(SPINES, "file:data/fabrics/two-spines.lft");
    check_written(RING, "minhop");
}

/* The rows are those of opensm, except those for switches, and so are the
 * levels. */
static void test_written_levels(void **state)
{
    (void)state;
    struct problem problem;
    char path[NB_SCRATCH_FILE];
    struct nb_text found = { 0 }, expected = { 0 };
    nb_scratch_file(path, ".sl", "");
    problem_open(&problem, RING,
                 "file:data/fabrics/ring5-lash.lft,"
                 "sl=data/fabrics/ring5-lash.sl");
    assert_int_equal(nb_forwarding_write_levels(&problem.routing, path, NULL),
                     NB_OK);
    assert_int_equal(nb_text_read_file(path, 1 << 20, &found, NULL), NB_OK);
    assert_int_equal(nb_text_read_file("data/fabrics/ring5-lash.sl", 1 << 20,
                                       &expected, NULL),
                     NB_OK);
    assert_string_equal(found.bytes, expected.bytes);
    nb_text_release(&found);
    nb_text_release(&expected);
    problem_close(&problem);
    remove(path);
}

static const struct {
    const char *topology, *routing;
    const char *texts[3];
} not_written[] = {
    { "ring:5", "minhop", { "topology ring", "GUIDs" } },
    { "file:data/fabrics/ring.net", "minhop", { "\"east\" has none" } },
    { SPINES, "val", { "routing val, which draws" } },
    { SPINES, "min-adaptive", { "routing min-adaptive, which draws" } },
    { SPINES, "min", { "\"leaf 1\"", "more than one next hop" } },
};

static void test_not_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof not_written / sizeof *not_written; i++) {
        struct problem problem;
        struct nb_error err = { 0 };
        problem_open(&problem, not_written[i].topology, not_written[i].routing);
        assert_int_equal(
            nb_forwarding_write(&problem.routing, "/nonexistent/x.lft", &err),
            NB_INVALID);
        for (size_t t = 0; not_written[i].texts[t] != NULL; t++)
            TOPOLOGY_CHECK(strstr(err.message, not_written[i].texts[t]) != NULL,
                           "\"%s\" does not say \"%s\"", err.message,
                           not_written[i].texts[t]);
        problem_close(&problem);
    }
}

/* The maximum number of packets on a cable between switches when all hosts send
 * to all others: opensm's tables, counted by a program in Python. */
static const struct {
    const char *net, *engine;
    int most;
    unsigned layers;
} peers[] = {
    { "torus4x4", "minhop", 14, 1 },
    { "torus4x4", "updn_root", 18, 1 },
    { "torus4x4", "dor", 12, 1 },
    { "torus4x4", "lash", 12, 2 },
    { "torus4x4", "dfsssp", 13, 8 },
    { "torus4x4", "nue_auto", 12, 0 },
    { "torus6x5", "minhop", 34, 1 },
    { "torus6x5", "updn_root", 72, 1 },
    { "torus6x5", "dor", 30, 1 },
    { "torus6x5", "lash", 30, 4 },
    { "torus6x5", "dfsssp", 35, 8 },
    { "mesh4x4", "minhop", 18, 1 },
    { "mesh4x4", "updn_root", 22, 1 },
    { "mesh4x4", "dfsssp", 18, 8 },
    { "hypercube5", "minhop", 29, 1 },
    { "hypercube5", "dfsssp", 30, 8 },
    { "hypercube5", "lash", 16, 1 },
    { "ft8x4", "minhop", 28, 1 },
    { "ft8x4", "lash", 112, 1 },
    { "knt4x3", "minhop", 192, 1 },
    { "knt4x3", "lash", 768, 3 },
    { "knt4x3", "dfsssp", 92, 8 },
    { "dragonfly_a4h2p2", "minhop", 110, 1 },
    { "dragonfly_a4h2p2", "updn_root", 342, 1 },
    { "dragonfly_a4h2p2", "lash", 88, 3 },
    { "rrg32d4", "minhop", 41, 1 },
    { "rrg32d4", "updn_root", 97, 1 },
    { "rrg32d4", "dfsssp", 31, 8 },
    { "rrg32d4", "lash", 42, 4 },
};

static int most_between_switches(const struct problem *problem)
{
    const struct nb_topology *topology = &problem->topology;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    double most = 0;
    assert_int_equal(
        nb_traffic_build("uniform", topology, false, &traffic, NULL), NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    for (size_t c = 0; c < topology->channel_count; c++)
        if (topology->terminals[topology->channels[c].source] == 0 &&
            topology->terminals[topology->channels[c].target] == 0 &&
            loads.load[c].upper > most)
            most = loads.load[c].upper;
    most *= (double)topology->terminal_count;
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    return (int)(most + 0.5);
}

static void test_peers(void **state)
{
    (void)state;
    const char *from = getenv("NETBOUND_FABRICS");
    char folder[NB_SCRATCH_PATH], text[3 * NB_SCRATCH_PATH];
    if (from == NULL) {
        print_message("tables of opensm are skipped: NETBOUND_FABRICS is not "
                      "set\n");
        skip();
    }
    assert_true(nb_scratch_open(folder));
    snprintf(text, sizeof text, "tar xJf %s/opensm-runs.tar.xz -C %s", from,
             folder);
    assert_int_equal(system(text), 0);
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        struct problem problem;
        char run[NB_SCRATCH_PATH], levels[2 * NB_SCRATCH_PATH] = "";
        const char *net = peers[i].net;
        int length =
            snprintf(run, sizeof run, "%s/%s/%s", folder, net, peers[i].engine);
        assert_in_range(length, 1, sizeof run - 32);
        if (peers[i].layers != 1)
            snprintf(levels, sizeof levels, ",sl=%s/sl.txt", run);
        snprintf(text, sizeof text, "file:%s/%s/ibnetdiscover.txt", folder,
                 net);
        char routing[4 * NB_SCRATCH_PATH];
        snprintf(routing, sizeof routing, "file:%s/opensm-lfts.dump%s", run,
                 levels);
        problem_open(&problem, text, routing);
        const int most = most_between_switches(&problem);
        TOPOLOGY_CHECK(most == peers[i].most, "%s %s: %d", net, peers[i].engine,
                       most);
        const unsigned layers = nb_table_ways_layers(&problem.routing);
        TOPOLOGY_CHECK(peers[i].layers == 0 || layers == peers[i].layers,
                       "%s %s: %u layers", net, peers[i].engine, layers);
        problem_close(&problem);
    }
    nb_scratch_close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_lanes_left_out),
        cmocka_unit_test(test_unrouted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_beside),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_written_levels),
        cmocka_unit_test(test_not_written),
        cmocka_unit_test(test_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
