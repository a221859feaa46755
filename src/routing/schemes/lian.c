/*
 * lian: latency-improved adaptive non-minimal routing of the largest palmtree
 * Dragonfly. It works as ugal, but its threshold follows an estimate of what
 * the router's terminals offer to the packet's group, and detours use local
 * channels only where needed:
 *
 *     offered(g) = packets to group g that left in a window
 *                  + w * those that are in the sources' queues;
 *
 * it takes the first local channel if more than `groups` of the groups at the
 * router's own global channels are offered more than `saturated`. It takes the
 * second if a local channel that the packet could use in the intermediate
 * group, -k or -k-1 routers on for destinations k h + m groups on, would get
 * more than `local` by
 *
 *     IL(-k) = sum over |j| < h of (h - |j|) / h * offered(k h + j).
 *
 * Source: [Benito2020, section 6.2, equations 6-1 and 6-2, Table 6-1].
 */
#include "core/try.h"
#include "routing/traffic_counts.h"
#include "routing/ugal_ways.h"

#include <stdlib.h>

enum { LIAN_MOST_PLACES = 1000000 };
#define LIAN_FIRST  1u
#define LIAN_SECOND 2u

struct lian_plan {
    struct nb_ugal_plan ugal;
    struct nb_counts_plan counts;
    uint32_t h;       /* global channels of a router */
    double weight;    /* weight of packets in the queues */
    double local;     /* [packet] */
    double saturated; /* [packet] */
    uint32_t saturated_groups;
};

/* The index of a router in its group. */
static uint32_t lian_index(const struct nb_topology *topology, uint32_t router)
{
    const struct nb_groups *groups = &topology->groups;
    const uint32_t *member = groups->member + groups->start[groups->of[router]];
    uint32_t index = 0;
    while (member[index] != router)
        index++;
    return index;
}

/* The number of global channels per router; 0 unless the network is a largest
 * palmtree, in which router j, of 2 h, in group i is joined with the groups i -
 * (h j + m), m = 1 .. h. */
static uint32_t lian_palmtree(const struct nb_topology *topology)
{
    const struct nb_groups *groups = &topology->groups;
    const uint32_t count = groups->count;
    const uint32_t members =
        count > 0 ? (uint32_t)topology->router_count / count : 0;
    const uint32_t h = members / 2;
    uint32_t global = 0;
    if (h == 0 || members != 2 * h || count != 2 * h * h + 1)
        return 0;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (!nb_channel_is_global(topology, c))
            continue;
        const uint32_t back =
            (groups->of[at->source] + count - groups->of[at->target]) % count;
        if ((back - 1) / h != lian_index(topology, at->source))
            return 0;
        global++;
    }
    return global == topology->router_count * h ? h : 0;
}

static enum nb_status lian_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const uint32_t h = lian_palmtree(out->topology);
    struct nb_counts_plan counts;
    enum nb_status status = NB_OK;
    if (h == 0)
        NB_TRY(nb_routing_refuse(out,
                                 "the largest palmtree Dragonfly for its h "
                                 "(permitted: such as dragonfly:h=2)",
                                 err));
    NB_TRY(nb_counts_read(out, &counts, err));
    NB_TRY(nb_ugal_ways_list(out, "-g- lg- -gl lgl", sizeof(struct lian_plan),
                             err));
    struct lian_plan *plan = out->plan;
    plan->counts = counts;
    plan->h = h;
    plan->weight = nb_ratio_value(nb_specification_ratio(given, "weight"));
    plan->local = nb_ratio_value(nb_specification_ratio(given, "local"));
    plan->saturated =
        nb_ratio_value(nb_specification_ratio(given, "saturated"));
    plan->saturated_groups = (uint32_t)nb_specification_whole(given, "groups");
    out->counted = (uint32_t)nb_specification_whole(given, "places");
done:
    return status;
}

static double lian_offered(const struct nb_routing *routing,
                           const struct nb_view *view, uint32_t source,
                           uint32_t group)
{
    const struct lian_plan *plan = routing->plan;
    return nb_counts_left_of(routing, view->memory, source)[group] +
           plan->weight *
               nb_counts_stands(routing, view->memory, source)[group];
}

/* IL(-k) for destinations on one side: sign 1 or -1. */
static double lian_local(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         int32_t sign, int32_t k)
{
    const struct lian_plan *plan = routing->plan;
    const struct nb_groups *groups = &routing->topology->groups;
    const int32_t h = (int32_t)plan->h, count = (int32_t)groups->count;
    double sum = 0;
    for (int32_t j = 1 - h; j < h; j++) {
        const int32_t on = sign * (k * h + j) + (int32_t)groups->of[source];
        sum +=
            (h - abs(j)) * lian_offered(routing, view, source,
                                        (uint32_t)((on + 2 * count) % count));
    }
    return sum / h;
}

static bool lian_needs_second(const struct nb_routing *routing,
                              const struct nb_view *view, uint32_t source,
                              uint32_t destination)
{
    const struct lian_plan *plan = routing->plan;
    const struct nb_groups *groups = &routing->topology->groups;
    const int32_t h = (int32_t)plan->h, count = (int32_t)groups->count;
    const int32_t on =
        (int32_t)groups->of[destination] - (int32_t)groups->of[source];
    const int32_t ahead = (on + count) % count;
    const int32_t sign = ahead <= h * h ? 1 : -1;
    const int32_t offset = sign > 0 ? ahead : count - ahead;
    const int32_t k = offset / h;
    /* There is no channel for k = 0. */
    return (k > 0 &&
            lian_local(routing, view, source, sign, k) > plan->local) ||
           (offset % h > 0 &&
            lian_local(routing, view, source, sign, k + 1) > plan->local);
}

static bool lian_needs_first(const struct nb_routing *routing,
                             const struct nb_view *view, uint32_t source)
{
    const struct lian_plan *plan = routing->plan;
    const struct nb_topology *topology = routing->topology;
    uint32_t count = 0;
    for (uint32_t c = topology->out_start[source];
         c < topology->out_start[source + 1]; c++) {
        const uint32_t target = topology->channels[c].target;
        count += nb_channel_is_global(topology, c) &&
                 lian_offered(routing, view, source,
                              topology->groups.of[target]) > plan->saturated;
    }
    return count > plan->saturated_groups;
}

/* The set: -g-, lg-, -gl or lgl. */
static size_t lian_set(const struct nb_routing *routing,
                       const struct nb_view *view, uint32_t source,
                       uint32_t destination, uint32_t blocked)
{
    const uint32_t *group = routing->topology->groups.of;
    (void)blocked;
    if (group[source] == group[destination])
        return LIAN_FIRST | LIAN_SECOND;
    return (lian_needs_first(routing, view, source) ? LIAN_FIRST : 0u) |
           (lian_needs_second(routing, view, source, destination) ? LIAN_SECOND
                                                                  : 0u);
}

static uint64_t lian_cost(const struct nb_routing *routing,
                          const struct nb_view *view, uint32_t source,
                          uint32_t destination,
                          const struct nb_candidate *candidate)
{
    const struct lian_plan *plan = routing->plan;
    const uint32_t *group = routing->topology->groups.of;
    const int32_t threshold =
        group[source] == group[destination]
            ? 0
            : nb_counts_threshold(
                  &plan->counts,
                  lian_offered(routing, view, source, group[destination]));
    return nb_ugal_ways_cost_by(routing, view, source, destination, candidate,
                                threshold);
}

static size_t lian_memory(const struct nb_routing *routing)
{
    const struct lian_plan *plan = routing->plan;
    return nb_counts_memory(routing, &plan->counts);
}

static void lian_came(const struct nb_routing *routing,
                      const struct nb_view *view, uint32_t source,
                      uint32_t destination)
{
    nb_counts_came(routing, view->memory, source, destination);
}

static void lian_left(const struct nb_routing *routing,
                      const struct nb_view *view, uint32_t source,
                      uint32_t destination, uint64_t cycle)
{
    (void)cycle;
    nb_counts_left(routing, view->memory, source, destination);
}

static void lian_observe(const struct nb_routing *routing,
                         const struct nb_view *view, uint64_t cycle)
{
    const struct lian_plan *plan = routing->plan;
    (void)cycle;
    nb_counts_observe(routing, &plan->counts, view->memory);
}

static const struct nb_parameter lian_parameters[] = {
    NB_PARAMETER("weight", NUMBER, "0.1",
                 "w: weight of a packet that waits in its source's queue",
                 .least = 0, .most = 1000),
    NB_PARAMETER("places", WHOLE, "504",
                 "packets counted at the front of each terminal's queue",
                 .least = 0, .most = LIAN_MOST_PLACES),
    NB_PARAMETER("local", NUMBER, "20",
                 "ILCth: a local channel is too full if it would get more "
                 "packets per window than this",
                 .detail =
                     "The local channel is one of the intermediate group.",
                 .least = 0, .most = NB_COUNTS_MOST),
    NB_PARAMETER("saturated", NUMBER, "5",
                 "GCSth: a global channel is too full if it would get more "
                 "packets per window than this",
                 .least = 0, .most = NB_COUNTS_MOST),
    NB_PARAMETER("groups", WHOLE, "3",
                 "SGCth: detours avoid a router's own global channels if more "
                 "of them than this are too full",
                 .detail =
                     "Detours then first go to another router of the group.",
                 .least = 0, .most = NB_COUNTS_MOST),
    NB_PARAMETERS_COUNTS,
    NB_PARAMETERS_UGAL_WITH("-30"),
    NB_PARAMETER_RESTRICTED,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_lian = {
    .kind = { .name = "lian",
              .summary = "ugal, with a threshold set by observed traffic",
              .detail = "Detours leave out local hops that they do not need. "
                        "Dragonflies.",
              .family = NB_FAMILY_GROUPS,
              .parameters = lian_parameters },
    .examples = "lian@dragonfly:h=1 lian:window=10,groups=0@dragonfly:h=1 "
                "lian:local=1,saturated=1,weight=1,candidates=2@dragonfly:h=1",
    .is_adaptive = true,
    .is_asked_again = true,
    .build = lian_build,
    .cost = lian_cost,
    .memory = lian_memory,
    .set = lian_set,
    .came = lian_came,
    .left = lian_left,
    .observe = lian_observe,
};
