/*
 * cqr: channel queue routing. The product of hops and queue estimates the delay
 * of a packet in a quadrant, where the queue is the shortest of the channels
 * that lead into the quadrant from the source. The quadrant with the least
 * product is chosen, among equals that with the fewest hops; within the
 * quadrant routing is adaptive. On a ring this means: the shorter direction as
 * long as its hops times its queue do not exceed those of the longer.
 * Source: [Singh2005, sections 5.4.4 and 5.5].
 */
#include "routing/grid_ways.h"
#include "routing/quadrant_ways.h"

static enum nb_status cqr_build(struct nb_routing *out, struct nb_error *err)
{
    return nb_quadrant_ways_build(out, sizeof(struct nb_quadrant_ways), err);
}

static uint64_t cqr_cost(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination,
                         const struct nb_candidate *candidate)
{
    const struct nb_grid *grid = &routing->topology->grid;
    const struct nb_quadrant_start *quadrant =
        nb_quadrant_ways_find(routing, source, destination, candidate->index);
    uint32_t least = UINT32_MAX;
    for (size_t d = 0; d < grid->dimensions; d++) {
        if ((quadrant->moves >> d) % 2 == 0)
            continue;
        const bool is_plus = (quadrant->is_plus >> d) % 2;
        const uint32_t queue =
            view->queue(view->network, nb_grid_way(grid, source, d, is_plus));
        least = queue < least ? queue : least;
    }
    return nb_quadrant_ways_cost(routing, view, source, destination,
                                 candidate->index,
                                 (uint64_t)quadrant->hops * least);
}

static size_t cqr_memory(const struct nb_routing *routing)
{
    (void)routing;
    return sizeof(struct nb_quadrant_memory);
}

const struct nb_routing_kind nb_routing_cqr = {
    .kind = { .name = "cqr",
              .summary = "quadrant of smallest hops times queue length",
.detail = "Channel queue routing. Rings and tori.",
.family = NB_FAMILY_GRIDS,},
    .examples = "cqr@ring:6 cqr@ring:5 cqr@torus:4x4 cqr@torus:4x3x2 "
                "cqr@torus:2x2",
    .is_adaptive = true,
    .build = cqr_build,
    .start = nb_quadrant_ways_start,
    .step = nb_quadrant_ways_step,
    .cost = cqr_cost,
    .is_asked_again = true,
    .memory = cqr_memory,
    .observe = nb_quadrant_ways_observe,
};
