/* Worst case: the permutation that loads a channel most, with its proof. */
#ifndef NB_BOUNDS_WORST_CASE_H
#define NB_BOUNDS_WORST_CASE_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "load/sides.h"
#include "routing/routing.h"

NB_PUBLIC_BEGIN

/*
 * An upper bound on one focus channel's load under any admissible traffic:
 *
 *     sum_i r_i + sum_j c_j   with   r_i + c_j >= gamma_c(i, j),
 *     every r_i >= 0, c_j >= 0
 *
 * where the duals r, c are whole numbers over denominator (exact) or doubles.
 * Without its own duals (row = NULL), the bound is the lesser of the sums of
 * row maxima and of column maxima, and does not exceed the worst channel's load
 * per bandwidth. Owns its arrays.
 */
struct nb_channel_bound {
    uint32_t channel, source, target; /* with the routers at its ends */
    uint32_t orbit_size;
    bool has_duals, is_exact;
    int64_t denominator;
    int64_t *row;      /* [sides] exact */
    int64_t *column;   /* [sides] */
    double *row_value; /* [sides] not exact */
    double *column_value;
    struct nb_enclosure load; /* the bound; equals the maximum if it has
                               * duals, else lower = 0 */
};

/*
 * The answer for a routing scheme: max over channels of
 * max over permutations of load / bandwidth.
 *
 * Zero-initialised is valid and empty; owns its arrays.
 */
struct nb_worst_case {
    struct nb_sides sides;
    size_t bound_count;
    struct nb_channel_bound *bounds; /* one per focus channel */
    size_t worst;                    /* index into bounds */
    uint32_t *permutation;           /* [sides] column of each row */
    /* On the worst channel at unit rate. Not exact: on this channel or another
     * that rounding cannot distinguish from it, scaled to this bandwidth. */
    struct nb_enclosure load;
    /* Bandwidth / load per terminal, for the channels between routers only;
     * +inf if nothing is loaded. */
    struct nb_enclosure throughput;
};

/*
 * Theta_wc = min_c b_c / gamma_c,max over doubly stochastic traffic; a
 * permutation attains it. The worst channel is the first of greatest load per
 * bandwidth.
 *
 * Errors: NB_NO_MEMORY, before anything is allocated if the matrices do not
 * fit; those of nb_pair_loads_find and nb_routing_check.
 * Source: [TowlesDally2002, Theorems 1-3].
 */
enum nb_status nb_worst_case_find(const struct nb_routing *routing,
                                  const struct nb_run *run,
                                  struct nb_worst_case *out,
                                  struct nb_error *err);

void nb_worst_case_release(struct nb_worst_case *worst);

/* Shared by solving and checking. */

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Checks a claimed answer without solving anything. The permutation is valid
 * and loads the worst channel as claimed; every channel's loads (recomputed)
 * stay below the duals of its focus channel, mapped by symmetry; a bound
 * without duals is that of the maxima; no bound exceeds the worst channel's
 * load per bandwidth, except by rounding where values are not exact. Sums,
 * brackets and throughputs are set from the checked values.
 *
 * Above NB_CHECKED_CELLS matrix cells only the focus channels are checked and
 * the symmetry of the scheme is taken as declared; all_channels (out): whether
 * all were.
 *
 * Errors: NB_REFUTED naming the channel and pair that fail.
 */
enum nb_status nb_worst_case_check(const struct nb_routing *routing,
                                   const struct nb_run *run,
                                   struct nb_worst_case *claimed,
                                   bool *all_channels, struct nb_error *err);

/* Number of focus channels whose matrices are held at once. */
size_t nb_worst_batch_size(const struct nb_routing *routing,
                           const struct nb_sides *sides, size_t focus_count);

/* Allocates the duals according to is_exact. Errors: NB_NO_MEMORY. */
enum nb_status nb_channel_bound_reserve(struct nb_channel_bound *bound,
                                        size_t sides, struct nb_error *err);

/* The lesser of the sums of row maxima and column maxima of a matrix, as an
 * upper bound: exact ratio times multiplicity, or a double rounded up.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_bound_by_maxima(const struct nb_pair_loads *loads,
                                  uint32_t multiplicity, struct nb_ratio *exact,
                                  double *upper, struct nb_error *err);

/*
 * The same matrix with wider bounds (cells shared). Channels of one orbit have
 * the same loads, but their doubles may round differently; bounds made for the
 * focus channel must lie above those that a check computes for the rest: (1 +
 * e)^2 / (1 - e) < 1 + 4 e.
 */
struct nb_pair_loads nb_pair_loads_widen(const struct nb_pair_loads *loads);

/* A matrix cell's upper bound in doubles, and its lower one. */
double nb_pair_load_upper(const struct nb_pair_loads *loads, size_t i,
                          size_t j);
double nb_pair_load_lower(const struct nb_pair_loads *loads, size_t i,
                          size_t j);

NB_INTERNAL_END

#endif
