/* Grid: cells of text printed in columns. */
#ifndef NB_REPORT_GRID_H
#define NB_REPORT_GRID_H

#include "core/status.h"
#include "core/text.h"
#include "report/look.h"

#include <stddef.h>

enum nb_side { NB_SIDE_LEFT, NB_SIDE_RIGHT };

struct nb_grid_cell {
    size_t text; /* offset into the grid's characters */
    enum nb_side side;
    enum nb_ink ink;
};

/* Filled row by row. The first `heading` rows are headings, and the first
 * `names` columns (0: one) name a row. Zero-initialised with column_count set
 * is empty. Owns cells and characters; these remember a failed addition. */
struct nb_text_grid {
    size_t column_count;
    size_t heading;
    size_t names;
    size_t cell_count;
    struct nb_grid_cell *cells;
    struct nb_text characters;
};

/* Adds a cell; control characters become blanks. */
void nb_grid_add(struct nb_text_grid *grid, enum nb_side side,
                 const char *cell);
void nb_grid_add_ink(struct nb_text_grid *grid, enum nb_side side,
                     enum nb_ink ink, const char *cell);

/*
 * Appends the rows. Without columns: every cell, empty or not, separated by
 * tabs. With columns: indented, with two blanks between columns; a column
 * without characters takes no room. In lines no wider than look->width if that
 * is limited, unless a single word is wider. Tried in this order: headings in
 * two lines where needed; turned, one row per column, if that gives fewer rows
 * and fits (not for a pivot with several names per row); texts wrapped; several
 * parts, each with the names.
 *
 * Errors: NB_NO_MEMORY, also of an earlier addition.
 */
enum nb_status nb_grid_print(const struct nb_text_grid *grid,
                             const struct nb_look *look, struct nb_text *text,
                             struct nb_error *err);

/* Whether a grid fits as it is, possibly with headings in two lines. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_grid_is_narrow(const struct nb_text_grid *grid,
                                 const struct nb_look *look, bool *out,
                                 struct nb_error *err);
void nb_grid_release(struct nb_text_grid *grid);

/* Appends text, with blanks for what a terminal does not show (core/utf8.h). */
void nb_text_add_plain(struct nb_text *text, const char *added);

#endif
