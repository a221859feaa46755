/*
 * rlbth: rlb that takes the shorter way in dimensions where it is below a
 * quarter of the radix.
 * Source: [Singh2005, sections 3.1 and 3.2.1].
 */
#include "routing/two_phase.h"

static enum nb_status rlbth_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    return nb_two_phase_build_in_quadrant(
        out, nb_specification_text(given, "threshold"), "split",
        nb_specification_is(given, "backtracking", "yes"), err);
}

static const struct nb_parameter rlbth_parameters[] = {
    { .name = "order",
      .help = "order in which dimensions are corrected",
      .type = NB_CHOICE,
      .is_leading = true,
      .initial = "random",
      .choices = "fixed|random" },
    { .name = "threshold",
      .help = "go the shorter way below this fraction of the radix",
      .type = NB_NUMBER,
      .initial = "1/4",
      .least = 0,
      .most = 0.5 },
    { .name = "backtracking",
      .help = "both phases take shortest paths instead of the directions drawn",
      .type = NB_CHOICE,
      .initial = "no",
      .choices = "yes|no" },
    { 0 },
};

const struct nb_routing_kind nb_routing_rlbth = {
    .kind = { .name = "rlbth",
              .aliases = NULL,
              .summary = "rlb with shortest paths to near destinations",
              .parameters = rlbth_parameters },
    .examples = "rlbth@ring:8 rlbth@torus:5x4 rlbth:fixed@torus:6x3",
    .build = rlbth_build,
};
