/* Published: the numbers of the literature, one row each in the files of a
 * folder such as data/published. */
#ifndef NB_QUESTIONS_LEDGER_PUBLISHED_H
#define NB_QUESTIONS_LEDGER_PUBLISHED_H

#include "core/ratio.h"
#include "core/text.h"

#include <stddef.h>

/* What the data expects of a row, and what is found. */
enum nb_verdict {
    NB_VERDICT_AGREES,     /* all that it may be has the printed digits */
    NB_VERDICT_EXPLAINED,  /* differs, and the row's check shows why */
    NB_VERDICT_CONSISTENT, /* some of what it may be has the printed digits */
    NB_VERDICT_DISAGREES,
    NB_VERDICT_PENDING, /* not computed, or all is possible as before */
};
enum { NB_VERDICTS = NB_VERDICT_PENDING + 1 };
/* "agrees", ..., by enum nb_verdict. */
extern const char *const nb_verdict_names[];

/* A printed number as those that it may stand for: a rounded decimal for all
 * within half a unit of its last digit, the digits of a longer one for all
 * that begin with them; ratios and infinity only for themselves. A word
 * stands for the number that its row's check gives. Unknown ratios where
 * nothing is printed. */
struct nb_printed {
    struct nb_ratio value;
    struct nb_ratio lower, upper;
    int places; /* digits after the point */
    int tens;   /* all three are times 10^tens: "4.31e-17" */
};

/* Divides a cell's two labels. */
#define NB_CELL_DIVIDER " / "

/*
 * What the ledger does where a number is not as printed, to show why; items
 * between "; ":
 *
 *   cut           the number begins with the printed digits: the rest was
 *                 dropped instead of rounded
 *   within 3%     it differs by no more, of what is printed: the precision
 *                 that the source itself states
 *   within 5      it differs by no more
 *   range         what is printed is among the values over the span
 *   COLUMN=VALUE  it asks again with another topology, routing, traffic or
 *                 quantity
 *
 * The row is explained if what is asked then has the printed digits, or does
 * as the other items say. Of a printed word, "as NUMBER" is what it says.
 */
struct nb_published_check {
    const char *text;       /* "": none */
    bool is_cut, is_range;  /* at most one of them and within */
    struct nb_ratio within; /* unknown: none */
    bool is_share;          /* within is of what is printed */
    bool has_columns;
};

/* A row. The texts belong to the files. */
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
    struct nb_printed reference; /* what exact says */
    struct nb_published_check check;
    const char *verdict;
    enum nb_verdict expected; /* what verdict says */
    const char *file;
    size_t line;
};

/* What the table of a row that nobody printed begins with, and no other. */
#define NB_REFERENCE_TABLE "reference: "

/* Whether nobody printed the row's number: its value has another source, such
 * as independent computation. */
bool nb_row_is_reference(const struct nb_published_row *row);

/* Whether its check does more than say what a word stands for. */
bool nb_row_can_explain(const struct nb_published_row *row);

enum { NB_CHECK_COLUMNS = 4 };

/*
 * The row that its check asks: other columns where the check has them; where
 * that is the quantity, the unit is "", for any.
 *
 * texts  out: own the columns; released by the caller, on failure, too
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_check_row(const struct nb_published_row *row,
                            struct nb_text texts[NB_CHECK_COLUMNS],
                            struct nb_published_row *out, struct nb_error *err);

/* A file: its path, and its bytes, which the rows point into. Owns both. */
struct nb_published_file {
    char *path;
    struct nb_text text;
};

/* All rows of all files, which are in the order of their names. Owns both;
 * zero-initialised is valid and empty. */
struct nb_published {
    size_t count;
    struct nb_published_row *rows;
    size_t file_count;
    struct nb_published_file *files;
};

/* A path of the program that runs: /proc/self/exe or, where there is no /proc,
 * the one it was started by. */
const char *nb_program_path(void);

/* Where the published numbers are unless a folder is given. */
#define NB_PUBLISHED "data/published"

/*
 * Appends the folder's path. If NB_PUBLISHED does not exist, it means the
 * installed data: share/netbound/data/published in one of the three folders
 * above the library that holds this function, or else above the program. So it
 * is found from bin/netbound and lib/x86_64-linux-gnu, and a Python package
 * that carries data reads its own.
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
 * Source: the form of the files is that of RFC 4180, section 2.
 */
enum nb_status nb_published_read(const char *folder, struct nb_published *out,
                                 struct nb_error *err);
void nb_published_release(struct nb_published *published);

/* Fails with the row's file, line and id before the message, which is kept
 * from the inner error. */
enum nb_status nb_published_fail(const struct nb_published_row *row,
                                 enum nb_status status, const char *message,
                                 struct nb_error *err);

#endif
