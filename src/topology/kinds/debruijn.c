/*
 * De Bruijn network: words of n letters, from d letters. A channel leads one
 * way from each word to the d words that begin as it ends, except from a word
 * to itself.
 */
#include "topology/words.h"

static struct nb_words
debruijn_words(const struct nb_specification *specification)
{
    return (struct nb_words){
        .letters = (uint32_t)nb_specification_whole(specification, "degree"),
        .length = (uint32_t)nb_specification_whole(specification, "diameter"),
        .may_repeat = true,
    };
}

static enum nb_status
debruijn_build(const struct nb_specification *specification,
               struct nb_topology *out, struct nb_error *err)
{
    const struct nb_words words = debruijn_words(specification);
    return nb_words_build(&words, out, err);
}

static unsigned debruijn_symmetry(const struct nb_topology *topology,
                                  size_t index, uint32_t *router_map)
{
    const struct nb_words words = debruijn_words(&topology->specification);
    return nb_words_symmetry(&words, index, router_map);
}

static const struct nb_parameter debruijn_parameters[] = {
    NB_PARAMETER("degree", WHOLE, NULL,
                 "alphabet size; also the channels out of nearly every router",
                 .also = "d", .is_leading = true, .least = 2, .most = 1000),
    NB_PARAMETER_WORDS,
    { 0 },
};

const struct nb_topology_kind nb_topology_debruijn = {
    .kind = { .name = "debruijn",
              .aliases = "de-bruijn",
              .summary = "degree d, diameter n",
              .detail =
                  "One-way channels: d out of each router, except for a few "
                  "routers with fewer; no two routers are further apart than "
                  "n hops.",
              .family = NB_FAMILY_GRAPHS,
              .parameters = debruijn_parameters },
    .examples = "debruijn:2,diameter=3 debruijn:3,diameter=2,terminals=2 "
                "debruijn:2,diameter=4",
    .build = debruijn_build,
    .diameter = nb_words_diameter,
    .symmetry = debruijn_symmetry,
};
