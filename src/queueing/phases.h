/* Phases: how many of a switch's ON/OFF sources are ON, what they send, and how
 * their queue decreases by one packet. */
#ifndef NB_QUEUEING_PHASES_H
#define NB_QUEUEING_PHASES_H

#include "core/delete.h"
#include "queueing/arrivals.h"

/* One ON/OFF or Markov-modulated source. Every probability is rounded
 * separately, so that it is right within a factor 1 +- error. */
struct nb_source {
    struct nb_twofold starts, rests; /* OFF to ON: a and 1 - a */
    struct nb_twofold ends,
        goes_on;  /* after a packet: 1/burst and 1 - 1/burst */
    double error; /* large if rests is small, unless load is
                   * a ratio */
    struct nb_twofold sends,
        murmurs;       /* P(a packet in a slot | ON), given OFF */
    double rate_error; /* of sends and murmurs */
};

/*
 * a = (load / burst) / (1 - load).
 *
 * Errors: NB_INVALID for a load above burst / (burst + 1), which such sources
 * cannot reach.
 */
enum nb_status nb_source_find(struct nb_ratio burst, struct nb_queue_load load,
                              struct nb_source *out, struct nb_error *err);

/*
 * The source of arrivals of kind NB_ARRIVE_ONOFF or NB_ARRIVE_MMP.
 *
 * Errors: those of nb_source_find; NB_INVALID for a load above nb_mmp_most.
 */
enum nb_status nb_source_of(const struct nb_arrivals *arrivals,
                            struct nb_queue_load load, struct nb_source *out,
                            struct nb_error *err);

/*
 * One slot moves phase i to phase j with probability change[i][j]; then
 * senders[j] sources send a packet each, which joins the queue with probability
 * join (otherwise, with stay = 1 - join, it goes elsewhere):
 *
 *     P(A = l | j) = C(senders_j, l) join^l stay^(senders_j - l).
 *
 * NB_SPREAD_PACKET: phase = sources ON, all of them senders, join = 1/radix.
 * NB_ARRIVE_MMP: the same with join = r_1/radix; if sources that are OFF also
 * send, all are senders, the OFF ones with join = low r_1/radix.
 * NB_SPREAD_BURST: phase = (sources ON for this queue, sources ON for others);
 * those ON for this queue are the senders, join = 1. Phases are in the order of
 * senders, so that those in which a slot with no packet (with at most one) can
 * end come first. Probabilities in arrays are stored times
 * NB_DISTRIBUTION_SCALE. Owns the arrays; zero-initialised is valid and empty.
 */
struct nb_phases {
    size_t count;
    size_t silent;   /* phases with P(A = 0 | j) > 0 */
    size_t calm;     /* phases with P(A <= 1 | j) > 0 */
    size_t most;     /* senders */
    size_t *senders; /* [count] */
    size_t *first;   /* [most + 2] first phase with at least that many senders:
                      * no phase before it sends that many packets */
    struct nb_twofold join, stay;
    struct nb_twofold murmur;  /* join of a source that is OFF; 0: it sends
                                * nothing */
    struct nb_twofold *change; /* [count x count] */
    struct nb_twofold *share;  /* [count x (most + 1)] P(A = l | j) */
    struct nb_twofold *arrive; /* [(most + 1) x count] the same by l */
    struct nb_pool pool;
    struct nb_source source;
};

/*
 * Errors: NB_INVALID for a radix above the limits of onoff.h; those of
 * nb_source_find; NB_INVALID for burst 1 at load 1/2 or alpha = beta = 1, where
 * sources alternate forever; NB_NO_MEMORY.
 */
enum nb_status nb_phases_build(const struct nb_arrivals *arrivals,
                               struct nb_queue_load load, struct nb_phases *out,
                               struct nb_error *err);

void nb_phases_release(struct nb_phases *phases);

/*
 * The decay of the queue: rate = ln z, z > 1 the root of lambda(z)^radix = z
 * with lambda(z) the greatest eigenvalue of one source's matrix. It is +inf for
 * two sources that pause after every packet: the queue then has at most two
 * packets.
 *
 * Errors: NB_NO_CONVERGENCE; NB_NO_MEMORY.
 */
enum nb_status nb_onoff_decay(const struct nb_arrivals *arrivals,
                              const struct nb_source *source,
                              struct nb_twofold *rate, double *error,
                              struct nb_error *err);

/*
 * The phases at large n: P(Q = n, phase) approaches a multiple of v z^-n, where
 * v A(z) = z v; v is a product over the sources.
 *
 * rate  of nb_onoff_decay
 * v     out, [count], up to a factor that makes the greatest about 1; those
 *       below 2^-960 may be 0; the relative error of others is at most
 *       most lost (rate_error + 16 NB_TWOFOLD_MATH_ERROR)
 *
 * Returns lost, 1 unless sources that are OFF send: differences between the
 * rates of OFF and ON sources then enter.
 */
double nb_phases_far(const struct nb_arrivals *arrivals,
                     const struct nb_phases *phases, struct nb_twofold rate,
                     struct nb_twofold *v);

/*
 * With A_l = change diag(P(A = l | phase)), the phases of the first passage
 * from a level to the one below have the matrix
 *
 *     G = sum_l A_l G^l = (I - U)^-1 A_0,   U = sum_{l>=1} A_l G^(l-1),
 *
 * found by iterating the second form from a stochastic G; it stays stochastic.
 * A passage ends in a slot without packets, so only the first columns of G are
 * not 0; the same holds for U, except in phases with one sender. Owns the
 * arrays; zero-initialised is valid and empty.
 */
struct nb_passage {
    struct nb_twofold *down;    /* [count x silent] G */
    struct nb_twofold *factors; /* [count x calm] of I - U, see positive.h */
    /* An estimate of the greatest relative error of G, from the last change and
     * the rate at which changes fell. */
    double error;
};

/*
 * Errors: NB_NO_MEMORY; NB_NO_CONVERGENCE.
 * Source: [Latouche1994], the U-based iteration.
 */
enum nb_status nb_passage_find(const struct nb_phases *phases,
                               struct nb_passage *out, struct nb_error *err);

void nb_passage_release(struct nb_passage *passage);

#endif
