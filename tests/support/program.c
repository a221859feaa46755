#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "program.h"

#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

const int program_signals[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGXCPU, 0 };

bool program_own_path(char path[PROGRAM_PATH])
{
    return realpath(program_invocation_name, path) != NULL;
}

/* Two ends of standard error, the one to read from first. */
static void program_open_error(unsigned short columns, int ends[2])
{
    const struct winsize size = { .ws_row = 24, .ws_col = columns };
    if (columns == 0) {
        assert_int_equal(pipe(ends), 0);
        return;
    }
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (ends[0] < 0) { /* no /dev/pts, as in some containers */
        print_message("skipped: no pseudo-terminal is available\n");
        skip();
    }
    assert_int_equal(grantpt(ends[0]), 0);
    assert_int_equal(unlockpt(ends[0]), 0);
    ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
    assert_true(ends[1] >= 0);
    assert_int_equal(ioctl(ends[1], TIOCSWINSZ, &size), 0);
}

/* Becomes the program; never returns. */
static void program_become(char **arguments, const int ends[2], bool is_shown,
                           void (*on_interrupt)(int))
{
    const int nothing = open("/dev/null", O_RDWR);
    for (size_t i = 0; program_signals[i] != 0; i++)
        signal(program_signals[i], SIG_DFL);
    signal(SIGINT, on_interrupt);
    dup2(nothing, STDIN_FILENO);
    dup2(is_shown ? ends[1] : nothing, STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (chdir(nb_scratch_folder()) == 0)
        execv(arguments[0], arguments);
    _exit(127);
}

static void program_begin(struct program *program, const char *line,
                          unsigned short columns, void (*on_interrupt)(int))
{
    char path[4096], words[400], *arguments[32] = { path };
    int ends[2], count = 1;
    const char *given = getenv("NETBOUND");
    assert_non_null(realpath(given != NULL ? given : "build/netbound", path));
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL;
         word = strtok(NULL, " "))
        arguments[count++] = word;
    program_open_error(columns, ends);
    program->id = fork();
    assert_true(program->id >= 0);
    if (program->id == 0)
        program_become(arguments, ends, program->is_shown, on_interrupt);
    close(ends[1]);
    program->error = ends[0];
}

void program_start(struct program *program, const char *line,
                   unsigned short columns, void (*on_interrupt)(int))
{
    *program = (struct program){ 0 };
    program_begin(program, line, columns, on_interrupt);
}

void program_start_shown(struct program *program, const char *line,
                         unsigned short columns)
{
    *program = (struct program){ .is_shown = true };
    program_begin(program, line, columns, SIG_DFL);
}

bool program_listen(struct program *program)
{
    struct pollfd error = { .fd = program->error, .events = POLLIN };
    if (poll(&error, 1, 60000) != 1) {
        kill(program->id, SIGKILL);
        fail_msg("silent for a minute");
    }
    /* Reading from a terminal with no other end fails. */
    const ssize_t length = read(program->error, program->said + program->length,
                                sizeof program->said - 1 - program->length);
    if (length > 0)
        program->length += (size_t)length;
    return length > 0;
}

int program_end(struct program *program)
{
    int status;
    while (program_listen(program))
        ;
    assert_int_equal(waitpid(program->id, &status, 0), program->id);
    close(program->error);
    return status;
}

void program_expect_killed(int status, int number)
{
    if (!WIFSIGNALED(status) || WTERMSIG(status) != number)
        fail_msg("status %x instead of signal %d", (unsigned)status, number);
}

void program_expect_cleared(const struct program *program)
{
    static const char clear[] = "\r\033[K";
    const size_t length = sizeof clear - 1;
    assert_true(program->length >= length);
    assert_string_equal(program->said + program->length - length, clear);
}
