/* Networks too large to be drawn, as matrices of their parts (declared in
 * export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "core/memory.h"
#include "export/charts/matrix.h"

#include <math.h>

/*
 * The parts of a network. Of a grid: neighbours, a cell for each block of them
 * with the largest value of the channels that leave its routers; all
 * dimensions but the first are one number. Of others: groups or routers, a
 * cell for two ranges with the largest value of the channels from one to the
 * other.
 */
struct parts {
    const struct nb_topology *topology;
    bool is_grid;
    bool has_groups;
    struct nb_chart_matrix matrix;
    double *most; /* [cell] owned; NAN: no channel */
};

static void parts_init(struct parts *parts, const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    parts->topology = topology;
    parts->is_grid = grid->dimensions > 1;
    parts->has_groups = topology->groups.count > 1;
    for (size_t r = 0; r < topology->router_count && parts->has_groups; r++)
        parts->has_groups = topology->groups.of[r] != NB_NONE;
    uint64_t x =
        parts->has_groups ? topology->groups.count : topology->router_count;
    uint64_t y = x;
    if (parts->is_grid) {
        x = grid->radix[0];
        y = topology->router_count / x;
    }
    parts->matrix = nb_matrix_make(x, y, NB_MATRIX_CELLS);
}

static void parts_find_cell(const struct parts *parts, uint32_t channel,
                            uint64_t *x, uint64_t *y)
{
    const struct nb_topology *topology = parts->topology;
    const struct nb_channel *way = &topology->channels[channel];
    if (parts->is_grid) {
        *x = way->source % topology->grid.radix[0];
        *y = way->source / topology->grid.radix[0];
    } else if (parts->has_groups) {
        *x = topology->groups.of[way->source];
        *y = topology->groups.of[way->target];
    } else {
        *x = way->source;
        *y = way->target;
    }
}

static enum nb_status parts_fill(struct parts *parts, const double *value,
                                 struct nb_error *err)
{
    const struct nb_chart_matrix *matrix = &parts->matrix;
    const size_t count = matrix->x.cells * matrix->y.cells;
    const enum nb_status status =
        nb_new(&parts->most, count, sizeof *parts->most, "a drawing", err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        parts->most[i] = NAN;
    for (uint32_t c = 0; c < parts->topology->channel_count; c++) {
        uint64_t x, y;
        parts_find_cell(parts, c, &x, &y);
        double *most = &parts->most[y / matrix->y.range * matrix->x.cells +
                                    x / matrix->x.range];
        *most = fmax(*most, value[c]); /* of a number and NaN: the number */
    }
    return NB_OK;
}

/* "from group 3 to group 5: load at most 1.75 packets/cycle" */
static enum nb_status parts_title(const struct parts *parts, uint64_t x,
                                  uint64_t y, double value,
                                  const struct nb_channel_values *values,
                                  xmlNodePtr cell, struct nb_error *err)
{
    struct nb_text title = { 0 };
    const char *what = parts->has_groups ? "group" : "router";
    nb_text_print(&title, parts->is_grid ? "from %ss at x = " : "from %s ",
                  what);
    nb_matrix_print(&parts->matrix.x, x, &title);
    nb_text_print(&title, parts->is_grid ? ", y = " : " to %s ", what);
    nb_matrix_print(&parts->matrix.y, y, &title);
    nb_text_print(&title, ": at most ");
    nb_drawing_print_value(values->name, value, values->unit, &title);
    return nb_drawing_set(cell, "title", &title, err);
}

static enum nb_status parts_add_cells(const struct parts *parts,
                                      const struct nb_channel_values *values,
                                      xmlNodePtr chart, struct nb_error *err)
{
    const struct nb_chart_matrix *matrix = &parts->matrix;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < matrix->x.cells * matrix->y.cells && status == NB_OK;
         i++) {
        const uint64_t x = i % matrix->x.cells * matrix->x.range;
        const uint64_t y = i / matrix->x.cells * matrix->y.range;
        if (isnan(parts->most[i]))
            continue;
        xmlNodePtr cell = nb_matrix_add_cell(
            matrix, x, y, nb_drawing_level(parts->most[i], values->scale),
            chart);
        status = parts_title(parts, x, y, parts->most[i], values, cell, err);
    }
    return status;
}

static void parts_add_axes(const struct parts *parts, xmlNodePtr chart)
{
    const bool is_plane = parts->topology->grid.dimensions == 2;
    if (parts->is_grid)
        nb_matrix_add_axes(&parts->matrix, "coordinate in dimension 0",
                           is_plane ? "coordinate in dimension 1"
                                    : "coordinates in the other dimensions",
                           chart);
    else if (parts->has_groups)
        nb_matrix_add_axes(&parts->matrix, "from group", "to group", chart);
    else
        nb_matrix_add_axes(&parts->matrix, "from router", "to router", chart);
}

enum nb_status nb_drawing_add_parts(const struct nb_drawing *drawing,
                                    const char *title,
                                    const struct nb_topology *topology,
                                    const struct nb_channel_values *values,
                                    struct nb_error *err)
{
    struct parts parts = { 0 };
    xmlNodePtr chart;
    enum nb_status status;
    parts_init(&parts, topology);
    NB_TRY(parts_fill(&parts, values->value, err));
    NB_TRY(nb_drawing_start(drawing, "matrix", title, parts.matrix.height,
                            &chart, err));
    nb_view_set(chart, "x", "source");
    nb_view_set(chart, "y", "target");
    nb_view_set(chart, "value", values->column);
    nb_view_print(chart, "note",
                  "%zu channels are too many to be drawn one by one: each cell "
                  "shows the largest of the channels that %s",
                  topology->channel_count,
                  parts.is_grid ? "leave the routers there"
                                : "lead from one to the other");
    NB_TRY(nb_drawing_describe(topology, values, chart, err));
    parts_add_axes(&parts, chart);
    NB_TRY(parts_add_cells(&parts, values, chart, err));
    nb_drawing_add_scale(chart, values->name, values->unit, values->scale);
done:
    nb_delete(parts.most);
    return status;
}
