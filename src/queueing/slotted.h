/* Slotted queue: one packet served per slot, arrivals from independent
 * inputs. */
#ifndef NB_QUEUEING_SLOTTED_H
#define NB_QUEUEING_SLOTTED_H

#include "queueing/inputs.h"
#include "queueing/distribution.h"

NB_PUBLIC_BEGIN

/*
 * The distribution of Q' = Q - 1{Q>0} + A. Balancing the flow across a level
 * gives
 *
 *     pi_{j+1} a_0 = pi_0 P(A>j) + sum_{i=1..j} pi_i P(A>j+1-i),
 *     pi_0 = 1 - rho,
 *
 * only positive terms. With u_j = pi_j z^j, z > 1 the root of A(z) = z, this is
 * a renewal equation u_{j+1} = sum_m w_m u_{j+1-m} whose weights
 * w_m = P(A>m) z^m / a_0, m >= 1, sum to 1: once the recursion reads only the
 * last M values, every later u lies between the least and the greatest of these
 * M. There the listed masses end and the distribution continues geometrically;
 * the bracket is part of its error.
 *
 * inputs  load < 1, or 1 for inputs that are single
 *
 * Errors: NB_INVALID for another load; NB_NO_MEMORY; NB_NO_CONVERGENCE if z is
 * not found.
 * Source: [Singh2005, equations 7.3 and D.1].
 */
enum nb_status nb_slotted_law(const struct nb_inputs *inputs,
                              struct nb_distribution *out,
                              struct nb_error *err);

/*
 * The fraction of packets lost if a buffer holds depth packets, including the
 * one in service: Q' = min(Q - 1{Q>0} + A, depth). Below depth the level
 * crossings are those of the unbounded queue, so its distribution cut at depth
 * is this queue's up to a factor, and
 *
 *     loss = (1 - rho) P(Q > depth) / (rho P(Q <= depth)).
 *
 * queue  the distribution of the unbounded queue, load < 1, not cut
 * depth  >= 1
 *
 * [0, 1] for invalid arguments; 0 at load 0.
 */
struct nb_bracket nb_slotted_loss(const struct nb_distribution *queue,
                                  struct nb_queue_load load, double depth);

enum { NB_SLOTTED_LOSS_DEPTH = 1000000 };
/*
 * The same at load >= 1, where no unbounded distribution exists: the recursion
 * with pi_0 = 1 up to depth, then loss = 1 - (1 - pi_0 / sum pi) / rho. It
 * falls with depth; beyond NB_SLOTTED_LOSS_DEPTH the bracket runs from 1 -
 * 1/rho to the loss there.
 *
 * Errors: NB_INVALID for another load or depth; NB_NO_MEMORY.
 */
enum nb_status nb_slotted_loss_saturated(const struct nb_inputs *inputs,
                                         int64_t depth, struct nb_bracket *out,
                                         struct nb_error *err);

NB_PUBLIC_END

#endif
