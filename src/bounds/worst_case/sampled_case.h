/* Sampled case: the worst case of a scheme with too many states to enumerate,
 * estimated from paths drawn at random, with a confidence interval. */
#ifndef NB_BOUNDS_SAMPLED_CASE_H
#define NB_BOUNDS_SAMPLED_CASE_H

#include "core/public.h"
#include "core/parallel.h"
#include "load/path_sample.h"
#include "load/sides.h"

/*
 * The maximum-weight matching of an estimated matrix does not estimate the
 * worst case: it picks cells that chance has made large. So paths are drawn
 * twice.
 *
 * Paths of all pairs give every focus channel's estimated matrix. Its matching
 * gives a permutation; the channel is the one whose permutation has the
 * greatest load per bandwidth. The same paths bound the worst case from above:
 * it is the load of one permutation on one channel, and this choice is not
 * random, so that only that load's own upper limit must hold. The greatest
 * limit of any permutation on any channel, by a matching of cells with their
 * margins, is at least that. A third of the paths are for all pairs equally;
 * each other third is for the pairs that the limit depends on: random cells of
 * permutations whose limit is above the greatest estimate, on channels whose
 * limit is.
 *
 * Fewer new paths, only of that permutation's pairs, estimate its load on that
 * channel: share.value, without bias. Its lower limit bounds the worst case
 * from below. The interval is narrowest if the check has fewer paths: many
 * pairs share those of the search.
 *
 * With intermediate routers anywhere, all permutations load channels equally:
 * paths of all pairs are drawn once, as sampled loads of uniform traffic.
 *
 * Each side of the interval fails with probability at most (1 - NB_CONFIDENCE)
 * / 2, by the normal distribution (load/confidence.h). The upper one fails less
 * often: the matching adds up margins as if the cells that share paths erred
 * together, and it picks cells that chance has made large. Owns its arrays;
 * zero-initialised is valid and empty.
 */
struct nb_sampled_case {
    struct nb_sides sides;
    uint32_t *permutation; /* [sides] column of each row */
    uint32_t channel;
    struct nb_interval share; /* load per bandwidth, at unit rate */
    /* [channel] load of its worst permutation, mainly the upper limit; only one
     * channel of an orbit need have a value, the rest are 0. */
    struct nb_interval *load;
    uint32_t search_paths; /* per pair of routers, on average */
    uint32_t check_paths;  /* per pair of the permutation; 0: none */
};

NB_INTERNAL_BEGIN

/*
 * The bounds on max over channels and permutations of load / bandwidth.
 *
 * Errors: those of nb_pair_sample_init and nb_pair_estimates_find;
 * NB_NO_MEMORY.
 * Source: [TowlesDally2002, sections 3.2 to 3.5].
 */
enum nb_status nb_sampled_case_find(const struct nb_routing *routing,
                                    const struct nb_path_sample *sample,
                                    const struct nb_run *run,
                                    struct nb_sampled_case *out,
                                    struct nb_error *err);

void nb_sampled_case_release(struct nb_sampled_case *worst);

NB_INTERNAL_END

#endif
