/* Links that a file lists from both ends. */
#include "topology/graph.h"

#include "core/memory.h"
#include "core/try.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* By the two routers, in either order, then by bandwidth. */
static int mutual_compare(const void *left, const void *right)
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
static bool mutual_are_mutual(struct nb_graph_edge *const *order, size_t count)
{
    for (size_t i = 0, next; i < count; i = next) {
        ptrdiff_t balance = 0;
        for (next = i;
             next < count && mutual_compare(&order[i], &order[next]) == 0;
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
          mutual_compare);
    *are_mutual = mutual_are_mutual(order, graph->edge_count);
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
