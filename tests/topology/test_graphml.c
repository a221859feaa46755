/* GraphML: attributes, defaults, and files refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include <stdio.h>
#include <string.h>

static const char graphml[] =
    "<?xml version=\"1.0\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"a\" for=\"edge\" attr.name=\"speed\"><default> 3/2 </default>"
    "</key>\n"
    "<key id=\"b\" for=\"node\" attr.name=\"hosts\"><default>4.0</default>"
    "</key>\n"
    "<graph edgedefault=\"directed\">\n"
    "<node id=\"x &amp; y\"><data key=\"b\">0</data></node>\n"
    "<node id=\"z\"/><node id=\"w\"><data key=\"b\"> 7 </data></node>\n"
    "<edge source=\"x &amp; y\" target=\"z\"/>\n"
    "<edge source=\"z\" target=\"x &amp; y\"><data "
    "key=\"a\">2.5</data></edge>\n"
    "<edge source=\"z\" target=\"w\" directed=\"false\"/>\n"
    "</graph></graphml>\n";

static void test_graphml_attributes(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file(
        graphml, ".dat", ",bandwidth-attribute=speed,terminals-attribute=hosts",
        &topology);
    assert_int_equal(topology.router_count, 3);
    assert_int_equal(topology.channel_count, 4);
    assert_int_equal(topology.terminals[0], 0);
    assert_int_equal(topology.terminals[1], 4);
    assert_int_equal(topology.terminals[2], 7);
    assert_int_equal(topology.channels[0].bandwidth.numerator, 3);
    assert_int_equal(topology.channels[1].bandwidth.numerator, 5);
    nb_topology_release(&topology);
    /* There are none by the usual names, so the parameters apply. */
    topology_must_build_file(graphml, ".dat", ",terminals=2,bandwidth=9",
                             &topology);
    assert_int_equal(topology.terminal_count, 6);
    assert_int_equal(topology.channels[1].bandwidth.numerator, 9);
    nb_topology_release(&topology);
}

/* SST's endpoints are terminals, unless terminals are declared. */
static void test_endpoints(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("file:data/topologies/polarfly-sst.graphml", &topology);
    /* 9 pairs of the 7 points of the plane are orthogonal; one has 2 links. */
    assert_int_equal(topology.router_count, 7);
    assert_int_equal(topology.channel_count, 2 * 10);
    /* 2 at the four points of odd weight, 1 at the others. */
    assert_int_equal(topology.terminal_count, 11);
    assert_int_equal(topology.terminals[2], 1);
    assert_int_equal(topology.terminals[6], 2);
    nb_topology_release(&topology);
    static const char both[] =
        "<graphml><key id='e' for='node' attr.name='endpoints'/>"
        "<key id='t' for='node' attr.name='terminals'/>"
        "<graph><node id='a'><data key='e'>3</data></node>"
        "<node id='b'><data key='t'>2</data></node>"
        "<edge source='a' target='b'/></graph></graphml>";
    topology_must_build_file(both, ".graphml", "", &topology);
    assert_int_equal(topology.terminals[0], 1);
    assert_int_equal(topology.terminals[1], 2);
    nb_topology_release(&topology);
}

#define NODES "<graphml><graph><node id='a'/><node id='b'/>"
#define EDGE  "<edge source='a' target='b'/>"
#define END   "</graph></graphml>"

static const struct topology_refusal refused[] = {
    { "<a/>", ".txt", "", NB_INVALID, { "not GraphML", "<a>" } },
    { "<graphml/>", ".txt", "", NB_INVALID, { "no <graph>" } },
    { "<graphml><graph/>\n<graph/></graphml>",
      ".txt",
      "",
      NB_INVALID,
      { ":2: ", "second" } },
    { NODES END,
      ".xml",
      "",
      NB_INVALID,
      { "2 parts", "1 router with \"a\", 1 with \"b\"" } },
    { "<graphml><graph><node id='a'/>" END,
      ".xml",
      "",
      NB_INVALID,
      { "1 router (" } },
    { NODES "\n<node/>" END, ".xml", "", NB_INVALID, { ":2: ", "id" } },
    { NODES "<node id='b'/>" EDGE END,
      ".xml",
      "",
      NB_INVALID,
      { "\"b\"", "repeated" } },
    { NODES "\n<edge source='a' target='c'/>" END,
      ".xml",
      "",
      NB_INVALID,
      { ":2: ", "\"c\"" } },
    { NODES "\n<edge source='a'/>" END,
      ".xml",
      "",
      NB_INVALID,
      { ":2: ", "target" } },
    { NODES EDGE "\n<hyperedge/>" END,
      ".xml",
      "",
      NB_INVALID,
      { ":2: ", "hyperedge" } },
    { NODES "<node id='c'>\n<graph/></node>" END,
      ".xml",
      "",
      NB_INVALID,
      { ":2: ", "\"c\"" } },
    { "<graphml><graph edgedefault='both'/></graphml>",
      ".xml",
      "",
      NB_INVALID,
      { "edgedefault", "both", "undirected" } },
    { NODES "<edge source='a' target='b' directed='yes'/>" END,
      ".xml",
      "",
      NB_INVALID,
      { "directed", "yes", "true" } },
    { NODES EDGE END,
      ".xml",
      ",bandwidth-attribute=speed",
      NB_INVALID,
      { "\"speed\"", "edge" } },
    { NODES EDGE END,
      ".xml",
      ",terminals-attribute=hosts",
      NB_INVALID,
      { "\"hosts\"", "node" } },
    { "<!DOCTYPE graphml>\n" NODES EDGE END,
      ".xml",
      "",
      NB_INVALID,
      { "document type" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

/* GraphML with these values of the attributes is refused, naming them. */
static void test_refused_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *domain, *value;
        enum nb_status status;
    } bad[] = {
        { "edge", "0", NB_INVALID },     { "edge", "nan", NB_INVALID },
        { "edge", "-1.5", NB_INVALID },  { "edge", "", NB_INVALID },
        { "edge", "1e40", NB_OVERFLOW }, { "node", "-1", NB_INVALID },
        { "node", "1.5", NB_INVALID },   { "node", "1000001", NB_INVALID },
        { "node", "two", NB_INVALID },   { "node", "nan", NB_INVALID },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[512], quoted[32];
        const bool is_edge = strcmp(bad[i].domain, "edge") == 0;
        snprintf(text, sizeof text,
                 "<graphml><key id='k' for='%s' attr.name='%s'/><graph>"
                 "<node id='a'/>\n<node id='b'>%s%s%s</node>\n"
                 "<edge source='a' target='b'>%s%s%s</edge>" END,
                 bad[i].domain, is_edge ? "bandwidth" : "terminals",
                 is_edge ? "" : "<data key='k'>", is_edge ? "" : bad[i].value,
                 is_edge ? "" : "</data>", is_edge ? "<data key='k'>" : "",
                 is_edge ? bad[i].value : "", is_edge ? "</data>" : "");
        snprintf(quoted, sizeof quoted, "\"%s\"", bad[i].value);
        const char *texts[] = { is_edge ? ":3: " : ":2: ", quoted, NULL };
        topology_must_refuse_file(text, ".graphml", "", bad[i].status, texts);
    }
}

static void test_no_terminals(void **state)
{
    (void)state;
    static const char text[] =
        "<graphml><key id='k' for='node' attr.name='terminals'>"
        "<default>0</default></key><graph><node id='a'/><node id='b'/>" EDGE
            END;
    static const char *const texts[] = { "0 terminals", NULL };
    topology_must_refuse_file(text, ".graphml", ",terminals=5", NB_INVALID,
                              texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphml_attributes),
        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refused_attributes),
        cmocka_unit_test(test_no_terminals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
