/* Published: numbers of the literature, one row each in the files of a folder
 * such as data/published. */
#ifndef NB_QUESTIONS_LEDGER_PUBLISHED_H
#define NB_QUESTIONS_LEDGER_PUBLISHED_H

#include "core/ratio.h"
#include "core/text.h"
#include "questions/ledger/reading.h"

#include <stddef.h>

/* What the data expects of a row, and what was found. */
enum nb_verdict {
    NB_VERDICT_AGREES,     /* all possible values have the printed digits */
    NB_VERDICT_EXPLAINED,  /* differs, and a reading shows why */
    NB_VERDICT_CONSISTENT, /* some possible values have the printed digits */
    NB_VERDICT_DISAGREES,
    NB_VERDICT_PENDING, /* not computed, or nothing is ruled out */
    NB_VERDICT_GIVEN,   /* an input of the source, or cited there: no result */
};
enum { NB_VERDICTS = NB_VERDICT_GIVEN + 1 };
/* "agrees", ..., by enum nb_verdict. */
extern const char *const nb_verdict_names[];

/* A printed number as the range of values that it covers: a rounded decimal
 * covers all within half a unit of its last digit, first digits all numbers
 * that begin with them; ratios and infinity cover only themselves. A word has
 * the number that its row's check gives. The ratios are unknown if nothing is
 * printed. */
struct nb_printed {
    struct nb_ratio value;
    struct nb_ratio lower, upper;
    int places; /* digits after the point */
    int tens;   /* the three ratios are times 10^tens: "4.31e-17" */
};

/* Divides the two labels of a cell. */
#define NB_CELL_DIVIDER " / "

/* A row. Its texts belong to the files. */
struct nb_published_row {
    const char *id;
    const char *source; /* key in data/references.bib */
    const char *table;
    const char *cell;                         /* "row label / column label" */
    const char *topology, *routing, *traffic; /* specifications, or "" */
    const char *quantity;
    const char *printed; /* as in the source; "": a reference value */
    const char *unit;
    const char *note;
    struct nb_printed rounded;
    /* By independent computation: "p/q", digits of a longer number, "0.140...",
     * "inf", or "". */
    const char *exact;
    struct nb_printed reference; /* value of exact */
    const char *check;           /* "": none */
    size_t reading_count;
    struct nb_reading readings[NB_READINGS]; /* value of check */
    const char *verdict;
    enum nb_verdict expected; /* value of verdict */
    const char *file;
    size_t line;
};

/* Tables of reference values, and no others, begin with this. */
#define NB_REFERENCE_TABLE "reference: "

/* Whether the row is a reference value: not printed by its source, but obtained
 * otherwise, such as by independent computation. */
bool nb_row_is_reference(const struct nb_published_row *row);

/*
 * The row that a reading asks about: with the reading's columns in place of its
 * own. With another quantity the unit is "", for any, unless the answer is a
 * bound on the row's own.
 *
 * texts  out: own the columns; released by the caller, also on failure
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_reading_row(const struct nb_published_row *row,
                              const struct nb_reading *reading,
                              struct nb_text texts[NB_READING_COLUMNS],
                              struct nb_published_row *out,
                              struct nb_error *err);

/* A file: its path, and its bytes, into which the rows point. Owns both. */
struct nb_published_file {
    char *path;
    struct nb_text text;
};

/* All rows of all files, in the order of the files' names. Owns both;
 * zero-initialised is valid and empty. */
struct nb_published {
    size_t count;
    struct nb_published_row *rows;
    size_t file_count;
    struct nb_published_file *files;
};

/* A path of the running program: /proc/self/exe or, without /proc, the path it
 * was started by. */
const char *nb_program_path(void);

/* Default folder of the published numbers. */
#define NB_PUBLISHED "data/published"

/*
 * Appends the folder's path. If NB_PUBLISHED does not exist, it stands for the
 * installed data: share/netbound/data/published in one of the three folders
 * above the library that contains this function, or else above the program.
 * This finds it from bin/netbound and lib/x86_64-linux-gnu, and a Python
 * package with its own data reads that.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_published_find(const char *folder, struct nb_text *out,
                                 struct nb_error *err);

/*
 * Reads the files *.csv of a folder.
 *
 * Errors: NB_IO if the folder or a file cannot be read; NB_INVALID if there is
 * no such file, or naming file, line and what is wrong; NB_NO_MEMORY.
 *
 * Source: the files have the form of RFC 4180, section 2.
 */
enum nb_status nb_published_read(const char *folder, struct nb_published *out,
                                 struct nb_error *err);
void nb_published_release(struct nb_published *published);

/* Fails with the row's file, line and id before the message of an inner
 * error. */
enum nb_status nb_published_fail(const struct nb_published_row *row,
                                 enum nb_status status, const char *message,
                                 struct nb_error *err);

#endif
