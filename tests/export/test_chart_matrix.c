/* Permutations and traffic drawn as matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/drawn.h"

#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double middle(xmlNodePtr cell, const char *place, const char *size)
{
    return nb_drawn_number(cell, place) + nb_drawn_number(cell, size) / 2;
}

/* A report with a random permutation as a table of pairs; its charts. */
static xmlNodePtr draw_permutation(uint32_t count, uint32_t *permutation)
{
    struct nb_report report = { 0 };
    struct nb_random random;
    int64_t *rows = nb_new_array(2 * (size_t)count, sizeof *rows);
    assert_non_null(rows);
    nb_random_init(&random, 7, count);
    nb_random_permutation(&random, count, permutation);
    struct nb_point *point = nb_drawn_report(&report, "ring:4");
    for (uint32_t i = 0; i < count; i++) {
        rows[2 * i] = i;
        rows[2 * i + 1] = permutation[i];
    }
    nb_drawn_add_rows(point, "permutation", "source,destination", count, 2,
                      rows);
    xmlNodePtr charts = nb_drawn_charts(&report);
    nb_delete(rows);
    nb_report_release(&report);
    return charts;
}

/* The number on an axis for the place of a cell, from its ticks 0 and the
 * last. */
static double read_axis(xmlNodePtr axis, double place)
{
    const size_t ticks = nb_drawn_count(axis, "tick");
    xmlNodePtr first = nb_drawn_child(axis, "tick", 0);
    xmlNodePtr last = nb_drawn_child(axis, "tick", ticks - 1);
    const double from = nb_drawn_number(first, "at");
    const double to = nb_drawn_number(last, "at");
    assert_string_equal(nb_drawn_text(first, "label"), "0");
    return nb_drawn_number(last, "label") * (place - from) / (to - from);
}

/* Every pair has a cell, at its place by the axes, within the chart. */
static void check_pairs(uint32_t count)
{
    uint32_t permutation[4096];
    xmlNodePtr charts = draw_permutation(count, permutation);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    xmlNodePtr bottom = nb_drawn_child(chart, "axis", 0);
    xmlNodePtr left = nb_drawn_child(chart, "axis", 1);
    bool *is_found = nb_new_array(count, sizeof *is_found);
    assert_non_null(is_found);
    assert_string_equal(nb_drawn_text(chart, "kind"), "matrix");
    assert_string_equal(nb_drawn_text(chart, "x"), "source");
    assert_string_equal(nb_drawn_text(chart, "y"), "destination");
    assert_string_equal(nb_drawn_text(chart, "value"), "");
    assert_string_equal(nb_drawn_text(bottom, "side"), "bottom");
    assert_string_equal(nb_drawn_text(left, "side"), "left");
    assert_true(nb_drawn_number(left, "from") > nb_drawn_number(left, "to"));
    assert_int_equal(nb_drawn_count(chart, "cell"), count);
    for (xmlNodePtr cell = nb_drawn_child(chart, "cell", 0); cell != NULL;
         cell = cell->next) {
        const double x = middle(cell, "x", "width");
        const double y = middle(cell, "y", "height");
        const long source = lrint(read_axis(bottom, x));
        const long destination = lrint(read_axis(left, y));
        char title[64];
        assert_in_range(source, 0, count - 1);
        snprintf(title, sizeof title, "terminal %ld to terminal %u", source,
                 permutation[source]);
        assert_string_equal(nb_drawn_text(cell, "title"), title);
        assert_int_equal(destination, permutation[source]);
        assert_false(is_found[source]);
        is_found[source] = true;
        assert_int_equal((int)nb_drawn_number(cell, "level"), 8);
        assert_true(x > 60 && x < 640 && y > 0 &&
                    y < nb_drawn_number(chart, "height") - 48);
    }
    nb_delete(is_found);
    xmlFreeDoc(charts->doc);
}

static void pairs_stand_where_the_axes_say(void **state)
{
    (void)state;
    check_pairs(4);
    check_pairs(16);
    check_pairs(64);
    check_pairs(65);
    check_pairs(256);
    check_pairs(4096);
}

/* Above 4096 pairs, cells count those of a range, and none is lost. */
static void many_pairs_are_counted(void **state)
{
    enum { COUNT = 5000, RANGE = 79 };
    static uint32_t permutation[COUNT];
    size_t counted[64][64] = { { 0 } }, largest = 0;
    (void)state;
    xmlNodePtr charts = draw_permutation(COUNT, permutation);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t sum = ++counted[i / RANGE][permutation[i] / RANGE];
        largest = sum > largest ? sum : largest;
    }
    size_t cells = 0;
    for (xmlNodePtr cell = nb_drawn_child(chart, "cell", 0);
         cell != NULL && strcmp((const char *)cell->name, "cell") == 0;
         cell = cell->next, cells++) {
        unsigned from, to, sum;
        assert_int_equal(sscanf(nb_drawn_text(cell, "title"),
                                "terminals %u to %*u to terminals %u to %*u: "
                                "%u pairs",
                                &from, &to, &sum),
                         3);
        assert_int_equal(from % RANGE + to % RANGE, 0);
        assert_int_equal(counted[from / RANGE][to / RANGE], sum);
        assert_int_equal((size_t)nb_drawn_number(cell, "level"),
                         (8 * sum + largest - 1) / largest);
    }
    size_t wanted = 0;
    for (size_t i = 0; i < 64 * 64; i++)
        wanted += counted[i / 64][i % 64] > 0;
    assert_int_equal(cells, wanted);
    assert_int_equal(nb_drawn_count(chart, "scale"), 1);
    xmlFreeDoc(charts->doc);
}

/* Rates of the same pair are added; levels depend on the largest sum, 4. */
static void traffic_is_added_up(void **state)
{
    static const int64_t rows[] = {
        0, 1, 1, 2, 0, 3, 0, 1, 2, 1, 1, 1, 0, 1, 1
    };
    static const struct {
        const char *title;
        int level;
    } wanted[] = {
        { "router 2 to router 0: rate 3 packets/cycle", 6 },
        { "router 0 to router 1: rate 4 packets/cycle", 8 },
        { "router 1 to router 1: rate 1 packets/cycle", 2 },
    };
    struct nb_report report = { 0 };
    (void)state;
    struct nb_point *point = nb_drawn_report(&report, "ring:3");
    nb_drawn_add_rows(point, "traffic",
                      "source,destination,rate [packets/cycle]", 5, 3, rows);
    xmlNodePtr charts = nb_drawn_charts(&report);
    xmlNodePtr chart = nb_drawn_child(charts, "chart", 0);
    assert_int_equal(nb_drawn_count(chart, "cell"), 3);
    assert_string_equal(nb_drawn_text(chart, "value"), "rate");
    for (size_t i = 0; i < 3; i++) {
        xmlNodePtr cell = nb_drawn_child(chart, "cell", i);
        assert_string_equal(nb_drawn_text(cell, "title"), wanted[i].title);
        assert_int_equal((int)nb_drawn_number(cell, "level"), wanted[i].level);
    }
    xmlFreeDoc(charts->doc);
    nb_report_release(&report);
}

static void check_words(const int64_t *rows, size_t count, const char *wanted)
{
    struct nb_report report = { 0 };
    struct nb_point *point = nb_drawn_report(&report, "ring:4");
    nb_drawn_add_rows(point, "permutation", "source,destination", count, 2,
                      rows);
    xmlNodePtr charts = nb_drawn_charts(&report);
    assert_string_equal(
        nb_drawn_text(nb_drawn_child(charts, "chart", 0), "description"),
        wanted);
    xmlFreeDoc(charts->doc);
    nb_report_release(&report);
}

static void one_is_no_plural(void **state)
{
    (void)state;
    check_words((const int64_t[]){ 0, 0 }, 1,
                "1 pair of source and destination among 1 terminal; 1 of them "
                "sends to itself.");
    check_words((const int64_t[]){ 0, 1, 1, 0, 2, 2 }, 3,
                "3 pairs of source and destination among 3 terminals; 1 of "
                "them sends to itself.");
    check_words((const int64_t[]){ 0, 1, 1, 0 }, 2,
                "2 pairs of source and destination among 2 terminals; 0 of "
                "them send to themselves.");
}

static void tables_without_pairs_are_not_drawn(void **state)
{
    static const struct {
        const char *name, *columns;
        int64_t rows[4];
        size_t count;
    } tables[] = {
        { "permutation", "source,destination", { 0, 1, 1, -1 }, 2 },
        { "permutation", "source,destination", { 0 }, 0 },
        { "permutation", "source,target", { 0, 1, 1, 0 }, 2 },
        { "permutations", "source,destination", { 0, 1, 1, 0 }, 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct nb_report report = { 0 };
        struct nb_point *point = nb_drawn_report(&report, "ring:4");
        nb_drawn_add_rows(point, tables[i].name, tables[i].columns,
                          tables[i].count, 2, tables[i].rows);
        xmlNodePtr charts = nb_drawn_charts(&report);
        assert_int_equal(nb_drawn_count(charts, "chart"), 0);
        xmlFreeDoc(charts->doc);
        nb_report_release(&report);
    }
}

static void failing_allocations_leak_nothing(void **state)
{
    struct nb_report report = { 0 };
    (void)state;
    struct nb_point *point = nb_drawn_report(&report, "ring:4");
    nb_drawn_add_rows(point, "permutation", "source,destination", 2, 2,
                      (const int64_t[]){ 0, 1, 1, 0 });
    nb_drawn_add_rows(point, "traffic", "source,destination,rate", 1, 3,
                      (const int64_t[]){ 0, 1, 1 });
    nb_drawn_fail_memory(&report);
    nb_report_release(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_stand_where_the_axes_say),
        cmocka_unit_test(many_pairs_are_counted),
        cmocka_unit_test(traffic_is_added_up),
        cmocka_unit_test(one_is_no_plural),
        cmocka_unit_test(tables_without_pairs_are_not_drawn),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
