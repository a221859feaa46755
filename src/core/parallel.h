/* Parallel loops whose results do not depend on the number of threads. */
#ifndef NB_CORE_PARALLEL_H
#define NB_CORE_PARALLEL_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>

NB_PUBLIC_BEGIN

struct nb_deal;

/* How a long loop is run and watched. NULL stands for the zero value. */
struct nb_run {
    int threads; /* 0: as many as the machine offers */
    /* Called with done = 0 at the beginning of a loop, then now and then with
     * no less than before, by one thread at a time; may be NULL. what may
     * change while a loop of long steps goes on: it then tells of the last. */
    void (*progress)(void *context, const char *what, size_t done,
                     size_t total);
    void *progress_context;
    int *most_threads;    /* raised to what a loop had; may be NULL */
    struct nb_deal *deal; /* who does tasks that are dealt out (core/deal.h);
                             NULL: this process, which keeps none */
};

/* The number of threads that a loop of count tasks uses, at least 1; fewer
 * where the system grants fewer. The processors that the process may use are
 * counted once, so that the number does not change. */
int nb_run_threads(const struct nb_run *run, size_t count);

/* Whether the caller is within a task of a loop of this process. */
bool nb_run_is_within(void);

/* Calls progress for a loop that counts otherwise than by its tasks: adds more
 * (0: it begins) to *done, at most total, under a lock that all loops share. */
void nb_run_report(const struct nb_run *run, const char *what, size_t *done,
                   size_t more, size_t total);

/*
 * Runs task(context, thread, index, err) for index = 0..count-1, in any
 * order, on several threads. Every task writes only what its index owns (and
 * scratch space chosen by thread, 0 <= thread < nb_run_threads), so the
 * result is the same for any number of threads.
 *
 * what  names the work for the progress report
 *
 * Errors: those of the failing task with the lowest index among those that
 * ran; later tasks may then be left out.
 */
enum nb_status
nb_run_tasks(const struct nb_run *run, const char *what, size_t count,
             enum nb_status (*task)(void *context, int thread, size_t index,
                                    struct nb_error *err),
             void *context, struct nb_error *err);

NB_PUBLIC_END

#endif
