/* Reorder: how deep the buffers must be that put packets back in order. */
#ifndef NB_QUESTIONS_REORDER_REORDER_QUESTION_H
#define NB_QUESTIONS_REORDER_REORDER_QUESTION_H

#include "core/public.h"
#include "questions/queue_options.h"
#include "queueing/reorder_load.h"

NB_PUBLIC_BEGIN

/* The options of netbound reorder; see its option rows. */
struct nb_reorder_question {
    const char *topology;       /* NULL: radix and hops */
    int64_t radix, hops, depth; /* below 1: not given */
    struct nb_ratio load, rate, clock;
    double overflow;
    const char *arrivals;
    enum nb_hop_law distribution;
    enum nb_reorder_way bound;
};

/* Owns arrivals, delay, tails and bound. bound points to delay and network to
 * arrivals, so the struct must not be moved. */
struct nb_reorder_answer {
    struct nb_arrivals arrivals;
    struct nb_reorder_network network;
    struct nb_queue_load load; /* 1 if no load is given */
    bool has_load, is_saturated;
    bool is_bursty; /* theorem 7 does not hold, so there are no bounds */
    bool has_depth; /* a depth is given */
    /* For a given load below 1. */
    struct nb_distribution delay;
    struct nb_reorder tails;
    struct nb_reorder_bound bound;
    struct nb_found depth, bound_depth; /* infinite if saturated */
    size_t end;                         /* the larger of them, if exact */
    /* For a given depth; the first two also need a given load. */
    struct nb_found overflow, overflow_bound, max_load, speedup;
};

/* Errors: NB_USAGE for a bound with bursts; NB_INVALID for a topology other
 * than a fat tree, invalid arrivals, and bursts that stay together; those of
 * the functions of queueing. */
enum nb_status nb_reorder_ask(const struct nb_reorder_question *request,
                              const struct nb_run *run,
                              struct nb_reorder_answer *out,
                              struct nb_error *err);
void nb_reorder_answer_release(struct nb_reorder_answer *answer);

/* Adds what was found to a report's point. */
void nb_reorder_report(const struct nb_reorder_answer *answer,
                       struct nb_point *out);

NB_PUBLIC_END

#endif
