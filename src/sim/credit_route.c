/*
 * What virtual channels a packet may have, and how it is given one (declared
 * in credit.h).
 *
 * Of the virtual channels that are permitted and free, that of the highest
 * class with the most credits is taken. Where classes do not ascend from hop
 * to hop, a packet that may stand in several routers at once (wormhole) wants
 * an empty buffer, so that its head is always at the front of one, where it
 * may leave by the class that saves it; else its body might wait behind
 * another packet for what depends on itself. Source: [Duato1993].
 */
#include "sim/credit.h"

uint64_t nb_credit_permitted(const struct nb_network *network, uint32_t packet,
                             uint32_t router, uint32_t channel,
                             uint32_t *memory)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    uint64_t permitted = 0;
    uint64_t classes = nb_vc_classes_find(
        &network->classes, packets->memory[packet], packets->state[packet],
        router, network->terminal_router[packets->target[packet]], channel,
        memory);
    if (network->classes.count == credit->virtual_channels)
        return classes;
    for (; classes != 0; classes &= classes - 1)
        permitted |= credit->channels_of[__builtin_ctzll(classes)];
    return permitted;
}

uint32_t nb_credit_need(const struct nb_credit *credit, uint32_t flits)
{
    if (credit->is_cut_through)
        return flits;
    return credit->is_alone && flits > 1 ? credit->buffer : 1;
}

uint64_t nb_credit_available(const struct nb_credit *credit,
                             const struct nb_credit_output *out,
                             uint64_t permitted, uint32_t flits)
{
    uint64_t available = permitted & out->idle & out->open;
    if (flits == 1 || available == 0)
        return available;
    const uint32_t need = nb_credit_need(credit, flits);
    for (uint64_t bits = available; bits != 0; bits &= bits - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(bits);
        if (credit->links[out->inputs + v].credits < need)
            available ^= (uint64_t)1 << v;
    }
    return available;
}

uint32_t nb_credit_best(const struct nb_credit *credit,
                        const struct nb_credit_output *out, uint64_t available)
{
    const uint32_t highest = 63 - (uint32_t)__builtin_clzll(available);
    const struct nb_credit_link *behind = &credit->links[out->inputs];
    uint32_t best = highest;
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
    return !network->has_terminal_queues &&
           router == network->terminal_router[packets->target[packet]] &&
           nb_routes_list(&network->routes, packets->state[packet], router,
                          router, &list) == 0;
}

void nb_credit_grant(struct nb_network *network, uint32_t input,
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

void nb_credit_toggle_head(struct nb_credit *credit, uint32_t input)
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

void nb_credit_face(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    struct nb_credit_input *in = &credit->inputs[input];
    const struct nb_routes_hop *list;
    const size_t count = nb_routes_list(
        &network->routes, packets->state[in->packet], in->router,
        network->terminal_router[packets->target[in->packet]], &list);
    in->age = packets->age[in->packet];
    in->left = packets->flits[in->packet];
    in->is_begun = false;
    in->moved = (uint32_t)network->cycle;
    in->output = NB_NONE;
    in->target = NB_NONE;
    if (count == 0) {
        in->output = nb_network_terminal_queue(network, in->packet);
        nb_credit_bid(credit, input);
        return;
    }
    in->permitted = UINT64_MAX;
    if (!credit->is_adaptive)
        route_draw(network, in, list, count);
    nb_credit_toggle_head(credit, input);
    credit->routers[in->router].head_count++;
    nb_credit_ask(credit, in->router);
}
