/*
 * pb-recomp: piggyback with recomputation. As pb, but the decision is made
 * again, with another intermediate router, whenever the packet is blocked at
 * the head of its source's queue.
 * Source: [Benito2020, section 5.3].
 */
#include "routing/pb_ways.h"

static enum nb_status pb_recomp_build(struct nb_routing *out,
                                      struct nb_error *err)
{
    return nb_pb_ways_build(
        out, nb_specification_text(&out->specification, "policy"),
        sizeof(struct nb_pb_plan), err);
}

static const struct nb_parameter pb_recomp_parameters[] = {
    NB_PARAMETERS_PB,
    NB_PARAMETERS_UGAL,
    NB_PARAMETER_POLICY,
    NB_PARAMETER_RESTRICTED,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_pb_recomp = {
    .kind = { .name = "pb-recomp",
              .summary = "pb, decided again whenever the packet is blocked",
              .detail = "Decides again whenever the packet is blocked at its "
                        "source. Dragonflies.",
              .family = NB_FAMILY_GROUPS,
              .parameters = pb_recomp_parameters },
    .examples = "pb-recomp@dragonfly:h=1 "
                "pb-recomp:policy=-g-,delay=10@dragonfly:h=2,a=2,p=1",
    .is_adaptive = true,
    .is_asked_again = true,
    .heeds_buffers = true,
    .build = pb_recomp_build,
    .cost = nb_pb_ways_cost,
    .memory = nb_pb_ways_memory,
    .observe = nb_pb_ways_observe,
};
