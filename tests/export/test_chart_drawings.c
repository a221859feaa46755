/* Which tables of a report are drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/drawn.h"
#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static int64_t load_of(size_t channel)
{
    return (int64_t)(channel * 11 % 13);
}

/* The file that the network was read from, changed and gone. */
static void changed_files_are_not_drawn(void **state)
{
    static const char before[] = "a b\nb c\nc a\n", after[] = "a c\nc b\nb a\n";
    struct nb_report report = { 0 };
    struct nb_topology topology = { 0 };
    char path[NB_SCRATCH_PATH], specification[NB_SCRATCH_PATH + 8];
    (void)state;
    nb_scratch_name("triangle.txt", path);
    nb_scratch_write(path, before, sizeof before - 1);
    snprintf(specification, sizeof specification, "file:%s", path);
    topology_must_build(specification, &topology);
    struct nb_point *point = nb_drawn_report(&report, specification);
    nb_drawn_add_loads(&topology, point, load_of);
    assert_int_equal(nb_model_pin_inputs(&report.model, NULL), NB_OK);
    for (int change = 0; change < 3; change++) {
        if (change == 1)
            nb_scratch_write(path, after, sizeof after - 1);
        if (change == 2)
            assert_int_equal(remove(path), 0);
        xmlNodePtr charts = nb_drawn_charts(&report);
        assert_int_equal(nb_drawn_count(charts, "chart"), change == 0);
        xmlFreeDoc(charts->doc);
    }
    nb_topology_release(&topology);
    nb_report_release(&report);
}

static void tables_that_do_not_fit_are_not_drawn(void **state)
{
    static const char *const topologies[] = { "ring:5", "ring:3",
                                              "ring:", "torus:2x2", "" };
    static const char columns[] = "channel,source,target,load";
    struct nb_topology ring = { 0 };
    int64_t rows[8][4];
    (void)state;
    topology_must_build("ring:4", &ring);
    for (size_t c = 0; c < 8; c++) {
        rows[c][0] = (int64_t)c;
        rows[c][1] = ring.channels[c].source;
        rows[c][2] = ring.channels[c].target;
        rows[c][3] = 1;
    }
    nb_topology_release(&ring);
    /* Another network; a row too few; another source, target, channel. */
    for (int wrong = 0; wrong < 10; wrong++) {
        struct nb_report report = { 0 };
        int64_t changed[8][4];
        memcpy(changed, rows, sizeof rows);
        if (wrong >= 7)
            changed[5][wrong - 7] = wrong == 7 ? 8 : 1 - changed[5][wrong - 7];
        struct nb_point *point = nb_drawn_report(
            &report,
            wrong >= 1 && wrong < 6 ? topologies[wrong - 1] : "ring:4");
        nb_drawn_add_rows(point, "channels", columns, wrong == 6 ? 7 : 8, 4,
                          &changed[0][0]);
        xmlNodePtr charts = nb_drawn_charts(&report);
        if (nb_drawn_count(charts, "chart") != (wrong == 0))
            fail_msg("table %d is drawn %zu times", wrong,
                     nb_drawn_count(charts, "chart"));
        xmlFreeDoc(charts->doc);
        nb_report_release(&report);
    }
}

/* A setting of the point. */
static void set_swept(struct nb_point *point, const char *value)
{
    point->settings = nb_new_array(1, sizeof *point->settings);
    assert_non_null(point->settings);
    point->setting_count = 1;
    point->settings[0].name = nb_new_string("topology.groups");
    point->settings[0].value = nb_new_string(value);
}

/* Six points of a sweep over a part of the topology: the first, the second, the
 * fourth and the last are drawn, each with its own network, and the first of
 * them states this. */
static void of_a_sweep_four_points_are_drawn(void **state)
{
    struct nb_report report = { 0 };
    (void)state;
    nb_drawn_report(&report, "dragonfly:1");
    for (int groups = 2; groups < 8; groups++) {
        struct nb_topology topology = { 0 };
        char text[64];
        struct nb_point *point =
            groups == 2 ? &report.points[0] : nb_report_add_point(&report);
        snprintf(text, sizeof text, "%d", groups % 2 + 2);
        set_swept(point, text);
        snprintf(text, sizeof text, "dragonfly:1,groups=%d", groups % 2 + 2);
        topology_must_build(text, &topology);
        nb_drawn_add_loads(&topology, point, load_of);
        nb_topology_release(&topology);
    }
    xmlNodePtr charts = nb_drawn_charts(&report);
    assert_int_equal(nb_drawn_count(charts, "chart"), 4);
    for (size_t i = 0; i < 4; i++) {
        xmlNodePtr chart = nb_drawn_child(charts, "chart", i);
        const char *note = nb_drawn_text(chart, "note");
        assert_int_equal(nb_drawn_count(chart, "router"), i == 0 ? 4 : 6);
        assert_int_equal(
            strstr(note, "all points have one scale; 4 of 6 points are drawn, "
                         "spread over the sweep") != NULL,
            i == 0);
        xmlNodePtr at = nb_drawn_child(chart, "at", 0);
        assert_int_equal(nb_drawn_count(chart, "at"), 1);
        assert_string_equal(nb_drawn_text(at, "name"), "topology.groups");
        assert_string_equal(nb_drawn_text(at, "value"), i == 0 ? "2" : "3");
    }
    assert_string_equal(
        nb_drawn_text(nb_drawn_child(charts, "chart", 1), "title"),
        "Load of the channels at topology.groups 3");
    xmlFreeDoc(charts->doc);
    nb_report_release(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_files_are_not_drawn),
        cmocka_unit_test(tables_that_do_not_fit_are_not_drawn),
        cmocka_unit_test(of_a_sweep_four_points_are_drawn),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
