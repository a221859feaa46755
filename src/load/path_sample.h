/* Sampled loads: the load of a traffic matrix on every channel, from paths
 * drawn at random, for schemes with too many states to enumerate. */
#ifndef NB_LOAD_PATH_SAMPLE_H
#define NB_LOAD_PATH_SAMPLE_H

#include "core/public.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/* The number of paths drawn for each pair of routers; equal seeds draw equal
 * paths. */
struct nb_path_sample {
    uint32_t paths; /* 2 .. NB_MOST_PATHS */
    uint64_t seed;
};

#define NB_MOST_PATHS     1e8
#define NB_MOST_ALL_PATHS 1e11

/*
 * The loads of nb_channel_loads, estimated:
 *
 *     gamma_c ~ sum_ij rate(i, j) (crossings by the pair's paths) / paths
 *
 * The same number of paths for every pair, instead of packets of the traffic,
 * makes the choice of pairs deterministic. Channels that a symmetry of network,
 * scheme and traffic maps to each other have the same load: the mean of their
 * estimates. Each interval holds with probability NB_CONFIDENCE
 * (load/confidence.h); that of share holds for the greatest of all loads. Owns
 * its arrays; zero-initialised is valid and empty.
 * Source: [TowlesDally2002, section 3.5, last paragraph, and section 4.1].
 */
struct nb_sampled_loads {
    size_t channel_count;
    size_t orbit_count;       /* number of orbits of channels */
    double paths;             /* number of paths drawn in total */
    struct nb_interval *load; /* [channel_count] [packets/cycle] */
    double *standard_error;   /* [channel_count] variance of the value */
    struct nb_interval mean_hops;
    /* The greatest load per bandwidth, and the first channel that has it by the
     * estimates. */
    struct nb_interval share;
    uint32_t worst_channel;
};

NB_INTERNAL_BEGIN

/*
 * Rejects a number of paths that would take too long.
 *
 * pairs  number of pairs that paths are drawn for
 *
 * Errors: NB_INVALID.
 */
enum nb_status nb_path_sample_check(const struct nb_path_sample *sample,
                                    double pairs, struct nb_error *err);

/*
 * Errors: NB_INVALID: that of nb_path_sample_check, or if a path is not one of
 * the scheme's; NB_NO_MEMORY.
 */
enum nb_status nb_sampled_loads_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     const struct nb_path_sample *sample,
                                     const struct nb_run *run,
                                     struct nb_sampled_loads *out,
                                     struct nb_error *err);

void nb_sampled_loads_release(struct nb_sampled_loads *loads);

NB_INTERNAL_END

#endif
