/* Plot: the contents of a chart in the data's own units, before it is drawn. */
#ifndef NB_EXPORT_CHARTS_CHART_PLOT_H
#define NB_EXPORT_CHARTS_CHART_PLOT_H

#include "export/charts/chart_axis.h"
#include "export/view.h"

/* BARS and COMPARISON have categories down the side, LINES numbers along both
 * axes. */
enum nb_plot_kind { NB_CHART_LINES, NB_CHART_BARS, NB_CHART_COMPARISON };

/* Drawing styles of a series; can be combined. */
enum nb_plot_style {
    NB_PLOT_LINE = 1,   /* through its points, in order of x */
    NB_PLOT_POINTS = 2, /* some of them marked */
    NB_PLOT_BAND = 4,   /* from lower to upper */
    NB_PLOT_ERRORS = 8, /* marked points, all unless POINTS is also set, with
                         * bars from lower to upper */
    NB_PLOT_BARS = 16,  /* from zero */
    NB_PLOT_SPANS = 32, /* for categories: a box from lower to upper */
    NB_PLOT_STEPS = 64, /* the outline of bars, down to zero between them */
};

/* lower <= y <= upper, all equal if y is exact; NaN: not known. x is the index
 * of a category if there are categories. */
struct nb_plot_point {
    double x, y;
    double lower, upper;
    double value, unit; /* y = value / unit; unit 0: y is not a ratio */
    const char *remark; /* appended to its title; NULL: nothing */
    bool is_open;       /* y is finite, but has a side without a known end, or
                         * belongs to a network not known to be stable */
    bool is_between;    /* on the line, but not marked; ends at the edge */
};

struct nb_plot_series {
    struct nb_text name;
    const char *quantity; /* meaning of y, in titles */
    size_t colour;
    unsigned style;
    double bar_width;     /* [x] of bars and steps over numbers */
    double bar_span;      /* [x] from the first value of a bar to the last */
    double saturation[2]; /* [x] between these, according to the report; the
                           * first is -INFINITY if only the second is known; 0:
                           * unknown */
    size_t settled_count; /* number of points that are finite and not open; if
                           * there are any, only they determine the axes, and
                           * others beyond the edge are drawn at it; without
                           * those between, which do not count */
    size_t count;
    struct nb_plot_point *points; /* capacity, a power of two */
};

/* Zero-initialised is empty. Owns its texts and series; names are borrowed from
 * the report. A failed allocation is recorded in has_failed. */
struct nb_plot {
    enum nb_plot_kind kind;
    const char *data; /* the table shown, or "quantities" */
    struct nb_text title;
    struct nb_text note;
    const char *x_name, *x_unit;
    struct nb_text y_name; /* of the axis */
    const char *y_unit;
    const char *x_columns;
    struct nb_text y_columns;
    struct nb_text series_columns; /* empty: the quantities are the series */
    bool is_log_x, is_log_y;
    /* The reference of its ratios, "published": the quantity of the series that
     * shows only the reference; NULL: no ratios. */
    const char *relative_to;
    /* Only rows with this text in this column are shown; NULL: all. */
    const char *only_column, *only;
    const struct nb_report *report; /* the plot is of one point of it, .. */
    const struct nb_point *point;   /* .. this one; NULL: of several or all */
    size_t category_count;
    struct nb_text *categories;
    size_t series_count;
    struct nb_plot_series *series;
    bool has_between; /* of any series */
    bool is_curve;    /* found while drawing: the points between determine the
                       * axes, since the others have no range, .. */
    bool has_beyond;  /* .. points at the upper edge, .. */
    bool has_open;    /* .. and open points within */
    bool has_failed;
    /* Returned for additions when out of memory. */
    struct nb_plot_series no_series;
    struct nb_text no_category;
};

void nb_plot_release(struct nb_plot *plot);

/* Adds a series at the end; the caller may append to its name. The pointer is
 * valid until the next one is added. Name "": the only one. */
struct nb_plot_series *nb_plot_add_series(struct nb_plot *plot,
                                          const char *name,
                                          const char *quantity, size_t colour,
                                          unsigned style);
/* Adds a point at the end of the last series. */
void nb_plot_add_point(struct nb_plot *plot, double x, double y, double lower,
                       double upper, const char *remark);
/* Adds a point between the others of the last series. */
void nb_plot_add_between(struct nb_plot *plot, double x, double lower,
                         double upper);
/* Marks the last point, if finite, as settled although no upper limit is known,
 * or as open although its interval has ends. */
void nb_plot_settle_point(struct nb_plot *plot, bool is_settled);
/* The same for value, lower and upper divided by unit > 0. */
void nb_plot_add_ratio(struct nb_plot *plot, double x, double value,
                       double lower, double upper, double unit,
                       const char *remark);
/* Adds a category without a name; the caller prints the name. */
struct nb_text *nb_plot_add_category(struct nb_plot *plot);
/* States, also in the title, that the plot is of only one point. */
void nb_plot_set_point(struct nb_plot *plot, const struct nb_report *report,
                       size_t point);
/* Sorts each series by x, then y. */
void nb_plot_sort(struct nb_plot *plot);
/* Appends to the note, with "; " as separator. */
void nb_plot_add_note(struct nb_plot *plot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Leaves out points between, but never the first, the last, or the extremes of
 * y of the whole or of any section.
 *
 * most  maximum number of remaining points, at least 4
 * Returns the number of remaining points.
 */
size_t nb_plot_thin(struct nb_plot_point *points, size_t count, size_t most);

/*
 * Turns a single series into bars, several series into steps, each of its
 * bar_width; combines neighbouring bars if there are more than most. Does
 * nothing if a width is not positive.
 *
 * middle  position of a bar's x, as a fraction of the width: 0 in its middle,
 *         0.5 at its left
 */
void nb_plot_set_bars(struct nb_plot *plot, double middle, int most);

/* Whether the axes must include a point, if it is not between others. */
bool nb_plot_has_settled(const struct nb_plot_series *series,
                         const struct nb_plot_point *point);

/* Chooses logarithmic scales if numbers are positive and spread over decades; y
 * stays linear unless largest/smallest > 100. */
void nb_plot_choose_scales(struct nb_plot *plot);

/*
 * Draws the plot as <chart> with its number and releases it; draws nothing if
 * there is nothing to show.
 *
 * number  in and out: charts so far
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_plot_draw(struct nb_plot *plot, const char *prefix,
                            int *number, xmlNodePtr parent,
                            struct nb_error *err);

/* "mean_latency" as words: "mean latency". */
void nb_words_add(struct nb_text *text, const char *name);
/* "mean latency [cycles]"; no unit if it is "", "1" or NULL. */
void nb_words_add_label(struct nb_text *text, const char *name,
                        const char *unit);

/* The parts of drawing (chart_lines.c, chart_bars.c); failures are recorded in
 * the plot. */
/* Returns whether there was anything to draw. */
bool nb_plot_draw_lines(struct nb_plot *plot, xmlNodePtr chart);
bool nb_plot_draw_bars(struct nb_plot *plot, xmlNodePtr chart);
xmlNodePtr nb_plot_draw_axis(struct nb_plot *plot, const struct nb_axis *axis,
                             const char *side, const char *name,
                             const char *unit, double at, xmlNodePtr chart);
xmlNodePtr nb_plot_start_series(const struct nb_plot_series *series,
                                xmlNodePtr chart);
/* The ranges of x and y that the series over numbers occupy, as in
 * nb_plot_widen; in and out. Of a curve: up to several times its start. */
void nb_plot_find_range(struct nb_plot *plot, double x[2], double y[2]);
/* Extends [low, high] to include a number, if it can be shown; NaN: empty so
 * far. */
void nb_plot_widen(double value, bool is_log, double *low, double *high);
/* A number next to a mark, on its side ("right", "above"). */
void nb_plot_label(double value, double x, double y, const char *side,
                   xmlNodePtr node);
/* "load 0.25, dor: mean_latency 11.4 cycles, between 11.3 and 11.5" */
void nb_plot_title_point(struct nb_plot *plot,
                         const struct nb_plot_series *series,
                         const struct nb_plot_point *point, xmlNodePtr node);

#endif
