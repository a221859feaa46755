/* What congestion points see of a credit router's buffers (declared in
 * credit.h). */
#include "sim/routers/credit.h"

uint64_t nb_credit_passed(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct nb_credit *credit = network->state;
    return credit->passed[channel];
}

uint32_t nb_credit_latency(const void *context, uint32_t channel)
{
    const struct nb_network *network = context;
    const struct nb_credit *credit = network->state;
    const struct nb_router *router = &network->plan->router;
    return router->pipeline + (credit->outputs[channel].is_far
                                   ? router->global_latency
                                   : router->channel_latency);
}

static uint32_t sample_source(const struct nb_network *network, uint32_t packet)
{
    return network->terminal_router[network->packets.source[packet]];
}

static bool sample_output(const struct nb_network *network, uint32_t channel,
                          uint64_t drawn, struct nb_sample *out)
{
    const struct nb_credit *credit = network->state;
    const struct nb_credit_output *from = &credit->outputs[channel];
    uint32_t count = from->count, fullest = from->inputs;
    struct nb_credit_flit flit;
    if (count == 0)
        return false;
    if (credit->has_lanes) {
        for (uint32_t v = 1; v < credit->virtual_channels; v++)
            if (credit->lanes[from->inputs + v].count >
                credit->lanes[fullest].count)
                fullest = from->inputs + v;
        count = credit->lanes[fullest].count;
        flit = nb_credit_flow_look(credit, fullest, (uint32_t)(drawn % count));
    } else {
        const size_t place =
            (from->first + drawn % count) % credit->output_buffer;
        flit =
            credit->buffered[(size_t)channel * credit->output_buffer + place];
    }
    *out = (struct nb_sample){
        .filled = (double)count / credit->output_buffer,
        .source = sample_source(network, flit.packet & NB_FLIT_PACKET),
        .output = channel,
    };
    return true;
}

/* Flits of an input that bid or wait to bid. */
static uint32_t sample_count(const struct nb_credit *credit, uint32_t input)
{
    const struct nb_credit_input *in = &credit->inputs[input];
    uint32_t flits = in->packet != NB_NONE ? in->flits : 0;
    for (uint32_t p = 0; p < in->count; p++)
        flits += nb_credit_part_of(credit, input, p)->flits;
    return flits;
}

/* The output of a packet in an input: the one in front may have one. */
static uint32_t sample_next(const struct nb_network *network, uint32_t input,
                            uint32_t packet)
{
    const struct nb_credit *credit = network->state;
    const struct nb_credit_input *in = &credit->inputs[input];
    const struct nb_packets *packets = &network->packets;
    uint32_t output = packet == in->packet ? in->output : NB_NONE;
    if (output == NB_NONE)
        output = network->view
                     .way(network, packets->state[packet], in->router,
                          network->terminal_router[packets->target[packet]])
                     .channel;
    return output < network->topology->channel_count ? output : NB_NONE;
}

static bool sample_input(const struct nb_network *network, uint32_t channel,
                         uint64_t drawn, struct nb_sample *out)
{
    const struct nb_credit *credit = network->state;
    const struct nb_router *router = &network->plan->router;
    const struct nb_credit_output *before = &credit->outputs[channel];
    const bool is_global = nb_channel_is_global(network->topology, channel);
    uint32_t most = 0, fullest = NB_NONE;
    for (uint32_t v = 0; v < credit->virtual_channels; v++) {
        const uint32_t flits = sample_count(credit, before->inputs + v);
        if (flits <= most)
            continue;
        most = flits;
        fullest = before->inputs + v;
    }
    if (fullest == NB_NONE)
        return false;
    const struct nb_credit_input *in = &credit->inputs[fullest];
    uint32_t packet = in->packet, at = (uint32_t)(drawn % most);
    for (uint32_t p = 0, passed = in->flits; at >= passed; p++) {
        const struct nb_credit_part *part =
            nb_credit_part_of(credit, fullest, p);
        packet = part->packet;
        passed += part->flits;
    }
    *out = (struct nb_sample){
        .filled = (double)most / (is_global && router->global_buffer > 0
                                      ? router->global_buffer
                                      : router->buffer),
        .source = sample_source(network, packet),
        .output = sample_next(network, fullest, packet),
    };
    return true;
}

bool nb_credit_sample(const void *context, uint32_t channel, bool is_input,
                      uint64_t drawn, struct nb_sample *out)
{
    return is_input ? sample_input(context, channel, drawn, out)
                    : sample_output(context, channel, drawn, out);
}
