/* Optimum steps: the best worst case, and the least mean hops that a part of
 * it leaves. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_STEPS_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_STEPS_H

#include "bounds/optimum/best_unbalanced.h"
#include "questions/optimum/optimum_question.h"

/* Zero-initialised is valid and empty; owns first and least. */
struct nb_optimum_steps {
    /* Of balanced traffic best alone, and throughput; by the channels between
     * routers. */
    struct nb_best_unbalanced first;

    bool with_locality; /* the second step is asked for */
    struct nb_best_oblivious least;
    struct nb_ratio required; /* the worst-case throughput that it keeps */
    bool was_stopped;
};

/* What is asked in the first step. */
struct nb_oblivious_question
nb_optimum_steps_ask(const struct nb_optimum *optimum);

/* Errors: as nb_best_oblivious_find. */
enum nb_status nb_optimum_steps_find(const struct nb_optimum *optimum,
                                     struct nb_optimum_steps *out,
                                     struct nb_error *err);
/* The same from the tables of a report, checked without solving. Errors:
 * NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_optimum_steps_check(const struct nb_optimum *optimum,
                                      const struct nb_point *given,
                                      struct nb_optimum_steps *out,
                                      struct nb_error *err);
void nb_optimum_steps_release(struct nb_optimum_steps *steps);

#endif
