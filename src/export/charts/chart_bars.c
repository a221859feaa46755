/* Plots over categories: one row each, its name at the left, bars, boxes and
 * points along a scale beneath (declared in export/charts/chart_plot.h). */
#include "export/charts/chart_plot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 560, RIGHT = 22, TOP = 32, BOTTOM = 54 };
/* Of a row: the height of its bars, and the gap to the next row, wider if names
 * have two lines. */
enum { BAR = 14, ALONE = 18, GAP = 10, GAP_OF_TWO = 16 };
/* The least width of a box, and the height of wider ones in comparisons. */
enum { MARK = 3, SPAN = 6 };
/* The room for a number at the end of its bar, and the gap before it. */
enum { LABEL = 62, LABEL_GAP = 5 };
/* Maximum characters per line of a row's name, which has at most two lines, and
 * their maximum mean width. */
enum { NAME_MOST = 34 };
static const double bars_character = 8.2;
enum { ROWS_MOST = 48 };

struct bars {
    struct nb_plot *plot;
    struct nb_axis value;
    size_t rows;
    size_t bars_of_row; /* side by side; other series lie in the middle */
    double left, right, height, gap;
};

/* The bytes of the name's first characters, and their number. */
static size_t bars_name_length(const char *name, size_t *characters)
{
    size_t i = 0;
    *characters = 0;
    for (; name[i] != '\0'; i++) {
        const bool is_first = ((unsigned char)name[i] & 0xC0) != 0x80;
        if (is_first && *characters == NAME_MOST)
            break;
        *characters += is_first;
    }
    return i;
}

/* The bytes of the name's first line if the name has too many characters for
 * one: up to the last setting, "; load 0.2", or the last blank. characters:
 * out, of a full line. */
static size_t bars_first_line(const char *name, size_t *characters)
{
    const size_t most = bars_name_length(name, characters);
    size_t length = most;
    if (name[most] == '\0')
        return most;
    const char *set = strstr(name, "; ");
    if (set != NULL && set < name + most)
        return (size_t)(set - name) + 1;
    while (length > 0 && name[length] != ' ')
        length--;
    return length > 0 ? length : most;
}

static double bars_row_height(const struct bars *bars)
{
    return bars->bars_of_row > 1 ? (double)(BAR * bars->bars_of_row)
                                 : (double)ALONE;
}

/* The middle of a row. */
static double bars_middle(const struct bars *bars, size_t row)
{
    const double height = bars_row_height(bars);
    return TOP + ((double)row + 0.5) * (height + bars->gap);
}

/* Whether a point can be drawn: in a row, and not NaN. */
static bool bars_has(const struct bars *bars, const struct nb_plot_point *point)
{
    return point->x < (double)bars->rows && !isnan(point->y) &&
           !(bars->plot->is_log_y && point->y < 1 / NB_AXIS_MOST);
}

static bool bars_find_range(const struct bars *bars, double *low, double *high)
{
    const struct nb_plot *plot = bars->plot;
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        for (size_t p = 0; p < series->count; p++) {
            const struct nb_plot_point *point = &series->points[p];
            if (!bars_has(bars, point) || !nb_plot_has_settled(series, point))
                continue;
            nb_plot_widen(point->y, plot->is_log_y, low, high);
            if (isfinite(point->y)) {
                nb_plot_widen(point->lower, plot->is_log_y, low, high);
                nb_plot_widen(point->upper, plot->is_log_y, low, high);
            }
            if (series->style & NB_PLOT_BARS)
                nb_plot_widen(0, plot->is_log_y, low, high);
        }
    }
    return !isnan(*low);
}

static bool bars_fit(struct bars *bars)
{
    struct nb_plot *plot = bars->plot;
    double low = NAN, high = NAN;
    size_t widest = 0;
    bars->gap = GAP;
    bars->rows = plot->category_count < ROWS_MOST ? plot->category_count
                                                  : (size_t)ROWS_MOST;
    for (size_t i = 0; i < plot->series_count; i++)
        bars->bars_of_row += (plot->series[i].style & NB_PLOT_BARS) != 0;
    for (size_t row = 0; row < bars->rows; row++) {
        const char *name = plot->categories[row].bytes;
        size_t characters;
        if (name[bars_first_line(name, &characters)] != '\0')
            bars->gap = GAP_OF_TWO;
        widest = characters > widest ? characters : widest;
    }
    if (!bars_find_range(bars, &low, &high))
        return false;
    /* Ratios are compared with 1, everything else with zero. */
    const double share = plot->kind == NB_CHART_COMPARISON ? 0.1 : 0.4;
    if (!plot->is_log_y && low >= 0 && low <= share * high)
        low = 0;
    bars->left = fmax(66, bars_character * (double)(widest + 1) + 16);
    bars->height = bars_middle(bars, bars->rows) -
                   (bars_row_height(bars) + bars->gap) / 2 + BOTTOM;
    bars->right = WIDTH - (bars->bars_of_row > 0 ? LABEL + LABEL_GAP : RIGHT);
    bars->value = (struct nb_axis){ .from = bars->left, .to = bars->right };
    nb_axis_fit(&bars->value, low, high, plot->is_log_y,
                (int)((bars->value.to - bars->left) / 90));
    return true;
}

/* The axis of the rows' names. */
static void bars_draw_names(const struct bars *bars, xmlNodePtr chart)
{
    struct nb_plot *plot = bars->plot;
    const struct nb_axis axis = { .from = bars->height - BOTTOM, .to = TOP };
    xmlNodePtr node = nb_plot_draw_axis(plot, &axis, "left", plot->x_name,
                                        plot->x_unit, bars->left, chart);
    for (size_t row = 0; row < bars->rows; row++) {
        const char *name = plot->categories[row].bytes;
        size_t characters;
        const size_t first = bars_first_line(name, &characters);
        const char *more = name + first + (name[first] == ' ');
        const size_t second = bars_name_length(more, &characters);
        xmlNodePtr tick = nb_view_add(node, "tick");
        nb_view_place(tick, "at", bars_middle(bars, row));
        nb_view_print(tick, "label", "%.*s", (int)first, name);
        if (second > 0)
            nb_view_print(tick, "more", "%.*s%s", (int)second, more,
                          more[second] != '\0' ? "\u2026" : "");
        nb_view_set(tick, "grid", "no");
    }
}

/* A box from one value to another, around a height. */
static void bars_draw_box(const struct bars *bars,
                          const struct nb_plot_series *series,
                          const struct nb_plot_point *point, double from,
                          double to, double middle, double height,
                          xmlNodePtr node)
{
    const double width = fabs(to - from);
    const double room = fmax(0, MARK - width);
    double left = fmin(from, to) - room / 2;
    left = fmin(fmax(left, bars->left), bars->right - width - room);
    xmlNodePtr bar = nb_view_add(node, "bar");
    nb_view_place(bar, "x", left);
    nb_view_place(bar, "y", middle - height / 2);
    nb_view_place(bar, "width", width + room);
    nb_view_place(bar, "height", height);
    nb_plot_title_point(bars->plot, series, point, bar);
}

/* The end of an interval on the scale: a little beyond the value if it has no
 * upper end. */
static double bars_upper(const struct bars *bars,
                         const struct nb_plot_point *point)
{
    enum { ARROW = 18 };
    if (isinf(point->upper) && isfinite(point->y))
        return fmin(nb_axis_place(&bars->value, point->y) + ARROW, bars->right);
    return nb_axis_place(&bars->value, point->upper);
}

/* A line along the scale from lower to upper, if wider than two pixels; with an
 * arrowhead if there is no upper end. */
static void bars_draw_error(const struct bars *bars,
                            const struct nb_plot_point *point, double middle,
                            xmlNodePtr node)
{
    const double from = nb_axis_place(&bars->value, point->lower);
    const double to = bars_upper(bars, point);
    if (!(to - from > 2))
        return;
    xmlNodePtr line = nb_view_add(node, "line");
    if (!isinf(point->upper) || isinf(point->y)) {
        nb_view_print(line, "points", "%.2f,%.2f %.2f,%.2f", from, middle, to,
                      middle);
        return;
    }
    nb_view_print(line, "points",
                  "%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f", from,
                  middle, to, middle, to - 5, middle - 4, to, middle, to - 5,
                  middle + 4);
    bars->plot->has_open = true;
}

/* slot: index among the bars side by side */
static void bars_draw_point(const struct bars *bars,
                            const struct nb_plot_series *series,
                            const struct nb_plot_point *point, size_t slot,
                            xmlNodePtr node)
{
    const double height = bars_row_height(bars);
    const double middle = bars_middle(bars, (size_t)point->x);
    const double value = nb_axis_place(&bars->value, point->y);
    if (series->style & NB_PLOT_BARS) {
        const double thick = height / (double)bars->bars_of_row;
        const double own = middle - height / 2 + ((double)slot + 0.5) * thick;
        bars_draw_box(bars, series, point, nb_axis_place(&bars->value, 0),
                      value, own, thick - (bars->bars_of_row > 1), node);
        bars_draw_error(bars, point, own, node);
        const double end = fmax(value, bars_upper(bars, point));
        nb_plot_label(point->y, (isnan(end) ? value : end) + LABEL_GAP, own,
                      "right", node);
    }
    if (series->style & NB_PLOT_SPANS) {
        const double from = nb_axis_place(&bars->value, point->lower);
        const double to = nb_axis_place(&bars->value, point->upper);
        bars_draw_box(bars, series, point, from, to, middle,
                      to - from > MARK ? SPAN : height - 4, node);
    }
    if (series->style & NB_PLOT_ERRORS)
        bars_draw_error(bars, point, middle, node);
    if (series->style & NB_PLOT_POINTS) {
        xmlNodePtr mark = nb_view_add(node, "point");
        nb_view_place(mark, "x", value);
        nb_view_place(mark, "y", middle);
        nb_plot_title_point(bars->plot, series, point, mark);
    }
}

bool nb_plot_draw_bars(struct nb_plot *plot, xmlNodePtr chart)
{
    struct bars bars = { .plot = plot };
    size_t slot = 0;
    if (!bars_fit(&bars))
        return false;
    nb_view_place(chart, "width", WIDTH);
    nb_view_place(chart, "height", bars.height);
    nb_plot_draw_axis(plot, &bars.value, "bottom",
                      plot->y_name.bytes != NULL ? plot->y_name.bytes : "",
                      plot->y_unit, bars.height - BOTTOM, chart);
    bars_draw_names(&bars, chart);
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_series *series = &plot->series[i];
        if (series->count == 0)
            continue;
        xmlNodePtr node = nb_plot_start_series(series, chart);
        for (size_t p = 0; p < series->count; p++)
            if (bars_has(&bars, &series->points[p])) {
                bars_draw_point(&bars, series, &series->points[p], slot, node);
                plot->has_beyond |= isinf(series->points[p].y) != 0;
            }
        slot += (series->style & NB_PLOT_BARS) != 0;
    }
    if (plot->has_open)
        nb_plot_add_note(plot, "an arrow: no upper limit is known");
    if (plot->has_beyond)
        nb_plot_add_note(plot, "infinite values end at the edge");
    if (bars.rows < plot->category_count)
        nb_plot_add_note(plot, "the first %zu of %zu rows", bars.rows,
                         plot->category_count);
    return true;
}
