/* Piggyback ways: schemes that take a detour if a bit shared by the routers of
 * a group says that the global channel ahead is saturated. */
#ifndef NB_ROUTING_PB_WAYS_H
#define NB_ROUTING_PB_WAYS_H

#include "routing/ugal_ways.h"

enum { NB_PB_MOST_MARGIN = 65535, NB_PB_MOST_DELAY = 4096 };

/* Rows of their parameters, except those of ugal_ways.h. */
#define NB_PARAMETERS_PB                                                       \
    { .name = "factor",                                                        \
      .help = "a global channel is saturated if its queue exceeds factor x "   \
              "mean of the others + margin",                                   \
      .type = NB_NUMBER,                                                       \
      .initial = "1.2",                                                        \
      .least = 0,                                                              \
      .most = 1000 },                                                          \
        { .name = "margin",                                                    \
          .help =                                                              \
              "flits added to the limit of a saturated channel: see factor",   \
          .type = NB_WHOLE,                                                    \
          .initial = "5",                                                      \
          .least = 0,                                                          \
          .most = NB_PB_MOST_MARGIN },                                         \
    {                                                                          \
        .name = "delay",                                                       \
        .help =                                                                \
            "cycles until the flag reaches the other routers of the group",    \
        .type = NB_WHOLE, .initial = "1", .least = 0, .most = NB_PB_MOST_DELAY \
    }

/* The first member of the plan of such a scheme. */
struct nb_pb_plan {
    struct nb_ugal_plan ugal;
    double factor;
    uint32_t margin, delay; /* [flit], [cycle] */
    size_t words;           /* words of a set with one bit per channel */
};

/*
 * As build, cost, memory and observe of struct nb_routing_kind; policies and
 * bytes as for nb_ugal_ways_list. As ugal, but a packet never goes straight if
 * the first global channel of that path, with queue Q, is saturated:
 *
 *     Q > factor * (mean queue of its router's other global channels) + margin.
 *
 * The channel's own router knows at once, the other routers of its group after
 * the delay.
 * Source: [Jiang2009]; [Benito2020, section 2.3.4, equation 2-2].
 *
 * Errors: NB_INVALID without groups; those of nb_ugal_ways_list.
 */
enum nb_status nb_pb_ways_build(struct nb_routing *out, const char *policies,
                                size_t bytes, struct nb_error *err);
uint64_t nb_pb_ways_cost(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination,
                         const struct nb_candidate *candidate);
/* Bytes of the first part of the memory, a multiple of 8. */
size_t nb_pb_ways_memory(const struct nb_routing *routing);
void nb_pb_ways_observe(const struct nb_routing *routing,
                        const struct nb_view *view, uint64_t cycle);

#endif
