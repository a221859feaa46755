#include "sim/replies.h"

#include "core/memory.h"
#include "sim/network.h"

enum nb_status nb_replies_init(const struct nb_simulation *plan,
                               struct nb_replies *out, struct nb_error *err)
{
    const size_t terminals = plan->topology->terminal_count;
    enum nb_status status = NB_OK;
    *out = (struct nb_replies){ .woken_first = NB_NONE };
    if (plan->reply_buffer == 0)
        return NB_OK;
    out->room = plan->reply_buffer;
    out->due_count = nb_most_flits(plan) + 2;
    out->held = nb_pool_array(&out->pool, terminals, sizeof *out->held);
    out->first = nb_pool_array(&out->pool, terminals, sizeof *out->first);
    out->last = nb_pool_array(&out->pool, terminals, sizeof *out->last);
    out->due = nb_pool_array(&out->pool, out->due_count, sizeof *out->due);
    NB_TRY(nb_pool_check(&out->pool, "replies", err));
    for (size_t t = 0; t < terminals; t++)
        out->first[t] = NB_NONE;
    for (uint32_t c = 0; c < out->due_count; c++)
        out->due[c] = NB_NONE;
done:
    return status;
}

void nb_replies_release(struct nb_replies *replies)
{
    nb_pool_release(&replies->pool);
    *replies = (struct nb_replies){ 0 };
}

bool nb_replies_owe(const struct nb_network *network, uint32_t packet)
{
    return network->replies.room > 0 &&
           network->packets.message[packet] == NB_MESSAGE_REQUEST;
}

bool nb_replies_take(struct nb_network *network, uint32_t packet)
{
    struct nb_replies *replies = &network->replies;
    struct nb_packets *packets = &network->packets;
    const uint32_t terminal = packets->target[packet];
    if (!nb_replies_owe(network, packet))
        return true;
    if (replies->held[terminal] < replies->room) {
        replies->held[terminal]++;
        return true;
    }
    packets->next[packet] = NB_NONE;
    if (replies->first[terminal] == NB_NONE)
        replies->first[terminal] = packet;
    else
        packets->next[replies->last[terminal]] = packet;
    replies->last[terminal] = packet;
    return false;
}

void nb_replies_call(struct nb_network *network, uint32_t packet)
{
    struct nb_replies *replies = &network->replies;
    struct nb_packets *packets = &network->packets;
    packets->next[packet] = NB_NONE;
    if (replies->woken_first == NB_NONE)
        replies->woken_first = packet;
    else
        packets->next[replies->woken_last] = packet;
    replies->woken_last = packet;
}

void nb_replies_leave(struct nb_network *network, uint32_t packet)
{
    struct nb_replies *replies = &network->replies;
    struct nb_packets *packets = &network->packets;
    const uint32_t terminal = packets->source[packet];
    const uint32_t next = replies->first[terminal];
    if (next == NB_NONE) {
        replies->held[terminal]--;
        return;
    }
    replies->first[terminal] = packets->next[next];
    nb_replies_call(network, next);
}

uint32_t nb_replies_wake(struct nb_network *network)
{
    struct nb_replies *replies = &network->replies;
    const uint32_t packet = replies->woken_first;
    if (packet != NB_NONE)
        replies->woken_first = network->packets.next[packet];
    return packet;
}

void nb_replies_answer(struct nb_network *network, uint32_t packet,
                       uint64_t cycle)
{
    struct nb_replies *replies = &network->replies;
    struct nb_packets *packets = &network->packets;
    const uint32_t source = packets->source[packet];
    uint32_t *due = &replies->due[cycle % replies->due_count];
    packets->message[packet] = NB_MESSAGE_REPLY;
    packets->asked[packet] = nb_packets_birth(packets, packet);
    packets->age[packet] = cycle << NB_TIE_BITS;
    packets->source[packet] = packets->target[packet];
    packets->target[packet] = source;
    packets->next[packet] = *due;
    *due = packet;
}

uint32_t nb_replies_draw(struct nb_network *network)
{
    struct nb_replies *replies = &network->replies;
    if (replies->room == 0)
        return NB_NONE;
    uint32_t *due = &replies->due[network->cycle % replies->due_count];
    const uint32_t packet = *due;
    if (packet != NB_NONE)
        *due = network->packets.next[packet];
    return packet;
}

uint64_t nb_replies_count_flits(const struct nb_network *network)
{
    const struct nb_replies *replies = &network->replies;
    const struct nb_packets *packets = &network->packets;
    uint64_t flits = 0;
    if (replies->room == 0)
        return 0;
    for (size_t t = 0; t < network->topology->terminal_count; t++)
        for (uint32_t p = replies->first[t]; p != NB_NONE; p = packets->next[p])
            flits += packets->flits[p];
    return flits;
}
