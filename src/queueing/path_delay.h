/* Path delay: the distribution of a packet's delay over the queues of its path,
 * or over several paths with given probabilities. */
#ifndef NB_QUEUEING_PATH_DELAY_H
#define NB_QUEUEING_PATH_DELAY_H

#include "core/enclosure.h"
#include "queueing/large_deviations.h"
#include "queueing/distribution.h"

/* Delay of one hop in addition to the cycle that it takes. Owns
 * distribution. */
struct nb_hop_delay {
    struct nb_distribution distribution;
    struct nb_enclosure mean, variance;
};

/*
 * One path: D = count + sum of its hops' delays, assumed to be independent. Or
 * many paths with the same number of hops; mix then gives the number of hops of
 * each kind. Owns hops and distributions (not what they point to), the contents
 * of mix, and the distribution of the sum.
 */
struct nb_delay_path {
    struct nb_ratio weight; /* in [0, 1]; 0: no packets, and no delay */
    size_t count;
    size_t kind_count;                /* count, or number of kinds of hops in
                                       * mix */
    const struct nb_hop_delay **hops; /* [kind_count] */
    const struct nb_distribution *
        *distributions;             /* [kind_count] those of the hops */
    struct nb_distribution_mix mix; /* share_count 0: there is one path */
    struct nb_distribution sum;
};

/* D of each path with its weight; the weights sum to 1. Zero-initialised with
 * path_count and paths set is valid. Owns paths. */
struct nb_delay {
    size_t path_count;
    struct nb_delay_path *paths;
};

NB_INTERNAL_BEGIN

/* Allocates a path of count hops, to be filled in, or count kinds of hops of
 * many paths, for which path->count must then be set too. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_delay_path_reserve(struct nb_delay_path *path, size_t count,
                                     struct nb_error *err);
void nb_delay_release(struct nb_delay *delay);

/* Whether no packet takes the path. */
bool nb_delay_path_is_empty(const struct nb_delay_path *path);

/* Mean and variance of D; the mean of one path, NAN without packets. */
struct nb_enclosure nb_delay_path_mean(const struct nb_delay_path *path);
struct nb_enclosure nb_delay_mean(const struct nb_delay *delay);
struct nb_enclosure nb_delay_variance(const struct nb_delay *delay);

/*
 * Chernoff's bound and Bahadur's and Rao's estimate of P(D >= d): the weighted
 * sum of those of each path (or mixture of paths: see struct
 * nb_distribution_sum).
 *
 * Errors: those of nb_deviation_at.
 */
enum nb_status nb_delay_deviation(const struct nb_delay *delay, double d,
                                  struct nb_deviation *out,
                                  struct nb_error *err);

/* The same for several d, as in nb_deviations_at. d, out  [count] */
enum nb_status nb_delay_deviations(const struct nb_delay *delay,
                                   const double *d, size_t count,
                                   struct nb_deviation *out,
                                   struct nb_error *err);

/*
 * The least d at which every path's Chernoff bound is below overflow, and the
 * least at which their weighted sum is.
 *
 * Errors: those of nb_deviation_depth.
 */
enum nb_status nb_delay_reach(const struct nb_delay *delay, double overflow,
                              double *every, double *sum, struct nb_error *err);

/*
 * Computes the distribution of every path up to d >= 1.
 *
 * Errors: NB_INVALID for another d; those of nb_distributions_convolve.
 */
enum nb_status nb_delay_convolve(struct nb_delay *delay, double d,
                                 struct nb_error *err);

/* P(D >= d) of one path, which has packets, and of all paths, for d up to that
 * of nb_delay_convolve; beyond that, or without it, the known bounds: [0, 1] at
 * worst. */
struct nb_bracket nb_delay_path_tail(const struct nb_delay_path *path,
                                     double d);
struct nb_bracket nb_delay_tail(const struct nb_delay *delay, double d);

/*
 * The quantile at 1 - overflow, the least d with P(D > d) <= overflow, of one
 * path or of all; NAN for a path without packets.
 *
 * path   NULL: all
 * reach  a d with P(D >= d) < overflow, such as that of nb_delay_reach;
 *        convolved so far. [0, +inf] if it is not finite
 */
struct nb_bracket nb_delay_quantile(const struct nb_delay *delay,
                                    const struct nb_delay_path *path,
                                    double overflow, double reach);

NB_INTERNAL_END

#endif
