/* Watchdog: finds packets of the credit router that wait for each other forever
 * (declared in credit.h). */
#include "sim/routers/credit.h"

#include "core/text.h"
#include "core/try.h"

#include <string.h>

enum {
    WATCHDOG_PERIOD = 1024, /* [cycle] between checks, and of standing still */
    WATCHDOG_QUIET = 64,    /* [cycle] in addition to flights: nothing moves */
    WATCHDOG_CIRCLE = 8,    /* a longer cycle is abbreviated .. */
    WATCHDOG_SHOWN = 6,     /* .. to this number of channels */
    WATCHDOG_PACKETS = 4,   /* the same for packets of a protocol */
};

static inline bool watchdog_is_in(const struct nb_credit *credit,
                                  uint32_t input)
{
    return credit->stuck[input / 64] >> input % 64 & 1;
}

/* Whether a virtual channel will not become free, as far as the set shows. Its
 * holder goes on if it has a credit. */
static bool watchdog_is_shut(const struct nb_credit *credit, uint32_t input,
                             uint32_t need)
{
    const struct nb_credit_link *link = &credit->links[input];
    const struct nb_credit_output *out =
        &credit->outputs[credit->inputs[input].channel];
    if (credit->has_lanes &&
        (nb_credit_held(out) >> (input - out->inputs) & 1) == 0)
        return false;
    return watchdog_is_in(credit, input) &&
           (link->holder != NB_NONE ? link->credits == 0
                                    : link->credits < need);
}

/* The first virtual channel of a hop if all are shut, or NB_NONE. */
static uint32_t watchdog_shut_of(const struct nb_credit *credit,
                                 uint32_t channel, uint64_t permitted,
                                 uint32_t flits)
{
    const struct nb_credit_output *out = &credit->outputs[channel];
    const uint32_t behind = out->inputs;
    const uint32_t need = nb_credit_need(credit, out, flits);
    uint32_t first = NB_NONE;
    for (; permitted != 0; permitted &= permitted - 1) {
        const uint32_t input = behind + (uint32_t)__builtin_ctzll(permitted);
        if (!watchdog_is_shut(credit, input, need))
            return NB_NONE;
        if (first == NB_NONE)
            first = input;
    }
    return first;
}

/* The same for all hops of an adaptive packet. */
static uint32_t watchdog_shut_ways(struct nb_network *network,
                                   const struct nb_credit_input *in,
                                   uint32_t flits)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    const struct nb_routes_hop *list;
    const size_t count = nb_routes_list(
        &network->routes, packets->state[in->packet], in->router,
        network->terminal_router[packets->target[in->packet]], &list);
    uint32_t first = NB_NONE, memory;
    for (size_t i = 0; i < count; i++) {
        const uint32_t channel = list[i].channel;
        const uint32_t shut =
            watchdog_shut_of(credit, channel,
                             nb_credit_permitted(network, in->packet,
                                                 in->router, channel, &memory),
                             flits);
        if (shut == NB_NONE)
            return NB_NONE;
        if (first == NB_NONE)
            first = shut;
    }
    return first;
}

/* The place of the first of a terminal's replies until it has left. */
static uint32_t watchdog_place(const struct nb_network *network,
                               uint32_t terminal)
{
    const struct nb_credit *credit = network->state;
    const uint32_t router = network->terminal_router[terminal];
    return credit->routers[router].source +
           (terminal - network->terminal_start[router]) * credit->messages +
           NB_MESSAGE_REPLY;
}

/* What the front of an input waits for, within the set; NB_NONE if it may go on
 * eventually. A request without room at its terminal waits for the first of the
 * terminal's replies: no other one can leave before it. */
static uint32_t watchdog_waits_for(struct nb_network *network, uint32_t input)
{
    const struct nb_credit *credit = network->state;
    const struct nb_credit_input *in = &credit->inputs[input];
    if (in->is_waiting) {
        const uint32_t place =
            watchdog_place(network, network->packets.target[in->packet]);
        return watchdog_is_in(credit, place) ? place : NB_NONE;
    }
    if (in->is_taken)
        return NB_NONE;
    if (in->target != NB_NONE)
        return watchdog_is_shut(credit, in->target, 1) ? in->target : NB_NONE;
    if (in->output != NB_NONE && in->output >= network->topology->channel_count)
        return NB_NONE;
    return credit->is_adaptive
               ? watchdog_shut_ways(network, in, in->left)
               : watchdog_shut_of(credit, in->output, in->permitted, in->left);
}

/* Whether an input may be in the set: a buffer, or a reply at its source unless
 * its path is chosen anew. */
static bool watchdog_counts(const struct nb_network *network,
                            const struct nb_credit_input *in)
{
    const struct nb_credit *credit = network->state;
    return in->packet != NB_NONE &&
           (in->channel != NB_NONE ||
            (!credit->is_begun_anew &&
             network->packets.message[in->packet] == NB_MESSAGE_REPLY));
}

/* Fills the set with the inputs that have stood still for this long. */
static void watchdog_fill(const struct nb_network *network, uint64_t still)
{
    const struct nb_credit *credit = network->state;
    for (size_t w = 0; w < credit->input_count / 64 + 1; w++)
        credit->stuck[w] = 0;
    for (size_t i = 0; i < credit->input_count; i++) {
        const struct nb_credit_input *in = &credit->inputs[i];
        if (watchdog_counts(network, in) &&
            (uint32_t)network->cycle - in->moved >= still)
            credit->stuck[i / 64] |= (uint64_t)1 << i % 64;
    }
}

/* Removes inputs that may go on, until there are none. Returns one that is
 * left, or NB_NONE. */
static uint32_t watchdog_reduce(struct nb_network *network)
{
    struct nb_credit *credit = network->state;
    uint32_t left = NB_NONE;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        left = NB_NONE;
        for (size_t w = 0; w < credit->input_count / 64 + 1; w++)
            for (uint64_t bits = credit->stuck[w]; bits != 0;
                 bits &= bits - 1) {
                const uint32_t input =
                    (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);
                if (watchdog_waits_for(network, input) != NB_NONE) {
                    left = input;
                    continue;
                }
                credit->stuck[w] ^= bits & -bits;
                is_changed = true;
            }
    }
    return left;
}

static void watchdog_print(const struct nb_network *network, uint32_t input,
                           struct nb_text *text)
{
    const struct nb_credit *credit = network->state;
    const uint32_t c = credit->inputs[input].channel;
    const struct nb_channel *channel = &network->topology->channels[c];
    nb_text_print(text, "channel %u (router %u to %u) waits for ", c,
                  channel->source, channel->target);
}

/* A remedy against the cycle. */
static void watchdog_print_cure(const struct nb_network *network,
                                struct nb_text *text)
{
    struct nb_routing routing = *network->plan->routing;
    const struct nb_parameter *row = routing.kind->kind.parameters;
    struct nb_vc_classes classes = { 0 };
    while (row != NULL && row->name != NULL &&
           strcmp(row->name, "classes") != 0)
        row++;
    routing.vc_rule = "hop";
    if (!network->classes.rule->is_unprotected)
        nb_text_print(text, "more virtual channels or another scheme");
    else if (row != NULL && row->name != NULL &&
             nb_vc_classes_build(&routing, &classes, NULL) == NB_OK)
        nb_text_print(text, "%s:classes=hop, %u virtual channels",
                      routing.kind->kind.name, classes.count);
    else
        nb_text_print(text, "another scheme");
    nb_vc_classes_release(&classes);
}

/* Describes a packet of a cycle with requests that wait for room and replies
 * that have it. */
static void watchdog_print_packet(struct nb_network *network, uint32_t input,
                                  struct nb_text *text)
{
    const struct nb_credit *credit = network->state;
    const struct nb_packets *packets = &network->packets;
    const struct nb_credit_input *in = &credit->inputs[input];
    const uint32_t next = watchdog_waits_for(network, input);
    const uint32_t target = packets->target[in->packet];
    nb_text_print(text, "%s of terminal %u to %u",
                  packets->message[in->packet] == NB_MESSAGE_REPLY ? "reply"
                                                                   : "request",
                  packets->source[in->packet], target);
    if (in->channel != NB_NONE)
        nb_text_print(text, " in channel %u (router %u to %u)", in->channel,
                      network->topology->channels[in->channel].source,
                      network->topology->channels[in->channel].target);
    if (in->is_waiting)
        nb_text_print(text, " waits for room for replies at terminal %u; ",
                      target);
    else
        nb_text_print(text, " waits for channel %u; ",
                      credit->inputs[next].channel);
}

/* The deadlock of a protocol. first: a request that waits for room; length: of
 * its cycle. Errors: NB_INVALID; NB_NO_MEMORY. */
static enum nb_status watchdog_fail_protocol(struct nb_network *network,
                                             uint32_t first, size_t length,
                                             struct nb_error *err)
{
    const size_t shown =
        length > WATCHDOG_PACKETS ? WATCHDOG_PACKETS - 1 : length;
    struct nb_text circle = { 0 };
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < shown; i++) {
        watchdog_print_packet(network, first, &circle);
        first = watchdog_waits_for(network, first);
    }
    if (shown < length)
        nb_text_print(&circle, "%zu more; ", length - shown);
    NB_TRY(nb_text_check(&circle, err));
    status = nb_fail(err, NB_INVALID,
                     "deadlock of requests and replies at cycle %ju: %sand so "
                     "on (try virtual-networks %d)",
                     (uintmax_t)network->cycle, circle.bytes, NB_MESSAGES);
done:
    nb_text_release(&circle);
    return status;
}

/* The first request that waits for room from an input on, in a cycle of this
 * length; NB_NONE if there is none. */
static uint32_t watchdog_find_request(struct nb_network *network, uint32_t at,
                                      size_t length)
{
    const struct nb_credit *credit = network->state;
    for (size_t i = 0; i < length; i++) {
        if (credit->inputs[at].is_waiting)
            return at;
        at = watchdog_waits_for(network, at);
    }
    return NB_NONE;
}

static enum nb_status watchdog_fail(struct nb_network *network, uint32_t left,
                                    struct nb_error *err)
{
    const struct nb_credit *credit = network->state;
    struct nb_text circle = { 0 }, routing = { 0 }, topology = { 0 };
    struct nb_text cure = { 0 };
    size_t length = 0;
    uint32_t at;
    enum nb_status status = NB_OK;
    /* Following far enough ends on a cycle. */
    for (size_t i = 0; i < credit->input_count; i++)
        left = watchdog_waits_for(network, left);
    for (at = left; length == 0 || at != left; length++)
        at = watchdog_waits_for(network, at);
    const uint32_t request = watchdog_find_request(network, at, length);
    if (request != NB_NONE)
        return watchdog_fail_protocol(network, request, length, err);
    const size_t shown = length > WATCHDOG_CIRCLE ? WATCHDOG_SHOWN : length;
    for (size_t i = 0; i < shown; i++) {
        watchdog_print(network, at, &circle);
        at = watchdog_waits_for(network, at);
    }
    if (shown < length)
        nb_text_print(&circle, "... %zu more ... ", length - shown);
    nb_specification_print(&network->plan->routing->specification, &routing);
    nb_specification_print(&network->topology->specification, &topology);
    watchdog_print_cure(network, &cure);
    NB_TRY(nb_text_check(&cure, err));
    NB_TRY(nb_text_check(&circle, err));
    NB_TRY(nb_text_check(&routing, err));
    NB_TRY(nb_text_check(&topology, err));
    status = nb_fail(err, NB_INVALID,
                     "deadlock at cycle %ju: %schannel %u; routing %.40s %s "
                     "on %.40s (try %s)",
                     (uintmax_t)network->cycle, circle.bytes,
                     credit->inputs[left].channel, routing.bytes,
                     network->classes.rule->is_unprotected
                         ? "has no protection"
                         : "is not protected by its virtual channels",
                     topology.bytes, cure.bytes);
done:
    nb_text_release(&cure);
    nb_text_release(&circle);
    nb_text_release(&routing);
    nb_text_release(&topology);
    return status;
}

enum nb_status nb_watchdog_look(struct nb_network *network,
                                struct nb_error *err)
{
    const struct nb_credit *credit = network->state;
    const struct nb_router *router = &network->plan->router;
    const uint64_t flight =
        (uint64_t)(credit->has_far &&
                           router->global_latency > router->channel_latency
                       ? router->global_latency
                       : router->channel_latency) +
        router->pipeline;
    const uint64_t quiet = network->cycle - credit->moved;
    uint64_t still = 2 * flight + WATCHDOG_PERIOD;
    if (quiet == 2 * flight + WATCHDOG_QUIET)
        still = flight + WATCHDOG_QUIET;
    else if ((network->cycle + 1) % WATCHDOG_PERIOD != 0)
        return NB_OK;
    watchdog_fill(network, still);
    const uint32_t left = watchdog_reduce(network);
    return left == NB_NONE ? NB_OK : watchdog_fail(network, left, err);
}
