/* Terminals by name, by number of neighbours or as a list, and hosts that
 * become terminals of their switches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* Three hosts at two switches; the switches are joined by two links. */
#define TREE "h1 s1\nh2 s1\ns2 h3\ns1 s2\ns1 s2\n"

/* Routers in order, with their terminals. */
static const struct {
    const char *text, *ending, *parameters;
    const char *routers;
    uint32_t first_node;
    size_t channels;
} choices[] = {
    { TREE, ".txt", ",terminals-at=h*", "s1:0 s2:0 h1:1 h2:1 h3:1 ", 2, 10 },
    { TREE, ".txt", ",terminals-at=degree:1,terminals=4",
      "s1:0 s2:0 h1:4 h2:4 h3:4 ", 2, 10 },
    { TREE, ".txt", ",terminals-at=h[1-2]+s2", "h1:1 s1:0 h2:1 s2:1 h3:0 ", 0,
      10 },
    { TREE, ".txt", ",terminals-at=degree:2..3", "h1:0 s1:1 h2:0 s2:1 h3:0 ", 0,
      10 },
    { TREE, ".txt", ",terminals-at=?1", "h1:1 s1:1 h2:0 s2:0 h3:0 ", 0, 10 },
    /* Hosts become terminals; so do several that share a switch. */
    { TREE, ".txt", ",terminals-at=h*,hosts=terminals", "s1:2 s2:1 ", 0, 4 },
    { TREE, ".txt", ",terminals-at=h*,hosts=terminals,terminals=3",
      "s1:6 s2:3 ", 0, 4 },
    { "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n3 Switches=a\n", ".conf",
      ",hosts=terminals", "a:2 b:1 ", 0, 2 },
    /* Other parts do not matter. */
    { "h1 s1\nh2 s1\ns2 h3\ns1 s2\nx y\n", ".txt",
      ",terminals-at=degree:1,component=1", "s1:0 s2:0 h1:1 h2:1 h3:1 ", 2, 8 },
    { "h1 s1\nh2 s1\ns2 h3\ns1 s2\nx y\n", ".txt",
      ",terminals-at=degree:1,component=1,hosts=terminals", "s1:2 s2:1 ", 0,
      2 },
    { "6 2 4\n3 4\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 4 1Gbps 1us 0\n"
      "3 4 4Gbps 1us 0\n",
      ".txt", "", "node3:0 node4:0 node0:1 node1:1 node2:1 ", 2, 8 },
    { "6 2 4\n4 5\n1 4 1Gbps 1us 0\n2 4 1Gbps 1us 0\n3 5 1Gbps 1us 0\n"
      "4 5 4Gbps 1us 0\n",
      ".txt", "", "node4:0 node5:0 node1:1 node2:1 node3:1 ", 2, 8 },
    /* Labels choose, and stay. */
    { "<graphml><key id='l' for='node' attr.name='label'/>"
      "<graph edgedefault='undirected'>"
      "<node id='0'><data key='l'>Paris</data></node>"
      "<node id='1'><data key='l'>Rome</data></node>"
      "<node id='2'><data key='l'>host a</data></node>"
      "<edge source='0' target='1'/><edge source='0' target='2'/>"
      "<edge source='1' target='2'/></graph></graphml>",
      ".graphml", ",terminals-at=host+1", "Paris:0 Rome:1 host a:1 ", 0, 6 },
    /* Of a fabric, only hosts. */
    { "Switch 3 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n[3] \"c\"[1]\n"
      "Ca 1 \"a\" # \"sa HCA-1\"\nCa 1 \"b\" # \"b HCA-1\"\nCa 1 \"c\"\n",
      ".net", ",terminals-at=s*+b", "s:0 sa HCA-1:1 b HCA-1:1 c:0 ", 0, 6 },
};

static void test_choices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct nb_topology topology;
        struct nb_text found = { 0 };
        topology_must_build_file(choices[i].text, choices[i].ending,
                                 choices[i].parameters, &topology);
        for (uint32_t r = 0; r < topology.router_count; r++) {
            nb_router_print(&topology, r, &found);
            nb_text_print(&found, ":%u ", topology.terminals[r]);
        }
        assert_string_equal(found.bytes, choices[i].routers);
        assert_int_equal(topology.first_node, choices[i].first_node);
        assert_int_equal(topology.channel_count, choices[i].channels);
        nb_text_release(&found);
        nb_topology_release(&topology);
    }
}

/* The note says whether the others are switches. */
static void test_notes(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build_file(TREE, ".txt", ",terminals-at=h*", &topology);
    topology_must_note(&topology, "terminals", "at 3 of 5 routers");
    topology_must_note(&topology, "terminals", "others are switches");
    nb_topology_release(&topology);
    topology_must_build_file(TREE, ".txt", ",terminals-at=s*", &topology);
    topology_must_note(&topology, "terminals", "also pass through");
    nb_topology_release(&topology);
    topology_must_build_file("digraph { {h1;h2}->s1; s1->h1; s1->s2; s2->h3; "
                             "h3->s2; x->y }",
                             ".dot", ",component=1,terminals-at=degree:1",
                             &topology);
    topology_must_note(&topology, "terminals", "at 3 of 5 routers");
    topology_must_note(&topology, "directions", "both ways: 2");
    nb_topology_release(&topology);
    topology_must_build_file(TREE, ".txt", "", &topology);
    topology_must_note(&topology, "terminals", NULL);
    nb_topology_release(&topology);
    /* What the file leaves open no longer matters; other notes stay. */
    static const char graph[] =
        "<graphml><key id='t' for='node' attr.name='terminals'/>"
        "<graph edgedefault='directed'><node id='a'><data key='t'>2</data>"
        "</node><node id='b'/><edge source='a' target='b'/>"
        "<edge source='a' target='a'/></graph></graphml>";
    topology_must_build_file(graph, ".graphml", "", &topology);
    topology_must_note(&topology, "without_terminals", "1 of 2");
    nb_topology_release(&topology);
    topology_must_build_file(graph, ".graphml", ",terminals-at=a+b", &topology);
    assert_int_equal(topology.terminal_count, 3);
    topology_must_note(&topology, "without_terminals", NULL);
    topology_must_note(&topology, "terminals", "at 2 of 2");
    topology_must_note(&topology, "self_loops", ": 1");
    topology_must_note(&topology, "directions", ": 1");
    nb_topology_release(&topology);
}

static const struct topology_refusal refused[] = {
    { TREE,
      ".txt",
      ",terminals-at=h1+x*",
      NB_INVALID,
      { "\"x*\" fits no router", "degree:N" } },
    { TREE, ".txt", ",terminals-at=degree:9", NB_INVALID, { "\"degree:9\"" } },
    { TREE, ".txt", ",terminals-at=degree:2..1", NB_INVALID, { "2..1" } },
    { TREE, ".txt", ",terminals-at=degree:a", NB_INVALID, { "\"degree:a\"" } },
    { TREE, ".txt", ",terminals-at=h1+", NB_INVALID, { "\"\"" } },
    { TREE, ".txt", ",terminals-at=h[2-1]", NB_INVALID, { "h[2-1]" } },
    { "Switch 2 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\nCa 1 \"a\"\nCa 1 \"b\"\n",
      ".net",
      ",terminals-at=s",
      NB_INVALID,
      { "fits no host" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
