/* One column of pair loads (declared in pair_work.h). */
#include "load/pair_work.h"

#include "load/focus.h"

int64_t nb_pair_limit(const struct nb_topology *topology)
{
    return ((int64_t)1 << 61) / (int64_t)topology->terminal_count;
}

/* The weight with which packets start at a node's router in its state. */
static uint64_t pair_start_weight(const struct nb_route_graph *graph,
                                  uint32_t node)
{
    const size_t count = nb_route_starts(graph->routing, graph->router[node],
                                         graph->destination, graph->starts);
    uint64_t weight = 0;
    for (size_t s = 0; s < count; s++)
        if (graph->starts[s].state == graph->state[node])
            weight += graph->starts[s].weight;
    return weight;
}

/* What one matrix's column is computed from: the graph of a router alike to
 * the column's, and the automorphism that takes it there. */
struct pair_column {
    const struct nb_pair_work *work;
    struct nb_pair_scratch *scratch;
    size_t column;
    const uint32_t *map; /* NULL: the identity */
    size_t matrix;       /* of the channel's first */
};

/* The row and the matrix that a node's visits belong to, and the weight with
 * which they count; 0: nothing starts there. */
static uint64_t pair_place(const struct pair_column *at, uint32_t node,
                           size_t *row, size_t *matrix)
{
    const struct nb_pair_work *work = at->work;
    const struct nb_route_graph *graph = &at->scratch->graph;
    const uint32_t router = graph->router[node];
    const uint32_t state = graph->state[node];
    *row = work->endpoint_of[at->map != NULL ? at->map[router] : router];
    *matrix = at->matrix;
    if (*row == NB_NONE)
        return 0;
    if (work->class_count == 0)
        return pair_start_weight(graph, node);
    *matrix += state;
    return state < work->class_count;
}

/* Whole numbers; the denominator becomes 0 if that is not possible. A
 * source's load is the weighted mean over its starts. */
static void pair_fill_exact(const struct pair_column *at, uint32_t channel)
{
    const struct nb_pair_work *work = at->work;
    const struct nb_route_graph *graph = &at->scratch->graph;
    int64_t *visits = at->scratch->visits;
    const size_t matrices = work->class_count > 0 ? work->class_count : 1;
    const int64_t total =
        work->class_count > 0 ? 1 : (int64_t)work->routing->start_total;
    const int64_t limit = nb_pair_limit(work->routing->topology) / total;
    int64_t denominator = 1;
    if (!nb_route_graph_visits(graph, channel, limit, visits, &denominator))
        denominator = 0;
    for (size_t m = 0; m < matrices; m++)
        work->column_denominator[(at->matrix + m) * work->n + at->column] =
            denominator * total;
    for (size_t u = 0; u < graph->upstream_count; u++) {
        const uint32_t node = graph->upstream[u];
        size_t row, matrix;
        const uint64_t weight =
            denominator > 0 ? pair_place(at, node, &row, &matrix) : 0;
        if (weight > 0)
            work->loads[matrix].weight[row * work->n + at->column] +=
                visits[node] * (int64_t)weight;
        visits[node] = 0;
    }
}

static void pair_fill_value(const struct pair_column *at, uint32_t channel)
{
    const struct nb_pair_work *work = at->work;
    const struct nb_route_graph *graph = &at->scratch->graph;
    double *values = at->scratch->values;
    const double total =
        work->class_count > 0 ? 1 : (double)work->routing->start_total;
    nb_route_graph_visits_value(graph, channel, values);
    for (size_t u = 0; u < graph->upstream_count; u++) {
        const uint32_t node = graph->upstream[u];
        size_t row, matrix;
        const uint64_t weight = pair_place(at, node, &row, &matrix);
        if (weight > 0)
            work->loads[matrix].value[row * work->n + at->column] +=
                values[node] * (double)weight / total;
        values[node] = 0;
    }
    work->column_error[at->column] =
        nb_route_graph_error(graph, (double)work->routing->most_starts + 2);
}

/* The graph for a router alike to the column's; made anew only where the
 * orbits change. */
static enum nb_status pair_find_graph(const struct nb_pair_work *work,
                                      uint32_t representative,
                                      struct nb_route_graph *graph,
                                      struct nb_error *err)
{
    if (graph->node_count > 0 && graph->destination == representative)
        return NB_OK;
    return nb_route_graph_build(graph, representative, work->endpoint, work->n,
                                0, work->class_count, err);
}

enum nb_status nb_pair_task(void *context, int thread, size_t index,
                            struct nb_error *err)
{
    const struct nb_pair_work *work = context;
    const struct nb_topology *topology = work->routing->topology;
    const size_t matrices = work->class_count > 0 ? work->class_count : 1;
    struct nb_pair_scratch *scratch = &work->scratch[thread];
    struct pair_column at = { .work = work,
                              .scratch = scratch,
                              .column = work->column[index] };
    const uint32_t router = work->endpoint[at.column];
    const uint32_t representative =
        nb_orbits_least(&work->orbits.routers, router);
    const enum nb_status status =
        pair_find_graph(work, representative, &scratch->graph, err);
    if (router != representative) {
        at.map = work->orbits.map + router * work->orbits.routers.size;
        for (uint32_t r = 0; r < work->orbits.routers.size; r++)
            scratch->inverse[at.map[r]] = r;
    }
    for (; at.matrix < work->count && status == NB_OK; at.matrix += matrices) {
        const struct nb_pair_loads *loads = &work->loads[at.matrix];
        const uint32_t channel =
            at.map == NULL
                ? loads->channel
                : nb_channel_image(topology, scratch->inverse, loads->channel);
        nb_route_graph_find_upstream(&scratch->graph, channel);
        if (loads->is_exact)
            pair_fill_exact(&at, channel);
        else
            pair_fill_value(&at, channel);
    }
    return status;
}
