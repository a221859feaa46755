#include "core/parallel.h"

#include "core/memory.h"
#include "core/ranks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/* A loop and its threads. Plain threads, not OpenMP: its runtime ends the
 * process if a thread or memory cannot be allocated, and keeps its threads
 * after the loop, so that a later fork would not be safe. */
struct parallel_loop {
    const struct nb_run *run;
    const char *what;
    size_t count;
    enum nb_status (*task)(void *context, int thread, size_t index,
                           struct nb_error *err);
    void *context;
    const int *stop;
    atomic_size_t next; /* tasks started */
    size_t done;        /* tasks ended, under the lock */
    atomic_int team;    /* threads that have started */
    atomic_bool has_failed;
    size_t first_index; /* of the failing tasks */
    struct nb_error first;
};

/* For failures, progress and most_threads; nested loops share them. */
static pthread_mutex_t parallel_lock = PTHREAD_MUTEX_INITIALIZER;

/* Loops within a task run on its thread. */
static _Thread_local bool parallel_is_inside;

/* What nb_run_is_stopped reads; NULL: nothing. */
static _Thread_local const int *parallel_stop;

/* Processors available to the process at the first call: per-thread data is
 * allocated for a number that must be the same when the loop asks again. */
static int parallel_processors;

static void parallel_count_processors(void)
{
    cpu_set_t set;
    const bool is_set = sched_getaffinity(0, sizeof set, &set) == 0;
    /* more may be online than a cpu_set_t holds */
    const long count = is_set ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    parallel_processors = count > nb_ranks_beside() + 1
                              ? (int)(count / (nb_ranks_beside() + 1))
                              : 1;
}

int nb_run_threads(const struct nb_run *run, size_t count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, parallel_count_processors);
    int threads =
        run != NULL && run->threads > 0 ? run->threads : parallel_processors;
    if (count < (size_t)threads)
        threads = count > 0 ? (int)count : 1;
    return threads;
}

bool nb_run_is_within(void)
{
    return parallel_is_inside;
}

const int *nb_run_watch(const struct nb_run *run)
{
    const int *before = parallel_stop;
    if (run != NULL && run->stop != NULL)
        parallel_stop = run->stop;
    return before;
}

enum nb_status nb_run_unwatch(const int *before, enum nb_status status,
                              const struct nb_error *wrong,
                              struct nb_error *err)
{
    if (nb_run_is_stopped())
        status = nb_run_check_stop(err);
    else if (status != NB_OK)
        status = nb_fail_again(err, status, wrong);
    parallel_stop = before;
    return status;
}

bool nb_run_is_stopped(void)
{
    const int *stop = parallel_stop;
    return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

enum nb_status nb_run_check_stop(struct nb_error *err)
{
    return nb_run_is_stopped() ? nb_fail(err, NB_STOPPED, "stopped on request")
                               : NB_OK;
}

void nb_run_report(const struct nb_run *run, const char *what, size_t *done,
                   size_t more, size_t total)
{
    if (run == NULL || run->progress == NULL)
        return;
    pthread_mutex_lock(&parallel_lock);
    *done = more < total - *done ? *done + more : total;
    run->progress(run->progress_context, what, *done, total);
    pthread_mutex_unlock(&parallel_lock);
}

static void parallel_do(struct parallel_loop *loop, int thread, size_t index)
{
    struct nb_error own = { 0 };
    enum nb_status status = nb_run_check_stop(&own);
    if (status == NB_OK)
        status = loop->task(loop->context, thread, index, &own);
    if (status == NB_OK)
        status = nb_run_check_stop(&own);
    if (status != NB_OK) {
        pthread_mutex_lock(&parallel_lock);
        if (index < loop->first_index) {
            loop->first_index = index;
            loop->first = own;
            loop->first.status = status;
            atomic_store(&loop->has_failed, true);
        }
        pthread_mutex_unlock(&parallel_lock);
    }
    nb_run_report(loop->run, loop->what, &loop->done, 1, loop->count);
}

/* Runs in every thread of the team. */
static void *parallel_work(void *context)
{
    struct parallel_loop *loop = context;
    const int thread = atomic_fetch_add(&loop->team, 1);
    const bool was_inside = parallel_is_inside;
    const int *before = parallel_stop;
    size_t index;
    parallel_stop = loop->stop;
    parallel_is_inside = true;
    while (!atomic_load(&loop->has_failed) &&
           (index = atomic_fetch_add(&loop->next, 1)) < loop->count)
        parallel_do(loop, thread, index);
    parallel_is_inside = was_inside;
    parallel_stop = before;
    return NULL;
}

/* With as many threads as can be created, at least this one. */
static void parallel_run(struct parallel_loop *loop)
{
    const int wanted =
        parallel_is_inside ? 1 : nb_run_threads(loop->run, loop->count);
    pthread_t *others = nb_new_array((size_t)wanted, sizeof *others);
    int count = 0;
    while (others != NULL && count < wanted - 1 &&
           pthread_create(&others[count], NULL, parallel_work, loop) == 0)
        count++;
    parallel_work(loop);
    while (count > 0)
        pthread_join(others[--count], NULL);
    nb_delete(others);
}

enum nb_status
nb_run_tasks(const struct nb_run *run, const char *what, size_t count,
             enum nb_status (*task)(void *context, int thread, size_t index,
                                    struct nb_error *err),
             void *context, struct nb_error *err)
{
    struct parallel_loop loop = {
        .run = run,
        .what = what,
        .count = count,
        .task = task,
        .context = context,
        .stop = run != NULL && run->stop != NULL ? run->stop : parallel_stop,
        .first_index = count,
    };
    if (count > 0)
        nb_run_report(run, what, &loop.done, 0, count);
    parallel_run(&loop);
    if (run != NULL && run->most_threads != NULL) {
        pthread_mutex_lock(&parallel_lock);
        if (*run->most_threads < loop.team)
            *run->most_threads = loop.team;
        pthread_mutex_unlock(&parallel_lock);
    }
    if (loop.first_index == count)
        return NB_OK;
    return nb_fail_again(err, loop.first.status, &loop.first);
}
