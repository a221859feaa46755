#include "load/channel_loads.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "load/load_symmetry.h"
#include "load/pair_loads.h"
#include "load/propagate.h"
#include "routing/intermediates.h"
#include "routing/quadrant.h"
#include "routing/two_phase.h"
#include "topology/fabric.h"
#include "traffic/traffic.h"

#include <math.h>

/* Traffic of the phases of a two-phase scheme whose intermediate routers depend
 * on the pair. */

/* A rate: a whole number if rates are exact, which saturates at DEMAND_MOST;
 * else a double. Zeroed is 0 either way. */
union demand_rate {
    uint64_t whole;
    double value;
};
#define DEMAND_MOST ((uint64_t)1 << 61)

enum { DEMAND_BLOCK = 8 }; /* rates in a cache line */

struct demand_scratch {
    union demand_rate *line; /* [n] by place */
    uint32_t *places;        /* [n] */
    uint64_t *column;        /* [n] of the traffic */
    struct nb_start *starts;
    struct nb_demand *demands; /* [n] of one source */
};

/*
 * Traffic of the phases for packets that keep one direction class: from source
 * i to intermediate router q and from intermediate router q to destination j,
 *
 *     rate(i, q) = sum_j rate(i, j) w(i, j) / (W size(i, j)) [q in quadrant]
 *     rate(q, j) = sum_i rate(i, j) w(i, j) / (W size(i, j)) [q in quadrant]
 */
struct load_demand {
    struct nb_pool pool;
    const struct nb_routing *routing; /* of two phases */
    bool keeps_class; /* packets start in the class's state, else as usual */
    size_t class;
    int64_t scale;           /* exact: numerators are rates * scale; 0: not
                              * exact */
    union demand_rate *rate; /* [row * n + source]: see demand_row */
    uint32_t *row;           /* [target] row of rate. With sets only
                              * representative destinations have one, else
                              * NB_NONE. */
    size_t row_count;
    double additions;        /* number of roundings in the rates */
    union demand_rate *pair; /* [target * n + source] rate of pairs with such a
                              * start; NULL with sets */
    /* With sets: the traffic's demands by source, then target. */
    size_t *source_start; /* [n + 1] */
    struct nb_demand *by_source;
    struct demand_scratch *scratch; /* [thread] */
};

/* Shared by the tasks of one class. */
struct demand_work {
    struct load_demand *demand;
    const struct nb_traffic *traffic;
    bool is_exact;
    bool is_column; /* phases that end at a router; else those that begin
                     * there */
};

/* The rates into a destination, [n] by source. */
static const union demand_rate *demand_row(const struct load_demand *demand,
                                           uint32_t destination)
{
    return demand->rate +
           demand->row[destination] * demand->routing->topology->router_count;
}

/* rate(i, j) w / (W size), times scale if exact. */
static union demand_rate demand_share(const struct load_demand *demand,
                                      uint64_t rate, uint64_t weight,
                                      uint64_t size, bool is_exact)
{
    const uint64_t total = demand->routing->start_total;
    if (!is_exact)
        return (union demand_rate){ .value = (double)rate * (double)weight /
                                             ((double)total * (double)size) };
    const nb_uint128 whole =
        (nb_uint128)rate * (weight * ((uint64_t)demand->scale / total / size));
    return (union demand_rate){ .whole = whole < DEMAND_MOST ? (uint64_t)whole
                                                             : DEMAND_MOST };
}

static inline void demand_add(union demand_rate *to, union demand_rate more,
                              bool is_exact)
{
    if (!is_exact) {
        to->value += more.value;
        return;
    }
    const uint64_t sum = to->whole + more.whole;
    to->whole = sum < DEMAND_MOST ? sum : DEMAND_MOST;
}

/* Intermediate routers from the pair's own set: rows only for representative
 * destinations. */

/* Sets scale and rows for intermediate routers from the pair's own set. */
static enum nb_status demand_set_init(const struct nb_load_symmetry *symmetry,
                                      size_t demand_count,
                                      struct load_demand *demand,
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
    NB_TRY(nb_memory_require(rows * (double)n * sizeof(union demand_rate), what,
                             err));
    demand->source_start =
        nb_pool_array(&demand->pool, n + 1, sizeof *demand->source_start);
    demand->by_source =
        nb_pool_array(&demand->pool, demand_count, sizeof *demand->by_source);
    NB_TRY(nb_pool_check(&demand->pool, what, err));
    for (size_t r = 0; r < n; r++)
        demand->row[r] = NB_NONE;
    for (uint32_t d = 0; d < symmetry->destination_count; d++)
        demand->row[symmetry->destination[d]] = d;
done:
    return status;
}

/* Sorts the demands, which are given by target, by source (a counting sort). */
static void set_sort(struct load_demand *demand,
                     const struct nb_traffic *traffic)
{
    const size_t n = demand->routing->topology->router_count;
    size_t *start = demand->source_start;
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
}

/* The rate of one pair to each of its intermediate routers. */
static union demand_rate set_share(const struct demand_work *work,
                                   const struct nb_intermediates *set,
                                   uint64_t rate)
{
    const struct nb_routing *routing = work->demand->routing;
    return demand_share(work->demand, rate,
                        routing->start_total - routing->direct, set->count,
                        work->is_exact);
}

/* Adds the rates from intermediate routers to the destination of a row, and
 * those of packets that go there straight. */
static enum nb_status set_add_into(const struct demand_work *work,
                                   struct demand_scratch *scratch,
                                   uint32_t destination, struct nb_error *err)
{
    const struct load_demand *demand = work->demand;
    const struct nb_routing *routing = demand->routing;
    const size_t n = routing->topology->router_count;
    union demand_rate *rate = demand->rate + demand->row[destination] * n;
    const enum nb_status status = nb_traffic_column(
        work->traffic, routing->topology, destination, scratch->column, err);
    for (uint32_t i = 0; i < n && status == NB_OK; i++) {
        struct nb_intermediates set;
        if (scratch->column[i] == 0)
            continue;
        nb_intermediates_find(routing, i, destination, &set);
        const union demand_rate share =
            set_share(work, &set, scratch->column[i]);
        for (uint64_t q = 0; q < set.count; q++)
            demand_add(&rate[nb_intermediates_router(&set, q)], share,
                       work->is_exact);
        if (routing->direct > 0)
            demand_add(&rate[i],
                       demand_share(demand, scratch->column[i], routing->direct,
                                    1, work->is_exact),
                       work->is_exact);
    }
    return status;
}

/* Lists all that one source sends, by target; returns the number of targets, 0
 * if a rate does not fit in 63 bits. */
static size_t set_list_targets(const struct demand_work *work,
                               struct demand_scratch *scratch, uint32_t source,
                               const struct nb_demand **targets)
{
    const struct load_demand *demand = work->demand;
    const struct nb_topology *topology = demand->routing->topology;
    const size_t first = demand->source_start[source];
    const size_t end = demand->source_start[source + 1];
    size_t at = first, count = 0;
    *targets = demand->by_source + first;
    if (work->traffic->background == 0)
        return end - first;
    *targets = scratch->demands;
    for (uint32_t j = 0; j < topology->router_count; j++) {
        nb_uint128 weight = (nb_uint128)work->traffic->background *
                            nb_traffic_even(work->traffic, topology, source, j);
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

/* Adds the rates from a source to its intermediate routers; destinations with
 * the same set are added up first. */
static void set_add_from(const struct demand_work *work,
                         struct demand_scratch *scratch, uint32_t source)
{
    const struct load_demand *demand = work->demand;
    const struct nb_routing *routing = demand->routing;
    const size_t n = routing->topology->router_count;
    const struct nb_demand *targets;
    const size_t count = set_list_targets(work, scratch, source, &targets);
    for (size_t first = 0, end; first < count; first = end) {
        struct nb_intermediates set, other;
        nb_intermediates_find(routing, source, targets[first].target, &set);
        union demand_rate share = set_share(work, &set, targets[first].weight);
        for (end = first + 1; end < count; end++) {
            nb_intermediates_find(routing, source, targets[end].target, &other);
            if (!nb_intermediates_same(&set, &other))
                break;
            demand_add(&share, set_share(work, &other, targets[end].weight),
                       work->is_exact);
        }
        for (uint64_t q = 0; q < set.count; q++) {
            const uint32_t row = demand->row[nb_intermediates_router(&set, q)];
            if (row != NB_NONE)
                demand_add(&demand->rate[row * n + source], share,
                           work->is_exact);
        }
    }
}

/* First the rows of destinations, one per task; then the sources that share
 * cache lines of the rates. */
static enum nb_status set_task(void *context, int thread, size_t index,
                               struct nb_error *err)
{
    const struct demand_work *work = context;
    const struct load_demand *demand = work->demand;
    const size_t n = demand->routing->topology->router_count;
    struct demand_scratch *scratch = &demand->scratch[thread];
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
    set_sort(work->demand, work->traffic);
    /* Columns first: they report rates that do not fit in 63 bits. */
    work->is_column = true;
    NB_TRY(nb_run_tasks(run, what, n, set_task, work, err));
    work->is_column = false;
    NB_TRY(nb_run_tasks(run, what, blocks, set_task, work, err));
done:
    return status;
}

/* Intermediate routers in a quadrant. Relative to a source or destination, with
 * all directions turned to plus, quadrants are boxes between the origin and a
 * corner: the rate at a place is the sum over all corners at or beyond it. */

/* The greatest scale: it leaves the rest of 61 bits to rates and their sums. */
static const int64_t demand_scale_limit = (int64_t)1 << 55;

/* Finds the scale that makes every share whole, by dimension; 0: too great. */
static void demand_find_scale(struct load_demand *demand)
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

/* Sets scale and pairs for intermediate routers in a quadrant. */
static enum nb_status demand_quadrant_init(struct load_demand *demand,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = demand->routing->topology;
    const size_t n = topology->router_count;
    const char *what = "rates by intermediate router";
    enum nb_status status = NB_OK;
    demand_find_scale(demand);
    for (size_t d = 0; d < topology->grid.dimensions; d++)
        demand->additions += topology->grid.radix[d];
    demand->row_count = n;
    NB_TRY(nb_memory_require((2.0 * (double)n + 2) * (double)n *
                                 sizeof(union demand_rate),
                             what, err));
    demand->pair =
        nb_pool_array(&demand->pool, n * n, sizeof(union demand_rate));
    NB_TRY(nb_pool_check(&demand->pool, what, err));
done:
    return status;
}

/* Allocates one class's rates. Sets scale, 0 if exact rates are impossible.
 * Errors: NB_NO_MEMORY. */
static enum nb_status demand_init(const struct nb_routing *routing,
                                  const struct nb_load_symmetry *symmetry,
                                  size_t demand_count, const struct nb_run *run,
                                  struct load_demand *demand,
                                  struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const char *what = "rates by intermediate router";
    const int threads = nb_run_threads(run, n);
    struct nb_pool *pool = &demand->pool;
    enum nb_status status = NB_OK;
    *demand = (struct load_demand){
        .routing = routing,
        .keeps_class = routing->directions == routing->phase,
        .additions = 8, /* those of demand_share */
    };
    demand->row = nb_pool_array(pool, n, sizeof *demand->row);
    NB_TRY(nb_pool_check(pool, what, err));
    for (uint32_t r = 0; r < n; r++)
        demand->row[r] = r;
    NB_TRY(routing->intermediate == NB_IN_SET
               ? demand_set_init(symmetry, demand_count, demand, err)
               : demand_quadrant_init(demand, err));
    demand->rate =
        nb_pool_array(pool, demand->row_count * n, sizeof(union demand_rate));
    demand->scratch =
        nb_pool_array(pool, (size_t)threads, sizeof *demand->scratch);
    NB_TRY(nb_pool_check(pool, what, err));
    for (int t = 0; t < threads; t++)
        demand->scratch[t] = (struct demand_scratch){
            .line = nb_pool_array(pool, n, sizeof(union demand_rate)),
            .places = nb_pool_array(pool, n, sizeof(uint32_t)),
            .column = nb_pool_array(pool, n, sizeof(uint64_t)),
            .demands = nb_pool_array(pool, n, sizeof(struct nb_demand)),
            .starts = nb_pool_array(pool, routing->most_starts,
                                    sizeof(struct nb_start)),
        };
    NB_TRY(nb_pool_check(pool, what, err));
done:
    return status;
}

/* The rates of the pairs that start in the class, over all intermediate
 * routers: those into one destination. */
static enum nb_status demand_pair_task(void *context, int thread, size_t index,
                                       struct nb_error *err)
{
    const struct demand_work *work = context;
    const struct load_demand *demand = work->demand;
    const struct demand_scratch *scratch = &demand->scratch[thread];
    const size_t n = demand->routing->topology->router_count;
    const uint32_t j = (uint32_t)index;
    const enum nb_status status = nb_traffic_column(
        work->traffic, demand->routing->topology, j, scratch->column, err);
    for (uint32_t i = 0; i < n && status == NB_OK; i++) {
        union demand_rate *pair = &demand->pair[j * n + i];
        *pair = (union demand_rate){ 0 };
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

/* Whether this mesh is that of the pair's own quadrant: a place on an axis
 * belongs to several meshes. */
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

/* One router's pairs by place, then summed over all corners at or beyond each
 * place. */
static void demand_sum(const struct demand_work *work,
                       const struct demand_scratch *scratch, size_t mesh,
                       size_t mesh_count, uint32_t router)
{
    const struct load_demand *demand = work->demand;
    const struct nb_grid *grid = &demand->routing->topology->grid;
    const size_t n = demand->routing->topology->router_count;
    union demand_rate *line = scratch->line;
    for (size_t p = 0; p < n; p++) {
        const uint32_t other = scratch->places[p];
        line[p] = (union demand_rate){ 0 };
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
                demand_add(&line[p], line[p + stride], work->is_exact);
        stride = block;
    }
}

/* Adds the rates of one router's pairs to their intermediate routers. */
static void demand_add_line(const struct demand_work *work,
                            const struct demand_scratch *scratch,
                            uint32_t router)
{
    const struct load_demand *demand = work->demand;
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
                demand_add(&demand->rate[work->is_column ? router * n + q
                                                         : q * n + router],
                           scratch->line[p], work->is_exact);
        }
    }
}

/* The routers that share cache lines of the rates. */
static enum nb_status demand_line_task(void *context, int thread, size_t index,
                                       struct nb_error *err)
{
    (void)err;
    const struct demand_work *work = context;
    const struct load_demand *demand = work->demand;
    const size_t n = demand->routing->topology->router_count;
    const size_t first = index * DEMAND_BLOCK;
    for (size_t r = first; r < first + DEMAND_BLOCK && r < n; r++)
        demand_add_line(work, &demand->scratch[thread], (uint32_t)r);
    return NB_OK;
}

/* Fills in one class's rates, exactly or in doubles; if an exact rate exceeds
 * 61 bits, scale is set to 0. Errors: those of nb_traffic_column. */
static enum nb_status demand_fill(struct load_demand *demand, size_t class,
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
        demand->rate[cell] = (union demand_rate){ 0 };
    if (demand->routing->intermediate == NB_IN_SET) {
        NB_TRY(demand_set_fill(&work, run, err));
    } else {
        NB_TRY(nb_run_tasks(run, what, n, demand_pair_task, &work, err));
        NB_TRY(nb_run_tasks(run, what, blocks, demand_line_task, &work, err));
        work.is_column = true;
        NB_TRY(nb_run_tasks(run, what, blocks, demand_line_task, &work, err));
    }
    for (size_t cell = 0; is_exact && cell < cells; cell++)
        if (demand->rate[cell].whole >= DEMAND_MOST)
            demand->scale = 0;
done:
    return status;
}

/* The loads. */

/* Destinations are divided among this many blocks, whatever the number of
 * threads, and blocks are added up in order: the result is always the same. */
enum { LOAD_BLOCKS = 64 };

/* Loads of the destinations of one block: numerators over
 * denominator * rate_denominator. */
struct load_block {
    int64_t *load;
    int64_t denominator; /* 0: no longer exact */
    int64_t factor;      /* from this to the common denominator of all blocks */
    double *value;       /* NULL while exact */
    double relative_error;
};

struct load_scratch {
    struct nb_walker walker;
    uint64_t *rate;          /* [router] into the destination */
    uint32_t *source;        /* routers with a rate > 0 */
    size_t room, value_room; /* nodes */
    int64_t *flow;           /* [room] */
    double *flow_value;      /* [value_room] */
    size_t part_room;        /* hops */
    int64_t *part;           /* [part_room] contribution of each to a load */
};

struct load_work {
    struct nb_pool pool;
    const struct nb_routing *routing; /* of one phase */
    const struct nb_traffic *traffic;
    bool is_exact;
    nb_int128 rate_denominator; /* of the rates of a phase */
    nb_int128 rate_sum;         /* of all rates, over traffic->denominator */
    /* Intermediate router anywhere: rates that the routers send to intermediate
     * routers. */
    uint64_t *row_sum; /* [router]; NULL: none */
    /* Intermediate router in a quadrant: the rates of both phases together, for
     * one direction class at a time. */
    struct load_demand *demand; /* NULL: none */
    size_t endpoint_count;
    uint32_t *endpoint;
    struct nb_load_symmetry symmetry; /* representative destinations */
    struct load_block block[LOAD_BLOCKS];
    struct load_scratch *scratch;
};

/* Sums of the rates that each router sends, and their total. */
static enum nb_status load_find_sums(struct load_work *work,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const struct nb_traffic *traffic = work->traffic;
    nb_uint128 *sum = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&sum, topology->router_count, sizeof *sum, "traffic", err));
    for (size_t r = 0; r < topology->router_count; r++)
        sum[r] = (nb_uint128)traffic->background *
                 nb_traffic_even_row(traffic, topology, r);
    for (size_t d = 0; d < traffic->demand_count; d++)
        sum[traffic->demands[d].source] += traffic->demands[d].weight;
    for (size_t r = 0; r < topology->router_count; r++) {
        work->rate_sum += (nb_int128)sum[r];
        if (work->row_sum == NULL)
            continue;
        if (sum[r] > UINT64_MAX)
            NB_TRY(nb_fail(
                err, NB_OVERFLOW,
                "traffic from router %zu: its sum does not fit in 64 bits", r));
        work->row_sum[r] = (uint64_t)sum[r];
    }
done:
    nb_delete(sum);
    return status;
}

/* threads: number of scratch spaces. Errors: NB_NO_MEMORY, NB_OVERFLOW. */
static enum nb_status load_work_init(struct load_work *work,
                                     enum nb_intermediate intermediate,
                                     int threads, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t n = topology->router_count;
    const size_t channels = topology->channel_count;
    const char *what = "channel loads";
    struct nb_pool *pool = &work->pool;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(nb_walker_bytes(work->routing) * threads +
                                 16 * LOAD_BLOCKS *
                                     (double)topology->channel_count,
                             what, err));
    work->endpoint = nb_pool_array(pool, n, sizeof(uint32_t));
    if (intermediate == NB_ANYWHERE)
        work->row_sum = nb_pool_array(pool, n, sizeof(uint64_t));
    work->scratch = nb_pool_array(pool, (size_t)threads, sizeof *work->scratch);
    for (size_t b = 0; b < LOAD_BLOCKS; b++)
        work->block[b] = (struct load_block){
            .load = nb_pool_array(pool, channels, sizeof(int64_t)),
            .denominator = (int64_t)work->routing->start_total,
        };
    NB_TRY(nb_pool_check(pool, what, err));
    work->endpoint_count = nb_endpoints(topology, work->endpoint);
    for (int t = 0; t < threads; t++) {
        struct load_scratch *scratch = &work->scratch[t];
        scratch->rate = nb_pool_array(pool, n, sizeof(uint64_t));
        scratch->source = nb_pool_array(pool, n, sizeof(uint32_t));
        NB_TRY(nb_walker_init(work->routing, NULL, &scratch->walker, err));
    }
    NB_TRY(nb_pool_check(pool, what, err));
    NB_TRY(load_find_sums(work, err));
    work->rate_denominator = (nb_int128)work->traffic->denominator;
    if (intermediate == NB_ANYWHERE)
        work->rate_denominator *= (nb_int128)work->endpoint_count;
done:
    return status;
}

static void load_work_release(struct load_work *work, int threads)
{
    for (int t = 0; t < threads && work->scratch != NULL; t++) {
        struct load_scratch *scratch = &work->scratch[t];
        nb_walker_release(&scratch->walker);
        nb_delete(scratch->flow);
        nb_delete(scratch->flow_value);
        nb_delete(scratch->part);
    }
    nb_load_symmetry_release(&work->symmetry);
    nb_pool_release(&work->pool);
}

/*
 * The rates into a destination of one phase. With an intermediate router
 * anywhere, every router is an intermediate router of all sources, and packets
 * continue from an intermediate router to their destinations, each with
 * probability 1/n:
 *
 *     rate(i, d) = (sum_j rate(i, j) + sum_q rate(q, d)) / n
 */
static enum nb_status load_rates(const struct load_work *work,
                                 uint32_t destination,
                                 struct load_scratch *scratch, size_t *count,
                                 struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    enum nb_status status = nb_traffic_column(work->traffic, topology,
                                              destination, scratch->rate, err);
    uint64_t column = 0;
    bool fits = true;
    for (size_t i = 0; i < work->endpoint_count; i++)
        fits = fits && !__builtin_add_overflow(
                           column, scratch->rate[work->endpoint[i]], &column);
    *count = 0;
    for (size_t i = 0; i < work->endpoint_count && status == NB_OK; i++) {
        const uint32_t router = work->endpoint[i];
        uint64_t *rate = &scratch->rate[router];
        if (work->row_sum != NULL)
            fits = fits &&
                   !__builtin_add_overflow(work->row_sum[router], column, rate);
        if (*rate > 0)
            scratch->source[(*count)++] = router;
    }
    if (status == NB_OK && !fits)
        status =
            nb_fail(err, NB_OVERFLOW,
                    "traffic into router %u: its sum does not fit in 64 bits",
                    destination);
    return status;
}

/* The starts of a packet; only its direction class if it keeps one. Their
 * weights add up to start_total. */
static size_t load_starts(const struct load_work *work,
                          struct nb_walker *walker, uint32_t source)
{
    const struct nb_routing *routing = work->routing;
    if (work->demand == NULL || !work->demand->keeps_class)
        return nb_route_starts(routing, source, walker->destination,
                               walker->starts);
    walker->starts[0] = (struct nb_start){ .state = work->demand->class,
                                           .weight = routing->start_total };
    return 1;
}

/* Injects rate * scale at the nodes, divided among the starts. */
static bool load_inject(const struct load_work *work,
                        struct load_scratch *scratch, size_t count,
                        int64_t scale)
{
    const int64_t total = (int64_t)work->routing->start_total;
    struct nb_walker *walker = &scratch->walker;
    for (size_t i = 0; i < walker->node_count; i++)
        scratch->flow[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        int64_t flow;
        if (__builtin_mul_overflow(scratch->rate[source], scale, &flow) ||
            flow >> 61 != 0)
            return false;
        const size_t starts = load_starts(work, walker, source);
        for (size_t s = 0; s < starts; s++) {
            const struct nb_start *start = &walker->starts[s];
            int64_t *node =
                &scratch->flow[nb_walker_start(walker, start, source)];
            *node += (total > 1 ? flow / total : flow) * (int64_t)start->weight;
            if (*node >> 61 != 0)
                return false;
        }
    }
    return true;
}

/* Writes the loads of hops to one destination to scratch->part, over
 * *denominator (in: a guess). Returns false if they cannot be exact. */
static bool load_carry(const struct load_work *work,
                       struct load_scratch *scratch, size_t count,
                       int64_t *denominator)
{
    return load_inject(work, scratch, count, *denominator) &&
           nb_walk_carry(&scratch->walker, scratch->flow, scratch->part,
                         denominator);
}

/* Converts a block's loads to a new denominator, a multiple of the old one. */
static bool load_refine(struct load_block *block, size_t channels,
                        int64_t denominator)
{
    const int64_t factor = denominator / block->denominator;
    bool fits = true;
    for (size_t c = 0; c < channels && factor > 1; c++)
        fits &=
            !__builtin_mul_overflow(block->load[c], factor, &block->load[c]);
    block->denominator = denominator;
    return fits;
}

/* Adds the loads of one destination's hops, times the number of destinations in
 * its orbit, to a block with the same denominator. */
static bool load_add(struct load_block *block,
                     const struct load_scratch *scratch, uint32_t alike)
{
    const struct nb_walker *walker = &scratch->walker;
    bool fits = true;
    for (size_t h = 0; h < walker->hop_count; h++) {
        int64_t *load = &block->load[walker->hop[h].channel], part;
        fits &= !__builtin_mul_overflow(scratch->part[h], alike, &part) &&
                !__builtin_add_overflow(*load, part, load) && *load >> 61 == 0;
    }
    return fits;
}

static void load_add_values(const struct load_work *work,
                            struct load_block *block,
                            struct load_scratch *scratch, size_t count,
                            uint32_t alike)
{
    const struct nb_routing *routing = work->routing;
    const size_t n = routing->topology->router_count;
    const double total = (double)routing->start_total;
    struct nb_walker *walker = &scratch->walker;
    const union demand_rate *into =
        work->demand != NULL ? demand_row(work->demand, walker->destination)
                             : NULL;
    for (size_t i = 0; i < walker->node_count; i++)
        scratch->flow_value[i] = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t source = scratch->source[i];
        const double rate =
            into != NULL ? into[source].value : (double)scratch->rate[source];
        const size_t starts = load_starts(work, walker, source);
        for (size_t s = 0; s < starts; s++)
            scratch->flow_value[nb_walker_start(walker, &walker->starts[s],
                                                source)] +=
                rate * (double)walker->starts[s].weight / total * alike;
    }
    nb_walk_carry_value(walker, scratch->flow_value, block->value);
    /* Later additions: into the block per state of each destination, then of
     * the blocks and of the channels of an orbit, and a few for rates and the
     * common denominator. */
    double additions = (double)routing->state_count * (double)n + LOAD_BLOCKS +
                       (double)routing->topology->channel_count + 8;
    if (work->demand != NULL)
        additions += work->demand->additions;
    block->relative_error =
        fmax(block->relative_error, nb_walk_error(walker, additions));
}

/* The same from the rates of a direction class. */
static void load_demand_rates(const struct load_work *work,
                              uint32_t destination,
                              struct load_scratch *scratch, size_t *count)
{
    const union demand_rate *into = demand_row(work->demand, destination);
    *count = 0;
    for (uint32_t i = 0; i < work->routing->topology->router_count; i++) {
        if (work->is_exact)
            scratch->rate[i] = into[i].whole;
        if (work->is_exact ? into[i].whole > 0 : into[i].value > 0)
            scratch->source[(*count)++] = i;
    }
}

/* Finds the routes to one destination, and allocates the flows at their
 * nodes. */
static enum nb_status load_walk(const struct load_work *work,
                                uint32_t destination, size_t count,
                                struct load_scratch *scratch,
                                struct nb_error *err)
{
    struct nb_walker *walker = &scratch->walker;
    size_t first_class = 0, class_end = 0;
    enum nb_status status = NB_OK;
    if (work->demand != NULL && work->demand->keeps_class) {
        first_class = work->demand->class;
        class_end = first_class + 1;
    }
    NB_TRY(nb_walker_go(walker, destination, scratch->source, count,
                        first_class, class_end, err));
    NB_TRY(nb_reserve(&scratch->flow, &scratch->room, walker->node_room,
                      sizeof(int64_t), "flows", err));
    NB_TRY(nb_reserve(&scratch->flow_value, &scratch->value_room,
                      walker->node_room, sizeof(double), "flows", err));
    if (work->is_exact)
        NB_TRY(nb_reserve(&scratch->part, &scratch->part_room, walker->hop_room,
                          sizeof(int64_t), "flows", err));
done:
    return status;
}

/* Task of one block, for nb_run_tasks: adds up its destinations, exactly if
 * work->is_exact (denominator 0 if that is impossible), else in doubles. */
static enum nb_status load_task(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    struct load_work *work = context;
    struct load_scratch *scratch = &work->scratch[thread];
    struct load_block *block = &work->block[index];
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    const size_t channels = work->routing->topology->channel_count;
    for (size_t j = index; j < symmetry->destination_count; j += LOAD_BLOCKS) {
        const uint32_t destination = symmetry->destination[j];
        size_t count;
        enum nb_status status = NB_OK;
        if (work->demand != NULL)
            load_demand_rates(work, destination, scratch, &count);
        else
            status = load_rates(work, destination, scratch, &count, err);
        if (status == NB_OK)
            status = load_walk(work, destination, count, scratch, err);
        if (status != NB_OK)
            return status;
        if (!work->is_exact) {
            load_add_values(work, block, scratch, count, symmetry->alike[j]);
            continue;
        }
        if (block->denominator == 0)
            return NB_OK;
        int64_t denominator = block->denominator;
        if (!load_carry(work, scratch, count, &denominator) ||
            !load_refine(block, channels, denominator) ||
            !load_add(block, scratch, symmetry->alike[j])) {
            block->denominator = 0;
            return NB_OK;
        }
    }
    return NB_OK;
}

void nb_channel_loads_release(struct nb_channel_loads *loads)
{
    nb_delete(loads->load);
    *loads = (struct nb_channel_loads){ 0 };
}

/* The common denominator of the blocks, 0 if there is none below 2^61. */
static int64_t load_unite(struct load_work *work)
{
    nb_int128 united = 1;
    for (size_t b = 0; b < LOAD_BLOCKS; b++) {
        const int64_t own = work->block[b].denominator;
        if (own == 0)
            return 0;
        united =
            united / (int64_t)nb_gcd((uint64_t)united, (uint64_t)own) * own;
        if (united >> 61 != 0)
            return 0;
    }
    for (size_t b = 0; b < LOAD_BLOCKS; b++)
        work->block[b].factor = (int64_t)united / work->block[b].denominator;
    return (int64_t)united;
}

/* sum of loads / sum of rates:
 * (all / (united rate_denominator)) / (rate_sum / traffic->denominator). */
static void load_mean_exact(const struct load_work *work, nb_int128 all,
                            int64_t united, struct nb_channel_loads *out)
{
    const nb_int128 phases =
        work->rate_denominator / (nb_int128)work->traffic->denominator;
    const struct nb_ratio exact =
        work->rate_sum > 0
            ? nb_ratio_divide(nb_ratio_make(all, united * phases),
                              nb_ratio_make(work->rate_sum, 1))
            : nb_ratio_zero;
    const double mean = (double)all / ((double)united * (double)phases) /
                        (double)work->rate_sum;
    if (nb_ratio_is_known(exact))
        out->mean_hops = nb_enclosure_of_ratio(exact);
    else /* a few roundings */
        out->mean_hops = (struct nb_enclosure){ .lower = mean * (1 - 0x1p-50),
                                                .upper = mean * (1 + 0x1p-50) };
}

/* A channel's numerators of all blocks over united; negative if they exceed 92
 * bits, so that the sum over all channels fits. */
static nb_int128 load_sum_blocks(const struct load_work *work, size_t channel)
{
    nb_int128 sum = 0;
    for (size_t b = 0; b < LOAD_BLOCKS; b++) {
        sum += (nb_int128)work->block[b].load[channel] * work->block[b].factor;
        if (sum >> 92 != 0)
            return -1;
    }
    return sum;
}

/* The mean of an orbit's sum over its channels: sum / (size * united *
 * rate_denominator), unknown if it does not fit. */
static struct nb_ratio load_mean_of_orbit(const struct load_work *work,
                                          nb_int128 sum, uint32_t size,
                                          int64_t united)
{
    const uint64_t common = nb_gcd((uint64_t)(sum % size), size);
    nb_int128 denominator = (nb_int128)united * work->rate_denominator;
    if (__builtin_mul_overflow(denominator, (nb_int128)(size / common),
                               &denominator))
        return (struct nb_ratio){ 0, 0 };
    return nb_ratio_make(sum / (nb_int128)common, denominator);
}

/* Adds the blocks up exactly; false if a load does not fit a ratio. */
static bool load_sum_exact(struct load_work *work, nb_int128 *orbit_sum,
                           struct nb_channel_loads *out)
{
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    const int64_t united = load_unite(work);
    nb_int128 all = 0;
    if (united == 0 || work->rate_denominator >> 62 != 0)
        return false;
    for (size_t c = 0; c < out->channel_count; c++) {
        const nb_int128 sum = load_sum_blocks(work, c);
        if (sum < 0)
            return false;
        orbit_sum[symmetry->orbit[c]] += sum;
        all += sum;
    }
    for (size_t c = 0; c < out->channel_count; c++) {
        const uint32_t orbit = symmetry->orbit[c];
        if (orbit != c) {
            out->load[c] = out->load[orbit];
            continue;
        }
        const struct nb_ratio mean = load_mean_of_orbit(
            work, orbit_sum[c], symmetry->orbit_size[c], united);
        if (!nb_ratio_is_known(mean))
            return false;
        out->load[c] = nb_enclosure_of_ratio(mean);
    }
    load_mean_exact(work, all, united, out);
    return true;
}

static void load_sum_values(const struct load_work *work,
                            struct nb_channel_loads *out)
{
    const struct nb_load_symmetry *symmetry = &work->symmetry;
    double error = 0, all = 0;
    for (size_t b = 0; b < LOAD_BLOCKS; b++)
        error = fmax(error, work->block[b].relative_error);
    for (size_t c = 0; c < out->channel_count; c++) {
        double sum = 0;
        for (size_t b = 0; b < LOAD_BLOCKS; b++)
            sum += work->block[b].value[c];
        sum /= (double)work->rate_denominator;
        all += sum;
        /* For an orbit's least channel: the sum over the orbit. */
        out->load[c].lower = sum;
        if (symmetry->orbit[c] != c)
            out->load[symmetry->orbit[c]].lower += sum;
    }
    for (size_t c = out->channel_count; c-- > 0;) {
        const double mean =
            out->load[symmetry->orbit[c]].lower / symmetry->orbit_size[c];
        out->load[c] = (struct nb_enclosure){
            .lower = mean < NB_LEAST_RELATIVE ? 0 : mean * (1 - error),
            .upper = mean * (1 + error),
        };
    }
    /* The sum over channels and the division are rounded as well. */
    const double more = error + ((double)out->channel_count + 4) * 0x1p-53;
    const double rates =
        (double)work->rate_sum / (double)work->traffic->denominator;
    const double mean = rates > 0 ? all / rates : 0;
    out->mean_hops = (struct nb_enclosure){ .lower = mean * (1 - 2 * more),
                                            .upper = mean * (1 + 2 * more) };
}

/* Worst channel and throughput; exact if every quotient is. */
static void load_conclude_exact(const struct nb_topology *topology,
                                struct nb_channel_loads *out)
{
    struct nb_ratio most = { -1, 1 };
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const struct nb_ratio share = nb_ratio_divide(
            out->load[c].exact, topology->channels[c].bandwidth);
        if (!nb_channel_is_terminal(topology, c) &&
            nb_ratio_compare(share, most) > 0) {
            most = share;
            out->worst_channel = c;
        }
    }
    out->throughput =
        nb_enclosure_of_ratio(nb_ratio_divide(nb_ratio_one, most));
}

static void load_conclude(const struct nb_topology *topology,
                          struct nb_channel_loads *out)
{
    bool is_exact = true;
    double most_lower = 0, most_upper = -1;
    for (uint32_t c = 0; c < out->channel_count; c++) {
        const struct nb_ratio bandwidth = topology->channels[c].bandwidth;
        const double band = nb_ratio_value(bandwidth);
        if (nb_channel_is_terminal(topology, c))
            continue; /* nb_terminal_limit */
        is_exact =
            is_exact &&
            nb_ratio_is_known(nb_ratio_divide(out->load[c].exact, bandwidth));
        most_lower = fmax(most_lower, out->load[c].lower / band);
        if (out->load[c].upper / band > most_upper) {
            most_upper = out->load[c].upper / band;
            out->worst_channel = c;
        }
    }
    if (is_exact) {
        load_conclude_exact(topology, out);
        return;
    }
    /* Two quotients and the bandwidth are rounded. */
    out->throughput =
        (struct nb_enclosure){ .lower = 1 / most_upper * (1 - 0x1p-50),
                               .upper = 1 / most_lower * (1 + 0x1p-50) };
}

/* Runs all blocks once; with an intermediate router in a quadrant, once per
 * class. */
static enum nb_status load_run(struct load_work *work, const struct nb_run *run,
                               struct nb_error *err)
{
    struct load_demand *demand = work->demand;
    enum nb_status status = NB_OK;
    if (demand == NULL)
        return nb_run_tasks(run, "channel loads", LOAD_BLOCKS, load_task, work,
                            err);
    work->rate_denominator = (nb_int128)work->traffic->denominator *
                             (work->is_exact ? demand->scale : 1);
    const size_t classes = demand->routing->intermediate == NB_IN_SET
                               ? 1
                               : demand->routing->class_count;
    for (size_t class = 0; class < classes; class ++) {
        NB_TRY(demand_fill(demand, class, work->traffic, work->is_exact, run,
                           err));
        if (work->is_exact && demand->scale == 0)
            break;
        NB_TRY(nb_run_tasks(run, "channel loads", LOAD_BLOCKS, load_task, work,
                            err));
    }
done:
    return status;
}

/* Solves exactly if possible, else in doubles. */
static enum nb_status load_solve(struct load_work *work,
                                 const struct nb_run *run,
                                 struct nb_channel_loads *out,
                                 struct nb_error *err)
{
    nb_int128 *orbit_sum = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&orbit_sum, out->channel_count, sizeof *orbit_sum, "loads",
                  err));
    if (work->is_exact)
        NB_TRY(load_run(work, run, err));
    if (work->demand != NULL && work->demand->scale == 0)
        work->is_exact = false;
    out->is_exact = work->is_exact && load_sum_exact(work, orbit_sum, out);
    if (!out->is_exact) {
        work->is_exact = false;
        for (size_t b = 0; b < LOAD_BLOCKS; b++)
            work->block[b].value =
                nb_pool_array(&work->pool, out->channel_count, sizeof(double));
        NB_TRY(nb_pool_check(&work->pool, "channel loads", err));
        NB_TRY(load_run(work, run, err));
        load_sum_values(work, out);
    }
done:
    nb_delete(orbit_sum);
    return status;
}

static struct nb_enclosure load_of_sum(const struct load_work *work,
                                       nb_uint128 sum)
{
    const uint64_t denominator = work->traffic->denominator;
    const struct nb_ratio exact =
        sum >> 126 == 0 ? nb_ratio_make((nb_int128)sum, denominator)
                        : (struct nb_ratio){ 0 };
    const double value = (double)sum / (double)denominator;
    return nb_ratio_is_known(exact)
               ? nb_enclosure_of_ratio(exact)
               : (struct nb_enclosure){ .lower = value * (1 - 0x1p-50),
                                        .upper = value * (1 + 0x1p-50) };
}

/* Mean hops from the loads: their sum over that of the rates. */
static void load_sum_hops(const struct load_work *work,
                          struct nb_channel_loads *out)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0);
    for (size_t c = 0; c < out->channel_count; c++)
        sum = nb_enclosure_add(sum, out->load[c]);
    if (work->rate_sum > 0)
        out->mean_hops = nb_enclosure_divide(
            sum, load_of_sum(work, (nb_uint128)work->rate_sum));
}

/* The loads of hosts' channels, where packets turn at switches. */
static enum nb_status load_set_hosts(const struct load_work *work,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const struct nb_traffic *traffic = work->traffic;
    nb_uint128 *column = NULL;
    const enum nb_status status =
        nb_new(&column, topology->router_count, sizeof *column, "traffic", err);
    for (size_t r = 0; r < topology->router_count && status == NB_OK; r++)
        column[r] = (nb_uint128)traffic->background *
                    nb_traffic_even_row(traffic, topology, r);
    for (size_t d = 0; d < traffic->demand_count && status == NB_OK; d++)
        column[traffic->demands[d].target] += traffic->demands[d].weight;
    for (uint32_t c = 0; c < out->channel_count && status == NB_OK; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (nb_turn_router(topology, at->source) != at->source)
            out->load[c] = load_of_sum(work, work->row_sum[at->source]);
        else if (nb_turn_router(topology, at->target) != at->target)
            out->load[c] = load_of_sum(work, column[at->target]);
    }
    if (status == NB_OK)
        load_sum_hops(work, out);
    nb_delete(column);
    return status;
}

/* Where hosts stand for terminals, traffic of one to itself takes the channel
 * to it; it counts as no hop. */
static void load_add_self(const struct load_work *work,
                          struct nb_channel_loads *out)
{
    const struct nb_topology *topology = work->routing->topology;
    const struct nb_traffic *traffic = work->traffic;
    for (uint32_t r = topology->first_host; r < topology->router_count; r++) {
        const nb_uint128 self = (nb_uint128)traffic->background *
                                    nb_traffic_even(traffic, topology, r, r) +
                                nb_traffic_demand(traffic, r, r);
        if (self == 0 || topology->in_start[r] == topology->in_start[r + 1])
            continue;
        struct nb_enclosure *load =
            &out->load[topology->in_channel[topology->in_start[r]]];
        *load = nb_enclosure_add(*load, load_of_sum(work, self));
    }
}

enum nb_status nb_channel_loads_find(const struct nb_routing *given,
                                     const struct nb_traffic *traffic,
                                     const struct nb_run *run,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err)
{
    const int threads = nb_run_threads(run, LOAD_BLOCKS);
    struct load_demand demand = { 0 };
    struct load_work work = { .traffic = traffic, .is_exact = true };
    enum nb_status status = NB_OK;
    *out = (struct nb_channel_loads){ 0 };
    NB_TRY(nb_routing_check(given, err));
    NB_TRY(nb_traffic_check(traffic, given->topology, err));
    const struct nb_routing *routing = nb_route_alike(given);
    const size_t channels = routing->topology->channel_count;
    work.routing = routing->phase != NULL ? routing->phase : routing;
    out->channel_count = channels;
    NB_TRY(nb_new(&out->load, channels, sizeof *out->load, "loads", err));
    NB_TRY(load_work_init(&work, routing->intermediate, threads, err));
    NB_TRY(nb_load_symmetry_find(routing, traffic, &work.symmetry, err));
    if (routing->intermediate == NB_IN_QUADRANT ||
        routing->intermediate == NB_IN_SET) {
        work.demand = &demand;
        NB_TRY(demand_init(routing, &work.symmetry, traffic->demand_count, run,
                           &demand, err));
        work.is_exact = demand.scale > 0;
    }
    NB_TRY(load_solve(&work, run, out, err));
    if (nb_two_phase_turns_at_switches(routing))
        NB_TRY(load_set_hosts(&work, out, err));
    if (routing->topology->first_host > 0)
        load_add_self(&work, out);
    load_conclude(routing->topology, out);
done:
    nb_pool_release(&demand.pool);
    load_work_release(&work, threads);
    if (status != NB_OK)
        nb_channel_loads_release(out);
    return status;
}
