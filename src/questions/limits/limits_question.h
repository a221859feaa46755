/* Limits: compares closed forms with counted values. */
#ifndef NB_QUESTIONS_LIMITS_LIMITS_QUESTION_H
#define NB_QUESTIONS_LIMITS_LIMITS_QUESTION_H

#include "core/public.h"
#include "routing/vc_classes.h"
#include "bounds/limits/limits.h"
#include "load/hop_classes.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

enum { NB_LIMITS_NAMES = 8 };

/* The scheme with the longest routes; latencies of others are compared with
 * it. */
#define NB_LIMITS_LONGEST "vlb:policy=lgl"

/* A scheme on a traffic, or on the worst of all traffics. */
struct nb_limits_case {
    char *routing, *traffic; /* specifications without aliases and defaults;
                              * traffic "": the worst; owned */
    /* For the worst case only throughput is set. */
    struct nb_channel_loads loads;
    struct nb_enclosure throughput; /* [packets/cycle/terminal] by channels
                                     * and terminals */
    struct nb_ratio bulk; /* throughput by the load that most channels have; may
                           * be unknown */
    struct nb_hop_classes hops;
};

/* Owns the cases; the topology is borrowed. */
struct nb_limits_cases {
    const struct nb_topology *topology;
    const struct nb_run *run;
    size_t count;
    struct nb_limits_case **cases;
};

/* Delays that make up the latency of an unloaded network. */
struct nb_limits_delays {
    struct nb_enclosure router, local, global; /* [ns] */
    struct nb_enclosure pipeline; /* [ns] of a router, in a round trip */
    struct nb_enclosure serial;   /* [ns] of the packet behind its first flit */
};

/* The options of netbound limits; each is what its row says. */
struct nb_limits_question {
    const char *topology;
    const char *routing, *traffic; /* NULL: all */
    int64_t offsets;
    bool worst_case, adaptive;
    struct nb_ratio router_delay, local_delay, global_delay; /* [ns] */
    struct nb_ratio pipeline;                                /* [ns] */
    int64_t packet;                                          /* [flits] */
    struct nb_ratio flit_size; /* [bytes] unknown: not given */
    struct nb_ratio flit_time; /* [ns] */
};

/* A mixture: some packets on minimal paths, the others by one policy. */
struct nb_limits_mixture {
    const char *traffic, *policy;
    double load;              /* [packets/cycle/terminal] */
    double minimal;           /* share of minimal packets */
    double latency;           /* [ns] without queues */
    const char *oblivious;    /* best single policy; NULL: none */
    double oblivious_latency; /* [ns] */
};

/* [packets/cycle/terminal] */
struct nb_limits_adaptive {
    const char *traffic, *routing;
    struct nb_enclosure bound; /* on what its paths can carry */
    double oblivious;          /* carried by the best oblivious policy */
};

/* Owns all except the texts of the question. Must not be copied. */
struct nb_limits_answer {
    struct nb_limits_question request;
    struct nb_topology topology;
    struct nb_limits_cases cases;
    struct nb_limits_delays delays;
    bool is_sized;    /* only ports, groups, tables and buffers were computed */
    bool is_adaptive; /* the one scheme is adaptive: its loads are not known */
    size_t scheme_count, traffic_count;
    const char *scheme[NB_LIMITS_NAMES], *traffic[NB_LIMITS_NAMES];
    char by_router[40]; /* traffic of offset h */
    /* Every traffic under every scheme, and under the longest. Empty if there
     * is no scheme; the longest is also empty if it needs a failed link. */
    const struct nb_limits_case *at[NB_LIMITS_NAMES][NB_LIMITS_NAMES];
    const struct nb_limits_case *longest[NB_LIMITS_NAMES];
    struct nb_enclosure worst[NB_LIMITS_NAMES];  /* by scheme, if requested */
    struct nb_vc_need channels[NB_LIMITS_NAMES]; /* virtual, by scheme */
    struct nb_limits limits; /* closed forms that were asked for */
    struct nb_ratio *exact;  /* [limits.count] values to compare them with */
    /* Virtual-channel classes of the one scheme asked for, in networks without
     * groups; 0: not asked for, or no_classes says why there are none. */
    unsigned class_count;
    const char *class_rule, *class_source;
    struct nb_error no_classes;
    /* Loads of local channels in the groups of intermediate routers. */
    bool has_intermediate;
    size_t intermediate_count;
    struct nb_limits_intermediate {
        const char *traffic, *routing;
        int64_t displacement;
        struct nb_ratio load, with_ends, bulk, most; /* [packets/cycle] */
    } * intermediate;
    /* What choosing between the schemes can gain, if requested. */
    size_t mixture_count, adaptive_count;
    struct nb_limits_mixture *mixture;
    struct nb_limits_adaptive *adaptive;
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders and the cases; NB_INVALID for worst cases of an
 * adaptive scheme.
 */
NB_DECLARE_QUESTION(limits);
void nb_limits_answer_release(struct nb_limits_answer *answer);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Finds the answer. is_sized: only what is counted on the network. Errors:
 * those of nb_limits_ask. */
enum nb_status nb_limits_find_all(const struct nb_limits_question *request,
                                  const struct nb_run *run, bool is_sized,
                                  struct nb_limits_answer *out,
                                  struct nb_error *err);

/* What nb_limits_report adds. */
void nb_limits_add_answer(const struct nb_limits_answer *answer,
                          struct nb_point *out);

/*
 * Latency without load [ns]: with H_l and H_g mean local and global hops,
 *
 *     L_0 = (H_l + H_g + 1) t_router + H_l t_local + H_g t_global + t_serial
 */
struct nb_enclosure nb_limits_latency(const struct nb_limits_case *at,
                                      const struct nb_limits_delays *delays);

/* Finds mixtures of the cases found, and bounds of all adaptive schemes that
 * the network has. Errors: those of nb_best_flow_find. */
enum nb_status nb_limits_find_adaptive(struct nb_limits_answer *answer,
                                       struct nb_error *err);
void nb_limits_report_adaptive(const struct nb_limits_answer *answer,
                               struct nb_point *out);

/* Tables of the answer. */
extern const struct nb_table_kind nb_limits_mixtures_table,
    nb_limits_adaptive_table, nb_limits_limits_table, nb_limits_latency_table,
    nb_limits_envelope_table, nb_limits_intermediate_local_table,
    nb_limits_policies_table;

NB_INTERNAL_END

#endif
