/* Levels of switches that a file lists from above (declared in graph.h). */
#include "topology/graph.h"

#include "core/memory.h"

#include <string.h>

/* Raises switches above those below them; whether any rose. level, is_switch:
 * [router] */
static enum nb_status stack_sweep(const struct nb_graph *graph, uint32_t *level,
                                  const bool *is_switch, bool *has_risen,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *has_risen = false;
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct nb_graph_edge *edge = &graph->edges[e];
        uint32_t above, below;
        NB_TRY(nb_graph_find(graph, edge, edge->source, &above, err));
        NB_TRY(nb_graph_find(graph, edge, edge->target, &below, err));
        if (!is_switch[below] || level[above] > level[below])
            continue;
        level[above] = level[below] + 1;
        *has_risen = true;
    }
done:
    return status;
}

/* Refuses switches that are above one another, naming one. Levels of n and more
 * are those of a circle and of switches above it. */
static enum nb_status stack_refuse(const struct nb_graph *graph,
                                   const uint32_t *level, struct nb_error *err)
{
    const size_t n = graph->names.count;
    uint32_t at = 0;
    while (level[at] < n)
        at++;
    for (size_t step = 0; step < n; step++) /* down, then round the circle */
        for (size_t e = 0; e < graph->edge_count; e++) {
            const struct nb_graph_edge *edge = &graph->edges[e];
            const uint32_t below =
                nb_graph_names_find(&graph->names, edge->target);
            if (level[below] >= n &&
                nb_graph_names_find(&graph->names, edge->source) == at) {
                at = below;
                break;
            }
        }
    return nb_fail(err, NB_INVALID,
                   "%.200s: switch \"%.60s\" is below itself (permitted: a "
                   "tree, each switch below others only)",
                   graph->path, nb_graph_names_of(&graph->names, at));
}

enum nb_status nb_graph_stack(struct nb_graph *graph, struct nb_error *err)
{
    const size_t n = graph->names.count;
    struct nb_pool pool = { 0 };
    uint32_t *level = nb_pool_array(&pool, n, sizeof *level);
    bool *is_switch = nb_pool_array(&pool, n, sizeof *is_switch);
    bool has_risen = true;
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "levels", err));
    for (size_t i = 0; i < n; i++)
        is_switch[graph->names.entry[i].number] = graph->terminals[i] == 0;
    for (size_t sweep = 0; sweep <= n && has_risen; sweep++)
        NB_TRY(stack_sweep(graph, level, is_switch, &has_risen, err));
    if (has_risen)
        NB_TRY(stack_refuse(graph, level, err));
    NB_TRY(nb_new(&graph->level, n, sizeof *graph->level, "levels", err));
    for (size_t i = 0; i < n; i++)
        graph->level[i] = level[graph->names.entry[i].number];
done:
    nb_pool_release(&pool);
    return status;
}
