/* netbound latency: the mean latency of a traffic at some load. */
#include "questions/latency/latency_queues.h"
#include "questions/latency/latency_tables.h"
#include "questions/problem.h"

#include "core/memory.h"
#include "queueing/assignment.h"
#include "report/tree.h"

#include <math.h>
#include <stdio.h>

static const struct nb_parameter latency_options[] = {
    NB_OPTION_TOPOLOGY,
    NB_OPTION_TRAFFIC,
    { .name = "routing",
      .help = "the scheme, such as dor:ties=split (see: netbound list "
              "routings); min unless --optimal is given",
      .type = NB_WORD,
      .initial = "" },
    { .name = "rate",
      .help = "injection rate, packets per terminal per cycle; this or --load "
              "must be given",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1e6,
      .unit = "packets/cycle" },
    NB_OPTION_CLOCK,
    { .name = "load",
      .help = "the same as a fraction of capacity",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1e6,
      .unit = "fraction" },
    { .name = "delay-model",
      .help = "how long a packet waits at a channel of utilisation rho: M/D/1, "
              "Singh's 1/(2(1-rho)), or slots fed by independent inputs",
      .type = NB_CHOICE,
      .initial = "pollaczek-khinchine",
      .choices = "pollaczek-khinchine|singh|bernoulli" },
    { .name = "optimal",
      .help = "under the routing of least mean latency for this traffic and "
              "rate, instead of --routing",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "allow-inadmissible",
      .help = "accept traffic from a file with rows or columns above 1",
      .type = NB_FLAG,
      .initial = "no" },
    { 0 },
};

/* An answer in the making. */
struct latency {
    struct nb_problem problem;
    struct nb_channel_loads loads;
    struct nb_assignment assignment;
    struct nb_latency_queues queues;
    struct nb_queue_state *state; /* [queue] */
    struct nb_enclosure rate;
};

#define LATENCY_ASSIGNMENT                                                     \
    "least mean latency: paths by gradient projection, bounded by duality"
#define LATENCY_ASSIGNMENT_SOURCE "BertsekasGallager1992"

static enum nb_status latency_check(const struct nb_question *question,
                                    struct nb_error *err)
{
    const struct nb_model *model = question->model;
    const char *routing = nb_model_get(model, "routing");
    if (nb_model_get(model, "rate") == NULL &&
        nb_model_get(model, "load") == NULL)
        return nb_fail(err, NB_USAGE,
                       "latency needs the rate to be answered for (permitted: "
                       "--load or --rate)");
    if (!nb_question_flag(question, "optimal"))
        return NB_OK;
    if (routing != NULL)
        return nb_fail(err, NB_USAGE,
                       "--routing %.60s is not permitted with --optimal, which "
                       "finds the routing itself (permitted: one of them)",
                       routing);
    if (nb_latency_is_by_inputs(question))
        return nb_fail(err, NB_USAGE,
                       "--delay-model bernoulli is not permitted with "
                       "--optimal, as it depends on how the traffic of a "
                       "channel is divided among its inputs (permitted: "
                       "pollaczek-khinchine, singh)");
    return NB_OK;
}

static struct nb_bracket latency_rate(const struct latency *work)
{
    return (struct nb_bracket){ work->rate.lower, work->rate.upper };
}

/* Hops of a packet over the terminals' channels where those count. */
static struct nb_enclosure latency_add_terminal_hop(const struct latency *work,
                                                    struct nb_enclosure hops)
{
    if (work->queues.terminal_count == 0 || work->queues.total.upper == 0)
        return hops;
    return nb_enclosure_add(hops, nb_enclosure_of_ratio(nb_ratio_one));
}

/* Whether the rate is known to reach the one at which a queue saturates. */
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

/* Quantities of a scheme. */
static void latency_add_scheme(const struct nb_question *question,
                               struct latency *work, struct nb_ratio most,
                               struct nb_point *out)
{
    const struct nb_problem *problem = &work->problem;
    const struct nb_latency_queues *queues = &work->queues;
    const struct nb_channel_loads *loads = &work->loads;
    const size_t count = queues->channel_count + queues->terminal_count;
    const struct nb_enclosure channels = { loads->throughput,
                                           loads->throughput_lower,
                                           loads->throughput_upper };
    const struct nb_enclosure hops = latency_add_terminal_hop(
        work, (struct nb_enclosure){ loads->mean_hops, loads->mean_hops_lower,
                                     loads->mean_hops_upper });
    const struct nb_bracket none = { 0, 0 };
    const struct nb_bracket idle =
        nb_latency_find_wait(queues->queue, count, none, queues->total, NULL);
    struct nb_bracket wait = nb_latency_find_wait(
        queues->queue, count, latency_rate(work), queues->total, work->state);
    if (latency_is_saturated(
            work->rate, nb_enclosure_least(channels, nb_problem_terminal_limit(
                                                         problem, most))))
        wait = (struct nb_bracket){ INFINITY, INFINITY };
    nb_point_add_enclosure(
        out, "mean_latency",
        nb_enclosure_add(hops, nb_enclosure_of_bracket(wait)), "cycles",
        queues->method, queues->source);
    nb_point_add_enclosure(out, "mean_hops", hops, "hops", "propagation",
                           "TowlesDally2002, section 2.2");
    nb_point_add_enclosure(out, "mean_wait", nb_enclosure_of_bracket(wait),
                           "cycles", queues->method, queues->source);
    nb_point_add_enclosure(
        out, "zero_load_latency",
        nb_enclosure_add(hops, nb_enclosure_of_bracket(idle)), "cycles",
        queues->method, queues->source);
    nb_problem_add_throughput(problem, out, "saturation", channels, most,
                              "propagation", "TowlesDally2002, section 2.2");
    if (nb_model_get(question->model, "routing") == NULL)
        nb_point_add_note(out, "routing", "min, as none is given");
}

/* Cycles that may be infinite: a bracket up to there stands for that, as its
 * lower end is but where the search for a proof ended. */
static void latency_add_cycles(struct nb_point *out, const char *name,
                               struct nb_enclosure cycles, const char *method,
                               const char *source)
{
    const struct nb_quantity open = { .value = INFINITY,
                                      .lower = cycles.lower,
                                      .upper = INFINITY };
    if (isinf(cycles.upper) && !isinf(cycles.lower))
        nb_point_add_quantity(out, &open, name, "cycles", method, source);
    else
        nb_point_add_enclosure(out, name, cycles, "cycles", method, source);
}

/* The relative width of the bracket, and a note where it is not narrow. */
static void latency_add_gap(const struct latency *work,
                            struct nb_enclosure latency, struct nb_point *out)
{
    const double width = latency.upper - latency.lower;
    const double gap = isinf(latency.upper) ? INFINITY
                       : latency.upper == 0 ? 0
                                            : width / latency.lower;
    char text[160];
    nb_point_add_bracket(out, "duality_gap",
                         gap == 0 || isinf(gap) ? gap : gap * (1 - 0x1p-50),
                         gap * (1 + 0x1p-50), "1", LATENCY_ASSIGNMENT,
                         LATENCY_ASSIGNMENT_SOURCE);
    if (gap <= 1e-9)
        return;
    snprintf(text, sizeof text,
             isinf(gap) ? "neither a routing that carries the rate nor a proof "
                          "that there is none was found in %zu rounds"
                        : "the bracket is that after %zu rounds; hops and wait "
                          "are those of the routing found, its upper end",
             work->assignment.rounds);
    nb_point_add_note(out, "duality_gap", text);
}

/* Quantities of the best routing: those of the channels by assignment, the
 * terminals' channels wait the same under any routing. */
static void latency_add_optimal(struct latency *work, struct nb_ratio most,
                                struct nb_point *out)
{
    const struct nb_assignment *found = &work->assignment;
    struct nb_latency_queues *queues = &work->queues;
    const struct nb_bracket none = { 0, 0 };
    const size_t channels = queues->channel_count;
    const struct nb_queue *terminal = queues->queue + channels;
    const bool is_full = latency_is_saturated(
        work->rate, nb_problem_terminal_limit(&work->problem, most));
    struct nb_bracket last = nb_latency_find_wait(
        terminal, queues->terminal_count, latency_rate(work), queues->total,
        work->state + channels);
    if (is_full)
        last = (struct nb_bracket){ INFINITY, INFINITY };
    const struct nb_bracket idle = nb_latency_find_wait(
        terminal, queues->terminal_count, none, queues->total, NULL);
    for (size_t c = 0; c < channels; c++) {
        queues->queue[c].load_lower = found->load[c].lower;
        queues->queue[c].load_upper = found->load[c].upper;
        work->state[c] = nb_queue_at(&queues->queue[c], latency_rate(work));
    }
    const struct nb_enclosure latency = nb_enclosure_add(
        latency_add_terminal_hop(work, nb_enclosure_of_bracket(found->latency)),
        nb_enclosure_of_bracket(last));
    latency_add_cycles(out, "mean_latency", latency, LATENCY_ASSIGNMENT,
                       LATENCY_ASSIGNMENT_SOURCE);
    if (isinf(latency.lower)) {
        nb_point_add_note(out, "saturated",
                          is_full ? "the terminals' own channels are full at "
                                    "this rate, under any routing"
                                  : "no routing carries this rate, as lengths "
                                    "of the channels prove");
        return;
    }
    latency_add_gap(work, latency, out);
    nb_point_add_enclosure(
        out, "mean_hops",
        latency_add_terminal_hop(work, nb_enclosure_of_bracket(found->hops)),
        "hops", "of the routing found", "");
    latency_add_cycles(out, "mean_wait",
                       nb_enclosure_add(nb_enclosure_of_bracket(found->wait),
                                        nb_enclosure_of_bracket(last)),
                       "of the routing found", queues->source);
    nb_point_add_enclosure(
        out, "zero_load_latency",
        nb_enclosure_add(latency_add_terminal_hop(
                             work, nb_enclosure_of_bracket(found->zero_load)),
                         nb_enclosure_of_bracket(idle)),
        "cycles", "shortest paths", queues->source);
}

static enum nb_status latency_answer(const struct nb_question *question,
                                     struct nb_point *out, struct nb_error *err)
{
    const bool is_optimal = nb_question_flag(question, "optimal");
    struct latency work = { 0 };
    struct nb_problem *problem = &work.problem;
    struct nb_ratio most;
    enum nb_status status = NB_OK;
    NB_TRY(latency_check(question, err));
    NB_TRY(nb_problem_build(question, problem, err));
    NB_TRY(nb_question_rate(question, problem, &work.rate, err));
    if (!is_optimal && problem->routing.kind == NULL)
        NB_TRY(nb_routing_build("min", &problem->topology, &problem->routing,
                                err));
    if (!is_optimal)
        NB_TRY(nb_channel_loads_find(&problem->routing, &problem->traffic,
                                     &question->run, &work.loads, err));
    NB_TRY(nb_latency_queues_find(
        question, problem, is_optimal ? NULL : &work.loads, &work.queues, err));
    NB_TRY(nb_new(&work.state,
                  work.queues.channel_count + work.queues.terminal_count,
                  sizeof *work.state, "queues", err));
    NB_TRY(latency_find_most(problem, &most, err));
    if (is_optimal) {
        NB_TRY(nb_assignment_find(&problem->topology, &problem->traffic,
                                  work.queues.delay, work.rate, &question->run,
                                  &work.assignment, err));
        latency_add_optimal(&work, most, out);
        nb_latency_add_paths(&problem->topology, &work.assignment, out);
    } else {
        latency_add_scheme(question, &work, most, out);
    }
    nb_point_add_note(out, "delay_model", work.queues.note);
    if (work.queues.terminal_count > 0)
        nb_problem_note_hops(out);
    nb_latency_add_queues(&problem->topology, &work.queues, work.state, out);
done:
    nb_delete(work.state);
    nb_latency_queues_release(&work.queues);
    nb_assignment_release(&work.assignment);
    nb_channel_loads_release(&work.loads);
    nb_problem_release(problem);
    return status;
}

const struct nb_question_kind nb_question_kind_latency = {
    .form = {
        .name = "latency",
        .summary = "mean latency of a traffic at some load",
        .example = "netbound latency --topology torus:8x8 --routing val --traffic "
                   "tornado --sweep load=0.1:0.5:0.1",
        .options = latency_options,
        .tables = "paths channels terminals",
    },
    .answer = latency_answer,
};
