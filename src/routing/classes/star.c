/*
 * star: adaptive schemes on grids. In each phase there are two star classes for
 * the most significant productive dimension, as in dimension, and above all of
 * them one class that any hop may use; without wrap-around channels there is
 * one star class.
 *
 * The two phases cannot share star classes. Around a square, +x waits for +y
 * where a packet begins its second phase, +y for -x in order of dimensions, -x
 * for -y at another intermediate router, and -y for +x. Three virtual channels
 * on a torus, as in Singh2005, section 6.4.1, do not prevent that.
 * Source: [Singh2005, section 4.1.1].
 */
#include "core/memory.h"
#include "routing/channel_ways.h"
#include "routing/vc_classes.h"

/* The coordinates of a router are packed, each dimension in as few bits as it
 * needs. Together they need at most 32 bits plus one per dimension. */
struct star_plan {
    unsigned phase;                 /* star classes of one phase */
    unsigned stars;                 /* classes except the free one */
    uint8_t above[NB_MAX_GRID + 1]; /* [dimension + 1] the first bit above it */
    const uint8_t *way;             /* [channel] channel_ways.h */
    uint64_t coordinates[];         /* [router] */
};

static bool star_suits(const struct nb_routing *routing,
                       const struct nb_route_shape *shape)
{
    (void)shape;
    return routing->topology->grid.dimensions > 0;
}

static void star_pack(const struct nb_topology *topology,
                      struct star_plan *plan)
{
    const struct nb_grid *grid = &topology->grid;
    for (size_t d = 0; d < grid->dimensions; d++) {
        uint8_t bits = 1;
        while ((grid->radix[d] - 1) >> bits > 0)
            bits++;
        plan->above[d + 1] = (uint8_t)(plan->above[d] + bits);
    }
    for (size_t r = 0; r < topology->router_count; r++) {
        uint32_t at[NB_MAX_GRID];
        nb_grid_split(grid, (uint32_t)r, at);
        for (size_t d = 0; d < grid->dimensions; d++)
            plan->coordinates[r] |= (uint64_t)at[d] << plan->above[d];
    }
}

static enum nb_status star_build(struct nb_vc_classes *out,
                                 const struct nb_route_shape *shape,
                                 uint64_t *count, struct nb_error *err)
{
    (void)shape;
    const struct nb_topology *topology = out->routing->topology;
    const size_t n = topology->router_count;
    struct star_plan *plan;
    const enum nb_status status = nb_new(
        &out->plan, 1,
        sizeof *plan + n * sizeof *plan->coordinates + topology->channel_count,
        "classes of virtual channels", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    uint8_t *way = (uint8_t *)(plan->coordinates + n);
    plan->phase = nb_ring_classes(topology);
    plan->stars = nb_vc_phases(out->routing) * plan->phase;
    plan->way = way;
    nb_channel_ways(topology, way);
    star_pack(topology, plan);
    *count = plan->stars + 1;
    return NB_OK;
}

/* Bit d + 1 of a packet's memory: whether it crossed the wrap-around channel of
 * dimension d in this phase. */
static uint64_t star_find(const struct nb_vc_classes *classes,
                          const struct nb_vc_hop *hop, uint32_t *next)
{
    const struct star_plan *plan = classes->plan;
    const uint32_t at = plan->way[hop->channel];
    const uint32_t dimension = at & NB_WAY_DIMENSION;
    const uint32_t now = nb_vc_phase_enter(classes, hop);
    const uint32_t target = nb_route_target(classes->routing, hop->state,
                                            hop->router, hop->destination);
    const uint64_t differing =
        plan->coordinates[hop->router] ^ plan->coordinates[target];
    const bool is_highest = differing >> plan->above[dimension] == 0;
    const uint32_t crossed = now >> dimension & 1;
    const uint32_t first = (now & NB_VC_SECOND_PHASE) != 0 ? plan->phase : 0;
    *next = now | ((at & NB_WAY_WRAP) != 0 ? UINT32_C(1) << dimension : 0);
    return UINT64_C(1) << plan->stars |
           (is_highest ? UINT64_C(1) << (first + crossed) : 0);
}

static uint64_t star_escape(const struct nb_vc_classes *classes, uint64_t set)
{
    const struct star_plan *plan = classes->plan;
    return set & ~(UINT64_C(1) << plan->stars);
}

const struct nb_vc_rule nb_vc_rule_star = {
    .name = "star",
    .summary = "star channels",
    .source = "Singh2005, section 4.1.1",
    .may_descend = true,
    .suits = star_suits,
    .forgets_phase = true,
    .build = star_build,
    .find = star_find,
    .escape = star_escape,
};
