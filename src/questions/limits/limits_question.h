/* Limits: what is known in closed form, beside what is counted. */
#ifndef NB_QUESTIONS_LIMITS_LIMITS_QUESTION_H
#define NB_QUESTIONS_LIMITS_LIMITS_QUESTION_H

#include "core/public.h"
#include "routing/vc_classes.h"
#include "bounds/limits/limits.h"
#include "load/hop_classes.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

enum { NB_LIMITS_NAMES = 8 };

/* The scheme of the longest routes, which others' latencies are beside. */
#define NB_LIMITS_LONGEST "vlb:policy=lgl"

/* A scheme on a traffic, or on the worst of all. */
struct nb_limits_case {
    char *routing, *traffic; /* specifications without aliases and defaults;
                              * traffic "": the worst; owned */
    /* Of the worst the throughput alone. */
    struct nb_channel_loads loads;
    struct nb_enclosure throughput; /* [packets/cycle/terminal] by channels
                                     * and terminals */
    struct nb_ratio bulk; /* the same by the bulk of the channels, or not
                           * known */
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
    struct nb_enclosure pipeline; /* [ns] of a router, in a credit's trip */
    struct nb_enclosure serial;   /* [ns] the packet behind its first flit */
};

/*
 * Latency without load [ns]: with H_l and H_g mean local and global hops,
 *
 *     L_0 = (H_l + H_g + 1) t_router + H_l t_local + H_g t_global + t_serial
 */
struct nb_enclosure nb_limits_latency(const struct nb_limits_case *at,
                                      const struct nb_limits_delays *delays);

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

/* Some packets on minimal paths, the others by one policy. */
struct nb_limits_mixture {
    const char *traffic, *policy;
    double load;              /* [packets/cycle/terminal] */
    double minimal;           /* share of the packets */
    double latency;           /* [ns] without queues */
    const char *oblivious;    /* the best policy for all; NULL: none does */
    double oblivious_latency; /* [ns] */
};

/* [packets/cycle/terminal] */
struct nb_limits_adaptive {
    const char *traffic, *routing;
    struct nb_enclosure bound; /* of what its paths carry at most */
    double oblivious;          /* what the best oblivious policy carries */
};

/* Owns all but the texts that it was asked with. Not to be copied. */
struct nb_limits_told {
    struct nb_limits_question asked;
    struct nb_topology topology;
    struct nb_limits_cases cases;
    struct nb_limits_delays delays;
    bool is_sized;    /* only ports, groups, tables and buffers were found */
    bool is_adaptive; /* the one scheme: there are no loads to look at */
    size_t scheme_count, traffic_count;
    const char *scheme[NB_LIMITS_NAMES], *traffic[NB_LIMITS_NAMES];
    char by_router[40]; /* the traffic of offset h */
    /* Every traffic under every scheme, and under the longest; none if there is
     * no scheme, of the longest also where it needs a failed link. */
    const struct nb_limits_case *at[NB_LIMITS_NAMES][NB_LIMITS_NAMES];
    const struct nb_limits_case *longest[NB_LIMITS_NAMES];
    struct nb_enclosure worst[NB_LIMITS_NAMES];  /* by scheme, if asked for */
    struct nb_vc_need channels[NB_LIMITS_NAMES]; /* virtual, by scheme */
    struct nb_limits limits; /* closed forms of what is asked for */
    struct nb_ratio *exact;  /* [limits.count] beside them */
    /* Classes of virtual channels of the one scheme asked for, where there are
     * no groups; 0: not asked for, or the message says why there are none. */
    unsigned class_count;
    const char *class_rule, *class_source;
    struct nb_error no_classes;
    /* What local channels of groups of intermediate routers carry. */
    bool has_intermediate;
    size_t intermediate_count;
    struct nb_limits_intermediate {
        const char *traffic, *routing;
        int64_t displacement;
        struct nb_ratio load, with_ends, bulk, most; /* [packets/cycle] */
    } * intermediate;
    /* What choosing between the schemes can gain, if asked for. */
    size_t mixture_count, adaptive_count;
    struct nb_limits_mixture *mixture;
    struct nb_limits_adaptive *adaptive;
};

/*
 * run  NULL: all cores
 *
 * Errors: as the builders and the cases; NB_INVALID for worst cases of an
 * adaptive scheme.
 */
enum nb_status nb_limits_ask(const struct nb_limits_question *asked,
                             const struct nb_run *run,
                             struct nb_limits_told *out, struct nb_error *err);
void nb_limits_told_release(struct nb_limits_told *told);

/* Adds what was found to a report's point. */
void nb_limits_tell(const struct nb_limits_told *told, struct nb_point *out);

NB_PUBLIC_END

/* Mixtures of the cases found, and bounds of all adaptive schemes that the
 * network has. Errors: as nb_best_flow_find. */
enum nb_status nb_limits_find_adaptive(struct nb_limits_told *told,
                                       struct nb_error *err);
void nb_limits_tell_adaptive(const struct nb_limits_told *told,
                             struct nb_point *out);

#endif
