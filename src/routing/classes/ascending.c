/*
 * ascending: networks with groups. The hops of the longest route, such as local
 * global local - local global local, are a ladder; every hop takes the next
 * rung of its kind, and a rung has a class of its own among the local or the
 * global channels. Other than in place, a packet that goes straight shares the
 * first rungs with those that go to an intermediate router.
 * Source: [Benito2020, section 3.2.3].
 */
#include "core/memory.h"
#include "routing/route_shape.h"
#include "routing/vc_classes.h"

#include <assert.h>

struct ascending_rung {
    uint32_t class;
    bool is_global;
};

struct ascending_plan {
    uint32_t local, global; /* classes of rungs added so far */
    uint32_t count;         /* rungs */
    const bool *is_global;  /* [channel] */
    struct ascending_rung rungs[];
};

static bool ascending_suits(const struct nb_routing *routing,
                            const struct nb_route_shape *shape)
{
    (void)shape;
    return routing->topology->groups.count > 0 &&
           routing->topology->grid.dimensions == 0;
}

static uint32_t ascending_hops(int32_t hops)
{
    return hops == NB_NO_ROUTE ? 0 : (uint32_t)hops;
}

/* The local rungs of a phase: enough for routes with global hops and for those
 * without. */
static uint32_t ascending_locals(const struct nb_route_shape *shape,
                                 uint32_t late)
{
    const uint32_t before = ascending_hops(shape->between) + late;
    const uint32_t with =
        ascending_hops(shape->global) * before + ascending_hops(shape->after);
    const uint32_t alone = ascending_hops(shape->alone) + late;
    return with > alone ? with : alone;
}

static void ascending_add(struct ascending_plan *plan, bool is_global,
                          uint32_t count)
{
    uint32_t *class = is_global ? &plan->global : &plan->local;
    for (uint32_t i = 0; i < count; i++)
        plan->rungs[plan->count++] = (struct ascending_rung){
            .class = (*class)++,
            .is_global = is_global,
        };
}

/* The rungs of a phase: local ones before each global one, then the rest. */
static void ascending_add_phase(struct ascending_plan *plan,
                                const struct nb_route_shape *shape,
                                uint32_t late)
{
    const uint32_t end = plan->local + ascending_locals(shape, late);
    for (uint32_t g = ascending_hops(shape->global); g > 0; g--) {
        ascending_add(plan, false, ascending_hops(shape->between) + late);
        ascending_add(plan, true, 1);
    }
    ascending_add(plan, false, end - plan->local);
}

static enum nb_status ascending_build(struct nb_vc_classes *out,
                                      const struct nb_route_shape *shape,
                                      uint64_t *count, struct nb_error *err)
{
    const struct nb_topology *topology = out->routing->topology;
    const uint32_t late = nb_route_late(out->routing, shape);
    const size_t rungs =
        nb_vc_phases(out->routing) *
        ((size_t)ascending_locals(shape, late) + ascending_hops(shape->global));
    struct ascending_plan *plan;
    const enum nb_status status = nb_new(
        &out->plan, 1,
        sizeof *plan + rungs * sizeof *plan->rungs + topology->channel_count,
        "classes of virtual channels", err);
    if (status != NB_OK)
        return status;
    plan = out->plan;
    bool *is_global = (bool *)(plan->rungs + rungs);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        is_global[c] = nb_channel_is_global(topology, c);
    plan->is_global = is_global;
    ascending_add_phase(plan, shape, late);
    if (nb_vc_phases(out->routing) > 1)
        ascending_add_phase(plan, shape, 0);
    *count = plan->local > plan->global ? plan->local : plan->global;
    return NB_OK;
}

/* A packet remembers the rung above its last one. */
static uint64_t ascending_find(const struct nb_vc_classes *classes,
                               const struct nb_vc_hop *hop, uint32_t *next)
{
    const struct ascending_plan *plan = classes->plan;
    uint32_t rung = hop->memory;
    while (rung < plan->count &&
           plan->rungs[rung].is_global != plan->is_global[hop->channel])
        rung++;
    assert(rung < plan->count);
    *next = rung + 1;
    return UINT64_C(1) << plan->rungs[rung].class;
}

const struct nb_vc_rule nb_vc_rule_ascending = {
    .name = "ascending",
    .summary = "next hop of its kind",
    .source = "Benito2020, section 3.2.3",
    .needs_shape = true,
    .suits = ascending_suits,
    .build = ascending_build,
    .find = ascending_find,
};
