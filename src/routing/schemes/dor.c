/*
 * dor: dimension-order routing on networks with coordinates. Each dimension is
 * corrected in turn in the shorter direction.
 *
 * order=random draws the next dimension, whenever one is done, evenly from
 * those left. This is the same distribution as drawing a whole order at the
 * start, but without its n! states.
 *
 * A tie (distance exactly k/2 on a ring of even k) is split evenly between the
 * two directions (split), always taken in the plus direction (plus), or taken
 * plus by sources with an even coordinate sum and minus by the others (parity).
 * On a HyperX every dimension is corrected by one hop.
 */
#include "routing/parameters.h"
#include "routing/routing.h"
#include "core/memory.h"

#include <string.h>

/* A state is 2 (dimension being corrected + 1, or 0) + parity of source. */

struct dor_plan {
    bool is_random;
    enum { DOR_SPLIT, DOR_PLUS, DOR_PARITY } ties;
};

static bool dor_has_ties(const struct nb_grid *grid)
{
    for (size_t d = 0; d < grid->dimensions; d++)
        if (grid->wraps && grid->radix[d] % 2 == 0 && grid->radix[d] > 2)
            return true;
    return false;
}

static unsigned dor_symmetries(const struct dor_plan *plan)
{
    const unsigned swaps = plan->is_random ? NB_AXIS_SWAP : 0;
    switch (plan->ties) {
    case DOR_SPLIT:
        return swaps | NB_TRANSLATION | NB_EVEN_TRANSLATION | NB_REFLECTION;
    case DOR_PLUS:
        return swaps | NB_TRANSLATION | NB_EVEN_TRANSLATION;
    case DOR_PARITY:
        return swaps | NB_EVEN_TRANSLATION;
    }
    return 0;
}

static enum nb_status dor_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_grid *grid = nb_coordinates(out->topology);
    if (grid->dimensions == 0)
        return nb_fail(err, NB_INVALID,
                       "routing dor needs coordinates; topology %s has none "
                       "(permitted: ring, torus, mesh, hypercube, hyperx)",
                       out->topology->kind->kind.name);
    struct dor_plan *plan;
    const enum nb_status status =
        nb_new(&out->plan, 1, sizeof *plan, "routing dor", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    plan->is_random =
        nb_specification_is(&out->specification, "order", "random");
    const char *ties = nb_specification_text(&out->specification, "ties");
    if (!dor_has_ties(grid) || strcmp(ties, "split") == 0)
        plan->ties = DOR_SPLIT;
    else
        plan->ties = strcmp(ties, "plus") == 0 ? DOR_PLUS : DOR_PARITY;
    out->symmetries = dor_symmetries(plan);
    if (grid->channel == NULL) /* coordinates of a line may be exchanged */
        out->symmetries |= NB_OTHER_SYMMETRY;
    out->state_count = 2 * (grid->dimensions + 1);
    out->most_hops = 2 * grid->dimensions;
    out->is_minimal = true;
    out->vc_levels = plan->is_random ? (unsigned)grid->dimensions : 1;
    return NB_OK;
}

static size_t dor_start(const struct nb_routing *routing, uint32_t source,
                        uint32_t destination, struct nb_start *starts)
{
    (void)destination;
    const struct dor_plan *plan = routing->plan;
    const struct nb_grid *grid = nb_coordinates(routing->topology);
    uint32_t sum = 0;
    for (size_t d = 0; d < grid->dimensions && plan->ties == DOR_PARITY; d++)
        sum += nb_grid_coordinate(grid, source, d);
    starts[0].state = sum % 2;
    return 1;
}

/* The number of a router with that coordinate in a dimension. */
static uint32_t dor_move(const struct nb_grid *grid, size_t dimension,
                         uint32_t router, uint32_t from, uint32_t to)
{
    uint32_t place = 1;
    for (size_t d = 0; d < dimension; d++)
        place *= grid->radix[d];
    return router - from * place + to * place;
}

/* Appends the hops that correct one dimension: two at a split tie, one
 * otherwise. The hops of a dimension have total weight 2. */
static size_t dor_correct(const struct nb_routing *routing, size_t dimension,
                          uint32_t router, uint32_t from, uint32_t to,
                          nb_route_state parity, struct nb_hop *hops)
{
    const struct dor_plan *plan = routing->plan;
    const struct nb_grid *grid = nb_coordinates(routing->topology);
    const uint32_t k = grid->radix[dimension];
    const uint32_t ahead = (to + k - from) % k;
    const struct nb_hop hop = {
        .next = plan->is_random ? 2 * (dimension + 1) + parity : parity,
        .weight = 2,
        .share = 2,
    };
    hops[0] = hop;
    if (grid->channel == NULL) {
        hops[0].channel =
            nb_channel_find(routing->topology, router,
                            dor_move(grid, dimension, router, from, to), 0);
        return 1;
    }
    const uint32_t *channel =
        grid->channel + (router * grid->dimensions + dimension) * 2;
    hops[1] = hop;
    const bool is_tie = grid->wraps && k > 2 && 2 * ahead == k;
    if (is_tie && plan->ties == DOR_SPLIT) {
        for (int direction = 0; direction < 2; direction++) {
            hops[direction].channel = channel[direction];
            hops[direction].weight = 1;
            hops[direction].share = 1;
        }
        return 2;
    }
    bool is_plus = grid->wraps ? 2 * ahead < k : to > from;
    if (is_tie)
        is_plus = plan->ties == DOR_PLUS || parity == 0;
    hops[0].channel = channel[is_plus];
    return 1;
}

static size_t dor_step(const struct nb_routing *routing,
                       const struct nb_route_table *table, nb_route_state state,
                       uint32_t router, uint32_t destination,
                       struct nb_hop *hops)
{
    (void)table;
    const struct dor_plan *plan = routing->plan;
    const struct nb_grid *grid = nb_coordinates(routing->topology);
    const nb_route_state parity = state % 2, current = state / 2;
    size_t count = 0;
    uint32_t here = router, there = destination;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t from = here % grid->radix[d];
        const uint32_t to = there % grid->radix[d];
        here /= grid->radix[d];
        there /= grid->radix[d];
        if (from == to)
            continue;
        if (!plan->is_random)
            return dor_correct(routing, d, router, from, to, parity, hops);
        if (current == d + 1) /* not done yet: nothing is drawn */
            return dor_correct(routing, d, router, from, to, parity, hops);
        count +=
            dor_correct(routing, d, router, from, to, parity, hops + count);
    }
    return count;
}

static const struct nb_parameter dor_parameters[] = {
    NB_PARAMETER_ORDER("fixed"),
    NB_PARAMETER_TIES,
    { 0 },
};

const struct nb_routing_kind nb_routing_dor = {
    .kind = { .name = "dor",
              .aliases = NULL,
              .summary = "dimension order",
              .detail = "Tori, meshes, rings, hypercubes and HyperX.",
              .family = NB_FAMILY_GRIDS,
              .parameters = dor_parameters },
    .examples = "dor@ring:6 dor:ties=plus@torus:4x4 dor:ties=parity@torus:4x4 "
                "dor:order=random@torus:4x3x2 dor@mesh:3x4 "
                "dor:order=random,ties=parity@torus:6x4 dor@hypercube:4 "
                "dor:order=random@mesh:3x3x2 dor:order=random@hypercube:3 "
                "dor@hyperx:3x4,p=1 dor:order=random@hyperx:3x2x3,p=2 "
                "dor@mesh:4,fail=router:3 dor@hyperx:4,p=1,fail=router:2",
    .build = dor_build,
    .start = dor_start,
    .step = dor_step,
};
