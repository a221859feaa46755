/* Histograms: bars and steps of the bins' widths, zero where there is no bin;
 * and charts of one point of a sweep. */
#include "export/charts/chart.h"

#include "core/memory.h"

#include "../support/chart_checks.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void start_report(struct nb_report *report)
{
    *report = (struct nb_report){ 0 };
    report->program = nb_new_string("netbound");
    report->model.command = nb_new_string("permutations");
}

/* Bins of a tenth, given by their starts in tenths. */
static void add_histogram(struct nb_point *point, const int *tenths,
                          size_t count)
{
    const size_t table =
        nb_point_add_table(point, "histogram", false,
                           "lower:number,upper:number,count,fraction:number");
    for (size_t i = 0; i < count; i++) {
        nb_table_add_number(point, table, tenths[i] / 10.0);
        nb_table_add_number(point, table, (tenths[i] + 1) / 10.0);
        nb_table_add_whole(point, table, 1);
        nb_table_add_number(point, table, 1.0 / (double)count);
    }
}

/* The place of a number on an axis, from its first and last ticks. */
static double place(xmlNodePtr chart, size_t n, double value)
{
    xmlNodePtr axis = nb_chart_child(chart, "axis", n);
    xmlNodePtr first = nb_chart_child(axis, "tick", 0);
    xmlNodePtr last =
        nb_chart_child(axis, "tick", nb_chart_count(axis, "tick") - 1);
    const double low = nb_chart_number(first, "label");
    const double high = nb_chart_number(last, "label");
    const double from = nb_chart_number(first, "at");
    const double to = nb_chart_number(last, "at");
    return from + (value - low) / (high - low) * (to - from);
}

static xmlNodePtr draw(const struct nb_report *report)
{
    char complaint[NB_CHART_COMPLAINT];
    xmlDocPtr document = nb_chart_document(report);
    assert_non_null(document);
    if (!nb_charts_are_sound(document, complaint))
        fail_msg("%s", complaint);
    xmlNodePtr chart =
        nb_chart_child(xmlDocGetRootElement(document), "chart", 0);
    assert_non_null(chart);
    return chart;
}

static void bars_are_as_wide_as_bins(void **state)
{
    struct nb_report report;
    (void)state;
    start_report(&report);
    add_histogram(nb_report_add_point(&report), (const int[]){ 2, 3, 6 }, 3);
    xmlNodePtr chart = draw(&report);
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    static const int tenths[] = { 2, 3, 6 };
    assert_int_equal(nb_chart_count(chart, "at"), 0);
    assert_int_equal(nb_chart_count(series, "bar"), 3);
    for (size_t i = 0; i < 3; i++) {
        xmlNodePtr bar = nb_chart_child(series, "bar", i);
        const double left = place(chart, 0, tenths[i] / 10.0);
        const double right = place(chart, 0, (tenths[i] + 1) / 10.0);
        assert_true(fabs(nb_chart_number(bar, "x") - left) < 0.05);
        assert_true(fabs(nb_chart_number(bar, "width") - (right - left)) <
                    0.05);
    }
    assert_true(nb_chart_is(nb_chart_child(series, "bar", 2), "title",
                            "throughput 0.6 to 0.7: fraction 0.333333"));
    xmlFreeDoc(chart->doc);
    nb_report_release(&report);
}

/* One line through places in the data's units, in tenths and fractions. */
static void check_outline(xmlNodePtr chart, size_t number,
                          const double (*wanted)[2], size_t count)
{
    xmlNodePtr series = nb_chart_child(chart, "series", number);
    assert_int_equal(nb_chart_count(series, "line"), 1);
    xmlChar *text =
        xmlGetProp(nb_chart_child(series, "line", 0), BAD_CAST "points");
    char *at = (char *)text;
    for (size_t i = 0; i < count; i++) {
        const double x = strtod(at, &at);
        assert_int_equal(*at++, ',');
        const double y = strtod(at, &at);
        if (!(fabs(x - place(chart, 0, wanted[i][0] / 10)) < 0.05 &&
              fabs(y - place(chart, 1, wanted[i][1])) < 0.05))
            fail_msg("place %zu of series %zu is %g,%g: %s", i, number, x, y,
                     (char *)text);
    }
    assert_int_equal(*at, '\0');
    xmlFree(text);
}

static void steps_go_down_to_zero(void **state)
{
    static const double one[][2] = { { 2, 0 },    { 2, 0.25 }, { 3, 0.25 },
                                     { 3, 0.25 }, { 4, 0.25 }, { 4, 0 },
                                     { 6, 0 },    { 6, 0.25 }, { 7, 0.25 },
                                     { 7, 0.25 }, { 8, 0.25 }, { 8, 0 } };
    static const double other[][2] = { { 5, 0 }, { 5, 1 }, { 6, 1 }, { 6, 0 } };
    struct nb_report report;
    (void)state;
    start_report(&report);
    struct nb_point *point = nb_report_add_point(&report);
    nb_point_add_setting(point, "routing", "dor");
    add_histogram(point, (const int[]){ 2, 3, 6, 7 }, 4);
    point = nb_report_add_point(&report);
    nb_point_add_setting(point, "routing", "val");
    add_histogram(point, (const int[]){ 5 }, 1);
    xmlNodePtr chart = draw(&report);
    check_outline(chart, 0, one, 12);
    check_outline(chart, 1, other, 4);
    assert_int_equal(nb_chart_count(chart, "at"), 0);
    xmlNodePtr mark =
        nb_chart_child(nb_chart_child(chart, "series", 1), "point", 0);
    assert_true(fabs(nb_chart_number(mark, "x") - place(chart, 0, 0.55)) <
                0.05);
    assert_true(
        nb_chart_is(mark, "title", "throughput 0.5 to 0.6, val: fraction 1"));
    assert_true(nb_chart_is(chart, "description",
                            "Fraction of the permutations from 0.25 (dor) to 1 "
                            "(val), for throughput from 0.2 to 0.8."));
    xmlFreeDoc(chart->doc);
    nb_report_release(&report);
}

/* 400 bins of two series: three in a bar, at the same places in both. */
static void many_bins_are_taken_together(void **state)
{
    struct nb_report report;
    int tenths[400];
    (void)state;
    start_report(&report);
    for (int i = 0; i < 400; i++)
        tenths[i] = i;
    for (int p = 0; p < 2; p++) {
        struct nb_point *point = nb_report_add_point(&report);
        nb_point_add_setting(point, "routing", p == 0 ? "dor" : "val");
        add_histogram(point, tenths + 10 * p, (size_t)(400 - 10 * p));
    }
    xmlNodePtr chart = draw(&report);
    assert_true(nb_chart_is(chart, "note",
                            "each bar is up to 3 bins wide; a circle in "
                            "parts marks about the same value of several "
                            "series"));
    /* 10 to 11 lie in the bar from 9 on, two of its three bins. */
    xmlNodePtr val = nb_chart_child(chart, "series", 1);
    assert_true(nb_chart_is(nb_chart_child(val, "point", 0), "title",
                            "throughput 0.9 to 1.2, val: fraction 0.00512821"));
    xmlFreeDoc(chart->doc);
    nb_report_release(&report);
}

/* Only one of two points has the table: the chart states which. */
static void a_chart_of_one_point_names_it(void **state)
{
    struct nb_report report;
    (void)state;
    start_report(&report);
    nb_point_add_setting(nb_report_add_point(&report), "routing", "dor");
    struct nb_point *point = nb_report_add_point(&report);
    nb_point_add_setting(point, "routing", "val");
    add_histogram(point, (const int[]){ 2, 3 }, 2);
    xmlNodePtr chart = draw(&report);
    assert_true(nb_chart_is(chart, "title",
                            "Throughput of random permutations at routing "
                            "val"));
    xmlNodePtr at = nb_chart_child(chart, "at", 0);
    assert_int_equal(nb_chart_count(chart, "at"), 1);
    assert_true(nb_chart_is(at, "name", "routing"));
    assert_true(nb_chart_is(at, "value", "val"));
    xmlFreeDoc(chart->doc);
    nb_report_release(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_as_wide_as_bins),
        cmocka_unit_test(steps_go_down_to_zero),
        cmocka_unit_test(many_bins_are_taken_together),
        cmocka_unit_test(a_chart_of_one_point_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
