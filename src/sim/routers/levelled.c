#include "sim/routers/levelled.h"

#include "core/memory.h"
#include "routing/follow.h"

#include <assert.h>

static enum nb_status levelled_check_plan(const struct nb_network *network,
                                          struct nb_error *err)
{
    const struct nb_virtual *plan = &network->plan->virtual_router;
    const uint32_t longest = nb_most_flits(network->plan);
    if (plan->networks < 1 || plan->networks > NB_MOST_VIRTUAL_NETWORKS ||
        (plan->names > 0 && plan->names < plan->networks))
        return nb_fail(err, NB_INVALID,
                       "%u virtual networks with %llu names are not permitted "
                       "(permitted: 1 to %d, with at least that many names)",
                       plan->networks, (unsigned long long)plan->names,
                       NB_MOST_VIRTUAL_NETWORKS);
    if (network->plan->router.buffer < 1 && plan->sharing != NB_SHARE_CHANNELS)
        return nb_fail(err, NB_INVALID,
                       "queues of 0 packets (permitted: 1 and more)");
    if (longest > 1)
        return nb_fail(err, NB_INVALID,
                       "packets of %u flits on the virtual router (permitted: "
                       "1 flit)",
                       longest);
    if (network->plan->router.arbitration == NB_OLDEST_FIRST)
        return nb_fail(
            err, NB_INVALID,
            "arbitration by age on the virtual router, where the sharing mode "
            "decides (permitted: in turn)");
    if (network->routes.is_adaptive)
        return nb_fail(err, NB_INVALID,
                       "routing %s compares queues, which the virtual router "
                       "does not show (permitted: oblivious schemes such as "
                       "min)",
                       network->plan->routing->kind->kind.name);
    return NB_OK;
}

/* Terminals take what one channel delivers. */
static enum nb_status levelled_check_network(const struct nb_network *network,
                                             struct nb_error *err)
{
    const struct nb_topology *topology = network->topology;
    for (uint32_t q = 0; q < network->queue_count; q++) {
        const struct nb_ratio b = nb_network_bandwidth(network, q);
        if (nb_ratio_compare(b, nb_ratio_one) != 0)
            return nb_fail(err, NB_INVALID,
                           "a channel of bandwidth %g on the virtual router "
                           "(permitted: 1)",
                           nb_ratio_value(b));
    }
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t in = topology->in_start[r + 1] - topology->in_start[r];
        if (network->has_terminal_queues && topology->terminals[r] > 0 &&
            in > 1)
            return nb_fail(
                err, NB_INVALID,
                "virtual router: %u channels lead to router %u, whose "
                "terminals have channels of limited bandwidth (permitted: one "
                "channel, or terminals of unlimited bandwidth)",
                in, r);
    }
    return NB_OK;
}

static void levelled_release(struct nb_network *network)
{
    struct nb_levelled *levelled = network->state;
    if (levelled == NULL)
        return;
    nb_rounds_release(network);
    nb_levels_release(&levelled->levels);
    nb_pool_release(&levelled->pool);
    nb_delete(levelled);
    network->state = NULL;
}

struct nb_places nb_virtual_places(const struct nb_virtual *plan)
{
    switch (plan->sharing) {
    case NB_SHARE_ROUTER:
        return (struct nb_places){ .queues = NB_LOGICAL };
    case NB_SHARE_CHANNELS:
        return (struct nb_places){ .reserved = plan->networks, .queues = 1 };
    case NB_SHARE_SEPARATE:
        return (struct nb_places){ .queues = plan->networks };
    default:
        return (struct nb_places){ .queues = 1 };
    }
}

/* Queues are numbered by uint32_t, and zeroed arrays take memory only as they
 * fill. Errors: NB_NO_MEMORY. */
static enum nb_status levelled_require(const struct nb_network *network,
                                       const struct nb_levelled *levelled,
                                       struct nb_error *err)
{
    const double queues =
        (double)network->topology->channel_count * levelled->lanes;
    const double places = queues * levelled->room;
    if (queues >= UINT32_MAX)
        return nb_fail(err, NB_NO_MEMORY,
                       "%.0f queues of virtual networks (permitted: below %u)",
                       queues, UINT32_MAX);
    return nb_memory_require((places + 2 * queues) * sizeof(uint32_t),
                             "queues of virtual networks", err);
}

static enum nb_status levelled_init(struct nb_network *network,
                                    struct nb_error *err)
{
    const size_t channels = network->topology->channel_count;
    const char *what = "queues of virtual networks";
    struct nb_levelled *levelled;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&network->state, 1, sizeof *levelled, what, err));
    levelled = network->state;
    levelled->plan = &network->plan->virtual_router;
    levelled->astray = NB_NONE;
    NB_TRY(nb_levels_find(network->topology, &levelled->levels, err));
    NB_TRY(levelled_check_plan(network, err));
    NB_TRY(levelled_check_network(network, err));
    const struct nb_places places = nb_virtual_places(levelled->plan);
    /* Rounds number queues by logical network, though slices use only one. */
    levelled->lanes =
        nb_levelled_has_rounds(levelled) ? NB_LOGICAL : places.queues;
    levelled->room = network->plan->router.buffer + places.reserved;
    NB_TRY(levelled_require(network, levelled, err));
    const size_t queues = channels * levelled->lanes;
    struct nb_pool *pool = &levelled->pool;
    levelled->standing = nb_pool_array(pool, queues * levelled->room,
                                       sizeof *levelled->standing);
    levelled->count = nb_pool_array(pool, queues, sizeof *levelled->count);
    levelled->held = nb_pool_array(pool, queues, sizeof *levelled->held);
    levelled->freed =
        nb_pool_array(pool, channels * NB_LOGICAL, sizeof *levelled->freed);
    levelled->freed_of =
        nb_pool_array(pool, channels * NB_LOGICAL, sizeof *levelled->freed_of);
    levelled->wanted =
        nb_pool_array(pool, network->queue_count, sizeof *levelled->wanted);
    NB_TRY(nb_pool_check(pool, what, err));
    NB_TRY(nb_levelled_has_rounds(levelled) ? nb_rounds_init(network, err)
                                            : nb_in_turn_init(network, err));
done:
    return status;
}

uint32_t nb_levelled_route(struct nb_network *network, uint32_t packet,
                           uint32_t router)
{
    struct nb_packets *packets = &network->packets;
    const nb_route_state state = packets->state[packet];
    const uint32_t destination =
        network->terminal_router[packets->target[packet]];
    const struct nb_routes_hop *list;
    const size_t count =
        nb_routes_list(&network->routes, state, router, destination, &list);
    assert(count > 0); /* it does not leave this router */
    const size_t i = nb_routes_draw(list, count, &network->random);
    const uint32_t channel = list[i].channel;
    const uint32_t to = network->topology->channels[channel].target;
    struct nb_levelled *levelled = network->state;
    if (to != destination && levelled->levels.level[to] == 0)
        levelled->astray = packet;
    packets->state[packet] =
        nb_routes_next(&network->routes, state, router, destination, &list[i]);
    return channel;
}

void nb_levelled_put(struct nb_network *network, uint32_t queue,
                     uint32_t standing)
{
    const struct nb_levelled *levelled = network->state;
    assert(levelled->held[queue] < levelled->room);
    assert(levelled->count[queue] <= levelled->held[queue]);
    levelled
        ->standing[(size_t)queue * levelled->room + levelled->count[queue]++] =
        standing;
    levelled->held[queue]++;
    nb_measure_queue(network, levelled->count[queue]);
}

uint32_t nb_levelled_take(struct nb_levelled *levelled, uint32_t queue,
                          uint32_t place, uint32_t virtual_network)
{
    uint32_t *standing = levelled->standing + (size_t)queue * levelled->room;
    const uint32_t taken = standing[place];
    for (uint32_t i = place + 1; i < levelled->count[queue]; i++)
        standing[i - 1] = standing[i];
    levelled->count[queue]--;
    levelled->freed[levelled->freed_count] = queue;
    levelled->freed_of[levelled->freed_count++] = virtual_network;
    return taken;
}

void nb_levelled_settle(struct nb_levelled *levelled)
{
    for (size_t i = 0; i < levelled->freed_count; i++)
        levelled->held[levelled->freed[i]]--;
    levelled->freed_count = 0;
}

void nb_levelled_deliver(struct nb_network *network, uint32_t packet)
{
    uint64_t cycle = network->cycle + 1;
    if (network->has_terminal_queues) {
        network->packets.hops[packet]++;
        network->measure.sent[nb_network_terminal_queue(network, packet)]++;
        cycle++;
    }
    nb_network_deliver(network, packet, cycle);
}

/* A packet to the sending terminal never leaves its router; what a terminal
 * refuses waits there forever. */
static void levelled_keep(struct nb_network *network, uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    struct nb_levelled *levelled = network->state;
    if (nb_levelled_refuses(levelled, nb_levelled_network(network, packet))) {
        levelled->waiting++;
        nb_measure_wait(network, packet);
        return;
    }
    packets->hops[packet] = network->has_terminal_queues ? 1 : 0;
    nb_network_deliver(network, packet, network->cycle + packets->hops[packet]);
}

static void levelled_inject(struct nb_network *network, uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    struct nb_levelled *levelled = network->state;
    const uint32_t source = network->terminal_router[packets->source[packet]];
    packets->memory[packet] =
        (uint32_t)nb_random_below(&network->random, levelled->plan->networks);
    if (!nb_follow_moves(network->plan->routing, source,
                         network->terminal_router[packets->target[packet]])) {
        levelled_keep(network, packet);
        return;
    }
    levelled->waiting++;
    nb_measure_wait(network, packet);
    if (nb_levelled_has_rounds(levelled))
        nb_rounds_inject(network, packet);
    else
        nb_in_turn_inject(network, packet);
}

/* Whether a packet has a route over the router of another terminal, where the
 * levels would start again. */
static enum nb_status levelled_check_routes(const struct nb_network *network,
                                            struct nb_error *err)
{
    const struct nb_levelled *levelled = network->state;
    const struct nb_packets *packets = &network->packets;
    const uint32_t packet = levelled->astray;
    if (packet == NB_NONE)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "routing %s leads a packet from router %u to router %u over "
                   "another terminal's router (permitted: on the virtual "
                   "router, schemes that go through the levels once, such as "
                   "min on a butterfly)",
                   network->plan->routing->kind->kind.name,
                   network->terminal_router[packets->source[packet]],
                   network->terminal_router[packets->target[packet]]);
}

static enum nb_status levelled_move(struct nb_network *network,
                                    struct nb_error *err)
{
    const struct nb_levelled *levelled = network->state;
    enum nb_status status = NB_OK;
    if (network->measure.class_count > 0)
        nb_measure_depths(network, levelled->wanted);
    if (nb_levelled_has_rounds(levelled))
        NB_TRY(nb_rounds_move(network, err));
    else
        nb_in_turn_move(network);
    status = levelled_check_routes(network, err);
done:
    return status;
}

static uint32_t levelled_queue(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct nb_levelled *levelled = network->state;
    return levelled->wanted[channel];
}

static uint64_t levelled_count_flits(const struct nb_network *network)
{
    const struct nb_levelled *levelled = network->state;
    const size_t queues = network->topology->channel_count * levelled->lanes;
    uint64_t count = levelled->waiting;
    for (size_t q = 0; q < queues; q++)
        count += levelled->count[q];
    return count;
}

const struct nb_engine nb_engine_levelled = {
    .init = levelled_init,
    .release = levelled_release,
    .inject = levelled_inject,
    .move = levelled_move,
    .queue = levelled_queue,
    .count_flits = levelled_count_flits,
};
