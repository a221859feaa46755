#include "questions/latency/latency_queues.h"

#include "core/memory.h"
#include "load/turn_flows.h"

#include <string.h>

void nb_latency_queues_release(struct nb_latency_queues *queues)
{
    nb_delete(queues->queue);
    *queues = (struct nb_latency_queues){ 0 };
}

bool nb_latency_is_by_inputs(const struct nb_question *question)
{
    return strcmp(nb_model_get(question->model, "delay-model"), "bernoulli") ==
           0;
}

/* The models that are the same for all queues. */
static struct nb_mean_delay queues_set_model(const struct nb_question *question,
                                             struct nb_latency_queues *out)
{
    const char *model = nb_model_get(question->model, "delay-model");
    out->note = "an approximation: each channel is taken as a queue of its own";
    if (strcmp(model, "singh") == 0) {
        out->method = "independent queues, each 1/(2(1-rho)) service times";
        out->source = "Singh2005, section 5.4.1";
        return nb_delay_singh;
    }
    out->method = "independent M/D/1 queues";
    out->source = "Kleinrock1975";
    return nb_delay_pollaczek_khinchine;
}

/* The rate into one terminal of a router, at injection rate 1. */
static enum nb_status queues_terminal_load(const struct nb_problem *problem,
                                           uint32_t router, uint64_t *rate,
                                           double *lower, double *upper,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    const struct nb_traffic *traffic = &problem->traffic;
    const enum nb_status status =
        nb_traffic_column(traffic, topology, router, rate, err);
    nb_int128 sum = 0;
    for (size_t i = 0; i < topology->router_count && status == NB_OK; i++)
        sum += (nb_int128)rate[i];
    const nb_int128 share =
        (nb_int128)traffic->denominator * topology->terminals[router];
    const struct nb_ratio exact = nb_ratio_make(sum, share);
    *lower = (double)sum / (double)share * (1 - 0x1p-50);
    *upper = (double)sum / (double)share * (1 + 0x1p-50);
    if (nb_ratio_is_known(exact))
        nb_ratio_bracket(exact, lower, upper);
    return status;
}

/* The channels to the terminals, router by router as terminals are numbered. */
static enum nb_status queues_add_terminals(const struct nb_problem *problem,
                                           struct nb_latency_queues *out,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    struct nb_queue *queue = out->queue + out->channel_count;
    enum nb_status status = NB_OK;
    uint64_t *rate = NULL;
    if (out->terminal_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&rate, topology->router_count, sizeof *rate, "rates", err));
    for (uint32_t r = 0; r < topology->router_count; r++) {
        double lower, upper;
        if (topology->terminals[r] == 0)
            continue;
        NB_TRY(queues_terminal_load(problem, r, rate, &lower, &upper, err));
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            *queue++ =
                (struct nb_queue){ lower, upper, topology->terminal_bandwidth,
                                   out->delay, out->delay };
    }
done:
    nb_delete(rate);
    return status;
}

/* The delays of the queues that are fed alike: channel of a router, or all
 * its terminals together (channel_count + router), by what comes over each
 * channel into the router and from each of its terminals. flows = NULL: as if
 * that were the same for all, for which the delay is longest. */
static void queues_set_inputs(const struct nb_topology *topology,
                              const struct nb_turn_flows *flows, size_t channel,
                              uint32_t router, double *input,
                              struct nb_mean_delay *lower,
                              struct nb_mean_delay *upper)
{
    const size_t in =
        topology->in_start[router + 1] - topology->in_start[router];
    const size_t count = in + topology->terminals[router];
    for (size_t i = 0; i < count; i++) {
        input[i] = 1;
        if (flows == NULL)
            continue;
        const double *flow = flows->flow + flows->start[channel];
        input[i] =
            i < in ? flow[i] : flow[in] / (double)topology->terminals[router];
    }
    /* That division rounds. */
    nb_delay_of_inputs(input, count,
                       flows != NULL ? flows->relative_error + 0x1p-53 : 0,
                       lower, upper);
}

/* Sets the delays of all queues by their inputs. */
static enum nb_status queues_set_delays(const struct nb_topology *topology,
                                        const struct nb_turn_flows *flows,
                                        struct nb_latency_queues *out,
                                        struct nb_error *err)
{
    struct nb_queue *queue = out->queue + out->channel_count;
    double *input = NULL;
    const enum nb_status status =
        nb_new(&input, topology->channel_count + topology->terminal_count,
               sizeof *input, "inputs", err);
    if (status != NB_OK)
        return status;
    for (size_t c = 0; c < out->channel_count; c++)
        queues_set_inputs(topology, flows, c, topology->channels[c].source,
                          input, &out->queue[c].delay_lower,
                          &out->queue[c].delay_upper);
    for (uint32_t r = 0; r < topology->router_count && out->terminal_count > 0;
         r++) {
        const size_t terminals = topology->terminals[r];
        for (size_t t = 0; t < terminals; t++)
            queues_set_inputs(topology, flows, out->channel_count + r, r, input,
                              &queue[t].delay_lower, &queue[t].delay_upper);
        queue += terminals;
    }
    nb_delete(input);
    return NB_OK;
}

/* Slots: what feeds each queue is known for schemes of one phase. */
static enum nb_status queues_find_inputs(const struct nb_question *question,
                                         const struct nb_problem *problem,
                                         struct nb_latency_queues *out,
                                         struct nb_error *err)
{
    const struct nb_routing *routing = nb_route_alike(&problem->routing);
    struct nb_turn_flows flows = { 0 };
    enum nb_status status = NB_OK;
    out->source = "KruskalSnir1983";
    if (routing->phase != NULL) {
        out->method = "independent slotted queues, fed evenly by all channels "
                      "and terminals of the router";
        out->note = "an approximation: what feeds a channel is taken as spread "
                    "evenly over all "
                    "channels into its router and the terminals there, as the "
                    "routing goes by way-points: no other division of the "
                    "same load waits longer";
        return queues_set_delays(&problem->topology, NULL, out, err);
    }
    out->method = "independent slotted queues, fed by the flows from the "
                  "channels and terminals of the router";
    NB_TRY(nb_turn_flows_find(routing, &problem->traffic, &question->run,
                              &flows, err));
    NB_TRY(queues_set_delays(&problem->topology, &flows, out, err));
done:
    nb_turn_flows_release(&flows);
    return status;
}

enum nb_status nb_latency_queues_find(const struct nb_question *question,
                                      const struct nb_problem *problem,
                                      const struct nb_channel_loads *loads,
                                      struct nb_latency_queues *out,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    enum nb_status status = NB_OK;
    *out = (struct nb_latency_queues){
        .channel_count = topology->channel_count,
        .terminal_count = nb_ratio_is_known(topology->terminal_bandwidth)
                              ? topology->terminal_count
                              : 0,
        .total = nb_latency_total(&problem->traffic, topology),
    };
    out->delay = queues_set_model(question, out);
    NB_TRY(nb_new(&out->queue, out->channel_count + out->terminal_count,
                  sizeof *out->queue, "queues", err));
    for (size_t c = 0; c < out->channel_count; c++)
        out->queue[c] = (struct nb_queue){
            .load_lower = loads != NULL ? loads->lower[c] : 0,
            .load_upper = loads != NULL ? loads->upper[c] : 0,
            .bandwidth = topology->channels[c].bandwidth,
            .delay_lower = out->delay,
            .delay_upper = out->delay,
        };
    NB_TRY(queues_add_terminals(problem, out, err));
    if (nb_latency_is_by_inputs(question))
        NB_TRY(queues_find_inputs(question, problem, out, err));
done:
    if (status != NB_OK)
        nb_latency_queues_release(out);
    return status;
}
