/* The credit router's lines: room for what is on channels (declared in
 * credit.h). */
#include "sim/credit.h"

#include "core/memory.h"

/* Flits that an output sends in a cycle at most. */
static double line_rate(const struct nb_network *network, uint32_t output)
{
    const struct nb_router *router = &network->plan->router;
    const struct nb_ratio b = nb_network_bandwidth(network, output);
    const double most = (double)router->output_buffer + router->speedup;
    const double rate = (double)(b.numerator / b.denominator) + 1;
    return rate < most ? rate : most;
}

static enum nb_status line_build(struct nb_credit_line *line, uint64_t delay,
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
    NB_TRY(nb_new(&line->flits, capacity, sizeof *line->flits,
                  "flits on channels", err));
    NB_TRY(nb_new(&line->mark, delay, sizeof *line->mark, "flits on channels",
                  err));
done:
    return status;
}

/* No more are under way than a channel's buffers hold, nor than it sends
 * while the first is; a switch frees `speedup` of a port's places a cycle,
 * and a channel to its last router as many as it brings. */
enum nb_status nb_credit_build_lines(struct nb_network *network,
                                     struct nb_error *err)
{
    struct nb_credit *credit = network->state;
    const struct nb_router *router = &network->plan->router;
    const double room =
        (double)credit->virtual_channels * (double)credit->buffer;
    const double flight = (double)router->channel_latency + 1;
    const double arrival = flight + router->pipeline;
    double arrivals = 0, ends = 0, credits = 0;
    enum nb_status status = NB_OK;
    for (uint32_t o = 0; o < credit->output_count; o++) {
        const double rate = line_rate(network, o);
        const double back = flight * (rate + router->speedup);
        if (o < network->topology->channel_count) {
            arrivals += arrival * rate < room ? arrival * rate : room;
            ends += flight * rate < room ? flight * rate : room;
            credits += back < room ? back : room;
        } else {
            ends += flight * rate;
        }
    }
    NB_TRY(line_build(&credit->arrivals,
                      (uint64_t)router->channel_latency + router->pipeline,
                      arrivals, err));
    NB_TRY(line_build(&credit->ends, router->channel_latency, ends, err));
    NB_TRY(line_build(&credit->credits, router->channel_latency, credits, err));
done:
    return status;
}
