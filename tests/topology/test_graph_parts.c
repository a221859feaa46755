/* Files whose network is in several parts, or that say more or less than links
 * both ways: which part is read, how edges are directed, and what is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/random.h"
#include "core/text.h"
#include "topology/fabric.h"

#include <stdio.h>
#include <string.h>

enum { ROUTERS = 12, LINKS = 9 };

/* Random links of routers r0 .. r11; all routers are named first. Links begin
 * at the lower number, so that no part lists all of its links from both ends.
 */
struct drawn {
    uint32_t from[LINKS], to[LINKS];
    uint32_t part[ROUTERS]; /* the least router of its part */
};

static void draw(uint64_t seed, struct drawn *out)
{
    struct nb_random random;
    nb_random_init(&random, seed, 0);
    for (uint32_t r = 0; r < ROUTERS; r++)
        out->part[r] = r;
    for (size_t l = 0; l < LINKS; l++) {
        const uint32_t a = (uint32_t)nb_random_below(&random, ROUTERS);
        const uint32_t b = (uint32_t)nb_random_below(&random, ROUTERS);
        out->from[l] = a < b ? a : b;
        out->to[l] = a < b ? b : a;
        const uint32_t low =
            out->part[a] < out->part[b] ? out->part[a] : out->part[b];
        const uint32_t old[2] = { out->part[a], out->part[b] };
        for (uint32_t r = 0; r < ROUTERS; r++)
            if (out->part[r] == old[0] || out->part[r] == old[1])
                out->part[r] = low;
    }
}

/* The links of a part, or of all; NB_NONE: all. */
static void print(const struct drawn *drawn, uint32_t part,
                  struct nb_text *text)
{
    nb_text_print(text, "<graphml><graph edgedefault='undirected'>\n");
    for (uint32_t r = 0; r < ROUTERS; r++)
        if (part == NB_NONE || drawn->part[r] == part)
            nb_text_print(text, "<node id='r%u'/>\n", r);
    for (size_t l = 0; l < LINKS; l++)
        if (part == NB_NONE || drawn->part[drawn->from[l]] == part)
            nb_text_print(text, "<edge source='r%u' target='r%u'/>\n",
                          drawn->from[l], drawn->to[l]);
    nb_text_print(text, "</graph></graphml>\n");
}

/* Parts by size, the one with the least router first among equals. */
static size_t order_parts(const struct drawn *drawn, uint32_t order[ROUTERS],
                          size_t size[ROUTERS])
{
    size_t count = 0;
    for (size_t wanted = ROUTERS; wanted > 0; wanted--)
        for (uint32_t p = 0; p < ROUTERS; p++) {
            size_t own = 0;
            for (uint32_t r = 0; r < ROUTERS; r++)
                own += drawn->part[r] == p;
            if (own != wanted)
                continue;
            order[count] = p;
            size[count++] = own;
        }
    return count;
}

static void check_part(const struct drawn *drawn, const char *text,
                       uint32_t part, const char *component, size_t index,
                       size_t count, size_t size)
{
    struct nb_text alone = { 0 };
    struct nb_topology whole = { 0 }, own = { 0 };
    char parameters[40];
    snprintf(parameters, sizeof parameters, ",component=%s", component);
    print(drawn, part, &alone);
    topology_must_build_file(text, ".graphml", parameters, &whole);
    topology_must_build_file(alone.bytes, ".graphml", "", &own);
    TOPOLOGY_CHECK(topology_same_channels(&whole, &own, NULL), "part %zu",
                   index);
    for (uint32_t r = 0; r < own.router_count; r++)
        assert_string_equal(nb_router_name(&whole, r), nb_router_name(&own, r));
    assert_int_equal(whole.part.count, count > 1 ? count : 0);
    if (count > 1) {
        assert_int_equal(whole.part.index, index);
        assert_int_equal(whole.part.routers, size);
        assert_int_equal(whole.part.all, ROUTERS);
    }
    nb_topology_release(&whole);
    nb_topology_release(&own);
    nb_text_release(&alone);
}

static void check_drawn(uint64_t seed)
{
    struct drawn drawn;
    struct nb_text text = { 0 };
    uint32_t order[ROUTERS];
    size_t size[ROUTERS], several = 0;
    char name[32];
    draw(seed, &drawn);
    print(&drawn, NB_NONE, &text);
    const size_t count = order_parts(&drawn, order, size);
    for (size_t p = 0; p < count && size[p] > 1; p++, several++) {
        snprintf(name, sizeof name, "%zu", p + 1);
        check_part(&drawn, text.bytes, order[p], name, p + 1, count, size[p]);
        snprintf(name, sizeof name, "r%u", order[p]);
        check_part(&drawn, text.bytes, order[p], name, p + 1, count, size[p]);
    }
    if (several == 1) /* isolated routers send to nobody */
        check_part(&drawn, text.bytes, order[0], "auto", 1, count, size[0]);
    snprintf(name, sizeof name, "%zu parts", count);
    const struct topology_refusal refusal = {
        text.bytes, ".graphml", "", NB_INVALID, { name, "component=1" }
    };
    if (several > 1)
        topology_must_refuse_files(&refusal, 1);
    nb_text_release(&text);
}

static void test_random_parts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++)
        check_drawn(seed);
}

#define NODES "<node id='a'/><node id='b'/><node id='c'/>"
#define DIRECTED(edges)                                                        \
    "<graphml><graph edgedefault='directed'>" NODES edges "</graph></graphml>"
#define LINKS(edges)                                                           \
    "<graphml><graph edgedefault='undirected'>" NODES edges "</graph></"       \
    "graphml>"
#define EDGE(s, t) "<edge source='" s "' target='" t "'/>"

static const struct {
    const char *text, *parameters;
    size_t channels, joined, loops;
} directions[] = {
    /* listed once: links */
    { DIRECTED(EDGE("a", "b") EDGE("b", "c")), "", 4, 2, 0 },
    /* a ring: links, or one way if asked for */
    { DIRECTED(EDGE("a", "b") EDGE("b", "c") EDGE("c", "a")), "", 6, 3, 0 },
    { DIRECTED(EDGE("a", "b") EDGE("b", "c") EDGE("c", "a")), ",directed=yes",
      3, 0, 0 },
    /* all but one are listed both ways */
    { DIRECTED(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c")), "", 4, 1, 0 },
    /* two one way, one back */
    { DIRECTED(EDGE("a", "b") EDGE("a", "b") EDGE("b", "a") EDGE("b", "c")), "",
      6, 2, 0 },
    /* edges that say so themselves stay directed */
    { DIRECTED("<edge source='a' target='b' directed='true'/>"
               "<edge source='b' target='c' directed='true'/>"
               "<edge source='c' target='a' directed='true'/>"),
      "", 3, 0, 0 },
    { DIRECTED(EDGE("a", "a") EDGE("a", "b") EDGE("c", "b") EDGE("c", "c")), "",
      4, 2, 2 },
    { DIRECTED(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c") EDGE("c", "b")),
      ",directed=no", 4, 0, 0 },
    { DIRECTED(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c")), ",directed=no", 6,
      0, 0 },
};

/* Every link of an undirected graph from both ends: once; only some: as listed;
 * with directed=yes each is a channel. */
static void test_listed_twice(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parameters, *note;
        size_t channels;
    } rows[] = {
        { LINKS(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c") EDGE("c", "b")),
          "", "every link", 4 },
        { LINKS(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c")), "",
          "2 of 3 links", 6 },
        { LINKS(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c") EDGE("c", "b")),
          ",directed=yes", NULL, 4 },
        { DIRECTED(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c") EDGE("c", "b")),
          ",directed=no", "every link", 4 },
        { DIRECTED(EDGE("a", "b") EDGE("b", "a") EDGE("b", "c") EDGE("c", "b")),
          "", NULL, 4 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(rows[i].text, ".graphml", rows[i].parameters,
                                 &topology);
        TOPOLOGY_CHECK(topology.channel_count == rows[i].channels,
                       "case %zu: %zu channels", i, topology.channel_count);
        topology_must_note(&topology, "listed_twice", rows[i].note);
        nb_topology_release(&topology);
    }
}

/* Expects a note with that number; none for 0. */
static void check_counted(const struct nb_topology *topology, const char *name,
                          size_t count)
{
    char number[32];
    snprintf(number, sizeof number, ": %zu", count);
    topology_must_note(topology, name, count > 0 ? number : NULL);
}

static void test_directions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(directions[i].text, ".graphml",
                                 directions[i].parameters, &topology);
        TOPOLOGY_CHECK(topology.channel_count == directions[i].channels,
                       "case %zu: %zu channels", i, topology.channel_count);
        check_counted(&topology, "directions", directions[i].joined);
        check_counted(&topology, "self_loops", directions[i].loops);
        nb_topology_release(&topology);
    }
}

/* Links from a node to itself count in their own part, and may only name nodes
 * of the file. */
static void test_self_loops(void **state)
{
    (void)state;
    static const char parts[] = "0 1\n1 2\n2 0\n2 2\n3 4\n4 4\n3 3\n";
    static const char *const unknown[] = { ":1: ", "no router \"z\"", NULL };
    struct nb_topology topology = { 0 };
    topology_must_build_file(parts, ".txt", ",component=1", &topology);
    check_counted(&topology, "self_loops", 1);
    nb_topology_release(&topology);
    topology_must_build_file(parts, ".txt", ",component=2", &topology);
    check_counted(&topology, "self_loops", 2);
    nb_topology_release(&topology);
    topology_must_build_file("a b\nc d\nd d\n", ".txt", ",component=a",
                             &topology);
    check_counted(&topology, "self_loops", 0);
    nb_topology_release(&topology);
    topology_must_refuse_file(LINKS(EDGE("a", "b") EDGE("z", "z")), ".graphml",
                              "", NB_INVALID, unknown);
}

#define LABELLED(first, second, third)                                         \
    "<graphml><key id='l' for='node' attr.name='label' attr.type='string'/>"   \
    "<graph edgedefault='undirected'>"                                         \
    "<node id='0'>" first "</node><node id='1'>" second "</node>"              \
    "<node id='2'>" third "</node>" EDGE("0", "1")                             \
        EDGE("1", "2") "</graph></graphml>"
#define LABEL(text) "<data key='l'>" text "</data>"

static const struct {
    const char *text, *names[3];
} labels[] = {
    { LABELLED(LABEL("New York"), LABEL("Rome"), ""),
      { "New York", "Rome", "2" } },
    { LABELLED(LABEL("None"), LABEL("Rome"), LABEL("None")),
      { "None (0)", "Rome", "None (2)" } },
    { LABELLED(LABEL("2"), LABEL(" "), ""), { "2 (0)", "1", "2" } },
    /* no way to tell them apart: ids, which are numbers here */
    { LABELLED(LABEL("x"), LABEL("x (0)"), LABEL("x")), { NULL, NULL, NULL } },
};

static void test_labels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(labels[i].text, ".graphml", "", &topology);
        for (uint32_t r = 0; r < 3; r++) {
            const char *name = nb_router_name(&topology, r);
            TOPOLOGY_CHECK(labels[i].names[r] == NULL
                               ? name == NULL
                               : name != NULL &&
                                     strcmp(name, labels[i].names[r]) == 0,
                           "case %zu: %s", i, name == NULL ? "none" : name);
        }
        nb_topology_release(&topology);
    }
}

/* A plane of a fabric keeps its ports, LIDs and GUIDs. */
static void test_fabric_part(void **state)
{
    (void)state;
    static const char text[] =
        "switchguid=0x10\nSwitch 3 \"S-1\" # \"p\" base port 0 lid 1 lmc 0\n"
        "[1] \"H-1\"[1]\n[2] \"H-2\"[1]\n"
        "switchguid=0x20\nSwitch 3 \"S-2\" # \"q\" base port 0 lid 2 lmc 0\n"
        "[3] \"H-1\"[2]\n[1] \"H-2\"[2]\n"
        "caguid=0x30\nCa 2 \"H-1\" # \"a\"\n[1](31) \"S-1\"[1] # lid 5 lmc 0\n"
        "[2](32) \"S-2\"[3] # lid 6 lmc 0\n"
        "caguid=0x40\nCa 2 \"H-2\" # \"b\"\n[1](41) \"S-1\"[2] # lid 7 lmc 0\n"
        "[2](42) \"S-2\"[1] # lid 8 lmc 0\n";
    struct nb_topology topology = { 0 };
    topology_must_build_file(text, ".net", ",component=q", &topology);
    assert_int_equal(topology.router_count, 3);
    const uint32_t q = nb_router_find(&topology, "q", 1);
    const uint32_t a = nb_fabric_find_port_guid(topology.fabric, 0x32);
    assert_string_equal(nb_router_name(&topology, a), "a port 2");
    assert_int_equal(nb_fabric_lid(topology.fabric, a), 6);
    assert_int_equal(nb_fabric_find(topology.fabric, q, 3)->target, a);
    assert_int_equal(nb_fabric_find_guid(topology.fabric, 0x10), NB_NONE);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_parts), cmocka_unit_test(test_directions),
        cmocka_unit_test(test_listed_twice), cmocka_unit_test(test_self_loops),
        cmocka_unit_test(test_labels),       cmocka_unit_test(test_fabric_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
