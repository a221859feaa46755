/* Distribution: the distribution of a queue's length or of a delay on 0, 1, 2,
 * ..., with relative errors known down to the smallest probabilities. */
#ifndef NB_QUEUEING_LAW_H
#define NB_QUEUEING_LAW_H

#include "core/enclosure.h"
#include "core/status.h"
#include "core/twofold_number.h"
#include "queueing/load.h"

#include <stdbool.h>
#include <stddef.h>

NB_PUBLIC_BEGIN

/* The least probability that a question may ask for. */
#define NB_DISTRIBUTION_LEAST 1e-300

/* Probabilities are stored times this power of two, 2^NB_DISTRIBUTION_POWER: a
 * pair of doubles has all its digits down to 2^-960 only, and parts of
 * probabilities near NB_DISTRIBUTION_LEAST must have them, too. The product of
 * two stored probabilities is still in range. */
#define NB_DISTRIBUTION_SCALE 3.1217485503159922e144
#define NB_DISTRIBUTION_POWER 480

/*
 * Masses below length are listed; from there on the distribution is geometric,
 *
 *     P(X >= length + j) = tail[length] z^-j,   z = exp(rate),
 *
 * unless it is cut: then only tail[length] is known of the part beyond. Only
 * positive terms are ever added, so errors stay relative (proven bounds, except
 * for ON/OFF sources, see onoff.h): every listed mass and tail from 1e-430 on
 * is right within a factor 1 +- error, and the rate within 1 +- rate_error; the
 * part from length on has the additional relative error far_error (large only
 * if length is beyond NB_DISTRIBUTION_LEAST). length >= 1. Owns mass and tail;
 * zero-initialised is valid and empty.
 */
struct nb_distribution {
    size_t length;
    struct nb_twofold *mass; /* [length + 1] NB_DISTRIBUTION_SCALE P(X = n) */
    struct nb_twofold *tail; /* [length + 1] NB_DISTRIBUTION_SCALE P(X >= n) */
    double error;
    double far_error;
    struct nb_twofold rate; /* ln z > 0; +inf: X < length always */
    double rate_error;
    bool is_cut;
};

void nb_distribution_release(struct nb_distribution *distribution);

/* If the distribution is empty, n is NAN, or n is beyond the length of a cut
 * distribution, the functions below that return plain values return what is
 * always true: probabilities are NAN, their brackets are [0, 1] or limited by
 * the tail at length, all other brackets are [0, +inf]. For n < 0, P(X = n) is
 * 0 and P(X >= n) is 1. */

/* P(X = n) and P(X >= n), the nearest doubles. */
double nb_distribution_mass(const struct nb_distribution *distribution,
                            double n);
double nb_distribution_tail(const struct nb_distribution *distribution,
                            double n);

/* A bracket of P(X >= n). */
struct nb_bracket
nb_distribution_tail_bracket(const struct nb_distribution *distribution,
                             double n);

/*
 * The least n with P(X >= n) < overflow. Lower and upper differ if the tail's
 * error leaves n open; upper is +inf if a cut distribution ends too early.
 *
 * overflow  in (0, 1]; [0, +inf] unless it is above the least double
 */
struct nb_bracket
nb_distribution_depth(const struct nb_distribution *distribution,
                      double overflow);

/* Mean sum_{n>=1} P(X >= n), and variance; [0, +inf] for a cut distribution. */
struct nb_bracket
nb_distribution_mean(const struct nb_distribution *distribution);
struct nb_bracket
nb_distribution_variance(const struct nb_distribution *distribution);

/* Below this, P(Q > 0) divides probabilities that are out of range. */
#define NB_DISTRIBUTION_LEAST_LOAD 1e-120

/*
 * The waiting time of a packet at a queue that serves one packet per slot in
 * order of arrival, from the distribution of its length Q' = Q - 1{Q>0} + A:
 *
 *     P(W = n) = P(Q = n + 1) / P(Q > 0),
 *
 * for any stationary arrivals: a slot sees on average P(V <= n < Q) packets
 * that wait n, where V is the queue that the packets of this slot find, and
 * this is P(Q > n) - P(V > n) = P(Q > n) - P(Q > n + 1). Packets of one slot
 * are served in random order.
 *
 * queue  length >= 2
 *
 * Errors: NB_INVALID for a load below NB_DISTRIBUTION_LEAST_LOAD; NB_NO_MEMORY.
 */
enum nb_status nb_distribution_wait(const struct nb_distribution *queue,
                                    struct nb_distribution *out,
                                    struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The check that every function makes first on a given distribution. Errors:
 * NB_INVALID if it is NULL or lists fewer masses than this. */
enum nb_status nb_distribution_check(const struct nb_distribution *distribution,
                                     size_t least, struct nb_error *err);

/* Allocates a distribution of that length, all zero. Errors: NB_NO_MEMORY. */
enum nb_status nb_distribution_reserve(struct nb_distribution *distribution,
                                       size_t length, struct nb_error *err);

/* The queue that never gets two packets in a slot: 1 with probability load,
 * else 0. Errors: NB_INVALID as in nb_load_check up to 1; NB_NO_MEMORY. */
enum nb_status nb_distribution_single(struct nb_queue_load load,
                                      struct nb_distribution *out,
                                      struct nb_error *err);

/* Computes the tails from the listed masses, given the mass and the tail at
 * length. */
void nb_distribution_add_up(struct nb_distribution *distribution);

/* NB_DISTRIBUTION_SCALE times P(X = n) and P(X >= n). */
struct nb_twofold
nb_distribution_scaled_mass(const struct nb_distribution *distribution,
                            double n);
struct nb_twofold
nb_distribution_scaled_tail(const struct nb_distribution *distribution,
                            double n);

/* Relative error of the tail at n: includes that of the far part by its share;
 * beyond length, that of the rate grows with n. */
double nb_distribution_tail_error(const struct nb_distribution *distribution,
                                  double n);

/* Doubles around value (1 +- error), value >= 0. */
struct nb_bracket nb_bracket_of(struct nb_twofold value, double error);

/* The same for a value times NB_DISTRIBUTION_SCALE. */
struct nb_bracket nb_scaled_bracket_of(struct nb_twofold value, double error);

/* A value divided by NB_DISTRIBUTION_SCALE, rounded to a double. */
double nb_scaled_value(struct nb_twofold value);

NB_INTERNAL_END

#endif
