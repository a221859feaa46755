#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/parallel.h"
#include "core/random.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TASKS = 1000, MOST_THREADS = 8 };

struct parallel_work {
    int threads;
    uint64_t result[TASKS];
    unsigned runs[TASKS];
    size_t failing; /* from this index on every failing_step-th task fails */
    size_t failing_step;
};

static bool parallel_is_failing(const struct parallel_work *work, size_t index)
{
    return work->failing_step > 0 && index >= work->failing &&
           (index - work->failing) % work->failing_step == 0;
}

static enum nb_status parallel_task(void *context, int thread, size_t index,
                                    struct nb_error *err)
{
    struct parallel_work *work = context;
    struct nb_random random;
    if (thread < 0 || thread >= work->threads)
        return nb_fail(err, NB_REFUTED, "thread %d of %d", thread,
                       work->threads);
    if (parallel_is_failing(work, index))
        return nb_fail(err, NB_NO_CONVERGENCE, "task %zu failed", index);
    nb_random_init(&random, 1, index);
    for (size_t i = 0; i <= index % 7; i++)
        work->result[index] ^= nb_random_next(&random);
    work->runs[index]++;
    return NB_OK;
}

static void test_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static struct parallel_work first, work;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        const struct nb_run run = { .threads = threads };
        struct nb_error error = { 0 };
        work = (struct parallel_work){ .threads = threads };
        assert_int_equal(nb_run_threads(&run, TASKS), threads);
        assert_int_equal(
            nb_run_tasks(&run, "test", TASKS, parallel_task, &work, &error),
            NB_OK);
        assert_int_equal(error.status, NB_OK);
        if (threads == 1)
            first = work;
        assert_memory_equal(work.result, first.result, sizeof work.result);
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(work.runs[i], 1);
    }
}

static void test_thread_numbers(void **state)
{
    (void)state;
    const struct nb_run eight = { .threads = 8 };
    assert_int_equal(nb_run_threads(&eight, 3), 3);
    assert_int_equal(nb_run_threads(&eight, 0), 1);
    assert_true(nb_run_threads(NULL, 1000) >= 1);
    assert_int_equal(nb_run_threads(NULL, 1), 1);
}

static void test_no_tasks(void **state)
{
    (void)state;
    static struct parallel_work work;
    assert_int_equal(nb_run_tasks(NULL, "test", 0, parallel_task, &work, NULL),
                     NB_OK);
}

/* One task fails: its status and message come through. */
static void test_one_failure(void **state)
{
    (void)state;
    static struct parallel_work work;
    static const size_t places[] = { 0, 1, 499, TASKS - 1 };
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            const struct nb_run run = { .threads = threads };
            struct nb_error error = { 0 };
            char expected[32];
            work = (struct parallel_work){ .threads = threads,
                                           .failing = places[p],
                                           .failing_step = TASKS };
            snprintf(expected, sizeof expected, "task %zu failed", places[p]);
            assert_int_equal(
                nb_run_tasks(&run, "test", TASKS, parallel_task, &work, &error),
                NB_NO_CONVERGENCE);
            assert_int_equal(error.status, NB_NO_CONVERGENCE);
            assert_string_equal(error.message, expected);
        }
    }
}

/* Many fail: the error is that of one of them, on one thread that of the
 * first. */
static void test_many_failures(void **state)
{
    (void)state;
    static struct parallel_work work;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        const struct nb_run run = { .threads = threads };
        struct nb_error error = { 0 };
        size_t index = 0;
        work = (struct parallel_work){ .threads = threads,
                                       .failing = 5,
                                       .failing_step = 3 };
        assert_int_equal(
            nb_run_tasks(&run, "test", TASKS, parallel_task, &work, &error),
            NB_NO_CONVERGENCE);
        assert_int_equal(sscanf(error.message, "task %zu failed", &index), 1);
        assert_true(parallel_is_failing(&work, index));
        assert_true(threads > 1 || index == 5);
    }
    assert_int_equal(
        nb_run_tasks(NULL, "test", TASKS, parallel_task, &work, NULL),
        NB_NO_CONVERGENCE);
}

struct parallel_watch {
    size_t calls;
    bool is_seen[TASKS + 1];
};

static void parallel_progress(void *context, const char *what, size_t done,
                              size_t total)
{
    struct parallel_watch *watch = context;
    assert_string_equal(what, "counting");
    assert_int_equal(total, TASKS);
    assert_in_range(done, 0, TASKS);
    assert_true(done == 0 || watch->is_seen[0]);
    assert_false(watch->is_seen[done]);
    watch->is_seen[done] = true;
    watch->calls++;
}

static void test_progress(void **state)
{
    (void)state;
    static struct parallel_work work;
    static struct parallel_watch watch;
    work = (struct parallel_work){ .threads = 1 };
    const struct nb_run run = { .threads = 1,
                                .progress = parallel_progress,
                                .progress_context = &watch };
    assert_int_equal(
        nb_run_tasks(&run, "counting", TASKS, parallel_task, &work, NULL),
        NB_OK);
    assert_true(watch.is_seen[0]);
    assert_true(watch.is_seen[TASKS]);
}

/* Of a single task: its beginning and its end. Of none: nothing. */
static void parallel_list(void *context, const char *what, size_t done,
                          size_t total)
{
    size_t *calls = context;
    assert_string_equal(what, "counting");
    assert_int_equal(total, 1);
    assert_int_equal(done, (*calls)++);
}

static void test_progress_of_few_tasks(void **state)
{
    (void)state;
    for (size_t count = 0; count <= 1; count++) {
        static struct parallel_work work;
        size_t calls = 0;
        const struct nb_run run = { .threads = 1,
                                    .progress = parallel_list,
                                    .progress_context = &calls };
        work = (struct parallel_work){ .threads = 1 };
        assert_int_equal(
            nb_run_tasks(&run, "counting", count, parallel_task, &work, NULL),
            NB_OK);
        assert_int_equal(calls, 2 * count);
    }
}

struct parallel_order {
    size_t next;
    bool is_broken;
};

static void parallel_check_order(void *context, const char *what, size_t done,
                                 size_t total)
{
    struct parallel_order *order = context;
    (void)what;
    (void)total;
    order->is_broken |= done != order->next++;
    usleep(10); /* other threads end tasks meanwhile */
}

/* Whichever thread ends a task, done grows by one. */
static void test_progress_of_many_threads(void **state)
{
    (void)state;
    static struct parallel_work work;
    for (int i = 0; i < 5; i++) {
        struct parallel_order order = { 0 };
        const struct nb_run run = { .threads = MOST_THREADS,
                                    .progress = parallel_check_order,
                                    .progress_context = &order };
        work = (struct parallel_work){ .threads = MOST_THREADS };
        assert_int_equal(
            nb_run_tasks(&run, "counting", TASKS, parallel_task, &work, NULL),
            NB_OK);
        assert_false(order.is_broken);
        assert_int_equal(order.next, TASKS + 1);
    }
}

/* Replaces the C library's: this process may use three processors at the first
 * call, and one more at each call after it; about others nothing is known. */
enum { GRANTED = 3 };
int sched_getaffinity(pid_t id, size_t size, cpu_set_t *set)
{
    static int count = GRANTED;
    if (id != 0) {
        errno = ESRCH;
        return -1;
    }
    CPU_ZERO_S(size, set);
    for (int i = 0; i < count; i++)
        CPU_SET_S((size_t)i, size, set);
    count++;
    return 0;
}

/* As many threads as processors, and not more if some are granted later: no
 * more than room was made for, which the task checks. */
static void test_processors_that_are_granted_later(void **state)
{
    (void)state;
    static struct parallel_work work;
    for (int i = 0; i < 3; i++) {
        work = (struct parallel_work){ .threads = nb_run_threads(NULL, TASKS) };
        assert_int_equal(work.threads, GRANTED);
        assert_int_equal(
            nb_run_tasks(NULL, "test", TASKS, parallel_task, &work, NULL),
            NB_OK);
    }
}

/* The largest number of threads that a loop used: never more than it has
 * tasks. */
static void test_most_threads(void **state)
{
    (void)state;
    static struct parallel_work work;
    int most = 1;
    static const struct {
        int threads;
        size_t tasks;
        int most;
    } loops[] = { { 5, 0, 1 },     { 1, TASKS, 1 }, { 5, 2, 2 },
                  { 3, TASKS, 3 }, { 2, TASKS, 3 }, { 5, TASKS, 5 } };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const struct nb_run run = { .threads = loops[i].threads,
                                    .most_threads = &most };
        work = (struct parallel_work){ .threads = loops[i].threads };
        assert_int_equal(nb_run_tasks(&run, "test", loops[i].tasks,
                                      parallel_task, &work, NULL),
                         NB_OK);
        assert_int_equal(most, loops[i].most);
    }
}

/* Number of threads that may still be made; negative: any. */
static atomic_int threads_left = -1;

/* Replaces the C library's. */
int pthread_create(pthread_t *id, const pthread_attr_t *attributes,
                   void *(*begin)(void *), void *context)
{
    int (*make)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    if (threads_left >= 0 && atomic_fetch_sub(&threads_left, 1) <= 0)
        return EAGAIN;
    memcpy(&make, &found, sizeof make);
    return make(id, attributes, begin, context);
}

/* The system grants fewer threads than asked for, or none: fewer threads give
 * the same results. */
static void test_threads_that_are_not_to_be_had(void **state)
{
    (void)state;
    static struct parallel_work first, work;
    for (int granted = 0; granted < MOST_THREADS; granted++) {
        int most = 0;
        const struct nb_run run = { .threads = MOST_THREADS,
                                    .most_threads = &most };
        work = (struct parallel_work){ .threads = MOST_THREADS };
        threads_left = granted;
        assert_int_equal(
            nb_run_tasks(&run, "test", TASKS, parallel_task, &work, NULL),
            NB_OK);
        threads_left = -1;
        if (granted == 0)
            first = work;
        assert_int_equal(most, granted + 1);
        assert_memory_equal(work.result, first.result, sizeof work.result);
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(work.runs[i], 1);
    }
}

enum { INNER_TASKS = 50 };

static enum nb_status outer_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    int most = 0;
    const struct nb_run run = { .threads = MOST_THREADS,
                                .most_threads = &most };
    struct parallel_work *const work = context;
    (void)thread;
    work[index].threads = 1; /* only the outer task's thread */
    const enum nb_status status =
        nb_run_is_within() ? nb_run_tasks(&run, "test", INNER_TASKS,
                                          parallel_task, &work[index], err)
                           : nb_fail(err, NB_REFUTED, "not within a task");
    return status == NB_OK && (most != 1 || !nb_run_is_within())
               ? nb_fail(err, NB_REFUTED, "%d threads", most)
               : status;
}

static void test_loops_within_loops(void **state)
{
    (void)state;
    static struct parallel_work work[20];
    static const struct nb_run run = { .threads = MOST_THREADS };
    assert_false(nb_run_is_within());
    assert_int_equal(nb_run_tasks(&run, "test", 20, outer_task, work, NULL),
                     NB_OK);
    assert_false(nb_run_is_within());
    for (size_t w = 0; w < 20; w++)
        for (size_t i = 0; i < INNER_TASKS; i++)
            assert_int_equal(work[w].runs[i], 1);
}

/* Sets the stop at a task. */
struct stopped_work {
    int stop;
    size_t last;
    atomic_size_t begun;
};

static enum nb_status stopped_task(void *context, int thread, size_t index,
                                   struct nb_error *err)
{
    struct stopped_work *work = context;
    (void)thread;
    (void)err;
    atomic_fetch_add(&work->begun, 1);
    if (index == work->last)
        __atomic_store_n(&work->stop, 1, __ATOMIC_RELAXED);
    return NB_OK;
}

/* In a loop within a loop, whose run does not name the stop. */
static enum nb_status stopped_outer(void *context, int thread, size_t index,
                                    struct nb_error *err)
{
    (void)thread;
    (void)index;
    return nb_run_tasks(NULL, "test", TASKS, stopped_task, context, err);
}

static void test_stopped_loops(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        struct stopped_work work = { .last = 10 };
        const struct nb_run run = { .threads = threads, .stop = &work.stop };
        struct nb_error error = { 0 };
        assert_int_equal(
            nb_run_tasks(&run, "test", TASKS, stopped_task, &work, &error),
            NB_STOPPED);
        assert_int_equal(error.status, NB_STOPPED);
        assert_true(work.begun > work.last); /* not stopped before */
        assert_int_equal(
            nb_run_tasks(&run, "test", TASKS, stopped_task, &work, NULL),
            NB_STOPPED);
        work = (struct stopped_work){ .last = 10 };
        assert_int_equal(
            nb_run_tasks(&run, "test", 2, stopped_outer, &work, NULL),
            NB_STOPPED);
        assert_true(work.begun < 2 * TASKS);
        assert_false(nb_run_is_stopped());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_for_any_number_of_threads),
        cmocka_unit_test(test_thread_numbers),
        cmocka_unit_test(test_no_tasks),
        cmocka_unit_test(test_one_failure),
        cmocka_unit_test(test_many_failures),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_of_few_tasks),
        cmocka_unit_test(test_progress_of_many_threads),
        cmocka_unit_test(test_processors_that_are_granted_later),
        cmocka_unit_test(test_most_threads),
        cmocka_unit_test(test_threads_that_are_not_to_be_had),
        cmocka_unit_test(test_loops_within_loops),
        cmocka_unit_test(test_stopped_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
