/* Reorder buffer: where packets of a stream that overtook others wait for them,
 * so that all leave in order. */
#ifndef NB_QUEUEING_REORDER_H
#define NB_QUEUEING_REORDER_H

#include "queueing/arrivals.h"
#include "queueing/distribution.h"
#include "queueing/load.h"

NB_PUBLIC_BEGIN

/* The maximum number of delays: times and memory grow with it. */
enum { NB_REORDER_DELAYS = 100000 };

/*
 * A source that sends at most one packet a slot, all to one destination: with
 * probability load in every slot, in bursts or as a Markov-modulated source,
 * both as in queueing/onoff.h.
 */
struct nb_reorder_source {
    struct nb_queue_load load; /* 0 <= rho < 1; bursts: rho <= burst/(burst+1);
                                * mmp: rho <= nb_mmp_most */
    struct nb_ratio burst;     /* mean packets of a burst >= 1; {0, 0}: none */
    /* Borrowed, of kind NB_ARRIVE_MMP; NULL: none. */
    const struct nb_arrivals *mmp;
};

/*
 * P(Q_r >= n), n < length: each right within value (1 +- error) +- slack;
 * unlisted ones are below slack. Both are stored times NB_DISTRIBUTION_SCALE.
 * Owns tail; zero-initialised is valid and empty.
 */
struct nb_reorder {
    size_t length;
    struct nb_twofold *tail; /* [length] */
    double error;
    struct nb_twofold slack;
};

/*
 * The number of later packets that a packet finds when it arrives, if each
 * packet has its own delay X, independent of all others. This is a distribution
 * over packets; the one over slots differs, since a long wait counts in many
 * slots:
 *
 *     P(Q_r >= n) = sum_d P(X = d) P(sum_{i=1..d} T_i >= n)
 *
 * where T_i indicates whether a packet is sent i slots after it and has a delay
 * below d - i, which has probability 1 - D_{d-i}, D_i = P(X >= i). The slots
 * are taken from the last to the first, so that d + 1 needs one more factor
 * than d: with on[n] = P(count >= n | ON before these slots), off[n] likewise,
 *
 *     sent[n] = D_i on[n] + (1 - D_i) on[n-1],
 *     on'[n]  = (1 - 1/burst) sent[n] + off[n] / burst,
 *     off'[n] = a sent[n] + (1 - a) off[n],   a = (load/burst) / (1 - load),
 *
 * only positive terms; without bursts both are load sent[n] + (1 - load) on[n].
 * A Markov-modulated source sends with probability r_1 if ON, r_0 if OFF:
 * sent[n] and off[n] on the right are replaced by
 *
 *     r_1 sent[n] + (1 - r_1) on[n],
 *     r_0 (D_i off[n] + (1 - D_i) off[n-1]) + (1 - r_0) off[n],
 *
 * and a packet was sent ON with probability alpha / (alpha + low beta). A
 * constant added to the delays of all packets changes nothing.
 *
 * delay    cut where its tail does not matter: that goes into slack
 * least    > 0; smaller tails are left out, which adds it to slack
 * most     tails beyond it are not listed
 *
 * Errors: NB_NO_MEMORY; NB_INVALID as in nb_source_find, nb_distribution_check
 * and nb_load_check, or for another least.
 * Source: proof of Theorem 7, [Singh2005, section 7.5.2].
 */
enum nb_status nb_reorder_find(const struct nb_distribution *delay,
                               const struct nb_reorder_source *source,
                               double least, size_t most,
                               struct nb_reorder *out, struct nb_error *err);

void nb_reorder_release(struct nb_reorder *reorder);

/* P(Q_r >= n); [0, 1] for an empty one. */
struct nb_bracket nb_reorder_tail(const struct nb_reorder *reorder, size_t n);

/* The least n with P(Q_r >= n) < overflow; upper is +inf unless slack is less
 * than overflow. */
struct nb_bracket nb_reorder_depth(const struct nb_reorder *reorder,
                                   double overflow);

/* Input of Theorem 7. Owns sum and tail; zero-initialised is valid and
 * empty. */
struct nb_reorder_bound {
    const struct nb_distribution *delay;
    struct nb_twofold *sum; /* [delay->length + 1] S_d */
    double error;           /* of each S_d, relative */
    size_t listed;
    struct nb_bracket *tail; /* [listed] results of nb_reorder_bound_list */
};

/*
 * Theorem 7, a bound of P(Q_r >= n) for a source without bursts:
 *
 *     sum_d P(X = d) exp(n - S_d - n ln(n / S_d)),   n > S_d,
 *     S_d = load sum_{i<d} (1 - D_i),
 *
 * and P(X = d) itself if n <= S_d, as no eta > 0 exists.
 *
 * delay  borrowed, must outlive the bound
 * load   [0, 1]
 *
 * Errors: NB_INVALID as in nb_distribution_check and nb_load_check;
 * NB_NO_MEMORY.
 * Source: [Singh2005, equation 7.7].
 */
enum nb_status nb_reorder_bound_find(const struct nb_distribution *delay,
                                     struct nb_queue_load load,
                                     struct nb_reorder_bound *out,
                                     struct nb_error *err);

/*
 * Lists the bound for every n from 0 on until it is below overflow, or the
 * delay's length is reached. With n each term grows by a factor that differs
 * between terms only by S_d,
 *
 *     S_d^(n+1) e^(n+1) / (n+1)^(n+1)
 *         = S_d^n e^n / n^n  S_d e n^n / (n+1)^(n+1).
 *
 * The functions below then look it up. Errors: NB_NO_MEMORY.
 */
enum nb_status nb_reorder_bound_list(struct nb_reorder_bound *bound,
                                     double overflow, struct nb_error *err);

void nb_reorder_bound_release(struct nb_reorder_bound *bound);

/* A bracket of the bound; its upper end is also a bound. [0, 1] for an empty
 * one. */
struct nb_bracket nb_reorder_bound_tail(const struct nb_reorder_bound *bound,
                                        size_t n);

/* The least n whose bound is below overflow; upper is +inf unless the delay's
 * tail at length is less than overflow. */
struct nb_bracket nb_reorder_bound_depth(const struct nb_reorder_bound *bound,
                                         double overflow);

NB_PUBLIC_END

#endif
