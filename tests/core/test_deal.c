/* Dealt-out loops on one rank (tests/slow/ranks.test has more): order, early
 * end, failures, and resuming from a checkpoint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/deal.h"
#include "core/memory.h"

#include "../support/scratch.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TASKS = 500 };

/* A loop of squares: the number of tasks done, and the results taken. */
struct squares {
    const struct nb_run *run;
    atomic_size_t worked, taken;
    size_t failing; /* the task that fails; TASKS: none */
    bool is_late;   /* it fails once enough results were taken */
    size_t dying;   /* the others fail after this number of tasks */
    size_t enough;  /* tasks */
    size_t inner;   /* tasks of a loop within each task */
    int *stop;      /* set after `dying` tasks, instead of a failure */
    uint64_t sum;
};

static enum nb_status squares_work(void *context, int thread, size_t index,
                                   struct nb_text *result, struct nb_error *err)
{
    struct squares *squares = context;
    (void)thread;
    if (index % 7 == 0)
        usleep(100);
    if (squares->is_late && index + 1 == squares->enough)
        usleep(200); /* the next task begins */
    while (squares->is_late && index == squares->failing &&
           squares->taken < squares->enough)
        usleep(10);
    if (index >= squares->failing && index % 3 == squares->failing % 3)
        return nb_fail(err, NB_NO_CONVERGENCE, "task %zu", index);
    if (atomic_fetch_add(&squares->worked, 1) >= squares->dying) {
        if (squares->stop == NULL)
            return nb_fail(err, NB_IO, "killed");
        __atomic_store_n(squares->stop, 1, __ATOMIC_RELAXED);
        return NB_OK; /* with a wrong result */
    }
    nb_pack_whole(result, index * index);
    return NB_OK;
}

static enum nb_status squares_take(void *context, size_t index,
                                   struct nb_packed *result, bool *is_enough,
                                   struct nb_error *err)
{
    struct squares *squares = context;
    (void)err;
    assert_false(*is_enough);
    assert_int_equal(index, atomic_fetch_add(&squares->taken, 1));
    squares->sum = 31 * squares->sum + nb_unpack_whole(result);
    *is_enough = squares->taken == squares->enough;
    return NB_OK;
}

static const struct squares plain = { .failing = TASKS,
                                      .dying = SIZE_MAX,
                                      .enough = TASKS };

static enum nb_status squares_run(struct squares *squares, enum nb_deal_way way,
                                  const struct nb_run *run,
                                  struct nb_error *err)
{
    return nb_deal_tasks(run,
                         &(struct nb_tasks){
                             .what = "squares",
                             .count = TASKS,
                             .way = way,
                             .work = squares_work,
                             .take = squares_take,
                             .context = squares,
                         },
                         err);
}

static uint64_t sum_of(size_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum = 31 * sum + i * i;
    return sum;
}

static void results_are_taken_in_order(void **state)
{
    (void)state;
    for (int way = NB_DEAL_MANY; way <= NB_DEAL_HOME; way++)
        for (int threads = 1; threads <= 4; threads++) {
            struct nb_deal deal = { 0 };
            const struct nb_run run = { .threads = threads,
                                        .deal = way % 2 ? &deal : NULL };
            struct squares squares = plain;
            assert_int_equal(
                squares_run(&squares, (enum nb_deal_way)way, &run, NULL),
                NB_OK);
            assert_int_equal(squares.taken, TASKS);
            assert_int_equal(squares.worked, TASKS);
            assert_true(squares.sum == sum_of(TASKS));
        }
}

static void enough_ends_the_loop(void **state)
{
    (void)state;
    for (size_t enough = 1; enough < TASKS; enough += 99) {
        const struct nb_run run = { .threads = 4 };
        struct squares squares = plain;
        squares.enough = enough;
        squares.failing = enough; /* no progress report */
        squares.is_late = true;
        assert_int_equal(squares_run(&squares, NB_DEAL_MANY, &run, NULL),
                         NB_OK);
        assert_int_equal(squares.taken, enough);
        assert_true(squares.sum == sum_of(enough));
    }
}

static void the_first_failure_is_told(void **state)
{
    (void)state;
    for (size_t failing = 0; failing < TASKS; failing += 61) {
        const struct nb_run run = { .threads = 4 };
        struct squares squares = plain;
        struct nb_error error = { 0 };
        char said[40];
        squares.failing = failing;
        assert_int_equal(squares_run(&squares, NB_DEAL_MANY, &run, &error),
                         NB_NO_CONVERGENCE);
        snprintf(said, sizeof said, "task %zu", failing);
        assert_string_equal(error.message, said);
        assert_int_equal(squares.taken, failing);
    }
}

/* Runs that end after some tasks each, until one reaches the end: no finished
 * task is done again. */
static void runs_go_on(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text question = { 0 };
    size_t worked = 0, runs = 0;
    enum nb_status status = NB_IO;
    (void)state;
    nb_scratch_name("squares", path);
    nb_text_print(&question, "squares");
    for (; status == NB_IO; runs++) {
        struct nb_deal deal = { 0 };
        const struct nb_run run = { .threads = 3, .deal = &deal };
        struct squares squares = plain;
        squares.dying = 70;
        assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                         NB_OK);
        status = squares_run(&squares, NB_DEAL_MANY, &run, NULL);
        worked += squares.worked < 70 ? squares.worked : 70;
        nb_deal_close(&deal);
        if (status == NB_OK)
            assert_true(squares.sum == sum_of(TASKS));
    }
    assert_int_equal(status, NB_OK);
    assert_int_equal(worked, TASKS);
    assert_int_equal(runs, TASKS / 70 + 1);
    nb_text_release(&question);
}

/* The same with runs that are stopped: what a stopped task returns is not
 * kept. */
static void stopped_runs_go_on(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text question = { 0 };
    size_t runs = 0;
    enum nb_status status = NB_STOPPED;
    (void)state;
    nb_scratch_name("stopped", path);
    nb_text_print(&question, "squares");
    for (; status == NB_STOPPED; runs++) {
        struct nb_deal deal = { 0 };
        int stop = 0;
        const struct nb_run run = { .threads = 3,
                                    .deal = &deal,
                                    .stop = &stop };
        struct squares squares = plain;
        squares.dying = 70;
        squares.stop = &stop;
        assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                         NB_OK);
        status = squares_run(&squares, NB_DEAL_MANY, &run, NULL);
        nb_deal_close(&deal);
        if (status == NB_OK)
            assert_true(squares.sum == sum_of(TASKS));
    }
    assert_int_equal(status, NB_OK);
    assert_in_range(runs, TASKS / 70 + 1, TASKS / 60 + 1);
    nb_text_release(&question);
}

/* One task with two loops in it, which must not be confused. */
static enum nb_status outer_work(void *context, int thread, size_t index,
                                 struct nb_text *result, struct nb_error *err)
{
    struct squares *outer = context;
    enum nb_status status = NB_OK;
    (void)thread;
    (void)index;
    for (int i = 0; i < 2; i++) {
        struct squares inner = plain;
        inner.dying = outer->dying;
        inner.enough = (size_t)(100 + i);
        NB_TRY(squares_run(&inner, NB_DEAL_MANY, outer->run, err));
        outer->inner += inner.worked;
        nb_pack_whole(result, inner.sum);
    }
done:
    return status;
}

static enum nb_status outer_take(void *context, size_t index,
                                 struct nb_packed *result, bool *is_enough,
                                 struct nb_error *err)
{
    (void)context;
    (void)index;
    (void)is_enough;
    (void)err;
    assert_true(nb_unpack_whole(result) == sum_of(100));
    assert_true(nb_unpack_whole(result) == sum_of(101));
    return NB_OK;
}

static void loops_in_a_single_task_go_on(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text question = { 0 };
    const size_t dying[] = { 60, 60, SIZE_MAX, 0 };
    const enum nb_status expected[] = { NB_IO, NB_IO, NB_OK, NB_OK };
    (void)state;
    nb_scratch_name("nested", path);
    nb_text_print(&question, "nested");
    for (size_t i = 0; i < 4; i++) {
        struct nb_deal deal = { 0 };
        const struct nb_run run = { .threads = 2, .deal = &deal };
        struct squares outer = plain;
        outer.run = &run;
        outer.dying = dying[i];
        const struct nb_tasks tasks = { .count = 1,
                                        .work = outer_work,
                                        .take = outer_take,
                                        .context = &outer };
        assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                         NB_OK);
        assert_int_equal(nb_deal_tasks(&run, &tasks, NULL), expected[i]);
        nb_deal_close(&deal);
    }
    nb_text_release(&question);
}

/* A loop with the loops that each of its tasks runs. Names and sizes are the
 * same where they can be confused. */
struct script {
    const char *what;
    size_t count;
    enum nb_deal_way way;
    const struct script *inner[4]; /* up to NULL */
};

static const struct script plain_loop = { "a", 5, NB_DEAL_MANY, { NULL } };
static const struct script home_loop = { "a", 5, NB_DEAL_HOME, { NULL } };
static const struct script single_home = {
    "b", 1, NB_DEAL_ONE, { &home_loop }
};
static const struct script single = {
    "b", 1, NB_DEAL_MANY, { &plain_loop, &plain_loop, &single_home }
};
static const struct script nested = {
    "c", 3, NB_DEAL_MANY, { &plain_loop, &plain_loop }
};
static const struct script one_loop = { "a", 5, NB_DEAL_ONE, { &plain_loop } };
static const struct script empty_loop = { "a", 0, NB_DEAL_MANY, { NULL } };
static const struct script *const scripts[] = {
    &plain_loop, &single, &one_loop,  &empty_loop, &home_loop,
    &nested,     &single, &home_loop, &plain_loop,
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

/* A running loop of a script. The value of a task follows from the places of
 * all loops around it. */
struct scripted {
    const struct script *script;
    const struct nb_run *run; /* NULL: by a plain recursion */
    uint64_t place, sum;
    size_t taken;
    size_t *worked, dying; /* tasks without loops, of all loops */
};

static uint64_t mixed(uint64_t x, uint64_t more)
{
    return 1000003 * x + more + 1;
}

static enum nb_status scripted_run(struct scripted *loop, struct nb_error *err);

static enum nb_status scripted_find(const struct scripted *loop, size_t index,
                                    uint64_t *value, struct nb_error *err)
{
    const struct script *script = loop->script;
    enum nb_status status = NB_OK;
    *value = mixed(loop->place, index);
    if (script->inner[0] == NULL && (*loop->worked)++ >= loop->dying)
        NB_TRY(nb_fail(err, NB_IO, "killed"));
    for (size_t i = 0; script->inner[i] != NULL; i++) {
        struct scripted inner = *loop;
        inner.script = script->inner[i];
        inner.place = mixed(*value, i);
        NB_TRY(scripted_run(&inner, err));
        *value = mixed(*value, inner.sum);
    }
done:
    return status;
}

static enum nb_status scripted_work(void *context, int thread, size_t index,
                                    struct nb_text *result,
                                    struct nb_error *err)
{
    uint64_t value;
    const enum nb_status status = scripted_find(context, index, &value, err);
    (void)thread;
    if (status == NB_OK)
        nb_pack_whole(result, value);
    return status;
}

static enum nb_status scripted_take(void *context, size_t index,
                                    struct nb_packed *result, bool *is_enough,
                                    struct nb_error *err)
{
    struct scripted *loop = context;
    (void)is_enough, (void)err;
    assert_int_equal(index, loop->taken++);
    loop->sum = mixed(loop->sum, nb_unpack_whole(result));
    return NB_OK;
}

static enum nb_status scripted_run(struct scripted *loop, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    loop->sum = loop->taken = 0;
    if (loop->run != NULL)
        return nb_deal_tasks(loop->run,
                             &(struct nb_tasks){
                                 .what = loop->script->what,
                                 .count = loop->script->count,
                                 .way = loop->script->way,
                                 .work = scripted_work,
                                 .take = scripted_take,
                                 .context = loop,
                             },
                             err);
    for (size_t i = 0; i < loop->script->count; i++) {
        uint64_t value;
        NB_TRY(scripted_find(loop, i, &value, err));
        loop->sum = mixed(loop->sum, value);
    }
done:
    return status;
}

/* Runs all scripts; sums: out, [SCRIPTS]. */
static enum nb_status run_scripts(const struct nb_run *run, size_t dying,
                                  size_t *worked, uint64_t *sums)
{
    enum nb_status status = NB_OK;
    *worked = 0;
    for (size_t i = 0; i < SCRIPTS; i++) {
        struct scripted loop = { .script = scripts[i],
                                 .run = run,
                                 .place = i,
                                 .worked = worked,
                                 .dying = dying };
        NB_TRY(scripted_run(&loop, NULL));
        sums[i] = loop.sum;
    }
done:
    return status;
}

/* The progress of the outermost loops: from 0 to all tasks, one by one. */
struct progress {
    size_t loops, done;
    bool has_ended;
};

static void watch_progress(void *context, const char *what, size_t done,
                           size_t total)
{
    struct progress *progress = context;
    assert_true(what != NULL && total > 0);
    if (done == 0) {
        assert_true(progress->loops == 0 || progress->has_ended);
        progress->loops++;
    } else {
        assert_int_equal(done, progress->done + 1);
    }
    progress->done = done;
    progress->has_ended = done == total;
}

/* One loop after another, with loops within: each run ends after some tasks
 * without loops and the next resumes it, until all sums are those of a plain
 * recursion. Only what the end cut off within a task is done again: at most two
 * loops of 5. The last run finds everything. */
static void scripts_go_on(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text question = { 0 };
    uint64_t plain_sums[SCRIPTS], sums[SCRIPTS];
    size_t all, worked, total;
    (void)state;
    nb_text_print(&question, "scripts");
    nb_scratch_name("scripts", path);
    assert_int_equal(run_scripts(NULL, SIZE_MAX, &all, plain_sums), NB_OK);
    for (size_t dying = 11; dying < all + 5; dying += 7) {
        enum nb_status status = NB_IO;
        total = 0;
        for (size_t runs = 0; status == NB_IO; runs++) {
            struct nb_deal deal = { 0 };
            const struct nb_run run = { .threads = 1, .deal = &deal };
            assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                             NB_OK);
            status = run_scripts(&run, dying, &worked, sums);
            nb_deal_close(&deal);
            total += worked;
            assert_true(total <= all + 10 * runs);
        }
        assert_int_equal(status, NB_OK);
        assert_true(total >= all);
        assert_memory_equal(sums, plain_sums, sizeof sums);
        struct nb_deal deal = { 0 };
        const struct nb_run run = { .threads = 1, .deal = &deal };
        assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                         NB_OK);
        assert_int_equal(run_scripts(&run, 0, &worked, sums), NB_OK);
        nb_deal_close(&deal);
        assert_int_equal(worked, 0);
        assert_memory_equal(sums, plain_sums, sizeof sums);
        unlink(path);
    }
    nb_text_release(&question);
}

/* What is kept of a loop belongs to its name and its size. */
static void other_loops_begin_anew(void **state)
{
    static const struct script loops[] = {
        { "name", 5, NB_DEAL_MANY, { NULL } },
        { "names", 5, NB_DEAL_MANY, { NULL } },
        { "nameless", 5, NB_DEAL_MANY, { NULL } },
        { "nome", 5, NB_DEAL_MANY, { NULL } },
        { "name", 6, NB_DEAL_MANY, { NULL } },
        { NULL, 5, NB_DEAL_MANY, { NULL } },
    };
    char path[NB_SCRATCH_PATH];
    struct nb_text question = { 0 };
    (void)state;
    nb_text_print(&question, "names");
    nb_scratch_name("names", path);
    for (size_t i = 0; i < 12; i++) {
        struct nb_deal deal = { 0 };
        const struct nb_run run = { .threads = 1, .deal = &deal };
        size_t worked = 0;
        struct scripted loop = { .script = &loops[i % 6],
                                 .run = &run,
                                 .worked = &worked,
                                 .dying = SIZE_MAX };
        assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                         NB_OK);
        assert_int_equal(scripted_run(&loop, NULL), NB_OK);
        nb_deal_close(&deal);
        assert_int_equal(worked, i < 6 ? loops[i].count : 0);
    }
    unlink(path);
    nb_text_release(&question);
}

/* Progress of loops of several tasks, with and without kept results. */
static void progress_counts_all_tasks(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text question = { 0 };
    const size_t dying[] = { 230, 0, TASKS };
    (void)state;
    nb_text_print(&question, "progress");
    nb_scratch_name("progress", path);
    for (size_t i = 0; i < 3; i++) {
        struct nb_deal deal = { 0 };
        struct progress progress = { 0 };
        struct squares squares = plain;
        const struct nb_run run = { .threads = i == 2 ? 3 : 1,
                                    .deal = &deal,
                                    .progress = watch_progress,
                                    .progress_context = &progress };
        squares.dying = dying[i];
        assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                         NB_OK);
        assert_int_equal(squares_run(&squares, NB_DEAL_MANY, &run, NULL),
                         i < 2 ? NB_IO : NB_OK);
        nb_deal_close(&deal);
        assert_int_equal(progress.loops, 1);
        assert_int_equal(squares.taken, i < 2 ? 230 : TASKS);
        assert_int_equal(progress.done, squares.taken);
        assert_int_equal(progress.has_ended, i == 2);
    }
    nb_text_release(&question);
}

/* A result that is too long, or refused, ends the loop with the error of the
 * first such task. */
struct odd {
    size_t bad, taken;
    bool is_long;
};

static enum nb_status odd_work(void *context, int thread, size_t index,
                               struct nb_text *result, struct nb_error *err)
{
    const struct odd *odd = context;
    (void)thread, (void)err;
    nb_pack_whole(result, index);
    if (index >= odd->bad && odd->is_long)
        nb_pack_whole(result, index);
    return NB_OK;
}

static enum nb_status odd_take(void *context, size_t index,
                               struct nb_packed *result, bool *is_enough,
                               struct nb_error *err)
{
    struct odd *odd = context;
    (void)is_enough;
    assert_int_equal(nb_unpack_whole(result), index);
    if (index >= odd->bad && !odd->is_long)
        return nb_fail(err, NB_REFUTED, "task %zu", index);
    odd->taken += index < odd->bad;
    return NB_OK;
}

static void bad_results_are_told(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 4; count += 3)
        for (size_t bad = 0; bad <= count; bad++)
            for (int is_long = 0; is_long < 2; is_long++) {
                struct odd odd = { .bad = bad, .is_long = is_long != 0 };
                struct nb_error error = { 0 };
                char said[40];
                const struct nb_run run = { .threads = 2 };
                const struct nb_tasks tasks = { .count = count,
                                                .work = odd_work,
                                                .take = odd_take,
                                                .context = &odd };
                snprintf(said, sizeof said, "task %zu", bad);
                assert_int_equal(nb_deal_tasks(&run, &tasks, &error),
                                 bad == count ? NB_OK
                                 : is_long    ? NB_INVALID
                                              : NB_REFUTED);
                assert_int_equal(odd.taken, bad);
                if (bad < count && !is_long)
                    assert_string_equal(error.message, said);
            }
}

static int lost; /* times that nb_deal.lose was called */

static void note_loss(void *context, const char *why)
{
    (void)context;
    assert_non_null(why);
    lost++;
}

/* The file may not grow beyond a size, which is reached at once, in an inner
 * loop or never: all results are right, and the loss is reported once. */
static void a_lost_checkpoint_is_reported_once(void **state)
{
    const rlim_t sizes[] = { 0, 110, 300, 10000, 1000000 };
    char path[NB_SCRATCH_PATH];
    struct nb_text question = { 0 };
    struct rlimit before, limit;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    nb_scratch_name("lost", path);
    nb_text_print(&question, "nested");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct nb_deal deal = { .lose = note_loss };
        const struct nb_run run = { .threads = 2, .deal = &deal };
        struct squares outer = plain;
        outer.run = &run;
        const struct nb_tasks tasks = { .count = 1,
                                        .work = outer_work,
                                        .take = outer_take,
                                        .context = &outer };
        limit = before;
        limit.rlim_cur = sizes[i];
        setrlimit(RLIMIT_FSIZE, &limit);
        lost = 0;
        assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL),
                         NB_OK);
        assert_int_equal(nb_deal_tasks(&run, &tasks, NULL), NB_OK);
        nb_deal_close(&deal);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(lost, sizes[i] < 1000000);
        unlink(path);
    }
    nb_text_release(&question);
}

static void memory_runs_out(void **state)
{
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        const struct nb_run run = { .threads = 1 };
        struct squares squares = plain;
        nb_memory_allow(allowed);
        status = squares_run(&squares, NB_DEAL_MANY, &run, NULL);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_taken_in_order),
        cmocka_unit_test(enough_ends_the_loop),
        cmocka_unit_test(the_first_failure_is_told),
        cmocka_unit_test(runs_go_on),
        cmocka_unit_test(stopped_runs_go_on),
        cmocka_unit_test(loops_in_a_single_task_go_on),
        cmocka_unit_test(scripts_go_on),
        cmocka_unit_test(other_loops_begin_anew),
        cmocka_unit_test(progress_counts_all_tasks),
        cmocka_unit_test(bad_results_are_told),
        cmocka_unit_test(a_lost_checkpoint_is_reported_once),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
