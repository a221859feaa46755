/*
 * val: Valiant's two phases. A packet goes to an intermediate router drawn
 * evenly from all routers with terminals, or from those that a policy selects,
 * then to its destination; each phase is dor on networks with coordinates and
 * min elsewhere.
 */
#include "core/try.h"
#include "routing/group_ways.h"
#include "routing/parameters.h"
#include "routing/two_phase.h"

static enum nb_status val_build(struct nb_routing *out, struct nb_error *err)
{
    struct nb_text phase = { 0 };
    const char *order = nb_specification_text(&out->specification, "order");
    const char *ties = nb_specification_text(&out->specification, "ties");
    enum nb_status status = NB_OK;
    if (out->topology->grid.dimensions > 0)
        nb_text_print(&phase, "dor:order=%s,ties=%s", order, ties);
    else if (nb_specification_is(&out->specification, "order", "fixed") &&
             nb_specification_is(&out->specification, "ties", "split"))
        nb_text_print(&phase, "min");
    else
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing val: order=%s,ties=%s need coordinates; "
                       "topology %s has none (permitted there: val)",
                       order, ties, out->topology->kind->kind.name));
    NB_TRY(nb_text_check(&phase, err));
    NB_TRY(nb_two_phase_build(out, phase.bytes, NULL, err));
    NB_TRY(nb_group_ways_build(out, false, err));
done:
    nb_text_release(&phase);
    return status;
}

static const struct nb_parameter val_parameters[] = {
    NB_PARAMETER_ORDER("fixed"),
    NB_PARAMETER_TIES,
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_val = {
    .kind = { .name = "val",
              .aliases = "valiant vlb",
              .summary = "Valiant: through a random router",
              .detail =
                  "Draws the intermediate router uniformly; on networks of "
                  "groups, as policy says.",
              .parameters = val_parameters },
    .examples = "val@ring:5 val@torus:4x3 val:ties=parity@torus:4x4 "
                "val:order=random@mesh:3x3 val@hypercube:3 val@complete:5 "
                "val@ccc:3 val@fattree:k=2,n=2 vlb:policy=-g-@hyperx:3x3,p=1 "
                "vlb:policy=-gl,destination-group=no@hyperx:2x3x2,p=2 "
                "vlb:policy=lg-,source-group=yes@hyperx:3x3,p=1 "
                "vlb:source-group=no@hyperx:2x3,p=1 "
                "vlb:policy=-g-,destination-group=no@dragonfly:h=2,a=2,p=1 "
                "vlb:policy=lg-@dragonfly:h=1,groups=2,trunking=2 "
                "val@dragonfly:h=1,fail=router:5 val@fattree:k=2,n=2,fail=0-2",
    .build = val_build,
};
