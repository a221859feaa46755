#include "sim/targets.h"

#include "core/memory.h"
#include "topology/index.h"

#include <assert.h>

void nb_targets_release(struct nb_targets *targets)
{
    nb_pool_release(&targets->pool);
    *targets = (struct nb_targets){ 0 };
}

static uint32_t targets_terminals(const struct nb_targets *targets,
                                  uint32_t router)
{
    return targets->terminal_start[router + 1] -
           targets->terminal_start[router];
}

/* *sum += more times count */
static enum nb_status targets_add(uint64_t *sum, uint64_t more, uint64_t count,
                                  size_t router, struct nb_error *err)
{
    const nb_uint128 product = (nb_uint128)more * count;
    if (product > INT64_MAX || *sum + product > INT64_MAX)
        return nb_fail(err, NB_OVERFLOW,
                       "the traffic of router %zu does not fit in 63 bits",
                       router);
    *sum += (uint64_t)product;
    return NB_OK;
}

/* Lists what rows of terminals name: the singles and, terminal by terminal,
 * what else the demands contain. Weights are over the denominator times the
 * terminals of the source's router; rest: that of the traffic. */
static enum nb_status targets_expand(const struct nb_traffic *traffic,
                                     const struct nb_targets *targets,
                                     const uint64_t *rest,
                                     struct nb_demands *out,
                                     struct nb_error *err)
{
    const uint32_t *first = targets->terminal_start;
    enum nb_status status = NB_OK;
    size_t count = traffic->singles.count;
    for (size_t d = 0; d < traffic->demand_count; d++)
        if (rest[d] > 0)
            count += targets_terminals(targets, traffic->demands[d].source);
    NB_TRY(nb_new(&out->entry, count, sizeof *out->entry, "demands", err));
    for (size_t d = 0; d < traffic->singles.count; d++) {
        struct nb_demand single = traffic->singles.entry[d];
        const uint32_t router = targets->terminal_router[single.source];
        const uint64_t weight = single.weight;
        single.weight = 0;
        NB_TRY(targets_add(&single.weight, weight,
                           targets_terminals(targets, router), router, err));
        out->entry[out->count++] = single;
    }
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        const uint32_t own = targets_terminals(targets, demand->source);
        const uint32_t ends = targets_terminals(targets, demand->target);
        for (uint32_t t = 0; t < own && rest[d] > 0; t++)
            out->entry[out->count++] =
                (struct nb_demand){ first[demand->source] + t,
                                    first[demand->target] + t % ends, rest[d] };
    }
done:
    return status;
}

/* Sorts what is named by rows; each list keeps its order. */
static enum nb_status targets_sort(const struct nb_demand *named, size_t count,
                                   size_t rows, struct nb_targets *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (count == 0) /* possibly without an array */
        return NB_OK;
    nb_index_by(&named->source, sizeof *named, count, rows, out->start,
                out->target);
    for (size_t d = 0; d < count; d++) {
        const struct nb_demand *demand = &named[out->target[d]];
        const uint32_t row = demand->source;
        NB_TRY(targets_add(&out->total[row], demand->weight, 1,
                           out->is_single ? out->terminal_router[row] : row,
                           err));
        out->target[d] = demand->target;
        out->until[d] = out->total[row];
    }
done:
    return status;
}

/* Adds the background, and scales rows to the largest. */
static enum nb_status targets_sum(const struct nb_traffic *traffic, size_t rows,
                                  struct nb_targets *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t row = 0; row < rows; row++) {
        const uint32_t router =
            out->is_single ? out->terminal_router[row] : (uint32_t)row;
        const uint64_t terminals = targets_terminals(out, router);
        NB_TRY(targets_add(&out->total[row], traffic->background,
                           terminals * out->even_count, router, err));
        if (out->total[row] == 0)
            continue;
        assert(terminals > 0); /* only routers with terminals have traffic */
        out->share[row] = (double)out->total[row] /
                          ((double)traffic->denominator * (double)terminals);
        if (out->share[row] > out->largest_row)
            out->largest_row = out->share[row];
    }
    for (size_t row = 0; row < rows; row++)
        if (out->total[row] > 0)
            out->share[row] /= out->largest_row;
done:
    return status;
}

/* Rows that name these. */
static enum nb_status targets_open(const struct nb_traffic *traffic,
                                   const struct nb_demand *named, size_t count,
                                   struct nb_targets *out, struct nb_error *err)
{
    struct nb_pool *pool = &out->pool;
    const size_t rows =
        out->is_single ? out->terminal_count : traffic->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(count < UINT32_MAX
               ? NB_OK
               : nb_fail(err, NB_NO_MEMORY,
                         "%zu demands are too many to be drawn from", count));
    out->share = nb_pool_array(pool, rows, sizeof *out->share);
    out->total = nb_pool_array(pool, rows, sizeof *out->total);
    out->start = nb_pool_array(pool, rows + 1, sizeof *out->start);
    out->target = nb_pool_array(pool, count, sizeof *out->target);
    out->until = nb_pool_array(pool, count, sizeof *out->until);
    NB_TRY(nb_pool_check(pool, "demands by row", err));
    NB_TRY(targets_sort(named, count, rows, out, err));
    status = targets_sum(traffic, rows, out, err);
done:
    return status;
}

enum nb_status nb_targets_init(const struct nb_traffic *traffic,
                               const uint32_t *terminal_start,
                               const uint32_t *terminal_router,
                               struct nb_targets *out, struct nb_error *err)
{
    const uint32_t terminals = terminal_start[traffic->router_count];
    const size_t demands = traffic->demand_count;
    struct nb_demands list = { 0 };
    uint64_t *rest = NULL;
    enum nb_status status;
    *out = (struct nb_targets){ .terminal_start = terminal_start,
                                .terminal_router = terminal_router,
                                .terminal_count = terminals,
                                .even_count = terminals - traffic->omits_self,
                                .is_single = traffic->singles.count > 0 };
    if (!out->is_single) {
        NB_TRY(targets_open(traffic, traffic->demands, demands, out, err));
        goto done;
    }
    NB_TRY(nb_new(&rest, demands, sizeof *rest, "demands", err));
    nb_traffic_rest(traffic, terminal_router, rest);
    NB_TRY(targets_expand(traffic, out, rest, &list, err));
    NB_TRY(targets_open(traffic, list.entry, list.count, out, err));
done:
    nb_delete(rest);
    nb_delete(list.entry);
    if (status != NB_OK)
        nb_targets_release(out);
    return status;
}

/* Finds the demand of a row in whose part of the running sums a number lies. */
static uint32_t targets_find(const struct nb_targets *targets, uint32_t first,
                             uint32_t end, uint64_t drawn)
{
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        if (drawn < targets->until[middle - 1])
            end = middle;
        else
            first = middle;
    }
    return first;
}

/* One of all terminals, or of all others, evenly. */
static uint32_t targets_draw_even(const struct nb_targets *targets,
                                  uint32_t terminal, uint64_t drawn)
{
    const uint32_t target = (uint32_t)(drawn % targets->even_count);
    const bool omits_self = targets->even_count < targets->terminal_count;
    return target + (omits_self && target >= terminal);
}

uint32_t nb_targets_draw(const struct nb_targets *targets, uint32_t terminal,
                         struct nb_random *random)
{
    const uint32_t row = nb_targets_row(targets, terminal);
    const uint64_t total = targets->total[row];
    const uint32_t first = targets->start[row], end = targets->start[row + 1];
    const uint64_t named = end > first ? targets->until[end - 1] : 0;
    uint32_t demand = first;
    if (named < total || end - first > 1) {
        const uint64_t drawn = nb_random_below(random, total);
        /* The uniform part is a multiple of the number of terminals. */
        if (drawn >= named)
            return targets_draw_even(targets, terminal, drawn - named);
        demand = targets_find(targets, first, end, drawn);
    }
    const uint32_t target = targets->target[demand];
    if (targets->is_single)
        return target;
    const uint32_t place = targets->terminal_start[target];
    return place + (terminal - targets->terminal_start[row]) %
                       targets_terminals(targets, target);
}
