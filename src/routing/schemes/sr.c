/*
 * sr: segment-based routing. Turns are prohibited segment by segment
 * (segments.h), and packets take shortest paths of the remaining turns.
 * Source: [MejiaEtAl2006].
 */
#include "core/try.h"
#include "routing/parameters.h"
#include "routing/segments.h"

static enum nb_segment_search
sr_search(const struct nb_specification *specification)
{
    static const char *const name[] = {
        [NB_SEGMENTS_SHORTEST] = "shortest",
        [NB_SEGMENTS_SHORTEST_DRAWN] = "shortest-drawn",
        [NB_SEGMENTS_RANDOM] = "random",
        [NB_SEGMENTS_WALK] = "walk",
    };
    unsigned search = NB_SEGMENTS_SHORTEST;
    while (!nb_specification_is(specification, "segments", name[search]))
        search++;
    return search;
}

static enum nb_status sr_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const struct nb_segment_rule rule = {
        .search = sr_search(given),
        .is_one_way = nb_specification_is(given, "unitary", "one-way"),
        .seed = (uint64_t)nb_specification_whole(given, "seed")
    };
    struct nb_segment_counts counts;
    struct nb_turns turns = { 0 };
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nb_turns_init(out->topology, &turns, err));
    NB_TRY(nb_segments_find(out->topology, &rule, &turns, &counts, err));
    nb_routing_add_count(out, "subnets", counts.subnets);
    nb_routing_add_count(out, "subnet_starts", counts.starts);
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
    NB_PARAMETER(
        "segments", CHOICE, "shortest",
        "segments from a router: the shortest, or those of a random search or "
        "walk",
        .detail =
            "shortest: routers and links by number. shortest-drawn: drawn "
            "routers, drawn links of equal distance. random: found by a search "
            "in random order. walk: random walks that visit no router twice.",
        .choices = "random|shortest|shortest-drawn|walk"),
    NB_PARAMETER("unitary", CHOICE, "both",
                 "turns prohibited at one end of a single link: to it and from "
                 "it, or only from it",
                 .detail = "one-way: fewer turns, but packets may wait for "
                           "each other in a cycle.",
                 .choices = "both|one-way"),
    NB_PARAMETER_SEED("drawn segments"),
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
                "sr:segments=random@complete:5 "
                "sr:segments=shortest-drawn,seed=3@torus:3x4 "
                "sr:segments=walk@mesh:4x4 sr:segments=walk@complete:5",
    .is_by_terminal = true,
    .build = sr_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
