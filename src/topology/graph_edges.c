/* Edge lists and adjacency lists. */
#include "topology/graph.h"

#include "core/lines.h"
#include "core/memory.h"
#include "core/try.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES_WORDS = 4 }; /* one more than a line may have */

static const char edges_blanks[] = " \t,\r\f\v";

/* Cuts a line, up to a comment, into words; returns their number, at most
 * EDGES_WORDS. networkx ends a line with the edge's attributes, {} if it has
 * none. */
static size_t edges_cut(char *line, char *word[EDGES_WORDS])
{
    size_t count = 0;
    while (count < EDGES_WORDS &&
           (word[count] = nb_lines_word(&line, edges_blanks)) != NULL &&
           *word[count] != '#' && strcmp(word[count], "{}") != 0)
        count++;
    return count;
}

static enum nb_status edges_read_line(char *text, size_t line, bool is_directed,
                                      struct nb_graph *graph,
                                      struct nb_error *err)
{
    char *word[EDGES_WORDS];
    const size_t count = edges_cut(text, word);
    struct nb_graph_edge edge = { .line = line, .is_directed = is_directed };
    enum nb_status status = NB_OK;
    if (count == 0)
        return NB_OK;
    if (count != 2 && count != 3)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: it has %s, starting \"%.60s\" "
                       "(permitted: source target [bandwidth])",
                       graph->path, line,
                       count == 1 ? "one word" : "more than three words",
                       word[0]);
    edge.source = word[0];
    edge.target = word[1];
    if (count == 3)
        NB_TRY(nb_graph_bandwidth(graph, line, word[2], &edge.bandwidth, err));
    NB_TRY(nb_graph_names_add(graph, line, edge.source, err));
    NB_TRY(nb_graph_names_add(graph, line, edge.target, err));
    NB_TRY(nb_graph_add(graph, &edge, err));
done:
    return status;
}

/* By the two routers, in either order, then by bandwidth. */
static int edges_compare(const void *left, const void *right)
{
    const struct nb_graph_edge *a = *(struct nb_graph_edge *const *)left;
    const struct nb_graph_edge *b = *(struct nb_graph_edge *const *)right;
    const bool a_ascends = strcmp(a->source, a->target) < 0;
    const bool b_ascends = strcmp(b->source, b->target) < 0;
    int order = strcmp(a_ascends ? a->source : a->target,
                       b_ascends ? b->source : b->target);
    if (order == 0)
        order = strcmp(a_ascends ? a->target : a->source,
                       b_ascends ? b->target : b->source);
    if (order == 0 && nb_ratio_is_known(a->bandwidth) &&
        nb_ratio_is_known(b->bandwidth))
        order = nb_ratio_compare(a->bandwidth, b->bandwidth);
    return order != 0 ? order
                      : nb_ratio_is_known(a->bandwidth) -
                            nb_ratio_is_known(b->bandwidth);
}

/* Whether every link is listed from both ends, equally often. */
static bool edges_are_mutual(struct nb_graph_edge *const *order, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        ptrdiff_t balance = 0;
        for (next = i;
             next < count && edges_compare(&order[i], &order[next]) == 0;
             next++)
            balance +=
                strcmp(order[next]->source, order[next]->target) < 0 ? 1 : -1;
        if (balance != 0)
            return false;
    }
    return true;
}

enum nb_status nb_graph_fold_mutual(struct nb_graph *graph, bool *are_mutual,
                                    struct nb_error *err)
{
    struct nb_graph_edge **order = NULL;
    size_t kept = 0;
    enum nb_status status;
    *are_mutual = true;
    if (graph->edge_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&order, graph->edge_count, sizeof *order, "links", err));
    for (size_t e = 0; e < graph->edge_count; e++)
        order[e] = &graph->edges[e];
    qsort(order, graph->edge_count, sizeof(struct nb_graph_edge *),
          edges_compare);
    *are_mutual = edges_are_mutual(order, graph->edge_count);
    if (!*are_mutual)
        goto done;
    for (size_t e = 0; e < graph->edge_count; e++)
        if (strcmp(graph->edges[e].source, graph->edges[e].target) < 0)
            graph->edges[kept++] = graph->edges[e];
    graph->edge_count = kept;
done:
    nb_delete(order);
    return status;
}

/* A line of an adjacency list; with one word, a router without neighbours
 * there. */
static enum nb_status edges_read_neighbours(char *text, size_t line,
                                            bool is_directed,
                                            struct nb_graph *graph,
                                            struct nb_error *err)
{
    struct nb_graph_edge edge = { .line = line, .is_directed = is_directed };
    const char *word;
    enum nb_status status = NB_OK;
    while ((word = nb_lines_word(&text, edges_blanks)) != NULL &&
           *word != '#') {
        NB_TRY(nb_graph_names_add(graph, line, word, err));
        if (edge.source == NULL) {
            edge.source = word;
            continue;
        }
        edge.target = word;
        NB_TRY(nb_graph_add(graph, &edge, err));
    }
done:
    return status;
}

/* Reads a file line by line. */
static enum nb_status edges_read(
    char *text, size_t length, bool is_directed,
    enum nb_status (*read_line)(char *text, size_t line, bool is_directed,
                                struct nb_graph *graph, struct nb_error *err),
    struct nb_graph *graph, struct nb_error *err)
{
    struct nb_lines lines = { 0 };
    bool are_mutual;
    enum nb_status status;
    NB_TRY(nb_lines_begin(&lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&lines)) != NULL;)
        NB_TRY(read_line(line, lines.number, is_directed, graph, err));
    if (!is_directed)
        NB_TRY(nb_graph_fold_mutual(graph, &are_mutual, err));
    nb_graph_names_number(&graph->names);
done:
    return status;
}

enum nb_status nb_graph_read_edges(char *text, size_t length, bool is_directed,
                                   struct nb_graph *graph, struct nb_error *err)
{
    return edges_read(text, length, is_directed, edges_read_line, graph, err);
}

enum nb_status nb_graph_read_adjacency(char *text, size_t length,
                                       bool is_directed, struct nb_graph *graph,
                                       struct nb_error *err)
{
    return edges_read(text, length, is_directed, edges_read_neighbours, graph,
                      err);
}
