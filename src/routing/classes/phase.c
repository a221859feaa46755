/*
 * phase: one class for each phase, where all routes of a phase go up, away
 * from the routers with terminals, and then down.
 */
#include "routing/route_shape.h"
#include "routing/vc_classes.h"

static bool phase_suits(const struct nb_routing *routing,
                        const struct nb_route_shape *shape)
{
    return shape->is_up_down && routing->topology->grid.dimensions == 0;
}

static enum nb_status phase_build(struct nb_vc_classes *out,
                                  const struct nb_route_shape *shape,
                                  uint64_t *count, struct nb_error *err)
{
    (void)shape, (void)err;
    *count = nb_vc_phases(out->routing);
    return NB_OK;
}

static uint64_t phase_find(const struct nb_vc_classes *classes,
                           const struct nb_vc_hop *hop, uint32_t *next)
{
    const uint32_t now = nb_vc_phase_enter(classes, hop);
    *next = now;
    return now != 0 ? 2 : 1;
}

const struct nb_vc_rule nb_vc_rule_phase = {
    .name = "phase",
    .summary = "up and down",
    .source = "",
    .rank = 2,
    .needs_shape = true,
    .suits = phase_suits,
    .forgets_phase = true,
    .build = phase_build,
    .find = phase_find,
};
