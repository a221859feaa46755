#include "load/pair_loads.h"

#include "core/memory.h"
#include "load/route_graph.h"

#include <math.h>

/* Scratch of one thread. */
struct pair_scratch {
    struct nb_route_graph graph;
    int64_t *visits;
    double *values;
};

/* The shared work of the tasks: task j fills column j of every matrix. */
struct pair_work {
    const struct nb_routing *routing; /* of one phase */
    size_t n;
    uint32_t *endpoint;    /* [n] */
    uint32_t *endpoint_of; /* [router] row and column; NB_NONE: none */
    size_t count;
    struct nb_pair_loads *loads; /* dense while the columns come in */
    int64_t *column_denominator; /* [channel * n + column]; 0: not exact */
    double *column_error;        /* [column], for the values */
    struct pair_scratch *scratch;
};

void nb_pair_loads_release(struct nb_pair_loads *loads)
{
    nb_delete(loads->weight);
    nb_delete(loads->value);
    *loads = (struct nb_pair_loads){ 0 };
}

size_t nb_endpoints(const struct nb_topology *topology, uint32_t *out)
{
    size_t n = 0;
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            out[n++] = r;
    return n;
}

double nb_pair_loads_bytes(const struct nb_routing *routing, size_t channels)
{
    const double n = (double)routing->topology->router_count;
    return n * n * 8 * (double)channels;
}

static enum nb_status pair_scratch_init(const struct nb_routing *routing,
                                        struct pair_scratch *scratch,
                                        struct nb_error *err)
{
    const size_t nodes = routing->state_count * routing->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_route_graph_init(routing, &scratch->graph, err));
    NB_TRY(nb_new(&scratch->visits, nodes, sizeof(int64_t), "visits", err));
    NB_TRY(nb_new(&scratch->values, nodes, sizeof(double), "visits", err));
done:
    return status;
}

static void pair_scratch_release(struct pair_scratch *scratch)
{
    nb_route_graph_release(&scratch->graph);
    nb_delete(scratch->visits);
    nb_delete(scratch->values);
}

/* Whole numbers that stay below 2^61 when one for each terminal is added. */
static int64_t pair_limit(const struct nb_topology *topology)
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
static void pair_fill_exact(const struct pair_work *work, size_t channel,
                            size_t column, struct pair_scratch *scratch)
{
    struct nb_pair_loads *loads = &work->loads[channel];
    struct nb_route_graph *graph = &scratch->graph;
    const int64_t starts =
        (int64_t)work->routing->kind->start_count(work->routing);
    const int64_t limit = pair_limit(work->routing->topology) / starts;
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

static void pair_fill_value(const struct pair_work *work, size_t channel,
                            size_t column, struct pair_scratch *scratch)
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

static enum nb_status pair_task(void *context, int thread, size_t column,
                                struct nb_error *err)
{
    const struct pair_work *work = context;
    struct pair_scratch *scratch = &work->scratch[thread];
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

/* Brings the columns to one denominator; false if it does not fit. */
static bool pair_unite(const struct pair_work *work, size_t channel)
{
    struct nb_pair_loads *loads = &work->loads[channel];
    const int64_t *columns = work->column_denominator + channel * work->n;
    const int64_t limit = pair_limit(work->routing->topology);
    nb_int128 united = 1;
    for (size_t j = 0; j < work->n; j++) {
        if (columns[j] == 0)
            return false;
        united = united /
                 (int64_t)nb_gcd((uint64_t)united, (uint64_t)columns[j]) *
                 columns[j];
        if (united > limit)
            return false;
    }
    uint64_t common = (uint64_t)united;
    for (size_t i = 0; i < work->n; i++) {
        for (size_t j = 0; j < work->n; j++) {
            int64_t *cell = &loads->weight[i * work->n + j];
            if (*cell == 0)
                continue;
            *cell *= (int64_t)united / columns[j];
            if (common != 1)
                common = nb_gcd(common, (uint64_t)*cell);
        }
    }
    for (size_t i = 0; i < work->n * work->n && common != 1; i++)
        loads->weight[i] /= (int64_t)common;
    loads->denominator = (int64_t)united / (int64_t)common;
    return true;
}

/* Replaces the dense matrix g of one phase by the terms of both phases:
 * row(i) = sum_q g(i, q) / n, column(j) = sum_q g(q, j) / n. */
static enum nb_status pair_separate(struct nb_pair_loads *loads,
                                    struct nb_error *err)
{
    const size_t n = loads->n;
    int64_t *weight = NULL;
    double *value = NULL;
    enum nb_status status = NB_OK;
    if (loads->is_exact)
        NB_TRY(nb_new(&weight, 2 * n, sizeof *weight, "pair loads", err));
    else
        NB_TRY(nb_new(&value, 2 * n, sizeof *value, "pair loads", err));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (loads->is_exact) {
                weight[i] += loads->weight[i * n + j];
                weight[n + j] += loads->weight[i * n + j];
            } else {
                value[i] += loads->value[i * n + j] / (double)n;
                value[n + j] += loads->value[i * n + j] / (double)n;
            }
        }
    }
    nb_delete(loads->weight);
    nb_delete(loads->value);
    loads->weight = weight;
    loads->value = value;
    loads->is_separable = true;
    loads->denominator *= (int64_t)n;
    loads->relative_error += ((double)n + 2) * 0x1p-52;
done:
    return status;
}

static enum nb_status pair_work_init(struct pair_work *work, int threads,
                                     struct nb_error *err)
{
    const size_t routers = work->routing->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->endpoint, routers, sizeof *work->endpoint, "endpoints",
                  err));
    NB_TRY(nb_new(&work->endpoint_of, routers, sizeof *work->endpoint_of,
                  "endpoints", err));
    work->n = nb_endpoints(work->routing->topology, work->endpoint);
    for (size_t r = 0; r < routers; r++)
        work->endpoint_of[r] = NB_NONE;
    for (uint32_t i = 0; i < work->n; i++)
        work->endpoint_of[work->endpoint[i]] = i;
    NB_TRY(nb_new(&work->column_denominator, work->count * work->n,
                  sizeof(int64_t), "column denominators", err));
    NB_TRY(nb_new(&work->column_error, work->n, sizeof(double), "column errors",
                  err));
    NB_TRY(nb_new(&work->scratch, (size_t)threads, sizeof *work->scratch,
                  "scratch", err));
    for (int t = 0; t < threads; t++)
        NB_TRY(pair_scratch_init(work->routing, &work->scratch[t], err));
done:
    return status;
}

static void pair_work_release(struct pair_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++)
        pair_scratch_release(&work->scratch[t]);
    nb_delete(work->scratch);
    nb_delete(work->endpoint);
    nb_delete(work->endpoint_of);
    nb_delete(work->column_denominator);
    nb_delete(work->column_error);
}

/* A second pass, in doubles, for the channels that are not exact. */
static enum nb_status pair_fill_values(struct pair_work *work,
                                       const struct nb_run *run,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct pair_work rest = *work;
    rest.count = 0;
    rest.loads = NULL; /* not the copy's to free if the next step fails */
    /* The tasks take a contiguous list: channels not exact, moved in front
     * of a copy that owns nothing. */
    NB_TRY(nb_new(&rest.loads, work->count, sizeof *rest.loads, "pair loads",
                  err));
    for (size_t c = 0; c < work->count; c++) {
        if (work->loads[c].is_exact)
            continue;
        nb_delete(work->loads[c].weight);
        work->loads[c].weight = NULL;
        NB_TRY(nb_new(&work->loads[c].value, work->n * work->n, sizeof(double),
                      "pair loads", err));
        rest.loads[rest.count++] = work->loads[c];
    }
    if (rest.count > 0)
        NB_TRY(nb_run_tasks(run, "pair loads", work->n, pair_task, &rest, err));
    double relative_error = 0;
    for (size_t j = 0; j < work->n; j++)
        relative_error = fmax(relative_error, work->column_error[j]);
    for (size_t c = 0; c < work->count; c++)
        if (!work->loads[c].is_exact)
            work->loads[c].relative_error = relative_error;
done:
    nb_delete(rest.loads);
    return status;
}

enum nb_status nb_pair_loads_find(const struct nb_routing *routing,
                                  size_t count, const uint32_t *channel,
                                  const struct nb_run *run,
                                  struct nb_pair_loads *out,
                                  struct nb_error *err)
{
    const bool is_two_phase = routing->phase != NULL;
    struct pair_work work = {
        .routing = is_two_phase ? routing->phase : routing,
        .count = count,
        .loads = out,
    };
    const int threads = nb_run_threads(run, routing->topology->router_count);
    enum nb_status status = NB_OK;
    for (size_t c = 0; c < count; c++)
        out[c] = (struct nb_pair_loads){ .channel = channel[c] };
    NB_TRY(nb_memory_require(nb_pair_loads_bytes(routing, count) +
                                 nb_route_graph_bytes(work.routing) * threads,
                             "pair loads", err));
    NB_TRY(pair_work_init(&work, threads, err));
    for (size_t c = 0; c < count; c++) {
        out[c].n = work.n;
        out[c].is_exact = true;
        NB_TRY(nb_new(&out[c].weight, work.n * work.n, sizeof(int64_t),
                      "pair loads", err));
    }
    NB_TRY(nb_run_tasks(run, "pair loads", work.n, pair_task, &work, err));
    for (size_t c = 0; c < count; c++)
        out[c].is_exact = pair_unite(&work, c);
    NB_TRY(pair_fill_values(&work, run, err));
    for (size_t c = 0; c < count && is_two_phase; c++)
        NB_TRY(pair_separate(&out[c], err));
done:
    pair_work_release(&work, threads);
    for (size_t c = 0; c < count && status != NB_OK; c++)
        nb_pair_loads_release(&out[c]);
    return status;
}

int64_t nb_pair_load_weight(const struct nb_pair_loads *loads, size_t i,
                            size_t j)
{
    return loads->is_separable ? loads->weight[i] + loads->weight[loads->n + j]
                               : loads->weight[i * loads->n + j];
}

double nb_pair_load_value(const struct nb_pair_loads *loads, size_t i, size_t j)
{
    if (loads->is_exact)
        return (double)nb_pair_load_weight(loads, i, j) /
               (double)loads->denominator;
    return loads->is_separable ? loads->value[i] + loads->value[loads->n + j]
                               : loads->value[i * loads->n + j];
}
