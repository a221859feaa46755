/* Inputs: independent sources that send packets to one queue, slot by slot. */
#ifndef NB_QUEUEING_INPUTS_H
#define NB_QUEUEING_INPUTS_H

#include "core/status.h"
#include "queueing/load.h"

#include <stdbool.h>
#include <stddef.h>

NB_PUBLIC_BEGIN

/*
 * Packets of one slot: A = Poisson(rate) + sum of Bernoulli inputs, with
 *
 *     A(z) = exp(rate (z - 1)) prod_i (q_i + p_i z)^inputs_i.
 *
 * Owns groups; zero-initialised is valid and has no arrivals.
 */
struct nb_inputs {
    struct nb_queue_load load; /* E[A] */
    struct nb_twofold rate;
    size_t group_count;
    struct nb_input_group {
        struct nb_twofold p, q; /* p + q = 1, each with a few roundings */
        double inputs;          /* a whole number */
    } * groups;
};

/*
 * count equal inputs that each send with probability load / count.
 *
 * load   load.rho <= count
 * count  >= 1
 *
 * Errors: NB_INVALID if the load or count is out of that range; NB_NO_MEMORY.
 */
enum nb_status nb_inputs_bernoulli(struct nb_queue_load load, double count,
                                   struct nb_inputs *out, struct nb_error *err);

/* Poisson batches, the limit of many inputs; functions refuse them if the load
 * is out of range. */
struct nb_inputs nb_inputs_poisson(struct nb_queue_load load);

/*
 * Inputs with individual probabilities; equal neighbours form one group.
 *
 * p     [count]  each in [0, 1]
 * load  their sum; or else, in [0, 1), all of them are multiplied by
 *       load / sum
 *
 * Errors: NB_NO_MEMORY; those of nb_inputs_sum; NB_INVALID for a load that the
 * inputs cannot have.
 */
enum nb_status nb_inputs_unequal(const struct nb_ratio *p, size_t count,
                                 struct nb_queue_load load,
                                 struct nb_inputs *out, struct nb_error *err);

void nb_inputs_release(struct nb_inputs *inputs);

/* Relative errors that grow with the index m: at most each + m step. */
struct nb_inputs_error {
    double each, step;
};

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * The load of inputs with individual probabilities.
 *
 * p  [count]  each in [0, 1]
 *
 * Errors: NB_INVALID naming a p out of that range; NB_OVERFLOW if the sum does
 * not fit a ratio.
 */
enum nb_status nb_inputs_sum(const struct nb_ratio *p, size_t count,
                             struct nb_ratio *sum, struct nb_error *err);

/* The maximum number of packets in a slot; +inf for Poisson. */
double nb_inputs_most(const struct nb_inputs *inputs);

/* ln P(A = 0); -inf if an input always sends. */
struct nb_twofold nb_inputs_log_none(const struct nb_inputs *inputs);

/* Whether no slot ever has two packets, so that no packet waits. */
bool nb_inputs_are_single(const struct nb_inputs *inputs);

/*
 * Mean and variance of the slotted queue Q' = Q - 1{Q>0} + A, as ratios if they
 * fit: Q = V + A with V the queue that the arrivals find,
 *
 *     E[V] = f2 / (2 (1 - rho)),   E[V(V-1)] = f3 / (3 (1 - rho)) + 2 E[V]^2,
 *
 * f2, f3 the factorial moments of A.
 *
 * mean, variance  out; {0, 0} (unknown) if no ratio is available
 * load            < 1
 * count           inputs; 0: Poisson
 *
 * Source: derivatives of equation 7.3 of [Singh2005] at z = 1.
 */
void nb_inputs_bernoulli_moments(struct nb_ratio load, int64_t count,
                                 struct nb_ratio *mean,
                                 struct nb_ratio *variance);

/*
 * The decay of the queue: ln z, where z > 1 is the root of A(z) = z, so that
 * P(Q = n) falls as z^-n.
 *
 * step  out: z - 1, +inf if there is no root (single inputs); at most
 *       NB_DECAY_MOST
 * error out: relative error of step and rate
 * rate  out: ln z
 *
 * Errors: NB_NO_CONVERGENCE.
 */
enum nb_status nb_inputs_decay(const struct nb_inputs *inputs,
                               struct nb_twofold *step, struct nb_twofold *rate,
                               double *error, struct nb_error *err);

/*
 * The distribution of A: P(A = m) and P(A > m) for m < count, times
 * NB_DISTRIBUTION_SCALE.
 *
 * inputs       P(A = 0) > e^-100, so that no mass that counts underflows
 * mass, above  out, [count]
 * error        out: of each m
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_inputs_law(const struct nb_inputs *inputs, size_t count,
                             struct nb_twofold *mass, struct nb_twofold *above,
                             struct nb_inputs_error *error,
                             struct nb_error *err);

NB_INTERNAL_END

#endif
