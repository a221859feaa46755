/* Edge lists. */
#include "topology/graph.h"

#include "core/try.h"

#include <string.h>

enum { EDGES_WORDS = 4 }; /* one more than a line may have */

static bool edges_is_separator(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == '\r' || c == '\f' ||
           c == '\v';
}

/* Cuts a line into words up to a comment; returns their number, at most
 * EDGES_WORDS. */
static size_t edges_cut(char *line, char *word[EDGES_WORDS])
{
    size_t count = 0;
    while (count < EDGES_WORDS) {
        while (edges_is_separator(*line))
            line++;
        if (*line == '\0' || *line == '#')
            break;
        word[count++] = line;
        while (*line != '\0' && !edges_is_separator(*line))
            line++;
        if (*line != '\0')
            *line++ = '\0';
    }
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
                       "\"%.200s\" line %zu has %s, starting \"%.60s\" "
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

enum nb_status nb_graph_read_edges(char *text, size_t length, bool is_directed,
                                   struct nb_graph *graph, struct nb_error *err)
{
    static const char mark[] = "\xEF\xBB\xBF"; /* UTF-8 byte order mark */
    enum nb_status status = NB_OK;
    size_t line = 1;
    if (memchr(text, '\0', length) != NULL)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" is not text: it contains a zero byte",
                       graph->path);
    if (strncmp(text, mark, 3) == 0)
        text += 3;
    for (char *next = text; next != NULL; line++) {
        char *end = strchr(next, '\n');
        if (end != NULL)
            *end++ = '\0';
        NB_TRY(edges_read_line(next, line, is_directed, graph, err));
        next = end;
    }
    (void)nb_graph_names_number(&graph->names); /* names may well repeat */
done:
    return status;
}
