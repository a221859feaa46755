/* Delay: the distribution of the delay over a path of queues. */
#ifndef NB_QUESTIONS_DELAY_DELAY_QUESTION_H
#define NB_QUESTIONS_DELAY_DELAY_QUESTION_H

#include "core/public.h"
#include "queueing/delay_paths.h"
#include "ask/question.h"
#include "queueing/large_deviations.h"

NB_PUBLIC_BEGIN

enum { NB_DELAY_RRR, NB_DELAY_RCAR };       /* routing */
enum { NB_DELAY_EXACT, NB_DELAY_CHERNOFF }; /* bound */

/* The options of netbound delay; each is what its row says. */
struct nb_delay_question {
    const char *topology, *traffic, *loads; /* NULL: not given */
    int routing;
    int64_t hops, radix; /* below 1: not given */
    struct nb_ratio load, rate, clock, at;
    const char *arrivals;
    int distribution; /* enum nb_hop_law */
    double overflow;
    int bound;
};

/* Owns paths and rows; asked borrows its texts. */
struct nb_delay_answer {
    struct nb_delay_question request;
    bool is_continuous;          /* the answer is the wait at one queue */
    struct nb_queue_load load;   /* of that queue */
    struct nb_delay_paths paths; /* empty in continuous time */
    bool is_saturated;
    struct nb_ratio hops;               /* mean number */
    struct nb_enclosure mean, variance; /* [cycles], [cycles^2] */
    /* At 1 - overflow, least d with P(D > d) <= overflow: exact and as asked;
     * and, in slots, an upper bound. */
    struct nb_bracket quantile; /* not set if saturated */
    struct nb_found found, chernoff;
    struct nb_found at, saturated_at; /* probability at the delay asked for */
    double reach;                     /* how far distributions were convolved */
    double step;                      /* between rows */
    size_t row_count;
    struct nb_delay_row {
        double delay;
        double probability;            /* the middle of */
        struct nb_bracket tail;        /* P(D >= delay), or P(W > delay) */
        struct nb_deviation deviation; /* in slots */
    } * rows;
};

/* Errors: NB_USAGE for options that are permitted only with other arrivals;
 * NB_INVALID for values that are not permitted; those of queueing. */
enum nb_status nb_delay_ask(const struct nb_delay_question *request,
                            const struct nb_run *run,
                            struct nb_delay_answer *out, struct nb_error *err);
void nb_delay_answer_release(struct nb_delay_answer *answer);

/* Adds the answer to a report's point. */
void nb_delay_report(const struct nb_delay_answer *answer,
                     struct nb_point *out);

NB_PUBLIC_END

#endif
