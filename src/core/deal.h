/* Deal: loops whose tasks any rank may do, and that go on where a run that was
 * ended left them. What is in such a loop knows neither of ranks nor of files.
 */
#ifndef NB_CORE_DEAL_H
#define NB_CORE_DEAL_H

#include "core/checkpoint.h"
#include "core/pack.h"
#include "core/parallel.h"

/* What the loops of a run have in common; set up by the program. */
struct nb_deal {
    bool is_kept;               /* finished tasks are, on every rank alike */
    struct nb_checkpoint *kept; /* where, on the first rank; else NULL */
    bool is_inside;             /* of a loop that is dealt out */
    uint64_t loop, next;        /* that is under way, and the next in it */
};

enum nb_deal_way {
    NB_DEAL_MANY, /* by several threads of each rank */
    NB_DEAL_ONE,  /* one after the other on a rank, with all its threads */
    NB_DEAL_HOME, /* as MANY, and task i of all loops is done on one rank, as
                     far as no run before had it: it may find what is left of
                     task i of the loop before, or has to do that again */
};

struct nb_tasks {
    const char *what; /* for the progress report; NULL: there is none */
    size_t count;
    enum nb_deal_way way;
    bool is_for_first; /* the results are taken by the first rank alone */
    /* Appends the result of a task; for thread, see nb_run_tasks. */
    enum nb_status (*work)(void *context, int thread, size_t index,
                           struct nb_text *result, struct nb_error *err);
    /* Takes it, in the order of indices, one at a time, on every rank.
     * is_enough: in, false; out: true leaves the later tasks out. */
    enum nb_status (*take)(void *context, size_t index,
                           struct nb_packed *result, bool *is_enough,
                           struct nb_error *err);
    void *context;
};

/*
 * Does all tasks. A loop of one task deals out the loops within it; loops
 * within tasks of others are done in place. Every rank has to come to the same
 * loops in the same order, whatever its threads and the time.
 *
 * Errors: those of the failing task with the lowest index; NB_IO of the
 * checkpoint; NB_NO_MEMORY; that of a rank which has ended alone.
 */
enum nb_status nb_deal_tasks(const struct nb_run *run,
                             const struct nb_tasks *tasks,
                             struct nb_error *err);

/*
 * Keeps all tasks from now on in a file, which the first rank opens.
 *
 * question  what is asked, with all that the answer depends on
 *
 * Errors: as nb_checkpoint_open, on all ranks.
 */
enum nb_status nb_deal_open(struct nb_deal *deal, const char *path,
                            const char *program, const struct nb_text *question,
                            struct nb_error *err);
void nb_deal_close(struct nb_deal *deal);

#endif
