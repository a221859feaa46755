/* The rates of both phases with an intermediate router from the pair's own set
 * (declared in load_demand_work.h): rows of the destinations that stand for
 * others. */
#include "load/load_demand_work.h"

#include "core/memory.h"
#include "routing/intermediates.h"

enum nb_status nb_demand_set_init(const struct nb_load_symmetry *symmetry,
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
static long double set_share(const struct nb_demand_work *work,
                             const struct nb_intermediates *set, uint64_t rate)
{
    const struct nb_routing *routing = work->demand->routing;
    return nb_demand_share(work->demand, rate,
                           routing->start_total - routing->direct, set->count,
                           work->is_exact);
}

/* Adds what goes on from their intermediate routers to the destination of a
 * row, and what goes straight to it. */
static enum nb_status set_add_into(const struct nb_demand_work *work,
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
            rate[i] += nb_demand_share(demand, scratch->column[i],
                                       routing->direct, 1, work->is_exact);
    }
    return status;
}

/* All that one source sends, by target; returns the number of targets, 0 if a
 * rate leaves 63 bits. */
static size_t set_list_targets(const struct nb_demand_work *work,
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
static void set_add_from(const struct nb_demand_work *work,
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
    const struct nb_demand_work *work = context;
    const struct nb_load_demand *demand = work->demand;
    const size_t n = demand->routing->topology->router_count;
    struct nb_load_demand_scratch *scratch = &demand->scratch[thread];
    const size_t first = index * NB_DEMAND_BLOCK;
    if (work->is_column)
        return demand->row[index] != NB_NONE
                   ? set_add_into(work, scratch, (uint32_t)index, err)
                   : NB_OK;
    for (size_t r = first; r < first + NB_DEMAND_BLOCK && r < n; r++)
        set_add_from(work, scratch, (uint32_t)r);
    return NB_OK;
}

enum nb_status nb_demand_set_fill(struct nb_demand_work *work,
                                  const struct nb_run *run,
                                  struct nb_error *err)
{
    const char *what = "rates by intermediate router";
    const size_t n = work->demand->routing->topology->router_count;
    const size_t blocks = (n + NB_DEMAND_BLOCK - 1) / NB_DEMAND_BLOCK;
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
