/*
 * romm: two-phase randomized minimal routing. The intermediate router is drawn
 * evenly from the minimal quadrant. Both phases keep its directions, each with
 * its own order of dimensions. Source: [Singh2005, Table 2.1];
 * [TowlesDally2002, section 5].
 */
#include "routing/parameters.h"
#include "routing/two_phase.h"

static enum nb_status romm_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    return nb_two_phase_build_in_quadrant(
        out, "1/2", nb_specification_text(given, "ties"), false, err);
}

static const struct nb_parameter romm_parameters[] = {
    NB_PARAMETER_ORDER("random"),
    NB_PARAMETER_TIES,
    { 0 },
};

const struct nb_routing_kind nb_routing_romm = {
    .kind = { .name = "romm",
              .aliases = NULL,
              .summary = "minimal, through a random router of the quadrant",
              .family = NB_FAMILY_GRIDS,
              .parameters = romm_parameters },
    .examples = "romm@ring:6 romm@torus:4x3 romm:fixed@torus:4x4 "
                "romm:ties=plus@torus:4x4 romm:ties=parity@torus:4x4 "
                "romm@torus:3x2x4 romm@mesh:3x4 romm:fixed@mesh:3x3 "
                "romm@hypercube:3 "
                "romm@mesh:4,fail=router:3",
    .build = romm_build,
};
