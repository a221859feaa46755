/* Sweep: the points of a report along one swept setting; the other settings
 * make series. */
#ifndef NB_EXPORT_CHARTS_CHART_SWEEP_H
#define NB_EXPORT_CHARTS_CHART_SWEEP_H

#include "report/format.h"

#include <stdbool.h>

/* Owns the arrays and texts; settings' values belong to the report. */
struct nb_sweep {
    const struct nb_report *report;
    struct nb_names settings;
    bool is_number;      /* along numbers; false: along names */
    size_t along;        /* the setting */
    struct nb_text name; /* name of the variable along it: "load", "radix" */
    const char *unit;    /* "" if not known */
    double *at;          /* [points] the number, or the name's index */
    size_t value_count;  /* number of distinct values */
    size_t *series;      /* [points] */
    size_t series_count;
    size_t *first;          /* [series] its first point */
    struct nb_text columns; /* the settings that make the series */
};

/*
 * Finds the setting to draw along: the one with most distinct numbers, if at
 * least three, or else the one with most values. Without settings there is
 * nothing: series_count = 0.
 *
 * out  zero-initialised; the caller releases it, after an error as well
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_sweep_find(const struct nb_report *report,
                             struct nb_sweep *out, struct nb_error *err);
/* Reads a finite number or ratio. */
bool nb_sweep_read_number(const char *text, double *out);
void nb_sweep_release(struct nb_sweep *sweep);

/* Appends the settings that are the same in a whole series: "dor,
 * transpose". */
void nb_sweep_name_series(const struct nb_sweep *sweep, size_t series,
                          struct nb_text *text);
/* Appends all settings of a point: "load 0.2, dor". */
void nb_sweep_name_point(const struct nb_report *report, size_t point,
                         struct nb_text *text);
/* Appends the names of the settings, "load routing". */
void nb_sweep_name_settings(const struct nb_report *report,
                            struct nb_text *text);

#endif
