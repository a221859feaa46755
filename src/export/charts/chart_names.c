/* Tables about names: bars of limits, schemes as places, the best routing by
 * load (declared in export/charts/chart_parts.h). */
#include "export/charts/chart_parts.h"

#include "core/try.h"

#include <math.h>
#include <string.h>

/* Bars of a column for the texts of two others; the second makes series unless
 * the first has only one text. */
struct names_rule {
    const char *table, *category, *series, *y;
    const char *title;
};

static const struct names_rule names_rules[] = {
    { "latency", "traffic", "routing", "throughput", "Throughput" },
    { "latency", "traffic", "routing", "zero_load_latency",
      "Latency without load" },
};

enum { TEXTS_MOST = 40, SERIES_MOST = 8 };

/* The distinct texts of a column, in order of appearance. */
struct names_texts {
    size_t column, count;
    const char *text[TEXTS_MOST];
};

/* A text's index; count if it is not listed. */
static size_t names_find(const struct names_texts *texts, const char *text)
{
    size_t i = 0;
    while (i < texts->count && strcmp(texts->text[i], text) != 0)
        i++;
    return i;
}

static void names_collect(const struct nb_table *table, const char *column,
                          size_t most, struct names_texts *out)
{
    *out = (struct names_texts){ .column = nb_table_column(table, column) };
    for (size_t row = 0; row < table->row_count; row++) {
        const char *text = nb_table_text(table, row, out->column);
        if (names_find(out, text) == out->count && out->count < most)
            out->text[out->count++] = text;
    }
}

static void names_add_bars(const struct nb_table *table, const char *y,
                           const struct names_texts *rows,
                           const struct names_texts *series, size_t number,
                           struct nb_plot *plot)
{
    const size_t column = nb_table_column(table, y);
    nb_plot_add_series(plot, series != NULL ? series->text[number] : "",
                       table->columns[column].name, number, NB_PLOT_BARS);
    for (size_t row = 0; row < table->row_count; row++) {
        const size_t category =
            names_find(rows, nb_table_text(table, row, rows->column));
        const double value = nb_table_number(table, row, column);
        if (category < rows->count &&
            (series == NULL ||
             names_find(series, nb_table_text(table, row, series->column)) ==
                 number))
            nb_plot_add_point(plot, (double)category, value, value, value,
                              NULL);
    }
}

static enum nb_status names_draw_bars(const struct nb_table *table,
                                      const struct names_rule *rule,
                                      const struct nb_chart_place *out,
                                      struct nb_error *err)
{
    struct names_texts rows, series;
    names_collect(table, rule->category, TEXTS_MOST, &rows);
    names_collect(table, rule->series, SERIES_MOST, &series);
    const bool is_one = rows.count == 1 || series.count == 1;
    if (is_one && rows.count == 1)
        names_collect(table, rule->series, TEXTS_MOST, &rows);
    if (rows.count < 2) /* nothing to compare with */
        return NB_OK;
    const size_t y = nb_table_column(table, rule->y);
    struct nb_plot plot = { .kind = NB_CHART_BARS,
                            .data = rule->table,
                            .x_name = table->columns[rows.column].name,
                            .x_unit = "",
                            .x_columns = table->columns[rows.column].name,
                            .y_unit = table->columns[y].unit };
    nb_text_print(&plot.title, "%s by %s", rule->title, plot.x_name);
    if (!is_one)
        nb_text_print(&plot.title, " and %s", rule->series);
    nb_words_add(&plot.y_name, rule->y);
    nb_text_print(&plot.y_columns, "%s", rule->y);
    for (size_t i = 0; i < rows.count; i++) {
        nb_text_print(nb_plot_add_category(&plot), "%s", rows.text[i]);
    }
    if (!is_one)
        nb_text_print(&plot.series_columns, "%s", rule->series);
    for (size_t i = 0; i < (is_one ? 1 : series.count); i++)
        names_add_bars(table, rule->y, &rows, is_one ? NULL : &series, i,
                       &plot);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

/* The best routing at each load: steps of latency, one line per traffic. */
static enum nb_status names_draw_envelope(const struct nb_table *table,
                                          const struct nb_chart_place *out,
                                          struct nb_error *err)
{
    const size_t from = nb_table_column(table, "load_from");
    const size_t to = nb_table_column(table, "load_to");
    const size_t routing = nb_table_column(table, "routing");
    const size_t latency = nb_table_column(table, "zero_load_latency");
    struct names_texts traffics;
    if (from == table->column_count || to == table->column_count ||
        routing == table->column_count || latency == table->column_count)
        return NB_OK;
    names_collect(table, "traffic", SERIES_MOST, &traffics);
    struct nb_plot plot = { .kind = NB_CHART_LINES,
                            .data = "envelope",
                            .x_name = "load",
                            .x_unit = table->columns[from].unit,
                            .x_columns = "load_from load_to",
                            .y_unit = table->columns[latency].unit };
    nb_text_print(&plot.title,
                  "Least zero-load latency of a routing that carries a load");
    nb_words_add(&plot.y_name, "zero_load_latency");
    nb_text_print(&plot.y_columns, "zero_load_latency");
    nb_text_print(&plot.series_columns, "traffic");
    for (size_t i = 0; i < traffics.count; i++) {
        nb_plot_add_series(&plot, traffics.text[i], "zero_load_latency", i,
                           NB_PLOT_LINE | NB_PLOT_POINTS);
        for (size_t row = 0; row < table->row_count; row++) {
            const double y = nb_table_number(table, row, latency);
            const char *text = nb_table_text(table, row, routing);
            if (names_find(&traffics,
                           nb_table_text(table, row, traffics.column)) != i)
                continue;
            nb_plot_add_point(&plot, nb_table_number(table, row, from), y, y, y,
                              text);
            nb_plot_add_point(&plot, nb_table_number(table, row, to), y, y, y,
                              text);
        }
    }
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

/* Adds a place with its name; names at the same place share it. */
static void names_add_place(struct nb_plot *plot, const char *name, double x,
                            double y, double lower, double upper)
{
    for (size_t i = 0; i < plot->series_count; i++) {
        const struct nb_plot_point *point = plot->series[i].points;
        if (!plot->has_failed && fabs(point->x - x) <= 1e-9 * fabs(x) &&
            fabs(point->y - y) <= 1e-9 * fabs(y)) {
            nb_text_print(&plot->series[i].name, ", %s", name);
            return;
        }
    }
    if (isnan(x) || isnan(y))
        return;
    nb_plot_add_series(plot, name, "throughput", plot->series_count,
                       NB_PLOT_ERRORS);
    nb_plot_add_point(plot, x, y, lower, upper, NULL);
}

/* Draws the worst-case throughput of routings over their path lengths. */
static enum nb_status names_draw_schemes(const struct nb_point *point,
                                         const struct nb_table *table,
                                         const struct nb_chart_place *out,
                                         struct nb_error *err)
{
    const struct nb_quantity *best =
        nb_point_quantity(point, "required_worst_case_throughput");
    const struct nb_quantity *locality = nb_point_quantity(point, "locality");
    if (nb_table_column(table, "lower") == table->column_count ||
        nb_table_column(table, "locality_lower") == table->column_count)
        return NB_OK;
    struct nb_plot plot = { .kind = NB_CHART_LINES,
                            .data = "schemes",
                            .x_name = "locality",
                            .x_unit = "hops / least hops",
                            .x_columns = "locality",
                            .y_unit = "fraction of capacity" };
    nb_text_print(&plot.title, "Throughput of routings over their locality");
    nb_text_print(&plot.y_name, "throughput");
    nb_text_print(&plot.y_columns, "throughput");
    nb_text_print(&plot.series_columns, "scheme");
    for (size_t row = 0; row < table->row_count; row++) {
        const double low = nb_table_value(table, row, "lower");
        const double high = nb_table_value(table, row, "upper");
        names_add_place(
            &plot, nb_table_text(table, row, nb_table_column(table, "scheme")),
            (nb_table_value(table, row, "locality_lower") +
             nb_table_value(table, row, "locality_upper")) /
                2,
            low / 2 + high / 2, low, high);
    }
    if (best != NULL && locality != NULL)
        names_add_place(&plot, "the best possible", locality->value,
                        best->value, best->lower, best->upper);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

/* Whether two specifications are of the same kind: "torus:8x8" and
 * "torus:4x4". */
static bool names_are_alike(const char *one, const char *other)
{
    const size_t length = strcspn(one, ":");
    return strcspn(other, ":") == length && memcmp(one, other, length) == 0;
}

/* A series for each kind of network, with all rows of the kind. */
static void names_add_kinds(const struct nb_table *table, size_t name, size_t x,
                            size_t y, struct nb_plot *plot)
{
    for (size_t first = 0; first < table->row_count; first++) {
        const char *kind = nb_table_text(table, first, name);
        size_t row = 0;
        while (!names_are_alike(kind, nb_table_text(table, row, name)))
            row++;
        if (row < first) /* already has its series */
            continue;
        struct nb_plot_series *added =
            nb_plot_add_series(plot, "", table->columns[y].name,
                               plot->series_count, NB_PLOT_ERRORS);
        nb_text_print(&added->name, "%.*s", (int)strcspn(kind, ":"), kind);
        for (; row < table->row_count; row++) {
            const char *text = nb_table_text(table, row, name);
            const double value = nb_table_number(table, row, y);
            if (names_are_alike(kind, text))
                nb_plot_add_point(plot, nb_table_number(table, row, x), value,
                                  value, value, text);
        }
    }
}

/* Whether a column's numbers spread over a decade or more. */
static bool names_spread(const struct nb_table *table, size_t column)
{
    double low = NAN, high = NAN;
    for (size_t row = 0; row < table->row_count; row++)
        nb_plot_widen(nb_table_number(table, row, column), true, &low, &high);
    return high / low > 10;
}

/* Draws the costs of the networks that fit over their terminals: the first of
 * these columns that exists. */
static enum nb_status names_draw_networks(const struct nb_table *table,
                                          const struct nb_chart_place *out,
                                          struct nb_error *err)
{
    static const char *const taken[] = { "cost", "routers" };
    const size_t terminals = nb_table_column(table, "terminals");
    const size_t name = nb_table_column(table, "topology");
    size_t y = table->column_count;
    for (size_t i = 0; i < 2 && y == table->column_count; i++)
        y = nb_table_column(table, taken[i]);
    if (terminals == table->column_count || name == table->column_count ||
        y == table->column_count)
        return NB_OK;
    struct nb_plot plot = { .kind = NB_CHART_LINES,
                            .data = "networks",
                            .x_name = "terminals",
                            .x_unit = "",
                            .x_columns = "terminals",
                            .y_unit = table->columns[y].unit,
                            .is_log_x = names_spread(table, terminals),
                            .is_log_y = true };
    nb_words_add(&plot.y_name, table->columns[y].name);
    nb_text_print(&plot.title,
                  "Networks that fit: %s by terminals, for each kind",
                  table->columns[y].name);
    nb_text_print(&plot.y_columns, "%s", table->columns[y].name);
    nb_text_print(&plot.series_columns, "topology");
    names_add_kinds(table, name, terminals, y, &plot);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

/* Adds a bar for each router, and its fair share. */
static void names_add_routers(const struct nb_table *table, size_t colour,
                              struct nb_plot *plot)
{
    const bool has_fair =
        nb_table_column(table, "fair_share") < table->column_count;
    for (size_t row = 0; row < table->row_count; row++) {
        const double y = nb_table_value(table, row, "accepted");
        const double margin = nb_table_value(table, row, "half_width");
        nb_plot_add_point(plot, (double)row, y, y - margin, y + margin, NULL);
    }
    if (!has_fair || colour > 0)
        return;
    nb_plot_add_series(plot, "fair share", "fair_share", 1, NB_PLOT_ERRORS);
    for (size_t row = 0; row < table->row_count; row++) {
        const double y = nb_table_value(table, row, "fair_share");
        nb_plot_add_point(plot, (double)row, y, y, y, NULL);
    }
}

/* Draws the accepted rates of the selected routers, side by side for the first
 * points of a sweep. */
static enum nb_status names_draw_routers(const struct nb_report *report,
                                         const struct nb_chart_place *out,
                                         struct nb_error *err)
{
    const struct nb_table *first =
        nb_point_table(&report->points[0], "routers");
    size_t drawn = 0;
    if (first == NULL ||
        nb_table_column(first, "starved") == first->column_count)
        return NB_OK;
    const size_t y = nb_table_column(first, "accepted");
    struct nb_plot plot = { .kind = NB_CHART_BARS,
                            .data = "routers",
                            .x_name = "router",
                            .x_unit = "",
                            .x_columns = "router",
                            .y_unit = first->columns[y].unit };
    nb_text_print(&plot.title, "Accepted rate of the routers");
    nb_text_print(&plot.y_name, "accepted");
    nb_text_print(&plot.y_columns, "accepted");
    for (size_t row = 0; row < first->row_count; row++)
        nb_text_print(nb_plot_add_category(&plot), "%g",
                      nb_table_value(first, row, "router"));
    for (size_t p = 0; p < report->point_count && drawn < SERIES_MOST; p++) {
        const struct nb_table *table =
            nb_point_table(&report->points[p], "routers");
        if (table == NULL || table->row_count != first->row_count)
            continue;
        struct nb_text *name =
            &nb_plot_add_series(&plot, "", "accepted", drawn, NB_PLOT_BARS)
                 ->name;
        if (report->point_count > 1)
            nb_sweep_name_point(report, p, name);
        names_add_routers(table, drawn++, &plot);
    }
    if (report->point_count > 1)
        nb_sweep_name_settings(report, &plot.series_columns);
    return nb_plot_draw(&plot, out->prefix, out->number, out->parent, err);
}

enum nb_status nb_chart_names(const struct nb_report *report,
                              const struct nb_chart_place *out,
                              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (report->point_count > 0)
        NB_TRY(names_draw_routers(report, out, err));
    if (report->point_count != 1) /* sweeps have their own curves and bars */
        return NB_OK;
    const struct nb_point *point = &report->points[0];
    const struct nb_table *table;
    for (size_t i = 0; i < sizeof names_rules / sizeof *names_rules; i++) {
        const struct names_rule *rule = &names_rules[i];
        table = nb_point_table(point, rule->table);
        if (table != NULL &&
            nb_table_column(table, rule->category) < table->column_count &&
            nb_table_column(table, rule->series) < table->column_count &&
            nb_table_column(table, rule->y) < table->column_count)
            NB_TRY(names_draw_bars(table, rule, out, err));
    }
    table = nb_point_table(point, "envelope");
    if (table != NULL)
        NB_TRY(names_draw_envelope(table, out, err));
    table = nb_point_table(point, "networks");
    if (table != NULL)
        NB_TRY(names_draw_networks(table, out, err));
    table = nb_point_table(point, "schemes");
    if (table != NULL)
        NB_TRY(names_draw_schemes(point, table, out, err));
done:
    return status;
}
