/* Parts of a graph: routers that links join, whatever their direction. */
#include "topology/graph.h"

#include "core/memory.h"
#include "topology/fabric.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_SAID = 6 }; /* parts listed in a message */

struct graph_part {
    uint32_t root, first; /* first: its least router */
    size_t routers, senders;
};

struct graph_parts {
    struct nb_graph *graph;
    uint32_t *above;  /* [router] a router of the same part; itself: the root */
    size_t *entry;    /* [router] index of its name */
    uint32_t *number; /* [router] its new number; NB_NONE: left out */
    struct graph_part *part; /* [count] the largest first */
    size_t count;
    struct nb_pool pool;
};

static uint32_t parts_root(struct graph_parts *parts, uint32_t router)
{
    while (parts->above[router] != router) {
        parts->above[router] = parts->above[parts->above[router]];
        router = parts->above[router];
    }
    return router;
}

static int parts_compare(const void *left, const void *right)
{
    const struct graph_part *a = left, *b = right;
    if (a->routers != b->routers)
        return a->routers > b->routers ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* The terminals of a router, where a file may leave them to the parameter. */
static uint32_t parts_terminals(const struct graph_parts *parts,
                                uint32_t router, uint32_t terminals)
{
    const struct nb_graph *graph = parts->graph;
    const uint32_t own = graph->terminals != NULL
                             ? graph->terminals[parts->entry[router]]
                             : NB_NONE;
    return own != NB_NONE ? own : terminals;
}

/* Refuses edges from a router to itself that is none of the file's. */
static enum nb_status parts_check_loops(const struct nb_graph *graph,
                                        struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t l = 0; l < graph->loop_count; l++) {
        const struct nb_graph_edge edge = { .line = graph->loop[l].line };
        uint32_t router;
        NB_TRY(
            nb_graph_find(graph, &edge, graph->loop[l].router, &router, err));
    }
done:
    return status;
}

static enum nb_status parts_find(struct nb_graph *graph, uint32_t terminals,
                                 struct graph_parts *out, struct nb_error *err)
{
    const struct nb_graph_names *names = &graph->names;
    const size_t n = names->count;
    enum nb_status status;
    *out = (struct graph_parts){ .graph = graph };
    out->above = nb_pool_array(&out->pool, n, sizeof *out->above);
    out->entry = nb_pool_array(&out->pool, n, sizeof *out->entry);
    out->number = nb_pool_array(&out->pool, n, sizeof *out->number);
    out->part = nb_pool_array(&out->pool, n, sizeof *out->part);
    NB_TRY(nb_pool_check(&out->pool, "parts", err));
    for (size_t i = 0; i < n; i++) {
        out->entry[names->entry[i].number] = i;
        out->above[i] = (uint32_t)i;
        out->number[i] = NB_NONE;
    }
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct nb_graph_edge *edge = &graph->edges[e];
        uint32_t a, b;
        NB_TRY(nb_graph_find(graph, edge, edge->source, &a, err));
        NB_TRY(nb_graph_find(graph, edge, edge->target, &b, err));
        out->above[parts_root(out, a)] = parts_root(out, b);
    }
    for (uint32_t r = 0; r < n; r++) {
        const uint32_t root = parts_root(out, r);
        size_t p = out->number[root];
        if (p == NB_NONE) {
            p = out->count++;
            out->number[root] = (uint32_t)p;
            out->part[p] = (struct graph_part){ .root = root, .first = r };
        }
        out->part[p].routers++;
        out->part[p].senders += parts_terminals(out, r, terminals) > 0;
    }
    if (out->count > 1)
        qsort(out->part, out->count, sizeof *out->part, parts_compare);
done:
    return status;
}

/* The number of the only part in which routers send to each other; NB_NONE:
 * there is none, or there are several. */
static uint32_t parts_only(const struct graph_parts *parts)
{
    uint32_t found = NB_NONE;
    for (uint32_t p = 0; p < parts->count; p++) {
        if (parts->part[p].senders < 2)
            continue;
        if (found != NB_NONE)
            return NB_NONE;
        found = p;
    }
    return found;
}

static const char *parts_name(const struct graph_parts *parts, uint32_t router)
{
    return nb_name_shown(&parts->graph->names.entry[parts->entry[router]]);
}

/* Refuses, with the list of the parts. wanted: NULL, or what does not name
 * one */
static enum nb_status parts_refuse(const struct graph_parts *parts,
                                   const char *wanted, struct nb_error *err)
{
    struct nb_text list = { 0 };
    for (size_t p = 0; p < parts->count && p < PARTS_SAID; p++)
        nb_text_print(&list, "%s%zu%s with \"%.60s\"", p > 0 ? ", " : "",
                      parts->part[p].routers,
                      p > 0                        ? ""
                      : parts->part[p].routers > 1 ? " routers"
                                                   : " router",
                      parts_name(parts, parts->part[p].first));
    if (parts->count > PARTS_SAID)
        nb_text_print(&list, ", and %zu more", parts->count - PARTS_SAID);
    const char *planes = parts->graph->notes.length > 0
                             ? strstr(parts->graph->notes.bytes, "planes\t")
                             : NULL;
    planes = planes != NULL ? planes + 7 : "";
    enum nb_status status = nb_text_check(&list, err);
    if (status == NB_OK && wanted != NULL)
        status = nb_fail(err, NB_INVALID,
                         "%.100s: component=%.40s is not permitted (permitted: "
                         "1 to %zu, by size: %s; or the name of a router)",
                         parts->graph->path, wanted, parts->count, list.bytes);
    else if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "%.100s: the network has %zu parts that no link "
                         "joins: %s (permitted: one part; component=1 takes "
                         "the largest, component=NAME that with the router)"
                         "%s%.*s",
                         parts->graph->path, parts->count, list.bytes,
                         *planes != '\0' ? "; " : "",
                         (int)strcspn(planes, "\n"), planes);
    nb_text_release(&list);
    return status;
}

/* Finds the part that a number or a router's name stands for. */
static enum nb_status parts_choose(struct graph_parts *parts,
                                   const char *wanted, uint32_t *out,
                                   struct nb_error *err)
{
    const struct nb_graph_names *names = &parts->graph->names;
    char *end;
    *out = NB_NONE;
    if (strcmp(wanted, NB_GRAPH_COMPONENT) == 0) {
        *out = parts->count == 1 ? 0 : parts_only(parts);
        return *out != NB_NONE ? NB_OK : parts_refuse(parts, NULL, err);
    }
    const unsigned long long number = strtoull(wanted, &end, 10);
    if (*wanted >= '0' && *wanted <= '9' && *end == '\0') {
        if (number < 1 || number > parts->count)
            return parts_refuse(parts, wanted, err);
        *out = (uint32_t)number - 1;
        return NB_OK;
    }
    for (size_t i = 0; i < names->count && *out == NB_NONE; i++) {
        if (strcmp(nb_name_shown(&names->entry[i]), wanted) != 0)
            continue;
        const uint32_t root = parts_root(parts, names->entry[i].number);
        for (uint32_t p = 0; p < parts->count; p++)
            if (parts->part[p].root == root)
                *out = p;
    }
    return *out != NB_NONE ? NB_OK : parts_refuse(parts, wanted, err);
}

/* Keeps the names of a part, with new numbers in the old order, and what
 * belongs to them. */
static enum nb_status parts_cut_names(struct graph_parts *parts,
                                      struct nb_error *err)
{
    struct nb_graph *graph = parts->graph;
    struct nb_graph_names before = graph->names;
    enum nb_status status = NB_OK;
    uint32_t first_node = 0;
    graph->names = (struct nb_graph_names){ 0 };
    for (size_t i = 0; i < before.count; i++) {
        const uint32_t number = parts->number[before.entry[i].number];
        const size_t kept = graph->names.count;
        if (number == NB_NONE)
            continue;
        NB_TRY(nb_graph_names_add(graph, 0, before.entry[i].text, err));
        graph->names.entry[kept].number = number;
        first_node += before.entry[i].number < graph->first_node;
        graph->names.entry[kept].label = before.entry[i].label;
        if (graph->terminals != NULL)
            graph->terminals[kept] = graph->terminals[i];
        if (graph->group != NULL)
            graph->group[kept] = graph->group[i];
        if (graph->level != NULL)
            graph->level[kept] = graph->level[i];
    }
    graph->first_node = first_node;
done:
    nb_delete(before.entry);
    nb_delete(before.place);
    return status;
}

static enum nb_status parts_cut(struct graph_parts *parts, uint32_t part,
                                struct nb_error *err)
{
    struct nb_graph *graph = parts->graph;
    const uint32_t root = parts->part[part].root;
    uint32_t next = 0;
    size_t kept = 0;
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < graph->names.count; r++)
        parts->number[r] = parts_root(parts, r) == root ? next++ : NB_NONE;
    for (size_t e = 0; e < graph->edge_count; e++) {
        const uint32_t at =
            nb_graph_names_find(&graph->names, graph->edges[e].source);
        if (parts->number[at] != NB_NONE)
            graph->edges[kept++] = graph->edges[e];
        else
            graph->joined -= graph->edges[e].is_joined;
    }
    graph->edge_count = kept;
    kept = 0;
    for (size_t l = 0; l < graph->loop_count; l++)
        if (parts->number[nb_graph_names_find(
                &graph->names, graph->loop[l].router)] != NB_NONE)
            graph->loop[kept++] = graph->loop[l];
    graph->loop_count = kept;
    graph->part = (struct nb_file_part){ .index = part + 1,
                                         .count = parts->count,
                                         .routers = next,
                                         .all = graph->names.count };
    NB_TRY(parts_cut_names(parts, err));
    if (graph->fabric != NULL)
        NB_TRY(nb_fabric_cut(graph->fabric, parts->number, err));
done:
    return status;
}

enum nb_status nb_graph_take_part(struct nb_graph *graph, const char *wanted,
                                  uint32_t terminals, struct nb_error *err)
{
    struct graph_parts parts = { 0 };
    uint32_t part;
    enum nb_status status;
    NB_TRY(parts_check_loops(graph, err));
    NB_TRY(parts_find(graph, terminals, &parts, err));
    if (parts.count == 0)
        goto done;
    NB_TRY(parts_choose(&parts, wanted, &part, err));
    if (parts.count > 1)
        NB_TRY(parts_cut(&parts, part, err));
done:
    nb_pool_release(&parts.pool);
    return status;
}
