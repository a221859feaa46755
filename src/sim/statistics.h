/* Statistics: what a sample of a simulation shows, and how certainly. */
#ifndef NB_SIM_STATISTICS_H
#define NB_SIM_STATISTICS_H

#include "core/enclosure.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A mean and its 95 % interval; half_width is +inf with less than two batches
 * or if nothing was observed (mean is NAN then). */
struct nb_estimate {
    double mean;
    double half_width;
};

enum nb_extreme_kind { NB_LEAST, NB_LARGEST };

/* The sums for Jain's index over the estimates added. Zero-initialised has
 * none. */
struct nb_jain {
    size_t count;
    double sum, squares, error; /* error: of the squares of the half-widths */
};

/* Counts of whole numbers 0, 1, ..; those of size and above share the last
 * cell. Owns count. Zero-initialised is valid and empty. */
struct nb_histogram {
    size_t size;
    uint64_t *count; /* [size + 1] */
    uint64_t total;
};

NB_INTERNAL_BEGIN

/* The t of an interval: t_{count-1,(1+confidence)/2}, so that the mean of count
 * values lies within t s / sqrt(count), s^2 being their variance over count
 * - 1. +inf with less than two. confidence: in (0, 1). */
double nb_t_quantile(double confidence, size_t count);
/* What a t variable of count - 1 degrees exceeds with this chance; +inf with
 * less than two. chance: in (0, 1). */
double nb_t_tail(double chance, size_t count);

/*
 * Batch means: each batch is a sum over a number of observations, and the mean
 * is that of all observations, a ratio of sums:
 *
 *     r = sum_i y_i / sum_i w_i,    half-width t sqrt(k V) / sum_i w_i,
 *     V = sum_i (y_i - r w_i)^2 / (k - 1)
 *
 * by linearisation, for k batches and t = nb_t_quantile(confidence, k). Batches
 * of weight 0 are batches; but the half-width is +inf with less than two of
 * other weights.
 *
 * sum, weight  [count] y and w of each batch; weights >= 0 may differ
 *
 * Source: [LawKelton2000]: batch means, and the ratio of the
 * regenerative method.
 */
struct nb_estimate nb_estimate_ratio(const double *sum, const double *weight,
                                     size_t count, double confidence);
/* The same for values of equal weight. */
struct nb_estimate nb_estimate_mean(const double *value, size_t count,
                                    double confidence);

/* The interval of a quantity between 0 and `most`, cut to that range, except
 * that the value itself stays in it if chance has taken it above. All NAN if
 * nothing was observed. */
struct nb_interval nb_interval_of(struct nb_estimate estimate, double most);
/*
 * The interval of a mean time (or number of packets) that is the sum of a mean
 * wait and something known. Near saturation the standard error of a mean wait
 * is in proportion to its square, so that a low one looks more certain than it
 * is: the reciprocal has a standard error independent of the mean, by which the
 * upper end is the wait over 1 - h / wait, at most 2 h above.
 *
 * wait: mean and half-width h of the wait in it
 */
struct nb_interval nb_interval_of_wait(struct nb_estimate estimate,
                                       struct nb_estimate wait);
struct nb_interval nb_interval_cut(struct nb_interval interval, double most);
struct nb_interval nb_interval_scale(struct nb_interval interval, double scale);

/*
 * Adds one of several means to their least or largest, and to its limits. The
 * true largest is one fixed mean, independent of chance, so the upper limit of
 * each mean by itself is enough:
 *
 *     max (x_i - s_i) <= max mu_i <= max (x_i + h_i)
 *
 * each with half of the probability of error, h_i the half-widths of intervals
 * one by one and s_i those that hold for all of them at once. The least is its
 * mirror image.
 *
 * extreme   in, out: all NAN before the first
 * surer     s_i: at the confidence 1 - (1 - that of estimate) / their number
 *
 * Returns whether it is the least or largest so far.
 */
bool nb_extreme_take(struct nb_interval *extreme, enum nb_extreme_kind kind,
                     struct nb_estimate estimate, double surer);

void nb_jain_take(struct nb_jain *jain, struct nb_estimate estimate);
/*
 * Jain's index of n means >= 0, 1 if all are equal and k / n if k are equal and
 * the others 0:
 *
 *     J = (sum_i mu_i)^2 / (n sum_i mu_i^2) = cos^2(angle of mu and (1, .., 1))
 *
 * The estimates x lie within H of mu by their half-widths, H^2 = sum_i h_i^2,
 * at the confidence of each by itself, if that is 0.79 or more, however their
 * errors depend on each other: for normal errors with a fixed expected sum of
 * squares, that sum is most often large if they are all one error. So the angle
 * is that of x to within asin(H / |x|). All NAN for none or zeros.
 *
 * Source: [Jain1984]; [SzekelyBakirov2003].
 */
struct nb_interval nb_jain_index(const struct nb_jain *jain);

/*
 * Merges neighbours in pairs, for batch means that are nearly independent,
 * while their lag-1 correlation is above 0 by more than half a standard
 * deviation of that among independent ones, and while 8 batches or more remain,
 * or one each of 4 or more replications. Returns the number left, in place.
 * Replications that follow one another are merged only within themselves, and
 * keep equal numbers of batches: the last one of an odd number joins the two
 * before it.
 *
 * The correlation is that of y_i - r w_i as in nb_estimate_ratio, by von
 * Neumann's ratio.
 *
 * sum, weight   [count] in, out
 * replications  >= 1 equal parts of the series
 *
 * Source: [Fishman1978]: merging until von Neumann's ratio shows nothing;
 * [VonNeumann1941].
 */
size_t nb_merge_batches(double *sum, double *weight, size_t count,
                        size_t replications);

/*
 * Whether a series changes so slowly that no interval of its mean can be
 * trusted: it is worth less than 40 independent values, or a replication lasts
 * less than 8 of its relaxation times, with a margin of one standard deviation
 * for chance. For batches of length L a process whose correlation falls as
 * exp(-t / T), a = L / T, has the lag-1 correlation
 *
 *     (1 - e^-a)^2 / (2 (a - 1 + e^-a)),
 *
 * and n batches are worth n a / 2 independent values. Never with one batch per
 * replication.
 *
 * sum, weight   [count] as in nb_merge_batches, before batches are merged
 */
bool nb_is_slow(const double *sum, const double *weight, size_t count,
                size_t replications);

/*
 * Where a series becomes stationary: the cut d that minimises the marginal
 * standard error (MSER) of the rest,
 *
 *     sum_{i >= d} (x_i - mean of x_d, ..)^2 / (count - d)^2,
 *
 * among at most half of the series, the first of equal ones; count if it lies
 * in the last tenth of that half, or there are less than two values: then more
 * are needed.
 *
 * value  [count] means of a few observations each
 *
 * Source: [White1997].
 */
size_t nb_mser_cut(const double *value, size_t count);

/*
 * Whether a backlog grows: its increments per batch have a mean above 0 by a
 * one-sided t-test whose level is shared evenly by `tests` tests (Bonferroni).
 * Never with less than two increments.
 *
 * increment  [count]
 * level      probability of a wrong yes over all tests, such as 1e-3, if
 *            increments are independent and normal; less if they compensate
 *            each other, as those of a stable queue do
 * tests      >= 1
 */
bool nb_is_growing(const double *increment, size_t count, double level,
                   size_t tests);

enum nb_status nb_histogram_init(struct nb_histogram *histogram, size_t size,
                                 struct nb_error *err);
void nb_histogram_release(struct nb_histogram *histogram);
/* Adds other's counts; both of one size. */
void nb_histogram_add(struct nb_histogram *to,
                      const struct nb_histogram *other);
/* The least n with P(N <= n) >= share, the quotient being rounded to nearest;
 * size if it is in the last cell, 0 for an empty histogram. */
size_t nb_histogram_quantile(const struct nb_histogram *histogram,
                             double share);

static inline void nb_histogram_count(struct nb_histogram *histogram,
                                      uint64_t value)
{
    histogram->count[value < histogram->size ? value : histogram->size]++;
    histogram->total++;
}

/* The same for a value that occurs several times. */
static inline void nb_histogram_count_all(struct nb_histogram *histogram,
                                          uint64_t value, uint64_t times)
{
    histogram->count[value < histogram->size ? value : histogram->size] +=
        times;
    histogram->total += times;
}

NB_INTERNAL_END

#endif
