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

/* Owns arrivals and distribution; asked borrows its texts. */
struct nb_buffer_told {
    struct nb_buffer_question asked;
    struct nb_arrivals arrivals;
    struct nb_queue_load load; /* 1 where none is given */
    bool has_load;
    bool is_stable;
    bool can_send; /* the sources can send the load */
    struct nb_distribution
        distribution;       /* of a given load where it is stable */
    struct nb_bracket loss; /* of a given load and depth, if it can be sent */
    struct nb_bracket max_load; /* of a given depth */
};

/* Errors: NB_INVALID for arrivals and inputs that are none, and a load that
 * sources below saturation cannot send; as the functions of queueing. */
enum nb_status nb_buffer_ask(const struct nb_buffer_question *asked,
                             const struct nb_run *run,
                             struct nb_buffer_told *out, struct nb_error *err);
void nb_buffer_told_release(struct nb_buffer_told *told);

/* Adds what was found to a report's point. */
void nb_buffer_tell(const struct nb_buffer_told *told, struct nb_point *out);

NB_PUBLIC_END

#endif
