/* Adjacency lists, as networkx writes them: "a b c" joins a with b and with
 * c. */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/try.h"

static const char adjacency_blanks[] = " \t,\r\f\v";

/* A line with one word is a router without neighbours there. */
static enum nb_status adjacency_read_line(char *text, size_t line,
                                          bool is_directed,
                                          struct nb_graph *graph,
                                          struct nb_error *err)
{
    struct nb_graph_edge edge = { .line = line, .is_directed = is_directed };
    const char *word;
    enum nb_status status = NB_OK;
    while ((word = nb_lines_word(&text, adjacency_blanks)) != NULL &&
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

static enum nb_status adjacency_read(char *text, size_t length,
                                     const struct nb_graph_options *options,
                                     struct nb_graph *graph,
                                     struct nb_error *err)
{
    const bool is_directed = options->directions == NB_DIRECTIONS_ALL;
    struct nb_lines lines = { 0 };
    enum nb_status status;
    NB_TRY(nb_lines_begin(&lines, graph->path, '#', text, length, err));
    for (char *line; (line = nb_lines_next(&lines)) != NULL;)
        NB_TRY(
            adjacency_read_line(line, lines.number, is_directed, graph, err));
    if (!is_directed)
        NB_TRY(nb_graph_read_once(graph, err));
    nb_graph_names_number(&graph->names);
done:
    return status;
}

const struct nb_graph_format nb_graph_format_adjacency = {
    .name = "adjacency",
    .title = "an adjacency list",
    .read = adjacency_read,
};
