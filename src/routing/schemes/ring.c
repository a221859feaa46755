/*
 * ring: a direction on a ring, drawn at the source by the distribution that has
 * the least mean hops among those with the best worst case (NB_RING_BEST).
 */
#include "routing/grid_ways.h"
#include "routing/ring_law.h"
#include "routing/routing.h"

enum { RING_DIRECTIONS = 2 }; /* a state is the direction: 1 is plus */

static enum nb_status ring_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct nb_grid *grid = &topology->grid;
    const uint32_t k = grid->radix[0];
    if (grid->dimensions != 1 || !grid->wraps || k == 2)
        return nb_routing_refuse(
            out, "a ring (permitted: ring, torus with one radix above 2)", err);
    out->symmetries = NB_TRANSLATION | NB_EVEN_TRANSLATION | NB_REFLECTION;
    out->state_count = RING_DIRECTIONS;
    out->most_starts = RING_DIRECTIONS;
    out->start_total = nb_ring_total(NB_RING_BEST, k);
    out->most_hops = 1;
    out->is_minimal = k == 4; /* neighbours in the shorter direction, ties
                               * split */
    out->vc_levels = 1;
    return NB_OK;
}

static size_t ring_start(const struct nb_routing *routing, uint32_t source,
                         uint32_t destination, struct nb_start *starts)
{
    const struct nb_grid *grid = &routing->topology->grid;
    struct nb_ring_way way[2];
    const size_t count =
        nb_ring_ways(NB_RING_BEST, grid->radix[0],
                     nb_grid_ahead(grid, 0, source, destination), way);
    for (size_t i = 0; i < count; i++)
        starts[i] = (struct nb_start){ .state = way[i].is_plus,
                                       .weight = way[i].weight };
    return count;
}

static size_t ring_step(const struct nb_routing *routing,
                        const struct nb_route_table *table,
                        nb_route_state state, uint32_t router,
                        uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    if (router == destination)
        return 0;
    hops[0] = (struct nb_hop){ .channel = nb_grid_way(&routing->topology->grid,
                                                      router, 0, state == 1),
                               .next = state,
                               .weight = 1,
                               .share = 1 };
    return 1;
}

const struct nb_routing_kind nb_routing_ring = {
    .kind = { .name = "ring",
              .aliases = "wrd",
              .summary = "best worst case on a ring with fewest hops",
.detail = "Draws a direction at the source. No routing with the best worst case has fewer hops.",
.family = NB_FAMILY_GRIDS,},
    .examples = "ring@ring:3 ring@ring:4 ring@ring:5 ring@ring:6 ring@ring:8 "
                "ring@torus:7",
    .build = ring_build,
    .start = ring_start,
    .step = ring_step,
};
