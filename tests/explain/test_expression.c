/* Expressions over the numbers of an answer: their values, their text with
 * numbers, and refusals. */
#include "explain/expression.h"

#include "core/memory.h"
#include "core/random.h"

#include "../support/plain_formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A model with options, and a point with quantities, a note and tables. */
struct answer {
    struct nb_model model;
    struct nb_point point;
    struct nb_subject subject; /* opened on both */
};

static void answer_add_options(struct nb_model *model)
{
    static const char *const options[][2] = {
        { "load", "0.9" },       { "radix", "16" },
        { "flit-time", "1e-3" }, { "router-delay", "1/3" },
        { "at", "-2" },          { "topology", "fattree:k=4,n=3" },
    };
    model->command = nb_new_string("buffer");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_int_equal(
            nb_model_set(model, options[i][0], options[i][1], NULL), NB_OK);
}

static void answer_add_point(struct nb_point *point)
{
    nb_point_add_setting(point, "overflow", "1e-15");
    nb_point_add_setting(point, "topology.m", "5");
    nb_point_add_setting(point, "nothing.m", "5");
    nb_point_add_note(point, "paths", "of 3 hops, 5/2 and 1.5e-2; 7.");
    nb_point_add_exact(point, "depth", nb_ratio_make(2, 7), "1", "m", "");
    nb_point_add_exact(point, "none", nb_ratio_infinity, "1", "m", "");
    nb_point_add_bracket(point, "wide", 0.25, 0.75, "1", "m", "");
    size_t table = nb_point_add_table(
        point, "rows", false, "key,load:ratio,lower:number,upper:number");
    for (int64_t i = 0; i < 4; i++) {
        nb_table_add_whole(point, table, 10 * i);
        nb_table_add_ratio(point, table,
                           i == 3 ? (struct nb_ratio){ 0, 0 }
                                  : nb_ratio_make((nb_int128)i + 1, 3));
        nb_table_add_number(point, table, 0.5 * (double)i);
        nb_table_add_number(point, table, 0.5 * (double)i + 0.25);
    }
    table = nb_point_add_table(point, "single", true, "key,share:number");
    nb_table_add_whole(point, table, 20);
    nb_table_add_number(point, table, 0.125);
    nb_point_add_table(point, "empty", false, "key");
    assert_int_equal(nb_point_check(point, NULL), NB_OK);
}

/* One answer, which no test changes. */
static int answer_open(void **state)
{
    static struct answer answer;
    answer = (struct answer){ .model = { 0 } };
    answer_add_options(&answer.model);
    answer_add_point(&answer.point);
    assert_int_equal(
        nb_subject_open(&answer.model, &answer.point, &answer.subject, NULL),
        NB_OK);
    *state = &answer;
    return 0;
}

static int answer_close(void **state)
{
    struct answer *answer = *state;
    nb_subject_release(&answer->subject);
    nb_model_release(&answer->model);
    nb_point_release(&answer->point);
    assert_int_equal(nb_memory_live_blocks(), 0);
    return 0;
}

/* The printed arithmetic, read again, has the same value up to digits not
 * printed. */
static void numbers_are_true(const struct answer *answer, const char *numbers,
                             double value)
{
    if (strstr(numbers, "...") != NULL || strstr(numbers, "inf") != NULL)
        return;
    const struct plain_formula plain =
        plain_formula_read(&answer->subject, nb_stretch_of(numbers));
    if (plain.complaint != NULL ||
        !(fabs(plain.value - value) <= 1e-5 * fabs(value)))
        fail_msg("%s is %.17g (%s), not %.17g", numbers, plain.value,
                 plain.complaint != NULL ? plain.complaint : "", value);
}

static void expressions_have_values(void **state)
{
    static const struct {
        const char *expression, *numbers;
        double value;
    } cases[] = {
        { "1 + 2 * 3", "1 + 2 * 3", 7 },
        { "(1 + 2) * 3", "(1 + 2) * 3", 9 },
        { "8 - 4 - 2", "8 - 4 - 2", 2 },
        { "8 / 4 / 2", "8 / 4 / 2", 1 },
        { "2 * 3^2", "2 * 3^2", 18 },
        { "-2 + 5", "-2 + 5", 3 },
        { "1e-3 + 2.5e1", "1e-3 + 2.5e1", 25.001 },
        { "min(3, 1 + 1, 9) + max(1, 2)", "min(3, 1 + 1, 9) + max(1, 2)", 4 },
        { "sqrt(16) + ceil(1.2) + floor(1.8)",
          "sqrt(16) + ceil(1.2) + floor(1.8)", 7 },
        { "ln(exp(2))", "ln(exp(2))", 2 },
        { "2 *\n      depth", "2 * (2/7)", 4. / 7 },
        { "wide.lower + wide.upper", "0.25 + 0.75", 1 },
        { "depth.upper - depth.lower", "(2/7) - (2/7)", 0 },
        { "1 / none", "1 / inf", 0 },
        { "option.load * option.flit_time", "0.9 * 1e-3", 9e-4 },
        { "2 * overflow", "2 * 1e-15", 2e-15 },
        { "option.topology.n - 1", "3 - 1", 2 },
        { "note.paths[1] + note.paths[2]", "3 + (5/2)", 5.5 },
        { "2 * 15 / option.router_delay", "2 * 15 / (1/3)", 90 },
        { "6 - option.at^2", "6 - (-2)^2", 2 },
        { "option.topology.m * option.topology.n", "5 * 3", 15 },
        { "note.paths[3] * note.paths[4]", "1.5e-2 * 7", 0.105 },
        { "option.topology[1] / 2", "4 / 2", 2 },
        { "single.share * 2", "0.125 * 2", 0.25 },
        { "rows.load[key = 10] / 2", "(2/3) / 2", 1. / 3 },
        { "rows.load[key = single.key]", "1", 1 },
        { "rows.load[2] + 0", "(2/3) + 0", 2. / 3 },
        { "rows.load[key = 30]", "1.625", 1.625 },
        { "largest(rows.key / 2)", "largest(..., 30 / 2, ...)", 15 },
        { "least(rows.lower + rows.key)", "least(..., 0 + 0, ...)", 0 },
        { "total(rows.upper)", "4", 4 },
        { "total(rows.key where rows.key = 20) + 1", "20 + 1", 21 },
        { "total(rows.key where rows.key = single.key)", "20", 20 },
        { "count(rows) - 1", "4 - 1", 3 },
        { "rho", "(9/10)", 0.9 },
    };
    const struct answer *answer = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_expression found;
        struct nb_text numbers = { 0 };
        if (!nb_expression_find(&answer->subject,
                                nb_stretch_of(cases[i].expression), &numbers,
                                NULL, &found))
            fail_msg("%s is refused", cases[i].expression);
        if (!(fabs(found.figure.value - cases[i].value) <= 1e-15))
            fail_msg("%s gives %.17g", cases[i].expression, found.figure.value);
        assert_string_equal(numbers.bytes, cases[i].numbers);
        numbers_are_true(answer, cases[i].numbers, cases[i].value);
        assert_false(found.is_comparison);
        nb_text_release(&numbers);
    }
}

static void ratios_stay_exact(void **state)
{
    const struct answer *answer = *state;
    struct nb_expression found;
    assert_true(nb_expression_find(
        &answer->subject,
        nb_stretch_of("depth * total(rows.load where rows.key = 10) ^ 2 - 1"),
        NULL, NULL, &found));
    assert_int_equal(found.figure.exact.numerator, -55);
    assert_int_equal(found.figure.exact.denominator, 63);
}

static void comparisons_are_judged(void **state)
{
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        { "1 < 2 <= 2", true },          { "1 < 2 < 2", false },
        { "2 < 1 < 3", false },          { "1 / 3 * 3 = 1", true },
        { "0.1 + 0.2 = 0.3", true },     { "1 = 1.0001", false },
        { "single.share < wide", true }, { "wide < single.share", false },
        { "1e-15 <= overflow", true },
    };
    const struct answer *answer = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_stretch text = nb_stretch_of(cases[i].text);
        struct nb_expression found;
        const struct plain_formula plain =
            plain_formula_read(&answer->subject, text);
        assert_true(
            nb_expression_find(&answer->subject, text, NULL, NULL, &found));
        if (found.holds != cases[i].holds || plain.holds != cases[i].holds)
            fail_msg("%s: %d, plainly %d", cases[i].text, found.holds,
                     plain.holds);
        assert_true(found.is_comparison && plain.is_comparison);
    }
}

static void what_is_no_expression_is_refused(void **state)
{
    static const char *const cases[] = {
        "",
        "1 +",
        "(1",
        "1)",
        "1 2",
        "nothing",
        "rows.load",
        "rows.nothing",
        "rows.load[key = 11]",
        "rows.load[5]",
        "rows.load[0]",
        "note.nothing[1]",
        "note.paths[9]",
        "note.paths",
        "option.topology",
        "option.topology.x",
        "sin(1)",
        "largest(1)",
        "least(empty.key)",
        "total(rows.key where rows.key)",
        "count(nothing)",
        "1 < ",
        "depth.middle",
        "min()",
        "mean_occupancy",
    };
    const struct answer *answer = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_expression found;
        struct nb_text numbers = { 0 };
        if (nb_expression_find(&answer->subject, nb_stretch_of(cases[i]),
                               &numbers, NULL, &found))
            fail_msg("\"%s\" gives %g", cases[i], found.figure.value);
        nb_text_release(&numbers);
    }
}

static void symbols_are_listed_once(void **state)
{
    const struct answer *answer = *state;
    struct nb_symbols symbols = { 0 };
    struct nb_expression found;
    assert_true(nb_expression_find(&answer->subject,
                                   nb_stretch_of("EV + rho + rho * EV"), NULL,
                                   &symbols, &found));
    assert_int_equal(symbols.count, 2);
    assert_true(nb_stretch_is(symbols.rows[0].name, "EV"));
    assert_true(nb_stretch_is(symbols.rows[1].name, "rho"));
}

/* A random expression of some depth, appended. */
static void random_expression(struct nb_random *random, int depth,
                              struct nb_text *text)
{
    static const char *const leaves[] = {
        "depth", "wide",       "option.load",     "single.share",
        "3",     "0.25",       "note.paths[2]",   "rows.load[key = 20]",
        "rho",   "wide.lower", "overflow * 1e15", "count(rows)",
    };
    static const char *const signs[] = { " + ", " - ", " * ", " / " };
    const uint64_t kind = depth > 0 ? nb_random_below(random, 6) : 5;
    if (kind == 5) {
        nb_text_print(
            text, "%s",
            leaves[nb_random_below(random, sizeof leaves / sizeof *leaves)]);
        return;
    }
    nb_text_print(text, "%s",
                  kind == 0   ? "("
                  : kind == 1 ? "max("
                  : kind == 2 ? "total(rows.key + "
                              : "");
    random_expression(random, depth - 1, text);
    if (kind == 1)
        nb_text_print(text, ", ");
    else if (kind != 2)
        nb_text_print(text, "%s", signs[nb_random_below(random, 4)]);
    if (kind != 2)
        random_expression(random, depth - 1, text);
    if (kind <= 2)
        nb_text_print(text, ")");
}

static void two_readers_agree(void **state)
{
    const struct answer *answer = *state;
    struct nb_random random;
    nb_random_init(&random, 8, 0);
    for (int trial = 0; trial < 2000; trial++) {
        struct nb_text text = { 0 };
        struct nb_expression found;
        random_expression(&random, 4, &text);
        const struct nb_stretch stretch = nb_stretch_of(text.bytes);
        const struct plain_formula plain =
            plain_formula_read(&answer->subject, stretch);
        const bool is_read =
            nb_expression_find(&answer->subject, stretch, NULL, NULL, &found);
        const double a = found.figure.value, b = plain.value;
        const bool is_same =
            a == b || (isnan(a) && isnan(b)) ||
            fabs(a - b) <= 1e-9 * (fabs(b) + 1) ||
            (fabs(a) > 1e9 && fabs(b) > 1e9); /* divided by a rounded 0 */
        if (!is_read || plain.complaint != NULL || !is_same)
            fail_msg("trial %d: %s gives %.17g, plainly %.17g (%s)", trial,
                     text.bytes, a, b,
                     plain.complaint != NULL ? plain.complaint : "");
        nb_text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_values),
        cmocka_unit_test(ratios_stay_exact),
        cmocka_unit_test(comparisons_are_judged),
        cmocka_unit_test(what_is_no_expression_is_refused),
        cmocka_unit_test(symbols_are_listed_once),
        cmocka_unit_test(two_readers_agree),
    };
    return cmocka_run_group_tests(tests, answer_open, answer_close);
}
