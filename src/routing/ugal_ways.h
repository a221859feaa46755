/* Ugal ways: schemes that choose between going straight and through a drawn
 * intermediate router, by the queues that they see. */
#ifndef NB_ROUTING_UGAL_WAYS_H
#define NB_ROUTING_UGAL_WAYS_H

#include "routing/group_ways.h"

enum { NB_UGAL_MOST = 65535, NB_UGAL_DRAWS = 64 };

/* Rows of their parameters, except those of group_ways.h. */
#define NB_PARAMETERS_UGAL NB_PARAMETERS_UGAL_WITH("0")
#define NB_PARAMETERS_UGAL_WITH(threshold_)                                    \
    { .name = "view",                                                          \
      .help = "queues compared: the shortest at the source (UGAL-L), or "      \
              "along the path (UGAL-G)",                                       \
      .detail = "local: hops times the shortest queue at the source. global: " \
                "the queues along the whole path.",                            \
      .type = NB_CHOICE,                                                       \
      .initial = "local",                                                      \
      .choices = "local|global" },                                             \
        { .name = "compare",                                                   \
          .help = "with view=local: hops times queue, or one queue against "   \
                  "twice the other (double)",                                  \
          .detail = "double: one queue of the minimal path against twice "     \
                    "that of the detour, instead of hops.",                    \
          .type = NB_CHOICE,                                                   \
          .initial = "hops",                                                   \
          .choices = "hops|double" },                                          \
        { .name = "queue",                                                     \
          .help = "with view=local: a channel's whole queue, its virtual "     \
                  "channels', or hybrid",                                      \
          .detail = "channel: the whole queue (UGAL-L). virtual: that of the " \
                    "virtual channels that the packet would take "             \
                    "(UGAL-L_VC). hybrid: virtual where both paths leave by "  \
                    "one channel (UGAL-L_VCH).",                               \
          .type = NB_CHOICE,                                                   \
          .initial = "channel",                                                \
          .choices = "channel|virtual|hybrid" },                               \
        { .name = "threshold",                                                 \
          .help = "flits by which the detour must be better",                  \
          .type = NB_WHOLE,                                                    \
          .initial = threshold_,                                               \
          .least = -NB_UGAL_MOST,                                              \
          .most = NB_UGAL_MOST },                                              \
    {                                                                          \
        .name = "candidates",                                                  \
        .help = "number of intermediate routers drawn; the best of them is "   \
                "compared",                                                    \
        .type = NB_WHOLE, .initial = "1", .least = 1, .most = NB_UGAL_DRAWS    \
    }

/* The first member of the plan of such a scheme. */
struct nb_ugal_plan {
    uint16_t *hops;    /* [target * router_count + router] nb_count_hops */
    int32_t threshold; /* [flit] */
    bool is_global, is_double, is_virtual, is_hybrid;
};

/*
 * As build and cost of struct nb_routing_kind; bytes: size of the scheme's
 * plan. A packet goes straight if
 *
 *     q_m H_m <= q_n H_n + threshold,
 *
 * where H is the number of hops of either path and q the shortest queue of the
 * channels by which it leaves the source. Of several candidates, the one with
 * the least q_n H_n is compared. With compare=double the rule is q_m <= 2 q_n +
 * threshold, as if every detour were twice as long; with view=global, the sums
 * of the queues along the paths that would be taken now are compared, which q H
 * estimates.
 *
 * If both paths leave the source by the same channel, q_m = q_n, and the packet
 * goes straight however long that queue is. With queue=virtual, q counts the
 * flits in the virtual channels that the packet would take; queue=hybrid
 * compares these if both paths leave by the same channel, and whole queues
 * otherwise (section 4.3 of [Kim2008]). Without virtual channels all three are
 * the same.
 *
 * Errors: those of nb_two_phase_build and nb_group_ways_build.
 */
enum nb_status nb_ugal_ways_build(struct nb_routing *out, size_t bytes,
                                  struct nb_error *err);
/* The same with the sets of nb_group_ways_list, from which the kind's set
 * function selects, with the parameter restricted. */
enum nb_status nb_ugal_ways_list(struct nb_routing *out, const char *policies,
                                 size_t bytes, struct nb_error *err);
uint64_t nb_ugal_ways_cost(const struct nb_routing *routing,
                           const struct nb_view *view, uint32_t source,
                           uint32_t destination,
                           const struct nb_candidate *candidate);
/* With another threshold. */
uint64_t nb_ugal_ways_cost_by(const struct nb_routing *routing,
                              const struct nb_view *view, uint32_t source,
                              uint32_t destination,
                              const struct nb_candidate *candidate,
                              int32_t threshold);

#endif
