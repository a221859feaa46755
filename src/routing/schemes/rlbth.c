/*
 * rlbth: rlb that takes the shorter direction in dimensions where the distance
 * is below a quarter of the radix.
 * Source: [Singh2005, sections 3.1 and 3.2.1].
 */
#include "routing/parameters.h"
#include "routing/two_phase.h"

static enum nb_status rlbth_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    return nb_two_phase_build_in_quadrant(
        out, nb_specification_text(given, "threshold"), "split",
        nb_specification_is(given, "backtracking", "yes"), err);
}

static const struct nb_parameter rlbth_parameters[] = {
    NB_PARAMETER_ORDER("random"),
    NB_PARAMETER_THRESHOLD("1/4"),
    NB_PARAMETER_BACKTRACKING,
    { 0 },
};

const struct nb_routing_kind nb_routing_rlbth = {
    .kind = { .name = "rlbth",
              .aliases = NULL,
              .summary = "rlb, with shortest paths to near destinations",
              .family = NB_FAMILY_GRIDS,
              .parameters = rlbth_parameters },
    .examples = "rlbth@ring:8 rlbth@torus:5x4 rlbth:fixed@torus:6x3",
    .build = rlbth_build,
};
