/* Worst case of unbalanced traffic: the injection rate up to which a channel
 * cannot be overloaded, with its proof. */
#ifndef NB_BOUNDS_UNBALANCED_H
#define NB_BOUNDS_UNBALANCED_H

#include "core/ratio.h"

#include <stddef.h>
#include <stdint.h>

/* When a channel is saturated. The two definitions differ where traffic can
 * load it up to its bandwidth but not beyond, like a channel to a leaf that
 * receives up to 1. */
enum nb_overload {
    NB_OVERLOAD_MEETS,   /* its load is at least its bandwidth: section 2.1 of
                          * [TowlesDally2002] */
    NB_OVERLOAD_EXCEEDS, /* its load exceeds its bandwidth; the same where
                          * destinations receive less than 1, never exactly 1 */
};

/* Traffic from a source (row) to a destination (column). */
struct nb_unbalanced_flow {
    uint32_t row;
    uint32_t column;
    struct nb_ratio amount; /* [packets/cycle], > 0 */
};

/*
 * The answer and its certificate, in which T(alpha) is the greatest load
 * defined at nb_unbalanced_rate and B the bound given there. Owns its arrays.
 * Release: nb_unbalanced_release.
 *
 * duals  u_i + v_j >= w_ij and u, v >= 0 always. If the rate is finite,
 *        rate sum(u) + sum(v) = B, so T(rate) <= B; if it is infinite, u = 0
 *        and sum(v) <= B, so T <= B everywhere (MEETS: < B).
 * flows  if the rate is finite: x_ij > 0 with row sums <= rate, column sums
 *        <= 1 and sum(w x) = B, so T(rate) >= B, and as T grows strictly up
 *        to its maximum, T < B below the rate, and T > B beyond it unless B is
 *        that maximum. Only pairs with w > 0, by row, then in the order of the
 *        entries. None if it is infinite.
 */
struct nb_unbalanced {
    struct nb_ratio rate; /* [packets/cycle] per source; may be +inf */
    size_t n;
    int64_t *row_dual;    /* n */
    int64_t *column_dual; /* n */
    size_t flow_count;
    struct nb_unbalanced_flow *flows; /* flow_count */
};

NB_INTERNAL_BEGIN

/*
 * The injection rate up to which no unbalanced traffic saturates a channel:
 * every source sends at most alpha, every destination receives at most 1.
 *
 *     T(alpha) = max { sum w x : sum_j x_ij <= alpha, sum_i x_ij <= 1,
 *                      x >= 0 }
 *     rate     = sup { alpha : T(alpha) < B }   (NB_OVERLOAD_MEETS)
 *     rate     = max { alpha : T(alpha) <= B }  (NB_OVERLOAD_EXCEEDS)
 *
 * n       1 .. 2^30
 * weight  n x n, row-major; load of pair (i, j) on the channel, in units of
 *         1/D, each 0 .. (2^62 - 1) / n
 * bound   B, the bandwidth in the same units (bandwidth times D), >= 0; may
 *         be +inf
 * out     zero-initialised or released; unchanged on failure
 *
 * The result depends only on the arguments.
 *
 * Errors: NB_INVALID if n, a weight's sign or the bound is out of range;
 * NB_OVERFLOW if a weight is above its limit or an intermediate rate does not
 * fit a ratio of 64-bit integers; NB_NO_MEMORY.
 * Source: unbalanced throughput, [TowlesDally2002, sec. 2.1]; Newton's method
 * on a parametric optimum, [Dinkelbach1967].
 */
enum nb_status nb_unbalanced_rate(size_t n, const int64_t *weight,
                                  struct nb_ratio bound,
                                  enum nb_overload overload,
                                  struct nb_unbalanced *out,
                                  struct nb_error *err);

/*
 * The same for a matrix given by its entries; all other weights are 0.
 *
 * row_start  n + 1; row i has the entries row_start[i] .. row_start[i+1] - 1,
 *            row_start[0] = 0, never decreasing
 * column     of each entry, 0 .. n - 1, distinct within a row, any order
 * weight     of each entry, range as above; 0 is allowed
 *
 * Errors: also NB_INVALID if the entries are not of this form.
 */
enum nb_status
nb_unbalanced_rate_sparse(size_t n, const size_t *row_start,
                          const uint32_t *column, const int64_t *weight,
                          struct nb_ratio bound, enum nb_overload overload,
                          struct nb_unbalanced *out, struct nb_error *err);

/* Frees the arrays; accepts a zero-initialised object, twice. */
void nb_unbalanced_release(struct nb_unbalanced *unbalanced);

NB_INTERNAL_END

#endif
