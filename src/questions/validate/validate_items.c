/* Common parts of a validation's checks: items with verdicts, and simulations
 * (declared in validate.h). */
#include "questions/validate/validate.h"

#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>

const char *const nb_validation_verdict_names[] = { "holds", "agrees",
                                                    "uncertain", "differs",
                                                    "violated" };

double nb_validation_error(const struct nb_validation_item *item)
{
    const double predicted = item->predicted.value;
    const double simulated = item->simulated.value;
    return simulated == predicted ? 0 : simulated / predicted - 1;
}

enum nb_validation_verdict
nb_validation_judge(const struct nb_validation_item *item)
{
    const struct nb_interval predicted = item->predicted;
    const struct nb_interval simulated = item->simulated;
    const bool meets = simulated.upper >= predicted.lower &&
                       simulated.lower <= predicted.upper;
    if (isnan(simulated.lower) || isnan(simulated.upper) ||
        isnan(predicted.value))
        return NB_VALIDATED_UNCERTAIN;
    /* Nothing was measured to compare the prediction with. */
    if (isinf(simulated.value) && meets)
        return NB_VALIDATED_UNCERTAIN;
    if (item->kind == NB_VALIDATE_BOUND)
        return meets ? NB_VALIDATED_HOLDS : NB_VALIDATED_VIOLATED;
    if (fabs(nb_validation_error(item)) <= item->tolerance)
        return NB_VALIDATED_AGREES;
    return meets ? NB_VALIDATED_UNCERTAIN : NB_VALIDATED_DIFFERS;
}

double nb_validation_tolerance(const struct nb_validate_answer *answer,
                               double otherwise)
{
    return isnan(answer->tolerance) ? otherwise : answer->tolerance;
}

struct nb_interval nb_validation_predicted(struct nb_enclosure value)
{
    const double middle = value.lower / 2 + value.upper / 2;
    return (struct nb_interval){
        nb_ratio_is_known(value.exact) ? nb_ratio_value(value.exact)
        : isinf(value.upper)           ? value.lower
                                       : middle,
        value.lower,
        value.upper,
    };
}

void nb_validation_append(struct nb_validate_answer *answer,
                          struct nb_validation_items *to,
                          const struct nb_validation_item *item)
{
    /* The list is full at powers of two; then its room is doubled. */
    const bool is_full = (to->count & (to->count - 1)) == 0;
    if (is_full && nb_grow(&to->item, to->count > 0 ? 2 * to->count : 1,
                           sizeof *item, "items", NULL) != NB_OK)
        answer->has_failed = true;
    if (!answer->has_failed)
        to->item[to->count++] = *item;
}

void nb_validation_add(struct nb_validate_answer *answer, const char *name,
                       enum nb_validation_kind kind,
                       struct nb_interval predicted,
                       struct nb_interval simulated, double tolerance)
{
    struct nb_validation_item item = {
        .kind = kind,
        .predicted = predicted,
        .simulated = simulated,
        .tolerance = tolerance,
    };
    snprintf(item.name, sizeof item.name, "%s", name);
    nb_validation_append(answer, &answer->items, &item);
}

struct nb_interval
nb_validation_latency(const struct nb_validate_answer *answer)
{
    const struct nb_simulation_result *result = &answer->simulation.result;
    const struct nb_interval measured =
        nb_interval_of_wait(result->latency, result->queueing);
    if (result->stability != NB_SATURATED)
        return measured;
    return (struct nb_interval){ INFINITY, measured.lower, INFINITY };
}

void nb_validation_add_quantity(struct nb_validate_answer *answer,
                                const char *name, struct nb_interval found,
                                const char *unit)
{
    answer->quantities[answer->quantity_count++] =
        (struct nb_validation_quantity){ name, unit, found, false };
}

enum nb_status nb_validation_simulate(struct nb_validate_answer *answer,
                                      const struct nb_run *run,
                                      struct nb_error *err)
{
    if (answer->has_result)
        return NB_OK;
    answer->has_result = true;
    return nb_simulate(&answer->simulation.plan, run,
                       &answer->simulation.result, err);
}

enum nb_status nb_validation_replicate(struct nb_validate_answer *answer,
                                       const struct nb_run *run,
                                       struct nb_error *err)
{
    struct nb_simulation plan = answer->simulation.plan;
    enum nb_status status = NB_OK;
    if (answer->replication != NULL)
        return NB_OK;
    plan.precision = 0;
    plan.cycles = answer->cycles;
    NB_TRY(nb_new(&answer->replication, plan.replications,
                  sizeof *answer->replication, "replications", err));
    status = nb_simulate_each(&plan, run, answer->replication, err);
done:
    return status;
}

enum nb_status
nb_validation_estimate(const struct nb_validate_answer *answer,
                       double (*of)(const struct nb_simulation_result *),
                       double confidence, struct nb_estimate *out,
                       struct nb_error *err)
{
    const size_t count = answer->simulation.plan.replications;
    double *value = NULL;
    const enum nb_status status =
        nb_new(&value, count, sizeof *value, "replications", err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        value[i] = of(&answer->replication[i]);
    *out = nb_estimate_mean(value, count, confidence);
    nb_delete(value);
    return NB_OK;
}
