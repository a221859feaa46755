/* Ask: computes the report of any model. */
#ifndef NB_ASK_ASK_H
#define NB_ASK_ASK_H

#include "core/public.h"
#include "ask/question.h"

struct nb_deal;

NB_PUBLIC_BEGIN

/*
 * Answers the question of a model, at every point of its sweeps.
 *
 * model  nb_model.command names the question; moved into the report, with
 *        defaults, digests of the files that it names and values with units
 *        as plain numbers
 * run    NULL: all cores; see its stop and checkpoint
 * err    if it holds a failure already, that is returned: calls that set up
 *        the model need not be checked one by one
 *
 * Errors: NB_USAGE and NB_INVALID for what is missing, not permitted or
 * inconsistent, with what is permitted; NB_IO for files; NB_REFUTED for an
 * answer that is a negative verdict: the report holds it all the same;
 * NB_STOPPED; for the checkpoint, NB_INVALID if it is no checkpoint of this
 * question and version, NB_IO if another call has it open.
 */
enum nb_status nb_ask(struct nb_model *model, const struct nb_run *run,
                      struct nb_report *out, struct nb_error *err);

/*
 * Reads a model from a file. Its relative paths are resolved from the file's
 * folder, and values with units become plain numbers.
 *
 * Errors: those of nb_model_read_file; NB_USAGE with "FILE:LINE: " for an
 * unknown command, an option that the command does not have, and a value that
 * is not permitted.
 */
enum nb_status nb_ask_read(const char *path, struct nb_model *out,
                           struct nb_error *err);

/* A prepared question. Borrows all its pointers. */
struct nb_ask {
    const struct nb_question_kind *kind;
    const struct nb_model *model;
    struct nb_run run;
    const char *const *outputs; /* nb_question.outputs */
    const struct nb_written *written;
};

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Records a failure of a question, with "FILE:LINE: " before it if its message
 * begins with an option of the model, else with "FILE: ".
 *
 * path   of the file that the model was read from
 * wrong  the failure
 *
 * Returns the status of wrong.
 */
enum nb_status nb_ask_fail(const char *path, const struct nb_model *model,
                           const struct nb_error *wrong, struct nb_error *err);

/* Completes and pins a model, and refuses whatever can be refused without
 * computing. written: may be NULL. Errors: those of nb_ask. */
enum nb_status nb_ask_prepare(const struct nb_question_kind *kind,
                              struct nb_model *model,
                              const struct nb_written *written,
                              struct nb_error *err);

/* Takes the last point of a report, the answer to the point of that index. */
typedef enum nb_status nb_ask_take(void *context, struct nb_report *report,
                                   size_t index, struct nb_error *err);

/*
 * Answers a prepared question at all points of its sweeps, as tasks that are
 * shared out. On the first rank the report gets them in order; if a point
 * itself is refused, it holds the reason (nb_point_refusal).
 *
 * take    called after each; NULL: nothing is done
 * judged  out: the first negative verdict, if there is one
 *
 * Errors: those of the points and of take; NB_INVALID if all points were
 * refused, with their number and the reason of the first.
 */
enum nb_status nb_ask_points(const struct nb_ask *ask, struct nb_report *report,
                             nb_ask_take *take, void *context,
                             struct nb_error *judged, struct nb_error *err);

/* Keeps the finished tasks of a prepared question from now on. Errors: those of
 * nb_deal_open. */
enum nb_status nb_ask_keep(const struct nb_model *model, const char *path,
                           struct nb_deal *deal, struct nb_error *err);

/* Checks a complete model, which may be a search. Errors: those of
 * nb_question_try. */
enum nb_status nb_ask_try(const struct nb_question_kind *kind,
                          const struct nb_model *model, struct nb_error *err);

/* nb_sweep_model with all defaults; a search is completed at each value. */
enum nb_status nb_ask_model(const struct nb_form *form,
                            const struct nb_model *model, size_t index,
                            struct nb_model *out, struct nb_point *point,
                            struct nb_error *err);

/* Answers a question, or makes the search that it asks for; given: checks that
 * answer instead (nb_question_check); NULL: none. */
enum nb_status nb_ask_compute(const struct nb_question_kind *kind,
                              const struct nb_question *question,
                              const struct nb_point *given,
                              struct nb_point *out, struct nb_text *said,
                              struct nb_error *err);

/* Writes the question's own files from the only point; a sweep has none. */
enum nb_status nb_ask_write(const struct nb_ask *ask,
                            const struct nb_point *point, struct nb_error *err);

NB_INTERNAL_END

#endif
