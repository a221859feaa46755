/* Recorded: answers of questions that take long, kept with the published
 * numbers that need them. */
#ifndef NB_QUESTIONS_LEDGER_RECORDED_H
#define NB_QUESTIONS_LEDGER_RECORDED_H

#include "core/digest.h"
#include "core/text.h"
#include "model/model.h"
#include "report/report.h"

/* The file, in the folder of the published numbers. */
#define NB_RECORDED "recorded/runs.csv"

/* Its columns, those of the ledger's table "runs", which writes its lines. */
#define NB_RECORDED_COLUMNS                                                    \
    "question,command,program,date,quantity,value,lower,upper,exact,unit,"     \
    "method"

/* A quantity of a recorded run; the texts belong to the file. */
struct nb_recorded_row {
    const char *question, *command; /* nb_recorded_question */
    const char *program, *date;     /* "netbound 0.3.0", "2026-11-30" */
    struct nb_quantity quantity;
};

/* Owns everything; zero-initialised is valid and has no runs. */
struct nb_recorded {
    char *path;
    struct nb_text text;
    size_t count;
    struct nb_recorded_row *rows;
};

/*
 * Reads the runs recorded for a folder of published numbers; without a file
 * there are none.
 *
 * Errors: NB_IO; NB_INVALID naming file, line and what is wrong; NB_NO_MEMORY.
 */
enum nb_status nb_recorded_read(const char *folder, struct nb_recorded *out,
                                struct nb_error *err);
void nb_recorded_release(struct nb_recorded *recorded);

/*
 * Names a question independently of the program and of the folder from which it
 * is asked.
 *
 * asked     only the options that are given
 * complete  the same with the digests of its files
 * command   out: appends the command line
 * question  out: SHA-256 of the command line and these digests
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_recorded_question(const struct nb_model *request,
                                    const struct nb_model *complete,
                                    struct nb_text *command,
                                    char question[NB_DIGEST_TEXT],
                                    struct nb_error *err);

/* The quantities recorded for a question with that command, and the first of
 * their rows; NULL if it was not recorded. out: zero; an allocation that fails
 * is remembered in it. */
const struct nb_recorded_row *
nb_recorded_find(const struct nb_recorded *recorded, const char *question,
                 const char *command, struct nb_point *out);

#endif
