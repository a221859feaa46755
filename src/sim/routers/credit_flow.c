/*
 * Output buffers per virtual channel, and flow control by messages that stop
 * and resume a channel (declared in credit.h).
 *
 * The credits that a packet needs to pass the switch are places in the output
 * buffer of its virtual channel. A flit waits there until the buffer behind the
 * channel is known to have room; it does not block other virtual channels.
 *
 * Without credits, a buffer that fills to xoff sends a stop message over its
 * channel, which takes as long as a flit, and a resume message once it holds
 * less than xon. The flits that arrive before the message takes effect find
 * room above xoff.
 *
 * A message about a class must not stop packets whose heads have gone on: they
 * may hold what another packet waits for, whose flits keep the class stopped.
 * Source: [DallyTowles2004, section 13.3.2]; [Benito2020, sections 2.1, 2.4].
 */
#include "sim/routers/credit.h"

#include <assert.h>
#include <math.h>

void nb_flow_thresholds_find(const struct nb_router *router, bool is_global,
                             struct nb_ratio bandwidth, uint32_t longest,
                             struct nb_flow_thresholds *out)
{
    const bool is_far = is_global && router->global_latency > 0;
    const double trip =
        2.0 * (is_far ? router->global_latency : router->channel_latency);
    const double sent = ceil(trip * (double)bandwidth.numerator /
                             (double)bandwidth.denominator) +
                        (router->flow_control == NB_PAUSE ? longest - 1.0 : 0);
    const double served =
        ceil((trip + router->pipeline) * (double)bandwidth.numerator /
             (double)bandwidth.denominator);
    const uint32_t buffer = is_global && router->global_buffer > 0
                                ? router->global_buffer
                                : router->buffer;
    const double most = (double)buffer + 1 - sent;
    *out = (struct nb_flow_thresholds){
        .buffer = buffer,
        .sent = sent,
        .most = most,
        .xoff = router->xoff > 0 ? router->xoff
                : most >= 1      ? (uint32_t)most
                                 : 0,
    };
    out->xon = router->xon > 0          ? router->xon
               : served + 1 < out->xoff ? (uint32_t)served + 1
                                        : out->xoff;
}

/* The virtual channels that a message about one of them applies to. */
static uint64_t flow_together(const struct nb_credit *credit, uint32_t v)
{
    return credit->is_by_class ? credit->channels_of[credit->class_of[v]]
                               : (uint64_t)1 << v;
}

static void flow_say(struct nb_credit *credit, uint32_t input, bool is_stop)
{
    const uint32_t channel = credit->inputs[input].channel;
    struct nb_credit_output *out = &credit->outputs[channel];
    const uint64_t bits = flow_together(credit, input - out->inputs);
    out->stopped = is_stop ? out->stopped | bits : out->stopped & ~bits;
    nb_credit_push(&credit->lines[out->is_far].credits, input, is_stop);
}

void nb_credit_flow_land(struct nb_credit *credit, uint32_t input)
{
    struct nb_credit_output *out =
        &credit->outputs[credit->inputs[input].channel];
    const uint32_t filled = ++credit->lanes[input].filled;
    assert(filled <= out->room); /* nothing is lost */
    if (filled >= out->xoff && (out->stopped >> (input - out->inputs) & 1) == 0)
        flow_say(credit, input, true);
}

void nb_credit_flow_leave(struct nb_credit *credit, uint32_t input)
{
    const struct nb_credit_output *out =
        &credit->outputs[credit->inputs[input].channel];
    const uint32_t v = input - out->inputs;
    const uint32_t filled = --credit->lanes[input].filled;
    if ((out->stopped >> v & 1) == 0 || filled >= out->xon)
        return;
    for (uint64_t bits = flow_together(credit, v); bits != 0; bits &= bits - 1)
        if (credit->lanes[out->inputs + (uint32_t)__builtin_ctzll(bits)]
                .filled >= out->xon)
            return;
    flow_say(credit, input, false);
}

void nb_credit_flow_hear(struct nb_credit *credit, struct nb_credit_flit flit)
{
    struct nb_credit_output *out =
        &credit->outputs[credit->inputs[flit.input].channel];
    const uint64_t bits = flow_together(credit, flit.input - out->inputs);
    out->paused = flit.packet != 0 ? out->paused | bits : out->paused & ~bits;
}

void nb_credit_flow_send(struct nb_credit *credit, struct nb_credit_flit flit)
{
    struct nb_credit_output *out =
        &credit->outputs[credit->inputs[flit.input].channel];
    const uint64_t bit = (uint64_t)1 << (flit.input - out->inputs);
    if (credit->is_by_class && (flit.packet & NB_FLIT_HEAD) != 0)
        out->begun |= bit;
    if ((flit.packet & NB_FLIT_TAIL) != 0)
        out->begun &= ~bit;
    if (credit->has_messages)
        credit->length[credit->inputs[flit.input].channel]--;
    else if (++credit->lanes[flit.input].filled == out->room)
        out->paused |= bit;
    nb_credit_return(credit, flit.input);
}

void nb_credit_flow_refund(struct nb_credit *credit, uint32_t input)
{
    struct nb_credit_output *out =
        &credit->outputs[credit->inputs[input].channel];
    credit->lanes[input].filled--;
    out->paused &= ~((uint64_t)1 << (input - out->inputs));
}

static struct nb_credit_flit *flow_place(const struct nb_credit *credit,
                                         uint32_t input, uint32_t place)
{
    const uint32_t channel = credit->inputs[input].channel;
    const size_t lane = (size_t)channel * credit->virtual_channels + input -
                        credit->outputs[channel].inputs;
    return &credit->buffered[lane * credit->output_buffer +
                             place % credit->output_buffer];
}

void nb_credit_flow_put(struct nb_credit *credit, struct nb_credit_flit flit)
{
    struct nb_credit_output *out =
        &credit->outputs[credit->inputs[flit.input].channel];
    struct nb_credit_lane *lane = &credit->lanes[flit.input];
    *flow_place(credit, flit.input, lane->first + lane->count++) = flit;
    out->waiting |= (uint64_t)1 << (flit.input - out->inputs);
    out->count++;
}

struct nb_credit_flit nb_credit_flow_look(const struct nb_credit *credit,
                                          uint32_t input, uint32_t index)
{
    return *flow_place(credit, input, credit->lanes[input].first + index);
}

struct nb_credit_flit nb_credit_flow_take(struct nb_credit *credit,
                                          uint32_t output)
{
    struct nb_credit_output *out = &credit->outputs[output];
    const uint64_t ready = out->waiting & ~nb_credit_held(out);
    const uint64_t after = ready & UINT64_MAX << out->lane;
    const uint32_t v = (uint32_t)__builtin_ctzll(after != 0 ? after : ready);
    struct nb_credit_lane *lane = &credit->lanes[out->inputs + v];
    const struct nb_credit_flit flit =
        *flow_place(credit, out->inputs + v, lane->first);
    lane->first =
        lane->first + 1 == credit->output_buffer ? 0 : lane->first + 1;
    if (--lane->count == 0) {
        lane->first = 0;
        out->waiting ^= (uint64_t)1 << v;
    }
    out->lane = v + 1 == credit->virtual_channels ? 0 : v + 1;
    out->count--;
    return flit;
}
