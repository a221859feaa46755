/* Fit: grids and sentences in lines of a limited width. */
#ifndef NB_REPORT_GRID_FIT_H
#define NB_REPORT_GRID_FIT_H

#include "report/grid.h"

/*
 * Appends the rows of a grid in columns, in lines no wider than look->width
 * unless a single word is. Tried in this order: headings in two lines where
 * needed; turned, one row per column, if that gives fewer rows and fits (not
 * for a pivot with several names per row); texts wrapped; several parts, each
 * with the names.
 *
 * grid  has at least one row
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_grid_fit(const struct nb_text_grid *grid,
                           const struct nb_look *look, struct nb_text *text,
                           struct nb_error *err);

/* Whether a grid fits as it is, possibly with headings in two lines. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_grid_is_narrow(const struct nb_text_grid *grid,
                                 const struct nb_look *look, bool *out,
                                 struct nb_error *err);

/* The width of a text in characters: continuation bytes of UTF-8 and inks
 * (report/look.h) take no room. */
size_t nb_text_width(const char *text, size_t length);

/*
 * Appends words in lines no wider than width (0: any), unless a single word is.
 *
 * indent   blanks before the first line
 * hanging  blanks before the other lines
 */
void nb_text_wrap(const char *words, size_t width, size_t indent,
                  size_t hanging, struct nb_text *text);

/* Wraps the lines of a text that are too wide for the look, from a place on, by
 * words; further lines are indented by two more. */
void nb_text_fit(struct nb_text *text, size_t from, const struct nb_look *look);

#endif
