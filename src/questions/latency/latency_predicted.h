/* The mean latency under an adaptive scheme: a prediction. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_PREDICTED_H
#define NB_QUESTIONS_LATENCY_LATENCY_PREDICTED_H

#include "questions/latency/latency_question.h"

/*
 * Where the scheme settles (sim/equilibrium.h), of queues that were found
 * without loads: sets their loads, state, hops and wait of told, which are
 * between routers alone.
 *
 * Errors: as nb_equilibrium_open; NB_USAGE for percentiles.
 */
enum nb_status nb_latency_predict(struct nb_latency_told *told,
                                  const struct nb_run *run,
                                  struct nb_error *err);

/* Adds the share of minimal packets, and what is to be said of a model. */
void nb_latency_tell_predicted(const struct nb_latency_told *told,
                               struct nb_point *out);

#endif
