/* The credit router's cycle (model: credit.h). */
#include "sim/routers/credit.h"

static void credit_inject(struct nb_network *network, uint32_t packet)
{
    struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    const uint32_t router = network->terminal_router[packets->source[packet]];
    if (nb_credit_is_end(network, packet, router)) {
        nb_network_deliver(network, packet, network->cycle);
        return;
    }
    credit->born_flits += packets->flits[packet];
    nb_credit_announce(network, packet);
}

/* Packets that have passed the pipeline of their source's router. */
static void credit_enlist(struct nb_network *network)
{
    struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    const uint32_t pipeline = network->plan->router.pipeline;
    while (credit->born_first != NB_NONE &&
           nb_packets_birth(packets, credit->born_first) + pipeline <=
               network->cycle) {
        const uint32_t packet = credit->born_first;
        credit->born_first = packets->next[packet];
        credit->born_flits -= packets->flits[packet];
        nb_credit_enlist(network, packet);
    }
}

void nb_credit_return(struct nb_credit *credit, uint32_t input)
{
    const uint32_t channel = credit->inputs[input].channel;
    struct nb_credit_link *link = &credit->links[input];
    struct nb_credit_output *out = &credit->outputs[channel];
    const bool is_first = link->credits++ == 0;
    if (is_first)
        out->open |= (uint64_t)1 << (input - out->inputs);
    if (link->holder == NB_NONE)
        nb_credit_offer(credit, channel);
    else if (is_first && credit->inputs[link->holder].flits > 0)
        nb_credit_bid(credit, link->holder);
}

/* Whether a flit that reaches an empty front may go on at once. */
static inline bool credit_may_go(const struct nb_network *network,
                                 const struct nb_credit_input *in)
{
    const struct nb_credit *credit = network->state;
    if (in->target != NB_NONE)
        return credit->links[in->target].credits > 0;
    return in->output != NB_NONE &&
           in->output >= network->topology->channel_count;
}

static void credit_arrive(struct nb_network *network,
                          struct nb_credit_flit flit)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[flit.input];
    const uint32_t packet = flit.packet & NB_FLIT_PACKET;
    const bool is_head = (flit.packet & NB_FLIT_HEAD) != 0;
    if (is_head && in->packet == NB_NONE) {
        in->packet = packet;
        in->flits = 1;
        nb_credit_face(network, flit.input);
    } else if (is_head) {
        *nb_credit_part_of(credit, flit.input, in->count++) =
            (struct nb_credit_part){ .packet = packet, .flits = 1 };
    } else if (in->count > 0) {
        nb_credit_part_of(credit, flit.input, in->count - 1)->flits++;
    } else if (in->flits++ == 0 && credit_may_go(network, in)) {
        nb_credit_bid(credit, flit.input);
    } else if (in->is_taken) {
        nb_credit_swallow(network, flit.input);
    }
}

/* A flit is at its last router, or at its terminal. */
static void credit_end(struct nb_network *network, struct nb_credit_flit flit)
{
    struct nb_credit *credit = network->state;
    const uint32_t packet = flit.packet & NB_FLIT_PACKET;
    if (flit.input != NB_NONE)
        nb_credit_send_back(credit, flit.input);
    if ((flit.packet & NB_FLIT_TAIL) == 0) {
        credit->ended_flits++;
        return;
    }
    credit->ended_flits -= network->packets.flits[packet] - 1u;
    nb_network_deliver(network, packet, network->cycle + 1);
}

/* The end of the flits of a line that arrive in the next cycle. */
static inline size_t credit_due(struct nb_credit_line *line, uint64_t cycle)
{
    line->mark[cycle % line->delay] = line->end;
    return line->mark[(cycle + 1) % line->delay];
}

static inline struct nb_credit_flit credit_pop(struct nb_credit_line *line)
{
    return line->flits[line->first++ & line->mask];
}

/* A credit or message has come back to the router before an input. */
static inline void credit_hear(struct nb_credit *credit,
                               struct nb_credit_flit flit)
{
    if (credit->has_messages) {
        nb_credit_flow_hear(credit, flit);
        return;
    }
    credit->length[credit->inputs[flit.input].channel]--;
    if (credit->has_lanes)
        nb_credit_flow_refund(credit, flit.input);
    else
        nb_credit_return(credit, flit.input);
}

/* Flits that enter the pipeline: they are in the buffer. */
static void credit_land_flits(struct nb_credit *credit,
                              struct nb_credit_line *line, uint64_t cycle,
                              uint64_t latency)
{
    const size_t end =
        line->mark[(cycle + 1 + line->delay - latency) % line->delay];
    for (; line->landed != end; line->landed++)
        nb_credit_flow_land(credit,
                            line->flits[line->landed & line->mask].input);
}

/* Receives the arrivals for the next cycle. */
static void credit_land(struct nb_network *network, bool is_far)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_lines *lines = &credit->lines[is_far];
    const size_t credits = credit_due(&lines->credits, network->cycle);
    const size_t arrivals = credit_due(&lines->arrivals, network->cycle);
    const size_t ends = credit_due(&lines->ends, network->cycle);
    while (lines->credits.first != credits)
        credit_hear(credit, credit_pop(&lines->credits));
    if (credit->has_messages)
        credit_land_flits(credit, &lines->arrivals, network->cycle,
                          lines->credits.delay);
    while (lines->arrivals.first != arrivals)
        credit_arrive(network, credit_pop(&lines->arrivals));
    while (lines->ends.first != ends)
        credit_end(network, credit_pop(&lines->ends));
}

/* All passes of a router; routers see each other's changes only in the next
 * cycle. */
static void credit_route(struct nb_network *network, uint32_t router)
{
    struct nb_credit *credit = network->state;
    for (uint32_t pass = 0; pass < credit->speedup; pass++) {
        if (!credit->is_by_packet &&
            (credit->asking[router / 64] >> router % 64 & 1) != 0)
            nb_credit_allocate(network, router);
        if (credit->routers[router].bid_count > 0 ||
            (credit->is_by_packet && credit->routers[router].head_count > 0))
            nb_credit_switch(network, router, pass);
    }
    if (credit->is_by_packet && credit->routers[router].head_count == 0)
        credit->asking[router / 64] &= ~((uint64_t)1 << router % 64);
    if (credit->is_begun_anew && credit->routers[router].head_count > 0)
        nb_credit_block(network, router);
}

static enum nb_status credit_move(struct nb_network *network,
                                  struct nb_error *err)
{
    struct nb_credit *credit = network->state;
    if (network->measure.class_count > 0)
        nb_measure_depths(network, credit->length);
    credit_enlist(network);
    for (size_t w = 0; w < credit->output_count / 64 + 1; w++)
        for (uint64_t bits = credit->loaded[w]; bits != 0; bits &= bits - 1)
            nb_credit_drain(network, (uint32_t)(64 * w) +
                                         (uint32_t)__builtin_ctzll(bits));
    for (size_t w = 0; w < credit->router_count / 64 + 1; w++)
        for (uint64_t bits = credit->asking[w] | credit->bidding[w]; bits != 0;
             bits &= bits - 1)
            credit_route(network,
                         (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits));
    credit_land(network, false);
    if (credit->has_far)
        credit_land(network, true);
    nb_credit_wake(network);
    return nb_watchdog_look(network, err);
}

/* Credits that are not available: for flits in the output buffer, on the
 * channel and in the buffers behind it, or on their way back. */
static uint32_t credit_queue(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct nb_credit *credit = network->state;
    return credit->length[channel];
}

static uint32_t credit_standing(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct nb_credit *credit = network->state;
    return credit->outputs[channel].count;
}

/* Flits sent to a buffer whose credits have not come back. */
static uint32_t credit_buffered(const void *context, uint32_t channel,
                                uint32_t virtual_channel)
{
    const struct nb_network *network = context;
    const struct nb_credit *credit = network->state;
    const struct nb_credit_output *out = &credit->outputs[channel];
    const uint32_t input = out->inputs + virtual_channel;
    if (credit->has_lanes &&
        network->plan->router.congestion == NB_CONGESTION_OUTPUT)
        return credit->lanes[input].count;
    const bool is_known = credit->has_lanes && !credit->has_messages;
    return out->depth - credit->links[input].credits +
           (is_known ? credit->lanes[input].filled : 0);
}

/* The virtual channels of the next hop of the packet that the scheme is asked
 * about. */
static uint64_t credit_permitted(const void *context, nb_route_state state,
                                 uint32_t router, uint32_t destination,
                                 uint32_t channel)
{
    const struct nb_network *network = context;
    uint32_t memory;
    const struct nb_vc_hop hop = {
        .state = state,
        .memory = network->packets.memory[network->asked_about],
        .router = router,
        .destination = destination,
        .channel = channel,
    };
    return nb_credit_permitted_to(network, network->asked_about, &hop, &memory);
}

static uint64_t credit_paused(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct nb_credit *credit = network->state;
    const struct nb_credit_output *out = &credit->outputs[channel];
    return credit->has_lanes
               ? out->paused
               : ~out->open & UINT64_MAX >> (64 - credit->virtual_channels);
}

static uint64_t credit_count_line(const struct nb_credit_line *line)
{
    return line->end - line->first;
}

static uint64_t credit_count_flits(const struct nb_network *network)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    uint64_t flits = credit->born_flits + credit->ended_flits +
                     credit_count_line(&credit->lines[false].arrivals) +
                     credit_count_line(&credit->lines[false].ends) +
                     credit_count_line(&credit->lines[true].arrivals) +
                     credit_count_line(&credit->lines[true].ends);
    for (size_t i = 0; i < credit->input_count; i++) {
        const struct nb_credit_input *in = &credit->inputs[i];
        if (in->packet != NB_NONE)
            flits += in->flits;
        for (uint32_t p = 0; p < in->count; p++)
            flits += nb_credit_part_of(credit, (uint32_t)i, p)->flits;
    }
    for (size_t l = 0; l < credit->list_count; l++)
        for (uint32_t p = credit->lists[l].first; p != NB_NONE;
             p = packets->next[p])
            flits += packets->flits[p];
    for (size_t o = 0; o < credit->output_count; o++)
        flits += credit->outputs[o].count;
    return flits;
}

const struct nb_engine nb_engine_credit = {
    .init = nb_credit_build,
    .release = nb_credit_release,
    .inject = credit_inject,
    .move = credit_move,
    .queue = credit_queue,
    .standing = credit_standing,
    .buffered = credit_buffered,
    .permitted = credit_permitted,
    .paused = credit_paused,
    .passed = nb_credit_passed,
    .latency = nb_credit_latency,
    .sample = nb_credit_sample,
    .waiting = nb_credit_waiting,
    .begins_at_front = true,
    .count_flits = credit_count_flits,
};
