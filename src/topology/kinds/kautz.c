/*
 * Kautz network: words of n letters, from d + 1 letters, where no letter
 * follows itself. A channel leads one way from each word to the d words that
 * begin as it ends. Except for a few degrees and diameters, no network with
 * more routers is known.
 */
#include "topology/words.h"

static struct nb_words kautz_words(const struct nb_specification *specification)
{
    return (struct nb_words){
        .letters =
            (uint32_t)nb_specification_whole(specification, "degree") + 1,
        .length = (uint32_t)nb_specification_whole(specification, "diameter"),
        .may_repeat = false,
    };
}

static enum nb_status kautz_build(const struct nb_specification *specification,
                                  struct nb_topology *out, struct nb_error *err)
{
    const struct nb_words words = kautz_words(specification);
    return nb_words_build(&words, out, err);
}

static unsigned kautz_symmetry(const struct nb_topology *topology, size_t index,
                               uint32_t *router_map)
{
    const struct nb_words words = kautz_words(&topology->specification);
    return nb_words_symmetry(&words, index, router_map);
}

static const struct nb_parameter kautz_parameters[] = {
    NB_PARAMETER("degree", WHOLE, NULL, "channels out of each router",
                 .also = "d", .is_leading = true, .least = 2, .most = 1000),
    NB_PARAMETER_WORDS,
    { 0 },
};

const struct nb_topology_kind nb_topology_kautz = {
    .kind = { .name = "kautz",
              .summary = "degree d, diameter n",
              .detail =
                  "One-way channels: d out of each router; no two routers "
                  "are further apart than n hops.",
              .family = NB_FAMILY_GRAPHS,
              .parameters = kautz_parameters },
    .examples = "kautz:2,diameter=2 kautz:2,diameter=3,terminals=2 "
                "kautz:3,diameter=2 kautz:4,diameter=1",
    .build = kautz_build,
    .diameter = nb_words_diameter,
    .symmetry = kautz_symmetry,
};
