/*
 * The ideal router: every channel has an unbounded queue at its source, and a
 * packet's head moves in every cycle in which a channel is free for it. Source:
 * [Singh2005, section 3.3.1].
 */
#include "sim/network.h"

#include "core/memory.h"
#include "sim/heap.h"

/* Owns its arrays, [queue] each except where noted. */
struct ideal {
    bool is_by_age;
    bool is_waiting;    /* schemes see only the packets that wait */
    uint32_t *head;     /* of the queue or heap; NB_NONE: empty */
    uint32_t *tail;     /* of the queue */
    uint32_t *length;   /* [flit] */
    uint16_t *body;     /* flits of the packet being sent still to send */
    uint64_t *active;   /* a bit each: there is something to send */
    size_t words;       /* words of active */
    uint32_t *moved;    /* [queue_count] packets that go on in this cycle .. */
    uint32_t *moved_by; /* .. and the queue that they leave */
    size_t moved_count;
    uint32_t *arrived; /* [router] the oldest that moves to it, then linked;
                        * NULL: not adaptive */
    /* [router] NB_SLOT_RANDOM: packets that join its queues in the next cycle,
     * linked in random order, and their number; otherwise NULL */
    uint32_t *joining, *joining_count;
    /* Channels of other bandwidths than 1 have tokens: a flit takes flit[q], a
     * cycle adds gain[q]; NULL: no such channels. */
    uint64_t *tokens, *gain, *flit;
    struct nb_pool pool;
};

/* Tokens that an idle channel saves up: only enough to send at once. */
static void ideal_rest(struct ideal *ideal, size_t queue)
{
    const uint64_t gain = ideal->gain[queue], flit = ideal->flit[queue];
    const uint64_t most = flit > gain ? flit - gain : 0;
    if (ideal->tokens[queue] > most)
        ideal->tokens[queue] = most;
}

static enum nb_status ideal_init_tokens(const struct nb_network *network,
                                        struct ideal *ideal,
                                        struct nb_error *err)
{
    const size_t count = network->queue_count;
    bool is_plain = true;
    enum nb_status status = NB_OK;
    for (size_t q = 0; q < count; q++)
        is_plain = is_plain &&
                   nb_ratio_compare(nb_network_bandwidth(network, (uint32_t)q),
                                    nb_ratio_one) == 0;
    if (is_plain)
        return NB_OK;
    if (nb_most_flits(network->plan) > 1)
        return nb_fail(
            err, NB_INVALID,
            "packets of %u flits are not permitted over channels of bandwidths "
            "other than 1 (permitted: packets of 1 flit, or the credit router)",
            nb_most_flits(network->plan));
    ideal->tokens = nb_pool_array(&ideal->pool, count, sizeof *ideal->tokens);
    ideal->gain = nb_pool_array(&ideal->pool, count, sizeof *ideal->gain);
    ideal->flit = nb_pool_array(&ideal->pool, count, sizeof *ideal->flit);
    NB_TRY(nb_pool_check(&ideal->pool, "channels", err));
    for (size_t q = 0; q < count; q++) {
        const struct nb_ratio b = nb_network_bandwidth(network, (uint32_t)q);
        ideal->gain[q] = (uint64_t)b.numerator;
        ideal->flit[q] = (uint64_t)b.denominator;
        ideal->tokens[q] = UINT64_MAX;
        ideal_rest(ideal, q);
    }
done:
    return status;
}

static void ideal_release(struct nb_network *network)
{
    struct ideal *ideal = network->state;
    if (ideal == NULL)
        return;
    nb_pool_release(&ideal->pool);
    nb_delete(ideal);
    network->state = NULL;
}

/* Lists of the packets that come to each router. */
static enum nb_status ideal_init_lists(const struct nb_network *network,
                                       struct ideal *ideal,
                                       struct nb_error *err)
{
    const size_t count = network->topology->router_count;
    const bool is_random = network->plan->router.slot_order == NB_SLOT_RANDOM;
    struct nb_pool *pool = &ideal->pool;
    enum nb_status status = NB_OK;
    if (!network->routes.is_adaptive && !is_random)
        return NB_OK;
    uint32_t *first = nb_pool_array(pool, count, sizeof *first);
    if (is_random)
        ideal->joining_count =
            nb_pool_array(pool, count, sizeof *ideal->joining_count);
    NB_TRY(nb_pool_check(pool, "queues", err));
    for (size_t r = 0; r < count; r++)
        first[r] = NB_NONE;
    *(is_random ? &ideal->joining : &ideal->arrived) = first;
done:
    return status;
}

static enum nb_status ideal_init(struct nb_network *network,
                                 struct nb_error *err)
{
    const size_t count = network->queue_count;
    const char *what = "queues";
    enum nb_status status = NB_OK;
    struct ideal *ideal;
    NB_TRY(nb_new(&network->state, 1, sizeof *ideal, what, err));
    ideal = network->state;
    ideal->is_by_age = network->plan->router.arbitration == NB_OLDEST_FIRST;
    ideal->is_waiting =
        network->plan->router.congestion == NB_CONGESTION_WAITING;
    ideal->words = (count + 63) / 64;
    /* A channel of bandwidth b sends at most ceil(b) packets per cycle. */
    size_t most = 0;
    for (size_t q = 0; q < count; q++) {
        const struct nb_ratio b = nb_network_bandwidth(network, (uint32_t)q);
        most += (size_t)(b.numerator / b.denominator) + 1;
    }
    struct nb_pool *pool = &ideal->pool;
    ideal->head = nb_pool_array(pool, count, sizeof *ideal->head);
    ideal->tail = nb_pool_array(pool, count, sizeof *ideal->tail);
    ideal->length = nb_pool_array(pool, count, sizeof *ideal->length);
    ideal->body = nb_pool_array(pool, count, sizeof *ideal->body);
    ideal->active = nb_pool_array(pool, ideal->words, sizeof *ideal->active);
    ideal->moved = nb_pool_array(pool, most, sizeof *ideal->moved);
    ideal->moved_by = nb_pool_array(pool, most, sizeof *ideal->moved_by);
    NB_TRY(nb_pool_check(pool, what, err));
    for (size_t q = 0; q < count; q++)
        ideal->head[q] = NB_NONE;
    NB_TRY(ideal_init_tokens(network, ideal, err));
    NB_TRY(ideal_init_lists(network, ideal, err));
done:
    return status;
}

static inline void ideal_push(const struct nb_packets *packets,
                              const struct ideal *ideal, uint32_t queue,
                              uint32_t packet)
{
    if (ideal->is_by_age) {
        ideal->head[queue] = nb_heap_push(packets, ideal->head[queue], packet);
    } else {
        packets->next[packet] = NB_NONE;
        if (ideal->head[queue] == NB_NONE)
            ideal->head[queue] = packet;
        else
            packets->next[ideal->tail[queue]] = packet;
        ideal->tail[queue] = packet;
    }
    ideal->length[queue] += packets->flits[packet];
    ideal->active[queue / 64] |= (uint64_t)1 << queue % 64;
}

static inline uint32_t ideal_pop(const struct nb_packets *packets,
                                 const struct ideal *ideal, uint32_t queue)
{
    const uint32_t packet = ideal->head[queue];
    ideal->head[queue] =
        ideal->is_by_age ? nb_heap_pop(packets, packet) : packets->next[packet];
    return packet;
}

/* [flit] of the packets of a queue that its channel does not send in this
 * cycle: without the one whose flits it sends. */
__attribute__((noinline, cold)) static uint32_t
ideal_count_waiting(const struct nb_packets *packets, const struct ideal *ideal,
                    uint32_t queue)
{
    const uint32_t length = ideal->length[queue];
    if (length == 0)
        return 0;
    if (ideal->tokens != NULL) { /* packets of one flit */
        const uint64_t sent =
            (ideal->tokens[queue] + ideal->gain[queue]) / ideal->flit[queue];
        return length > sent ? length - (uint32_t)sent : 0;
    }
    return length - (ideal->body[queue] > 0
                         ? ideal->body[queue]
                         : packets->flits[ideal->head[queue]]);
}

/* The queue that an adaptive scheme compares. */
static inline uint32_t ideal_see(const struct nb_packets *packets,
                                 const struct ideal *ideal, uint32_t queue)
{
    return ideal->is_waiting ? ideal_count_waiting(packets, ideal, queue)
                             : ideal->length[queue];
}

/* The hop with the shortest queue; ties evenly. Inlined, like ideal_place: both
 * take much of the time. */
__attribute__((always_inline)) static inline size_t
ideal_choose(struct nb_network *network, const struct nb_packets *packets,
             const struct ideal *ideal, const struct nb_routes_hop *list,
             size_t count)
{
    size_t best = 0;
    uint64_t ties = 1;
    for (size_t i = 1; i < count; i++) {
        const uint32_t length = ideal_see(packets, ideal, list[i].channel);
        const uint32_t least = ideal_see(packets, ideal, list[best].channel);
        if (length < least) {
            best = i;
            ties = 1;
        } else if (length == least &&
                   nb_random_below(&network->random, ++ties) == 0) {
            best = i;
        }
    }
    return best;
}

/* A packet is at its last router, whose terminal takes it. */
static inline void ideal_end(struct nb_network *network,
                             const struct nb_packets *packets,
                             const struct ideal *ideal, uint32_t packet,
                             uint64_t cycle)
{
    if (network->has_terminal_queues)
        ideal_push(packets, ideal, nb_network_terminal_queue(network, packet),
                   packet);
    else
        nb_network_deliver(network, packet, cycle);
}

/* Puts a packet at a router into its next queue, which may be its terminal's;
 * false if it has nowhere to go. */
__attribute__((always_inline)) static inline bool
ideal_place(struct nb_network *network, const struct nb_packets *packets,
            const struct ideal *ideal, uint32_t packet, uint32_t router)
{
    const struct nb_routes_hop *list;
    const nb_route_state state = packets->state[packet];
    const uint32_t destination =
        network->terminal_router[packets->target[packet]];
    const size_t count =
        nb_routes_list(&network->routes, state, router, destination, &list);
    if (count == 0) {
        if (!nb_replies_take(network, packet))
            return true;
        if (!network->has_terminal_queues)
            return false;
        ideal_push(packets, ideal, nb_network_terminal_queue(network, packet),
                   packet);
        return true;
    }
    const size_t i = network->routes.is_adaptive
                         ? ideal_choose(network, packets, ideal, list, count)
                         : nb_routes_draw(list, count, &network->random);
    packets->state[packet] =
        nb_routes_next(&network->routes, state, router, destination, &list[i]);
    ideal_push(packets, ideal, list[i].channel, packet);
    return true;
}

/* Where hosts stand for terminals, a packet to its own host takes the channel
 * to the terminal, as where terminals are at routers. It counts as no hop. */
static bool ideal_turn(struct nb_network *network, uint32_t packet,
                       uint32_t router)
{
    const struct nb_topology *topology = network->topology;
    struct nb_packets *packets = &network->packets;
    if (topology->first_host == 0 ||
        router != network->terminal_router[packets->target[packet]])
        return false;
    packets->hops[packet]--; /* until it arrives */
    ideal_push(packets, network->state,
               topology->in_channel[topology->in_start[router]], packet);
    return true;
}

static void ideal_inject(struct nb_network *network, uint32_t packet)
{
    const struct nb_packets *packets = &network->packets;
    const struct nb_routing *routing = network->plan->routing;
    const uint32_t router = network->terminal_router[packets->source[packet]];
    if (routing->kind->left != NULL)
        routing->kind->left(routing, &network->view, router,
                            network->terminal_router[packets->target[packet]],
                            network->cycle);
    if (!ideal_turn(network, packet, router) &&
        !ideal_place(network, packets, network->state, packet, router))
        nb_network_deliver(network, packet, network->cycle);
}

/* Sends one flit of a non-empty queue; sent: of all queues. */
static inline void ideal_send(const struct nb_packets *packets,
                              struct ideal *ideal, uint64_t *sent,
                              uint32_t queue)
{
    sent[queue]++;
    if (ideal->body[queue] > 0) {
        ideal->body[queue]--;
    } else {
        const uint32_t packet = ideal_pop(packets, ideal, queue);
        ideal->body[queue] = (uint16_t)(packets->flits[packet] - 1);
        packets->hops[packet]++;
        ideal->moved[ideal->moved_count] = packet;
        ideal->moved_by[ideal->moved_count++] = queue;
    }
    if (--ideal->length[queue] == 0)
        ideal->active[queue / 64] &= ~((uint64_t)1 << queue % 64);
}

/* Gives every channel its tokens. */
static void ideal_gain(struct ideal *ideal, size_t count)
{
    for (size_t q = 0; q < count; q++) {
        ideal->tokens[q] += ideal->gain[q];
        if (ideal->length[q] == 0)
            ideal_rest(ideal, q);
    }
}

/* Sends the flits that the tokens allow. */
static void ideal_send_tokens(const struct nb_packets *packets,
                              struct ideal *ideal, uint64_t *sent,
                              uint32_t queue)
{
    while (ideal->tokens[queue] >= ideal->flit[queue] &&
           ideal->length[queue] > 0) {
        ideal->tokens[queue] -= ideal->flit[queue];
        ideal_send(packets, ideal, sent, queue);
    }
    if (ideal->length[queue] == 0)
        ideal_rest(ideal, queue);
}

/* Sends from all queues: sets moved. Works on local copies of the array
 * pointers, which no write to an array can change. */
static void ideal_send_all(struct nb_network *network)
{
    const struct nb_packets packets = network->packets;
    struct ideal ideal = *(struct ideal *)network->state;
    uint64_t *sent = network->measure.sent;
    ideal.moved_count = 0;
    if (ideal.tokens != NULL)
        ideal_gain(&ideal, network->queue_count);
    for (size_t w = 0; w < ideal.words; w++)
        for (uint64_t bits = ideal.active[w]; bits != 0; bits &= bits - 1) {
            const uint32_t queue =
                (uint32_t)(64 * w + (size_t)__builtin_ctzll(bits));
            if (ideal.tokens == NULL)
                ideal_send(&packets, &ideal, sent, queue);
            else
                ideal_send_tokens(&packets, &ideal, sent, queue);
        }
    ((struct ideal *)network->state)->moved_count = ideal.moved_count;
}

/* Packets that come to a router together choose by what is in its queues,
 * including those that chose before them: the oldest first. The order of the
 * queues they come from would prefer some of the channels that symmetry makes
 * equivalent. */
static void ideal_meet(const struct nb_packets *packets,
                       const struct ideal *ideal,
                       const struct nb_topology *topology)
{
    for (size_t m = 0; m < ideal->moved_count; m++) {
        const uint32_t queue = ideal->moved_by[m];
        if (queue >= topology->channel_count)
            continue;
        const uint32_t packet = ideal->moved[m];
        uint32_t *at = &ideal->arrived[topology->channels[queue].target];
        while (*at != NB_NONE && packets->age[*at] < packets->age[packet])
            at = &packets->next[*at];
        packets->next[packet] = *at;
        *at = packet;
    }
}

/* Whether a packet has come to its last router. */
__attribute__((noinline, cold)) static bool
ideal_has_arrived(struct nb_network *network, uint32_t packet, uint32_t router)
{
    const struct nb_packets *packets = &network->packets;
    const struct nb_routes_hop *unused;
    return nb_routes_list(&network->routes, packets->state[packet], router,
                          network->terminal_router[packets->target[packet]],
                          &unused) == 0;
}

/* NB_SLOT_RANDOM: puts a packet among those that join the queues of a router in
 * the next cycle, at a random place. */
__attribute__((noinline, cold)) static void
ideal_join(struct nb_network *network, uint32_t packet, uint32_t router)
{
    const struct ideal *ideal = network->state;
    uint32_t *next = network->packets.next;
    uint32_t *at = &ideal->joining[router];
    for (uint64_t before =
             nb_random_below(&network->random, ++ideal->joining_count[router]);
         before > 0; before--)
        at = &next[*at];
    next[packet] = *at;
    *at = packet;
}

/* NB_SLOT_RANDOM: a new packet, which chooses its start in its turn. */
static void ideal_inject_random(struct nb_network *network, uint32_t packet)
{
    const uint32_t router =
        network->terminal_router[network->packets.source[packet]];
    if (ideal_has_arrived(network, packet, router))
        ideal_inject(network, packet);
    else
        ideal_join(network, packet, router);
}

/* NB_SLOT_RANDOM: a packet joins a queue of a router. */
__attribute__((noinline, cold)) static void
ideal_enter(struct nb_network *network, uint32_t packet, uint32_t router)
{
    struct nb_packets *packets = &network->packets;
    if (packets->hops[packet] == 0) { /* it is new */
        if (network->plan->routing->kind->cost != NULL)
            packets->start[packet] = (uint16_t)nb_network_begin(
                network, &network->view, packet, router);
        ideal_inject(network, packet);
        return;
    }
    nb_network_turn(network, packet, router);
    ideal_place(network, packets, network->state, packet, router);
}

__attribute__((noinline, cold)) static void
ideal_enter_all(struct nb_network *network)
{
    const struct ideal *ideal = network->state;
    for (uint32_t r = 0; r < network->topology->router_count; r++) {
        uint32_t packet = ideal->joining[r];
        ideal->joining[r] = NB_NONE;
        ideal->joining_count[r] = 0;
        while (packet != NB_NONE) {
            const uint32_t next = network->packets.next[packet];
            ideal_enter(network, packet, r);
            packet = next;
        }
    }
}

static enum nb_status ideal_move(struct nb_network *network,
                                 struct nb_error *err)
{
    (void)err;
    const struct nb_packets packets = network->packets;
    const struct nb_channel *channels = network->topology->channels;
    const size_t channel_count = network->topology->channel_count;
    const bool has_replies = network->replies.room > 0;
    if (network->plan->router.slot_order == NB_SLOT_RANDOM)
        ideal_enter_all(network);
    if (network->measure.class_count > 0)
        nb_measure_depths(network, ((struct ideal *)network->state)->length);
    ideal_send_all(network);
    const struct ideal ideal = *(struct ideal *)network->state;
    if (ideal.arrived != NULL)
        ideal_meet(&packets, &ideal, network->topology);
    /* No queue's packet always arrives first. */
    const size_t count = ideal.moved_count;
    size_t m = count == 0 ? 0 : (size_t)(network->cycle % count);
    for (size_t i = 0; i < count; i++, m = m + 1 == count ? 0 : m + 1) {
        const uint32_t queue = ideal.moved_by[m];
        uint32_t packet = ideal.moved[m];
        if (ideal.arrived != NULL && queue < channel_count) {
            packet = ideal.arrived[channels[queue].target];
            ideal.arrived[channels[queue].target] = packets.next[packet];
        }
        if (has_replies && packets.hops[packet] == 1 &&
            packets.message[packet] == NB_MESSAGE_REPLY)
            nb_replies_leave(network, packet);
        if (ideal.joining != NULL && queue < channel_count &&
            !ideal_has_arrived(network, packet, channels[queue].target)) {
            ideal_join(network, packet, channels[queue].target);
            continue;
        }
        if (queue < channel_count)
            nb_network_turn(network, packet, channels[queue].target);
        if (queue >= channel_count ||
            !ideal_place(network, &packets, &ideal, packet,
                         channels[queue].target))
            nb_network_deliver(network, packet,
                               network->cycle + packets.flits[packet]);
    }
    for (uint32_t p; (p = nb_replies_wake(network)) != NB_NONE;)
        ideal_end(network, &packets, &ideal, p,
                  network->cycle + packets.flits[p]);
    return NB_OK;
}

static uint32_t ideal_queue(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct ideal *ideal = network->state;
    return ideal->length[channel];
}

static uint32_t ideal_unsent(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    return ideal_count_waiting(&network->packets, network->state, channel);
}

static uint32_t ideal_buffered(const void *network, uint32_t channel,
                               uint32_t virtual_channel)
{
    (void)network, (void)channel, (void)virtual_channel;
    return 0; /* there are no buffers */
}

static uint32_t ideal_waiting(const void *network, uint32_t source,
                              uint32_t destination, size_t start)
{
    (void)network, (void)source, (void)destination, (void)start;
    return 0; /* nothing waits at a source */
}

/* A packet's flits count where its head was until it is delivered: whole
 * packets are counted. */
static uint64_t ideal_count_flits(const struct nb_network *network)
{
    const struct ideal *ideal = network->state;
    uint64_t flits = nb_replies_count_flits(network);
    for (size_t q = 0; q < network->queue_count; q++)
        flits += (uint64_t)ideal->length[q] - ideal->body[q];
    if (ideal->joining == NULL)
        return flits;
    for (size_t r = 0; r < network->topology->router_count; r++)
        for (uint32_t p = ideal->joining[r]; p != NB_NONE;
             p = network->packets.next[p])
            flits += network->packets.flits[p];
    return flits;
}

#define IDEAL_COMMON                                                           \
    .init = ideal_init, .release = ideal_release, .move = ideal_move,          \
    .queue = ideal_queue, .unsent = ideal_unsent, .buffered = ideal_buffered,  \
    .waiting = ideal_waiting, .count_flits = ideal_count_flits

const struct nb_engine nb_engine_ideal = {
    IDEAL_COMMON,
    .inject = ideal_inject,
};

const struct nb_engine nb_engine_ideal_random = {
    IDEAL_COMMON,
    .inject = ideal_inject_random,
    .begins_at_front = true,
};
