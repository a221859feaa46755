#include "load/load_demand.h"

#include "core/memory.h"
#include "routing/intermediates.h"
#include "routing/quadrant.h"

#include <assert.h>
#include <float.h>

/* Rates are kept as long doubles, which hold whole numbers below 2^64. */
static_assert(LDBL_MANT_DIG >= 64, "long double is too short");

enum { DEMAND_BLOCK = 4 }; /* long doubles in a cache line */

struct nb_load_demand_scratch {
    long double *line; /* [n] by place */
    uint32_t *places;  /* [n] */
    uint64_t *column;  /* [n] of the traffic */
    struct nb_start *starts;
    struct nb_demand *demands; /* [n] of one source */
};

/* What the tasks of one class share. */
struct demand_work {
    struct nb_load_demand *demand;
    const struct nb_traffic *traffic;
    bool is_exact;
    bool is_column; /* phases that end at a router, else that begin there */
};

/* rate(i, j) w / (W size), times scale if that is exact. */
static long double demand_share(const struct nb_load_demand *demand,
                                uint64_t rate, uint64_t weight, uint64_t size,
                                bool is_exact)
{
    const uint64_t total = demand->routing->start_total;
    if (!is_exact)
        return (long double)rate * (long double)weight /
               ((long double)total * (long double)size);
    return (long double)rate *
           (long double)(weight * ((uint64_t)demand->scale / total / size));
}

/* Intermediate routers from the pair's own set: rows of the destinations that
 * stand for others. */

/* What an intermediate router from the pair's own set needs: scale and rows. */
static enum nb_status demand_set_init(const struct nb_load_symmetry *symmetry,
                                      struct nb_load_demand *demand,
                                      struct nb_error *err)
{
    const size_t n = demand->routing->topology->router_count;
    const double rows = (double)symmetry->destination_count;
    const char *what = "rates by intermediate router";
    enum nb_status status = NB_OK;
    demand->scale = demand->routing->intermediate_scale *
                    (int64_t)demand->routing->start_total;
    demand->additions += 2 * (double)n;
    demand->row_count = symmetry->destination_count;
    NB_TRY(
        nb_memory_require(rows * (double)n * sizeof(long double), what, err));
    NB_TRY(nb_new(&demand->row, n, sizeof *demand->row, what, err));
    NB_TRY(nb_new(&demand->source_start, n + 1, sizeof *demand->source_start,
                  what, err));
    for (size_t r = 0; r < n; r++)
        demand->row[r] = NB_NONE;
    for (uint32_t d = 0; d < symmetry->destination_count; d++)
        demand->row[symmetry->destination[d]] = d;
done:
    return status;
}

/* The demands by source, by counting; they come by target. */
static enum nb_status set_sort(struct nb_load_demand *demand,
                               const struct nb_traffic *traffic,
                               struct nb_error *err)
{
    const size_t n = demand->routing->topology->router_count;
    size_t *start = demand->source_start;
    enum nb_status status = NB_OK;
    nb_delete(demand->by_source);
    NB_TRY(nb_new(&demand->by_source, traffic->demand_count,
                  sizeof *demand->by_source, "rates by intermediate router",
                  err));
    for (size_t r = 0; r <= n; r++)
        start[r] = 0;
    for (size_t d = 0; d < traffic->demand_count; d++)
        start[traffic->demands[d].source + 1]++;
    for (size_t r = 0; r < n; r++)
        start[r + 1] += start[r];
    for (size_t d = 0; d < traffic->demand_count; d++)
        demand->by_source[start[traffic->demands[d].source]++] =
            traffic->demands[d];
    for (size_t r = n; r > 0; r--)
        start[r] = start[r - 1];
    start[0] = 0;
done:
    return status;
}

/* What one pair sends to each of its intermediate routers. */
static long double set_share(const struct demand_work *work,
                             const struct nb_intermediates *set, uint64_t rate)
{
    const struct nb_routing *routing = work->demand->routing;
    return demand_share(work->demand, rate,
                        routing->start_total - routing->direct, set->count,
                        work->is_exact);
}

/* Adds what goes on from their intermediate routers to the destination of a
 * row, and what goes straight to it. */
static enum nb_status set_add_into(const struct demand_work *work,
                                   struct nb_load_demand_scratch *scratch,
                                   uint32_t destination, struct nb_error *err)
{
    const struct nb_load_demand *demand = work->demand;
    const struct nb_routing *routing = demand->routing;
    const size_t n = routing->topology->router_count;
    long double *rate = demand->rate + demand->row[destination] * n;
    const enum nb_status status = nb_traffic_column(
        work->traffic, routing->topology, destination, scratch->column, err);
    for (uint32_t i = 0; i < n && status == NB_OK; i++) {
        struct nb_intermediates set;
        if (scratch->column[i] == 0)
            continue;
        routing->find_intermediates(routing, i, destination, &set);
        const long double share = set_share(work, &set, scratch->column[i]);
        for (uint64_t q = 0; q < set.count; q++)
            rate[nb_intermediates_router(&set, q)] += share;
        if (routing->direct > 0)
            rate[i] += demand_share(demand, scratch->column[i], routing->direct,
                                    1, work->is_exact);
    }
    return status;
}

/* All that one source sends, by target; returns the number of targets, 0 if a
 * rate does not fit in 63 bits. */
static size_t set_list_targets(const struct demand_work *work,
                               struct nb_load_demand_scratch *scratch,
                               uint32_t source,
                               const struct nb_demand **targets)
{
    const struct nb_load_demand *demand = work->demand;
    const struct nb_topology *topology = demand->routing->topology;
    const size_t first = demand->source_start[source];
    const size_t end = demand->source_start[source + 1];
    size_t at = first, count = 0;
    *targets = demand->by_source + first;
    if (work->traffic->background == 0)
        return end - first;
    *targets = scratch->demands;
    for (uint32_t j = 0; j < topology->router_count; j++) {
        nb_uint128 weight = (nb_uint128)((uint64_t)topology->terminals[source] *
                                         topology->terminals[j]) *
                            work->traffic->background;
        if (at < end && demand->by_source[at].target == j)
            weight += demand->by_source[at++].weight;
        if (weight > INT64_MAX)
            return 0;
        if (weight > 0)
            scratch->demands[count++] =
                (struct nb_demand){ source, j, (uint64_t)weight };
    }
    return count;
}

/* Adds what goes from a source to its intermediate routers, those of
 * destinations alike together. */
static void set_add_from(const struct demand_work *work,
                         struct nb_load_demand_scratch *scratch,
                         uint32_t source)
{
    const struct nb_load_demand *demand = work->demand;
    const struct nb_routing *routing = demand->routing;
    const size_t n = routing->topology->router_count;
    const struct nb_demand *targets;
    const size_t count = set_list_targets(work, scratch, source, &targets);
    for (size_t first = 0, end; first < count; first = end) {
        struct nb_intermediates set, other;
        routing->find_intermediates(routing, source, targets[first].target,
                                    &set);
        long double share = set_share(work, &set, targets[first].weight);
        for (end = first + 1; end < count; end++) {
            routing->find_intermediates(routing, source, targets[end].target,
                                        &other);
            if (!nb_intermediates_same(&set, &other))
                break;
            share += set_share(work, &other, targets[end].weight);
        }
        for (uint64_t q = 0; q < set.count; q++) {
            const uint32_t row = demand->row[nb_intermediates_router(&set, q)];
            if (row != NB_NONE)
                demand->rate[row * n + source] += share;
        }
    }
}

/* Destinations of rows, one after another; then sources that share cache lines
 * of the rates. */
static enum nb_status set_task(void *context, int thread, size_t index,
                               struct nb_error *err)
{
    const struct demand_work *work = context;
    const struct nb_load_demand *demand = work->demand;
    const size_t n = demand->routing->topology->router_count;
    struct nb_load_demand_scratch *scratch = &demand->scratch[thread];
    const size_t first = index * DEMAND_BLOCK;
    if (work->is_column)
        return demand->row[index] != NB_NONE
                   ? set_add_into(work, scratch, (uint32_t)index, err)
                   : NB_OK;
    for (size_t r = first; r < first + DEMAND_BLOCK && r < n; r++)
        set_add_from(work, scratch, (uint32_t)r);
    return NB_OK;
}

/* Adds the rates of both phases to rows of zeros. */
static enum nb_status demand_set_fill(struct demand_work *work,
                                      const struct nb_run *run,
                                      struct nb_error *err)
{
    const char *what = "rates by intermediate router";
    const size_t n = work->demand->routing->topology->router_count;
    const size_t blocks = (n + DEMAND_BLOCK - 1) / DEMAND_BLOCK;
    enum nb_status status = NB_OK;
    NB_TRY(set_sort(work->demand, work->traffic, err));
    /* Columns first: they tell of rates that leave 63 bits. */
    work->is_column = true;
    NB_TRY(nb_run_tasks(run, what, n, set_task, work, err));
    work->is_column = false;
    NB_TRY(nb_run_tasks(run, what, blocks, set_task, work, err));
done:
    return status;
}

/* Intermediate routers in a quadrant. Relative to a source or destination and
 * turned so that all directions are plus, quadrants are boxes between the
 * origin and a corner: what a place carries is the sum over all corners at or
 * beyond it. */

/* The greatest scale: rates and their sums have the rest of 61 bits. */
static const int64_t demand_scale_limit = (int64_t)1 << 55;

/* The scale that makes every share whole, by dimension; 0: too great. */
static void demand_find_scale(struct nb_load_demand *demand)
{
    const struct nb_routing *routing = demand->routing;
    const struct nb_grid *grid = &routing->topology->grid;
    demand->scale = (int64_t)routing->start_total;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const int64_t sides = nb_quadrant_sides(routing, d, demand_scale_limit);
        if (sides == 0 || demand->scale > demand_scale_limit / sides)
            demand->scale = 0;
        else
            demand->scale *= sides;
    }
}

enum nb_status nb_load_demand_init(const struct nb_routing *routing,
                                   const struct nb_load_symmetry *symmetry,
                                   const struct nb_run *run,
                                   struct nb_load_demand *demand,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    const char *what = "rates by intermediate router";
    enum nb_status status = NB_OK;
    *demand = (struct nb_load_demand){
        .routing = routing,
        .keeps_class = routing->directions == routing->phase,
        .additions = 6,
    };
    if (routing->intermediate == NB_IN_SET) {
        NB_TRY(demand_set_init(symmetry, demand, err));
    } else {
        demand_find_scale(demand);
        for (size_t d = 0; d < topology->grid.dimensions; d++)
            demand->additions += topology->grid.radix[d];
        demand->row_count = n;
        NB_TRY(nb_memory_require((2.0 * (double)n + 2) * (double)n *
                                     sizeof(long double),
                                 what, err));
        NB_TRY(nb_new(&demand->pair, n * n, sizeof(long double), what, err));
    }
    NB_TRY(nb_new(&demand->rate, demand->row_count * n, sizeof(long double),
                  what, err));
    demand->threads = nb_run_threads(run, n);
    NB_TRY(nb_new(&demand->scratch, (size_t)demand->threads,
                  sizeof *demand->scratch, what, err));
    for (int t = 0; t < demand->threads; t++) {
        struct nb_load_demand_scratch *scratch = &demand->scratch[t];
        NB_TRY(nb_new(&scratch->line, n, sizeof(long double), what, err));
        NB_TRY(nb_new(&scratch->places, n, sizeof(uint32_t), what, err));
        NB_TRY(nb_new(&scratch->column, n, sizeof(uint64_t), what, err));
        NB_TRY(
            nb_new(&scratch->demands, n, sizeof *scratch->demands, what, err));
        NB_TRY(nb_new(&scratch->starts, routing->most_starts,
                      sizeof *scratch->starts, what, err));
    }
done:
    return status;
}

void nb_load_demand_release(struct nb_load_demand *demand)
{
    for (int t = 0; t < demand->threads && demand->scratch != NULL; t++) {
        nb_delete(demand->scratch[t].line);
        nb_delete(demand->scratch[t].places);
        nb_delete(demand->scratch[t].column);
        nb_delete(demand->scratch[t].demands);
        nb_delete(demand->scratch[t].starts);
    }
    nb_delete(demand->scratch);
    nb_delete(demand->rate);
    nb_delete(demand->pair);
    nb_delete(demand->row);
    nb_delete(demand->source_start);
    nb_delete(demand->by_source);
    *demand = (struct nb_load_demand){ 0 };
}

/* The rates of the pairs that start in the class, over all intermediate
 * routers: those into one destination. */
static enum nb_status demand_pair_task(void *context, int thread, size_t index,
                                       struct nb_error *err)
{
    const struct demand_work *work = context;
    const struct nb_load_demand *demand = work->demand;
    const struct nb_load_demand_scratch *scratch = &demand->scratch[thread];
    const size_t n = demand->routing->topology->router_count;
    const uint32_t j = (uint32_t)index;
    const enum nb_status status = nb_traffic_column(
        work->traffic, demand->routing->topology, j, scratch->column, err);
    for (uint32_t i = 0; i < n && status == NB_OK; i++) {
        long double *pair = &demand->pair[j * n + i];
        *pair = 0;
        if (scratch->column[i] == 0)
            continue;
        const size_t count =
            nb_route_starts(demand->routing->directions, i, j, scratch->starts);
        for (size_t s = 0; s < count; s++) {
            struct nb_quadrant quadrant;
            if (scratch->starts[s].state != demand->class)
                continue;
            nb_quadrant_find(&demand->routing->topology->grid, demand->class, i,
                             j, &quadrant);
            *pair = demand_share(demand, scratch->column[i],
                                 scratch->starts[s].weight, quadrant.size,
                                 work->is_exact);
        }
    }
    return status;
}

/* Whether this mesh is the one that the pair's own quadrant has: a place on
 * an axis is seen with several. */
static bool demand_is_seen(const struct demand_work *work, size_t mesh,
                           uint32_t router, uint32_t other)
{
    struct nb_quadrant quadrant;
    size_t own;
    nb_quadrant_find(&work->demand->routing->topology->grid,
                     work->demand->class, work->is_column ? other : router,
                     work->is_column ? router : other, &quadrant);
    nb_quadrant_place(&quadrant, work->is_column, &own);
    return own == mesh;
}

/* One router's pairs by place, then summed up over all corners at or beyond
 * each place. */
static void demand_sum(const struct demand_work *work,
                       const struct nb_load_demand_scratch *scratch,
                       size_t mesh, size_t mesh_count, uint32_t router)
{
    const struct nb_load_demand *demand = work->demand;
    const struct nb_grid *grid = &demand->routing->topology->grid;
    const size_t n = demand->routing->topology->router_count;
    long double *line = scratch->line;
    for (size_t p = 0; p < n; p++) {
        const uint32_t other = scratch->places[p];
        line[p] = 0;
        if (other != NB_NONE &&
            (mesh_count == 1 || demand_is_seen(work, mesh, router, other)))
            line[p] = demand->pair[work->is_column ? router * n + other
                                                   : other * n + router];
    }
    size_t stride = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const size_t block = stride * grid->radix[d];
        for (size_t first = 0; first < n; first += block)
            for (size_t p = first + block - stride; p-- > first;)
                line[p] += line[p + stride];
        stride = block;
    }
}

/* Adds what one router's pairs put on their intermediate routers. */
static void demand_add_line(const struct demand_work *work,
                            const struct nb_load_demand_scratch *scratch,
                            uint32_t router)
{
    const struct nb_load_demand *demand = work->demand;
    const struct nb_grid *grid = &demand->routing->topology->grid;
    const size_t n = demand->routing->topology->router_count;
    const size_t meshes = nb_quadrant_mesh_count(grid);
    for (size_t mesh = 0; mesh < meshes; mesh++) {
        nb_quadrant_places(grid, demand->class, mesh, router, work->is_column,
                           scratch->places);
        demand_sum(work, scratch, mesh, meshes, router);
        for (size_t p = 0; p < n; p++) {
            const uint32_t q = scratch->places[p];
            if (q != NB_NONE)
                demand
                    ->rate[work->is_column ? router * n + q : q * n + router] +=
                    scratch->line[p];
        }
    }
}

/* Routers that share cache lines of the rates, one after another. */
static enum nb_status demand_line_task(void *context, int thread, size_t index,
                                       struct nb_error *err)
{
    (void)err;
    const struct demand_work *work = context;
    const struct nb_load_demand *demand = work->demand;
    const size_t n = demand->routing->topology->router_count;
    const size_t first = index * DEMAND_BLOCK;
    for (size_t r = first; r < first + DEMAND_BLOCK && r < n; r++)
        demand_add_line(work, &demand->scratch[thread], (uint32_t)r);
    return NB_OK;
}

enum nb_status nb_load_demand_fill(struct nb_load_demand *demand, size_t class,
                                   const struct nb_traffic *traffic,
                                   bool is_exact, const struct nb_run *run,
                                   struct nb_error *err)
{
    const char *what = "rates by intermediate router";
    const size_t n = demand->routing->topology->router_count;
    const size_t blocks = (n + DEMAND_BLOCK - 1) / DEMAND_BLOCK;
    const size_t cells = demand->row_count * n;
    struct demand_work work = { demand, traffic, is_exact, false };
    enum nb_status status = NB_OK;
    demand->class = class;
    for (size_t cell = 0; cell < cells; cell++)
        demand->rate[cell] = 0;
    if (demand->routing->intermediate == NB_IN_SET) {
        NB_TRY(demand_set_fill(&work, run, err));
    } else {
        NB_TRY(nb_run_tasks(run, what, n, demand_pair_task, &work, err));
        NB_TRY(nb_run_tasks(run, what, blocks, demand_line_task, &work, err));
        work.is_column = true;
        NB_TRY(nb_run_tasks(run, what, blocks, demand_line_task, &work, err));
    }
    /* Whole numbers are exact as long as the greatest sum is below 2^61. */
    for (size_t cell = 0; is_exact && cell < cells; cell++)
        if (demand->rate[cell] >= 0x1p61L)
            demand->scale = 0;
done:
    return status;
}

const long double *nb_load_demand_row(const struct nb_load_demand *demand,
                                      uint32_t destination)
{
    const size_t row =
        demand->row != NULL ? demand->row[destination] : destination;
    return demand->rate + row * demand->routing->topology->router_count;
}
