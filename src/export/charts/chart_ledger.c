/* Published numbers next to computed ones (declared in
 * export/charts/chart_parts.h). */
#include "export/charts/chart_parts.h"

#include "report/cell.h"

#include <math.h>
#include <string.h>

/* Verdicts by their first words, in the order of their colours. */
static const char *const ledger_verdicts[] = { "agrees", "explained",
                                               "disagrees", "consistent" };
enum {
    VERDICTS = sizeof ledger_verdicts / sizeof *ledger_verdicts,
    ROWS_MOST = 48,
};

struct ledger_row {
    const char *cell, *verdict;
    double published, computed, lower, upper;
};

/* Whether a row has both numbers to compare. */
static bool ledger_read(const struct nb_table *table, size_t row,
                        struct ledger_row *out)
{
    const char *published =
        nb_table_text(table, row, nb_table_column(table, "published"));
    *out = (struct ledger_row){
        .cell = nb_table_text(table, row, nb_table_column(table, "cell")),
        .verdict = nb_table_text(table, row, nb_table_column(table, "verdict")),
        .computed = nb_table_value(table, row, "computed"),
        .lower = nb_table_value(table, row, "lower"),
        .upper = nb_table_value(table, row, "upper"),
    };
    return nb_cell_read_number(published, &out->published) &&
           nb_axis_has(true, out->published) &&
           nb_axis_has(true, out->computed);
}

static bool ledger_is(const struct ledger_row *row, size_t verdict)
{
    return strncmp(row->verdict, ledger_verdicts[verdict],
                   strlen(ledger_verdicts[verdict])) == 0;
}

/* A row for each number: computed relative to published. */
static void ledger_add_ratios(const struct nb_table *table,
                              struct nb_plot *plot)
{
    struct ledger_row row;
    nb_text_print(&plot->title, "Computed relative to published");
    nb_text_print(&plot->y_name, "computed / published");
    plot->relative_to = "published";
    nb_plot_add_series(plot, "published", plot->relative_to, VERDICTS,
                       NB_PLOT_SPANS);
    for (size_t i = 0; i < table->row_count; i++) {
        if (!ledger_read(table, i, &row))
            continue;
        nb_plot_add_ratio(plot, (double)plot->category_count, row.published,
                          row.published, row.published, row.published, NULL);
        nb_text_print(nb_plot_add_category(plot), "%s", row.cell);
    }
    for (size_t v = 0; v < VERDICTS; v++) {
        double place = 0;
        nb_plot_add_series(plot, ledger_verdicts[v], "computed", v,
                           NB_PLOT_POINTS | NB_PLOT_ERRORS);
        for (size_t i = 0; i < table->row_count; i++) {
            if (!ledger_read(table, i, &row))
                continue;
            if (ledger_is(&row, v))
                nb_plot_add_ratio(plot, place, row.computed, row.lower,
                                  row.upper, row.published, row.verdict);
            place++;
        }
    }
}

/* Too many for rows: a point for each number, computed over published. */
static void ledger_add_scatter(const struct nb_table *table,
                               struct nb_plot *plot)
{
    struct ledger_row row;
    nb_text_print(&plot->title, "Computed over published");
    nb_text_print(&plot->y_name, "computed");
    plot->x_name = "published";
    for (size_t v = 0; v < VERDICTS; v++) {
        nb_plot_add_series(plot, ledger_verdicts[v], "computed", v,
                           NB_PLOT_ERRORS);
        for (size_t i = 0; i < table->row_count; i++)
            if (ledger_read(table, i, &row) && ledger_is(&row, v))
                nb_plot_add_point(plot, row.published, row.computed, row.lower,
                                  row.upper, row.cell);
    }
    nb_plot_choose_scales(plot);
    plot->is_log_x = plot->is_log_y;
}

enum nb_status nb_chart_ledger(const struct nb_report *report,
                               const struct nb_chart_place *out,
                               struct nb_error *err)
{
    const struct nb_table *table =
        report->point_count == 1 ? nb_point_table(&report->points[0], "ledger")
                                 : NULL;
    struct ledger_row row;
    size_t count = 0;
    for (size_t i = 0; table != NULL && i < table->row_count; i++)
        count += ledger_read(table, i, &row);
    if (count < 2)
        return NB_OK;
    struct nb_plot plot = { .kind = NB_CHART_COMPARISON,
                            .data = "ledger",
                            .x_name = "",
                            .x_unit = "",
                            .x_columns = "published",
                            .y_unit = "" };
    nb_text_print(&plot.y_columns, "computed");
    nb_text_print(&plot.series_columns, "verdict");
    if (count <= ROWS_MOST)
        ledger_add_ratios(table, &plot);
    else
        ledger_add_scatter(table, &plot);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}
