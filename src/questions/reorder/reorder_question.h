/* Reorder question: what the options of netbound reorder say. */
#ifndef NB_QUESTIONS_REORDER_REORDER_QUESTION_H
#define NB_QUESTIONS_REORDER_REORDER_QUESTION_H

#include "questions/queue_options.h"
#include "queueing/reorder_load.h"

/* Owns arrivals, to which network points: not to be moved. */
struct nb_reorder_question {
    struct nb_arrivals arrivals;
    struct nb_reorder_network network;
    struct nb_queue_load load;
    bool has_load;
    int64_t depth; /* 0: none */
    double overflow;
    enum nb_reorder_way way;
};

/*
 * Reads the options.
 *
 * Errors: NB_USAGE and NB_INVALID for options that do not go together or are
 * not permitted here.
 */
enum nb_status nb_reorder_question_read(const struct nb_question *question,
                                        struct nb_reorder_question *work,
                                        struct nb_error *err);
void nb_reorder_question_release(struct nb_reorder_question *work);

bool nb_reorder_is_bursty(const struct nb_reorder_question *work);

#endif
