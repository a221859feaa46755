#include "export/charts/chart_plot.h"

#include "core/memory.h"
#include "report/tree.h"

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
    if (!plot->has_failed && nb_tree_grow(array, count, size, NULL) != NB_OK)
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
        return NULL;
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

struct nb_text *nb_plot_add_category(struct nb_plot *plot)
{
    if (!plot_has_room(plot, &plot->categories, plot->category_count,
                       sizeof *plot->categories))
        return NULL;
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

void nb_plot_set_bars(struct nb_plot *plot, double width, double middle,
                      int most)
{
    if (plot->has_failed || plot->series[0].count == 0)
        return;
    struct nb_plot_series *series = &plot->series[0];
    const double first = series->points[0].x;
    const double last = series->points[series->count - 1].x;
    const double together = ceil(((last - first) / width + 1) / most);
    size_t kept = 0;
    double bar = -1;
    if (!(width > 0 && together >= 1 && together < 1e15))
        return;
    for (size_t i = 0; i < series->count; i++) {
        struct nb_plot_point point = series->points[i];
        const double own = floor((point.x - first) / width / together + 1e-9);
        if (own > bar) {
            bar = own;
            point.x =
                first + width * (own * together + (together - 1) / 2 + middle);
            series->points[kept++] = point;
        } else { /* of the bar before */
            struct nb_plot_point *sum = &series->points[kept - 1];
            sum->y += point.y;
            sum->lower = sum->upper = sum->y;
        }
    }
    series->count = kept;
    series->style = NB_PLOT_BARS;
    plot->bar_width = width * together;
    if (together > 1)
        nb_plot_add_note(plot, "each bar takes %.0f rows together", together);
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
