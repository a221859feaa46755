/* Sampled loads: what a traffic matrix puts on every channel, from paths drawn
 * at random, for schemes with too many states to go through. */
#ifndef NB_LOAD_PATH_SAMPLE_H
#define NB_LOAD_PATH_SAMPLE_H

#include "core/public.h"
#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/* The paths drawn for each pair of routers; the same seed draws the same. */
struct nb_path_sample {
    uint32_t paths; /* 2 .. NB_MOST_PATHS */
    uint64_t seed;
};

#define NB_MOST_PATHS     1e8
#define NB_MOST_ALL_PATHS 1e11

/*
 * Refuses more paths than anybody waits for.
 *
 * pairs  that paths are drawn for
 *
 * Errors: NB_INVALID.
 */
enum nb_status nb_path_sample_check(const struct nb_path_sample *sample,
                                    double pairs, struct nb_error *err);

/*
 * The loads of nb_channel_loads, estimated:
 *
 *     gamma_c ~ sum_ij rate(i, j) (crossings by the pair's paths) / paths
 *
 * Drawing the same number of paths for every pair, instead of packets of the
 * traffic, leaves no chance to the choice of pairs. Channels that symmetry of
 * network, scheme and traffic makes alike have one load: the mean of theirs.
 * Each interval holds with probability NB_CONFIDENCE (load/confidence.h), that
 * of share for the greatest of all loads. Owns its arrays; zero-initialised is
 * valid and empty.
 * Source: [TowlesDally2002, section 3.5, last paragraph, and section 4.1].
 */
struct nb_sampled_loads {
    size_t channel_count;
    size_t orbit_count;       /* sets of channels alike */
    double paths;             /* drawn in all */
    struct nb_interval *load; /* [channel_count] [packets/cycle] */
    double *standard_error;   /* [channel_count] of the value */
    struct nb_interval mean_hops;
    /* The greatest load per bandwidth, and the first channel that has it by
     * the estimates. */
    struct nb_interval share;
    uint32_t worst_channel;
};

/*
 * Errors: NB_INVALID as nb_path_sample_check, or if a path is none the scheme
 * should take; NB_NO_MEMORY.
 */
enum nb_status nb_sampled_loads_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     const struct nb_path_sample *sample,
                                     const struct nb_run *run,
                                     struct nb_sampled_loads *out,
                                     struct nb_error *err);

void nb_sampled_loads_release(struct nb_sampled_loads *loads);

NB_PUBLIC_END

#endif
