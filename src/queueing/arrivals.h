/* Arrivals: the kinds of sources that can feed a queue. */
#ifndef NB_QUEUEING_ARRIVALS_H
#define NB_QUEUEING_ARRIVALS_H

#include "core/specification.h"
#include "core/status.h"
#include "queueing/distribution.h"
#include "queueing/load.h"

#include <stdbool.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

enum nb_arrival_kind {
    NB_ARRIVE_BERNOULLI, /* radix inputs, or one for each of probabilities */
    NB_ARRIVE_POISSON,   /* batches of Poisson size: the limit of many inputs */
    NB_ARRIVE_ONOFF,     /* radix bursty sources */
    NB_ARRIVE_MMP,       /* radix sources with two states, see nb_mmp_most */
};

/* Where the packets of a burst go, among radix queues. */
enum nb_spread {
    NB_SPREAD_PACKET, /* each to a randomly drawn queue */
    NB_SPREAD_BURST,  /* all to the same queue */
};

/* Zero-initialised: Bernoulli, with the rest still to be set. Owns
 * probabilities. */
struct nb_arrivals {
    enum nb_arrival_kind kind;
    int64_t radix;         /* inputs of the switch, >= 1 */
    struct nb_ratio burst; /* mean packets of a burst, >= 1 */
    enum nb_spread spread;
    /* NB_ARRIVE_MMP: the probabilities per slot of entering and of leaving the
     * bursty state, 0 < alpha, beta <= 1, and the rate in the other state as a
     * fraction of that in the bursty one, 0 <= low <= 1. */
    struct nb_ratio alpha, beta, low;
    /* Probabilities of unequal Bernoulli inputs: [probability_count]; NULL:
     * radix equal inputs. */
    struct nb_ratio *probabilities;
    size_t probability_count;
};

/*
 * Reads "bernoulli", "poisson", "onoff:burst=5,spread=packet" or
 * "mmp:alpha=0.1,beta=0.9,low=0" into kind and the parameters of that kind.
 *
 * Errors: NB_INVALID naming what is not permitted.
 */
enum nb_status nb_arrivals_read(const char *text, struct nb_arrivals *out,
                                struct nb_error *err);

/* The maximum number of inputs that a list can describe, and of parts in it. */
enum { NB_ARRIVALS_INPUTS = 1000000, NB_ARRIVALS_PARTS = 1000 };

void nb_arrivals_release(struct nb_arrivals *arrivals);

/* The largest long-run load at which the queue does not grow without bound: 1,
 * or the most that ON/OFF sources can send, burst / (burst + 1), or
 * nb_mmp_most. */
struct nb_ratio nb_arrivals_most(const struct nb_arrivals *arrivals);

/* Whether the queue has a distribution: load < 1, or load 1 if no slot ever has
 * two packets. */
bool nb_arrivals_are_stable(const struct nb_arrivals *arrivals,
                            struct nb_queue_load load);

/*
 * The distribution of the slotted queue Q' = Q - 1{Q>0} + A at this load.
 *
 * load  such that the arrivals are stable; given probabilities are scaled so
 *       that this is their sum
 *
 * Errors: those of nb_arrivals_check; NB_INVALID if the arrivals are not stable
 * or sources with such bursts cannot reach the load; NB_NO_MEMORY;
 * NB_NO_CONVERGENCE.
 */
enum nb_status nb_arrivals_law(const struct nb_arrivals *arrivals,
                               struct nb_queue_load load,
                               struct nb_distribution *out,
                               struct nb_error *err);

/*
 * The fraction of packets lost with a buffer of depth packets, including the
 * one in service; at any load, 0 included.
 *
 * depth  >= 1
 * distribution    of the unbounded queue; not read at load >= 1
 *
 * Errors: those of nb_arrivals_check, nb_depth_check and nb_distribution_check;
 * NB_NO_MEMORY.
 */
enum nb_status nb_arrivals_loss(const struct nb_arrivals *arrivals,
                                struct nb_queue_load load, int64_t depth,
                                const struct nb_distribution *distribution,
                                struct nb_bracket *loss, struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The kinds with their parameters, for nb_specification_read. */
const struct nb_kind *nb_arrival_kind_at(size_t index);

/* Whether slots depend on each other: true for ON/OFF and Markov-modulated
 * sources. */
bool nb_arrivals_have_bursts(const struct nb_arrivals *arrivals);

/*
 * Reads probabilities such as "0.2,8*0.05,1/3" into probabilities; + separates
 * like a comma.
 *
 * load  out: their sum
 *
 * Errors: NB_INVALID naming what is not permitted; NB_OVERFLOW if the sum is no
 * ratio of 64-bit numbers; NB_NO_MEMORY.
 */
enum nb_status nb_arrivals_read_inputs(const char *text,
                                       struct nb_arrivals *out,
                                       struct nb_ratio *load,
                                       struct nb_error *err);

/*
 * Whether sources can send this load.
 *
 * load  >= 0
 *
 * Errors: NB_INVALID if there are no inputs, or no burst, alpha or beta where
 * the kind needs them, if each input would send more than one packet per slot,
 * and for ON/OFF and Markov-modulated sources at load 1 and above; those of
 * nb_load_check.
 */
enum nb_status nb_arrivals_check(const struct nb_arrivals *arrivals,
                                 struct nb_queue_load load,
                                 struct nb_error *err);

/*
 * The long-run probability that a Markov-modulated source is in its bursty
 * state,
 *
 *     x_1 = alpha / (alpha + beta).
 *
 * arrivals  of kind NB_ARRIVE_MMP that nb_arrivals_check permits
 *
 * Source: [Hanlon2009, section 3.3.1].
 */
struct nb_ratio nb_mmp_bursty(const struct nb_arrivals *arrivals);

/*
 * The mean rate of such a source if it sends in every slot of the bursty state,
 *
 *     x_1 + low (1 - x_1) = (alpha + low beta) / (alpha + beta) packets/slot.
 *
 * For a load the rate is r_1 = load / most in the bursty state, low r_1 in the
 * other one: with low = 0 the load is alpha r_1 / (alpha + beta).
 *
 * Source: [Hanlon2009, section 3.3.1], for low = 0.
 */
struct nb_ratio nb_mmp_most(const struct nb_arrivals *arrivals);

/*
 * Whether bursty sources have no memory at this load, so that their queue is
 * that of Bernoulli inputs. An ON/OFF source has none if it stays ON with
 * probability 1 - 1/burst = load: it is then ON with probability load whatever
 * its previous state. Its packets must choose their queues one by one. A
 * Markov-modulated source has none if alpha + beta = 1, since each slot's state
 * is then drawn anew, or if low = 1, since both states then send at the same
 * rate.
 */
bool nb_arrivals_forget(const struct nb_arrivals *arrivals,
                        struct nb_queue_load load);

/* Mean and variance of the queue as ratios; unknown if no formula gives them or
 * the arrivals are not permitted (see nb_inputs_bernoulli_moments). */
void nb_arrivals_moments(const struct nb_arrivals *arrivals,
                         struct nb_queue_load load, struct nb_ratio *mean,
                         struct nb_ratio *variance);

NB_INTERNAL_END

#endif
