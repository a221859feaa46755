/* Which rows of a table a chart shows, and how ratios are described. */
#include "export/charts/drawing.h"

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

static void start_report(struct nb_report *report, const char *command)
{
    *report = (struct nb_report){ 0 };
    report->program = nb_new_string("netbound");
    report->model.command = nb_new_string(command);
}

static xmlDocPtr draw(const struct nb_report *report)
{
    char complaint[NB_CHART_COMPLAINT];
    xmlDocPtr document = nb_chart_document(report);
    assert_non_null(document);
    if (!nb_charts_are_sound(document, complaint))
        fail_msg("%s", complaint);
    return document;
}

static xmlNodePtr chart_of(xmlDocPtr document, size_t n)
{
    return nb_chart_child(xmlDocGetRootElement(document), "chart", n);
}

/* The only row filters of a chart, "name=value name=value". */
static void expect_filters(xmlNodePtr chart, const char *wanted)
{
    char found[200] = "";
    for (size_t i = 0; i < nb_chart_count(chart, "at"); i++) {
        xmlNodePtr at = nb_chart_child(chart, "at", i);
        xmlChar *name = xmlGetNoNsProp(at, BAD_CAST "name");
        xmlChar *value = xmlGetNoNsProp(at, BAD_CAST "value");
        const size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s%s=%s",
                 i > 0 ? " " : "", (const char *)name, (const char *)value);
        xmlFree(name);
        xmlFree(value);
    }
    assert_string_equal(found, wanted);
}

/* The titles of a series' n-th mark of that kind. */
static void expect_title(xmlNodePtr chart, size_t series, const char *mark,
                         size_t n, const char *wanted)
{
    xmlNodePtr node =
        nb_chart_child(nb_chart_child(chart, "series", series), mark, n);
    xmlChar *title = xmlGetNoNsProp(node, BAD_CAST "title");
    assert_string_equal((const char *)title, wanted);
    xmlFree(title);
}

static struct nb_point *add_point(struct nb_report *report, const char *load)
{
    struct nb_point *point = nb_report_add_point(report);
    if (load != NULL)
        nb_point_add_setting(point, "load", load);
    return point;
}

/* A tail of two distributions, with three numbers each. */
static void add_laws(struct nb_point *point)
{
    const size_t table =
        nb_point_add_table(point, "ccdf", false,
                           "law:text,value:number,predicted:number,"
                           "simulated:number,lower:number,upper:number");
    for (int i = 0; i < 6; i++) {
        const double tail = pow(2, -i % 3);
        nb_table_add_text(point, table, i < 3 ? "hop 1" : "hop 2");
        nb_table_add_number(point, table, i % 3);
        for (int c = 0; c < 4; c++)
            nb_table_add_number(point, table, tail);
    }
}

static void each_law_has_its_rows(void **state)
{
    (void)state;
    for (int points = 1; points <= 2; points++) {
        struct nb_report report;
        start_report(&report, "validate");
        add_laws(add_point(&report, points > 1 ? "0.2" : NULL));
        if (points > 1)
            add_laws(add_point(&report, "0.4"));
        xmlDocPtr document = draw(&report);
        expect_filters(chart_of(document, 0), "law=hop 1");
        expect_filters(chart_of(document, 1), "law=hop 2");
        assert_true(nb_chart_is(chart_of(document, 0), "series",
                                points > 1 ? "law load" : "law"));
        assert_null(chart_of(document, 2));
        xmlFreeDoc(document);
        nb_report_release(&report);
    }
}

/* One point of a sweep has its settings there as well. */
static void each_class_has_its_rows(void **state)
{
    struct nb_report report;
    (void)state;
    start_report(&report, "simulate");
    add_point(&report, "0.2");
    struct nb_point *point = add_point(&report, "0.4");
    const size_t table = nb_point_add_table(
        point, "depths", false,
        "class:text,depth,probability:number,lower:number,upper:number");
    for (int i = 0; i < 6; i++) {
        nb_table_add_text(point, table, i < 3 ? "x" : "y");
        nb_table_add_whole(point, table, i % 3);
        for (int c = 0; c < 3; c++)
            nb_table_add_number(point, table, pow(2, -i % 3));
    }
    xmlDocPtr document = draw(&report);
    expect_filters(chart_of(document, 0), "load=0.4 class=x");
    expect_filters(chart_of(document, 1), "load=0.4 class=y");
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* Predicted 5 and simulated 4, 6, 8; a second item if requested. */
static void add_validation(struct nb_point *point, int p, bool has_model)
{
    const size_t table = nb_point_add_table(
        point, "validation", false,
        "item:text,prediction:number,lower:number,upper:number,"
        "simulated:number,sim_lower:number,sim_upper:number,verdict:text");
    for (int i = 0; i <= has_model; i++) {
        nb_table_add_text(point, table, i == 0 ? "delay" : "delay, other");
        for (int c = 0; c < 3; c++)
            nb_table_add_number(point, table, 5);
        nb_table_add_number(point, table, 4 + 2 * p);
        nb_table_add_number(point, table, 3.5 + 2 * p);
        nb_table_add_number(point, table, 4.5 + 2 * p);
        nb_table_add_text(point, table, "agrees");
    }
}

static void one_item_has_its_rows_and_ratios_say_so(void **state)
{
    static const char *const loads[] = { "0.2", "0.4", "0.6" };
    (void)state;
    for (int has_model = 0; has_model < 2; has_model++) {
        struct nb_report report;
        start_report(&report, "validate");
        for (int p = 0; p < 3; p++)
            add_validation(add_point(&report, loads[p]), p, has_model == 1);
        xmlDocPtr document = draw(&report);
        xmlNodePtr curve = chart_of(document, 0);
        xmlNodePtr ratios = chart_of(document, 1);
        expect_filters(curve, has_model ? "" : "item=delay");
        assert_false(nb_chart_is(curve, "relative", "yes"));
        expect_filters(ratios, "");
        assert_true(nb_chart_is(ratios, "relative", "yes"));
        expect_title(ratios, 0, "bar", 0, "delay; load 0.2: predicted 5");
        expect_title(ratios, 1, "point", 0,
                     "delay; load 0.2: simulated/predicted 0.8, between 0.7 "
                     "and 0.9; simulated 4, predicted 5; agrees");
        xmlFreeDoc(document);
        nb_report_release(&report);
    }
}

static void ledgers_report_ratios_and_numbers(void **state)
{
    static const char *const published[] = { "0.5", "2", "-" };
    struct nb_report report;
    (void)state;
    start_report(&report, "ledger");
    struct nb_point *point = nb_report_add_point(&report);
    const size_t table = nb_point_add_table(
        point, "ledger", false,
        "cell:text,published:text,computed:number,lower:number,upper:number,"
        "verdict:text");
    for (int i = 0; i < 3; i++) {
        nb_table_add_text(point, table, i == 0 ? "NN / RLB" : "BC / RLB");
        nb_table_add_text(point, table, published[i]);
        for (int c = 0; c < 3; c++)
            nb_table_add_number(point, table, i == 0 ? 0.499 : 2.5);
        nb_table_add_text(point, table, i == 0 ? "agrees" : "disagrees");
    }
    xmlDocPtr document = draw(&report);
    xmlNodePtr chart = chart_of(document, 0);
    assert_true(nb_chart_is(chart, "relative", "yes"));
    assert_true(nb_chart_is(chart, "description",
                            "Computed / published from 0.998 (NN / RLB, "
                            "agrees) to 1.25 (BC / RLB, disagrees) in 2 "
                            "rows."));
    expect_title(chart, 0, "bar", 0, "NN / RLB: published 0.5");
    expect_title(chart, 0, "bar", 1, "BC / RLB: published 2");
    expect_title(chart, 1, "point", 0,
                 "NN / RLB: computed/published 0.998; computed 0.499, "
                 "published 0.5; agrees");
    xmlFreeDoc(document);
    nb_report_release(&report);
}

/* No level's end is less than the values that have the level, or more than a
 * hundredth greater. */
static void levels_end_above_their_values(void **state)
{
    static const double most[] = { 0.993151,   3.5,    1.0 / 3, 9.999,
                                   1.23456e-5, 1234.5, 24,      0.1 };
    static const char *const last[] = { "0.994",    "3.5",  "0.334", "10",
                                        "1.24e-05", "1235", "24",    "0.1" };
    (void)state;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
        xmlNodePtr chart = xmlNewNode(NULL, BAD_CAST "chart");
        xmlDocSetRootElement(document, chart);
        nb_drawing_add_scale(chart, "load", "1", most[i]);
        xmlNodePtr scale = nb_chart_child(chart, "scale", 0);
        assert_true(nb_chart_is(scale, "label", "load"));
        for (int level = 1; level <= NB_DRAWING_LEVELS; level++) {
            xmlNodePtr step = nb_chart_child(scale, "step", (size_t)level);
            xmlChar *label = xmlGetNoNsProp(step, BAD_CAST "label");
            const char *number = strchr((const char *)label, ' ') + 1;
            const double end = most[i] * level / NB_DRAWING_LEVELS;
            if (strtod(number, NULL) < end * (1 - 1e-9) ||
                strtod(number, NULL) > end * 1.01)
                fail_msg("level %d of %.9g is \"%s\"", level, most[i], label);
            if (level == NB_DRAWING_LEVELS)
                assert_string_equal(number, last[i]);
            xmlFree(label);
        }
        xmlFreeDoc(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_law_has_its_rows),
        cmocka_unit_test(each_class_has_its_rows),
        cmocka_unit_test(one_item_has_its_rows_and_ratios_say_so),
        cmocka_unit_test(ledgers_report_ratios_and_numbers),
        cmocka_unit_test(levels_end_above_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
