/* topology.conf of Slurm and METIS: correct files, and those refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

static const struct topology_network networks[] = {
    { ".conf",
      "# two\nSwitchName=a Nodes=n[08-10],x LinkSpeed=5 # and so on\n"
      "SWITCHNAME=b switches=a nodes=r[1-2]c[0,3]\n",
      "a0: n08 n09 n10 x b. b0: a r1c0 r1c3 r2c0 r2c3. n081: a. n091: a. "
      "n101: a. x1: a. r1c01: b. r1c31: b. r2c01: b. r2c31: b. " },
    { ".conf", "\n  SwitchName=s Nodes=n[5]\tNodes=m\n",
      "s0: n5 m. n51: s. m1: s. " },
    /* A continued line, and what scontrol prints: nodes at every level. */
    { ".conf", "SwitchName=s \\\n  Nodes=n[5] \\ \n Nodes=m\n",
      "s0: n5 m. n51: s. m1: s. " },
    { ".conf", "SwitchName=s\\\nNodes=n[5],m\\ # more\n\n LinkSpeed=1\n",
      "s0: n5 m. n51: s. m1: s. " },
    /* Slurm takes blanks around the = and quotes around values. */
    { ".txt", "SwitchName = \"s\" Nodes= \"n[1-2],m\"\tLinkSpeed =1\n",
      "s0: n1 n2 m. n11: s. n21: s. m1: s. " },
    { ".conf",
      "SwitchName=s Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
      "SwitchName=t Level=1 LinkSpeed=1 Nodes=n[1-2] Switches=s\n",
      "s0: n1 n2 t. t0: s. n11: s. n21: s. " },
    /* All links from both ends: once. Otherwise each line is a link. */
    { ".txt", "0 1\n1 0\n2 1\n1 2\n", "01: 1. 11: 0 2. 21: 1. " },
    { ".txt", "0 1 1/2\n1 0 1/2\n2 1\n1 2\n", "01: 1. 11: 0 2. 21: 1. " },
    { ".txt", "0 1\n1 0\n2 1\n", "01: 1 1. 11: 0 0 2. 21: 1. " },
    { ".txt", "0 1 1/2\n1 0 1/3\n", "01: 1 1. 11: 0 0. " },
    /* As networkx writes it. */
    { ".edgelist", "0 1 {}\n1 2 {}\n", "01: 1. 11: 0 2. 21: 1. " },
    /* METIS counts vertices from 1; comments, and weights of every kind. */
    { ".graph", "% a path\n3 2\n2\n% middle\n 1 3\n2\n",
      "11: 2. 21: 1 3. 31: 2. " },
    { ".GRAPH", "3 2 111 2\n5 9 9 2 4\n5 9 9 1 4 3 1\n5 9 9 2 1\n\n",
      "11: 2. 21: 1 3. 31: 2. " },
    /* Matrix Market: an entry both ways; general, one has its opposite. */
    { ".mtx",
      "%%MatrixMarket matrix coordinate pattern symmetric\n% a path\n\n"
      "3 3 2\n2 1\n3 2\n",
      "11: 2. 21: 1 3. 31: 2. " },
    { ".txt",
      "%%matrixmarket MATRIX coordinate real general\n3 3 4\n"
      "1 2 5\n2 1 5\n2 3 0.5\n1 1 7\n",
      "11: 2. 21: 1 3. 31: 2. " },
    /* topology.yaml: the default, else the first tree; flow style */
    { ".txt",
      "---\n# two\n- topology: b\n  block: {blocks: []}\n- topology: t\n"
      "  tree:\n    switches:\n      - switch: top\n        children: s[0-1]\n"
      "      - switch: s0\n        nodes: n[08-09]\n"
      "      - {switch: s1, nodes: m}\n",
      "top0: s0 s1. s00: top n08 n09. s10: top m. n081: s0. n091: s0. "
      "m1: s1. " },
    { ".yml",
      "- topology: a\n  tree: {switches: [{switch: s, nodes: 'x,y'}]}\n"
      "- topology: b\n  cluster_default: True\n"
      "  tree: {switches: [{switch: t, nodes: 'u,v'}]}\n",
      "t0: u v. u1: t. v1: t. " },
    /* the default names no switches */
    { ".yaml",
      "- topology: a\n  tree: {switches: [{switch: s, nodes: 'x,y'}]}\n"
      "- topology: b\n  cluster_default: true\n  block: {block_sizes: [4]}\n",
      "s0: x y. x1: s. y1: s. " },
    /* ns-3: words in any line, and text behind them; a node with two links is
     * no host, since packets pass through it. */
    { ".txt",
      "4 2 3\n3 0\n1 3 10Gbps 1us 0\n2 0 10Gbps 1us 0 0 3 40Gbps 1us 0\n"
      "First line: nodes, switches, links\n",
      "node00: node2 node3. node30: node1 node0. node11: node3. "
      "node21: node0. " },
    { ".txt", "3 1 2\n2\n0 1 1Gbps 1ns 0\n1 2 1Gb/s 1ns 0\n",
      "01: 1. 11: 0 2. 20: 1. " },
};

/* How a file begins counts for more than its ending, except for YAML, which may
 * begin like JSON. */
static void test_endings(void **state)
{
    (void)state;
    static const char graphml[] =
        "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/>"
        "<node id=\"b\"/><edge source=\"a\" target=\"b\"/></graph></graphml>";
    static const char json[] =
        "{\"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}], \"links\": "
        "[{\"source\": \"a\", \"target\": \"b\"}]}";
    static const char gml[] = "graph [ node [ id 1 label \"a\" ] node [ id 2 "
                              "label \"b\" ] edge [ source 1 target 2 ] ]";
    static const struct topology_network rows[] = {
        { ".json", graphml, "a1: b. b1: a. " },
        { ".graphml", json, "a1: b. b1: a. " },
        { ".dot", gml, "a1: b. b1: a. " },
        { ".gml", "graph { a -- b }", "a1: b. b1: a. " },
        { ".graph", "router 0 node 0 router 1\nrouter 1 node 1\n",
          "01: 1. 11: 0. " },
        { ".yaml",
          "[{topology: t, tree: {switches: [{switch: s, nodes: 'u,v'}]}}]",
          "s0: u v. u1: s. v1: s. " },
    };
    topology_must_be_networks(rows, sizeof rows / sizeof *rows);
}

/* A weight that was not asked for is named, whatever the format. */
static void test_unread(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parameters, *note;
    } rows[] = {
        { "<graphml><key id=\"d0\" for=\"edge\" attr.name=\"weight\"/>"
          "<graph><node id=\"a\"/><node id=\"b\"/><edge source=\"a\" "
          "target=\"b\"><data key=\"d0\">3</data></edge></graph></graphml>",
          "", "bandwidth-attribute=weight" },
        { "<graphml><key id=\"d0\" for=\"edge\" attr.name=\"weight\"/>"
          "<graph><node id=\"a\"/><node id=\"b\"/><edge source=\"a\" "
          "target=\"b\"><data key=\"d0\">3</data></edge></graph></graphml>",
          ",bandwidth-attribute=weight", NULL },
        { "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 "
          "capacity 3 ] ]",
          "", "bandwidth-attribute=capacity" },
        { "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 "
          "bandwidth 2 capacity 3 ] ]",
          "", NULL },
        { "{\"nodes\": [{\"id\": 1}, {\"id\": 2}], \"links\": "
          "[{\"source\": 1, \"target\": 2, \"value\": 3}]}",
          "", "bandwidth-attribute=value" },
        { "graph { a -- b [weight=3] }", "", "bandwidth-attribute=weight" },
        { "graph { a -- b [weight=3] }", ",bandwidth-attribute=weight", NULL },
        { "{\"nodes\": [{\"id\": 1}, {\"id\": 2}], \"links\": "
          "[{\"source\": 1, \"target\": 2, \"colour\": 3}]}",
          "", NULL },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(rows[i].text, ".txt", rows[i].parameters,
                                 &topology);
        topology_must_note(&topology, "ignored", rows[i].note);
        nb_topology_release(&topology);
    }
}

static void test_networks(void **state)
{
    (void)state;
    topology_must_be_networks(networks, sizeof networks / sizeof *networks);
}

/* A star and a link, as networkx writes them; listed from both ends; one way.
 */
static void test_adjacency(void **state)
{
    (void)state;
    static const struct {
        const char *text, *parameters;
        size_t channels;
    } lists[] = {
        { "# networkx\n0 1 2\n1 2\n2\n", ",format=adjacency", 6 },
        { "0 1 2\n1 0\n2 0\n", ",format=adjacency", 4 },
        { "0 1 2 # both\n1 0\n2 0\n", ",format=adjacency,directed=yes", 4 },
        { "0 1\n1 2\n2 0\n", ",format=adjacency,directed=yes", 3 },
        /* by its ending, with three words on each line; with colons */
        { "1 2 4\n2 1 4\n4 1 2\n", "", 6 },
        { "a: b c\nb: c\n", "", 6 },
        /* write_adjlist of a grid, with delimiter="," */
        { "(0, 0) (1, 0) (0, 1)\n(0, 1)\n(1, 0)\n", "", 4 },
        { "(0, 0),(1, 0),(0, 1)\n(0, 1)\n(1, 0)\n", "", 4 },
        { "\"(a\" \"b c\" d\n", "", 4 },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(lists[i].text, ".adjlist", lists[i].parameters,
                                 &topology);
        TOPOLOGY_CHECK(topology.router_count == 3 &&
                           topology.channel_count == lists[i].channels,
                       "list %zu: %zu channels", i, topology.channel_count);
        nb_topology_release(&topology);
    }
}

static const struct topology_refusal refused[] = {
    { "graph [ node [ id 1 ] ]",
      ".gml",
      "",
      NB_INVALID,
      { "it has 1 router (" } },
    /* Names with blanks, separated by tabs. */
    { "node 0\tnode 1\nnode 1\tnode 2\n",
      ".txt",
      "",
      NB_INVALID,
      { "read as anynet", "format=edges reads an edge list" } },
    { "router 0 node 0\nrouter 0 x\n",
      ".txt",
      ",format=anynet",
      NB_INVALID,
      { ":2: ", "\"x\" is not permitted (permitted: router or node, and a "
                "number)" } },
    /* Files that nothing recognises. */
    { "a;b;1\n",
      ".csv",
      "",
      NB_INVALID,
      { ":1: it has 1 word", "read as an edge list, as nothing else fits",
        "separated by blanks, tabs or commas" } },
    { "x y w\n0 1 2\n",
      ".txt",
      "",
      NB_INVALID,
      { ":1: bandwidth \"w\"", "may name the columns: source, target" } },
    { "3 1 2\n2\n0 2 100 1us 0\n1 2 100 1us 0\n",
      ".txt",
      "",
      NB_INVALID,
      { ":2: ", "for ns-3, rates have units" } },
    { "0 1 x\n", ".txt", "", NB_INVALID, { "as nothing else fits" } },
    { "# a\n0 1 0\n1 0 1\n0 1 0\n",
      ".txt",
      "",
      NB_INVALID,
      { "Matrix Market" } },
    { "0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n",
      ".csv",
      "",
      NB_INVALID,
      { "it has 4 words", "Matrix Market" } },
    /* What is stated twice, or not declared. */
    { "<graphml><key id='b' for='edge' attr.name='bandwidth'/><graph>"
      "<node id='x'/><node id='y'/>\n<edge source='x' target='y'>"
      "<data key='b'>1</data>\n<data key='b'>2</data></edge></graph></graphml>",
      ".graphml",
      "",
      NB_INVALID,
      { ":3: <data key=\"b\"> ", "each key once" } },
    { "<graphml><graph><node id='x'/><node id='y'>\n"
      "<data key='nokey'>1</data></node></graph></graphml>",
      ".graphml",
      "",
      NB_INVALID,
      { ":2: <data key=\"nokey\"> ", "id of a <key>" } },
    { "graph [ node [ id 1 ] node [ id 2 ]\nedge [ source 1 target 2 "
      "bandwidth 1\nbandwidth 2 ] ]",
      ".gml",
      "",
      NB_INVALID,
      { ":3: bandwidth is repeated" } },
    { "{\"directed\": \"yes\", \"nodes\": [{\"id\": 1}, {\"id\": 2}], "
      "\"links\": [{\"source\": 1, \"target\": 2}]}",
      ".json",
      "",
      NB_INVALID,
      { ": graph: directed must be true or false, not \"yes\"" } },
    { "<gexf version=\"1.3\"><graph/></gexf>",
      ".gexf",
      "",
      NB_INVALID,
      { "its format, GEXF, is not read", "GraphML" } },
    { "a b\n",
      ".xml",
      ",format=sndlib",
      NB_INVALID,
      { "it is not SNDlib", "?SNDlib native format" } },
    { "{}",
      ".xml",
      ",format=graphml",
      NB_INVALID,
      { "it is not XML (permitted: GraphML" } },
    { "<graphml>\n<graph><!- a ->\n</graph></graphml>",
      ".graphml",
      "",
      NB_INVALID,
      { ":2: it is not well-formed", "comment" } },
    { "% a comment\n*Vertices 2\n1 \"a\"\n",
      ".net",
      "",
      NB_INVALID,
      { "its format, Pajek, is not read" } },
    { "*Network x\n*Vertices 2\n",
      ".net",
      "",
      NB_INVALID,
      { "its format, Pajek, is not read" } },
    { "Unicast lids [0-9] of switch Lid 2 guid 0x1 ('a'):\n",
      ".lft",
      "",
      NB_INVALID,
      { "forwarding tables, as for --routing file:FILE, is not read" } },
    { "\xFF\xFE"
      "a ",
      ".txt",
      "",
      NB_INVALID,
      { "save it as UTF-8" } },
    { "SwitchName=s Nodes=n[3-1]\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: ", "\"n[3-1]\"", "lower first" } },
    { "SwitchName=s Nodes=n[1\n", ".conf", "", NB_INVALID, { ":1: ", "n[1" } },
    { "SwitchName=s Nodes=n1]\n", ".conf", "", NB_INVALID, { ":1: ", "n1]" } },
    { "SwitchName=s Nodes=n[1-]\n", ".conf", "", NB_INVALID, { ":1: " } },
    { "SwitchName=s Nodes=n[]\n", ".conf", "", NB_INVALID, { ":1: " } },
    { "SwitchName=s Nodes=a,,b\n", ".conf", "", NB_INVALID, { ":1: " } },
    { "SwitchName=s Nodes=n[0-2000000]\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: " } },
    { "SwitchName=s Nodes=n[0-999][0-1999]\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: ", "1000000 names" } },
    { "SwitchName=s Hosts=n1\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: ", "\"Hosts=n1\"", "Nodes=LIST" } },
    { "---\n- topology: t\n  tree:\n",
      ".yaml",
      "",
      NB_INVALID,
      { ":2: ", "no tree of switches" } },
    { "a: [1, 2\n", ".yaml", "", NB_INVALID, { "permitted: YAML" } },
    { "a: 1\n", ".yml", "", NB_INVALID, { "no topologies of Slurm" } },
    { "- topology: t\n  block:\n    blocks: []\n",
      ".txt",
      "",
      NB_INVALID,
      { ":1: ", "topology/block" } },
    { "- topology: t\n  tree:\n    switches:\n    - children: a\n",
      ".txt",
      "",
      NB_INVALID,
      { ":4: ", "no name" } },
    { "- topology: t\n  tree:\n    switches:\n    - switch: s\n"
      "      nodes: [a, b]\n",
      ".txt",
      "",
      NB_INVALID,
      { ":5: ", "nodes" } },
    { "- topology: t\n  tree:\n    switches:\n    - switch: s\n"
      "      nodes: n[2-1]\n",
      ".txt",
      "",
      NB_INVALID,
      { ":5: ", "n[2-1]" } },
    { "- topology: t\n  tree:\n    switches:\n    - switch: s\n"
      "      nodes: a,a\n",
      ".txt",
      "",
      NB_INVALID,
      { ":5: \"a\" appears twice" } },
    { "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us\n",
      ".txt",
      "",
      NB_INVALID,
      { "ends within a link" } },
    { "3 1 2\n2\n0 2 10Gbps 1us 0\n1 3 10Gbps 1us 0\n",
      ".txt",
      "",
      NB_INVALID,
      { ":4: ", "target \"3\"" } },
    { "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Qbps 1us 0\n",
      ".txt",
      "",
      NB_INVALID,
      { ":4: ", "10Qbps" } },
    { "3 1 1\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n",
      ".txt",
      "",
      NB_INVALID,
      { ":4: ", "another link", "permitted: 1," } },
    { "4 2 3\n3 3\n0 3 10Gbps 1us 0\n1 3 10Gbps 1us 0\n2 3 1Gbps 1us 0\n",
      ".txt",
      "",
      NB_INVALID,
      { ":2: ", "switch \"3\" is repeated" } },
    { "3 1\n", ".txt", ",format=ns3", NB_INVALID, { "before links" } },
    { "3 4 2\n", ".txt", ",format=ns3", NB_INVALID, { "switches \"4\"" } },
    { "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n",
      ".mtx",
      "",
      NB_INVALID,
      { ":1: ", "coordinate", "pattern, real" } },
    { "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 0\n",
      ".mtx",
      "",
      NB_INVALID,
      { ":1: ", "general or symmetric" } },
    { "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n2 1\n",
      ".mtx",
      "",
      NB_INVALID,
      { ":2: ", "columns \"3\"" } },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n",
      ".mtx",
      "",
      NB_INVALID,
      { "1 entries", "2, as its size" } },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n3 1\n",
      ".mtx",
      "",
      NB_INVALID,
      { ":3: ", "row \"3\"" } },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1 5\n",
      ".mtx",
      "",
      NB_INVALID,
      { ":3: ", "number of words" } },
    { "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 -5\n",
      ".mtx",
      "",
      NB_INVALID,
      { ":3: ", "\"-5\"", "> 0" } },
    { "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n"
      "1 2\n",
      ".mtx",
      "",
      NB_INVALID,
      { ":5: ", "\"1 2\"", "one side" } },
    { "*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n",
      ".net",
      "",
      NB_INVALID,
      { "Pajek" } },
    { "0\n1\n", ".txt", ",format=adjacency", NB_INVALID, { "2 parts" } },
    { "0 \001\n", ".txt", ",format=adjacency", NB_INVALID, { ":1: " } },
    { "0 1\n1 {}\n", ".adjlist", "", NB_INVALID, { ":2: ", "multiline" } },
    { "0: 1 2\n", ".txt", "", NB_INVALID, { ":1: ", "format=adjacency" } },
    { "2\n2\n1\n", ".graph", "", NB_INVALID, { ":1: ", "vertices edges" } },
    { "", ".graph", "", NB_INVALID, { "vertices edges" } },
    { "2 x\n2\n1\n", ".graph", "", NB_INVALID, { ":1: ", "\"x\"" } },
    { "99 1\n2\n1\n", ".graph", "", NB_INVALID, { ":1: ", "99" } },
    { "2 1 2\n2\n1\n", ".graph", "", NB_INVALID, { ":1: ", "fmt \"2\"" } },
    { "2 1 10 0\n2\n1\n", ".graph", "", NB_INVALID, { ":1: ", "ncon" } },
    { "2 1\n2\n3\n", ".graph", "", NB_INVALID, { ":3: ", "\"3\"" } },
    { "2 1\n2\n0\n", ".graph", "", NB_INVALID, { ":3: ", "\"0\"" } },
    { "2 1\n2", ".graph", "", NB_INVALID, { "ends after 1 vertices" } },
    { "2 1\n2\n1\n\n1\n", ".graph", "", NB_INVALID, { ":5: ", "follows" } },
    { "2 2\n2\n1\n", ".graph", "", NB_INVALID, { "2 neighbours", "4" } },
    { "3 2\n2 3\n1 3\n\n", ".graph", "", NB_INVALID, { "one end only" } },
    { "2 1 1\n2 3\n1 4\n", ".graph", "", NB_INVALID, { "two weights" } },
    { "2 1 1\n2\n1\n", ".graph", "", NB_INVALID, { ":2: ", "no weight" } },
    { "2 1 1\n2 0\n1 0\n", ".graph", "", NB_INVALID, { ":2: ", "\"0\"" } },
    { "2 1 11 2\n7\n1 1 1 1\n",
      ".graph",
      "",
      NB_INVALID,
      { ":2: ", "2 weights of the vertex" } },
    { "SwitchName=s Nodes=n[1-2]\n",
      ".conf",
      ",directed=yes",
      NB_INVALID,
      { "directed=yes", "both ways" } },
    { "SwitchName=s Nodes=n[1-2]\n",
      ".conf",
      ",bandwidth-attribute=LinkSpeed",
      NB_INVALID,
      { "bandwidth-attribute=LinkSpeed", "topology.conf" } },
    { "0 1\n",
      ".adjlist",
      ",bandwidth-attribute=speed",
      NB_INVALID,
      { "bandwidth-attribute=speed", "an adjacency list" } },
    { "0 1\n",
      ".txt",
      ",group-attribute=pod",
      NB_INVALID,
      { "group-attribute=pod", "an edge list" } },
    { "Switch 2 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\nCa 1 \"a\"\nCa 1 \"b\"\n",
      ".net",
      ",directed=yes",
      NB_INVALID,
      { "directed=yes", "ibnetdiscover", "both ways" } },
    { "SwitchName=s0 Switches=s1\nSwitchName=s1 Switches=s0 Nodes=n[1-2]\n",
      ".conf",
      "",
      NB_INVALID,
      { "is below itself" } },
    { "SwitchName=top Switches=s0\nSwitchName=s0 Switches=s1,s2\n"
      "SwitchName=s1 Nodes=n1\nSwitchName=s2 Switches=s3 Nodes=n2\n"
      "SwitchName=s3 Switches=s2\n",
      ".conf",
      "",
      NB_INVALID,
      { "switch \"s", "is below itself" } },
    { "BlockName=b Nodes=n[1-4]\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: ", "topology/block", "topology/tree" } },
    { "# a\nBlockSizes=4,8\nBlockName=b Nodes=n[1-4]\n",
      ".conf",
      "",
      NB_INVALID,
      { ":2: ", "topology/block", "topology/tree" } },
    { "RingName=r Nodes=n[1-4]\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: ", "topology/ring", "topology/tree" } },
    { "SwitchName=s Nodes= Switches=t\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: \"Nodes=Switches=t\" is not permitted" } },
    { "SwitchName=s Nodes\n", ".conf", "", NB_INVALID, { ":1: \"Nodes\" is" } },
    { "SwitchName=s Level=x Nodes=n1\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: ", "\"Level=x\"", "Level=NUMBER" } },
    { "SwitchName=s Nodes=n1\nNodes=n2\n",
      ".conf",
      "",
      NB_INVALID,
      { ":2: ", "SwitchName=NAME" } },
    { "SwitchName=s Nodes=n1\nSwitchName=t Nodes=n1 Switches=s\n",
      ".conf",
      "",
      NB_INVALID,
      { ":2: \"n1\" appears twice" } },
    { "SwitchName=s Nodes=n1\n# c\nSwitchName=s Nodes=n2\n",
      ".conf",
      "",
      NB_INVALID,
      { ":3: \"s\" appears twice" } },
    { "SwitchName=s Nodes=n1 Switches=t\n",
      ".conf",
      "",
      NB_INVALID,
      { ":1: ", "no router \"t\"" } },
    { "SwitchName=s Nodes=n1\nSwitchName=t Nodes=n2\n",
      ".conf",
      "",
      NB_INVALID,
      { "2 parts", "component=1" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

/* Weights of edges are bandwidths; those of vertices are not. */
static void test_metis_weights(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file("3 2 011\n8 2 4\n8 1 4 3 5\n8 2 5\n", ".graph", "",
                             &topology);
    assert_int_equal(topology.channel_count, 4);
    for (size_t c = 0; c < topology.channel_count; c++) {
        const struct nb_channel *channel = &topology.channels[c];
        const bool is_first = channel->source == 0 || channel->target == 0;
        assert_int_equal(channel->bandwidth.numerator, is_first ? 4 : 5);
        assert_int_equal(channel->bandwidth.denominator, 1);
    }
    nb_topology_release(&topology);
}

/* Entries of 0 are no links; directions as asked for. */
static void test_matrix(void **state)
{
    (void)state;
    static const char text[] =
        "%%MatrixMarket matrix coordinate integer general\n3 3 4\n"
        "1 2 3\n2 3 1\n3 1 1\n1 3 0\n";
    struct nb_topology topology;
    topology_must_build_file(text, ".mtx", "", &topology);
    assert_int_equal(topology.channel_count, 6);
    topology_must_note(&topology, "zeros", ": 1");
    topology_must_note(&topology, "directions", ": 3");
    nb_topology_release(&topology);
    topology_must_build_file(text, ".mtx", ",directed=yes", &topology);
    assert_int_equal(topology.channel_count, 3);
    nb_topology_release(&topology);
    /* entries on both sides */
    topology_must_build_file(
        "%%MatrixMarket matrix coordinate pattern general\n"
        "3 3 4\n1 2\n2 1\n2 3\n3 2\n",
        ".mtx", ",directed=no", &topology);
    assert_int_equal(topology.channel_count, 4);
    topology_must_note(&topology, "listed_twice", "every link");
    nb_topology_release(&topology);
    /* an entry of a symmetric matrix stands for both */
    topology_must_build_file(
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n",
        ".mtx", ",directed=yes", &topology);
    assert_int_equal(topology.channel_count, 4);
    nb_topology_release(&topology);
    topology_must_build("file:data/topologies/cube-scipy.mtx", &topology);
    assert_int_equal(topology.channel_count, 24);
    nb_topology_release(&topology);
    topology_must_survive_damage("data/topologies/cube-scipy.mtx", ".mtx", "",
                                 " \n\t012349-.%x");
}

/* The most common rate of hosts' links is bandwidth 1. */
static void test_ns3(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build("file:data/topologies/two-racks-ns3.txt", &topology);
    assert_int_equal(topology.first_node, 4);
    assert_int_equal(topology.channel_count, 18);
    for (size_t c = 0; c < topology.channel_count; c++) {
        const struct nb_channel *channel = &topology.channels[c];
        const bool is_up = channel->source < 4 && channel->target < 4;
        const bool is_slow = channel->source == 7 || channel->target == 7;
        assert_int_equal(channel->bandwidth.numerator, is_up ? 4 : 1);
        assert_int_equal(channel->bandwidth.denominator, is_slow ? 4 : 1);
    }
    topology_must_note(&topology, "speeds", "bandwidth 1 is 100 Gbps");
    topology_must_note(&topology, "nodes", ": 4; each is a host");
    nb_topology_release(&topology);
    topology_must_build("file:data/topologies/two-racks-ns3.txt,speeds=alike",
                        &topology);
    assert_int_equal(topology.channels[0].bandwidth.denominator, 1);
    topology_must_note(&topology, "speeds", NULL);
    nb_topology_release(&topology);
}

/* A chain of switches has the levels of Slurm's hierarchy. */
static void test_slurm_levels(void **state)
{
    (void)state;
    static const uint32_t levels[] = { 2, 1, 0, 0 };
    struct nb_topology topology;
    topology_must_build_file(
        "- topology: a\n  tree: {switches: [{switch: s, nodes: 'x,y'}]}\n"
        "- topology: b\n  cluster_default: true\n  flat: true\n",
        ".yaml", "", &topology);
    topology_must_note(&topology, "topologies",
                       "\"a\" of 2, since the default, \"b\", is no tree");
    nb_topology_release(&topology);
    topology_must_build_file("SwitchName=core Switches=spine\n"
                             "SwitchName=spine Switches=tor[1-2]\n"
                             "SwitchName=tor1 Nodes=n[1-2]\n"
                             "SwitchName=tor2 Nodes=n[3-4]\n",
                             ".conf", "", &topology);
    assert_int_equal(topology.first_node, 4);
    for (size_t r = 0; r < 4; r++)
        assert_int_equal(topology.level[r], levels[r]);
    nb_topology_release(&topology);
}

/* A switch is one above the highest below it, however many are listed. */
static void test_slurm_chain(void **state)
{
    (void)state;
    enum { SWITCHES = 20000 };
    static const uint32_t levels[] = { 3, 2, 0, 1, 0 };
    static const char *const circle[] = { "\"s", "is below itself", NULL };
    struct nb_topology topology;
    struct nb_text text = { 0 };
    topology_must_build_file("SwitchName=top Switches=s0,s2\n"
                             "SwitchName=s0 Switches=s1,s2\n"
                             "SwitchName=s1 Nodes=n1,n3\n"
                             "SwitchName=s2 Switches=s3 Nodes=n2\n"
                             "SwitchName=s3 Nodes=n4\n",
                             ".conf", "", &topology);
    for (size_t r = 0; r < sizeof levels / sizeof *levels; r++)
        assert_int_equal(topology.level[r], levels[r]);
    nb_topology_release(&topology);
    for (int s = 0; s + 1 < SWITCHES; s++)
        nb_text_print(&text, "SwitchName=s%d Switches=s%d\n", s, s + 1);
    const size_t end = text.length;
    nb_text_print(&text, "SwitchName=s%d Nodes=n[1-2]\n", SWITCHES - 1);
    topology_must_build_file(text.bytes, ".conf", "", &topology);
    assert_int_equal(topology.level[0], SWITCHES - 1);
    assert_int_equal(topology.level[SWITCHES - 1], 0);
    nb_topology_release(&topology);
    text.length = end;
    nb_text_print(&text, "SwitchName=s%d Switches=s9\n", SWITCHES - 1);
    topology_must_refuse_file(text.bytes, ".conf", "", NB_INVALID, circle);
    nb_text_release(&text);
}

static void test_damaged(void **state)
{
    (void)state;
    topology_must_survive_damage("data/topologies/slurm-topology.yaml", ".yaml",
                                 "", " \n\t:-[]{}&*'\"#%|>");
    topology_must_survive_damage("data/topologies/two-racks-ns3.txt", ".txt",
                                 "", " \n\t012349.GMbps/");
}

static void test_damaged_metis(void **state)
{
    (void)state;
    topology_must_survive_damage("data/topologies/cube-metis.graph", ".graph",
                                 "", " \n\t012349-.%x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_adjacency),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_metis_weights),
        cmocka_unit_test(test_damaged_metis),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_ns3),
        cmocka_unit_test(test_slurm_levels),
        cmocka_unit_test(test_slurm_chain),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
