/* The credit router's heads that ask for a virtual channel (declared in
 * credit.h). */
#include "sim/credit.h"

/* What an adaptive packet finds. */
struct heads_choice {
    uint32_t output;
    uint64_t available; /* virtual channels of it; 0: it has to wait */
    uint64_t outputs;   /* all that are permitted, modulo 64 */
};

/*
 * Of the permitted hops with a virtual channel for an adaptive packet that
 * with the shortest queue, ties evenly. The packet's state is that behind the
 * hop then.
 */
static struct heads_choice heads_choose(struct nb_network *network,
                                        uint32_t packet, uint32_t router)
{
    const struct nb_credit *credit = network->state;
    struct nb_packets *packets = &network->packets;
    const uint32_t destination =
        network->terminal_router[packets->target[packet]];
    const struct nb_routes_hop *list;
    const size_t count = nb_routes_list(
        &network->routes, packets->state[packet], router, destination, &list);
    struct heads_choice choice = { 0 };
    uint32_t least = UINT32_MAX, memory = 0;
    uint64_t ties = 0;
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t channel = list[i].channel;
        const struct nb_credit_output *out = &credit->outputs[channel];
        const uint32_t length = credit->length[channel];
        uint32_t next;
        choice.outputs |= (uint64_t)1 << channel % 64;
        if ((out->idle & out->open) == 0 || length > least)
            continue;
        const uint64_t available = nb_credit_available(
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
        memory = next;
    }
    if (choice.available != 0) {
        packets->state[packet] =
            nb_routes_next(&network->routes, packets->state[packet], router,
                           destination, &list[best]);
        packets->memory[packet] = memory;
    }
    return choice;
}

/* Ports and then sources, numbered as one. */
static inline uint32_t heads_port(const struct nb_credit *credit,
                                  const struct nb_credit_router *router,
                                  uint32_t input)
{
    return input < router->source
               ? (input - router->input) / credit->virtual_channels
               : router->port_count + input - router->source;
}

/* Whose turn it is at what a head asks for: that of the first virtual channel
 * it may have. One for all would be moved on by grants of others, and where
 * these alternate one port could be first for ever. Adaptive heads do not know
 * yet what they ask for: that of their router, which is drawn. */
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

static void heads_try_input(struct nb_network *network, uint32_t input)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_input *in = &credit->inputs[input];
    struct nb_credit_router *router = &credit->routers[in->router];
    const bool is_begun_anew = credit->is_begun_anew && in->channel == NB_NONE;
    uint32_t output = in->output;
    uint64_t available;
    if (credit->is_adaptive) {
        if (is_begun_anew)
            nb_credit_begin(network, in->packet);
        const struct heads_choice choice =
            heads_choose(network, in->packet, in->router);
        output = choice.output;
        available = choice.available;
        in->permitted = is_begun_anew ? UINT64_MAX : choice.outputs;
    } else {
        available = nb_credit_available(credit, &credit->outputs[output],
                                        in->permitted, in->left);
    }
    if (available == 0)
        return;
    nb_credit_toggle_head(credit, input);
    router->head_count--;
    *heads_turn(credit, router, in) = heads_port(credit, router, input) + 1;
    nb_credit_grant(
        network, input, output,
        nb_credit_best(credit, &credit->outputs[output], available));
}

/* The same for the first of an injection queue, which then gets the place of
 * its virtual channel. */
static void heads_try_list(struct nb_network *network, uint32_t number,
                           uint32_t index)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_list *list = &credit->lists[index];
    const struct heads_choice choice =
        heads_choose(network, list->first, number);
    list->outputs = choice.outputs;
    if (choice.available == 0)
        return;
    const uint32_t best = nb_credit_best(
        credit, &credit->outputs[choice.output], choice.available);
    const uint32_t channel =
        choice.output - network->topology->out_start[number];
    const uint32_t place = credit->routers[number].source +
                           channel * credit->virtual_channels + best;
    nb_credit_place(network, index, place);
    nb_credit_grant(network, place, choice.output, best);
}

/* Whether it is worth while to try: nothing changes for a head that has asked
 * before unless one of its outputs has a virtual channel that became free. */
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

/* Where a head stands in turn: ports from the router's turn on, and of each
 * its virtual channels from the port's turn on. */
static uint64_t heads_place(const struct nb_credit *credit,
                            struct nb_credit_router *router, uint32_t input)
{
    const uint32_t count = router->port_count + router->source_count;
    const uint32_t port = heads_port(credit, router, input);
    const uint32_t first = *heads_turn(credit, router, &credit->inputs[input]);
    const uint64_t place = (port < first ? port + count : port) - first;
    if (input >= router->source)
        return 64 * place;
    const uint32_t v = (input - router->input) % credit->virtual_channels;
    const uint32_t turn = credit->turn[credit->inputs[input].channel];
    return 64 * place + (v < turn ? v + 64 : v) - turn;
}

/* Heads of injection queues that may find a channel. Returns their number. */
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
                .age = credit->is_by_age ? list->age : UINT32_MAX,
                .number = index,
                .is_in_list = true,
            };
    }
    return found;
}

/* All of a router that may find a channel, with what orders them: age, or
 * place in turn, injection queues last. Returns their number. */
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
                    .age = credit->is_by_age
                               ? in->age
                               : heads_place(credit, router, input),
                    .number = input,
                };
        }
    return found;
}

/* By insertion: they are few, and injection queues come in order. */
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
    heads_sort(heads, count);
    for (size_t i = 0; i < count; i++)
        if (heads[i].is_in_list)
            heads_try_list(network, number, heads[i].number);
        else
            heads_try_input(network, heads[i].number);
    if (credit->is_begun_anew && router->head_count > 0)
        nb_credit_ask(credit, number);
}
