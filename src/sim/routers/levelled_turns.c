/*
 * In turn: virtual networks share each wire cycle by cycle, without rounds and
 * without dropping. A router takes any packets of its queues, whose places have
 * no order. Of the packets that may use a channel it takes one of the network
 * whose turn it is, or of the next one after that which can go; if there are
 * several, the oldest.
 *
 *     cycles    turns by the clock; queues are of all networks together
 *     channels  turns go on from the last one served; at each input a place is
 *               reserved for each network, others are for all
 *     separate  a cycle belongs to one network, nobody else may use it; queues
 *               are of one network each
 *
 * What no terminal takes stays where it is. Source: [Randall1994, sections 2.1
 * and 2.2].
 */
#include "sim/routers/levelled.h"

#include "core/memory.h"

#include <assert.h>

enum { TURNS_BITS = 64 };

static size_t turns_most_outputs(const struct nb_topology *topology)
{
    size_t most = 1;
    for (size_t r = 0; r < topology->router_count; r++) {
        const size_t count =
            topology->out_start[r + 1] - topology->out_start[r];
        if (count > most)
            most = count;
    }
    return most;
}

enum nb_status nb_in_turn_init(struct nb_network *network, struct nb_error *err)
{
    const struct nb_topology *topology = network->topology;
    struct nb_levelled *levelled = network->state;
    struct nb_in_turn *turns = &levelled->turns;
    struct nb_pool *pool = &levelled->pool;
    const size_t networks = levelled->plan->networks;
    const size_t routers = topology->router_count;
    const size_t channels = topology->channel_count;
    const size_t shares =
        levelled->plan->sharing == NB_SHARE_CHANNELS ? channels * networks : 0;
    enum nb_status status = NB_OK;
    turns->words = (networks + TURNS_BITS - 1) / TURNS_BITS;
    turns->head = nb_pool_array(pool, routers * networks, sizeof *turns->head);
    turns->tail = nb_pool_array(pool, routers * networks, sizeof *turns->tail);
    turns->is_waiting =
        nb_pool_array(pool, routers * turns->words, sizeof *turns->is_waiting);
    turns->next = nb_pool_array(pool, channels, sizeof *turns->next);
    turns->share = nb_pool_array(pool, shares, sizeof *turns->share);
    turns->pool = nb_pool_array(pool, channels, sizeof *turns->pool);
    turns->best =
        nb_pool_array(pool, turns_most_outputs(topology), sizeof *turns->best);
    NB_TRY(nb_pool_check(pool, "turns", err));
done:
    return status;
}

void nb_in_turn_inject(struct nb_network *network, uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    struct nb_levelled *levelled = network->state;
    struct nb_in_turn *turns = &levelled->turns;
    const uint32_t router = network->terminal_router[packets->source[packet]];
    const uint32_t v = nb_levelled_network(network, packet);
    const size_t list = (size_t)router * levelled->plan->networks + v;
    uint64_t *word = &turns->is_waiting[router * turns->words + v / TURNS_BITS];
    const uint64_t bit = UINT64_C(1) << v % TURNS_BITS;
    packets->child[packet] = nb_levelled_route(network, packet, router);
    packets->next[packet] = NB_NONE;
    if ((*word & bit) == 0)
        turns->head[list] = packet;
    else
        packets->next[turns->tail[list]] = packet;
    turns->tail[list] = packet;
    *word |= bit;
}

/* The network whose turn it is on a channel. */
static uint32_t turns_first(const struct nb_network *network,
                            const struct nb_levelled *levelled,
                            uint32_t channel)
{
    return levelled->plan->sharing == NB_SHARE_CHANNELS
               ? levelled->turns.next[channel]
               : (uint32_t)(network->cycle % levelled->plan->networks);
}

/* The queue behind a channel that a network's packets stand in. */
static uint32_t turns_queue(const struct nb_levelled *levelled,
                            uint32_t channel, uint32_t v)
{
    return channel * levelled->lanes + (levelled->lanes > 1 ? v : 0);
}

/* Whether a network's packet may use a channel now. */
static bool turns_may(const struct nb_network *network,
                      const struct nb_levelled *levelled, uint32_t channel,
                      uint32_t v)
{
    const struct nb_in_turn *turns = &levelled->turns;
    const uint32_t networks = levelled->plan->networks;
    const uint32_t pool = network->plan->router.buffer;
    if (nb_levelled_is_last(network, levelled, channel))
        return !nb_levelled_refuses(levelled, v);
    if (levelled->plan->sharing == NB_SHARE_CHANNELS)
        return turns->share[(size_t)channel * networks + v] == 0 ||
               turns->pool[channel] < pool;
    return levelled->held[turns_queue(levelled, channel, v)] < pool;
}

/* The rank of a network in the order of turns. */
static uint32_t turns_behind(const struct nb_levelled *levelled, uint32_t v,
                             uint32_t first)
{
    return v >= first ? v - first : v + levelled->plan->networks - first;
}

/* Proposes the packets of a queue for the best of their outputs. */
static void turns_look(struct nb_network *network, struct nb_levelled *levelled,
                       uint32_t router, uint32_t queue)
{
    const struct nb_packets *packets = &network->packets;
    const uint32_t *standing =
        levelled->standing + (size_t)queue * levelled->room;
    for (uint32_t i = 0; i < levelled->count[queue]; i++) {
        const uint32_t packet = standing[i], channel = packets->child[packet];
        const uint32_t v = nb_levelled_network(network, packet);
        struct nb_hold *best =
            &levelled->turns
                 .best[channel - network->topology->out_start[router]];
        const uint64_t rank =
            turns_behind(levelled, v, turns_first(network, levelled, channel));
        if (best->packet != NB_NONE &&
            (rank > best->rank ||
             (rank == best->rank &&
              packets->age[packet] > packets->age[best->packet])))
            continue;
        if (turns_may(network, levelled, channel, v))
            *best = (struct nb_hold){ rank, packet, queue, i };
    }
}

/* The first network, from one on, with packets waiting at a router; NB_NONE:
 * none. */
static uint32_t turns_next_waiting(const struct nb_in_turn *turns,
                                   uint32_t router, size_t from)
{
    const uint64_t *words = turns->is_waiting + router * turns->words;
    for (size_t w = from / TURNS_BITS; w < turns->words; w++) {
        const uint64_t bits = w == from / TURNS_BITS
                                  ? words[w] >> from % TURNS_BITS
                                                    << from % TURNS_BITS
                                  : words[w];
        if (bits != 0)
            return (uint32_t)(w * TURNS_BITS + (size_t)__builtin_ctzll(bits));
    }
    return NB_NONE;
}

/* The first network after the one whose turn it is whose longest-waiting packet
 * may use a channel. */
static struct nb_hold turns_find_waiting(const struct nb_network *network,
                                         const struct nb_levelled *levelled,
                                         uint32_t router, uint32_t channel)
{
    const struct nb_in_turn *turns = &levelled->turns;
    const uint32_t networks = levelled->plan->networks;
    const uint32_t first = turns_first(network, levelled, channel);
    const bool is_bound = levelled->plan->sharing == NB_SHARE_SEPARATE;
    const uint32_t ends[] = { is_bound ? first + 1 : networks,
                              is_bound ? 0 : first };
    for (int part = 0; part < 2; part++)
        for (uint32_t v = part == 0 ? first : 0;
             (v = turns_next_waiting(turns, router, v)) < ends[part]; v++) {
            const uint32_t packet = turns->head[(size_t)router * networks + v];
            if (network->packets.child[packet] == channel &&
                turns_may(network, levelled, channel, v))
                return (struct nb_hold){ 0, packet, NB_NONE, 0 };
        }
    return (struct nb_hold){ .packet = NB_NONE };
}

/* A packet leaves its source. */
static void turns_leave_source(struct nb_network *network, uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    struct nb_levelled *levelled = network->state;
    struct nb_in_turn *turns = &levelled->turns;
    const uint32_t router = network->terminal_router[packets->source[packet]];
    const uint32_t v = nb_levelled_network(network, packet);
    const size_t list = (size_t)router * levelled->plan->networks + v;
    turns->head[list] = packets->next[packet];
    if (turns->head[list] == NB_NONE)
        turns->is_waiting[router * turns->words + v / TURNS_BITS] &=
            ~(UINT64_C(1) << v % TURNS_BITS);
    levelled->waiting--;
    nb_measure_leave(network, packet);
}

/* A packet takes a reserved place behind a channel, or else one of the pool. */
static void turns_reserve(struct nb_levelled *levelled, uint32_t channel,
                          uint32_t v)
{
    struct nb_in_turn *turns = &levelled->turns;
    if (levelled->plan->sharing == NB_SHARE_CHANNELS &&
        turns->share[(size_t)channel * levelled->plan->networks + v]++ > 0)
        turns->pool[channel]++;
}

static void turns_send(struct nb_network *network, uint32_t channel,
                       const struct nb_hold *hold)
{
    struct nb_packets *packets = &network->packets;
    struct nb_levelled *levelled = network->state;
    const uint32_t packet = hold->packet;
    const uint32_t v = nb_levelled_network(network, packet);
    if (hold->queue == NB_NONE) {
        turns_leave_source(network, packet);
    } else {
        nb_levelled_take(levelled, hold->queue, hold->place, v);
        levelled->wanted[channel]--;
    }
    packets->hops[packet]++;
    network->measure.sent[channel]++;
    levelled->turns.next[channel] = (v + 1) % levelled->plan->networks;
    if (nb_levelled_is_last(network, levelled, channel)) {
        nb_levelled_deliver(network, packet);
        return;
    }
    const uint32_t to = network->topology->channels[channel].target;
    packets->child[packet] = nb_levelled_route(network, packet, to);
    levelled->wanted[packets->child[packet]]++;
    turns_reserve(levelled, channel, v);
    nb_levelled_put(network, turns_queue(levelled, channel, v), packet);
}

/* Chooses what each channel out of a router carries in this cycle. */
static void turns_find(struct nb_network *network, uint32_t router)
{
    const struct nb_topology *topology = network->topology;
    struct nb_levelled *levelled = network->state;
    struct nb_in_turn *turns = &levelled->turns;
    const uint32_t *start = &topology->out_start[router];
    const uint32_t v = (uint32_t)(network->cycle % levelled->plan->networks);
    for (uint32_t c = start[0]; c < start[1]; c++)
        turns->best[c - start[0]] =
            topology->terminals[router] > 0
                ? turns_find_waiting(network, levelled, router, c)
                : (struct nb_hold){ .packet = NB_NONE };
    if (topology->terminals[router] > 0)
        return;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++)
        turns_look(network, levelled, router,
                   turns_queue(levelled, topology->in_channel[i], v));
}

static void turns_router(struct nb_network *network, uint32_t router)
{
    struct nb_levelled *levelled = network->state;
    struct nb_hold *best = levelled->turns.best;
    const uint32_t *start = &network->topology->out_start[router];
    turns_find(network, router);
    for (uint32_t c = start[0]; c < start[1]; c++) {
        const struct nb_hold hold = best[c - start[0]];
        if (hold.packet == NB_NONE)
            continue;
        /* The packets before it in its queue may have left. */
        for (uint32_t other = start[0]; other < start[1]; other++)
            if (best[other - start[0]].packet != NB_NONE &&
                best[other - start[0]].queue == hold.queue &&
                best[other - start[0]].place > hold.place)
                best[other - start[0]].place--;
        turns_send(network, c, &hold);
    }
}

/* Places that were left are free from now on. */
static void turns_settle(struct nb_levelled *levelled)
{
    struct nb_in_turn *turns = &levelled->turns;
    for (size_t i = 0; i < levelled->freed_count &&
                       levelled->plan->sharing == NB_SHARE_CHANNELS;
         i++) {
        const uint32_t channel = levelled->freed[i];
        if (--turns->share[(size_t)channel * levelled->plan->networks +
                           levelled->freed_of[i]] > 0)
            turns->pool[channel]--;
    }
    nb_levelled_settle(levelled);
}

/* The last level first, so that nothing moves twice. */
void nb_in_turn_move(struct nb_network *network)
{
    struct nb_levelled *levelled = network->state;
    const struct nb_levels *levels = &levelled->levels;
    for (uint32_t i = 0; i < levels->start[levels->depth + 1]; i++)
        turns_router(network, levels->order[i]);
    turns_settle(levelled);
}
