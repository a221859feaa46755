/* The progress line of a stage that counts cycles: cycles per second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The line of a stage with a given share done after half a second, and until a
 * quarter of a second later. */
static void run_stage(const char *what, size_t done, char *said, size_t size)
{
    const struct nb_invocation invocation = {
        .threads = { 1 }, .progress = { .choice = NB_PROGRESS_ALWAYS }
    };
    const int error = dup(STDERR_FILENO);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    const struct nb_run run = nb_progress_run(&invocation);
    run.progress(run.progress_context, what, 0, 4 * done);
    usleep(500000);
    run.progress(run.progress_context, what, done, 4 * done);
    usleep(450000);
    nb_progress_end();
    dup2(error, STDERR_FILENO);
    close(error);
    close(ends[1]);
    const ssize_t length = read(ends[0], said, size - 1);
    assert_true(length > 0);
    said[length] = '\0';
    close(ends[0]);
}

/* A busy machine sleeps longer than asked, never shorter. */
static void test_rate(void **state)
{
    (void)state;
    static const struct {
        size_t done;
        double unit;
        const char *spelled;
    } rows[] = {
        { 300, 1, " cycles/s  " },
        { 300000, 1e3, " k cycles/s  " },
        { 40000000, 1e6, " M cycles/s  " },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[10000];
        size_t rates = 0;
        run_stage("cycles", rows[i].done, said, sizeof said);
        for (char *line = strtok(said, "\r"); line != NULL;
             line = strtok(NULL, "\r")) {
            const char *share = strstr(line, " 25 %  ");
            if ((strstr(line, "cycles/s") != NULL) != (share != NULL))
                fail_msg("%s", line);
            if (share == NULL)
                continue;
            assert_true(strcspn(line, "\033") < 80);
            char *spelled;
            const double rate = strtod(share + 7, &spelled) * rows[i].unit /
                                (double)rows[i].done;
            if (rate > 2.05 || rate < 0.2 ||
                strncmp(spelled, rows[i].spelled, strlen(rows[i].spelled)) != 0)
                fail_msg("%s", line);
            assert_non_null(strstr(share, " left"));
            rates++;
        }
        assert_true(rates > 0);
    }
}

static void test_no_rate(void **state)
{
    (void)state;
    char said[10000];
    run_stage("matchings", 300, said, sizeof said);
    assert_non_null(strstr(said, " 25 %  about "));
    assert_null(strstr(said, "/s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
