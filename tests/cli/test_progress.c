/* The progress line on terminals, and its estimate of the time left. */
#include "cli/command.h"

#include "../support/program.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Every line fits the terminal; returns how many of them are
 * "STAGE  [###...]  N %", with the number of marks that N demands. */
static size_t count_bars(struct program *program, size_t columns)
{
    size_t bars = 0;
    program->said[program->length] = '\0';
    for (char *line = strtok(program->said, "\r"); line != NULL;
         line = strtok(NULL, "\r")) {
        char *end = strstr(line, "\033[K");
        if (end == NULL)
            fail_msg("not cleared to its end: %s", line);
        *end = '\0';
        assert_true(strlen(line) < columns);
        const char *bar = strstr(line, "  [");
        if (bar == NULL)
            continue;
        const size_t marks = strspn(bar + 3, "#");
        const size_t all = marks + strspn(bar + 3 + marks, ".");
        size_t percent;
        char mark;
        assert_true(bar > line && all > 0);
        assert_int_equal(sscanf(bar + 3 + all, "] %zu %c", &percent, &mark), 2);
        assert_int_equal(mark, '%');
        if (percent > 100 || marks * 100 > all * (percent + 1) ||
            (marks + 1) * 100 <= all * percent)
            fail_msg("%zu marks of %zu: %s", marks, all, line);
        bars++;
    }
    return bars;
}

/* By default, the line appears after two seconds of any computation. */
static void test_line_on_a_terminal(void **state)
{
    (void)state;
    struct program program;
    const double begin = now();
    program_start(&program, PROGRAM_LONG, 61, SIG_DFL);
    assert_true(program_listen(&program));
    const double quiet = now() - begin;
    if (quiet < 2)
        fail_msg("a line after %g seconds", quiet);
    while (program.length < 200)
        assert_true(program_listen(&program));
    assert_int_equal(kill(program.id, SIGINT), 0);
    program_expect_killed(program_end(&program), SIGINT);
    program_expect_cleared(&program);
    assert_true(count_bars(&program, 61) > 0);
}

static void test_line_on_any_width(void **state)
{
    (void)state;
    static const unsigned short widths[] = { 2, 20, 40, 41, 60, 250, 9999 };
    static const char line[] =
        "worst-case --topology torus:8x8 --routing dor --progress always";
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        struct program program;
        program_start(&program, line, widths[i], SIG_DFL);
        const int status = program_end(&program);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        program_expect_cleared(&program);
        /* Room for a bar next to the stage, the share and the time. */
        const bool has_room = widths[i] > 40;
        assert_int_equal(count_bars(&program, widths[i]) > 0, has_room);
    }
}

static enum nb_status rest_half(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    (void)context;
    (void)thread;
    (void)index;
    (void)err;
    usleep(500000);
    return NB_OK;
}

/* 50 ms; fails after half a second. */
static enum nb_status rest_some(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    (void)context;
    (void)thread;
    usleep(50000);
    return index < 10 ? NB_OK : nb_fail(err, NB_REFUTED, "enough");
}

/* Output for two stages, of half a second and then of some 50 s. */
static void run_stages(char *said, size_t size)
{
    const struct nb_invocation invocation = {
        .threads = { 1 }, .progress = { .choice = NB_PROGRESS_ALWAYS }
    };
    const int error = dup(STDERR_FILENO);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    const struct nb_run run = nb_progress_run(&invocation);
    nb_run_tasks(&run, "first", 1, rest_half, NULL, NULL);
    nb_run_tasks(&run, "second", 1000, rest_some, NULL, NULL);
    nb_progress_end();
    dup2(error, STDERR_FILENO);
    close(error);
    close(ends[1]);
    const ssize_t length = read(ends[0], said, size - 1);
    assert_true(length > 0);
    said[length] = '\0';
    close(ends[0]);
}

/* From the stage's own time, not the first one's; none before a task is done. A
 * busy machine sleeps longer than asked, never shorter. */
static void test_time_left(void **state)
{
    (void)state;
    char said[10000];
    size_t estimates = 0;
    run_stages(said, sizeof said);
    for (char *line = strtok(said, "\r"); line != NULL;
         line = strtok(NULL, "\r")) {
        unsigned time;
        char unit[4];
        const char *about = strstr(line, "about ");
        const bool is_begun = strncmp(line, "second", 6) == 0 &&
                              strstr(line, "  0 %  \033") == NULL;
        if ((about != NULL) != is_begun)
            fail_msg("%s", line);
        if (about == NULL)
            continue;
        if (sscanf(about, "about %u %3s left", &time, unit) != 2)
            fail_msg("%s", line);
        time *= strcmp(unit, "min") == 0 ? 60 : 1;
        if (time < 49 || time > 400) /* with the first stage's time, 550 */
            fail_msg("%s", line);
        estimates++;
    }
    assert_true(estimates > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_on_a_terminal),
        cmocka_unit_test(test_line_on_any_width),
        cmocka_unit_test(test_time_left),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
