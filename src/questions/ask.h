/* Ask: any question, from a model to a report. */
#ifndef NB_QUESTIONS_ASK_H
#define NB_QUESTIONS_ASK_H

#include "core/public.h"
#include "questions/question.h"

NB_PUBLIC_BEGIN

/*
 * Answers whatever a model asks, at every point of its sweeps.
 *
 * model  nb_model.command says which question; taken over by the report, with
 *        defaults, digests of the files that it names and values with units
 *        as plain numbers
 * run    NULL: all cores
 * err    if it has recorded a failure, that is the answer: what sets up the
 *        model need not be looked at call by call
 *
 * Errors: NB_USAGE and NB_INVALID for what is missing, not permitted or does
 * not go together, each with what is permitted; NB_IO for files; NB_REFUTED
 * for an answer that is a verdict, which is in the report all the same.
 */
enum nb_status nb_ask(struct nb_model *model, const struct nb_run *run,
                      struct nb_report *out, struct nb_error *err);

/*
 * The model of a file, with the paths in it taken from the file's folder, and
 * values with units as plain numbers.
 *
 * Errors: those of nb_model_read_file; NB_USAGE with "FILE:LINE: " for a
 * command that there is not, an option that it does not have, and for a value
 * that is not permitted.
 */
enum nb_status nb_ask_read(const char *path, struct nb_model *out,
                           struct nb_error *err);

/*
 * Records what was wrong with a question, after "FILE:LINE: ", where the line
 * is that of the option that the message begins with; "FILE: " if it begins
 * with none.
 *
 * path   of the file that the model was read from
 * wrong  what was wrong
 *
 * Returns the status of wrong.
 */
enum nb_status nb_ask_fail(const char *path, const struct nb_model *model,
                           const struct nb_error *wrong, struct nb_error *err);

/* A prepared question. Borrows all. */
struct nb_ask {
    const struct nb_question_kind *kind;
    const struct nb_model *model;
    struct nb_run run;
    const char *const *outputs; /* nb_question.outputs */
    const struct nb_written *written;
};

/* Completes and pins a model, and refuses all that can be refused without
 * computing. written: may be NULL. Errors: as nb_ask. */
enum nb_status nb_ask_prepare(const struct nb_question_kind *kind,
                              struct nb_model *model,
                              const struct nb_written *written,
                              struct nb_error *err);

/* The answer at a point of the sweeps, below nb_sweep_count; where that is
 * refused alone, why (nb_point_refusal). */
enum nb_status nb_ask_point(const struct nb_ask *ask, size_t index,
                            struct nb_point *out, struct nb_error *err);

/* How the points of a sweep fared; zero-initialised before the first. */
struct nb_ask_tally {
    size_t count;
    bool is_any_answered;
    struct nb_error first; /* the first point's refusal: " at PLACE: REASON" */
    size_t reason;         /* where its reason begins */
};
void nb_ask_count(struct nb_ask_tally *tally, const struct nb_point *point);
/* After the last point. Errors: NB_INVALID if all were refused, with how many
 * and why the first. */
enum nb_status nb_ask_conclude(const struct nb_ask_tally *tally,
                               struct nb_error *err);

/* Writes the question's own files, from the only point: a sweep has none. */
enum nb_status nb_ask_write(const struct nb_ask *ask,
                            const struct nb_point *point, struct nb_error *err);

NB_PUBLIC_END

#endif
