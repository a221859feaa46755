/* Crommelin: the waiting time of M/D/1 in continuous time. */
#ifndef NB_QUEUEING_CROMMELIN_H
#define NB_QUEUEING_CROMMELIN_H

#include "queueing/distribution.h"
#include "queueing/load.h"

/* A time t = steps - back >= 0 [service times]; steps is whole and 0 <= back <
 * 1, stored separately so that no digit of t is lost. */
struct nb_steps {
    double steps;
    struct nb_twofold back;
};

/* t >= 0 */
struct nb_steps nb_steps_of_ratio(struct nb_ratio t);
struct nb_steps nb_steps_of_double(double t);

/*
 * P(W > t) for Poisson arrivals of rate rho and service time 1, W the wait
 * before service. With N the number in system, k = steps and u = back,
 *
 *     P(W > t) = sum_{j<k} pois(j; rho u) P(N > k-j) + P(Pois(rho u) >= k),
 *
 * P(W > 0) = rho: a packet waits longer than t if the packets that it finds are
 * too many, or if the arrivals of the time u before it were enough by
 * themselves. Positive terms only, unlike Crommelin's alternating series.
 *
 * number  the distribution of N, that is of the slotted queue with Poisson
 *         batches
 * load    < 1
 *
 * Source: [Franx2001]; [Crommelin1932].
 */
struct nb_bracket nb_crommelin_tail(const struct nb_distribution *number,
                                    struct nb_queue_load load,
                                    struct nb_steps t);

/*
 * The infimum of the t with P(W > t) < overflow.
 *
 * overflow  in (0, 1]
 */
struct nb_bracket nb_crommelin_quantile(const struct nb_distribution *number,
                                        struct nb_queue_load load,
                                        double overflow);

/*
 * Mean and variance of W,
 *
 *     E[W] = rho / (2 (1 - rho)),  Var[W] = E[W]^2 + rho / (3 (1 - rho)).
 *
 * Unknown ({0, 0}) if they do not fit a ratio.
 *
 * Source: [Kleinrock1975].
 */
void nb_crommelin_moments(struct nb_ratio load, struct nb_ratio *mean,
                          struct nb_ratio *variance);

#endif
