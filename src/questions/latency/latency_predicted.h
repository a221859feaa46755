/* Predicts the mean latency under an adaptive scheme. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_PREDICTED_H
#define NB_QUESTIONS_LATENCY_LATENCY_PREDICTED_H

#include "questions/latency/latency_question.h"

/*
 * Finds the equilibrium of the scheme (equilibrium/equilibrium.h) for queues
 * that were set up without loads: sets their loads, state, hops and wait of
 * told; these cover only channels between routers.
 *
 * Errors: those of nb_equilibrium_open; NB_USAGE for percentiles.
 */
enum nb_status nb_latency_predict(struct nb_latency_answer *answer,
                                  const struct nb_run *run,
                                  struct nb_error *err);

/* Adds the share of minimal packets and the notes about the model. */
void nb_latency_report_predicted(const struct nb_latency_answer *answer,
                                 struct nb_point *out);

#endif
