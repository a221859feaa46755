/*
 * place: networks with groups; routes are counted phase by phase. Local
 * channels have one class for each place before, between and after global hops;
 * global channels have one for each global hop.
 */
#include "core/memory.h"
#include "routing/route_shape.h"
#include "routing/vc_classes.h"

#include <assert.h>

struct place_plan {
    uint32_t phase;      /* classes of local channels in the first phase .. */
    uint32_t global;     /* .. and of global channels in a phase */
    uint32_t between[2]; /* by phase: maximum number of consecutive local hops
                          * before a global one */
    bool is_global[];    /* [channel] */
};

/* What a packet remembers of its phase: two counters. */
enum {
    PLACE_LOCAL = 1 << 8,     /* local hops since the last global one */
    PLACE_GLOBAL_SHIFT = 16,  /* global hops */
    PLACE_LOCAL_MASK = 0xff,  /* of the first counter */
    PLACE_GLOBAL_MASK = 0xff, /* of the second counter */
};

static bool place_suits(const struct nb_routing *routing,
                        const struct nb_route_shape *shape)
{
    (void)shape;
    return routing->topology->groups.count > 0 &&
           routing->topology->grid.dimensions == 0;
}

static uint32_t place_count(int32_t hops)
{
    return hops == NB_NO_ROUTE ? 0 : (uint32_t)hops;
}

/* The number of classes of local channels in a phase. */
static uint32_t place_phase(const struct place_plan *plan,
                            const struct nb_route_shape *shape, int phase,
                            uint32_t late)
{
    const uint32_t with =
        plan->global * plan->between[phase] + place_count(shape->after);
    const uint32_t alone = place_count(shape->alone) + late;
    return with > alone ? with : alone;
}

static enum nb_status place_build(struct nb_vc_classes *out,
                                  const struct nb_route_shape *shape,
                                  uint64_t *count, struct nb_error *err)
{
    const struct nb_topology *topology = out->routing->topology;
    struct place_plan *plan;
    const enum nb_status status =
        nb_new(&out->plan, 1, sizeof *plan + topology->channel_count,
               "classes of virtual channels", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        plan->is_global[c] = nb_channel_is_global(topology, c);
    const uint32_t late = nb_route_late(out->routing, shape);
    const uint32_t between = place_count(shape->between);
    plan->global = place_count(shape->global);
    plan->between[0] = between + late;
    plan->between[1] = between;
    const uint32_t later = place_phase(plan, shape, 1, 0);
    plan->phase = place_phase(plan, shape, 0, late);
    const unsigned phases = nb_vc_phases(out->routing);
    const uint32_t local = plan->phase + (phases > 1 ? later : 0);
    *count = local > phases * plan->global ? local : phases * plan->global;
    return NB_OK;
}

/* If g global hops were made and more follow, local hops use classes below (g +
 * 1) between; after the next global hop, they use classes from there on. */
static uint64_t place_find(const struct nb_vc_classes *classes,
                           const struct nb_vc_hop *hop, uint32_t *next)
{
    const struct place_plan *plan = classes->plan;
    const uint32_t now = nb_vc_phase_enter(classes, hop);
    const uint32_t second = now & NB_VC_SECOND_PHASE;
    const uint32_t global = now >> PLACE_GLOBAL_SHIFT & PLACE_GLOBAL_MASK;
    uint32_t class;
    if (plan->is_global[hop->channel]) {
        *next = second | (global + 1) << PLACE_GLOBAL_SHIFT;
        class = global + (second != 0 ? plan->global : 0);
    } else {
        *next = now + PLACE_LOCAL;
        class = global * plan->between[second != 0] +
                (now / PLACE_LOCAL & PLACE_LOCAL_MASK) +
                (second != 0 ? plan->phase : 0);
    }
    assert(class < classes->count);
    return UINT64_C(1) << class;
}

const struct nb_vc_rule nb_vc_rule_place = {
    .name = "place",
    .summary = "place of the hop",
    .source = "",
    .rank = 3,
    .needs_shape = true,
    .suits = place_suits,
    .forgets_phase = true,
    .build = place_build,
    .find = place_find,
};
