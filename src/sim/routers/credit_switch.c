/* The credit router's switches, output buffers and channels (declared in
 * credit.h). */
#include "sim/routers/credit.h"

/* The tokens of an output for this cycle. An idle channel saves up only enough
 * to send at once. */
static inline void output_pay(const struct nb_credit *credit,
                              struct nb_credit_output *out, uint64_t cycle)
{
    const uint64_t elapsed = cycle + 1 - out->paid;
    if (elapsed == 0)
        return;
    out->paid = cycle + 1;
    if (out->price == 1) { /* a channel in use saves nothing */
        out->tokens = out->gain;
        return;
    }
    /* It was requested in the last cycle, too, and not paused. */
    if (out->count > 0 && !credit->has_lanes) {
        out->tokens += out->gain;
        return;
    }
    const uint64_t most = credit->has_lanes        ? out->price + out->gain - 1
                          : out->price > out->gain ? out->price
                                                   : out->gain;
    out->tokens =
        elapsed > most / out->gain || out->tokens + elapsed * out->gain > most
            ? most
            : out->tokens + elapsed * out->gain;
}

/* A flit starts on its channel. */
static inline void output_start(struct nb_network *network, uint32_t output,
                                struct nb_credit_flit flit)
{
    struct nb_credit *credit = network->state;
    network->measure.sent[output]++;
    credit->outputs[output].tokens -= credit->outputs[output].price;
    if (flit.input == NB_NONE)
        credit->length[output]--;
    struct nb_credit_lines *lines =
        &credit->lines[credit->outputs[output].is_far];
    nb_credit_push(flit.input == NB_NONE || (flit.packet & NB_FLIT_LAST) != 0
                       ? &lines->ends
                       : &lines->arrivals,
                   flit.input, flit.packet);
    if (credit->has_lanes && flit.input != NB_NONE)
        nb_credit_flow_send(credit, flit);
}

/* An output with a buffer per virtual channel. */
static void output_drain_lanes(struct nb_network *network, uint32_t output)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_output *out = &credit->outputs[output];
    while ((out->waiting & ~nb_credit_held(out)) != 0 &&
           out->tokens >= out->price)
        output_start(network, output, nb_credit_flow_take(credit, output));
    if (out->count == 0)
        credit->loaded[output / 64] &= ~((uint64_t)1 << output % 64);
}

/* Where flits of an output wait that belong to no virtual channel. */
static inline struct nb_credit_flit *
output_buffer(const struct nb_credit *credit, uint32_t output)
{
    const size_t lanes = credit->has_lanes ? credit->virtual_channels : 1;
    return credit->buffered + output * lanes * credit->output_buffer;
}

void nb_credit_drain(struct nb_network *network, uint32_t output)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_output *out = &credit->outputs[output];
    const struct nb_credit_flit *buffer = output_buffer(credit, output);
    output_pay(credit, out, network->cycle);
    if (credit->has_lanes && out->inputs != NB_NONE) {
        output_drain_lanes(network, output);
        return;
    }
    while (out->count > 0 && out->tokens >= out->price) {
        output_start(network, output, buffer[out->first]);
        out->first =
            out->first + 1 == credit->output_buffer ? 0 : out->first + 1;
        out->count--;
    }
    if (out->count > 0)
        return;
    out->first = 0; /* so that deep buffers stay in the caches */
    credit->loaded[output / 64] &= ~((uint64_t)1 << output % 64);
}

/* Whether nothing stands before a flit for an input. */
static inline bool output_is_free(const struct nb_credit *credit,
                                  const struct nb_credit_output *out,
                                  uint32_t input)
{
    return credit->has_lanes && input != NB_NONE
               ? ((out->waiting | nb_credit_held(out)) >>
                      (input - out->inputs) &
                  1) == 0
               : out->count == 0;
}

/* Whether there is room for its flit; a virtual channel's own buffer needs
 * credits. */
static inline bool output_has_room(const struct nb_credit *credit,
                                   const struct nb_credit_output *out)
{
    return out->count < credit->output_buffer ||
           (credit->has_lanes && out->inputs != NB_NONE);
}

/* A flit that has passed the switch: onto its channel or into the buffer. */
static void credit_put(struct nb_network *network, uint32_t output,
                       struct nb_credit_flit flit)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_output *out = &credit->outputs[output];
    credit->length[output]++;
    output_pay(credit, out, network->cycle);
    if (output_is_free(credit, out, flit.input) && out->tokens >= out->price) {
        output_start(network, output, flit);
        return;
    }
    credit->loaded[output / 64] |= (uint64_t)1 << output % 64;
    if (credit->has_lanes && flit.input != NB_NONE) {
        nb_credit_flow_put(credit, flit);
        return;
    }
    const uint32_t room = credit->output_buffer - out->first;
    const uint32_t place =
        out->count < room ? out->first + out->count : out->count - room;
    output_buffer(credit, output)[place] = flit;
    out->count++;
}

static inline uint32_t switch_local(const struct nb_credit *credit,
                                    uint32_t input)
{
    return input - credit->routers[credit->inputs[input].router].input;
}

static void switch_toggle(struct nb_credit *credit, uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    const uint32_t local = switch_local(credit, input);
    credit->bits[credit->outputs[in->output].bids + local / 64] ^=
        (uint64_t)1 << local % 64;
}

/* The first input begins to bid for an output, or the last one ends. */
static void switch_toggle_output(struct nb_credit *credit,
                                 const struct nb_credit_output *out)
{
    credit->bits[credit->routers[out->router].asked + out->index / 64] ^=
        (uint64_t)1 << out->index % 64;
}

void nb_credit_bid(struct nb_credit *credit, uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    struct nb_credit_output *out = &credit->outputs[in->output];
    switch_toggle(credit, input);
    if (out->bid_count++ == 0)
        switch_toggle_output(credit, out);
    if (credit->routers[in->router].bid_count++ == 0)
        credit->bidding[in->router / 64] |= (uint64_t)1 << in->router % 64;
}

static void credit_unbid(struct nb_credit *credit, uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    struct nb_credit_output *out = &credit->outputs[in->output];
    switch_toggle(credit, input);
    if (--out->bid_count == 0)
        switch_toggle_output(credit, out);
    if (--credit->routers[in->router].bid_count == 0)
        credit->bidding[in->router / 64] ^= (uint64_t)1 << in->router % 64;
}

/* The packet in front has left; true if a source has another one. */
static bool switch_advance(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    if (in->channel == NB_NONE)
        return nb_credit_leave(network, input);
    if (in->count == 0) {
        in->packet = NB_NONE;
        return false;
    }
    const struct nb_credit_part *part = nb_credit_part_of(credit, input, 0);
    in->packet = part->packet;
    in->flits = (uint16_t)part->flits;
    in->first =
        in->first + 1 == credit->outputs[in->channel].ring ? 0 : in->first + 1;
    if (--in->count == 0)
        in->first = 0; /* so that deep buffers stay in the caches */
    nb_credit_face(network, input);
    return false;
}

/* The flit has gone to the buffer that its packet holds. */
static void switch_use(struct nb_credit *credit, struct nb_credit_input *in)
{
    struct nb_credit_link *behind = &credit->links[in->target];
    struct nb_credit_output *out = &credit->outputs[in->output];
    const uint64_t bit = (uint64_t)1 << (in->target - out->inputs);
    if (--behind->credits == 0)
        out->open ^= bit;
    if (in->left > 0)
        return;
    behind->holder = NB_NONE;
    out->idle ^= bit;
    nb_credit_offer(credit, in->output);
}

void nb_credit_swallow(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    const uint32_t packet = in->packet;
    const uint16_t flits = in->flits;
    in->moved = (uint32_t)network->cycle;
    credit->moved = network->cycle;
    in->left -= flits;
    in->flits = 0;
    for (uint16_t i = 0; in->channel != NB_NONE && i < flits; i++)
        if (credit->has_messages)
            nb_credit_flow_leave(credit, input);
        else
            nb_credit_send_back(credit, input);
    credit->ended_flits += flits;
    if (in->left > 0)
        return;
    switch_advance(network, input);
    credit->ended_flits -= network->packets.flits[packet];
    nb_network_deliver(network, packet, network->cycle + 1);
}

/* A packet keeps its output from its first flit to its last. */
static void switch_keep(struct nb_credit *credit, uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    struct nb_credit_output *out = &credit->outputs[in->output];
    if ((out->passing != NB_NONE) != (in->left > 0))
        credit->bits[credit->routers[out->router].held + out->index / 64] ^=
            (uint64_t)1 << out->index % 64;
    out->passing = in->left > 0 ? input : NB_NONE;
}

/* Passes one flit; true if its source has another packet for this pass. */
static bool switch_pass(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    const uint32_t output = in->output, target = in->target;
    uint32_t flit = in->packet;
    if (!in->is_begun) {
        in->is_begun = true;
        network->packets.hops[in->packet]++;
        if (credit->outputs[output].is_far)
            network->packets.far[in->packet]++;
        flit |= NB_FLIT_HEAD;
        credit->passed[output]++;
    }
    in->flits--;
    in->left--;
    in->moved = (uint32_t)network->cycle;
    credit->moved = network->cycle;
    if (credit->is_by_packet)
        switch_keep(credit, input);
    flit |= in->left == 0 ? (uint32_t)NB_FLIT_TAIL : 0;
    flit |= in->is_last ? NB_FLIT_LAST : 0;
    credit_put(network, output,
               (struct nb_credit_flit){ .input = target, .packet = flit });
    if (target != NB_NONE)
        switch_use(credit, in);
    if (in->channel != NB_NONE && credit->has_messages)
        nb_credit_flow_leave(credit, input);
    else if (in->channel != NB_NONE)
        nb_credit_send_back(credit, input);
    if (in->flits == 0 ||
        (target != NB_NONE && credit->links[target].credits == 0))
        credit_unbid(credit, input);
    return in->left == 0 && switch_advance(network, input);
}

static inline uint32_t switch_oldest(const struct nb_credit *credit,
                                     const struct nb_credit_router *router,
                                     const struct nb_credit_output *out)
{
    uint32_t best = NB_NONE;
    uint64_t age = UINT64_MAX;
    for (uint32_t w = 0; w < router->words; w++)
        for (uint64_t bits = credit->bits[out->bids + w] & ~credit->taken[w];
             bits != 0; bits &= bits - 1) {
            const uint32_t input =
                router->input + 64 * w + (uint32_t)__builtin_ctzll(bits);
            if (credit->inputs[input].age < age) {
                age = credit->inputs[input].age;
                best = input;
            }
        }
    return best;
}

/* The first of a port's bidding virtual channels, from its turn on. */
static uint32_t switch_next_of_port(struct nb_credit *credit,
                                    const struct nb_credit_router *router,
                                    const struct nb_credit_output *out,
                                    uint32_t port)
{
    const uint32_t width = credit->virtual_channels;
    const uint32_t first = port * width, shift = first % 64;
    const uint64_t *words = &credit->bits[out->bids + first / 64];
    uint8_t *turn =
        &credit->turn[credit->inputs[router->input + first].channel];
    uint64_t bids = words[0] >> shift;
    if (shift + width > 64)
        bids |= words[1] << (64 - shift);
    bids &= UINT64_MAX >> (64 - width);
    const uint64_t after = bids & UINT64_MAX << *turn;
    const uint32_t v = (uint32_t)__builtin_ctzll(after != 0 ? after : bids);
    *turn = (uint8_t)(v + 1 == width ? 0 : v + 1);
    return router->input + first + v;
}

/* The next port or source with a bid from the output's turn on. */
static uint32_t switch_next(struct nb_credit *credit,
                            const struct nb_credit_router *router,
                            struct nb_credit_output *out)
{
    const uint32_t words = router->words, width = credit->virtual_channels;
    uint32_t w = out->turn / 64;
    uint64_t bits = credit->bits[out->bids + w] & ~credit->taken[w] &
                    UINT64_MAX << out->turn % 64;
    for (uint32_t i = 0; i < words && bits == 0; i++) {
        w = w + 1 == words ? 0 : w + 1;
        bits = credit->bits[out->bids + w] & ~credit->taken[w];
    }
    if (bits == 0)
        return NB_NONE;
    const uint32_t local = 64 * w + (uint32_t)__builtin_ctzll(bits);
    const bool is_port = local < router->source - router->input;
    const uint32_t port = is_port ? credit->port_of[local] : 0;
    const uint32_t next = is_port ? (port + 1) * width : local + 1;
    out->turn = next == 64 * words ? 0 : next;
    return is_port ? switch_next_of_port(credit, router, out, port)
                   : router->input + local;
}

/* An input port passes one flit per pass, and so does a source with a limited
 * terminal. */
static inline void switch_take(struct nb_credit *credit,
                               const struct nb_credit_router *router,
                               uint32_t input, bool is_limited)
{
    const uint32_t width = credit->virtual_channels;
    uint32_t local = input - router->input;
    uint64_t port = UINT64_MAX >> (64 - width);
    if (input >= router->source) { /* all messages of its terminal */
        const uint32_t place = input - router->source;
        local -= place % credit->messages;
        port = is_limited ? ((uint64_t)1 << credit->messages) - 1 : 0;
    } else {
        local = credit->port_of[local] * width;
    }
    credit->taken[local / 64] |= port << local % 64;
    if (local % 64 != 0 && port >> (64 - local % 64) != 0)
        credit->taken[local / 64 + 1] |= port >> (64 - local % 64);
}

/* Forgets what was taken in the last pass; sources of limited terminals have
 * one flit per cycle. */
static void switch_clear(struct nb_credit *credit,
                         const struct nb_credit_router *router, uint32_t pass)
{
    const uint32_t ports = router->source - router->input;
    for (uint32_t w = 0; w < router->words; w++)
        if (pass == 0 || credit->is_by_packet || 64 * w + 64 <= ports)
            credit->taken[w] = 0;
        else if (64 * w < ports)
            credit->taken[w] &= UINT64_MAX << ports % 64;
}

/* The first output, from an index on, that inputs bid for; the number of
 * outputs if there is none. */
static inline uint32_t switch_asked(const struct nb_credit *credit,
                                    const struct nb_credit_router *router,
                                    uint32_t index)
{
    const uint64_t *asked = credit->bits + router->asked;
    const uint32_t count = router->output_count;
    uint64_t bits = asked[index / 64] & UINT64_MAX << index % 64;
    uint32_t w = index / 64;
    while (bits == 0 && 64 * (w + 1) < count)
        bits = asked[++w];
    return bits != 0 ? 64 * w + (uint32_t)__builtin_ctzll(bits) : count;
}

/* An output takes a flit, if it can; true if its source has another packet for
 * this pass. */
static bool switch_serve(struct nb_network *network,
                         const struct nb_credit_router *router, uint32_t number,
                         uint32_t index, uint64_t stamp)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_output *out =
        &credit->outputs[nb_credit_output_of(network, router, number, index)];
    if (out->stamp == stamp || !output_has_room(credit, out))
        return false;
    const uint32_t input = credit->is_by_age
                               ? switch_oldest(credit, router, out)
                               : switch_next(credit, router, out);
    if (input == NB_NONE)
        return false;
    out->stamp = stamp;
    switch_take(credit, router, input, network->has_terminal_queues);
    return switch_pass(network, input);
}

/* The inputs that may pass a flit, of those that bid for outputs with room.
 * eligible: out, [words of the router]. Returns whether there are any. */
static bool separable_gather(const struct nb_network *network,
                             const struct nb_credit_router *router,
                             uint32_t number, uint64_t *eligible)
{
    const struct nb_credit *credit = network->state;
    const uint32_t count = router->output_count;
    uint64_t any = 0;
    for (uint32_t w = 0; w < router->words; w++)
        eligible[w] = 0;
    for (uint32_t i = 0; (i = switch_asked(credit, router, i)) < count; i++) {
        const struct nb_credit_output *out =
            &credit->outputs[nb_credit_output_of(network, router, number, i)];
        if (!output_has_room(credit, out) || out->passing != NB_NONE)
            continue;
        for (uint32_t w = 0; w < router->words; w++)
            eligible[w] |= credit->bits[out->bids + w] & ~credit->taken[w];
    }
    for (uint32_t w = 0; w < router->words; w++)
        any |= eligible[w];
    return any != 0;
}

/* The place of an input among those that propose to its output; the lowest is
 * taken first. */
static uint64_t separable_place(const struct nb_credit *credit,
                                const struct nb_credit_router *router,
                                uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    const uint32_t local = input - router->input;
    const uint32_t turn = credit->outputs[in->output].turn;
    if (credit->is_by_age)
        return in->age;
    if (credit->served != NULL)
        return credit->served[input] +
               (credit->is_transit_first && in->channel == NB_NONE
                    ? (uint64_t)1 << 63
                    : 0);
    return local >= turn ? local - turn : local + 64 * router->words - turn;
}

/* An input proposes a packet to its output, which keeps the one whose turn
 * comes first. */
static void separable_name(struct nb_credit *credit,
                           const struct nb_credit_router *router,
                           uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    const struct nb_credit_output *out = &credit->outputs[in->output];
    struct nb_credit_asked *asked = &credit->named[out->index];
    const uint64_t place = separable_place(credit, router, input);
    if (asked->input == NB_NONE || place < asked->place)
        *asked = (struct nb_credit_asked){ .place = place, .input = input };
}

/* The packet that an input port proposes, of its virtual channels that may pass
 * a flit: the oldest, the least recently served, or the first from its turn
 * on. */
static uint32_t separable_choose(const struct nb_credit *credit, uint32_t first,
                                 uint64_t ready)
{
    const uint32_t turn = credit->turn[credit->inputs[first].channel];
    const uint64_t after = ready & UINT64_MAX << turn;
    uint32_t best = (uint32_t)__builtin_ctzll(after != 0 ? after : ready);
    const bool is_in_turn = !credit->is_by_age && credit->served == NULL;
    for (; !is_in_turn && ready != 0; ready &= ready - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(ready);
        if (credit->served != NULL
                ? credit->served[first + v] < credit->served[first + best]
                : credit->inputs[first + v].age <
                      credit->inputs[first + best].age)
            best = v;
    }
    return first + best;
}

static void separable_name_all(struct nb_credit *credit,
                               const struct nb_credit_router *router,
                               const uint64_t *eligible)
{
    const uint32_t width = credit->virtual_channels;
    const uint32_t ports = router->source - router->input;
    uint32_t local = 0;
    while (local < 64 * router->words) {
        uint64_t ready = eligible[local / 64] >> local % 64;
        if (ready == 0) { /* whole ports, if they extend over several words */
            local += 64 - local % 64;
            continue;
        }
        local += (uint32_t)__builtin_ctzll(ready);
        if (local >= ports) {
            separable_name(credit, router, router->input + local++);
            continue;
        }
        const uint32_t first = credit->port_of[local] * width;
        ready = eligible[first / 64] >> first % 64;
        if (first % 64 + width > 64)
            ready |= eligible[first / 64 + 1] << (64 - first % 64);
        ready &= UINT64_MAX >> (64 - width);
        separable_name(credit, router,
                       separable_choose(credit, router->input + first, ready));
        local = first + width;
    }
}

static bool switch_is_taken(const struct nb_credit *credit,
                            const struct nb_credit_router *router,
                            uint32_t input)
{
    const uint32_t local = input - router->input;
    return credit->taken[local / 64] >> local % 64 & 1;
}

/* Both sides agree; each asks the one after it first next time. */
static void separable_agree(struct nb_credit *credit,
                            const struct nb_credit_router *router,
                            uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    const uint32_t width = credit->virtual_channels;
    const uint32_t local = input - router->input;
    uint32_t next = local + 1;
    if (credit->served != NULL)
        credit->served[input] = ++credit->taken_count;
    if (in->channel != NB_NONE) {
        const uint32_t port = credit->port_of[local];
        const uint32_t v = local - port * width;
        credit->turn[in->channel] = (uint8_t)(v + 1 == width ? 0 : v + 1);
        next = (port + 1) * width;
    }
    credit->outputs[in->output].turn = next == 64 * router->words ? 0 : next;
}

/*
 * One pass in two steps: every input proposes one packet, every output takes
 * one of those proposed to it. A turn moves only when a packet is taken, so
 * that outputs that are always requested come to differ in whom they take next.
 * Source: [McKeown1999]; [Benito2020, section 2.1].
 */
static void separable_switch(struct nb_network *network, uint32_t number,
                             uint64_t *eligible)
{
    struct nb_credit *credit = network->state;
    const struct nb_credit_router *router = &credit->routers[number];
    if (!separable_gather(network, router, number, eligible))
        return;
    separable_name_all(credit, router, eligible);
    const uint32_t count = router->output_count;
    for (uint32_t i = 0; (i = switch_asked(credit, router, i)) < count; i++) {
        const uint32_t input = credit->named[i].input;
        if (input == NB_NONE)
            continue;
        credit->named[i].input = NB_NONE;
        if (switch_is_taken(credit, router, input))
            continue; /* another message of its terminal was faster */
        separable_agree(credit, router, input);
        switch_take(credit, router, input, network->has_terminal_queues);
        switch_pass(network, input);
    }
}

/* Whether a flit of the packet in front is here: a terminal sends one per
 * cycle. */
static bool packet_has_flit(const struct nb_network *network, uint32_t input)
{
    const struct nb_credit *credit = network->state;
    const struct nb_credit_input *in = &credit->inputs[input];
    return in->channel != NB_NONE || !network->has_terminal_queues ||
           credit->lists[in->list].sent <= network->cycle + in->left;
}

/* Goes on with the packets that have begun to pass. */
static void packet_go_on(struct nb_network *network, uint32_t number)
{
    const struct nb_credit *credit = network->state;
    const struct nb_credit_router *router = &credit->routers[number];
    for (uint32_t w = 0; 64 * w < router->output_count; w++)
        for (uint64_t held = credit->bits[router->held + w]; held != 0;
             held &= held - 1) {
            const uint32_t index = 64 * w + (uint32_t)__builtin_ctzll(held);
            const struct nb_credit_output *out =
                &credit->outputs[nb_credit_output_of(network, router, number,
                                                     index)];
            const uint32_t input = out->passing;
            const uint32_t local = input - router->input;
            switch_take(network->state, router, input, true);
            if ((credit->bits[out->bids + local / 64] >> local % 64 & 1) != 0 &&
                output_has_room(credit, out) && packet_has_flit(network, input))
                switch_pass(network, input);
        }
}

/* Adds the heads that ask for an output to the inputs that may pass a flit,
 * which so far are those that ask for a terminal. */
static void packet_ask(struct nb_network *network, uint32_t number,
                       uint64_t *eligible)
{
    struct nb_credit *credit = network->state;
    const struct nb_credit_router *router = &credit->routers[number];
    for (uint32_t w = 0; w < router->words; w++)
        for (uint64_t heads =
                 credit->bits[router->heads + w] & ~credit->taken[w];
             heads != 0; heads &= heads - 1) {
            const uint32_t local = 64 * w + (uint32_t)__builtin_ctzll(heads);
            const uint32_t input = router->input + local;
            struct nb_credit_wish *wish = &credit->wishes[local];
            nb_credit_wish(network, input, wish);
            if (wish->available == 0 || !packet_has_flit(network, input) ||
                !output_has_room(credit, &credit->outputs[wish->output]))
                continue;
            credit->inputs[input].output = wish->output;
            eligible[w] |= (uint64_t)1 << local % 64;
        }
}

/* Heads of adaptive packets that were not taken ask for any output again. */
static void packet_forget(struct nb_credit *credit,
                          const struct nb_credit_router *router)
{
    for (uint32_t w = 0; credit->is_adaptive && w < router->words; w++)
        for (uint64_t heads = credit->bits[router->heads + w]; heads != 0;
             heads &= heads - 1)
            credit
                ->inputs[router->input + 64 * w +
                         (uint32_t)__builtin_ctzll(heads)]
                .output = NB_NONE;
}

/* The input that an output takes begins to pass its packet. */
static void packet_begin(struct nb_network *network, uint32_t number,
                         uint32_t input)
{
    struct nb_credit *credit = network->state;
    const struct nb_credit_router *router = &credit->routers[number];
    const uint32_t local = input - router->input;
    separable_agree(credit, router, input);
    switch_take(credit, router, input, true);
    if ((credit->bits[router->heads + local / 64] >> local % 64 & 1) != 0)
        nb_credit_fulfil(network, input, &credit->wishes[local]);
    switch_pass(network, input);
}

/* One pass of whole packets: those that have begun go on, then inputs and
 * outputs that are not in use are matched as in separable_switch. */
static void packet_switch(struct nb_network *network, uint32_t number,
                          uint64_t *eligible)
{
    struct nb_credit *credit = network->state;
    const struct nb_credit_router *router = &credit->routers[number];
    packet_go_on(network, number);
    (void)separable_gather(network, router, number, eligible);
    packet_ask(network, number, eligible);
    separable_name_all(credit, router, eligible);
    for (uint32_t i = 0; i < router->output_count; i++) {
        const uint32_t input = credit->named[i].input;
        credit->named[i].input = NB_NONE;
        if (input != NB_NONE && !switch_is_taken(credit, router, input))
            packet_begin(network, number, input);
    }
    packet_forget(credit, router);
}

void nb_credit_switch(struct nb_network *network, uint32_t number,
                      uint32_t pass)
{
    struct nb_credit *credit = network->state;
    const struct nb_credit_router *router = &credit->routers[number];
    const uint32_t count = router->output_count;
    const uint64_t stamp = network->cycle * credit->speedup + pass + 1;
    const uint32_t first = (uint32_t)stamp % count;
    bool is_again;
    switch_clear(credit, router, pass);
    if (credit->is_by_packet) {
        packet_switch(network, number, credit->eligible);
        return;
    }
    if (credit->is_separable) {
        separable_switch(network, number, credit->eligible);
        return;
    }
    do {
        is_again = false;
        for (uint32_t i = first; (i = switch_asked(credit, router, i)) < count;
             i++)
            is_again |= switch_serve(network, router, number, i, stamp);
        for (uint32_t i = 0; (i = switch_asked(credit, router, i)) < first; i++)
            is_again |= switch_serve(network, router, number, i, stamp);
        is_again = is_again && !network->has_terminal_queues;
        if (is_again)
            nb_credit_allocate(network, number);
    } while (is_again && router->bid_count > 0);
}
