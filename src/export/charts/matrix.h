/* Matrix: cells over two axes of whole numbers from 0 on; if there are too many
 * numbers, cells represent ranges of them. */
#ifndef NB_EXPORT_CHARTS_MATRIX_H
#define NB_EXPORT_CHARTS_MATRIX_H

#include "export/view.h"

enum { NB_MATRIX_CELLS = 64 }; /* most per axis, if cells are ranges */

struct nb_matrix_axis {
    uint64_t count; /* of numbers */
    uint64_t range; /* numbers that share a cell */
    uint64_t cells;
};

/* x to the right, y upward. */
struct nb_chart_matrix {
    struct nb_matrix_axis x, y;
    double cell;   /* side of a cell */
    double height; /* of the chart */
};

/* A matrix with at most the given number of cells along an axis, counts >=
 * 1. */
struct nb_chart_matrix nb_matrix_make(uint64_t x_count, uint64_t y_count,
                                      uint64_t most_cells);

/* Adds both axes. */
void nb_matrix_add_axes(const struct nb_chart_matrix *matrix,
                        const char *x_label, const char *y_label,
                        xmlNodePtr chart);

/* Adds the cell of two numbers, without a title. Cells are drawn at least 3.5
 * wide, so that isolated ones are visible. */
xmlNodePtr nb_matrix_add_cell(const struct nb_chart_matrix *matrix, uint64_t x,
                              uint64_t y, int level, xmlNodePtr chart);

/* Appends the numbers that share a number's cell: "3", or "32 to 47". */
void nb_matrix_print(const struct nb_matrix_axis *axis, uint64_t number,
                     struct nb_text *text);

#endif
