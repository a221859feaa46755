/* Levels of switches that a file lists from above (declared in graph.h). */
#include "topology/graph.h"

#include "core/memory.h"

/* The edges between switches; owns pool. */
struct stack {
    const struct nb_graph *graph;
    uint32_t *above, *below; /* [count] ends of each edge */
    size_t count;
    uint32_t *level;   /* [router] */
    uint32_t *pending; /* [router] edges down to switches without a level */
    size_t *first;     /* [router + 1] its edges up in `by_below` */
    size_t *by_below;  /* [count] edges by their lower end */
    uint32_t *ready;   /* [router] switches with a level, in that order */
    struct nb_pool pool;
};

/* Collects the edges; nodes, which have terminals, are no switches. */
static enum nb_status stack_open(const struct nb_graph *graph,
                                 struct stack *out, struct nb_error *err)
{
    const size_t n = graph->names.count, m = graph->edge_count;
    struct nb_pool *pool = &out->pool;
    bool *is_switch = nb_pool_array(pool, n, sizeof *is_switch);
    enum nb_status status;
    out->graph = graph;
    out->above = nb_pool_array(pool, m, sizeof *out->above);
    out->below = nb_pool_array(pool, m, sizeof *out->below);
    out->by_below = nb_pool_array(pool, m, sizeof *out->by_below);
    out->level = nb_pool_array(pool, n, sizeof *out->level);
    out->pending = nb_pool_array(pool, n, sizeof *out->pending);
    out->first = nb_pool_array(pool, n + 2, sizeof *out->first);
    out->ready = nb_pool_array(pool, n, sizeof *out->ready);
    NB_TRY(nb_pool_check(pool, "levels", err));
    for (size_t i = 0; i < n; i++)
        is_switch[graph->names.entry[i].number] = graph->terminals[i] == 0;
    for (size_t e = 0; e < m; e++) {
        const struct nb_graph_edge *edge = &graph->edges[e];
        uint32_t above, below;
        NB_TRY(nb_graph_find(graph, edge, edge->source, &above, err));
        NB_TRY(nb_graph_find(graph, edge, edge->target, &below, err));
        if (!is_switch[below])
            continue;
        out->above[out->count] = above;
        out->below[out->count++] = below;
        out->pending[above]++;
        out->first[below + 2]++;
    }
    for (size_t r = 0; r < n; r++)
        out->first[r + 2] += out->first[r + 1];
    for (size_t e = 0; e < out->count; e++)
        out->by_below[out->first[out->below[e] + 1]++] = e;
done:
    return status;
}

/* Gives levels from below; returns how many routers got one. */
static size_t stack_raise(struct stack *stack)
{
    const size_t n = stack->graph->names.count;
    size_t end = 0;
    for (uint32_t r = 0; r < n; r++)
        if (stack->pending[r] == 0)
            stack->ready[end++] = r;
    for (size_t next = 0; next < end; next++) {
        const uint32_t r = stack->ready[next];
        for (size_t i = stack->first[r]; i < stack->first[r + 1]; i++) {
            const uint32_t above = stack->above[stack->by_below[i]];
            if (stack->level[above] <= stack->level[r])
                stack->level[above] = stack->level[r] + 1;
            if (--stack->pending[above] == 0)
                stack->ready[end++] = above;
        }
    }
    return end;
}

/* Refuses switches that are above one another, naming one: those without a
 * level are on a circle or above one. */
static enum nb_status stack_refuse(struct stack *stack, struct nb_error *err)
{
    const struct nb_graph *graph = stack->graph;
    uint32_t *child = stack->ready, at = 0;
    for (size_t e = 0; e < stack->count; e++)
        if (stack->pending[stack->below[e]] > 0)
            child[stack->above[e]] = stack->below[e];
    while (stack->pending[at] == 0)
        at++;
    for (size_t step = 0; step < graph->names.count; step++)
        at = child[at]; /* down, then round the circle */
    return nb_fail(err, NB_INVALID,
                   "%.200s: switch \"%.60s\" is below itself (permitted: a "
                   "tree, each switch below others only)",
                   graph->path, nb_graph_names_of(&graph->names, at));
}

enum nb_status nb_graph_stack(struct nb_graph *graph, struct nb_error *err)
{
    const size_t n = graph->names.count;
    struct stack stack = { 0 };
    enum nb_status status;
    NB_TRY(stack_open(graph, &stack, err));
    if (stack_raise(&stack) < n)
        NB_TRY(stack_refuse(&stack, err));
    NB_TRY(nb_new(&graph->level, n, sizeof *graph->level, "levels", err));
    for (size_t i = 0; i < n; i++)
        graph->level[i] = stack.level[graph->names.entry[i].number];
done:
    nb_pool_release(&stack.pool);
    return status;
}
