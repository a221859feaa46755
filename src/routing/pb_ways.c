#include "routing/pb_ways.h"

#include "core/memory.h"
#include "core/try.h"

/* Bits of the last cycles: for each cycle the set of channels that were
 * saturated. */
struct pb_memory {
    size_t now;      /* the set of the last cycle */
    uint64_t bits[]; /* [delay + 1, words] */
};

size_t nb_pb_ways_memory(const struct nb_routing *routing)
{
    const struct nb_pb_plan *plan = routing->plan;
    return sizeof(struct pb_memory) +
           (plan->delay + 1) * plan->words * sizeof(uint64_t);
}

enum nb_status nb_pb_ways_build(struct nb_routing *out, const char *policies,
                                size_t bytes, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    struct nb_pb_plan *plan;
    enum nb_status status = NB_OK;
    if (out->topology->groups.count == 0)
        NB_TRY(nb_routing_refuse(
            out, "a network of groups (permitted: such as dragonfly:h=2)",
            err));
    NB_TRY(nb_ugal_ways_list(out, policies, bytes, err));
    plan = out->plan;
    plan->factor = nb_ratio_value(nb_specification_ratio(given, "factor"));
    plan->margin = (uint32_t)nb_specification_whole(given, "margin");
    plan->delay = (uint32_t)nb_specification_whole(given, "delay");
    plan->words = out->topology->channel_count / 64 + 1;
done:
    return status;
}

/* Whether a global channel of a router is saturated, given the sum and the
 * number of the queues of the router's global channels. */
static bool pb_is_saturated(const struct nb_pb_plan *plan, double queue,
                            double sum, size_t count)
{
    const double mean = count > 1 ? (sum - queue) / (double)(count - 1) : 0;
    return queue > plan->factor * mean + plan->margin;
}

static void pb_look(const struct nb_routing *routing,
                    const struct nb_view *view, uint32_t router, uint64_t *bits)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t end = topology->out_start[router + 1];
    double sum = 0;
    size_t count = 0;
    for (uint32_t c = topology->out_start[router]; c < end; c++) {
        if (!nb_channel_is_global(topology, c))
            continue;
        sum += view->queue(view->network, c);
        count++;
    }
    for (uint32_t c = topology->out_start[router]; c < end && count > 0; c++)
        if (nb_channel_is_global(topology, c) &&
            pb_is_saturated(routing->plan, view->queue(view->network, c), sum,
                            count))
            bits[c / 64] |= UINT64_C(1) << c % 64;
}

void nb_pb_ways_observe(const struct nb_routing *routing,
                        const struct nb_view *view, uint64_t cycle)
{
    const struct nb_pb_plan *plan = routing->plan;
    struct pb_memory *memory = view->memory;
    memory->now = cycle % (plan->delay + 1);
    uint64_t *bits = memory->bits + memory->now * plan->words;
    for (size_t w = 0; w < plan->words; w++)
        bits[w] = 0;
    for (uint32_t r = 0; r < routing->topology->router_count; r++)
        pb_look(routing, view, r, bits);
}

/* The first global channel on a packet's path; NB_NONE: it stays in its
 * group. */
static uint32_t pb_leaves_by(const struct nb_routing *routing,
                             const struct nb_view *view, nb_route_state state,
                             uint32_t source, uint32_t destination)
{
    const struct nb_topology *topology = routing->topology;
    struct nb_way way = view->way(view->network, state, source, destination);
    while (way.channel != NB_NONE &&
           !nb_channel_is_global(topology, way.channel))
        way = view->way(view->network, way.next,
                        topology->channels[way.channel].target, destination);
    return way.channel;
}

uint64_t nb_pb_ways_cost(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination,
                         const struct nb_candidate *candidate)
{
    const struct nb_pb_plan *plan = routing->plan;
    const struct pb_memory *memory = view->memory;
    const struct nb_topology *topology = routing->topology;
    if (candidate->start->intermediates == 0) {
        const uint32_t channel =
            pb_leaves_by(routing, view, candidate->state, source, destination);
        const bool is_own = channel != NB_NONE &&
                            channel >= topology->out_start[source] &&
                            channel < topology->out_start[source + 1];
        const size_t slot =
            is_own ? memory->now : (memory->now + 1) % (plan->delay + 1);
        if (channel != NB_NONE &&
            memory->bits[slot * plan->words + channel / 64] >> channel % 64 & 1)
            return UINT64_MAX;
    }
    return nb_ugal_ways_cost(routing, view, source, destination, candidate);
}
