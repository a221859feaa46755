/* The check completion: when all packets of a batch have arrived (declared in
 * validate.h). */
#include "questions/validate/validate.h"

#include "core/try.h"

#include <math.h>
#include <stdio.h>

#define COMPLETION_CONFIDENCE 0.95
/* Rates tried for the least that no routing carries: by doubling from an
 * eighth on, and by halves of what is between. */
enum { COMPLETION_DOUBLINGS = 20, COMPLETION_HALVES = 10 };

static double completion_time(const struct nb_simulation_result *result)
{
    return (double)result->completion;
}

/* Whether no routing at all carries the rate, as is proved. */
static enum nb_status
completion_is_beyond(const struct nb_validation *validation,
                     struct nb_ratio rate, bool *beyond, struct nb_error *err)
{
    char text[NB_RATIO_TEXT];
    const char *const options[] = { "optimal", "yes", "routing", NULL,
                                    "rate",    text,  NULL };
    struct nb_point point = { 0 };
    nb_ratio_print(rate, text);
    const enum nb_status status =
        nb_validation_ask(validation, "latency", options, &point, err);
    if (status == NB_OK)
        *beyond = isinf(nb_point_quantity(&point, "mean_latency")->lower);
    nb_point_release(&point);
    return status;
}

/* [packet/cycle/terminal] A rate that no routing carries, near the least one;
 * +inf if none was found. */
static enum nb_status
completion_find_rate(const struct nb_validation *validation, double *rate,
                     struct nb_error *err)
{
    const nb_int128 unit = (nb_int128)1 << COMPLETION_HALVES;
    nb_int128 lower = 0, upper = unit / 8;
    bool is_beyond = false;
    enum nb_status status = NB_OK;
    for (int i = 0; i < COMPLETION_DOUBLINGS && !is_beyond; i++) {
        lower = i == 0 ? 0 : upper;
        upper *= i == 0 ? 1 : 2;
        NB_TRY(completion_is_beyond(validation, nb_ratio_make(upper, unit),
                                    &is_beyond, err));
    }
    *rate = INFINITY;
    if (!is_beyond)
        return NB_OK;
    while (upper - lower > 1) {
        const nb_int128 middle = (lower + upper) / 2;
        NB_TRY(completion_is_beyond(validation, nb_ratio_make(middle, unit),
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

/* One bound: the batch at a rate that cannot be passed. most: the largest sum
 * of a terminal's row; it sends no more packets than the batch for that. */
static void completion_add(struct nb_validation *validation, const char *name,
                           double rate, double most,
                           struct nb_estimate simulated)
{
    const struct nb_injection *injection = &validation->asked.plan.injection;
    const double flits = (double)injection->batch * injection->flits;
    const double least = flits / rate / fmax(most, 1);
    nb_validation_add_estimate(validation, name, NB_VALIDATE_BOUND,
                               (struct nb_bracket){ least, INFINITY },
                               nb_interval_of(simulated, INFINITY), 0);
}

/* A channel sends no more than its bandwidth in every cycle, so that packets
 * that come at once take as long as at the largest rate they could come at:
 * that of the scheme, on average where it draws paths, or of any routing. */
static enum nb_status completion_add_bounds(struct nb_validation *validation,
                                            struct nb_estimate time,
                                            struct nb_error *err)
{
    const struct nb_problem *problem = &validation->asked.problem;
    struct nb_traffic_sums sums;
    double rate = INFINITY;
    enum nb_status status;
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology, &sums,
                                err));
    const double most = nb_ratio_value(sums.row);
    if (validation->loads.channel_count > 0)
        completion_add(validation, "completion_time, this routing",
                       validation->limit.upper, most, time);
    /* Sources have no channels of their own that would limit them. */
    if (nb_ratio_is_known(problem->topology.terminal_bandwidth) &&
        nb_ratio_compare(sums.row, sums.column) > 0)
        return NB_OK;
    NB_TRY(completion_find_rate(validation, &rate, err));
    completion_add(validation, "completion_time, any routing", rate, most,
                   time);
done:
    return status;
}

enum nb_status nb_validate_completion(struct nb_validation *validation,
                                      struct nb_error *err)
{
    const double batch = validation->asked.plan.injection.batch;
    struct nb_estimate time;
    enum nb_status status;
    NB_TRY(nb_validation_replicate(validation, err));
    NB_TRY(nb_validation_estimate(validation, completion_time,
                                  COMPLETION_CONFIDENCE, &time, err));
    NB_TRY(completion_add_bounds(validation, time, err));
    const struct nb_interval each =
        nb_interval_scale(nb_interval_of(time, INFINITY), 1 / batch);
    nb_validation_add_quantity(validation, "completion_time_per_packet",
                               each.value, each.lower, each.upper, "cycles");
done:
    return status;
}
