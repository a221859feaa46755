#include "export/charts/chart_plot.h"

#include "core/memory.h"
#include "report/printed.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void nb_plot_release(struct nb_plot *plot)
{
    for (size_t i = 0; i < plot->series_count; i++) {
        nb_text_release(&plot->series[i].name);
        nb_delete(plot->series[i].points);
    }
    for (size_t i = 0; i < plot->category_count; i++)
        nb_text_release(&plot->categories[i]);
    nb_text_release(&plot->no_series.name);
    nb_text_release(&plot->no_category);
    nb_delete(plot->series);
    nb_delete(plot->categories);
    nb_text_release(&plot->title);
    nb_text_release(&plot->note);
    nb_text_release(&plot->y_name);
    nb_text_release(&plot->y_columns);
    nb_text_release(&plot->series_columns);
    *plot = (struct nb_plot){ 0 };
}

static bool plot_has_room(struct nb_plot *plot, void *array, size_t count,
                          size_t size)
{
    if (!plot->has_failed &&
        nb_grow_one(array, count, size, "a chart", NULL) != NB_OK)
        plot->has_failed = true;
    return !plot->has_failed;
}

struct nb_plot_series *nb_plot_add_series(struct nb_plot *plot,
                                          const char *name,
                                          const char *quantity, size_t colour,
                                          unsigned style)
{
    if (!plot_has_room(plot, &plot->series, plot->series_count,
                       sizeof *plot->series))
        return &plot->no_series;
    struct nb_plot_series *series = &plot->series[plot->series_count++];
    *series = (struct nb_plot_series){ .quantity = quantity,
                                       .colour = colour,
                                       .style = style };
    nb_text_add(&series->name, name, strlen(name));
    return series;
}

void nb_plot_add_point(struct nb_plot *plot, double x, double y, double lower,
                       double upper, const char *remark)
{
    if (plot->has_failed)
        return;
    struct nb_plot_series *series = &plot->series[plot->series_count - 1];
    if (!plot_has_room(plot, &series->points, series->count,
                       sizeof *series->points))
        return;
    series->points[series->count++] = (struct nb_plot_point){
        .x = x, .y = y, .lower = lower, .upper = upper, .remark = remark
    };
}

void nb_plot_add_ratio(struct nb_plot *plot, double x, double value,
                       double lower, double upper, double unit,
                       const char *remark)
{
    nb_plot_add_point(plot, x, value / unit, lower / unit, upper / unit,
                      remark);
    if (plot->has_failed)
        return;
    struct nb_plot_series *series = &plot->series[plot->series_count - 1];
    series->points[series->count - 1].value = value;
    series->points[series->count - 1].unit = unit;
}

struct nb_text *nb_plot_add_category(struct nb_plot *plot)
{
    if (!plot_has_room(plot, &plot->categories, plot->category_count,
                       sizeof *plot->categories))
        return &plot->no_category;
    struct nb_text *name = &plot->categories[plot->category_count++];
    *name = (struct nb_text){ 0 };
    nb_text_add(name, "", 0);
    return name;
}

void nb_plot_add_note(struct nb_plot *plot, const char *format, ...)
{
    va_list arguments;
    if (plot->note.length > 0)
        nb_text_print(&plot->note, "; ");
    va_start(arguments, format);
    nb_text_print_list(&plot->note, format, arguments);
    va_end(arguments);
}

static int plot_compare(const void *a, const void *b)
{
    const struct nb_plot_point *one = a, *other = b;
    if (one->x < other->x || one->x > other->x)
        return one->x < other->x ? -1 : 1;
    return (one->y > other->y) - (one->y < other->y);
}

void nb_plot_sort(struct nb_plot *plot)
{
    for (size_t i = 0; i < plot->series_count; i++) {
        struct nb_plot_series *series = &plot->series[i];
        if (series->count > 1)
            qsort(series->points, series->count, sizeof *series->points,
                  plot_compare);
    }
}

size_t nb_plot_thin(struct nb_plot_point *points, size_t count, size_t most)
{
    if (count <= most)
        return count;
    /* The first, the last, and two of each stretch between. */
    const size_t stretches = (most - 2) / 2, inner = count - 2;
    size_t kept = 1;
    for (size_t s = 0; s < stretches; s++) {
        const size_t first = 1 + inner * s / stretches;
        const size_t end = 1 + inner * (s + 1) / stretches;
        size_t low = first, high = first;
        for (size_t i = first; i < end; i++) {
            if (!(points[i].y >= points[low].y)) /* rather than NaN */
                low = isnan(points[i].y) ? low : i;
            if (!(points[i].y <= points[high].y))
                high = isnan(points[i].y) ? high : i;
        }
        const size_t earlier = low < high ? low : high;
        const size_t later = low < high ? high : low;
        points[kept++] = points[earlier];
        if (later != earlier)
            points[kept++] = points[later];
    }
    points[kept++] = points[count - 1];
    return kept;
}

void nb_plot_set_point(struct nb_plot *plot, const struct nb_report *report,
                       size_t point)
{
    plot->report = report;
    plot->point = &report->points[point];
    if (report->point_count > 1)
        nb_place_print(plot->point, &plot->title);
}

/* Gathers a series' points into bars, so many bars of its width in one. low:
 * where the first series begins, from which all series count. */
static void plot_gather(struct nb_plot_series *series, double low,
                        double together, double middle)
{
    const double width = series->bar_width, first = series->points[0].x;
    const double start = first - width * nearbyint((first - low) / width);
    size_t kept = 0;
    double bar = -1;
    for (size_t i = 0; i < series->count; i++) {
        struct nb_plot_point point = series->points[i];
        const double own = floor((point.x - start) / width / together + 1e-9);
        if (own > bar) {
            bar = own;
            point.x =
                start + width * (own * together + (together - 1) / 2 + middle);
            series->points[kept++] = point;
        } else if (kept > 0) { /* of the bar before */
            struct nb_plot_point *sum = &series->points[kept - 1];
            sum->y += point.y;
            sum->lower = sum->upper = sum->y;
        }
    }
    series->count = kept;
    series->bar_span = width * (together - 1 + 2 * middle);
    series->bar_width = width * together;
}

/* How many bars of the series' width make one of at most so many. */
static double plot_together(const struct nb_plot_series *series, double low,
                            double high, int most)
{
    return ceil(((high - low) / series->bar_width + 1) / most - 1e-9);
}

void nb_plot_set_bars(struct nb_plot *plot, double middle, int most)
{
    double low = NAN, high = NAN, widest = 1;
    if (plot->has_failed)
        return;
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        for (size_t p = 0; p < series->count; p++)
            nb_plot_widen(series->points[p].x, false, &low, &high);
    }
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        const double together = plot_together(series, low, high, most);
        if (series->count > 0 &&
            !(series->bar_width > 0 && isfinite(series->points[0].x) &&
              together >= 1 && together < 1e15))
            return;
    }
    for (size_t i = 0; i < plot->series_count; i++) {
        struct nb_plot_series *series = &plot->series[i];
        const double together = plot_together(series, low, high, most);
        series->style = plot->series_count == 1
                            ? (unsigned)NB_PLOT_BARS
                            : NB_PLOT_STEPS | NB_PLOT_POINTS;
        if (series->count == 0)
            continue;
        plot_gather(series, low, together, middle);
        widest = fmax(widest, together);
    }
    if (widest > 1)
        nb_plot_add_note(plot, "each bar is up to %.0f bins wide", widest);
}

static int plot_compare_numbers(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Whether the places of the points run over decades rather than evenly: half
 * of them lie in the lowest quarter. */
static bool plot_is_geometric(struct nb_plot *plot)
{
    enum { MOST = 1000 };
    double x[MOST];
    size_t count = 0;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t p = 0; p < plot->series[i].count && count < MOST; p++)
            x[count++] = plot->series[i].points[p].x;
    for (size_t i = 0; i < count; i++)
        if (!nb_axis_has(true, x[i]))
            return false;
    if (count == 0)
        return false;
    qsort(x, count, sizeof *x, plot_compare_numbers);
    return x[count - 1] / x[0] > 50 && x[count / 2] < x[count - 1] / 4;
}

void nb_plot_choose_scales(struct nb_plot *plot)
{
    double low = NAN, high = NAN;
    bool is_positive = true;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t p = 0; p < plot->series[i].count; p++) {
            const double y = plot->series[i].points[p].y;
            is_positive = is_positive && !(y <= 0);
            nb_plot_widen(y, true, &low, &high);
        }
    plot->is_log_y = is_positive && high / low > 100;
    plot->is_log_x = plot->category_count == 0 && plot_is_geometric(plot);
}

void nb_plot_widen(double value, bool is_log, double *low, double *high)
{
    if (!nb_axis_has(is_log, value))
        return;
    if (!(value >= *low))
        *low = value;
    if (!(value <= *high))
        *high = value;
}

void nb_plot_find_range(const struct nb_plot *plot, double x[2], double y[2])
{
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        const bool has_bars = series->style & (NB_PLOT_BARS | NB_PLOT_STEPS);
        const double room = has_bars ? series->bar_width / 2 : 0;
        for (size_t p = 0; p < series->count; p++) {
            const struct nb_plot_point *point = &series->points[p];
            if (!nb_axis_has(plot->is_log_x, point->x))
                continue;
            nb_plot_widen(point->x - room, plot->is_log_x, &x[0], &x[1]);
            nb_plot_widen(point->x + room, plot->is_log_x, &x[0], &x[1]);
            nb_plot_widen(point->y, plot->is_log_y, &y[0], &y[1]);
            if (series->style & (NB_PLOT_BAND | NB_PLOT_ERRORS)) {
                nb_plot_widen(point->lower, plot->is_log_y, &y[0], &y[1]);
                nb_plot_widen(point->upper, plot->is_log_y, &y[0], &y[1]);
            }
            if (has_bars)
                nb_plot_widen(0, plot->is_log_y, &y[0], &y[1]);
        }
    }
}
