/* Networks drawn: the wires, routers and cells show the values of the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/drawn.h"
#include "../support/topology_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 0 .. 12. */
enum { MOST_LOAD = 12 };
static int64_t load_of(size_t channel)
{
    return (int64_t)(channel * 11 % (MOST_LOAD + 1));
}

/* A report with loads, its charts, and the network. */
struct example {
    struct nb_report report;
    struct nb_topology topology;
    xmlNodePtr charts;
};

static void open_example(struct example *example, const char *specification)
{
    *example = (struct example){ 0 };
    topology_must_build(specification, &example->topology);
    struct nb_point *point = nb_drawn_report(&example->report, specification);
    nb_drawn_add_loads(&example->topology, point, load_of);
    example->charts = nb_drawn_charts(&example->report);
}

static void close_example(struct example *example)
{
    xmlFreeDoc(example->charts->doc);
    nb_topology_release(&example->topology);
    nb_report_release(&example->report);
}

/* Distance from the middle of the router to an end of the wire. */
static double to_router(xmlNodePtr chart, xmlNodePtr wire, const char *x,
                        const char *y, uint32_t router)
{
    xmlNodePtr node = nb_drawn_child(chart, "router", router);
    return hypot(nb_drawn_number(wire, x) - nb_drawn_number(node, "x"),
                 nb_drawn_number(wire, y) - nb_drawn_number(node, "y"));
}

/* Wires are in the order of channels, and those of one channel are adjacent. */
static void check_wires(const char *specification, size_t stubs)
{
    struct example example;
    open_example(&example, specification);
    assert_int_equal(nb_drawn_count(example.charts, "chart"), 1);
    xmlNodePtr chart = nb_drawn_child(example.charts, "chart", 0);
    xmlNodePtr wire = nb_drawn_child(chart, "wire", 0);
    assert_string_equal(nb_drawn_text(chart, "kind"), "network");
    assert_string_equal(nb_drawn_text(chart, "data"), "channels");
    assert_int_equal(nb_drawn_count(chart, "wire"),
                     example.topology.channel_count + stubs);
    assert_int_equal(nb_drawn_count(chart, "router"),
                     example.topology.router_count);
    const double radius =
        nb_drawn_number(nb_drawn_child(chart, "router", 0), "r");
    for (size_t c = 0; c < example.topology.channel_count; c++) {
        const struct nb_channel *way = &example.topology.channels[c];
        const int64_t load = load_of(c);
        char title[128];
        snprintf(title, sizeof title,
                 "channel %zu, router %u to router %u: load %d packets/cycle",
                 c, way->source, way->target, (int)load);
        assert_true(fabs(to_router(chart, wire, "x1", "y1", way->source) -
                         radius) < 0.02);
        for (xmlNodePtr next = wire;; wire = next) {
            assert_string_equal(nb_drawn_text(wire, "title"), title);
            assert_int_equal((int)nb_drawn_number(wire, "level"),
                             (8 * load + MOST_LOAD - 1) / MOST_LOAD);
            next = wire->next;
            if (strcmp((const char *)next->name, "wire") != 0 ||
                strcmp(nb_drawn_text(next, "title"), title) != 0)
                break;
        }
        assert_true(fabs(to_router(chart, wire, "x2", "y2", way->target) -
                         radius) < 0.02);
        wire = wire->next;
    }
    close_example(&example);
}

static void wires_report_the_load_of_their_channel(void **state)
{
    (void)state;
    check_wires("mesh:4x6", 0);
    check_wires("torus:4x4", 16);
    check_wires("torus:3x3x3", 54);
    check_wires("ring:8", 0);
    check_wires("hypercube:4", 0);
    check_wires("fattree:k=2,n=3", 0);
    check_wires("dragonfly:2", 0);
    check_wires("megafly:2", 0);
    check_wires("hyperx:4x4", 0);
    check_wires("ccc:3", 0);
    check_wires("complete:8", 0);
}

static void scale_and_words_say_what_the_levels_mean(void **state)
{
    struct example example;
    (void)state;
    open_example(&example, "mesh:3x3");
    xmlNodePtr chart = nb_drawn_child(example.charts, "chart", 0);
    xmlNodePtr scale = nb_drawn_child(chart, "scale", 0);
    assert_string_equal(nb_drawn_text(chart, "title"), "Load of the channels");
    assert_string_equal(nb_drawn_text(scale, "label"), "load [packets/cycle]");
    assert_int_equal(nb_drawn_count(scale, "step"), 9);
    static const char *const labels[] = { "0",     "≤ 1.5",  "≤ 3",
                                          "≤ 4.5", "≤ 6",    "≤ 7.5",
                                          "≤ 9",   "≤ 10.5", "≤ 12" };
    for (size_t level = 0; level < 9; level++) {
        xmlNodePtr step = nb_drawn_child(scale, "step", level);
        assert_int_equal((int)nb_drawn_number(step, "level"), level);
        assert_string_equal(nb_drawn_text(step, "label"), labels[level]);
    }
    /* 11 c = 12 mod 13 for c = 7 and 20. */
    const struct nb_channel *first = &example.topology.channels[7];
    char wanted[160];
    snprintf(wanted, sizeof wanted,
             "9 routers and 24 channels. The largest load, 12 packets/cycle, "
             "is that of 2 channels, the first of them from router %u to "
             "router %u.",
             first->source, first->target);
    assert_string_equal(nb_drawn_text(chart, "description"), wanted);
    xmlNodePtr router = nb_drawn_child(chart, "router", 5);
    assert_string_equal(nb_drawn_text(router, "title"),
                        "router 5, at (2, 1), 1 terminal");
    assert_string_equal(nb_drawn_text(router, "label"), "5");
    close_example(&example);
}

/* A load of 1 is four times as much for the OC-48 as for the other links. */
static int64_t load_one(size_t channel)
{
    (void)channel;
    return 1;
}

static void loads_are_compared_with_bandwidths(void **state)
{
    static const char path[] = "data/topologies/abilene.txt";
    struct nb_report report = { 0 };
    struct nb_topology topology = { 0 };
    (void)state;
    topology_must_build("file:data/topologies/abilene.txt", &topology);
    struct nb_point *point =
        nb_drawn_report(&report, "file:data/topologies/abilene.txt");
    nb_drawn_add_loads(&topology, point, load_one);
    xmlNodePtr charts = nb_drawn_charts(&report);
    assert_int_equal(nb_drawn_count(charts, "chart"), 0); /* no digest */
    xmlFreeDoc(charts->doc);
    assert_int_equal(nb_model_pin_inputs(&report.model, NULL), NB_OK);
    assert_string_equal(report.model.inputs[0].path, path);
    charts = nb_drawn_charts(&report);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    for (uint32_t c = 0; c < topology.channel_count; c++) {
        xmlNodePtr wire = nb_drawn_child(chart, "wire", c);
        const char *title = nb_drawn_text(wire, "title");
        const bool is_narrow = strstr(title, "Atlanta to Indianapolis") ||
                               strstr(title, "Indianapolis to Atlanta");
        assert_int_equal((int)nb_drawn_number(wire, "level"),
                         is_narrow ? 8 : 2);
        assert_non_null(
            strstr(title, is_narrow ? "load/bandwidth 4" : "load/bandwidth 1"));
    }
    assert_string_equal(
        nb_drawn_text(nb_drawn_child(chart, "router", 0), "label"), "Seattle");
    xmlFreeDoc(charts->doc);
    nb_topology_release(&topology);
    nb_report_release(&report);
}

/* If the table has a single channel, it is highlighted, both its stubs on a
 * torus. */
static void the_worst_channel_stands_out(void **state)
{
    struct nb_report report = { 0 };
    struct nb_topology topology = { 0 };
    (void)state;
    topology_must_build("torus:4x4", &topology);
    const uint32_t worst = topology_find_channel(&topology, 0, 3);
    struct nb_point *point = nb_drawn_report(&report, "torus:4x4");
    nb_drawn_add_rows(point, "worst_channel",
                      "channel,source,target,bandwidth,load [packets/cycle]", 1,
                      5, (const int64_t[]){ worst, 0, 3, 1, 2 });
    xmlNodePtr charts = nb_drawn_charts(&report);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    xmlNodePtr scale = nb_drawn_child(chart, "scale", 0);
    size_t hot = 0;
    /* Not the number of such channels: others may have the same load. */
    assert_string_equal(
        nb_drawn_text(chart, "description"),
        "16 routers and 64 channels. The largest load, 2 packets/cycle, is "
        "found on the channel from router 0 to router 3.");
    for (size_t w = 0; w < 80; w++) {
        xmlNodePtr wire = nb_drawn_child(chart, "wire", w);
        const char *title = nb_drawn_text(wire, "title");
        const bool is_worst = strstr(title, ", router 0 to router 3") != NULL;
        assert_int_equal((int)nb_drawn_number(wire, "level"), is_worst ? 8 : 0);
        assert_int_equal(strstr(title, "load 2 packets/cycle") != NULL,
                         is_worst);
        hot += is_worst;
    }
    assert_int_equal(hot, 2);
    assert_int_equal(nb_drawn_count(scale, "step"), 2);
    assert_string_equal(
        nb_drawn_text(nb_drawn_child(scale, "step", 1), "label"), "2");
    xmlFreeDoc(charts->doc);
    nb_topology_release(&topology);
    nb_report_release(&report);
}

static int64_t load_zero(size_t channel)
{
    (void)channel;
    return 0;
}

/* Nothing is sent: a network without colours, and no worst channel. */
static void nothing_sent_has_one_level(void **state)
{
    struct nb_report report = { 0 };
    struct nb_topology topology = { 0 };
    (void)state;
    topology_must_build("ring:4", &topology);
    struct nb_point *point = nb_drawn_report(&report, "ring:4");
    nb_drawn_add_loads(&topology, point, load_zero);
    nb_drawn_add_rows(
        point, "worst_channel", "channel,source,target,load", 1, 4,
        (const int64_t[]){ 0, 0, topology.channels[0].target, 0 });
    xmlNodePtr charts = nb_drawn_charts(&report);
    assert_int_equal(nb_drawn_count(charts, "chart"), 1);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    for (size_t c = 0; c < topology.channel_count; c++)
        assert_string_equal(
            nb_drawn_text(nb_drawn_child(chart, "wire", c), "level"), "0");
    assert_int_equal(nb_drawn_count(nb_drawn_child(chart, "scale", 0), "step"),
                     1);
    xmlFreeDoc(charts->doc);
    nb_topology_release(&topology);
    nb_report_release(&report);
}

static void failing_allocations_leak_nothing(void **state)
{
    static const char *const names[] = { "ring:4", "mesh:2x400" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct nb_report report = { 0 };
        struct nb_topology topology = { 0 };
        topology_must_build(names[i], &topology);
        struct nb_point *point = nb_drawn_report(&report, names[i]);
        nb_drawn_add_loads(&topology, point, i == 0 ? load_of : load_one);
        nb_topology_release(&topology);
        nb_drawn_fail_memory(&report);
        nb_report_release(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wires_report_the_load_of_their_channel),
        cmocka_unit_test(scale_and_words_say_what_the_levels_mean),
        cmocka_unit_test(loads_are_compared_with_bandwidths),
        cmocka_unit_test(the_worst_channel_stands_out),
        cmocka_unit_test(nothing_sent_has_one_level),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
