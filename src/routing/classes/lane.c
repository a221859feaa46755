/* lane: forwarding tables, where the virtual lane of each hop is read. Whoever
 * made them may have kept packets from waiting in a circle, or not. */
#include "routing/table_ways.h"
#include "routing/vc_classes.h"

static bool lane_suits(const struct nb_routing *routing,
                       const struct nb_route_shape *shape)
{
    (void)shape;
    return nb_is_table_ways(routing);
}

static enum nb_status lane_build(struct nb_vc_classes *out,
                                 const struct nb_route_shape *shape,
                                 uint64_t *count, struct nb_error *err)
{
    (void)shape, (void)err;
    *count = nb_table_ways_layers(out->routing);
    return NB_OK;
}

static uint64_t lane_find(const struct nb_vc_classes *classes,
                          const struct nb_vc_hop *hop, uint32_t *next)
{
    *next = hop->memory;
    return UINT64_C(1) << nb_table_ways_layer(classes->routing, hop->state,
                                              hop->router, hop->destination);
}

const struct nb_vc_rule nb_vc_rule_lane = {
    .name = "lane",
    .summary = "virtual lanes of forwarding tables",
    .source = "",
    .is_unprotected = true,
    .suits = lane_suits,
    .build = lane_build,
    .find = lane_find,
};
