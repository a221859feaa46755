/* One column of pair loads (declared in pair_work.h). */
#include "load/pair_work.h"

int64_t nb_pair_limit(const struct nb_topology *topology)
{
    return ((int64_t)1 << 61) / (int64_t)topology->terminal_count;
}

/* How many of its router's start states a node is. */
static uint64_t pair_start_count(const struct nb_route_graph *graph,
                                 uint32_t node)
{
    const struct nb_routing *routing = graph->routing;
    const uint64_t starts = routing->kind->start_count(routing);
    const uint32_t router = graph->router[node];
    uint64_t count = 0;
    for (uint64_t s = 0; s < starts; s++) {
        const nb_route_state state =
            routing->kind->start(routing, s, router, graph->destination);
        const size_t place = state * routing->topology->router_count + router;
        count += graph->node_of[place] == node;
    }
    return count;
}

/* One column of one matrix in whole numbers; its denominator becomes 0 if
 * that is not possible. A source's load is the mean over its start states. */
static void pair_fill_exact(const struct nb_pair_work *work, size_t channel,
                            size_t column, struct nb_pair_scratch *scratch)
{
    struct nb_pair_loads *loads = &work->loads[channel];
    struct nb_route_graph *graph = &scratch->graph;
    const int64_t starts =
        (int64_t)work->routing->kind->start_count(work->routing);
    const int64_t limit = nb_pair_limit(work->routing->topology) / starts;
    int64_t denominator = 1;
    nb_route_graph_find_upstream(graph, loads->channel);
    if (!nb_route_graph_visits(graph, loads->channel, limit, scratch->visits,
                               &denominator))
        denominator = 0;
    work->column_denominator[channel * work->n + column] = denominator * starts;
    for (size_t u = 0; u < graph->upstream_count; u++) {
        const uint32_t node = graph->upstream[u];
        const uint32_t row = work->endpoint_of[graph->router[node]];
        if (denominator > 0 && row != NB_NONE)
            loads->weight[row * work->n + column] +=
                scratch->visits[node] * (int64_t)pair_start_count(graph, node);
        scratch->visits[node] = 0;
    }
}

static void pair_fill_value(const struct nb_pair_work *work, size_t channel,
                            size_t column, struct nb_pair_scratch *scratch)
{
    struct nb_pair_loads *loads = &work->loads[channel];
    struct nb_route_graph *graph = &scratch->graph;
    const uint64_t starts = work->routing->kind->start_count(work->routing);
    nb_route_graph_find_upstream(graph, loads->channel);
    nb_route_graph_visits_value(graph, loads->channel, scratch->values);
    for (size_t u = 0; u < graph->upstream_count; u++) {
        const uint32_t node = graph->upstream[u];
        const uint32_t row = work->endpoint_of[graph->router[node]];
        if (row != NB_NONE)
            loads->value[row * work->n + column] +=
                scratch->values[node] * (double)pair_start_count(graph, node) /
                (double)starts;
        scratch->values[node] = 0;
    }
    work->column_error[column] =
        nb_route_graph_error(graph, (double)starts + 2);
}

enum nb_status nb_pair_task(void *context, int thread, size_t column,
                            struct nb_error *err)
{
    const struct nb_pair_work *work = context;
    struct nb_pair_scratch *scratch = &work->scratch[thread];
    const enum nb_status status = nb_route_graph_build(
        &scratch->graph, work->endpoint[column], work->endpoint, work->n, err);
    for (size_t c = 0; c < work->count && status == NB_OK; c++) {
        if (work->loads[c].is_exact)
            pair_fill_exact(work, c, column, scratch);
        else
            pair_fill_value(work, c, column, scratch);
    }
    return status;
}
