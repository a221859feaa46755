/* Edge lists: each line is "source target [bandwidth]", separated by spaces or
 * commas; a word that begins with # starts a comment. */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/try.h"

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

static enum nb_status edges_read(char *text, size_t length,
                                 const struct nb_graph_options *options,
                                 struct nb_graph *graph, struct nb_error *err)
{
    const bool is_directed = options->directions == NB_DIRECTIONS_ALL;
    struct nb_lines lines = { 0 };
    bool are_mutual;
    enum nb_status status;
    NB_TRY(nb_lines_begin(&lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&lines)) != NULL;)
        NB_TRY(edges_read_line(line, lines.number, is_directed, graph, err));
    if (!is_directed)
        NB_TRY(nb_graph_fold_mutual(graph, &are_mutual, err));
    nb_graph_names_number(&graph->names);
done:
    return status;
}

const struct nb_graph_format nb_graph_format_edges = {
    .name = "edges",
    .title = "an edge list",
    .read = edges_read,
};
