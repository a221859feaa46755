/* Grid: cells of text printed in columns. */
#ifndef NB_REPORT_GRID_H
#define NB_REPORT_GRID_H

#include "core/status.h"
#include "core/text.h"
#include "report/look.h"

#include <stddef.h>

enum nb_side { NB_SIDE_LEFT, NB_SIDE_RIGHT };

/* Filled row by row. The first `heading` rows are headings, and the first
 * `names` columns (0: one) name a row. Each cell is its side, its ink, its
 * characters and a NUL; zero-initialised with column_count set is empty. Owns
 * cells. */
struct nb_text_grid {
    size_t column_count;
    size_t heading;
    size_t names;
    size_t cell_count;
    struct nb_text cells;
};

/* Adds a cell; control characters become blanks. */
void nb_grid_add(struct nb_text_grid *grid, enum nb_side side,
                 const char *cell);
void nb_grid_add_ink(struct nb_text_grid *grid, enum nb_side side,
                     enum nb_ink ink, const char *cell);

/*
 * Appends the rows. With columns: indented, with two blanks between columns; a
 * column without characters takes no room; in lines of look->width if that is
 * limited (report/grid_fit.h). Without: every cell, empty or not, separated by
 * tabs.
 *
 * Errors: NB_NO_MEMORY, also of an earlier addition.
 */
enum nb_status nb_grid_print(const struct nb_text_grid *grid,
                             const struct nb_look *look, struct nb_text *text,
                             struct nb_error *err);
void nb_grid_release(struct nb_text_grid *grid);

/* Appends text, with blanks for what a terminal does not show (core/utf8.h). */
void nb_text_add_plain(struct nb_text *text, const char *added);

#endif
