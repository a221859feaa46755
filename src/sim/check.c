/* Whether a plan can be carried out, and results (declared in sim.h). */
#include "core/memory.h"
#include "routing/unrouted.h"
#include "sim/sim.h"

#include <math.h>

/* The last cycle that a trace may name, and the largest number measured. */
static const uint64_t check_cycles = (UINT64_C(1) << 40) - 1;

uint32_t nb_most_flits(const struct nb_simulation *plan)
{
    const struct nb_trace *trace = plan->injection.trace;
    uint32_t longest = 1;
    if (plan->injection.kind != NB_INJECT_TRACE)
        return plan->injection.flits;
    if (trace == NULL)
        return longest;
    for (size_t p = 0; p < trace->count; p++)
        if (trace->packets[p].flits > longest)
            longest = trace->packets[p].flits;
    return longest;
}

uint32_t nb_least_flits(const struct nb_simulation *plan)
{
    const struct nb_trace *trace = plan->injection.trace;
    uint32_t shortest = nb_most_flits(plan);
    if (plan->injection.kind != NB_INJECT_TRACE || trace == NULL)
        return shortest;
    for (size_t p = 0; p < trace->count; p++)
        if (trace->packets[p].flits < shortest)
            shortest = trace->packets[p].flits;
    return shortest;
}

static bool check_has_rate(const struct nb_injection *injection)
{
    return injection->kind != NB_INJECT_TRACE &&
           injection->kind != NB_INJECT_BATCH;
}

/* Checks that all parts of the plan belong to one network. */
static enum nb_status check_network(const struct nb_simulation *plan,
                                    struct nb_error *err)
{
    const size_t routers =
        plan->topology != NULL ? plan->topology->router_count : 0;
    const bool has_pair = plan->pair_source != NB_NONE;
    enum nb_status status = NB_OK;
    NB_TRY(nb_topology_check(plan->topology, err));
    NB_TRY(nb_routing_check(plan->routing, err));
    if (plan->routing->topology != plan->topology)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s of another network (permitted: one built "
                       "for this network)",
                       plan->routing->kind->kind.name));
    if (plan->injection.kind != NB_INJECT_TRACE)
        NB_TRY(nb_traffic_check(plan->traffic, plan->topology, err));
    if (has_pair &&
        (plan->pair_source >= routers || plan->pair_target >= routers))
        status = nb_fail(err, NB_INVALID,
                         "latencies from router %u to router %u (permitted: 0 "
                         "to %zu)",
                         plan->pair_source, plan->pair_target, routers - 1);
done:
    return status;
}

/* One of the choices of an enum, from 0 on. */
static enum nb_status check_choice(const char *what, int value, int last,
                                   struct nb_error *err)
{
    return value >= 0 && value <= last
               ? NB_OK
               : nb_fail(err, NB_INVALID, "%s %d (permitted: 0 to %d)", what,
                         value, last);
}

static enum nb_status check_choices(const struct nb_simulation *plan,
                                    struct nb_error *err)
{
    const struct nb_router *router = &plan->router;
    const struct {
        const char *what;
        int value, last;
    } choices[] = {
        { "router model", (int)router->model, NB_ROUTER_VIRTUAL },
        { "arbitration", (int)router->arbitration, NB_TRANSIT_FIRST },
        { "switching", (int)router->switching, NB_WORMHOLE },
        { "allocation", (int)router->allocation, NB_ALLOCATION_PACKET },
        { "flow control", (int)router->flow_control, NB_PAUSE },
        { "output queues", (int)router->output_queues, NB_OUTPUT_OF_VIRTUAL },
        { "congestion", (int)router->congestion, NB_CONGESTION_WAITING },
        { "slot order", (int)router->slot_order, NB_SLOT_RANDOM },
        { "sharing", (int)plan->virtual_router.sharing, NB_SHARE_SEPARATE },
        { "injection", (int)plan->injection.kind, NB_INJECT_MMP },
        { "end", (int)plan->end, NB_END_DECIDED },
    };
    enum nb_status status = NB_OK;
    for (size_t i = 0; status == NB_OK && i < sizeof choices / sizeof *choices;
         i++)
        status = check_choice(choices[i].what, choices[i].value,
                              choices[i].last, err);
    return status;
}

/* Refuses what nb_trace_read would have refused. */
static enum nb_status check_trace(const struct nb_simulation *plan,
                                  struct nb_error *err)
{
    const struct nb_trace *trace = plan->injection.trace;
    const size_t terminals = plan->topology->terminal_count;
    if (trace == NULL)
        return nb_fail(err, NB_INVALID,
                       "a trace of 0 packets (permitted: one from "
                       "nb_trace_read)");
    for (size_t p = 0; p < trace->count; p++) {
        const struct nb_trace_packet *packet = &trace->packets[p];
        if (packet->source < terminals && packet->target < terminals &&
            packet->flits >= 1 && packet->flits <= NB_TRACE_FLITS &&
            packet->cycle <= check_cycles &&
            (p == 0 || trace->packets[p - 1].cycle <= packet->cycle))
            continue;
        return nb_fail(err, NB_INVALID,
                       "packet %zu of the trace: %u flits from terminal %u to "
                       "%u at cycle %llu (permitted: 1 to %d flits, terminals "
                       "0 to %zu, cycles in order up to %llu)",
                       p, packet->flits, packet->source, packet->target,
                       (unsigned long long)packet->cycle, NB_TRACE_FLITS,
                       terminals - 1, (unsigned long long)check_cycles);
    }
    return NB_OK;
}

static enum nb_status check_injection(const struct nb_simulation *plan,
                                      struct nb_error *err)
{
    const struct nb_injection *injection = &plan->injection;
    if (injection->kind == NB_INJECT_TRACE)
        return check_trace(plan, err);
    if (check_has_rate(injection) &&
        !(injection->rate >= 0 && isfinite(injection->rate)))
        return nb_fail(err, NB_INVALID,
                       "rate %g packets/cycle (permitted: 0 and more)",
                       injection->rate);
    if (injection->flits < 1 || injection->flits > NB_TRACE_FLITS)
        return nb_fail(err, NB_INVALID,
                       "packets of %u flits (permitted: 1 to %d)",
                       injection->flits, NB_TRACE_FLITS);
    return NB_OK;
}

static enum nb_status check_length(const struct nb_simulation *plan,
                                   struct nb_error *err)
{
    const bool has_rate = check_has_rate(&plan->injection);
    if (plan->replications < 1)
        return nb_fail(err, NB_INVALID,
                       "0 replications (permitted: 1 and more)");
    if (has_rate && (plan->cycles < 1 || plan->cycles > check_cycles))
        return nb_fail(
            err, NB_INVALID, "%llu cycles measured (permitted: 1 to %llu)",
            (unsigned long long)plan->cycles, (unsigned long long)check_cycles);
    if (plan->warm_up > check_cycles && plan->warm_up != NB_WARM_UP_FOUND)
        return nb_fail(err, NB_INVALID,
                       "%llu cycles of warm-up (permitted: 0 to %llu)",
                       (unsigned long long)plan->warm_up,
                       (unsigned long long)check_cycles);
    if (!(plan->precision >= 0))
        return nb_fail(err, NB_INVALID, "precision %g (permitted: 0 and more)",
                       plan->precision);
    if (plan->packet_limit < 1)
        return nb_fail(err, NB_INVALID,
                       "0 packets under way (permitted: 1 and more)");
    return NB_OK;
}

static enum nb_status check_steps(const struct nb_simulation *plan,
                                  struct nb_error *err)
{
    uint64_t before = 0;
    enum nb_status status = NB_OK;
    if (plan->step_count > 0 && !check_has_rate(&plan->injection))
        return nb_fail(err, NB_INVALID,
                       "%zu steps without a rate (permitted: 0)",
                       plan->step_count);
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct nb_step *step = &plan->steps[i];
        if (!(step->cycle > before && step->cycle < plan->cycles))
            NB_TRY(nb_fail(err, NB_INVALID,
                           "a step at cycle %llu (permitted: %llu to %llu)",
                           (unsigned long long)step->cycle,
                           (unsigned long long)before + 1,
                           (unsigned long long)plan->cycles - 1));
        before = step->cycle;
        NB_TRY(check_choice("injection", (int)step->injection.kind,
                            NB_INJECT_MMP, err));
        if (!check_has_rate(&step->injection) ||
            !(step->injection.rate >= 0 && isfinite(step->injection.rate)) ||
            step->injection.flits != plan->injection.flits)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "a step at cycle %llu to packets of %u flits at "
                           "rate %g (permitted: %u flits as before, 0 "
                           "packets/cycle and more)",
                           (unsigned long long)step->cycle,
                           step->injection.flits, step->injection.rate,
                           plan->injection.flits));
        NB_TRY(nb_traffic_check(step->traffic, plan->topology, err));
        NB_TRY(nb_routes_require(plan->routing, step->traffic, err));
    }
done:
    return status;
}

/* Deflection needs both the scheme and the router. */
static enum nb_status check_deflection(const struct nb_simulation *plan,
                                       struct nb_error *err)
{
    const bool is_chaos = plan->router.model == NB_ROUTER_CHAOS;
    const char *name = plan->routing->kind->kind.name;
    if (plan->routing->kind->is_deflecting == is_chaos)
        return NB_OK;
    return is_chaos
               ? nb_fail(err, NB_INVALID,
                         "the chaos router deflects packets, which routing "
                         "%s does not permit (permitted: routing chaos)",
                         name)
               : nb_fail(err, NB_INVALID,
                         "routing %s deflects packets, which only the chaos "
                         "router does (permitted: the chaos router)",
                         name);
}

/* Errors: NB_INVALID if nothing keeps the order of service that is asked. */
static enum nb_status check_arbitration(const struct nb_router *router,
                                        struct nb_error *err)
{
    return router->arbitration <= NB_IN_TURN ||
                   (router->model == NB_ROUTER_CREDIT &&
                    router->allocation != NB_ALLOCATION_GREEDY)
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "only a credit router with separable allocation "
                         "serves the least recently served first (permitted: "
                         "arbitration age or turn, or --router credit with "
                         "--allocation separable or packet)");
}

/* Conventions that only queues at outputs without limit have. */
static enum nb_status check_conventions(const struct nb_router *router,
                                        struct nb_error *err)
{
    if (router->model == NB_ROUTER_IDEAL)
        return NB_OK;
    if (router->congestion == NB_CONGESTION_WAITING)
        return nb_fail(err, NB_INVALID,
                       "congestion waiting is not permitted with this router "
                       "(permitted: with the ideal router; with the credit "
                       "router, credits or output)");
    if (router->slot_order == NB_SLOT_RANDOM)
        return nb_fail(err, NB_INVALID,
                       "slot order random is not permitted with this router, "
                       "whose arbitration orders packets (permitted: with the "
                       "ideal router)");
    return NB_OK;
}

static enum nb_status check_replies(const struct nb_simulation *plan,
                                    struct nb_error *err)
{
    const struct nb_routing_kind *kind = plan->routing->kind;
    const uint32_t networks = plan->router.virtual_networks;
    if (networks > NB_MOST_VC_CLASSES ||
        (networks > 1 && plan->router.model != NB_ROUTER_CREDIT))
        return nb_fail(err, NB_INVALID,
                       "%u virtual networks are not permitted (permitted: 1; "
                       "with --router credit or benito, 1 to %d)",
                       networks, NB_MOST_VC_CLASSES);
    if (plan->reply_buffer == 0)
        return NB_OK;
    if (plan->router.model == NB_ROUTER_CHAOS)
        return nb_fail(err, NB_INVALID,
                       "replies are not permitted with the chaos router, which "
                       "would deflect waiting packets (permitted: --router "
                       "ideal, credit or benito)");
    if (plan->router.model == NB_ROUTER_VIRTUAL)
        return nb_fail(err, NB_INVALID,
                       "replies are not permitted with the virtual router, "
                       "whose terminals take all or no packets of a virtual "
                       "network (permitted: --router ideal, credit or benito)");
    if (kind->has_injection_queues)
        return nb_fail(
            err, NB_INVALID,
            "replies are not permitted with routing %s, whose injection queues "
            "do not distinguish messages (permitted: schemes without injection "
            "queues, such as min or ugal)",
            kind->kind.name);
    return NB_OK;
}

/* Packets that no terminal takes never arrive: a batch or a trace would wait
 * for them forever. */
static enum nb_status check_refused(const struct nb_simulation *plan,
                                    struct nb_error *err)
{
    const struct nb_virtual *shared = &plan->virtual_router;
    if (plan->router.model != NB_ROUTER_VIRTUAL || shared->refused == NULL ||
        check_has_rate(&plan->injection))
        return NB_OK;
    for (uint32_t v = 0; v < shared->networks; v++)
        if (shared->refused[v])
            return nb_fail(err, NB_INVALID,
                           "a batch or trace never ends if no terminal takes "
                           "its packets of virtual network %u (permitted: a "
                           "load)",
                           v);
    return NB_OK;
}

enum nb_status nb_simulation_check(const struct nb_simulation *plan,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(check_network(plan, err));
    NB_TRY(check_choices(plan, err));
    NB_TRY(check_injection(plan, err));
    NB_TRY(nb_routes_require(plan->routing,
                             plan->injection.kind == NB_INJECT_TRACE ||
                                     plan->reply_buffer > 0
                                 ? NULL
                                 : plan->traffic,
                             err));
    NB_TRY(check_arbitration(&plan->router, err));
    NB_TRY(check_conventions(&plan->router, err));
    NB_TRY(check_replies(plan, err));
    NB_TRY(check_refused(plan, err));
    NB_TRY(check_length(plan, err));
    NB_TRY(check_steps(plan, err));
    NB_TRY(check_deflection(plan, err));
    const struct nb_routing_kind *kind = plan->routing->kind;
    if (kind->heeds_buffers && plan->router.model != NB_ROUTER_CREDIT)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s compares buffers that fill up, which only "
                       "the credit router has (permitted: --router credit or "
                       "benito)",
                       kind->kind.name));
    if (kind->has_injection_queues && plan->router.model == NB_ROUTER_IDEAL)
        status =
            nb_fail(err, NB_INVALID,
                    "routing %s compares queues behind full buffers, which "
                    "the ideal router does not have (permitted: the credit "
                    "router)",
                    kind->kind.name);
done:
    return status;
}

void nb_simulation_result_release(struct nb_simulation_result *result)
{
    nb_histogram_release(&result->latencies);
    nb_histogram_release(&result->reorder);
    for (size_t c = 0; c < result->class_count; c++)
        nb_histogram_release(&result->depths[c]);
    nb_delete(result->depths);
    nb_delete(result->utilisation);
    nb_delete(result->accepted_of);
    nb_delete(result->fairness.is_starved);
    nb_delete(result->virtual_networks.accepted_of);
    nb_delete(result->virtual_networks.congestion);
    nb_delete(result->virtual_networks.through);
    nb_delete(result->virtual_networks.small);
    nb_delete(result->responses);
    nb_delete(result->series);
    *result = (struct nb_simulation_result){ 0 };
}
