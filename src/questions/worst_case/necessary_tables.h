/* The bound for every minimal routing as quantities and tables of the report,
 * and back. */
#ifndef NB_QUESTIONS_WORST_CASE_NECESSARY_TABLES_H
#define NB_QUESTIONS_WORST_CASE_NECESSARY_TABLES_H

#include "questions/problem.h"

/*
 * Answers worst-case for an adaptive minimal routing. Tables: worst_channel,
 * permutation (all terminals; those without a partner in the matching are
 * paired in their order), and the certificate: matching (the terminals whose
 * shortest paths all cross the worst channel), bounds (one row per focus
 * channel) and covers (the sides of each bound's cover).
 *
 * Errors: NB_INVALID if the routing is not minimal; NB_USAGE if the question is
 * about unbalanced traffic; as nb_necessary_case_find.
 */
enum nb_status nb_necessary_answer(const struct nb_question *question,
                                   const struct nb_problem *problem,
                                   struct nb_point *out, struct nb_error *err);

/* The same from a given answer's tables, checked without solving; as check of
 * struct nb_question_kind. Errors: NB_REFUTED. */
enum nb_status nb_necessary_recheck(const struct nb_question *question,
                                    const struct nb_problem *problem,
                                    const struct nb_point *given,
                                    struct nb_point *out, struct nb_text *said,
                                    struct nb_error *err);

#endif
