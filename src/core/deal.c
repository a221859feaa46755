/*
 * The first rank hands out tasks in the order of their indices, so that all
 * tasks before a failing one have been started, and takes the results in that
 * order. Other ranks get the number of tasks that takes DEAL_SHARE, and return
 * the results when they ask for more. At the end they get all results.
 */
#include "core/deal.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/ranks.h"

#include <pthread.h>
#include <string.h>

#define DEAL_SHARE 0.02 /* [s] */

struct deal_result {
    bool is_there;
    struct nb_text bytes;
};

/* A running loop; members from lock on are used only by the first rank. */
struct deal_loop {
    const struct nb_run *run;
    const struct nb_tasks *tasks;
    struct nb_deal *deal; /* NULL: nothing is kept */
    uint64_t number;
    int ranks; /* that share its tasks */
    double start;

    pthread_mutex_t lock;
    size_t *next; /* per rank with HOME; else one for all */
    size_t limit; /* tasks before this index are needed */
    size_t taken;
    size_t done; /* for the progress report */
    struct deal_result *results;
    struct nb_text all; /* for the other ranks */
    struct nb_error error;
};

/* Tasks from the limit on are no longer needed. */
static void deal_fail(struct deal_loop *loop, size_t index,
                      enum nb_status status, const struct nb_error *error)
{
    if (status == NB_OK || index >= loop->limit)
        return;
    loop->limit = index;
    loop->error = *error;
    loop->error.status = status;
}

static enum nb_status deal_take(struct deal_loop *loop, size_t index,
                                const struct nb_text *bytes, bool *is_enough,
                                struct nb_error *err)
{
    struct nb_packed in = nb_packed_of(bytes->bytes, bytes->length);
    enum nb_status status;
    *is_enough = false;
    NB_TRY(loop->tasks->take(loop->tasks->context, index, &in, is_enough, err));
    status = nb_packed_check(&in, err);
done:
    return status;
}

/* Keeps a result for the other ranks. */
static void deal_note(struct deal_loop *loop, const struct nb_text *bytes)
{
    if (loop->ranks == 1 || loop->tasks->is_for_first)
        return;
    nb_pack_whole(&loop->all, bytes->length);
    nb_pack(&loop->all, bytes->bytes, bytes->length);
}

/* Takes the results that are next in order, as far as they have arrived. */
static void deal_take_next(struct deal_loop *loop)
{
    while (loop->taken < loop->limit && loop->results[loop->taken].is_there) {
        struct nb_text *bytes = &loop->results[loop->taken].bytes;
        struct nb_error error = { 0 };
        bool is_enough;
        deal_fail(loop, loop->taken,
                  deal_take(loop, loop->taken, bytes, &is_enough, &error),
                  &error);
        if (loop->taken < loop->limit) {
            deal_note(loop, bytes);
            loop->taken++;
        }
        if (is_enough) {
            loop->limit = loop->taken;
            loop->error = (struct nb_error){ 0 }; /* of a later task */
        }
        nb_text_release(bytes);
    }
}

/* Puts a result in its place. */
static void deal_put(struct deal_loop *loop, size_t index,
                     struct nb_text *bytes)
{
    if (index >= loop->limit)
        return;
    loop->results[index] = (struct deal_result){ true, *bytes };
    *bytes = (struct nb_text){ 0 };
    deal_take_next(loop);
    if (loop->tasks->what != NULL)
        nb_run_report(loop->run, loop->tasks->what, &loop->done, 1,
                      loop->tasks->count);
}

/* Reports a checkpoint that cannot be written. */
static void deal_watch(struct nb_deal *deal)
{
    const char *why = nb_checkpoint_failure(deal->kept);
    if (why == NULL || deal->is_lost)
        return;
    deal->is_lost = true;
    if (deal->lose != NULL)
        deal->lose(deal->lose_context, why);
}

/* Keeps a result in the checkpoint, if there is one. */
static enum nb_status deal_keep(const struct deal_loop *loop, size_t index,
                                const struct nb_text *bytes,
                                struct nb_error *err)
{
    struct nb_deal *deal = loop->deal;
    if (deal == NULL || deal->kept == NULL)
        return NB_OK;
    const enum nb_status status =
        nb_checkpoint_add(deal->kept, loop->number, index, bytes, err);
    deal_watch(deal);
    return status;
}

/* Records how a task ended. */
static void deal_give(struct deal_loop *loop, size_t index,
                      enum nb_status status, struct nb_text *bytes,
                      struct nb_error *error)
{
    pthread_mutex_lock(&loop->lock);
    if (status == NB_OK && index < loop->limit)
        status = deal_keep(loop, index, bytes, error);
    deal_fail(loop, index, status, error);
    deal_put(loop, index, bytes);
    pthread_mutex_unlock(&loop->lock);
}

/* Whether an earlier run computed the task; its result is then in place. */
static bool deal_is_kept(struct deal_loop *loop, size_t index)
{
    struct nb_text bytes = { 0 };
    if (loop->results[index].is_there)
        return true;
    if (loop->deal == NULL || loop->deal->kept == NULL ||
        !nb_checkpoint_find(loop->deal->kept, loop->number, index, &bytes))
        return false;
    deal_put(loop, index, &bytes);
    return true;
}

/* The number of tasks that take about DEAL_SHARE, judged by those so far. */
static size_t deal_share(const struct deal_loop *loop, size_t left)
{
    const double workers =
        (double)loop->ranks * nb_run_threads(loop->run, loop->tasks->count);
    const double time = (nb_clock_now() - loop->start) * workers;
    const double most = (double)left / (2 * workers);
    const double fitting = DEAL_SHARE * (double)loop->taken / time;
    const double share = fitting < most ? fitting : most;
    return share > 1 ? (size_t)share : 1;
}

/* Hands out tasks to a rank, from *first on; 0: no more. */
static size_t deal_next(struct deal_loop *loop, int rank, size_t *first)
{
    const bool is_home = loop->tasks->way == NB_DEAL_HOME;
    const size_t step = is_home ? (size_t)loop->ranks : 1;
    size_t *next = &loop->next[is_home ? rank : 0], count = 0;
    pthread_mutex_lock(&loop->lock);
    while (*next < loop->limit && deal_is_kept(loop, *next))
        *next += step;
    *first = *next;
    const size_t most =
        loop->tasks->way == NB_DEAL_MANY && rank > 0 && *first < loop->limit
            ? deal_share(loop, loop->limit - *first)
            : 1;
    while (count < most && *next < loop->limit &&
           (count == 0 || !deal_is_kept(loop, *next))) {
        *next += step;
        count++;
    }
    pthread_mutex_unlock(&loop->lock);
    return count;
}

/* On the first rank: takes results sent along with a request for more. */
static void deal_take_sent(struct deal_loop *loop,
                           const struct nb_text *message)
{
    struct nb_packed in = nb_packed_of(message->bytes, message->length);
    while (in.at < in.end && !in.has_failed) {
        struct nb_error error = { 0 };
        struct nb_text bytes = { 0 };
        const size_t index = (size_t)nb_unpack_whole(&in);
        enum nb_status status = (enum nb_status)nb_unpack_whole(&in);
        const size_t length = nb_unpack_count(&in, 1);
        nb_text_add(&bytes, in.at, length);
        in.at += length;
        if (status != NB_OK)
            nb_fail(&error, status, "%s", bytes.bytes);
        else
            status = nb_text_check(&bytes, &error);
        deal_give(loop, index, status, &bytes, &error);
        nb_text_release(&bytes);
    }
}

/* Serves the other ranks until all have finished. */
static void *deal_serve(void *context)
{
    struct deal_loop *loop = context;
    struct nb_ranks_message message = { 0 };
    struct nb_error error = { 0 };
    enum nb_status status = NB_OK;
    for (int left = loop->ranks - 1; left > 0 && status == NB_OK;) {
        NB_TRY(nb_ranks_receive(&message, &error));
        if (message.kind == NB_RANKS_END)
            NB_TRY(nb_ranks_lose(&message, &error));
        deal_take_sent(loop, &message.bytes);
        left -= message.kind == NB_RANKS_DONE;
        if (message.kind != NB_RANKS_WANT)
            continue;
        size_t first;
        const size_t count = deal_next(loop, message.rank, &first);
        message.kind = NB_RANKS_ANSWER;
        message.bytes.length = 0;
        nb_pack_whole(&message.bytes, first);
        nb_pack_whole(&message.bytes, count);
        NB_TRY(nb_text_check(&message.bytes, &error));
        nb_ranks_send(&message);
    }
done:
    if (status != NB_OK) {
        nb_ranks_leave();
        pthread_mutex_lock(&loop->lock);
        deal_fail(loop, 0, status, &error);
        pthread_mutex_unlock(&loop->lock);
    }
    nb_text_release(&message.bytes);
    return NULL;
}

static enum nb_status deal_work(const struct deal_loop *loop, int thread,
                                size_t index, struct nb_text *bytes,
                                struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_run_check_stop(err));
    NB_TRY(loop->tasks->work(loop->tasks->context, thread, index, bytes, err));
    NB_TRY(nb_run_check_stop(err));
    status = nb_text_check(bytes, err);
done:
    return status;
}

/* Work of a thread of the first rank. */
static enum nb_status deal_first(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    struct deal_loop *loop = context;
    (void)index;
    (void)err;
    while (deal_next(loop, 0, &index) > 0) {
        struct nb_text bytes = { 0 };
        struct nb_error error = { 0 };
        const enum nb_status status =
            deal_work(loop, thread, index, &bytes, &error);
        deal_give(loop, index, status, &bytes, &error);
        nb_text_release(&bytes);
    }
    return NB_OK;
}

/* Does tasks and appends their results; stops at the first failure. */
static void deal_work_some(const struct deal_loop *loop, int thread,
                           size_t first, size_t count, struct nb_text *out)
{
    struct nb_text bytes = { 0 };
    enum nb_status status = NB_OK;
    for (size_t i = first; i < first + count && status == NB_OK; i++) {
        struct nb_error error = { 0 };
        bytes.length = 0;
        status = deal_work(loop, thread, i, &bytes, &error);
        nb_pack_whole(out, i);
        nb_pack_whole(out, (uint64_t)status);
        if (status != NB_OK) {
            bytes.length = 0;
            nb_pack(&bytes, error.message, strlen(error.message));
        }
        nb_pack_whole(out, bytes.length);
        nb_pack(out, bytes.bytes, bytes.length);
    }
    nb_text_release(&bytes);
}

/* Work of a thread of another rank; one thread asks at a time. */
static enum nb_status deal_help(void *context, int thread, size_t index,
                                struct nb_error *err)
{
    struct deal_loop *loop = context;
    struct nb_ranks_message message = { 0 };
    enum nb_status status = NB_OK;
    (void)index;
    for (;;) {
        message.kind = NB_RANKS_WANT;
        message.rank = 0;
        NB_TRY(nb_text_check(&message.bytes, err));
        pthread_mutex_lock(&loop->lock);
        nb_ranks_send(&message);
        status = nb_ranks_receive(&message, err);
        pthread_mutex_unlock(&loop->lock);
        NB_TRY(status);
        struct nb_packed in =
            nb_packed_of(message.bytes.bytes, message.bytes.length);
        const size_t first = (size_t)nb_unpack_whole(&in);
        const size_t count = (size_t)nb_unpack_whole(&in);
        if (count == 0)
            break;
        message.bytes.length = 0;
        deal_work_some(loop, thread, first, count, &message.bytes);
    }
done:
    nb_text_release(&message.bytes);
    return status;
}

/* Runs all threads of this rank. */
static enum nb_status deal_run(struct deal_loop *loop,
                               enum nb_status (*work)(void *context, int thread,
                                                      size_t index,
                                                      struct nb_error *err),
                               struct nb_error *err)
{
    const size_t count = loop->tasks->count;
    struct nb_run own = { 0 };
    if (loop->tasks->way == NB_DEAL_ONE)
        return work(loop, 0, 0, err);
    if (loop->run != NULL)
        own = *loop->run;
    own.progress = NULL;
    return nb_run_tasks(&own, loop->tasks->what,
                        (size_t)nb_run_threads(&own, count), work, loop, err);
}

/* Receives the results from the first rank, and its error. */
static enum nb_status deal_take_all(struct deal_loop *loop,
                                    struct nb_error *err)
{
    struct nb_packed in = nb_packed_of(loop->all.bytes, loop->all.length);
    enum nb_status status = NB_OK;
    const enum nb_status first = (enum nb_status)nb_unpack_whole(&in);
    char *message = nb_unpack_string(&in);
    for (size_t i = 0; in.at < in.end && !in.has_failed; i++) {
        const size_t length = nb_unpack_count(&in, 1);
        /* Read only. */
        struct nb_text bytes = { .bytes = (char *)(uintptr_t)in.at,
                                 .length = length };
        bool is_enough;
        in.at += length;
        NB_TRY(deal_take(loop, i, &bytes, &is_enough, err));
    }
    if (first != NB_OK)
        NB_TRY(nb_fail(err, first, "%s", message != NULL ? message : ""));
done:
    nb_delete(message);
    return status;
}

static enum nb_status deal_as_other(struct deal_loop *loop,
                                    struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(deal_run(loop, deal_help, err));
    nb_ranks_send(&(struct nb_ranks_message){ .kind = NB_RANKS_DONE });
    nb_ranks_share(&loop->all);
    status = deal_take_all(loop, err);
done:
    return status;
}

/* Sends the other ranks the error, if any, and the results. */
static enum nb_status deal_share_all(struct deal_loop *loop,
                                     struct nb_error *err)
{
    struct nb_text out = { 0 };
    enum nb_status status;
    nb_pack_whole(&out, (uint64_t)loop->error.status);
    nb_pack_string(&out, loop->error.message);
    nb_pack(&out, loop->all.bytes, loop->all.length);
    NB_TRY(nb_text_check(&loop->all, err));
    NB_TRY(nb_text_check(&out, err));
    nb_ranks_share(&out);
done:
    if (status != NB_OK)
        nb_ranks_leave();
    nb_text_release(&out);
    return status;
}

static enum nb_status deal_as_first(struct deal_loop *loop,
                                    struct nb_error *err)
{
    const size_t count = loop->tasks->count;
    pthread_t server;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_new(&loop->results, count, sizeof *loop->results, "results", err));
    NB_TRY(nb_new(&loop->next, (size_t)loop->ranks, sizeof *loop->next,
                  "results", err));
    for (int rank = 0; rank < loop->ranks; rank++)
        loop->next[rank] = loop->tasks->way == NB_DEAL_HOME ? (size_t)rank : 0;
    if (loop->tasks->what != NULL)
        nb_run_report(loop->run, loop->tasks->what, &loop->done, 0, count);
    const bool has_server =
        loop->ranks > 1 && pthread_create(&server, NULL, deal_serve, loop) == 0;
    if (loop->ranks > 1 && !has_server)
        deal_serve(loop);
    status = deal_run(loop, deal_first, err);
    if (has_server)
        pthread_join(server, NULL);
    NB_TRY(status);
    if (loop->ranks > 1 && !nb_ranks_are_left())
        NB_TRY(deal_share_all(loop, err));
    if (loop->error.status != NB_OK)
        NB_TRY(nb_fail_again(err, loop->error.status, &loop->error));
done:
    for (size_t i = 0; loop->results != NULL && i < count; i++)
        nb_text_release(&loop->results[i].bytes);
    nb_delete(loop->results);
    nb_delete(loop->next);
    return status;
}

/* Whether an earlier run computed the only task, on every rank. */
static enum nb_status deal_find_single(const struct deal_loop *loop,
                                       bool *is_found, struct nb_text *bytes,
                                       struct nb_error *err)
{
    struct nb_text message = { 0 };
    enum nb_status status = NB_OK;
    *is_found = false;
    if (loop->deal == NULL || !loop->deal->is_kept)
        return NB_OK;
    if (loop->deal->kept != NULL)
        *is_found =
            nb_checkpoint_find(loop->deal->kept, loop->number, 0, bytes);
    nb_pack(&message, is_found, sizeof *is_found);
    nb_pack(&message, bytes->bytes, bytes->length);
    NB_TRY(nb_text_check(&message, err));
    if (loop->ranks > 1) {
        nb_ranks_share(&message);
        *is_found = message.bytes[0] != 0;
        bytes->length = 0;
        nb_text_add(bytes, message.bytes + 1, message.length - 1);
    }
    status = nb_text_check(bytes, err);
done:
    nb_text_release(&message);
    return status;
}

/* Runs the only task on every rank; the loops within it are dealt out. */
static enum nb_status deal_single(struct deal_loop *loop, struct nb_error *err)
{
    struct nb_text bytes = { 0 };
    bool is_found, is_enough;
    struct nb_deal *deal = loop->deal;
    const uint64_t around = deal != NULL ? deal->loop : 0,
                   next = deal != NULL ? deal->next : 0;
    enum nb_status status;
    NB_TRY(deal_find_single(loop, &is_found, &bytes, err));
    if (!is_found) {
        if (deal != NULL) {
            deal->loop = loop->number;
            deal->next = 0;
        }
        status = deal_work(loop, 0, 0, &bytes, err);
        if (deal != NULL) {
            deal->loop = around;
            deal->next = next;
        }
        if (status == NB_OK)
            status = deal_keep(loop, 0, &bytes, err);
        NB_TRY(status);
    }
    if (nb_ranks_is_first() || !loop->tasks->is_for_first)
        NB_TRY(deal_take(loop, 0, &bytes, &is_enough, err));
done:
    nb_text_release(&bytes);
    return status;
}

/* Mixes another number in, as in splitmix64. */
static uint64_t deal_mix(uint64_t x, uint64_t more)
{
    x += more * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A different number for each loop: by its place in the loop around it, its
 * name and its size. */
static uint64_t deal_number(struct nb_deal *deal, const struct nb_tasks *tasks)
{
    uint64_t x = deal_mix(deal_mix(deal->loop, ++deal->next), tasks->count);
    for (const char *at = tasks->what; at != NULL && *at != '\0'; at++)
        x = deal_mix(x, (unsigned char)*at);
    return x;
}

enum nb_status nb_deal_tasks(const struct nb_run *run,
                             const struct nb_tasks *tasks, struct nb_error *err)
{
    struct nb_deal *deal =
        run != NULL && !nb_run_is_within() ? run->deal : NULL;
    struct deal_loop loop = { .run = run,
                              .tasks = tasks,
                              .ranks = 1,
                              .start = nb_clock_now(),
                              .lock = PTHREAD_MUTEX_INITIALIZER,
                              .limit = tasks->count };
    enum nb_status status;
    if (deal != NULL && !deal->is_inside) {
        loop.deal = deal;
        loop.number = deal_number(deal, tasks);
        loop.ranks = nb_ranks_count();
    }
    if (tasks->count == 0)
        return NB_OK;
    if (tasks->count == 1)
        return deal_single(&loop, err);
    if (loop.deal != NULL)
        deal->is_inside = true;
    status = loop.ranks == 1 || nb_ranks_is_first() ? deal_as_first(&loop, err)
                                                    : deal_as_other(&loop, err);
    if (loop.deal != NULL)
        deal->is_inside = false;
    nb_text_release(&loop.all);
    return status;
}

enum nb_status nb_deal_open(struct nb_deal *deal, const char *path,
                            const char *program, const struct nb_text *question,
                            struct nb_error *err)
{
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    enum nb_status status = NB_OK;
    deal->is_kept = true;
    if (nb_ranks_is_first())
        status =
            nb_checkpoint_open(path, program, question, &deal->kept, &error);
    if (deal->kept != NULL)
        deal_watch(deal);
    if (nb_ranks_count() > 1) {
        nb_pack_whole(&text, (uint64_t)status);
        nb_pack_string(&text, error.message);
        nb_ranks_share(&text);
        struct nb_packed in = nb_packed_of(text.bytes, text.length);
        status = (enum nb_status)nb_unpack_whole(&in);
        char *message = nb_unpack_string(&in);
        nb_fail(&error, status, "%s", message != NULL ? message : "");
        nb_delete(message);
    }
    nb_text_release(&text);
    return status == NB_OK ? NB_OK : nb_fail_again(err, status, &error);
}

void nb_deal_close(struct nb_deal *deal)
{
    if (deal->kept != NULL) {
        nb_checkpoint_sync(deal->kept);
        deal_watch(deal);
    }
    nb_checkpoint_close(deal->kept);
    *deal = (struct nb_deal){ 0 };
}
