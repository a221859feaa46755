/* Latency: the mean latency of a traffic at some load. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_QUESTION_H
#define NB_QUESTIONS_LATENCY_LATENCY_QUESTION_H

#include "core/public.h"
#include "load/channel_loads.h"
#include "load/hop_classes.h"
#include "queueing/assignment.h"
#include "queueing/latency.h"
#include "queueing/path_latency.h"
#include "questions/problem.h"
#include "sim/equilibrium.h"

NB_PUBLIC_BEGIN

#define NB_LATENCY_PREDICTED        "equilibrium of queues joined by what is compared"
#define NB_LATENCY_PREDICTED_SOURCE "Mitzenmacher2001"

/* delay_model: how long a packet waits at a channel; by the scheme: of an
 * adaptive one as NB_LATENCY_BERNOULLI, else NB_LATENCY_MD1. */
enum {
    NB_LATENCY_BY_SCHEME,
    NB_LATENCY_MD1,
    NB_LATENCY_SINGH,
    NB_LATENCY_BERNOULLI
};

/* The options of netbound latency; each is what its row says. */
struct nb_latency_question {
    const char *topology, *traffic;
    const char *routing; /* NULL: min, or with optimal the best */
    struct nb_ratio rate, clock, load;
    int delay_model;
    /* flits, channel_latency: below 1: 1; pipeline: below 0: 0;
     * global_latency: below 1: channel_latency. */
    int64_t flits, pipeline, channel_latency, global_latency;
    bool optimal, allow_inadmissible, percentiles;
};

/* Owns queue. One queue for each channel, in order; then, where the terminals'
 * own channels have a bandwidth, one for each terminal: the channel to it. */
struct nb_latency_queues {
    size_t channel_count;
    size_t terminal_count; /* 0: the terminals' channels are unlimited */
    struct nb_queue *queue;
    struct nb_mean_delay delay; /* of all queues, unless by inputs */
    struct nb_bracket total;    /* of the traffic at injection rate 1 */
    /* The delay model's text for a report, its source and, or NULL, what to
     * note about it. */
    const char *method, *source, *note;
};

/* Owns its parts; asked borrows its texts. */
struct nb_latency_told {
    struct nb_latency_question asked;
    struct nb_problem problem;
    struct nb_enclosure rate;        /* [flits/cycle/terminal] */
    struct nb_ratio most;            /* sum of a terminal's row or column */
    struct nb_channel_loads loads;   /* of the scheme */
    struct nb_enclosure saturation;  /* by the channels between routers */
    struct nb_assignment assignment; /* the best routing, with optimal */
    /* Of an adaptive scheme: a prediction. */
    bool is_predicted;
    struct nb_equilibrium equilibrium;
    struct nb_enclosure minimal;        /* share of packets on shortest paths */
    double minimal_least, minimal_most; /* shares of minimal packets .. */
    double least, most_latency;    /* .. and mean latencies that other outsets
                                    * ended at; NAN: there is only one */
    uint32_t flits;                /* of a packet */
    uint32_t hop_cycles;           /* of a flit over a hop without waiting */
    uint32_t global_cycles;        /* the same between groups */
    struct nb_hop_classes classes; /* of an oblivious scheme: hops by kind */
    bool is_full; /* with optimal: the terminals' own channels are */
    struct nb_latency_queues queues;
    struct nb_queue_state *state; /* [queue] */
    struct nb_enclosure latency, wait, zero_load;
    struct nb_enclosure hops;      /* over channels between routers */
    struct nb_enclosure idle_hops; /* predicted: the same at no load */
    struct nb_path_latency paths;  /* where percentiles are asked for; empty
                                    * where saturated */
};

/*
 * run  NULL: all cores
 *
 * Errors: as the builders, and nb_equilibrium_open of an adaptive scheme;
 * NB_INVALID for rates of no meaning; NB_USAGE for a delay model that there is
 * no best routing for.
 */
enum nb_status nb_latency_ask(const struct nb_latency_question *asked,
                              const struct nb_run *run,
                              struct nb_latency_told *out,
                              struct nb_error *err);
void nb_latency_told_release(struct nb_latency_told *told);

/* Cycles or hops between routers, with one more for the channel to the terminal
 * where it is one with a queue. */
struct nb_enclosure
nb_latency_add_terminal_hop(const struct nb_latency_told *told,
                            struct nb_enclosure hops);

/* Adds what was found to a report's point. */
void nb_latency_tell(const struct nb_latency_told *told, struct nb_point *out);

NB_PUBLIC_END

#endif
