/* Layout: the tables of a report as people read them. */
#ifndef NB_REPORT_LAYOUT_H
#define NB_REPORT_LAYOUT_H

#include "report/format.h"
#include "report/look.h"

struct nb_layout_column {
    const char *name;
    const char *unit;
    enum nb_cell_type type; /* of the text its cells print */
    bool is_setting;        /* a swept option */
    bool is_value;          /* name is a value of the option over */
};

/* text: for people, 6 digits; raw: all digits; exact: the ratio; the last two
 * equal text if unknown or the same. Offsets into the layout's characters. */
struct nb_layout_cell {
    size_t text;
    size_t raw;
    size_t exact;
    enum nb_ink ink;
};

enum nb_layout_kind {
    NB_LAYOUT_LIST,  /* a row for each quantity */
    NB_LAYOUT_SWEEP, /* a row for each point, a column for each quantity */
    NB_LAYOUT_PIVOT, /* one quantity; a column for each value of a sweep */
    NB_LAYOUT_TABLE, /* a table of the report */
};

/* Owns the arrays and characters; names and units belong to the report. cells:
 * rows x columns, row by row; possibly only the first few of row_count rows are
 * laid out. Zero-initialised is valid and empty. */
struct nb_layout {
    enum nb_layout_kind kind;
    const char *name; /* of the table, or of the pivot's quantity */
    const char *unit; /* of a pivot's cells; "" */
    const char *over; /* option whose values are a pivot's columns; NULL */
    size_t column_count;
    struct nb_layout_column *columns;
    size_t row_count;
    size_t cell_count;
    struct nb_layout_cell *cells;
    struct nb_names sources; /* of the quantities, each once */
    struct nb_text characters;
};

/*
 * Lays out quantities: a list without sweeps, else a table of the sweep.
 *
 * names  which ones, in this order
 * most   maximal number of rows laid out
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_quantities(const struct nb_report *report,
                                    const struct nb_names *names, size_t most,
                                    struct nb_layout *out,
                                    struct nb_error *err);

enum { NB_PIVOT_COLUMNS = 16 }; /* the most that can be read at a glance */

/*
 * Lays out one quantity with one column for each value of the last sweep that
 * has at most NB_PIVOT_COLUMNS, and one row, in the order of the sweeps, for
 * each combination of the other values.
 *
 * out  no columns if there are fewer than two sweeps, or each has too many
 * values
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_pivot(const struct nb_report *report,
                               const char *quantity, size_t most,
                               struct nb_layout *out, struct nb_error *err);

/*
 * Lays out the quantities that the model shows: as a pivot if it shows one and
 * that is possible. No columns if it shows none.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_shown(const struct nb_report *report, size_t most,
                               struct nb_layout *out, struct nb_error *err);

/*
 * Lays out a table of the report.
 *
 * model  selects the columns; NULL: all
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_table(const struct nb_table *table,
                               const struct nb_model *model, size_t most,
                               struct nb_layout *out, struct nb_error *err);

void nb_layout_release(struct nb_layout *layout);

const char *nb_layout_text(const struct nb_layout *layout,
                           const struct nb_layout_cell *cell);
/* All digits; NULL if they equal the text. */
const char *nb_layout_raw(const struct nb_layout *layout,
                          const struct nb_layout_cell *cell);

/* The ratio; NULL if it equals the text or is unknown. */
const char *nb_layout_exact(const struct nb_layout *layout,
                            const struct nb_layout_cell *cell);

/* Whether a column reads best as ratios where there is no room for both: a
 * column of ratios, or any column of a pivot if all its numbers are whole or
 * short ratios, so that all columns look the same. */
bool nb_layout_is_exact(const struct nb_layout *layout, size_t column);

#endif
