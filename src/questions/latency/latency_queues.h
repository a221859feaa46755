/* The queues of a network under some routing, as `latency` sees them. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_QUEUES_H
#define NB_QUESTIONS_LATENCY_LATENCY_QUEUES_H

#include "questions/problem.h"
#include "load/channel_loads.h"
#include "queueing/latency.h"

/* Owns queue. One queue for each channel, in order; then, where the terminals'
 * own channels have a bandwidth, one for each terminal: the channel to it. */
struct nb_latency_queues {
    size_t channel_count;
    size_t terminal_count; /* 0: the terminals' channels are unlimited */
    struct nb_queue *queue;
    struct nb_mean_delay delay; /* of all queues, unless by inputs */
    struct nb_bracket total;    /* of the traffic at injection rate 1 */
    /* The delay model's text for a report, its source and, or NULL, what to
     * note about it. */
    const char *method, *source, *note;
};

/*
 * The queues by the option delay-model.
 *
 * loads  NULL: of no load yet, for --optimal
 *
 * Errors: NB_NO_MEMORY; NB_OVERFLOW as nb_traffic_column.
 */
enum nb_status nb_latency_queues_find(const struct nb_question *question,
                                      const struct nb_problem *problem,
                                      const struct nb_channel_loads *loads,
                                      struct nb_latency_queues *out,
                                      struct nb_error *err);

void nb_latency_queues_release(struct nb_latency_queues *queues);

/* Whether each queue's delay depends on what feeds it. */
bool nb_latency_is_by_inputs(const struct nb_question *question);

#endif
