/* The quantities of a sweep as curves or bars (declared in
 * export/charts/chart_parts.h). */
#include "export/charts/chart_parts.h"

#include "core/locale.h"
#include "core/memory.h"
#include "export/charts/chart_quantities.h"

#include <math.h>
#include <string.h>

/* Maximum numbers of series in a chart, of its rows, of quantities as bars side
 * by side, and of charts. */
enum { SERIES_MOST = 8, ROWS_MOST = 40, TOGETHER_MOST = 4, CHARTS_MOST = 4 };

struct curves {
    const struct nb_sweep *sweep;
    const struct nb_chart_place *out;
    int chart_count;
};

/* The contents of one chart: some quantities of the only series, or one
 * quantity of series [first, end). */
struct curves_part {
    const struct nb_drawable *const *members;
    size_t count;
    size_t first, end;
    size_t number, of; /* index and count of charts with the same contents */
};

/* "Throughput, mean latency and 2 more by load, for each routing" */
static void curves_title(const struct nb_sweep *sweep,
                         const struct curves_part *part, struct nb_plot *plot)
{
    enum { NAMED = 3 };
    struct nb_text *title = &plot->title;
    size_t count = part->count;
    if (count > 2 && plot->y_name.length > 0) { /* a family */
        nb_text_print(title, "%s", plot->y_name.bytes);
        count = 0;
    }
    for (size_t i = 0; i < count && i < NAMED; i++) {
        nb_text_print(title, "%s",
                      i == 0           ? ""
                      : i + 1 == count ? " and "
                                       : ", ");
        nb_words_add(title, part->members[i]->name);
    }
    if (count > NAMED)
        nb_text_print(title, " and %zu more", count - NAMED);
    nb_text_print(title, " by ");
    nb_words_add(title, sweep->name.bytes);
    if (sweep->series_count > 1) {
        nb_text_print(title, ", for each ");
        for (const char *c = sweep->columns.bytes; *c != '\0'; c++)
            nb_text_print(title, "%s", *c == ' ' ? " and " : (char[]){ *c, 0 });
    }
    if (part->of > 1)
        nb_text_print(title, " (%zu of %zu)", part->number, part->of);
    if (!title->has_failed && title->bytes[0] >= 'a' && title->bytes[0] <= 'z')
        title->bytes[0] = (char)(title->bytes[0] - 'a' + 'A');
}

void nb_chart_add_curve(const struct nb_point *point, const char *x,
                        struct nb_plot *plot)
{
    const struct nb_table *table = nb_point_table(point, "latency_curve");
    if (table == NULL || nb_table_column(table, x) == table->column_count)
        return;
    for (size_t row = 0; row < table->row_count; row++)
        nb_plot_add_between(plot, nb_table_value(table, row, x),
                            nb_table_value(table, row, "mean_latency"),
                            nb_table_value(table, row, "mean_latency_upper"));
}

/* The points of one series for one quantity; none if no point has it. Its first
 * point has the curve between them. */
static void curves_add_points(const struct nb_sweep *sweep, size_t series,
                              const char *name, struct nb_plot *plot)
{
    if (strcmp(name, "mean_latency") == 0)
        nb_chart_add_curve(&sweep->report->points[sweep->first[series]],
                           sweep->name.bytes, plot);
    for (size_t p = 0; p < sweep->report->point_count; p++) {
        const struct nb_point *point = &sweep->report->points[p];
        const struct nb_quantity *quantity = nb_point_quantity(point, name);
        const struct nb_quantity *stability =
            nb_point_quantity(point, "stability");
        if (sweep->series[p] != series || quantity == NULL ||
            (!sweep->is_number && sweep->at[p] >= ROWS_MOST))
            continue;
        if (nb_ratio_is_known(quantity->exact))
            nb_plot_add_point(plot, sweep->at[p], quantity->value,
                              quantity->value, quantity->value, NULL);
        else
            nb_plot_add_point(plot, sweep->at[p], quantity->value,
                              quantity->lower, quantity->upper, NULL);
        /* Some packets of a stable network may still be in flight; for a
         * network that may be stable or not, an interval covers both. */
        if (stability != NULL && stability->value > 0)
            nb_plot_settle_point(plot, stability->value == 1);
    }
}

/* A point's rate in the unit of the axis of rates. That axis counts packets,
 * even if the result counts their flits. */
static double curves_packets(const struct nb_report *report,
                             const struct nb_point *point,
                             const struct nb_quantity *rate)
{
    const char *swept = nb_point_setting(point, "flits");
    const char *given = nb_model_get(&report->model, "flits");
    const char *flits = *swept != '\0' ? swept : given;
    if (flits == NULL || strncmp(rate->unit, "flits/", 6) != 0)
        return rate->value;
    return rate->value / fmax(1, nb_strtod(flits, NULL));
}

double nb_chart_saturation(const struct nb_report *report,
                           const struct nb_point *point, const char *x)
{
    static const char *const known[][2] = {
        { "load", "saturation" },
        { "load", "throughput" },
        { "rate", "saturation_absolute" },
        { "rate", "throughput_absolute" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct nb_quantity *quantity =
            nb_point_quantity(point, known[i][1]);
        if (strcmp(known[i][0], x) == 0 && quantity != NULL)
            return curves_packets(report, point, quantity);
    }
    return 0;
}

/* Where a series saturates as loads or rates grow: as reported, or between the
 * last simulated point that is certainly stable and the first that is certainly
 * saturated; undecided points are neither. 0 if nothing is known, or if another
 * setting grows: then a series need not have a single saturation point. */
static void curves_find_saturation(const struct nb_sweep *sweep, size_t series,
                                   double x[2])
{
    double stable = -INFINITY, saturated = INFINITY;
    x[0] = x[1] = nb_chart_saturation(
        sweep->report, &sweep->report->points[sweep->first[series]],
        sweep->name.bytes);
    if (strcmp(sweep->name.bytes, "load") != 0 &&
        strcmp(sweep->name.bytes, "rate") != 0)
        return;
    for (size_t p = 0; p < sweep->report->point_count; p++) {
        const struct nb_quantity *stability =
            nb_point_quantity(&sweep->report->points[p], "stability");
        if (sweep->series[p] != series || stability == NULL)
            continue;
        if (stability->value == 1)
            stable = fmax(stable, sweep->at[p]);
        if (stability->value == 0)
            saturated = fmin(saturated, sweep->at[p]);
    }
    if (x[0] > 0 || isinf(saturated) || stable >= saturated)
        return;
    x[0] = stable;
    x[1] = saturated;
}

static void curves_add_categories(const struct nb_sweep *sweep,
                                  struct nb_plot *plot)
{
    const char *setting = sweep->settings.name[sweep->along];
    for (size_t p = 0; p < sweep->report->point_count; p++) {
        if (sweep->at[p] != (double)plot->category_count ||
            plot->category_count == ROWS_MOST)
            continue;
        nb_text_print(nb_plot_add_category(plot), "%s",
                      nb_point_setting(&sweep->report->points[p], setting));
    }
    if (sweep->value_count > ROWS_MOST)
        nb_plot_add_note(plot, "the first %d of %zu", ROWS_MOST,
                         sweep->value_count);
}

/* Bars of values spread over decades would have an arbitrary start; use
 * points. */
static void curves_choose_style(const struct nb_sweep *sweep,
                                struct nb_plot *plot)
{
    nb_plot_choose_scales(plot);
    for (size_t i = 0; i < plot->series_count; i++)
        plot->series[i].style =
            sweep->is_number ? NB_PLOT_LINE | NB_PLOT_POINTS | NB_PLOT_BAND
            : plot->is_log_y ? NB_PLOT_POINTS | NB_PLOT_ERRORS
                             : NB_PLOT_BARS;
    if (sweep->is_number)
        nb_plot_sort(plot);
}

/* The points of a series for a quantity, as a series of the plot. */
static void curves_add_series(const struct nb_sweep *sweep, size_t series,
                              const struct curves_part *part, size_t member,
                              struct nb_plot *plot)
{
    const char *quantity = part->members[member]->name;
    struct nb_plot_series *added =
        nb_plot_add_series(plot, "", quantity, plot->series_count, 0);
    if (sweep->series_count > 1)
        nb_sweep_name_series(sweep, series, &added->name);
    else if (part->count > 1)
        nb_words_add(&added->name, quantity);
    curves_find_saturation(sweep, series, added->saturation);
    curves_add_points(sweep, series, quantity, plot);
}

/* Points without a place, for example refused ones. */
static void curves_note_gaps(const struct nb_sweep *sweep,
                             const struct curves_part *part,
                             struct nb_plot *plot)
{
    size_t missing = 0, count = 0;
    for (size_t p = 0; p < sweep->report->point_count; p++) {
        if (sweep->series[p] < part->first || sweep->series[p] >= part->end)
            continue;
        count++;
        missing += nb_point_quantity(&sweep->report->points[p],
                                     part->members[0]->name) == NULL;
    }
    if (missing > 0)
        nb_plot_add_note(plot, "%zu of %zu points have no value: see the notes",
                         missing, count);
}

static enum nb_status curves_draw(struct curves *curves,
                                  const struct curves_part *part,
                                  struct nb_error *err)
{
    const struct nb_sweep *sweep = curves->sweep;
    const struct nb_chart_place *out = curves->out;
    struct nb_plot plot = {
        .kind = sweep->is_number ? NB_CHART_LINES : NB_CHART_BARS,
        .data = "quantities",
        .x_name = sweep->name.bytes,
        .x_unit = sweep->unit,
        .x_columns = sweep->settings.name[sweep->along],
        .y_unit = part->members[0]->unit,
    };
    nb_drawables_name(part->members, part->count, &plot.y_name);
    curves_title(sweep, part, &plot);
    if (!sweep->is_number)
        curves_add_categories(sweep, &plot);
    if (sweep->series_count > 1)
        nb_text_print(&plot.series_columns, "%s", sweep->columns.bytes);
    for (size_t m = 0; m < part->count; m++) {
        nb_text_print(&plot.y_columns, "%s%s", m > 0 ? " " : "",
                      part->members[m]->name);
        for (size_t s = part->first; s < part->end; s++)
            curves_add_series(sweep, s, part, m, &plot);
    }
    curves_note_gaps(sweep, part, &plot);
    curves_choose_style(sweep, &plot);
    curves->chart_count++;
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

/* Splits a group into enough charts to keep each readable: members or series in
 * parts of about equal size. */
static enum nb_status curves_draw_group(struct curves *curves,
                                        const struct nb_drawable **members,
                                        size_t count, struct nb_error *err)
{
    const struct nb_sweep *sweep = curves->sweep;
    const bool has_series = sweep->series_count > 1;
    const size_t most =
        has_series || sweep->is_number ? SERIES_MOST : TOGETHER_MOST;
    const size_t all = has_series ? sweep->series_count : count;
    const size_t parts = (all + most - 1) / most;
    enum nb_status status = NB_OK;
    for (size_t i = 0;
         i < parts && curves->chart_count < CHARTS_MOST && status == NB_OK;
         i++) {
        const size_t first = all * i / parts, end = all * (i + 1) / parts;
        const struct curves_part part = {
            .members = has_series ? members : members + first,
            .count = has_series ? 1 : end - first,
            .first = has_series ? first : 0,
            .end = has_series ? end : 1,
            .number = i + 1,
            .of = parts,
        };
        status = curves_draw(curves, &part, err);
    }
    return status;
}

enum nb_status nb_chart_quantities(const struct nb_sweep *sweep,
                                   const struct nb_chart_place *out,
                                   struct nb_error *err)
{
    struct curves curves = { .sweep = sweep, .out = out };
    struct nb_drawables all = { 0 };
    const struct nb_drawable **members = NULL;
    size_t count;
    enum nb_status status = NB_OK;
    if (sweep->series_count == 0)
        return NB_OK;
    NB_TRY(nb_drawables_find(sweep, &all, err));
    NB_TRY(nb_new(&members, all.count, sizeof *members, "quantities", err));
    while (curves.chart_count < CHARTS_MOST &&
           (count = nb_drawables_take(&all, members)) > 0)
        NB_TRY(curves_draw_group(&curves, members, count, err));
done:
    nb_delete(members);
    nb_drawables_release(&all);
    return status;
}
