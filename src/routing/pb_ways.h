/* Piggyback ways: schemes that go round where a bit that the routers of a group
 * share says that the global channel ahead is saturated. */
#ifndef NB_ROUTING_PB_WAYS_H
#define NB_ROUTING_PB_WAYS_H

#include "routing/ugal_ways.h"

enum { NB_PB_MOST_MARGIN = 65535, NB_PB_MOST_DELAY = 4096 };

/* Rows of their parameters, but for those of ugal_ways.h. */
#define NB_PARAMETERS_PB                                                       \
    { .name = "factor",                                                        \
      .help = "ratio of a saturated global channel's queue to the mean of "    \
              "the router's others",                                           \
      .type = NB_NUMBER,                                                       \
      .initial = "1.2",                                                        \
      .least = 0,                                                              \
      .most = 1000 },                                                          \
        { .name = "margin",                                                    \
          .help = "flits by which it must also exceed that",                   \
          .type = NB_WHOLE,                                                    \
          .initial = "5",                                                      \
          .least = 0,                                                          \
          .most = NB_PB_MOST_MARGIN },                                         \
    {                                                                          \
        .name = "delay",                                                       \
        .help = "cycles until the other routers of the group know",            \
        .type = NB_WHOLE, .initial = "1", .least = 0, .most = NB_PB_MOST_DELAY \
    }

/* First in the plan of such a scheme. */
struct nb_pb_plan {
    struct nb_ugal_plan ugal;
    double factor;
    uint32_t margin, delay; /* [flit], [cycle] */
    size_t words;           /* of a bit for each channel */
};

/*
 * As build, cost, memory and observe of struct nb_routing_kind; policies, bytes
 * as of nb_ugal_ways_list. As ugal, but never straight if the first global
 * channel on that way, of queue Q, is saturated:
 *
 *     Q > factor * (mean queue of its router's other global channels) + margin.
 *
 * Its own router knows at once, the others of its group after the delay.
 * Source: [Jiang2009]; [Benito2020, section 2.3.4, equation 2-2].
 *
 * Errors: NB_INVALID without groups; as nb_ugal_ways_list.
 */
enum nb_status nb_pb_ways_build(struct nb_routing *out, const char *policies,
                                size_t bytes, struct nb_error *err);
uint64_t nb_pb_ways_cost(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination,
                         const struct nb_candidate *candidate);
/* Of the memory what comes first, in multiples of 8 bytes. */
size_t nb_pb_ways_memory(const struct nb_routing *routing);
void nb_pb_ways_observe(const struct nb_routing *routing,
                        const struct nb_view *view, uint64_t cycle);

#endif
