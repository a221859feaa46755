/* Command: one word after the program's name; one file each in commands/. */
#ifndef NB_CLI_COMMAND_H
#define NB_CLI_COMMAND_H

#include "core/deal.h"
#include "core/parallel.h"
#include "core/specification.h"
#include "core/status.h"
#include "core/unit.h"
#include "core/suggest.h"
#include "core/spool.h"
#include "report/reader.h"
#include "ask/question.h"
#include "report/report.h"
#include "export/view.h"

enum { NB_WORDS = 1000, NB_OVERRIDES = 64 };

enum { NB_PROGRESS_AUTO, NB_PROGRESS_ALWAYS, NB_PROGRESS_NEVER };

/* The parsed command line. Owns model and the lists. */
struct nb_invocation {
    const struct nb_command *command;
    struct nb_model model;
    const char *file;            /* the model's file; NULL: none */
    const char *words[NB_WORDS]; /* arguments that are not options */
    size_t word_count;
    enum nb_format format; /* from format_name, or the --to of export */
    const char *style;     /* of an export, replaces format; NULL: none */
    /* Values of nb_common_options, zero where not given. */
    union nb_value format_name; /* text; NULL: as text */
    union nb_value table;       /* text; NULL: the command's main table */
    union nb_value show, title; /* text; NULL: as in the model */
    union nb_value output;      /* text; NULL: standard output */
    union nb_value save_model;  /* text; NULL: none */
    union nb_value checkpoint;  /* text; NULL: none */
    union nb_value numbers;     /* choice: enum nb_numbers */
    union nb_value progress;    /* choice: NB_PROGRESS_AUTO, ... */
    union nb_value explains;    /* flag: how each number was computed */
    union nb_value threads;     /* whole; 0: all */
    struct nb_deal *deal;       /* the program's */
    const char *outputs[NB_OUTPUTS];
    size_t given_count; /* options on the command line, each once */
    const struct nb_parameter *given[64];
    size_t override_count; /* options for the questions in files */
    struct nb_given {
        const char *name, *value;
        size_t length; /* of the name */
    } overrides[NB_OVERRIDES];
    struct nb_look look; /* of text output */
};

struct nb_command {
    const struct nb_form *form;
    const struct nb_question_kind *question; /* NULL: not a question */
    const char *words; /* "MODEL.xml"; NULL: takes no words */
    /* Appends lists to its help page; NULL: there are none. */
    void (*print_lists)(struct nb_text *text);
    bool overrides; /* also takes options of the questions in its files */
    /* The words it accepts, NULL past the last; NULL: any. */
    const char *(*word_at)(size_t index);
    /* Of commands that are not questions, one of these: appends what the
     * program then writes, or does it all. */
    enum nb_status (*print)(const struct nb_invocation *invocation,
                            struct nb_text *text, struct nb_error *err);
    enum nb_status (*run)(struct nb_invocation *invocation,
                          struct nb_error *err);
    bool is_wrapped; /* what it prints is broken into lines like answers */
};

/* The questions' commands and the others, by name; ends with NULL. */
extern const struct nb_command *const nb_commands[];

/* The command of that name; NULL if there is none. */
const struct nb_command *nb_command_find(const char *name);

/* The same, which must exist. Errors: NB_USAGE naming all. */
enum nb_status nb_command_need(const char *name, const struct nb_command **out,
                               struct nb_error *err);

/* word_at for commands that take the name of one. */
const char *nb_command_name_at(size_t index);

/* Finds the invocation's only word among its command's words. Errors: NB_USAGE
 * naming those permitted; NB_NO_MEMORY. */
enum nb_status nb_word_find(const struct nb_invocation *invocation,
                            size_t *index, struct nb_error *err);

/*
 * Reads arguments after the command's name.
 *
 * Errors: NB_USAGE for an unknown option, a missing or refused value.
 */
enum nb_status nb_invocation_read(struct nb_invocation *invocation, int count,
                                  char **arguments, struct nb_error *err);
/*
 * Applies the command line's overrides to a question read from a file: an
 * option replaces the file's value, its alternatives (load for rate) and the
 * sweep of it; a sweep replaces the option.
 *
 * question  command and model are the file's
 * given     the command line
 *
 * Errors: those of nb_invocation_read.
 */
enum nb_status nb_invocation_override(struct nb_invocation *question,
                                      const struct nb_invocation *given,
                                      struct nb_error *err);
void nb_invocation_release(struct nb_invocation *invocation);
/* Refuses standard input where other ranks or later runs would need it. */
enum nb_status nb_invocation_check_alone(const struct nb_invocation *invocation,
                                         struct nb_error *err);

/* Indexed by enum nb_format. */
extern const char *const nb_format_names[];
/*
 * Refuses output files that cannot be written, have an unknown format, are the
 * same file twice or are among the words: before anything is computed, and
 * without touching any file.
 *
 * Errors: NB_USAGE; those of nb_file_probe and nb_parameter.accepts.
 */
enum nb_status nb_outputs_check(const struct nb_invocation *invocation,
                                struct nb_error *err);
/* The files that the invocation writes; the report's comes first. */
struct nb_written nb_outputs_find(const struct nb_invocation *invocation);

/* Answers the models of several files, or one question, and writes the outputs.
 * All are prepared before the first is answered, and all are answered before
 * anything is written. If the answers cannot be shown as asked for, as with a
 * table that they do not have, nothing that was computed is lost: they are
 * shown whole on standard output. */
enum nb_status nb_answer(struct nb_invocation *questions, size_t count,
                         struct nb_error *err);
/* Its first step: completes and pins the model, and refuses everything that can
 * be refused without computing. */
enum nb_status nb_answer_prepare(struct nb_invocation *invocation,
                                 struct nb_error *err);

/* Puts --show and --title, if given, into the model. Errors: NB_USAGE where
 * nb_model_set_show fails; NB_NO_MEMORY. */
enum nb_status nb_invocation_show(const struct nb_invocation *invocation,
                                  struct nb_model *model, struct nb_error *err);

/* Checks that some answer of the command can have the table asked for and the
 * names in --show. Errors: NB_INVALID. */
enum nb_status nb_show_check_names(const struct nb_invocation *invocation,
                                   struct nb_error *err);

/* Checks that the format can hold that many reports. Errors: NB_USAGE. */
enum nb_status nb_show_check(const struct nb_invocation *invocation,
                             size_t count, struct nb_error *err);

/* Whether the format is written point by point (report/writer.h). */
bool nb_shows_points(const struct nb_invocation *invocation);
/* The table asked for, or the command's main table for CSV; NULL: none (command
 * NULL: unknown). */
const char *nb_shown_table(const struct nb_invocation *invocation,
                           const struct nb_command *command);

/*
 * Appends reports in the invocation's format, with its table and numbers,
 * except formats that are written point by point.
 *
 * Errors: those of nb_show_check; NB_INVALID as from nb_report_write and
 * nb_export_write; NB_NO_MEMORY.
 */
enum nb_status nb_show(const struct nb_invocation *invocation,
                       struct nb_exhibit *exhibits, size_t count,
                       struct nb_text *text, struct nb_error *err);

/* Writes text to a file, or to standard output if path is NULL. */
enum nb_status nb_output_write(const char *path, const struct nb_text *text,
                               struct nb_error *err);
enum nb_status nb_output_write_spool(const char *path,
                                     const struct nb_spool *spool,
                                     struct nb_error *err);
/* An option of commands that verify reports; needs: as nb_parameter.with. */
#define NB_OPTION_INPUTS(needs)                                                \
    NB_COMMAND_OPTION("inputs", RUN, PATH, NULL,                               \
                      "a further folder that may have the files that the "     \
                      "report was made from",                                  \
                      .detail =                                                \
                          "Files that are not where the report says are "      \
                          "looked up there. Only regular files below the "     \
                          "report's folder and this one are read.",            \
                      .with = needs)

/* Verifies a report with the options of this invocation. reader: NULL: opens
 * the file */
enum nb_status nb_invocation_verify(const struct nb_invocation *invocation,
                                    const char *path,
                                    struct nb_report_reader *reader,
                                    struct nb_text *said, struct nb_error *err);

/* How loops are run and watched for this invocation. */
struct nb_run nb_progress_run(const struct nb_invocation *invocation);
/* Ends the progress display and clears its line, if there is one. */
void nb_progress_end(void);
/* Prints a message while the line may be on the terminal. */
void nb_progress_say(const char *line);
/* Only clears the line; a signal handler may call it. */
void nb_progress_clear(void);

#endif
