/* Single worst: the worst permutation of a scheme with one path per pair, or
 * one per address, by matchings of the pairs that share a channel. */
#ifndef NB_BOUNDS_SINGLE_WORST_H
#define NB_BOUNDS_SINGLE_WORST_H

#include "core/ratio.h"
#include "load/single_paths.h"

struct nb_single_worst {
    uint32_t channel;      /* NB_NONE: no channel carries a path */
    struct nb_ratio load;  /* number of a terminal permutation's pairs that
                            * cross it; a pair counts by the share of its paths
                            * that do */
    struct nb_ratio share; /* load / bandwidth, the greatest of all channels */
    size_t matchings;      /* number of matchings needed */
};

/*
 * max over channels of max over permutations of load / bandwidth: for each
 * channel the largest set of pairs of terminals that cross it with no common
 * source or destination. Channels are tried from the greatest bound on,
 *
 *     min(sources, destinations over it) / bandwidth,
 *
 * until the bound is not above the maximum found. If pairs have several paths,
 * the set is that of greatest weight, and in the bound each end counts by the
 * greatest weight of its pairs.
 *
 * Errors: NB_OVERFLOW if more than 65,535 routers have terminals; NB_NO_MEMORY.
 * Source: [TowlesDally2002, Theorem 2].
 */
enum nb_status nb_single_worst_find(const struct nb_single_paths *paths,
                                    struct nb_single_worst *out,
                                    struct nb_error *err);

#endif
