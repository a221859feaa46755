/* Chart parts: each turns one part of a report into plots, draws its charts
 * into out and counts them. Errors: NB_NO_MEMORY. */
#ifndef NB_EXPORT_CHARTS_CHART_PARTS_H
#define NB_EXPORT_CHARTS_CHART_PARTS_H

#include "export/charts/chart_plot.h"
#include "export/charts/chart_sweep.h"

/* Where charts are added. */
struct nb_chart_place {
    const char *prefix;
    int *number;
    xmlNodePtr parent;
};

/* The quantities of a sweep. */
enum nb_status nb_chart_quantities(const struct nb_sweep *sweep,
                                   const struct nb_chart_place *out,
                                   struct nb_error *err);
/* Tables drawn by rules: distributions, histograms, time series. */
enum nb_status nb_chart_tables(const struct nb_report *report,
                               const struct nb_chart_place *out,
                               struct nb_error *err);
/* Models next to simulations, along a sweep and all together. */
enum nb_status nb_chart_validation(const struct nb_sweep *sweep,
                                   const struct nb_chart_place *out,
                                   struct nb_error *err);
/* Distributions and channel loads next to simulations. */
enum nb_status nb_chart_laws(const struct nb_report *report,
                             const struct nb_chart_place *out,
                             struct nb_error *err);
/* Tables about names: limits, schemes. */
enum nb_status nb_chart_names(const struct nb_report *report,
                              const struct nb_chart_place *out,
                              struct nb_error *err);

/* Parts of a part. */
/* Adds the mean latencies of the point's table latency_curve, over its column
 * load or rate, between the points of the plot's last series; none if the point
 * or the table lacks them. */
void nb_chart_add_curve(const struct nb_point *point, const char *x,
                        struct nb_plot *plot);
/* The saturation that a point reports, in the unit of an axis of loads or
 * rates; 0 if it reports none. */
double nb_chart_saturation(const struct nb_report *report,
                           const struct nb_point *point, const char *x);

/* Published numbers next to computed ones. */
enum nb_status nb_chart_ledger(const struct nb_report *report,
                               const struct nb_chart_place *out,
                               struct nb_error *err);

#endif
