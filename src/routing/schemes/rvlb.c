/*
 * rvlb: Valiant's two phases, restricted: between routers that share a part of
 * the network (the group of a Dragonfly, the dimensions of a HyperX in which
 * they differ, the smallest subtree of a fat tree) the intermediate router is
 * drawn evenly from that part; otherwise as the policy specifies. Each phase is
 * min.
 * Source: [Benito2020, section 5.2].
 */
#include "core/try.h"
#include "routing/group_ways.h"
#include "routing/two_phase.h"

static enum nb_status rvlb_build(struct nb_routing *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_two_phase_build(out, "min", NULL, err));
    NB_TRY(nb_group_ways_build(out, true, err));
done:
    return status;
}

static const struct nb_parameter rvlb_parameters[] = {
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_rvlb = {
    .kind = { .name = "rvlb",
              .summary =
                  "restricted Valiant: within the part that both ends share",
              .detail = "Draws the intermediate router from the part of the "
                        "network that source and destination share.",
              .parameters = rvlb_parameters },
    .examples = "rvlb@fattree:k=2,n=3 rvlb@hyperx:3x2x2,p=1 "
                "rvlb:policy=-gl@dragonfly:h=1 rvlb@clos:down=2x2x2,up=1x2 "
                "rvlb@dragonfly:h=1,fail=random:1",
    .build = rvlb_build,
};
