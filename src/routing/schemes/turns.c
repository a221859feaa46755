/*
 * turns: shortest paths with a limited number of turns from one dimension to
 * the other, beginning in dimension 0 if there is distance in it. If several
 * channels lead on to such a path, each is taken with the same probability.
 * With at most one turn it is dor, and max=4 is the scheme 5TURNS of
 * [TowlesDally2002, section 3.5], as defined there in words; the formula next
 * to the definition lets a packet begin in dimension 1 as its first turn, which
 * this scheme does not.
 */
#include "routing/grid_ways.h"
#include "routing/routing.h"

#include "core/memory.h"

/* State 0: nothing is done yet. State 1 + t: t turns are made, and the last hop
 * was in dimension t % 2. A packet without distance in dimension 0 begins in
 * dimension 1 as if after a turn; it makes no other. */

struct turns_plan {
    nb_route_state most; /* turns */
};

/* Routes begin along dimension 0 unless they make no turn, so a level consists
 * of a line in dimension 0 and then one in dimension 1. Each line has at least
 * one hop, and the last level may lack its second line. */
static unsigned turns_levels(const struct nb_grid *grid, nb_route_state most)
{
    nb_route_state levels = most / 2 + 1;
    for (size_t d = 0; d < 2; d++) {
        const uint32_t k = grid->radix[d];
        const uint32_t farthest = grid->wraps ? k / 2 : k - 1;
        if (levels > farthest + d)
            levels = farthest + d;
    }
    return (unsigned)levels;
}

static enum nb_status turns_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_grid *grid = &out->topology->grid;
    if (grid->dimensions != 2)
        return nb_routing_refuse(
            out,
            "a two-dimensional mesh or torus (permitted: such as mesh:8x8)",
            err);
    struct turns_plan *plan;
    const enum nb_status status =
        nb_new(&out->plan, 1, sizeof *plan, "routing turns", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    plan->most =
        (nb_route_state)nb_specification_whole(&out->specification, "max");
    /* Every second turn leaves the lower dimension, so there is no room for
     * more. */
    for (size_t d = 0; d < 2; d++)
        if (plan->most > 2 * grid->radix[d])
            plan->most = 2 * grid->radix[d];
    out->symmetries = NB_TRANSLATION | NB_EVEN_TRANSLATION | NB_REFLECTION;
    out->state_count = plan->most + 2;
    out->most_hops = 4; /* both directions in both dimensions */
    out->is_minimal = true;
    out->vc_levels = turns_levels(grid, plan->most);
    return NB_OK;
}

static size_t turns_step(const struct nb_routing *routing,
                         const struct nb_route_table *table,
                         nb_route_state state, uint32_t router,
                         uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const struct turns_plan *plan = routing->plan;
    const struct nb_grid *grid = &routing->topology->grid;
    uint32_t channel[2][2];
    size_t ways[2], count = 0;
    for (size_t d = 0; d < 2; d++)
        ways[d] =
            nb_grid_ways(grid, router, d,
                         nb_grid_coordinate(grid, destination, d), channel[d]);
    for (size_t d = 0; d < 2; d++) {
        const bool is_turn = state > 0 && d != (state - 1) % 2;
        const nb_route_state next = state == 0 ? 1 + d : state + is_turn;
        /* The remaining path takes one turn, or none if this dimension is the
         * last. */
        const nb_route_state turns = next - 1 + (ways[1 - d] > 0);
        if (turns > plan->most || (state == 0 && d == 1 && ways[0] > 0))
            continue;
        for (size_t i = 0; i < ways[d]; i++)
            hops[count++] = (struct nb_hop){
                .channel = channel[d][i], .next = next, .weight = 1, .share = 1
            };
    }
    return count;
}

static const struct nb_parameter turns_parameters[] = {
    NB_PARAMETER("max", WHOLE, "4",
                 "maximum turns from one dimension to the other",
                 .is_leading = true, .least = 1, .most = 1e9),
    { 0 },
};

const struct nb_routing_kind nb_routing_turns = {
    .kind = { .name = "turns",
              .summary = "shortest paths with few turns, dimension 0 first",
              .detail = "Two-dimensional meshes and tori.",
              .family = NB_FAMILY_GRIDS,
              .parameters = turns_parameters },
    .examples = "turns@mesh:4x3 turns:1@mesh:3x3 turns:2@mesh:4x4 "
                "turns:3@mesh:3x4 turns@torus:4x3 turns:2@torus:4x4 "
                "turns@hypercube:2",
    .build = turns_build,
    .step = turns_step,
};
