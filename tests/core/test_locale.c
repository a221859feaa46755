/* Numbers and letters are those of the C locale, whatever locale is set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/locale.h"
#include "core/ratio.h"
#include "core/text.h"

#include "support/locales.h"
#include "support/scratch.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* In the C locale the functions are those of C. */
static void test_letters(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        const char c = (char)i;
        assert_int_equal(nb_is_digit(c), isdigit(i) != 0);
        assert_int_equal(nb_is_letter(c), isalpha(i) != 0);
        assert_int_equal(nb_is_letter_or_digit(c), isalnum(i) != 0);
        assert_int_equal(nb_is_control(c), iscntrl(i) != 0);
        assert_int_equal((unsigned char)nb_to_upper(c), toupper(i));
        assert_int_equal((unsigned char)nb_to_lower(c), tolower(i));
    }
}

static void test_words(void **state)
{
    static const char *const words[] = { "",    "a",   "A",    "ab",  "aB",
                                         "abc", "ABd", "Titi", "TITI" };
    enum { WORDS = sizeof words / sizeof *words };
    (void)state;
    for (size_t a = 0; a < WORDS; a++)
        for (size_t b = 0; b < WORDS; b++) {
            assert_int_equal(nb_is_same_word(words[a], words[b]),
                             strcasecmp(words[a], words[b]) == 0);
            for (size_t n = 0; n < 6; n++)
                assert_int_equal(nb_is_same_start(words[a], words[b], n),
                                 strncasecmp(words[a], words[b], n) == 0);
        }
}

/* What is written and read, in any locale. */
static void numbers_are_those_of_c(const char *locale)
{
    static const double values[] = { 0.5, -2.75e-9, 1234567.875, 1e300 / 3,
                                     5e-324 };
    char text[64], longer[64], *end;
    double value;
    struct nb_ratio ratio;
    struct nb_text made = { 0 };
    struct nb_error error = { 0 };
    nb_text_print(&made, "%g %.3f %d", 0.5, 1234567.875, 1234567);
    assert_string_equal(made.bytes, "0.5 1234567.875 1234567");
    nb_text_release(&made);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        nb_number_print(values[i], text);
        nb_number_print_long(values[i], longer);
        if (strpbrk(text, ",\xd9") != NULL || strpbrk(longer, ",\xd9") != NULL)
            fail_msg("%s: %s, %s", locale, text, longer);
        assert_int_equal(
            nb_number_read(longer, "x", -INFINITY, INFINITY, &value, NULL),
            NB_OK);
        assert_true(value == values[i] && nb_strtod(text, NULL) == values[i]);
    }
    assert_true(nb_strtod("0,5", &end) == 0 && strcmp(end, ",5") == 0);
    assert_int_equal(nb_number_read("0,5", "x", 0, 1, &value, &error),
                     NB_INVALID);
    assert_string_equal(error.message,
                        "x \"0,5\" is not permitted (permitted: a number from "
                        "0 to 1)");
    assert_int_equal(nb_ratio_read("0.25", &ratio, NULL), NB_OK);
    assert_int_equal(ratio.denominator, 4);
    assert_true(nb_is_same_word("TITI", "titi"));
}

static void test_every_locale(void **state)
{
    (void)state;
    if (!locales_make(nb_scratch_folder()))
        skip();
    for (size_t i = 0; locale_names[i] != NULL; i++) {
        setlocale(LC_ALL, locale_names[i]);
        numbers_are_those_of_c(locale_names[i]);
        /* The thread's own locale is kept. */
        const locale_t own = newlocale(LC_ALL_MASK, locale_names[i], NULL);
        setlocale(LC_ALL, "C");
        uselocale(own);
        numbers_are_those_of_c(locale_names[i]);
        assert_true(uselocale(LC_GLOBAL_LOCALE) == own);
        freelocale(own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_every_locale),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
