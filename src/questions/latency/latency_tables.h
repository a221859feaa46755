/* Tables of `latency`. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_TABLES_H
#define NB_QUESTIONS_LATENCY_LATENCY_TABLES_H

#include "questions/latency/latency_queues.h"
#include "queueing/assignment.h"
#include "report/report.h"

/* Adds the table channels and, where the terminals' channels have queues, the
 * table terminals. states: one for each queue. */
void nb_latency_add_queues(const struct nb_topology *topology,
                           const struct nb_latency_queues *queues,
                           const struct nb_queue_state *states,
                           struct nb_point *out);

/* Adds the table paths: the ways of the routing found, as routers in order. */
void nb_latency_add_paths(const struct nb_topology *topology,
                          const struct nb_assignment *found,
                          struct nb_point *out);

#endif
