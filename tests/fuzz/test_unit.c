/*
 * Numbers with units: a clock that they do not use has no influence; accepted
 * ones are printed as a number that is read back unchanged.
 * Words: src/core/unit.c
 */
#include "../support/fuzz.h"

#include "core/text.h"
#include "core/unit.h"

static bool unit_is_same(struct nb_ratio a, struct nb_ratio b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

static void unit_read(const char *text, const char *base)
{
    const struct nb_ratio clock = { 3, 2 };
    struct nb_ratio timed = { 0 }, plain = { 0 }, again = { 0 };
    struct nb_error err = { 0 }, without = { 0 };
    char printed[NB_RATIO_TEXT];
    bool uses_clock = false, uses_none = false;
    fuzz_check_error(nb_unit_read(text, base, clock, &timed, &uses_clock, &err),
                     &err);
    fuzz_check_error(nb_unit_read(text, base, (struct nb_ratio){ 0 }, &plain,
                                  &uses_none, &without),
                     &without);
    FUZZ_CHECK(!uses_none, "%s: a clock that does not exist", text);
    if (err.status != NB_OK)
        return;
    FUZZ_CHECK(nb_ratio_is_known(timed), "%s in %s", text, base);
    if (!uses_clock)
        FUZZ_CHECK(without.status == NB_OK && unit_is_same(timed, plain),
                   "%s in %s: %s", text, base, without.message);
    nb_unit_print_number(timed, printed);
    FUZZ_CHECK(nb_ratio_read(printed, &again, NULL) == NB_OK &&
                   unit_is_same(timed, again),
               "%s in %s: %s", text, base, printed);
}

static void unit_read_number(const char *text)
{
    struct nb_ratio ratio = { 0 };
    struct nb_error err = { 0 }, of_number = { 0 };
    double number = 0, lower, upper;
    fuzz_check_error(nb_ratio_read(text, &ratio, &err), &err);
    fuzz_check_error(
        nb_number_read(text, "number", -1e300, 1e300, &number, &of_number),
        &of_number);
    if (err.status != NB_OK || of_number.status != NB_OK)
        return;
    nb_ratio_bracket(ratio, &lower, &upper);
    FUZZ_CHECK(lower <= number && number <= upper, "%s: %.17g, %.17g", text,
               number, nb_ratio_value(ratio));
}

static void unit(const uint8_t *bytes, size_t length)
{
    struct nb_text text = { 0 };
    nb_text_add(&text, (const char *)bytes, length);
    unit_read_number(text.bytes);
    unit_read(text.bytes, nb_unit_clock);
    for (size_t i = 0; nb_unit_base_at(i) != NULL; i++)
        unit_read(text.bytes, nb_unit_base_at(i)->name);
    nb_text_release(&text);
}

FUZZ_TARGET(unit)
