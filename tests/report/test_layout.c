/* Tables as people read them: what is shown, in which columns and rows. */
#include "report/layout.h"

#include "core/memory.h"
#include "report/shown.h"

#include "../support/example_report.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* A layout as text: columns separated by blanks, rows by bars, a raw text in
 * brackets, a ratio in braces. */
static void print_layout(const struct nb_layout *layout, struct nb_text *text)
{
    for (size_t i = 0; i < layout->column_count; i++) {
        const struct nb_layout_column *column = &layout->columns[i];
        nb_text_print(text, "%s%s%s%s%s", i > 0 ? " " : "", column->name,
                      *column->unit != '\0' ? ":" : "", column->unit,
                      column->is_setting ? "*" : "");
    }
    for (size_t i = 0; i < layout->cell_count; i++) {
        const struct nb_layout_cell *cell = &layout->cells[i];
        const char *raw = nb_layout_raw(layout, cell);
        nb_text_print(text, "%s%s", i % layout->column_count == 0 ? " | " : " ",
                      nb_layout_text(layout, cell));
        if (raw != NULL)
            nb_text_print(text, "[%s]", raw);
        if (nb_layout_exact(layout, cell) != NULL)
            nb_text_print(text, "{%s}", nb_layout_exact(layout, cell));
    }
}

static void layout_is(struct nb_layout *layout, const char *expected)
{
    struct nb_text text = { 0 };
    print_layout(layout, &text);
    assert_string_equal(text.bytes, expected);
    nb_text_release(&text);
    nb_layout_release(layout);
}

/* A point of two sweeps; a NULL value is not set, a ratio n/0 is unknown. */
static void add_point(struct nb_report *report, const char *routing,
                      const char *load, struct nb_ratio throughput)
{
    struct nb_point *point = nb_report_add_point(report);
    nb_point_add_setting(point, "routing", routing);
    nb_point_add_setting(point, "load", load);
    nb_point_add_exact(point, "hops", nb_ratio_make(5, 2), "hops", "", "A");
    if (nb_ratio_is_known(throughput))
        nb_point_add_exact(point, "throughput", throughput, "flits", "", "B");
}

static void two_sweeps(struct nb_report *report)
{
    const struct nb_ratio none = { 0, 0 };
    add_point(report, "dor", "0.5", nb_ratio_make(2, 7));
    add_point(report, "dor", "0.9", nb_ratio_infinity);
    add_point(report, "val", "0.5", none);
    add_point(report, "val", "0.9", nb_ratio_make(10000, 70001));
}

static void a_pivot_is_a_table_of_two_sweeps(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    two_sweeps(&report);
    assert_int_equal(
        nb_layout_pivot(&report, "throughput", SIZE_MAX, &layout, NULL), NB_OK);
    assert_string_equal(layout.over, "load");
    assert_string_equal(layout.unit, "flits");
    assert_int_equal(layout.row_count, 2);
    assert_int_equal(layout.sources.count, 1);
    assert_true(layout.columns[2].is_value && !layout.columns[0].is_value);
    layout_is(&layout,
              "routing* 0.5 0.9 | dor 0.285714[0.2857142857142857]{2/7} inf | "
              "val - 0.142855[0.14285510206997043]{10000/70001}");
    nb_report_release(&report);
}

static void only_shown_quantities_are_laid_out(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    two_sweeps(&report);
    assert_int_equal(nb_layout_shown(&report, 1, &layout, NULL), NB_OK);
    assert_int_equal(layout.row_count, 4);
    layout_is(&layout, "routing* load* hops:hops throughput:flits | "
                       "dor 0.5 2.5{5/2} 0.285714[0.2857142857142857]{2/7}");
    nb_model_set_show(&report.model, "throughput,hops", NULL);
    assert_int_equal(nb_layout_shown(&report, 1, &layout, NULL), NB_OK);
    layout_is(&layout, "routing* load* throughput:flits hops:hops | "
                       "dor 0.5 0.285714[0.2857142857142857]{2/7} 2.5{5/2}");
    nb_model_set_show(&report.model, "hops", NULL);
    assert_int_equal(nb_layout_shown(&report, 9, &layout, NULL), NB_OK);
    layout_is(&layout, "routing* 0.5 0.9 | dor 2.5{5/2} 2.5{5/2} | "
                       "val 2.5{5/2} 2.5{5/2}");
    nb_report_release(&report);
}

static void without_sweeps_quantities_are_a_list(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    nb_example_report(&report, false);
    nb_model_set_show(&report.model, "delay,throughput", NULL);
    assert_int_equal(nb_layout_shown(&report, 9, &layout, NULL), NB_OK);
    layout_is(&layout, "quantity value exact or bounds unit source | "
                       "delay inf  cycles  | throughput "
                       "0.285714[0.2857142857142857] 2/7 fraction of capacity "
                       "TowlesDally2002, section 3");
    nb_report_release(&report);
}

static void tables_show_the_columns_that_are_named(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    nb_example_report(&report, false);
    const struct nb_table *table =
        nb_point_table(&report.points[0], "channels");
    nb_model_set_show(&report.model, "channels.mean,channels.channel", NULL);
    assert_int_equal(nb_layout_table(table, &report.model, 9, &layout, NULL),
                     NB_OK);
    layout_is(&layout, "mean channel | 0.1 -3 | inf 12");
    assert_int_equal(nb_layout_shown(&report, 9, &layout, NULL), NB_OK);
    assert_int_equal(layout.column_count, 0);
    assert_int_equal(nb_layout_table(table, NULL, 1, &layout, NULL), NB_OK);
    assert_int_equal(layout.row_count, 2);
    layout_is(&layout, "channel load:packets/cycle mean label | "
                       "-3 0.333333[0.3333333333333333]{1/3} 0.1 say \"a\", b");
    nb_report_release(&report);
}

static void unknown_names_are_refused(void **state)
{
    static const struct {
        const char *show, *complaint;
    } cases[] = {
        { "troughput",
          "the answer has no \"troughput\" to show: did you mean "
          "\"throughput\"? (permitted: throughput, delay, hops; tables "
          "channels, duals)" },
        { "hops,channels.labl",
          "table channels has no column \"labl\" to show: did you mean "
          "\"label\"? (permitted: channel, load, mean, label)" },
        { "channelsx",
          "the answer has no \"channelsx\" to show: did you mean "
          "\"channels\"? (permitted: throughput, delay, hops; tables "
          "channels, duals)" },
        { "hops.value",
          "the answer has no \"hops.value\" to show (permitted: throughput, "
          "delay, hops; tables channels, duals)" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_report report = { 0 };
        struct nb_error err = { 0 };
        nb_example_report(&report, false);
        nb_model_set_show(&report.model, cases[i].show, NULL);
        assert_int_equal(nb_shown_check(&report, &err), NB_INVALID);
        assert_string_equal(err.message, cases[i].complaint);
        nb_report_release(&report);
    }
}

/* Points out of the order of the sweeps, or given twice, each get a place. */
static void no_point_of_a_pivot_is_lost(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_layout layout;
    add_point(&report, "dor", "0.5", nb_ratio_make(1, 2));
    add_point(&report, "val", "0.5", nb_ratio_make(1, 3));
    add_point(&report, "dor", "0.9", nb_ratio_make(1, 4));
    add_point(&report, "dor", "0.9", nb_ratio_make(1, 5));
    assert_int_equal(nb_layout_pivot(&report, "throughput", 9, &layout, NULL),
                     NB_OK);
    layout_is(&layout,
              "routing* 0.5 0.9 | dor 0.5{1/2} - | "
              "val 0.333333[0.3333333333333333]{1/3} - | dor - 0.25{1/4} | "
              "dor - 0.2{1/5}");
    nb_report_release(&report);
}

static enum nb_status lay_out_all(const struct nb_report *report)
{
    const struct nb_table *table =
        nb_point_table(&report->points[0], "channels");
    struct nb_layout layout = { 0 };
    enum nb_status status;
    NB_TRY(nb_shown_check(report, NULL));
    NB_TRY(nb_layout_shown(report, 9, &layout, NULL));
    nb_layout_release(&layout);
    NB_TRY(nb_layout_pivot(report, "throughput", 9, &layout, NULL));
    nb_layout_release(&layout);
    if (table != NULL)
        NB_TRY(nb_layout_table(table, &report->model, 9, &layout, NULL));
done:
    nb_layout_release(&layout);
    return status;
}

static void failing_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int is_pivot = 0; is_pivot < 2; is_pivot++) {
        struct nb_report report = { 0 };
        if (is_pivot)
            two_sweeps(&report);
        else
            nb_example_report(&report, true);
        nb_model_set_show(&report.model,
                          is_pivot ? "throughput" : "hops,channels", NULL);
        const long blocks = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = lay_out_all(&report);
            nb_memory_allow(-1);
            assert_int_equal(nb_memory_live_blocks(), blocks);
        }
        assert_int_equal(status, NB_OK);
        nb_report_release(&report);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pivot_is_a_table_of_two_sweeps),
        cmocka_unit_test(only_shown_quantities_are_laid_out),
        cmocka_unit_test(without_sweeps_quantities_are_a_list),
        cmocka_unit_test(tables_show_the_columns_that_are_named),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(no_point_of_a_pivot_is_lost),
        cmocka_unit_test(failing_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
