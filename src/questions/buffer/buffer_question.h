/* Buffer: how deep the queue of a switch's output must be. */
#ifndef NB_QUESTIONS_BUFFER_BUFFER_QUESTION_H
#define NB_QUESTIONS_BUFFER_BUFFER_QUESTION_H

#include "core/public.h"
#include "questions/queue_options.h"

NB_PUBLIC_BEGIN

/* The options of netbound buffer; each is what its row says. */
struct nb_buffer_question {
    int64_t radix, depth; /* below 1: not given */
    struct nb_ratio load, rate, clock;
    const char *inputs; /* NULL: not given */
    const char *arrivals;
    double overflow;
};

/* Owns arrivals and distribution. */
struct nb_buffer_answer {
    struct nb_arrivals arrivals;
    struct nb_queue_load load; /* 1 by default */
    int64_t given_depth;       /* below 1: none */
    bool has_radix;            /* is given */
    bool has_load;
    bool is_stable;
    bool can_send; /* whether the sources can send the load */
    struct nb_distribution distribution; /* of the given load, if stable */
    struct nb_bracket loss; /* of the given load and depth, if it can be sent */
    struct nb_bracket max_load; /* of the given depth */
    /* What was found: infinite if the load is not stable. */
    struct nb_found depth, mean, variance, decay_rate;
    struct nb_found overflow, loss_found, load_found, speedup;
};

/* Errors: NB_INVALID for invalid arrivals and inputs, and for a load that
 * sources below saturation cannot send; those of queueing. */
enum nb_status nb_buffer_ask(const struct nb_buffer_question *request,
                             const struct nb_run *run,
                             struct nb_buffer_answer *out,
                             struct nb_error *err);
void nb_buffer_answer_release(struct nb_buffer_answer *answer);

/* Adds the answer to a report's point. */
void nb_buffer_report(const struct nb_buffer_answer *answer,
                      struct nb_point *out);

NB_PUBLIC_END

#endif
