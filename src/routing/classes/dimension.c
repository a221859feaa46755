/*
 * dimension: tori and meshes, and HyperX. Within a phase a route is cut into
 * levels. A new level begins where the route turns to a lower dimension or,
 * within a dimension, back. With wrap-around channels each level has two
 * classes, the second one behind the wrap-around channel of the dimension.
 * Source: [Singh2005, Table 4.1].
 */
#include "core/memory.h"
#include "routing/channel_ways.h"
#include "routing/vc_classes.h"

#include <assert.h>

struct dimension_plan {
    uint32_t level; /* classes of one level */
    uint32_t phase; /* classes of one phase */
    uint8_t way[];  /* [channel] channel_ways.h */
};

/* What a packet remembers: the dimension and direction of its last hop, with
 * NB_WAY_WRAP set if it crossed the wrap-around channel of this line; in the
 * bits above, the level. */
enum {
    DIMENSION_WAY = NB_WAY_DIMENSION | NB_WAY_PLUS,
    DIMENSION_LEVEL = 1 << 8,
};

static bool dimension_suits(const struct nb_routing *routing,
                            const struct nb_route_shape *shape)
{
    (void)shape;
    return nb_vc_phase(routing)->vc_levels > 0;
}

static enum nb_status dimension_build(struct nb_vc_classes *out,
                                      const struct nb_route_shape *shape,
                                      uint64_t *count, struct nb_error *err)
{
    (void)shape;
    const struct nb_topology *topology = out->routing->topology;
    struct dimension_plan *plan;
    const enum nb_status status =
        nb_new(&out->plan, 1, sizeof *plan + topology->channel_count,
               "classes of virtual channels", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    plan->level = nb_ring_classes(topology);
    plan->phase = plan->level * nb_vc_phase(out->routing)->vc_levels;
    nb_channel_ways(topology, plan->way);
    *count = (uint64_t)nb_vc_phases(out->routing) * plan->phase;
    return NB_OK;
}

/* Within a phase the pairs (level, dimension) ascend. All hops of one pair go
 * in one direction, so after the wrap-around channel a packet does not reach it
 * again. */
static uint64_t dimension_find(const struct nb_vc_classes *classes,
                               const struct nb_vc_hop *hop, uint32_t *next)
{
    const struct dimension_plan *plan = classes->plan;
    const uint32_t now = nb_vc_phase_enter(classes, hop);
    const uint32_t second = now & NB_VC_SECOND_PHASE;
    const uint32_t at = plan->way[hop->channel];
    const bool is_straight = (at & DIMENSION_WAY) == (now & DIMENSION_WAY);
    const bool is_back =
        !is_straight && (at & NB_WAY_DIMENSION) <= (now & NB_WAY_DIMENSION);
    const uint32_t level =
        (now & ~NB_VC_SECOND_PHASE) / DIMENSION_LEVEL + is_back;
    const uint32_t crossed = is_straight ? now & NB_WAY_WRAP : 0;
    const uint32_t class =
        level * plan->level + (crossed != 0) + (second != 0 ? plan->phase : 0);
    *next = second | level * DIMENSION_LEVEL | at | crossed;
    assert(class < classes->count);
    return UINT64_C(1) << class;
}

const struct nb_vc_rule nb_vc_rule_dimension = {
    .name = "dimension",
    .summary = "dimension order",
    .source = "Singh2005, Table 4.1",
    .rank = 1,
    .suits = dimension_suits,
    .forgets_phase = true,
    .build = dimension_build,
    .find = dimension_find,
};
