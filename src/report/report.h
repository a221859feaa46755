/* Report: one result tree (points of quantities and tables) for every output
 * format, and the certificates that `verify` reads back. */
#ifndef NB_REPORT_REPORT_H
#define NB_REPORT_REPORT_H

#include "core/ratio.h"
#include "core/status.h"
#include "core/text.h"
#include "model/model.h"
#include "report/look.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

/* A quantity is more than a double. lower <= true value <= upper; exact if the
 * ratio is known ({0,0} otherwise). Strings are owned copies. */
struct nb_quantity {
    char *name;
    double value;
    double lower;
    double upper;
    char *unit;
    struct nb_ratio exact;
    char *method; /* how it was computed: "closed form", "matching" */
    char *source; /* key of data/references.bib with place, or "" */
};

enum nb_cell_type {
    NB_CELL_WHOLE,
    NB_CELL_NUMBER,
    NB_CELL_RATIO,
    NB_CELL_TEXT
};

struct nb_column {
    char *name;
    char *unit;
    enum nb_cell_type type;
};

/* The column's type selects the member; text is owned. */
union nb_cell {
    int64_t whole;
    double number;
    struct nb_ratio ratio;
    char *text;
};

/* cells: row_count x column_count, row by row. A certificate table is evidence
 * that verify reads back; it is left out of the text format. */
struct nb_table {
    char *name;
    bool is_certificate;
    size_t column_count;
    struct nb_column *columns;
    size_t row_count;
    size_t cell_count;
    union nb_cell *cells;
};

/* A sentence about the answer: name "capacity_basis", text. */
struct nb_note {
    char *name;
    char *text;
};

/* The note that gives the reason why a point of a sweep has no answer. */
#define NB_NOTE_REFUSED "refused"

/* The answer at one point of the sweeps (the only point without sweeps). */
struct nb_point {
    size_t setting_count;
    struct nb_model_option *settings; /* the swept options' values here */
    size_t quantity_count;
    struct nb_quantity *quantities;
    size_t note_count;
    struct nb_note *notes;
    size_t table_count;
    struct nb_table *tables;
    bool has_failed; /* an allocation failed: nb_point_check */
};

/* How an answer was computed; not part of the answer. */
struct nb_made {
    int threads;    /* the most at one time; 0: nothing is known */
    double seconds; /* elapsed time */
};

struct nb_report {
    struct nb_model model;
    char *title;   /* for people, generated; NULL: unknown */
    char *program; /* "netbound 0.3.0" */
    struct nb_made made;
    size_t point_count;
    struct nb_point *points;
};

void nb_report_release(struct nb_report *report);

void nb_point_release(struct nb_point *point);

/* Additions to a point remember a failed allocation in has_failed; call
 * nb_point_check once at the end. */
enum nb_status nb_point_check(const struct nb_point *point,
                              struct nb_error *err);

/* The column of that name; column_count if there is none. */
size_t nb_table_column(const struct nb_table *table, const char *name);
/* A cell as a number; NaN if it is a text, unknown, or there is no such row or
 * column. */
double nb_table_number(const struct nb_table *table, size_t row, size_t column);
/* A cell's text; "" if it is not a text. */
const char *nb_table_text(const struct nb_table *table, size_t row,
                          size_t column);

/* The table or quantity of that name; NULL if there is none. */
const struct nb_table *nb_point_table(const struct nb_point *point,
                                      const char *name);
const struct nb_quantity *nb_point_quantity(const struct nb_point *point,
                                            const char *name);

enum nb_format { NB_FORMAT_TEXT, NB_FORMAT_CSV, NB_FORMAT_XML, NB_FORMAT_JSON };

/*
 * Appends the report.
 *
 * Text, for people: the question in one line, quantities aligned (name, value
 * with 6 significant digits, exact ratio, bracket when not exact, unit,
 * source), notes, then the named table if table is not NULL; swept points one
 * line each.
 *
 * CSV: a header line, then the table of that name for all points, each row
 * preceded by the swept settings; NULL: the quantities
 * (quantity,value,lower,upper,unit,exact,source). RFC 4180 quoting; numbers in
 * the fewest digits that identify them, and empty if not known. A column of
 * ratios is two: NAME with numbers, NAME_exact with ratios (not "exact" next to
 * "lower"). A text that a
 * spreadsheet would run as a formula (one that begins with =, @, a tab or CR,
 * or with + or - and holds more than letters, digits, dots, + and -) gets an
 * apostrophe before it.
 *
 * XML: everything, valid against models/report.xsd, ending in a digest.
 *
 * Errors: NB_INVALID if no point has the table, listing the existing tables;
 * NB_NO_MEMORY.
 */
enum nb_status nb_report_write(const struct nb_report *report,
                               enum nb_format format, const char *table,
                               struct nb_text *text, struct nb_error *err);

/* The text format in any look; nb_report_write uses the plain one. Errors:
 * those of nb_report_write. */
enum nb_status nb_report_print(const struct nb_report *report,
                               const char *table, const struct nb_look *look,
                               struct nb_text *text, struct nb_error *err);

/*
 * Reads a report file written by nb_report_write, as a whole: at most
 * NB_REPORT_BYTES. (report/reader.h reads point by point.)
 *
 * is_digest_right  out: whether the digest matches the file's bytes
 *
 * Errors: NB_IO, NB_INVALID naming file, line and what is wrong.
 */
enum nb_status nb_report_read_file(const char *path, struct nb_report *out,
                                   bool *is_digest_right, struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* A new point at the end; NULL if there is no memory. The pointer is valid
 * until the next call. */
struct nb_point *nb_report_add_point(struct nb_report *report);

void nb_point_add_setting(struct nb_point *point, const char *name,
                          const char *value);
void nb_point_add_note(struct nb_point *point, const char *name,
                       const char *text);
/* The same of a text in printf's format, whatever the locale. */
void nb_point_note(struct nb_point *point, const char *name, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));
/* The same of a text that was appended to; releases it. */
void nb_point_take_note(struct nb_point *point, const char *name,
                        struct nb_text *text);
/* An exactly known quantity (infinity included): value is the nearest double,
 * lower and upper the doubles around it. */
void nb_point_add_exact(struct nb_point *point, const char *name,
                        struct nb_ratio exact, const char *unit,
                        const char *method, const char *source);
/* A quantity known to lie between lower and upper. Its value is the safe end:
 * lower for what the network carries (fractions of capacity and rates per
 * terminal), upper for loads, delays, depths and probabilities, or lower where
 * upper is infinite. */
void nb_point_add_bracket(struct nb_point *point, const char *name,
                          double lower, double upper, const char *unit,
                          const char *method, const char *source);

/*
 * A new table; columns are given as one text: "channel,source,load:ratio
 * [packets/cycle]", i.e. name, optional ":whole" (default), ":number", ":ratio"
 * or ":text", optional " [unit]". Returns its index (has_failed on lack of
 * memory); cells are then added row by row, in the columns' order.
 */
size_t nb_point_add_table(struct nb_point *point, const char *name,
                          bool is_certificate, const char *columns);
void nb_table_add_whole(struct nb_point *point, size_t table, int64_t value);
void nb_table_add_number(struct nb_point *point, size_t table, double value);
void nb_table_add_ratio(struct nb_point *point, size_t table,
                        struct nb_ratio value);
void nb_table_add_text(struct nb_point *point, size_t table, const char *value);

/*
 * Adds a last column of texts to a table whose rows are complete: the texts
 * that print appends for the whole numbers of another column.
 */
void nb_table_add_labels(struct nb_point *point, size_t table, size_t column,
                         const char *name,
                         void (*print)(const void *context, int64_t number,
                                       struct nb_text *text),
                         const void *context);

/* The model at a point: with the swept values set, and the value found by a
 * search. Errors: NB_NO_MEMORY. */
enum nb_status nb_point_model(const struct nb_model *model,
                              const struct nb_point *point,
                              struct nb_model *out, struct nb_error *err);

/* Appends a table of the point as text for people, under its name; nothing if
 * the point has no such table. Errors: NB_NO_MEMORY. */
enum nb_status nb_point_print_table(const struct nb_point *point,
                                    const char *name,
                                    const struct nb_look *look,
                                    struct nb_text *text, struct nb_error *err);

NB_INTERNAL_END

#endif
