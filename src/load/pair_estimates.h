/* Pair estimates: how often packets of every source-destination pair cross
 * certain channels, from paths drawn at random. */
#ifndef NB_LOAD_PAIR_ESTIMATES_H
#define NB_LOAD_PAIR_ESTIMATES_H

#include "core/memory.h"
#include "core/parallel.h"
#include "load/path_sample.h"
#include "load/vertex_orbits.h"

/*
 * Shared by the estimates of several channels: pairs are those of endpoints
 * (the routers with terminals, in order). Pairs that an automorphism maps to
 * each other share their paths: those drawn for the destinations of an orbit
 * all go to its representative ("relative routing"), so that each path counts
 * for one pair per router of the orbit. Owns its arrays; zero-initialised is
 * valid and empty. The routing is borrowed.
 *
 * Source: [TowlesDally2002, sections 3.5 and 4.2].
 */
struct nb_pair_sample {
    const struct nb_routing *routing;
    struct nb_path_sample sample;
    struct nb_pool pool;
    unsigned most_crossings;
    size_t n;
    uint32_t *endpoint;    /* [n] */
    uint32_t *endpoint_of; /* [router] NB_NONE: none */
    uint32_t *paths;       /* [n * n] paths of a source and a representative */
    uint32_t *alike;       /* [n] number of endpoints in this one's orbit */
    struct nb_vertex_orbits orbits;
    size_t orbit_count; /* number of orbits of endpoints */
    size_t *orbit;      /* [2 * orbit_count] first and end in the order of
                         * routers in orbits */
    /* [target * routers + router] from nb_ways_to; NULL if paths may be
     * longer */
    uint32_t *distance;
};

/* Mean crossings per packet of one pair: a mean of independent variables, with
 * what its confidence interval needs. */
struct nb_pair_estimate {
    double mean;
    double variance; /* of the mean, estimated without bias */
    double slope;    /* nb_confidence_slope of an upper limit */
};

/* Errors: NB_INVALID: that of nb_path_sample_check; NB_NO_MEMORY. */
enum nb_status nb_pair_sample_init(const struct nb_routing *routing,
                                   const struct nb_path_sample *sample,
                                   struct nb_pair_sample *out,
                                   struct nb_error *err);

/* Sets the number of paths per pair, limited to what can be counted. */
void nb_pair_sample_resize(struct nb_pair_sample *sample, double paths);

/*
 * Adds paths to some pairs, evenly, and to those that share them; the paths
 * drawn before remain the first. If no pair is wanted, none is added.
 *
 * wanted  [n * n] pairs of endpoints
 * paths   number added, as a mean over all pairs
 */
void nb_pair_sample_refine(struct nb_pair_sample *sample, const bool *wanted,
                           double paths);
void nb_pair_sample_release(struct nb_pair_sample *sample);

/* Bytes of one channel's estimates. */
double nb_pair_estimates_bytes(const struct nb_pair_sample *sample);

/*
 * Estimates for several channels. Another call, for other channels, draws the
 * same paths again.
 *
 * With r the representative of a destination's orbit, automorphisms that keep r
 * map (source, channel) to others with the same expectation; the mean over this
 * set is used for each of them. The estimates of different pairs are
 * independent only if their destinations are of different orbits.
 *
 * channel   [channels]
 * estimate  out, [channels * n * n]; of channel c, endpoints i and j, at
 *           (c * n + i) * n + j
 *
 * Errors: those of nb_path_tally_draw.
 */
enum nb_status nb_pair_estimates_find(const struct nb_pair_sample *sample,
                                      size_t channels, const uint32_t *channel,
                                      const struct nb_run *run,
                                      struct nb_pair_estimate *estimate,
                                      struct nb_error *err);

#endif
