/* netbound simulate: a network in motion. */
#include "questions/simulate/simulate_plan.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

static const struct nb_parameter simulate_options[] = {
    NB_OPTIONS_SIMULATED(" replies", " 0.5"),
    NB_OPTION(
        "find", NB_SIMULATE(find), SEARCH, WORD, "",
        "saturation: find the saturation load; with --where: the option to "
        "search over, such as load",
        .detail =
            "saturation: search for the saturation load, to within --precision "
            "(default 0.01), if --cycles (auto: up to 204800) suffice. With "
            "--where: NAME is an option, or a parameter such as topology.h; "
            "NAME=A:B searches from A to B.",
        .is_first = true,
        .apart =
            "load rate trace batch pair routers depths reorder window drain"),
    NB_OPTION("pair", NB_SIMULATE(pair), MEASUREMENT, WORD, "",
              "measure the latency only from router A to router B: A,B"),
    NB_OPTION("routers", NB_SIMULATE(routers), MEASUREMENT, WORD, "",
              "report how fairly these routers share the network: all, "
              "group:G, or 0..3,7",
              .detail = "Table routers then lists only these."),
    NB_OPTION("starved", NB_SIMULATE(starved), MEASUREMENT, NUMBER, "",
              "a router is starved if its share is below this fraction of the "
              "mean of --routers; default 0.5",
              .detail = "Default 0.5.", .most = 1, .unit = "fraction",
              .with = "routers"),
    NB_OPTION(
        "fair-share", NB_SIMULATE(fair_share), MEASUREMENT, FLAG, "no",
        "also report the max-min fair rates of --routers",
        .detail =
            "Over the paths of the scheme, as load --fair-share finds them.",
        .with = "routers", .apart = "trace batch step replies"),
    NB_OPTION("replies", NB_SIMULATE(replies), TRAFFIC, FLAG, "no",
              "answer every packet with a reply of the same length",
              .detail = "A request waits in its last buffer until its "
                        "destination has room for the reply; replies are "
                        "always accepted. Not with --router chaos or virtual."),
    NB_OPTION("reply-buffer", NB_SIMULATE(reply_buffer), ROUTER, WHOLE, "",
              "with --replies: replies that a terminal can store; default 8",
              .counts = "packets", .least = 1, .most = 1e6, .with = "replies"),
    NB_OPTION("depths", NB_SIMULATE(depths), MEASUREMENT, FLAG, "no",
              "also report the queue lengths in table depths"),
    NB_OPTION(
        "reorder", NB_SIMULATE(reorder), MEASUREMENT, FLAG, "no",
        "also report how far packets overtake each other, in table reorder"),
    NB_OPTION(
        "window", NB_SIMULATE(window), MEASUREMENT, WHOLE, "",
        "also report rates and latency per this many cycles, in table series",
        .detail = "Each row has the accepted rate, the mean latency, the share "
                  "of packets on shortest paths and the mean level of the "
                  "packets (0: minimal). Rows begin at the end of the warm-up. "
                  "There is no warm-up unless --warm-up is given.",
        .least = 1, .most = 1e9, .unit = "cycles",
        .apart = "precision trace batch"),
    NB_OPTION("step", NB_SIMULATE(step), TRAFFIC, WORD, "",
              "change load, rate, traffic or arrivals during the run, such as "
              "600:load=0.55",
              .detail = "Cycles count from the end of the warm-up. For example "
                        "600:traffic=tornado,load=0.55. May be repeated.",
              .joins = ";", .with = "window"),
    { 0 },
};

#define SIMULATE_PRECISION 0.01
enum {
    SIMULATE_LONGEST = 4
}; /* default, as a multiple of the cycles of one load; at most twice its
    * work */
/* In a search, more packets under way than this count as saturation: in any
 * network, and per terminal. */
#define SIMULATE_PACKETS      0x1p18
#define SIMULATE_PACKETS_EACH 0x1p12

/* Searches from the capacity, so the plan is that of --load 1. */
static enum nb_status simulate_find(const struct nb_run *run,
                                    struct nb_simulate_answer *answer,
                                    struct nb_error *err)
{
    struct nb_simulation *plan = &answer->plan;
    const double precision =
        plan->precision > 0 ? plan->precision : SIMULATE_PRECISION;
    const double first = fmin(plan->injection.rate, answer->most_rate);
    const double terminals = (double)plan->topology->terminal_count;
    const double packets =
        fmax(SIMULATE_PACKETS, SIMULATE_PACKETS_EACH * terminals);
    plan->packet_limit = (uint32_t)fmin(plan->packet_limit, packets);
    if (answer->request.cycles < 1)
        plan->cycles = nb_simulate_longest(answer, SIMULATE_LONGEST);
    plan->precision = 0;
    plan->is_drained = false;
    return nb_saturation_find(plan, first, answer->most_rate, precision, run,
                              &answer->saturation, err);
}

static enum nb_status
simulate_compute(const struct nb_simulate_question *request,
                 const struct nb_run *run, struct nb_simulate_answer *out,
                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (request->find != NULL && strcmp(request->find, "saturation") != 0)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "--find \"%.60s\" is not permitted without --where "
                       "(permitted: saturation, or the name of an option with "
                       "--where 'QUANTITY <= VALUE')",
                       request->find));
    NB_TRY(nb_simulate_open(request, run, out, err));
    NB_TRY(nb_simulate_plan(out, err));
    if (request->cycles < 1 && request->window < 1)
        out->plan.end = NB_END_SATURATED;
    if (out->plan.traffic != NULL && out->most_rate > 0)
        NB_TRY(nb_rate_limit_find(out->plan.routing, out->plan.traffic,
                                  request->find != NULL, run, &out->plan.limit,
                                  err));
    if (request->fair_share)
        NB_TRY(nb_fair_share_find(out->plan.routing, out->plan.traffic,
                                  out->load, run, &out->fair, err));
    NB_TRY(request->find != NULL
               ? simulate_find(run, out, err)
               : nb_simulate(&out->plan, run, &out->result, err));
done:
    return status;
}

void nb_simulate_answer_release(struct nb_simulate_answer *answer)
{
    nb_simulation_result_release(&answer->result);
    nb_simulate_release_steps(answer);
    nb_delete(answer->asked_routers);
    nb_delete(answer->refused);
    nb_fair_share_release(&answer->fair);
    nb_trace_release(&answer->trace);
    nb_text_release(&answer->given);
    nb_problem_release(&answer->problem);
    *answer = (struct nb_simulate_answer){ 0 };
}

static void simulate_report(const struct nb_simulate_answer *answer,
                            struct nb_point *out)
{
    if (answer->request.find != NULL)
        nb_simulate_report_saturation(answer, out);
    else
        nb_simulate_report_load(answer, out);
    nb_problem_note_worst(&answer->problem, out);
    nb_simulate_note_router(answer, out);
    nb_simulate_note_arrivals(answer, out);
    if (answer->plan.injection.flits > 1)
        nb_point_add_note(out, "flits", NB_FLITS_COUNTED);
}

NB_DEFINE_QUESTION(simulate);
NB_DEFINE_RELEASE(simulate);

const struct nb_question_kind nb_question_kind_simulate = {
    .form = {
        .name = "simulate",
        .summary = "simulated throughput, latency and queues",
        .details = "The report has percentiles of the latency: latency_p50, latency_p99 and latency_p999 (99.9 %).",
        .example = "netbound simulate --topology torus:8x8 --routing dor --traffic "
                   "transpose --load 0.25",
        .title = "<Simulation>[ of {traffic} traffic][ by {routing}] on {topology}",
        .options = simulate_options,
        .quantities = NB_QUANTITIES(nb_simulate_routers, nb_simulate_fairness, nb_simulate_virtual_shares),
        .tables = nb_simulate_tables,
    },
    NB_CALLS_OF(simulate),
    .release = simulate_release,
};
