/* Latency: the mean time of a packet in a network of independent queues. */
#ifndef NB_QUEUEING_LATENCY_H
#define NB_QUEUEING_LATENCY_H

#include "core/enclosure.h"
#include "queueing/mean_delay.h"
#include "traffic/traffic.h"

#include <stddef.h>

/* A channel as a queue. If the delay's factor is not known exactly, it lies
 * between those of delay_lower and delay_upper. */
struct nb_queue {
    struct nb_bracket load;    /* [packets/cycle] at injection rate 1 */
    struct nb_ratio bandwidth; /* [packets/cycle] > 0 */
    struct nb_mean_delay delay_lower, delay_upper;
};

/* The state of a queue at some rate. */
struct nb_queue_state {
    struct nb_bracket utilisation;
    struct nb_bracket wait; /* [cycles]; +inf where saturated */
};

NB_INTERNAL_BEGIN

/* The queue at an injection rate, rounded outward: utilisation
 * rho = rate load / bandwidth, wait W(rho) / bandwidth; NAN without a
 * bandwidth. */
struct nb_queue_state nb_queue_at(const struct nb_queue *queue,
                                  struct nb_bracket rate);

/*
 * Mean wait of a packet over its whole path,
 *
 *     sum_q load_q wait_q / total                  [cycles]
 *
 * which, added to the mean number of hops, gives the mean latency; +inf from
 * the rate at which a loaded queue saturates; 0 if total is 0.
 *
 * queue  [count]
 * total  [packets/cycle]  sent by all terminals together at rate 1
 * state  [count], out; may be NULL
 *
 * Source: Little's law for a network of queues, [Kleinrock1975].
 */
struct nb_bracket nb_latency_find_wait(const struct nb_queue *queue,
                                       size_t count, struct nb_bracket rate,
                                       struct nb_bracket total,
                                       struct nb_queue_state *state);

/* The sum of all rates of a traffic; NAN if it does not belong to this
 * network. */
struct nb_bracket nb_latency_total(const struct nb_traffic *traffic,
                                   const struct nb_topology *topology);

/*
 * The delay of a queue that is fed by independent inputs at p_i = rho share_i.
 * An input that sends at most one packet in a slot (a service time) would not
 * wait in this queue if it were the only one; others would, by W = c_i p_i /
 * (2 (1 - p_i)) slots. Together
 *
 *     W = (rho^2 - sum_i (1 - c_i) p_i^2) / (2 rho (1 - rho)),
 *
 * of the form of struct nb_mean_delay with factor 1 - sum_i (1 - c_i)
 * share_i^2.
 *
 * flow            [count] of the inputs, in any unit
 * burst           [count] c_i from 0 to 1; NULL: 0
 * relative_error  of each flow, or +inf
 * lower, upper    out; for an idle queue the batch model with factor 0
 *
 * Source: [KruskalSnir1983], where all inputs are equal and c_i is 0; other c_i
 * by the mean of the discrete-time queue V' = max(V + X - 1, 0), E[X (X - 1)] /
 * (2 (1 - rho)).
 */
void nb_delay_of_inputs(const double *flow, const struct nb_bracket *burst,
                        size_t count, double relative_error,
                        struct nb_mean_delay *lower,
                        struct nb_mean_delay *upper);

/*
 * The c of a terminal in nb_delay_of_inputs. In each cycle it sends, by
 * Bernoulli trials, the whole part of its rate and one packet more with the
 * probability of the rest; s is the number of cycles in a slot, E[N (N - 1)] =
 * k (2 rate - k - 1), k = floor(rate), is of the packets of a cycle:
 *
 *     c = (s - 1 + E[N (N - 1)] / rate^2) / s.
 *
 * rate  [packets/cycle]
 * slot  [cycle] >= 1
 */
struct nb_bracket nb_burst_of_terminal(struct nb_bracket rate, double slot);

NB_INTERNAL_END

#endif
