#include "sim/network.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>

static struct nb_way network_view_way(const void *context, nb_route_state state,
                                      uint32_t router, uint32_t destination)
{
    const struct nb_network *network = context;
    return nb_routes_shortest(network->view_routes, &network->view, state,
                              router, destination);
}

static enum nb_status network_init_view(struct nb_network *network,
                                        struct nb_error *err)
{
    const struct nb_routing *routing = network->plan->routing;
    const struct nb_engine *engine = network->engine;
    const enum nb_congestion congestion = network->plan->router.congestion;
    network->view_routes = &network->routes;
    network->view = (struct nb_view){
        .network = network,
        .queue =
            congestion == NB_CONGESTION_WAITING ? engine->unsent
            : congestion == NB_CONGESTION_OUTPUT && engine->standing != NULL
                ? engine->standing
                : engine->queue,
        .buffered = engine->buffered,
        .permitted = engine->permitted,
        .way = network_view_way,
        .paused = engine->paused,
        .passed = engine->passed,
        .latency = engine->latency,
        .sample = engine->sample,
        .random = &network->random,
        .waiting = engine->waiting,
    };
    if (routing->kind->memory == NULL)
        return NB_OK;
    return nb_new(&network->view.memory, routing->kind->memory(routing), 1,
                  "memory of the routing scheme", err);
}

static const struct nb_engine *const network_engines[] = {
    [NB_ROUTER_IDEAL] = &nb_engine_ideal,
    [NB_ROUTER_CREDIT] = &nb_engine_credit,
    [NB_ROUTER_CHAOS] = &nb_engine_chaos,
    [NB_ROUTER_VIRTUAL] = &nb_engine_levelled,
};

enum nb_status nb_network_init(const struct nb_simulation *plan,
                               const struct nb_flows *flows, uint64_t stream,
                               struct nb_network *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_network){
        .plan = plan,
        .topology = plan->topology,
        .engine = plan->router.slot_order == NB_SLOT_RANDOM
                      ? &nb_engine_ideal_random
                      : network_engines[plan->router.model],
        .queue_count = nb_queue_count(plan->topology),
        .terminal_start = flows->terminal_start,
        .terminal_router = flows->terminal_router,
        .late = NB_NONE,
        .has_terminal_queues =
            nb_queue_count(plan->topology) > plan->topology->channel_count,
    };
    nb_random_init(&out->random, plan->seed, stream);
    if (plan->router.model == NB_ROUTER_CREDIT)
        NB_TRY(nb_vc_classes_build(plan->routing, &out->classes, err));
    NB_TRY(nb_packets_init(plan->packet_limit, &out->packets, err));
    NB_TRY(nb_replies_init(plan, &out->replies, err));
    NB_TRY(nb_routes_init(plan->routing, &out->routes, err));
    NB_TRY(nb_sources_init(plan, out->terminal_start, out->terminal_router,
                           &out->random, &out->sources, err));
    NB_TRY(nb_measure_init(plan, flows, &out->measure, err));
    NB_TRY(network_init_view(out, err));
    NB_TRY(out->engine->init(out, err));
done:
    if (status != NB_OK)
        nb_network_release(out);
    return status;
}

void nb_network_release(struct nb_network *network)
{
    if (network->engine != NULL)
        network->engine->release(network);
    nb_delete(network->view.memory);
    nb_measure_release(&network->measure);
    nb_sources_release(&network->sources);
    nb_routes_release(&network->routes);
    nb_replies_release(&network->replies);
    nb_packets_release(&network->packets);
    nb_vc_classes_release(&network->classes);
    *network = (struct nb_network){ 0 };
}

void nb_network_pack(const struct nb_network *network, struct nb_text *out)
{
    nb_pack_whole(out, network->cycle);
    nb_pack_whole(out, network->packets.count);
    nb_pack_whole(out, network->is_full);
    nb_measure_pack(&network->measure, out);
}

enum nb_status nb_network_unpack(const struct nb_simulation *plan,
                                 const struct nb_flows *flows,
                                 struct nb_packed *in, struct nb_network *out,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (out->plan == NULL) {
        NB_TRY(nb_measure_init(plan, flows, &out->measure, err));
        out->plan = plan;
        out->topology = plan->topology;
        out->packets.capacity = plan->packet_limit;
        out->replies.room = plan->reply_buffer;
    }
    out->cycle = nb_unpack_whole(in);
    out->packets.count = (uint32_t)nb_unpack_whole(in);
    out->is_full = nb_unpack_whole(in) != 0;
    status = nb_measure_unpack(in, &out->measure, err);
done:
    return status;
}

/* What a router's channels and terminals bring in a cycle: enough for the
 * channel of a host that is unlimited. */
static struct nb_ratio network_enough(const struct nb_network *network,
                                      uint32_t router)
{
    const struct nb_topology *topology = network->topology;
    const struct nb_injection *injection = &network->plan->injection;
    const double own = 1 + ceil(injection->rate * injection->flits);
    double sum = own;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t c = topology->in_channel[i];
        sum += nb_channel_is_terminal(topology, c)
                   ? own
                   : ceil(nb_ratio_value(topology->channels[c].bandwidth));
    }
    return nb_ratio_make((nb_int128)sum, 1);
}

struct nb_ratio nb_network_bandwidth(const struct nb_network *network,
                                     uint32_t queue)
{
    const struct nb_topology *topology = network->topology;
    if (queue < topology->channel_count &&
        nb_channel_is_terminal(topology, queue) &&
        !nb_ratio_is_known(topology->terminal_bandwidth)) {
        const struct nb_channel *at = &topology->channels[queue];
        return network_enough(network, at->source < topology->first_host
                                           ? at->source
                                           : at->target);
    }
    return queue < network->topology->channel_count
               ? network->topology->channels[queue].bandwidth
               : network->topology->terminal_bandwidth;
}

size_t nb_network_begin(struct nb_network *network, const struct nb_view *view,
                        uint32_t packet, uint32_t router)
{
    struct nb_packets *packets = &network->packets;
    size_t chosen;
    network->asked_about = packet;
    network->routes.port =
        packets->source[packet] - network->terminal_start[router];
    packets->state[packet] =
        nb_routes_begin(&network->routes, view, router,
                        network->terminal_router[packets->target[packet]],
                        packets->blocked[packet], &network->random, &chosen);
    return chosen;
}

/* Its start is drawn now, except where the engine has the scheme choose it by
 * the queues when the packet is about to leave its source. */
static void network_start(struct nb_network *network, uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    const bool is_begun = !network->engine->begins_at_front ||
                          network->plan->routing->kind->has_injection_queues;
    packets->age[packet] =
        network->cycle << NB_TIE_BITS |
        nb_random_next(&network->random) >> (64 - NB_TIE_BITS);
    packets->hops[packet] = packets->far[packet] = 0;
    packets->blocked[packet] = 0;
    packets->memory[packet] = 0;
    packets->start[packet] = (uint16_t)nb_network_begin(
        network, is_begun ? &network->view : NULL, packet,
        network->terminal_router[packets->source[packet]]);
    network->flits_in += packets->flits[packet];
    nb_measure_birth(network, packet);
    network->engine->inject(network, packet);
}

static void network_bear(struct nb_network *network,
                         const struct nb_birth *birth)
{
    struct nb_packets *packets = &network->packets;
    const uint32_t packet = nb_packets_take(packets);
    if (packet == NB_NONE) {
        network->is_full = true;
        return;
    }
    packets->source[packet] = birth->source;
    packets->target[packet] = birth->target;
    packets->flits[packet] = (uint16_t)birth->flits;
    packets->message[packet] = NB_MESSAGE_REQUEST;
    network_start(network, packet);
}

void nb_network_deliver(struct nb_network *network, uint32_t packet,
                        uint64_t cycle)
{
    const uint64_t age = cycle - nb_packets_birth(&network->packets, packet);
    if (network->plan->age_limit > 0 && age > network->plan->age_limit &&
        network->late == NB_NONE) {
        network->late = packet;
        network->late_age = age;
    }
    network->flits_out += network->packets.flits[packet];
    nb_measure_arrival(network, packet, cycle);
    if (nb_replies_owe(network, packet)) {
        nb_replies_answer(network, packet, cycle);
        return;
    }
    /* no channel to take */
    if (network->replies.room > 0 && network->packets.hops[packet] == 0)
        nb_replies_leave(network, packet);
    nb_packets_give(&network->packets, packet);
}

/* [cycle] More than a packet spends in a router. */
enum { NETWORK_SETTLING = 1024 };

/* Interval at which the age of packets under way is checked. */
enum { NETWORK_AGE_CHECK = 256 };

static enum nb_status network_fail_age(const struct nb_network *network,
                                       uint32_t packet, uint64_t age,
                                       struct nb_error *err)
{
    const struct nb_packets *packets = &network->packets;
    return nb_fail(
        err, NB_INVALID,
        "a packet from router %u to router %u is under way for %ju cycles at "
        "cycle %ju (permitted: at most %ju)",
        network->terminal_router[packets->source[packet]],
        network->terminal_router[packets->target[packet]], (uintmax_t)age,
        (uintmax_t)network->cycle, (uintmax_t)network->plan->age_limit);
}

static enum nb_status network_check_age(const struct nb_network *network,
                                        struct nb_error *err)
{
    const uint64_t limit = network->plan->age_limit;
    const struct nb_packets *packets = &network->packets;
    if (limit == 0)
        return NB_OK;
    if (network->late != NB_NONE)
        return network_fail_age(network, network->late, network->late_age, err);
    for (uint32_t p = 0;
         p < packets->fresh && network->cycle % NETWORK_AGE_CHECK == 0; p++) {
        const uint64_t birth = nb_packets_birth(packets, p);
        const uint64_t age = network->cycle < birth ? 0 /* a reply will
                                                         * follow */
                                                    : network->cycle - birth;
        if (packets->flits[p] > 0 && age > limit)
            return network_fail_age(network, p, age, err);
    }
    return NB_OK;
}

/* Takes the plan's next step if its cycle has come. */
static enum nb_status network_step(struct nb_network *network,
                                   struct nb_error *err)
{
    const struct nb_simulation *plan = network->plan;
    const uint64_t start = network->measure.start;
    if (network->steps == plan->step_count || network->cycle < start ||
        network->cycle - start < plan->steps[network->steps].cycle)
        return NB_OK;
    return nb_sources_step(&network->sources, &plan->steps[network->steps++],
                           network->cycle, &network->random, err);
}

uint64_t nb_network_settling(const struct nb_network *network)
{
    const struct nb_router *router = &network->plan->router;
    double longest = 1; /* between two flits of a channel */
    for (size_t q = 0; q < network->queue_count; q++)
        longest = fmax(longest, 1 / nb_ratio_value(nb_network_bandwidth(
                                        network, (uint32_t)q)));
    return NETWORK_SETTLING + (uint64_t)ceil(longest) +
           4 * ((uint64_t)router->channel_latency + router->global_latency +
                router->pipeline);
}

void nb_network_skip(struct nb_network *network, uint64_t cycle)
{
    assert(network->packets.count == 0 && cycle >= network->cycle);
    nb_measure_idle(network, cycle - network->cycle);
    network->cycle = cycle;
}

enum nb_status nb_network_cycle(struct nb_network *network,
                                struct nb_error *err)
{
    const struct nb_routing_kind *kind = network->plan->routing->kind;
    const struct nb_birth *births;
    size_t count;
    enum nb_status status = NB_OK;
    NB_TRY(network_step(network, err));
    NB_TRY(nb_sources_draw(&network->sources, network->cycle, &network->random,
                           &births, &count, err));
    for (size_t b = 0; b < count; b++)
        network_bear(network, &births[b]);
    for (uint32_t p; (p = nb_replies_draw(network)) != NB_NONE;)
        network_start(network, p);
    NB_TRY(network->engine->move(network, err));
    nb_measure_cycle(network);
    if (kind->observe != NULL)
        kind->observe(network->plan->routing, &network->view, network->cycle);
    NB_TRY(network_check_age(network, err));
    network->cycle++;
#ifdef NB_DEBUG
    assert(network->flits_in - network->flits_out ==
           network->engine->count_flits(network));
#endif
done:
    return status;
}
