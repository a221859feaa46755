/* Permutations and traffic as matrices (declared in export/charts/drawing.h).
 */
#include "export/charts/drawing.h"

#include "core/memory.h"
#include "export/charts/matrix.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tables of pairs that are drawn, and how. */
static const struct pairs_look {
    const char *table;
    const char *title;
    const char *what; /* of the numbered rows and columns */
    const char *rate; /* column; NULL: none */
} pairs_looks[] = {
    { "permutation", "The worst permutation", "terminal", NULL },
    { "worst_permutation", "The worst permutation of the sample", "terminal",
      NULL },
    { "traffic", "The worst traffic", "router", "rate" },
};

enum { PAIRS_MOST = 4096 }; /* drawn one by one if there are too many cells */

struct pairs {
    const struct pairs_look *look;
    const struct nb_table *table;
    size_t source, destination, rate; /* columns */
    struct nb_chart_matrix matrix;
    bool has_dots; /* a mark for each row, not a cell for each pair of ranges */
    double *sum;   /* [cell] of the rates; owned */
    double most;   /* largest sum */
};

static int64_t pairs_source(const struct pairs *pairs, size_t row)
{
    return nb_drawing_whole(pairs->table, row, pairs->source, SIZE_MAX);
}

static int64_t pairs_destination(const struct pairs *pairs, size_t row)
{
    return nb_drawing_whole(pairs->table, row, pairs->destination, SIZE_MAX);
}

/* A pair without a rate counts as one. */
static double pairs_rate(const struct pairs *pairs, size_t row)
{
    return pairs->look->rate == NULL
               ? 1
               : nb_table_number(pairs->table, row, pairs->rate);
}

/* Chooses how to draw the table; false: do not draw it. */
static bool pairs_init(struct pairs *pairs, const struct nb_table *table)
{
    int64_t last = 0;
    pairs->table = table;
    for (size_t i = 0; i < sizeof pairs_looks / sizeof *pairs_looks; i++)
        if (strcmp(pairs_looks[i].table, table->name) == 0)
            pairs->look = &pairs_looks[i];
    if (pairs->look == NULL || table->row_count == 0)
        return false;
    pairs->source = nb_table_column(table, "source");
    pairs->destination = nb_table_column(table, "destination");
    if (pairs->look->rate != NULL)
        pairs->rate = nb_table_column(table, pairs->look->rate);
    for (size_t row = 0; row < table->row_count; row++) {
        const int64_t source = pairs_source(pairs, row);
        const int64_t destination = pairs_destination(pairs, row);
        if (source < 0 || destination < 0)
            return false;
        last = source > last ? source : last;
        last = destination > last ? destination : last;
    }
    const uint64_t count = (uint64_t)last + 1;
    pairs->has_dots = count > NB_MATRIX_CELLS && pairs->look->rate == NULL &&
                      table->row_count <= PAIRS_MOST;
    pairs->matrix =
        nb_matrix_make(count, count, pairs->has_dots ? count : NB_MATRIX_CELLS);
    return true;
}

static enum nb_status pairs_sum(struct pairs *pairs, struct nb_error *err)
{
    const struct nb_chart_matrix *matrix = &pairs->matrix;
    const enum nb_status status =
        nb_new(&pairs->sum, matrix->x.cells * matrix->y.cells,
               sizeof *pairs->sum, "a matrix", err);
    for (size_t row = 0; row < pairs->table->row_count && status == NB_OK;
         row++) {
        const uint64_t x = (uint64_t)pairs_source(pairs, row);
        const uint64_t y = (uint64_t)pairs_destination(pairs, row);
        const double rate = pairs_rate(pairs, row);
        double *sum = &pairs->sum[y / matrix->y.range * matrix->x.cells +
                                  x / matrix->x.range];
        if (rate > 0) /* not if unknown */
            *sum += rate;
        pairs->most = fmax(pairs->most, *sum);
    }
    return status;
}

/* "terminal 3 to terminal 12", "router 3 to router 12: rate 0.25
 * packets/cycle", "terminals 0 to 31 to terminals 32 to 63: 7 pairs" */
static enum nb_status pairs_add_cell(const struct pairs *pairs, uint64_t x,
                                     uint64_t y, double sum, xmlNodePtr chart,
                                     struct nb_error *err)
{
    const struct nb_chart_matrix *matrix = &pairs->matrix;
    const char *what = pairs->look->what;
    const char *plural = matrix->x.range > 1 ? "s" : "";
    struct nb_text title = { 0 };
    xmlNodePtr cell = nb_matrix_add_cell(
        matrix, x, y, nb_drawing_level(sum, pairs->most), chart);
    nb_text_print(&title, "%s%s ", what, plural);
    nb_matrix_print(&matrix->x, x, &title);
    nb_text_print(&title, " to %s%s ", what, plural);
    nb_matrix_print(&matrix->y, y, &title);
    if (pairs->look->rate != NULL) {
        nb_text_print(&title, ": ");
        nb_drawing_print_value(pairs->look->rate, sum,
                               pairs->table->columns[pairs->rate].unit, &title);
    } else if (matrix->x.range > 1) {
        nb_text_print(&title, ": %.0f pair%s", sum, sum > 1 ? "s" : "");
    }
    return nb_drawing_set(cell, "title", &title, err);
}

static enum nb_status pairs_add_dots(struct pairs *pairs, xmlNodePtr chart,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    pairs->most = 1;
    for (size_t row = 0; row < pairs->table->row_count && status == NB_OK;
         row++)
        status = pairs_add_cell(pairs, (uint64_t)pairs_source(pairs, row),
                                (uint64_t)pairs_destination(pairs, row), 1,
                                chart, err);
    return status;
}

static enum nb_status pairs_add_cells(struct pairs *pairs, xmlNodePtr chart,
                                      struct nb_error *err)
{
    const struct nb_chart_matrix *matrix = &pairs->matrix;
    enum nb_status status = pairs_sum(pairs, err);
    for (size_t i = 0; status == NB_OK && i < matrix->x.cells * matrix->y.cells;
         i++)
        if (pairs->sum[i] > 0)
            status =
                pairs_add_cell(pairs, i % matrix->x.cells * matrix->x.range,
                               i / matrix->x.cells * matrix->y.range,
                               pairs->sum[i], chart, err);
    return status;
}

/* Describes the number of pairs, and how many terminals or routers send to
 * themselves. */
static enum nb_status pairs_describe(const struct pairs *pairs,
                                     xmlNodePtr chart, struct nb_error *err)
{
    struct nb_text text = { 0 };
    size_t fixed = 0;
    for (size_t row = 0; row < pairs->table->row_count; row++)
        fixed += pairs_source(pairs, row) == pairs_destination(pairs, row);
    nb_drawing_print_count(pairs->table->row_count, "pair", &text);
    nb_text_print(&text, " of source and destination among ");
    nb_drawing_print_count(pairs->matrix.x.count, pairs->look->what, &text);
    nb_text_print(&text, "; %zu of them %s.", fixed,
                  fixed == 1 ? "sends to itself" : "send to themselves");
    return nb_drawing_set(chart, "description", &text, err);
}

enum nb_status nb_drawing_add_pairs(const struct nb_drawing *drawing,
                                    struct nb_error *err)
{
    struct pairs pairs = { 0 };
    char from[48], to[48];
    xmlNodePtr chart;
    enum nb_status status = NB_OK;
    if (!pairs_init(&pairs, drawing->table))
        return NB_OK;
    NB_TRY(nb_drawing_start(drawing, "matrix", pairs.look->title,
                            pairs.matrix.height, &chart, err));
    nb_view_set(chart, "x", "source");
    nb_view_set(chart, "y", "destination");
    nb_view_set(chart, "value",
                pairs.look->rate != NULL ? pairs.look->rate : "");
    NB_TRY(pairs_describe(&pairs, chart, err));
    snprintf(from, sizeof from, "from %s", pairs.look->what);
    snprintf(to, sizeof to, "to %s", pairs.look->what);
    nb_matrix_add_axes(&pairs.matrix, from, to, chart);
    NB_TRY(pairs.has_dots ? pairs_add_dots(&pairs, chart, err)
                          : pairs_add_cells(&pairs, chart, err));
    if (pairs.look->rate != NULL)
        nb_drawing_add_scale(chart, pairs.look->rate,
                             drawing->table->columns[pairs.rate].unit,
                             pairs.most);
    else if (pairs.matrix.x.range > 1)
        nb_drawing_add_scale(chart, "pairs", "", pairs.most);
done:
    nb_delete(pairs.sum);
    return status;
}
