/* Limits question: what netbound limits was asked, read once. */
#ifndef NB_QUESTIONS_LIMITS_LIMITS_QUESTION_H
#define NB_QUESTIONS_LIMITS_LIMITS_QUESTION_H

#include "questions/limits/limits_cases.h"

enum { NB_LIMITS_NAMES = 8 };

/* Owns topology and cases. */
struct nb_limits_question {
    struct nb_topology topology;
    struct nb_limits_cases cases;
    const char *routing; /* the only scheme asked for, as given; NULL: all */
    const char *traffic; /* the only traffic; NULL: all */
    bool is_adaptive;    /* the scheme: there are no loads to look at */
    size_t scheme_count, traffic_count;
    const char *scheme[NB_LIMITS_NAMES];
    const char *traffics[NB_LIMITS_NAMES];
    char by_router[40]; /* the traffic of offset h */
    struct nb_limits_delays delays;
    struct nb_ratio flit_time;         /* [ns] */
    struct nb_ratio flit_size;         /* [bytes] unknown: not given */
    int64_t packet;                    /* [flits] */
    int64_t first_offset, last_offset; /* of closed forms */
    bool with_worst;
};

/* Rows of the options that struct nb_limits_question is read from, after
 * topology. */
extern const struct nb_parameter nb_limits_options[];

/* Errors: as the builders; NB_INVALID for a value that is not permitted. */
enum nb_status nb_limits_question_read(const struct nb_question *question,
                                       struct nb_limits_question *out,
                                       struct nb_error *err);
void nb_limits_question_release(struct nb_limits_question *question);

/* The value as one number, the middle of a bracket. */
double nb_limits_middle(struct nb_enclosure value);

/* The latency without load of one case [ns]. */
struct nb_enclosure
nb_limits_latency_of(const struct nb_limits_question *question,
                     const struct nb_limits_case *at);

/* The tables of the answer, each added if there is something in it. */

/* Closed forms beside exact values: table limits. */
enum nb_status nb_limits_add_limits(struct nb_limits_question *question,
                                    struct nb_point *out, struct nb_error *err);
/* Hops and latency of every scheme on every traffic: table latency. */
enum nb_status nb_limits_add_latency(struct nb_limits_question *question,
                                     struct nb_point *out,
                                     struct nb_error *err);
/* At each load of each traffic, and of the worst if asked for, the scheme of
 * least latency: table envelope. */
enum nb_status nb_limits_add_envelope(struct nb_limits_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err);
/* Virtual channels of every scheme: table policies. */
enum nb_status nb_limits_add_policies(struct nb_limits_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err);
/* Classes of virtual channels of the one scheme asked for, where there are no
 * groups. */
enum nb_status nb_limits_add_classes(struct nb_limits_question *question,
                                     struct nb_point *out,
                                     struct nb_error *err);
/* What local channels of groups of way-points carry: table
 * intermediate_local. */
enum nb_status nb_limits_add_intermediate(struct nb_limits_question *question,
                                          struct nb_point *out,
                                          struct nb_error *err);
/* Ports, routing tables and buffers. */
void nb_limits_add_resources(const struct nb_limits_question *question,
                             struct nb_point *out);

#endif
