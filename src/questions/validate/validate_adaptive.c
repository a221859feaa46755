/* The check adaptive: the predictions for a scheme that compares queues, and
 * the bound of its paths, compared with the simulation (declared in
 * validate.h). */
#include "questions/validate/validate.h"

#include "core/locale.h"
#include "core/try.h"
#include "questions/latency/latency_question.h"
#include "questions/load/load_question.h"

#include <math.h>

/* There is no published tolerance for a model with independent queues. */
#define ADAPTIVE_TOLERANCE 0.05
/* The load for exceeding the bound, relative to the bound. */
#define ADAPTIVE_BEYOND 1.1

/* Predicts before it simulates, because the prediction refuses what it does not
 * apply to and a simulation is long. */
static enum nb_status adaptive_predict(struct nb_validate_answer *answer,
                                       const struct nb_run *run,
                                       struct nb_interval *saturation,
                                       struct nb_error *err)
{
    const struct nb_simulate_question *network = &answer->simulation.request;
    const struct nb_simulation_result *result = &answer->simulation.result;
    const struct nb_router *router = &answer->simulation.plan.router;
    const struct nb_latency_question request = {
        .topology = network->topology,
        .traffic = network->traffic,
        .routing = network->routing,
        .rate = network->rate,
        .load = network->load,
        .allow_inadmissible = network->allow_inadmissible,
        .delay_model = NB_LATENCY_BERNOULLI,
        .pipeline = nb_ratio_make(
            router->model == NB_ROUTER_CREDIT ? router->pipeline : 0, 1),
        .channel_latency = nb_ratio_make(
            router->model == NB_ROUTER_CREDIT ? router->channel_latency : 1, 1),
    };
    const double tolerance =
        nb_validation_tolerance(answer, ADAPTIVE_TOLERANCE);
    struct nb_latency_answer found;
    enum nb_status status = NB_OK;
    NB_TRY(nb_latency_ask(&request, run, &found, err));
    NB_TRY(nb_validation_simulate(answer, run, err));
    nb_validation_add(answer, "mean_latency", NB_VALIDATE_APPROXIMATION,
                      nb_validation_predicted(found.latency),
                      nb_validation_latency(answer), tolerance);
    nb_validation_add(answer, "mean_hops", NB_VALIDATE_APPROXIMATION,
                      nb_validation_predicted(found.hops),
                      nb_interval_of(result->hops, INFINITY), tolerance);
    nb_validation_add(answer, "minimal_fraction", NB_VALIDATE_APPROXIMATION,
                      nb_validation_predicted(found.minimal),
                      nb_interval_of(result->minimal, 1), tolerance);
    *saturation = nb_validation_predicted(found.saturation);
done:
    nb_latency_answer_release(&found);
    return status;
}

/* Adds the saturation, between a stable rate and one that is not stable. */
static enum nb_status adaptive_saturate(struct nb_validate_answer *answer,
                                        const struct nb_run *run,
                                        struct nb_interval predicted,
                                        struct nb_error *err)
{
    const double tolerance =
        nb_validation_tolerance(answer, ADAPTIVE_TOLERANCE);
    struct nb_interval found = { .upper = INFINITY };
    enum nb_status status = NB_OK;
    for (int side = 1; side >= -1; side -= 2) {
        const double load = (1 + side * tolerance) * predicted.value;
        struct nb_simulation_result result = { 0 };
        if (!nb_validation_can_send(answer, load))
            continue;
        answer->tested[side > 0] = load;
        status = nb_validation_try(answer, run, load, &result, err);
        if (status == NB_OK && result.stability == NB_SATURATED)
            found.upper = load;
        if (status == NB_OK && result.stability == NB_STABLE)
            found.lower = fmax(found.lower, load);
        nb_simulation_result_release(&result);
        NB_TRY(status);
    }
    found.value =
        isinf(found.upper) ? found.lower : (found.lower + found.upper) / 2;
    nb_validation_add(answer, "saturation", NB_VALIDATE_APPROXIMATION,
                      predicted, found, tolerance);
done:
    return status;
}

/* Adds that no rate above the bound is stable: some queue grows without bound,
 * though traffic that does not pass it may be accepted beyond the bound. */
static enum nb_status adaptive_exceed(struct nb_validate_answer *answer,
                                      const struct nb_run *run,
                                      const struct nb_enclosure *bound,
                                      struct nb_error *err)
{
    const double load = ADAPTIVE_BEYOND * bound->upper;
    struct nb_simulation_result result = { 0 };
    char name[80];
    enum nb_status status = NB_OK;
    if (!nb_validation_can_send(answer, load))
        return NB_OK;
    NB_TRY(nb_validation_try(answer, run, load, &result, err));
    const double stable = result.stability == NB_STABLE      ? 1
                          : result.stability == NB_SATURATED ? 0
                                                             : 0.5;
    nb_snprintf(name, sizeof name, "stability at %g of the bound",
                ADAPTIVE_BEYOND);
    nb_validation_add(
        answer, name, NB_VALIDATE_BOUND,
        (struct nb_interval){ 0, -INFINITY, 0 },
        (struct nb_interval){ stable, floor(stable), ceil(stable) }, 0);
done:
    nb_simulation_result_release(&result);
    return status;
}

enum nb_status nb_validate_adaptive(struct nb_validate_answer *answer,
                                    const struct nb_run *run,
                                    struct nb_error *err)
{
    const struct nb_simulate_question *network = &answer->simulation.request;
    const struct nb_load_question request = {
        .topology = network->topology,
        .traffic = network->traffic,
        .routing = network->routing,
        .allow_inadmissible = network->allow_inadmissible,
        .seed = 1,
    };
    struct nb_load_answer bounded = { 0 };
    struct nb_interval saturation;
    enum nb_status status = NB_OK;
    NB_TRY(adaptive_predict(answer, run, &saturation, err));
    NB_TRY(nb_load_ask(&request, run, &bounded, err));
    const struct nb_enclosure bound = bounded.bound.throughput;
    nb_validation_add_quantity(
        answer, "adaptive_bound",
        (struct nb_interval){ bound.upper, bound.lower, bound.upper },
        "flits/cycle/terminal");
    answer->quantities[answer->quantity_count - 1].is_bound = true;
    NB_TRY(adaptive_saturate(answer, run, saturation, err));
    if (!isinf(bound.upper))
        NB_TRY(adaptive_exceed(answer, run, &bound, err));
done:
    nb_load_answer_release(&bounded);
    return status;
}
