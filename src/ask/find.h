/* Find: the searches behind --find NAME --where 'QUANTITY <= VALUE'. */
#ifndef NB_ASK_FIND_H
#define NB_ASK_FIND_H

#include "model/search.h"
#include "ask/question.h"

/* Finds the form's first quantity of that name, or a pattern for it, in
 * data/formulas.txt; false, with the names offered, if it does not exist. */
struct nb_suggestion;
bool nb_find_has_quantity(const struct nb_form *form, const char *name,
                          size_t length, struct nb_suggestion *near);

/*
 * Refuses, without computing, a search that cannot be made.
 *
 * model  at a point of its sweeps
 *
 * Errors: NB_USAGE, NB_INVALID.
 */
enum nb_status nb_find_check(const struct nb_question_kind *kind,
                             const struct nb_model *model,
                             struct nb_error *err);

/*
 * Answers the question at one value after another until two values enclose the
 * change of the condition from true to false, and adds the value found, the
 * answer there and all trials.
 *
 * question  a model for which nb_model_is_search is true; given as in
 *           nb_question_check, or NULL
 *
 * Errors: the question's, if every value is refused; NB_INVALID for quantities
 * that its answers do not have and values of another unit.
 */
enum nb_status nb_find_answer(const struct nb_question_kind *kind,
                              const struct nb_question *question,
                              const struct nb_point *given,
                              struct nb_point *out, struct nb_text *said,
                              struct nb_error *err);

#endif
