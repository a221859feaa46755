/* Limits cases: schemes and traffics of one network, each combination's loads
 * found once. */
#ifndef NB_QUESTIONS_LIMITS_LIMITS_CASES_H
#define NB_QUESTIONS_LIMITS_LIMITS_CASES_H

#include "core/public.h"
#include "questions/problem.h"
#include "load/hop_classes.h"

NB_PUBLIC_BEGIN

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

/* The case of two specifications (traffic "": the network's worst case, with
 * the terminals' limit), which holds as long as cases. Errors: as the
 * builders. */
enum nb_status nb_limits_case_find(struct nb_limits_cases *cases,
                                   const char *routing, const char *traffic,
                                   const struct nb_limits_case **out,
                                   struct nb_error *err);
void nb_limits_cases_release(struct nb_limits_cases *cases);

/* Whether two specifications of schemes (what: "routing") or of traffics say
 * the same, aliases and defaults aside. Errors: as nb_specification_read. */
enum nb_status nb_limits_is_same(const char *a, const char *b, const char *what,
                                 nb_kind_at *kinds, bool *is_same,
                                 struct nb_error *err);

/* Delays that make up the latency of an unloaded network. */
struct nb_limits_delays {
    struct nb_enclosure router, local, global; /* [ns] */
    struct nb_enclosure serial; /* [ns] the packet behind its first flit */
};

/*
 * Latency without load [ns]: with H_l and H_g mean local and global hops,
 *
 *     L_0 = (H_l + H_g + 1) t_router + H_l t_local + H_g t_global + t_serial
 */
struct nb_enclosure nb_limits_latency(const struct nb_limits_case *at,
                                      const struct nb_limits_delays *delays);

NB_PUBLIC_END

#endif
