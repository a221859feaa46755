/* Reorder load: the load that a reorder buffer of a given depth can carry,
 * where packets are delayed by the queues of a network. */
#ifndef NB_QUEUEING_REORDER_LOAD_H
#define NB_QUEUEING_REORDER_LOAD_H

#include "queueing/arrivals.h"
#include "queueing/reorder.h"

/* The delay of a packet at a hop. */
enum nb_hop_law { NB_HOP_QUEUE, NB_HOP_WAIT };

/* A stream whose packets each cross hops equal, independent queues, fed by
 * arrivals; the stream's own source is of the same kind. */
struct nb_reorder_network {
    const struct nb_arrivals *arrivals; /* spread by packet */
    int64_t hops;                       /* >= 1 */
    enum nb_hop_law distribution;
};

/* The quantity asked for: the probability itself, or the bound of Theorem 7
 * (sources without bursts). */
enum nb_reorder_way { NB_REORDER_EXACT, NB_REORDER_CHERNOFF };

/* Where delays are cut for questions about a probability: so far below it that
 * the cut makes no difference, but never below NB_REORDER_LEAST. */
#define NB_REORDER_LEAST 1e-306

NB_INTERNAL_BEGIN

double nb_reorder_least(double probability);

/* The source of a stream with that load. */
struct nb_reorder_source
nb_reorder_source_of(const struct nb_reorder_network *network,
                     struct nb_queue_load load);

/*
 * The distribution of a packet's queueing delay over all hops, cut where less
 * than least is left.
 *
 * load   0 <= load < 1
 * least  >= NB_REORDER_LEAST
 *
 * Errors: NB_INVALID if that takes more than NB_REORDER_DELAYS delays, for
 * another least or number of hops; those of nb_arrivals_law; NB_NO_MEMORY;
 * NB_NO_CONVERGENCE.
 */
enum nb_status nb_reorder_delay(const struct nb_reorder_network *network,
                                struct nb_queue_load load, double least,
                                struct nb_distribution *out,
                                struct nb_error *err);

/*
 * P(Q_r >= depth) or its bound, with the delays cut as late as needed; 1 at
 * load >= 1.
 *
 * depth  1 .. NB_REORDER_DELAYS
 *
 * Errors: NB_INVALID for another depth, or a bound of bursty sources; those of
 * nb_reorder_delay.
 */
enum nb_status nb_reorder_probability(const struct nb_reorder_network *network,
                                      enum nb_reorder_way way,
                                      struct nb_queue_load load, size_t depth,
                                      struct nb_bracket *out,
                                      struct nb_error *err);

/*
 * The load up to which nb_reorder_probability is below overflow, found as the
 * root of its logarithm: it is below at the lower end and not at the upper.
 * There are two exceptions: bursty sources cannot send more than burst / (burst
 * + 1), and the probability reaches 1 only at load 1. The root is assumed to be
 * the only one: the probability rose with the load in every case tried. With
 * waits, loads below NB_DISTRIBUTION_LEAST_LOAD are not distinguished: the
 * lower end is then 0.
 *
 * overflow  in [NB_DISTRIBUTION_LEAST, 1]
 *
 * Errors: those of nb_reorder_probability and nb_overflow_check.
 */
enum nb_status nb_reorder_max_load(const struct nb_reorder_network *network,
                                   enum nb_reorder_way way, size_t depth,
                                   double overflow, struct nb_bracket *out,
                                   struct nb_error *err);

NB_INTERNAL_END

#endif
