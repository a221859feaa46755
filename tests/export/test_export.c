/* Every style sheet converts every report, with any texts, or says why not; the
 * output is text that the format can hold. (The formats are checked by their
 * own readers, tests/cli/export*.test.) */
#include "export/export.h"

#include "core/memory.h"
#include "support/cases.h"
#include "support/example_report.h"
#include "support/random_report.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <libxml/xmlstring.h>
#include <string.h>

/* The name without .xsl. */
static void style_name(const struct nb_embedded *style, char name[64])
{
    assert_in_range(strlen(style->name), 5, 63);
    memcpy(name, style->name, strlen(style->name) - 4);
    name[strlen(style->name) - 4] = '\0';
    assert_string_equal(style->name + strlen(name), ".xsl");
}

static void every_style_is_a_choice(void **state)
{
    (void)state;
    char name[64];
    size_t count = 0;
    for (; nb_styles[count].name != NULL; count++) {
        style_name(&nb_styles[count], name);
        assert_non_null(strstr(nb_export_choices, name));
        assert_non_null(strstr(nb_format_choices, name));
    }
    assert_in_range(count, 1, 100);
}

/* The export of a report, or the message of a refusal; must be UTF-8 and
 * without control characters. */
static void exported(const char *style, const struct nb_report *report,
                     struct nb_text *text, unsigned long trial)
{
    const struct nb_exhibit exhibits[] = {
        { .report = report },
        { .report = report, .file = "a<b>&\"c\".xml", .is_digest_right = true },
        { .report = report, .file = "b.xml", .verified = "yes: \"checked\"" },
    };
    struct nb_error err = { 0 };
    const size_t count = sizeof exhibits / sizeof *exhibits;
    const enum nb_status status =
        nb_export_write(style, exhibits, count, text, &err);
    if (status != NB_OK) {
        /* A report without numbers has no picture. */
        assert_int_equal(status, NB_INVALID);
        assert_string_not_equal(err.message, "");
        assert_int_equal(text->length, 0);
        return;
    }
    if (!xmlCheckUTF8(BAD_CAST text->bytes) || strlen(text->bytes) == 0)
        fail_msg("%s of random report %lu is not UTF-8", style, trial);
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->bytes[i] < ' ' && text->bytes[i] != '\n' &&
            text->bytes[i] != '\t')
            fail_msg("%s of random report %lu: control character at byte %zu",
                     style, trial, i);
}

static void random_reports_are_exported(void **state)
{
    (void)state;
    enum { TRIALS = 60 };
    for (unsigned long trial = 0; trial < TRIALS; trial++) {
        if (!nb_cases_have(trial, 3))
            continue;
        struct nb_random random;
        struct nb_report report = { 0 };
        nb_random_init(&random, trial, 0);
        nb_random_report(&random,
                         trial % 2 == 0 ? NB_TEXT_HOSTILE : NB_TEXT_PERMITTED,
                         &report);
        for (const struct nb_embedded *style = nb_styles; style->name != NULL;
             style++) {
            struct nb_text text[2] = { { 0 }, { 0 } };
            char name[64];
            style_name(style, name);
            for (int again = 0; again < 2; again++)
                exported(name, &report, &text[again], trial);
            assert_int_equal(text[0].length, text[1].length);
            if (text[0].length > 0)
                assert_memory_equal(text[0].bytes, text[1].bytes,
                                    text[0].length);
            nb_text_release(&text[0]);
            nb_text_release(&text[1]);
        }
        nb_report_release(&report);
    }
}

static void unknown_styles_and_tables_are_refused(void **state)
{
    (void)state;
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    struct nb_error err = { 0 };
    nb_example_report(&report, false);
    const struct nb_exhibit exhibit = { .report = &report };
    assert_int_equal(nb_export_write("no", &exhibit, 1, &text, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "\"no\""));
    err = (struct nb_error){ 0 };
    const struct nb_exhibit other = { .report = &report, .table = "nothing" };
    for (const struct nb_embedded *style = nb_styles; style->name != NULL;
         style++) {
        char name[64];
        style_name(style, name);
        const enum nb_status status =
            nb_export_write(name, &other, 1, &text, NULL);
        assert_int_equal(status, NB_INVALID);
    }
    assert_int_equal(text.length, 0);
    nb_report_release(&report);
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    for (int is_swept = 0; is_swept < 2; is_swept++) {
        struct nb_report report = { 0 };
        nb_example_report(&report, is_swept);
        const struct nb_exhibit exhibit = { .report = &report };
        const long before = nb_memory_live_blocks();
        for (const struct nb_embedded *style = nb_styles; style->name != NULL;
             style++) {
            char name[64];
            struct nb_text whole = { 0 };
            enum nb_status status = NB_NO_MEMORY;
            style_name(style, name);
            /* There may be nothing to draw. */
            const enum nb_status expected =
                nb_export_write(name, &exhibit, 1, &whole, NULL);
            assert_true(expected == NB_OK || strcmp(name, "svg") == 0);
            nb_text_release(&whole);
            for (long allowed = 0; status == NB_NO_MEMORY;
                 allowed = nb_cases_allowed(allowed, 6)) {
                struct nb_text text = { 0 };
                nb_memory_allow(allowed);
                status = nb_export_write(name, &exhibit, 1, &text, NULL);
                nb_memory_allow(-1);
                nb_text_release(&text);
                assert_int_equal(nb_memory_live_blocks(), before);
            }
            if (status != expected)
                fail_msg("%s never succeeds", name);
        }
        nb_report_release(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_style_is_a_choice),
        cmocka_unit_test(random_reports_are_exported),
        cmocka_unit_test(unknown_styles_and_tables_are_refused),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
