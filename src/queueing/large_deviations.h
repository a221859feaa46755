/* Large deviations: bounds and estimates of the tail of a sum of independent
 * variables from their generating functions. */
#ifndef NB_QUEUEING_LARGE_DEVIATIONS_H
#define NB_QUEUEING_LARGE_DEVIATIONS_H

#include "queueing/distribution_mix.h"

/* S = X_1 + ... + X_count; the same distribution may occur several times, best
 * in succession. Or, with mix, a mixture of sums of these distributions by
 * index: a single z then serves all of its sums, so the bound is not the sum of
 * their separate minima; distributions that the mixture does not use still
 * limit z. */
struct nb_distribution_sum {
    const struct nb_distribution *const *distributions; /* [count], not cut */
    size_t count;                                       /* >= 1 */
    const struct nb_distribution_mix *mix;              /* or NULL */
};

struct nb_deviation {
    double chernoff;    /* an upper bound of P(S >= n), rounded upward */
    double bahadur_rao; /* an estimate of it, at most 1 */
};

NB_INTERNAL_BEGIN

/*
 * Bound and estimate of P(S >= n). With X_i(z) the generating functions, z0 > 1
 * the least of their poles and 1 < z < z0,
 *
 *     P(S >= n) <= z^-n prod X_i(z),
 *
 * (for a mix the mean of such products). It is least where the tilted
 * distribution, P(S = m) z^m / prod X_i(z), has the mean n; with sigma its
 * standard deviation there,
 *
 *     P(S >= n) ~ (the bound) / ((1 - 1/z) sqrt(2 pi) sigma).
 *
 * Any z gives a bound, so only its rounding must be allowed for. Both are 1 for
 * n up to the mean of S, and 0 if S < n always.
 *
 * n  >= 0, a whole number
 *
 * Errors: NB_INVALID for an empty or cut distribution or another n;
 * NB_NO_MEMORY. Source: [Chernoff1952]; [BahadurRao1960].
 */
enum nb_status nb_deviation_at(const struct nb_distribution_sum *sum, double n,
                               struct nb_deviation *out, struct nb_error *err);

/* The same for several n. Each search starts from the result of the last one,
 * so close values of n should be adjacent. n, out  [count] */
enum nb_status nb_deviations_at(const struct nb_distribution_sum *sum,
                                const double *n, size_t count,
                                struct nb_deviation *out, struct nb_error *err);

/*
 * The least n whose Chernoff bound is below overflow.
 *
 * overflow  in (0, 1]
 *
 * Errors: those of nb_deviation_at and nb_overflow_check; NB_NO_CONVERGENCE
 * beyond 2^53.
 */
enum nb_status nb_deviation_depth(const struct nb_distribution_sum *sum,
                                  double overflow, double *out,
                                  struct nb_error *err);

NB_INTERNAL_END

#endif
