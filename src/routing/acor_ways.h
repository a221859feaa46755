/* ACOR ways: schemes whose packets take longer detours after they were blocked
 * at their source. */
#ifndef NB_ROUTING_ACOR_WAYS_H
#define NB_ROUTING_ACOR_WAYS_H

#include "routing/group_ways.h"

enum { NB_ACOR_MOST = 1000000, NB_ACOR_LEVELS = 3 };

/* Rows of their parameters; it2_: the initial value of it2. */
#define NB_PARAMETERS_ACOR(it2_)                                               \
    { .name = "variant",                                                       \
      .help = "keep the level per packet, or per switch",                      \
      .detail =                                                                \
          "packet: a packet's level rises each time it is blocked. switch: "   \
          "the level of its switch rises and falls by thresholds.",            \
      .type = NB_CHOICE,                                                       \
      .initial = "switch",                                                     \
      .choices = "packet|switch" },                                            \
        { .name = "sequence",                                                  \
          .help = "policy of each level; 2l-a: -g-, lgl; 2l-b: -gl, lgl; 3l: " \
                  "-g-, -gl, lgl",                                             \
          .type = NB_CHOICE,                                                   \
          .initial = "3l",                                                     \
          .choices = "2l-a|2l-b|3l" },                                         \
        { .name = "interval",                                                  \
          .help =                                                              \
              "HI: cycles after which the count of blocked packets restarts",  \
          .detail = "At the end of an interval, the level falls if fewer "     \
                    "packets were blocked than dt1 or dt2.",                   \
          .type = NB_WHOLE,                                                    \
          .initial = "500",                                                    \
          .least = 1,                                                          \
          .most = NB_ACOR_MOST },                                              \
        { .name = "it1",                                                       \
          .help = "if more packets than this are blocked, summed over "        \
                  "cycles, level 1 becomes 2 at once",                         \
          .type = NB_WHOLE,                                                    \
          .initial = "15",                                                     \
          .least = 0,                                                          \
          .most = NB_ACOR_MOST },                                              \
        { .name = "it2",                                                       \
          .help = "if more packets than this are blocked, level 2 becomes 3 "  \
                  "at once",                                                   \
          .type = NB_WHOLE,                                                    \
          .initial = it2_,                                                     \
          .least = 0,                                                          \
          .most = NB_ACOR_MOST },                                              \
        { .name = "dt1",                                                       \
          .help = "if fewer packets than this are blocked in an interval, "    \
                  "level 2 becomes 1 at its end",                              \
          .type = NB_WHOLE,                                                    \
          .initial = "5",                                                      \
          .least = 0,                                                          \
          .most = NB_ACOR_MOST },                                              \
    {                                                                          \
        .name = "dt2",                                                         \
        .help = "if fewer packets than this are blocked in an interval, "      \
                "level 3 becomes 2 at its end",                                \
        .type = NB_WHOLE, .initial = "15", .least = 0, .most = NB_ACOR_MOST    \
    }

struct nb_acor_plan {
    bool is_by_packet;
    uint32_t levels;
    uint32_t interval;                 /* [cycle] */
    uint32_t rise[NB_ACOR_LEVELS - 1]; /* [level below] */
    uint32_t fall[NB_ACOR_LEVELS - 1];
};

/* What a switch remembers; zeroed at the start. */
struct nb_acor_switch {
    uint32_t blocked; /* in this interval */
    uint32_t level;   /* 0 .. levels - 1 */
};

/* The policies of the scheme's sequence, in the form that nb_group_ways_list
 * takes. */
const char *nb_acor_policies(const struct nb_specification *given);

void nb_acor_read(const struct nb_specification *given,
                  struct nb_acor_plan *out);

/* The level of a packet at a switch. blocked: as for set of struct
 * nb_routing_kind */
uint32_t nb_acor_level(const struct nb_acor_plan *plan,
                       const struct nb_acor_switch *of, uint32_t blocked);

/* Counts one more blocked packet at a switch. */
void nb_acor_block(const struct nb_acor_plan *plan, struct nb_acor_switch *of);

/* Ends a cycle. of: [routers] */
void nb_acor_observe(const struct nb_acor_plan *plan, struct nb_acor_switch *of,
                     size_t routers, uint64_t cycle);

#endif
