/* The check saturation: up to which rate a network is stable (declared in
 * validate.h). */
#include "questions/validate/validate.h"

#include "core/memory.h"
#include "load/pair_loads.h"

#include <math.h>
#include <stdio.h>

/* The issue's own: the limit is reached within 2 %. */
#define SATURATION_TOLERANCE 0.02
/* How far above the limit what is accepted is compared with its bound. */
#define SATURATION_BEYOND 1.2
/* An undecided rate is tried again for so many times as long, so often. */
enum { SATURATION_LONGER = 4, SATURATION_AGAIN = 2 };

static double saturation_middle(struct nb_enclosure value)
{
    return nb_ratio_is_known(value.exact) ? nb_ratio_value(value.exact)
                                          : value.lower / 2 + value.upper / 2;
}

/* The simulation at another rate. load: [flit/cycle/terminal] */
static enum nb_status saturation_try(const struct nb_validation *validation,
                                     double load,
                                     struct nb_simulation_result *out,
                                     struct nb_error *err)
{
    struct nb_simulation plan = validation->asked.plan;
    enum nb_status status = NB_OK;
    plan.injection.rate = load / (double)plan.injection.flits;
    plan.is_drained = plan.has_depths = plan.has_reorder = false;
    plan.precision = 0;
    plan.cycles = validation->cycles;
    for (int i = 0; i <= SATURATION_AGAIN && status == NB_OK; i++) {
        nb_simulation_result_release(out);
        status = nb_simulate(&plan, &validation->question->run, out, err);
        plan.cycles *= SATURATION_LONGER;
        if (out->stability != NB_UNDECIDED)
            break;
    }
    return status;
}

/* Whether the sources can send so much. */
static bool saturation_can_send(const struct nb_validation *validation,
                                double load)
{
    const struct nb_simulate_question *asked = &validation->asked;
    return load / (double)asked->plan.injection.flits <= asked->most_rate;
}

/* The limit lies between a rate that is stable and one that is saturated. */
static void saturation_add_limit(struct nb_validation *validation,
                                 const double load[2],
                                 const enum nb_stability stability[2])
{
    double lower = 0, upper = INFINITY;
    for (int i = 1; i >= 0; i--)
        if (stability[i] == NB_SATURATED)
            upper = load[i];
    for (int i = 0; i < 2; i++)
        if (stability[i] == NB_STABLE)
            lower = load[i];
    struct nb_validation_item item = {
        .name = "saturation",
        .kind = NB_VALIDATE_EXACT,
        .prediction = saturation_middle(validation->limit),
        .lower = validation->limit.lower,
        .upper = validation->limit.upper,
        .simulated = lower,
        .simulated_lower = lower,
        .simulated_upper = upper,
    };
    /* Found where it must be if both rates were told; only the ideal router
     * has to reach it. */
    item.tolerance = lower == load[0] && upper == load[1] ? INFINITY : 0;
    if (validation->asked.plan.router.model == NB_ROUTER_IDEAL)
        nb_validation_add(validation, &item);
    item.name = "largest rate called stable";
    item.kind = NB_VALIDATE_BOUND;
    item.lower = -INFINITY;
    item.simulated = item.simulated_upper = lower;
    nb_validation_add(validation, &item);
    nb_validation_add_quantity(validation, "saturation", lower, lower, upper,
                               "flits/cycle/terminal");
}

/* What is sent by pairs that may cross the channel, at rate 1. */
static enum nb_status saturation_find_users(const struct nb_problem *problem,
                                            const struct nb_pair_loads *pairs,
                                            double *users, struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->router_count;
    uint64_t *rate = NULL;
    uint32_t *endpoint = NULL;
    long double sum = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&rate, n, sizeof *rate, "rates", err));
    NB_TRY(nb_new(&endpoint, n, sizeof *endpoint, "endpoints", err));
    const size_t count = nb_endpoints(topology, endpoint);
    for (size_t j = 0; j < count; j++) {
        NB_TRY(nb_traffic_column(&problem->traffic, topology, endpoint[j], rate,
                                 err));
        for (size_t i = 0; i < count; i++)
            if (nb_pair_load_value(pairs, i, j) > 0)
                sum += (long double)rate[endpoint[i]];
    }
    *users = (double)(sum / (long double)problem->traffic.denominator);
done:
    nb_delete(endpoint);
    nb_delete(rate);
    return status;
}

/*
 * What every pair can have accepted at a load r beyond the limit: of the flits
 * for the most loaded channel, r gamma, only b pass. What does not is missing
 * in the pairs that may cross the channel, which send r Lambda, at least once
 * for every time that a packet crosses it, which is once in each phase:
 *
 *     accepted_min <= r - (r gamma - b) / (Lambda phases).
 *
 * That is the limit itself, b / gamma, where all these packets cross it once.
 */
static enum nb_status saturation_bound(const struct nb_validation *validation,
                                       double load, double *bound,
                                       struct nb_error *err)
{
    const struct nb_problem *problem = &validation->asked.problem;
    const uint32_t worst = validation->loads.worst_channel;
    const double limit = validation->channel_limit.upper;
    const double terminals = validation->limit.upper;
    const double phases = problem->routing.phase != NULL ? 2 : 1;
    struct nb_pair_loads pairs = { 0 };
    double users = 0;
    enum nb_status status = NB_OK;
    *bound = load;
    if (load > limit) {
        NB_TRY(nb_pair_loads_find(&problem->routing, 1, &worst,
                                  &validation->question->run, &pairs, err));
        NB_TRY(saturation_find_users(problem, &pairs, &users, err));
        *bound = load - (load / limit - 1) *
                            nb_ratio_value(
                                problem->topology.channels[worst].bandwidth) /
                            (users * phases);
    }
    /* All packets to a terminal cross its channel. */
    if (terminals < limit)
        *bound = fmin(*bound, terminals);
done:
    nb_pair_loads_release(&pairs);
    return status;
}

static enum nb_status saturation_beyond(struct nb_validation *validation,
                                        struct nb_error *err)
{
    const double load =
        SATURATION_BEYOND * saturation_middle(validation->limit);
    struct nb_simulation_result result = { 0 };
    double bound;
    char name[80];
    enum nb_status status = NB_OK;
    if (!saturation_can_send(validation, load))
        return NB_OK;
    NB_TRY(saturation_bound(validation, load, &bound, err));
    NB_TRY(saturation_try(validation, load, &result, err));
    snprintf(name, sizeof name, "accepted_throughput_min at %g of the limit",
             SATURATION_BEYOND);
    const struct nb_validation_item item = {
        .name = name,
        .kind = NB_VALIDATE_BOUND,
        .prediction = bound,
        .lower = -INFINITY,
        .upper = bound,
        .simulated = load * result.least.value,
        .simulated_lower = load * result.least.lower,
        .simulated_upper = load * result.least.upper,
    };
    nb_validation_add(validation, &item);
done:
    nb_simulation_result_release(&result);
    return status;
}

enum nb_status nb_validate_saturation(struct nb_validation *validation,
                                      struct nb_error *err)
{
    const double tolerance =
        nb_validation_tolerance(validation, SATURATION_TOLERANCE);
    const double limit = saturation_middle(validation->limit);
    const double load[2] = { (1 - tolerance) * limit, (1 + tolerance) * limit };
    struct nb_simulation_result result[2] = { 0 };
    char name[80];
    enum nb_status status = NB_OK;
    if (isinf(limit) || !saturation_can_send(validation, load[1])) {
        nb_point_add_note(validation->out, "saturation",
                          "not checked, as sources cannot send what would "
                          "saturate the network");
        return NB_OK;
    }
    for (int i = 0; i < 2; i++)
        NB_TRY(saturation_try(validation, load[i], &result[i], err));
    const enum nb_stability stability[2] = { result[0].stability,
                                             result[1].stability };
    saturation_add_limit(validation, load, stability);
    snprintf(name, sizeof name, "accepted_throughput at %g of the limit",
             1 - tolerance);
    if (validation->asked.plan.router.model == NB_ROUTER_IDEAL)
        nb_validation_add_estimate(
            validation, name, NB_VALIDATE_EXACT,
            (struct nb_bracket){ load[0], load[0] },
            nb_interval_of(result[0].accepted, result[0].demanded), tolerance);
    NB_TRY(saturation_beyond(validation, err));
done:
    for (int i = 0; i < 2; i++)
        nb_simulation_result_release(&result[i]);
    return status;
}
