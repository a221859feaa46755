/* One column of pair loads (declared in pair_work.h). */
#include "load/pair_work.h"

#include "core/memory.h"
#include "load/focus.h"

int64_t nb_pair_limit(const struct nb_topology *topology)
{
    return ((int64_t)1 << 61) / (int64_t)topology->terminal_count;
}

/* The weight with which packets start at a node's router in its state. */
static uint64_t pair_start_weight(const struct nb_walker *walker, uint32_t node)
{
    const size_t count =
        nb_route_starts(walker->routing, walker->node[node].router,
                        walker->destination, walker->starts);
    uint64_t weight = 0;
    for (size_t s = 0; s < count; s++)
        if (walker->starts[s].state == walker->node[node].state)
            weight += walker->starts[s].weight;
    return weight;
}

/* What one matrix's column is computed from: the routes to a router alike
 * to the column's, and the automorphism that takes it there. */
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
    const struct nb_walker *walker = &at->scratch->walker;
    const uint32_t router = walker->node[node].router;
    const nb_route_state state = walker->node[node].state;
    *row = work->endpoint_of[at->map != NULL ? at->map[router] : router];
    *matrix = at->matrix;
    if (*row == NB_NONE)
        return 0;
    if (work->class_count == 0)
        return pair_start_weight(walker, node);
    *matrix += state;
    return state < work->class_count;
}

/* Whole numbers; the denominator becomes 0 if that is not possible. A
 * source's load is the weighted mean over its starts. */
static void pair_fill_exact(const struct pair_column *at, uint32_t channel)
{
    const struct nb_pair_work *work = at->work;
    const struct nb_walker *walker = &at->scratch->walker;
    const struct nb_upstream *upstream = &at->scratch->upstream;
    int64_t *visits = at->scratch->visits;
    const size_t matrices = work->class_count > 0 ? work->class_count : 1;
    const int64_t total =
        work->class_count > 0 ? 1 : (int64_t)work->routing->start_total;
    const int64_t limit = nb_pair_limit(work->routing->topology) / total;
    int64_t denominator = 1;
    if (!nb_walk_visits(walker, upstream, channel, limit, visits, &denominator))
        denominator = 0;
    for (size_t m = 0; m < matrices; m++)
        work->column_denominator[(at->matrix + m) * work->n + at->column] =
            denominator * total;
    for (size_t u = 0; u < upstream->count; u++) {
        const uint32_t node = upstream->node[u];
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
    const struct nb_walker *walker = &at->scratch->walker;
    const struct nb_upstream *upstream = &at->scratch->upstream;
    double *values = at->scratch->values;
    const double total =
        work->class_count > 0 ? 1 : (double)work->routing->start_total;
    nb_walk_visits_value(walker, upstream, channel, values);
    for (size_t u = 0; u < upstream->count; u++) {
        const uint32_t node = upstream->node[u];
        size_t row, matrix;
        const uint64_t weight = pair_place(at, node, &row, &matrix);
        if (weight > 0)
            work->loads[matrix].value[row * work->n + at->column] +=
                values[node] * (double)weight / total;
        values[node] = 0;
    }
    work->column_error[at->column] =
        nb_walk_error(walker, (double)work->routing->most_starts + 2);
}

/* Room for visits and values, all 0, at every node. */
static enum nb_status pair_make_room(struct nb_pair_scratch *scratch,
                                     struct nb_error *err)
{
    const size_t room = scratch->walker.node_room;
    enum nb_status status = NB_OK;
    if (scratch->room >= room)
        return NB_OK;
    nb_delete(scratch->visits);
    nb_delete(scratch->values);
    scratch->visits = NULL;
    scratch->values = NULL;
    NB_TRY(nb_new(&scratch->visits, room, sizeof(int64_t), "visits", err));
    NB_TRY(nb_new(&scratch->values, room, sizeof(double), "visits", err));
    scratch->room = room;
done:
    return status;
}

/* The routes to a router alike to the column's; followed anew only where the
 * orbits change. */
static enum nb_status pair_walk(const struct nb_pair_work *work,
                                uint32_t representative,
                                struct nb_pair_scratch *scratch,
                                struct nb_error *err)
{
    struct nb_walker *walker = &scratch->walker;
    enum nb_status status = NB_OK;
    if (walker->node_count > 0 && walker->destination == representative)
        return NB_OK;
    NB_TRY(nb_walker_go(walker, representative, work->endpoint, work->n, 0,
                        work->class_count, err));
    NB_TRY(nb_upstream_take(&scratch->upstream, walker, err));
    NB_TRY(pair_make_room(scratch, err));
done:
    return status;
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
    const uint32_t representative = work->orbits.representative[router];
    const enum nb_status status = pair_walk(work, representative, scratch, err);
    if (router != representative) {
        at.map = work->orbits.map + router * work->orbits.n;
        for (uint32_t r = 0; r < work->orbits.n; r++)
            scratch->inverse[at.map[r]] = r;
    }
    for (; at.matrix < work->count && status == NB_OK; at.matrix += matrices) {
        const struct nb_pair_loads *loads = &work->loads[at.matrix];
        const uint32_t channel =
            at.map == NULL
                ? loads->channel
                : nb_channel_image(topology, scratch->inverse, loads->channel);
        nb_upstream_find(&scratch->upstream, &scratch->walker, channel);
        if (loads->is_exact)
            pair_fill_exact(&at, channel);
        else
            pair_fill_value(&at, channel);
    }
    return status;
}
