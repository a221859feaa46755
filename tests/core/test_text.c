#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void test_adding(void **state)
{
    (void)state;
    struct nb_text text = { 0 };
    const long before = nb_memory_live_blocks();
    nb_text_add(&text, "", 0);
    assert_string_equal(text.bytes, "");
    for (int i = 0; i < 1000; i++) {
        nb_text_print(&text, "%d,", i % 10);
        nb_text_add(&text, "xyz", 1);
    }
    assert_int_equal(nb_text_check(&text, NULL), NB_OK);
    assert_int_equal(text.length, 3000);
    assert_int_equal(strlen(text.bytes), 3000);
    assert_memory_equal(text.bytes + 2997, "9,x", 4);
    nb_text_release(&text);
    nb_text_release(&text);
    assert_int_equal(nb_memory_live_blocks(), before);
}

static void test_bytes_may_be_zero(void **state)
{
    (void)state;
    struct nb_text text = { 0 };
    nb_text_add(&text, "a\0b", 3);
    nb_text_print(&text, "%s", "c");
    assert_int_equal(text.length, 4);
    assert_memory_equal(text.bytes, "a\0bc", 5);
    nb_text_release(&text);
}

static void test_failure_is_remembered(void **state)
{
    (void)state;
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_memory_allow(0);
    nb_text_print(&text, "%d", 1);
    nb_memory_allow(-1);
    nb_text_print(&text, "%d", 2);
    nb_text_add(&text, "3", 1);
    assert_int_equal(text.length, 0);
    assert_int_equal(nb_text_check(&text, &error), NB_NO_MEMORY);
    assert_non_null(strstr(error.message, "text"));
    nb_text_release(&text);
    assert_int_equal(nb_text_check(&text, NULL), NB_OK);
}

/* Any finite bit pattern reads back as itself, sign of zero included. */
static void test_numbers_round_trip(void **state)
{
    (void)state;
    static const double special[] = { 0.0,     -0.0,   DBL_MIN, -DBL_MAX,
                                      DBL_MAX, 5e-324, 0.1,     1.0 / 3,
                                      1e22,    1e23,   0x1p-53, 1 };
    struct nb_random random;
    nb_random_init(&random, 6, 0);
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = nb_random_next(&random);
        if (i < (int)(sizeof special / sizeof *special))
            memcpy(&bits, &special[i], sizeof bits);
        double value, again = 7;
        uint64_t found;
        char text[NB_NUMBER_TEXT];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        nb_number_print(value, text);
        assert_true(strlen(text) < NB_NUMBER_TEXT - 1);
        if (nb_number_read(text, "x", -DBL_MAX, DBL_MAX, &again, NULL) != NB_OK)
            fail_msg("%s is not read", text);
        memcpy(&found, &again, sizeof found);
        if (found != bits)
            fail_msg("%s reads as %a, not %a", text, again, value);
    }
}

/* Each is the decimal of fewest digits that reads back; worked out by hand. */
static void test_numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        { 4.8, "4.8" },
        { 0.1, "0.1" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 1.0 / 3, "0.3333333333333333" },
        { 2.0 / 7, "0.2857142857142857" },
        { 158, "158" },
        { -3, "-3" },
        { -0.0, "-0" },
        { 1e15, "1000000000000000" },
        { 9007199254740991, "9007199254740991" },
        { 1e22, "1e+22" },
        { 1e-15, "1e-15" },
        { 5e-324, "5e-324" },
        { DBL_MAX, "1.7976931348623157e+308" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[NB_NUMBER_TEXT];
        nb_number_print(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_numbers_not_finite(void **state)
{
    (void)state;
    char text[NB_NUMBER_TEXT];
    nb_number_print(INFINITY, text);
    assert_string_equal(text, "inf");
    nb_number_print(-INFINITY, text);
    assert_string_equal(text, "-inf");
    nb_number_print(NAN, text);
    assert_string_equal(text, "nan");
    nb_number_print(-NAN, text);
    assert_string_equal(text, "nan");
}

static void test_number_refusals(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      " ",     "x",      "1x",      " 1",  "1 ",  "inf",
        "nan",   "-inf",  "0x1",    "1e",      "1e+", "--1", "1,5",
        "1e400", "1.2.3", "+",      "-",       ".",   "1d3", "1e5e",
        "1\n",   "2.001", "-0.001", "-1e-300",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 7;
        struct nb_error error = { 0 };
        if (nb_number_read(texts[i], "load", 0, 2, &value, &error) !=
            NB_INVALID)
            fail_msg("\"%s\" is read as %g", texts[i], value);
        assert_true(value == 7);
        assert_non_null(strstr(error.message, "load"));
        assert_non_null(strstr(error.message, "from 0 to 2"));
        assert_null(strchr(error.message, '\n'));
    }
    double value;
    assert_int_equal(nb_number_read("2", "load", 0, 2, &value, NULL), NB_OK);
    assert_int_equal(nb_number_read("-0", "load", 0, 2, &value, NULL), NB_OK);
    assert_int_equal(nb_number_read("+.5e0", "load", 0, 2, &value, NULL),
                     NB_OK);
    assert_true(value == 0.5);
}

static void test_integers(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "",    " ",   "x", "1x", " 1",  "1 ",  "-1",  "+1",
        "1.0", "1e1", "2", "11", "0x5", "999", "5\n", "99999999999999999999",
    };
    int64_t value = 7;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct nb_error error = { 0 };
        if (nb_integer_read(refused[i], "k", 3, 10, &value, &error) !=
            NB_INVALID)
            fail_msg("\"%s\" is read", refused[i]);
        assert_int_equal(value, 7);
        assert_non_null(strstr(error.message, "from 3 to 10"));
    }
    assert_int_equal(nb_integer_read("3", "k", 3, 10, &value, NULL), NB_OK);
    assert_int_equal(value, 3);
    assert_int_equal(nb_integer_read("0010", "k", 3, 10, &value, NULL), NB_OK);
    assert_int_equal(value, 10);
    assert_int_equal(
        nb_integer_read("9223372036854775807", "k", 0, INT64_MAX, &value, NULL),
        NB_OK);
    assert_true(value == INT64_MAX);
    assert_int_equal(nb_integer_read("-0", "k", 0, 10, &value, NULL),
                     NB_INVALID);
    assert_int_equal(nb_integer_read("-3", "k", -5, 10, &value, NULL), NB_OK);
    assert_int_equal(value, -3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adding),
        cmocka_unit_test(test_bytes_may_be_zero),
        cmocka_unit_test(test_failure_is_remembered),
        cmocka_unit_test(test_numbers_round_trip),
        cmocka_unit_test(test_numbers_are_short),
        cmocka_unit_test(test_numbers_not_finite),
        cmocka_unit_test(test_number_refusals),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
