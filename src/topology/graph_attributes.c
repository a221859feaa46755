/* Nodes and edges with attributes, as GraphML and others have them. */
#include "topology/graph.h"

#include "core/memory.h"
#include "core/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum nb_status attributes_read_terminals(struct nb_graph *graph,
                                                struct nb_graph_value value,
                                                uint32_t *out,
                                                struct nb_error *err)
{
    struct nb_ratio count;
    *out = NB_NONE;
    if (value.text == NULL)
        return NB_OK;
    /* Programs print whole numbers of floating type as 4.0 or 4. */
    const bool is_permitted =
        nb_ratio_read(value.text, &count, NULL) == NB_OK &&
        count.denominator == 1 && count.numerator >= 0 &&
        count.numerator <= NB_GRAPH_TERMINALS;
    if (!is_permitted)
        return nb_graph_fail(graph, value.line, NB_INVALID, err,
                             "terminals \"%.60s\" is not permitted "
                             "(permitted: a whole number from 0 to %d)",
                             value.text, NB_GRAPH_TERMINALS);
    *out = (uint32_t)count.numerator;
    return NB_OK;
}

static enum nb_status attributes_read_group(struct nb_graph *graph,
                                            struct nb_graph_value value,
                                            uint32_t *out, struct nb_error *err)
{
    struct nb_ratio group;
    *out = NB_NONE;
    if (value.text == NULL)
        return NB_OK;
    const bool is_permitted =
        nb_ratio_read(value.text, &group, NULL) == NB_OK &&
        group.denominator == 1 && group.numerator >= 0 &&
        group.numerator < NB_GRAPH_GROUPS;
    if (!is_permitted && graph->guesses_groups) {
        graph->has_other_groups = true;
        return NB_OK;
    }
    if (!is_permitted)
        return nb_graph_fail(graph, value.line, NB_INVALID, err,
                             "group \"%.60s\" is not permitted (permitted: a "
                             "whole number from 0 to %d, or another "
                             "group-attribute)",
                             value.text, NB_GRAPH_GROUPS - 1);
    *out = (uint32_t)group.numerator;
    return NB_OK;
}

/* Makes room for the groups of all names; those before the first node with a
 * group are in none. */
static enum nb_status attributes_reserve_groups(struct nb_graph *graph,
                                                struct nb_error *err)
{
    const bool is_first = graph->group == NULL;
    const enum nb_status status = nb_grow(&graph->group, graph->names.capacity,
                                          sizeof *graph->group, "groups", err);
    if (status == NB_OK && is_first)
        for (size_t i = 0; i < graph->names.count; i++)
            graph->group[i] = NB_NONE;
    return status;
}

enum nb_status nb_graph_node_add(struct nb_graph *graph,
                                 const struct nb_graph_node *node,
                                 struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_graph_names_add(graph, node->line, node->name, err));
    const size_t last = graph->names.count - 1;
    NB_TRY(nb_grow(&graph->terminals, graph->names.capacity,
                   sizeof *graph->terminals, "terminals", err));
    NB_TRY(attributes_read_terminals(graph, node->terminals,
                                     &graph->terminals[last], err));
    /* A node without a label that can be printed is called by its id. */
    if (node->label != NULL && *node->label != '\0' &&
        nb_utf8_is_text(node->label, ""))
        graph->names.entry[last].label = node->label;
    if (graph->group == NULL && node->group.text == NULL)
        goto done;
    NB_TRY(attributes_reserve_groups(graph, err));
    NB_TRY(attributes_read_group(graph, node->group, &graph->group[last], err));
done:
    return status;
}

static int attributes_compare_shown(const void *left, const void *right)
{
    const struct nb_name *const *a = left, *const *b = right;
    return strcmp(nb_name_shown(*a), nb_name_shown(*b));
}

/* Sorts names by what they are called, and marks those that are not alone;
 * returns the number of marks. */
static size_t attributes_mark_shared(struct nb_name **order, size_t count,
                                     bool *is_shared)
{
    size_t marked = 0;
    if (count > 1)
        qsort(order, count, sizeof *order, attributes_compare_shown);
    for (size_t i = 0; i < count; i++) {
        is_shared[i] =
            (i > 0 &&
             attributes_compare_shown(&order[i - 1], &order[i]) == 0) ||
            (i + 1 < count &&
             attributes_compare_shown(&order[i], &order[i + 1]) == 0);
        marked += is_shared[i];
    }
    return marked;
}

/* Adds the id to labels that several nodes have; if that does not tell them
 * apart, no label is used. */
static enum nb_status attributes_part_labels(struct nb_graph *graph,
                                             struct nb_error *err)
{
    const size_t n = graph->names.count;
    struct nb_pool pool = { 0 };
    struct nb_name **order = nb_pool_array(&pool, n, sizeof *order);
    bool *is_shared = nb_pool_array(&pool, n, sizeof *is_shared);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "names", err));
    for (size_t i = 0; i < n; i++)
        order[i] = &graph->names.entry[i];
    if (attributes_mark_shared(order, n, is_shared) == 0)
        goto done;
    for (size_t i = 0; i < n; i++) {
        struct nb_name *name = order[i];
        if (!is_shared[i] || name->label == NULL)
            continue;
        const size_t room = strlen(name->label) + strlen(name->text) + 4;
        char *label = nb_pool_array(&graph->texts, room, 1);
        NB_TRY(nb_pool_check(&graph->texts, "names", err));
        snprintf(label, room, "%s (%s)", name->label, name->text);
        name->label = label;
    }
    if (attributes_mark_shared(order, n, is_shared) > 0)
        for (size_t i = 0; i < n; i++)
            order[i]->label = NULL;
done:
    nb_pool_release(&pool);
    return status;
}

/* A directed edge by the numbers of the routers that it joins. */
struct attributes_way {
    uint32_t low, high;
    bool is_up; /* from low to high */
    size_t edge;
};

static int attributes_compare_ways(const void *left, const void *right)
{
    const struct attributes_way *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->is_up != b->is_up)
        return a->is_up ? -1 : 1;
    return (a->edge > b->edge) - (a->edge < b->edge);
}

/* Of the edges of two routers, reads those both ways that have no counterpart:
 * the first ones one way against the first ones the other way. */
static void attributes_join_two(struct nb_graph *graph,
                                const struct attributes_way *way, size_t count)
{
    size_t up = 0;
    while (up < count && way[up].is_up)
        up++;
    const size_t both = up < count - up ? up : count - up;
    for (size_t i = 0; i < count; i++)
        if ((i < up ? i : i - up) >= both) {
            graph->edges[way[i].edge].is_directed = false;
            graph->edges[way[i].edge].is_joined = true;
            graph->joined++;
        }
}

/* Reads directed edges without a counterpart both ways, unless the edge itself
 * says that it is directed: edgedefault is what a program writes by default. */
static enum nb_status attributes_join(struct nb_graph *graph,
                                      struct nb_error *err)
{
    struct attributes_way *way = NULL;
    size_t count = 0;
    enum nb_status status = NB_OK;
    if (graph->edge_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&way, graph->edge_count, sizeof *way, "links", err));
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct nb_graph_edge *edge = &graph->edges[e];
        const uint32_t a = nb_graph_names_find(&graph->names, edge->source);
        const uint32_t b = nb_graph_names_find(&graph->names, edge->target);
        if (edge->is_directed && !edge->is_stated && a != NB_NONE &&
            b != NB_NONE)
            way[count++] = (struct attributes_way){ a < b ? a : b,
                                                    a < b ? b : a, a < b, e };
    }
    if (count > 0)
        qsort(way, count, sizeof *way, attributes_compare_ways);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && way[end].low == way[first].low &&
               way[end].high == way[first].high)
            end++;
        attributes_join_two(graph, way + first, end - first);
    }
done:
    nb_delete(way);
    return status;
}

const char *const nb_graph_weights[] = { "weight", "capacity", "value" };

void nb_graph_keep_unread(struct nb_graph *graph,
                          const struct nb_graph_value weight[NB_GRAPH_WEIGHTS])
{
    for (size_t i = NB_GRAPH_WEIGHTS; i-- > 0;)
        if (weight[i].text != NULL)
            graph->unread = nb_graph_weights[i];
}

/* Notes an attribute that may be a bandwidth, if no edge has one. */
static void attributes_note_unread(struct nb_graph *graph)
{
    for (size_t e = 0; e < graph->edge_count; e++)
        if (nb_ratio_is_known(graph->edges[e].bandwidth))
            return;
    if (graph->unread != NULL)
        nb_graph_note(graph, "ignored",
                      "attribute \"%.60s\" of links is not read "
                      "(bandwidth-attribute=%.60s reads it as their bandwidth)",
                      graph->unread, graph->unread);
}

/* Notes nodes without terminals, if others have some. */
static void attributes_note_terminals(struct nb_graph *graph)
{
    size_t bare = 0;
    for (size_t i = 0; i < graph->names.count; i++)
        bare += graph->terminals != NULL && graph->terminals[i] == NB_NONE;
    if (bare > 0 && bare < graph->names.count)
        nb_graph_note(graph, "without_terminals",
                      "%zu of %zu nodes of the file %s no terminals and %s "
                      "those of parameter terminals",
                      bare, graph->names.count, bare == 1 ? "has" : "have",
                      bare == 1 ? "gets" : "get");
}

/* Whether a file that lists every link from both ends means each once: all its
 * edges go both ways, by a word for the whole graph or as the user wants. */
static bool attributes_may_read_once(const struct nb_graph *graph,
                                     enum nb_graph_directions directions)
{
    size_t one_way = 0, stated = 0;
    for (size_t e = 0; e < graph->edge_count; e++) {
        one_way += graph->edges[e].is_directed;
        stated += graph->edges[e].is_stated;
    }
    return !graph->is_multigraph && stated == 0 &&
           ((one_way == 0 && directions != NB_DIRECTIONS_ALL) ||
            (one_way == graph->edge_count && directions == NB_DIRECTIONS_NONE));
}

enum nb_status nb_graph_finish_nodes(struct nb_graph *graph,
                                     enum nb_graph_directions directions,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    nb_graph_names_number(&graph->names);
    if (graph->names.repeated != NULL)
        return nb_fail(err, NB_INVALID, "%.200s: node id \"%.60s\" is repeated",
                       graph->path, graph->names.repeated);
    if (attributes_may_read_once(graph, directions))
        NB_TRY(nb_graph_read_once(graph, err));
    NB_TRY(attributes_part_labels(graph, err));
    attributes_note_terminals(graph);
    attributes_note_unread(graph);
    if (directions == NB_DIRECTIONS_AUTO && graph->like == NULL)
        NB_TRY(attributes_join(graph, err));
    for (size_t e = 0; e < graph->edge_count; e++) {
        struct nb_graph_edge *edge = &graph->edges[e];
        if (directions != NB_DIRECTIONS_AUTO)
            edge->is_directed = directions == NB_DIRECTIONS_ALL;
        graph->has_one_way = graph->has_one_way || edge->is_directed;
    }
done:
    return status;
}

/* Refuses an attribute that was asked for and is nowhere. */
static enum nb_status attributes_require(const struct nb_graph *graph,
                                         bool is_seen, const char *owner,
                                         const char *usual, const char *name,
                                         struct nb_error *err)
{
    if (is_seen || strcmp(name, usual) == 0)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s: no %s has an attribute \"%.60s\" (parameter "
                   "%s-attribute)",
                   graph->path, owner, name, usual);
}

enum nb_status nb_graph_require_bandwidth(const struct nb_graph *graph,
                                          bool is_seen, const char *name,
                                          struct nb_error *err)
{
    return attributes_require(graph, is_seen, "edge", "bandwidth", name, err);
}

/* Whether groups are numbered from 0 on. */
static bool attributes_are_groups(const struct nb_graph *graph, bool *is_used)
{
    uint32_t used = 0, count = 0;
    for (size_t i = 0; i < graph->names.count; i++) {
        const uint32_t group = graph->group[i];
        if (group == NB_NONE)
            continue;
        if (group >= graph->names.count)
            return false;
        used += !is_used[group];
        is_used[group] = true;
        count = group >= count ? group + 1 : count;
    }
    return !graph->has_other_groups && used == count && count > 1;
}

/* Leaves out an attribute group that means something else. */
static enum nb_status attributes_check_groups(struct nb_graph *graph,
                                              struct nb_error *err)
{
    bool *is_used = NULL;
    enum nb_status status = NB_OK;
    if (!graph->guesses_groups || graph->group == NULL || graph->like != NULL)
        return NB_OK;
    NB_TRY(
        nb_new(&is_used, graph->names.count, sizeof *is_used, "groups", err));
    if (!attributes_are_groups(graph, is_used)) {
        nb_delete(graph->group);
        graph->group = NULL;
        nb_graph_note(graph, "groups",
                      "attribute group is not used, as its values are not "
                      "groups numbered from 0 on");
    }
done:
    nb_delete(is_used);
    return status;
}

void nb_graph_begin_attributes(struct nb_graph *graph,
                               const struct nb_graph_attributes *attributes,
                               const char *directed_by)
{
    graph->directed_by = directed_by;
    graph->guesses_groups = strcmp(attributes->group, "group") == 0;
}

enum nb_status nb_graph_finish_attributes(
    struct nb_graph *graph, const struct nb_graph_attributes *attributes,
    enum nb_graph_directions directions, struct nb_error *err)
{
    bool has_bandwidth = false, has_terminals = false;
    enum nb_status status;
    for (size_t e = 0; e < graph->edge_count; e++)
        has_bandwidth =
            has_bandwidth || nb_ratio_is_known(graph->edges[e].bandwidth);
    for (size_t i = 0; i < graph->names.count; i++)
        has_terminals = has_terminals || graph->terminals[i] != NB_NONE;
    NB_TRY(nb_graph_require_bandwidth(graph, has_bandwidth,
                                      attributes->bandwidth, err));
    NB_TRY(attributes_require(graph, has_terminals, "node", "terminals",
                              attributes->terminals, err));
    NB_TRY(attributes_require(graph, graph->group != NULL, "node", "group",
                              attributes->group, err));
    NB_TRY(attributes_check_groups(graph, err));
    NB_TRY(nb_graph_finish_nodes(graph, directions, err));
done:
    return status;
}
