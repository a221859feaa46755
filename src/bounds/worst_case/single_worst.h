/* Single worst: the worst permutation of a scheme with one path for each pair,
 * by matchings of the pairs that share a channel. */
#ifndef NB_BOUNDS_SINGLE_WORST_H
#define NB_BOUNDS_SINGLE_WORST_H

#include "core/ratio.h"
#include "load/single_paths.h"

struct nb_single_worst {
    uint32_t channel;      /* NB_NONE: no path has any */
    uint64_t load;         /* pairs of a permutation of the terminals over it */
    struct nb_ratio share; /* load / bandwidth, the greatest of all channels */
    size_t matchings;      /* that it took */
};

/*
 * max over channels of max over permutations of load / bandwidth: of a channel
 * the most pairs of terminals over it of which no two have a source or a
 * destination in common. Channels are gone through from the greatest bound on,
 *
 *     min(sources, destinations over it) / bandwidth,
 *
 * up to one whose bound is not above what was found.
 *
 * Errors: NB_NO_MEMORY.
 * Source: [TowlesDally2002, Theorem 2].
 */
enum nb_status nb_single_worst_find(const struct nb_single_paths *paths,
                                    struct nb_single_worst *out,
                                    struct nb_error *err);

#endif
