#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/status.h"
#include "core/try.h"

#include <string.h>

static void test_first_failure_is_kept(void **state)
{
    (void)state;
    struct nb_error error = { 0 };
    assert_int_equal(nb_fail(&error, NB_INVALID, "k=%d", 1), NB_INVALID);
    assert_int_equal(nb_fail(&error, NB_IO, "later"), NB_IO);
    assert_int_equal(error.status, NB_INVALID);
    assert_string_equal(error.message, "k=1");
}

static void test_error_is_optional(void **state)
{
    (void)state;
    assert_int_equal(nb_fail(NULL, NB_REFUTED, "%s", "nobody listens"),
                     NB_REFUTED);
}

static void test_message_is_cut(void **state)
{
    (void)state;
    char text[2000];
    struct nb_error error = { 0 };
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    nb_fail(&error, NB_INVALID, "%s", text);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_int_equal(strspn(error.message, "x"), sizeof error.message - 1);
}

/* Every control character becomes one '?'; everything else is kept. */
static void test_message_is_one_line(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) { /* bytes above 7F are not characters */
        struct nb_error error = { 0 };
        const char text[] = { 'a', (char)c, 'b', '\0' };
        nb_fail(&error, NB_INVALID, "<%s>", text);
        const char expected[] = {
            '<', 'a', c < 0x20 || c >= 0x7f ? '?' : (char)c, 'b', '>', '\0'
        };
        assert_string_equal(error.message, expected);
    }
    /* A character that is cut off at the message's end. */
    struct nb_error error = { 0 };
    nb_fail(&error, NB_INVALID, "%*s\xC3\xBC", (int)sizeof error.message - 2,
            "");
    assert_string_equal(error.message + sizeof error.message - 2, "?");
}

static enum nb_status status_two_steps(enum nb_status first, int *steps)
{
    enum nb_status status = NB_OK;
    NB_TRY(first);
    ++*steps;
done:
    ++*steps;
    return status;
}

static void test_try_jumps_to_done(void **state)
{
    (void)state;
    int steps = 0;
    assert_int_equal(status_two_steps(NB_OK, &steps), NB_OK);
    assert_int_equal(steps, 2);
    assert_int_equal(status_two_steps(NB_OVERFLOW, &steps), NB_OVERFLOW);
    assert_int_equal(steps, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_failure_is_kept),
        cmocka_unit_test(test_error_is_optional),
        cmocka_unit_test(test_message_is_cut),
        cmocka_unit_test(test_message_is_one_line),
        cmocka_unit_test(test_try_jumps_to_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
