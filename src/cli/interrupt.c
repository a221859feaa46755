/*
 * Interruption (declared in interrupt.h).
 *
 * nb_file_write blocks the signals in its thread while there is a temporary
 * file. But a signal to a process is delivered to any thread that does not
 * block it, such as the one that draws the progress line; so every other thread
 * passes it on to the one that writes. Alternatives rejected: a handler that
 * removes the temporary file would need its name in a global variable and could
 * run while another thread makes the next file; a thread that only waits for
 * signals would need a lock around every write.
 */
#include "cli/interrupt.h"

#include "cli/command.h"
#include "core/ranks.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INTERRUPT_LOST  "netbound: a rank has died, or all were ended: "
#define INTERRUPT_ENDED "netbound: ended: "
#define INTERRUPT_PART  "the checkpoint has only a part of the finished work\n"

static pthread_t interrupt_writer;
static bool interrupt_has_pipe; /* SIGPIPE was not ignored */
/* The message printed when the run is ended. */
static const char *_Atomic interrupt_words; /* NULL: no work is kept */

static void interrupt_tell(void)
{
    const char *words = interrupt_words;
    if (words == NULL)
        words = nb_ranks_count() > 1 ? INTERRUPT_LOST "no work is kept\n" : "";
    if (write(STDERR_FILENO, words, strlen(words)) < 0)
        return; /* nobody to report to */
}

static void interrupt_take(int number)
{
    const int error = errno;
    if (!pthread_equal(pthread_self(), interrupt_writer)) {
        pthread_kill(interrupt_writer, number);
        errno = error; /* the interrupted code of this thread may read errno */
        return;
    }
    nb_progress_clear();
    if (nb_ranks_is_first())
        interrupt_tell();
    /* MPI ends the remaining ranks with SIGTERM when one has died. Open MPI
     * kills the rest as soon as one of them ends, or after a second; so the
     * others wait that long for the first, which has a message to print. */
    if (number == SIGTERM && nb_ranks_count() > 1) {
        if (nb_ranks_is_first())
            _exit(1);
        sleep(1);
    }
    /* Takes effect when the handler returns, so that the exit status shows the
     * signal. */
    signal(number, SIG_DFL);
    raise(number);
}

void nb_interrupt_install(void)
{
    static const int numbers[] = { SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGXCPU };
    enum { COUNT = sizeof numbers / sizeof *numbers };
    struct sigaction action = { .sa_handler = interrupt_take,
                                .sa_flags = SA_RESTART };
    struct sigaction before;
    interrupt_writer = pthread_self();
    interrupt_has_pipe = signal(SIGPIPE, SIG_IGN) != SIG_IGN;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT; i++)
        sigaddset(&action.sa_mask, numbers[i]);
    for (size_t i = 0; i < COUNT; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
}

void nb_interrupt_keep(const char *checkpoint)
{
    struct nb_error error = { 0 };
    static char words[sizeof error.message + 1];
    nb_fail(&error, NB_IO, "%sthe work finished so far is in \"%.200s\"",
            nb_ranks_count() > 1 ? INTERRUPT_LOST : INTERRUPT_ENDED,
            checkpoint);
    snprintf(words, sizeof words, "%s\n", error.message);
    interrupt_words = words;
}

void nb_interrupt_lose(void)
{
    if (interrupt_words != NULL)
        interrupt_words = nb_ranks_count() > 1 ? INTERRUPT_LOST INTERRUPT_PART
                                               : INTERRUPT_ENDED INTERRUPT_PART;
}

void nb_interrupt_unread(void)
{
    if (errno != EPIPE || !interrupt_has_pipe)
        return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}
