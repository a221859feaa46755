/* Options bound to the fields of a question, and the typed call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "ask/ask.h"
#include "questions/split/split_question.h"

#include <gsl/gsl_errno.h>
#include <string.h>

static size_t row_size(const struct nb_parameter *row)
{
    switch (row->type) {
    case NB_WHOLE:
        return sizeof(int64_t);
    case NB_NUMBER:
        return sizeof(struct nb_ratio);
    case NB_REAL:
        return sizeof(double);
    case NB_CHOICE:
        return sizeof(int);
    case NB_FLAG:
        return sizeof(bool);
    default:
        return sizeof(const char *);
    }
}

/* A row without a field would overwrite the first. */
static void fields_do_not_overlap(void **state)
{
    (void)state;
    for (size_t q = 0; nb_questions[q] != NULL; q++) {
        const struct nb_parameter *rows = nb_questions[q]->form.options;
        const size_t size = nb_questions[q]->size;
        for (size_t a = 0; size > 0 && rows[a].name != NULL; a++) {
            const size_t end = rows[a].field + row_size(&rows[a]);
            if (end > size)
                fail_msg("--%s is not a field of %s", rows[a].name,
                         nb_questions[q]->form.name);
            for (size_t b = 0; b < a; b++)
                if (rows[b].field < end &&
                    rows[a].field < rows[b].field + row_size(&rows[b]))
                    fail_msg("--%s and --%s share a field of %s", rows[a].name,
                             rows[b].name, nb_questions[q]->form.name);
        }
    }
}

static void row_names_options(const struct nb_form *form,
                              const struct nb_parameter *row)
{
    const char *const lists[] = { row->with, row->beside, row->apart,
                                  row->either };
    for (size_t i = 0; i < 4; i++) {
        for (const char *at = lists[i]; at != NULL && *at != '\0';) {
            const size_t length = strcspn(at, " ");
            const size_t name = strcspn(at, " =");
            const struct nb_parameter *named = form->options;
            while (named->name != NULL && (strlen(named->name) != name ||
                                           strncmp(named->name, at, name) != 0))
                named++;
            if (named->name == NULL)
                fail_msg("%s --%s names an unknown option \"%s\"", form->name,
                         row->name, at);
            if (i > 1 && named->initial != NULL && *named->initial != '\0' &&
                named->type != NB_FLAG)
                fail_msg("%s --%s has a default, which --%s forbids",
                         form->name, named->name, row->name);
            at += length + (at[length] == ' ');
        }
    }
}

/* Names in rows are options. An option that a row excludes, or accepts instead
 * of itself, has no default, as it would always be given. */
static void rows_name_options(void **state)
{
    (void)state;
    for (size_t q = 0; nb_questions[q] != NULL; q++) {
        const struct nb_form *form = &nb_questions[q]->form;
        const struct nb_parameter *const tables[] = { form->options,
                                                      form->outputs };
        for (size_t t = 0; t < 2; t++)
            for (const struct nb_parameter *row = tables[t];
                 row != NULL && row->name != NULL; row++)
                row_names_options(form, row);
    }
}

/* The typed call gives the same result as the call by names. */
static void typed_is_named(void **state)
{
    const struct nb_split_question request = { .topology = "ring:8",
                                               .load = { 2, 5 },
                                               .rule = "theorem-5" };
    struct nb_split_answer answer;
    struct nb_point typed = { 0 };
    struct nb_model model = { .command = nb_new_string("split") };
    struct nb_report report = { 0 };
    struct nb_error err = { 0 };
    (void)state;
    assert_int_equal(nb_split_ask(&request, NULL, &answer, &err), NB_OK);
    nb_split_report(&answer, &typed);
    assert_int_equal(nb_model_set(&model, "topology", "ring:8", &err), NB_OK);
    assert_int_equal(nb_model_set(&model, "load", "0.4", &err), NB_OK);
    assert_int_equal(nb_model_set(&model, "rule", "theorem-5", &err), NB_OK);
    assert_int_equal(nb_ask(&model, NULL, &report, &err), NB_OK);
    assert_int_equal(report.point_count, 1);
    assert_int_equal(report.points[0].quantity_count, typed.quantity_count);
    for (size_t i = 0; i < typed.quantity_count; i++)
        assert_true(report.points[0].quantities[i].value ==
                    typed.quantities[i].value);
    nb_point_release(&typed);
    nb_model_release(&model);
    nb_report_release(&report);
}

/* Fields are checked against their rows, and an empty question has no
 * answer. */
static void typed_is_held_to_its_rows(void **state)
{
    const struct nb_split_question wrong[] = {
        { .rule = "optimal" },
        { .topology = "ring:8", .load = { 1, 2 } },
        { .topology = "ring:8", .rule = "optimal" },
        { .topology = "ring:8", .load = { -1, 2 }, .rule = "optimal" },
        { .topology = "ring:8",
          .load = { 1, 2 },
          .rate = { 1, 2 },
          .rule = "optimal" },
        { .paths = "3,5", .load = { 1, 2 }, .rule = "optimal" },
        { .topology = "ring:8",
          .load = { 1, 2 },
          .rule = "optimal",
          .delay_model = 2 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct nb_split_answer answer;
        struct nb_error err = { 0 };
        assert_int_not_equal(nb_split_ask(&wrong[i], NULL, &answer, &err),
                             NB_OK);
        assert_string_not_equal(err.message, "");
    }
}

static void refused(const char *const *options, const char *message)
{
    struct nb_model model = { .command = nb_new_string("split") };
    struct nb_report report = { 0 };
    struct nb_error err = { 0 };
    for (; *options != NULL; options += 2)
        assert_int_equal(nb_model_set(&model, options[0], options[1], &err),
                         NB_OK);
    assert_int_equal(nb_ask(&model, NULL, &report, &err), NB_USAGE);
    assert_string_equal(err.message, message);
    nb_model_release(&model);
    nb_report_release(&report);
}

static void options_do_not_go_together(void **state)
{
    static const char *const both[] = { "topology", "ring:8", "paths", "3,5",
                                        "rate",     "1",      NULL };
    static const char *const none[] = { "paths", "3,5", NULL };
    static const char *const alone[] = { "paths", "3,5", "load", "1", NULL };
    (void)state;
    refused(both, "--topology ring:8 and --paths 3,5 are both given "
                  "(permitted: one of them)");
    refused(none, "split needs --rate or --load (see: netbound help split)");
    refused(alone, "--load 1 is not permitted without --topology (rate as a "
                   "fraction of the capacity of the topology)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_do_not_overlap),
        cmocka_unit_test(rows_name_options),
        cmocka_unit_test(typed_is_named),
        cmocka_unit_test(typed_is_held_to_its_rows),
        cmocka_unit_test(options_do_not_go_together),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
