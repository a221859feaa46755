/* Ctrl-C and similar signals: the program dies of the signal, clears its
 * progress line, and leaves no part of a file. */
#include "cli/interrupt.h"
#include "core/random.h"
#include "core/text.h"

#include "../support/program.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The scratch folder contains only this file, with one of two contents. */
static void expect_file(const char *name, const char *bytes, size_t length,
                        const char *other_bytes)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    DIR *folder = opendir(nb_scratch_folder());
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, name) != 0)
            fail_msg("left behind: %s", entry->d_name);
    closedir(folder);
    nb_scratch_name(name, path);
    assert_int_equal(nb_text_read_file(path, length, &text, NULL), NB_OK);
    assert_int_equal(text.length, length);
    assert_true(memcmp(text.bytes, bytes, length) == 0 ||
                memcmp(text.bytes, other_bytes, length) == 0);
    nb_text_release(&text);
}

static void test_signals_end_a_computation(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("report", path), "old", 3);
    for (const int *number = program_signals; *number != 0; number++) {
        struct program program;
        program_start(&program, PROGRAM_LONG "--progress always", 0, SIG_DFL);
        assert_true(program_listen(&program));
        assert_int_equal(kill(program.id, *number), 0);
        program_expect_killed(program_end(&program), *number);
        program_expect_cleared(&program);
        expect_file("report", "old", 3, "old");
    }
    unlink(path);
}

/* As in a shell's background, or under nohup. */
static void test_ignored_signals_stay_ignored(void **state)
{
    (void)state;
    static const char line[] =
        "worst-case --topology mesh:16x16 --routing dor --output report "
        "--progress always";
    char path[NB_SCRATCH_PATH];
    struct program program;
    program_start(&program, line, 0, SIG_IGN);
    assert_true(program_listen(&program));
    assert_int_equal(kill(program.id, SIGINT), 0);
    const int status = program_end(&program);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(unlink(nb_scratch_name("report", path)), 0);
}

static void *rest(void *unused)
{
    for (;;)
        pause();
    return unused;
}

enum { FILE_BYTES = 1 << 20 };

/* Writes a file again and again, with other threads running that may get the
 * signals; never returns. */
static void write_for_ever(const char *path, const char *const contents[2],
                           int ready)
{
    pthread_t others[3];
    for (const int *number = program_signals; *number != 0; number++)
        signal(*number, SIG_DFL);
    nb_interrupt_install();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pthread_create(&others[i], NULL, rest, NULL) != 0)
            _exit(1);
    for (size_t i = 0;; i++) {
        if (nb_file_write(path, contents[i % 2], FILE_BYTES, NULL) != NB_OK)
            _exit(1);
        if (i == 0 && write(ready, "", 1) != 1)
            _exit(1);
    }
}

static void test_no_signal_leaves_part_of_a_file(void **state)
{
    (void)state;
    enum { KILLS = 100, SIGNALS = 5, LONGEST_WAIT = 3000 }; /* microseconds */
    static char zeros[FILE_BYTES], ones[FILE_BYTES];
    const char *const contents[2] = { zeros, ones };
    char path[NB_SCRATCH_PATH];
    struct nb_random random;
    nb_random_init(&random, 1, 0);
    memset(zeros, '0', sizeof zeros);
    memset(ones, '1', sizeof ones);
    nb_scratch_name("file", path);
    for (size_t i = 0; i < KILLS; i++) {
        const int number = program_signals[i % SIGNALS];
        int ready[2], status;
        char byte;
        assert_int_equal(pipe(ready), 0);
        const pid_t id = fork();
        assert_true(id >= 0);
        if (id == 0)
            write_for_ever(path, contents, ready[1]);
        close(ready[1]);
        assert_int_equal(read(ready[0], &byte, 1), 1);
        usleep((useconds_t)nb_random_below(&random, LONGEST_WAIT));
        assert_int_equal(kill(id, number), 0);
        assert_int_equal(waitpid(id, &status, 0), id);
        close(ready[0]);
        program_expect_killed(status, number);
        expect_file("file", zeros, FILE_BYTES, ones);
    }
    unlink(path);
}

int main(void)
{
    /* SIGQUIT and SIGXCPU would leave a core file. */
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals_end_a_computation),
        cmocka_unit_test(test_ignored_signals_stay_ignored),
        cmocka_unit_test(test_no_signal_leaves_part_of_a_file),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
