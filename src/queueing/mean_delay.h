/* Mean delay: the mean wait of a packet at one channel as a function of the
 * channel's load. */
#ifndef NB_QUEUEING_MEAN_DELAY_H
#define NB_QUEUEING_MEAN_DELAY_H

#include "core/public.h"

NB_PUBLIC_BEGIN

/*
 * Every model here describes one queue with fixed service time 1 and has
 *
 *     W(rho) = factor rho / (2 (1 - rho)) + constant     [service times]
 *
 * for utilisation rho, 0 <= rho < 1; +inf from rho = 1 on.
 */
struct nb_mean_delay {
    double factor;   /* in [0, 1] */
    double constant; /* >= 0 */
};

/* M/D/1: the wait before service. Source: [Kleinrock1975]. */
static const struct nb_mean_delay nb_delay_pollaczek_khinchine = { 1, 0 };

/* Q = 1 / (2 (1 - rho)), half a service time more than the wait of M/D/1.
 * Source: [Singh2005, section 5.4.1]. */
static const struct nb_mean_delay nb_delay_singh = { 1, 0.5 };

/*
 * Slots: each of inputs sources sends a packet in a slot with probability rho /
 * inputs; packets of one slot wait in random order,
 *
 *     W = (1 - 1/inputs) rho / (2 (1 - rho)).
 *
 * inputs  >= 1; one input never waits. factor is NAN for fewer
 *
 * Source: [KruskalSnir1983].
 */
struct nb_mean_delay nb_delay_batch(double inputs);

/* W(rho). NAN, as the next two, unless rho >= 0. */
double nb_mean_delay_at(struct nb_mean_delay delay, double rho);

/* dW/drho = factor / (2 (1 - rho)^2); +inf from rho = 1 on. */
double nb_mean_delay_slope(struct nb_mean_delay delay, double rho);

/* d(rho W)/drho = factor (1 / (1 - rho)^2 - 1) / 2 + constant, the cost of one
 * more packet to all; +inf from rho = 1 on. */
double nb_mean_delay_marginal(struct nb_mean_delay delay, double rho);

NB_PUBLIC_END

#endif
