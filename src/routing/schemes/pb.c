/*
 * pb: piggyback. As ugal, but a packet whose first global channel on the way
 * straight is saturated goes round: of a group's global channels every router
 * of the group knows a bit, its own at once, those of the others after a delay.
 * A channel is saturated if its queue is longer than factor times the mean of
 * its router's other global channels, and a margin.
 * Source: [Jiang2009]; [Benito2020, section 2.3.4, equation 2-2].
 */
#include "routing/ugal_ways.h"

#include "core/memory.h"
#include "core/try.h"

enum { PB_MOST_MARGIN = 65535, PB_MOST_DELAY = 4096 };

struct pb_plan {
    struct nb_ugal_plan ugal;
    double factor;
    uint32_t margin, delay; /* [flit], [cycle] */
    size_t words;           /* of a bit for each channel */
};

/* Bits of the last cycles, each a set of channels that were saturated. */
struct pb_memory {
    size_t now;      /* the set of the last cycle */
    uint64_t bits[]; /* [delay + 1, words] */
};

static size_t pb_memory(const struct nb_routing *routing)
{
    const struct pb_plan *plan = routing->plan;
    return sizeof(struct pb_memory) +
           (plan->delay + 1) * plan->words * sizeof(uint64_t);
}

static enum nb_status pb_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    struct pb_plan *plan;
    enum nb_status status = NB_OK;
    if (out->topology->groups.count == 0)
        NB_TRY(nb_routing_refuse(
            out, "one of groups (permitted: such as dragonfly:h=2)", err));
    NB_TRY(nb_ugal_ways_build(out, sizeof *plan, err));
    plan = out->plan;
    plan->factor = nb_ratio_value(nb_specification_ratio(given, "factor"));
    plan->margin = (uint32_t)nb_specification_whole(given, "margin");
    plan->delay = (uint32_t)nb_specification_whole(given, "delay");
    plan->words = out->topology->channel_count / 64 + 1;
done:
    return status;
}

/* Whether a global channel of a router is saturated, whose queues of such
 * channels have this sum and number. */
static bool pb_is_saturated(const struct pb_plan *plan, double queue,
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

static void pb_observe(const struct nb_routing *routing,
                       const struct nb_view *view, uint64_t cycle)
{
    const struct pb_plan *plan = routing->plan;
    struct pb_memory *memory = view->memory;
    memory->now = cycle % (plan->delay + 1);
    uint64_t *bits = memory->bits + memory->now * plan->words;
    for (size_t w = 0; w < plan->words; w++)
        bits[w] = 0;
    for (uint32_t r = 0; r < routing->topology->router_count; r++)
        pb_look(routing, view, r, bits);
}

/* The first global channel on a packet's way out of its group; NB_NONE: it
 * stays. */
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

static uint64_t pb_cost(const struct nb_routing *routing,
                        const struct nb_view *view, uint32_t source,
                        uint32_t destination,
                        const struct nb_candidate *candidate)
{
    const struct pb_plan *plan = routing->plan;
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

static const struct nb_parameter pb_parameters[] = {
    { .name = "factor",
      .help = "how many times the mean queue of the router's other global "
              "channels that of a saturated one is at least",
      .type = NB_NUMBER,
      .initial = "1.2",
      .least = 0,
      .most = 1000 },
    { .name = "margin",
      .help = "and by how much more, in flits",
      .type = NB_WHOLE,
      .initial = "5",
      .least = 0,
      .most = PB_MOST_MARGIN },
    { .name = "delay",
      .help = "cycles until the other routers of the group know",
      .type = NB_WHOLE,
      .initial = "1",
      .least = 0,
      .most = PB_MOST_DELAY },
    NB_PARAMETERS_UGAL,
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_pb = {
    .kind = { .name = "pb",
              .summary = "piggyback: as ugal, and round if a global channel of "
                         "the group is saturated (Dragonfly)",
              .parameters = pb_parameters },
    .examples = "pb@dragonfly:h=1 pb:policy=-g-@dragonfly:h=2,a=2,p=1 "
                "pb:delay=0,margin=0,candidates=2@dragonfly:h=1 "
                "pb:factor=2,delay=40@dragonfly:h=1,groups=2,trunking=2",
    .is_adaptive = true,
    .build = pb_build,
    .cost = pb_cost,
    .memory = pb_memory,
    .observe = pb_observe,
};
