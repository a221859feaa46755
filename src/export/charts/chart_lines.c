/* Plots over numbers: lines, points, bands and bars between two axes
 * (declared in export/charts/chart_plot.h). */
#include "export/charts/chart_plot.h"

#include "report/printed.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 560,
    HEIGHT = 370,
    LEFT = 66,
    RIGHT = 30,
    TOP = 32,
    BOTTOM = 54
};
/* The least width of a bar with room for its number. */
enum { LABEL = 56 };
/* Maximum points of a line, of its marked points, and of marked points without
 * a line. */
enum { LINES_MOST = 1000, LINES_MARKED = 200, LINES_ALONE = 48 };

struct lines {
    struct nb_plot *plot;
    struct nb_axis x, y;
};

/* Whether every x is a whole number. */
static bool lines_is_whole(const struct nb_plot *plot)
{
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t p = 0; p < plot->series[i].count; p++) {
            const double x = plot->series[i].points[p].x;
            if (fabs(x - rint(x)) > 0)
                return false;
        }
    return true;
}

/* Whether the axis starts at zero: not if that would leave much of it empty. */
static double lines_from_zero(double low, double high, bool is_log,
                              double share)
{
    return !is_log && low >= 0 && low <= share * high ? 0 : low;
}

/* Where a series saturates: as the report states, or between the last settled
 * value and the first of those that are infinite to the end. */
static bool lines_find_saturation(const struct lines *lines,
                                  const struct nb_plot_series *series,
                                  double x[2])
{
    size_t end = series->count;
    memcpy(x, series->saturation, sizeof series->saturation);
    if (x[1] > 0)
        return (isinf(x[0]) || x[0] >= lines->x.least) && x[1] <= lines->x.most;
    while (end > 0 && series->points[end - 1].y > NB_AXIS_MOST)
        end--;
    if (!(series->style & NB_PLOT_LINE) || end == series->count)
        return false;
    x[1] = series->points[end].x;
    while (end > 0 && series->points[end - 1].is_open)
        end--;
    for (size_t p = 0; p < end; p++)
        if (!nb_axis_has(false, series->points[p].y))
            return false;
    x[0] = end > 0 ? series->points[end - 1].x : x[1];
    return x[0] < x[1];
}

/* Room above the plot for a limit's name, between the axis' name and arrows at
 * the edge. */
static double lines_limit_room(const struct lines *lines)
{
    enum { ROOM = 20 };
    double x[2];
    for (size_t i = 0; i < lines->plot->series_count; i++)
        if (lines_find_saturation(lines, &lines->plot->series[i], x))
            return ROOM;
    return 0;
}

/* Whether there is something to see: two different places, or a bar. */
static bool lines_fit(struct lines *lines)
{
    struct nb_plot *plot = lines->plot;
    double x[2] = { NAN, NAN }, y[2] = { NAN, NAN };
    nb_plot_find_range(plot, x, y);
    if (!(x[0] < x[1]) || isnan(y[0]))
        return false;
    const double left = x[0];
    x[0] = lines_from_zero(x[0], x[1], plot->is_log_x, 0.25);
    y[0] = lines_from_zero(y[0], y[1], plot->is_log_y, 0.4);
    lines->x = (struct nb_axis){ .from = LEFT,
                                 .to = WIDTH - RIGHT,
                                 .is_whole = lines_is_whole(plot) };
    nb_axis_fit(&lines->x, x[0], x[1], plot->is_log_x, 7);
    if (plot->series[0].style & (NB_PLOT_BARS | NB_PLOT_STEPS))
        /* no half bar of empty space */
        nb_axis_trim(&lines->x, left, x[1]);
    lines->y = (struct nb_axis){ .from = HEIGHT - BOTTOM,
                                 .to = TOP + lines_limit_room(lines) };
    nb_axis_fit(&lines->y, y[0], y[1], plot->is_log_y, 6);
    return true;
}

static void lines_add_place(const struct lines *lines, double x, double y,
                            struct nb_text *places)
{
    nb_text_print(places, "%s%.10g,%.10g", places->length > 0 ? " " : "",
                  nearbyint(100 * nb_axis_place(&lines->x, x)) / 100,
                  nearbyint(100 * nb_axis_place(&lines->y, y)) / 100);
}

static void lines_end(struct nb_text *places, const char *element,
                      size_t point_count, struct lines *lines, xmlNodePtr node)
{
    lines->plot->has_failed |= places->has_failed;
    if (point_count > 1 && !places->has_failed)
        nb_view_set(nb_view_add(node, element), "points", places->bytes);
    nb_text_release(places);
    *places = (struct nb_text){ 0 };
}

/* Whether a point lies between the axes. */
static bool lines_holds(const struct lines *lines,
                        const struct nb_plot_point *point)
{
    return point->x >= lines->x.least && point->x <= lines->x.most &&
           point->y >= lines->y.least && point->y <= lines->y.most;
}

/* The share of the way from a number within [least, most] to another that lies
 * within. */
static double lines_way(double from, double to, double least, double most)
{
    const double end = fmin(fmax(to, least), most);
    return to < least || to > most ? (end - from) / (to - from) : 1;
}

/* Moves a point beyond the axes to their edge, on the way from another. */
static void lines_clip_point(const struct lines *lines,
                             const struct nb_plot_point *from,
                             struct nb_plot_point *point)
{
    const double way =
        fmin(lines_way(from->x, point->x, lines->x.least, lines->x.most),
             lines_way(from->y, point->y, lines->y.least, lines->y.most));
    point->x = from->x + way * (point->x - from->x);
    point->y = from->y + way * (point->y - from->y);
    point->lower = from->lower + way * (point->lower - from->lower);
    point->upper = from->upper + way * (point->upper - from->upper);
}

/* Ends the points between at the edges, where the line leaves the plot. */
static void lines_clip(const struct lines *lines, struct nb_plot_series *series)
{
    struct nb_plot_point *point = series->points;
    bool was_held = false;
    for (size_t p = 0; p < series->count; p++, point++) {
        const bool is_held = lines_holds(lines, point);
        if (point->is_between && !is_held && was_held)
            lines_clip_point(lines, point - 1, point);
        else if (point->is_between && !is_held && p + 1 < series->count &&
                 lines_holds(lines, point + 1))
            lines_clip_point(lines, point + 1, point);
        else if (point->is_between && !is_held)
            point->y = NAN;
        was_held = is_held;
    }
}

/* Whether the line passes through a point; otherwise it breaks there. */
static bool lines_has(const struct lines *lines,
                      const struct nb_plot_point *point)
{
    return nb_axis_has(lines->x.is_log, point->x) &&
           nb_axis_has(lines->y.is_log, point->y) &&
           !(point->is_open &&
             (point->y > lines->y.most || point->y < lines->y.least));
}

/* Whether a point lies at the upper edge: infinite, or open and beyond. */
static bool lines_is_beyond(const struct lines *lines,
                            const struct nb_plot_point *point)
{
    return nb_axis_has(lines->x.is_log, point->x) &&
           (point->y > NB_AXIS_MOST ||
            (point->is_open && point->y > lines->y.most));
}

static void lines_draw_line(struct lines *lines,
                            const struct nb_plot_series *series,
                            xmlNodePtr node)
{
    struct nb_text places = { 0 };
    size_t count = 0;
    for (size_t p = 0; p < series->count; p++) {
        const struct nb_plot_point *point = &series->points[p];
        if (lines_has(lines, point)) {
            lines_add_place(lines, point->x, point->y, &places);
            count++;
        } else {
            lines_end(&places, "line", count, lines, node);
            count = 0;
        }
    }
    lines_end(&places, "line", count, lines, node);
}

/* The polygon around points [first, end): along the upper ends, back along the
 * lower ones. Draws nothing if it is at most a pixel wide everywhere. */
static void lines_draw_polygon(struct lines *lines,
                               const struct nb_plot_series *series,
                               size_t first, size_t end, xmlNodePtr node)
{
    struct nb_text places = { 0 };
    double widest = 0;
    for (size_t p = first; p < end; p++)
        widest =
            fmax(widest, nb_axis_place(&lines->y, series->points[p].lower) -
                             nb_axis_place(&lines->y, series->points[p].upper));
    if (!(widest > 1))
        return;
    for (size_t p = first; p < end; p++)
        lines_add_place(lines, series->points[p].x, series->points[p].upper,
                        &places);
    for (size_t p = end; p > first; p--)
        lines_add_place(lines, series->points[p - 1].x,
                        series->points[p - 1].lower, &places);
    lines_end(&places, "band", end - first, lines, node);
}

static void lines_draw_band(struct lines *lines,
                            const struct nb_plot_series *series,
                            xmlNodePtr node)
{
    size_t first = 0;
    for (size_t p = 0; p <= series->count; p++) {
        if (p < series->count && lines_has(lines, &series->points[p]) &&
            !series->points[p].is_open &&
            series->points[p].lower <= series->points[p].upper)
            continue;
        if (p > first)
            lines_draw_polygon(lines, series, first, p, node);
        first = p + 1;
    }
}

/* The interval next to an open point's mark: up to its known end, and an arrow
 * up if it has no upper end, "up". */
static void lines_draw_open(struct lines *lines,
                            const struct nb_plot_point *point, double y,
                            xmlNodePtr mark)
{
    enum { ARROW = 18 };
    nb_view_place(mark, "low",
                  isinf(point->lower) ? y
                                      : nb_axis_place(&lines->y, point->lower));
    nb_view_place(mark, "high",
                  isinf(point->upper) ? fmax(y - ARROW, lines->y.to)
                                      : nb_axis_place(&lines->y, point->upper));
    nb_view_set(mark, "open", "yes");
    if (isinf(point->upper))
        nb_view_set(mark, "up", "yes");
    lines->plot->has_open = true;
}

static void lines_draw_point(struct lines *lines,
                             const struct nb_plot_series *series,
                             const struct nb_plot_point *point, xmlNodePtr node)
{
    const double y = nb_axis_place(&lines->y, point->y);
    xmlNodePtr mark = nb_view_add(node, "point");
    nb_view_place(mark, "x", nb_axis_place(&lines->x, point->x));
    nb_view_place(mark, "y", y);
    if (lines_is_beyond(lines, point)) {
        nb_view_set(mark, "edge", "yes");
        lines->plot->has_beyond = true;
    } else if (series->style & NB_PLOT_BAND && point->is_open) {
        lines_draw_open(lines, point, y, mark);
    } else if (series->style & NB_PLOT_ERRORS && point->lower < point->upper) {
        nb_view_place(mark, "low", nb_axis_place(&lines->y, point->lower));
        nb_view_place(mark, "high", nb_axis_place(&lines->y, point->upper));
    }
    nb_plot_title_point(lines->plot, series, point, mark);
}

/* Marks points, only some if there are many, and the start of each run beyond
 * the edge; arrows at the edge only as far as they stay distinguishable. */
static void lines_draw_points(struct lines *lines,
                              const struct nb_plot_series *series,
                              xmlNodePtr node)
{
    const size_t count = series->count;
    const size_t marked =
        series->style & NB_PLOT_LINE ? LINES_MARKED : LINES_ALONE;
    const bool has_all = count <= marked || !(series->style & NB_PLOT_POINTS);
    enum { APART = 12 };
    size_t next = 0;          /* index of the next of the evenly spread marks */
    double arrow = -INFINITY; /* the last one at the edge */
    bool was_beyond = false;
    for (size_t p = 0; p < count; p++) {
        const struct nb_plot_point *point = &series->points[p];
        if (point->is_between)
            continue;
        const bool is_due = has_all || p == next * (count - 1) / (marked - 1);
        const bool is_beyond = lines_is_beyond(lines, point);
        const double x = nb_axis_place(&lines->x, point->x);
        next += is_due;
        was_beyond = was_beyond && is_beyond;
        if (lines_has(lines, point)
                ? !is_due
                : !is_beyond || (!is_due && was_beyond) || x - arrow < APART)
            continue;
        lines_draw_point(lines, series, point, node);
        was_beyond = is_beyond;
        arrow = is_beyond ? x : arrow;
    }
}

/* "saturation between 0.9 and 1.1", "saturation below 1.1" */
static void lines_name_saturation(const struct nb_plot *plot, const double x[2],
                                  xmlNodePtr node)
{
    char low[NB_PRINTED], high[NB_PRINTED];
    nb_print_number(x[0], low);
    nb_print_number(x[1], high);
    const bool is_load =
        strcmp(plot->x_name, "load") == 0 || strcmp(plot->x_name, "rate") == 0;
    if (!(x[0] < x[1]))
        nb_view_print(node, "label", "saturation at %s", low);
    else if (is_load && isinf(x[0]))
        nb_view_print(node, "label", "saturation below %s", high);
    else if (is_load)
        nb_view_print(node, "label", "saturation between %s and %s", low, high);
    else
        nb_view_print(node, "label", "infinite from %s", high);
}

/* A line across the plot where series saturate: one line without a colour if
 * all do at the same place. */
static void lines_draw_saturation(const struct lines *lines, xmlNodePtr chart)
{
    struct nb_plot *plot = lines->plot;
    double first[2] = { NAN, NAN }, x[2];
    bool is_common = true;
    for (size_t i = 0; i < plot->series_count; i++) {
        if (!lines_find_saturation(lines, &plot->series[i], x))
            continue;
        if (isnan(first[0]))
            memcpy(first, x, sizeof x);
        is_common = is_common && memcmp(first, x, sizeof x) == 0;
    }
    for (size_t i = 0; i < plot->series_count && !isnan(first[0]); i++) {
        if (!lines_find_saturation(lines, &plot->series[i], x))
            continue;
        xmlNodePtr node = nb_view_add(chart, "limit");
        const double right = nb_axis_place(&lines->x, x[1]);
        const double left =
            isinf(x[0]) ? right : nb_axis_place(&lines->x, x[0]);
        nb_view_place(node, "at", left / 2 + right / 2);
        lines_name_saturation(plot, x, node);
        if (is_common)
            return;
        nb_view_print(node, "index", "%zu", plot->series[i].colour);
    }
    if (!is_common)
        nb_plot_add_note(plot, "a dashed line shows where the series of its "
                               "colour saturates");
}

/* The outline of bars that lie side by side, and zero between them. */
static void lines_draw_steps(struct lines *lines,
                             const struct nb_plot_series *series,
                             xmlNodePtr node)
{
    const double half = series->bar_width / 2;
    struct nb_text places = { 0 };
    double right = NAN; /* of the bar before */
    size_t count = 0;
    for (size_t p = 0; p < series->count; p++) {
        const struct nb_plot_point *point = &series->points[p];
        if (!lines_has(lines, point))
            continue;
        const double left = point->x - half;
        if (!(left - right < half)) {
            if (count > 0)
                lines_add_place(lines, right, 0, &places);
            lines_add_place(lines, left, 0, &places);
        }
        right = point->x + half;
        lines_add_place(lines, left, point->y, &places);
        lines_add_place(lines, right, point->y, &places);
        count++;
    }
    if (count > 0)
        lines_add_place(lines, right, 0, &places);
    lines_end(&places, "line", 2 * count, lines, node);
}

static void lines_draw_bars(struct lines *lines,
                            const struct nb_plot_series *series,
                            xmlNodePtr node)
{
    const double half = series->bar_width / 2;
    const double base = nb_axis_place(&lines->y, 0);
    for (size_t p = 0; p < series->count; p++) {
        const struct nb_plot_point *point = &series->points[p];
        if (!lines_has(lines, point))
            continue;
        const double left = nb_axis_place(&lines->x, point->x - half);
        const double right = nb_axis_place(&lines->x, point->x + half);
        const double top = nb_axis_place(&lines->y, point->y);
        xmlNodePtr bar = nb_view_add(node, "bar");
        nb_view_place(bar, "x", left);
        nb_view_place(bar, "y", fmin(top, base));
        nb_view_place(bar, "width", right - left);
        nb_view_place(bar, "height", fabs(base - top));
        nb_plot_title_point(lines->plot, series, point, bar);
        if (right - left >= LABEL)
            nb_plot_label(point->y, left / 2 + right / 2, fmin(top, base) - 5,
                          "above", node);
    }
}

static void lines_thin(struct nb_plot *plot)
{
    size_t most = 0;
    for (size_t i = 0; i < plot->series_count; i++) {
        struct nb_plot_series *series = &plot->series[i];
        most = series->count > most ? series->count : most;
        series->count = nb_plot_thin(series->points, series->count, LINES_MOST);
    }
    if (most > LINES_MOST)
        nb_plot_add_note(plot,
                         "%d of up to %zu points per series, including the "
                         "highest and lowest of each section",
                         LINES_MOST, most);
}

bool nb_plot_draw_lines(struct nb_plot *plot, xmlNodePtr chart)
{
    struct lines lines = { .plot = plot };
    if (!lines_fit(&lines))
        return false;
    for (size_t i = 0; i < plot->series_count; i++)
        lines_clip(&lines, &plot->series[i]);
    lines_thin(plot);
    nb_view_place(chart, "width", WIDTH);
    nb_view_place(chart, "height", HEIGHT);
    nb_plot_draw_axis(plot, &lines.x, "bottom", plot->x_name, plot->x_unit,
                      lines.y.from, chart);
    nb_plot_draw_axis(plot, &lines.y, "left",
                      plot->y_name.bytes != NULL ? plot->y_name.bytes : "",
                      plot->y_unit, lines.x.from, chart);
    lines_draw_saturation(&lines, chart);
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        if (series->count == 0)
            continue;
        xmlNodePtr node = nb_plot_start_series(series, chart);
        if (series->style & NB_PLOT_BAND)
            lines_draw_band(&lines, series, node);
        if (series->style & NB_PLOT_LINE)
            lines_draw_line(&lines, series, node);
        if (series->style & NB_PLOT_STEPS)
            lines_draw_steps(&lines, series, node);
        if (series->style & (NB_PLOT_POINTS | NB_PLOT_ERRORS))
            lines_draw_points(&lines, series, node);
        if (series->style & NB_PLOT_BARS)
            lines_draw_bars(&lines, series, node);
    }
    if (plot->has_between)
        nb_plot_add_note(plot, "lines follow the model between marks");
    if (plot->has_open)
        nb_plot_add_note(plot, "hollow points are not known to be stable; an "
                               "arrow up marks one without a known limit");
    if (plot->has_beyond)
        nb_plot_add_note(plot, "arrows at the upper edge mark values beyond "
                               "it: infinite, or with no known limit");
    return true;
}
