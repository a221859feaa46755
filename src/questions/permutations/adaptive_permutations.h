/* Adaptive permutations: the part of netbound permutations that bounds adaptive
 * schemes, whose loads are unknown. */
#ifndef NB_QUESTIONS_PERMUTATIONS_ADAPTIVE_PERMUTATIONS_H
#define NB_QUESTIONS_PERMUTATIONS_ADAPTIVE_PERMUTATIONS_H

#include "questions/permutations/permutations_question.h"

/* Fills in answer->bounds. Errors: those of nb_scheme_paths_init and
 * nb_permutation_bounds_find. */
enum nb_status nb_adaptive_permutations_find(
    const struct nb_permutations_question *request, const struct nb_run *run,
    struct nb_permutations_answer *answer, struct nb_error *err);

/* If asked for: simulates the first permutations and fills in
 * answer->simulated. Errors: those of nb_question_answer; NB_USAGE if the
 * option simulate cannot be read. */
enum nb_status nb_simulated_permutations_find(
    const struct nb_permutations_question *request, const struct nb_run *run,
    struct nb_permutations_answer *answer, struct nb_error *err);

/* Adds the simulated values to a report's point, next to the bounds. */
void nb_simulated_permutations_report(
    const struct nb_permutations_answer *answer, struct nb_point *out);

/* Adds what was found to a report's point. */
void nb_adaptive_permutations_report(
    const struct nb_permutations_answer *answer, struct nb_point *out);

/* What every answer has: quantities count and capacity; notes; a bin of the
 * histogram with the permutations met in it; and the worst permutation. */
void nb_permutations_add_count(const struct nb_permutations_answer *answer,
                               size_t count, struct nb_point *out);
void nb_permutations_note_worst(size_t worst, size_t count,
                                struct nb_point *out);
void nb_permutations_note_idle(size_t count, struct nb_point *out);
void nb_permutations_add_bin(const struct nb_permutations_answer *answer,
                             double bin, size_t met, size_t count, size_t table,
                             struct nb_point *out);
void nb_permutations_add_worst(const uint32_t *destination, size_t count,
                               struct nb_point *out);
extern const struct nb_table_kind nb_permutations_histogram,
    nb_permutations_worst, nb_adaptive_permutations;

#endif
