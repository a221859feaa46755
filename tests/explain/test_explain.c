/* Explanations: their parts and their text. */
#include "explain/explain.h"

#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* A possible answer of netbound buffer; the numbers are not those of a real
 * queue. Every test has a report of its own. */
static int report_open(void **state)
{
    static const char *const options[][2] = { { "load", "0.5" },
                                              { "radix", "2" },
                                              { "overflow", "0.1" },
                                              { "arrivals", "bernoulli" } };
    static struct nb_report buffer;
    struct nb_report *report = &buffer;
    *report = (struct nb_report){ 0 };
    report->model.command = nb_new_string("buffer");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_int_equal(
            nb_model_set(&report->model, options[i][0], options[i][1], NULL),
            NB_OK);
    report->program = nb_new_string("netbound");
    struct nb_point *point = nb_report_add_point(report);
    nb_point_add_exact(point, "mean_occupancy", nb_ratio_make(5, 8), "packets",
                       "closed form", "Singh2005, equation 7.3");
    nb_point_add_exact(point, "buffer_depth", nb_ratio_make(2, 1), "packets",
                       "recursion", "Singh2005, equation 7.3; Kleinrock1975");
    nb_point_add_bracket(point, "unheard_of", 0.25, 0.75, "1", "guess", "");
    const size_t table = nb_point_add_table(point, "ccdf", false,
                                            "depth,lower:number,upper:number");
    for (int64_t n = 0; n < 3; n++) {
        nb_table_add_whole(point, table, n);
        nb_table_add_number(point, table, n == 2 ? 0.0625 : 0.5);
        nb_table_add_number(point, table, n == 2 ? 0.0625 : 0.5);
    }
    assert_int_equal(nb_point_check(point, NULL), NB_OK);
    *state = report;
    return 0;
}

static int report_close(void **state)
{
    nb_report_release(*state);
    assert_int_equal(nb_memory_live_blocks(), 0);
    return 0;
}

static struct nb_explanation report_explain(const struct nb_report *report,
                                            size_t quantity)
{
    struct nb_subject subject;
    struct nb_explanation how;
    assert_int_equal(
        nb_subject_open(&report->model, report->points, &subject, NULL), NB_OK);
    assert_int_equal(
        nb_explain(&subject, &report->points->quantities[quantity], &how, NULL),
        NB_OK);
    nb_subject_release(&subject);
    return how;
}

static void text_is(const char *text, const char *expected)
{
    assert_true((text == NULL) == (expected == NULL));
    if (expected != NULL)
        assert_string_equal(text, expected);
}

static void symbol_is(const struct nb_explained_symbol *symbol,
                      const struct nb_explained_symbol *expected)
{
    text_is(symbol->name, expected->name);
    text_is(symbol->formula, expected->formula);
    text_is(symbol->numbers, expected->numbers);
    text_is(symbol->value, expected->value);
    assert_non_null(symbol->meaning);
}

static void parts_are_told(void **state)
{
    struct nb_explanation how = report_explain(*state, 0);
    assert_string_equal(how.words, "E[Q] = E[V] + E[A]");
    assert_string_equal(how.formula, "EV + rho");
    assert_string_equal(how.numbers, "(1/8) + (1/2)");
    assert_string_equal(how.value, "5/8 = 0.625 packets");
    assert_int_equal(how.check_count, 0);
    static const struct nb_explained_symbol symbols[] = {
        { .name = "Q", .value = "" },
        { .name = "V", .value = "" },
        { .name = "A", .value = "" },
        { "EV", "f2 / (2 * (1 - rho))", "(1/8) / (2 * (1 - (1/2)))",
          "1/8 = 0.125", NULL },
        { .name = "rho", .value = "1/2 = 0.5" },
        { "f2", "(1 - 1 / k) * rho^2", "(1 - 1 / 2) * (1/2)^2", "1/8 = 0.125",
          NULL },
        { .name = "k", .value = "2" },
    };
    assert_int_equal(how.symbol_count, sizeof symbols / sizeof *symbols);
    for (size_t i = 0; i < how.symbol_count; i++)
        symbol_is(&how.symbols[i], &symbols[i]);
    nb_explanation_release(&how);
    nb_explanation_release(&how);
}

static void text_ends_with_the_sources(void **state)
{
    struct nb_text text = { 0 };
    assert_int_equal(nb_explain_print(*state, &text, NULL), NB_OK);
    static const char *const lines[] = {
        "\nHow each number was found\n\n  mean_occupancy\n"
        "      = E[Q] = E[V] + E[A]\n      = EV + rho\n",
        "      = 5/8 = 0.625 packets\n      the mean number of packets",
        "      with Q: packets in the queue, including the one in service\n",
        "      with rho = 1/2 = 0.5: utilisation of the queue, E[A]\n",
        "      method: closed form [Singh2005, equation 7.3]\n\n  "
        "buffer_depth\n"
        "      = the least n with P(Q >= n) < overflow\n      = 2 packets\n",
        "      as ccdf.upper[depth = buffer_depth] < overflow: 0.0625 < 0.1\n",
        "      as overflow <= ccdf.lower[depth = buffer_depth - 1]: 0.1 <= "
        "0.5\n",
        "\n  unheard_of\n      = 0.75 [0.25, 0.75]\n      method: guess\n",
        "\nSources\n  [Singh2005] A. Singh. Load-Balanced",
        "\n  [Kleinrock1975] L. Kleinrock. Queueing Systems",
    };
    const char *at = text.bytes;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        at = strstr(at, lines[i]);
        if (at == NULL)
            fail_msg("%s\nis not, or not there, in\n%s", lines[i], text.bytes);
        at += strlen(lines[i]) - 1;
    }
    nb_text_release(&text);
}

/* The tail at the depth is 0.0625: with overflow = 0.01, only the second part
 * of P(n) < overflow <= P(n - 1) holds. */
static void a_false_comparison_is_not_shown(void **state)
{
    struct nb_report *report = *state;
    assert_int_equal(nb_model_set(&report->model, "overflow", "0.01", NULL),
                     NB_OK);
    struct nb_explanation how = report_explain(report, 1);
    assert_int_equal(how.check_count, 1);
    assert_string_equal(how.checks[0].numbers, "0.01 <= 0.5");
    nb_explanation_release(&how);
}

/* A row of channel 0, whose load does not follow from the dual potentials: the
 * check is left out, and so is p, which only it uses. */
static void a_false_comparison_brings_no_symbols(void **state)
{
    struct nb_report report = { 0 };
    (void)state;
    report.model.command = nb_new_string("worst-case");
    assert_int_equal(
        nb_model_set(&report.model, "topology", "torus:4x4,terminals=2", NULL),
        NB_OK);
    struct nb_point *point = nb_report_add_point(&report);
    nb_point_add_note(point, "worst_channel", "channel 0");
    nb_point_add_exact(point, "worst_case_channel_load", nb_ratio_make(3, 1),
                       "packets/cycle", "matching", "");
    size_t table =
        nb_point_add_table(point, "worst_channel", false, "load:ratio");
    nb_table_add_ratio(point, table, nb_ratio_make(3, 1));
    table = nb_point_add_table(point, "bounds", true, "channel,denominator");
    nb_table_add_whole(point, table, 0);
    nb_table_add_whole(point, table, 2);
    table = nb_point_add_table(point, "duals", true,
                               "channel,row_dual,column_dual");
    for (int64_t right = 3; right >= 2; right--) {
        nb_table_add_whole(point, table, 3 - right);
        nb_table_add_whole(point, table, right);
        nb_table_add_whole(point, table, 0);
    }
    assert_int_equal(nb_point_check(point, NULL), NB_OK);
    for (int is_false = 0; is_false < 2; is_false++) {
        bool has_p = false;
        if (is_false)
            point->tables[2].cells[1].whole = 2;
        struct nb_explanation how = report_explain(&report, 0);
        for (size_t i = 0; i < how.symbol_count; i++)
            has_p |= strcmp(how.symbols[i].name, "p") == 0;
        assert_int_equal(how.check_count, is_false ? 0 : 1);
        assert_true(has_p == !is_false);
        nb_explanation_release(&how);
    }
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Works cited only by other quantities are not listed. */
static void sources_are_those_of_what_is_shown(void **state)
{
    struct nb_report *report = *state;
    struct nb_text text = { 0 };
    assert_int_equal(nb_model_set_show(&report->model, "mean_occupancy", NULL),
                     NB_OK);
    assert_int_equal(nb_explain_print(report, &text, NULL), NB_OK);
    assert_non_null(strstr(text.bytes, "\n  [Singh2005] "));
    assert_null(strstr(text.bytes, "Kleinrock1975"));
    nb_text_release(&text);
}

/* A report that no command of this program makes. */
static void unknown_quantities_have_a_value(void **state)
{
    struct nb_explanation how = report_explain(*state, 2);
    assert_null(how.words);
    assert_null(how.formula);
    assert_string_equal(how.value, "0.75 [0.25, 0.75]");
    nb_explanation_release(&how);
}

static void failing_memory_is_survived(void **state)
{
    enum nb_status status = NB_NO_MEMORY;
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_text text = { 0 };
        nb_memory_allow(allowed);
        status = nb_explain_print(*state, &text, NULL);
        nb_memory_allow(-1);
        nb_text_release(&text);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_are_told, report_open,
                                        report_close),
        cmocka_unit_test_setup_teardown(text_ends_with_the_sources, report_open,
                                        report_close),
        cmocka_unit_test_setup_teardown(a_false_comparison_is_not_shown,
                                        report_open, report_close),
        cmocka_unit_test(a_false_comparison_brings_no_symbols),
        cmocka_unit_test_setup_teardown(sources_are_those_of_what_is_shown,
                                        report_open, report_close),
        cmocka_unit_test_setup_teardown(unknown_quantities_have_a_value,
                                        report_open, report_close),
        cmocka_unit_test_setup_teardown(failing_memory_is_survived, report_open,
                                        report_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
