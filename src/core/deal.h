/* Deal: loops whose tasks may run on any rank and that an interrupted run can
 * resume. Loop bodies need not know about ranks or files. */
#ifndef NB_CORE_DEAL_H
#define NB_CORE_DEAL_H

#include "core/checkpoint.h"
#include "core/pack.h"
#include "core/parallel.h"

/* Shared by all loops of a run; set up by the program. */
struct nb_deal {
    bool is_kept;               /* finished tasks are kept (on all ranks) */
    struct nb_checkpoint *kept; /* on the first rank; else NULL */
    bool is_inside;             /* within a dealt-out loop */
    uint64_t loop, next;        /* the current loop, and the next one in it */
    /* Called at most once, on the first rank, if finished tasks can no longer
     * be kept: the run continues without. May be NULL. */
    void (*lose)(void *context, const char *why);
    void *lose_context;
    bool is_lost; /* it was called */
};

enum nb_deal_way {
    NB_DEAL_MANY, /* shared out to the threads of all ranks */
    NB_DEAL_ONE,  /* one at a time per rank, with all its threads */
    NB_DEAL_HOME, /* as MANY, but task i of all loops runs on the same rank
                   * unless an earlier run did it: it may reuse what task i of
                   * the previous loop left, or must compute that again */
};

struct nb_tasks {
    const char *what; /* for the progress report; NULL: none */
    size_t count;
    enum nb_deal_way way;
    bool is_for_first; /* only the first rank takes the results */
    /* Appends the result of a task; thread: see nb_run_tasks. */
    enum nb_status (*work)(void *context, int thread, size_t index,
                           struct nb_text *result, struct nb_error *err);
    /* Takes the result: in the order of indices, one at a time, on every rank.
     * is_enough: in, false; out: true skips the later tasks. */
    enum nb_status (*take)(void *context, size_t index,
                           struct nb_packed *result, bool *is_enough,
                           struct nb_error *err);
    void *context;
};

/*
 * Does all tasks. A loop of one task deals out the loops within it; loops
 * within other tasks run in place. Every rank must reach the same loops in the
 * same order, independent of its threads and of time.
 *
 * Errors: those of the failing task with the lowest index; NB_NO_MEMORY;
 * NB_STOPPED; that of a rank that ended early.
 */
enum nb_status nb_deal_tasks(const struct nb_run *run,
                             const struct nb_tasks *tasks,
                             struct nb_error *err);

/*
 * Keeps all tasks from now on in a file, which the first rank opens. If it
 * cannot be written, deal->lose is called.
 *
 * question  the question, with everything the answer depends on
 *
 * Errors: those of nb_checkpoint_open, on all ranks.
 */
enum nb_status nb_deal_open(struct nb_deal *deal, const char *path,
                            const char *program, const struct nb_text *question,
                            struct nb_error *err);
void nb_deal_close(struct nb_deal *deal);

#endif
