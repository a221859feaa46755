/*
 * Expressions over the numbers of an answer. The program reads only its own, so
 * none is long.
 * Words: src/explain tests/support/example_report.c
 * Seeds: data/formulas.txt
 */
#include "../support/example_report.h"
#include "../support/fuzz.h"

#include "explain/expression.h"

static void expression(const uint8_t *bytes, size_t length)
{
    struct nb_report report = { 0 };
    struct nb_subject subject = { 0 };
    struct nb_expression found;
    struct nb_symbols symbols = { 0 };
    struct nb_text text = { 0 }, numbers = { 0 };
    if (length > 1000)
        return;
    nb_example_report(&report, false);
    FUZZ_CHECK(nb_subject_open(&report.model, report.points, &subject, NULL) ==
                   NB_OK,
               "no subject");
    nb_text_add(&text, (const char *)bytes, length);
    const struct nb_stretch whole = nb_stretch_of(text.bytes);
    const bool is_one = nb_expression_find(&subject, whole, NULL, NULL, &found);
    FUZZ_CHECK(nb_expression_find(&subject, whole, &numbers, &symbols,
                                  &found) == is_one,
               "%s: printing changes whether it fails", text.bytes);
    nb_text_release(&numbers);
    nb_text_release(&text);
    nb_subject_release(&subject);
    nb_report_release(&report);
}

FUZZ_TARGET(expression)
