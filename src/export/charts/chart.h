/* Chart: pictures of a report, as elements of the view (view.h). */
#ifndef NB_EXPORT_CHARTS_CHART_H
#define NB_EXPORT_CHARTS_CHART_H

#include "export/view.h"

/*
 * Adds a <chart> for everything in the report that has a picture: sweeps over a
 * number, distributions, histograms, models next to simulations, loads of
 * channels, permutations. Adds nothing if there is nothing to draw. If the
 * model shows something that has a chart, only the shown quantities and the
 * drawings of shown tables are added.
 *
 * parent  the element <report>
 * prefix  start of the ids of charts
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_charts_add(const struct nb_report *report, const char *prefix,
                             xmlNodePtr parent, struct nb_error *err);

/* Marks a chart as belonging to one point: adds the point's settings as <at>,
 * if there are several points. */
void nb_chart_add_place(const struct nb_report *report,
                        const struct nb_point *point, xmlNodePtr chart);

/* The parts; each adds its kind of charts. number: charts so far. */
enum nb_status nb_charts_add_lines(const struct nb_report *report,
                                   const char *prefix, int *number,
                                   xmlNodePtr parent, struct nb_error *err);
enum nb_status nb_charts_add_drawings(const struct nb_report *report,
                                      const char *prefix, int *number,
                                      xmlNodePtr parent, struct nb_error *err);

#endif
