/*
 * Which virtual channels a packet may use and how its head is given one, in
 * buffers and at sources (declared in credit.h).
 *
 * Of the virtual channels that are permitted and free, one of the highest class
 * is taken, the one with the most credits. Where classes do not ascend from hop
 * to hop, a packet that may stretch over several routers (wormhole) needs an
 * empty buffer, so that its head is always at the front of a buffer, where it
 * may leave by the class that avoids deadlock; otherwise its body might wait
 * behind another packet for something that depends on itself. Source:
 * [Duato1993].
 */
#include "sim/routers/credit.h"

uint64_t nb_credit_permitted_to(const struct nb_network *network,
                                uint32_t packet, const struct nb_vc_hop *hop,
                                uint32_t *memory)
{
    const struct nb_credit *credit = network->state;
    uint64_t permitted = 0;
    uint64_t classes = nb_vc_classes_find(&network->classes, hop, memory);
    if (network->classes.count == credit->virtual_channels)
        return classes;
    const uint64_t *channels_of =
        credit->channels_of + network->packets.message[packet] %
                                  credit->networks * network->classes.count;
    for (; classes != 0; classes &= classes - 1)
        permitted |= channels_of[__builtin_ctzll(classes)];
    return permitted;
}

uint64_t nb_credit_permitted(const struct nb_network *network, uint32_t packet,
                             uint32_t router, uint32_t channel,
                             uint32_t *memory)
{
    const struct nb_packets *packets = &network->packets;
    const struct nb_vc_hop hop = {
        .state = packets->state[packet],
        .memory = packets->memory[packet],
        .router = router,
        .destination = network->terminal_router[packets->target[packet]],
        .channel = channel,
    };
    return nb_credit_permitted_to(network, packet, &hop, memory);
}

uint32_t nb_credit_need(const struct nb_credit *credit,
                        const struct nb_credit_output *out, uint32_t flits)
{
    if (credit->is_cut_through)
        return flits;
    return credit->is_alone && flits > 1 ? out->depth : 1;
}

/* The permitted virtual channels that a packet could get now. */
static uint64_t credit_available(const struct nb_credit *credit,
                                 const struct nb_credit_output *out,
                                 uint64_t permitted, uint32_t flits)
{
    uint64_t available = permitted & out->idle & out->open;
    if (flits == 1 || available == 0)
        return available;
    const uint32_t need = nb_credit_need(credit, out, flits);
    for (uint64_t bits = available; bits != 0; bits &= bits - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(bits);
        if (credit->links[out->inputs + v].credits < need)
            available ^= (uint64_t)1 << v;
    }
    return available;
}

/* The available one of the highest class with the most credits. */
static uint32_t credit_best(const struct nb_credit *credit,
                            const struct nb_credit_output *out,
                            uint64_t available)
{
    const uint32_t highest = 63 - (uint32_t)__builtin_clzll(available);
    const struct nb_credit_link *behind = &credit->links[out->inputs];
    uint32_t best = highest;
    if (behind[best].credits == out->depth)
        return best; /* as usual at low load */
    available &= credit->channels_of[credit->class_of[highest]];
    for (; available != 0; available &= available - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(available);
        if (behind[v].credits > behind[best].credits)
            best = v;
    }
    return best;
}

bool nb_credit_is_end(struct nb_network *network, uint32_t packet,
                      uint32_t router)
{
    const struct nb_routes_hop *list;
    const struct nb_packets *packets = &network->packets;
    return !network->has_terminal_queues && !nb_replies_owe(network, packet) &&
           router == network->terminal_router[packets->target[packet]] &&
           nb_routes_list(&network->routes, packets->state[packet], router,
                          router, &list) == 0;
}

/* The packet in front of an input gets a virtual channel, and bids. */
static void credit_grant(struct nb_network *network, uint32_t input,
                         uint32_t output, uint32_t virtual_channel)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    struct nb_credit_output *out = &credit->outputs[output];
    in->output = output;
    in->target = out->inputs + virtual_channel;
    credit->links[in->target].holder = input;
    out->idle ^= (uint64_t)1 << virtual_channel;
    in->is_last = nb_credit_is_end(network, in->packet,
                                   credit->inputs[in->target].router);
    nb_credit_bid(credit, input);
}

/* Adds an input to its router's asking heads, or removes it. */
static void credit_toggle_head(struct nb_credit *credit, uint32_t input)
{
    const struct nb_credit_router *router =
        &credit->routers[credit->inputs[input].router];
    const uint32_t local = input - router->input;
    credit->bits[router->heads + local / 64] ^= (uint64_t)1 << local % 64;
}

/* Draws the hop of a packet whose scheme does not look at queues. */
static void route_draw(struct nb_network *network, struct nb_credit_input *in,
                       const struct nb_routes_hop *list, size_t count)
{
    struct nb_packets *packets = &network->packets;
    const uint32_t packet = in->packet;
    const struct nb_routes_hop hop =
        list[nb_routes_draw(list, count, &network->random)];
    uint32_t memory;
    in->output = hop.channel;
    in->permitted =
        nb_credit_permitted(network, packet, in->router, hop.channel, &memory);
    packets->state[packet] =
        nb_routes_next(&network->routes, packets->state[packet], in->router,
                       network->terminal_router[packets->target[packet]], &hop);
    packets->memory[packet] = memory;
}

/* The packet in front of an input is at its last router: it goes to its
 * terminal, or waits for room there. */
static void credit_come(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    network->packets.child[in->packet] = input;
    in->is_waiting = !nb_replies_take(network, in->packet);
    if (in->is_waiting)
        return;
    if (!network->has_terminal_queues) {
        nb_replies_call(network, in->packet);
        return;
    }
    in->output = nb_network_terminal_queue(network, in->packet);
    nb_credit_bid(credit, input);
}

void nb_credit_wake(struct nb_network *network)
{
    struct nb_credit *credit = network->state;
    for (uint32_t p; (p = nb_replies_wake(network)) != NB_NONE;) {
        const uint32_t input = network->packets.child[p];
        struct nb_credit_input *in = &credit->inputs[input];
        in->is_waiting = false;
        if (!network->has_terminal_queues) {
            in->is_taken = true;
            nb_credit_swallow(network, input);
            continue;
        }
        in->output = nb_network_terminal_queue(network, p);
        if (in->flits > 0)
            nb_credit_bid(credit, input);
    }
}

void nb_credit_face(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    struct nb_credit_input *in = &credit->inputs[input];
    const struct nb_routes_hop *list;
    if (in->channel != NB_NONE)
        nb_network_turn(network, in->packet, in->router);
    const size_t count = nb_routes_list(
        &network->routes, packets->state[in->packet], in->router,
        network->terminal_router[packets->target[in->packet]], &list);
    in->age = packets->age[in->packet];
    in->left = packets->flits[in->packet];
    in->is_begun = in->is_taken = in->is_waiting = false;
    in->moved = (uint32_t)network->cycle;
    in->output = NB_NONE;
    in->target = NB_NONE;
    if (count == 0) {
        credit_come(network, input);
        return;
    }
    in->permitted = UINT64_MAX;
    if (!credit->is_adaptive)
        route_draw(network, in, list, count);
    credit_toggle_head(credit, input);
    credit->routers[in->router].head_count++;
    nb_credit_ask(credit, in->router);
}

static uint32_t source_list(const struct nb_network *network, uint32_t source,
                            uint32_t destination, size_t start)
{
    const struct nb_credit *credit = network->state;
    return (uint32_t)(source * credit->lists_each +
                      destination * network->plan->routing->most_starts +
                      start);
}

static uint32_t source_list_of(const struct nb_network *network,
                               uint32_t packet)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    if (!credit->has_lists)
        return packets->source[packet] * credit->messages +
               packets->message[packet] % credit->messages;
    return source_list(network,
                       network->terminal_router[packets->source[packet]],
                       network->terminal_router[packets->target[packet]],
                       packets->start[packet]);
}

uint32_t nb_credit_waiting(const void *context, uint32_t source,
                           uint32_t destination, size_t start)
{
    const struct nb_network *network = context;
    const struct nb_credit *credit = network->state;
    return credit->has_lists
               ? credit->lists[source_list(network, source, destination, start)]
                     .count
               : 0;
}

void nb_credit_announce(struct nb_network *network, uint32_t packet)
{
    struct nb_credit *credit = network->state;
    struct nb_packets *packets = &network->packets;
    packets->next[packet] = NB_NONE;
    if (credit->born_first == NB_NONE)
        credit->born_first = packet;
    else
        packets->next[credit->born_last] = packet;
    credit->born_last = packet;
    credit->lists[source_list_of(network, packet)].count++;
}

/* Chooses a packet's start anew. */
static void credit_begin(struct nb_network *network, uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    packets->start[packet] = (uint16_t)nb_network_begin(
        network, &network->view, packet,
        network->terminal_router[packets->source[packet]]);
}

static void source_push(struct nb_network *network, struct nb_credit_list *list,
                        uint32_t packet)
{
    struct nb_packets *packets = &network->packets;
    packets->next[packet] = NB_NONE;
    if (list->first == NB_NONE) {
        list->first = packet;
        list->age = packets->age[packet];
    } else {
        packets->next[list->last] = packet;
    }
    list->last = packet;
}

/* With many packets that wait for long, the next one is not in the cache. */
static void source_fetch(const struct nb_packets *packets, uint32_t packet)
{
    __builtin_prefetch(&packets->age[packet]);
    __builtin_prefetch(&packets->state[packet]);
    __builtin_prefetch(&packets->source[packet]);
    __builtin_prefetch(&packets->target[packet]);
    __builtin_prefetch(&packets->memory[packet]);
    __builtin_prefetch(&packets->next[packet]);
    __builtin_prefetch(&packets->flits[packet]);
    __builtin_prefetch(&packets->hops[packet]);
}

static uint32_t source_pop(const struct nb_network *network,
                           struct nb_credit_list *list)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    const uint32_t packet = list->first;
    list->first = packets->next[packet];
    if (list->first != NB_NONE && credit->has_lists)
        list->age = packets->age[list->first];
    else if (list->first != NB_NONE)
        source_fetch(packets, list->first);
    return packet;
}

/* Lets the first packet of an injection queue bid, in the order of age. */
static void source_activate(struct nb_credit *credit, uint32_t list)
{
    const size_t number = list / credit->lists_each;
    struct nb_credit_router *router = &credit->routers[number];
    uint32_t *active = credit->active + number * credit->lists_each;
    uint32_t i = router->active++;
    for (; i > 0 && credit->lists[active[i - 1]].age > credit->lists[list].age;
         i--)
        active[i] = active[i - 1];
    active[i] = list;
    credit->lists[list].outputs = UINT64_MAX;
    nb_credit_ask(credit, (uint32_t)number);
}

static void source_deactivate(struct nb_credit *credit, uint32_t list)
{
    const size_t number = list / credit->lists_each;
    struct nb_credit_router *router = &credit->routers[number];
    uint32_t *active = credit->active + number * credit->lists_each;
    uint32_t i = 0;
    while (active[i] != list)
        i++;
    router->active--;
    for (; i < router->active; i++)
        active[i] = active[i + 1];
}

static void source_stand(struct nb_network *network, uint32_t place,
                         uint32_t packet)
{
    struct nb_credit *credit = network->state;
    credit->inputs[place].packet = packet;
    credit->inputs[place].flits = network->packets.flits[packet];
}

/* A packet comes to the front of its terminal's queue. */
static void source_face(struct nb_network *network, uint32_t place,
                        uint32_t packet)
{
    const struct nb_credit *credit = network->state;
    struct nb_credit_list *list = &credit->lists[credit->inputs[place].list];
    const uint64_t born = nb_packets_birth(&network->packets, packet) +
                          network->plan->router.pipeline;
    list->sent = (born > list->sent ? born : list->sent) +
                 network->packets.flits[packet];
    source_stand(network, place, packet);
    if (credit->is_begun_once)
        credit_begin(network, packet);
    nb_credit_face(network, place);
}

/* Reports packets in the counted places of a terminal's queue to the scheme. */
static void source_count(struct nb_network *network,
                         struct nb_credit_list *list, uint32_t packet)
{
    const struct nb_packets *packets = &network->packets;
    const struct nb_routing *routing = network->plan->routing;
    if (packet == NB_NONE || list->counted == routing->counted)
        return;
    list->counted++;
    list->last_counted = packet;
    routing->kind->came(routing, &network->view,
                        network->terminal_router[packets->source[packet]],
                        network->terminal_router[packets->target[packet]]);
}

/* The same for one that left, so that one more may count. */
static void source_uncount(struct nb_network *network,
                           struct nb_credit_list *list, uint32_t packet)
{
    const struct nb_packets *packets = &network->packets;
    const struct nb_routing *routing = network->plan->routing;
    if (routing->kind->left != NULL)
        routing->kind->left(routing, &network->view,
                            network->terminal_router[packets->source[packet]],
                            network->terminal_router[packets->target[packet]],
                            network->cycle);
    if (list->counted == 0)
        return;
    const bool is_only = list->last_counted == packet;
    list->counted--;
    source_count(network, list,
                 is_only ? list->first : packets->next[list->last_counted]);
}

void nb_credit_enlist(struct nb_network *network, uint32_t packet)
{
    nb_measure_wait(network, packet);
    struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    const uint32_t index = source_list_of(network, packet);
    struct nb_credit_list *list = &credit->lists[index];
    if (credit->has_lists) {
        const bool is_first = list->first == NB_NONE && !list->is_leaving;
        source_push(network, list, packet);
        if (is_first)
            source_activate(credit, index);
        return;
    }
    const uint32_t router = network->terminal_router[packets->source[packet]];
    const uint32_t place = credit->routers[router].source + index -
                           network->terminal_start[router] * credit->messages;
    if (credit->inputs[place].packet != NB_NONE) {
        source_push(network, list, packet);
    } else {
        source_face(network, place, packet);
    }
    source_count(network, list, packet);
}

/* Moves the first packet of an injection queue to a place at the source. */
static void credit_place(struct nb_network *network, uint32_t list,
                         uint32_t place)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[place];
    source_deactivate(credit, list);
    credit->lists[list].is_leaving = true;
    source_stand(network, place, source_pop(network, &credit->lists[list]));
    in->list = list;
    in->age = network->packets.age[in->packet];
    in->left = in->flits;
    in->is_begun = false;
    in->target = NB_NONE;
}

bool nb_credit_leave(struct nb_network *network, uint32_t place)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[place];
    struct nb_credit_list *list = &credit->lists[in->list];
    const uint32_t packet = in->packet;
    in->packet = NB_NONE;
    list->count--;
    nb_measure_leave(network, packet);
    if (network->packets.message[packet] == NB_MESSAGE_REPLY)
        nb_replies_leave(network, packet);
    source_uncount(network, list, packet);
    if (!credit->has_lists) {
        if (list->first == NB_NONE)
            return false;
        source_face(network, place, source_pop(network, list));
        return true;
    }
    list->is_leaving = false;
    if (list->first == NB_NONE)
        return false;
    source_activate(credit, in->list);
    return true;
}

/* Chooses, of the permitted hops with a virtual channel for an adaptive packet,
 * the one with the shortest queue, ties evenly. */
static struct nb_credit_wish heads_choose(struct nb_network *network,
                                          uint32_t packet, uint32_t router)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    const uint32_t destination =
        network->terminal_router[packets->target[packet]];
    const struct nb_routes_hop *list;
    const size_t count = nb_routes_list(
        &network->routes, packets->state[packet], router, destination, &list);
    struct nb_credit_wish choice = { 0 };
    uint32_t least = UINT32_MAX;
    uint64_t ties = 0;
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t channel = list[i].channel;
        const struct nb_credit_output *out = &credit->outputs[channel];
        const uint32_t length = credit->length[channel];
        uint32_t next;
        choice.outputs |= (uint64_t)1 << channel % 64;
        if ((out->idle & out->open) == 0 || length > least ||
            out->passing != NB_NONE)
            continue;
        const uint64_t available = credit_available(
            credit, out,
            nb_credit_permitted(network, packet, router, channel, &next),
            packets->flits[packet]);
        if (available == 0)
            continue;
        ties = length < least ? 1 : ties + 1;
        least = length;
        if (ties > 1 && nb_random_below(&network->random, ties) != 0)
            continue;
        choice.output = channel;
        choice.available = available;
        best = i;
        choice.memory = next;
    }
    if (choice.available != 0)
        choice.state = nb_routes_next(&network->routes, packets->state[packet],
                                      router, destination, &list[best]);
    return choice;
}

/* An adaptive packet takes the hop that was chosen. */
static inline void heads_take(struct nb_packets *packets, uint32_t packet,
                              const struct nb_credit_wish *choice)
{
    packets->state[packet] = choice->state;
    packets->memory[packet] = choice->memory;
}

/* Ports and then sources, in one numbering. */
static inline uint32_t heads_port(const struct nb_credit *credit,
                                  const struct nb_credit_router *router,
                                  uint32_t input)
{
    return input < router->source ? credit->port_of[input - router->input]
                                  : router->port_count + input - router->source;
}

/* The turn that a head waits for: that of the first virtual channel it may use.
 * A common turn would be moved on by grants to others, and if these alternate
 * one port could be first forever. Adaptive heads do not know yet what they
 * will use: theirs is the turn of their router, which is drawn. */
static inline uint32_t *heads_turn(const struct nb_credit *credit,
                                   struct nb_credit_router *router,
                                   const struct nb_credit_input *in)
{
    const struct nb_credit_output *out = &credit->outputs[in->output];
    if (credit->is_adaptive || in->permitted == 0)
        return &router->turn;
    return &credit
                ->links[out->inputs + (uint32_t)__builtin_ctzll(in->permitted)]
                .turn;
}

/* Packets to their own router keep their path: another one might have no hop,
 * which a head at a source needs. */
static bool heads_is_begun_anew(const struct nb_network *network,
                                const struct nb_credit_input *in)
{
    const struct nb_credit *credit = network->state;
    return credit->is_begun_anew && in->channel == NB_NONE &&
           network->terminal_router[network->packets.target[in->packet]] !=
               in->router;
}

static struct nb_credit_wish heads_wish(struct nb_network *network,
                                        uint32_t input, bool is_begun_anew)
{
    const struct nb_credit *credit = network->state;
    const struct nb_credit_input *in = &credit->inputs[input];
    if (credit->is_adaptive) {
        if (is_begun_anew)
            credit_begin(network, in->packet);
        return heads_choose(network, in->packet, in->router);
    }
    const struct nb_credit_output *out = &credit->outputs[in->output];
    return (struct nb_credit_wish){
        .output = in->output,
        .available = credit_available(credit, out, in->permitted, in->left),
    };
}

void nb_credit_fulfil(struct nb_network *network, uint32_t input,
                      const struct nb_credit_wish *wish)
{
    struct nb_credit *credit = network->state;
    const struct nb_credit_input *in = &credit->inputs[input];
    if (credit->is_adaptive)
        heads_take(&network->packets, in->packet, wish);
    credit_toggle_head(credit, input);
    credit->routers[in->router].head_count--;
    credit_grant(
        network, input, wish->output,
        credit_best(credit, &credit->outputs[wish->output], wish->available));
}

static void heads_try_input(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    struct nb_credit_router *router = &credit->routers[in->router];
    const bool is_begun_anew = heads_is_begun_anew(network, in);
    const struct nb_credit_wish wish =
        heads_wish(network, input, is_begun_anew);
    if (credit->is_adaptive)
        in->permitted = is_begun_anew ? UINT64_MAX : wish.outputs;
    if (wish.available == 0)
        return;
    *heads_turn(credit, router, in) = heads_port(credit, router, input) + 1;
    nb_credit_fulfil(network, input, &wish);
}

void nb_credit_wish(struct nb_network *network, uint32_t input,
                    struct nb_credit_wish *out)
{
    const struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    *out = heads_wish(network, input, heads_is_begun_anew(network, in));
    if (credit->is_adaptive)
        in->permitted = out->outputs;
    else if (credit->outputs[in->output].passing != NB_NONE)
        out->available = 0;
}

/* The same for the first packet of an injection queue, which then gets the
 * place of its virtual channel. */
static void heads_try_list(struct nb_network *network, uint32_t number,
                           uint32_t index)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_list *list = &credit->lists[index];
    const struct nb_credit_wish choice =
        heads_choose(network, list->first, number);
    list->outputs = choice.outputs;
    if (choice.available == 0)
        return;
    heads_take(&network->packets, list->first, &choice);
    const uint32_t best =
        credit_best(credit, &credit->outputs[choice.output], choice.available);
    const uint32_t channel =
        choice.output - network->topology->out_start[number];
    const uint32_t place = credit->routers[number].source +
                           channel * credit->virtual_channels + best;
    credit_place(network, index, place);
    credit_grant(network, place, choice.output, best);
}

/* Whether a try may succeed: nothing changes for a head that has asked before
 * unless a virtual channel of one of its outputs became free. */
static inline bool heads_may_find(const struct nb_credit *credit,
                                  const struct nb_credit_router *router,
                                  const struct nb_credit_input *in)
{
    if (credit->is_adaptive)
        return in->permitted == UINT64_MAX ||
               (in->permitted & router->offered) != 0;
    const struct nb_credit_output *out = &credit->outputs[in->output];
    return (in->permitted & out->idle & out->open) != 0;
}

/* A head's rank in turn: ports from the router's turn on, and in each its
 * virtual channels from the port's turn on. */
static uint64_t heads_place(const struct nb_credit *credit,
                            struct nb_credit_router *router, uint32_t input)
{
    const uint32_t count = router->port_count + router->source_count;
    const uint32_t port = heads_port(credit, router, input);
    const uint32_t first = *heads_turn(credit, router, &credit->inputs[input]);
    const uint64_t place = (port < first ? port + count : port) - first;
    if (input >= router->source)
        return 64 * place;
    const uint32_t v = input - router->input - port * credit->virtual_channels;
    const uint32_t turn = credit->turn[credit->inputs[input].channel];
    return 64 * place + (v < turn ? v + 64 : v) - turn;
}

/* Heads of injection queues that may find a virtual channel. Returns their
 * number. */
static size_t heads_gather_lists(const struct nb_credit *credit,
                                 uint32_t number, struct nb_credit_head *heads)
{
    const struct nb_credit_router *router = &credit->routers[number];
    size_t found = 0;
    for (uint32_t i = 0; i < router->active; i++) {
        const uint32_t index = credit->active[number * credit->lists_each + i];
        const struct nb_credit_list *list = &credit->lists[index];
        if (list->outputs == UINT64_MAX ||
            (list->outputs & router->offered) != 0)
            heads[found++] = (struct nb_credit_head){
                .age = credit->is_by_age ? list->age : UINT64_MAX,
                .number = index,
                .is_in_list = true,
            };
    }
    return found;
}

/* All heads of a router that may find a virtual channel, with their ages.
 * Returns their number. */
static size_t heads_gather(const struct nb_credit *credit, uint32_t number,
                           struct nb_credit_head *heads)
{
    struct nb_credit_router *router = &credit->routers[number];
    size_t found = heads_gather_lists(credit, number, heads);
    for (uint32_t w = 0; w < router->words; w++)
        for (uint64_t bits = credit->bits[router->heads + w]; bits != 0;
             bits &= bits - 1) {
            const uint32_t input =
                router->input + 64 * w + (uint32_t)__builtin_ctzll(bits);
            const struct nb_credit_input *in = &credit->inputs[input];
            if (heads_may_find(credit, router, in))
                heads[found++] = (struct nb_credit_head){
                    .age = in->age,
                    .number = input,
                };
        }
    return found;
}

/* In turn: heads are ordered by their rank in place of their age, injection
 * queues last. */
static void heads_give_places(const struct nb_credit *credit,
                              struct nb_credit_router *router,
                              struct nb_credit_head *heads, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!heads[i].is_in_list)
            heads[i].age = heads_place(credit, router, heads[i].number);
}

/* By insertion: there are few, and injection queues come in order. */
static void heads_sort(struct nb_credit_head *heads, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct nb_credit_head head = heads[i];
        size_t j = i;
        for (; j > 0 && heads[j - 1].age > head.age; j--)
            heads[j] = heads[j - 1];
        heads[j] = head;
    }
}

/* A packet that was to take a detour was blocked at its source. */
static void heads_block(struct nb_network *network, uint32_t packet,
                        uint32_t number)
{
    struct nb_packets *packets = &network->packets;
    const struct nb_routing *routing = network->plan->routing;
    if (packets->start[packet] < routing->direct)
        return;
    if (packets->blocked[packet] < UINT16_MAX)
        packets->blocked[packet]++;
    if (routing->kind->blocked != NULL)
        routing->kind->blocked(routing, &network->view, number);
}

void nb_credit_block(struct nb_network *network, uint32_t number)
{
    const struct nb_credit *credit = network->state;
    const struct nb_credit_router *router = &credit->routers[number];
    for (uint32_t i = 0; i < router->source_count; i++) {
        const struct nb_credit_input *in = &credit->inputs[router->source + i];
        /* With allocation of packets one that came to the front in this cycle
         * has not asked yet. */
        const bool is_new =
            credit->is_by_packet && in->moved == (uint32_t)network->cycle;
        if (in->packet != NB_NONE && in->output == NB_NONE && !is_new)
            heads_block(network, in->packet, number);
    }
}

void nb_credit_allocate(struct nb_network *network, uint32_t number)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_router *router = &credit->routers[number];
    struct nb_credit_head *heads = credit->heads;
    if (credit->is_adaptive && !credit->is_by_age && router->head_count > 1)
        router->turn = (uint32_t)nb_random_below(
            &network->random, router->port_count + router->source_count);
    const size_t count = heads_gather(credit, number, heads);
    credit->asking[number / 64] &= ~((uint64_t)1 << number % 64);
    router->offered = 0;
    if (!credit->is_by_age && count > 1)
        heads_give_places(credit, router, heads, count);
    heads_sort(heads, count);
    for (size_t i = 0; i < count; i++)
        if (heads[i].is_in_list)
            heads_try_list(network, number, heads[i].number);
        else
            heads_try_input(network, heads[i].number);
    if (credit->is_begun_anew && router->head_count > 0)
        nb_credit_ask(credit, number);
}
