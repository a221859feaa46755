/*
 * rlb: randomized local balance. Directions are drawn as by rdr, then an
 * intermediate router evenly from the quadrant that they span. Both phases keep
 * these directions, each with its own order of dimensions. With backtracking
 * both phases take shortest paths instead. Source: [Singh2005, sections 3.2 and
 * 3.3.3].
 */
#include "routing/parameters.h"
#include "routing/two_phase.h"

static enum nb_status rlb_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    return nb_two_phase_build_in_quadrant(
        out, nb_specification_text(given, "threshold"), "split",
        nb_specification_is(given, "backtracking", "yes"), err);
}

static const struct nb_parameter rlb_parameters[] = {
    NB_PARAMETER_ORDER("random"),
    NB_PARAMETER_THRESHOLD("0"),
    NB_PARAMETER_BACKTRACKING,
    { 0 },
};

const struct nb_routing_kind nb_routing_rlb = {
    .kind = { .name = "rlb",
              .aliases = NULL,
              .summary = "randomized local balance: through a random quadrant",
              .detail = "Draws a quadrant, then an intermediate router in it.",
              .family = NB_FAMILY_GRIDS,
              .parameters = rlb_parameters },
    .examples = "rlb@ring:6 rlb@ring:5 rlb@torus:4x3 rlb:fixed@torus:4x4 "
                "rlb:threshold=1/3@torus:5x4 rlb@torus:3x2x3 "
                "rlb:backtracking=yes@torus:4x3 rlb:backtracking=yes@ring:6 "
                "rlb:fixed,backtracking=yes@torus:4x4 rlb@mesh:3x3 "
                "rlb@hypercube:3",
    .build = rlb_build,
};
