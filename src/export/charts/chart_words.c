/* Words for plots: titles of points, labels and descriptions (declared in
 * export/charts/chart_plot.h). */
#include "export/charts/chart_plot.h"

#include "report/printed.h"

#include <math.h>
#include <string.h>

void nb_words_add(struct nb_text *text, const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        nb_text_add(text, *c == '_' ? " " : c, 1);
}

void nb_words_add_label(struct nb_text *text, const char *name,
                        const char *unit)
{
    nb_words_add(text, name);
    if (nb_view_has_unit(unit) && strcmp(name, unit) != 0)
        nb_text_print(text, *name != '\0' ? " [%s]" : "%s", unit);
}

static void words_add_number(struct nb_text *text, double value,
                             const char *unit)
{
    char number[NB_PRINTED];
    nb_print_number(value + 0.0, number); /* no "-0" */
    nb_text_print(text, "%s", isinf(value) ? "infinite" : number);
    if (nb_view_has_unit(unit) && !isinf(value))
        nb_text_print(text, " %s", unit);
}

/* ", between 11.3 and 11.5" where six digits do not tell the value: rounded
 * outward, as the text format prints it. */
static void words_add_between(struct nb_text *text,
                              const struct nb_plot_point *point)
{
    char number[NB_PRINTED + NB_NUMBER_TEXT];
    const struct nb_quantity quantity = { .value = point->y,
                                          .lower = point->lower,
                                          .upper = point->upper };
    if (!(point->lower < point->upper))
        return;
    nb_print_swept(&quantity, number);
    char *lower = strstr(number, " [");
    char *upper = lower != NULL ? strstr(lower, ", ") : NULL;
    if (upper == NULL)
        return;
    *upper = '\0';
    upper[strcspn(upper + 1, "]") + 1] = '\0';
    nb_text_print(text, ", between %s and %s", lower + 2, upper + 2);
}

/* Whether a series only shows what others are relative to: 1 everywhere. */
static bool words_is_unit(const struct nb_plot *plot,
                          const struct nb_plot_series *series)
{
    return plot->relative_to != NULL &&
           strcmp(series->quantity, plot->relative_to) == 0;
}

/* "computed/published 0.998; computed 0.499, published 0.5", or of what others
 * are relative to its number alone. */
static void words_add_ratio(struct nb_text *text, const struct nb_plot *plot,
                            const struct nb_plot_series *series,
                            const struct nb_plot_point *point)
{
    if (!words_is_unit(plot, series)) {
        nb_text_print(text, "%s/%s ", series->quantity, plot->relative_to);
        words_add_number(text, point->y, "");
        words_add_between(text, point);
        nb_text_print(text, "; %s ", series->quantity);
        words_add_number(text, point->value, "");
        nb_text_print(text, ", ");
    }
    nb_text_print(text, "%s ", plot->relative_to);
    words_add_number(text, point->unit, "");
}

/* The category, or "load 0.25". */
static void words_add_place(struct nb_text *text, const struct nb_plot *plot,
                            const struct nb_plot_series *series,
                            const struct nb_plot_point *point)
{
    char number[NB_PRINTED];
    if (plot->category_count > 0) {
        const struct nb_text *name = &plot->categories[(size_t)point->x];
        nb_text_add(text, name->bytes, name->length);
    } else {
        nb_print_number(point->x - series->bar_span / 2, number);
        nb_text_print(text, "%s %s", plot->x_name, number);
        if (series->bar_span > 0) {
            nb_print_number(point->x + series->bar_span / 2, number);
            nb_text_print(text, " to %s", number);
        }
    }
}

void nb_plot_title_point(struct nb_plot *plot,
                         const struct nb_plot_series *series,
                         const struct nb_plot_point *point, xmlNodePtr node)
{
    struct nb_text text = { 0 };
    words_add_place(&text, plot, series, point);
    if (plot->relative_to != NULL) {
        nb_text_print(&text, ": ");
        words_add_ratio(&text, plot, series, point);
    } else {
        if (plot->series_columns.length > 0 && series->name.length > 0)
            nb_text_print(&text, ", %s", series->name.bytes);
        nb_text_print(&text, ": %s ", series->quantity);
        words_add_number(&text, point->y, plot->y_unit);
        words_add_between(&text, point);
    }
    if (point->remark != NULL && *point->remark != '\0')
        nb_text_print(&text, "; %s", point->remark);
    plot->has_failed |= text.has_failed;
    if (!text.has_failed)
        nb_view_set(node, "title", text.bytes);
    nb_text_release(&text);
}

/* Where a plot is highest and lowest, and how far it reaches. */
struct words_extremes {
    double left, right, low, high;
    const struct nb_plot_series *low_series, *high_series;
    const struct nb_plot_point *low_point, *high_point;
    bool has_infinite;
};

static void words_find(const struct nb_plot *plot, struct words_extremes *out)
{
    *out = (struct words_extremes){ NAN,  NAN,  NAN,  NAN,  NULL,
                                    NULL, NULL, NULL, false };
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t p = 0; p < plot->series[i].count; p++) {
            const struct nb_plot_point *point = &plot->series[i].points[p];
            out->has_infinite |= point->y > NB_AXIS_MOST;
            if (words_is_unit(plot, &plot->series[i]) ||
                !nb_axis_has(plot->is_log_x, point->x) ||
                !nb_axis_has(plot->is_log_y, point->y))
                continue;
            const double low = out->low, high = out->high;
            const double half = plot->series[i].bar_span / 2;
            nb_plot_widen(point->x - half, plot->is_log_x, &out->left,
                          &out->right);
            nb_plot_widen(point->x + half, plot->is_log_x, &out->left,
                          &out->right);
            nb_plot_widen(point->y, plot->is_log_y, &out->low, &out->high);
            if (!(out->low >= low)) {
                out->low_series = &plot->series[i];
                out->low_point = point;
            }
            if (!(out->high <= high)) {
                out->high_series = &plot->series[i];
                out->high_point = point;
            }
        }
}

/* " (uniform, dor)": which category and series. */
static void words_add_where(struct nb_text *text, const struct nb_plot *plot,
                            const struct nb_plot_series *series,
                            const struct nb_plot_point *point)
{
    const bool has_series = series->name.length > 0;
    if (plot->category_count == 0 && !has_series)
        return;
    nb_text_print(text, " (");
    if (plot->category_count > 0)
        nb_text_print(text, "%s%s", plot->categories[(size_t)point->x].bytes,
                      has_series ? ", " : "");
    if (has_series)
        nb_text_print(text, "%s", series->name.bytes);
    nb_text_print(text, ")");
}

bool nb_plot_describe(struct nb_plot *plot, xmlNodePtr chart)
{
    struct words_extremes found;
    struct nb_text text = { 0 };
    words_find(plot, &found);
    if (found.low_point == NULL)
        return false;
    nb_text_print(&text, "%s",
                  plot->y_name.length > 0 ? plot->y_name.bytes : "values");
    nb_text_print(&text, " from ");
    words_add_number(&text, found.low, "");
    words_add_where(&text, plot, found.low_series, found.low_point);
    nb_text_print(&text, " to ");
    words_add_number(&text, found.high, plot->y_unit);
    words_add_where(&text, plot, found.high_series, found.high_point);
    if (plot->category_count > 0) {
        nb_text_print(&text, " in %zu rows", plot->category_count);
    } else {
        nb_text_print(&text, ", for ");
        nb_words_add(&text, plot->x_name);
        nb_text_print(&text, " from ");
        words_add_number(&text, found.left, "");
        nb_text_print(&text, " to ");
        words_add_number(&text, found.right, plot->x_unit);
    }
    nb_text_print(&text, "%s%s.%s", plot->is_log_x ? ", x logarithmic" : "",
                  plot->is_log_y ? ", y logarithmic" : "",
                  found.has_infinite ? " Some values are infinite." : "");
    plot->has_failed |= text.has_failed;
    if (!text.has_failed) {
        if (text.bytes[0] >= 'a' && text.bytes[0] <= 'z')
            text.bytes[0] = (char)(text.bytes[0] - 'a' + 'A');
        nb_view_set(chart, "description", text.bytes);
    }
    nb_text_release(&text);
    return true;
}
