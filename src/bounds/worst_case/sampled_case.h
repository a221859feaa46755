/* Sampled case: the worst case of a scheme with too many states to go through,
 * estimated from paths drawn at random, with a confidence interval. */
#ifndef NB_BOUNDS_SAMPLED_CASE_H
#define NB_BOUNDS_SAMPLED_CASE_H

#include "core/public.h"
#include "core/parallel.h"
#include "load/path_sample.h"
#include "load/sides.h"

NB_PUBLIC_BEGIN

/*
 * The maximum-weight matching of an estimated matrix is no estimate of the
 * worst case: it picks what chance has made large. So paths are drawn twice.
 *
 * Those of all pairs give every focus channel's estimated matrix. Its matching
 * names a permutation, and the greatest of these, per bandwidth, the channel.
 * The same paths bound the worst case from above: it is the load of one
 * permutation on one channel, which chance does not choose, so that only that
 * load's own upper limit must hold; the greatest limit of any permutation on
 * any channel, by a matching of cells with their margins, is no less. A third
 * of the paths go to all pairs alike, each other third to the pairs that the
 * limit depends on: those left to chance in permutations whose limit is above
 * the greatest estimate, on channels where it is.
 *
 * Fewer paths in all, of the pairs of that permutation alone, estimate its load
 * on that channel: share.value, without bias. Its lower limit bounds the worst
 * case from below. The interval is narrowest if the check has less: many pairs
 * share what the search has.
 *
 * Intermediate routers anywhere make all permutations alike: paths of all pairs
 * are drawn once, as sampled loads of uniform traffic.
 *
 * Each side of the interval fails with probability (1 - NB_CONFIDENCE) / 2 at
 * most, by the normal distribution (load/confidence.h). The upper one fails
 * more seldom: the matching adds up margins as if the cells that share paths
 * were wrong together, and it picks what chance has made large. Owns its
 * arrays; zero-initialised is valid and empty.
 */
struct nb_sampled_case {
    struct nb_sides sides;
    uint32_t *permutation; /* [sides] column of each row */
    uint32_t channel;
    struct nb_interval share; /* load per bandwidth, at unit rate */
    /* [channel] its worst permutation's load, the upper limit above all; of
     * channels alike it may be that of one, all others being 0. */
    struct nb_interval *load;
    uint32_t search_paths; /* of each pair of routers, as a mean */
    uint32_t check_paths;  /* of each pair of the permutation; 0: none */
};

/*
 * The bounds on max over channels and permutations of load / bandwidth.
 *
 * Errors: as nb_pair_sample_init, nb_pair_estimates_find; NB_NO_MEMORY.
 * Source: [TowlesDally2002, sections 3.2 to 3.5].
 */
enum nb_status nb_sampled_case_find(const struct nb_routing *routing,
                                    const struct nb_path_sample *sample,
                                    const struct nb_run *run,
                                    struct nb_sampled_case *out,
                                    struct nb_error *err);

void nb_sampled_case_release(struct nb_sampled_case *worst);

NB_PUBLIC_END

#endif
