/*
 * sr: segment-based routing. Turns are prohibited segment by segment
 * (segments.h), and packets take shortest paths of the remaining turns.
 * Source: [MejiaEtAl2006].
 */
#include "core/try.h"
#include "routing/segments.h"

static enum nb_status sr_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    struct nb_segment_counts counts;
    struct nb_turns turns = { 0 };
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nb_turns_init(out->topology, &turns, err));
    NB_TRY(nb_segments_find(
        out->topology, nb_specification_is(given, "segments", "shortest"),
        (uint64_t)nb_specification_whole(given, "seed"), &turns, &counts, err));
    nb_routing_add_count(out, "subnets", counts.subnets);
    nb_routing_add_count(out, "segments",
                         counts.starting + counts.regular + counts.unitary);
    nb_routing_add_count(out, "starting_segments", counts.starting);
    nb_routing_add_count(out, "regular_segments", counts.regular);
    nb_routing_add_count(out, "unitary_segments", counts.unitary);
    nb_turns_tell(&turns, out);
    NB_TRY(nb_turn_ways_build(out, &turns, 1, NULL, err));
done:
    nb_turns_release(&turns);
    return status;
}

static const struct nb_parameter sr_parameters[] = {
    { .name = "segments",
      .help =
          "segments from a router: the shortest, or those of a random search",
      .type = NB_CHOICE,
      .initial = "shortest",
      .choices = "random|shortest" },
    { .name = "seed",
      .help = "seed of random segments",
      .type = NB_WHOLE,
      .initial = "1",
      .least = 0,
      .most = 0x1p53 },
    { 0 },
};

const struct nb_routing_kind nb_routing_sr = {
    .kind = { .name = "sr",
              .summary = "segment-based: shortest paths of permitted turns",
              .detail =
                  "Prohibits one turn in each segment of links. Needs a link "
                  "in each direction between neighbours.",
              .parameters = sr_parameters },
    .examples = "sr@ring:5 sr@mesh:3x3 sr:segments=random@mesh:4x4 "
                "sr:segments=random,seed=2@torus:3x4 sr@fattree:k=2,n=3 "
                "sr@dragonfly:h=2,p=1 sr@torus:4x3,fail=0-1+router:5 "
                "sr:segments=random@complete:5",
    .is_by_terminal = true,
    .build = sr_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
