/*
 * Interruption (declared in interrupt.h).
 *
 * nb_file_write holds the signals from its thread as long as there is a
 * temporary file. But a signal to a process goes to any thread that does not
 * hold it, such as the one that draws the progress line; so whichever thread
 * gets it passes it on to the one that writes. A handler that
 * removes the temporary file would need its name in a global variable and
 * could run while another thread makes the next one; a thread that only waits
 * for signals would need a lock around every write.
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

static pthread_t interrupt_writer;
static bool interrupt_has_pipe; /* SIGPIPE was not ignored */
/* What is said when the run is ended. */
static const char *_Atomic interrupt_words; /* NULL: no work is kept */

static void interrupt_tell(void)
{
    const char *words = interrupt_words;
    if (words == NULL)
        words = nb_ranks_count() > 1 ? INTERRUPT_LOST "no work is kept\n" : "";
    if (write(STDERR_FILENO, words, strlen(words)) < 0)
        return; /* there is nobody to tell */
}

static void interrupt_take(int number)
{
    const int error = errno;
    if (!pthread_equal(pthread_self(), interrupt_writer)) {
        pthread_kill(interrupt_writer, number);
        errno = error; /* what this thread was doing goes on */
        return;
    }
    nb_progress_clear();
    if (nb_ranks_is_first())
        interrupt_tell();
    /* MPI's way to end the ranks that are left when one has died. Open MPI
     * kills the rest as soon as one of them has ended, or after a second: that
     * long the others wait for the first, which has something to say. */
    if (number == SIGTERM && nb_ranks_count() > 1) {
        if (nb_ranks_is_first())
            _exit(1);
        sleep(1);
    }
    /* Takes effect when the handler returns, so that the exit status tells
     * which signal it was. */
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

void nb_interrupt_unread(void)
{
    if (errno != EPIPE || !interrupt_has_pipe)
        return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}
