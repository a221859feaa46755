/*
 * ugal: universal globally adaptive load-balanced. A packet goes straight or
 * through an intermediate router drawn as val draws it, each phase among
 * shortest paths by the shortest queue. Straight if
 *
 *     q_m H_m <= q_n H_n + threshold,
 *
 * H the hops of either way and q the shortest queue of the channels by which
 * it leaves the source. Of several candidates drawn, that of the least q_n H_n
 * stands for all. compare=double has q_m <= 2 q_n + threshold, as if every way
 * round were twice as long; view=global the sum of the queues along the way
 * that would be taken now, which q H is an estimate of.
 *
 * Source: [Singh2005, section 6.2]; candidates by groups, threshold
 * [Benito2020, section 2.3.3]; one queue against two, [Jiang2009].
 */
#include "core/memory.h"
#include "core/try.h"
#include "routing/group_ways.h"
#include "routing/two_phase.h"

enum { UGAL_MOST = 65535, UGAL_DRAWS = 64 };

struct ugal_plan {
    int32_t threshold; /* [flit] */
    bool is_global;
    bool is_double;
    uint16_t hops[]; /* [target * router_count + router] nb_count_hops */
};

static enum nb_status ugal_build(struct nb_routing *out, struct nb_error *err)
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

static uint64_t ugal_cost(const struct nb_routing *routing,
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
    return cost + UGAL_MOST + (is_straight ? 0 : (uint64_t)plan->threshold);
}

static const struct nb_parameter ugal_parameters[] = {
    { .name = "view",
      .help = "what is compared: local: hops times the shortest queue at the "
              "source; global: the queues along the whole way",
      .type = NB_CHOICE,
      .initial = "local",
      .choices = "local|global" },
    { .name = "compare",
      .help = "with view=local; double: one queue straight against twice that "
              "of the way round, instead of hops",
      .type = NB_CHOICE,
      .initial = "hops",
      .choices = "hops|double" },
    { .name = "threshold",
      .help = "by how much, in flits, the way round must be better",
      .type = NB_WHOLE,
      .initial = "0",
      .least = -UGAL_MOST,
      .most = UGAL_MOST },
    { .name = "candidates",
      .help = "intermediate routers drawn, of which the best is compared",
      .type = NB_WHOLE,
      .initial = "1",
      .least = 1,
      .most = UGAL_DRAWS },
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_ugal = {
    .kind = { .name = "ugal",
              .summary = "straight or through a random intermediate router, by "
                         "hops times queue length",
              .parameters = ugal_parameters },
    .examples = "ugal@ring:5 ugal@torus:4x3 ugal@mesh:3x3 ugal@hypercube:3 "
                "ugal:candidates=3@complete:5 ugal@ccc:3 "
                "ugal:view=global@fattree:k=2,n=2 "
                "ugal:threshold=3@dragonfly:h=1 "
                "ugal:compare=double,policy=-g-@dragonfly:h=2,a=2,p=1 "
                "ugal:policy=-gl@hyperx:3x3,p=1 ugal@torus:3x2x3 "
                "ugal@torus:4x3,fail=0-1+router:5 "
                "ugal@dragonfly:h=1,fail=random:1",
    .is_adaptive = true,
    .build = ugal_build,
    .cost = ugal_cost,
};
