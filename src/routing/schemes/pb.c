/*
 * pb: piggyback. As ugal, but a packet takes a detour if the first global
 * channel of its straight path is saturated.
 */
#include "routing/pb_ways.h"

static enum nb_status pb_build(struct nb_routing *out, struct nb_error *err)
{
    return nb_pb_ways_build(out, NULL, sizeof(struct nb_pb_plan), err);
}

static const struct nb_parameter pb_parameters[] = {
    NB_PARAMETERS_PB,
    NB_PARAMETERS_UGAL,
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_pb = {
    .kind = { .name = "pb",
              .summary = "piggyback: ugal with flags of saturated channels",
              .detail = "Takes a detour where a global channel of the group is "
                        "saturated. Dragonflies.",
              .family = NB_FAMILY_GROUPS,
              .parameters = pb_parameters },
    .examples = "pb@dragonfly:h=1 pb:policy=-g-@dragonfly:h=2,a=2,p=1 "
                "pb:delay=0,margin=0,candidates=2@dragonfly:h=1 "
                "pb:factor=2,delay=40@dragonfly:h=1,groups=2,trunking=2",
    .is_adaptive = true,
    .build = pb_build,
    .cost = nb_pb_ways_cost,
    .memory = nb_pb_ways_memory,
    .observe = nb_pb_ways_observe,
};
