/*
 * o1turn: at most one turn, in either order. A packet draws at its source,
 * evenly, which of the two dimensions it corrects first, and keeps this order.
 * Source: [Seo2005].
 */
#include "routing/grid_ways.h"
#include "routing/quadrant.h"

/* A state is the dimension that comes first. */
enum { O1TURN_ORDERS = 2 };

static enum nb_status o1turn_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const struct nb_grid *grid = &topology->grid;
    if (grid->dimensions != 2 || nb_grid_class_count(grid) > 1)
        return nb_routing_refuse(
            out, "a two-dimensional mesh (permitted: such as mesh:8x8)", err);
    out->symmetries =
        NB_TRANSLATION | NB_EVEN_TRANSLATION | NB_REFLECTION | NB_AXIS_SWAP;
    out->state_count = O1TURN_ORDERS;
    out->most_starts = O1TURN_ORDERS;
    out->start_total = O1TURN_ORDERS;
    out->most_hops = 1;
    out->is_minimal = true;
    out->vc_levels = 2; /* y, then x */
    return NB_OK;
}

static size_t o1turn_start(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, struct nb_start *starts)
{
    (void)routing, (void)source, (void)destination;
    for (nb_route_state first = 0; first < O1TURN_ORDERS; first++)
        starts[first] = (struct nb_start){ .state = first, .weight = 1 };
    return O1TURN_ORDERS;
}

static size_t o1turn_step(const struct nb_routing *routing,
                          const struct nb_route_table *table,
                          nb_route_state state, uint32_t router,
                          uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const struct nb_grid *grid = &routing->topology->grid;
    uint32_t channel[2];
    size_t count = 0;
    for (size_t i = 0; i < 2 && count == 0; i++) {
        const size_t d = (state + i) % 2;
        count = nb_grid_ways(grid, router, d,
                             nb_grid_coordinate(grid, destination, d), channel);
    }
    if (count > 0)
        hops[0] = (struct nb_hop){
            .channel = channel[0], .next = state, .weight = 1, .share = 1
        };
    return count;
}

const struct nb_routing_kind nb_routing_o1turn = {
    .kind = { .name = "o1turn",
              .summary = "either order of dimensions, drawn at the source",
.detail = "Two-dimensional meshes.",
.family = NB_FAMILY_GRIDS,},
    .examples = "o1turn@mesh:3x4 o1turn@mesh:4x4 o1turn@mesh:2x3 "
                "o1turn@hypercube:2",
    .build = o1turn_build,
    .start = o1turn_start,
    .step = o1turn_step,
};
