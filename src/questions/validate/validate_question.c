/* The question of a validation, asked of analysis and of the simulator
 * (declared in validate.h). */
#include "questions/validate/validate.h"

#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Copies the options that a command has. */
static enum nb_status question_copy(const struct nb_model *from,
                                    const struct nb_question_kind *command,
                                    struct nb_model *to, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *to = (struct nb_model){ .command = nb_new_string(command->form.name) };
    if (to->command == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a question"));
    for (const struct nb_parameter *row = command->form.options;
         row->name != NULL; row++) {
        const char *value = nb_model_get(from, row->name);
        if (value != NULL)
            NB_TRY(nb_model_set(to, row->name, value, err));
    }
done:
    if (status != NB_OK)
        nb_model_release(to);
    return status;
}

enum nb_status nb_validation_ask(const struct nb_validation *validation,
                                 const char *name, const char *const *options,
                                 struct nb_point *out, struct nb_error *err)
{
    const struct nb_question_kind *command = nb_question_find(name);
    struct nb_model model = { 0 };
    const struct nb_question question = {
        .model = &model,
        .run = { .threads = validation->question->run.threads },
    };
    enum nb_status status;
    *out = (struct nb_point){ 0 };
    NB_TRY(question_copy(&validation->model, command, &model, err));
    for (; options[0] != NULL; options += 2)
        NB_TRY(nb_model_set(&model, options[0], options[1], err));
    NB_TRY(nb_model_complete(&command->form, &model, err));
    NB_TRY(nb_question_answer(command, &question, out, err));
    NB_TRY(nb_point_check(out, err));
done:
    nb_model_release(&model);
    if (status != NB_OK)
        nb_point_release(out);
    return status;
}

/* What all queues carry: channels between routers and, where they are limited,
 * those to terminals. Sources have no channel of their own here. */
static enum nb_status question_find_limit(struct nb_validation *out,
                                          const struct nb_problem *problem,
                                          struct nb_error *err)
{
    struct nb_traffic_sums sums;
    enum nb_status status = NB_OK;
    NB_TRY(nb_channel_loads_find(&problem->routing, &problem->traffic,
                                 &out->question->run, &out->loads, err));
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology, &sums,
                                err));
    out->channel_limit = out->loads.throughput;
    out->limit = nb_enclosure_least(
        out->channel_limit, nb_problem_terminal_limit(problem, sums.column));
done:
    return status;
}

/* Half of the limit as the option rate: a multiple of 2^-20 where that is no
 * ratio. */
static enum nb_status question_set_rate(struct nb_validation *out,
                                        int64_t flits, struct nb_error *err)
{
    const double unit = 0x1p20;
    const struct nb_ratio half = nb_ratio_make(1, 2 * flits);
    struct nb_ratio rate = nb_ratio_multiply(out->limit.exact, half);
    char text[NB_RATIO_TEXT];
    if (isinf(out->limit.upper))
        return nb_fail(err, NB_USAGE,
                       "nothing limits this traffic, so that there is no half "
                       "of its limit (permitted: --rate)");
    if (!nb_ratio_is_known(rate))
        rate = nb_ratio_make(
            (nb_int128)(out->limit.lower / 2 / (double)flits * unit),
            (nb_int128)unit);
    nb_ratio_print(rate, text);
    return nb_model_set(&out->model, "rate", text, err);
}

/* What the network carries, if the scheme has expected loads, and a rate
 * unless the question has one. */
static enum nb_status question_find_rate(struct nb_validation *out,
                                         struct nb_error *err)
{
    const struct nb_question question = { .model = &out->model,
                                          .run = out->question->run };
    const bool has_injection = nb_question_names(&question, "load") ||
                               nb_question_names(&question, "rate") ||
                               nb_question_names(&question, "batch") ||
                               nb_question_names(&question, "trace");
    struct nb_problem problem = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_problem_build_any(&question, &problem, err));
    if (!problem.routing.kind->is_adaptive &&
        problem.traffic.specification.kind)
        NB_TRY(question_find_limit(out, &problem, err));
    if (!has_injection && out->loads.channel_count > 0)
        NB_TRY(question_set_rate(out, nb_question_whole(&question, "flits", 1),
                                 err));
    else if (!has_injection)
        NB_TRY(nb_model_set(&out->model, "load", "0.5", err));
done:
    nb_problem_release(&problem);
    return status;
}

enum nb_status nb_validation_read(struct nb_validation *out,
                                  struct nb_error *err)
{
    const struct nb_model *model = out->question->model;
    const char *tolerance = nb_model_get(model, "tolerance");
    struct nb_question question = { .model = &out->model,
                                    .run = out->question->run };
    struct nb_ratio ratio = { 0, 0 };
    enum nb_status status = NB_OK;
    if (tolerance != NULL) /* the option was checked */
        nb_ratio_read(tolerance, &ratio, NULL);
    out->tolerance = nb_ratio_value(ratio);
    NB_TRY(
        question_copy(model, nb_question_find("simulate"), &out->model, err));
    if (nb_model_get(model, "trace") == NULL &&
        nb_model_get(model, "traffic") == NULL)
        NB_TRY(nb_model_set(&out->model, "traffic", "uniform", err));
    NB_TRY(question_find_rate(out, err));
    NB_TRY(nb_simulate_question_read(&question, &out->asked, err));
    out->cycles = out->asked.plan.cycles;
done:
    return status;
}

void nb_validation_release(struct nb_validation *validation)
{
    struct nb_simulation_result *each = validation->replication;
    for (size_t i = 0; each != NULL && i < validation->asked.plan.replications;
         i++)
        nb_simulation_result_release(&each[i]);
    nb_delete(each);
    nb_simulation_result_release(&validation->result);
    nb_channel_loads_release(&validation->loads);
    nb_simulate_question_release(&validation->asked);
    nb_model_release(&validation->model);
    *validation = (struct nb_validation){ 0 };
}

enum nb_status nb_validation_simulate(struct nb_validation *validation,
                                      struct nb_error *err)
{
    if (validation->has_result)
        return NB_OK;
    validation->has_result = true;
    return nb_simulate(&validation->asked.plan, &validation->question->run,
                       &validation->result, err);
}

/* One replication, with random numbers of a seed of its own. */
static enum nb_status question_replicate(void *context, int thread,
                                         size_t index, struct nb_error *err)
{
    struct nb_validation *validation = context;
    struct nb_simulation plan = validation->asked.plan;
    const struct nb_run run = { .threads = 1 };
    struct nb_random seeds;
    (void)thread;
    nb_random_init(&seeds, plan.seed, UINT64_MAX - index);
    plan.seed = nb_random_next(&seeds);
    plan.replications = 1;
    plan.precision = 0;
    plan.cycles = validation->cycles;
    return nb_simulate(&plan, &run, &validation->replication[index], err);
}

enum nb_status nb_validation_replicate(struct nb_validation *validation,
                                       struct nb_error *err)
{
    const size_t count = validation->asked.plan.replications;
    enum nb_status status = NB_OK;
    if (validation->replication != NULL)
        return NB_OK;
    NB_TRY(nb_new(&validation->replication, count,
                  sizeof *validation->replication, "replications", err));
    NB_TRY(nb_run_tasks(&validation->question->run, "replications", count,
                        question_replicate, validation, err));
done:
    return status;
}

enum nb_status
nb_validation_estimate(const struct nb_validation *validation,
                       double (*of)(const struct nb_simulation_result *),
                       double confidence, struct nb_estimate *out,
                       struct nb_error *err)
{
    const size_t count = validation->asked.plan.replications;
    double *value = NULL;
    const enum nb_status status =
        nb_new(&value, count, sizeof *value, "replications", err);
    if (status != NB_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        value[i] = of(&validation->replication[i]);
    *out = nb_estimate_mean(value, count, confidence);
    nb_delete(value);
    return NB_OK;
}
