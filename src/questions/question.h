/* Question: what a model asks and a report answers; a folder each. */
#ifndef NB_QUESTIONS_QUESTION_H
#define NB_QUESTIONS_QUESTION_H

#include "core/public.h"
#include "core/parallel.h"
#include "core/specification.h"
#include "core/status.h"
#include "core/unit.h"
#include "model/model.h"
#include "questions/written.h"
#include "report/report.h"

NB_PUBLIC_BEGIN

/* A model at one point of its sweeps: every option of the question's table
 * has a value, defaults filled in. */
struct nb_question {
    const struct nb_model *model;
    const void *asked; /* its options as the kind's struct; NULL: it has none */
    struct nb_run run;
    /* Paths of the question's own output files, by row of its outputs; NULL
     * where not asked for. NULL altogether when an answer is only checked. */
    const char *const *outputs;
    /* All files that are written, none of which may be read; NULL: none. */
    const struct nb_written *written;
    bool is_checked; /* an answer that was given: all is computed anew */
    /* The one quantity of the answer that is looked at, of those that the kind
     * answers alone; NULL: all. */
    const char *wanted;
};

enum { NB_OUTPUTS = 4 }; /* the most that a question can have */

/* What help, command line and model files know of a question, or of what else
 * the program can do. */
struct nb_form {
    const char *name;
    const char *summary;
    const char *details; /* of what is no question, for its page; or NULL */
    const char *example; /* what help shows */
    /* The sentence of its titles (questions/title.c): {option} its values,
     * <noun> what is found unless one quantity alone is to be shown, [part]
     * left out where an option in it has no value, [?part] where it has its
     * default, too; ways between bars, OPTION?way where the option is set. */
    const char *title;
    /* Rows with initial NULL must be given, with initial "" may stay unset. */
    const struct nb_parameter *options;
    const struct nb_parameter *outputs; /* further files it can write */
    const char *main_table; /* what CSV shows; NULL: the quantities */
    const char *tables;     /* all that an answer may have, between blanks */
    /* The common options it takes, between blanks; NULL: all of them. */
    const char *common;
};

/* A question whose options are fields of a struct binds them: every row says
 * which (nb_parameter.field). */
struct nb_question_kind {
    struct nb_form form;
    /* Quantities, between blanks, that are answered alone where one is wanted:
     * they take less time. NULL: none. */
    const char *alone;
    size_t size; /* of that struct; 0: there is none */
    enum nb_status (*answer)(const struct nb_question *question,
                             struct nb_point *out, struct nb_error *err);
    /* Writes the further files that the question asks for from the finished
     * answer; NULL: there are none. */
    enum nb_status (*write)(const struct nb_question *question,
                            const struct nb_point *point, struct nb_error *err);
    /*
     * Checks the certificates of a given answer and builds it anew from what
     * was checked, without solving; appends one line of text for the reader.
     * NULL: there is nothing to prove, the answer is computed again.
     *
     * Errors: NB_REFUTED.
     */
    enum nb_status (*check)(const struct nb_question *question,
                            const struct nb_point *given, struct nb_point *out,
                            struct nb_text *said, struct nb_error *err);

    /* Appends what people want to see of an answer after its quantities and
     * notes, or before them, unless they name a table; NULL: nothing. Errors:
     * NB_NO_MEMORY. */
    enum nb_status (*print)(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err);
    bool prints_first;
    /* Judges an answer that was written; NULL: it stands. Errors: NB_REFUTED.
     */
    enum nb_status (*judge)(const struct nb_point *point, struct nb_error *err);
};

/* All of them, by name; ends with NULL. */
extern const struct nb_question_kind *const nb_questions[];

/* The question of that name; NULL if there is none. */
const struct nb_question_kind *nb_question_find(const char *name);

/* Row of option tables: what a cycle is, for values with units. place: its
 * field in the question. */
#define NB_OPTION_CLOCK(place)                                                 \
    {                                                                          \
        .name = "clock", .field = place,                                       \
        .help = "length or frequency of a cycle, for values with units; "      \
                "default 1 ns",                                                \
        .group = NB_GROUP_RUN, .type = NB_NUMBER, .initial = "",               \
        .least = 1e-9, .most = 1e9, .unit = nb_unit_clock,                     \
    }

/*
 * The row of an option.
 *
 * name  [length]
 *
 * Errors: NB_USAGE naming the one that was meant, if one is near.
 */
enum nb_status nb_form_find(const struct nb_form *form, const char *name,
                            size_t length, const struct nb_parameter **out,
                            struct nb_error *err);

/*
 * Turns values with units (15ns) of options and sweeps into plain numbers and
 * checks them. Where that took the clock, the model keeps it.
 *
 * Errors: NB_USAGE naming the option, the value and what is permitted.
 */
enum nb_status nb_model_convert(const struct nb_form *form,
                                struct nb_model *model, struct nb_error *err);

/*
 * Gives every unset option its default, checks every value, and what the rows
 * say of options beside each other.
 *
 * Errors: NB_USAGE naming an option that is unknown, missing or not permitted
 * beside another, or a refused value.
 */
enum nb_status nb_model_complete(const struct nb_form *form,
                                 struct nb_model *model, struct nb_error *err);

/* Whether a model gives one of these options, between blanks, NAME=VALUE with
 * that value; a flag that says no does not count. */
bool nb_question_gives(const struct nb_form *form, const struct nb_model *model,
                       const char *names);

/*
 * Fills the fields of a question from a complete model, which the texts are
 * borrowed from.
 *
 * question  of the kind's size
 *
 * Errors: NB_INVALID for a refused value.
 */
enum nb_status nb_question_bind(const struct nb_form *form,
                                const struct nb_model *model, void *question,
                                struct nb_error *err);

/*
 * Holds the fields of a question that a caller has filled to its rows: ranges,
 * what must be given and what does not go together.
 *
 * name  of the question, for messages
 * rows  with fields
 *
 * Errors: NB_INVALID, NB_USAGE naming the field and what is permitted.
 */
enum nb_status nb_question_hold(const char *name,
                                const struct nb_parameter *rows,
                                const void *question, struct nb_error *err);

/*
 * Gives fields that have no value the ones of a named set, but for options that
 * one that is given excludes. 0 is a value of a number that may be 0.
 *
 * settings  "NAME=VALUE,..."
 * given     appended: what was set, "NAME VALUE, ..."
 *
 * Errors: NB_INVALID for a refused value; NB_NO_MEMORY.
 */
enum nb_status nb_question_fill(const struct nb_parameter *rows,
                                const char *settings, void *question,
                                struct nb_text *given, struct nb_error *err);

/* Answers a question whose model is complete, checks a given answer to it or
 * writes its files, if it asks for any: binds it first if its kind has a
 * struct. Errors: NB_USAGE for files that do not go with its options; the
 * kind's. */
enum nb_status nb_question_answer(const struct nb_question_kind *kind,
                                  const struct nb_question *question,
                                  struct nb_point *out, struct nb_error *err);
enum nb_status nb_question_check(const struct nb_question_kind *kind,
                                 const struct nb_question *question,
                                 const struct nb_point *given,
                                 struct nb_point *out, struct nb_text *said,
                                 struct nb_error *err);
enum nb_status nb_question_write(const struct nb_question_kind *kind,
                                 const struct nb_question *question,
                                 const struct nb_point *point,
                                 struct nb_error *err);

/* A row's default in the model; NULL if none holds (nb_parameter.with). */
const char *nb_model_initial(const struct nb_model *model,
                             const struct nb_parameter *row);

/* Where the model has a clock: adds NAME_ns for every quantity in cycles, and a
 * note that says what a cycle is. */
void nb_point_add_times(struct nb_point *point, const struct nb_model *model);

/* Puts a folder (NULL: nothing is done) before every relative path in options
 * of type NB_PATH that is found there. Errors: NB_NO_MEMORY. */
enum nb_status nb_model_resolve_paths(const struct nb_form *form,
                                      struct nb_model *model,
                                      const char *folder, struct nb_error *err);

/* Pins what nb_model_pin_inputs does and, of a form (NULL: unknown), the
 * files that options of type NB_PATH name; nothing else is pinned. Errors:
 * those of nb_model_pin_inputs. */
enum nb_status nb_model_pin_files(const struct nb_form *form,
                                  struct nb_model *model, struct nb_error *err);

/* Whether a sweep sets the option. */
bool nb_model_sweeps(const struct nb_model *model, const char *name);

/* The number of points of the model's sweeps, 1 without; each sweep's values
 * are checked. Errors: NB_INVALID. */
enum nb_status nb_sweep_count(const struct nb_model *model, size_t *count,
                              struct nb_error *err);

/*
 * The model at a point of its sweeps (the last sweep runs fastest).
 *
 * settings  out: name and value of every sweep there, added to point
 */
enum nb_status nb_sweep_model(const struct nb_form *form,
                              const struct nb_model *model, size_t index,
                              struct nb_model *out, struct nb_point *point,
                              struct nb_error *err);

/*
 * Leaves of a point of a sweep its settings and, as its note, why it has no
 * answer, so that the others can be answered all the same. false, and nothing
 * is done, where what failed may be no fault of the point (memory, files, a
 * certificate), there is no sweep, or the question is one that judges: its
 * verdict is on all points.
 */
bool nb_point_refuse(const struct nb_question_kind *kind,
                     const struct nb_model *model, enum nb_status status,
                     const char *why, struct nb_point *point);
/* Why a point was refused; NULL if it was not. */
const char *nb_point_refusal(const struct nb_point *point);

NB_PUBLIC_END

#endif
