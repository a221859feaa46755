/* Checks --explain: every number of every command has a formula whose
 * arithmetic, evaluated again, gives the number. */
#include "explain/explain.h"
#include "explain/expression.h"

#include "ask/ask.h"
#include "core/memory.h"
#include "core/random.h"

#include "../support/command_line.h"
#include "../support/explained_words.h"
#include "../support/formula_coverage.h"
#include "../support/plain_formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONG = 300 };

/* The answer to a question given as words separated by blanks. */
static void answer(const char *question, struct nb_report *out)
{
    struct nb_invocation invocation = { 0 };
    struct nb_error err = { 0 };
    char words[COMMAND_LINE_LENGTH];
    *out = (struct nb_report){ 0 };
    enum nb_status status =
        command_line_read(question, words, &invocation, &err);
    if (status == NB_OK)
        status = nb_answer_prepare(&invocation, &err);
    if (status == NB_OK)
        status = nb_ask(&invocation.model, NULL, out, &err);
    nb_invocation_release(&invocation);
    if (status != NB_OK)
        fail_msg("%s: %s", question, err.message);
}

/* Whether a value lies within a quantity's bracket, up to the rounding of a few
 * doubles; an estimate's interval is wide, so its value is compared. */
static bool is_value(double value, const struct nb_quantity *quantity)
{
    const double slack = 1e-9 * fabs(quantity->value);
    const bool is_estimate = strstr(quantity->method, "simulation") != NULL ||
                             strstr(quantity->method, "sampled") != NULL ||
                             strstr(quantity->method, "of the sample") != NULL;
    if (value == quantity->value)
        return true;
    if (is_estimate)
        return fabs(value - quantity->value) <= slack;
    return value >= quantity->lower - slack && value <= quantity->upper + slack;
}

/* Fails unless the formula gives the quantity, by both readers. */
static void formula_is_true(const char *question,
                            const struct nb_subject *subject,
                            const struct nb_quantity *quantity,
                            const struct nb_formula *row)
{
    const struct nb_stretch is = nb_formula_field(row, "is", 0);
    struct nb_expression found;
    if (is.at == NULL)
        return;
    const struct plain_formula plain = plain_formula_read(subject, is);
    const bool is_read = nb_expression_find(subject, is, NULL, NULL, &found);
    if (plain.complaint != NULL || !is_value(plain.value, quantity) ||
        !is_read || !is_value(found.figure.value, quantity))
        fail_msg("%s: %s is %.17g [%.17g, %.17g], by %.*s %.17g (%s), as "
                 "printed %.17g",
                 question, quantity->name, quantity->value, quantity->lower,
                 quantity->upper, (int)is.length, is.at, plain.value,
                 plain.complaint != NULL ? plain.complaint : "",
                 is_read ? found.figure.value : NAN);
}

/* Fails if a check that is shown does not hold; checks on missing parts are not
 * shown. */
static void shown_is_true(const char *question,
                          const struct nb_subject *subject,
                          const struct nb_quantity *quantity,
                          struct nb_stretch shows)
{
    struct nb_expression found;
    const struct plain_formula plain = plain_formula_read(subject, shows);
    const bool is_read = nb_expression_find(subject, shows, NULL, NULL, &found);
    if (is_read != (plain.complaint == NULL) ||
        (is_read && (!plain.holds || !found.holds)))
        fail_msg("%s: %s: %.*s does not hold (%s)", question, quantity->name,
                 (int)shows.length, shows.at,
                 plain.complaint != NULL ? plain.complaint : "");
}

/* Checks every quantity of a point. */
static void point_is_true(const char *question,
                          const struct nb_subject *subject,
                          struct formula_coverage *coverage)
{
    for (size_t q = 0; q < subject->point->quantity_count; q++) {
        const struct nb_quantity *quantity = &subject->point->quantities[q];
        struct nb_formula row;
        struct nb_stretch shows;
        if (!nb_formula_find(subject, nb_stretch_of(quantity->name), &row) ||
            (nb_formula_field(&row, "is", 0).at == NULL &&
             nb_formula_field(&row, "words", 0).at == NULL))
            fail_msg("%s: %s has no formula", question, quantity->name);
        formula_is_true(question, subject, quantity, &row);
        char word[LONG];
        if (!explained_words_find(subject, quantity, word, sizeof word))
            fail_msg("%s: %s: what is %s?", question, quantity->name, word);
        const size_t r = formula_coverage_mark(coverage, subject, &row);
        for (size_t n = 0;
             (shows = nb_formula_field(&row, "shows", n)).at != NULL; n++) {
            shown_is_true(question, subject, quantity, shows);
            assert_true(n < FORMULA_SHOWS);
            coverage->is_shown[r][n] |=
                formula_coverage_read(coverage, subject, shows);
        }
    }
}

/* Whether a list declares a table of the name with the column; a name may
 * follow a prefix. column NULL: any. */
static bool declares(const struct nb_table_kind *const *kinds, const char *name,
                     const char *column)
{
    for (; kinds != NULL && *kinds != NULL; kinds++) {
        const size_t own = strlen((*kinds)->name), all = strlen(name);
        if (own > all || strcmp(name + all - own, (*kinds)->name) != 0)
            continue;
        for (const struct nb_column_kind *at = (*kinds)->columns;
             at->spelled != NULL; at++)
            for (const char *spelled = at->spelled; spelled != NULL;) {
                const size_t length = strcspn(spelled, ":?, ");
                if (column == NULL || (strlen(column) == length &&
                                       strncmp(column, spelled, length) == 0))
                    return true;
                spelled = strchr(spelled, ',');
                spelled += spelled != NULL;
            }
    }
    return false;
}

/* --table takes exactly the existing tables, and all their columns are
 * declared, except labels of routers and the columns of a printed table. */
static void tables_are_known(const char *question, const char *command,
                             const struct nb_point *point)
{
    const struct nb_form *form = nb_command_find(command)->form;
    struct nb_text tables = { 0 };
    nb_form_print_tables(form, " ", &tables);
    for (size_t t = 0; t < point->table_count; t++) {
        const struct nb_table *table = &point->tables[t];
        if (!nb_word_is_in(tables.bytes, ' ', table->name, strlen(table->name)))
            fail_msg("%s: table %s is not among those of %s", question,
                     table->name, command);
        for (size_t c = 0; c < table->column_count; c++) {
            const char *column = table->columns[c].name;
            const size_t length = strlen(column);
            const bool is_label =
                length > 5 && strcmp(column + length - 5, "_name") == 0;
            if (!is_label && strcmp(table->name, "layout") != 0 &&
                !declares(form->tables, table->name, column) &&
                !declares(form->more_tables, table->name, column))
                fail_msg("%s: column %s of table %s is not declared", question,
                         column, table->name);
        }
    }
    nb_text_release(&tables);
}

static void answer_is_true(const char *question,
                           struct formula_coverage *coverage)
{
    struct nb_report report;
    answer(question, &report);
    for (size_t p = 0; p < report.point_count; p++) {
        tables_are_known(question, report.model.command, &report.points[p]);
        struct nb_subject subject;
        assert_int_equal(
            nb_subject_open(&report.model, &report.points[p], &subject, NULL),
            NB_OK);
        point_is_true(question, &subject, coverage);
        nb_subject_release(&subject);
    }
    nb_report_release(&report);
}

static void every_formula_is_true_and_needed(void **state)
{
    static struct formula_coverage coverage;
    struct nb_text file = { 0 };
    char *rest;
    int missing = 0;
    (void)state;
    formula_coverage_open(&coverage);
    assert_int_equal(
        nb_text_read_file("tests/cli/explained.txt", 1 << 20, &file, NULL),
        NB_OK);
    for (char *line = strtok_r(file.bytes, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        if (*line != '#')
            answer_is_true(line, &coverage);
    nb_text_release(&file);
    for (size_t r = 0; r < coverage.count; r++) {
        const struct nb_formula *row = &coverage.rows[r];
        const struct nb_stretch when = nb_formula_field(row, "when", 0);
        bool is_whole = coverage.is_used[r];
        for (size_t n = 0;
             coverage.is_used[r] && nb_formula_field(row, "shows", n).at; n++)
            is_whole = is_whole && coverage.is_shown[r][n];
        if (!is_whole)
            print_message("no question needs, or shows all of, %.*s: %.*s "
                          "(%.*s)\n",
                          (int)row->commands.length, row->commands.at,
                          (int)row->name.length, row->name.at, (int)when.length,
                          when.at != NULL ? when.at : "");
        missing += !is_whole;
    }
    assert_int_equal(missing, 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* An unknown field would be ignored silently. */
static void rows_are_well_formed(void **state)
{
    static const char *const keys[] = { "when", "words", "is", "shows",
                                        "means" };
    static struct formula_coverage coverage;
    (void)state;
    formula_coverage_open(&coverage);
    assert_in_range(coverage.count, 100, FORMULA_ROWS);
    for (size_t r = 0; r < coverage.count; r++) {
        const struct nb_formula *row = &coverage.rows[r];
        size_t fields = 0, lines = 0;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            for (size_t n = 0; nb_formula_field(row, keys[k], n).at; n++)
                fields++;
        const char *end = row->body.at + row->body.length;
        for (const char *at = row->body.at; at < end; at++)
            lines += at[0] == '\n' && at[3] != ' ';
        const struct nb_stretch when = nb_formula_field(row, "when", 0);
        bool is_split = false; /* a line that ends within a condition */
        for (size_t i = 1; i < when.length; i++)
            is_split |= when.at[i] == '\n' && when.at[i - 1] != ';';
        if (fields != lines || is_split || row->name.length == 0 ||
            nb_formula_field(row, "means", 0).at == NULL)
            fail_msg("%.*s: %.*s has %zu fields that are known on %zu lines",
                     (int)row->commands.length, row->commands.at,
                     (int)row->name.length, row->name.at, fields, lines);
    }
}

/* A question with random numbers in it. */
static void random_question(struct nb_random *random, char text[LONG])
{
    static const char *const arrivals[] = { "bernoulli", "poisson" };
    static const char *const rules[] = { "theorem-5", "optimal",
                                         "cqr",       "gal",
                                         "rlb",       "gal:threshold=3" };
    static const char *const models[] = { "singh", "pollaczek-khinchine" };
    static const char *const distributions[] = { "queue", "wait" };
    const double u = nb_random_unit(random);
    const unsigned a = (unsigned)nb_random_below(random, 9) + 2;
    const unsigned b = a + (unsigned)nb_random_below(random, 5);
    switch (nb_random_below(random, 5)) {
    case 0:
        snprintf(text, LONG,
                 "buffer --load %.4f --radix %u --overflow 1e-%u --depth %u "
                 "--arrivals %s",
                 0.98 * u, a, b, b, arrivals[a % 2]);
        return;
    case 1:
        snprintf(text, LONG,
                 "split --paths %u,%u --shared %u,%u --rate %.4f --rule %s "
                 "--delay-model %s",
                 a, b, b, a, u * (1. / a + 1. / b), rules[a % 6],
                 models[b % 2]);
        return;
    case 2:
        snprintf(text, LONG,
                 "delay --hops %u --load %.4f --radix %u --overflow 1e-%u "
                 "--law %s",
                 a, 0.001 + 0.9 * u, b, a, distributions[b % 2]);
        return;
    case 3:
        snprintf(text, LONG,
                 "load --topology torus:%ux%u --routing val --traffic "
                 "random-permutation:seed=%u --rate %.4f",
                 a / 2 + 2, b / 2 + 2, a, 0.01 + u);
        return;
    default:
        snprintf(text, LONG,
                 "worst-case --topology mesh:%ux%u,terminals=%u --routing dor",
                 a / 3 + 2, b / 3 + 2, a % 3 + 1);
    }
}

static void random_answers_are_true(void **state)
{
    static struct formula_coverage coverage;
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 8, 1);
    formula_coverage_open(&coverage);
    for (int trial = 0; trial < 60; trial++) {
        char question[LONG];
        random_question(&random, question);
        answer_is_true(question, &coverage);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_well_formed),
        cmocka_unit_test(every_formula_is_true_and_needed),
        cmocka_unit_test(random_answers_are_true),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
