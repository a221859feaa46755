/* Lines: text files with one record per line, split into cells or words. */
#ifndef NB_CORE_LINES_H
#define NB_CORE_LINES_H

#include "core/text.h"

#include <stddef.h>
#include <stdint.h>

/* A file being read; zero-initialise it. Pieces are NUL-terminated in place, so
 * they live as long as the text. */
struct nb_lines {
    const char *path; /* for messages */
    /* First character of a comment line. Comments and empty lines are skipped,
     * and blanks around lines and cells removed; NUL: every line counts. */
    char comment;
    struct nb_text text; /* owned; empty after nb_lines_begin */
    char *next;          /* the unread rest */
    size_t number;       /* of the current line, from 1 */
    size_t names;        /* columns at the end that are not read */
};

/* The length in bytes of the byte order mark that a text begins with, or 0. */
size_t nb_lines_mark(const char *bytes);

/* Whether a text begins with the byte order mark of UTF-16. */
bool nb_lines_are_wide(const char *bytes);

/*
 * Begins with a text that the caller keeps. Skips a byte order mark, as
 * spreadsheets write it.
 *
 * Errors: NB_INVALID if a byte is 0, or the text is UTF-16.
 */
enum nb_status nb_lines_begin(struct nb_lines *lines, const char *path,
                              char comment, char *bytes, size_t length,
                              struct nb_error *err);

/*
 * Reads a file through the store, and begins.
 *
 * limit  [byte]  a larger file is refused
 *
 * Errors: those of nb_store_read and nb_lines_begin.
 */
enum nb_status nb_lines_open(struct nb_lines *lines, const char *path,
                             char comment, size_t limit, struct nb_error *err);
void nb_lines_close(struct nb_lines *lines);

/* The next line, NULL at the end. */
char *nb_lines_next(struct nb_lines *lines);

/* nb_fail with "PATH:LINE: " before the message; before the first line only
 * "PATH: ". */
enum nb_status nb_lines_fail(const struct nb_lines *lines,
                             enum nb_status status, struct nb_error *err,
                             const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The number of cells in a line. */
size_t nb_lines_count(const char *line);

/*
 * Cuts a cell off a line, up to a comma, and removes the quotes around it (""
 * within them is one quote).
 *
 * rest  in: not NULL; out: what follows the comma, NULL after the last cell
 *
 * Errors: NB_INVALID if a quote is not closed, or not around the whole cell.
 * Source: RFC 4180, section 2, except cells of several lines.
 */
enum nb_status nb_lines_cell(const struct nb_lines *lines, char **rest,
                             const char **cell, struct nb_error *err);

/*
 * Cuts a line into cells, one for each column.
 *
 * columns  their names, separated by commas
 * cell     out: one per column
 *
 * Errors: NB_INVALID if there are more or fewer; those of nb_lines_cell.
 */
enum nb_status nb_lines_cut(const struct nb_lines *lines, char *line,
                            const char *columns, const char **cell,
                            struct nb_error *err);

/* Whether a line names the columns; the line is not changed. Further columns
 * called ..._name, with names of routers, may follow and are not read. */
bool nb_lines_is_header(struct nb_lines *lines, const char *line,
                        const char *columns);

/* Reads the line that names the columns. Errors: NB_INVALID if it names other
 * columns or is missing. */
enum nb_status nb_lines_header(struct nb_lines *lines, const char *columns,
                               struct nb_error *err);

/* Cuts a word off a line; NULL if none is left. */
char *nb_lines_word(char **rest, const char *separators);

/*
 * Reads a whole number.
 *
 * what  names it in the message, such as "source"
 * kind  what is permitted, such as "a terminal"
 *
 * Errors: NB_INVALID naming text and range.
 */
enum nb_status nb_lines_whole(const struct nb_lines *lines, const char *what,
                              const char *kind, const char *text, int64_t least,
                              int64_t most, int64_t *out, struct nb_error *err);

#endif
