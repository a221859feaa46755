#include "export/charts/matrix.h"

#include "export/charts/drawing.h"

#include <inttypes.h>
#include <math.h>

enum {
    MATRIX_LEFT = 72,   /* room for the ticks' labels */
    MATRIX_TOP = 30,    /* and for the name of the left axis */
    MATRIX_BOTTOM = 52, /* room for the ticks' labels and the name */
    MATRIX_SIDE = 520,
    MATRIX_MOST_CELL = 56,
    MATRIX_TICKS = 17,
};

static struct nb_matrix_axis matrix_divide(uint64_t count, uint64_t most_cells)
{
    const uint64_t range = (count - 1) / most_cells + 1;
    return (struct nb_matrix_axis){ count, range, (count - 1) / range + 1 };
}

struct nb_chart_matrix nb_matrix_make(uint64_t x_count, uint64_t y_count,
                                      uint64_t most_cells)
{
    struct nb_chart_matrix matrix = { .x = matrix_divide(x_count, most_cells),
                                      .y = matrix_divide(y_count, most_cells) };
    const uint64_t longest =
        matrix.x.cells > matrix.y.cells ? matrix.x.cells : matrix.y.cells;
    matrix.cell = fmin((double)MATRIX_SIDE / (double)longest, MATRIX_MOST_CELL);
    matrix.height =
        MATRIX_TOP + ceil(matrix.cell * (double)matrix.y.cells) + MATRIX_BOTTOM;
    return matrix;
}

/* The left or lower end of a cell. */
static double matrix_x(const struct nb_chart_matrix *matrix, double cell)
{
    return MATRIX_LEFT + matrix->cell * cell;
}

static double matrix_y(const struct nb_chart_matrix *matrix, double cell)
{
    return matrix->height - MATRIX_BOTTOM - matrix->cell * cell;
}

static void matrix_add_axis(
    const struct nb_chart_matrix *matrix, const struct nb_matrix_axis *axis,
    const char *side, const char *label,
    double place(const struct nb_chart_matrix *, double), xmlNodePtr chart)
{
    xmlNodePtr node = nb_view_add(chart, "axis");
    /* Sizes of networks are usually powers of two, not of ten. */
    uint64_t step = 1;
    while (axis->cells > step * MATRIX_TICKS)
        step *= 2;
    nb_view_set(node, "side", side);
    nb_view_set(node, "label", label);
    nb_view_place(node, "from", place(matrix, 0));
    nb_view_place(node, "to", place(matrix, (double)axis->cells));
    nb_view_place(node, "at",
                  axis == &matrix->x ? matrix_y(matrix, 0)
                                     : matrix_x(matrix, 0));
    for (uint64_t cell = 0; cell < axis->cells; cell += step) {
        xmlNodePtr tick = nb_view_add(node, "tick");
        nb_view_place(tick, "at", place(matrix, (double)cell + 0.5));
        nb_view_print(tick, "label", "%" PRIu64, cell * axis->range);
        nb_view_set(tick, "grid", "yes");
    }
}

void nb_matrix_add_axes(const struct nb_chart_matrix *matrix,
                        const char *x_label, const char *y_label,
                        xmlNodePtr chart)
{
    matrix_add_axis(matrix, &matrix->x, "bottom", x_label, matrix_x, chart);
    matrix_add_axis(matrix, &matrix->y, "left", y_label, matrix_y, chart);
}

xmlNodePtr nb_matrix_add_cell(const struct nb_chart_matrix *matrix, uint64_t x,
                              uint64_t y, int level, xmlNodePtr chart)
{
    xmlNodePtr node = nb_view_add(chart, "cell");
    /* A gap between cells that are large enough for it. */
    const double least = 3.5;
    const double side =
        matrix->cell > 6 ? matrix->cell - 1 : fmax(matrix->cell, least);
    const double column = (double)(x / matrix->x.range) + 0.5;
    const double row = (double)(y / matrix->y.range) + 0.5;
    nb_view_place(node, "x", matrix_x(matrix, column) - side / 2);
    nb_view_place(node, "y", matrix_y(matrix, row) - side / 2);
    nb_view_place(node, "width", side);
    nb_view_place(node, "height", side);
    nb_view_print(node, "level", "%d", level);
    return node;
}

void nb_matrix_print(const struct nb_matrix_axis *axis, uint64_t number,
                     struct nb_text *text)
{
    const uint64_t first = number / axis->range * axis->range;
    const uint64_t end = first + axis->range;
    const uint64_t last = (end < axis->count ? end : axis->count) - 1;
    nb_text_print(text, "%" PRIu64, first);
    if (last > first)
        nb_text_print(text, " to %" PRIu64, last);
}
