/* One quantity over two or more sweeps: which one becomes the columns, and that
 * every value is in its place. */
#include "report/layout.h"

#include "core/memory.h"
#include "core/random.h"

#include "../support/example_report.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cell of a pivot for a point of three sweeps; NULL if it has none. */
static const struct nb_layout_cell *find_cell(const struct nb_layout *layout,
                                              const struct nb_point *point)
{
    const size_t columns = layout->column_count;
    for (size_t r = 0; r < layout->cell_count / columns; r++) {
        const struct nb_layout_cell *row = &layout->cells[r * columns];
        bool is_row = true;
        for (size_t i = 0; i < 2; i++)
            is_row = is_row && strcmp(nb_layout_text(layout, &row[i]),
                                      point->settings[i].value) == 0;
        for (size_t i = 2; i < columns && is_row; i++)
            if (strcmp(layout->columns[i].name, point->settings[2].value) == 0)
                return &row[i];
    }
    return NULL;
}

/* Three sweeps of random length, in all combinations of their values. */
static void random_sweeps(struct nb_random *random, struct nb_report *report)
{
    size_t count[3], place[3];
    for (size_t i = 0; i < 3; i++)
        count[i] = 1 + nb_random_below(random, 5);
    for (place[0] = 0; place[0] < count[0]; place[0]++)
        for (place[1] = 0; place[1] < count[1]; place[1]++)
            for (place[2] = 0; place[2] < count[2]; place[2]++) {
                struct nb_point *point = nb_report_add_point(report);
                for (size_t i = 0; i < 3; i++) {
                    char name[8], value[24];
                    snprintf(name, sizeof name, "s%zu", i);
                    snprintf(value, sizeof value, "%zu.%zu", place[i], i);
                    nb_point_add_setting(point, name, value);
                }
                if (nb_random_below(random, 8) > 0)
                    nb_point_add_bracket(point, "q", nb_random_unit(random),
                                         1 + nb_random_unit(random), "", "",
                                         "");
            }
}

static void every_value_of_a_pivot_is_that_of_its_point(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 20, 0);
    for (int trial = 0; trial < 200; trial++) {
        struct nb_report report = { 0 };
        struct nb_layout layout;
        random_sweeps(&random, &report);
        assert_int_equal(nb_layout_pivot(&report, "q", SIZE_MAX, &layout, NULL),
                         NB_OK);
        assert_int_equal(layout.row_count * (layout.column_count - 2),
                         report.point_count);
        for (size_t p = 0; p < report.point_count; p++) {
            const struct nb_point *point = &report.points[p];
            const struct nb_quantity *quantity = nb_point_quantity(point, "q");
            const struct nb_layout_cell *cell = find_cell(&layout, point);
            assert_non_null(cell);
            const char *raw = nb_layout_raw(&layout, cell);
            const bool is_right =
                quantity == NULL
                    ? strcmp(nb_layout_text(&layout, cell), "-") == 0
                    : raw != NULL && strtod(raw, NULL) == quantity->value;
            if (!is_right)
                print_error("trial %d, point %zu\n", trial, p);
            assert_true(is_right);
        }
        nb_layout_release(&layout);
        nb_report_release(&report);
    }
}

/* A point of two sweeps and one number. */
static void add_number(struct nb_report *report, int traffic, int load,
                       double value)
{
    struct nb_point *point = nb_report_add_point(report);
    char text[16];
    snprintf(text, sizeof text, "t%d", traffic);
    nb_point_add_setting(point, "traffic", text);
    snprintf(text, sizeof text, "%d", load);
    nb_point_add_setting(point, "load", text);
    nb_point_add_bracket(point, "q", value, value, "", "", "");
}

/* If the last sweep has too many values, those of another become the
 * columns. */
static void the_sweep_of_few_values_goes_across(void **state)
{
    enum { LOADS = NB_PIVOT_COLUMNS + 1, TRAFFICS = 3 };
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    for (int t = 0; t < TRAFFICS; t++)
        for (int load = 0; load < LOADS; load++)
            add_number(&report, t, load, 100 * t + load);
    assert_int_equal(nb_layout_pivot(&report, "q", SIZE_MAX, &layout, NULL),
                     NB_OK);
    assert_string_equal(layout.over, "traffic");
    assert_int_equal(layout.column_count, 1 + TRAFFICS);
    assert_true(layout.columns[0].is_setting);
    assert_int_equal(layout.row_count, LOADS);
    for (int load = 0; load < LOADS; load++) {
        const struct nb_layout_cell *row =
            &layout.cells[(size_t)load * layout.column_count];
        assert_int_equal(atoi(nb_layout_text(&layout, &row[0])), load);
        for (int t = 0; t < TRAFFICS; t++)
            assert_int_equal(atoi(nb_layout_text(&layout, &row[1 + t])),
                             100 * t + load);
    }
    nb_layout_release(&layout);
    assert_int_equal(nb_layout_pivot(&report, "q", 2, &layout, NULL), NB_OK);
    assert_int_equal(layout.row_count, LOADS);
    assert_int_equal(layout.cell_count, 2 * layout.column_count);
    nb_layout_release(&layout);
    nb_report_release(&report);
}

/* Points that are missing or out of order keep their values. */
static void no_point_is_lost_where_another_sweep_goes_across(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    size_t found = 0;
    for (int t = 0; t < 2; t++)
        for (int load = t; load <= NB_PIVOT_COLUMNS; load++)
            add_number(&report, t, load, 100 * (t + 1) + load);
    add_number(&report, 0, 0, 300);
    assert_int_equal(nb_layout_pivot(&report, "q", SIZE_MAX, &layout, NULL),
                     NB_OK);
    for (size_t i = 0; i < layout.cell_count; i++)
        found += i % layout.column_count > 0 &&
                 atoi(nb_layout_text(&layout, &layout.cells[i])) >= 100;
    assert_int_equal(found, report.point_count);
    nb_layout_release(&layout);
    nb_report_release(&report);
}

static void a_pivot_has_two_sweeps_and_few_columns(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    nb_example_report(&report, true); /* one sweep */
    assert_int_equal(nb_layout_pivot(&report, "hops", 9, &layout, NULL), NB_OK);
    assert_int_equal(layout.column_count, 0);
    nb_report_release(&report);
    for (int i = 0; i <= NB_PIVOT_COLUMNS; i++)
        add_number(&report, i, i, i);
    assert_int_equal(nb_layout_pivot(&report, "q", 9, &layout, NULL), NB_OK);
    assert_int_equal(layout.column_count, 0);
    report.point_count--;
    assert_int_equal(nb_layout_pivot(&report, "q", 9, &layout, NULL), NB_OK);
    assert_int_equal(layout.column_count, 1 + NB_PIVOT_COLUMNS);
    assert_string_equal(layout.over, "load");
    nb_layout_release(&layout);
    report.point_count++;
    nb_report_release(&report);
}

static void failing_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    for (int t = 0; t < 2; t++)
        for (int load = 0; load <= 2 * NB_PIVOT_COLUMNS; load++)
            add_number(&report, t, load, load);
    const long blocks = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        nb_memory_allow(allowed);
        status = nb_layout_pivot(&report, "q", SIZE_MAX, &layout, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_layout_release(&layout);
        assert_int_equal(nb_memory_live_blocks(), blocks);
    }
    assert_int_equal(status, NB_OK);
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_of_a_pivot_is_that_of_its_point),
        cmocka_unit_test(the_sweep_of_few_values_goes_across),
        cmocka_unit_test(no_point_is_lost_where_another_sweep_goes_across),
        cmocka_unit_test(a_pivot_has_two_sweeps_and_few_columns),
        cmocka_unit_test(failing_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
