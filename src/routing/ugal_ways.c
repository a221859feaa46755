#include "routing/ugal_ways.h"

#include "core/memory.h"
#include "core/try.h"
#include "routing/two_phase.h"

struct ugal_plan {
    int32_t threshold; /* [flit] */
    bool is_global;
    bool is_double;
    uint16_t hops[]; /* [target * router_count + router] nb_count_hops */
};

enum nb_status nb_ugal_ways_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const struct nb_topology *topology = out->topology;
    const double n = (double)topology->router_count;
    struct ugal_plan *plan;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(n * n * sizeof *plan->hops,
                             "hops between all routers", err));
    NB_TRY(nb_two_phase_build(out, "min-adaptive", NULL, err));
    NB_TRY(nb_group_ways_build(out, false, err));
    nb_two_phase_draw(out,
                      (uint64_t)nb_specification_whole(given, "candidates"));
    out->vc_rule = out->phase->vc_rule;
    NB_TRY(nb_new(&out->plan, 1,
                  sizeof *plan + (size_t)(n * n) * sizeof *plan->hops,
                  "hops between all routers", err));
    plan = out->plan;
    plan->threshold = (int32_t)nb_specification_whole(given, "threshold");
    plan->is_global = nb_specification_is(given, "view", "global");
    plan->is_double = nb_specification_is(given, "compare", "double");
    NB_TRY(nb_count_hops(topology, plan->hops, err));
done:
    return status;
}

static uint64_t ugal_hops(const struct nb_routing *routing, uint32_t source,
                          uint32_t target)
{
    const struct ugal_plan *plan = routing->plan;
    return plan->hops[target * routing->topology->router_count + source];
}

/* The queues along the way that a packet would take now. */
static uint64_t ugal_along(const struct nb_routing *routing,
                           const struct nb_view *view, uint32_t source,
                           uint32_t destination,
                           const struct nb_candidate *candidate)
{
    const struct nb_channel *channels = routing->topology->channels;
    uint64_t sum = 0;
    struct nb_way way =
        view->way(view->network, candidate->state, source, destination);
    while (way.channel != NB_NONE) {
        sum += way.queue;
        way = view->way(view->network, way.next, channels[way.channel].target,
                        destination);
    }
    return sum;
}

uint64_t nb_ugal_ways_cost(const struct nb_routing *routing,
                           const struct nb_view *view, uint32_t source,
                           uint32_t destination,
                           const struct nb_candidate *candidate)
{
    const struct ugal_plan *plan = routing->plan;
    const bool is_straight = candidate->start->intermediates == 0;
    uint64_t cost;
    if (plan->is_global) {
        cost = ugal_along(routing, view, source, destination, candidate);
    } else {
        const struct nb_way way =
            view->way(view->network, candidate->state, source, destination);
        uint64_t hops = is_straight ? 1 : 2;
        if (!plan->is_double)
            hops = ugal_hops(routing, source, candidate->target) +
                   ugal_hops(routing, candidate->target, destination);
        cost = hops * way.queue;
    }
    /* A threshold below 0 stays above it. */
    return cost + NB_UGAL_MOST + (is_straight ? 0 : (uint64_t)plan->threshold);
}
