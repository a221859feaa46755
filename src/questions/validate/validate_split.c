/* The check split: tornado traffic divided over the two ways round (declared
 * in validate.h). */
#include "questions/validate/validate.h"

#include "core/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of approximations there is no published one. */
#define SPLIT_TOLERANCE 0.05

static void split_add_latency(struct nb_validation *validation,
                              const char *name,
                              const struct nb_quantity *predicted)
{
    nb_validation_add_latency(
        validation, name, NB_VALIDATE_APPROXIMATION,
        (struct nb_bracket){ predicted->lower, predicted->upper },
        nb_validation_tolerance(validation, SPLIT_TOLERANCE));
}

/* [packet/cycle] What a terminal sends by shortest paths. */
static struct nb_interval split_minimal(const struct nb_validation *validation)
{
    return nb_interval_scale(nb_interval_of(validation->result.minimal, 1),
                             validation->asked.plan.injection.rate);
}

/* One rule of `split` with one of its delay models. */
static enum nb_status split_add_rule(struct nb_validation *validation,
                                     const char *rule, const char *model,
                                     struct nb_error *err)
{
    const char *const options[] = { "rule", rule, "delay-model", model, NULL };
    struct nb_point point = { 0 };
    char name[100];
    const enum nb_status status =
        nb_validation_ask(validation, "split", options, &point, err);
    if (status != NB_OK)
        return status;
    const struct nb_quantity *x1 = nb_point_quantity(&point, "minimal_rate");
    const char *short_model = strcmp(model, "singh") == 0 ? model : "p-k";
    snprintf(name, sizeof name, "minimal_rate, %s, %s", rule, short_model);
    nb_validation_add_estimate(
        validation, name, NB_VALIDATE_APPROXIMATION,
        (struct nb_bracket){ x1->lower, x1->upper }, split_minimal(validation),
        nb_validation_tolerance(validation, SPLIT_TOLERANCE));
    snprintf(name, sizeof name, "mean_latency, %s, %s", rule, short_model);
    split_add_latency(validation, name,
                      nb_point_quantity(&point, "mean_delay"));
    nb_point_release(&point);
    return NB_OK;
}

/* What the best routing of all would have, where `split` knows no rule. */
static enum nb_status split_add_optimal(struct nb_validation *validation,
                                        const char *model, struct nb_error *err)
{
    const char *const options[] = { "delay-model", model, "optimal", "yes",
                                    "routing",     NULL,  NULL };
    struct nb_point point = { 0 };
    char name[100];
    const enum nb_status status =
        nb_validation_ask(validation, "latency", options, &point, err);
    if (status != NB_OK)
        return status;
    snprintf(name, sizeof name, "mean_latency, best routing, %s",
             strcmp(model, "singh") == 0 ? model : "p-k");
    split_add_latency(validation, name,
                      nb_point_quantity(&point, "mean_latency"));
    nb_point_release(&point);
    return NB_OK;
}

/* The rule that is the scheme's own. */
static const char *split_rule_of(const struct nb_routing *routing)
{
    static const char *const schemes[] = { "gal", "cqr", "rlb" };
    const char *name = routing->kind->kind.name;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strcmp(name, schemes[i]) == 0)
            return name;
    return "minimal";
}

/* Whether the traffic acts in more dimensions than the first, of which `split`
 * knows no rule. */
static bool split_is_of_all(const struct nb_problem *problem)
{
    return problem->topology.grid.dimensions > 1 &&
           nb_specification_is(&problem->traffic.specification, "dims", "all");
}

static enum nb_status split_add_rules(struct nb_validation *validation,
                                      struct nb_error *err)
{
    static const char *const models[] = { "singh", "pollaczek-khinchine" };
    const struct nb_problem *problem = &validation->asked.problem;
    const bool is_of_all = split_is_of_all(problem);
    const char *own = split_rule_of(&problem->routing);
    enum nb_status status = NB_OK;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        if (is_of_all) {
            NB_TRY(split_add_optimal(validation, models[m], err));
            continue;
        }
        NB_TRY(split_add_rule(validation, own, models[m], err));
        NB_TRY(split_add_rule(validation, "optimal", models[m], err));
    }
    if (!is_of_all)
        NB_TRY(split_add_rule(validation, "theorem-5", models[0], err));
done:
    return status;
}

enum nb_status nb_validate_split(struct nb_validation *validation,
                                 struct nb_error *err)
{
    const struct nb_problem *problem = &validation->asked.problem;
    const struct nb_kind *kind = problem->traffic.specification.kind;
    enum nb_status status = NB_OK;
    if (problem->topology.grid.dimensions == 0 ||
        !problem->topology.grid.wraps || strcmp(kind->name, "tornado") != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "check split: traffic %s on %s is not divided over two "
                       "ways round (permitted: tornado on a ring or torus)",
                       kind->name, problem->topology.kind->kind.name));
    NB_TRY(nb_validation_simulate(validation, err));
    const struct nb_interval minimal = split_minimal(validation);
    nb_validation_add_quantity(validation, "minimal_rate", minimal.value,
                               minimal.lower, minimal.upper,
                               "packets/cycle/terminal");
    nb_validation_add_mean_latency(validation);
    NB_TRY(split_add_rules(validation, err));
done:
    return status;
}
