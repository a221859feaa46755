/*
 * ival: improved Valiant on two-dimensional tori. An intermediate router is
 * drawn evenly from all routers. The first phase corrects x, then y, the second
 * y, then x, each in the shorter direction, ties split; loops of the whole path
 * are removed. Source: [TowlesDallyBoyd2003].
 *
 * Between different rows this leaves: along x to the intermediate router's
 * column, along y to the destination's row, along x to the destination. These
 * three lines meet in two routers, so loops can only close along y, where the
 * path goes from row to intermediate router to row on a ring of k. Let s and t
 * be the signed hops of its phases, |s|, |t| <= k/2. Each s comes from one of
 * the k rows of intermediate routers (half of one at a tie), and s + t is
 * either `ahead`, which leaves the plus direction, or ahead - k, which leaves
 * minus. The first holds for the k - ahead values s >= ahead - k/2, ties
 * counted as halves. So for any column, the direction follows NB_RING_EVEN.
 * Within one row all of y is a loop, and the same argument holds along x.
 *
 * direction=ring draws the direction along y by NB_RING_BEST: fewer hops for
 * even k. Every packet is in a given column with probability 1/kx, so the worst
 * load of the column's channels is that of the distribution on a ring, the same
 * for both. Along x, NB_RING_BEST would not be optimal: near a channel it loads
 * more than packets that change rows do, far from it less, so the worst
 * permutation that combines both exceeds the load of half of capacity
 * (throughput 2/5 of capacity on 4x4).
 */
#include "routing/grid_ways.h"
#include "routing/ring_law.h"
#include "routing/routing.h"

#include "core/memory.h"

/* States below the radix of x are target columns. The direction along y is
 * drawn in that column; from then on, or from the source if it is in the same
 * row, the state is kept. */
enum { IVAL_Y, IVAL_X = 2, IVAL_STATES = 4 }; /* + 1: plus; after the columns */

struct ival_plan {
    uint32_t columns;
    enum nb_ring_law distribution; /* along y */
};

static enum nb_status ival_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_grid *grid = &out->topology->grid;
    if (grid->dimensions != 2 || !grid->wraps)
        return nb_routing_refuse(
            out, "a two-dimensional torus (permitted: such as torus:8x8)", err);
    struct ival_plan *plan;
    const enum nb_status status =
        nb_new(&out->plan, 1, sizeof *plan, "routing ival", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    plan->columns = grid->radix[0];
    plan->distribution =
        nb_specification_is(&out->specification, "direction", "ring")
            ? NB_RING_BEST
            : NB_RING_EVEN;
    out->symmetries = NB_TRANSLATION | NB_EVEN_TRANSLATION | NB_REFLECTION;
    out->state_count = plan->columns + IVAL_STATES;
    out->most_starts = plan->columns;
    out->start_total = plan->columns;
    out->most_hops = 2;
    out->vc_levels = 2; /* x and y, then x */
    return NB_OK;
}

static size_t ival_start(const struct nb_routing *routing, uint32_t source,
                         uint32_t destination, struct nb_start *starts)
{
    const struct ival_plan *plan = routing->plan;
    const uint32_t k = plan->columns;
    struct nb_ring_way way[2];
    if (source / k != destination / k) {
        for (uint32_t x = 0; x < k; x++)
            starts[x] = (struct nb_start){ .state = x, .weight = 1 };
        return k;
    }
    const uint32_t ahead =
        nb_grid_ahead(&routing->topology->grid, 0, source % k, destination % k);
    const size_t count = nb_ring_ways(NB_RING_EVEN, k, ahead, way);
    for (size_t i = 0; i < count; i++)
        starts[i] = (struct nb_start){ .state = k + IVAL_X + way[i].is_plus,
                                       .weight = way[i].weight };
    return count;
}

/* Along x in the shorter direction; keeps the state. */
static size_t ival_step_across(const struct nb_grid *grid, nb_route_state state,
                               uint32_t router, uint32_t column,
                               struct nb_hop *hops)
{
    uint32_t channel[2];
    const size_t count = nb_grid_ways(grid, router, 0, column, channel);
    for (size_t i = 0; i < count; i++)
        hops[i] = (struct nb_hop){
            .channel = channel[i], .next = state, .weight = 1, .share = 1
        };
    return count;
}

/* The first hop along y draws the direction. */
static size_t ival_step_turn(const struct nb_routing *routing, uint32_t router,
                             uint32_t destination, struct nb_hop *hops)
{
    const struct ival_plan *plan = routing->plan;
    const struct nb_grid *grid = &routing->topology->grid;
    const uint32_t k = plan->columns;
    struct nb_ring_way way[2];
    const uint32_t ahead = nb_grid_ahead(grid, 1, router / k, destination / k);
    const size_t count =
        nb_ring_ways(plan->distribution, grid->radix[1], ahead, way);
    for (size_t i = 0; i < count; i++)
        hops[i] = (struct nb_hop){
            .channel = nb_grid_way(grid, router, 1, way[i].is_plus),
            .next = k + IVAL_Y + way[i].is_plus,
            .weight = way[i].weight,
            .share = (double)way[i].weight,
        };
    return count;
}

static size_t ival_step(const struct nb_routing *routing,
                        const struct nb_route_table *table,
                        nb_route_state state, uint32_t router,
                        uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const struct ival_plan *plan = routing->plan;
    const struct nb_grid *grid = &routing->topology->grid;
    const uint32_t k = plan->columns;
    if (state < k) {
        const size_t count =
            ival_step_across(grid, state, router, (uint32_t)state, hops);
        return count > 0 ? count
                         : ival_step_turn(routing, router, destination, hops);
    }
    const bool is_along_y = state < k + IVAL_X;
    if (is_along_y && router / k == destination / k)
        return ival_step_across(grid, state, router, destination % k, hops);
    if (router == destination)
        return 0;
    hops[0] = (struct nb_hop){ .channel = nb_grid_way(grid, router, is_along_y,
                                                      (state - k) % 2 == 1),
                               .next = state,
                               .weight = 1,
                               .share = 1 };
    return 1;
}

static const struct nb_parameter ival_parameters[] = {
    NB_PARAMETER("direction", CHOICE, "intermediate router",
                 "distribution of the direction along y",
                 .choices = "intermediate router|ring"),
    { 0 },
};

const struct nb_routing_kind nb_routing_ival = {
    .kind = { .name = "ival",
              .summary =
                  "Valiant with the second phase reversed, loops removed",
              .detail = "Two-dimensional tori.",
              .family = NB_FAMILY_GRIDS,
              .parameters = ival_parameters },
    .examples = "ival@torus:3x3 ival@torus:4x3 ival@torus:4x4 ival@torus:2x3 "
                "ival:direction=ring@torus:4x4 ival:direction=ring@torus:3x6",
    .build = ival_build,
    .start = ival_start,
    .step = ival_step,
};
