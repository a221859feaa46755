#include "core/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In builds that measure coverage: _exit would lose the counts. */
void __gcov_dump(void) __attribute__((weak));

/* What the process sends before its text. */
struct apart_answer {
    struct nb_error error;
    size_t length;
};

static bool apart_send(int end, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length > 0) {
        const ssize_t sent = write(end, at, length);
        if (sent < 0 && errno != EINTR)
            return false;
        at += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool apart_receive(int end, void *bytes, size_t length)
{
    char *at = bytes;
    while (length > 0) {
        const ssize_t got = read(end, at, length);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? got : 0;
        length -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

void nb_apart_end_without_memory(void)
{
    _exit(NB_NO_MEMORY);
}

/* Runs in the new process. Exits without flushing, closing or freeing what was
 * copied from the parent. */
_Noreturn static void apart_work(int end,
                                 enum nb_status (*work)(void *context,
                                                        struct nb_text *text,
                                                        struct nb_error *err),
                                 void *context)
{
    struct nb_text text = { 0 };
    struct apart_answer answer = { 0 };
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody reads the result */
    answer.error.status = work(context, &text, &answer.error);
    answer.length = answer.error.status == NB_OK ? text.length : 0;
    const bool is_sent = apart_send(end, &answer, sizeof answer) &&
                         apart_send(end, text.bytes, answer.length);
    nb_text_release(&text);
    if (__gcov_dump != NULL)
        __gcov_dump();
    _exit(is_sent ? 0 : NB_IO);
}

/* Appends what the process sends; false if it ended too early. */
static bool apart_take(int end, struct nb_text *text,
                       struct apart_answer *answer)
{
    char block[65536];
    if (!apart_receive(end, answer, sizeof *answer))
        return false;
    for (size_t left = answer->length; left > 0;) {
        const size_t part = left < sizeof block ? left : sizeof block;
        if (!apart_receive(end, block, part))
            return false;
        nb_text_add(text, block, part);
        left -= part;
    }
    return true;
}

static enum nb_status apart_ended(const char *what, int state,
                                  struct nb_error *err)
{
    if (!WIFSIGNALED(state))
        return nb_fail(err, NB_NO_MEMORY, "no memory for %s", what);
    return nb_fail(
        err, NB_NO_MEMORY,
        "%s: its process was killed by signal %d (%s); out of memory?", what,
        WTERMSIG(state), strsignal(WTERMSIG(state)));
}

enum nb_status
nb_run_apart(const char *what,
             enum nb_status (*work)(void *context, struct nb_text *text,
                                    struct nb_error *err),
             void *context, struct nb_text *text, struct nb_error *err)
{
    const size_t before = text->length;
    struct apart_answer answer = { 0 };
    int ends[2], state = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return nb_fail(err, NB_IO, "no pipe for %s: %s", what, strerror(errno));
    const pid_t id = fork();
    if (id == 0)
        apart_work(ends[1], work, context);
    const int error = errno;
    close(ends[1]);
    const bool is_whole = id > 0 && apart_take(ends[0], text, &answer);
    close(ends[0]);
    if (id < 0)
        return nb_fail(err, NB_NO_MEMORY, "no process for %s: %s", what,
                       strerror(error));
    while (waitpid(id, &state, 0) < 0 && errno == EINTR)
        ;
    if (!is_whole) {
        text->length = before;
        return apart_ended(what, state, err);
    }
    if (answer.error.status != NB_OK)
        return nb_fail(err, answer.error.status, "%s", answer.error.message);
    return nb_text_check(text, err);
}
