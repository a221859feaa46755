/* Single paths: all paths of a scheme with one path per pair of routers, or one
 * for each address of a router, and their loads. Tables that leave pairs
 * unrouted are no error. */
#ifndef NB_LOAD_SINGLE_PATHS_H
#define NB_LOAD_SINGLE_PATHS_H

#include "routing/routing.h"

/* Owns its arrays; borrows the topology. Zero-initialised is valid and empty.
 */
struct nb_single_paths {
    const struct nb_topology *topology; /* its terminals are the ends */
    size_t count;                       /* routers with terminals */
    uint32_t *endpoint;                 /* [count] */
    /* [count * count + 1] for a pair by destination, then source, its channels
     * begin at channel[start[pair]]: those of `ways` paths, one after another,
     * each with an equal part of the pair's packets. */
    size_t *start;
    uint32_t *channel;
    uint32_t ways;
    size_t unrouted;   /* number of pairs of different routers that lack a path;
                        * they have no channels */
    uint32_t first[2]; /* the first one of them */
};

/*
 * Follows every pair.
 *
 * ends  the routing's network, perhaps with fewer terminals
 *
 * Errors: NB_INVALID if a pair has more than one path, naming it, other than to
 * the addresses of forwarding tables; those of nb_routing_check; NB_NO_MEMORY.
 */
enum nb_status nb_single_paths_find(const struct nb_routing *routing,
                                    const struct nb_topology *ends,
                                    struct nb_single_paths *out,
                                    struct nb_error *err);
void nb_single_paths_release(struct nb_single_paths *paths);

/* All-to-all: number of pairs of terminals whose path uses each channel, times
 * ways. load  [channel_count] out */
void nb_single_paths_load(const struct nb_single_paths *paths, uint64_t *load);

/*
 * Effective bisection bandwidth: the mean rate of a pair in random perfect
 * matchings of the terminals; both terminals of a pair send to each other at
 * once,
 *
 *     rate = min over channels of the pair's paths of bandwidth / pairs over
 * it,
 *
 * at most 1, the rate of a terminal. If their number is odd, one terminal is
 * left out; a pair that is not routed has rate 0.
 *
 * rate  [count] out, of each matching; independent
 *
 * Errors: NB_NO_MEMORY.
 * Source: [HoeflerSchneiderLumsdaine2008].
 */
enum nb_status nb_single_paths_bisection(const struct nb_single_paths *paths,
                                         uint64_t seed, size_t count,
                                         double *rate, struct nb_error *err);

#endif
