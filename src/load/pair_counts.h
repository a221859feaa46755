/* Pair counts: how many sampled paths of every source-destination pair cross
 * some channels. */
#ifndef NB_LOAD_PAIR_COUNTS_H
#define NB_LOAD_PAIR_COUNTS_H

#include "core/parallel.h"
#include "load/path_sample.h"
#include "load/vertex_orbits.h"

/*
 * What the counts of several channels have in common: pairs are those of
 * endpoints (the routers with terminals, in order). Pairs that an automorphism
 * makes alike share their paths: those drawn for the destinations of an orbit
 * all go to its representative ("relative routing"), so that each counts for
 * as many pairs as the orbit has routers. Owns its arrays; zero-initialised is
 * valid and empty. The routing is borrowed.
 * Source: [TowlesDally2002, sections 3.5 and 4.2].
 */
struct nb_pair_sample {
    const struct nb_routing *routing;
    struct nb_path_sample sample;
    unsigned most_crossings;
    size_t n;
    uint32_t *endpoint;    /* [n] */
    uint32_t *endpoint_of; /* [router] NB_NONE: none */
    uint32_t *paths;       /* [n] of each pair with this destination */
    struct nb_vertex_orbits orbits;
    size_t orbit_count; /* of endpoints */
    size_t *orbit;      /* [2 * orbit_count] first and end in orbits.order */
};

/*
 * Errors: NB_INVALID as nb_path_sample_check; NB_NO_MEMORY.
 */
enum nb_status nb_pair_sample_init(const struct nb_routing *routing,
                                   const struct nb_path_sample *sample,
                                   struct nb_pair_sample *out,
                                   struct nb_error *err);
void nb_pair_sample_release(struct nb_pair_sample *sample);

/* Bytes of one channel's counts. */
double nb_pair_counts_bytes(const struct nb_pair_sample *sample);

/*
 * Counts of several channels. Called again for others, the same paths are
 * drawn again.
 *
 * channel  [channels]
 * count    out, [channels * most_crossings * n * n], zeroed by the caller;
 *          of channel c, level m, endpoints i and j, at
 *          ((c * most_crossings + m) * n + i) * n + j: paths from i to j that
 *          cross the channel more than m times, out of paths[j]
 *
 * Errors: as nb_path_tally_draw.
 */
enum nb_status nb_pair_counts_find(const struct nb_pair_sample *sample,
                                   size_t channels, const uint32_t *channel,
                                   const struct nb_run *run, uint32_t *count,
                                   struct nb_error *err);

#endif
