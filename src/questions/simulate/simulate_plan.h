/* Simulate plan: what is sent in a simulation, and how long it is measured. */
#ifndef NB_QUESTIONS_SIMULATE_SIMULATE_PLAN_H
#define NB_QUESTIONS_SIMULATE_SIMULATE_PLAN_H

#include "questions/simulate/simulate_question.h"

/* The options load, rate, arrivals, trace, batch and flits: sets injection,
 * trace, load and most_rate, the problem being built. Errors: those of
 * reading the options. */
enum nb_status nb_simulate_plan_injection(const struct nb_question *question,
                                          struct nb_simulate_question *out,
                                          struct nb_error *err);

/* The options replications, warm-up, cycles, precision and drain, the
 * injection and the window being set. Errors: NB_INVALID. */
enum nb_status nb_simulate_plan_times(const struct nb_question *question,
                                      struct nb_simulate_question *out,
                                      struct nb_error *err);

#endif
