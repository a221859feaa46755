/* Rule ways: switches that send a packet straight while a condition of the port
 * to its destination's group holds, and otherwise over a detour that belongs to
 * the port by which it entered. */
#ifndef NB_ROUTING_RULE_WAYS_H
#define NB_ROUTING_RULE_WAYS_H

#include "routing/group_ways.h"

/* Rows of their parameters, except those of group_ways.h. */
#define NB_PARAMETERS_RULE                                                     \
    { .name = "policy",                                                        \
      .help =                                                                  \
          "where the intermediate router of the detour may lie, as in val",    \
      .type = NB_CHOICE,                                                       \
      .initial = "-g-",                                                        \
      .choices = "lgl|lg-|-gl|-g-" },                                          \
    {                                                                          \
        .name = "ways",                                                        \
        .help = "intermediate routers: fixed per port of entry, or drawn for " \
                "each packet",                                                 \
        .detail =                                                              \
            "by-port: a terminal always uses the same intermediate router, "   \
            "which depends on its port. drawn: each packet draws its own.",    \
        .type = NB_CHOICE, .initial = "by-port", .choices = "by-port|drawn"    \
    }

/*
 * As build of struct nb_routing_kind: a packet goes straight, or through an
 * intermediate router of the policy.
 *
 * bytes  size of the scheme's plan; 0: it has none
 *
 * Errors: NB_INVALID for networks without groups; those of nb_two_phase_build
 * and nb_group_ways_build. Source: [Benito2020, section 4.5.3].
 */
enum nb_status nb_rule_ways_build(struct nb_routing *out, size_t bytes,
                                  struct nb_error *err);

/* Whether there is no condition: a packet within its group goes straight. */
bool nb_rule_is_plain(const struct nb_routing *routing, uint32_t source,
                      uint32_t destination);

/* The first channel of a packet that goes straight between two routers; NB_NONE
 * if they are the same. */
uint32_t nb_rule_straight(const struct nb_routing *routing,
                          const struct nb_view *view, uint32_t source,
                          uint32_t destination);

/* The rule of congestion points: the size of a feedback and its effect. Shares
 * of a buffer are fractions of its places. */
struct nb_rule_qcn {
    double reference;    /* share of the buffer: Q_eq */
    double weight;       /* w */
    double limit;        /* L_f */
    double increase;     /* PI, of 1 */
    double below, above; /* Th_1, Th_2 */
    bool is_compared;    /* by comparison with the mean feedback of the ports */
};

/*
 * |Fb| of a buffer, from 0 to 63, in 6 bits that saturate at twice Q_eq:
 *
 *     Fb = -(Q - Q_eq + w (Q - Q_old)),    |Fb| = min(63, floor(63 -Fb / Q_eq))
 *
 * filled, before  shares: now, and when the last notification was sent
 *
 * Returns -1 if Fb >= 0: there is no congestion. Source: [Benito2020, equation
 * 2-3].
 */
int nb_rule_feedback(const struct nb_rule_qcn *rule, double filled,
                     double before);

/*
 * The probability of a port after a notification:
 *
 *     P R,  R = 1 - L_f |Fb|;
 *     compared: R = 1 - L_f (|Fb| - mean) above mean + Th_2,
 *               P + PI below mean - Th_1, else P
 *
 * probability, out  in [0, 1]
 * feedback          |Fb|
 * mean              of the last feedbacks of the switch's ports to others
 *
 * Source: [Benito2020, equations 4-3 to 4-5].
 */
double nb_rule_notified(const struct nb_rule_qcn *rule, double probability,
                        int feedback, double mean);

#endif
