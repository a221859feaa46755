/* Tables drawn by rules: distributions, histograms, time series (declared in
 * export/charts/chart_parts.h). */
#include "export/charts/chart_parts.h"

#include <math.h>
#include <string.h>

enum tables_kind {
    TABLES_TAIL,      /* y logarithmic: probability of x or more */
    TABLES_HISTOGRAM, /* a bar for each x */
    TABLES_COURSE,    /* y over x */
    TABLES_CURVE, /* the same, with the answer's own y marked at its x, which
                   * is an option */
};

/* One rule: how a table with these columns is drawn. */
struct tables_rule {
    enum tables_kind kind;
    const char *table, *x, *y;
    const char *margin; /* half width of y; NULL: columns lower and upper */
    const char *others; /* more columns like y, separated by blanks, if
                         * present */
    const char *split;  /* column of texts that make series; NULL: none */
    const char *title, *y_name;
};

static const char tables_tail[] = "probability of this value or more";
static const struct tables_rule tables_rules[] = {
    { TABLES_TAIL, "ccdf", "depth", "probability", NULL, "bound", NULL,
      "Tail of the depth", tables_tail },
    { TABLES_TAIL, "ccdf", "delay", "probability", NULL, "chernoff", NULL,
      "Tail of the delay", tables_tail },
    { TABLES_TAIL, "ccdf", "latency", "probability", NULL, "", NULL,
      "Tail of the latency", tables_tail },
    { TABLES_TAIL, "depths", "depth", "probability", NULL, "", "class",
      "Tail of the depth of queues", tables_tail },
    { TABLES_TAIL, "reorder", "packets", "probability", NULL, "", NULL,
      "Tail of the number of packets in the reorder buffer", tables_tail },
    { TABLES_HISTOGRAM, "histogram", "lower", "fraction", NULL, "", NULL,
      "Throughput of random permutations", "fraction of the permutations" },
    { TABLES_HISTOGRAM, "latency_histogram", "latency", "packets", NULL, "",
      NULL, "Latencies of the packets", "packets" },
    { TABLES_COURSE, "series", "cycle", "accepted", "half_width", "", NULL,
      "Accepted rate over time", "accepted" },
    { TABLES_COURSE, "series", "cycle", "latency", "latency_half_width", "",
      NULL, "Mean latency of arriving packets over time", "latency" },
    { TABLES_COURSE, "series", "cycle", "minimal", "minimal_half_width", "",
      NULL, "Share of packets on shortest paths over time",
      "share of the packets" },
    { TABLES_CURVE, "latency_curve", "load", "mean_latency", NULL, "", NULL,
      "Mean latency by load", "mean latency" },
    { TABLES_CURVE, "latency_curve", "rate", "mean_latency", NULL, "", NULL,
      "Mean latency by rate", "mean latency" },
};

/* Maximum points of a sweep in a chart, fewer if each has two curves, and bars
 * of a histogram. */
enum { CURVES_MOST = 6, PAIRS_MOST = 4, BARS_MOST = 150 };

/* Whether the point is known to be stable: in a saturated network, waiting
 * times only show how long it was simulated. */
static bool tables_is_settled(const struct nb_point *point)
{
    const struct nb_quantity *stability = nb_point_quantity(point, "stability");
    return stability == NULL || stability->value == 1;
}

/* The number of points not known to be stable, if another one is. */
static size_t tables_unsettled(const struct nb_report *report,
                               const struct tables_rule *rule)
{
    size_t unsettled = 0;
    for (size_t p = 0; p < report->point_count; p++)
        unsettled += !tables_is_settled(&report->points[p]);
    return rule->kind == TABLES_COURSE || unsettled == report->point_count
               ? 0
               : unsettled;
}

/* The point's table if the rule applies to it and it has rows. */
static const struct nb_table *tables_find(const struct nb_point *point,
                                          const struct tables_rule *rule)
{
    const struct nb_table *table = nb_point_table(point, rule->table);
    if (table == NULL || table->row_count == 0 ||
        nb_table_column(table, rule->x) == table->column_count ||
        nb_table_column(table, rule->y) == table->column_count ||
        (rule->split != NULL &&
         nb_table_column(table, rule->split) == table->column_count))
        return NULL;
    return table;
}

/* Whether x is the start of bins, not the quantity counted. */
static bool tables_has_bins(const struct tables_rule *rule)
{
    return strcmp(rule->x, "lower") == 0;
}

/* The width of a histogram's bars. */
static double tables_step(const struct nb_table *table,
                          const struct tables_rule *rule)
{
    if (!tables_has_bins(rule) || table->row_count == 0)
        return 1;
    return nb_table_value(table, 0, "upper") -
           nb_table_value(table, 0, "lower");
}

/* Adds the rows with a text (NULL: all) from a column to the last series. */
static void tables_add_rows(const struct nb_table *table,
                            const struct tables_rule *rule, const char *y,
                            const char *text, struct nb_plot *plot)
{
    const bool is_main = strcmp(y, rule->y) == 0;
    const size_t x = nb_table_column(table, rule->x);
    const size_t own = nb_table_column(table, y);
    const size_t split =
        rule->split != NULL ? nb_table_column(table, rule->split) : 0;
    for (size_t row = 0; row < table->row_count; row++) {
        if (text != NULL && strcmp(nb_table_text(table, row, split), text) != 0)
            continue;
        const double value = nb_table_number(table, row, own);
        double lower = value, upper = value;
        if (is_main && rule->margin != NULL) {
            const double margin = nb_table_value(table, row, rule->margin);
            lower = value - margin;
            upper = value + margin;
        } else if (is_main && rule->kind == TABLES_TAIL) {
            lower = nb_table_value(table, row, "lower");
            upper = nb_table_value(table, row, "upper");
        }
        nb_plot_add_point(plot, nb_table_number(table, row, x), value, lower,
                          upper, NULL);
    }
}

/* Adds a curve without a name. */
static struct nb_text *tables_add_curve(const struct nb_table *table,
                                        const struct tables_rule *rule,
                                        const char *y, const char *text,
                                        size_t colour, struct nb_plot *plot)
{
    const bool is_main = strcmp(y, rule->y) == 0;
    struct nb_plot_series *added = nb_plot_add_series(
        plot, "", table->columns[nb_table_column(table, y)].name, colour,
        is_main ? NB_PLOT_LINE | NB_PLOT_BAND | NB_PLOT_POINTS : NB_PLOT_LINE);
    added->bar_width = tables_step(table, rule);
    tables_add_rows(table, rule, y, text, plot);
    return &added->name;
}

/* Adds the curve of one point, and its answer. */
static void tables_add_answer(const struct nb_report *report, size_t p,
                              const struct tables_rule *rule, size_t colour,
                              bool is_alone, struct nb_plot *plot)
{
    const struct nb_point *point = &report->points[p];
    const struct nb_quantity *quantity = nb_point_quantity(point, rule->y);
    double x;
    struct nb_plot_series *added =
        nb_plot_add_series(plot, "", rule->y, colour,
                           NB_PLOT_LINE | NB_PLOT_BAND | NB_PLOT_POINTS);
    added->saturation[0] = added->saturation[1] =
        nb_chart_saturation(report, point, rule->x);
    if (!is_alone)
        nb_sweep_name_point(report, p, &added->name);
    nb_chart_add_curve(point, rule->x, plot);
    if (quantity != NULL &&
        nb_sweep_read_number(nb_model_get(&report->model, rule->x), &x))
        nb_plot_add_point(plot, x, quantity->value, quantity->lower,
                          quantity->upper, NULL);
    nb_plot_sort(plot);
}

/* Adds the curves of one point: y and the other columns that exist, named after
 * the settings and the column. */
static void tables_add_point(const struct nb_report *report, size_t p,
                             const struct tables_rule *rule, const char *text,
                             size_t colour, bool is_alone, struct nb_plot *plot)
{
    const struct nb_table *table = tables_find(&report->points[p], rule);
    const char *other = rule->others;
    const bool has_others =
        *other != '\0' && nb_table_column(table, other) < table->column_count;
    struct nb_text *name =
        tables_add_curve(table, rule, rule->y, text, colour, plot);
    if (!is_alone)
        nb_sweep_name_point(report, p, name);
    else if (has_others)
        nb_words_add(name, rule->y);
    if (!has_others)
        return;
    name = tables_add_curve(table, rule, other, text,
                            is_alone ? colour + 1 : colour, plot);
    if (!is_alone)
        nb_sweep_name_point(report, p, name);
    nb_text_print(name, "%s", name->length > 0 ? ", " : "");
    nb_words_add(name, other);
}

static const char *tables_unit(const struct nb_table *table, const char *name)
{
    return table->columns[nb_table_column(table, name)].unit;
}

static void tables_start_plot(const struct nb_table *table,
                              const struct tables_rule *rule,
                              struct nb_plot *plot)
{
    const bool has_bins = tables_has_bins(rule);
    *plot = (struct nb_plot){
        .kind = rule->kind == TABLES_HISTOGRAM ? NB_CHART_BARS : NB_CHART_LINES,
        .data = rule->table,
        .x_name = has_bins ? "throughput" : rule->x,
        .x_unit = tables_unit(table, rule->x),
        .x_columns = rule->x,
        .y_unit = tables_unit(table, rule->y),
        .is_log_y = rule->kind == TABLES_TAIL,
    };
    nb_text_print(&plot->title, "%s", rule->title);
    nb_text_print(&plot->y_name, "%s", rule->y_name);
    nb_text_print(&plot->y_columns, "%s", rule->y);
}

/* The table with that name; of stable points only, if there is one. */
static const struct nb_table *tables_drawn(const struct nb_point *point,
                                           const struct tables_rule *rule,
                                           bool only_settled)
{
    return only_settled && !tables_is_settled(point) ? NULL
                                                     : tables_find(point, rule);
}

/* The points of a report that a chart can show. */
struct tables_choice {
    size_t unsettled;   /* left out */
    size_t count, only; /* their number, and the last one */
    size_t drawn;       /* of them */
};

static struct tables_choice tables_choose(const struct nb_report *report,
                                          const struct tables_rule *rule)
{
    struct tables_choice choice = { .unsettled =
                                        tables_unsettled(report, rule) };
    bool has_others = false;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_table *table =
            tables_drawn(&report->points[p], rule, choice.unsettled > 0);
        if (table == NULL)
            continue;
        choice.count++;
        choice.only = p;
        has_others = has_others ||
                     nb_table_column(table, rule->others) < table->column_count;
    }
    const size_t most = has_others ? PAIRS_MOST : CURVES_MOST;
    choice.drawn = choice.count < most ? choice.count : most;
    return choice;
}

/* Adds a note on the choice of points, and draws the chart. */
static enum nb_status
tables_finish(const struct nb_report *report, const struct tables_rule *rule,
              const struct tables_choice *choice, struct nb_plot *plot,
              const struct nb_chart_place *out, struct nb_error *err)
{
    if (choice->drawn < choice->count)
        nb_plot_add_note(plot, "%zu of %zu points of the sweep", choice->drawn,
                         choice->count);
    if (choice->unsettled > 0)
        nb_plot_add_note(plot, "without %zu that are not known to be stable",
                         choice->unsettled);
    if (choice->count > 1)
        nb_sweep_name_settings(report, &plot->series_columns);
    else
        nb_plot_set_point(plot, report, choice->only);
    if (rule->kind == TABLES_HISTOGRAM)
        nb_plot_set_bars(plot, tables_has_bins(rule) ? 0.5 : 0, BARS_MOST);
    return nb_plot_draw(plot, out->prefix, out->number, out->parent, err);
}

/* A chart of some points' tables, only of the rows with a text (NULL: all):
 * every point if they are few, otherwise some evenly chosen. */
static enum nb_status tables_draw(const struct nb_report *report,
                                  const struct tables_rule *rule,
                                  const char *text,
                                  const struct nb_chart_place *out,
                                  struct nb_error *err)
{
    const struct tables_choice choice = tables_choose(report, rule);
    const struct nb_table *first = NULL;
    struct nb_plot plot = { 0 };
    size_t number = 0, next = 0;
    if (rule->kind == TABLES_CURVE &&
        nb_model_get(&report->model, rule->x) == NULL)
        return NB_OK;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_table *table =
            tables_drawn(&report->points[p], rule, choice.unsettled > 0);
        if (table == NULL)
            continue;
        if (first == NULL)
            tables_start_plot(table, rule, &plot);
        if (first == NULL && text != NULL) {
            nb_text_print(&plot.title, ": %s", text);
            plot.only_column = rule->split;
            plot.only = text;
        }
        first = first != NULL ? first : table;
        /* If many: the first, the last, and some between. */
        if (choice.drawn < 2 ||
            number == next * (choice.count - 1) / (choice.drawn - 1)) {
            if (rule->kind == TABLES_CURVE)
                tables_add_answer(report, p, rule, next, choice.count == 1,
                                  &plot);
            else
                tables_add_point(report, p, rule, text, next, choice.count == 1,
                                 &plot);
            next++;
        }
        number++;
    }
    if (first == NULL)
        return NB_OK;
    return tables_finish(report, rule, &choice, &plot, out, err);
}

/* A chart for each of the first few texts of the rule's column. */
static enum nb_status tables_draw_split(const struct nb_report *report,
                                        const struct tables_rule *rule,
                                        const struct nb_chart_place *out,
                                        struct nb_error *err)
{
    enum { MOST = 4 };
    const char *seen[MOST];
    size_t count = 0;
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < report->point_count; p++) {
        const struct nb_table *table = tables_find(&report->points[p], rule);
        for (size_t row = 0; table != NULL && row < table->row_count; row++) {
            const char *text =
                nb_table_text(table, row, nb_table_column(table, rule->split));
            size_t i = 0;
            while (i < count && strcmp(seen[i], text) != 0)
                i++;
            if (i < count || count == MOST)
                continue;
            seen[count++] = text;
            status = tables_draw(report, rule, text, out, err);
            if (status != NB_OK)
                return status;
        }
    }
    return status;
}

enum nb_status nb_chart_tables(const struct nb_report *report,
                               const struct nb_chart_place *out,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0;
         i < sizeof tables_rules / sizeof *tables_rules && status == NB_OK; i++)
        status = tables_rules[i].split != NULL
                     ? tables_draw_split(report, &tables_rules[i], out, err)
                     : tables_draw(report, &tables_rules[i], NULL, out, err);
    return status;
}
