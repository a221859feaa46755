/* Delay in continuous time: the wait at one queue, as M/D/1. */
#ifndef NB_QUESTIONS_DELAY_DELAY_CONTINUOUS_H
#define NB_QUESTIONS_DELAY_DELAY_CONTINUOUS_H

#include "questions/question.h"

#include <stdbool.h>

/* The word that --arrivals has for it. */
#define NB_DELAY_CONTINUOUS "md1"

/* Whether the question asks for it. */
bool nb_delay_is_continuous(const struct nb_question *question);

/*
 * Answers it.
 *
 * Errors: NB_USAGE for options that it has no use for; NB_INVALID;
 * NB_NO_MEMORY; NB_NO_CONVERGENCE.
 */
enum nb_status nb_delay_answer_continuous(const struct nb_question *question,
                                          struct nb_point *out,
                                          struct nb_error *err);

#endif
