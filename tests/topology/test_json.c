/* Graphs in JSON: what networkx, D3, Cytoscape.js and RapidChiplet write, and
 * what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include <stdio.h>
#include <string.h>

static const struct topology_network networks[] = {
    /* nx.path_graph(3) as node_link_data, with both names of the list of links,
     * adjacency_data and cytoscape_data write it. */
    { ".json",
      "{\"directed\": false, \"multigraph\": false, \"graph\": {}, "
      "\"nodes\": [{\"id\": 0}, {\"id\": 1}, {\"id\": 2}], "
      "\"links\": [{\"source\": 0, \"target\": 1}, "
      "{\"source\": 1, \"target\": 2}]}",
      "01: 1. 11: 0 2. 21: 1. " },
    { ".txt",
      "\xEF\xBB\xBF {\"edges\": [{\"source\": \"a\", \"target\": \"b\"}], "
      "\"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}",
      "a1: b. b1: a. " },
    { ".json",
      "{\"directed\": false, \"multigraph\": false, \"graph\": [], "
      "\"nodes\": [{\"id\": 0}, {\"id\": 1}, {\"id\": 2}], "
      "\"adjacency\": [[{\"id\": 1}], [{\"id\": 0}, {\"id\": 2}], "
      "[{\"id\": 1}]]}",
      "01: 1. 11: 0 2. 21: 1. " },
    { ".json",
      "{\"data\": [], \"directed\": false, \"multigraph\": false, "
      "\"elements\": {\"nodes\": ["
      "{\"data\": {\"id\": \"0\", \"value\": 0, \"name\": \"0\"}}, "
      "{\"data\": {\"id\": \"1\", \"value\": 1, \"name\": \"1\"}}, "
      "{\"data\": {\"id\": \"2\", \"value\": 2, \"name\": \"2\"}}], "
      "\"edges\": [{\"data\": {\"source\": 0, \"target\": 1}}, "
      "{\"data\": {\"source\": 1, \"target\": 2}}]}}",
      "01: 1. 11: 0 2. 21: 1. " },
    /* adjacency_data of nx.DiGraph([(0, 1), (1, 0), (1, 2), (2, 1)]); of
     * nx.MultiGraph([(0, 1), (0, 1)]), as links and as neighbours. */
    { ".json",
      "{\"directed\": true, \"multigraph\": false, \"graph\": [], "
      "\"nodes\": [{\"id\": 0}, {\"id\": 1}, {\"id\": 2}], "
      "\"adjacency\": [[{\"id\": 1}], [{\"id\": 0}, {\"id\": 2}], "
      "[{\"id\": 1}]]}",
      "01: 1. 11: 0 2. 21: 1. " },
    { ".json",
      "{\"directed\": false, \"multigraph\": true, \"graph\": [], "
      "\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"adjacency\": "
      "[[{\"id\": 1, \"key\": 0}, {\"id\": 1, \"key\": 1}], "
      "[{\"id\": 0, \"key\": 0}, {\"id\": 0, \"key\": 1}]]}",
      "01: 1 1. 11: 0 0. " },
    { ".json",
      "{\"directed\": false, \"multigraph\": true, \"graph\": {}, "
      "\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"links\": "
      "[{\"source\": 0, \"target\": 1, \"key\": 0}, "
      "{\"source\": 1, \"target\": 0, \"key\": 1}]}",
      "01: 1 1. 11: 0 0. " },
    /* All links from both ends: once. */
    { ".json",
      "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"links\": "
      "[{\"source\": 0, \"target\": 1}, {\"source\": 1, \"target\": 0}]}",
      "01: 1. 11: 0. " },
    /* Labels and parts that are whole numbers from 0 are the routers' numbers.
     */
    { ".json",
      "{\"nodes\": [{\"id\": \"a\", \"label\": \"1\", \"terminals\": 2}, "
      "{\"id\": \"b\", \"label\": \"0\"}], \"links\": "
      "[{\"source\": \"a\", \"target\": \"b\"}]}",
      "01: 1. 12: 0. " },
    { ".json",
      "{\"nodes\": [{\"id\": \"x\", \"terminals\": 0}, {\"id\": 1}, "
      "{\"id\": 0}], \"links\": [{\"source\": 0, \"target\": 1}]}",
      "01: 1. 11: 0. " },
    /* Ends of D3 are places; a label instead of the id; lists as ids; a loop.
     */
    { ".json",
      "{\"nodes\": [{\"name\": \"x\", \"group\": 1}, {\"name\": \"y\", "
      "\"group\": 0}], \"links\": [{\"source\": 1, \"target\": 0, "
      "\"value\": 9}]}",
      "x1: y. y1: x. " },
    { ".json",
      "{\"nodes\": [{}, {}, {}], \"links\": [{\"source\": 2, \"target\": 0}, "
      "{\"source\": 2, \"target\": 1}, {\"source\": 1, \"target\": 1}]}",
      "01: 2. 11: 2. 21: 0 1. " },
    { ".json",
      "{\"nodes\": [\"p\", \"q\"], \"links\": "
      "[{\"source\": \"q\", \"target\": \"p\"}]}",
      "p1: q. q1: p. " },
    { ".json",
      "{\"nodes\": [{\"id\": [0, 1], \"label\": \"l\\u00e4\", "
      "\"terminals\": 0}, {\"id\": [[1, 2.5], \"a\"], \"label\": 3, "
      "\"terminals\": \"2\"}], \"links\": "
      "[{\"source\": [0, 1], \"target\": [[1, 2.5], \"a\"]}]}",
      "l\xC3\xA4"
      "0: (1,2.5),a. (1,2.5),a2: l\xC3\xA4. " },
    /* cytoscape_data of nx.Graph([(1, 2), (2, 3), (3, 0)]): ids are texts, ends
     * numbers. The same as node-link data with such ids. */
    { ".json",
      "{\"data\": [], \"directed\": false, \"multigraph\": false, "
      "\"elements\": {\"nodes\": ["
      "{\"data\": {\"id\": \"1\", \"value\": 1, \"name\": \"1\"}}, "
      "{\"data\": {\"id\": \"2\", \"value\": 2, \"name\": \"2\"}}, "
      "{\"data\": {\"id\": \"3\", \"value\": 3, \"name\": \"3\"}}, "
      "{\"data\": {\"id\": \"0\", \"value\": 0, \"name\": \"0\"}}], "
      "\"edges\": [{\"data\": {\"source\": 1, \"target\": 2}}, "
      "{\"data\": {\"source\": 2, \"target\": 3}}, "
      "{\"data\": {\"source\": 3, \"target\": 0}}]}}",
      "01: 3. 11: 2. 21: 1 3. 31: 2 0. " },
    { ".json",
      "{\"nodes\": [{\"id\": \"1\"}, {\"id\": \"2\"}, {\"id\": \"3\"}, "
      "{\"id\": \"0\"}], \"links\": [{\"source\": 1, \"target\": 2}, "
      "{\"source\": 2, \"target\": 3}, {\"source\": 3, \"target\": 0}]}",
      "01: 3. 11: 2. 21: 1 3. 31: 2 0. " },
    /* cytoscape_data of nx.grid_2d_graph(2, 2): ends are lists, ids are not. */
    { ".json",
      "{\"data\": [], \"directed\": false, \"multigraph\": false, "
      "\"elements\": {\"nodes\": ["
      "{\"data\": {\"id\": \"(0, 0)\", \"value\": [0, 0]}}, "
      "{\"data\": {\"id\": \"(0, 1)\", \"value\": [0, 1]}}, "
      "{\"data\": {\"id\": \"(1, 0)\", \"value\": [1, 0]}}, "
      "{\"data\": {\"id\": \"(1, 1)\", \"value\": [1, 1]}}], "
      "\"edges\": [{\"data\": {\"source\": [0, 0], \"target\": [1, 0]}}, "
      "{\"data\": {\"source\": [0, 0], \"target\": [0, 1]}}, "
      "{\"data\": {\"source\": [0, 1], \"target\": [1, 1]}}, "
      "{\"data\": {\"source\": [1, 0], \"target\": [1, 1]}}]}}",
      "0,01: 1,0 0,1. 0,11: 0,0 1,1. 1,01: 0,0 1,1. 1,11: 0,1 1,0. " },
    /* One list of elements, as Cytoscape.js takes it. */
    { ".json",
      "{\"elements\": [{\"data\": {\"id\": \"a\"}}, "
      "{\"data\": {\"id\": \"e\", \"source\": \"a\", \"target\": \"b\"}}, "
      "{\"data\": {\"id\": \"b\"}}]}",
      "a1: b. b1: a. " },
    /* Numbers as names: chiplets by number, in any order. */
    { ".json",
      "[{\"ep2\":{\"outer_id\":0,\"type\":\"chiplet\",\"inner_id\":[1,{\"a\":"
      "null}]},\"ep1\":{\"type\":\"chiplet\",\"outer_id\":2}},\n"
      " {\"color\":\"\\\"x\",\"ep1\":{\"type\":\"chiplet\",\"outer_id\":1},"
      "\"ep2\":{\"type\":\"chiplet\",\"outer_id\":2}, \"l\":-1.5e3}]\n",
      "01: 2. 11: 2. 21: 0 1. " },
    /* Routers of the interposer have no terminals. */
    { ".json",
      "[ { \"ep1\": {\"type\": \"irouter\", \"outer_id\": 0},\n"
      "    \"ep2\": {\"type\": \"chiplet\", \"outer_id\": 0} },\n"
      "  { \"ep1\": {\"type\": \"irouter\", \"outer_id\": 0},\n"
      "    \"ep2\": {\"type\": \"chiplet\", \"outer_id\": 1} } ]",
      "irouter-00: 0 1. 01: irouter-0. 11: irouter-0. " },
};

static void test_networks(void **state)
{
    (void)state;
    topology_must_be_networks(networks, sizeof networks / sizeof *networks);
}

/* nx.grid_2d_graph(3, 3) with terminals and capacities. By networkx: 24 ends of
 * links, diameter 4, distances that add up to 144. */
static void test_grid(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("file:data/topologies/grid-networkx.json,"
                        "bandwidth-attribute=capacity",
                        &topology);
    assert_int_equal(topology.router_count, 9);
    assert_int_equal(topology.channel_count, 24);
    assert_int_equal(topology.terminal_count, 10);
    for (size_t c = 0; c < topology.channel_count; c++) {
        const struct nb_channel *channel = &topology.channels[c];
        const bool is_row = channel->source / 3 == channel->target / 3;
        assert_int_equal(channel->bandwidth.numerator, is_row ? 5 : 1);
        assert_int_equal(channel->bandwidth.denominator, is_row ? 2 : 1);
    }
    nb_topology_release(&topology);
    topology_must_be_same("file:data/topologies/grid-networkx.json",
                          "mesh:3x3");
}

/* A directed cycle: both ways, unless asked for. */
static void test_directions(void **state)
{
    (void)state;
    static const char cycle[] =
        "{\"directed\": true, \"nodes\": [{\"id\": 0}, {\"id\": 1}, "
        "{\"id\": 2}], \"links\": [{\"source\": 0, \"target\": 1}, "
        "{\"source\": 1, \"target\": 2}, {\"source\": 2, \"target\": 0}]}";
    static const struct {
        const char *parameters;
        size_t channels;
        const char *note;
    } rows[] = {
        { "", 6, ": 3 " },
        { ",directed=yes", 3, NULL },
        { ",directed=no", 6, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(cycle, ".json", rows[i].parameters, &topology);
        assert_int_equal(topology.channel_count, rows[i].channels);
        topology_must_note(&topology, "directions", rows[i].note);
        nb_topology_release(&topology);
    }
}

/* Neighbours listed at both nodes are a link, or two channels if asked for. */
static void test_neighbours(void **state)
{
    (void)state;
    static const char path[] =
        "{\"nodes\": [{\"id\": 0}, {\"id\": 1}, {\"id\": 2}], \"adjacency\": "
        "[[{\"id\": 1}], [{\"id\": 0}, {\"id\": 2}], [{\"id\": 1}]]}";
    static const char *const parameters[] = { "", ",directed=no",
                                              ",directed=yes" };
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(path, ".json", parameters[i], &topology);
        assert_int_equal(topology.channel_count, 4);
        nb_topology_release(&topology);
    }
}

/* Numbers are places where some are not the id of a node, and a note says so.
 */
static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *ids[3], *note;
    } rows[] = {
        { { "a", "b", "c" }, "places in the list of nodes" },
        { { "1", "2", "3" }, "places in the list of nodes" },
        { { "2", "1", "0" }, NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_topology topology = { 0 };
        const char *const *ids = rows[i].ids;
        char text[200];
        snprintf(text, sizeof text,
                 "{\"nodes\": [{\"id\": \"%s\"}, {\"id\": \"%s\"}, "
                 "{\"id\": \"%s\"}], \"links\": [{\"source\": 0, "
                 "\"target\": 1}, {\"source\": 2, \"target\": 1}]}",
                 ids[0], ids[1], ids[2]);
        topology_must_build_file(text, ".json", "", &topology);
        topology_must_note(&topology, "places", rows[i].note);
        nb_topology_release(&topology);
    }
}

/* Groups are read if they are numbered from 0, or asked for by name. */
static void test_groups(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        size_t count;
        const char *note;
    } rows[] = {
        { "0", "1", 2, NULL },       { "1", "2", 0, "not used" },
        { "0", "9", 0, "not used" }, { "0", "\"a\"", 0, "not used" },
        { "0", "0", 0, "not used" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_topology topology = { 0 };
        char text[200];
        snprintf(text, sizeof text,
                 "{\"nodes\": [{\"id\": 0, \"group\": %s}, {\"id\": 1, "
                 "\"group\": %s}], \"links\": "
                 "[{\"source\": 0, \"target\": 1}]}",
                 rows[i].first, rows[i].second);
        topology_must_build_file(text, ".json", "", &topology);
        assert_int_equal(topology.groups.count, rows[i].count);
        topology_must_note(&topology, "groups", rows[i].note);
        nb_topology_release(&topology);
    }
}

/* What the graph says of itself, as --network would write it. */
static void test_graph(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file(
        "{\"graph\": {\"topology\": \"ring:3\", "
        "\"terminal_bandwidth\": 0.5}, "
        "\"nodes\": [{\"id\": 0}, {\"id\": 1}, {\"id\": 2}], "
        "\"links\": [{\"source\": 0, \"target\": 1}, "
        "{\"source\": 1, \"target\": 2}, {\"source\": 2, \"target\": 0}]}",
        ".json", "", &topology);
    assert_non_null(topology.like);
    assert_int_equal(topology.terminal_bandwidth.numerator, 1);
    assert_int_equal(topology.terminal_bandwidth.denominator, 2);
    nb_topology_release(&topology);
}

#define CHIPLET(n) "{\"type\":\"chiplet\",\"outer_id\":" #n "}"
#define NODES      "{\"nodes\": [{\"id\": 0}, {\"id\": 1}], "
#define LINK       "{\"source\": 0, \"target\": 1}"

static const struct topology_refusal refused[] = {
    { "{\"a\": 1,\n\"b\" 2}",
      ".json",
      "",
      NB_INVALID,
      { ".json:2: JSON: ':' expected near '2'" } },
    { "{\"a\": 1, \"a\": 2}", ".json", "", NB_INVALID, { "duplicate" } },
    { "{\"a\": 1e999}", ".json", "", NB_INVALID, { "overflow" } },
    { "{\"a\": \"\xff\"}", ".json", "", NB_INVALID, { "decode byte 0xff" } },
    { "{\"a\": NaN}", ".json", "", NB_INVALID, { "'NaN'" } },
    { "", ".json", "", NB_INVALID, { "end of file" } },
    { "{\"id\": 0, \"children\": []}",
      ".json",
      "",
      NB_INVALID,
      { "a tree (tree_data)", "\"adjacency\"" } },
    { "{\"graph\": {\"nodes\": {}}}",
      ".json",
      "",
      NB_INVALID,
      { "JSON Graph Format" } },
    { "{\"size\": 1, \"matrix\": [[0]]}",
      ".json",
      "",
      NB_INVALID,
      { "a traffic matrix" } },
    { "[[0, 1]]", ".txt", "", NB_INVALID, { "a list, is not read" } },
    { NODES "\"links\": [" LINK "], \"edges\": []}",
      ".json",
      "",
      NB_INVALID,
      { "it has \"links\" and \"edges\" (permitted: one list" } },
    { NODES "\"links\": 3}", ".json", "", NB_INVALID, { "an object" } },
    { NODES "\"links\": [" LINK ", 7]}",
      ".json",
      "",
      NB_INVALID,
      { ": links[1]: it has no source (permitted: a string" } },
    { NODES "\"edges\": [{\"source\": 0, \"target\": 2}]}",
      ".json",
      "",
      NB_INVALID,
      { ": edges[0]: target \"2\" ", "id of a node" } },
    { NODES "\"edges\": [{\"source\": \"0\", \"target\": {}}]}",
      ".json",
      "",
      NB_INVALID,
      { ": edges[0]: target must be a string, a number", "not an object" } },
    { "{\"nodes\": [{\"id\": 0}, {\"id\": null}], \"links\": []}",
      ".json",
      "",
      NB_INVALID,
      { ": nodes[1]: id must be a string, a number or a list", "not null" } },
    { "{\"nodes\": [{\"id\": []}, 3], \"links\": []}",
      ".json",
      "",
      NB_INVALID,
      { ": nodes[0]: id must be ", "not a list" } },
    { "{\"nodes\": [{\"id\": 1}, {\"id\": \"1\"}], \"links\": []}",
      ".json",
      "",
      NB_INVALID,
      { "node id \"1\" is repeated" } },
    { "{\"nodes\": [{\"id\": 0, \"terminals\": -1}], \"links\": []}",
      ".json",
      "",
      NB_INVALID,
      { ": nodes[0]: terminals \"-1\" " } },
    { "{\"nodes\": [{\"id\": 0, \"group\": [1]}], \"links\": []}",
      ".json",
      "",
      NB_INVALID,
      { ": nodes[0]: group must be a number or a string, not a list" } },
    { NODES "\"links\": [{\"source\": 0, \"target\": 1, \"bandwidth\": 0}]}",
      ".json",
      "",
      NB_INVALID,
      { ": links[0]: bandwidth \"0\" " } },
    { NODES "\"links\": [" LINK "]}",
      ".json",
      ",bandwidth-attribute=weight",
      NB_INVALID,
      { "no edge has an attribute \"weight\"", "bandwidth-attribute" } },
    { NODES "\"links\": [" LINK "]}",
      ".json",
      ",terminals-attribute=hosts",
      NB_INVALID,
      { "no node has an attribute \"hosts\"" } },
    { NODES "\"links\": [" LINK "]}",
      ".json",
      ",group-attribute=pod",
      NB_INVALID,
      { "no node has an attribute \"pod\"" } },
    { "{\"nodes\": [{\"id\": 0, \"pod\": 1}, {\"id\": 1}], \"links\": [" LINK
      "]}",
      ".json",
      ",group-attribute=pod",
      NB_INVALID,
      { "no router is in group 0" } },
    { NODES "\"adjacency\": [[]]}",
      ".json",
      "",
      NB_INVALID,
      { ": adjacency: it has 1 list (permitted: 2, one per node)" } },
    { NODES "\"adjacency\": [[{\"id\": 1}], 4]}",
      ".json",
      "",
      NB_INVALID,
      { ": adjacency[1]: it must be a list, not 4" } },
    { NODES "\"adjacency\": [[{\"id\": 1}], []]}",
      ".json",
      "",
      NB_INVALID,
      { ": adjacency: a link is listed from one end only" } },
    { NODES "\"links\": [" LINK "], \"graph\": {\"topology\": \"ring:3\"}}",
      ".json",
      "",
      NB_INVALID,
      { ": graph: topology \"ring:3\" " } },
    { NODES "\"links\": [" LINK "], \"directed\": true}",
      ".json",
      ",directed=yes",
      NB_INVALID,
      { "\"directed\": true", "directed=no" } },
    { "[{\"ep1\":" CHIPLET(0) "}]",
      ".json",
      "",
      NB_INVALID,
      { ": link[0]: ", "outer_id nothing", "\"ep1\" and \"ep2\"" } },
    { "[{\"ep1\":" CHIPLET(0) ",\n\"ep2\":" CHIPLET(-1) "}]",
      ".json",
      "",
      NB_INVALID,
      { ": link[0]: ", "outer_id -1", "whole number" } },
    { "[{\"ep1\":" CHIPLET(0) ",\"ep2\":{\"type\":\"x\",\"outer_id\":1}}]",
      ".json",
      "",
      NB_INVALID,
      { "\"x\"", "irouter" } },
    { "[{\"ep1\":" CHIPLET(0) ",\"ep2\":" CHIPLET(1) "}",
      ".json",
      "",
      NB_INVALID,
      { ":1: JSON: ']' expected" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

/* Lists within lists do not overflow the stack. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    static const char *const texts[] = { ":1: JSON: maximum parsing depth",
                                         NULL };
    static char text[DEPTH + 1];
    memset(text, '[', DEPTH);
    topology_must_refuse_file(text, ".json", "", NB_INVALID, texts);
}

static void test_damaged(void **state)
{
    (void)state;
    static const char spare[] = "[]{},:\"0129-.e\\ \n\xC3n";
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        topology_must_survive_text(networks[i].text, ".json", "", spare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),   cmocka_unit_test(test_grid),
        cmocka_unit_test(test_directions), cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_places),     cmocka_unit_test(test_graph),
        cmocka_unit_test(test_groups),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_deep),       cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
