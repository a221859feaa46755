/* Ratios as text: printing, reading, and refusing what is no number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"

#include "core/random.h"

#include <string.h>

static void test_text_round_trip(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 5, 0);
    for (int i = 0; i < 100000; i++) {
        const struct nb_ratio a = ratio_draw(&random, 63);
        struct nb_ratio b = { 0, 0 };
        char text[NB_RATIO_TEXT];
        if (!nb_ratio_is_known(a))
            continue;
        nb_ratio_print(a, text);
        RATIO_CHECK(nb_ratio_read(text, &b, NULL) == NB_OK, a, b);
        RATIO_CHECK(
            a.numerator == b.numerator && a.denominator == b.denominator, a, b);
    }
    char text[NB_RATIO_TEXT];
    nb_ratio_print((struct nb_ratio){ 0, 0 }, text);
    assert_string_equal(text, "");
    nb_ratio_print(nb_ratio_infinity, text);
    assert_string_equal(text, "inf");
    nb_ratio_print((struct nb_ratio){ -6, 1 }, text);
    assert_string_equal(text, "-6");
    nb_ratio_print((struct nb_ratio){ -INT64_MAX, INT64_MAX - 1 }, text);
    assert_string_equal(text, "-9223372036854775807/9223372036854775806");
}

static void test_decimals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t numerator, denominator;
    } cases[] = {
        { "0.25", 1, 4 },
        { "1.5e-3", 3, 2000 },
        { "1.5E+3", 1500, 1 },
        { "-0.5", -1, 2 },
        { "+7", 7, 1 },
        { "6/4", 3, 2 },
        { "-6/4", -3, 2 },
        { "0/5", 0, 1 },
        { "-0", 0, 1 },
        { "0e999", 0, 1 },
        { ".5", 1, 2 },
        { "0.1", 1, 10 },
        { "1e18", 1000000000000000000, 1 },
        { "1e-18", 1, 1000000000000000000 },
        { "9223372036854775807", INT64_MAX, 1 },
        { "1/9223372036854775807", 1, INT64_MAX },
        { "0.000000000000000001", 1, 1000000000000000000 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_ratio a = { 0, 0 };
        if (nb_ratio_read(cases[i].text, &a, NULL) != NB_OK ||
            a.numerator != cases[i].numerator ||
            a.denominator != cases[i].denominator)
            fail_msg("%s", cases[i].text);
    }
}

static void test_malformed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",    " ",     "x",      "1x",    " 1",    "1 ",    "1/",  "/2",
        "1/0", "0/0",   "1//2",   "1/2/3", "1/-2",  "1/+2",  "--1", "+-1",
        "-",   "+",     ".",      "1.2.3", "1.5/2", "1/2e3", "e5",  "1e",
        "1e+", "1e5x",  "1e 5",   "nan",   "inf",   "-inf",  "NaN", "0x10",
        "1,5", "1_000", "1e9999", "½",     "1\n",   "-.",    ".e1", "1/2.5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct nb_ratio a = { 0, 0 };
        struct nb_error error = { 0 };
        if (nb_ratio_read(texts[i], &a, &error) != NB_INVALID)
            fail_msg("\"%s\" gives %lld/%lld: %s", texts[i],
                     (long long)a.numerator, (long long)a.denominator,
                     error.message);
        assert_non_null(strstr(error.message, "permitted"));
        assert_null(strchr(error.message, '\n'));
    }
}

static void test_too_large(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "9223372036854775808",
        "-9223372036854775808",
        "1e19",
        "-1e19",
        "1e60",
        "-1e60",
        "1e-19",
        "-1e-19",
        "1e1000",
        "-1e1000",
        "1e-1000",
        "-1e-1000",
        "-123456789e300",
        "1/9223372036854775808",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct nb_ratio a = { 0, 0 };
        struct nb_error error = { 0 };
        if (nb_ratio_read(texts[i], &a, &error) != NB_OVERFLOW)
            fail_msg("\"%s\" gives %lld/%lld: %s", texts[i],
                     (long long)a.numerator, (long long)a.denominator,
                     error.message);
        assert_non_null(strstr(error.message, texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_round_trip),
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
