/* netbound latency: the mean latency of a traffic at a given load. */
#include "questions/latency/latency_curve.h"
#include "questions/latency/latency_percentiles.h"
#include "questions/latency/latency_predicted.h"

#include "core/memory.h"
#include "load/turn_flows.h"
#include "routing/two_phase.h"
#include "core/unit.h"

#include <math.h>

#define LATENCY(field) offsetof(struct nb_latency_question, field)

static const struct nb_parameter latency_options[] = {
    NB_OPTION_TOPOLOGY(LATENCY(topology)),
    NB_OPTION_TRAFFIC(LATENCY(traffic)),
    NB_OPTION(
        "routing", LATENCY(routing), NETWORK, WORD, "",
        "routing scheme, such as dor:ties=split; default min; or use --optimal",
        .detail = "See: netbound list routings.", .is_first = true,
        .apart = "optimal"),
    NB_OPTION("rate", LATENCY(rate), TRAFFIC, NUMBER, "",
              "packets per terminal and cycle; this or --load is required",
              .is_first = true, .most = 1e6, .unit = "packets/cycle",
              .apart = "load", .either = "load"),
    NB_OPTION_CLOCK(LATENCY(clock)),
    NB_OPTION("load", LATENCY(load), TRAFFIC, NUMBER, "",
              "injection rate as a fraction of capacity", .is_first = true,
              .most = 1e6, .unit = "fraction"),
    NB_OPTION("delay-model", LATENCY(delay_model), MEASUREMENT, CHOICE,
              "by-scheme", "queueing model of a channel",
              .detail =
                  "pollaczek-khinchine: M/D/1. singh: 1/(2(1-rho)) at "
                  "utilisation rho. bernoulli: slots fed by independent "
                  "inputs, the closest to simulations. by-scheme: bernoulli "
                  "for adaptive schemes, else pollaczek-khinchine.",
              .choices = "by-scheme|pollaczek-khinchine|singh|bernoulli"),
    NB_OPTION("flits", LATENCY(flits), TRAFFIC, WHOLE, "",
              "flits per packet; default 1", .counts = "flits", .least = 1,
              .most = 1e6, .apart = "optimal"),
    NB_OPTION(
        "pipeline", LATENCY(pipeline), ROUTER, NUMBER, "",
        "cycles that a flit spends in each router before the switch; default 0",
        .most = 1000, .unit = "cycles", .also = "router-delay",
        .apart = "optimal"),
    NB_OPTION("channel-latency", LATENCY(channel_latency), ROUTER, NUMBER, "",
              "cycles that a flit takes over a channel; default 1", .least = 1,
              .most = 10000, .unit = "cycles", .also = "link-latency",
              .apart = "optimal"),
    NB_OPTION("global-latency", LATENCY(global_latency), ROUTER, NUMBER, "",
              "cycles that a flit takes over a channel between groups; "
              "default: channel-latency",
              .least = 1, .most = 10000, .unit = "cycles", .apart = "optimal"),
    NB_OPTION("percentiles", LATENCY(percentiles), MEASUREMENT, FLAG, "no",
              "also report latency_p50, latency_p99, latency_p999 (99.9 %) and "
              "table ccdf",
              .detail = "Convolves the waits along every path.",
              .is_first = true, .apart = "optimal"),
    NB_OPTION(
        "optimal", LATENCY(optimal), NETWORK, FLAG, "no",
        "find the routing with the least mean latency, instead of --routing",
        .is_first = true),
    NB_OPTION(
        "allow-inadmissible", LATENCY(allow_inadmissible), TRAFFIC, FLAG, "no",
        "accept a traffic matrix with rows or columns that sum to more than 1"),
    { 0 },
};

/* The delay models that treat all queues equally. */
static struct nb_mean_delay queues_set_model(int delay_model,
                                             struct nb_latency_queues *out)
{
    out->note =
        "an approximation: each channel is taken as an independent queue";
    if (delay_model == NB_LATENCY_SINGH) {
        out->method = "independent queues, each 1/(2(1-rho)) service times";
        out->source = "Singh2005, section 5.4.1";
        return nb_delay_singh;
    }
    out->method = "independent M/D/1 queues";
    out->source = "Kleinrock1975";
    return nb_delay_pollaczek_khinchine;
}

/* Adds the channels to the terminals, in the order in which terminals are
 * numbered, router by router. */
static enum nb_status queues_add_terminals(const struct nb_problem *problem,
                                           struct nb_latency_queues *out,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    struct nb_queue *queue = out->queue + out->channel_count;
    struct nb_enclosure *rate = NULL;
    enum nb_status status = NB_OK;
    if (out->terminal_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&rate, out->terminal_count, sizeof *rate, "rates", err));
    NB_TRY(nb_traffic_terminal_rates(&problem->traffic, topology, NULL, rate,
                                     err));
    for (size_t t = 0; t < out->terminal_count; t++)
        queue[t] = (struct nb_queue){ { rate[t].lower, rate[t].upper },
                                      topology->terminal_bandwidth,
                                      out->delay,
                                      out->delay };
done:
    nb_delete(rate);
    return status;
}

size_t nb_latency_list_inputs(const struct nb_topology *topology,
                              const struct nb_turn_flows *flows, size_t channel,
                              uint32_t router, double *input)
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
    return count;
}

/* What the inputs of slotted queues depend on; owns only the arrays. */
struct latency_inputs {
    const struct nb_topology *topology;
    const struct nb_turn_flows *flows; /* NULL: not known */
    struct nb_bracket rate;            /* [packets/cycle] of a terminal */
    double flits;                      /* of a packet */
    double *flow;                      /* [inputs of a queue], and so on */
    struct nb_bracket *burst;          /* as in nb_delay_of_inputs */
};

/* An input of a queue sends packets faster than the queue only if its channel
 * is faster, or if it is a terminal. */
static void inputs_list_bursts(struct latency_inputs *inputs,
                               struct nb_ratio bandwidth, uint32_t router)
{
    const struct nb_topology *topology = inputs->topology;
    const uint32_t first = topology->in_start[router];
    const size_t in = topology->in_start[router + 1] - first;
    const struct nb_bracket terminal = nb_burst_of_terminal(
        inputs->rate, inputs->flits / nb_ratio_value(bandwidth));
    for (size_t i = 0; i < in + topology->terminals[router]; i++) {
        double least = NAN, most = NAN;
        if (i < in)
            nb_ratio_bracket(
                nb_ratio_divide(
                    bandwidth,
                    topology->channels[topology->in_channel[first + i]]
                        .bandwidth),
                &least, &most);
        /* a host's channel may be unlimited */
        inputs->burst[i] =
            least > 0 ? (struct nb_bracket){ fmax(0, 1 - most) * (1 - 0x1p-50),
                                             fmax(0, 1 - least) }
                      : terminal;
    }
}

/* Finds the delays of a queue. Without known flows the inputs are divided so
 * that the delay is longest. */
static void inputs_find_delays(struct latency_inputs *inputs, size_t channel,
                               uint32_t router, struct nb_queue *queue)
{
    const struct nb_turn_flows *flows = inputs->flows;
    const size_t count = nb_latency_list_inputs(inputs->topology, flows,
                                                channel, router, inputs->flow);
    inputs_list_bursts(inputs, queue->bandwidth, router);
    for (size_t i = 0; i < count && flows == NULL; i++)
        inputs->flow[i] /= 1 - inputs->burst[i].upper;
    /* The division by the number of terminals, or here, rounds. */
    nb_delay_of_inputs(inputs->flow, inputs->burst, count,
                       (flows != NULL ? flows->relative_error : 0) + 0x1p-52,
                       &queue->delay_lower, &queue->delay_upper);
}

/* Sets the delays of all queues from their inputs. */
static enum nb_status queues_set_delays(struct latency_inputs *inputs,
                                        struct nb_latency_queues *out,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = inputs->topology;
    const size_t most = topology->channel_count + topology->terminal_count;
    struct nb_queue *queue = out->queue + out->channel_count;
    enum nb_status status;
    NB_TRY(nb_new(&inputs->flow, most, sizeof *inputs->flow, "inputs", err));
    NB_TRY(nb_new(&inputs->burst, most, sizeof *inputs->burst, "inputs", err));
    for (size_t c = 0; c < out->channel_count; c++)
        inputs_find_delays(inputs, c, topology->channels[c].source,
                           &out->queue[c]);
    for (uint32_t r = 0; r < topology->router_count && out->terminal_count > 0;
         r++)
        for (size_t t = 0; t < topology->terminals[r]; t++)
            inputs_find_delays(inputs, out->channel_count + r, r, queue++);
done:
    nb_delete(inputs->flow);
    nb_delete(inputs->burst);
    return status;
}

bool nb_latency_knows_inputs(const struct nb_problem *problem)
{
    return nb_route_alike(&problem->routing)->phase == NULL;
}

/* For slotted queues. */
static enum nb_status queues_find_inputs(const struct nb_latency_answer *answer,
                                         const struct nb_run *run,
                                         struct nb_latency_queues *out,
                                         struct nb_error *err)
{
    const struct nb_problem *problem = &answer->problem;
    const struct nb_routing *routing = nb_route_alike(&problem->routing);
    const struct nb_enclosure rate =
        nb_enclosure_divide(answer->rate, nb_enclosure_of_whole(answer->flits));
    struct nb_turn_flows flows = { 0 };
    struct latency_inputs inputs = {
        .topology = &problem->topology,
        .rate = { rate.lower, rate.upper },
        .flits = answer->flits,
    };
    enum nb_status status = NB_OK;
    out->source = "KruskalSnir1983";
    if (routing->kind->is_adaptive)
        return queues_set_delays(&inputs, out, err);
    if (!nb_latency_knows_inputs(problem)) {
        out->method = "independent slotted queues, fed by all channels and "
                      "terminals of the router";
        out->note =
            "an approximation: the routing uses intermediate routers, so the "
            "input of a channel is divided among the channels into its router "
            "and the terminals there so that waits are longest";
        return queues_set_delays(&inputs, out, err);
    }
    out->method = "independent slotted queues, fed by the flows from the "
                  "channels and terminals of the router";
    if (problem->traffic.singles.count > 0)
        out->note = "an approximation: each channel is taken as an independent "
                    "queue, fed equally by the terminals of its router";
    NB_TRY(nb_turn_flows_find(routing, &problem->traffic, run, &flows, err));
    inputs.flows = &flows;
    NB_TRY(queues_set_delays(&inputs, out, err));
done:
    nb_turn_flows_release(&flows);
    return status;
}

/* Sets up the queues of the delay model; for the best routing they have no load
 * yet. */
static enum nb_status queues_find(struct nb_latency_answer *answer,
                                  const struct nb_run *run,
                                  struct nb_error *err)
{
    const struct nb_problem *problem = &answer->problem;
    const struct nb_channel_loads *loads = &answer->loads;
    const int delay_model = answer->request.delay_model;
    struct nb_latency_queues *out = &answer->queues;
    const struct nb_topology *topology = &problem->topology;
    enum nb_status status = NB_OK;
    *out = (struct nb_latency_queues){
        .channel_count = topology->channel_count,
        .terminal_count =
            nb_has_terminal_queues(topology) ? topology->terminal_count : 0,
        .total = nb_latency_total(&problem->traffic, topology),
    };
    out->delay = queues_set_model(delay_model, out);
    NB_TRY(nb_new(&out->queue, out->channel_count + out->terminal_count,
                  sizeof *out->queue, "queues", err));
    for (size_t c = 0; c < out->channel_count; c++)
        out->queue[c] = (struct nb_queue){
            .load = loads->load == NULL
                        ? (struct nb_bracket){ 0, 0 }
                        : (struct nb_bracket){ loads->load[c].lower,
                                               loads->load[c].upper },
            .bandwidth = topology->channels[c].bandwidth,
            .delay_lower = out->delay,
            .delay_upper = out->delay,
        };
    NB_TRY(queues_add_terminals(problem, out, err));
    if (delay_model == NB_LATENCY_BERNOULLI)
        NB_TRY(queues_find_inputs(answer, run, out, err));
done:
    return status;
}

static struct nb_bracket latency_bracket(struct nb_enclosure a)
{
    return (struct nb_bracket){ a.lower, a.upper };
}

struct nb_enclosure
nb_latency_add_terminal_hop(const struct nb_latency_answer *answer,
                            struct nb_enclosure hops)
{
    if (answer->queues.terminal_count == 0 || answer->queues.total.upper == 0)
        return hops;
    return nb_enclosure_add(hops, nb_enclosure_of_ratio(nb_ratio_one));
}

/* Whether the rate is known to reach saturation. */
static bool latency_is_saturated(struct nb_enclosure rate,
                                 struct nb_enclosure saturation)
{
    if (nb_ratio_is_known(rate.exact) && nb_ratio_is_known(saturation.exact))
        return nb_ratio_compare(rate.exact, saturation.exact) >= 0;
    return rate.lower >= saturation.upper;
}

/* The largest sum of a terminal's row or column of the traffic. */
static enum nb_status latency_find_most(const struct nb_problem *problem,
                                        struct nb_ratio *most,
                                        struct nb_error *err)
{
    struct nb_traffic_sums sums;
    const enum nb_status status =
        nb_traffic_sums_find(&problem->traffic, &problem->topology, &sums, err);
    if (status == NB_OK)
        *most = nb_ratio_compare(sums.row, sums.column) > 0 ? sums.row
                                                            : sums.column;
    return status;
}

/* Sets up the queues and allocates their states. */
static enum nb_status latency_find_queues(const struct nb_run *run,
                                          struct nb_latency_answer *answer,
                                          struct nb_error *err)
{
    struct nb_latency_queues *queues = &answer->queues;
    enum nb_status status = NB_OK;
    NB_TRY(queues_find(answer, run, err));
    NB_TRY(nb_new(&answer->state,
                  queues->channel_count + queues->terminal_count,
                  sizeof *answer->state, "queues", err));
done:
    return status;
}

/* The fraction of a router's packets to itself that leave it: those that draw
 * another intermediate router. */
static enum nb_status latency_share_round(const struct nb_routing *routing,
                                          uint32_t router,
                                          struct nb_ratio *share,
                                          struct nb_error *err)
{
    struct nb_start *starts = NULL;
    struct nb_ratio total = nb_ratio_zero;
    enum nb_status status;
    *share = nb_ratio_zero;
    NB_TRY(
        nb_new(&starts, routing->most_starts, sizeof *starts, "starts", err));
    const size_t count = nb_route_starts(routing, router, router, starts);
    for (size_t s = 0; s < count; s++) {
        const uint64_t ways = nb_start_ways(&starts[s]);
        uint64_t round = 0;
        for (uint64_t i = 0; i < ways; i++)
            round += nb_two_phase_is_first(
                nb_route_begin(routing, &starts[s], i, router, router), router);
        const struct nb_ratio weight =
            nb_ratio_make((nb_int128)starts[s].weight, 1);
        total = nb_ratio_add(total, weight);
        *share = nb_ratio_add(
            *share, nb_ratio_multiply(weight, nb_ratio_make((nb_int128)round,
                                                            (nb_int128)ways)));
    }
    *share = nb_ratio_divide(*share, total);
done:
    nb_delete(starts);
    return status;
}

/* Cycles after a packet's first flit. A packet of several flits keeps a channel
 * busy for that many cycles; all but one of them follow the first flit on the
 * last channel. Packets that stay at their router need none. With intermediate
 * routers, packets of a router to itself may leave it or stay. */
static enum nb_status
latency_find_serial(const struct nb_latency_answer *answer,
                    struct nb_enclosure *serial, struct nb_error *err)
{
    const struct nb_problem *problem = &answer->problem;
    const struct nb_topology *topology = &problem->topology;
    const size_t routers = topology->router_count;
    const bool may_stay = answer->queues.terminal_count == 0;
    const bool has_phases =
        problem->routing.phase != NULL && !problem->routing.kind->is_adaptive;
    struct nb_ratio round = nb_ratio_zero, share;
    nb_int128 own = 0, all = 0;
    uint64_t *rate = NULL;
    enum nb_status status = NB_OK;
    *serial = nb_enclosure_of_whole(0);
    if (answer->flits == 1 || answer->queues.total.upper == 0)
        return NB_OK;
    NB_TRY(nb_new(&rate, routers, sizeof *rate, "rates", err));
    for (uint32_t j = 0; j < routers; j++) {
        NB_TRY(nb_traffic_column(&problem->traffic, topology, j, rate, err));
        own += may_stay ? (nb_int128)rate[j] : 0;
        if (has_phases && may_stay && rate[j] > 0) {
            NB_TRY(latency_share_round(&problem->routing, j, &share, err));
            round = nb_ratio_add(
                round,
                nb_ratio_multiply(share, nb_ratio_make((nb_int128)rate[j], 1)));
        }
        for (size_t i = 0; i < routers; i++)
            all += (nb_int128)rate[i];
    }
    const struct nb_ratio goes =
        nb_ratio_divide(nb_ratio_add(nb_ratio_make(all - own, 1), round),
                        nb_ratio_make(all, 1));
    *serial = nb_enclosure_multiply(nb_enclosure_of_ratio(goes),
                                    nb_enclosure_of_whole(answer->flits - 1));
    if (!nb_ratio_is_known(goes)) /* the ratio does not fit */
        *serial = (struct nb_enclosure){ .upper = answer->flits - 1 };
done:
    nb_delete(rate);
    return status;
}

/* Converts waits from flits to cycles; a channel of bandwidth 1 serves one flit
 * per cycle. */
static void latency_scale_waits(struct nb_latency_answer *answer)
{
    const struct nb_enclosure flits = nb_enclosure_of_whole(answer->flits);
    const size_t count =
        answer->queues.channel_count + answer->queues.terminal_count;
    for (size_t q = 0; q < count && answer->flits > 1; q++) {
        struct nb_bracket *wait = &answer->state[q].wait;
        *wait = latency_bracket(
            nb_enclosure_multiply(nb_enclosure_of_bracket(*wait), flits));
    }
}

/* Cycles for the hops between routers. For an adaptive scheme only the total
 * number of hops is known. */
static struct nb_enclosure latency_ride(const struct nb_latency_answer *answer,
                                        struct nb_enclosure hops)
{
    const struct nb_enclosure cycles =
        nb_enclosure_of_ratio(answer->hop_cycles);
    if (nb_ratio_compare(answer->global_cycles, answer->hop_cycles) == 0)
        return nb_enclosure_multiply(nb_latency_add_terminal_hop(answer, hops),
                                     cycles);
    return nb_enclosure_add(
        nb_enclosure_multiply(
            nb_latency_add_terminal_hop(answer, answer->classes.local), cycles),
        nb_enclosure_multiply(answer->classes.global,
                              nb_enclosure_of_ratio(answer->global_cycles)));
}

/* Cycles for the hops and for the flits after the first. */
static enum nb_status
latency_find_travel(const struct nb_latency_answer *answer,
                    struct nb_enclosure hops, struct nb_enclosure *travel,
                    struct nb_error *err)
{
    struct nb_enclosure serial;
    const enum nb_status status = latency_find_serial(answer, &serial, err);
    if (status == NB_OK)
        *travel = nb_enclosure_add(latency_ride(answer, hops), serial);
    return status;
}

/* The mean wait at the terminals' channels, which is the same under any
 * routing; infinite if they are full. */
static struct nb_enclosure latency_wait_last(struct nb_latency_answer *answer)
{
    const struct nb_latency_queues *queues = &answer->queues;
    const size_t channels = queues->channel_count;
    const struct nb_bracket wait = nb_latency_find_wait(
        queues->queue + channels, queues->terminal_count,
        latency_bracket(answer->rate), queues->total, answer->state + channels);
    answer->is_full = latency_is_saturated(
        answer->rate,
        nb_problem_terminal_limit(&answer->problem, answer->most));
    return answer->is_full ? nb_enclosure_of_ratio(nb_ratio_infinity)
                           : nb_enclosure_of_bracket(wait);
}

/* [cycle] The mean wait at no load, from a queue on. */
static struct nb_enclosure
latency_wait_idle(const struct nb_latency_answer *answer, size_t first)
{
    const struct nb_latency_queues *queues = &answer->queues;
    const struct nb_bracket none = { 0, 0 };
    const struct nb_bracket wait = nb_latency_find_wait(
        queues->queue + first,
        queues->channel_count + queues->terminal_count - first, none,
        queues->total, NULL);
    return nb_enclosure_multiply(nb_enclosure_of_bracket(wait),
                                 nb_enclosure_of_whole(answer->flits));
}

/* Finds the waits under an oblivious scheme. */
static enum nb_status latency_find_scheme(const struct nb_run *run,
                                          struct nb_latency_answer *answer,
                                          struct nb_error *err)
{
    struct nb_problem *problem = &answer->problem;
    const struct nb_latency_queues *queues = &answer->queues;
    const struct nb_channel_loads *loads = &answer->loads;
    enum nb_status status = NB_OK;
    NB_TRY(nb_problem_find_loads(problem, run, &answer->loads, err));
    NB_TRY(latency_find_queues(run, answer, err));
    struct nb_bracket wait = nb_latency_find_wait(
        queues->queue, queues->channel_count + queues->terminal_count,
        latency_bracket(answer->rate), queues->total, answer->state);
    answer->saturation = loads->throughput;
    if (latency_is_saturated(
            answer->rate,
            nb_enclosure_least(answer->saturation, nb_problem_terminal_limit(
                                                       problem, answer->most))))
        wait = (struct nb_bracket){ INFINITY, INFINITY };
    answer->hops = loads->mean_hops;
    nb_hop_classes_find(&problem->topology, loads, &answer->classes);
    NB_TRY(latency_find_travel(answer, answer->hops, &answer->travel, err));
    latency_scale_waits(answer);
    answer->wait = nb_enclosure_multiply(nb_enclosure_of_bracket(wait),
                                         nb_enclosure_of_whole(answer->flits));
    answer->latency = nb_enclosure_add(answer->travel, answer->wait);
    answer->zero_load =
        nb_enclosure_add(answer->travel, latency_wait_idle(answer, 0));
done:
    return status;
}

/* Predicts the waits under an adaptive scheme. */
static enum nb_status latency_find_predicted(const struct nb_run *run,
                                             struct nb_latency_answer *answer,
                                             struct nb_error *err)
{
    struct nb_enclosure travel;
    enum nb_status status = NB_OK;
    answer->is_predicted = true;
    NB_TRY(latency_find_queues(run, answer, err));
    NB_TRY(nb_latency_predict(answer, run, err));
    answer->wait = nb_enclosure_multiply(
        nb_enclosure_add(answer->wait, latency_wait_last(answer)),
        nb_enclosure_of_whole(answer->flits));
    answer->zero_load = latency_wait_idle(answer, 0);
    latency_scale_waits(answer);
    NB_TRY(latency_find_travel(answer, answer->idle_hops, &travel, err));
    answer->zero_load = nb_enclosure_add(travel, answer->zero_load);
    NB_TRY(latency_find_travel(answer, answer->hops, &travel, err));
    answer->latency = nb_enclosure_add(travel, answer->wait);
done:
    return status;
}

/* Finds the best routing: the channels by assignment; the terminals' channels
 * have the same waits under any routing. */
static enum nb_status latency_find_optimal(const struct nb_run *run,
                                           struct nb_latency_answer *answer,
                                           struct nb_error *err)
{
    const struct nb_assignment *found = &answer->assignment;
    const struct nb_problem *problem = &answer->problem;
    struct nb_latency_queues *queues = &answer->queues;
    enum nb_status status = NB_OK;
    NB_TRY(latency_find_queues(run, answer, err));
    NB_TRY(nb_assignment_find(&problem->topology, &problem->traffic,
                              queues->delay, answer->rate, run,
                              &answer->assignment, err));
    const struct nb_enclosure last = latency_wait_last(answer);
    for (size_t c = 0; c < queues->channel_count; c++) {
        queues->queue[c].load = found->load[c];
        answer->state[c] =
            nb_queue_at(&queues->queue[c], latency_bracket(answer->rate));
    }
    answer->latency =
        nb_enclosure_add(nb_latency_add_terminal_hop(
                             answer, nb_enclosure_of_bracket(found->latency)),
                         last);
    answer->hops = nb_enclosure_of_bracket(found->hops);
    answer->wait = nb_enclosure_add(nb_enclosure_of_bracket(found->wait), last);
    answer->zero_load =
        nb_enclosure_add(nb_latency_add_terminal_hop(
                             answer, nb_enclosure_of_bracket(found->zero_load)),
                         latency_wait_idle(answer, queues->channel_count));
done:
    return status;
}

bool nb_latency_is_slotted(const struct nb_latency_answer *answer)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_ratio last = topology->terminal_bandwidth;
    bool is_one =
        !nb_ratio_is_known(last) || nb_ratio_compare(last, nb_ratio_one) == 0;
    for (size_t c = 0; c < topology->channel_count && is_one; c++)
        is_one = nb_ratio_compare(topology->channels[c].bandwidth,
                                  nb_ratio_one) == 0;
    return is_one;
}

/* How the flits of a packet follow each other is not modelled for channels of
 * other bandwidths than one flit per cycle. */
static enum nb_status
latency_check_flits(const struct nb_latency_answer *answer,
                    struct nb_error *err)
{
    if (answer->flits == 1 || nb_latency_is_slotted(answer))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "packets of %u flits are not permitted over channels of "
                   "bandwidths other than 1 (permitted: packets of 1 flit)",
                   answer->flits);
}

/* Slotted queues serve one packet in a whole number of cycles. Predictions
 * choose this model by themselves, and say that they are approximations. */
static enum nb_status
latency_check_slots(const struct nb_latency_answer *answer,
                    struct nb_error *err)
{
    const struct nb_topology *topology = &answer->problem.topology;
    if (answer->request.delay_model != NB_LATENCY_BERNOULLI ||
        answer->problem.routing.kind->is_adaptive)
        return NB_OK;
    for (size_t c = 0; c <= topology->channel_count; c++) {
        const struct nb_ratio bandwidth = c < topology->channel_count
                                              ? topology->channels[c].bandwidth
                                              : topology->terminal_bandwidth;
        char text[NB_RATIO_TEXT];
        if (!nb_ratio_is_known(bandwidth) || bandwidth.numerator == 1)
            continue;
        nb_ratio_print(bandwidth, text);
        return nb_fail(err, NB_INVALID,
                       "--delay-model bernoulli is not permitted over channels "
                       "of bandwidth %s (permitted: 1, 1/2, 1/3 and so on, or "
                       "another --delay-model)",
                       text);
    }
    return NB_OK;
}

/* Refuses a latency between groups if there are no groups, or if the number of
 * hops between them is not known. */
static enum nb_status
latency_check_global(const struct nb_latency_answer *answer,
                     struct nb_error *err)
{
    const struct nb_problem *problem = &answer->problem;
    if (!nb_ratio_is_known(answer->request.global_latency))
        return NB_OK;
    if (problem->topology.groups.count == 0)
        return nb_fail(err, NB_INVALID,
                       "--global-latency: topology %s has no channels between "
                       "groups (permitted: a network of groups, such as "
                       "dragonfly)",
                       problem->topology.kind->kind.name);
    if (problem->routing.kind->is_adaptive)
        return nb_fail(
            err, NB_INVALID,
            "--global-latency is not permitted with --routing %s, whose mean "
            "latency is predicted (permitted: oblivious schemes)",
            problem->routing.kind->kind.name);
    return NB_OK;
}

static struct nb_ratio latency_ratio(struct nb_ratio given,
                                     struct nb_ratio otherwise)
{
    return nb_ratio_is_known(given) ? given : otherwise;
}

/* Sets the cycles of hops. */
static enum nb_status latency_set_cycles(struct nb_latency_answer *answer,
                                         struct nb_error *err)
{
    const struct nb_latency_question *request = &answer->request;
    const struct nb_ratio pipeline =
        latency_ratio(request->pipeline, nb_ratio_zero);
    const struct nb_ratio channel =
        latency_ratio(request->channel_latency, nb_ratio_one);
    const struct nb_ratio global =
        latency_ratio(request->global_latency, channel);
    answer->hop_cycles = nb_ratio_add(pipeline, channel);
    answer->global_cycles = nb_ratio_add(pipeline, global);
    return nb_ratio_is_known(answer->hop_cycles) &&
                   nb_ratio_is_known(answer->global_cycles)
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "pipeline and latencies of too many digits "
                         "(permitted: sums that fit a ratio of 63 bits)");
}

static enum nb_status latency_open(const struct nb_latency_question *request,
                                   const struct nb_run *run,
                                   struct nb_latency_answer *out,
                                   struct nb_error *err)
{
    const char *scheme = request->routing != NULL ? request->routing : "min";
    const struct nb_network_names names = {
        .topology = request->topology,
        .traffic = request->traffic,
        .routing = request->optimal ? NULL : scheme,
        .allows_inadmissible = request->allow_inadmissible,
    };
    enum nb_status status = NB_OK;
    if (request->optimal && request->delay_model == NB_LATENCY_BERNOULLI)
        return nb_fail(err, NB_USAGE,
                       "--delay-model bernoulli is not permitted with "
                       "--optimal, since it depends on how the traffic of a "
                       "channel is divided among its inputs (permitted: "
                       "pollaczek-khinchine, singh)");
    NB_TRY(nb_problem_open(&names, run, &out->problem, err));
    if (request->optimal && out->problem.topology.kind->is_one_way)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "--optimal is not permitted on topology %s, where every "
                       "pair of terminals has one path (permitted: --routing "
                       "min)",
                       out->problem.topology.kind->kind.name));
    if (request->delay_model == NB_LATENCY_BY_SCHEME)
        out->request.delay_model =
            !request->optimal && out->problem.routing.kind->is_adaptive
                ? NB_LATENCY_BERNOULLI
                : NB_LATENCY_MD1;
    NB_TRY(nb_problem_rate(&out->problem, request->rate, request->load,
                           &out->rate, err));
    out->flits = request->flits > 1 ? (uint32_t)request->flits : 1;
    out->problem.counts_flits = out->flits > 1;
    NB_TRY(latency_set_cycles(out, err));
    if (nb_ratio_is_known(request->rate))
        out->rate =
            nb_enclosure_multiply(out->rate, nb_enclosure_of_whole(out->flits));
    NB_TRY(latency_check_flits(out, err));
    NB_TRY(latency_check_slots(out, err));
    NB_TRY(latency_check_global(out, err));
    NB_TRY(latency_find_most(&out->problem, &out->most, err));
done:
    return status;
}

static enum nb_status latency_find(const struct nb_run *run,
                                   struct nb_latency_answer *answer,
                                   struct nb_error *err)
{
    if (answer->request.optimal)
        return latency_find_optimal(run, answer, err);
    if (!answer->problem.routing.kind->is_adaptive)
        return latency_find_scheme(run, answer, err);
    if (answer->request.percentiles)
        return nb_fail(
            err, NB_INVALID,
            "--percentiles is not permitted with --routing %s, whose mean "
            "latency is predicted (permitted: oblivious schemes)",
            answer->problem.routing.kind->kind.name);
    return latency_find_predicted(run, answer, err);
}

static enum nb_status latency_compute(const struct nb_latency_question *request,
                                      const struct nb_run *run,
                                      struct nb_latency_answer *out,
                                      struct nb_error *err)
{
    enum nb_status status;
    out->request = *request;
    NB_TRY(latency_open(request, run, out, err));
    NB_TRY(latency_find(run, out, err));
    out->has_global = nb_ratio_is_known(request->global_latency);
    if (request->percentiles)
        NB_TRY(nb_latency_find_percentiles(run, out, err));
done:
    return status;
}

void nb_latency_answer_release(struct nb_latency_answer *answer)
{
    nb_delete(answer->state);
    nb_delete(answer->queues.queue);
    nb_path_latency_release(&answer->paths);
    nb_assignment_release(&answer->assignment);
    nb_equilibrium_release(&answer->equilibrium);
    nb_channel_loads_release(&answer->loads);
    nb_problem_release(&answer->problem);
    *answer = (struct nb_latency_answer){ 0 };
}

#define LATENCY_ROW(field, name, ...)                                          \
    NB_QUANTITY(struct nb_latency_answer, field, name, __VA_ARGS__)

/* By the delay model, as walked or predicted, and by the delay model again. */
static const struct nb_quantity_row latency_mean[] = {
    LATENCY_ROW(latency, "mean_latency", "cycles"), { 0 }
};
static const struct nb_quantity_row latency_hops[] = {
    LATENCY_ROW(hops, "mean_hops", "hops"),
    LATENCY_ROW(classes.local, "mean_local_hops", "hops",
                NB_ONLY_IF(struct nb_latency_answer, has_global)),
    LATENCY_ROW(classes.global, "mean_global_hops", "hops",
                NB_ONLY_IF(struct nb_latency_answer, has_global)),
    { 0 },
};
static const struct nb_quantity_row latency_waits[] = {
    LATENCY_ROW(wait, "mean_wait", "cycles"),
    LATENCY_ROW(zero_load, "zero_load_latency", "cycles"),
    { 0 },
};

/* Adds the quantities of a scheme. */
static void latency_report_scheme(const struct nb_latency_answer *answer,
                                  struct nb_point *out)
{
    const char *method = answer->queues.method, *source = answer->queues.source;
    const bool is_predicted = answer->is_predicted;
    const char *found = is_predicted ? NB_LATENCY_PREDICTED : "propagation";
    const char *of_found = is_predicted ? NB_LATENCY_PREDICTED_SOURCE
                                        : "TowlesDally2002, section 2.2";
    nb_point_add_quantities(out, latency_mean, answer, NULL, method, source);
    nb_point_add_quantities(out, latency_hops, answer, NULL, found, of_found);
    nb_point_add_quantities(out, latency_waits, answer, NULL, method, source);
    if (answer->request.percentiles)
        nb_latency_report_percentiles(answer, out);
    nb_problem_add_throughput(&answer->problem, out, "saturation",
                              answer->saturation, answer->most, found,
                              of_found);
    if (is_predicted)
        nb_latency_report_predicted(answer, out);
    if (answer->request.routing == NULL)
        nb_point_add_note(out, "routing", "min, by default");
}

#define LATENCY_ASSIGNMENT                                                     \
    "least mean latency: paths by gradient projection, bounded by duality"
#define LATENCY_ASSIGNMENT_SOURCE "BertsekasGallager1992"

/* Adds cycles that may be infinite. A bracket up to infinity is reported as
 * infinite, since its lower end is only where the search for a proof
 * stopped. */
static void latency_add_cycles(struct nb_point *out, const char *name,
                               struct nb_enclosure cycles, const char *method,
                               const char *source)
{
    if (isinf(cycles.upper) && !isinf(cycles.lower))
        nb_point_add_interval(
            out, name, (struct nb_interval){ INFINITY, cycles.lower, INFINITY },
            "cycles", method, source);
    else
        nb_point_add_enclosure(out, name, cycles, "cycles", method, source);
}

/* Adds the relative width of the bracket, with a note if it is not narrow. */
static void latency_add_gap(const struct nb_latency_answer *answer,
                            struct nb_point *out)
{
    const struct nb_enclosure latency = answer->latency;
    const double width = latency.upper - latency.lower;
    const double gap = isinf(latency.upper) ? INFINITY
                       : latency.upper == 0 ? 0
                                            : width / latency.lower;
    nb_point_add_bracket(out, "duality_gap",
                         gap == 0 || isinf(gap) ? gap : gap * (1 - 0x1p-50),
                         gap * (1 + 0x1p-50), "1", LATENCY_ASSIGNMENT,
                         LATENCY_ASSIGNMENT_SOURCE);
    if (isinf(gap))
        nb_point_note(out, "duality_gap",
                      "found neither a routing that carries the rate nor a "
                      "proof that none exists in %zu rounds",
                      answer->assignment.rounds);
    else if (!(gap <= 1e-9))
        nb_point_note(out, "duality_gap",
                      "bracket after %zu rounds; mean_hops and mean_wait are "
                      "those of the routing found, which gives the upper end "
                      "of the bracket",
                      answer->assignment.rounds);
}

/* Adds the quantities of the best routing. */
static void latency_report_optimal(const struct nb_latency_answer *answer,
                                   struct nb_point *out)
{
    latency_add_cycles(out, "mean_latency", answer->latency, LATENCY_ASSIGNMENT,
                       LATENCY_ASSIGNMENT_SOURCE);
    if (isinf(answer->latency.lower)) {
        nb_point_add_note(out, "saturated",
                          answer->is_full
                              ? "the terminals' own channels are full at "
                                "this rate, under any routing"
                              : "no routing carries this rate, as lengths of "
                                "the channels prove");
        return;
    }
    latency_add_gap(answer, out);
    nb_point_add_enclosure(out, "mean_hops", answer->hops, "hops",
                           "of the routing found", "");
    latency_add_cycles(out, "mean_wait", answer->wait, "of the routing found",
                       answer->queues.source);
    nb_point_add_enclosure(out, "zero_load_latency", answer->zero_load,
                           "cycles", "shortest paths", answer->queues.source);
}

#define LATENCY_STATE                                                          \
    "utilisation:number,utilisation_upper:number,wait:number [cycles],"        \
    "wait_upper:number [cycles]"
/* The cells of LATENCY_STATE. */
#define LATENCY_CELLS(state)                                                   \
    (state).utilisation.lower, (state).utilisation.upper, (state).wait.lower,  \
        (state).wait.upper

static const struct nb_table_kind latency_channels =
    NB_TABLE("channels", "channel,source,target," LATENCY_STATE);
static const struct nb_table_kind latency_terminals =
    NB_TABLE("terminals", "terminal," LATENCY_STATE);
static const struct nb_table_kind latency_paths =
    NB_TABLE("paths", "source,destination,share:number,hops,routers:text");

/* Adds the table channels and, if the terminals' channels have queues, the
 * table terminals. */
static void latency_add_queues(const struct nb_latency_answer *answer,
                               struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_latency_queues *queues = &answer->queues;
    const struct nb_queue_state *states = answer->state;
    size_t table = nb_table_start(out, &latency_channels);
    for (size_t q = 0; q < queues->channel_count; q++)
        NB_ROW(out, table, q, topology->channels[q].source,
               topology->channels[q].target, LATENCY_CELLS(states[q]));
    if (queues->terminal_count == 0)
        return;
    table = nb_table_start(out, &latency_terminals);
    for (size_t t = 0; t < queues->terminal_count; t++)
        NB_ROW(out, table, t, LATENCY_CELLS(states[queues->channel_count + t]));
}

/* Adds the table paths: the paths of the routing found, as routers in order. */
static void latency_add_paths(const struct nb_latency_answer *answer,
                              struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_assignment *found = &answer->assignment;
    const size_t table = nb_table_start(out, &latency_paths);
    for (size_t p = 0; p < found->path_count; p++) {
        const struct nb_assignment_path *path = &found->path[p];
        struct nb_text text = { 0 };
        nb_router_print(topology, path->source, &text);
        for (size_t i = path->first; i < path->first + path->length; i++) {
            nb_text_print(&text, ">");
            nb_router_print(
                topology, topology->channels[found->channel[i]].target, &text);
        }
        NB_ROW(out, table, path->source, path->target, path->share,
               path->length, text.bytes != NULL ? text.bytes : "");
        out->has_failed = out->has_failed || text.has_failed;
        nb_text_release(&text);
    }
}

static void latency_report(const struct nb_latency_answer *answer,
                           struct nb_point *out)
{
    if (answer->request.optimal) {
        latency_report_optimal(answer, out);
        latency_add_paths(answer, out);
    } else {
        latency_report_scheme(answer, out);
    }
    nb_point_add_note(out, "delay_model", answer->queues.note);
    if (answer->flits > 1)
        nb_point_add_note(out, "flits",
                          "a packet's flits follow each other from router to "
                          "router (cut-through); " NB_FLITS_COUNTED);
    nb_problem_note_worst(&answer->problem, out);
    if (answer->queues.terminal_count > 0)
        nb_problem_note_hops(out);
    latency_add_queues(answer, out);
    if (!answer->request.optimal && !answer->is_predicted)
        nb_latency_report_curve(answer, out);
}

NB_DEFINE_QUESTION(latency);
NB_DEFINE_RELEASE(latency);

const struct nb_question_kind nb_question_kind_latency = {
    .form = {
        .name = "latency",
        .summary = "mean latency and percentiles at a load",
        .example = "netbound latency --topology torus:8x8 --routing val --traffic "
                   "tornado --sweep load=0.1:0.5:0.1",
        .title = "optimal?<Latency>[ of {traffic} traffic] by the best routing on {topology}|<Latency>[ of {traffic} traffic][ by {routing}] on {topology}",
        .options = latency_options,
        .quantities = NB_QUANTITIES(latency_mean, latency_hops, latency_waits),
        .tables = NB_TABLES(&latency_paths, &latency_channels, &latency_terminals, &nb_latency_curve_table, &nb_latency_ccdf),
    },
    NB_CALLS_OF(latency),
    .release = latency_release,
};
