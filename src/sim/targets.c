#include "sim/targets.h"

#include "core/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

void nb_targets_release(struct nb_targets *targets)
{
    nb_delete(targets->share);
    nb_delete(targets->total);
    nb_delete(targets->start);
    nb_delete(targets->router);
    nb_delete(targets->until);
    *targets = (struct nb_targets){ 0 };
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

/* Demands by source; each list is in the order of targets. */
static enum nb_status targets_sort(const struct nb_traffic *traffic,
                                   struct nb_targets *out, struct nb_error *err)
{
    const size_t routers = traffic->router_count;
    enum nb_status status = NB_OK;
    for (size_t d = 0; d < traffic->demand_count; d++)
        out->start[traffic->demands[d].source + 1]++;
    for (size_t i = 0; i < routers; i++)
        out->start[i + 1] += out->start[i];
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        const uint32_t place = out->start[demand->source]++;
        uint64_t *sum = &out->total[demand->source];
        NB_TRY(targets_add(sum, demand->weight, 1, demand->source, err));
        out->router[place] = demand->target;
        out->until[place] = *sum;
    }
    /* Each was moved to the beginning of the next. */
    memmove(out->start + 1, out->start, routers * sizeof *out->start);
    out->start[0] = 0;
done:
    return status;
}

/* Adds the background, and compares what terminals send. */
static enum nb_status targets_sum(const struct nb_traffic *traffic,
                                  struct nb_targets *out, struct nb_error *err)
{
    const uint32_t *first = out->terminal_start;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < traffic->router_count; i++) {
        const uint64_t terminals = first[i + 1] - first[i];
        NB_TRY(targets_add(&out->total[i], traffic->background,
                           terminals * out->terminal_count, i, err));
        if (out->total[i] == 0)
            continue;
        assert(terminals > 0); /* traffics are of routers with terminals */
        out->share[i] = (double)out->total[i] /
                        ((double)traffic->denominator * (double)terminals);
        if (out->share[i] > out->largest_row)
            out->largest_row = out->share[i];
    }
    for (size_t i = 0; i < traffic->router_count; i++)
        if (out->total[i] > 0)
            out->share[i] /= out->largest_row;
done:
    return status;
}

enum nb_status nb_targets_init(const struct nb_traffic *traffic,
                               const uint32_t *terminal_start,
                               const uint32_t *terminal_router,
                               struct nb_targets *out, struct nb_error *err)
{
    const size_t routers = traffic->router_count;
    const size_t demands = traffic->demand_count;
    enum nb_status status;
    *out = (struct nb_targets){ .terminal_start = terminal_start,
                                .terminal_router = terminal_router,
                                .terminal_count = terminal_start[routers] };
    NB_TRY(demands < UINT32_MAX
               ? NB_OK
               : nb_fail(err, NB_NO_MEMORY,
                         "%zu demands are too many to be drawn from", demands));
    NB_TRY(nb_new(&out->share, routers, sizeof *out->share, "rows", err));
    NB_TRY(nb_new(&out->total, routers, sizeof *out->total, "rows", err));
    NB_TRY(nb_new(&out->start, routers + 1, sizeof *out->start, "rows", err));
    NB_TRY(nb_new(&out->router, demands, sizeof *out->router, "demands", err));
    NB_TRY(nb_new(&out->until, demands, sizeof *out->until, "demands", err));
    NB_TRY(targets_sort(traffic, out, err));
    NB_TRY(targets_sum(traffic, out, err));
done:
    if (status != NB_OK)
        nb_targets_release(out);
    return status;
}

/* The demand of a row in whose part of the running sums a number lies. */
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

uint32_t nb_targets_draw(const struct nb_targets *targets, uint32_t terminal,
                         struct nb_random *random)
{
    const uint32_t source = targets->terminal_router[terminal];
    const uint64_t total = targets->total[source];
    const uint32_t first = targets->start[source];
    const uint32_t end = targets->start[source + 1];
    const uint64_t named = end > first ? targets->until[end - 1] : 0;
    uint32_t demand = first;
    if (named < total || end - first > 1) {
        const uint64_t drawn = nb_random_below(random, total);
        /* What is not named is a multiple of the terminals' number. */
        if (drawn >= named)
            return (uint32_t)((drawn - named) % targets->terminal_count);
        demand = targets_find(targets, first, end, drawn);
    }
    const uint32_t target = targets->router[demand];
    const uint32_t place = targets->terminal_start[target];
    const uint32_t count = targets->terminal_start[target + 1] - place;
    return place + (terminal - targets->terminal_start[source]) % count;
}
