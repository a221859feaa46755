/* Drawings of a sweep: which points are drawn, on which scale, and which of
 * them the model shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/drawn.h"
#include "../support/topology_checks.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The load of a channel of the ring at a point. */
typedef double load_law(size_t point, size_t channel);

enum { POINTS = 8, CHANNELS = 8 };

/* The second half of the points has different traffic. */
static double proportional(size_t point, size_t channel)
{
    const double pattern = point < POINTS / 2 ? 1 + (double)(channel % 3) : 2;
    return pattern * (1 + (double)(point % (POINTS / 2)));
}

static double one_pattern(size_t point, size_t channel)
{
    return (1 + (double)(channel % 3)) * (double)(point + 1);
}

static double different(size_t point, size_t channel)
{
    return (double)((point + 1) * (channel + 1) % 11);
}

static double infinite_at_last(size_t point, size_t channel)
{
    return point > 5 && channel == 0 ? INFINITY : one_pattern(point, channel);
}

/* As if simulated: within 0.1 of the others. */
static double noisy(size_t point, size_t channel)
{
    return (double)(point + 1) + ((point + channel) % 2 == 0 ? 0.1 : -0.1);
}

static void add_channels(struct nb_point *point, load_law *distribution,
                         size_t p, double margin)
{
    struct nb_topology ring = { 0 };
    topology_must_build("ring:4", &ring);
    const size_t table =
        nb_point_add_table(point, "channels", false,
                           "channel,source,target,utilisation:number,"
                           "half_width:number,wait:number");
    for (size_t c = 0; c < CHANNELS; c++) {
        const double value = distribution(p, c);
        nb_table_add_whole(point, table, (int64_t)c);
        nb_table_add_whole(point, table, ring.channels[c].source);
        nb_table_add_whole(point, table, ring.channels[c].target);
        nb_table_add_number(point, table,
                            isinf(value) ? one_pattern(p, c) : value);
        nb_table_add_number(point, table, margin);
        nb_table_add_number(point, table, value);
    }
    nb_topology_release(&ring);
    assert_false(point->has_failed);
}

/* A report on two traffics at four loads each. */
static void make_report(load_law *distribution, double margin, bool has_loads,
                        struct nb_report *out)
{
    *out = (struct nb_report){ 0 };
    struct nb_point *point = nb_drawn_report(out, "ring:4");
    for (size_t p = 0; p < POINTS; p++) {
        char load[16];
        snprintf(load, sizeof load, has_loads ? "0.%zu" : "name%zu", p % 4 + 1);
        if (p > 0)
            point = nb_report_add_point(out);
        nb_point_add_setting(point, "traffic", p < 4 ? "uniform" : "tornado");
        nb_point_add_setting(point, "load", load);
        nb_point_add_bracket(point, "throughput", (double)p, (double)p, "1", "",
                             "");
        nb_point_add_bracket(point, "mean_hops", 1 + (double)p, 1 + (double)p,
                             "hops", "", "");
        add_channels(point, distribution, p, margin);
    }
}

/* The charts' points: "uniform 0.1, tornado 0.4". */
static void check_points(load_law *distribution, double margin, bool has_loads,
                         const char *wanted, const char *note)
{
    struct nb_report report;
    char found[200] = "";
    make_report(distribution, margin, has_loads, &report);
    xmlNodePtr charts = nb_drawn_charts(&report);
    for (size_t i = 0; i < nb_drawn_count(charts, "chart"); i++) {
        xmlNodePtr chart = nb_drawn_child(charts, "chart", i);
        assert_int_equal(nb_drawn_count(chart, "at"), 2);
        assert_string_equal(
            nb_drawn_text(nb_drawn_child(chart, "at", 1), "name"), "load");
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s %s",
                 i > 0 ? ", " : "",
                 nb_drawn_text(nb_drawn_child(chart, "at", 0), "value"),
                 nb_drawn_text(nb_drawn_child(chart, "at", 1), "value"));
        if ((strstr(nb_drawn_text(chart, "note"), note) != NULL) != (i == 0))
            fail_msg("chart %zu: %s", i, nb_drawn_text(chart, "note"));
    }
    assert_string_equal(found, wanted);
    xmlFreeDoc(charts->doc);
    nb_report_release(&report);
}

static void points_are_spread_and_distinct(void **state)
{
    static const char alike[] =
        "; of points that differ only in scale, only the last finite one";
    char note[160];
    (void)state;
    check_points(different, 0, true,
                 "uniform 0.1, uniform 0.3, tornado 0.1, tornado 0.4",
                 "4 of 8 points are drawn, spread over the sweep");
    snprintf(note, sizeof note, "one scale; 2 of 8 points are drawn%s", alike);
    check_points(proportional, 0, true, "uniform 0.4, tornado 0.4", note);
    check_points(one_pattern, 0, true, "uniform 0.4, tornado 0.4", note);
    check_points(infinite_at_last, 0, true, "uniform 0.4, tornado 0.2", note);
    check_points(noisy, 0.1, true, "uniform 0.4, tornado 0.4", note);
    check_points(noisy, 0, true,
                 "uniform 0.1, uniform 0.3, tornado 0.1, tornado 0.4",
                 "4 of 8 points are drawn, spread over the sweep");
    /* Not along numbers: every name is drawn, if there is room. */
    check_points(one_pattern, 0, false,
                 "uniform name1, uniform name3, tornado name1, tornado name4",
                 "4 of 8 points are drawn, spread over the sweep");
}

/* 24 is the largest value drawn: 8 (point 7) times 3. */
static void points_drawn_share_a_scale(void **state)
{
    struct nb_report report;
    (void)state;
    make_report(one_pattern, 0, false, &report);
    xmlNodePtr charts = nb_drawn_charts(&report);
    static const size_t drawn[] = { 0, 2, 4, 7 };
    for (size_t i = 0; i < 4; i++) {
        xmlNodePtr chart = nb_drawn_child(charts, "chart", i);
        xmlNodePtr scale = nb_drawn_child(chart, "scale", 0);
        assert_string_equal(
            nb_drawn_text(nb_drawn_child(scale, "step", 8), "label"), "≤ 24");
        for (size_t c = 0; c < CHANNELS; c++) {
            const double value = one_pattern(drawn[i], c);
            assert_int_equal(
                (int)nb_drawn_number(nb_drawn_child(chart, "wire", c), "level"),
                (int)ceil(8 * value / 24));
        }
    }
    xmlFreeDoc(charts->doc);
    nb_report_release(&report);
}

/* Which tables have charts if the model shows some names: "quantities:Title".
 */
static void check_shown(const char *show, const char *wanted)
{
    struct nb_report report;
    struct nb_error error;
    char found[300] = "";
    make_report(proportional, 0, true, &report);
    if (show != NULL)
        assert_int_equal(nb_model_set_show(&report.model, show, &error), NB_OK);
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
    xmlDocSetRootElement(document, root);
    assert_int_equal(nb_charts_add(&report, "r1", root, &error), NB_OK);
    for (size_t i = 0; i < nb_drawn_count(root, "chart"); i++) {
        xmlNodePtr chart = nb_drawn_child(root, "chart", i);
        char id[32];
        snprintf(id, sizeof id, "r1-chart-%zu", i + 1);
        assert_string_equal(nb_drawn_text(chart, "id"), id);
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s %s",
                 i > 0 ? ", " : "", nb_drawn_text(chart, "data"),
                 nb_drawn_text(chart, "y"));
    }
    assert_string_equal(found, wanted);
    xmlFreeDoc(document);
    nb_report_release(&report);
}

static void charts_are_of_what_is_shown(void **state)
{
    static const char all[] =
        "quantities throughput, quantities mean_hops, channels utilisation, "
        "channels utilisation";
    (void)state;
    check_shown(NULL, all);
    check_shown("throughput", "quantities throughput");
    check_shown("mean_hops,throughput",
                "quantities mean_hops, quantities throughput");
    check_shown("channels", "channels utilisation, channels utilisation");
    check_shown("mean_hops,channels.wait",
                "quantities mean_hops, channels utilisation, channels "
                "utilisation");
    check_shown("capacity", all); /* which has no chart */
}

static void failing_allocations_leak_nothing(void **state)
{
    struct nb_report report;
    (void)state;
    make_report(proportional, 0, true, &report);
    nb_drawn_fail_memory(&report);
    /* Nothing that is shown has a chart: all is drawn, removed and drawn
     * again. */
    assert_int_equal(nb_model_set_show(&report.model, "capacity", NULL), NB_OK);
    const long blocks = nb_memory_live_blocks();
    bool is_done = false;
    for (long allowed = 0; !is_done; allowed++) {
        xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
        xmlNodePtr root =
            xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
        xmlDocSetRootElement(document, root);
        nb_memory_allow(allowed);
        is_done = nb_charts_add(&report, "r1", root, NULL) == NB_OK &&
                  !nb_view_has_failed(document);
        nb_memory_allow(-1);
        assert_true(!is_done || nb_drawn_count(root, "chart") == 4);
        xmlFreeDoc(document);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_spread_and_distinct),
        cmocka_unit_test(points_drawn_share_a_scale),
        cmocka_unit_test(charts_are_of_what_is_shown),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
