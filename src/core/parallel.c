#include "core/parallel.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>

int nb_run_threads(const struct nb_run *run, size_t count)
{
    int threads =
        run != NULL && run->threads > 0 ? run->threads : omp_get_max_threads();
    if (count < (size_t)threads)
        threads = count > 0 ? (int)count : 1;
    return threads;
}

enum nb_status
nb_run_tasks(const struct nb_run *run, const char *what, size_t count,
             enum nb_status (*task)(void *context, int thread, size_t index,
                                    struct nb_error *err),
             void *context, struct nb_error *err)
{
    struct nb_error first = { 0 };
    size_t first_index = count;
    atomic_size_t done = 0;
    atomic_bool has_failed = false;
    int team = 1;

    if (count > 0 && run != NULL && run->progress != NULL)
        run->progress(run->progress_context, what, 0, count);
#pragma omp parallel for schedule(dynamic)                                     \
    num_threads(nb_run_threads(run, count))
    for (size_t i = 0; i < count; i++) {
        if (i == 0)
            team = omp_get_num_threads();
        if (atomic_load(&has_failed))
            continue;
        struct nb_error own = { 0 };
        const enum nb_status status =
            task(context, omp_get_thread_num(), i, &own);
        const size_t finished = atomic_fetch_add(&done, 1) + 1;
        if (status != NB_OK) {
            atomic_store(&has_failed, true);
#pragma omp critical(nb_run_failure)
            if (i < first_index) {
                first_index = i;
                first = own;
                first.status = status;
            }
        }
        if (run != NULL && run->progress != NULL) {
#pragma omp critical(nb_run_progress)
            run->progress(run->progress_context, what, finished, count);
        }
    }
    if (run != NULL && run->most_threads != NULL) {
        /* Loops within loops share it. */
#pragma omp critical(nb_run_threads)
        if (*run->most_threads < team)
            *run->most_threads = team;
    }
    if (first_index == count)
        return NB_OK;
    return nb_fail(err, first.status, "%s", first.message);
}
