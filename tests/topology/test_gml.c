/* GML: what networkx, igraph and the Topology Zoo write, and what is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

static const struct topology_network networks[] = {
    /* nx.path_graph(3) as networkx 3.6 writes it, and as igraph 0.10 does. */
    { ".gml",
      "graph [\n  node [\n    id 0\n    label \"0\"\n  ]\n  node [\n    id 1\n"
      "    label \"1\"\n  ]\n  node [\n    id 2\n    label \"2\"\n  ]\n"
      "  edge [\n    source 0\n    target 1\n  ]\n  edge [\n    source 1\n"
      "    target 2\n  ]\n]\n",
      "01: 1. 11: 0 2. 21: 1. " },
    { ".txt",
      "Creator \"igraph version 0.10.2 Mon Nov 30 10:25:44 2026\"\n"
      "Version 1\ngraph\n[\n  directed 0\n  node\n  [\n    id 0\n  ]\n"
      "  node\n  [\n    id 1\n  ]\n  node\n  [\n    id 2\n  ]\n  edge\n  [\n"
      "    source 0\n    target 1\n  ]\n  edge\n  [\n    source 1\n"
      "    target 2\n  ]\n]\n",
      "01: 1. 11: 0 2. 21: 1. " },
    /* yEd separates by tabs. */
    { ".txt",
      "Creator\t\"yFiles\"\r\nVersion\t\"2.17\"\r\ngraph\r\n[\r\n"
      "\thierarchic\t1\r\n\tnode\r\n\t[\r\n\t\tid\t0\r\n"
      "\t\tgraphics\r\n\t\t[\r\n\t\t\tx\t1.5\r\n\t\t]\r\n\t]\r\n"
      "\tnode\r\n\t[\r\n\t\tid\t1\r\n\t]\r\n\tedge\r\n\t[\r\n"
      "\t\tsource\t1\r\n\t\ttarget\t0\r\n\t]\r\n]\r\n",
      "01: 1. 11: 0. " },
    /* nx.MultiDiGraph([(0, 1), (0, 1), (1, 0), (1, 0)]) */
    { ".gml",
      "graph [ directed 1 multigraph 1 node [ id 0 label \"0\" ] node [ id 1 "
      "label \"1\" ] edge [ source 0 target 1 key 0 ] edge [ source 0 target 1 "
      "key 1 ] edge [ source 1 target 0 key 0 ] edge [ source 1 target 0 key 1 "
      "] ]",
      "01: 1 1. 11: 0 0. " },
    /* No blanks, comments, edges first, links from both ends, loops, labels
     * without quotes, entities, strings over lines, lists within lists. */
    { ".gml",
      "# c [\ngraph[edge[source 0 target 1]edge[target 0 source 1]"
      "a[b[c 1]d\"]\"]node[id 0]#]\nnode[id 1 x\"#\n[\"]]",
      "01: 1. 11: 0. " },
    { ".gml",
      "graph [ edge [ source a target b ] edge [ source a target a ] node [ id "
      "a label 7 terminals 0 ] node [ id b label "
      "\"&lt;&amp;&#x3E;&#39;&foo;&\" "
      "terminals 3.0 ] ]",
      "70: <&>'&foo;&. <&>'&foo;&3: 7. " },
    { ".gml",
      "graph [ multigraph 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target "
      "1 ] edge [ source 1 target 0 ] ]",
      "01: 1 1. 11: 0 0. " },
    /* A label that is not text is not used. */
    { ".gml",
      "graph [ node [ id 0 label \"\xE4\" ] node [ id 1 label \"&#xD800;\" ] "
      "edge [ source 0 target 1 ] ]",
      "01: 1. 11: 0. " },
};

static void test_networks(void **state)
{
    (void)state;
    topology_must_be_networks(networks, sizeof networks / sizeof *networks);
}

static void test_cities(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("file:data/topologies/cities.gml,"
                        "bandwidth-attribute=LinkSpeedRaw",
                        &topology);
    assert_int_equal(topology.router_count, 4);
    assert_int_equal(topology.channel_count, 8);
    assert_int_equal(topology.terminal_count, 5);
    assert_int_equal(topology.bare_links, 1);
    assert_int_equal(topology.listed_links, 4);
    topology_must_note(&topology, "without_terminals", "3 of 4 nodes");
    assert_string_equal(nb_router_name(&topology, 0), "Z\xC3\xBCrich");
    assert_string_equal(nb_router_name(&topology, 3), "Basel (7)");
    const uint32_t slow = topology_find_channel(&topology, 2, 1);
    assert_int_equal(topology.channels[slow].bandwidth.numerator, 5);
    assert_int_equal(topology.channels[slow].bandwidth.denominator, 2);
    nb_topology_release(&topology);
}

static void test_graph(void **state)
{
    (void)state;
    static const char cycle[] =
        "graph [ directed 1 topology \"ring:3\" terminal_bandwidth 0.5\n"
        "node [ id 0 ] node [ id 1 ] node [ id 2 ]\n"
        "edge [ source 0 target 1 ] edge [ source 1 target 2 ] "
        "edge [ source 2 target 0 ] edge [ source 1 target 0 ] "
        "edge [ source 2 target 1 ] edge [ source 0 target 2 ] ]";
    struct nb_topology topology = { 0 };
    topology_must_build_file(cycle, ".gml", "", &topology);
    assert_non_null(topology.like);
    assert_int_equal(topology.terminal_bandwidth.denominator, 2);
    nb_topology_release(&topology);
}

#define NODES "graph [ node [ id 0 ] node [ id 1 ]\n"

static const struct topology_refusal refused[] = {
    { "graph [\n node [ label \"x\" ] ]",
      ".gml",
      "",
      NB_INVALID,
      { ":2: this node has no id" } },
    { NODES "edge [ source 0 ] ]",
      ".gml",
      "",
      NB_INVALID,
      { ":2: this edge has no target" } },
    { NODES "edge [ target 0 ] ]",
      ".gml",
      "",
      NB_INVALID,
      { ":2: this edge has no source" } },
    { NODES "edge [ source 0\ntarget 2 ] ]",
      ".gml",
      "",
      NB_INVALID,
      { ":2: no router \"2\"" } },
    { NODES "node [ id 1 ] ]",
      ".gml",
      "",
      NB_INVALID,
      { "\"1\" is repeated" } },
    { NODES "edge [ source 0 target 1\nbandwidth -1 ] ]",
      ".gml",
      "",
      NB_INVALID,
      { ":3: bandwidth \"-1\"" } },
    { NODES "edge [ source 0 target 1 ] ]",
      ".gml",
      ",bandwidth-attribute=speed",
      NB_INVALID,
      { "no edge has an attribute \"speed\"" } },
    { "graph [ directed yes ]", ".gml", "", NB_INVALID, { "\"yes\"", "0, 1" } },
    { "graph [\n node [ id \"0 ]",
      ".gml",
      "",
      NB_INVALID,
      { ":2: a string begins here and has no end" } },
    { "graph [\n node [ id 0\n",
      ".gml",
      "",
      NB_INVALID,
      { ":3: the end of the file ", "a key or ]" } },
    { "graph [\n 7 8 ]",
      ".gml",
      "",
      NB_INVALID,
      { ":2: \"7\" ", "a key or ]" } },
    { "graph [\n a ]", ".gml", "", NB_INVALID, { ":2: \"]\"", "a number" } },
    { "graph [ ]\ngraph [ ]", ".gml", "", NB_INVALID, { ":2: ", "one graph" } },
    { "]", ".gml", "", NB_INVALID, { ":1: \"]\"", "a key" } },
    { "Version 1", ".gml", "", NB_INVALID, { "no graph" } },
    { "", ".gml", "", NB_INVALID, { "no graph" } },
    { NODES "directed 1 edge [ source 0 target 1 ] ]",
      ".gml",
      ",directed=yes",
      NB_INVALID,
      { "directed 1", "directed=no" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        topology_must_survive_text(networks[i].text, ".gml", "",
                                   "[]\"#& 01a\n;x\xC3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks), cmocka_unit_test(test_cities),
        cmocka_unit_test(test_graph),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
