/* Networks as text in files; names of any kind; networks refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/network_file.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/graph_write.h"

#include <string.h>
#include <unistd.h>

#define HOSTILE                                                                \
    "<graphml><graph edgedefault='directed'>"                                  \
    "<node id='&lt;script>alert(&quot;1\\&quot;)&lt;/script>'/>"               \
    "<node id='a&#10;b&#9; c\\'/><node id=''/><node id='&amp;lt;]]>'/>"        \
    "<node id='T\xC3\xBCr \xF0\x9F\x98\x80'/>"                                 \
    "<edge source='&lt;script>alert(&quot;1\\&quot;)&lt;/script>' target=''/>" \
    "<edge source='' target='a&#10;b&#9; c\\'/>"                               \
    "<edge source='a&#10;b&#9; c\\' target='&amp;lt;]]>'/>"                    \
    "<edge source='&amp;lt;]]>' target='T\xC3\xBCr \xF0\x9F\x98\x80'/>"        \
    "<edge source='T\xC3\xBCr \xF0\x9F\x98\x80' "                              \
    "target='&lt;script>alert(&quot;1\\&quot;)&lt;/script>'/>"                 \
    "</graph></graphml>"

static void hostile_names_are_quoted(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_FILE];
    topology_must_build_file(HOSTILE, ".graphml", ",directed=yes", &topology);
    assert_string_equal(nb_router_name(&topology, 0),
                        "<script>alert(\"1\\\")</script>");
    assert_string_equal(nb_router_name(&topology, 1), "a\nb\t c\\");
    network_file_check_graphml(&topology, "hostile names");
    /* In a Graphviz label \" is a quote, \\ a backslash, and \n ends a line. */
    network_file_check_text(
        &topology, ".gv",
        "digraph netbound {\n"
        "  0 [label=\"<script>alert(\\\"1\\\\\\\")</script>\", terminals=1];\n"
        "  1 [label=\"a\\nb  c\\\\\", terminals=1];\n"
        "  2 [label=\"\", terminals=1];\n"
        "  3 [label=\"&amp;lt;]]>\", terminals=1];\n"
        "  4 [label=\"T\xC3\xBCr \xF0\x9F\x98\x80\", terminals=1];\n"
        "  0 -> 2;\n  1 -> 3;\n  2 -> 1;\n  3 -> 4;\n  4 -> 0;\n}\n");
    network_file_write(&topology, ".csv", path, &err);
    assert_string_equal(path, "");
    assert_non_null(strstr(err.message, "of router 1"));
    assert_non_null(strstr(err.message, "one word"));
    nb_topology_release(&topology);
}

static const struct {
    const char *text, *parameters, *ending, *expected;
} written[] = {
    { "0 1\n1 2 1/3\n", ",terminals=2,terminal-bandwidth=unlimited", ".graphml",
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "<key id=\"terminal_bandwidth\" for=\"graph\" "
      "attr.name=\"terminal_bandwidth\" attr.type=\"string\"/>\n"
      "<key id=\"terminals\" for=\"node\" attr.name=\"terminals\" "
      "attr.type=\"int\"/>\n"
      "<key id=\"bandwidth\" for=\"edge\" attr.name=\"bandwidth\" "
      "attr.type=\"string\"/>\n"
      "<graph edgedefault=\"directed\">\n"
      "<data key=\"terminal_bandwidth\">unlimited</data>\n"
      "<node id=\"0\"><data key=\"terminals\">2</data></node>\n"
      "<node id=\"1\"><data key=\"terminals\">2</data></node>\n"
      "<node id=\"2\"><data key=\"terminals\">2</data></node>\n"
      "<edge source=\"0\" target=\"1\"><data "
      "key=\"bandwidth\">1</data></edge>\n"
      "<edge source=\"1\" target=\"0\"><data "
      "key=\"bandwidth\">1</data></edge>\n"
      "<edge source=\"1\" target=\"2\"><data "
      "key=\"bandwidth\">1/3</data></edge>\n"
      "<edge source=\"2\" target=\"1\"><data "
      "key=\"bandwidth\">1/3</data></edge>\n"
      "</graph>\n</graphml>\n" },
    { "a b\nb a 5/4\n", ",terminal-bandwidth=3/2,directed=yes", ".graphml",
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "<key id=\"terminal_bandwidth\" for=\"graph\" "
      "attr.name=\"terminal_bandwidth\" attr.type=\"double\"/>\n"
      "<key id=\"terminals\" for=\"node\" attr.name=\"terminals\" "
      "attr.type=\"int\"/>\n"
      "<key id=\"bandwidth\" for=\"edge\" attr.name=\"bandwidth\" "
      "attr.type=\"double\"/>\n"
      "<graph edgedefault=\"directed\">\n"
      "<data key=\"terminal_bandwidth\">1.5</data>\n"
      "<node id=\"a\"><data key=\"terminals\">1</data></node>\n"
      "<node id=\"b\"><data key=\"terminals\">1</data></node>\n"
      "<edge source=\"a\" target=\"b\"><data "
      "key=\"bandwidth\">1</data></edge>\n"
      "<edge source=\"b\" target=\"a\"><data "
      "key=\"bandwidth\">1.25</data></edge>\n"
      "</graph>\n</graphml>\n" },
    { "0 1\n1 2 1/3\n", ",terminal-bandwidth=2", ".dot",
      "graph netbound {\n  terminal_bandwidth=\"2\";\n"
      "  0 [terminals=1];\n  1 [terminals=1];\n  2 [terminals=1];\n"
      "  0 -- 1;\n  1 -- 2 [bandwidth=\"1/3\", label=\"1/3\"];\n}\n" },
    /* Two channels one way and one the other; equal numbers of unequal
     * bandwidths. */
    { "0 1\n0 1\n1 0\n", ",directed=yes", ".dot",
      "digraph netbound {\n  0 [terminals=1];\n  1 [terminals=1];\n"
      "  0 -> 1;\n  0 -> 1;\n  1 -> 0;\n}\n" },
    { "0 1 2\n1 0 3\n", ",directed=yes", ".csv",
      "# read with: format=edges,directed=yes,terminals=1\n0,1,2\n1,0,3\n" },
    { "0 1 2\n1 0 3\n0 1 3\n1 0 2\n", ",directed=yes,terminal-bandwidth=1/7",
      ".txt",
      "# read with: "
      "format=edges,directed=no,terminals=1,terminal-bandwidth=1/7\n"
      "0 1 2\n0 1 3\n" },
    { "0 1\n1 2\n", ",terminals=2,terminal-bandwidth=1", ".anynet",
      "router 0 node 0 node 1 router 1\n"
      "router 1 node 2 node 3 router 2\nrouter 2 node 4 node 5\n" },
};

static void files_are_as_programs_read_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        struct nb_topology topology = { 0 };
        topology_must_build_file(written[i].text, ".txt", written[i].parameters,
                                 &topology);
        network_file_check_text(&topology, written[i].ending,
                                written[i].expected);
        nb_topology_release(&topology);
    }
}

static const struct {
    const char *text, *parameters, *ending, *says;
} unfit[] = {
    { "0 1\n", "", ".pdf",
      ".pdf\" names no format for networks (permitted: .graphml, .xml, .dot, "
      ".gv, .csv, .txt, .anynet, .ibnetdiscover)" },
    { "0 1\n", "", "", "names no format for networks" },
    { "0 1 1/2\n", "", ".anynet",
      "the bandwidth 1/2 of channel 0 from router 0 to router 1 (permitted: "
      "1)" },
    { "0 1\n", ",terminal-bandwidth=2", ".anynet",
      "the bandwidth 2 of the terminals' channels (permitted: 1)" },
    { "0 1\n0 1\n", "", ".anynet",
      "two channels from router 0 to router 1 (permitted: one)" },
    { "0 1\n1 2\n2 0\n", ",directed=yes", ".anynet",
      "channels without an opposite (permitted: one each way)" },
    { "router 0 router 1\nrouter 1 node 0 node 1\n", "", ".csv",
      "router 0 has 0 terminals and router 1 has 2 (permitted: equal numbers" },
};

static void what_a_format_cannot_hold_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        struct nb_topology topology = { 0 };
        struct nb_error err = { 0 };
        char path[NB_SCRATCH_FILE];
        topology_must_build_file(unfit[i].text, ".txt", unfit[i].parameters,
                                 &topology);
        network_file_write(&topology, unfit[i].ending, path, &err);
        TOPOLOGY_CHECK(
            path[0] == '\0' && strstr(err.message, unfit[i].says) != NULL &&
                strchr(err.message, '\n') == NULL,
            "\"%s\" does not say \"%s\"", err.message, unfit[i].says);
        nb_topology_release(&topology);
    }
    struct nb_topology topology = { 0 };
    struct nb_error err = { 0 };
    topology_must_build("ring:4", &topology);
    assert_int_equal(nb_graph_write(&topology, "/nowhere/x.dot", &err), NB_IO);
    assert_non_null(strstr(err.message, "/nowhere/x.dot"));
    nb_topology_release(&topology);
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    static const char *const endings[] = { ".graphml", ".dot", ".csv",
                                           ".anynet", ".other" };
    struct nb_topology topology = { 0 };
    topology_must_build("mesh:2x3", &topology);
    const long before = nb_memory_live_blocks();
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
        enum nb_status status = NB_NO_MEMORY;
        char path[NB_SCRATCH_FILE];
        nb_scratch_file(path, endings[e], "");
        unlink(path);
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = nb_graph_write(&topology, path, NULL);
            nb_memory_allow(-1);
            assert_int_equal(nb_memory_live_blocks(), before);
            assert_int_equal(access(path, F_OK) == 0, status == NB_OK);
        }
        assert_int_equal(status, e < 4 ? NB_OK : NB_INVALID);
        unlink(path);
    }
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_are_quoted),
        cmocka_unit_test(files_are_as_programs_read_them),
        cmocka_unit_test(what_a_format_cannot_hold_is_refused),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
