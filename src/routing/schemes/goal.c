/*
 * goal: globally oblivious, adaptive locally. Like rlb, a packet draws a
 * direction for each dimension, the shorter one with probability (k - D) / k,
 * and thus a quadrant. Within the quadrant, it takes the dimension whose
 * channel has the shortest queue. Without wrap-around channels there is only
 * one quadrant, and goal is min-adaptive. Source: [Singh2005, section 4.1].
 */
#include "routing/grid_ways.h"
#include "routing/quadrant.h"
#include "routing/quadrant_ways.h"
#include "routing/ring_law.h"

static enum nb_status goal_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_grid *grid = &out->topology->grid;
    if (grid->dimensions == 0)
        return nb_routing_refuse(out,
                                 "a grid (permitted: ring, torus, mesh, "
                                 "hypercube)",
                                 err);
    nb_quadrant_ways_declare(out);
    out->is_minimal = out->most_starts == 1;
    out->start_total = 1;
    for (size_t d = 0; d < grid->dimensions; d++)
        if (nb_grid_turns(grid, d))
            out->start_total *= nb_ring_total(NB_RING_EVEN, grid->radix[d]);
    return NB_OK;
}

static size_t goal_start(const struct nb_routing *routing, uint32_t source,
                         uint32_t destination, struct nb_start *starts)
{
    const struct nb_grid *grid = &routing->topology->grid;
    nb_route_state bit = 1;
    size_t count = 1;
    starts[0].weight = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d];
        const uint32_t ahead =
            nb_grid_ahead(grid, d, source % k, destination % k);
        source /= k;
        destination /= k;
        if (!nb_grid_turns(grid, d))
            continue;
        struct nb_ring_way way[2];
        const size_t ways = nb_ring_ways(NB_RING_EVEN, k, ahead, way);
        for (size_t w = ways; w-- > 0;)
            for (size_t i = 0; i < count; i++)
                starts[w * count + i] = (struct nb_start){
                    .state = starts[i].state + (way[w].is_plus ? bit : 0),
                    .weight = starts[i].weight * way[w].weight,
                };
        count *= ways;
        bit <<= 1;
    }
    return count;
}

const struct nb_routing_kind nb_routing_goal = {
    .kind = { .name = "goal",
              .summary = "quadrant drawn as in rlb, then shortest queue",
.detail = "Rings, tori, meshes and hypercubes.",
.family = NB_FAMILY_GRIDS,},
    .examples = "goal@ring:6 goal@ring:5 goal@torus:4x4 goal@torus:4x3x2 "
                "goal@mesh:3x3 goal@hypercube:3",
    .is_adaptive = true,
    .build = goal_build,
    .start = goal_start,
    .step = nb_quadrant_ways_step,
};
