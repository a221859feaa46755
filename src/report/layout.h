/* Layout: the tables of a report as people read them. */
#ifndef NB_REPORT_LAYOUT_H
#define NB_REPORT_LAYOUT_H

#include "report/format.h"
#include "report/look.h"

struct nb_layout_column {
    const char *name;
    const char *unit;
    enum nb_cell_type type; /* of what its cells print */
    bool is_setting;        /* a swept option */
    bool is_value;          /* name is a value of the option that is over it */
};

/* text: as people read it, 6 digits; raw: the full digits, exact: the ratio,
 * where these are known and not the text. Places in the layout's characters. */
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

/* Owns the arrays and characters; names and units belong to the report.
 * cells: rows x columns, row by row; of row_count rows the first few may be
 * laid out. Zero-initialised is valid and empty. */
struct nb_layout {
    enum nb_layout_kind kind;
    const char *name; /* of the table, or the pivot's quantity */
    const char *unit; /* of a pivot's cells; "" */
    const char *over; /* the option whose values a pivot's columns are; NULL */
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
 * names  which, in this order
 * most   rows to be laid out
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_quantities(const struct nb_report *report,
                                    const struct nb_names *names, size_t most,
                                    struct nb_layout *out,
                                    struct nb_error *err);

enum { NB_PIVOT_COLUMNS = 16 }; /* the most that are read at a glance */

/*
 * Lays out one quantity with the values of the last sweep that has
 * NB_PIVOT_COLUMNS at most as columns, and a row, in the order of the sweeps,
 * for each values of the others.
 *
 * out  of no columns if there are not two sweeps, or none has so few values
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_pivot(const struct nb_report *report,
                               const char *quantity, size_t most,
                               struct nb_layout *out, struct nb_error *err);

/*
 * Lays out the quantities that the model shows: as a pivot if it shows one
 * and that is possible. Nothing, of no columns, if it shows none.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_shown(const struct nb_report *report, size_t most,
                               struct nb_layout *out, struct nb_error *err);

/*
 * Lays out a table of the report.
 *
 * model  whose columns are laid out; NULL: all
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layout_table(const struct nb_table *table,
                               const struct nb_model *model, size_t most,
                               struct nb_layout *out, struct nb_error *err);

void nb_layout_release(struct nb_layout *layout);

const char *nb_layout_text(const struct nb_layout *layout,
                           const struct nb_layout_cell *cell);
/* The full digits; NULL where they are the text. */
const char *nb_layout_raw(const struct nb_layout *layout,
                          const struct nb_layout_cell *cell);

/* The ratio; NULL where it is the text or not known. */
const char *nb_layout_exact(const struct nb_layout *layout,
                            const struct nb_layout_cell *cell);

/* Whether a column reads best as ratios where there is no room for both: one of
 * ratios, or those of a pivot if each of its numbers is a whole one or a ratio
 * of few characters, so that all are alike. */
bool nb_layout_is_exact(const struct nb_layout *layout, size_t column);

/* For the parts: columns, cells one after the other, what they rest on. A
 * cell's failed allocation is remembered in characters. */
enum nb_status nb_layout_add_column(struct nb_layout *layout,
                                    const struct nb_layout_column *column,
                                    struct nb_error *err);
void nb_layout_add(struct nb_layout *layout, enum nb_ink ink, const char *text);
/* raw: the value's digits; exact: as far as it is known. */
void nb_layout_add_number(struct nb_layout *layout, enum nb_ink ink,
                          const char *text, double value,
                          struct nb_ratio exact);
enum nb_status nb_layout_add_source(struct nb_layout *layout,
                                    const char *source, struct nb_error *err);
/* A column for a swept option: of numbers if all its values are. */
enum nb_status nb_layout_add_setting(struct nb_layout *layout,
                                     const struct nb_report *report,
                                     const char *name, struct nb_error *err);
/* Whether a value is worth a second look. */
enum nb_ink nb_layout_ink(double value);

#endif
