/* Distributions and channel loads next to simulations (declared in
 * export/charts/chart_parts.h). */
#include "export/charts/chart_parts.h"

#include <math.h>
#include <string.h>

enum { POINTS_MOST = 4, LAWS_MOST = 3 };

/* The point's table of that name if it has a prediction next to a simulation
 * and this column. */
static const struct nb_table *laws_table(const struct nb_point *point,
                                         const char *name, const char *column)
{
    const struct nb_table *table = nb_point_table(point, name);
    if (table == NULL || table->row_count == 0 ||
        nb_table_column(table, column) == table->column_count ||
        nb_table_column(table, "predicted") == table->column_count ||
        nb_table_column(table, "simulated") == table->column_count)
        return NULL;
    return table;
}

/* Adds the rows with a text in a column (NULL: all): y over x, with error bars
 * for simulated values. */
static void laws_add_rows(const struct nb_table *table, const char *column,
                          const char *text, const char *x, bool is_simulated,
                          struct nb_plot *plot)
{
    const size_t named = nb_table_column(table, column);
    const size_t at = nb_table_column(table, x);
    const size_t y =
        nb_table_column(table, is_simulated ? "simulated" : "predicted");
    const size_t lower = nb_table_column(table, is_simulated ? "lower" : "");
    const size_t upper = nb_table_column(table, is_simulated ? "upper" : "");
    for (size_t row = 0; row < table->row_count; row++)
        if (text == NULL || strcmp(nb_table_text(table, row, named), text) == 0)
            nb_plot_add_point(plot, nb_table_number(table, row, at),
                              nb_table_number(table, row, y),
                              nb_table_number(table, row, lower),
                              nb_table_number(table, row, upper),
                              text == NULL ? nb_table_text(table, row, named)
                                           : NULL);
}

/* Adds one distribution at a point, the number-th drawn: the curve and the
 * points. */
static void laws_add_point(const struct nb_report *report, size_t point,
                           const struct nb_table *table,
                           const char *distribution, size_t number,
                           struct nb_plot *plot)
{
    for (int i = 0; i < 2; i++) {
        struct nb_text *name =
            &nb_plot_add_series(plot, "", "probability",
                                report->point_count > 1 ? number : (size_t)i,
                                i == 0 ? NB_PLOT_LINE
                                       : NB_PLOT_POINTS | NB_PLOT_ERRORS)
                 ->name;
        nb_sweep_name_point(report, point, name);
        nb_text_print(name, "%s%s", name->length > 0 ? ", " : "",
                      i == 0 ? "predicted" : "simulated");
        laws_add_rows(table, "law", distribution, "value", i == 1, plot);
    }
}

/* Draws one distribution, for the first points of the sweep: predicted as a
 * curve, simulated as points of the same colour. */
static enum nb_status laws_draw(const struct nb_report *report,
                                const char *distribution,
                                const struct nb_chart_place *out,
                                struct nb_error *err)
{
    struct nb_plot plot = { .kind = NB_CHART_COMPARISON,
                            .data = "ccdf",
                            .x_name = "value",
                            .x_unit = "",
                            .x_columns = "value",
                            .y_unit = "",
                            .is_log_y = true,
                            .only_column = "law",
                            .only = distribution };
    size_t count = 0, only = 0;
    nb_text_print(&plot.title, "Tail, predicted and simulated: %s",
                  distribution);
    nb_text_print(&plot.y_name, "probability of this value or more");
    nb_text_print(&plot.y_columns, "predicted simulated");
    nb_text_print(&plot.series_columns, "law%s",
                  report->points[0].setting_count > 0 ? " " : "");
    nb_sweep_name_settings(report, &plot.series_columns);
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_table *table =
            laws_table(&report->points[p], "ccdf", "law");
        if (table == NULL || ++count > POINTS_MOST)
            continue;
        only = p;
        laws_add_point(report, p, table, distribution, count - 1, &plot);
    }
    if (count == 1)
        nb_plot_set_point(&plot, report, only);
    if (count > POINTS_MOST)
        nb_plot_add_note(&plot, "%d of %zu points of the sweep", POINTS_MOST,
                         count);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

static enum nb_status laws_draw_all(const struct nb_report *report,
                                    const struct nb_chart_place *out,
                                    struct nb_error *err)
{
    const char *seen[LAWS_MOST];
    size_t count = 0;
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_table *table =
            laws_table(&report->points[p], "ccdf", "law");
        for (size_t row = 0; table != NULL && row < table->row_count; row++) {
            const char *distribution =
                nb_table_text(table, row, nb_table_column(table, "law"));
            size_t i = 0;
            while (i < count && strcmp(seen[i], distribution) != 0)
                i++;
            if (i < count || count == LAWS_MOST)
                continue;
            seen[count++] = distribution;
            status = laws_draw(report, distribution, out, err);
            if (status != NB_OK)
                return status;
        }
    }
    return status;
}

/* Whether the points lie at more places than fit in a list of numbers. */
static bool laws_are_spread(const struct nb_plot *plot)
{
    enum { LEAST = 5 };
    double seen[LEAST];
    size_t count = 0;
    for (size_t s = 0; s < plot->series_count; s++)
        for (size_t p = 0; p < plot->series[s].count && count < LEAST; p++) {
            const double x = plot->series[s].points[p].x;
            size_t i = 0;
            while (i < count && fabs(seen[i] - x) > 1e-9 * fabs(x))
                i++;
            if (i == count)
                seen[count++] = x;
        }
    return count == LEAST;
}

/* Adds the channels of a point as a series. low, high: in and out, range of all
 * predictions. */
static void laws_add_channels(const struct nb_report *report, size_t point,
                              const struct nb_table *table, double *low,
                              double *high, struct nb_plot *plot)
{
    const size_t predicted = nb_table_column(table, "predicted");
    plot->x_unit = plot->y_unit = table->columns[predicted].unit;
    for (size_t row = 0; row < table->row_count; row++)
        nb_plot_widen(nb_table_number(table, row, predicted), false, low, high);
    struct nb_plot_series *added = nb_plot_add_series(
        plot, "", "simulated", plot->series_count, NB_PLOT_ERRORS);
    nb_sweep_name_point(report, point, &added->name);
    nb_text_print(&added->name, "%s",
                  added->name.length > 0 ? "" : "simulated");
    laws_add_rows(table, "way", NULL, "predicted", true, plot);
}

/* Draws every channel as a point, simulated over predicted. */
static enum nb_status laws_draw_channels(const struct nb_report *report,
                                         const struct nb_chart_place *out,
                                         struct nb_error *err)
{
    struct nb_plot plot = { .kind = NB_CHART_COMPARISON,
                            .data = "channels",
                            .x_name = "predicted",
                            .x_columns = "predicted" };
    double low = NAN, high = NAN;
    size_t count = 0, only = 0;
    nb_text_print(&plot.title, "Channels: simulated over predicted");
    nb_text_print(&plot.y_name, "simulated");
    nb_text_print(&plot.y_columns, "simulated");
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_table *table =
            laws_table(&report->points[p], "channels", "way");
        if (table == NULL || ++count > POINTS_MOST)
            continue;
        only = p;
        laws_add_channels(report, p, table, &low, &high, &plot);
    }
    if (!plot.has_failed && !laws_are_spread(&plot)) {
        nb_plot_release(&plot);
        return NB_OK;
    }
    nb_plot_add_series(&plot, "as predicted", "simulated", plot.series_count,
                       NB_PLOT_LINE);
    nb_plot_add_point(&plot, fmin(low, 0), fmin(low, 0), NAN, NAN, NULL);
    nb_plot_add_point(&plot, high, high, NAN, NAN, NULL);
    if (count == 1)
        nb_plot_set_point(&plot, report, only);
    if (count > POINTS_MOST)
        nb_plot_add_note(&plot, "%d of %zu points of the sweep", POINTS_MOST,
                         count);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

enum nb_status nb_chart_laws(const struct nb_report *report,
                             const struct nb_chart_place *out,
                             struct nb_error *err)
{
    const enum nb_status status = laws_draw_all(report, out, err);
    return status == NB_OK ? laws_draw_channels(report, out, err) : status;
}
