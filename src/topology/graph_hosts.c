/* What a fabric's file says about the network that was written as it, and the
 * hosts of a fabric as terminals again. */
#include "topology/graph.h"

#include "core/memory.h"
#include "core/text.h"
#include "topology/fabric.h"

#include <inttypes.h>
#include <string.h>

static const char notes_begin[] = "# netbound ";
static const char notes_bandwidth[] = NB_GRAPH_TERMINAL_BANDWIDTH;
static const char notes_topology[] = NB_GRAPH_TOPOLOGY;

enum nb_status nb_graph_print_notes(const struct nb_topology *topology,
                                    struct nb_text *text, struct nb_error *err)
{
    const struct nb_ratio of_terminals = topology->terminal_bandwidth;
    struct nb_text like = { 0 };
    char bandwidth[NB_RATIO_TEXT] = NB_GRAPH_UNLIMITED;
    nb_graph_print_like(topology, &like);
    const enum nb_status status = nb_text_check(&like, err);
    if (status == NB_OK && like.length > 0)
        nb_text_print(text, "%s%s %s\n", notes_begin, notes_topology,
                      like.bytes);
    if (nb_ratio_is_known(of_terminals))
        nb_ratio_print(of_terminals, bandwidth);
    nb_text_print(text, "%s%s %s\n", notes_begin, notes_bandwidth, bandwidth);
    nb_text_release(&like);
    return status;
}

/* The rest of a line after a word, copied; NULL: the line has another word. */
static enum nb_status notes_value(struct nb_graph *graph, const char *line,
                                  const char *word, const char **out,
                                  struct nb_error *err)
{
    const size_t length = strlen(word);
    size_t rest;
    if (strncmp(line, word, length) != 0 || line[length] != ' ')
        return NB_OK;
    line += length + 1;
    rest = strcspn(line, "\r\n");
    char *value = nb_pool_array(&graph->texts, rest + 1, 1);
    const enum nb_status status = nb_pool_check(&graph->texts, "notes", err);
    if (status != NB_OK)
        return status;
    memcpy(value, line, rest);
    value[rest] = '\0';
    *out = value;
    return NB_OK;
}

enum nb_status nb_graph_read_notes(const char *text, struct nb_graph *graph,
                                   struct nb_error *err)
{
    const char *bandwidth = NULL;
    size_t at = 0;
    enum nb_status status = NB_OK;
    for (size_t line = 1; *text == '#'; line++) {
        const char *before = graph->like;
        if (strncmp(text, notes_begin, sizeof notes_begin - 1) == 0) {
            const char *word = text + sizeof notes_begin - 1;
            NB_TRY(notes_value(graph, word, notes_topology, &graph->like, err));
            NB_TRY(notes_value(graph, word, notes_bandwidth, &bandwidth, err));
            graph->like_line = before != graph->like ? line : graph->like_line;
            at = line;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    graph->has_bandwidth = bandwidth != NULL;
    if (bandwidth != NULL)
        NB_TRY(nb_graph_terminal_bandwidth(graph, at, bandwidth, err));
done:
    return status;
}

/* A network whose hosts become terminals. */
struct folding {
    struct nb_graph *graph;
    struct nb_graph_names old; /* owned */
    uint32_t *count;           /* [old name] terminals. Owned. */
};

static bool folding_is_switch(const struct folding *work, uint32_t router)
{
    const struct nb_graph *graph = work->graph;
    return graph->fabric != NULL ? graph->fabric->node[router].is_switch
                                 : router < graph->first_node;
}

/* Takes a host's cable: counts its terminals once, and compares its bandwidth
 * with that of other hosts. */
static enum nb_status folding_take(struct folding *work,
                                   const struct nb_graph_edge *edge,
                                   uint32_t host, uint32_t to, bool is_first,
                                   struct nb_error *err)
{
    struct nb_graph *graph = work->graph;
    if (to == NB_NONE || !folding_is_switch(work, to))
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: host \"%.60s\" is joined with another host "
                       "(permitted with hosts=terminals: with a switch)",
                       graph->path, edge->line, edge->source);
    work->count[to] += work->count[host];
    work->count[host] = 0;
    if (graph->has_bandwidth)
        return NB_OK;
    if (is_first)
        graph->terminal_bandwidth = edge->bandwidth;
    const bool are_known = nb_ratio_is_known(graph->terminal_bandwidth) &&
                           nb_ratio_is_known(edge->bandwidth);
    const bool is_same =
        are_known
            ? nb_ratio_compare(graph->terminal_bandwidth, edge->bandwidth) == 0
            : nb_ratio_is_known(graph->terminal_bandwidth) ==
                  nb_ratio_is_known(edge->bandwidth);
    if (is_same)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: the cable of host \"%.60s\" differs in speed "
                   "from that of another host (permitted with "
                   "hosts=terminals: one speed, or speeds=alike)",
                   graph->path, edge->line, edge->source);
}

/* Keeps the cables between switches. */
static enum nb_status folding_filter(struct folding *work, struct nb_error *err)
{
    struct nb_graph *graph = work->graph;
    size_t kept = 0;
    bool is_first = true;
    enum nb_status status = NB_OK;
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct nb_graph_edge edge = graph->edges[e];
        const uint32_t from = nb_graph_names_find(&work->old, edge.source);
        const uint32_t to = nb_graph_names_find(&work->old, edge.target);
        if (from == NB_NONE || to == NB_NONE)
            continue; /* its end is in another part */
        const bool is_host = !folding_is_switch(work, from);
        if (is_host || (!folding_is_switch(work, to) && !edge.is_directed)) {
            NB_TRY(folding_take(work, &edge, is_host ? from : to,
                                is_host ? to : from, is_first, err));
            is_first = false;
        } else if (folding_is_switch(work, to)) {
            graph->edges[kept++] = edge;
        }
    }
    graph->edge_count = kept;
done:
    return status;
}

/* Names only the switches, with the terminals that were counted. */
static enum nb_status folding_name(struct folding *work, struct nb_error *err)
{
    struct nb_graph *graph = work->graph;
    enum nb_status status = NB_OK;
    nb_delete(graph->terminals);
    graph->terminals = NULL;
    graph->terminal_capacity = 0;
    for (size_t i = 0; i < work->old.count; i++) {
        const struct nb_name *name = &work->old.entry[i];
        if (!folding_is_switch(work, name->number))
            continue;
        const size_t kept = graph->names.count;
        NB_TRY(nb_graph_router_add(graph, 0, name->text,
                                   work->count[name->number], err));
        graph->names.entry[kept].label = name->label;
        if (graph->level != NULL)
            graph->level[kept] = graph->level[i];
    }
    nb_graph_names_number(&graph->names);
done:
    return status;
}

enum nb_status nb_graph_fold_hosts(struct nb_graph *graph, uint32_t terminals,
                                   struct nb_error *err)
{
    struct folding work = { .graph = graph };
    enum nb_status status;
    if (graph->fabric == NULL && graph->first_node == 0)
        return NB_OK;
    NB_TRY(nb_new(&work.count, graph->names.count, sizeof *work.count,
                  "terminals", err));
    for (size_t i = 0; i < graph->names.count; i++)
        work.count[graph->names.entry[i].number] =
            graph->terminals[i] == NB_NONE ? terminals : graph->terminals[i];
    work.old = graph->names;
    graph->names = (struct nb_graph_names){ 0 };
    NB_TRY(folding_filter(&work, err));
    NB_TRY(folding_name(&work, err));
    nb_fabric_release(graph->fabric);
    graph->fabric = NULL;
    graph->first_node = 0;
done:
    nb_delete(work.count);
    nb_delete(work.old.entry);
    nb_delete(work.old.place);
    return status;
}
