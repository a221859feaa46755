/*
 * The chaos router: a few packets at every input and output, and a queue that
 * all of a router's packets share. Source: [KonstantinidouSnyder1990],
 * [Singh2005, sections 2.5 and 4.2].
 *
 * Each cycle, in this order: packets of the shared queue, in order of arrival,
 * go to outputs on a shortest path that have room, if there are several to the
 * shortest; then packets at the inputs do so, which enter the shared queue if
 * there is no such output. If that queue is full, one of its packets, drawn at
 * random, is deflected to an output with room, also drawn at random; if no
 * output has room, the input waits. Sources come last and act like inputs, but
 * they never deflect and always leave room for a packet in the shared queue. At
 * the end outputs send: a packet's head when the input behind the channel has
 * room for the whole packet, then one flit per cycle. A head may go on in the
 * next cycle.
 *
 * There is no deadlock. Channels to terminals always send. Suppose no packet
 * could ever move again. A packet that waits at another output finds the input
 * behind it full; a full input that waits finds the shared queue and all
 * outputs of its router full. Every router has equal numbers of incoming and
 * outgoing channels, and every router can reach every other, so the whole
 * network is full. But it never is: packets that move free as much room as they
 * take, and packets that come from sources leave some. For this argument, room
 * is counted in places of the longest packet.
 */
#include "sim/network.h"

#include "core/memory.h"

#include <string.h>

/* Packets in order, linked by next. */
struct chaos_list {
    uint32_t first, last; /* NB_NONE: none */
    uint32_t count;       /* places taken */
};

/* A packet in a shared queue. */
struct chaos_packet {
    uint64_t outputs; /* on its shortest paths, modulo 64 */
    uint32_t packet;
};

struct chaos_queue {
    size_t first; /* of its places */
    uint32_t room, count;
};

/* A packet's next hop. */
struct chaos_way {
    uint32_t output;
    nb_route_state next;
};

/* Owns its arrays. */
struct chaos {
    bool is_by_age;
    uint32_t input_room, output_room; /* [packet] */
    struct chaos_list *inputs;        /* [channel] at its end */
    struct chaos_list *outputs;       /* [queue] the packet being sent is not
                                       * listed, but takes its place */
    struct chaos_list *sources;       /* [terminal] */
    uint64_t *rested;           /* [terminal] first cycle in which it may send
                                 * again */
    uint32_t *length;           /* [queue] flits in its output */
    uint16_t *body;             /* [queue] flits of the packet being sent still
                                 * to send */
    struct chaos_queue *queues; /* [router] */
    struct chaos_packet *waiting; /* places of all queues */
    struct chaos_list **order;    /* scratch: for the inputs or sources of any
                                   * router */
    uint32_t *open;               /* scratch: for the outputs of any router */
    struct nb_pool pool;
};

/* [packet] Capacity of a router's shared queue. */
static uint32_t chaos_room(const struct nb_network *network, uint32_t router)
{
    const uint32_t *start = network->topology->out_start;
    const uint64_t degree = start[router + 1] - start[router];
    const uint64_t room = degree * network->plan->router.shared_queue /
                          nb_most_flits(network->plan);
    return room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
}

static enum nb_status chaos_check(const struct nb_network *network,
                                  struct nb_error *err)
{
    const struct nb_router *router = &network->plan->router;
    const struct nb_topology *topology = network->topology;
    const uint32_t longest = nb_most_flits(network->plan);
    for (uint32_t q = 0; q < network->queue_count; q++) {
        const struct nb_ratio b = nb_network_bandwidth(network, q);
        if (nb_ratio_compare(b, nb_ratio_one) != 0)
            return nb_fail(err, NB_INVALID,
                           "chaos router: a channel of bandwidth %g "
                           "(permitted: 1)",
                           nb_ratio_value(b));
    }
    if (router->buffer < longest || router->output_buffer < longest)
        return nb_fail(err, NB_INVALID,
                       "chaos router: inputs of %u flits and outputs of %u for "
                       "packets of %u (permitted: %u and more)",
                       router->buffer, router->output_buffer, longest, longest);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t degree =
            topology->out_start[r + 1] - topology->out_start[r];
        if (chaos_room(network, r) < 2 && degree > 0) /* not a failed router */
            return nb_fail(err, NB_INVALID,
                           "chaos router: a shared queue of %u flits for each "
                           "of the %u channels out of router %u (permitted: "
                           "room for two packets of %u flits)",
                           router->shared_queue, degree, r, longest);
    }
    return NB_OK;
}

static void chaos_release(struct nb_network *network)
{
    struct chaos *chaos = network->state;
    if (chaos == NULL)
        return;
    nb_pool_release(&chaos->pool);
    nb_delete(chaos);
    network->state = NULL;
}

/* Shared queues, and scratch for the largest counts of any router. */
static enum nb_status chaos_init_queues(const struct nb_network *network,
                                        struct chaos *chaos,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = network->topology;
    struct nb_pool *pool = &chaos->pool;
    size_t places = 0, most = 1;
    enum nb_status status = NB_OK;
    chaos->queues =
        nb_pool_array(pool, topology->router_count, sizeof *chaos->queues);
    NB_TRY(nb_pool_check(pool, "shared queues", err));
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const size_t outputs = topology->out_start[r + 1] -
                               topology->out_start[r] + topology->terminals[r];
        chaos->queues[r] = (struct chaos_queue){
            .first = places,
            .room = chaos_room(network, r),
        };
        places += chaos->queues[r].room;
        most = outputs > most ? outputs : most;
    }
    NB_TRY(nb_memory_require((double)places * sizeof *chaos->waiting,
                             "shared queues", err));
    chaos->waiting = nb_pool_array(pool, places, sizeof *chaos->waiting);
    chaos->order = nb_pool_array(pool, most, sizeof(struct chaos_list *));
    chaos->open = nb_pool_array(pool, most, sizeof *chaos->open);
    status = nb_pool_check(pool, "shared queues", err);
done:
    return status;
}

static void chaos_empty(struct chaos_list *lists, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lists[i].first = NB_NONE;
}

static enum nb_status chaos_init(struct nb_network *network,
                                 struct nb_error *err)
{
    const struct nb_router *router = &network->plan->router;
    const struct nb_topology *topology = network->topology;
    const size_t queues = network->queue_count;
    const size_t terminals = topology->terminal_count;
    const uint32_t longest = nb_most_flits(network->plan);
    struct chaos *chaos;
    enum nb_status status = NB_OK;
    NB_TRY(chaos_check(network, err));
    NB_TRY(nb_new(&network->state, 1, sizeof *chaos, "queues", err));
    chaos = network->state;
    chaos->is_by_age = router->arbitration == NB_OLDEST_FIRST;
    chaos->input_room = router->buffer / longest;
    chaos->output_room = router->output_buffer / longest;
    struct nb_pool *pool = &chaos->pool;
    chaos->inputs =
        nb_pool_array(pool, topology->channel_count, sizeof *chaos->inputs);
    chaos->outputs = nb_pool_array(pool, queues, sizeof *chaos->outputs);
    chaos->sources = nb_pool_array(pool, terminals, sizeof *chaos->sources);
    chaos->rested = nb_pool_array(pool, terminals, sizeof *chaos->rested);
    chaos->length = nb_pool_array(pool, queues, sizeof *chaos->length);
    chaos->body = nb_pool_array(pool, queues, sizeof *chaos->body);
    NB_TRY(nb_pool_check(pool, "queues", err));
    chaos_empty(chaos->inputs, topology->channel_count);
    chaos_empty(chaos->outputs, queues);
    chaos_empty(chaos->sources, terminals);
    NB_TRY(chaos_init_queues(network, chaos, err));
done:
    return status;
}

static void chaos_push(struct nb_packets *packets, struct chaos_list *list,
                       uint32_t packet)
{
    packets->next[packet] = NB_NONE;
    if (list->first == NB_NONE)
        list->first = packet;
    else
        packets->next[list->last] = packet;
    list->last = packet;
    list->count++;
}

static inline bool chaos_has_room(const struct chaos *chaos, uint32_t output)
{
    return chaos->outputs[output].count < chaos->output_room;
}

/* The outputs of a packet at a router: those on its shortest paths or the one
 * to its terminal. Returns their number; list is NULL in the second case. */
static size_t chaos_ways(struct nb_network *network, uint32_t packet,
                         uint32_t router, const struct nb_routes_hop **list)
{
    const struct nb_packets *packets = &network->packets;
    const size_t count =
        nb_routes_list(&network->routes, packets->state[packet], router,
                       network->terminal_router[packets->target[packet]], list);
    if (count > 0)
        return count;
    *list = NULL;
    return 1;
}

/* Whether there is an output with room for the packet: finds the shortest, ties
 * evenly. */
static bool chaos_find(struct nb_network *network, uint32_t packet,
                       uint32_t router, struct chaos_way *way)
{
    const struct chaos *chaos = network->state;
    const struct nb_routes_hop *list;
    const size_t count = chaos_ways(network, packet, router, &list);
    uint64_t ties = 0;
    if (list == NULL) {
        way->output = nb_network_terminal_queue(network, packet);
        way->next = network->packets.state[packet];
        return chaos_has_room(chaos, way->output);
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t channel = list[i].channel;
        if (!chaos_has_room(chaos, channel) ||
            (ties > 0 && chaos->length[channel] > chaos->length[way->output]))
            continue;
        ties = ties > 0 && chaos->length[channel] == chaos->length[way->output]
                   ? ties + 1
                   : 1;
        if (nb_random_below(&network->random, ties) == 0)
            *way = (struct chaos_way){ channel, list[i].next };
    }
    return ties > 0;
}

static void chaos_put(struct nb_network *network, uint32_t packet,
                      struct chaos_way way)
{
    struct chaos *chaos = network->state;
    struct nb_packets *packets = &network->packets;
    packets->state[packet] = way.next;
    chaos->length[way.output] += packets->flits[packet];
    chaos_push(packets, &chaos->outputs[way.output], packet);
}

static void chaos_enqueue(struct nb_network *network, uint32_t packet,
                          uint32_t router)
{
    struct chaos *chaos = network->state;
    struct chaos_queue *queue = &chaos->queues[router];
    struct chaos_packet waiting = { .packet = packet };
    const struct nb_routes_hop *list;
    const size_t count = chaos_ways(network, packet, router, &list);
    for (size_t i = 0; i < count; i++)
        waiting.outputs |=
            (uint64_t)1 << (list != NULL
                                ? list[i].channel
                                : nb_network_terminal_queue(network, packet)) %
                               64;
    chaos->waiting[queue->first + queue->count++] = waiting;
}

/* Outputs of a router with room, modulo 64. */
static uint64_t chaos_outputs(const struct nb_network *network, uint32_t router)
{
    const struct chaos *chaos = network->state;
    const struct nb_topology *topology = network->topology;
    uint64_t outputs = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        outputs |= (uint64_t)chaos_has_room(chaos, c) << c % 64;
    for (uint32_t t = network->terminal_start[router];
         t < network->terminal_start[router + 1] &&
         network->has_terminal_queues;
         t++) {
        const uint32_t q = (uint32_t)topology->channel_count + t;
        outputs |= (uint64_t)chaos_has_room(chaos, q) << q % 64;
    }
    return outputs;
}

/* Serves the shared queue's packets in order of arrival. */
static void chaos_serve_queue(struct nb_network *network, uint32_t router)
{
    struct chaos *chaos = network->state;
    struct chaos_queue *queue = &chaos->queues[router];
    struct chaos_packet *waiting = chaos->waiting + queue->first;
    uint64_t outputs = queue->count > 0 ? chaos_outputs(network, router) : 0;
    uint32_t kept = 0, i = 0;
    for (; i < queue->count && outputs != 0; i++) {
        struct chaos_way way;
        if ((waiting[i].outputs & outputs) == 0 ||
            !chaos_find(network, waiting[i].packet, router, &way)) {
            waiting[kept++] = waiting[i];
            continue;
        }
        chaos_put(network, waiting[i].packet, way);
        outputs = chaos_outputs(network, router);
    }
    memmove(waiting + kept, waiting + i, (queue->count - i) * sizeof *waiting);
    queue->count -= i - kept;
}

/* Draws an output with room to another router; NB_NONE if there is none. */
static uint32_t chaos_draw_output(struct nb_network *network, uint32_t router)
{
    const struct chaos *chaos = network->state;
    const struct nb_topology *topology = network->topology;
    uint64_t count = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        if (chaos_has_room(chaos, c))
            chaos->open[count++] = c;
    return count > 0 ? chaos->open[nb_random_below(&network->random, count)]
                     : NB_NONE;
}

/* Deflects a packet of a full shared queue; false if no output has room.
 * Packets that wait for their terminal stay. */
static bool chaos_deflect(struct nb_network *network, uint32_t router)
{
    struct chaos *chaos = network->state;
    struct chaos_queue *queue = &chaos->queues[router];
    struct chaos_packet *waiting = chaos->waiting + queue->first;
    const struct nb_routes_hop *list;
    const uint32_t output = chaos_draw_output(network, router);
    if (output == NB_NONE)
        return false;
    uint32_t i = (uint32_t)nb_random_below(&network->random, queue->count);
    for (uint32_t tried = 0; tried < queue->count; tried++) {
        const uint32_t packet = waiting[i].packet;
        chaos_ways(network, packet, router, &list);
        if (list == NULL) {
            i = i + 1 == queue->count ? 0 : i + 1;
            continue;
        }
        const nb_route_state state = network->packets.state[packet];
        chaos_put(network, packet, (struct chaos_way){ output, state });
        queue->count--;
        memmove(waiting + i, waiting + i + 1,
                (queue->count - i) * sizeof *waiting);
        return true;
    }
    return false;
}

/* Lists the non-empty ones of count lists, in the order in which they are
 * served: by the age of the first packet, or from a different one on in every
 * cycle. Returns their number.
 * index  [count]; NULL: from first on */
static size_t chaos_gather(const struct nb_network *network,
                           struct chaos_list *lists, const uint32_t *index,
                           uint32_t first, size_t count)
{
    const struct chaos *chaos = network->state;
    const uint64_t *age = network->packets.age;
    struct chaos_list **order = chaos->order;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t turn = (size_t)((i + network->cycle) % count);
        struct chaos_list *list =
            &lists[index != NULL ? index[turn] : first + turn];
        size_t at = found;
        if (list->first == NB_NONE)
            continue;
        for (; chaos->is_by_age && at > 0 &&
               age[order[at - 1]->first] > age[list->first];
             at--)
            order[at] = order[at - 1];
        order[at] = list;
        found++;
    }
    return found;
}

/* Moves an input's packet to an output or the shared queue. */
static bool chaos_take(struct nb_network *network, uint32_t router,
                       uint32_t packet)
{
    const struct chaos *chaos = network->state;
    const struct chaos_queue *queue = &chaos->queues[router];
    struct chaos_way way;
    if (chaos_find(network, packet, router, &way)) {
        chaos_put(network, packet, way);
        return true;
    }
    if (queue->count == queue->room && !chaos_deflect(network, router))
        return false;
    chaos_enqueue(network, packet, router);
    return true;
}

static void chaos_serve_inputs(struct nb_network *network, uint32_t router)
{
    struct chaos *chaos = network->state;
    const struct nb_topology *topology = network->topology;
    const uint32_t first = topology->in_start[router];
    const size_t count =
        chaos_gather(network, chaos->inputs, topology->in_channel + first, 0,
                     topology->in_start[router + 1] - first);
    for (size_t i = 0; i < count; i++) {
        struct chaos_list *input = chaos->order[i];
        while (input->first != NB_NONE) {
            const uint32_t next = network->packets.next[input->first];
            if (!chaos_take(network, router, input->first))
                break;
            input->first = next;
            input->count--;
        }
    }
}

/* Moves a source's packet if one more could still enter the queue
 * afterwards. */
static bool chaos_enter(struct nb_network *network, uint32_t router,
                        uint32_t packet)
{
    const struct chaos *chaos = network->state;
    const struct chaos_queue *queue = &chaos->queues[router];
    struct chaos_way way;
    if (queue->count == queue->room)
        return false;
    if (chaos_find(network, packet, router, &way)) {
        chaos_put(network, packet, way);
        return true;
    }
    if (queue->count + 1 == queue->room)
        return false;
    chaos_enqueue(network, packet, router);
    return true;
}

/* Sources of limited terminals send one flit per cycle. */
static void chaos_serve_sources(struct nb_network *network, uint32_t router)
{
    struct chaos *chaos = network->state;
    const struct nb_packets *packets = &network->packets;
    const uint32_t first = network->terminal_start[router];
    const size_t count =
        chaos_gather(network, chaos->sources, NULL, first,
                     network->terminal_start[router + 1] - first);
    for (size_t i = 0; i < count; i++) {
        struct chaos_list *source = chaos->order[i];
        uint64_t *rested = &chaos->rested[source - chaos->sources];
        while (source->first != NB_NONE && *rested <= network->cycle) {
            const uint32_t packet = source->first;
            const uint32_t next = packets->next[packet];
            if (!chaos_enter(network, router, packet))
                break;
            source->first = next;
            nb_measure_leave(network, packet);
            if (network->has_terminal_queues)
                *rested = network->cycle + packets->flits[packet];
        }
    }
}

/* Whether a packet that comes to a router leaves the network there. */
static bool chaos_is_end(struct nb_network *network, uint32_t packet,
                         uint32_t router)
{
    const struct nb_routes_hop *list;
    if (network->has_terminal_queues)
        return false;
    chaos_ways(network, packet, router, &list);
    return list == NULL;
}

static void chaos_inject(struct nb_network *network, uint32_t packet)
{
    struct chaos *chaos = network->state;
    struct nb_packets *packets = &network->packets;
    const uint32_t terminal = packets->source[packet];
    if (chaos_is_end(network, packet, network->terminal_router[terminal])) {
        nb_network_deliver(network, packet, network->cycle);
        return;
    }
    chaos_push(packets, &chaos->sources[terminal], packet);
    nb_measure_wait(network, packet);
}

/* A packet's head crosses its channel if the input has room. */
static void chaos_start(struct nb_network *network, uint32_t output)
{
    struct chaos *chaos = network->state;
    struct nb_packets *packets = &network->packets;
    struct chaos_list *out = &chaos->outputs[output];
    const bool is_last = output >= network->topology->channel_count;
    if (out->first == NB_NONE ||
        (!is_last && chaos->inputs[output].count == chaos->input_room))
        return;
    const uint32_t packet = out->first;
    const uint16_t flits = packets->flits[packet];
    out->first = packets->next[packet];
    chaos->body[output] = flits;
    packets->hops[packet]++;
    if (is_last || chaos_is_end(network, packet,
                                network->topology->channels[output].target))
        nb_network_deliver(network, packet, network->cycle + flits);
    else
        chaos_push(packets, &chaos->inputs[output], packet);
}

/* Sends a flit, if an output may. */
static void chaos_send(struct nb_network *network, uint32_t output)
{
    struct chaos *chaos = network->state;
    if (chaos->body[output] == 0)
        chaos_start(network, output);
    if (chaos->body[output] == 0)
        return;
    network->measure.sent[output]++;
    chaos->length[output]--;
    if (--chaos->body[output] == 0)
        chaos->outputs[output].count--;
}

static enum nb_status chaos_move(struct nb_network *network,
                                 struct nb_error *err)
{
    (void)err;
    const struct chaos *chaos = network->state;
    if (network->measure.class_count > 0)
        nb_measure_depths(network, chaos->length);
    for (uint32_t r = 0; r < network->topology->router_count; r++) {
        chaos_serve_queue(network, r);
        chaos_serve_inputs(network, r);
        chaos_serve_sources(network, r);
    }
    for (uint32_t q = 0; q < network->queue_count; q++)
        chaos_send(network, q);
    return NB_OK;
}

static uint32_t chaos_length(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct chaos *chaos = network->state;
    return chaos->length[channel];
}

static uint32_t chaos_buffered(const void *network, uint32_t channel,
                               uint32_t virtual_channel)
{
    (void)network, (void)channel, (void)virtual_channel;
    return 0; /* there are no virtual channels */
}

static uint32_t chaos_waiting(const void *network, uint32_t source,
                              uint32_t destination, size_t start)
{
    (void)network, (void)source, (void)destination, (void)start;
    return 0; /* there are no injection queues */
}

static uint64_t chaos_count_list(const struct nb_packets *packets,
                                 const struct chaos_list *list)
{
    uint64_t flits = 0;
    for (uint32_t p = list->first; p != NB_NONE; p = packets->next[p])
        flits += packets->flits[p];
    return flits;
}

/* Whole packets, counted where their heads are. */
static uint64_t chaos_count_flits(const struct nb_network *network)
{
    const struct chaos *chaos = network->state;
    const struct nb_topology *topology = network->topology;
    const struct nb_packets *packets = &network->packets;
    uint64_t flits = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        flits += chaos_count_list(packets, &chaos->inputs[c]);
    for (size_t q = 0; q < network->queue_count; q++)
        flits += chaos_count_list(packets, &chaos->outputs[q]);
    for (size_t t = 0; t < topology->terminal_count; t++)
        flits += chaos_count_list(packets, &chaos->sources[t]);
    for (size_t r = 0; r < topology->router_count; r++)
        for (uint32_t i = 0; i < chaos->queues[r].count; i++)
            flits +=
                packets
                    ->flits[chaos->waiting[chaos->queues[r].first + i].packet];
    return flits;
}

const struct nb_engine nb_engine_chaos = {
    .init = chaos_init,
    .release = chaos_release,
    .inject = chaos_inject,
    .move = chaos_move,
    .queue = chaos_length,
    .buffered = chaos_buffered,
    .waiting = chaos_waiting,
    .count_flits = chaos_count_flits,
};
