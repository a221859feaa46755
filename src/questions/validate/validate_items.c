/* Items of a validation: verdicts, table and quantities (declared in
 * validate.h). */
#include "questions/validate/validate.h"

#include "questions/simulate/simulate_tables.h"
#include "report/tree.h"

#include <math.h>

const char *const nb_validation_verdict_names[] = { "holds", "agrees",
                                                    "uncertain", "differs",
                                                    "violated" };

static const char *const item_kinds[] = { "bound", "exact", "approximation" };

double nb_validation_error(const struct nb_validation_item *item)
{
    if (item->simulated == item->prediction)
        return 0;
    return item->simulated / item->prediction - 1;
}

enum nb_validation_verdict
nb_validation_judge(const struct nb_validation_item *item)
{
    const double error = nb_validation_error(item);
    const bool meets = item->simulated_upper >= item->lower &&
                       item->simulated_lower <= item->upper;
    if (isnan(item->simulated_lower) || isnan(item->simulated_upper) ||
        isnan(item->prediction))
        return NB_VALIDATED_UNCERTAIN;
    if (item->kind == NB_VALIDATE_BOUND)
        return meets ? NB_VALIDATED_HOLDS : NB_VALIDATED_VIOLATED;
    if (fabs(error) <= item->tolerance)
        return NB_VALIDATED_AGREES;
    return meets ? NB_VALIDATED_UNCERTAIN : NB_VALIDATED_DIFFERS;
}

double nb_validation_tolerance(const struct nb_validation *validation,
                               double otherwise)
{
    return isnan(validation->tolerance) ? otherwise : validation->tolerance;
}

void nb_validation_add(struct nb_validation *validation,
                       const struct nb_validation_item *item)
{
    struct nb_point *out = validation->out;
    const size_t table = validation->table;
    const enum nb_validation_verdict verdict = nb_validation_judge(item);
    validation->counts[verdict]++;
    nb_table_add_text(out, table, item->name);
    nb_table_add_text(out, table, item_kinds[item->kind]);
    nb_table_add_number(out, table, item->prediction);
    nb_table_add_number(out, table, item->lower);
    nb_table_add_number(out, table, item->upper);
    nb_table_add_number(out, table, item->simulated);
    nb_table_add_number(out, table, item->simulated_lower);
    nb_table_add_number(out, table, item->simulated_upper);
    nb_table_add_number(out, table, nb_validation_error(item));
    nb_table_add_text(out, table, nb_validation_verdict_names[verdict]);
}

/* The end of a bound's range that is the bound. */
static double item_middle(struct nb_bracket prediction)
{
    if (isinf(prediction.lower))
        return prediction.upper;
    return isinf(prediction.upper)
               ? prediction.lower
               : prediction.lower / 2 + prediction.upper / 2;
}

void nb_validation_add_estimate(struct nb_validation *validation,
                                const char *name, enum nb_validation_kind kind,
                                struct nb_bracket prediction,
                                struct nb_interval simulated, double tolerance)
{
    const struct nb_validation_item item = {
        .name = name,
        .kind = kind,
        .prediction = item_middle(prediction),
        .lower = prediction.lower,
        .upper = prediction.upper,
        .simulated = simulated.value,
        .simulated_lower = simulated.lower,
        .simulated_upper = simulated.upper,
        .tolerance = tolerance,
    };
    nb_validation_add(validation, &item);
}

void nb_validation_add_latency(struct nb_validation *validation,
                               const char *name, enum nb_validation_kind kind,
                               struct nb_bracket prediction, double tolerance)
{
    const struct nb_simulation_result *result = &validation->result;
    const struct nb_interval measured =
        nb_interval_of_wait(result->latency, result->queueing);
    const struct nb_validation_item item = {
        .name = name,
        .kind = kind,
        .prediction = item_middle(prediction),
        .lower = prediction.lower,
        .upper = prediction.upper,
        .simulated = INFINITY,
        .simulated_lower = measured.lower,
        .simulated_upper = INFINITY,
        .tolerance = tolerance,
    };
    if (result->stability == NB_SATURATED)
        nb_validation_add(validation, &item);
    else
        nb_validation_add_estimate(validation, name, kind, prediction, measured,
                                   tolerance);
}

void nb_validation_add_quantity(struct nb_validation *validation,
                                const char *name, double value, double lower,
                                double upper, const char *unit)
{
    const struct nb_quantity numbers = { .value = value,
                                         .lower = lower,
                                         .upper = upper };
    nb_point_add_quantity(validation->out, &numbers, name, unit,
                          NB_SIMULATE_METHOD, NB_SIMULATE_SOURCE);
}

void nb_validation_add_mean_latency(struct nb_validation *validation)
{
    const struct nb_simulation_result *result = &validation->result;
    const struct nb_interval latency =
        nb_interval_of_wait(result->latency, result->queueing);
    const bool is_saturated = result->stability == NB_SATURATED;
    nb_validation_add_quantity(
        validation, "mean_latency", is_saturated ? INFINITY : latency.value,
        latency.lower, is_saturated ? INFINITY : latency.upper, "cycles");
}

static void item_add_count(struct nb_point *out, const char *name, size_t count)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)count, 1), "",
                       "count", "");
}

void nb_validation_add_counts(struct nb_validation *validation)
{
    const size_t *counts = validation->counts;
    struct nb_point *out = validation->out;
    size_t all = 0;
    for (size_t i = 0; i < NB_VALIDATION_VERDICTS; i++)
        all += counts[i];
    item_add_count(out, "checks", all);
    item_add_count(out, "agreeing",
                   counts[NB_VALIDATED_AGREES] + counts[NB_VALIDATED_HOLDS]);
    item_add_count(out, "uncertain", counts[NB_VALIDATED_UNCERTAIN]);
    item_add_count(out, "differing", counts[NB_VALIDATED_DIFFERS]);
    item_add_count(out, "violated", counts[NB_VALIDATED_VIOLATED]);
}
