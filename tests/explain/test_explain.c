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

/* What netbound buffer could answer: numbers are not those of a real queue. */
static void buffer_report(struct nb_report *report)
{
    report->model.command = nb_new_string("buffer");
    assert_int_equal(nb_model_set(&report->model, "load", "0.5", NULL), NB_OK);
    assert_int_equal(nb_model_set(&report->model, "radix", "2", NULL), NB_OK);
    assert_int_equal(nb_model_set(&report->model, "overflow", "0.1", NULL),
                     NB_OK);
    assert_int_equal(
        nb_model_set(&report->model, "arrivals", "bernoulli", NULL), NB_OK);
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
}

static void parts_are_told(void **state)
{
    struct nb_report report = { 0 };
    struct nb_explanation how;
    (void)state;
    buffer_report(&report);
    const struct nb_subject subject = { &report.model, report.points };
    assert_int_equal(
        nb_explain(&subject, &report.points->quantities[0], &how, NULL), NB_OK);
    assert_string_equal(how.words, "E[Q] = E[V] + E[A]");
    assert_string_equal(how.formula, "EV + rho");
    assert_string_equal(how.numbers, "(1/8) + (1/2)");
    assert_string_equal(how.value, "5/8 = 0.625 packets");
    assert_int_equal(how.check_count, 0);
    assert_int_equal(how.symbol_count, 4);
    assert_string_equal(how.symbols[0].name, "EV");
    assert_string_equal(how.symbols[0].formula, "f2 / (2 * (1 - rho))");
    assert_string_equal(how.symbols[0].numbers, "(1/8) / (2 * (1 - (1/2)))");
    assert_string_equal(how.symbols[0].value, "1/8 = 0.125");
    assert_string_equal(how.symbols[1].name, "rho");
    assert_null(how.symbols[1].formula);
    assert_null(how.symbols[1].numbers);
    assert_string_equal(how.symbols[2].name, "f2");
    assert_string_equal(how.symbols[2].numbers, "(1 - 1 / 2) * (1/2)^2");
    assert_string_equal(how.symbols[3].name, "k");
    assert_string_equal(how.symbols[3].value, "2");
    nb_explanation_release(&how);
    nb_explanation_release(&how);
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void text_ends_with_the_sources(void **state)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    (void)state;
    buffer_report(&report);
    assert_int_equal(nb_explain_print(&report, &text, NULL), NB_OK);
    static const char *const lines[] = {
        "\nHow each number is had\n\n  mean_occupancy\n"
        "      = E[Q] = E[V] + E[A]\n      = EV + rho\n",
        "      = 5/8 = 0.625 packets\n      packets in the queue",
        "      with rho = 1/2 = 0.5: utilisation of the queue, E[A]\n",
        "      method: closed form [Singh2005, equation 7.3]\n\n  "
        "buffer_depth\n"
        "      = the least n with P(Q >= n) < overflow\n      = 2 packets\n",
        "      as ccdf.upper[depth = buffer_depth] < overflow: 0.0625 < 0.1\n",
        "      as overflow <= ccdf.lower[depth = buffer_depth - 1]: 0.1 <= "
        "0.5\n",
        "\n  unheard_of\n      = 0.5 [0.25, 0.75]\n      method: guess\n",
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
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A report that no command of this program makes. */
static void unknown_quantities_have_a_value(void **state)
{
    struct nb_report report = { 0 };
    struct nb_explanation how;
    (void)state;
    buffer_report(&report);
    const struct nb_subject subject = { &report.model, report.points };
    assert_int_equal(
        nb_explain(&subject, &report.points->quantities[2], &how, NULL), NB_OK);
    assert_null(how.words);
    assert_null(how.formula);
    assert_string_equal(how.value, "0.5 [0.25, 0.75]");
    nb_explanation_release(&how);
    nb_report_release(&report);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void failing_memory_is_survived(void **state)
{
    struct nb_report report = { 0 };
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    buffer_report(&report);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_text text = { 0 };
        nb_memory_allow(allowed);
        status = nb_explain_print(&report, &text, NULL);
        nb_memory_allow(-1);
        nb_text_release(&text);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    nb_report_release(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_told),
        cmocka_unit_test(text_ends_with_the_sources),
        cmocka_unit_test(unknown_quantities_have_a_value),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
