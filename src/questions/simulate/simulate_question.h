/* Simulate: a network in motion. */
#ifndef NB_QUESTIONS_SIMULATE_SIMULATE_QUESTION_H
#define NB_QUESTIONS_SIMULATE_SIMULATE_QUESTION_H

#include "core/public.h"
#include "optimum/fair_share.h"
#include "questions/problem.h"
#include "sim/saturation.h"

NB_PUBLIC_BEGIN

/* router: named credit routers; the other values are those of enum
 * nb_router_model. */
enum {
    NB_SIMULATE_BENITO = NB_ROUTER_VIRTUAL + 1,
    NB_SIMULATE_BENITO_ETHERNET,
};
enum { NB_SIMULATE_DRAIN, NB_SIMULATE_NO_DRAIN }; /* drain */

/* The options of netbound simulate; see its option rows. */
struct nb_simulate_question {
    const char *topology, *routing;
    const char *traffic; /* NULL: uniform */
    bool allow_inadmissible;
    struct nb_ratio load, rate, clock; /* neither: half of capacity */
    const char *arrivals;              /* NULL: bernoulli */
    const char *trace;                 /* NULL: not given */
    int64_t batch, flits;              /* 0: not given */
    int router; /* enum nb_router_model, or a named one */
    /* 1 + the value of enum nb_arbitration, nb_allocation, nb_output_queues or
     * nb_congestion; 0: the router's default. */
    int arbitration, allocation, output_queues, congestion;
    int slot_order;   /* enum nb_slot_order */
    int flow_control; /* enum nb_flow_control */
    int64_t xon, xoff;
    int switching;       /* enum nb_switching */
    const char *classes; /* a rule's name; NULL: the scheme's */
    int64_t vcs, buffer, buffer_total, output_buffer, shared_queue, speedup,
        pipeline, channel_latency, global_latency,
        global_buffer;     /* 0: not given; a named router's pipeline: only
                            * NB_NO_WHOLE */
    int64_t virtual_names; /* 0: the number of virtual networks */
    struct nb_ratio round;
    int sharing;         /* enum nb_sharing */
    const char *refused; /* "0..3,7"; NULL: none */
    int64_t seed, replications;
    int64_t warm_up; /* 0: none, also with a window, a trace or a batch;
                      * NB_NO_WHOLE: until packets under way have settled */
    int64_t cycles;  /* 0: depends on the size of the network */
    struct nb_ratio precision;
    int drain;
    int64_t age_limit;   /* 0: none */
    const char *find;    /* "saturation"; NULL: one load */
    const char *pair;    /* NULL: not given */
    const char *routers; /* "all", "group:G", "0..3,7"; NULL: not given */
    struct nb_ratio starved;
    bool fair_share;
    bool depths, reorder;
    bool replies;
    int64_t reply_buffer;     /* 0: not given */
    int64_t virtual_networks; /* 0: not given */
    int64_t window;           /* 0: not given */
    const char *step; /* "600:traffic=tornado,load=0.5;900:load=0.2"; NULL:
                       * none. Cycles count from the end of the warm-up */
};

/* Owns all. plan points to problem and trace, so the struct must not be moved.
 * asked borrows its texts. */
struct nb_simulate_answer {
    struct nb_simulate_question request;
    /* The defaults that a named router set, "flits 10, speedup 2"; bytes NULL:
     * none. */
    struct nb_text given;
    struct nb_problem problem;
    struct nb_trace trace;
    size_t step_room;                 /* of the next two arrays */
    struct nb_step *steps;            /* used by plan */
    struct nb_traffic *step_traffics; /* empty: the traffic does not change */
    bool *asked_routers;              /* used by plan */
    bool *refused;                    /* used by plan */
    struct nb_simulation plan;
    struct nb_enclosure load; /* [flit/cycle] that a terminal with row sum 1
                               * sends; 0 for traces and batches */
    bool is_load_half;        /* half of capacity, by default */
    double most_rate;         /* [packet/cycle] largest rate of the sources */
    uint32_t classes;    /* virtual channels that the scheme needs in the credit
                          * router */
    bool is_unprotected; /* the virtual channels do not exclude deadlock */
    struct nb_simulation_result result; /* of one load */
    struct nb_fair_share fair;          /* empty: not asked for */
    struct nb_saturation saturation;    /* of a search, instead of result */
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders; NB_INVALID for schemes that do not choose
 * paths, invalid pairs, a window longer than all cycles and plans that
 * nb_simulate refuses; NB_USAGE where the capacity is infinite and no rate is
 * given.
 */
enum nb_status nb_simulate_ask(const struct nb_simulate_question *request,
                               const struct nb_run *run,
                               struct nb_simulate_answer *out,
                               struct nb_error *err);
void nb_simulate_answer_release(struct nb_simulate_answer *answer);

/* Adds what was found to a report's point. */
void nb_simulate_report(const struct nb_simulate_answer *answer,
                        struct nb_point *out);

NB_PUBLIC_END

#endif
