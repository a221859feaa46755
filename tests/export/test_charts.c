/* Charts of reports made by hand: which ones there are, and that points lie
 * where formulas say. */
#include "export/charts/chart.h"

#include "core/memory.h"

#include "../support/chart_checks.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_sound(xmlDocPtr document, const char *what, int trial)
{
    char complaint[NB_CHART_COMPLAINT];
    assert_non_null(document);
    if (!nb_charts_are_sound(document, complaint))
        fail_msg("%s, trial %d: %s", what, trial, complaint);
}

/* Latency by load as in most reports: 4/(1 - load), and infinite. */
static void add_loads(struct nb_report *report, const char *routing,
                      double saturation)
{
    static const char *const loads[] = { "0.2", "0.4", "0.6", "0.8" };
    for (size_t i = 0; i < 4; i++) {
        struct nb_point *point = nb_report_add_point(report);
        const double load = strtod(loads[i], NULL);
        const double latency = load < saturation ? 4 / (1 - load) : INFINITY;
        if (routing != NULL)
            nb_point_add_setting(point, "routing", routing);
        nb_point_add_setting(point, "load", loads[i]);
        nb_point_add_bracket(point, "mean_latency", latency, latency * 1.2,
                             "cycles", "", "");
        nb_point_add_exact(point, "capacity", nb_ratio_one, "packets/cycle", "",
                           "");
    }
}

static void start_report(struct nb_report *report, const char *command)
{
    *report = (struct nb_report){ 0 };
    report->program = nb_new_string("netbound");
    report->model.command = nb_new_string(command);
}

/* The same as a table, and beyond the loads. */
static void add_curve(struct nb_point *point)
{
    static const double loads[] = { 0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95 };
    const size_t table =
        nb_point_add_table(point, "latency_curve", false,
                           "load:number,rate:number,mean_latency:number,"
                           "mean_latency_upper:number");
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        nb_table_add_number(point, table, loads[i]);
        nb_table_add_number(point, table, loads[i] / 2);
        nb_table_add_number(point, table, 4 / (1 - loads[i]));
        nb_table_add_number(point, table, 4.8 / (1 - loads[i]));
    }
}

/* The place of a tick's label on the n-th axis. */
static double tick_at(xmlNodePtr chart, size_t n, const char *label)
{
    xmlNodePtr axis = nb_chart_child(chart, "axis", n);
    for (size_t i = 0; i < nb_chart_count(axis, "tick"); i++) {
        xmlNodePtr tick = nb_chart_child(axis, "tick", i);
        if (nb_chart_is(tick, "label", label))
            return nb_chart_number(tick, "at");
    }
    fail_msg("no tick \"%s\"", label);
    return NAN;
}

static void points_stand_where_ticks_say(void **state)
{
    struct nb_report report;
    (void)state;
    start_report(&report, "latency");
    add_loads(&report, NULL, 1);
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "a curve", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_null(chart->next); /* capacity is the same everywhere */
    assert_true(nb_chart_is(chart, "kind", "lines"));
    assert_true(nb_chart_is(chart, "title", "Mean latency by load"));
    assert_true(nb_chart_is(nb_chart_child(chart, "axis", 0), "label",
                            "load [fraction of capacity]"));
    assert_true(nb_chart_is(nb_chart_child(chart, "axis", 1), "label",
                            "mean latency [cycles]"));
    const double x0 = tick_at(chart, 0, "0"), x8 = tick_at(chart, 0, "0.8");
    const double y0 = tick_at(chart, 1, "0"), y20 = tick_at(chart, 1, "20");
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    assert_int_equal(nb_chart_count(series, "point"), 4);
    for (size_t i = 0; i < 4; i++) {
        const double load = 0.2 * (double)(i + 1);
        const double value = 4 / (1 - load) * 1.2; /* the upper end */
        xmlNodePtr point = nb_chart_child(series, "point", i);
        assert_true(fabs(nb_chart_number(point, "x") -
                         (x0 + load / 0.8 * (x8 - x0))) < 0.02);
        assert_true(fabs(nb_chart_number(point, "y") -
                         (y0 + value / 20 * (y20 - y0))) < 0.02);
    }
    assert_true(nb_chart_is(nb_chart_child(series, "point", 0), "title",
                            "load 0.2: mean_latency 6 cycles, between 5 "
                            "and 6"));
    assert_int_equal(nb_chart_count(series, "band"), 1);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* The last place of the only line, and the number of its places. */
static size_t line_end(xmlNodePtr series, double *x, double *y)
{
    size_t count = 1;
    assert_int_equal(nb_chart_count(series, "line"), 1);
    xmlChar *text =
        xmlGetProp(nb_chart_child(series, "line", 0), BAD_CAST "points");
    const char *last = (const char *)text;
    for (const char *c = last; *c != '\0'; c++)
        if (*c == ' ') {
            last = c + 1;
            count++;
        }
    assert_int_equal(sscanf(last, "%lf,%lf", x, y), 2);
    xmlFree(text);
    return count;
}

/* The line passes through all rows up to the last load, where the plot
 * ends. */
static void a_curve_passes_between_the_marks(void **state)
{
    struct nb_report report;
    double x, y;
    (void)state;
    start_report(&report, "latency");
    add_loads(&report, NULL, 1);
    add_curve(&report.points[0]);
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "a curve between", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_null(chart->next);
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    assert_int_equal(nb_chart_count(series, "point"), 4);
    assert_int_equal(line_end(series, &x, &y), 10);
    const double y0 = tick_at(chart, 1, "0"), y25 = tick_at(chart, 1, "25");
    assert_true(x == tick_at(chart, 0, "0.8"));
    assert_true(fabs(y - y0 - 24 / 25.0 * (y25 - y0)) < 0.02);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* Without swept loads the curve determines the axes, up to 5 times its start,
 * and one mark shows the answer. */
static void one_answer_is_marked_on_its_curve(void **state)
{
    struct nb_report report;
    double x, y;
    (void)state;
    start_report(&report, "latency");
    nb_model_set(&report.model, "load", "0.5", NULL);
    struct nb_point *point = nb_report_add_point(&report);
    nb_point_add_bracket(point, "mean_latency", 8, 9.6, "cycles", "", "");
    nb_point_add_exact(point, "saturation", nb_ratio_one, "1", "", "");
    add_curve(point);
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "a curve alone", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_null(chart->next);
    assert_true(nb_chart_is(chart, "title", "Mean latency by load"));
    assert_true(nb_chart_is(chart, "data", "latency_curve"));
    assert_true(nb_chart_is(nb_chart_child(chart, "limit", 0), "label",
                            "saturation at 1"));
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    assert_int_equal(nb_chart_count(series, "point"), 1);
    xmlNodePtr mark = nb_chart_child(series, "point", 0);
    assert_true(fabs(2 * nb_chart_number(mark, "x") - tick_at(chart, 0, "0") -
                     tick_at(chart, 0, "1")) < 0.03);
    line_end(series, &x, &y);
    assert_true(y == tick_at(chart, 1, "20"));
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* Arrows of several series at one place stand beneath each other. */
static void arrows_do_not_hide_each_other(void **state)
{
    struct nb_report report;
    double y[2][2];
    (void)state;
    start_report(&report, "latency");
    add_loads(&report, "dor", 0.5);
    add_loads(&report, "val", 0.7);
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "arrows", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < 2; i++)
            y[s][i] = nb_chart_number(
                nb_chart_child(nb_chart_child(chart, "series", s), "point",
                               2 + i),
                "y");
    /* At 0.6 only dor has an arrow, beneath val's mark; at 0.8 both. */
    assert_true(fabs(y[0][0] - y[1][0] - 8) < 0.02);
    assert_true(y[1][1] == y[0][1] + 8);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

static void saturation_breaks_the_line(void **state)
{
    struct nb_report report;
    (void)state;
    start_report(&report, "latency");
    add_loads(&report, "dor", 1);
    add_loads(&report, "val", 0.5);
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "two curves", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_int_equal(nb_chart_count(chart, "series"), 2);
    assert_true(
        nb_chart_is(chart, "title", "Mean latency by load, for each routing"));
    xmlNodePtr series = nb_chart_child(chart, "series", 1);
    assert_true(nb_chart_is(series, "name", "val"));
    assert_int_equal(nb_chart_count(series, "line"), 1);
    assert_int_equal(nb_chart_count(series, "point"), 4);
    xmlNodePtr point = nb_chart_child(series, "point", 2);
    assert_true(nb_chart_is(point, "edge", "yes"));
    assert_true(
        nb_chart_is(point, "title", "load 0.6, val: mean_latency infinite"));
    assert_true(nb_chart_number(point, "y") ==
                nb_chart_number(nb_chart_child(chart, "axis", 1), "to"));
    assert_true(nb_chart_is(chart, "note",
                            "arrows at the upper edge mark values beyond it: "
                            "infinite, or with no known limit; a circle in "
                            "parts marks about the same value of several "
                            "series"));
    /* Both have the same latencies up to 0.4: dor's half is on the left. */
    xmlNodePtr dor = nb_chart_child(chart, "series", 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(nb_chart_is(nb_chart_child(dor, "point", i), "slice",
                                     "M0 0L0.00 5.00A5 5 0 0 1 -0.00 -5.00z"),
                         i < 2);
        assert_int_equal(nb_chart_is(nb_chart_child(series, "point", i),
                                     "slice",
                                     "M0 0L-0.00 -5.00A5 5 0 0 1 0.00 5.00z"),
                         i < 2);
    }
    /* Only val saturates. */
    assert_int_equal(nb_chart_count(chart, "limit"), 1);
    assert_true(nb_chart_is(nb_chart_child(chart, "limit", 0), "label",
                            "saturation between 0.4 and 0.6"));
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* Loads 0.2 and 0.4 of a simulation, undecided at the second, and saturated at
 * 0.6. */
static void add_simulated(struct nb_report *report, double first_stability)
{
    static const char *const loads[] = { "0.2", "0.4", "0.6" };
    const double stability[] = { first_stability, 0.5, 0 };
    const double latency[] = { 5, 90, INFINITY };
    for (size_t i = 0; i < 3; i++) {
        struct nb_point *point = nb_report_add_point(report);
        nb_point_add_setting(point, "load", loads[i]);
        nb_point_add_bracket(point, "mean_latency", latency[i],
                             i < 2 ? INFINITY : latency[i], "cycles", "", "");
        nb_point_add_bracket(point, "stability", stability[i], stability[i],
                             "1 if stable", "", "");
    }
}

static void expect_limit(double first_stability, const char *label)
{
    struct nb_report report;
    start_report(&report, "simulate");
    add_simulated(&report, first_stability);
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, label, 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_int_equal(nb_chart_count(chart, "limit"), 1);
    xmlNodePtr limit = nb_chart_child(chart, "limit", 0);
    assert_true(nb_chart_is(limit, "label", label));
    /* Its name is above arrows at the upper edge. */
    assert_true(nb_chart_number(nb_chart_child(chart, "axis", 1), "to") > 50);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* An undecided point is neither stable nor saturated. */
static void undecided_points_do_not_bound_saturation(void **state)
{
    (void)state;
    expect_limit(1, "saturation between 0.2 and 0.6");
    expect_limit(0.5, "saturation below 0.6");
}

/* A saturated network stays saturated with any number of virtual networks. */
static void only_loads_saturate(void **state)
{
    static const char *const networks[] = { "1", "2", "3" };
    struct nb_report report;
    (void)state;
    start_report(&report, "simulate");
    for (size_t i = 0; i < 3; i++) {
        struct nb_point *point = nb_report_add_point(&report);
        nb_point_add_setting(point, "virtual-networks", networks[i]);
        nb_point_add_bracket(point, "accepted_throughput",
                             0.2 + 0.1 * (double)i, 0.3 + 0.1 * (double)i, "1",
                             "", "");
        nb_point_add_bracket(point, "stability", 0, 0, "1 if stable", "", "");
    }
    xmlDocPtr document = nb_chart_document(&report);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_non_null(chart);
    assert_int_equal(nb_chart_count(chart, "limit"), 0);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* A bar's interval without an upper end does not reach the edge. */
static void bars_without_limit_have_arrows(void **state)
{
    static const char *const names[] = { "dor", "val" };
    struct nb_report report;
    (void)state;
    start_report(&report, "latency");
    for (size_t i = 0; i < 2; i++) {
        struct nb_point *point = nb_report_add_point(&report);
        nb_point_add_setting(point, "routing", names[i]);
        nb_point_add_bracket(point, "mean_latency", 10 + 10 * (double)i,
                             INFINITY, "cycles", "", "");
    }
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "bars", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    xmlNodePtr bar = nb_chart_child(series, "bar", 0);
    const double end =
        nb_chart_number(bar, "x") + nb_chart_number(bar, "width");
    xmlNodePtr label = nb_chart_child(series, "value", 0);
    assert_true(nb_chart_number(label, "x") - end < 30);
    assert_true(
        nb_chart_is(chart, "note", "an arrow: no upper limit is known"));
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* P(depth >= n) = 10^-n: a straight line on a logarithmic axis. */
static void tails_are_by_decades(void **state)
{
    struct nb_report report;
    (void)state;
    start_report(&report, "buffer");
    struct nb_point *point = nb_report_add_point(&report);
    const size_t table = nb_point_add_table(
        point, "ccdf", false,
        "depth [packets],probability:number,lower:number,upper:number");
    for (int n = 0; n <= 9; n++) {
        nb_table_add_whole(point, table, n);
        for (int i = 0; i < 3; i++)
            nb_table_add_number(point, table, pow(10, -n));
    }
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "a tail", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_true(nb_chart_is(chart, "log-y", "yes"));
    const double one = tick_at(chart, 1, "1");
    const double decade = (tick_at(chart, 1, "1e-6") - one) / 6;
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    for (size_t n = 0; n <= 9; n++)
        assert_true(
            fabs(nb_chart_number(nb_chart_child(series, "point", n), "y") -
                 (one + (double)n * decade)) < 0.02);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

static void names_make_bars(void **state)
{
    static const char *const traffics[] = { "uniform", "transpose", "tornado" };
    struct nb_report report;
    (void)state;
    start_report(&report, "load");
    for (size_t i = 0; i < 3; i++) {
        struct nb_point *point = nb_report_add_point(&report);
        nb_point_add_setting(point, "traffic", traffics[i]);
        nb_point_add_exact(point, "throughput",
                           nb_ratio_make((nb_int128)i + 1, 4),
                           "fraction of capacity", "", "");
        nb_point_add_exact(point, "throughput_absolute",
                           nb_ratio_make((nb_int128)i + 1, 8), "packets/cycle",
                           "", "");
    }
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "bars", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_null(chart->next); /* the absolute one shows the same */
    assert_true(nb_chart_is(chart, "kind", "bars"));
    const double zero = tick_at(chart, 0, "0");
    const double per_unit = (tick_at(chart, 0, "0.6") - zero) / 0.6;
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    for (size_t i = 0; i < 3; i++) {
        xmlNodePtr bar = nb_chart_child(series, "bar", i);
        assert_true(fabs(nb_chart_number(bar, "x") - zero) < 0.02);
        assert_true(fabs(nb_chart_number(bar, "width") -
                         (double)(i + 1) / 4 * per_unit) < 0.02);
        assert_true(fabs(nb_chart_number(bar, "y") +
                         nb_chart_number(bar, "height") / 2 -
                         tick_at(chart, 1, traffics[i])) < 0.02);
    }
    assert_true(nb_chart_is(chart, "description",
                            "Throughput from 0.25 (uniform) to 0.75 fraction "
                            "of capacity (tornado) in 3 rows."));
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* A setting that was swept is shown by the quantity that it determines. */
static void trade_offs_are_over_throughput(void **state)
{
    static const char *const parts[] = { "0.5", "0.75", "1" };
    struct nb_report report;
    (void)state;
    start_report(&report, "optimum");
    for (size_t i = 0; i < 3; i++) {
        struct nb_point *point = nb_report_add_point(&report);
        const nb_int128 n = (nb_int128)i;
        nb_point_add_setting(point, "at", parts[i]);
        nb_point_add_exact(point, "required_worst_case_throughput",
                           nb_ratio_make(n + 2, 8), "fraction of capacity", "",
                           "");
        nb_point_add_exact(point, "least_mean_hops", nb_ratio_make(n + 4, 1),
                           "hops", "", "");
        nb_point_add_exact(point, "locality", nb_ratio_make(n + 4, 4), "1", "",
                           "");
    }
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "a trade-off", 0);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_null(chart->next);
    assert_true(nb_chart_is(chart, "title",
                            "Locality by required worst case throughput"));
    assert_true(nb_chart_is(
        nb_chart_child(nb_chart_child(chart, "series", 0), "point", 1), "title",
        "required_worst_case_throughput 0.375: locality 1.25"));
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* Two models of one simulated latency, and a bound of a depth. */
static void models_stand_beside_simulations(void **state)
{
    static const char *const loads[] = { "0.2", "0.4", "0.6" };
    static const char *const items[] = { "mean_latency, singh",
                                         "mean_latency, bernoulli", "depth" };
    struct nb_report report;
    char kinds[64];
    (void)state;
    start_report(&report, "validate");
    for (size_t p = 0; p < 3; p++) {
        struct nb_point *point = nb_report_add_point(&report);
        nb_point_add_setting(point, "load", loads[p]);
        const size_t table = nb_point_add_table(
            point, "validation", false,
            "item:text,prediction:number,lower:number,upper:number,"
            "simulated:number,sim_lower:number,sim_upper:number,verdict:text");
        for (size_t i = 0; i < 3; i++) {
            const double simulated = i < 2 ? (double)p + 4 : 7;
            nb_table_add_text(point, table, items[i]);
            nb_table_add_number(point, table, 5);
            nb_table_add_number(point, table, i == 2 ? -INFINITY : 5);
            nb_table_add_number(point, table, 5);
            nb_table_add_number(point, table, simulated);
            nb_table_add_number(point, table, simulated - 0.5);
            nb_table_add_number(point, table, simulated + 0.5);
            nb_table_add_text(point, table, "agrees");
        }
    }
    xmlDocPtr document = nb_chart_document(&report);
    expect_sound(document, "a validation", 0);
    nb_chart_kinds(document, kinds, sizeof kinds);
    /* One chart for both models of the latency, none for the depth, which
     * stays; and all rows relative to the prediction. */
    assert_string_equal(kinds, "comparison comparison");
    xmlNodePtr root = xmlDocGetRootElement(document);
    xmlNodePtr curve = nb_chart_child(root, "chart", 0);
    assert_true(
        nb_chart_is(curve, "title", "Predicted and simulated: mean latency"));
    assert_int_equal(nb_chart_count(curve, "series"), 3);
    xmlNodePtr simulated = nb_chart_child(curve, "series", 2);
    assert_true(nb_chart_is(nb_chart_child(simulated, "point", 0), "title",
                            "load 0.2, simulated: simulated 4, between 3.5 "
                            "and 4.5"));
    const double low =
        nb_chart_number(nb_chart_child(simulated, "point", 0), "low");
    assert_true(low == low); /* it has an error bar */
    xmlNodePtr rows = nb_chart_child(root, "chart", 1);
    assert_int_equal(nb_chart_count(nb_chart_child(rows, "series", 0), "bar"),
                     9);
    const double one = tick_at(rows, 0, "1");
    const double per_unit = (tick_at(rows, 0, "1.5") - one) / 0.5;
    xmlNodePtr last =
        nb_chart_child(nb_chart_child(rows, "series", 1), "point", 8);
    assert_true(fabs(nb_chart_number(last, "x") - (one + 0.4 * per_unit)) <
                0.05);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_stand_where_ticks_say),
        cmocka_unit_test(a_curve_passes_between_the_marks),
        cmocka_unit_test(one_answer_is_marked_on_its_curve),
        cmocka_unit_test(saturation_breaks_the_line),
        cmocka_unit_test(arrows_do_not_hide_each_other),
        cmocka_unit_test(undecided_points_do_not_bound_saturation),
        cmocka_unit_test(only_loads_saturate),
        cmocka_unit_test(bars_without_limit_have_arrows),
        cmocka_unit_test(tails_are_by_decades),
        cmocka_unit_test(names_make_bars),
        cmocka_unit_test(trade_offs_are_over_throughput),
        cmocka_unit_test(models_stand_beside_simulations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
