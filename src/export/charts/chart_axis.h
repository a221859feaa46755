/* Axis: a scale of a chart, linear or logarithmic, and its ticks. */
#ifndef NB_EXPORT_CHARTS_CHART_AXIS_H
#define NB_EXPORT_CHARTS_CHART_AXIS_H

#include <stdbool.h>

enum { NB_AXIS_TICKS = 32, NB_AXIS_LABEL = 24 };

/* Larger values are drawn as infinite; a logarithmic axis needs values above
 * its inverse. */
#define NB_AXIS_MOST 1e300

struct nb_axis_tick {
    double value;
    char label[NB_AXIS_LABEL];
};

/* least and most are the values at its ends; from and to are their places. */
struct nb_axis {
    bool is_log;
    bool is_whole; /* only whole numbers have ticks; set before nb_axis_fit */
    double least, most;
    double from, to;
    int tick_count;
    struct nb_axis_tick ticks[NB_AXIS_TICKS];
};

/*
 * Chooses ends around [low, high] at round numbers, and ticks: multiples of 1,
 * 2 or 5 times a power of ten; on a logarithmic axis whole powers, with 2 and 5
 * times them if it spans few. Where low = high, leaves room on both sides.
 *
 * low, high  of at most NB_AXIS_MOST in size; above 1/NB_AXIS_MOST if is_log
 * wanted     approximate number of ticks, at least 2
 */
void nb_axis_fit(struct nb_axis *axis, double low, double high, bool is_log,
                 int wanted);

/* Moves the ends inward to these values and drops ticks beyond them. */
void nb_axis_trim(struct nb_axis *axis, double least, double most);

/* The place of a value; that of the nearer end if the value lies beyond. */
double nb_axis_place(const struct nb_axis *axis, double value);

/* Whether a value has a place of its own: finite, and positive on a logarithmic
 * axis. */
bool nb_axis_has(bool is_log, double value);

#endif
