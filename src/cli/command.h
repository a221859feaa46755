/* Command: one word after the program's name; one file each in commands/. */
#ifndef NB_CLI_COMMAND_H
#define NB_CLI_COMMAND_H

#include "core/parallel.h"
#include "core/specification.h"
#include "core/status.h"
#include "model/model.h"
#include "report/report.h"

/* A model at one point of its sweeps: every option of the command's table
 * has a value, defaults filled in. */
struct nb_question {
    const struct nb_model *model;
    struct nb_run run;
    /* Paths of the command's own output files, by row of its outputs; NULL
     * where not asked for. NULL altogether when an answer is only checked. */
    const char *const *outputs;
};

enum { NB_OUTPUTS = 4 }; /* the most that a command can have */

/* What the command line said. Owns model and the lists. */
struct nb_invocation {
    const struct nb_command *command;
    struct nb_model model;
    const char *words[4]; /* arguments that are not options */
    size_t word_count;
    enum nb_format format;
    const char *table;      /* NULL: the command's main table */
    const char *output;     /* NULL: standard output */
    const char *save_model; /* NULL: none */
    const char *outputs[NB_OUTPUTS];
    size_t given_count; /* options on the command line, each once */
    const struct nb_parameter *given[64];
    int threads; /* 0: all */
    enum { NB_PROGRESS_AUTO, NB_PROGRESS_ALWAYS, NB_PROGRESS_NEVER } progress;
};

struct nb_command {
    const char *name;
    const char *summary;
    const char *words;   /* "MODEL.xml"; NULL: takes no words */
    const char *example; /* what help shows */

    /* The common options it takes, between blanks; NULL: all of them. */
    const char *common;

    /* Questions: rows with initial NULL must be given, with initial "" may
     * stay unset. */
    const struct nb_parameter *options;
    const struct nb_parameter *outputs; /* further files it can write */
    const char *main_table; /* what CSV shows; NULL: the quantities */
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
     * notes, unless they name a table; NULL: nothing. Errors: NB_NO_MEMORY. */
    enum nb_status (*print)(const struct nb_point *point, struct nb_text *text,
                            struct nb_error *err);
    /* Judges an answer that was written; NULL: it stands. Errors: NB_REFUTED.
     */
    enum nb_status (*judge)(const struct nb_point *point, struct nb_error *err);

    /* Other commands (answer = NULL). */
    enum nb_status (*run)(struct nb_invocation *invocation,
                          struct nb_error *err);
};

extern const struct nb_command *const nb_commands[];

/* The command of that name; NULL if there is none. */
const struct nb_command *nb_command_find(const char *name);

/* Options that every question has. */
extern const struct nb_parameter nb_common_options[];

/* Whether the command takes a row of the common options. */
bool nb_command_takes(const struct nb_command *command,
                      const struct nb_parameter *row);

/*
 * Reads arguments after the command's name.
 *
 * Errors: NB_USAGE for an unknown option, a missing or refused value.
 */
enum nb_status nb_invocation_read(struct nb_invocation *invocation, int count,
                                  char **arguments, struct nb_error *err);
void nb_invocation_release(struct nb_invocation *invocation);

/*
 * Gives every unset option its default and checks every value.
 *
 * Errors: NB_USAGE naming a missing option; NB_INVALID for a refused value.
 */
enum nb_status nb_model_complete(const struct nb_command *command,
                                 struct nb_model *model, struct nb_error *err);

/* Puts the folder of a file before every relative path in options of type
 * NB_PATH that is found there. Errors: NB_NO_MEMORY. */
enum nb_status nb_model_resolve_paths(const struct nb_command *command,
                                      struct nb_model *model, const char *file,
                                      struct nb_error *err);

/* Pins what nb_model_pin_inputs does and, of a command (NULL: unknown), the
 * files that options of type NB_PATH name; nothing else is pinned. Errors:
 * those of nb_model_pin_inputs. */
enum nb_status nb_model_pin_files(const struct nb_command *command,
                                  struct nb_model *model, struct nb_error *err);

/* The number of points of the model's sweeps, 1 without; each sweep's values
 * are checked. Errors: NB_INVALID. */
enum nb_status nb_sweep_count(const struct nb_model *model, size_t *count,
                              struct nb_error *err);

/*
 * The model at a point of its sweeps (the last sweep runs fastest).
 *
 * settings  out: name and value of every sweep there, added to point
 */
enum nb_status nb_sweep_model(const struct nb_command *command,
                              const struct nb_model *model, size_t index,
                              struct nb_model *out, struct nb_point *point,
                              struct nb_error *err);

/* Answers the invocation's model and writes what was asked for. */
enum nb_status nb_answer(struct nb_invocation *invocation,
                         struct nb_error *err);

/* Writes text to a file, or to standard output if path is NULL. */
enum nb_status nb_output_write(const char *path, const struct nb_text *text,
                               struct nb_error *err);

/*
 * Re-checks a report file, as `verify` does.
 *
 * said  what was checked, appended
 *
 * Errors: NB_IO and NB_INVALID as nb_report_read_file; NB_REFUTED, or what
 * building the model's parts gives, with the file's name.
 */
enum nb_status nb_verify_file(const struct nb_invocation *invocation,
                              const char *path, struct nb_text *said,
                              struct nb_error *err);

/* How loops are run and watched for this invocation. */
struct nb_run nb_progress_run(const struct nb_invocation *invocation);
/* Ends what nb_progress_run began: clears the line, if one stands. */
void nb_progress_end(void);
/* Clears the line only; a signal handler may call it. */
void nb_progress_clear(void);

/* Appends the help of the program (command = NULL) or of a command. */
void nb_help_print(const struct nb_command *command, struct nb_text *text);

#endif
