/* Necessary case: a bound on the worst case of every minimal routing. */
#ifndef NB_BOUNDS_NECESSARY_CASE_H
#define NB_BOUNDS_NECESSARY_CASE_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "load/sides.h"
#include "routing/routing.h"

NB_PUBLIC_BEGIN

/*
 * Sides that cover all pairs for which the channel is necessary: no permutation
 * has more such pairs than the cover has sides, and one has that many (Koenig).
 * Owns cover.
 */
struct nb_necessary_bound {
    uint32_t channel, source, target; /* with the routers at its ends */
    uint32_t orbit_size;
    size_t size;        /* claimed number of sides in the cover */
    size_t cover_count; /* number of sides listed; equals size if the claim is
                         * correct */
    uint32_t *cover;    /* [cover_count] a source s as s, a destination as
                         * sides.count + s */
};

/*
 * The bound: traffic between the matched pairs must all cross the worst
 * channel, on any shortest paths. Zero-initialised is valid and empty; owns its
 * arrays.
 */
struct nb_necessary_case {
    struct nb_sides sides;
    size_t bound_count;
    struct nb_necessary_bound *bounds; /* one per focus channel */
    size_t worst;                      /* index into bounds */
    uint32_t *match; /* [sides] each source's destination; NB_NONE: none */
    int64_t load;    /* on the worst channel at unit rate; no minimal routing
                      * can load it less */
    struct nb_enclosure throughput; /* bandwidth / load per terminal; +inf if
                                     * no channel is necessary for any pair */
};

/*
 * Maximum matching of every focus channel's necessary pairs; the worst channel
 * is the first of greatest size / bandwidth.
 *
 *     Theta_wc <= min_c b_c / (p |M_c|),   p terminals at each side's router
 *
 * routing  adaptive and minimal: its step lists every channel on a shortest
 *          path (any-minimal)
 *
 * Errors: NB_INVALID for another scheme; NB_NO_MEMORY; those of
 * nb_routing_check.
 * Source: [Singh2005, section A.2, Algorithm 2].
 */
enum nb_status nb_necessary_case_find(const struct nb_routing *routing,
                                      const struct nb_run *run,
                                      struct nb_necessary_case *out,
                                      struct nb_error *err);

void nb_necessary_case_release(struct nb_necessary_case *found);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Checks a claimed answer without solving anything. The matching is valid; all
 * shortest paths of its pairs cross the worst channel (recomputed), and it has
 * one pair per side of the channel's cover. Every focus channel's cover has the
 * size claimed and covers its pairs. No size per bandwidth exceeds the worst
 * channel's, nor does an earlier one equal it. What holds for a focus channel
 * holds for its orbit, since automorphisms keep shortest paths. Load and
 * throughput are set from the checked values.
 *
 * Errors: NB_REFUTED naming the channel, and the pair if one fails.
 */
enum nb_status nb_necessary_case_check(const struct nb_routing *routing,
                                       const struct nb_run *run,
                                       struct nb_necessary_case *claimed,
                                       struct nb_error *err);

NB_INTERNAL_END

#endif
