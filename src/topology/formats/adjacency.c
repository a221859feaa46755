/* Adjacency lists, as networkx writes them: "a b c" joins a with b and with
 * c. */
#include "topology/edge_words.h"
#include "topology/formats.h"

#include "core/lines.h"
#include "core/try.h"

#include <string.h>

/* Cuts off the first word, without the colon of "a: b c". */
static char *adjacency_first(char **text)
{
    char *word = nb_edge_word(text);
    const size_t length = word != NULL ? strlen(word) : 0;
    if (length > 1 && word[length - 1] == ':')
        word[length - 1] = '\0';
    return word;
}

/* A line with one word is a router without neighbours there. */
static enum nb_status
adjacency_read_line(char *text, const struct nb_lines *lines, bool is_directed,
                    struct nb_graph *graph, struct nb_error *err)
{
    struct nb_graph_edge edge = { .line = lines->number,
                                  .is_directed = is_directed };
    enum nb_status status = NB_OK;
    for (const char *word = adjacency_first(&text);
         word != NULL && *word != '#'; word = nb_edge_word(&text)) {
        if (*word == '{')
            return nb_lines_fail(lines, NB_INVALID, err,
                                 "\"%.60s\" is not permitted (permitted: names "
                                 "of routers, as write_adjlist of networkx "
                                 "writes them; not its multiline lists)",
                                 word);
        NB_TRY(nb_graph_names_add(graph, edge.line, word, err));
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
        NB_TRY(adjacency_read_line(line, &lines, is_directed, graph, err));
    if (!is_directed)
        NB_TRY(nb_graph_read_once(graph, err));
    nb_graph_names_number(&graph->names);
done:
    return status;
}

const struct nb_graph_format nb_graph_format_adjacency = {
    .name = "adjacency",
    .title = "an adjacency list",
    .endings = ".adjlist",
    .read = adjacency_read,
};
