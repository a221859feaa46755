#include "export/charts/chart_sweep.h"

#include "core/memory.h"
#include "report/cell.h"

#include <math.h>
#include <string.h>

/* The unit of an option's numbers. */
static const char *const sweep_units[][2] = {
    { "load", "fraction of capacity" },
    { "rate", "packets/cycle" },
    { "at", "of the best worst-case throughput" },
};

/* Settings that are better shown by a quantity that they determine. */
static const char *const sweep_quantities[][2] = {
    { "at", "required_worst_case_throughput" },
};

/* The length of the part before the number: "radix=". */
static size_t sweep_prefix(const char *value)
{
    size_t length = 0;
    for (size_t i = 0; value[i] != '\0'; i++)
        if (value[i] == '=' || value[i] == ':')
            length = i + 1;
    return length;
}

bool nb_sweep_read_number(const char *text, double *out)
{
    struct nb_ratio ratio;
    if (!nb_cell_read_number(text, out)) {
        if (!nb_cell_read_ratio(text, &ratio))
            return false;
        *out = nb_ratio_value(ratio);
    }
    return isfinite(*out);
}

/*
 * Reads the numbers of a setting at all points: "0.25", "1/3", or the same
 * words followed by a number, "radix=4".
 *
 * at    [points]  out; may be NULL
 * name  out, appended: the name of the number; may be NULL
 * Returns whether they are numbers.
 */
static bool sweep_read_numbers(const struct nb_report *report,
                               const char *setting, double *at,
                               struct nb_text *name)
{
    const char *first = nb_point_setting(&report->points[0], setting);
    const size_t prefix = sweep_prefix(first);
    for (size_t p = 0; p < report->point_count; p++) {
        const char *value = nb_point_setting(&report->points[p], setting);
        double number;
        if (strncmp(value, first, prefix) != 0 ||
            !nb_sweep_read_number(value + prefix, &number))
            return false;
        if (at != NULL)
            at[p] = number;
    }
    if (name != NULL && prefix > 0) /* "radix" of "radix=4" */
        nb_text_add(name, first, prefix - 1);
    else if (name != NULL)
        nb_text_add(name, setting, strlen(setting));
    return true;
}

/* Numbers the values of a setting in order of appearance. at: out, may be NULL.
 * Returns how many there are. */
static size_t sweep_number_names(const struct nb_report *report,
                                 const char *setting, double *at)
{
    enum { MOST = 1000 }; /* no chart has more */
    const char *seen[MOST];
    size_t count = 0, i = 0;
    for (size_t p = 0; p < report->point_count; p++) {
        const char *value = nb_point_setting(&report->points[p], setting);
        /* Usually the value of the point before, or the next one. */
        size_t tried = 0;
        while (tried < count && strcmp(seen[i], value) != 0) {
            i = (i + 1) % count;
            tried++;
        }
        if (tried == count && count < MOST) {
            i = count;
            seen[count++] = value;
        }
        if (at != NULL)
            at[p] = tried < count ? (double)i : MOST;
    }
    return count;
}

/* Chooses the setting to draw along. */
static void sweep_choose(struct nb_sweep *sweep)
{
    enum { LEAST = 3 }; /* enough numbers for a curve */
    for (int pass = 0; pass < 2 && sweep->value_count == 0; pass++)
        for (size_t i = 0; i < sweep->settings.count; i++) {
            const char *name = sweep->settings.name[i];
            const size_t count = sweep_number_names(sweep->report, name, NULL);
            if (count <= sweep->value_count)
                continue;
            if (pass == 0 &&
                (count < LEAST ||
                 !sweep_read_numbers(sweep->report, name, NULL, NULL)))
                continue;
            sweep->is_number = pass == 0;
            sweep->along = i;
            sweep->value_count = count;
        }
}

/* Uses a quantity instead of the setting if all points have it. */
static void sweep_take_quantity(struct nb_sweep *sweep, const char *setting)
{
    const struct nb_report *report = sweep->report;
    const size_t count = sizeof sweep_quantities / sizeof *sweep_quantities;
    for (size_t i = 0; i < count; i++) {
        const char *name = sweep_quantities[i][1];
        size_t p = 0;
        if (strcmp(sweep_quantities[i][0], setting) != 0)
            continue;
        while (p < report->point_count &&
               nb_point_quantity(&report->points[p], name) != NULL)
            p++;
        if (p < report->point_count)
            continue;
        for (p = 0; p < report->point_count; p++) {
            const struct nb_quantity *quantity =
                nb_point_quantity(&report->points[p], name);
            sweep->at[p] = quantity->value;
            sweep->unit = quantity->unit;
        }
        nb_text_release(&sweep->name);
        nb_text_print(&sweep->name, "%s", name);
    }
}

static void sweep_read_along(struct nb_sweep *sweep)
{
    const char *setting = sweep->settings.name[sweep->along];
    sweep->unit = "";
    if (!sweep->is_number) {
        sweep_number_names(sweep->report, setting, sweep->at);
        nb_text_print(&sweep->name, "%s", setting);
        return;
    }
    sweep_read_numbers(sweep->report, setting, sweep->at, &sweep->name);
    for (size_t i = 0; i < sizeof sweep_units / sizeof *sweep_units; i++)
        if (strcmp(sweep_units[i][0], setting) == 0)
            sweep->unit = sweep_units[i][1];
    sweep_take_quantity(sweep, setting);
}

/* Whether two points differ only in the setting drawn along. */
static bool sweep_are_alike(const struct nb_sweep *sweep, size_t one,
                            size_t other)
{
    for (size_t i = 0; i < sweep->settings.count; i++) {
        const char *name = sweep->settings.name[i];
        if (i != sweep->along &&
            strcmp(nb_point_setting(&sweep->report->points[one], name),
                   nb_point_setting(&sweep->report->points[other], name)) != 0)
            return false;
    }
    return true;
}

static void sweep_find_series(struct nb_sweep *sweep)
{
    size_t s = 0;
    for (size_t p = 0; p < sweep->report->point_count; p++) {
        /* Usually the series of the point before, or the next one. */
        size_t tried = 0;
        while (tried < sweep->series_count &&
               !sweep_are_alike(sweep, sweep->first[s], p)) {
            s = (s + 1) % sweep->series_count;
            tried++;
        }
        if (tried == sweep->series_count) {
            s = sweep->series_count++;
            sweep->first[s] = p;
        }
        sweep->series[p] = s;
    }
    for (size_t i = 0; i < sweep->settings.count; i++)
        if (i != sweep->along && sweep->series_count > 1)
            nb_text_print(&sweep->columns, "%s%s",
                          sweep->columns.length > 0 ? " " : "",
                          sweep->settings.name[i]);
}

enum nb_status nb_sweep_find(const struct nb_report *report,
                             struct nb_sweep *out, struct nb_error *err)
{
    const size_t count = report->point_count;
    enum nb_status status;
    out->report = report;
    out->unit = "";
    NB_TRY(nb_names_find(report, NB_NAME_SETTING, &out->settings, err));
    if (out->settings.count == 0 || count < 2)
        goto done;
    NB_TRY(nb_new(&out->at, count, sizeof *out->at, "a sweep", err));
    NB_TRY(nb_new(&out->series, count, sizeof *out->series, "a sweep", err));
    NB_TRY(nb_new(&out->first, count, sizeof *out->first, "a sweep", err));
    sweep_choose(out);
    sweep_read_along(out);
    sweep_find_series(out);
    NB_TRY(nb_text_check(&out->name, err));
    NB_TRY(nb_text_check(&out->columns, err));
done:
    return status;
}

void nb_sweep_release(struct nb_sweep *sweep)
{
    nb_names_release(&sweep->settings);
    nb_text_release(&sweep->name);
    nb_text_release(&sweep->columns);
    nb_delete(sweep->at);
    nb_delete(sweep->series);
    nb_delete(sweep->first);
    *sweep = (struct nb_sweep){ 0 };
}

void nb_sweep_name_series(const struct nb_sweep *sweep, size_t series,
                          struct nb_text *text)
{
    const struct nb_point *point = &sweep->report->points[sweep->first[series]];
    bool is_first = true;
    for (size_t i = 0; i < sweep->settings.count; i++) {
        if (i == sweep->along)
            continue;
        const char *name = sweep->settings.name[i];
        const char *value = nb_point_setting(point, name);
        double number;
        nb_text_print(text, "%s", is_first ? "" : ", ");
        if (nb_sweep_read_number(value, &number)) /* a value that needs its
                                                   * setting's name */
            nb_text_print(text, "%s ", name);
        nb_text_print(text, "%s", value);
        is_first = false;
    }
}

void nb_sweep_name_point(const struct nb_report *report, size_t point,
                         struct nb_text *text)
{
    const struct nb_point *named = &report->points[point];
    for (size_t i = 0; i < named->setting_count; i++) {
        const struct nb_model_option *setting = &named->settings[i];
        double number;
        nb_text_print(text, "%s", i > 0 ? ", " : "");
        if (nb_sweep_read_number(setting->value, &number))
            nb_text_print(text, "%s ", setting->name);
        nb_text_print(text, "%s", setting->value);
    }
}

void nb_sweep_name_settings(const struct nb_report *report,
                            struct nb_text *text)
{
    const struct nb_point *point = &report->points[0];
    for (size_t i = 0; i < point->setting_count; i++)
        nb_text_print(text, "%s%s", i > 0 ? " " : "", point->settings[i].name);
}
