/* Traffic counts: the numbers of packets that a router's sources send to each
 * group, for schemes that depend on them. */
#ifndef NB_ROUTING_TRAFFIC_COUNTS_H
#define NB_ROUTING_TRAFFIC_COUNTS_H

#include "routing/routing.h"

enum { NB_COUNTS_MOST = 65535 };

/* Rows of the parameters of schemes that adjust ugal by the amount of traffic
 * to a packet's group; threshold, of ugal_ways.h, is that for mixed traffic. */
#define NB_PARAMETERS_COUNTS                                                   \
    { .name = "window",                                                        \
      .help =                                                                  \
          "HW: history window in cycles, for packets that left their sources", \
      .type = NB_WHOLE,                                                        \
      .initial = "200",                                                        \
      .least = 1,                                                              \
      .most = 4096 },                                                          \
        { .name = "low",                                                       \
          .help = "traffic to a group is benign below this many packets per "  \
                  "window",                                                    \
          .detail = "Counts the packets of all terminals of a router. The "    \
                    "defaults are for packets of 10 flits.",                   \
          .type = NB_NUMBER,                                                   \
          .initial = "3",                                                      \
          .least = 0,                                                          \
          .most = NB_COUNTS_MOST },                                            \
        { .name = "high",                                                      \
          .help = "traffic to a group is adversarial from this many packets "  \
                  "per window on; between low and high: mixed",                \
          .type = NB_NUMBER,                                                   \
          .initial = "5",                                                      \
          .least = 0,                                                          \
          .most = NB_COUNTS_MOST },                                            \
        { .name = "benign",                                                    \
          .help = "the threshold for benign traffic",                          \
          .type = NB_WHOLE,                                                    \
          .initial = "150",                                                    \
          .least = -NB_COUNTS_MOST,                                            \
          .most = NB_COUNTS_MOST },                                            \
    {                                                                          \
        .name = "adverse", .help = "the threshold for adversarial traffic",    \
        .type = NB_WHOLE, .initial = "-150", .least = -NB_COUNTS_MOST,         \
        .most = NB_COUNTS_MOST                                                 \
    }

struct nb_counts_plan {
    uint32_t window; /* [cycle] */
    double low, high;
    int32_t benign, mixed, adverse; /* [flit] */
};

/* Errors: NB_INVALID if high is below low or there are no groups. */
enum nb_status nb_counts_read(const struct nb_routing *routing,
                              struct nb_counts_plan *out, struct nb_error *err);

/* The threshold for packets to a group, from a router that counted `count`. */
int32_t nb_counts_threshold(const struct nb_counts_plan *plan, double count);

/*
 * Zeroed at the start. For each router and group: the packets in the counted
 * places of the queues; the packets that left in the last window; and, of the
 * latter, how many left in each cycle, modulo window, where more than 255 are
 * not counted.
 */
struct nb_counts {
    uint32_t now;        /* the current cycle, modulo window */
    uint32_t of_group[]; /* [2][router * groups]: stands, left; then bytes */
};

size_t nb_counts_memory(const struct nb_routing *routing,
                        const struct nb_counts_plan *plan);

/* As came, left and observe of struct nb_routing_kind. */
void nb_counts_came(const struct nb_routing *routing, struct nb_counts *counts,
                    uint32_t source, uint32_t destination);
void nb_counts_left(const struct nb_routing *routing, struct nb_counts *counts,
                    uint32_t source, uint32_t destination);
void nb_counts_observe(const struct nb_routing *routing,
                       const struct nb_counts_plan *plan,
                       struct nb_counts *counts);

/* [groups] of a router. */
static inline const uint32_t *nb_counts_stands(const struct nb_routing *routing,
                                               const struct nb_counts *counts,
                                               uint32_t router)
{
    return counts->of_group + (size_t)router * routing->topology->groups.count;
}

static inline const uint32_t *
nb_counts_left_of(const struct nb_routing *routing,
                  const struct nb_counts *counts, uint32_t router)
{
    return nb_counts_stands(routing, counts, router) +
           routing->topology->router_count * routing->topology->groups.count;
}

#endif
