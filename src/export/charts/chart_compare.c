/* Models next to simulations (declared in export/charts/chart_parts.h). */
#include "export/charts/chart_parts.h"

#include "core/locale.h"
#include "core/try.h"

#include <math.h>
#include <string.h>

enum { ITEMS_MOST = 40, SERIES_MOST = 8, CHARTS_MOST = 2 };

/* A row of a table "validation". */
struct compare_item {
    const char *name, *verdict;
    double predicted, lower, upper;
    double simulated, simulated_lower, simulated_upper;
};

static size_t compare_rows(const struct nb_point *point)
{
    const struct nb_table *table = nb_point_table(point, "validation");
    return table != NULL ? table->row_count : 0;
}

static struct compare_item compare_read(const struct nb_point *point,
                                        size_t row)
{
    const struct nb_table *table = nb_point_table(point, "validation");
    return (struct compare_item){
        .name = nb_table_text(table, row, nb_table_column(table, "item")),
        .verdict = nb_table_text(table, row, nb_table_column(table, "verdict")),
        .predicted = nb_table_value(table, row, "prediction"),
        .lower = nb_table_value(table, row, "lower"),
        .upper = nb_table_value(table, row, "upper"),
        .simulated = nb_table_value(table, row, "simulated"),
        .simulated_lower = nb_table_value(table, row, "sim_lower"),
        .simulated_upper = nb_table_value(table, row, "sim_upper"),
    };
}

static void compare_add_category(const struct nb_report *report, size_t point,
                                 const struct compare_item *item,
                                 struct nb_plot *plot)
{
    struct nb_text *name = nb_plot_add_category(plot);
    nb_words_add(name, item->name);
    if (report->points[point].setting_count > 0) {
        nb_text_print(name, "; ");
        nb_sweep_name_point(report, point, name);
    }
}

/* Adds a row of a table, predicted or simulated, relative to predicted. place:
 * of the row; incremented. */
static void compare_add_row(const struct nb_report *report, size_t point,
                            size_t row, bool is_simulated, double *place,
                            struct nb_plot *plot)
{
    const struct compare_item item = compare_read(&report->points[point], row);
    const double unit = item.predicted;
    if (!(unit > 0 && unit < INFINITY))
        return; /* nothing is relative to it */
    if (is_simulated) {
        nb_plot_add_ratio(plot, *place, item.simulated, item.simulated_lower,
                          item.simulated_upper, unit, item.verdict);
    } else {
        compare_add_category(report, point, &item, plot);
        nb_plot_add_ratio(plot, *place, unit, item.lower, item.upper, unit,
                          NULL);
    }
    ++*place;
}

/* Draws everything relative to the prediction, with a row for each item and
 * point. */
static enum nb_status compare_draw_all(const struct nb_report *report,
                                       const struct nb_chart_place *out,
                                       struct nb_error *err)
{
    struct nb_plot plot = { .kind = NB_CHART_COMPARISON,
                            .data = "validation",
                            .x_name = "",
                            .x_unit = "",
                            .x_columns = "item",
                            .y_unit = "",
                            .relative_to = "predicted" };
    size_t most = 0;
    for (size_t p = 0; p < report->point_count; p++)
        if (compare_rows(&report->points[p]) > most)
            most = compare_rows(&report->points[p]);
    nb_text_print(&plot.title, "Simulated relative to predicted");
    nb_text_print(&plot.y_name, "simulated / predicted");
    nb_text_print(&plot.y_columns, "prediction simulated");
    for (int is_simulated = 0; is_simulated < 2; is_simulated++) {
        double row = 0;
        nb_plot_add_series(
            &plot, is_simulated ? "simulated" : "predicted",
            is_simulated ? "simulated" : "predicted", (size_t)is_simulated,
            is_simulated ? NB_PLOT_POINTS | NB_PLOT_ERRORS : NB_PLOT_SPANS);
        for (size_t i = 0; i < most; i++)
            for (size_t p = 0; p < report->point_count; p++)
                if (i < compare_rows(&report->points[p]))
                    compare_add_row(report, p, i, is_simulated, &row, &plot);
    }
    if (!plot.has_failed && plot.category_count == 0) {
        nb_plot_release(&plot);
        return NB_OK;
    }
    nb_plot_choose_scales(&plot);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

/* Whether two rows of the first point have the same simulated number at every
 * point of the sweep, i.e. are models of the same quantity. */
static bool compare_are_same(const struct nb_report *report, size_t one,
                             size_t other)
{
    for (size_t p = 0; p < report->point_count; p++) {
        const double a = compare_read(&report->points[p], one).simulated;
        const double b = compare_read(&report->points[p], other).simulated;
        if (a < b || a > b || isnan(a) != isnan(b))
            return false;
    }
    return true;
}

/* Whether the simulated values of a row vary by more than a twentieth. */
static bool compare_varies(const struct nb_report *report, size_t row)
{
    double low = NAN, high = NAN;
    for (size_t p = 0; p < report->point_count; p++)
        nb_plot_widen(compare_read(&report->points[p], row).simulated, true,
                      &low, &high);
    return high > 1.05 * low;
}

/* The number of bytes, in whole words, that two names share at the start. */
static size_t compare_common(const char *one, const char *other)
{
    size_t length = 0, words = 0;
    for (; one[length] == other[length] && one[length] != '\0'; length++)
        if (!nb_is_letter_or_digit(one[length]) && one[length] != '_')
            words = length;
    if (!nb_is_letter_or_digit(one[length]) && one[length] != '_' &&
        !nb_is_letter_or_digit(other[length]) && other[length] != '_')
        words = length;
    while (words > 0 && strchr(" ,", one[words - 1]) != NULL)
        words--;
    return words;
}

static void compare_add_curve(const struct nb_sweep *sweep, size_t row,
                              bool is_simulated, struct nb_plot *plot)
{
    const struct nb_report *report = sweep->report;
    struct nb_plot_series *added = nb_plot_add_series(
        plot, "", is_simulated ? "simulated" : "predicted", plot->series_count,
        is_simulated ? (unsigned)NB_PLOT_ERRORS
                     : NB_PLOT_LINE | NB_PLOT_BAND | NB_PLOT_POINTS);
    nb_words_add(&added->name,
                 is_simulated ? "simulated"
                              : compare_read(&report->points[0], row).name);
    for (size_t p = 0; p < report->point_count; p++) {
        const struct compare_item item = compare_read(&report->points[p], row);
        /* A one-sided bound would fill the whole side. */
        const bool is_bracket = isfinite(item.lower) && isfinite(item.upper);
        if (is_simulated)
            nb_plot_add_point(plot, sweep->at[p], item.simulated,
                              item.simulated_lower, item.simulated_upper, NULL);
        else
            nb_plot_add_point(plot, sweep->at[p], item.predicted,
                              is_bracket ? item.lower : item.predicted,
                              is_bracket ? item.upper : item.predicted, NULL);
    }
}

/* Names the axis after the simulated quantity: the bytes that the items' names
 * share at the start. The quantity of that name has the unit. */
static void compare_name_axis(const struct nb_point *point, const char *name,
                              size_t length, struct nb_plot *plot)
{
    struct nb_text common = { 0 };
    nb_text_add(&common, name, length);
    plot->has_failed |= common.has_failed;
    if (!common.has_failed) {
        const struct nb_quantity *quantity =
            nb_point_quantity(point, common.bytes);
        if (quantity != NULL)
            plot->y_unit = quantity->unit;
        nb_words_add(&plot->y_name, common.bytes);
        nb_text_print(&plot->title, "Predicted and simulated%s",
                      length > 0 ? ": " : "");
        nb_words_add(&plot->title, common.bytes);
    }
    nb_text_release(&common);
}

/* Draws all models of a row's simulated quantity as curves along the sweep, and
 * the simulation as points. */
static enum nb_status compare_draw_row(const struct nb_sweep *sweep, size_t row,
                                       const struct nb_chart_place *out,
                                       struct nb_error *err)
{
    const struct nb_report *report = sweep->report;
    const char *name = compare_read(&report->points[0], row).name;
    const size_t rows = compare_rows(&report->points[0]);
    size_t common = strlen(name);
    struct nb_plot plot = { .kind = NB_CHART_COMPARISON,
                            .data = "validation",
                            .x_name = sweep->name.bytes,
                            .x_unit = sweep->unit,
                            .x_columns = sweep->settings.name[sweep->along],
                            .y_unit = "" };
    for (size_t i = row; i < rows && plot.series_count < SERIES_MOST; i++) {
        if (!compare_are_same(report, row, i))
            continue;
        const size_t own =
            compare_common(name, compare_read(&report->points[0], i).name);
        common = own < common ? own : common;
        compare_add_curve(sweep, i, false, &plot);
    }
    if (plot.series_count == 1) {
        plot.only_column = "item";
        plot.only = name;
    }
    compare_add_curve(sweep, row, true, &plot);
    compare_name_axis(&report->points[0], name, common, &plot);
    nb_text_print(&plot.y_columns, "prediction simulated");
    nb_text_print(&plot.series_columns, "item");
    nb_plot_choose_scales(&plot);
    nb_plot_sort(&plot);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

/* Whether the sweep has only one curve, and all its points the same rows. */
static bool compare_is_curve(const struct nb_sweep *sweep)
{
    const struct nb_report *report = sweep->report;
    if (!sweep->is_number || sweep->series_count != 1)
        return false;
    const size_t rows = compare_rows(&report->points[0]);
    for (size_t p = 1; p < report->point_count; p++) {
        if (compare_rows(&report->points[p]) != rows)
            return false;
        for (size_t i = 0; i < rows; i++)
            if (strcmp(compare_read(&report->points[0], i).name,
                       compare_read(&report->points[p], i).name) != 0)
                return false;
    }
    return rows > 0 && rows <= ITEMS_MOST;
}

enum nb_status nb_chart_validation(const struct nb_sweep *sweep,
                                   const struct nb_chart_place *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    int drawn = 0;
    if (compare_is_curve(sweep)) {
        const size_t rows = compare_rows(&sweep->report->points[0]);
        for (size_t row = 0; row < rows && drawn < CHARTS_MOST; row++) {
            bool is_new = compare_varies(sweep->report, row);
            for (size_t i = 0; i < row && is_new; i++)
                is_new = !compare_are_same(sweep->report, i, row);
            if (!is_new)
                continue;
            NB_TRY(compare_draw_row(sweep, row, out, err));
            drawn++;
        }
    }
    NB_TRY(compare_draw_all(sweep->report, out, err));
done:
    return status;
}
