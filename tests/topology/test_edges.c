/* Edge lists as programs write them: separators, headers, attributes, links
 * listed from both ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/text.h"

#include <string.h>

/* Lists, and their channels in order: source>target and a bandwidth other than
 * 1. Where networkx is named, its release 3.6.1 printed the text. */
static const struct {
    const char *text, *parameters, *channels;
} lists[] = {
    /* networkx, a path; a grid, whose nodes are pairs */
    { "0 1 {}\n1 2 {}\n", "", "0>1 1>0 1>2 2>1 " },
    { "(0, 0) (1, 0) {'weight': 2.5, 'color': 'a \"b\", {c}'}\n"
      "(0, 0) (0, 1) {'weight': 2.5, 'color': 'a \"b\", {c}'}\n"
      "(1, 0) (1, 1) {'weight': 2.5, 'color': 'a \"b\", {c}'}\n",
      "",
      "(0, 0)>(1, 0)=5/2 (0, 0)>(0, 1)=5/2 (1, 0)>(0, 0)=5/2 "
      "(1, 0)>(1, 1)=5/2 (0, 1)>(0, 0)=5/2 (1, 1)>(1, 0)=5/2 " },
    { "a b {'bandwidth': 3, 'weight': 9}\n", "", "a>b=3 b>a=3 " },
    { "a b {\"speed\": \"7\", \"weight\": 9}\n", ",bandwidth-attribute=speed",
      "a>b=7 b>a=7 " },
    { "a b {'x': [1, (2, 3)], 'y': None}\n", "", "a>b b>a " },
    /* a grid with commas in names; CSV with blanks, quotes and empty cells */
    { "0,0 0,1\n0,1 1,1\n", "", "0,0>0,1 0,1>0,0 0,1>1,1 1,1>0,1 " },
    { "0,0\t0,1\t2\n", "", "0,0>0,1=2 0,1>0,0=2 " },
    { "New York,Oslo,2\n", "", "New York>Oslo=2 Oslo>New York=2 " },
    { "\"St. John, NB\",\"say \"\"hi\"\"\"\n", "",
      "St. John, NB>say \"hi\" say \"hi\">St. John, NB " },
    { "\"node x 1\",5\n", "", "node x 1>5 5>node x 1 " },
    { "a b 3\n", ",bandwidth-attribute=weight", "a>b=3 b>a=3 " },
    { "a, b, 3\n", "", "a>b=3 b>a=3 " },
    { "a ,b ,3\n", "", "a>b=3 b>a=3 " },
    { "say \"a\",it's\n", "", "say \"a\">it's it's>say \"a\" " },
    { "u v\nv w\n", "", "u>v v>u v>w w>v " },
    { "a[0] -1\n", "", "a[0]>-1 -1>a[0] " },
    { "New York\tS\xC3\xA3o Paulo\n", "",
      "New York>S\xC3\xA3o Paulo S\xC3\xA3o Paulo>New York " },
    { "\"New York\" \"Oslo\" 2\n", "", "New York>Oslo=2 Oslo>New York=2 " },
    /* commas and # within quotes */
    { "\"a, x\" b\nb \"c, y\" 2\n", "", "a, x>b b>a, x b>c, y=2 c, y>b=2 " },
    { "\"rack #1\" b # c\n", "", "rack #1>b b>rack #1 " },
    { "\"say \"\"hi\"\" #1\",b,2 # c\n", "",
      "say \"hi\" #1>b=2 b>say \"hi\" #1=2 " },
    { "a b {'label': 'rack #1', 'weight': 2}\n", "", "a>b=2 b>a=2 " },
    /* networkx, a grid with delimiter=",", with data and without */
    { "(0, 0),(1, 0)\n(0, 0),(0, 1)\n", "",
      "(0, 0)>(1, 0) (0, 0)>(0, 1) (1, 0)>(0, 0) (0, 1)>(0, 0) " },
    { "(0, 0),(1, 0),{'weight': 2}\n", "", "(0, 0)>(1, 0)=2 (1, 0)>(0, 0)=2 " },
    { "(a,b (c\n", "", "(a>b (c b (c>(a " },
    /* headers, also with other columns and another order */
    { "source,target,weight\na,b,3\n", "", "a>b=3 b>a=3 " },
    { "from to\na b\n", "", "a>b b>a " },
    { "Id,Source,Target,Type,Weight\n0,a,b,Undirected,3\n1,b,c,Undirected,\n",
      "", "a>b=3 b>a=3 b>c c>b " },
    { "weight\tto\tfrom\tspeed\n9\ta\tb\t4\n", ",bandwidth-attribute=speed",
      "b>a=4 a>b=4 " },
    { "source x\nx y\n", "", "source>x x>source x>y y>x " },
    { "node1,node2\na,b\nb,c\n", "", "a>b b>a b>c c>b " },
    { "id,from_node,dest,weight\n0,a,b,3\n", "", "a>b=3 b>a=3 " },
    /* the same words as routers */
    { "node1,node2\nnode2,node3\n", "",
      "node1>node2 node2>node1 node2>node3 node3>node2 " },
    { "node1,node2\n# end\n", "", "node1>node2 node2>node1 " },
    { "u v\nu v\n", "", "u>v u>v v>u v>u " },
    /* comments */
    { "# a\n% sym\n// b\n a b # c\nb c 2 # d\n", "", "a>b b>a b>c=2 c>b=2 " },
    /* from both ends */
    { "0 1\n1 0\n", "", "0>1 1>0 " },
    { "0 1\n1 0\n", ",directed=yes", "0>1 1>0 " },
};

static void test_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct nb_topology topology;
        struct nb_text found = { 0 };
        topology_must_build_file(lists[i].text, ".txt", lists[i].parameters,
                                 &topology);
        for (size_t c = 0; c < topology.channel_count; c++) {
            const struct nb_channel *channel = &topology.channels[c];
            char bandwidth[NB_RATIO_TEXT];
            nb_ratio_print(channel->bandwidth, bandwidth);
            nb_router_print(&topology, channel->source, &found);
            nb_text_print(&found, ">");
            nb_router_print(&topology, channel->target, &found);
            if (strcmp(bandwidth, "1") != 0)
                nb_text_print(&found, "=%s", bandwidth);
            nb_text_print(&found, " ");
        }
        assert_string_equal(found.bytes, lists[i].channels);
        nb_text_release(&found);
        nb_topology_release(&topology);
    }
}

static const struct {
    const char *text, *name, *says;
} notes[] = {
    { "0 1\n1 0\n1 2\n2 1\n", "listed_twice", "every link" },
    { "0 1\n1 0\n1 2\n", "listed_twice", "2 of 3 links" },
    { "0 1\n1 2\n", "listed_twice", NULL },
    { "0 1 2\n1 0 3\n", "listed_twice", NULL },
    { "source,target,weight\na,b,3\n", "columns", "as bandwidth weight" },
    { "a b 0.0021060533511106927\nb c 1\n", "rounded", "rounded: 1" },
    { "a b 2.1060533511106927e-05\nb c 1e-7\n", "rounded", "rounded: 1" },
    { "3 2\n0 1\n1 2\n", "counts", "\"3 2\"" },
    { "# x\n3 3\n0 1\n1 2\n2 0\n0 3\n", "counts", NULL },
    { "4 4\n0 1\n1 2\n2 3\n3 4\n", "counts", NULL },
    { "3 3\n1 2\n2 3\n3 1\n", "counts", "make it a comment" },
    { "3 2\n3 1\n2 1\n", "counts", "\"3 2\"" },
    { "a 2\na b\nb c\n", "counts", NULL },
    { "source,target\na,b\n", "columns", "source, target" },
    { "node1,node2\na,b\n", "columns", "read: node1, node2" },
    { "u v w\n0 1 2\n", "ignored", "\"w\"" },
    { "a b\n", "columns", NULL },
    { "a b {'weight': 3}\nb c\n", "weights", "at 1 links" },
    { "a b {'weight': 3}\nb c\n", "bandwidths", NULL },
    { "a b {'bandwidth': 3}\n", "weights", NULL },
    { "a b {'color': 3}\n", "ignored", "\"color\"" },
    { "source,target,color\na,b,red\n", "ignored", "\"color\"" },
};

static void test_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        struct nb_topology topology;
        topology_must_build_file(notes[i].text, ".txt", "", &topology);
        topology_must_note(&topology, notes[i].name, notes[i].says);
        nb_topology_release(&topology);
    }
}

static const struct topology_refusal refused[] = {
    { "a b {'x' 3}\n", ".txt", "", NB_INVALID, { ":1: ", "{'NAME'" } },
    { "a b {x: 3}\n", ".txt", "", NB_INVALID, { ":1: ", "{'NAME'" } },
    { "a b {'weight': 'red'}\n", ".txt", "", NB_INVALID, { ":1: ", "red" } },
    { "a b 3 {}\n",
      ".txt",
      "",
      NB_INVALID,
      { ":1: it has 3 words before its attributes", "source target {...}" } },
    { "a b 3 4\n", ".txt", "", NB_INVALID, { ":1: it has 4 words" } },
    { "a,b,\"c\n", ".txt", "", NB_INVALID, { ":1: ", "quote" } },
    { "b c 2\na b 1,5\n", ".txt", "", NB_INVALID, { ":2: ", "decimal comma" } },
    /* a second part, whose routers are numbered as those of the first line */
    { "node1 node2\nnode3 node4\n", ".txt", "", NB_INVALID, { "2 parts" } },
    /* a name that is nowhere */
    { "a b {'weight': 3}\n",
      ".txt",
      ",bandwidth-attribute=wieght",
      NB_INVALID,
      { "\"wieght\"", "bandwidth-attribute" } },
    { "source,target,weight\na,b,3\n",
      ".csv",
      ",bandwidth-attribute=speed",
      NB_INVALID,
      { "no edge has an attribute \"speed\"" } },
    { "a b\n", ".txt", ",bandwidth-attribute=x", NB_INVALID, { "\"x\"" } },
    /* signs of other notations, which may otherwise join all routers */
    { "1 -> 2\n2 -> 3\n", ".txt", "", NB_INVALID, { ":1: \"->\" is no name" } },
    { "1 2\n1 -- 2\n", ".txt", "", NB_INVALID, { ":2: \"--\" is no name" } },
    { "from,to\na,b\nb,-\n", ".csv", "", NB_INVALID, { ":3: \"-\" is no" } },
    { "[0,1]\n[2,1]\n[0,3]\n", ".txt", "", NB_INVALID, { ":1: \"[0\" is no" } },
    { "a,,2\n", ".txt", "", NB_INVALID, { ":1: ", "empty" } },
    { "source,target\na,b,c\n",
      ".csv",
      "",
      NB_INVALID,
      { ":2: ", "3 words", "2, as the header" } },
    { "source,target,bandwidth\na,b,x\n",
      ".csv",
      "",
      NB_INVALID,
      { ":2: ", "\"x\"" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

/* Brackets that are not closed: no deep recursion, and no long search. */
static void test_open_brackets(void **state)
{
    (void)state;
    static const char *const texts[] = { ":1: ", NULL };
    static const char *const starts[] = { "(", "( ", "{ ", "\"( ", "(," };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        struct nb_text text = { 0 };
        for (size_t n = 0; n < 50000; n++)
            nb_text_print(&text, "%s", starts[i]);
        topology_must_refuse_file(text.bytes, ".txt", "", NB_INVALID, texts);
        nb_text_release(&text);
    }
}

static void test_damaged(void **state)
{
    (void)state;
    topology_must_survive_damage("data/topologies/racks-networkx.txt", ".txt",
                                 "", " ,\n\t{}':\"()#%0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),   cmocka_unit_test(test_notes),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_open_brackets),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
