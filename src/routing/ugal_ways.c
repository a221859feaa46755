#include "routing/ugal_ways.h"

#include "core/memory.h"
#include "core/try.h"
#include "routing/two_phase.h"

/* An offset that keeps costs positive when thresholds or differences of queues
 * are negative. */
#define UGAL_ABOVE (INT64_C(1) << 62)

static enum nb_status ugal_check(const struct nb_routing *out,
                                 struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    if (!nb_specification_is(given, "view", "global") ||
        (nb_specification_is(given, "compare", "hops") &&
         nb_specification_is(given, "queue", "channel")))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "routing %s: compare=%s,queue=%s is not permitted with "
                   "view=global, which compares paths (permitted: "
                   "compare=hops,queue=channel)",
                   out->kind->kind.name,
                   nb_specification_text(given, "compare"),
                   nb_specification_text(given, "queue"));
}

/* Fills in what depends on the sets. */
static enum nb_status ugal_plan(struct nb_routing *out, size_t bytes,
                                struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const size_t n = out->topology->router_count;
    struct nb_ugal_plan *plan;
    enum nb_status status;
    nb_two_phase_draw(
        out, true,
        out->sets * (uint64_t)nb_specification_whole(given, "candidates"));
    out->vc_rule = out->phase->vc_rule;
    NB_TRY(nb_new(&out->plan, 1, bytes + n * n * sizeof *plan->hops,
                  "hops between all routers", err));
    plan = out->plan;
    plan->hops = (uint16_t *)((char *)out->plan + bytes);
    plan->threshold = (int32_t)nb_specification_whole(given, "threshold");
    plan->is_global = nb_specification_is(given, "view", "global");
    plan->is_double = nb_specification_is(given, "compare", "double");
    plan->is_virtual = nb_specification_is(given, "queue", "virtual");
    plan->is_hybrid = nb_specification_is(given, "queue", "hybrid");
    NB_TRY(nb_count_hops(out->topology, plan->hops, err));
done:
    return status;
}

enum nb_status nb_ugal_ways_list(struct nb_routing *out, const char *policies,
                                 size_t bytes, struct nb_error *err)
{
    const double n = (double)out->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(ugal_check(out, err));
    NB_TRY(nb_memory_require(n * n * sizeof(uint16_t),
                             "hops between all routers", err));
    NB_TRY(nb_two_phase_build(out, "min-adaptive", NULL, err));
    if (policies == NULL)
        NB_TRY(nb_group_ways_build(out, false, err));
    else
        NB_TRY(nb_group_ways_list(
            out, policies,
            nb_specification_is(&out->specification, "restricted", "yes"),
            err));
    NB_TRY(ugal_plan(out, bytes, err));
done:
    return status;
}

enum nb_status nb_ugal_ways_build(struct nb_routing *out, size_t bytes,
                                  struct nb_error *err)
{
    return nb_ugal_ways_list(out, NULL, bytes, err);
}

static uint64_t ugal_hops(const struct nb_routing *routing, uint32_t source,
                          uint32_t target)
{
    const struct nb_ugal_plan *plan = routing->plan;
    return plan->hops[target * routing->topology->router_count + source];
}

/* The sum of the queues along the path that a packet would take now. */
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

/* A start as a packet sees it at its source. */
struct ugal_look {
    nb_route_state state;
    struct nb_way way; /* its first hop */
    uint64_t factor;   /* of the queue: hops, or 1 or 2 */
};

static struct ugal_look ugal_look(const struct nb_routing *routing,
                                  const struct nb_view *view, uint32_t source,
                                  uint32_t destination, nb_route_state state,
                                  bool is_straight)
{
    const struct nb_ugal_plan *plan = routing->plan;
    const uint32_t target = nb_two_phase_target(state, source, destination);
    uint64_t factor = is_straight ? 1 : 2;
    if (!plan->is_double)
        factor = ugal_hops(routing, source, target) +
                 ugal_hops(routing, target, destination);
    return (struct ugal_look){
        .state = state,
        .way = view->way(view->network, state, source, destination),
        .factor = factor,
    };
}

static int64_t ugal_whole(const struct ugal_look *look)
{
    return (int64_t)(look->factor * look->way.queue);
}

/* The flits in the virtual channels that the packet would take. */
static int64_t ugal_virtual(const struct nb_view *view, uint32_t source,
                            uint32_t destination, const struct ugal_look *look)
{
    const uint32_t channel = look->way.channel;
    uint64_t flits = 0;
    if (view->permitted == NULL || channel == NB_NONE)
        return ugal_whole(look);
    uint64_t set = view->permitted(view->network, look->state, source,
                                   destination, channel);
    for (; set != 0; set &= set - 1)
        flits += view->buffered(view->network, channel,
                                (uint32_t)__builtin_ctzll(set));
    return (int64_t)(look->factor * flits);
}

/* With hybrid queues, a detour that leaves by the same channel as the straight
 * path costs the straight path's whole queue plus the difference in virtual
 * channels. */
static int64_t ugal_local(const struct nb_routing *routing,
                          const struct nb_view *view, uint32_t source,
                          uint32_t destination,
                          const struct nb_candidate *candidate)
{
    const struct nb_ugal_plan *plan = routing->plan;
    const struct ugal_look look =
        ugal_look(routing, view, source, destination, candidate->state,
                  candidate->start->intermediates == 0);
    struct nb_start start;
    if (!plan->is_virtual && !plan->is_hybrid)
        return ugal_whole(&look);
    nb_route_starts(routing->phase, source, destination, &start);
    const struct ugal_look straight = ugal_look(
        routing, view, source, destination,
        nb_two_phase_begin(routing, &start, 0, source, destination), true);
    /* A detour through source or destination is the straight path. */
    const bool is_round = candidate->target != destination;
    const int64_t cost =
        ugal_virtual(view, source, destination, is_round ? &look : &straight);
    if (plan->is_virtual)
        return cost;
    if (is_round && look.way.channel != straight.way.channel)
        return ugal_whole(&look);
    return ugal_whole(&straight) + cost -
           ugal_virtual(view, source, destination, &straight);
}

uint64_t nb_ugal_ways_cost_by(const struct nb_routing *routing,
                              const struct nb_view *view, uint32_t source,
                              uint32_t destination,
                              const struct nb_candidate *candidate,
                              int32_t threshold)
{
    const struct nb_ugal_plan *plan = routing->plan;
    int64_t cost =
        plan->is_global
            ? (int64_t)ugal_along(routing, view, source, destination, candidate)
            : ugal_local(routing, view, source, destination, candidate);
    if (candidate->start->intermediates > 0)
        cost += threshold;
    return (uint64_t)(cost + UGAL_ABOVE);
}

uint64_t nb_ugal_ways_cost(const struct nb_routing *routing,
                           const struct nb_view *view, uint32_t source,
                           uint32_t destination,
                           const struct nb_candidate *candidate)
{
    const struct nb_ugal_plan *plan = routing->plan;
    return nb_ugal_ways_cost_by(routing, view, source, destination, candidate,
                                plan->threshold);
}
