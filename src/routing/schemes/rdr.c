/*
 * rdr: random directions. A packet draws one direction for each dimension, the
 * shorter one with greater probability, and keeps it; dimensions are corrected
 * in order.
 *
 * On a ring of k routers, at distance D <= k/2, the shorter direction has
 * probability (k - D) / k, which loads both directions equally; below distance
 * threshold * k it has probability 1. So with threshold=1/2 directions are
 * drawn only at ties, and all paths are shortest ones.
 * Source: [Singh2005, sections 3.1, 3.2 and 3.4].
 *
 * order=random draws the next dimension, whenever one is done, evenly from
 * those left, as dor does.
 */
#include "routing/parameters.h"
#include "routing/quadrant.h"
#include "core/memory.h"

#include <string.h>

/* A state is the direction class + class_count (dimension being corrected +
 * 1, or 0). */
struct rdr_plan {
    bool is_random;
    enum { RDR_SPLIT, RDR_PLUS, RDR_PARITY } ties;
    struct nb_ratio threshold; /* of the radix */
    size_t class_count;
    uint64_t total[NB_MAX_GRID]; /* weights of both directions */
};

static bool rdr_is_minimal(const struct rdr_plan *plan)
{
    return 2 * plan->threshold.numerator >= plan->threshold.denominator;
}

static unsigned rdr_symmetries(const struct rdr_plan *plan, bool has_ties)
{
    const unsigned swaps = plan->is_random ? NB_AXIS_SWAP : 0;
    if (!has_ties || plan->ties == RDR_SPLIT)
        return swaps | NB_TRANSLATION | NB_EVEN_TRANSLATION | NB_REFLECTION;
    if (plan->ties == RDR_PLUS)
        return swaps | NB_TRANSLATION | NB_EVEN_TRANSLATION;
    return swaps | NB_EVEN_TRANSLATION;
}

static enum nb_status rdr_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_grid *grid = &out->topology->grid;
    const struct nb_specification *given = &out->specification;
    bool has_ties = false;
    if (grid->dimensions == 0)
        return nb_fail(err, NB_INVALID,
                       "routing rdr needs coordinates; topology %s has none "
                       "(permitted: ring, torus, mesh, hypercube)",
                       out->topology->kind->kind.name);
    struct rdr_plan *plan;
    const enum nb_status status =
        nb_new(&out->plan, 1, sizeof *plan, "routing rdr", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    const char *ties = nb_specification_text(given, "ties");
    plan->is_random = nb_specification_is(given, "order", "random");
    plan->ties = strcmp(ties, "split") == 0  ? RDR_SPLIT
                 : strcmp(ties, "plus") == 0 ? RDR_PLUS
                                             : RDR_PARITY;
    plan->threshold = nb_specification_ratio(given, "threshold");
    plan->class_count = nb_grid_class_count(grid);
    out->start_total = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        has_ties =
            has_ties || (nb_grid_turns(grid, d) && grid->radix[d] % 2 == 0);
        plan->total[d] = 1;
        if (nb_grid_turns(grid, d))
            plan->total[d] = rdr_is_minimal(plan) ? 2 : grid->radix[d];
        out->start_total *= plan->total[d];
    }
    out->symmetries = rdr_symmetries(plan, has_ties);
    out->most_starts = plan->class_count;
    out->state_count = plan->class_count * (grid->dimensions + 1);
    out->most_hops = grid->dimensions;
    out->is_minimal = rdr_is_minimal(plan);
    out->vc_levels = plan->is_random ? (unsigned)grid->dimensions : 1;
    return NB_OK;
}

/* The weight, out of the dimension's total, of the plus direction if the
 * distance in that direction is ahead. */
static uint64_t rdr_plus_weight(const struct rdr_plan *plan, size_t dimension,
                                uint32_t k, uint32_t ahead, bool is_even_source)
{
    const uint64_t total = plan->total[dimension];
    const uint32_t distance = ahead < k - ahead ? ahead : k - ahead;
    if (ahead == 0)
        return total; /* it stays: either direction is correct */
    if (2 * ahead == k) {
        const bool is_plus = plan->ties == RDR_PLUS || is_even_source;
        return plan->ties == RDR_SPLIT ? total / 2 : is_plus ? total : 0;
    }
    if ((nb_int128)distance * plan->threshold.denominator <
        (nb_int128)plan->threshold.numerator * k)
        return ahead == distance ? total : 0;
    return k - ahead;
}

static size_t rdr_start(const struct nb_routing *routing, uint32_t source,
                        uint32_t destination, struct nb_start *starts)
{
    const struct rdr_plan *plan = routing->plan;
    const struct nb_grid *grid = &routing->topology->grid;
    uint32_t sum = 0;
    for (size_t d = 0; d < grid->dimensions && plan->ties == RDR_PARITY; d++)
        sum += nb_grid_coordinate(grid, source, d);
    size_t count = 1;
    nb_route_state bit = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d];
        const uint32_t ahead = (destination % k + k - source % k) % k;
        source /= k;
        destination /= k;
        if (!nb_grid_turns(grid, d))
            continue;
        const uint64_t plus = rdr_plus_weight(plan, d, k, ahead, sum % 2 == 0);
        const uint64_t minus = plan->total[d] - plus;
        for (size_t i = 0; i < count && plus > 0 && minus > 0; i++) {
            starts[count + i] = starts[i];
            starts[count + i].weight *= minus;
        }
        for (size_t i = 0; i < count; i++) {
            starts[i].weight *= plus > 0 ? plus : minus;
            starts[i].state += plus > 0 ? bit : 0;
        }
        count <<= plus > 0 && minus > 0;
        bit <<= 1;
    }
    return count;
}

static size_t rdr_step(const struct nb_routing *routing,
                       const struct nb_route_table *table, nb_route_state state,
                       uint32_t router, uint32_t destination,
                       struct nb_hop *hops)
{
    (void)table;
    const struct rdr_plan *plan = routing->plan;
    const struct nb_grid *grid = &routing->topology->grid;
    const nb_route_state class = state % plan->class_count;
    const nb_route_state current = state / plan->class_count;
    const uint32_t *channel = grid->channel + router * grid->dimensions * 2;
    nb_route_state bits = class;
    uint32_t here = router, there = destination;
    size_t count = 0;
    for (size_t d = 0; d < grid->dimensions; d++, channel += 2) {
        const uint32_t from = here % grid->radix[d];
        const uint32_t to = there % grid->radix[d];
        here /= grid->radix[d];
        there /= grid->radix[d];
        bool is_plus = to > from;
        if (nb_grid_turns(grid, d)) {
            is_plus = bits % 2;
            bits /= 2;
        }
        if (from == to)
            continue;
        const nb_route_state next = plan->is_random ? d + 1 : 0;
        const struct nb_hop hop = { .channel = channel[is_plus],
                                    .next = class + plan->class_count * next,
                                    .weight = 1,
                                    .share = 1 };
        if (!plan->is_random || current == d + 1) { /* nothing is drawn */
            hops[0] = hop;
            return 1;
        }
        hops[count++] = hop;
    }
    return count;
}

static const struct nb_parameter rdr_parameters[] = {
    NB_PARAMETER_ORDER("random"),
    NB_PARAMETER_THRESHOLD("0"),
    NB_PARAMETER_TIES,
    { 0 },
};

const struct nb_routing_kind nb_routing_rdr = {
    .kind = { .name = "rdr",
              .aliases = NULL,
              .summary = "random directions, weighted for locality",
              .family = NB_FAMILY_GRIDS,
              .parameters = rdr_parameters },
    .examples = "rdr@ring:6 rdr@ring:5 rdr:fixed@torus:4x3 rdr@torus:4x3x2 "
                "rdr:threshold=1/4@torus:5x4 rdr:threshold=1/2@torus:4x4 "
                "rdr:threshold=1/2,ties=plus@torus:4x4 "
                "rdr:threshold=1/2,ties=parity@torus:6x4 rdr@mesh:3x3 "
                "rdr@hypercube:3",
    .build = rdr_build,
    .start = rdr_start,
    .step = rdr_step,
};
