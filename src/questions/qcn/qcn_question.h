/* QCN: how switches that snoop congestion notifications adapt. */
#ifndef NB_QUESTIONS_QCN_QCN_QUESTION_H
#define NB_QUESTIONS_QCN_QCN_QUESTION_H

#include "core/public.h"
#include "queueing/qcn.h"
#include "ask/question.h"

NB_PUBLIC_BEGIN

enum nb_qcn_policy { NB_QCN_COMPARISON, NB_QCN_BASE };

/* The options of netbound qcn; see its option rows. */
struct nb_qcn_question {
    const char *topology;
    struct nb_ratio load;
    int policy;                                         /* enum nb_qcn_policy */
    struct nb_ratio link_rate, packet_size, queue_size; /* Gbps, bytes, KB */
    struct nb_ratio reference, sampling_cycle, notified;
    int64_t congestion_points;
    /* Weight, limit, packets, increase, below, above, and transit, unknown:
     * from the load. */
    struct nb_qcn loop;
};

/* Owns the moments of the response. */
struct nb_qcn_answer {
    bool has_two_points; /* queues that notify */
    struct nb_qcn loop;
    struct nb_ratio packet_time; /* [ns] */
    struct nb_ratio minimal_load;
    struct nb_ratio balanced;        /* probability that fills the channel */
    struct nb_ratio strongest;       /* factor of the largest feedback */
    struct nb_qcn_response response; /* its times are in ns */
    struct nb_qcn_cycle cycle;       /* its period is in ns */
    struct nb_enclosure misrouted;
    struct nb_enclosure back, drain; /* [ns] */
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders; NB_INVALID for a network that is not a
 * Dragonfly with one link between any two groups and bandwidth 1, and for
 * values that do not fit together.
 */
enum nb_status nb_qcn_ask(const struct nb_qcn_question *request,
                          const struct nb_run *run, struct nb_qcn_answer *out,
                          struct nb_error *err);
void nb_qcn_answer_release(struct nb_qcn_answer *answer);

/* Adds what was found to a report's point. */
void nb_qcn_report(const struct nb_qcn_answer *answer, struct nb_point *out);

NB_PUBLIC_END

#endif
