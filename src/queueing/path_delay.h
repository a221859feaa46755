/* Path delay: the law of a packet's delay over the queues of its path, or of
 * one of several paths by their probabilities. */
#ifndef NB_QUEUEING_PATH_DELAY_H
#define NB_QUEUEING_PATH_DELAY_H

#include "core/enclosure.h"
#include "queueing/large_deviations.h"
#include "queueing/law.h"

/* What one hop adds to the cycle that it takes. Owns law. */
struct nb_hop_delay {
    struct nb_law law;
    struct nb_enclosure mean, variance;
};

/* One path: D = count + sum of its hops' delays, taken to be independent.
 * Owns hops and laws (not what they point to), and the law of the sum. */
struct nb_delay_path {
    struct nb_ratio weight; /* in (0, 1] */
    size_t count;
    const struct nb_hop_delay **hops; /* [count] */
    const struct nb_law **laws;       /* [count] those of hops */
    struct nb_law sum;
};

/* D of each path with its weight; the weights sum to 1. Zero-initialised with
 * path_count and paths set is valid. Owns paths. */
struct nb_delay {
    size_t path_count;
    struct nb_delay_path *paths;
};

/* Room for a path of count hops, to be set. Errors: NB_NO_MEMORY. */
enum nb_status nb_delay_path_reserve(struct nb_delay_path *path, size_t count,
                                     struct nb_error *err);
void nb_delay_release(struct nb_delay *delay);

/* Mean and variance of D; those of one path alone. */
struct nb_enclosure nb_delay_path_mean(const struct nb_delay_path *path);
struct nb_enclosure nb_delay_mean(const struct nb_delay *delay);
struct nb_enclosure nb_delay_variance(const struct nb_delay *delay);

/*
 * Chernoff's bound and Bahadur's and Rao's estimate of P(D >= d).
 *
 * Errors: as nb_deviation_at.
 */
enum nb_status nb_delay_deviation(const struct nb_delay *delay, double d,
                                  struct nb_deviation *out,
                                  struct nb_error *err);

/*
 * The least d at which every path's Chernoff bound is below overflow, and that
 * at which their weighted sum is.
 *
 * Errors: as nb_deviation_depth.
 */
enum nb_status nb_delay_reach(const struct nb_delay *delay, double overflow,
                              double *every, double *sum, struct nb_error *err);

/*
 * Finds the law of every path up to d >= 1.
 *
 * Errors: as nb_laws_convolve.
 */
enum nb_status nb_delay_convolve(struct nb_delay *delay, double d,
                                 struct nb_error *err);

/* P(D >= d) of one path and of all, d up to that of nb_delay_convolve. */
struct nb_bracket nb_delay_path_tail(const struct nb_delay_path *path,
                                     double d);
struct nb_bracket nb_delay_tail(const struct nb_delay *delay, double d);

/*
 * The least d with P(D >= d) < overflow, of one path or of all.
 *
 * path   NULL: all
 * reach  a d where this is so, as from nb_delay_reach; convolved so far
 */
struct nb_bracket nb_delay_depth(const struct nb_delay *delay,
                                 const struct nb_delay_path *path,
                                 double overflow, double reach);

#endif
