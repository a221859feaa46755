/* Latency percentiles: the distribution of the latency, not only its mean. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_PERCENTILES_H
#define NB_QUESTIONS_LATENCY_LATENCY_PERCENTILES_H

#include "load/turn_flows.h"
#include "questions/latency/latency_question.h"

/*
 * Finds told->paths once the queues' states are known; leaves it empty if a
 * queue is saturated.
 *
 * Errors: NB_USAGE for the delay model singh, which gives no distribution;
 * NB_INVALID for channels of other bandwidths than 1; those of
 * nb_path_latency_find.
 */
enum nb_status nb_latency_find_percentiles(const struct nb_run *run,
                                           struct nb_latency_answer *answer,
                                           struct nb_error *err);

extern const struct nb_table_kind nb_latency_ccdf;
/* Adds the percentiles, a note of their assumptions, and the table ccdf. */
void nb_latency_report_percentiles(const struct nb_latency_answer *answer,
                                   struct nb_point *out);

/* Whether every channel serves one flit per cycle. */
bool nb_latency_is_slotted(const struct nb_latency_answer *answer);

/*
 * Lists what enters a queue from each channel into its router and from each
 * terminal there; returns their number.
 *
 * flows    NULL: assumes equal inputs
 * channel  or, for the channels to a router's terminals, channel_count + router
 * router   that the queue is at
 */
size_t nb_latency_list_inputs(const struct nb_topology *topology,
                              const struct nb_turn_flows *flows, size_t channel,
                              uint32_t router, double *input);

/* Whether the inputs of slotted queues are known: with one phase. */
bool nb_latency_knows_inputs(const struct nb_problem *problem);

#endif
