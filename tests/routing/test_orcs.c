/* Graphs for ORCS describe the paths that packets take with the scheme. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "routing/formats/forwarding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPINES "file:data/fabrics/two-spines.ibnetdiscover"

enum { NODE = 16, CHOICES = 64 };

/* An edge of the file. */
struct edge {
    char source[NODE], target[NODE];
    char *comment;
};

struct graph {
    struct edge edge[4096];
    size_t count;
    struct nb_text text; /* owns the comments */
};

static void read_graph(const char *path, struct graph *out)
{
    out->count = 0;
    out->text = (struct nb_text){ 0 };
    assert_int_equal(nb_text_read_file(path, 1 << 22, &out->text, NULL), NB_OK);
    assert_memory_equal(out->text.bytes, "digraph ", 8);
    for (char *line = strtok(out->text.bytes, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        struct edge *edge = &out->edge[out->count];
        if (sscanf(line, " \"%15[^\"]\" -> \"%15[^\"]\"", edge->source,
                   edge->target) != 2)
            continue;
        edge->comment = strstr(line, "[comment=\"");
        assert_non_null(edge->comment);
        edge->comment += strlen("[comment=\"");
        edge->comment[strcspn(edge->comment, "\"")] = '\0';
        assert_in_range(++out->count, 1, 4095);
    }
}

/* Whether packets to a terminal take an edge. */
static bool edge_leads(const struct edge *edge, const char *terminal)
{
    const size_t length = strlen(terminal);
    if (strcmp(edge->comment, "*") == 0)
        return true;
    for (const char *at = edge->comment; *at != '\0';) {
        const size_t end = strcspn(at, ",");
        if (end == length && strncmp(at, terminal, end) == 0)
            return true;
        at += end + (at[end] == ',');
    }
    return false;
}

/* The nodes that packets between two terminals pass, joined by blanks; an edge
 * parallel to another has its rank among them after /. */
static void follow_graph(const struct graph *graph, const char *from,
                         const char *to, struct nb_text *out)
{
    const char *at = from;
    for (size_t hops = 0; strcmp(at, to) != 0; hops++) {
        const struct edge *taken = NULL;
        unsigned place = 0;
        for (size_t e = 0; e < graph->count; e++) {
            const struct edge *edge = &graph->edge[e];
            if (strcmp(edge->source, at) != 0 || !edge_leads(edge, to))
                continue;
            assert_null(taken); /* only one edge */
            taken = edge;
            for (const struct edge *other = graph->edge; other < edge; other++)
                place += strcmp(other->source, edge->source) == 0 &&
                         strcmp(other->target, edge->target) == 0;
        }
        assert_non_null(taken);
        assert_in_range(hops, 0, graph->count);
        nb_text_print(out, "%s/%u ", taken->target, place);
        at = taken->target;
    }
}

/* The same nodes by the scheme's steps. */
static void follow_scheme(const struct nb_routing *routing, uint32_t source,
                          uint32_t destination, struct nb_text *out)
{
    const struct nb_topology *topology = routing->topology;
    struct nb_start start[CHOICES];
    struct nb_hop hop[CHOICES];
    assert_true(routing->most_starts <= CHOICES &&
                routing->most_hops <= CHOICES);
    assert_int_equal(nb_route_starts(routing, source, destination, start), 1);
    nb_route_state state = start[0].state;
    for (uint32_t at = source; at != destination;) {
        assert_int_equal(
            nb_route_step(routing, NULL, state, at, destination, hop), 1);
        const uint32_t target = topology->channels[hop[0].channel].target;
        if (topology->fabric == NULL || topology->terminals[target] == 0)
            nb_text_print(out, "R%u/%u ", target,
                          nb_channel_rank(topology, hop[0].channel));
        at = target;
        state = hop[0].next;
    }
}

static void check_pair(const struct graph *graph,
                       const struct nb_routing *routing,
                       const uint32_t router[2], const uint64_t terminal[2])
{
    struct nb_text found = { 0 }, expected = { 0 };
    char from[NODE], to[NODE];
    snprintf(from, sizeof from, "H%u", (unsigned)terminal[0]);
    snprintf(to, sizeof to, "H%u", (unsigned)terminal[1]);
    follow_graph(graph, from, to, &found);
    if (routing->topology->fabric == NULL)
        nb_text_print(&expected, "R%u/0 ", router[0]);
    follow_scheme(routing, router[0], router[1], &expected);
    nb_text_print(&expected, "%s/0 ", to);
    assert_string_equal(found.bytes, expected.bytes);
    nb_text_release(&found);
    nb_text_release(&expected);
}

static void check_graph(const char *network, const char *scheme)
{
    static struct graph graph;
    struct problem problem;
    char path[NB_SCRATCH_FILE];
    nb_scratch_file(path, ".dot", "");
    assert_true(nb_is_orcs(path));
    problem_open(&problem, network, scheme);
    const struct nb_topology *topology = &problem.topology;
    assert_int_equal(nb_forwarding_write_orcs(&problem.routing, path, NULL),
                     NB_OK);
    read_graph(path, &graph);
    const size_t hosts =
        topology->fabric == NULL ? 2 * topology->terminal_count : 0;
    assert_int_equal(graph.count, topology->channel_count + hosts);
    uint64_t from = 0;
    for (uint32_t s = 0; s < topology->router_count; s++)
        for (uint32_t i = 0; i < topology->terminals[s]; i++, from++) {
            uint64_t to = 0;
            for (uint32_t d = 0; d < topology->router_count; d++)
                for (uint32_t j = 0; j < topology->terminals[d]; j++, to++)
                    if (s != d)
                        check_pair(&graph, &problem.routing,
                                   (uint32_t[]){ s, d },
                                   (uint64_t[]){ from, to });
        }
    nb_text_release(&graph.text);
    problem_close(&problem);
    remove(path);
}

static void test_written(void **state)
{
    (void)state;
    check_graph("ring:4,terminals=2", "updown:tables=router");
    check_graph("mesh:4x4", "dor");
    check_graph("clos:4x8,up=4", "minhop");
    check_graph("regular:32,degree=4", "dfsssp");
    check_graph(SPINES, "minhop");
    check_graph(SPINES, "file:data/fabrics/two-spines.lft");
}

/* Pairs without a path: no edge claims to lead to the destination. */
static void test_gaps(void **state)
{
    (void)state;
    static struct graph graph;
    struct problem problem;
    char path[NB_SCRATCH_FILE];
    nb_scratch_file(path, ".gv", "");
    problem_open(&problem, "mesh:3x3,fail=0-1", "dor");
    assert_int_equal(nb_forwarding_write_orcs(&problem.routing, path, NULL),
                     NB_OK);
    read_graph(path, &graph);
    for (size_t e = 0; e < graph.count; e++)
        if (strcmp(graph.edge[e].source, "R0") == 0)
            assert_false(edge_leads(&graph.edge[e], "H1"));
    nb_text_release(&graph.text);
    problem_close(&problem);
    remove(path);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const schemes[] = { "min", "val", "min-adaptive" };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct problem problem;
        struct nb_error err = { 0 };
        problem_open(&problem, "torus:4x4", schemes[i]);
        assert_int_equal(
            nb_forwarding_write_orcs(&problem.routing, "/nonexistent/x", &err),
            NB_INVALID);
        assert_non_null(strstr(err.message, "permitted: one next hop"));
        problem_close(&problem);
    }
    assert_false(nb_is_orcs("x.lft"));
    assert_false(nb_is_orcs("dot"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
