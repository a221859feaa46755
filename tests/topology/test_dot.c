/* DOT: files of Graphviz, and what is refused. The networks follow from the
 * language's definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/text.h"
#include <string.h>

static const struct topology_network networks[] = {
    { ".dot", "graph { a -- b -- c }", "a1: b. b1: a c. c1: b. " },
    { ".txt", "/* c */ STRICT Graph \"G\" {b--a; a--b\na--b}",
      "b1: a. a1: b. " },
    /* A multigraph, unless all links are listed from both ends. */
    { ".gv", "graph { a -- b a -- b }", "a1: b b. b1: a a. " },
    { ".gv", "graph { a -- b; b -- a }", "a1: b. b1: a. " },
    { ".gv", "digraph { a -> b; b -> a; b -> c }", "a1: b. b1: a c. c1: b. " },
    { ".gv", "strict digraph { a -> b; b -> a; a -> b }", "a1: b. b1: a. " },
    { ".gv", "digraph { edge [dir=both] a -> b; b -> a [dir=none] }",
      "a1: b b. b1: a a. " },
    /* Names without quotes, numerals, joined strings, ports, loops. */
    { ".gv", "graph{1.5--_x:p:n;-.7--_x:\"q\"--1.5;_x--_x}",
      "1.51: _x _x. _x1: 1.5 -.7 1.5. -.71: _x. " },
    { ".gv", "graph { \"a\\\"\" + \"b\" -- \"c\\\nd\"; <e<f>> -- cd }",
      "a\"b1: cd. cd1: a\"b e<f>. e<f>1: cd. " },
    { ".gv", "graph { \xC3\xA4 -- b }",
      "\xC3\xA4"
      "1: b. b1: \xC3\xA4. " },
    /* Comments of every kind; # only at the beginning of a line. */
    { ".gv", "# 1 \"f\"\n// x {\ngraph /* y\n*/ { a /**/ -- // z\nb\n# }\n; }",
      "a1: b. b1: a. " },
    /* Subgraphs as ends, with and without names, each node once. */
    { ".gv", "graph { {a b a} -- subgraph x { c; {d} } }",
      "a1: c d. b1: c d. c1: a b. d1: a b. " },
    { ".gv", "graph { subgraph { a -- b } -- c }",
      "a1: b c. b1: a c. c1: a b. " },
    /* Defaults hold for later nodes, within their subgraph. */
    { ".gv",
      "graph { a; node [terminals=2]; a -- b; subgraph { node "
      "[terminals=3]; c } c -- d; a -- c; d [terminals=0] }",
      "a1: b c. b2: a. c3: d a. d0: c. " },
    /* Labels, unless they are HTML, records or have the name in them. */
    { ".gv",
      "graph { a [label=\"x\\n&amp;\\\\y\"] b [label=<<b>z</b>>] c "
      "[shape=record label=\"<p>|q\"] d [label=\"\\N!\"] a -- {b c d} }",
      "x &\\y1: b c d. b1: x &\\y. c1: x &\\y. d1: x &\\y. " },
    /* Attributes without a value, of two lists, and of graphs. */
    { ".gv",
      "graph { x=y; graph [bold; k=v] a -- b [bold][a=b,c=d;e=f]; "
      "subgraph { x=y; graph [z] c } b -- c [] }",
      "a1: b. b1: a c. c1: b. " },
};

static void test_networks(void **state)
{
    (void)state;
    topology_must_be_networks(networks, sizeof networks / sizeof *networks);
}

/* A repeated edge of a strict graph: 3, 7 and 2 by gvpr of Graphviz. */
static void test_strict(void **state)
{
    (void)state;
    static const int bandwidths[] = { 3, 7, 2 };
    struct nb_topology topology = { 0 };
    topology_must_build_file(
        "strict graph { edge [bandwidth=2]; a -- b [bandwidth=3]; a -- b; "
        "b -- c; b -- c [bandwidth=5]; c -- b [bandwidth=7]; c -- d; d -- c }",
        ".dot", "", &topology);
    assert_int_equal(topology.channel_count, 6);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t c = topology_find_channel(&topology, i, i + 1);
        assert_int_equal(topology.channels[c].bandwidth.numerator,
                         bandwidths[i]);
        assert_int_equal(topology.channels[c].bandwidth.denominator, 1);
    }
    nb_topology_release(&topology);
}

static void test_pods(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("file:data/topologies/two-pods.dot", &topology);
    assert_int_equal(topology.router_count, 6);
    assert_int_equal(topology.channel_count, 16);
    assert_int_equal(topology.terminal_count, 24);
    assert_string_equal(nb_router_name(&topology, 2), "leaf 0, old");
    assert_string_equal(nb_router_name(&topology, 5), "leaf3");
    for (size_t c = 0; c < topology.channel_count; c++) {
        const struct nb_channel *channel = &topology.channels[c];
        const bool is_old =
            (channel->source < 2 ? channel->target : channel->source) < 4;
        assert_int_equal(channel->bandwidth.numerator, is_old ? 5 : 10);
        assert_int_equal(channel->bandwidth.denominator, is_old ? 2 : 1);
    }
    nb_topology_release(&topology);
}

/* What --network writes is read back. */
static void test_written(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file("graph { topology=\"ring:3\" "
                             "terminal_bandwidth=\"1/2\" 0 -- 1 -- 2 -- 0 }",
                             ".dot", "", &topology);
    assert_non_null(topology.like);
    assert_int_equal(topology.terminal_bandwidth.denominator, 2);
    nb_topology_release(&topology);
}

static const struct topology_refusal refused[] = {
    { "graph {\n a -> b }",
      ".dot",
      "",
      NB_INVALID,
      { ":2: \"->\" ", ": --)" } },
    { "digraph {\n a -- b }", ".dot", "", NB_INVALID, { ":2: \"--\" ", "->" } },
    { "graph {\n a -- }",
      ".dot",
      "",
      NB_INVALID,
      { ":2: \"}\" ", "a name, a number" } },
    { "graph { a -- b", ".dot", "", NB_INVALID, { "the file ends here" } },
    { "graph { a -- b } }", ".dot", "", NB_INVALID, { "\"}\"", "end of the" } },
    { "graph { a -- b } graph {}", ".dot", "", NB_INVALID, { "\"graph\"" } },
    { "tree { }", ".dot", "", NB_INVALID, { "\"tree\"", "graph or digraph" } },
    { "graph a b { }", ".dot", "", NB_INVALID, { "\"b\"", "permitted: {" } },
    { "graph {\n\n \"a }", ".dot", "", NB_INVALID, { ":3: a string begins" } },
    { "graph {\n <a }", ".dot", "", NB_INVALID, { ":2: HTML begins" } },
    { "graph { \"a\" + b }", ".dot", "", NB_INVALID, { "+ stands" } },
    { "graph { a [b c= ] }", ".dot", "", NB_INVALID, { "\"]\"" } },
    { "graph { a [= ] }", ".dot", "", NB_INVALID, { "key=value" } },
    { "graph { a & b }", ".dot", "", NB_INVALID, { "\"&\"", "a node" } },
    { "graph { a:[] }", ".dot", "", NB_INVALID, { "\"[\"" } },
    { "graph { node }", ".dot", "", NB_INVALID, { "0 routers" } },
    { "graph { a -- b\n[bandwidth=x] }",
      ".dot",
      "",
      NB_INVALID,
      { ":2: bandwidth \"x\"" } },
    { "graph { a -- b; a\n[terminals=x] }",
      ".dot",
      "",
      NB_INVALID,
      { ":2: terminals \"x\"" } },
    { "graph { a -- b;\na [terminals] }",
      ".dot",
      "",
      NB_INVALID,
      { ":2: terminals \"true\"" } },
    { "graph { a -- b }",
      ".dot",
      ",bandwidth-attribute=speed",
      NB_INVALID,
      { "no edge has an attribute \"speed\"" } },
    { "digraph { a -> b }",
      ".dot",
      ",directed=yes",
      NB_INVALID,
      { "(digraph)", "directed=no" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

/* Subgraphs in subgraphs, and large products of two, are refused. */
static void test_large(void **state)
{
    (void)state;
    enum { DEPTH = 5000, NODES = 2000 };
    static const char *const deep[] = { "nested too deeply", NULL };
    static const char *const many[] = { "2000 nodes are joined with 2000",
                                        NULL };
    struct nb_text text = { 0 };
    nb_text_print(&text, "graph ");
    for (int i = 0; i < DEPTH; i++)
        nb_text_print(&text, "{");
    topology_must_refuse_file(text.bytes, ".dot", "", NB_INVALID, deep);
    nb_text_release(&text);
    nb_text_print(&text, "graph {");
    for (int side = 0; side < 2; side++) {
        nb_text_print(&text, side == 0 ? "{" : "} -- {");
        for (int i = 0; i < NODES; i++)
            nb_text_print(&text, " %c%d", 'a' + side, i);
    }
    nb_text_print(&text, "} }");
    topology_must_refuse_file(text.bytes, ".dot", "", NB_INVALID, many);
    nb_text_release(&text);
}

static void test_damaged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        topology_must_survive_text(networks[i].text, ".dot", "",
                                   "{}[]-><\"\\ ;:=+#/*a1\n\xC3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks), cmocka_unit_test(test_pods),
        cmocka_unit_test(test_strict),   cmocka_unit_test(test_written),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_large),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
