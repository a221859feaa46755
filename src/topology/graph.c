#include "topology/graph.h"

#include "core/decimal.h"
#include "core/locale.h"
#include "core/memory.h"
#include "core/utf8.h"
#include "topology/fabric.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void nb_graph_release(struct nb_graph *graph)
{
    nb_delete(graph->names.entry);
    nb_delete(graph->names.place);
    nb_delete(graph->edges);
    nb_delete(graph->loop);
    nb_delete(graph->terminals);
    nb_delete(graph->group);
    nb_delete(graph->level);
    nb_pool_release(&graph->texts);
    nb_fabric_release(graph->fabric);
    if (graph->document != NULL)
        graph->free_document(graph->document);
    nb_text_release(&graph->notes);
    *graph = (struct nb_graph){ 0 };
}

void nb_graph_note(struct nb_graph *graph, const char *name, const char *format,
                   ...)
{
    struct nb_text *notes = &graph->notes;
    const size_t begin = notes->length;
    va_list arguments;
    nb_text_print(notes, "%s\t", name);
    va_start(arguments, format);
    nb_text_print_list(notes, format, arguments);
    va_end(arguments);
    /* A note is one line of text, whatever the file holds. */
    if (notes->has_failed)
        return;
    const bool is_text = nb_utf8_is_text(notes->bytes + begin, "\t");
    for (size_t i = begin; !is_text && i < notes->length; i++) {
        const unsigned char byte = (unsigned char)notes->bytes[i];
        if ((byte < ' ' && byte != '\t') || byte >= 0x7F)
            notes->bytes[i] = '?';
    }
    nb_text_print(notes, "\n");
}

enum nb_status nb_graph_fail(const struct nb_graph *graph, size_t line,
                             enum nb_status status, struct nb_error *err,
                             const char *format, ...)
{
    char message[400], place[64] = "";
    const char *list = graph->list;
    va_list values;
    va_start(values, format);
    nb_vsnprintf(message, sizeof message, format, values);
    va_end(values);
    if (line != NB_GRAPH_NO_LINE)
        nb_snprintf(place, sizeof place, list != NULL ? "%s[%zu]: " : "%s%zu: ",
                    list != NULL ? list : "", line);
    else if (list != NULL)
        nb_snprintf(place, sizeof place, "%s: ", list);
    return nb_fail(err, status, "%.200s:%s%s%s", graph->path,
                   list != NULL || line == NB_GRAPH_NO_LINE ? " " : "", place,
                   message);
}

void nb_graph_unnote(struct nb_graph *graph, const char *name)
{
    const size_t length = strlen(name);
    char *line = graph->notes.bytes;
    while (line != NULL && *line != '\0') {
        char *next = line + strcspn(line, "\n") + 1;
        if (strncmp(line, name, length) == 0 && line[length] == '\t') {
            memmove(line, next, strlen(next) + 1);
            graph->notes.length -= (size_t)(next - line);
            return;
        }
        line = next;
    }
}

enum nb_status nb_graph_add(struct nb_graph *graph,
                            const struct nb_graph_edge *edge,
                            struct nb_error *err)
{
    enum nb_status status;
    if (strcmp(edge->source, edge->target) == 0) {
        NB_TRY(nb_reserve(&graph->loop, &graph->loop_capacity,
                          graph->loop_count + 1, sizeof *graph->loop, "edges",
                          err));
        graph->loop[graph->loop_count++] =
            (struct nb_graph_loop){ edge->source, edge->line };
        goto done;
    }
    NB_TRY(nb_reserve(&graph->edges, &graph->edge_capacity,
                      graph->edge_count + 1, sizeof *graph->edges, "edges",
                      err));
    graph->edges[graph->edge_count++] = *edge;
done:
    return status;
}

enum nb_status nb_graph_bandwidth(struct nb_graph *graph, size_t line,
                                  const char *text, struct nb_ratio *out,
                                  struct nb_error *err)
{
    enum nb_status status = nb_ratio_read(text, out, NULL);
    if (status != NB_OK && nb_decimal_round(text, out)) {
        graph->rounded++;
        return NB_OK;
    }
    if (status == NB_OK && out->numerator <= 0)
        status = NB_INVALID;
    if (status != NB_OK)
        return nb_graph_fail(graph, line, status, err,
                             "bandwidth \"%.60s\" is not permitted "
                             "(permitted: a number > 0, p/q or a decimal; with "
                             "more than 18 digits, leading zeros after the "
                             "point included, at least 0.000001)",
                             text);
    return NB_OK;
}

enum nb_status nb_graph_terminal_bandwidth(struct nb_graph *graph, size_t line,
                                           const char *text,
                                           struct nb_error *err)
{
    if (strcmp(text, NB_GRAPH_UNLIMITED) != 0)
        return nb_graph_bandwidth(graph, line, text, &graph->terminal_bandwidth,
                                  err);
    graph->terminal_bandwidth = nb_ratio_infinity;
    return NB_OK;
}
