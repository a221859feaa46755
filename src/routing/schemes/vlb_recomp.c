/*
 * vlb-recomp: Valiant's two phases with recomputation. The intermediate router
 * is drawn as by rvlb, or by val with restricted=no, and again whenever the
 * packet is blocked at the head of its source's queue. It depends on what is
 * blocked, not on queue lengths.
 * Source: [Benito2020, section 5.3].
 */
#include "core/try.h"
#include "routing/group_ways.h"
#include "routing/two_phase.h"

static enum nb_status vlb_recomp_build(struct nb_routing *out,
                                       struct nb_error *err)
{
    const bool is_restricted =
        nb_specification_is(&out->specification, "restricted", "yes");
    enum nb_status status = NB_OK;
    NB_TRY(nb_two_phase_build(out, "min-adaptive", NULL, err));
    NB_TRY(nb_group_ways_build(out, is_restricted, err));
    nb_two_phase_draw(out, false, 1);
done:
    return status;
}

static const struct nb_parameter vlb_recomp_parameters[] = {
    NB_PARAMETER_RESTRICTED,
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_vlb_recomp = {
    .kind = { .name = "vlb-recomp",
              .summary = "Valiant, redrawn whenever the packet is blocked",
              .detail =
                  "Draws another intermediate router whenever the packet is "
                  "blocked at its source.",
              .parameters = vlb_recomp_parameters },
    .examples = "vlb-recomp@dragonfly:h=1 vlb-recomp@hyperx:3x3,p=1 "
                "vlb-recomp:restricted=no@complete:5 "
                "vlb-recomp:restricted=no,policy=-g-@dragonfly:h=2,a=2,p=1",
    .is_adaptive = true,
    .is_asked_again = true,
    .heeds_buffers = true,
    .build = vlb_recomp_build,
    .cost = nb_two_phase_no_cost,
};
