/* Plots: thinning keeps extremes, bars take rows together, scales, breaks. */
#include "export/charts/chart_plot.h"

#include "core/memory.h"
#include "core/random.h"

#include "../support/chart_checks.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 3000 };

/* Ends, the highest and lowest of all, the order, and the maximum number. */
static void thinning_keeps_extremes(void **state)
{
    static struct nb_plot_point points[POINTS], all[POINTS];
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 7, 0);
    for (int trial = 0; trial < 500; trial++) {
        const size_t count = 1 + (size_t)nb_random_below(&random, POINTS);
        const size_t most = 4 + (size_t)nb_random_below(&random, 500);
        size_t low = 0, high = 0;
        for (size_t i = 0; i < count; i++) {
            all[i] = (struct nb_plot_point){ .x = (double)i,
                                             .y = nb_random_unit(&random) };
            low = all[i].y < all[low].y ? i : low;
            high = all[i].y > all[high].y ? i : high;
        }
        memcpy(points, all, sizeof points);
        const size_t kept = nb_plot_thin(points, count, most);
        bool has_low = false, has_high = false;
        assert_true(kept <= most || kept == count);
        assert_true(kept == count || count > most);
        assert_true(points[0].x == 0);
        assert_true(points[kept - 1].x == (double)(count - 1));
        for (size_t i = 0; i < kept; i++) {
            assert_true(i == 0 || points[i].x > points[i - 1].x);
            assert_true(points[i].y == all[(size_t)points[i].x].y);
            has_low = has_low || points[i].x == (double)low;
            has_high = has_high || points[i].x == (double)high;
        }
        if (!has_low || !has_high)
            fail_msg("trial %d: %zu of at most %zu points lack an extreme",
                     trial, count, most);
    }
}

static void thinning_prefers_numbers(void **state)
{
    struct nb_plot_point points[100];
    (void)state;
    for (int i = 0; i < 100; i++)
        points[i] = (struct nb_plot_point){ .x = i, .y = i == 50 ? 3 : NAN };
    const size_t kept = nb_plot_thin(points, 100, 4);
    bool has_number = false;
    for (size_t i = 0; i < kept; i++)
        has_number = has_number || points[i].y == 3;
    assert_true(has_number);
}

/* A plot of one series y(x) over 0, 1, .. */
static void start(struct nb_plot *plot, const double *y, size_t count,
                  unsigned style)
{
    *plot = (struct nb_plot){ .kind = NB_CHART_LINES,
                              .data = "quantities",
                              .x_name = "load",
                              .x_columns = "load",
                              .y_unit = "cycles" };
    nb_plot_add_series(plot, "", "latency", 0, style);
    for (size_t i = 0; i < count; i++)
        nb_plot_add_point(plot, (double)i, y[i], y[i], y[i], NULL);
}

static void bars_take_rows_together(void **state)
{
    static const double y[] = { 1, 2, 3, 4, 5, 6, 7 };
    struct nb_plot plot;
    (void)state;
    start(&plot, y, 7, 0);
    plot.series[0].bar_width = 1;
    nb_plot_set_bars(&plot, 0, 3); /* three rows each: 0-2, 3-5, 6-8 */
    const struct nb_plot_series *series = &plot.series[0];
    assert_int_equal(series->count, 3);
    static const double sums[] = { 6, 15, 7 }, middles[] = { 1, 4, 7 };
    for (size_t i = 0; i < 3; i++) {
        assert_true(series->points[i].y == sums[i]);
        assert_true(series->points[i].x == middles[i]);
    }
    assert_true(series->bar_width == 3);
    assert_true(series->bar_span == 2);
    assert_string_equal(plot.note.bytes, "each bar is up to 3 bins wide");
    nb_plot_release(&plot);
    start(&plot, y, 7, 0);
    plot.series[0].bar_width = 1;
    nb_plot_set_bars(&plot, 0.5, 100); /* x is the left end */
    assert_int_equal(plot.series[0].count, 7);
    assert_true(plot.series[0].points[2].x == 2.5);
    nb_plot_release(&plot);
}

static bool y_is_log(const double *y, size_t count)
{
    struct nb_plot plot;
    start(&plot, y, count, 0);
    nb_plot_choose_scales(&plot);
    const bool is_log = plot.is_log_y;
    nb_plot_release(&plot);
    return is_log;
}

static void scales_are_chosen(void **state)
{
    struct nb_plot plot;
    (void)state;
    assert_true(y_is_log((double[]){ 1, 5, 101 }, 3));
    assert_true(y_is_log((double[]){ 1, INFINITY, 101, NAN }, 4));
    assert_false(y_is_log((double[]){ 1, 5, 99 }, 3));
    assert_false(y_is_log((double[]){ 0, 5, 1000 }, 3));
    assert_false(y_is_log((double[]){ -1, 5, 1000 }, 3));
    static const double doubling[] = { 2, 4, 8, 16, 32, 64, 128 };
    for (int is_geometric = 0; is_geometric < 2; is_geometric++) {
        start(&plot, doubling, 0, 0);
        for (int i = 0; i < 7; i++)
            nb_plot_add_point(&plot, is_geometric ? doubling[i] : 1 + 20.0 * i,
                              1, 1, 1, NULL);
        nb_plot_choose_scales(&plot);
        assert_int_equal(plot.is_log_x, is_geometric);
        nb_plot_release(&plot);
    }
    /* A short progression, twice; three may be one by chance. */
    for (int count = 3; count <= 4; count++) {
        start(&plot, doubling, 0, 0);
        for (int i = 0; i < 2 * count; i++)
            nb_plot_add_point(&plot, doubling[i % count], 1, 1, 1, NULL);
        nb_plot_choose_scales(&plot);
        assert_int_equal(plot.is_log_x, count == 4);
        nb_plot_release(&plot);
    }
}

/* Draws the plot as a child of a document's root and counts an element of its
 * series; -1: no chart. */
static int count_drawn(struct nb_plot *plot, const char *element)
{
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
    int number = 0, count = 0;
    xmlDocSetRootElement(document, root);
    assert_int_equal(nb_plot_draw(plot, "r1", &number, root, NULL), NB_OK);
    const xmlNode *chart = xmlFirstElementChild(root);
    assert_int_equal(number, chart != NULL);
    for (xmlNode *series = chart != NULL ? chart->children : NULL;
         series != NULL; series = series->next)
        for (xmlNode *node = series->children; node != NULL; node = node->next)
            count += strcmp((const char *)series->name, "series") == 0 &&
                     strcmp((const char *)node->name, element) == 0;
    xmlFreeDoc(document);
    assert_int_equal(nb_memory_live_blocks(), 0);
    return chart != NULL ? count : -1;
}

static int count_of(const double *y, size_t count, bool is_log,
                    const char *element)
{
    struct nb_plot plot;
    start(&plot, y, count, NB_PLOT_LINE | NB_PLOT_POINTS | NB_PLOT_BAND);
    plot.is_log_y = is_log;
    return count_drawn(&plot, element);
}

static void lines_break_at_what_has_no_place(void **state)
{
    (void)state;
    const double inf = INFINITY;
    assert_int_equal(count_of((double[]){ 1, 2, 3 }, 3, false, "line"), 1);
    assert_int_equal(count_of((double[]){ 1, 2, NAN, 3, 4 }, 5, false, "line"),
                     2);
    assert_int_equal(count_of((double[]){ 1, 2, NAN, 3, 4 }, 5, false, "point"),
                     4);
    /* Infinities are marked at the edge. */
    assert_int_equal(
        count_of((double[]){ 1, 2, inf, inf, inf }, 5, false, "point"), 5);
    assert_int_equal(
        count_of((double[]){ 1, 2, inf, inf, inf }, 5, false, "line"), 1);
    /* Zero has no place on a logarithmic axis; a single point makes no line. */
    assert_int_equal(count_of((double[]){ 1, 0, 3 }, 3, true, "line"), 0);
    assert_int_equal(count_of((double[]){ 1, 0, 3 }, 3, true, "point"), 2);
}

/* Four settled values up to 20, one without a known limit, and one that is
 * infinite: the axis covers only the settled ones. */
static void axes_follow_settled_values(void **state)
{
    static const double y[] = { 4, 6, 9, 18, 620, INFINITY };
    static const double upper[] = { 4, 6, 9, 19, INFINITY, INFINITY };
    struct nb_plot plot;
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
    int number = 0;
    (void)state;
    xmlDocSetRootElement(document, root);
    start(&plot, y, 0, NB_PLOT_LINE | NB_PLOT_BAND | NB_PLOT_POINTS);
    for (size_t i = 0; i < 6; i++)
        nb_plot_add_point(&plot, (double)i, y[i], fmin(y[i], 500), upper[i],
                          NULL);
    assert_int_equal(nb_plot_draw(&plot, "r1", &number, root, NULL), NB_OK);
    xmlNodePtr chart = nb_chart_child(root, "chart", 0);
    xmlNodePtr bottom = nb_chart_child(chart, "axis", 0);
    xmlNodePtr left = nb_chart_child(chart, "axis", 1);
    const size_t ticks = nb_chart_count(left, "tick");
    assert_true(
        nb_chart_is(nb_chart_child(left, "tick", ticks - 1), "label", "20"));
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    assert_int_equal(nb_chart_count(series, "point"), 6);
    for (size_t i = 0; i < 6; i++) {
        xmlNodePtr point = nb_chart_child(series, "point", i);
        assert_int_equal(xmlHasProp(point, BAD_CAST "edge") != NULL, i >= 4);
        if (i >= 4)
            assert_true(nb_chart_number(point, "y") ==
                        nb_chart_number(left, "to"));
    }
    /* It saturates between the last settled value and the infinite one. */
    xmlNodePtr limit = nb_chart_child(chart, "limit", 0);
    assert_int_equal(nb_chart_count(chart, "limit"), 1);
    assert_true(nb_chart_is(limit, "label", "saturation between 3 and 5"));
    assert_true(fabs(nb_chart_number(limit, "at") -
                     nb_chart_number(nb_chart_child(bottom, "tick", 4), "at")) <
                0.02);
    xmlFreeDoc(document);
}

/* Three points without an upper limit: no band to the edge, but an arrow up
 * from each. */
static void points_without_limit_have_arrows(void **state)
{
    static const double y[] = { 4, 6, 9 };
    struct nb_plot plot;
    xmlDocPtr document = xmlNewDoc(BAD_CAST "1.0");
    xmlNodePtr root = xmlNewDocNode(document, NULL, BAD_CAST "report", NULL);
    int number = 0;
    (void)state;
    xmlDocSetRootElement(document, root);
    start(&plot, y, 0, NB_PLOT_LINE | NB_PLOT_BAND | NB_PLOT_POINTS);
    for (size_t i = 0; i < 3; i++)
        nb_plot_add_point(&plot, (double)i, y[i], y[i] - 1, INFINITY, NULL);
    assert_int_equal(nb_plot_draw(&plot, "r1", &number, root, NULL), NB_OK);
    xmlNodePtr chart = nb_chart_child(root, "chart", 0);
    xmlNodePtr series = nb_chart_child(chart, "series", 0);
    assert_int_equal(nb_chart_count(series, "band"), 0);
    assert_int_equal(nb_chart_count(series, "point"), 3);
    for (size_t i = 0; i < 3; i++) {
        xmlNodePtr point = nb_chart_child(series, "point", i);
        assert_true(nb_chart_is(point, "open", "yes"));
        assert_true(nb_chart_is(point, "up", "yes"));
        assert_true(nb_chart_number(point, "high") <=
                    nb_chart_number(point, "y"));
        assert_true(nb_chart_number(point, "low") >
                    nb_chart_number(point, "y"));
    }
    assert_true(nb_chart_is(chart, "note",
                            "hollow points are not known to be stable; an "
                            "arrow up marks one without a known limit"));
    xmlFreeDoc(document);
}

static void nothing_to_show_is_no_chart(void **state)
{
    (void)state;
    assert_int_equal(count_of(NULL, 0, false, "line"), -1);
    assert_int_equal(count_of((double[]){ 5 }, 1, false, "line"), -1);
    assert_int_equal(count_of((double[]){ NAN, NAN }, 2, false, "line"), -1);
    assert_int_equal(
        count_of((double[]){ INFINITY, INFINITY }, 2, false, "line"), -1);
    assert_int_equal(count_of((double[]){ -1, 0, -5 }, 3, true, "line"), -1);
    assert_int_equal(count_of((double[]){ 5, 5 }, 2, false, "line"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thinning_keeps_extremes),
        cmocka_unit_test(thinning_prefers_numbers),
        cmocka_unit_test(bars_take_rows_together),
        cmocka_unit_test(scales_are_chosen),
        cmocka_unit_test(lines_break_at_what_has_no_place),
        cmocka_unit_test(axes_follow_settled_values),
        cmocka_unit_test(points_without_limit_have_arrows),
        cmocka_unit_test(nothing_to_show_is_no_chart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
