/* Checks a credit router's parameters and allocates its arrays, once (declared
 * in credit.h). */
#include "sim/routers/credit.h"

#include "core/memory.h"
#include "core/text.h"

#include <assert.h>
#include <math.h>

enum { CHECK_FLITS = 1 << 24, CHECK_CYCLES = 1 << 16, CHECK_SPEEDUP = 64 };

static enum nb_status check_range(const char *what, uint32_t value,
                                  uint32_t least, uint32_t most,
                                  struct nb_error *err)
{
    if (value >= least && value <= most)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "credit router: %s %u (permitted: %u to %u)", what, value,
                   least, most);
}

static uint32_t credit_networks(const struct nb_network *network)
{
    const uint32_t given = network->plan->router.virtual_networks;
    return given > 0 ? given : 1;
}

static enum nb_status check_channels(const struct nb_network *network,
                                     uint32_t given, struct nb_error *err)
{
    struct nb_text routing = { 0 }, topology = { 0 };
    enum nb_status status = NB_OK;
    if (given >= network->classes.count && given <= NB_MOST_VC_CLASSES)
        return NB_OK;
    nb_specification_print(&network->plan->routing->specification, &routing);
    nb_specification_print(&network->topology->specification, &topology);
    NB_TRY(nb_text_check(&routing, err));
    NB_TRY(nb_text_check(&topology, err));
    status = nb_fail(
        err, NB_INVALID,
        "routing %.80s on %.80s needs %u virtual channels, got %u (permitted: "
        "%u to %d; classes by %s%s)",
        routing.bytes, topology.bytes, network->classes.count, given,
        network->classes.count, NB_MOST_VC_CLASSES,
        network->classes.rule->summary,
        nb_vc_phases(network->plan->routing) > 1 ? ", in two phases" : "");
done:
    nb_text_release(&routing);
    nb_text_release(&topology);
    return status;
}

/* The same for virtual networks, each with all classes. */
static enum nb_status check_networks(const struct nb_network *network,
                                     uint32_t given, struct nb_error *err)
{
    const uint32_t networks = credit_networks(network);
    const uint32_t least = networks * network->classes.count;
    if (networks == 1 || (given >= least && given <= NB_MOST_VC_CLASSES))
        return NB_OK;
    if (least > NB_MOST_VC_CLASSES)
        return nb_fail(err, NB_INVALID,
                       "%u virtual networks of %u classes need %u virtual "
                       "channels, the maximum is %d (permitted: 1 to %u "
                       "virtual networks)",
                       networks, network->classes.count, least,
                       NB_MOST_VC_CLASSES,
                       NB_MOST_VC_CLASSES / network->classes.count);
    return nb_fail(
        err, NB_INVALID,
        "%u virtual networks of %u classes need %u virtual channels, got %u "
        "(permitted: %u to %d)",
        networks, network->classes.count, least, given, least,
        NB_MOST_VC_CLASSES);
}

/* Errors: NB_INVALID if a buffer behind a channel might overflow. */
static enum nb_status check_thresholds(const struct nb_network *network,
                                       uint32_t channel, uint32_t longest,
                                       struct nb_error *err)
{
    const struct nb_router *router = &network->plan->router;
    struct nb_flow_thresholds found;
    nb_flow_thresholds_find(
        router, nb_channel_is_global(network->topology, channel),
        nb_network_bandwidth(network, channel), longest, &found);
    if (found.most < 1)
        return nb_fail(err, NB_INVALID,
                       "a buffer of %u flits behind channel %u may overflow: "
                       "%g arrive after it has said stop (permitted: buffers "
                       "of %g or more, or flow-control credits)",
                       found.buffer, channel, found.sent, found.sent);
    if (found.xoff > found.most)
        return nb_fail(err, NB_INVALID,
                       "a buffer of %u flits that says stop at xoff %u may "
                       "overflow: %g arrive over channel %u before that is "
                       "heard (permitted: xoff 1 to %g)",
                       found.buffer, found.xoff, found.sent, channel,
                       found.most);
    if (found.xon > found.xoff)
        return nb_fail(err, NB_INVALID,
                       "xon %u is above xoff %u of channel %u (permitted: 1 to "
                       "%u)",
                       found.xon, found.xoff, channel, found.xoff);
    return NB_OK;
}

/* longest: [flit] packet. Errors: NB_INVALID if virtual channels cannot have
 * their own output buffers. */
static enum nb_status check_lanes(const struct nb_network *network,
                                  uint32_t longest, struct nb_error *err)
{
    const struct nb_router *router = &network->plan->router;
    const bool is_wormhole = router->switching == NB_WORMHOLE;
    if (!is_wormhole && router->output_buffer < longest)
        return nb_fail(
            err, NB_INVALID,
            "cut-through needs output buffers that hold a packet: %u flits per "
            "virtual channel, packets of %u (permitted: %u or more)",
            router->output_buffer, longest, longest);
    if (is_wormhole && longest > 1 && network->classes.rule->may_descend)
        return nb_fail(
            err, NB_INVALID,
            "wormhole with classes by %s cannot have an output buffer per "
            "virtual channel, because the buffer behind it may still hold "
            "flits (permitted: output-queues channel, or cut-through)",
            network->classes.rule->summary);
    return NB_OK;
}

/* The same for flow control by messages. */
static enum nb_status check_flow(const struct nb_network *network,
                                 uint32_t longest, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (network->plan->router.output_queues != NB_OUTPUT_OF_VIRTUAL)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "flow control without credits needs an output buffer "
                       "per virtual channel (permitted: output-queues "
                       "virtual)"));
    for (uint32_t c = 0; c < network->topology->channel_count; c++)
        NB_TRY(check_thresholds(network, c, longest, err));
done:
    return status;
}

/* Errors: NB_INVALID if the router is impossible. */
/* A packet that passes must not wait for room: others behind it would. */
static enum nb_status check_packets(const struct nb_network *network,
                                    struct nb_error *err)
{
    const struct nb_routing_kind *kind = network->plan->routing->kind;
    if (network->plan->router.switching != NB_CUT_THROUGH)
        return nb_fail(err, NB_INVALID,
                       "allocation of whole packets needs cut-through "
                       "(permitted: cut-through, or another allocation)");
    if (kind->has_injection_queues)
        return nb_fail(err, NB_INVALID,
                       "routing %s has injection queues, which allocation of "
                       "whole packets does not serve (permitted: schemes "
                       "without them, such as min or ugal, or another "
                       "allocation)",
                       kind->kind.name);
    return NB_OK;
}

static enum nb_status credit_check(const struct nb_network *network,
                                   uint32_t virtual_channels,
                                   struct nb_error *err)
{
    const struct nb_router *router = &network->plan->router;
    const uint32_t longest = nb_most_flits(network->plan);
    const uint32_t shallowest =
        router->global_buffer > 0 && router->global_buffer < router->buffer
            ? router->global_buffer
            : router->buffer;
    enum nb_status status = NB_OK;
    NB_TRY(check_networks(network, virtual_channels, err));
    NB_TRY(check_channels(network, virtual_channels, err));
    NB_TRY(check_range("buffer", router->buffer, 1, CHECK_FLITS, err));
    NB_TRY(check_range("output buffer", router->output_buffer, 1, CHECK_FLITS,
                       err));
    NB_TRY(check_range("speedup", router->speedup, 1, CHECK_SPEEDUP, err));
    NB_TRY(check_range("pipeline", router->pipeline, 0, CHECK_CYCLES, err));
    NB_TRY(check_range("channel latency", router->channel_latency, 1,
                       CHECK_CYCLES, err));
    NB_TRY(check_range("global latency", router->global_latency, 0,
                       CHECK_CYCLES, err));
    NB_TRY(check_range("global buffer", router->global_buffer, 0, CHECK_FLITS,
                       err));
    if (router->allocation == NB_ALLOCATION_PACKET)
        NB_TRY(check_packets(network, err));
    if (router->output_queues == NB_OUTPUT_OF_VIRTUAL)
        NB_TRY(check_lanes(network, longest, err));
    if (router->flow_control != NB_CREDITS)
        NB_TRY(check_flow(network, longest, err));
    if (router->switching == NB_CUT_THROUGH && shallowest < longest)
        status = nb_fail(err, NB_INVALID,
                         "cut-through needs buffers that hold a packet: "
                         "buffers of %u flits, packets of %u (permitted: "
                         "buffers of %u or more, or wormhole)",
                         shallowest, longest, longest);
    else if (network->packets.capacity > NB_FLIT_HEAD)
        status = nb_fail(err, NB_INVALID,
                         "credit router: %u packets under way (permitted: at "
                         "most %d)",
                         network->packets.capacity, NB_FLIT_HEAD);
done:
    return status;
}

/* The maximum number of flits an output sends in a cycle. */
static double line_rate(const struct nb_network *network, uint32_t output)
{
    const struct nb_router *router = &network->plan->router;
    const struct nb_ratio b = nb_network_bandwidth(network, output);
    const double most = (double)router->output_buffer + router->speedup;
    const double rate = (double)(b.numerator / b.denominator) + 1;
    return rate < most ? rate : most;
}

static enum nb_status line_build(struct nb_pool *pool,
                                 struct nb_credit_line *line, uint64_t delay,
                                 double most, struct nb_error *err)
{
    size_t capacity = 1;
    enum nb_status status = NB_OK;
    while ((double)capacity < most)
        capacity *= 2;
    line->mask = capacity - 1;
    line->delay = delay;
    NB_TRY(nb_memory_require((double)capacity * sizeof *line->flits,
                             "flits on channels", err));
    line->flits = nb_pool_array(pool, capacity, sizeof *line->flits);
    line->mark = nb_pool_array(pool, delay, sizeof *line->mark);
    status = nb_pool_check(pool, "flits on channels", err);
done:
    return status;
}

/* Makes room for what is on the channels of one latency. The number of flits
 * under way is at most what a channel's buffers hold, and what it sends while
 * the first is under way. A switch frees `speedup` places of a port per cycle;
 * a channel to its packets' last router frees one place per flit. Errors:
 * NB_NO_MEMORY. */
static enum nb_status credit_build_lines(struct nb_network *network,
                                         bool is_far, uint32_t latency,
                                         struct nb_error *err)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_lines *lines = &credit->lines[is_far];
    const struct nb_router *router = &network->plan->router;
    const double flight = (double)latency + 1;
    const double arrival = flight + router->pipeline;
    double arrivals = 0, ends = 0, credits = 0;
    enum nb_status status = NB_OK;
    for (uint32_t o = 0; o < credit->output_count; o++) {
        const struct nb_credit_output *out = &credit->outputs[o];
        const double room = credit->has_lanes
                                ? INFINITY
                                : (double)credit->virtual_channels * out->depth;
        const double rate = line_rate(network, o);
        const double back = flight * (rate + router->speedup);
        if (out->is_far != is_far)
            continue;
        if (o < network->topology->channel_count) {
            arrivals += arrival * rate < room ? arrival * rate : room;
            ends += flight * rate < room ? flight * rate : room;
            credits += back < room ? back : room;
        } else {
            ends += flight * rate;
        }
    }
    NB_TRY(line_build(&credit->pool, &lines->arrivals,
                      (uint64_t)latency + router->pipeline, arrivals, err));
    NB_TRY(line_build(&credit->pool, &lines->ends, latency, ends, err));
    NB_TRY(line_build(&credit->pool, &lines->credits, latency, credits, err));
done:
    return status;
}

/* Sources of a router: the places of packets that bid. With injection queues
 * there is one for each virtual channel they may hold. */
static size_t build_sources(const struct nb_network *network,
                            const struct nb_credit *credit, size_t router)
{
    const struct nb_topology *topology = network->topology;
    const size_t degree =
        topology->out_start[router + 1] - topology->out_start[router];
    return credit->has_lists ? degree * credit->virtual_channels
                             : topology->terminals[router] * credit->messages;
}

/* Divides the virtual channels evenly among the classes, in order, network by
 * network. */
static void build_classes(const struct nb_network *network,
                          struct nb_credit *credit)
{
    const uint32_t count = credit->networks * network->classes.count;
    const uint32_t channels = credit->virtual_channels;
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t v = c * channels / count; v < (c + 1) * channels / count;
             v++) {
            credit->channels_of[c] |= (uint64_t)1 << v;
            credit->class_of[v] = (uint8_t)c;
        }
}

/* Numbers inputs, outputs and places in bits, router by router. Returns the
 * number of words of bits. */
static size_t build_number(const struct nb_network *network,
                           struct nb_credit *credit, size_t *most_words,
                           size_t *most_heads, size_t *most_outputs)
{
    const struct nb_topology *topology = network->topology;
    size_t input = 0, bits = 0;
    *most_words = *most_heads = *most_outputs = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        struct nb_credit_router *router = &credit->routers[r];
        const uint32_t ports =
            topology->in_start[r + 1] - topology->in_start[r];
        const size_t sources = build_sources(network, credit, r);
        const size_t inputs =
            (size_t)ports * credit->virtual_channels + sources;
        *router = (struct nb_credit_router){
            .input = (uint32_t)input,
            .port_count = ports,
            .source = (uint32_t)(input + inputs - sources),
            .source_count = (uint32_t)sources,
            .channel_count =
                topology->out_start[r + 1] - topology->out_start[r],
            .words = (uint32_t)((inputs + 63) / 64),
            .heads = bits,
        };
        router->output_count =
            router->channel_count +
            (network->has_terminal_queues ? topology->terminals[r] : 0);
        input += inputs;
        bits += router->words * ((size_t)router->output_count + 1);
        router->asked = bits;
        bits += router->output_count / 64 + 1;
        router->held = bits;
        bits += router->output_count / 64 + 1;
        if (router->words > *most_words)
            *most_words = router->words;
        if (router->output_count > *most_outputs)
            *most_outputs = router->output_count;
        if (inputs + credit->lists_each > *most_heads)
            *most_heads = inputs + credit->lists_each;
    }
    credit->input_count = input;
    return bits;
}

/* Fields of one input; the others are those of an empty one. */
static void build_input(struct nb_credit *credit, size_t index, uint32_t router,
                        uint32_t channel)
{
    credit->inputs[index] = (struct nb_credit_input){
        .packet = NB_NONE,
        .output = NB_NONE,
        .target = NB_NONE,
        .router = router,
        .channel = channel,
    };
    credit->links[index] = (struct nb_credit_link){
        .credits = channel == NB_NONE ? 0 : credit->outputs[channel].depth,
        .holder = NB_NONE,
    };
}

static void build_inputs(const struct nb_network *network,
                         struct nb_credit *credit)
{
    const struct nb_topology *topology = network->topology;
    const uint32_t channels = credit->virtual_channels;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const struct nb_credit_router *router = &credit->routers[r];
        for (uint32_t port = 0; port < router->port_count; port++) {
            const uint32_t channel =
                topology->in_channel[topology->in_start[r] + port];
            credit->outputs[channel].inputs = router->input + port * channels;
            for (uint32_t v = 0; v < channels; v++)
                build_input(credit, router->input + port * channels + v, r,
                            channel);
        }
        for (uint32_t s = 0; s < router->source_count; s++) {
            build_input(credit, router->source + s, r, NB_NONE);
            if (!credit->has_lists)
                credit->inputs[router->source + s].list =
                    network->terminal_start[r] * credit->messages + s;
        }
    }
}

/* [flit] The buffers behind an output. */
static uint32_t build_depth(const struct nb_network *network, uint32_t output)
{
    const struct nb_router *plan = &network->plan->router;
    return plan->global_buffer > 0 &&
                   output < network->topology->channel_count &&
                   nb_channel_is_global(network->topology, output)
               ? plan->global_buffer
               : plan->buffer;
}

static void build_thresholds(const struct nb_network *network,
                             const struct nb_credit *credit, uint32_t output,
                             struct nb_credit_output *out)
{
    struct nb_flow_thresholds found;
    nb_flow_thresholds_find(
        &network->plan->router, nb_channel_is_global(network->topology, output),
        nb_network_bandwidth(network, output), credit->longest, &found);
    out->room = found.buffer;
    out->xon = found.xon;
    out->xoff = found.xoff;
}

/* The maximum number of packets in such a buffer behind the one in front: each
 * is there with all of its flits, except for the last packet. */
static uint32_t build_ring(const struct nb_network *network,
                           const struct nb_credit *credit, uint32_t output)
{
    return build_depth(network, output) / credit->shortest + 1;
}

static size_t build_parts(const struct nb_network *network,
                          const struct nb_credit *credit)
{
    size_t parts = 0;
    for (uint32_t c = 0; c < network->topology->channel_count; c++)
        parts +=
            (size_t)credit->virtual_channels * build_ring(network, credit, c);
    return parts;
}

static void build_outputs(const struct nb_network *network,
                          struct nb_credit *credit)
{
    const struct nb_topology *topology = network->topology;
    const struct nb_router *plan = &network->plan->router;
    const uint64_t all = UINT64_MAX >> (64 - credit->virtual_channels);
    size_t parts = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const struct nb_credit_router *router = &credit->routers[r];
        for (uint32_t i = 0; i < router->output_count; i++) {
            const uint32_t o = nb_credit_output_of(network, router, r, i);
            const struct nb_ratio b = nb_network_bandwidth(network, o);
            const bool is_global = o < topology->channel_count &&
                                   nb_channel_is_global(topology, o);
            credit->outputs[o] = (struct nb_credit_output){
                .idle = all,
                .open = all,
                .price = (uint64_t)b.denominator,
                .gain = (uint64_t)b.numerator,
                .tokens = (uint64_t)b.denominator,
                .bids = router->heads + router->words * ((size_t)i + 1),
                .inputs = NB_NONE,
                .passing = NB_NONE,
                .router = r,
                .depth = credit->has_lanes ? plan->output_buffer
                                           : build_depth(network, o),
                .ring = build_ring(network, credit, o),
                .parts = parts,
                .is_far = is_global && plan->global_latency > 0,
                .index = i,
            };
            if (credit->has_lanes && o < topology->channel_count)
                build_thresholds(network, credit, o, &credit->outputs[o]);
            credit->has_far = credit->has_far || credit->outputs[o].is_far;
            if (o < topology->channel_count)
                parts +=
                    (size_t)credit->virtual_channels * credit->outputs[o].ring;
        }
    }
}

static enum nb_status build_lists(const struct nb_network *network,
                                  struct nb_credit *credit,
                                  struct nb_error *err)
{
    const char *what = "queues at sources";
    enum nb_status status = NB_OK;
    credit->list_count =
        credit->has_lists
            ? credit->lists_each * credit->router_count
            : network->topology->terminal_count * credit->messages;
    NB_TRY(nb_memory_require((double)credit->lists_each *
                                 (double)credit->router_count *
                                 sizeof *credit->lists,
                             what, err));
    credit->lists =
        nb_pool_array(&credit->pool, credit->list_count, sizeof *credit->lists);
    credit->active =
        nb_pool_array(&credit->pool, credit->has_lists ? credit->list_count : 0,
                      sizeof *credit->active);
    NB_TRY(nb_pool_check(&credit->pool, what, err));
    for (size_t l = 0; l < credit->list_count; l++)
        credit->lists[l].first = NB_NONE;
done:
    return status;
}

/* The number of output buffers of an output. */
static size_t build_lanes(const struct nb_credit *credit)
{
    return credit->has_lanes ? credit->virtual_channels : 1;
}

/* Refuses buffers that do not fit, before anything is allocated. */
static enum nb_status build_require(const struct nb_credit *credit,
                                    double buffers, double parts,
                                    struct nb_error *err)
{
    return nb_memory_require(
        parts * sizeof *credit->parts +
            buffers * (sizeof *credit->inputs + sizeof *credit->links) +
            (double)credit->output_count *
                ((double)build_lanes(credit) * credit->output_buffer *
                     sizeof *credit->buffered +
                 sizeof *credit->outputs),
        "buffers", err);
}

static enum nb_status build_arrays(const struct nb_network *network,
                                   struct nb_credit *credit,
                                   struct nb_error *err)
{
    const size_t outputs = credit->output_count;
    const size_t buffers =
        network->topology->channel_count * credit->virtual_channels;
    const size_t parts = build_parts(network, credit);
    struct nb_pool *pool = &credit->pool;
    const size_t router_words = credit->router_count / 64 + 1;
    const char *what = "buffers";
    size_t most_words, most_heads, most_outputs;
    enum nb_status status = NB_OK;
    NB_TRY(build_require(credit, (double)buffers, (double)parts, err));
    credit->routers =
        nb_pool_array(pool, credit->router_count, sizeof *credit->routers);
    NB_TRY(nb_pool_check(pool, what, err));
    const size_t words =
        build_number(network, credit, &most_words, &most_heads, &most_outputs);
    credit->inputs =
        nb_pool_array(pool, credit->input_count, sizeof *credit->inputs);
    credit->links =
        nb_pool_array(pool, credit->input_count, sizeof *credit->links);
    credit->outputs = nb_pool_array(pool, outputs, sizeof *credit->outputs);
    credit->turn = nb_pool_array(pool, outputs, sizeof *credit->turn);
    credit->length = nb_pool_array(pool, outputs, sizeof *credit->length);
    credit->passed = nb_pool_array(pool, outputs, sizeof *credit->passed);
    if (network->plan->router.arbitration > NB_IN_TURN)
        credit->served =
            nb_pool_array(pool, credit->input_count, sizeof *credit->served);
    credit->bits = nb_pool_array(pool, words, sizeof *credit->bits);
    credit->taken = nb_pool_array(pool, most_words, sizeof *credit->taken);
    credit->eligible =
        nb_pool_array(pool, most_words, sizeof *credit->eligible);
    credit->named = nb_pool_array(pool, most_outputs, sizeof *credit->named);
    credit->wishes =
        nb_pool_array(pool, credit->is_by_packet ? 64 * most_words : 0,
                      sizeof *credit->wishes);
    credit->port_of =
        nb_pool_array(pool, 64 * most_words, sizeof *credit->port_of);
    credit->heads = nb_pool_array(pool, most_heads, sizeof *credit->heads);
    credit->asking = nb_pool_array(pool, router_words, sizeof *credit->asking);
    credit->bidding =
        nb_pool_array(pool, router_words, sizeof *credit->bidding);
    credit->stuck = nb_pool_array(pool, credit->input_count / 64 + 1,
                                  sizeof *credit->stuck);
    credit->loaded =
        nb_pool_array(pool, outputs / 64 + 1, sizeof *credit->loaded);
    credit->parts = nb_pool_array(pool, parts, sizeof *credit->parts);
    credit->buffered = nb_pool_array(
        pool, outputs * build_lanes(credit) * credit->output_buffer,
        sizeof *credit->buffered);
    credit->lanes =
        nb_pool_array(pool, credit->has_lanes ? credit->input_count : 0,
                      sizeof *credit->lanes);
    NB_TRY(nb_pool_check(pool, what, err));
    for (size_t i = 0; i < most_outputs; i++)
        credit->named[i].input = NB_NONE;
    for (uint32_t i = 0; i < 64 * most_words; i++)
        credit->port_of[i] = i / credit->virtual_channels;
done:
    return status;
}

enum nb_status nb_credit_build(struct nb_network *network, struct nb_error *err)
{
    const struct nb_router *router = &network->plan->router;
    const struct nb_routing *routing = network->plan->routing;
    const uint32_t virtual_channels =
        router->virtual_channels > 0
            ? router->virtual_channels
            : credit_networks(network) * network->classes.count;
    struct nb_credit *credit;
    enum nb_status status = NB_OK;
    NB_TRY(credit_check(network, virtual_channels, err));
    NB_TRY(nb_new(&network->state, 1, sizeof *credit, "buffers", err));
    credit = network->state;
    *credit = (struct nb_credit){
        .virtual_channels = virtual_channels,
        .messages = network->replies.room > 0 ? NB_MESSAGES : 1,
        .networks = credit_networks(network),
        .is_by_age = router->arbitration == NB_OLDEST_FIRST,
        .has_lanes = router->output_queues == NB_OUTPUT_OF_VIRTUAL,
        .has_messages = router->flow_control != NB_CREDITS,
        .is_by_class = router->flow_control == NB_PAUSE,
        .is_separable = router->allocation != NB_ALLOCATION_GREEDY,
        .is_by_packet = router->allocation == NB_ALLOCATION_PACKET,
        .is_transit_first = router->arbitration == NB_TRANSIT_FIRST,
        .is_adaptive = routing->kind->is_adaptive,
        .is_cut_through = router->switching == NB_CUT_THROUGH,
        .is_alone = network->classes.rule->may_descend,
        .has_lists = routing->kind->has_injection_queues,
        .is_begun_anew =
            routing->kind->cost != NULL && routing->kind->is_asked_again,
        .is_begun_once = routing->kind->cost != NULL &&
                         !routing->kind->is_asked_again &&
                         !routing->kind->has_injection_queues,
        .longest = nb_most_flits(network->plan),
        .shortest = nb_least_flits(network->plan),
        .output_buffer = router->output_buffer,
        .speedup = router->speedup,
        .router_count = network->topology->router_count,
        .output_count = network->queue_count,
        .born_first = NB_NONE,
    };
    assert(!credit->has_lists || !network->has_terminal_queues);
    if (credit->has_lists)
        credit->lists_each = credit->router_count * routing->most_starts;
    build_classes(network, credit);
    NB_TRY(build_arrays(network, credit, err));
    build_outputs(network, credit);
    build_inputs(network, credit);
    NB_TRY(build_lists(network, credit, err));
    NB_TRY(credit_build_lines(network, false, router->channel_latency, err));
    if (credit->has_far)
        NB_TRY(credit_build_lines(network, true, router->global_latency, err));
done:
    return status;
}

void nb_credit_release(struct nb_network *network)
{
    struct nb_credit *credit = network->state;
    if (credit == NULL)
        return;
    nb_pool_release(&credit->pool);
    nb_delete(credit);
    network->state = NULL;
}
