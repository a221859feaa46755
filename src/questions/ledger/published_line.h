/* Published line: a line of a file of published numbers, cut into fields. */
#ifndef NB_QUESTIONS_LEDGER_PUBLISHED_LINE_H
#define NB_QUESTIONS_LEDGER_PUBLISHED_LINE_H

#include "questions/ledger/published.h"
#include "core/lines.h"

#include <stddef.h>

/* The columns, in the order of the files. */
enum nb_line_column {
    NB_LINE_ID,
    NB_LINE_SOURCE,
    NB_LINE_TABLE,
    NB_LINE_CELL,
    NB_LINE_TOPOLOGY,
    NB_LINE_ROUTING,
    NB_LINE_TRAFFIC,
    NB_LINE_QUANTITY,
    NB_LINE_PRINTED,
    NB_LINE_EXACT,
    NB_LINE_UNIT,
    NB_LINE_VERDICT,
    NB_LINE_NOTE,
    NB_LINE_CHECK,
};
/* Few rows have a check; files and lines may leave it out. */
enum { NB_LINE_COLUMNS = NB_LINE_CHECK + 1, NB_LINE_NEEDED = NB_LINE_CHECK };
/* "id", ..., by enum nb_line_column. */
extern const char *const nb_line_columns[];

/* The place in a file, and its line. Fields point into the file's bytes. */
struct nb_line {
    struct nb_lines lines;
    const char *field[NB_LINE_COLUMNS];
};

/*
 * Begins a file and reads its header.
 *
 * text  the whole file; fields are cut in place
 *
 * Errors: NB_INVALID naming a column that is missing or unknown, or as
 * nb_line_next.
 */
enum nb_status nb_line_start(struct nb_line *line, const char *file,
                             struct nb_text *text, struct nb_error *err);

/*
 * Cuts the next line into its fields. A field stays within its line.
 *
 * is_there  out: false after the last
 *
 * Errors: NB_INVALID for quotes or a number of fields that are wrong.
 */
enum nb_status nb_line_next(struct nb_line *line, bool *is_there,
                            struct nb_error *err);

/*
 * Reads the check of a row, and the number that it gives to a printed word.
 *
 * word  out: as the check has it, not ended by NUL; NULL: none
 *
 * Errors: NB_INVALID naming the item that is wrong.
 */
enum nb_status nb_line_read_check(const struct nb_line *line, const char *text,
                                  struct nb_published_check *out,
                                  const char **word, struct nb_error *err);

/*
 * Reads the row that a line is.
 *
 * Errors: NB_INVALID naming the field that is wrong.
 */
enum nb_status nb_line_read_row(const struct nb_line *line,
                                struct nb_published_row *out,
                                struct nb_error *err);

#endif
