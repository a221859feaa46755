/* Question: what a model asks and a report answers; one folder each. */
#ifndef NB_ASK_QUESTION_H
#define NB_ASK_QUESTION_H

#include "core/public.h"
#include "core/parallel.h"
#include "core/specification.h"
#include "core/status.h"
#include "model/model.h"
#include "report/rows.h"

struct nb_written;

NB_PUBLIC_BEGIN

/* A model at one point of its sweeps: every option of the question's table has
 * a value, given or by default. */
struct nb_question {
    const struct nb_model *model;
    const void *request; /* options as the kind's struct; NULL: none */
    struct nb_run run;
    /* Paths of the question's own output files, by row of its outputs; NULL
     * where not requested. NULL pointer if an answer is only checked. */
    const char *const *outputs;
    /* All files that are written; none of them may be read. NULL: none. */
    const struct nb_written *written;
    bool is_checked; /* a given answer is checked: compute everything anew */
    /* The only quantity of the answer that is used, if the kind can answer it
     * separately; NULL: all are. */
    const char *wanted;
};

enum { NB_OUTPUTS = 4 }; /* maximum per question */

/* What help, command line and model files need to know about a question or
 * about another command. */
struct nb_form {
    const char *name;
    const char *summary;
    const char *details; /* page text, if not a question; or NULL */
    const char *example; /* shown by help */
    /* The sentence of its titles (ask/title.c): {option} gives the values
     * of the option, <noun> what is found, replaced where only one quantity is
     * shown; [part] is left out if an option in it has no value, [?part] also
     * if it has its default. Bars separate alternatives; OPTION?alternative
     * applies if the option is set. */
    const char *title;
    /* A row with initial NULL must be given; with initial "" it may stay
     * unset. */
    const struct nb_parameter *options;
    const struct nb_parameter *outputs; /* further files it can write */
    const char *main_table;             /* shown as CSV; NULL: the quantities */
    /* The quantities and tables that its answers may have; each list ends with
     * NULL. NULL: none. */
    const struct nb_quantity_row *const *quantities;
    const struct nb_table_kind *const *tables;
    const struct nb_table_kind *const *more_tables; /* another question's */
    const char *prefixed_tables; /* further names, of tables with a prefix,
                                  * separated by blanks; NULL: none */
    /* The common options it accepts, separated by blanks; NULL: all of them. */
    const char *common;
};

struct nb_claim; /* ask/claims.h */

/*
 * A question as its request, its answer, and what comes between: the options
 * are the fields of the request's struct (every row of options names its
 * field), the answer's struct is what compute found, and report adds that to a
 * point. NB_DEFINE_QUESTION fills in these members. A question that needs more
 * than its request defines answer and check itself.
 */
struct nb_question_kind {
    struct nb_form form;
    /* Quantities, separated by blanks, that can be answered separately and then
     * take less time. NULL: none. */
    const char *alone;

    size_t size; /* of the request's struct; 0: none */
    size_t answer_size;
    enum nb_status (*compute)(const void *request, const struct nb_run *run,
                              void *answer, struct nb_error *err);
    /*
     * Checks the certificates of a given answer and rebuilds the answer from
     * what was checked, without solving; appends one line of text for the
     * reader. NULL: there is nothing to prove, and the answer is computed
     * again.
     *
     * Errors: NB_REFUTED.
     */
    enum nb_status (*recheck)(const void *request, const struct nb_run *run,
                              const struct nb_point *given, void *answer,
                              struct nb_text *said, struct nb_error *err);
    void (*report)(const void *answer, struct nb_point *out);
    void (*release)(void *answer); /* NULL: it owns nothing */

    /* Instead of compute and report; instead of recheck and report. */
    enum nb_status (*answer)(const struct nb_question *question,
                             struct nb_point *out, struct nb_error *err);
    enum nb_status (*check)(const struct nb_question *question,
                            const struct nb_point *given, struct nb_point *out,
                            struct nb_text *said, struct nb_error *err);
    /* Refuses further files that are requested but that the answer cannot give,
     * before it is computed; NULL: there are none. */
    enum nb_status (*accept)(const struct nb_question *question,
                             struct nb_error *err);
    /* Writes the further files that the question requests, from the finished
     * answer; NULL: there are none. */
    enum nb_status (*write)(const struct nb_question *question,
                            const struct nb_point *point, struct nb_error *err);
    /* What a check takes from the given answer without proof; of it, the check
     * sees only certificates and the notes among these claims. NULL:
     * nothing. */
    const struct nb_claim *claims;

    /* Appends a view for readers after (or before) the quantities and notes of
     * an answer, unless a table is asked for by name; NULL: none. Errors:
     * NB_NO_MEMORY. */
    enum nb_status (*print)(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err);
    bool prints_first;
    /* Judges a written answer; NULL: no verdict. Errors: NB_REFUTED. */
    enum nb_status (*judge)(const struct nb_point *point, struct nb_error *err);
};

/*
 * The public calls of a question: nb_NAME_ask checks a request that a caller
 * filled and finds its answer, which is released if that fails; nb_NAME_report
 * adds an answer to a report's point.
 *
 * run  NULL: all cores
 */
#define NB_DECLARE_QUESTION(name)                                              \
    enum nb_status nb_##name##_ask(                                            \
        const struct nb_##name##_question *request, const struct nb_run *run,  \
        struct nb_##name##_answer *out, struct nb_error *err);                 \
    void nb_##name##_report(const struct nb_##name##_answer *answer,           \
                            struct nb_point *out)

/* All questions, by name; ends with NULL. */
extern const struct nb_question_kind *const nb_questions[];

/* The question of that name; NULL: none. */
const struct nb_question_kind *nb_question_find(const char *name);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Whether answers have certificates that are checked. */
static inline bool nb_question_proves(const struct nb_question_kind *kind)
{
    return kind->check != NULL || kind->recheck != NULL;
}

/* Row of option tables: the clock, for values with units. place: its field in
 * the question. */
#define NB_OPTION_CLOCK(place)                                                 \
    NB_OPTION("clock", place, RUN, NUMBER, "",                                 \
              "length or frequency of a cycle, to convert values with units; " \
              "default 1 ns",                                                  \
              .least = 1e-9, .most = 1e9, .unit = nb_unit_clock)

/*
 * Defines, from static functions NAME_compute and NAME_report with the structs
 * nb_NAME_question and nb_NAME_answer: the public nb_NAME_ask, which checks its
 * request, and nb_NAME_report; and NB_CALLS_OF(NAME) for the kind. A question
 * whose answer owns memory adds .release = NAME_release and
 * NB_DEFINE_RELEASE(NAME), which defines it from nb_NAME_answer_release; one
 * with certificates adds .recheck = NAME_recheck and NB_DEFINE_RECHECK(NAME),
 * which defines it and nb_NAME_recheck from NAME_prove.
 */
#define NB_DEFINE_QUESTION(name)                                               \
    extern const struct nb_question_kind nb_question_kind_##name;              \
    static enum nb_status name##_compute_any(                                  \
        const void *request, const struct nb_run *run, void *answer,           \
        struct nb_error *err)                                                  \
    {                                                                          \
        return name##_compute(request, run, answer, err);                      \
    }                                                                          \
    static void name##_report_any(const void *answer, struct nb_point *out)    \
    {                                                                          \
        name##_report(answer, out);                                            \
    }                                                                          \
    enum nb_status nb_##name##_ask(                                            \
        const struct nb_##name##_question *request, const struct nb_run *run,  \
        struct nb_##name##_answer *out, struct nb_error *err)                  \
    {                                                                          \
        return nb_request_compute(&nb_question_kind_##name, request, run, out, \
                                  err);                                        \
    }                                                                          \
    void nb_##name##_report(const struct nb_##name##_answer *answer,           \
                            struct nb_point *out)                              \
    {                                                                          \
        name##_report(answer, out);                                            \
    }                                                                          \
    _Static_assert(true, "takes the semicolon")
#define NB_CALLS_OF(name)                                                      \
    .size = sizeof(struct nb_##name##_question),                               \
    .answer_size = sizeof(struct nb_##name##_answer),                          \
    .compute = name##_compute_any, .report = name##_report_any

#define NB_DEFINE_RELEASE(name)                                                \
    static void name##_release(void *answer)                                   \
    {                                                                          \
        nb_##name##_answer_release(answer);                                    \
    }                                                                          \
    _Static_assert(true, "takes the semicolon")

/* Declares what NB_DEFINE_RECHECK defines: the same from the tables of a given
 * answer, which is proved, not solved. Appends to said what was proved. Errors:
 * NB_REFUTED; those of nb_NAME_ask. */
#define NB_DECLARE_RECHECK(name)                                               \
    enum nb_status nb_##name##_recheck(                                        \
        const struct nb_##name##_question *request, const struct nb_run *run,  \
        const struct nb_point *given, struct nb_##name##_answer *out,          \
        struct nb_text *said, struct nb_error *err)

/* Defines NAME_compute for a NAME_prove that solves where no answer is given;
 * before NB_DEFINE_QUESTION. */
#define NB_DEFINE_COMPUTE(name)                                                \
    static enum nb_status name##_compute(                                      \
        const struct nb_##name##_question *request, const struct nb_run *run,  \
        struct nb_##name##_answer *out, struct nb_error *err)                  \
    {                                                                          \
        return name##_prove(request, run, NULL, out, NULL, err);               \
    }                                                                          \
    _Static_assert(true, "takes the semicolon")

#define NB_DEFINE_RECHECK(name)                                                \
    static enum nb_status name##_recheck(                                      \
        const void *request, const struct nb_run *run,                         \
        const struct nb_point *given, void *answer, struct nb_text *said,      \
        struct nb_error *err)                                                  \
    {                                                                          \
        return name##_prove(request, run, given, answer, said, err);           \
    }                                                                          \
    enum nb_status nb_##name##_recheck(                                        \
        const struct nb_##name##_question *request, const struct nb_run *run,  \
        const struct nb_point *given, struct nb_##name##_answer *out,          \
        struct nb_text *said, struct nb_error *err)                            \
    {                                                                          \
        return nb_request_recheck(&nb_question_kind_##name, request, run,      \
                                  given, out, said, err);                      \
    }                                                                          \
    _Static_assert(true, "takes the semicolon")

/*
 * Checks a request filled by a caller, computes its answer, or rebuilds that
 * from a given one; releases the answer if that fails.
 *
 * answer  out: of the kind's answer_size
 *
 * Errors: those of nb_request_check and the kind's.
 */
enum nb_status nb_request_compute(const struct nb_question_kind *kind,
                                  const void *request, const struct nb_run *run,
                                  void *answer, struct nb_error *err);
enum nb_status nb_request_recheck(const struct nb_question_kind *kind,
                                  const void *request, const struct nb_run *run,
                                  const struct nb_point *given, void *answer,
                                  struct nb_text *said, struct nb_error *err);

/*
 * Finds the row of an option.
 *
 * name  [length]
 *
 * Errors: NB_USAGE, which suggests a similar name if there is one.
 */
enum nb_status nb_form_find(const struct nb_form *form, const char *name,
                            size_t length, const struct nb_parameter **out,
                            struct nb_error *err);

/*
 * Converts values with units (15ns) of options and sweeps to plain numbers and
 * checks them. If that used the clock, the model keeps it.
 *
 * Errors: NB_USAGE naming the option, the value and what is permitted.
 */
enum nb_status nb_model_convert(const struct nb_form *form,
                                struct nb_model *model, struct nb_error *err);

/* Appends the names of the tables that answers may have, each once. */
void nb_form_print_tables(const struct nb_form *form, const char *separator,
                          struct nb_text *out);

/* The row of that name; NULL: none. name: [length]; rows: NULL: no table */
const struct nb_parameter *nb_option_find(const struct nb_parameter *rows,
                                          const char *name, size_t length);

/* The first of these blank-separated options that the model gives;
 * NAME=VALUE: with that value. A flag set to no does not count. NULL: none. */
const struct nb_parameter *nb_option_given(const struct nb_parameter *rows,
                                           const struct nb_model *model,
                                           const char *names);
bool nb_model_has_option(const struct nb_form *form,
                         const struct nb_model *model, const char *names);

/* Gives every unset option its default. Errors: NB_USAGE for an option that the
 * form does not have. */
enum nb_status nb_model_complete(const struct nb_form *form,
                                 struct nb_model *model, struct nb_error *err);

/*
 * Fills the fields of a request from a complete model; texts are borrowed from
 * the model.
 *
 * request  of the kind's size
 *
 * Errors: NB_USAGE for a refused value.
 */
enum nb_status nb_request_read(const struct nb_form *form,
                               const struct nb_model *model, void *request,
                               struct nb_error *err);

/*
 * Checks the fields of a request that a caller filled, or that was read from a
 * model, against its rows: required fields, fields that exclude or need each
 * other, and the ranges of what a caller filled.
 *
 * name  of the question, for messages
 * rows  with fields
 *
 * Errors: NB_INVALID, NB_USAGE naming the field and what is permitted.
 */
enum nb_status nb_request_check(const char *name,
                                const struct nb_parameter *rows,
                                const void *request, struct nb_error *err);
enum nb_status nb_request_check_model(const struct nb_form *form,
                                      const struct nb_model *model,
                                      const void *request,
                                      struct nb_error *err);

/* Refuses output files that the given options do not produce. Errors:
 * NB_USAGE. */
enum nb_status nb_request_check_outputs(const struct nb_form *form,
                                        const struct nb_model *model,
                                        const char *const *outputs,
                                        struct nb_error *err);

/* Reads and checks a complete model, and computes nothing. */
enum nb_status nb_question_try(const struct nb_question_kind *kind,
                               const struct nb_model *model,
                               struct nb_error *err);

/*
 * Gives unset fields the values of a named set, except where a field that is
 * given excludes them. Where 0 is permitted, 0 counts as given.
 *
 * settings  "NAME=VALUE,..."
 * given     appended: what was set, "NAME VALUE, ..."
 *
 * Errors: NB_INVALID for a refused value; NB_NO_MEMORY.
 */
enum nb_status nb_request_apply_preset(const struct nb_parameter *rows,
                                       const char *settings, void *question,
                                       struct nb_text *given,
                                       struct nb_error *err);

/* Answers a question whose model is complete, checks a given answer to it, or
 * writes the files it requests. Each binds the options first if the kind has a
 * struct. Errors: NB_USAGE for files that do not match its options; the
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

/* The default of a row in the model; NULL if none applies
 * (nb_parameter.with). */
const char *nb_model_initial(const struct nb_model *model,
                             const struct nb_parameter *row);

/* If the model has a clock: adds NAME_ns for every quantity in cycles, and a
 * note with the length of a cycle. */
void nb_point_add_times(struct nb_point *point, const struct nb_model *model);

/* Prefixes a folder (NULL: does nothing) to every relative path in options of
 * type NB_PATH, and in their sweeps, that exists there. Errors: NB_NO_MEMORY.
 */
enum nb_status nb_model_resolve_paths(const struct nb_form *form,
                                      struct nb_model *model,
                                      const char *folder, struct nb_error *err);

/* The same for the settings of a point of the model's sweeps. */
enum nb_status nb_point_resolve(const struct nb_form *form,
                                const struct nb_model *model,
                                const char *folder, struct nb_point *point,
                                struct nb_error *err);

/* Like nb_model_each_input for the form's options of type NB_PATH and their
 * sweeps; leaves out an option with its default. */
enum nb_status nb_model_each_path(const struct nb_form *form,
                                  const struct nb_model *model,
                                  nb_model_take *take, void *context,
                                  struct nb_error *err);

/* Pins the files of nb_model_pin_inputs and of nb_model_each_path. Errors:
 * those of nb_model_pin_inputs. */
enum nb_status nb_model_pin_files(const struct nb_form *form,
                                  struct nb_model *model, struct nb_error *err);

/* Whether a sweep sets the option. */
bool nb_model_sweeps(const struct nb_model *model, const char *name);

/* The number of points of the model's sweeps, 1 without sweeps; checks each
 * sweep's values. Errors: NB_INVALID. */
enum nb_status nb_sweep_count(const struct nb_model *model, size_t *count,
                              struct nb_error *err);

/*
 * The model at a point of its sweeps (the last sweep varies fastest).
 *
 * settings  out: name and value of every sweep there, added to point
 */
enum nb_status nb_sweep_model(const struct nb_model *model, size_t index,
                              struct nb_model *out, struct nb_point *point,
                              struct nb_error *err);

/*
 * Reduces a refused point of a sweep to its settings and a note with the
 * reason, so that the other points can still be answered. Returns false and
 * does nothing if the failure may not be due to the point (memory, files, a
 * certificate), if there is no sweep, or if the question judges: its verdict
 * covers all points.
 */
bool nb_point_refuse(const struct nb_question_kind *kind,
                     const struct nb_model *model, enum nb_status status,
                     const char *why, struct nb_point *point);
/* The reason why a point was refused; NULL if it was not. */
const char *nb_point_refusal(const struct nb_point *point);

NB_INTERNAL_END

#endif
