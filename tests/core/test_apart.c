/* Work in a process of its own: what comes back, and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/apart.h"
#include "core/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool can_fork = true;

/* Replaces the C library's. */
pid_t fork(void)
{
    pid_t (*make)(void);
    void *found = dlsym(RTLD_NEXT, "fork");
    if (!can_fork) {
        errno = EAGAIN;
        return -1;
    }
    memcpy(&make, &found, sizeof make);
    return make();
}

enum { LINES = 200000 };

static enum nb_status make_text(void *context, struct nb_text *text,
                                struct nb_error *err)
{
    int *const calls = context;
    ++*calls; /* in the copy */
    for (int i = 0; i < LINES; i++)
        nb_text_print(text, "line %d\n", i);
    return nb_text_check(text, err);
}

static enum nb_status refuse(void *context, struct nb_text *text,
                             struct nb_error *err)
{
    (void)context;
    nb_text_print(text, "lost");
    return nb_fail(err, NB_INVALID, "rate 7 is not permitted");
}

static enum nb_status be_killed(void *context, struct nb_text *text,
                                struct nb_error *err)
{
    (void)text;
    (void)err;
    raise(*(int *)context);
    return NB_OK;
}

static enum nb_status run_out(void *context, struct nb_text *text,
                              struct nb_error *err)
{
    (void)context;
    (void)text;
    (void)err;
    nb_apart_end_without_memory();
}

/* Only the calling process is left. */
static void expect_no_process(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_text_is_appended(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    struct nb_text text = { 0 }, expected = { 0 };
    struct nb_error error = { 0 };
    int calls = 0;
    nb_text_print(&text, "before\n");
    nb_text_print(&expected, "before\n");
    make_text(&calls, &expected, NULL);
    assert_int_equal(nb_run_apart("a test", make_text, &calls, &text, &error),
                     NB_OK);
    assert_int_equal(calls, 1);
    assert_int_equal(error.status, NB_OK);
    assert_int_equal(text.length, expected.length);
    assert_memory_equal(text.bytes, expected.bytes, text.length + 1);
    nb_text_release(&text);
    nb_text_release(&expected);
    assert_int_equal(nb_memory_live_blocks(), before);
    expect_no_process();
}

static void expect_refusal(enum nb_status (*work)(void *, struct nb_text *,
                                                  struct nb_error *),
                           void *context, enum nb_status status,
                           const char *message)
{
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_text_print(&text, "before");
    assert_int_equal(nb_run_apart("a test", work, context, &text, &error),
                     status);
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.message, message));
    assert_int_equal(text.length, strlen("before"));
    nb_text_release(&text);
    expect_no_process();
}

static void test_errors_come_back(void **state)
{
    (void)state;
    int number = SIGKILL;
    expect_refusal(refuse, NULL, NB_INVALID, "rate 7 is not permitted");
    expect_refusal(run_out, NULL, NB_NO_MEMORY, "no memory for a test");
    expect_refusal(be_killed, &number, NB_NO_MEMORY,
                   "a test: its process was killed by signal 9 (Killed); out "
                   "of memory?");
    can_fork = false;
    expect_refusal(refuse, NULL, NB_NO_MEMORY,
                   "no process for a test: Resource temporarily unavailable");
    can_fork = true;
}

/* If SIGCHLD is ignored there is no status to wait for; the text still comes
 * back. */
static void test_children_that_are_ignored(void **state)
{
    (void)state;
    struct nb_text text = { 0 };
    int calls = 0;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(nb_run_apart("a test", make_text, &calls, &text, NULL),
                     NB_OK);
    signal(SIGCHLD, SIG_DFL);
    assert_true(text.length > LINES);
    nb_text_release(&text);
}

static void test_survives_failed_allocations(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_text text = { 0 };
        int calls = 0;
        nb_memory_allow(allowed);
        status = nb_run_apart("a test", make_text, &calls, &text, NULL);
        nb_memory_allow(-1);
        nb_text_release(&text);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 2);
    expect_no_process();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_appended),
        cmocka_unit_test(test_errors_come_back),
        cmocka_unit_test(test_children_that_are_ignored),
        cmocka_unit_test(test_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
