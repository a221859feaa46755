/* Find: the searches behind --find NAME --where 'QUANTITY <= VALUE'. */
#ifndef NB_QUESTIONS_FIND_H
#define NB_QUESTIONS_FIND_H

#include "model/search.h"
#include "questions/question.h"

/* The form's first quantity of that name, or pattern for it, in
 * data/formulas.txt; false, and the names offered, if there is none. */
struct nb_suggestion;
bool nb_find_has_quantity(const struct nb_form *form, const char *name,
                          size_t length, struct nb_suggestion *near);

/*
 * Refuses what no search can be made of, without computing.
 *
 * model  at a point of its sweeps
 *
 * Errors: NB_USAGE, NB_INVALID.
 */
enum nb_status nb_find_hold(const struct nb_form *form,
                            const struct nb_model *model, struct nb_error *err);

/*
 * Asks a question at one value after another until two enclose where the
 * condition changes from true to false, and adds the value found, the answer
 * there and all trials.
 *
 * question  a model that nb_find_is_asked of; given as of nb_question_check,
 *           or NULL
 *
 * Errors: the question's, where it is refused at every value; NB_INVALID for
 * quantities that its answers do not have and values of another unit.
 */
enum nb_status nb_find_answer(const struct nb_question_kind *kind,
                              const struct nb_question *question,
                              const struct nb_point *given,
                              struct nb_point *out, struct nb_text *said,
                              struct nb_error *err);

#endif
