/* ON/OFF sources: a queue fed by bursts; its phase is the number of sources
 * that are ON. Also Markov-modulated sources, ON in their bursty state. */
#ifndef NB_QUEUEING_ONOFF_H
#define NB_QUEUEING_ONOFF_H

#include "queueing/arrivals.h"

enum { NB_ONOFF_RADIX_PACKET = 256, NB_ONOFF_RADIX_BURST = 32 };

/*
 * The distribution of Q' = Q - 1{Q>0} + A where A comes from radix independent
 * sources. A source that is ON sends a packet every slot and then turns OFF
 * with probability 1/burst; one that is OFF turns ON with probability
 *
 *     a = (load / burst) / (1 - load),
 *
 * so that it is ON with probability load. With NB_SPREAD_PACKET each packet
 * joins this queue with probability 1/radix; with NB_SPREAD_BURST each whole
 * burst does. burst = 1/(1 - load) makes slots independent: Bernoulli inputs.
 *
 * NB_ARRIVE_MMP: a source turns ON with probability alpha and OFF with
 * probability beta each slot, then sends a packet with probability
 *
 *     r_1 = load (alpha + beta) / (alpha + low beta)  if ON,  low r_1  if OFF,
 *
 * which joins this queue with probability 1/radix. alpha + beta = 1 makes slots
 * independent; r_1 = 1, low = 0 is an ON/OFF source of burst 1/beta.
 *
 * radix  1 .. NB_ONOFF_RADIX_PACKET (_BURST)
 * load   0 < load < 1, load <= burst / (burst + 1) or nb_mmp_most
 *
 * The distribution's error is counted, not proved: a number of roundings per
 * level, and once per level the final error of the passage down one level,
 * itself an estimate. In the worst case that error would enter about
 * most (1 + 2 phases) times, with most the packets of a slot. Compared with
 * high-precision values, the true error is below a quarter of the stated one.
 *
 * Errors: NB_INVALID if the radix or the load is out of that range;
 * NB_NO_MEMORY; NB_NO_CONVERGENCE.
 * Source: M/G/1-type chains, [Neuts1989]; stable recursion, [Ramaswami1988].
 */
enum nb_status nb_onoff_law(const struct nb_arrivals *arrivals,
                            struct nb_queue_load load,
                            struct nb_distribution *out, struct nb_error *err);

/* The loss at a buffer of depth packets, as in nb_arrivals_loss; its error is
 * also counted, not proved. */
enum nb_status nb_onoff_loss(const struct nb_arrivals *arrivals,
                             struct nb_queue_load load, int64_t depth,
                             struct nb_bracket *loss, struct nb_error *err);

#endif
