/* Necessary case: a bound on the worst case of every minimal routing. */
#ifndef NB_BOUNDS_NECESSARY_CASE_H
#define NB_BOUNDS_NECESSARY_CASE_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "load/necessary.h"
#include "load/sides.h"
#include "routing/routing.h"

NB_PUBLIC_BEGIN

/*
 * Sides that cover every pair which the channel is necessary for: no
 * permutation has more such pairs than the cover has sides, and one has as
 * many (Koenig). Owns cover.
 */
struct nb_necessary_bound {
    uint32_t channel;
    uint32_t orbit_size;
    size_t size;        /* sides in the cover, claimed */
    size_t cover_count; /* sides listed; size, if the claim is right */
    uint32_t *cover;    /* [cover_count] a source s as s, a destination as
                         * sides.count + s */
};

/*
 * The bound: traffic between the matched pairs must all cross the worst
 * channel, whatever shortest paths it takes. Zero-initialised is valid and
 * empty; owns its arrays.
 */
struct nb_necessary_case {
    struct nb_sides sides;
    size_t bound_count;
    struct nb_necessary_bound *bounds; /* one per focus channel */
    size_t worst;                      /* index into bounds */
    uint32_t *match; /* [sides] each source's destination; NB_NONE: none */
    int64_t load;    /* on the worst channel at unit rate, the least any
                      * minimal routing can put there */
    struct nb_enclosure throughput; /* bandwidth / load per terminal; +inf if
                                     * no channel is necessary for any pair */
};

/*
 * Maximum matching of every focus channel's necessary pairs; the worst
 * channel is the first of greatest size / bandwidth.
 *
 *     Theta_wc <= min_c b_c / (p |M_c|),   p terminals at each side's router
 *
 * routing  a scheme whose step lists every channel on a shortest path
 *          (any-minimal)
 *
 * Errors: NB_NO_MEMORY; as nb_routing_check.
 * Source: [Singh2005, section A.2, Algorithm 2].
 */
enum nb_status nb_necessary_case_find(const struct nb_routing *routing,
                                      const struct nb_run *run,
                                      struct nb_necessary_case *out,
                                      struct nb_error *err);

void nb_necessary_case_release(struct nb_necessary_case *found);

/*
 * Checks a claimed answer without solving anything: the matching is one, of
 * pairs all of whose shortest paths cross the worst channel (recomputed), as
 * many as its cover has sides; every focus channel's cover has the size
 * claimed and covers its pairs; no size per bandwidth exceeds the worst
 * channel's, nor reaches it before. What holds for a focus channel holds for
 * its orbit, since automorphisms keep shortest paths. Load and throughput are
 * set from what was checked.
 *
 * Errors: NB_REFUTED naming the channel, and the pair if one fails.
 */
enum nb_status nb_necessary_case_check(const struct nb_routing *routing,
                                       const struct nb_run *run,
                                       struct nb_necessary_case *claimed,
                                       struct nb_error *err);

NB_PUBLIC_END

#endif
