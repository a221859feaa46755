/* Builds the network that a graph describes (declared in graph.h). */
#include "topology/graph.h"

#include "core/memory.h"
#include "topology/index.h"
#include "topology/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The two ends of a link, and its place. */
struct graph_pair {
    uint32_t low, high;
    bool is_down; /* directed from high to low */
    size_t edge;
};

static int graph_compare_pairs(const void *left, const void *right)
{
    const struct graph_pair *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->is_down != b->is_down)
        return a->is_down ? 1 : -1;
    return (a->edge > b->edge) - (a->edge < b->edge);
}

enum nb_status nb_graph_merge(struct nb_graph *graph, struct nb_error *err)
{
    struct graph_pair *pairs = NULL;
    struct nb_graph_edge *edges = NULL;
    size_t kept = 0;
    enum nb_status status;
    if (graph->edge_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&pairs, graph->edge_count, sizeof *pairs, "links", err));
    NB_TRY(nb_new(&edges, graph->edge_count, sizeof *edges, "links", err));
    for (size_t e = 0; e < graph->edge_count; e++) {
        const uint32_t a =
            nb_graph_names_find(&graph->names, graph->edges[e].source);
        const uint32_t b =
            nb_graph_names_find(&graph->names, graph->edges[e].target);
        pairs[e] =
            (struct graph_pair){ a < b ? a : b, a < b ? b : a,
                                 graph->edges[e].is_directed && a > b, e };
    }
    qsort(pairs, graph->edge_count, sizeof *pairs, graph_compare_pairs);
    for (size_t p = 0; p < graph->edge_count; p++) {
        const struct nb_graph_edge *edge = &graph->edges[pairs[p].edge];
        if (p == 0 || pairs[p].low != pairs[p - 1].low ||
            pairs[p].high != pairs[p - 1].high ||
            pairs[p].is_down != pairs[p - 1].is_down)
            edges[kept++] = *edge;
        else if (nb_ratio_is_known(edge->bandwidth) && !edge->is_default)
            edges[kept - 1].bandwidth = edge->bandwidth;
    }
    nb_delete(graph->edges);
    graph->edges = edges;
    graph->edge_capacity = graph->edge_count;
    graph->edge_count = kept;
    edges = NULL;
done:
    nb_delete(pairs);
    nb_delete(edges);
    return status;
}

enum nb_status nb_graph_find(const struct nb_graph *graph,
                             const struct nb_graph_edge *edge, const char *name,
                             uint32_t *out, struct nb_error *err)
{
    *out = nb_graph_names_find(&graph->names, name);
    if (*out != NB_NONE)
        return NB_OK;
    return nb_graph_fail(graph, edge->line, NB_INVALID, err,
                         "no router \"%.60s\" (permitted: those that the file "
                         "declares)",
                         name);
}

static enum nb_status graph_join(const struct nb_graph *graph,
                                 struct nb_topology *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t next = 0;
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct nb_graph_edge *edge = &graph->edges[e];
        uint32_t source, target;
        NB_TRY(nb_graph_find(graph, edge, edge->source, &source, err));
        NB_TRY(nb_graph_find(graph, edge, edge->target, &target, err));
        out->channels[next++] =
            (struct nb_channel){ source, target, edge->bandwidth };
        if (!edge->is_directed)
            out->channels[next++] =
                (struct nb_channel){ target, source, edge->bandwidth };
    }
done:
    return status;
}

static enum nb_status graph_fill_terminals(const struct nb_graph *graph,
                                           uint32_t terminals,
                                           struct nb_topology *out,
                                           struct nb_error *err)
{
    bool is_any = false;
    if (graph->terminals == NULL) /* nb_topology_build sets them */
        return NB_OK;
    for (size_t i = 0; i < graph->names.count; i++) {
        const struct nb_name *name = &graph->names.entry[i];
        const uint32_t given = graph->terminals[i];
        out->terminals[name->number] = given != NB_NONE ? given : terminals;
        is_any = is_any || out->terminals[name->number] > 0;
    }
    if (!is_any)
        return nb_fail(err, NB_INVALID,
                       "%.200s: 0 terminals at every router (permitted: "
                       "at least 1 in the network)",
                       graph->path);
    return NB_OK;
}

/* Also checked in nb_topology_build; here the message can use the routers'
 * names. */
static enum nb_status graph_check(const struct nb_graph *graph,
                                  struct nb_topology *out, struct nb_error *err)
{
    const bool is_said = graph->has_one_way && graph->directed_by != NULL;
    uint32_t from = NB_NONE, to = NB_NONE;
    enum nb_status status = nb_topology_index(out, err);
    if (status == NB_OK)
        status = nb_topology_find_unreached(out, &from, &to, err);
    if (status != NB_OK || from == NB_NONE)
        return status;
    return nb_fail(err, NB_INVALID,
                   "%.200s: the network is not strongly connected: router "
                   "\"%.60s\" is not reached from router \"%.60s\"%s%s%s",
                   graph->path, nb_graph_names_of(&graph->names, to),
                   nb_graph_names_of(&graph->names, from),
                   is_said ? "; its edges are directed (" : "",
                   is_said ? graph->directed_by : "",
                   is_said ? "): directed=no reads each both ways" : "");
}

/* Keeps the names, unless they are the routers' numbers. */
static enum nb_status graph_keep_names(const struct nb_graph *graph,
                                       struct nb_topology *out,
                                       struct nb_error *err)
{
    const struct nb_graph_names *names = &graph->names;
    size_t length = 0;
    bool are_numbers = true;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < names->count; i++) {
        const char *shown = nb_name_shown(&names->entry[i]);
        char number[16];
        snprintf(number, sizeof number, "%" PRIu32, names->entry[i].number);
        are_numbers = are_numbers && strcmp(number, shown) == 0;
        length += strlen(shown) + 1;
    }
    if (are_numbers)
        return NB_OK;
    NB_TRY(nb_new(&out->name_start, names->count, sizeof *out->name_start,
                  "names", err));
    NB_TRY(nb_new(&out->names, length, 1, "names", err));
    length = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *shown = nb_name_shown(&names->entry[i]);
        const size_t own = strlen(shown) + 1;
        out->name_start[names->entry[i].number] = length;
        memcpy(out->names + length, shown, own);
        length += own;
    }
done:
    return status;
}

static enum nb_status graph_keep_levels(const struct nb_graph *graph,
                                        struct nb_topology *out,
                                        struct nb_error *err)
{
    if (graph->level == NULL)
        return NB_OK;
    const enum nb_status status = nb_new(&out->level, graph->names.count,
                                         sizeof *out->level, "levels", err);
    for (size_t i = 0; status == NB_OK && i < graph->names.count; i++)
        out->level[graph->names.entry[i].number] = graph->level[i];
    return status;
}

/* Counts the links without a bandwidth, if others have one. */
static void graph_count_bare(const struct nb_graph *graph,
                             struct nb_topology *out)
{
    size_t bare = 0;
    for (size_t e = 0; e < graph->edge_count; e++)
        bare += !nb_ratio_is_known(graph->edges[e].bandwidth);
    if (graph->fabric != NULL || bare == graph->edge_count)
        return;
    out->bare_links = bare;
    out->listed_links = graph->edge_count;
}

static void graph_note_edges(struct nb_graph *graph)
{
    if (graph->joined > 0)
        nb_graph_note(graph, "directions",
                      "directed edges without a counterpart that are read both "
                      "ways: %zu (directed=yes reads each one way)",
                      graph->joined);
    if (graph->rounded > 0)
        nb_graph_note(graph, "rounded",
                      "bandwidths of more than 18 digits, which are rounded: "
                      "%zu",
                      graph->rounded);
    if (graph->loop_count > 0)
        nb_graph_note(graph, "self_loops",
                      "links left out because they join a router with itself: "
                      "%zu",
                      graph->loop_count);
}

enum nb_status nb_graph_build(struct nb_graph *graph, uint32_t terminals,
                              struct nb_topology *out, struct nb_error *err)
{
    double channels = 0;
    enum nb_status status;
    for (size_t e = 0; e < graph->edge_count; e++)
        channels += graph->edges[e].is_directed ? 1 : 2;
    if (graph->names.count < 2)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has %zu router%s (permitted: at least 2)",
                       graph->path, graph->names.count,
                       graph->names.count == 1 ? "" : "s");
    /* The records of a fabric have the routers' numbers. */
    if (graph->fabric == NULL && graph->first_node == 0)
        nb_graph_names_number_shown(&graph->names);
    NB_TRY(nb_topology_reserve(out, (double)graph->names.count, channels, err));
    NB_TRY(graph_join(graph, out, err));
    graph_note_edges(graph);
    NB_TRY(nb_text_check(&graph->notes, err));
    out->part = graph->part;
    out->first_node = graph->first_node;
    graph_count_bare(graph, out);
    NB_TRY(graph_fill_terminals(graph, terminals, out, err));
    NB_TRY(graph_check(graph, out, err));
    NB_TRY(graph_keep_names(graph, out, err));
    NB_TRY(nb_graph_place(graph, out, err));
    NB_TRY(graph_keep_levels(graph, out, err));
    out->terminal_bandwidth = graph->terminal_bandwidth;
    out->fabric = graph->fabric;
    graph->fabric = NULL;
    out->notes = graph->notes.bytes;
    graph->notes = (struct nb_text){ 0 };
done:
    return status;
}
