/* Latency: the mean latency of a traffic at a given load. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_QUESTION_H
#define NB_QUESTIONS_LATENCY_LATENCY_QUESTION_H

#include "core/public.h"
#include "load/channel_loads.h"
#include "load/hop_classes.h"
#include "queueing/assignment.h"
#include "queueing/latency.h"
#include "queueing/path_latency.h"
#include "questions/problem.h"
#include "equilibrium/equilibrium.h"

NB_PUBLIC_BEGIN

#define NB_LATENCY_PREDICTED        "equilibrium of queues joined by comparison"
#define NB_LATENCY_PREDICTED_SOURCE "Mitzenmacher2001"

/* delay_model: how long a packet waits at a channel. BY_SCHEME means
 * NB_LATENCY_BERNOULLI for adaptive schemes, else NB_LATENCY_MD1. */
enum {
    NB_LATENCY_BY_SCHEME,
    NB_LATENCY_MD1,
    NB_LATENCY_SINGH,
    NB_LATENCY_BERNOULLI
};

/* The options of netbound latency; each is what its row says. */
struct nb_latency_question {
    const char *topology, *traffic;
    const char *routing; /* NULL: min, or the best routing with optimal */
    struct nb_ratio rate, clock, load;
    int delay_model;
    int64_t flits; /* below 1: 1 */
    /* [cycle] Whole with percentiles. Unknown: 0, 1, and channel_latency. */
    struct nb_ratio pipeline, channel_latency, global_latency;
    bool optimal, allow_inadmissible, percentiles;
};

/* Owns queue. One queue for each channel, in order; then, if the terminals' own
 * channels have a bandwidth, one for the channel to each terminal. */
struct nb_latency_queues {
    size_t channel_count;
    size_t terminal_count; /* 0: the terminals' channels are unlimited */
    struct nb_queue *queue;
    struct nb_mean_delay delay; /* of all queues, unless it depends on inputs */
    struct nb_bracket total;    /* of the traffic at injection rate 1 */
    /* The delay model's method for a report, its source, and a note about it or
     * NULL. */
    const char *method, *source, *note;
};

/* Owns its parts; asked borrows its texts. */
struct nb_latency_answer {
    struct nb_latency_question request;
    struct nb_problem problem;
    struct nb_enclosure rate;        /* [flits/cycle/terminal] */
    struct nb_ratio most;            /* largest row or column sum */
    struct nb_channel_loads loads;   /* of the scheme */
    struct nb_enclosure saturation;  /* of the channels between routers */
    struct nb_assignment assignment; /* the best routing, with optimal */
    /* For an adaptive scheme: a prediction. */
    bool is_predicted;
    struct nb_equilibrium equilibrium;
    struct nb_enclosure minimal;        /* share of packets on shortest paths */
    double minimal_least, minimal_most; /* shares of minimal packets over all
                                         * starting points */
    double least, most_latency;    /* mean latencies over all starting points;
                                    * NAN: there is only one */
    uint32_t flits;                /* of a packet */
    struct nb_ratio hop_cycles;    /* of a flit over a hop without waiting */
    struct nb_ratio global_cycles; /* the same for channels between groups */
    struct nb_hop_classes classes; /* of an oblivious scheme: hops by kind */
    bool has_global;               /* a latency between groups is given */
    bool is_full; /* predicted or optimal: the terminals' channels are */
    struct nb_latency_queues queues;
    struct nb_queue_state *state; /* [queue] */
    struct nb_enclosure latency, wait, zero_load;
    struct nb_enclosure travel;    /* of an oblivious scheme: latency - wait */
    struct nb_enclosure hops;      /* over channels between routers */
    struct nb_enclosure idle_hops; /* predicted: the same at no load */
    struct nb_path_latency paths;  /* if percentiles are asked for; empty if
                                    * saturated */
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders and, for an adaptive scheme, of
 * nb_equilibrium_open; NB_INVALID for meaningless rates; NB_USAGE for a delay
 * model with which the best routing cannot be found.
 */
enum nb_status nb_latency_ask(const struct nb_latency_question *request,
                              const struct nb_run *run,
                              struct nb_latency_answer *out,
                              struct nb_error *err);
void nb_latency_answer_release(struct nb_latency_answer *answer);

/* Adds the answer to a report's point. */
void nb_latency_report(const struct nb_latency_answer *answer,
                       struct nb_point *out);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Adds one to cycles or hops between routers for the channel to the terminal,
 * if that has a queue. */
struct nb_enclosure
nb_latency_add_terminal_hop(const struct nb_latency_answer *answer,
                            struct nb_enclosure hops);

NB_INTERNAL_END

#endif
