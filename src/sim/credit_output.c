/* The credit router's output buffers and channels (declared in credit.h). */
#include "sim/credit.h"

/* The tokens of an output for this cycle. An idle channel saves up no more
 * than lets it send at once. */
static inline void output_pay(struct nb_credit_output *out, uint64_t cycle)
{
    const uint64_t elapsed = cycle + 1 - out->paid;
    if (elapsed == 0)
        return;
    out->paid = cycle + 1;
    if (out->price == 1) { /* nothing is left over by a channel in use */
        out->tokens = out->gain;
        return;
    }
    if (out->count > 0) { /* it was asked in the last cycle, too */
        out->tokens += out->gain;
        return;
    }
    const uint64_t most = out->price > out->gain ? out->price : out->gain;
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
    nb_credit_push(flit.input == NB_NONE || (flit.packet & NB_FLIT_LAST) != 0
                       ? &credit->ends
                       : &credit->arrivals,
                   flit.input, flit.packet);
}

void nb_credit_drain(struct nb_network *network, uint32_t output)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_output *out = &credit->outputs[output];
    const struct nb_credit_flit *buffer =
        credit->buffered + (size_t)output * credit->output_buffer;
    output_pay(out, network->cycle);
    while (out->count > 0 && out->tokens >= out->price) {
        output_start(network, output, buffer[out->first]);
        out->first =
            out->first + 1 == credit->output_buffer ? 0 : out->first + 1;
        out->count--;
    }
    if (out->count == 0)
        credit->loaded[output / 64] &= ~((uint64_t)1 << output % 64);
}

void nb_credit_put(struct nb_network *network, uint32_t output,
                   struct nb_credit_flit flit)
{
    struct nb_credit *credit = network->state;
    struct nb_credit_output *out = &credit->outputs[output];
    credit->length[output]++;
    output_pay(out, network->cycle);
    if (out->count == 0 && out->tokens >= out->price) {
        output_start(network, output, flit);
        return;
    }
    const uint32_t room = credit->output_buffer - out->first;
    const uint32_t place =
        out->count < room ? out->first + out->count : out->count - room;
    credit->buffered[(size_t)output * credit->output_buffer + place] = flit;
    out->count++;
    credit->loaded[output / 64] |= (uint64_t)1 << output % 64;
}
