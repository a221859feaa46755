#include "questions/simulate/simulate_plan.h"

#include "core/try.h"
#include "queueing/arrivals.h"
#include "sim/sources.h"

#include <math.h>
#include <string.h>

/* Flits that the channels of a default simulation move at most, and how long
 * it is. */
#define PLAN_WORK 2e8
enum {
    PLAN_LEAST_CYCLES = 2048,
    PLAN_MOST_CYCLES = 51200,
    PLAN_BATCHES = 32,  /* cycles are a multiple of it */
    PLAN_LONGEST = 100, /* times as many cycles with --precision */
};

/* When packets are sent, by a rate. */
static enum nb_status plan_arrivals(const char *text,
                                    struct nb_injection *injection,
                                    struct nb_error *err)
{
    static const enum nb_injection_kind kinds[] = {
        [NB_ARRIVE_BERNOULLI] = NB_INJECT_BERNOULLI,
        [NB_ARRIVE_POISSON] = NB_INJECT_POISSON,
        [NB_ARRIVE_ONOFF] = NB_INJECT_ONOFF,
    };
    struct nb_arrivals arrivals = { 0 };
    const enum nb_status status = nb_arrivals_read(text, &arrivals, err);
    if (status != NB_OK)
        return status;
    injection->kind = kinds[arrivals.kind];
    if (arrivals.kind == NB_ARRIVE_ONOFF)
        injection->burst = nb_ratio_value(arrivals.burst);
    injection->is_burst_one = arrivals.spread == NB_SPREAD_BURST;
    nb_arrivals_release(&arrivals);
    return NB_OK;
}

/* The flits that a terminal sends per cycle; half of capacity unless given. A
 * search begins at capacity, or at 1 if that is infinite. */
static enum nb_status plan_load(const struct nb_question *question,
                                const struct nb_problem *problem,
                                uint32_t flits, struct nb_enclosure *load,
                                struct nb_error *err)
{
    const struct nb_model *model = question->model;
    const struct nb_enclosure half = nb_enclosure_of_ratio(nb_ratio_make(1, 2));
    const bool is_infinite = isinf(problem->capacity.rate.upper);
    const bool is_search = nb_question_names(question, "find");
    const enum nb_status status =
        nb_question_rate(question, problem, load, err);
    if (status != NB_OK)
        return status;
    if (nb_model_get(model, "rate") != NULL || (is_search && is_infinite)) {
        *load = nb_enclosure_multiply(*load, nb_enclosure_of_whole(flits));
        return NB_OK;
    }
    if (nb_model_get(model, "load") != NULL)
        return NB_OK;
    if (is_infinite)
        return nb_fail(err, NB_USAGE,
                       "the capacity is infinite here, so that there is no "
                       "half of it (permitted: --rate)");
    *load = problem->capacity.rate;
    if (!is_search)
        *load = nb_enclosure_multiply(half, *load);
    return NB_OK;
}

double nb_simulate_load(const struct nb_simulate_question *asked)
{
    const struct nb_enclosure *load = &asked->load;
    return nb_ratio_is_known(load->exact) ? nb_ratio_value(load->exact)
                                          : load->lower / 2 + load->upper / 2;
}

/* [packet/cycle] The most that sources can send: a burst is followed by a
 * pause of a cycle at least. */
static enum nb_status plan_most_rate(const struct nb_simulate_question *asked,
                                     double *most, struct nb_error *err)
{
    const struct nb_injection *injection = &asked->plan.injection;
    struct nb_traffic_sums sums;
    const enum nb_status status = nb_traffic_sums_find(
        &asked->problem.traffic, &asked->problem.topology, &sums, err);
    if (status != NB_OK)
        return status;
    const double row = nb_ratio_value(sums.row);
    *most = NB_RATE_MOST / fmax(row, 1);
    if (injection->kind == NB_INJECT_ONOFF)
        *most = injection->burst / (injection->burst + 1) / row;
    return NB_OK;
}

enum nb_status nb_simulate_plan_injection(const struct nb_question *question,
                                          struct nb_simulate_question *out,
                                          struct nb_error *err)
{
    const struct nb_model *model = question->model;
    const char *trace = nb_model_get(model, "trace");
    const char *arrivals = nb_model_get(model, "arrivals");
    struct nb_injection *injection = &out->plan.injection;
    const struct nb_topology *topology = &out->problem.topology;
    enum nb_status status = NB_OK;
    *injection = (struct nb_injection){
        .batch = (uint32_t)nb_question_whole(question, "batch", 0),
        .flits = (uint32_t)nb_question_whole(question, "flits", 1),
    };
    if (trace != NULL) {
        injection->kind = NB_INJECT_TRACE;
        injection->trace = &out->trace;
        return nb_trace_read(trace, topology->terminal_count, &out->trace, err);
    }
    if (injection->batch > 0) {
        injection->kind = NB_INJECT_BATCH;
        return NB_OK;
    }
    NB_TRY(plan_arrivals(arrivals != NULL ? arrivals : "bernoulli", injection,
                         err));
    NB_TRY(
        plan_load(question, &out->problem, injection->flits, &out->load, err));
    injection->rate = nb_simulate_load(out) / (double)injection->flits;
    NB_TRY(plan_most_rate(out, &out->most_rate, err));
done:
    return status;
}

/* "auto" or a number of cycles. is_auto: out */
static enum nb_status plan_cycles(const struct nb_question *question,
                                  const char *name, int64_t least,
                                  bool *is_auto, uint64_t *cycles,
                                  struct nb_error *err)
{
    const int64_t most = 1000000000000;
    const char *text = nb_model_get(question->model, name);
    int64_t value = 0;
    *is_auto = text == NULL || strcmp(text, "auto") == 0;
    if (!*is_auto &&
        nb_integer_read(text, name, least, most, &value, NULL) != NB_OK)
        return nb_fail(err, NB_INVALID,
                       "%s \"%.60s\" is not permitted (permitted: auto, or a "
                       "whole number from %lld to %lld)",
                       name, text, (long long)least, (long long)most);
    *cycles = (uint64_t)value;
    return NB_OK;
}

/* As many cycles as make PLAN_WORK: at most every channel moves a flit in
 * a cycle, and uniform traffic at capacity moves about as many. */
static uint64_t plan_auto_cycles(const struct nb_simulate_question *out)
{
    const struct nb_topology *topology = &out->problem.topology;
    const double channels =
        (double)topology->channel_count + (double)topology->terminal_count;
    const double load =
        fmin(1, out->load.upper / out->problem.capacity.rate.lower);
    const double cycles =
        PLAN_WORK / (channels * load) / out->plan.replications;
    const uint64_t bounded =
        (uint64_t)fmax(PLAN_LEAST_CYCLES, fmin(cycles, PLAN_MOST_CYCLES));
    return bounded / PLAN_BATCHES * PLAN_BATCHES;
}

enum nb_status nb_simulate_plan_times(const struct nb_question *question,
                                      struct nb_simulate_question *out,
                                      struct nb_error *err)
{
    struct nb_simulation *plan = &out->plan;
    const struct nb_trace *trace = plan->injection.trace;
    const char *drain = nb_model_get(question->model, "drain");
    bool is_auto;
    enum nb_status status = NB_OK;
    plan->replications =
        (uint32_t)nb_question_whole(question, "replications", 1);
    plan->is_drained = drain == NULL || strcmp(drain, "yes") == 0;
    if (trace != NULL || plan->injection.batch > 0) {
        plan->cycles = 1;
        if (trace != NULL && trace->count > 0)
            plan->cycles += trace->packets[trace->count - 1].cycle;
        return NB_OK;
    }
    NB_TRY(plan_cycles(question, "warm-up", 0, &is_auto, &plan->warm_up, err));
    if (is_auto && plan->window == 0)
        plan->warm_up = NB_WARM_UP_FOUND;
    NB_TRY(plan_cycles(question, "cycles", PLAN_BATCHES, &is_auto,
                       &plan->cycles, err));
    if (is_auto)
        plan->cycles = plan_auto_cycles(out);
    if (plan->window > plan->cycles)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "a window of %u cycles is not permitted (permitted: 1 "
                       "to %llu, the cycles measured)",
                       plan->window, (unsigned long long)plan->cycles));
    if (nb_question_names(question, "precision")) {
        struct nb_ratio precision; /* the option was checked */
        nb_ratio_read(nb_model_get(question->model, "precision"), &precision,
                      NULL);
        plan->precision = nb_ratio_value(precision);
        plan->most_cycles = PLAN_LONGEST * plan->cycles;
    }
done:
    return status;
}
