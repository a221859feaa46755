#include "export/charts/chart_plot.h"

#include "core/memory.h"
#include "export/charts/chart.h"
#include "export/charts/chart_marks.h"
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
        .x = x,
        .y = y,
        .lower = lower,
        .upper = upper,
        .remark = remark,
        .is_open = isfinite(y) && (isinf(lower) || isinf(upper)),
    };
    series->settled_count += isfinite(y) && !isinf(lower) && !isinf(upper);
}

void nb_plot_add_between(struct nb_plot *plot, double x, double lower,
                         double upper)
{
    nb_plot_add_point(plot, x, upper, lower, upper, NULL);
    if (plot->has_failed)
        return;
    struct nb_plot_series *series = &plot->series[plot->series_count - 1];
    series->points[series->count - 1].is_between = true;
    series->settled_count -= isfinite(upper) ? 1 : 0;
    plot->has_between = true;
}

void nb_plot_settle_point(struct nb_plot *plot, bool is_settled)
{
    if (plot->has_failed)
        return;
    struct nb_plot_series *series = &plot->series[plot->series_count - 1];
    struct nb_plot_point *point = &series->points[series->count - 1];
    if (!isfinite(point->y) || point->is_open == !is_settled)
        return;
    series->settled_count += is_settled ? 1 : (size_t)-1;
    point->is_open = !is_settled;
}

bool nb_plot_has_settled(const struct nb_plot_series *series,
                         const struct nb_plot_point *point)
{
    return !point->is_open || series->settled_count == 0 ||
           (isfinite(point->lower) && isfinite(point->upper));
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
    /* Keep the first, the last, and two of each section between. */
    const size_t stretches = (most - 2) / 2, inner = count - 2;
    size_t kept = 1;
    for (size_t s = 0; s < stretches; s++) {
        const size_t first = 1 + inner * s / stretches;
        const size_t end = 1 + inner * (s + 1) / stretches;
        size_t low = first, high = first;
        for (size_t i = first; i < end; i++) {
            if (!(points[i].y >= points[low].y)) /* prefer numbers to NaN */
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

/* Combines a series' points into bars, the given number of bar widths per bar.
 * low: start of the first bar, from which all series count. */
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

/* The number of a series' bar widths per bar that gives at most this many
 * bars. */
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

/* Whether each place is the same multiple of the one before, as for 1, 2, 4 and
 * 8.
 * x  [count] ascending, above 0 */
static bool plot_is_progression(const double *x, size_t count)
{
    enum { LEAST = 4 }; /* enough not to be chance */
    size_t places = 1;
    double factor = 0;
    for (size_t i = 1; i < count; i++) {
        if (!(x[i] > x[i - 1]))
            continue;
        if (places++ == 1)
            factor = x[i] / x[i - 1];
        if (fabs(x[i] / x[i - 1] - factor) > 1e-9 * factor)
            return false;
    }
    return places >= LEAST;
}

/* Whether the places of the points spread over decades rather than evenly: half
 * of them lie in the lowest quarter, or they are a geometric progression. */
static bool plot_is_geometric(struct nb_plot *plot)
{
    enum { MOST = 1000 };
    double x[MOST];
    size_t count = 0;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t p = 0; p < plot->series[i].count && count < MOST; p++)
            if (!plot->series[i].points[p].is_between)
                x[count++] = plot->series[i].points[p].x;
    for (size_t i = 0; i < count; i++)
        if (!nb_axis_has(true, x[i]))
            return false;
    if (count == 0)
        return false;
    qsort(x, count, sizeof *x, plot_compare_numbers);
    return plot_is_progression(x, count) ||
           (x[count - 1] / x[0] > 50 && x[count / 2] < x[count - 1] / 4);
}

void nb_plot_choose_scales(struct nb_plot *plot)
{
    double low = NAN, high = NAN;
    bool is_positive = true;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t p = 0; p < plot->series[i].count; p++) {
            const struct nb_plot_point *point = &plot->series[i].points[p];
            if (point->is_between ||
                !nb_plot_has_settled(&plot->series[i], point))
                continue;
            is_positive = is_positive && !(point->y <= 0);
            nb_plot_widen(point->y, true, &low, &high);
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

/* A curve rises without end, so that the axis ends at several times its
 * start. */
static void plot_find_curve(const struct nb_plot *plot, double x[2],
                            double y[2])
{
    enum { HIGH = 5 };
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        for (size_t p = 0; p < series->count; p++) {
            const struct nb_plot_point *point = &series->points[p];
            nb_plot_widen(point->x, plot->is_log_x, &x[0], &x[1]);
            if (point->y <= HIGH * series->points[0].y)
                nb_plot_widen(point->y, plot->is_log_y, &y[0], &y[1]);
        }
        nb_plot_widen(series->saturation[1], plot->is_log_x, &x[0], &x[1]);
    }
}

void nb_plot_find_range(struct nb_plot *plot, double x[2], double y[2])
{
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        const bool has_bars = series->style & (NB_PLOT_BARS | NB_PLOT_STEPS);
        const double room = has_bars ? series->bar_width / 2 : 0;
        for (size_t p = 0; p < series->count; p++) {
            const struct nb_plot_point *point = &series->points[p];
            if (point->is_between || !nb_axis_has(plot->is_log_x, point->x))
                continue;
            nb_plot_widen(point->x - room, plot->is_log_x, &x[0], &x[1]);
            nb_plot_widen(point->x + room, plot->is_log_x, &x[0], &x[1]);
            if (!nb_plot_has_settled(series, point))
                continue;
            nb_plot_widen(point->y, plot->is_log_y, &y[0], &y[1]);
            if (series->style & (NB_PLOT_BAND | NB_PLOT_ERRORS) &&
                isfinite(point->y)) {
                nb_plot_widen(point->lower, plot->is_log_y, &y[0], &y[1]);
                nb_plot_widen(point->upper, plot->is_log_y, &y[0], &y[1]);
            }
            if (has_bars)
                nb_plot_widen(0, plot->is_log_y, &y[0], &y[1]);
        }
    }
    plot->is_curve = plot->has_between && !(x[0] < x[1]);
    if (plot->is_curve)
        plot_find_curve(plot, x, y);
}

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

/* ", between 11.3 and 11.5" if six digits do not show the value: rounded
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

/* Whether a series shows only the reference of the others: 1 everywhere. */
static bool words_is_unit(const struct nb_plot *plot,
                          const struct nb_plot_series *series)
{
    return plot->relative_to != NULL &&
           strcmp(series->quantity, plot->relative_to) == 0;
}

/* "computed/published 0.998; computed 0.499, published 0.5"; for the reference
 * series only its number. */
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

/* The points with the least and greatest y, and the range of x. */
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
                (point->is_between && !plot->is_curve) ||
                !nb_plot_has_settled(&plot->series[i], point) ||
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

/* Describes the chart for people who cannot see it. Returns whether a point has
 * a place, so that there is something to see. */
static bool words_describe(struct nb_plot *plot, xmlNodePtr chart)
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

void nb_plot_label(double value, double x, double y, const char *side,
                   xmlNodePtr node)
{
    char number[NB_PRINTED];
    nb_print_number(value + 0.0, number);
    xmlNodePtr label = nb_view_add(node, "value");
    nb_view_place(label, "x", x);
    nb_view_place(label, "y", y);
    nb_view_set(label, "side", side);
    nb_view_text(label, isinf(value) ? "\u221e" : number);
}

xmlNodePtr nb_plot_draw_axis(struct nb_plot *plot, const struct nb_axis *axis,
                             const char *side, const char *name,
                             const char *unit, double at, xmlNodePtr chart)
{
    struct nb_text label = { 0 };
    xmlNodePtr node = nb_view_add(chart, "axis");
    nb_view_set(node, "side", side);
    nb_text_add(&label, "", 0);
    nb_words_add_label(&label, name, unit);
    plot->has_failed |= label.has_failed;
    if (!label.has_failed)
        nb_view_set(node, "label", label.bytes);
    nb_text_release(&label);
    nb_view_place(node, "from", axis->from);
    nb_view_place(node, "to", axis->to);
    nb_view_place(node, "at", at);
    for (int i = 0; i < axis->tick_count; i++) {
        xmlNodePtr tick = nb_view_add(node, "tick");
        nb_view_place(tick, "at", nb_axis_place(axis, axis->ticks[i].value));
        nb_view_set(tick, "label", axis->ticks[i].label);
        nb_view_set(tick, "grid", "yes");
    }
    return node;
}

xmlNodePtr nb_plot_start_series(const struct nb_plot_series *series,
                                xmlNodePtr chart)
{
    xmlNodePtr node = nb_view_add(chart, "series");
    nb_view_set(node, "name",
                series->name.bytes != NULL ? series->name.bytes : "");
    nb_view_print(node, "index", "%zu", series->colour);
    return node;
}

static const char *draw_text(const struct nb_text *text)
{
    return text->bytes != NULL ? text->bytes : "";
}

/* Writes everything about the chart except its parts and description. */
static void draw_head(struct nb_plot *plot, const char *prefix, int number,
                      xmlNodePtr chart)
{
    static const char *const kinds[] = { "lines", "bars", "comparison" };
    nb_view_print(chart, "id", "%s-chart-%d", prefix, number);
    nb_view_set(chart, "kind", kinds[plot->kind]);
    nb_view_set(chart, "title", draw_text(&plot->title));
    nb_view_set(chart, "data", plot->data);
    nb_view_set(chart, "x", plot->x_columns);
    nb_view_set(chart, "y", draw_text(&plot->y_columns));
    nb_view_set(chart, "series", draw_text(&plot->series_columns));
    if (plot->relative_to != NULL)
        nb_view_set(chart, "relative", "yes");
    nb_view_set(chart, "log-x", plot->is_log_x ? "yes" : "no");
    nb_view_set(chart, "log-y", plot->is_log_y ? "yes" : "no");
    if (plot->point != NULL)
        nb_chart_add_place(plot->report, plot->point, chart);
    if (plot->only != NULL) {
        xmlNodePtr at = nb_view_add(chart, "at");
        nb_view_set(at, "name", plot->only_column);
        nb_view_set(at, "value", plot->only);
    }
}

/* Whether an addition to the plot failed, including its texts. */
static bool draw_has_failed(const struct nb_plot *plot)
{
    bool has_failed = plot->has_failed || plot->title.has_failed ||
                      plot->note.has_failed || plot->y_name.has_failed ||
                      plot->y_columns.has_failed ||
                      plot->series_columns.has_failed;
    for (size_t i = 0; i < plot->series_count; i++)
        has_failed = has_failed || plot->series[i].name.has_failed;
    for (size_t i = 0; i < plot->category_count; i++)
        has_failed = has_failed || plot->categories[i].has_failed;
    return has_failed;
}

/* Parts the marks that would hide each other. */
static void draw_parts(struct nb_plot *plot, xmlNodePtr chart)
{
    bool is_parted;
    plot->has_failed |= nb_marks_part(chart, &is_parted, NULL) != NB_OK;
    if (is_parted)
        nb_plot_add_note(plot, "a circle in parts marks about the same value "
                               "of several series");
}

enum nb_status nb_plot_draw(struct nb_plot *plot, const char *prefix,
                            int *number, xmlNodePtr parent,
                            struct nb_error *err)
{
    xmlNodePtr chart = NULL;
    if (!draw_has_failed(plot)) {
        chart = nb_view_add(parent, "chart");
        draw_head(plot, prefix, *number + 1, chart);
        const bool is_drawn =
            (plot->category_count > 0 ? nb_plot_draw_bars(plot, chart)
                                      : nb_plot_draw_lines(plot, chart)) &&
            words_describe(plot, chart);
        if (is_drawn)
            draw_parts(plot, chart);
        nb_view_set(chart, "note", draw_text(&plot->note));
        if (is_drawn) {
            ++*number;
        } else {
            xmlUnlinkNode(chart);
            xmlFreeNode(chart);
        }
    }
    const bool has_failed =
        draw_has_failed(plot) || nb_view_has_failed(parent->doc);
    nb_plot_release(plot);
    if (has_failed)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a chart");
    return NB_OK;
}
