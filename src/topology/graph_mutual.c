/* Links that a file lists from both ends. */
#include "topology/graph.h"

#include "core/memory.h"
#include "core/try.h"

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

/* The number of edges with one of their own that goes the other way. */
static size_t mutual_count(struct nb_graph_edge *const *order, size_t count)
{
    size_t found = 0;
    for (size_t i = 0, next; i < count; i = next) {
        size_t up = 0, down = 0;
        for (next = i;
             next < count && mutual_compare(&order[i], &order[next]) == 0;
             next++)
            if (strcmp(order[next]->source, order[next]->target) < 0)
                up++;
            else
                down++;
        found += 2 * (up < down ? up : down);
    }
    return found;
}

enum nb_status nb_graph_fold_mutual(struct nb_graph *graph, size_t *mutual,
                                    struct nb_error *err)
{
    struct nb_graph_edge **order = NULL;
    size_t kept = 0;
    enum nb_status status;
    *mutual = 0;
    if (graph->edge_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&order, graph->edge_count, sizeof *order, "links", err));
    for (size_t e = 0; e < graph->edge_count; e++)
        order[e] = &graph->edges[e];
    qsort(order, graph->edge_count, sizeof(struct nb_graph_edge *),
          mutual_compare);
    *mutual = mutual_count(order, graph->edge_count);
    if (*mutual < graph->edge_count)
        goto done;
    for (size_t e = 0; e < graph->edge_count; e++)
        if (strcmp(graph->edges[e].source, graph->edges[e].target) < 0)
            graph->edges[kept++] = graph->edges[e];
    graph->edge_count = kept;
done:
    nb_delete(order);
    return status;
}

enum nb_status nb_graph_read_once(struct nb_graph *graph, struct nb_error *err)
{
    const size_t listed = graph->edge_count;
    size_t mutual;
    const enum nb_status status = nb_graph_fold_mutual(graph, &mutual, err);
    if (status != NB_OK || mutual == 0)
        return status;
    if (mutual == listed)
        nb_graph_note(graph, "listed_twice",
                      "every link is listed from both ends and read once");
    else
        nb_graph_note(graph, "listed_twice",
                      "%zu of %zu links have another one listed the other way; "
                      "each is read as a link of its own",
                      mutual, listed);
    return status;
}
