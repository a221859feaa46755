/* The checks latency, split and completion: mean latencies, tornado traffic
 * divided over the two directions of a ring, and when a batch has arrived
 * (declared in validate.h). */
#include "questions/validate/validate.h"

#include "core/try.h"
#include "questions/latency/latency_question.h"
#include "questions/split/split_question.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* There is no published tolerance for approximations. */
#define LATENCY_TOLERANCE 0.05
/* For hops, which are exact: that of utilisations. */
#define LATENCY_HOPS_TOLERANCE 0.01

#define COMPLETION_CONFIDENCE 0.95
/* Search for the least rate that no routing carries: doublings from 1/8, then
 * halvings of the interval. */
enum { COMPLETION_DOUBLINGS = 20, COMPLETION_HALVES = 10 };

/* A run without progress reports, for the questions behind a prediction. */
static struct nb_run latency_quiet(const struct nb_run *run)
{
    return (struct nb_run){ .threads = run != NULL ? run->threads : 0 };
}

/* Asks `latency` about the simulated network; without a routing, about the best
 * one, which is min if there is no choice. */
static enum nb_status latency_ask(const struct nb_validate_answer *answer,
                                  const struct nb_run *run,
                                  struct nb_latency_question request,
                                  struct nb_latency_answer *out,
                                  struct nb_error *err)
{
    const struct nb_simulate_question *network = &answer->simulation.request;
    const struct nb_run quiet = latency_quiet(run);
    request.topology = network->topology;
    request.traffic = network->traffic;
    request.allow_inadmissible = network->allow_inadmissible;
    if (request.routing == NULL &&
        answer->simulation.problem.topology.kind->is_one_way)
        request.routing = "min";
    request.optimal = request.routing == NULL;
    if (!nb_ratio_is_known(request.rate)) {
        request.rate = network->rate;
        request.load = network->load;
    }
    return nb_latency_ask(&request, &quiet, out, err);
}

static void latency_add(struct nb_validate_answer *answer, const char *name,
                        struct nb_interval predicted)
{
    nb_validation_add(answer, name, NB_VALIDATE_APPROXIMATION, predicted,
                      nb_validation_latency(answer),
                      nb_validation_tolerance(answer, LATENCY_TOLERANCE));
}

/* Adds the latency of this router that an analysis with one cycle per hop
 * lacks: the same for all packets with equally many hops. */
static struct nb_interval latency_add_router(const struct nb_router *router,
                                             struct nb_interval latency,
                                             struct nb_interval hops)
{
    const double more = router->model == NB_ROUTER_CREDIT
                            ? router->pipeline + router->channel_latency - 1.0
                            : 0;
    return (struct nb_interval){ latency.value + more * hops.value,
                                 latency.lower + more * hops.lower,
                                 latency.upper + more * hops.upper };
}

/* Adds what does not depend on a delay model. between: hops between routers;
 * hops: all. */
static void latency_add_hops(struct nb_validate_answer *answer,
                             struct nb_interval between,
                             struct nb_interval hops)
{
    const struct nb_simulate_answer *simulation = &answer->simulation;
    const double least =
        latency_add_router(&simulation->plan.router, hops, hops).lower;
    /* If the network is saturated, mainly packets with few hops arrive. */
    if (simulation->result.stability != NB_SATURATED)
        nb_validation_add(
            answer, "mean_hops", NB_VALIDATE_EXACT, between,
            nb_interval_of(simulation->result.hops, INFINITY),
            nb_validation_tolerance(answer, LATENCY_HOPS_TOLERANCE));
    nb_validation_add(answer, "mean_latency without queues", NB_VALIDATE_BOUND,
                      (struct nb_interval){ least, least, INFINITY },
                      nb_validation_latency(answer), 0);
}

enum nb_status nb_validate_latency(struct nb_validate_answer *answer,
                                   const struct nb_run *run,
                                   struct nb_error *err)
{
    static const struct {
        int delay_model;
        const char *item;
    } models[] = {
        { NB_LATENCY_BERNOULLI, "mean_latency, bernoulli" },
        { NB_LATENCY_MD1, "mean_latency, pollaczek-khinchine" },
        { NB_LATENCY_SINGH, "mean_latency, singh" },
    };
    enum nb_status status = NB_OK;
    if (answer->simulation.request.global_latency > 0)
        NB_TRY(nb_fail(err, NB_USAGE,
                       "--global-latency is not permitted with --check "
                       "latency: the analysis has one latency for all "
                       "channels (permitted: --channel-latency)"));
    NB_TRY(nb_validation_simulate(answer, run, err));
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct nb_latency_question request = {
            .routing = answer->simulation.request.routing,
            .delay_model = models[i].delay_model,
        };
        struct nb_latency_answer found;
        NB_TRY(latency_ask(answer, run, request, &found, err));
        const struct nb_interval between = nb_validation_predicted(found.hops);
        const struct nb_interval hops = nb_validation_predicted(
            nb_latency_add_terminal_hop(&found, found.hops));
        const struct nb_interval latency =
            nb_validation_predicted(found.latency);
        nb_latency_answer_release(&found);
        if (i == 0)
            latency_add_hops(answer, between, hops);
        latency_add(
            answer, models[i].item,
            latency_add_router(&answer->simulation.plan.router, latency, hops));
    }
    nb_validation_add_quantity(answer, "mean_latency",
                               nb_validation_latency(answer), "cycles");
done:
    return status;
}

/* Adds one delay model's percentiles, "latency_p99, bernoulli". Percentiles are
 * whole cycles, so the next cycle may be the right one. */
static enum nb_status percentiles_add(struct nb_validate_answer *answer,
                                      const struct nb_run *run, int delay_model,
                                      const char *model, struct nb_error *err)
{
    static const struct {
        const char *name;
        double share;
    } shares[] = { { "latency_p50", 0.5 },
                   { "latency_p90", 0.9 },
                   { "latency_p99", 0.99 },
                   { "latency_p999", 0.999 } };
    const struct nb_simulate_answer *simulation = &answer->simulation;
    const struct nb_router *router = &simulation->plan.router;
    const bool is_credit = router->model == NB_ROUTER_CREDIT;
    const struct nb_latency_question request = {
        .routing = simulation->request.routing,
        .delay_model = delay_model,
        .pipeline = nb_ratio_make(is_credit ? router->pipeline : 0, 1),
        .channel_latency =
            nb_ratio_make(is_credit ? router->channel_latency : 1, 1),
        .percentiles = true,
    };
    struct nb_latency_answer found = { 0 };
    char name[80];
    enum nb_status status = NB_OK;
    NB_TRY(latency_ask(answer, run, request, &found, err));
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const struct nb_bracket said =
            found.paths.count > 0
                ? nb_path_latency_quantile(&found.paths, shares[i].share)
                : (struct nb_bracket){ INFINITY, INFINITY };
        snprintf(name, sizeof name, "%s, %s", shares[i].name, model);
        if (simulation->result.latencies.total > 0)
            nb_validation_add(
                answer, name, NB_VALIDATE_APPROXIMATION,
                (struct nb_interval){ said.lower, said.lower, said.upper },
                nb_simulate_quantile(&simulation->result, shares[i].share),
                fmax(nb_validation_tolerance(answer, LATENCY_TOLERANCE),
                     1 / fmax(said.lower, 1)));
    }
done:
    nb_latency_answer_release(&found);
    return status;
}

enum nb_status nb_validate_percentiles(struct nb_validate_answer *answer,
                                       const struct nb_run *run,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_validation_simulate(answer, run, err));
    NB_TRY(
        percentiles_add(answer, run, NB_LATENCY_BERNOULLI, "bernoulli", err));
    NB_TRY(percentiles_add(answer, run, NB_LATENCY_MD1, "pollaczek-khinchine",
                           err));
done:
    return status;
}

/* A delay model, with its numbers in `split` and `latency`. */
static const struct split_model {
    const char *name;
    int split, latency;
} split_models[] = { { "singh", 0, NB_LATENCY_SINGH },
                     { "p-k", 1, NB_LATENCY_MD1 } };

/* [packet/cycle] What a terminal sends on shortest paths. */
static struct nb_interval split_minimal(const struct nb_validate_answer *answer)
{
    return nb_interval_scale(
        nb_interval_of(answer->simulation.result.minimal, 1),
        answer->simulation.plan.injection.rate);
}

/* Adds one rule of `split` with one of its delay models. */
static enum nb_status split_add_rule(struct nb_validate_answer *answer,
                                     const struct nb_run *run, const char *rule,
                                     const struct split_model *model,
                                     struct nb_error *err)
{
    const struct nb_simulate_question *network = &answer->simulation.request;
    const struct nb_split_question request = {
        .topology = network->topology,
        .rate = network->rate,
        .load = network->load,
        .rule = rule,
        .delay_model = model->split,
    };
    const struct nb_run quiet = latency_quiet(run);
    struct nb_split_answer found;
    char name[80];
    const enum nb_status status = nb_split_ask(&request, &quiet, &found, err);
    if (status != NB_OK)
        return status;
    snprintf(name, sizeof name, "minimal_rate, %s, %s", rule, model->name);
    nb_validation_add(answer, name, NB_VALIDATE_APPROXIMATION,
                      nb_validation_predicted(found.answer.rate[NB_MINIMAL]),
                      split_minimal(answer),
                      nb_validation_tolerance(answer, LATENCY_TOLERANCE));
    snprintf(name, sizeof name, "mean_latency, %s, %s", rule, model->name);
    latency_add(answer, name, nb_validation_predicted(found.answer.mean_delay));
    return NB_OK;
}

/* Adds the latency of the best routing, where `split` has no rule. */
static enum nb_status split_add_optimal(struct nb_validate_answer *answer,
                                        const struct nb_run *run,
                                        const struct split_model *model,
                                        struct nb_error *err)
{
    const struct nb_latency_question request = { .delay_model =
                                                     model->latency };
    struct nb_latency_answer found;
    char name[80];
    const enum nb_status status =
        latency_ask(answer, run, request, &found, err);
    if (status != NB_OK)
        return status;
    snprintf(name, sizeof name, "mean_latency, best routing, %s", model->name);
    latency_add(answer, name, nb_validation_predicted(found.latency));
    nb_latency_answer_release(&found);
    return NB_OK;
}

/* The rule of `split` that the scheme follows. */
static const char *split_rule_of(const struct nb_routing *routing)
{
    const char *name = routing->kind->kind.name;
    return nb_word_is_in("gal cqr rlb", ' ', name, strlen(name)) ? name
                                                                 : "minimal";
}

/* Whether the traffic is tornado in all dimensions, for which `split` has no
 * rule. */
static bool split_is_of_all(const struct nb_problem *problem)
{
    return problem->topology.grid.dimensions > 1 &&
           nb_specification_is(&problem->traffic.specification, "dims", "all");
}

static enum nb_status split_add_rules(struct nb_validate_answer *answer,
                                      const struct nb_run *run,
                                      struct nb_error *err)
{
    const struct nb_problem *problem = &answer->simulation.problem;
    const bool is_of_all = split_is_of_all(problem);
    const char *own = split_rule_of(&problem->routing);
    enum nb_status status = NB_OK;
    for (size_t m = 0; m < sizeof split_models / sizeof *split_models; m++) {
        if (is_of_all) {
            NB_TRY(split_add_optimal(answer, run, &split_models[m], err));
            continue;
        }
        NB_TRY(split_add_rule(answer, run, own, &split_models[m], err));
        NB_TRY(split_add_rule(answer, run, "optimal", &split_models[m], err));
    }
    if (!is_of_all)
        NB_TRY(split_add_rule(answer, run, "theorem-5", &split_models[0], err));
done:
    return status;
}

enum nb_status nb_validate_split(struct nb_validate_answer *answer,
                                 const struct nb_run *run, struct nb_error *err)
{
    const struct nb_problem *problem = &answer->simulation.problem;
    const struct nb_kind *kind = problem->traffic.specification.kind;
    enum nb_status status = NB_OK;
    if (problem->topology.grid.dimensions == 0 ||
        !problem->topology.grid.wraps || nb_has_failures(&problem->topology) ||
        strcmp(kind->name, "tornado") != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "check split: traffic %s on %s is not divided over two "
                       "directions (permitted: tornado on a ring or torus)",
                       kind->name, problem->topology.kind->kind.name));
    NB_TRY(nb_validation_simulate(answer, run, err));
    nb_validation_add_quantity(answer, "minimal_rate", split_minimal(answer),
                               "packets/cycle/terminal");
    nb_validation_add_quantity(answer, "mean_latency",
                               nb_validation_latency(answer), "cycles");
    NB_TRY(split_add_rules(answer, run, err));
done:
    return status;
}

static double completion_time(const struct nb_simulation_result *result)
{
    return (double)result->completion;
}

/* Whether it is proved that no routing carries the rate. */
static enum nb_status
completion_is_beyond(const struct nb_validate_answer *answer,
                     const struct nb_run *run, struct nb_ratio rate,
                     bool *beyond, struct nb_error *err)
{
    const struct nb_latency_question request = { .rate = rate };
    struct nb_latency_answer found;
    const enum nb_status status =
        latency_ask(answer, run, request, &found, err);
    if (status == NB_OK)
        *beyond = isinf(nb_validation_predicted(found.latency).lower);
    nb_latency_answer_release(&found);
    return status;
}

/* [packet/cycle/terminal] A rate that no routing carries, near the least one;
 * +inf if none was found. */
static enum nb_status
completion_find_rate(const struct nb_validate_answer *answer,
                     const struct nb_run *run, double *rate,
                     struct nb_error *err)
{
    const nb_int128 unit = (nb_int128)1 << COMPLETION_HALVES;
    nb_int128 lower = 0, upper = unit / 8;
    bool is_beyond = false;
    enum nb_status status = NB_OK;
    for (int i = 0; i < COMPLETION_DOUBLINGS && !is_beyond; i++) {
        lower = i == 0 ? 0 : upper;
        upper *= i == 0 ? 1 : 2;
        NB_TRY(completion_is_beyond(answer, run, nb_ratio_make(upper, unit),
                                    &is_beyond, err));
    }
    *rate = INFINITY;
    if (!is_beyond)
        return NB_OK;
    while (upper - lower > 1) {
        const nb_int128 middle = (lower + upper) / 2;
        NB_TRY(completion_is_beyond(answer, run, nb_ratio_make(middle, unit),
                                    &is_beyond, err));
        if (is_beyond)
            upper = middle;
        else
            lower = middle;
    }
    *rate = (double)upper / (double)unit;
done:
    return status;
}

/* Adds one bound: a batch takes at least as long as at a rate that cannot be
 * exceeded. most: the largest sum of a terminal's row; its terminal sends no
 * more packets than the batch for that. */
static void completion_add(struct nb_validate_answer *answer, const char *name,
                           double rate, double most,
                           struct nb_estimate simulated)
{
    const struct nb_injection *injection = &answer->simulation.plan.injection;
    const double flits = (double)injection->batch * injection->flits;
    const double least = flits / rate / fmax(most, 1);
    nb_validation_add(answer, name, NB_VALIDATE_BOUND,
                      (struct nb_interval){ least, least, INFINITY },
                      nb_interval_of(simulated, INFINITY), 0);
}

/* A channel never sends more than its bandwidth, so packets that come at once
 * take at least as long as at the largest carried rate: that of the scheme, on
 * average if it draws paths, or of any routing. */
static enum nb_status completion_add_bounds(struct nb_validate_answer *answer,
                                            const struct nb_run *run,
                                            struct nb_estimate time,
                                            struct nb_error *err)
{
    const struct nb_problem *problem = &answer->simulation.problem;
    struct nb_traffic_sums sums;
    double rate = INFINITY;
    enum nb_status status;
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology, &sums,
                                err));
    const double most = nb_ratio_value(sums.row);
    if (answer->loads.channel_count > 0)
        completion_add(answer, "completion_time, this routing",
                       answer->limit.upper, most, time);
    /* Sources have no channels of their own that would limit them. */
    if (nb_ratio_is_known(problem->topology.terminal_bandwidth) &&
        nb_ratio_compare(sums.row, sums.column) > 0)
        return NB_OK;
    NB_TRY(completion_find_rate(answer, run, &rate, err));
    completion_add(answer, "completion_time, any routing", rate, most, time);
done:
    return status;
}

enum nb_status nb_validate_completion(struct nb_validate_answer *answer,
                                      const struct nb_run *run,
                                      struct nb_error *err)
{
    const double batch = answer->simulation.plan.injection.batch;
    struct nb_estimate time;
    enum nb_status status;
    NB_TRY(nb_validation_replicate(answer, run, err));
    NB_TRY(nb_validation_estimate(answer, completion_time,
                                  COMPLETION_CONFIDENCE, &time, err));
    NB_TRY(completion_add_bounds(answer, run, time, err));
    nb_validation_add_quantity(
        answer, "completion_time_per_packet",
        nb_interval_scale(nb_interval_of(time, INFINITY), 1 / batch), "cycles");
done:
    return status;
}
