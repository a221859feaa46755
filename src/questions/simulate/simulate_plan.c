#include "questions/simulate/simulate_plan.h"

#include "core/memory.h"
#include "core/try.h"
#include "deadlock/dependencies.h"
#include "deadlock/order.h"
#include "queueing/arrivals.h"
#include "routing/table_ways.h"
#include "routing/vc_classes.h"
#include "sim/sources.h"

#include <math.h>
#include <string.h>

enum {
    PLAN_BUFFER = 8,  /* [flit] or the longest packet, if longer */
    PLAN_VIRTUAL = 2, /* [packet] for each logical network; also the default
                       * number of virtual networks */
    PLAN_ROUND = 8,   /* [cycle] per level */
    PLAN_SHARED = 96, /* [flit] Singh2005, section 4.2: three times 32 */
    PLAN_REPLIES = 8, /* [packet] per terminal */
};

/* A router is starved if its share is below this fraction of the mean share. */
#define PLAN_STARVED 0.5

/* Packets under way that are permitted in any network. */
#define PLAN_PACKETS      0x1p22
#define PLAN_PACKETS_EACH 64 /* per terminal */

/* The largest number of flits that the channels of a default simulation move,
 * and its length. */
#define PLAN_WORK 2e8
enum {
    PLAN_LEAST_CYCLES = 2048,
    PLAN_MOST_CYCLES = 51200,
    PLAN_LONGEST = 100, /* times that many cycles with --precision */
};

static const struct nb_parameter plan_rows[] = {
    NB_OPTIONS_SIMULATED(" replies", " 0.5"), { 0 }
};

/*
 * Named credit routers: the defaults of their options, and further defaults on
 * networks of groups.
 */
static const struct {
    int router;
    const char *settings, *of_groups;
} plan_routers[] = {
    /* Cycles of 1 ns and phits as flits: packets of 10 flits; switch 90 ns,
     * channels 15 ns and, between groups, 150 ns. Buffers of 72, 180 and 63
     * packets are taken per virtual channel, at its input and at the output
     * before it. The injection queue of 504 is equivalent to an unbounded one:
     * packets generated while it is full wait before it. Schemes compare
     * credits, which the routers of the thesis show to them. Source:
     * [Benito2020, table 3-1 and sections 2.1 and 3.2.1]. */
    { NB_SIMULATE_BENITO,
      "flits=10,switching=cut-through,allocation=packet,speedup=2,"
      "buffer=720,output-queues=virtual,output-buffer=630,congestion=credits,"
      "pipeline=90,channel-latency=15",
      "global-buffer=1800,global-latency=150" },
    /* Cycles of 40 ns, in which a channel of 40 Gbps passes a flit of 200
     * bytes; buffers of 100 KB, stopped by pauses. Source: [Benito2020, table
     * 4-3]. */
    { NB_SIMULATE_BENITO_ETHERNET,
      "flits=5,switching=cut-through,allocation=packet,speedup=2,"
      "flow-control=pause,buffer=500,output-buffer=500,pipeline=5,"
      "channel-latency=1",
      "global-buffer=500,global-latency=10" },
};

/* Errors: NB_NO_MEMORY. */
static enum nb_status plan_name_router(struct nb_simulate_answer *out,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sizeof plan_routers / sizeof *plan_routers; i++) {
        if (out->request.router != plan_routers[i].router)
            continue;
        NB_TRY(nb_request_apply_preset(plan_rows, plan_routers[i].settings,
                                       &out->request, &out->given, err));
        if (out->problem.topology.groups.count > 0)
            NB_TRY(nb_request_apply_preset(plan_rows, plan_routers[i].of_groups,
                                           &out->request, &out->given, err));
    }
done:
    return status;
}

/* The given number, from 1 on, or the default. */
static uint32_t plan_whole(int64_t given, uint32_t otherwise)
{
    return given > 0 ? (uint32_t)given : otherwise;
}

enum nb_status nb_simulate_open(const struct nb_simulate_question *request,
                                const struct nb_run *run,
                                struct nb_simulate_answer *out,
                                struct nb_error *err)
{
    const struct nb_network_names names = {
        .topology = request->topology,
        .routing = request->routing,
        .traffic = request->traffic != NULL ? request->traffic : "uniform",
        .allows_inadmissible = request->allow_inadmissible,
    };
    enum nb_status status = NB_OK;
    out->request = *request;
    NB_TRY(nb_problem_open(&names, run, &out->problem, err));
    if (out->problem.routing.kind->stands_for_any)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s does not choose a path, so it cannot be "
                       "simulated (permitted: schemes that choose, such as "
                       "min or min-adaptive)",
                       out->problem.routing.kind->kind.name));
    NB_TRY(nb_vc_classes_choose(request->classes, &out->problem.routing, err));
    NB_TRY(plan_name_router(out, err));
done:
    return status;
}

enum nb_status nb_simulate_read_arrivals(const char *text,
                                         struct nb_injection *injection,
                                         struct nb_error *err)
{
    static const enum nb_injection_kind kinds[] = {
        [NB_ARRIVE_BERNOULLI] = NB_INJECT_BERNOULLI,
        [NB_ARRIVE_POISSON] = NB_INJECT_POISSON,
        [NB_ARRIVE_ONOFF] = NB_INJECT_ONOFF,
        [NB_ARRIVE_MMP] = NB_INJECT_MMP,
    };
    struct nb_arrivals arrivals = { 0 };
    const enum nb_status status =
        nb_arrivals_read(text != NULL ? text : "bernoulli", &arrivals, err);
    if (status != NB_OK)
        return status;
    injection->kind = kinds[arrivals.kind];
    if (arrivals.kind == NB_ARRIVE_ONOFF)
        injection->burst = nb_ratio_value(arrivals.burst);
    if (arrivals.kind == NB_ARRIVE_MMP) {
        injection->alpha = nb_ratio_value(arrivals.alpha);
        injection->beta = nb_ratio_value(arrivals.beta);
        injection->low = nb_ratio_value(arrivals.low);
    }
    injection->is_burst_one = arrivals.spread == NB_SPREAD_BURST;
    nb_arrivals_release(&arrivals);
    return NB_OK;
}

/* Sets the flits that a terminal sends per cycle; default: half of capacity. A
 * search begins at capacity, or at 1 if that is infinite. */
static enum nb_status plan_load(struct nb_simulate_answer *out,
                                struct nb_error *err)
{
    const struct nb_simulate_question *request = &out->request;
    const bool is_infinite = isinf(out->problem.capacity.rate.upper);
    const bool is_search = request->find != NULL;
    const bool is_rate =
        nb_ratio_is_known(request->rate) || (is_search && is_infinite);
    struct nb_ratio load = request->load;
    enum nb_status status = NB_OK;
    if (!is_rate && !nb_ratio_is_known(load)) {
        if (is_infinite)
            return nb_fail(err, NB_USAGE,
                           "the capacity is infinite here and cannot be "
                           "halved (permitted: --rate)");
        load = nb_ratio_make(1, is_search ? 1 : 2);
        out->is_load_half = !is_search;
    }
    NB_TRY(
        nb_problem_rate(&out->problem, request->rate, load, &out->load, err));
    if (is_rate)
        out->load = nb_enclosure_multiply(
            out->load, nb_enclosure_of_whole(out->plan.injection.flits));
done:
    return status;
}

double nb_simulate_load(const struct nb_simulate_answer *answer)
{
    const struct nb_enclosure *load = &answer->load;
    return nb_ratio_is_known(load->exact) ? nb_ratio_value(load->exact)
                                          : load->lower / 2 + load->upper / 2;
}

/* [packet/cycle] The largest rate of the sources: at least one idle cycle
 * follows a burst; a state may send a packet in every cycle. */
static enum nb_status plan_most_rate(struct nb_simulate_answer *out,
                                     struct nb_error *err)
{
    const struct nb_injection *injection = &out->plan.injection;
    struct nb_traffic_sums sums;
    const enum nb_status status = nb_traffic_sums_find(
        &out->problem.traffic, &out->problem.topology, &sums, err);
    if (status != NB_OK)
        return status;
    const double row = nb_ratio_value(sums.row);
    out->most_rate = injection->kind == NB_INJECT_ONOFF
                         ? injection->burst / (injection->burst + 1) / row
                     : injection->kind == NB_INJECT_MMP
                         ? nb_injection_mmp_most(injection) / row
                         : NB_RATE_MOST / fmax(row, 1);
    return NB_OK;
}

static enum nb_status plan_injection(struct nb_simulate_answer *out,
                                     struct nb_error *err)
{
    const struct nb_simulate_question *request = &out->request;
    struct nb_injection *injection = &out->plan.injection;
    enum nb_status status = NB_OK;
    *injection = (struct nb_injection){
        .batch = plan_whole(request->batch, 0),
        .flits = plan_whole(request->flits, 1),
    };
    if (request->trace != NULL) {
        injection->kind = NB_INJECT_TRACE;
        injection->trace = &out->trace;
        return nb_trace_read(request->trace,
                             out->problem.topology.terminal_count, &out->trace,
                             err);
    }
    if (injection->batch > 0) {
        injection->kind = NB_INJECT_BATCH;
        return NB_OK;
    }
    NB_TRY(nb_simulate_read_arrivals(request->arrivals, injection, err));
    NB_TRY(plan_load(out, err));
    injection->rate = nb_simulate_load(out) / (double)injection->flits;
    NB_TRY(plan_most_rate(out, err));
done:
    return status;
}

/* The given choice, or the first one. */
static unsigned plan_first(int given)
{
    return given > 0 ? (unsigned)given : 0;
}

/* A choice whose first word is "auto". */
static unsigned plan_choice(int given, unsigned otherwise)
{
    return given > 0 ? (unsigned)given - 1 : otherwise;
}

/* Where flits wait: messages instead of credits need a queue for each virtual
 * channel. */
static bool plan_queues_virtual(const struct nb_simulate_question *request)
{
    return plan_choice(request->output_queues,
                       request->flow_control > NB_CREDITS
                           ? NB_OUTPUT_OF_VIRTUAL
                           : NB_OUTPUT_OF_CHANNEL) == NB_OUTPUT_OF_VIRTUAL;
}

/* longest: packet, in flits */
static struct nb_router plan_router(const struct nb_simulate_question *request,
                                    uint32_t longest)
{
    const bool is_chaos = request->router == NB_ROUTER_CHAOS;
    const bool is_virtual = request->router == NB_ROUTER_VIRTUAL;
    const bool is_ideal = request->router == NB_ROUTER_IDEAL;
    const bool queues_virtual = plan_queues_virtual(request);
    const uint32_t least = is_chaos     ? 1
                           : is_virtual ? PLAN_VIRTUAL
                                        : PLAN_BUFFER;
    return (struct nb_router){
        .model = request->router < NB_SIMULATE_BENITO
                     ? (enum nb_router_model)request->router
                     : NB_ROUTER_CREDIT,
        .arbitration = plan_choice(request->arbitration,
                                   is_ideal ? NB_OLDEST_FIRST : NB_IN_TURN),
        .switching = plan_first(request->switching),
        .virtual_channels = plan_whole(request->vcs, 0),
        .virtual_networks = is_virtual
                                ? 1 /* struct nb_virtual has the number */
                                : plan_whole(request->virtual_networks, 1),
        .buffer =
            plan_whole(request->buffer, longest > least ? longest : least),
        .output_buffer = plan_whole(request->output_buffer,
                                    is_chaos || queues_virtual ? longest : 1),
        .shared_queue = plan_whole(request->shared_queue, PLAN_SHARED),
        .speedup = plan_whole(request->speedup, 1),
        .pipeline = plan_whole(request->pipeline, 0),
        .channel_latency = plan_whole(request->channel_latency, 1),
        .global_latency = plan_whole(request->global_latency, 0),
        .global_buffer = plan_whole(request->global_buffer, 0),
        .allocation = plan_choice(request->allocation, NB_ALLOCATION_GREEDY),
        .flow_control = plan_first(request->flow_control),
        .xon = plan_whole(request->xon, 0),
        .xoff = plan_whole(request->xoff, 0),
        .output_queues =
            queues_virtual ? NB_OUTPUT_OF_VIRTUAL : NB_OUTPUT_OF_CHANNEL,
        .congestion = plan_choice(request->congestion, NB_CONGESTION_CREDITS),
        .slot_order = plan_first(request->slot_order),
    };
}

/* Marks the numbers of a list "0..3,7", each below count; cuts the text in
 * place. Errors: NB_INVALID. */
static enum nb_status plan_list(char *text, const char *what, size_t count,
                                bool *request, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    while (text != NULL) {
        char *comma = strchr(text, ',');
        int64_t first, last;
        if (comma != NULL)
            *comma = '\0';
        char *dots = strstr(text, "..");
        if (dots != NULL)
            *dots = '\0';
        NB_TRY(nb_integer_read(text, what, 0, (int64_t)count - 1, &first, err));
        last = first;
        if (dots != NULL)
            NB_TRY(nb_integer_read(dots + 2, what, first, (int64_t)count - 1,
                                   &last, err));
        for (int64_t r = first; r <= last; r++)
            request[r] = true;
        text = comma != NULL ? comma + 1 : NULL;
    }
done:
    return status;
}

static enum nb_status plan_read_list(const char *text, const char *what,
                                     size_t count, bool *request,
                                     struct nb_error *err)
{
    struct nb_text list = { 0 };
    enum nb_status status = NB_OK;
    nb_text_print(&list, "%s", text);
    NB_TRY(nb_text_check(&list, err));
    NB_TRY(plan_list(list.bytes, what, count, request, err));
done:
    nb_text_release(&list);
    return status;
}

/* Sets the virtual networks and how they share. */
static enum nb_status plan_virtual(struct nb_simulate_answer *out,
                                   struct nb_error *err)
{
    const struct nb_simulate_question *request = &out->request;
    const uint32_t networks =
        plan_whole(request->virtual_networks, PLAN_VIRTUAL);
    enum nb_status status = NB_OK;
    if (request->router != NB_ROUTER_VIRTUAL)
        return NB_OK;
    NB_TRY(nb_new(&out->refused, networks, sizeof *out->refused,
                  "virtual networks", err));
    if (request->refused != NULL)
        NB_TRY(plan_read_list(request->refused, "refused virtual network",
                              networks, out->refused, err));
    out->plan.virtual_router = (struct nb_virtual){
        .sharing = plan_first(request->sharing),
        .networks = networks,
        .names =
            request->virtual_names > 0 ? (uint64_t)request->virtual_names : 0,
        .round = nb_ratio_is_known(request->round)
                     ? request->round
                     : nb_ratio_make(PLAN_ROUND, 1),
        .refused = request->refused != NULL ? out->refused : NULL,
        .small = request->batch > 0 ? NB_SMALL_KEYS : 0,
    };
done:
    return status;
}

/* Whether tables of a file, which guarantee no order, are free of deadlock on
 * this network. Other schemes state this with their classes. */
static enum nb_status plan_find_circle(const struct nb_vc_classes *classes,
                                       bool *is_free, struct nb_error *err)
{
    struct nb_dependencies dependencies = { 0 };
    struct nb_order order = { 0 };
    enum nb_status status = NB_OK;
    *is_free = !classes->rule->is_unprotected;
    if (*is_free || !nb_is_table_ways(classes->routing))
        return NB_OK;
    NB_TRY(nb_dependencies_find(classes, false, NULL, &dependencies, err));
    NB_TRY(nb_order_number(&dependencies, &order, err));
    *is_free = order.is_free;
done:
    nb_order_release(&order);
    nb_dependencies_release(&dependencies);
    return status;
}

/* Finds the number of virtual channels that the scheme needs. */
static enum nb_status plan_classes(struct nb_simulate_answer *out,
                                   struct nb_error *err)
{
    struct nb_vc_classes classes = { 0 };
    bool is_free = true;
    if (out->plan.router.model != NB_ROUTER_CREDIT)
        return NB_OK;
    enum nb_status status =
        nb_vc_classes_build(&out->problem.routing, &classes, err);
    if (status != NB_OK)
        return status;
    out->classes = classes.count * out->plan.router.virtual_networks;
    status = plan_find_circle(&classes, &is_free, err);
    out->is_unprotected = !is_free;
    nb_vc_classes_release(&classes);
    return status;
}

/* Sets the places of each queue of the virtual router from the total at an
 * input, in packets. */
static enum nb_status plan_share_places(uint64_t total,
                                        struct nb_simulation *plan,
                                        struct nb_error *err)
{
    const struct nb_virtual *shared = &plan->virtual_router;
    const struct nb_places places = nb_virtual_places(shared);
    /* Each network has at least one reserved place. */
    const uint64_t least =
        places.reserved > 0 ? places.reserved : places.queues;
    if (total < least)
        return nb_fail(err, NB_INVALID,
                       "a buffer-total of %llu packets at an input: each of "
                       "the %llu %s needs a place (permitted: %llu or more)",
                       (unsigned long long)total, (unsigned long long)least,
                       shared->sharing == NB_SHARE_ROUTER ? "logical networks"
                                                          : "virtual networks",
                       (unsigned long long)least);
    plan->router.buffer = (uint32_t)((total - places.reserved) / places.queues);
    return NB_OK;
}

/* Divides the flits of a channel among its virtual channels. Each must hold the
 * unit that is forwarded: a packet or a flit. */
static enum nb_status plan_share_buffer(struct nb_simulate_answer *out,
                                        struct nb_error *err)
{
    struct nb_router *router = &out->plan.router;
    const uint32_t count =
        router->virtual_channels > 0 ? router->virtual_channels : out->classes;
    const uint32_t least =
        router->switching == NB_WORMHOLE ? 1 : nb_most_flits(&out->plan);
    const int64_t total = out->request.buffer_total;
    if (total < 1)
        return NB_OK;
    if (router->model == NB_ROUTER_VIRTUAL)
        return plan_share_places((uint64_t)total, &out->plan, err);
    if (total / count < least)
        return nb_fail(err, NB_INVALID,
                       "a buffer-total of %lld flits leaves %lld for each of "
                       "%u virtual channels, which need %u (permitted: %llu "
                       "or more)",
                       (long long)total, (long long)(total / count), count,
                       least, (unsigned long long)count * least);
    router->buffer = (uint32_t)(total / count);
    return NB_OK;
}

static enum nb_status plan_check_groups(const struct nb_simulate_answer *out,
                                        struct nb_error *err)
{
    const struct nb_router *router = &out->plan.router;
    const struct nb_topology *topology = &out->problem.topology;
    if (topology->groups.count > 0 ||
        (router->global_latency == 0 && router->global_buffer == 0))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "--%s: topology %s has no channels between groups "
                   "(permitted: such as dragonfly)",
                   router->global_latency > 0 ? "global-latency"
                                              : "global-buffer",
                   topology->kind->kind.name);
}

static enum nb_status
plan_check_congestion(const struct nb_simulate_answer *out,
                      struct nb_error *err)
{
    if (out->plan.router.model != NB_ROUTER_IDEAL ||
        plan_choice(out->request.congestion, NB_CONGESTION_OUTPUT) !=
            NB_CONGESTION_CREDITS)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "--congestion credits: the ideal router has no credits "
                   "(permitted: output or waiting; or --router credit)");
}

/* [cycle] The length for this amount of work: every channel moves at most one
 * flit per cycle, about one with uniform traffic at capacity. */
static double plan_cycles(const struct nb_simulate_answer *out, double work)
{
    const struct nb_topology *topology = &out->problem.topology;
    const double channels =
        (double)topology->channel_count + (double)topology->terminal_count;
    const double load =
        fmin(1, out->load.upper / out->problem.capacity.rate.lower);
    return work / (channels * load) / out->plan.replications;
}

static uint64_t plan_bound(double cycles, double most)
{
    const uint64_t bounded =
        (uint64_t)fmax(PLAN_LEAST_CYCLES, fmin(cycles, most));
    return bounded / NB_SIMULATE_BATCHES * NB_SIMULATE_BATCHES;
}

uint64_t nb_simulate_longest(const struct nb_simulate_answer *answer, int times)
{
    return plan_bound(plan_cycles(answer, 2 * PLAN_WORK),
                      (double)times * PLAN_MOST_CYCLES);
}

/* Sets how long the simulation measures. */
static enum nb_status plan_times(struct nb_simulate_answer *out,
                                 struct nb_error *err)
{
    const struct nb_simulate_question *request = &out->request;
    const struct nb_trace *trace = &out->trace;
    struct nb_simulation *plan = &out->plan;
    plan->replications = (uint32_t)request->replications;
    plan->is_drained = request->drain != NB_SIMULATE_NO_DRAIN;
    if (request->trace != NULL || request->batch > 0) {
        plan->cycles = 1;
        if (trace->count > 0)
            plan->cycles += trace->packets[trace->count - 1].cycle;
        return NB_OK;
    }
    plan->warm_up = request->warm_up >= 0 ? (uint64_t)request->warm_up
                    : plan->window == 0   ? NB_WARM_UP_FOUND
                                          : 0;
    plan->cycles = request->cycles > 0 ? (uint64_t)request->cycles
                                       : plan_bound(plan_cycles(out, PLAN_WORK),
                                                    PLAN_MOST_CYCLES);
    if (plan->window > plan->cycles)
        return nb_fail(err, NB_INVALID,
                       "a window of %u cycles is not permitted (permitted: 1 "
                       "to %llu, the cycles measured)",
                       plan->window, (unsigned long long)plan->cycles);
    if (nb_ratio_is_known(request->precision)) {
        plan->precision = nb_ratio_value(request->precision);
        plan->most_cycles = PLAN_LONGEST * plan->cycles;
    }
    return NB_OK;
}

static enum nb_status plan_pair(struct nb_simulate_answer *out,
                                struct nb_error *err)
{
    uint32_t pair[2] = { NB_NONE, NB_NONE };
    enum nb_status status = NB_OK;
    if (out->request.pair != NULL)
        NB_TRY(
            nb_problem_read_pair(&out->problem, out->request.pair, pair, err));
    out->plan.pair_source = pair[0];
    out->plan.pair_target = pair[1];
done:
    return status;
}

/* Sets the routers whose fairness is asked for. */
static enum nb_status plan_fair_routers(struct nb_simulate_answer *out,
                                        struct nb_error *err)
{
    static const char group_of[] = "group:";
    const struct nb_topology *topology = &out->problem.topology;
    const struct nb_groups *groups = &topology->groups;
    const char *routers = out->request.routers;
    int64_t group = -1;
    enum nb_status status = NB_OK;
    if (routers == NULL)
        return NB_OK;
    NB_TRY(nb_new(&out->asked_routers, topology->router_count,
                  sizeof *out->asked_routers, "routers", err));
    const bool is_all = strcmp(routers, "all") == 0;
    const bool is_group = strncmp(routers, group_of, sizeof group_of - 1) == 0;
    if (is_group && groups->count == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routers %.60s: topology %s has no groups (permitted: "
                       "all, or a list such as 0..3,7)",
                       routers, topology->kind->kind.name));
    if (is_group)
        NB_TRY(nb_integer_read(routers + sizeof group_of - 1, "group", 0,
                               (int64_t)groups->count - 1, &group, err));
    for (size_t r = 0; r < topology->router_count; r++)
        out->asked_routers[r] =
            is_all || (is_group && groups->of[r] == (uint32_t)group);
    if (!is_all && !is_group)
        NB_TRY(plan_read_list(routers, "router", topology->router_count,
                              out->asked_routers, err));
    out->plan.asked = out->asked_routers;
    out->plan.starved = nb_ratio_is_known(out->request.starved)
                            ? nb_ratio_value(out->request.starved)
                            : PLAN_STARVED;
done:
    return status;
}

/* Sets the number of packets under way above which the network counts as
 * saturated. */
static enum nb_status plan_limit(struct nb_simulate_answer *out,
                                 struct nb_error *err)
{
    struct nb_simulation *plan = &out->plan;
    const double terminals = (double)out->problem.topology.terminal_count;
    const double batch = terminals * plan->injection.batch;
    const double limit = fmax(fmax(PLAN_PACKETS, PLAN_PACKETS_EACH * terminals),
                              fmax(batch, (double)out->trace.count));
    if (limit >= NB_NONE)
        return nb_fail(err, NB_INVALID,
                       "%.0f packets may be under way at once, which is too "
                       "many (permitted: below %u)",
                       limit, NB_NONE);
    plan->packet_limit = (uint32_t)limit;
    return NB_OK;
}

enum nb_status nb_simulate_plan(struct nb_simulate_answer *out,
                                struct nb_error *err)
{
    const struct nb_simulate_question *request = &out->request;
    struct nb_simulation *plan = &out->plan;
    enum nb_status status = NB_OK;
    *plan = (struct nb_simulation){
        .topology = &out->problem.topology,
        .routing = &out->problem.routing,
        .traffic = &out->problem.traffic,
        .seed = (uint64_t)request->seed,
        .age_limit = request->age_limit > 0 ? (uint64_t)request->age_limit : 0,
        .has_depths = request->depths,
        .has_reorder = request->reorder,
        .reply_buffer = request->replies
                            ? plan_whole(request->reply_buffer, PLAN_REPLIES)
                            : 0,
        .window = plan_whole(request->window, 0),
    };
    NB_TRY(plan_injection(out, err));
    out->problem.counts_flits =
        plan->injection.flits > 1 || plan->injection.kind == NB_INJECT_TRACE;
    plan->router = plan_router(request, nb_most_flits(plan));
    NB_TRY(plan_virtual(out, err));
    NB_TRY(plan_times(out, err));
    NB_TRY(plan_pair(out, err));
    NB_TRY(plan_fair_routers(out, err));
    NB_TRY(plan_limit(out, err));
    NB_TRY(plan_check_groups(out, err));
    NB_TRY(plan_check_congestion(out, err));
    NB_TRY(plan_classes(out, err));
    NB_TRY(plan_share_buffer(out, err));
    NB_TRY(nb_simulate_read_steps(out, err));
done:
    return status;
}
