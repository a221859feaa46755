/* Parallel loops whose results do not depend on the number of threads. */
#ifndef NB_CORE_PARALLEL_H
#define NB_CORE_PARALLEL_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>

struct nb_deal;

/* How a long loop is run and watched. NULL means the zero value. */
struct nb_run {
    int threads; /* 0: all the machine offers */
    /* Called with done = 0 at the beginning of a loop, then now and then with
     * done not decreasing, by one thread at a time; may be NULL. what may
     * change during a loop of long steps; it then names the latest. */
    void (*progress)(void *context, const char *what, size_t done,
                     size_t total);
    void *progress_context;
    /* Set it to another value than 0, from any thread or signal handler, to end
     * nb_ask, nb_verify_file or a loop of tasks, in general within a second:
     * they then return NB_STOPPED. Do not set it back before. May be NULL. */
    const int *stop;
    /* For nb_ask: a file that keeps finished tasks, so that the same question
     * asked again goes on from there; it remains afterwards. NULL: none. */
    const char *checkpoint;
    struct nb_error *lost; /* out: why the checkpoint could not be written, so
                            * that nothing more is kept; may be NULL */
    int *most_threads;     /* raised to a loop's maximum; may be NULL */
    struct nb_deal *deal;  /* runs tasks that are dealt out (core/deal.h); NULL:
                            * this process, which keeps none */
};

NB_INTERNAL_BEGIN

/* The number of threads that a loop of count tasks uses, at least 1; fewer
 * where the system grants fewer. The processors available to the process are
 * counted once, so the number does not change. */
int nb_run_threads(const struct nb_run *run, size_t count);

/* Whether the caller is within a task of a loop of this process. */
bool nb_run_is_within(void);

/* Calls progress for a loop that counts something other than its tasks: adds
 * more (0: it begins) to *done, at most total, under a lock shared by all
 * loops. */
void nb_run_report(const struct nb_run *run, const char *what, size_t *done,
                   size_t more, size_t total);

/*
 * Runs task(context, thread, index, err) for index = 0..count-1, in any order,
 * on several threads. Every task writes only what its index owns (and scratch
 * space chosen by thread, 0 <= thread < nb_run_threads), so the result is the
 * same for any number of threads.
 *
 * what  names the work in the progress report
 *
 * Errors: those of the failing task with the lowest index among those that ran;
 * later tasks may be skipped. NB_STOPPED.
 */
enum nb_status
nb_run_tasks(const struct nb_run *run, const char *what, size_t count,
             enum nb_status (*task)(void *context, int thread, size_t index,
                                    struct nb_error *err),
             void *context, struct nb_error *err);

/* From now on, in this thread and in loops that it runs, nb_run_is_stopped
 * reads run->stop, unless that is NULL. Returns what it read before. */
const int *nb_run_watch(const struct nb_run *run);
/* Ends what nb_run_watch began. Returns NB_STOPPED if the call was stopped,
 * else status, with the message of wrong. */
enum nb_status nb_run_unwatch(const int *before, enum nb_status status,
                              const struct nb_error *wrong,
                              struct nb_error *err);

/* Whether the call is to end. Then it will, and nothing that is computed from
 * here on is used: functions without a status may return any result. */
bool nb_run_is_stopped(void);
/* Errors: NB_STOPPED. */
enum nb_status nb_run_check_stop(struct nb_error *err);

NB_INTERNAL_END

#endif
