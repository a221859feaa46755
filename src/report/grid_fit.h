/* Fit: grids and sentences in lines of a limited width. */
#ifndef NB_REPORT_GRID_FIT_H
#define NB_REPORT_GRID_FIT_H

#include "report/grid.h"

/*
 * Appends the rows of a grid in columns, in lines no wider than look->width
 * unless a single word is: headings in two lines where that is needed; else
 * turned, a row for each column, where rows are fewer and that fits (a pivot of
 * several names for a row is not); else with texts wrapped; else in several
 * parts, each with the names.
 *
 * grid  of one row at least
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_grid_fit(const struct nb_text_grid *grid,
                           const struct nb_look *look, struct nb_text *text,
                           struct nb_error *err);

/* Whether a grid fits as it is, but for headings in two lines. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_grid_is_narrow(const struct nb_text_grid *grid,
                                 const struct nb_look *look, bool *out,
                                 struct nb_error *err);

/* Characters of a text, not bytes: neither continuation bytes of UTF-8 nor inks
 * (report/look.h) take room. */
size_t nb_text_width(const char *text, size_t length);

/*
 * Appends words in lines no wider than width (0: any), unless a single word is.
 *
 * indent   blanks before the first line
 * hanging  blanks before those after it
 */
void nb_text_wrap(const char *words, size_t width, size_t indent,
                  size_t hanging, struct nb_text *text);

/* Wraps the lines of a text from a place on that are too wide for the look, by
 * words, what follows set in further than their beginning. */
void nb_text_fit(struct nb_text *text, size_t from, const struct nb_look *look);

#endif
