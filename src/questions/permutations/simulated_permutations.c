/* The option simulate of netbound permutations (declared in
 * adaptive_permutations.h). */
#include "questions/permutations/adaptive_permutations.h"

#include "core/deal.h"
#include "core/locale.h"
#include "core/memory.h"
#include "ask/question.h"
#include "sim/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char simulated_method[] = "simulation, 95 % interval";
static const char simulated_source[] = "LawKelton2000";

struct simulated_work {
    const struct nb_permutations_question *request;
    const struct nb_question_kind *kind; /* that of simulate */
    const char *settings;                /* "OPTION=VALUE,..." */
    struct nb_interval *out;
};

/* Splits "OPTION=VALUE,..." and sets the options. */
static enum nb_status simulated_set(const struct simulated_work *work,
                                    struct nb_model *model,
                                    struct nb_error *err)
{
    char *text = nb_new_string(work->settings), *at = text;
    enum nb_status status = NB_OK;
    if (text == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for options");
    while (*at != '\0') {
        const size_t length = nb_setting_length(work->kind->form.options, at);
        const bool is_last = at[length] == '\0';
        const size_t name = strcspn(at, "=");
        at[length] = '\0';
        if (at[name] != '=')
            NB_TRY(nb_fail(err, NB_USAGE,
                           "--simulate: \"%.60s\" has no value (permitted: "
                           "N:OPTION=VALUE,... of netbound simulate)",
                           at));
        at[name] = '\0';
        NB_TRY(nb_model_set(model, at, at + name + 1, err));
        at += length + !is_last;
    }
done:
    nb_delete(text);
    return status;
}

/* The simulation question for one permutation. */
static enum nb_status simulated_ask(const struct simulated_work *work,
                                    size_t number, struct nb_model *model,
                                    struct nb_error *err)
{
    const struct nb_permutations_question *request = work->request;
    char traffic[80], seed[24];
    /* What the permutations determine; must not be given. */
    const char *const set[][2] = {
        { "topology", request->topology },
        { "routing", request->routing },
        { "traffic", traffic },
        { "find", "saturation" },
        { "seed", seed },
    };
    enum nb_status status = NB_OK;
    snprintf(traffic, sizeof traffic,
             "random-permutation:seed=%" PRId64 ",number=%zu", request->seed,
             number);
    snprintf(seed, sizeof seed, "%zu", number + 1);
    model->command = nb_new_string(work->kind->form.name);
    NB_TRY(simulated_set(work, model, err));
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        if (nb_model_get(model, set[i][0]) != NULL)
            NB_TRY(nb_fail(err, NB_USAGE,
                           "--simulate: %s is not permitted (permitted: "
                           "options of netbound simulate except topology, "
                           "routing, traffic, find, seed)",
                           set[i][0]));
        NB_TRY(nb_model_set(model, set[i][0], set[i][1], err));
    }
    if (nb_model_get(model, "precision") == NULL)
        NB_TRY(nb_model_set(model, "precision", "0.05", err));
    NB_TRY(nb_model_complete(&work->kind->form, model, err));
    NB_TRY(nb_question_try(work->kind, model, err));
done:
    return status;
}

static enum nb_status simulated_task(void *context, int thread, size_t index,
                                     struct nb_text *result,
                                     struct nb_error *err)
{
    static const char *const no_outputs[NB_OUTPUTS] = { NULL };
    const struct simulated_work *work = context;
    struct nb_model model = { 0 };
    const struct nb_question question = { .model = &model,
                                          .run = { .threads = 1 },
                                          .outputs = no_outputs };
    struct nb_point point = { 0 };
    enum nb_status status;
    (void)thread;
    NB_TRY(simulated_ask(work, index, &model, err));
    NB_TRY(nb_question_answer(work->kind, &question, &point, err));
    NB_TRY(nb_point_check(&point, err));
    const struct nb_quantity *found =
        nb_point_quantity(&point, "saturation_absolute");
    const struct nb_interval simulated = { found->value, found->lower,
                                           found->upper };
    nb_pack(result, &simulated, sizeof simulated);
done:
    nb_point_release(&point);
    nb_model_release(&model);
    return status;
}

static enum nb_status simulated_take(void *context, size_t index,
                                     struct nb_packed *result, bool *is_enough,
                                     struct nb_error *err)
{
    const struct simulated_work *work = context;
    (void)is_enough;
    (void)err;
    nb_unpack(result, &work->out[index], sizeof work->out[index]);
    return NB_OK;
}

/* The traffic random-permutation permutes routers, not terminals. */
static enum nb_status simulated_check(const struct nb_topology *topology,
                                      struct nb_error *err)
{
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 1)
            return nb_fail(err, NB_INVALID,
                           "--simulate is not permitted where router %" PRIu32
                           " has %" PRIu32
                           " terminals (permitted: one terminal per router)",
                           r, topology->terminals[r]);
    return NB_OK;
}

enum nb_status nb_simulated_permutations_find(
    const struct nb_permutations_question *request, const struct nb_run *run,
    struct nb_permutations_answer *answer, struct nb_error *err)
{
    struct simulated_work work = { .request = request,
                                   .kind = nb_question_find("simulate") };
    char number[24];
    int64_t count;
    enum nb_status status = NB_OK;
    if (request->simulate == NULL)
        return NB_OK;
    NB_TRY(simulated_check(&answer->problem.topology, err));
    const size_t length = strcspn(request->simulate, ":");
    work.settings =
        request->simulate + length + (request->simulate[length] == ':');
    snprintf(number, sizeof number, "%.*s", (int)length, request->simulate);
    NB_TRY(
        nb_integer_read(number, "--simulate", 2, request->count, &count, err));
    NB_TRY(nb_new(&answer->simulated, (size_t)count, sizeof *answer->simulated,
                  "simulated permutations", err));
    answer->simulated_count = (size_t)count;
    work.out = answer->simulated;
    NB_TRY(nb_deal_tasks(run,
                         &(struct nb_tasks){ .what = "simulated permutations",
                                             .count = (size_t)count,
                                             .work = simulated_task,
                                             .take = simulated_take,
                                             .context = &work },
                         err));
done:
    return status;
}

/* Adds NAME_absolute, and NAME where the capacity is finite. */
static void simulated_add(const struct nb_permutations_answer *answer,
                          struct nb_point *out, const char *name,
                          struct nb_interval absolute)
{
    const struct nb_enclosure rate = answer->problem.capacity.rate;
    const double capacity = rate.lower / 2 + rate.upper / 2;
    const struct nb_interval fraction = { absolute.value / capacity,
                                          absolute.lower / capacity,
                                          absolute.upper / capacity };
    nb_problem_add_estimate(&answer->problem, out, name, absolute, fraction,
                            simulated_method, simulated_source);
}

/* The simulated permutations that load a channel. */
struct simulated_busy {
    size_t count;
    const struct nb_interval *each; /* [count] */
    double *value, *optimum;        /* [count] */
};

/* The mean, and its share of the mean optimum of the same permutations. The
 * intervals add the uncertainty of each value to that of the sampling. */
static void simulated_add_means(const struct nb_permutations_answer *answer,
                                const struct simulated_busy *busy,
                                struct nb_point *out)
{
    const size_t count = busy->count;
    const struct nb_estimate mean = nb_estimate_mean(busy->value, count, 0.95);
    const struct nb_estimate share =
        nb_estimate_ratio(busy->value, busy->optimum, count, 0.95);
    double below = 0, above = 0, optimum = 0;
    for (size_t i = 0; i < count; i++) {
        below += (busy->value[i] - busy->each[i].lower) / (double)count;
        above += (busy->each[i].upper - busy->value[i]) / (double)count;
        optimum += busy->optimum[i] / (double)count;
    }
    const struct nb_interval all = {
        .value = mean.mean,
        .lower = mean.mean - mean.half_width - below,
        .upper = mean.mean + mean.half_width + above,
    };
    const struct nb_interval ratio = {
        .value = share.mean,
        .lower = share.mean - share.half_width - below / optimum,
        .upper = share.mean + share.half_width + above / optimum,
    };
    simulated_add(answer, out, "mean_simulated",
                  nb_interval_cut(all, INFINITY));
    nb_point_add_interval(out, "mean_simulated_share",
                          nb_interval_cut(ratio, 1), "1", simulated_method,
                          simulated_source);
}

/* The least of the simulated permutations, an upper bound on that of all, and
 * its share of the least optimum of all. */
static void simulated_add_least(const struct nb_permutations_answer *answer,
                                const struct simulated_busy *busy,
                                double optimum, struct nb_point *out)
{
    const bool is_all = answer->simulated_count == answer->bounds.count;
    struct nb_interval least = { INFINITY, INFINITY, INFINITY };
    for (size_t i = 0; i < busy->count; i++) {
        least.value = fmin(least.value, busy->each[i].value);
        least.lower = fmin(least.lower, busy->each[i].lower);
        least.upper = fmin(least.upper, busy->each[i].upper);
    }
    if (!is_all)
        least.lower = 0;
    simulated_add(answer, out, "min_simulated", least);
    nb_point_add_interval(
        out, "min_simulated_share",
        nb_interval_cut(nb_interval_scale(least, 1 / optimum), 1), "1",
        simulated_method, simulated_source);
}

static void simulated_note(const struct nb_permutations_answer *answer,
                           struct nb_point *out)
{
    struct nb_text text = { 0 };
    size_t above = 0;
    double most = 0;
    for (size_t i = 0; i < answer->simulated_count; i++) {
        const double over =
            answer->simulated[i].lower / answer->bounds.scheme[i].upper - 1;
        above += over > 0;
        most = fmax(most, over);
    }
    nb_text_print(
        &text,
        "saturation of the first %zu permutations, found by simulation; the "
        "lowest of all %zu may be lower still, down to 0; ",
        answer->simulated_count, answer->bounds.count);
    if (above == 0)
        nb_text_print(&text, "no lower end of a saturation exceeds the bound "
                             "of its permutation");
    else
        nb_text_print(&text,
                      "the lower ends of %zu saturations exceed the bounds of "
                      "their permutations, by at most %.2g %%",
                      above, 100 * most);
    nb_point_take_note(out, "simulated", &text);
}

/* each: [simulated_count], out; its arrays are scratch of that size */
static void simulated_find_busy(const struct nb_permutations_answer *answer,
                                struct nb_interval *each,
                                struct simulated_busy *out)
{
    out->count = 0;
    out->each = each;
    for (size_t i = 0; i < answer->simulated_count; i++) {
        const double optimum = answer->bounds.any[i].upper;
        if (isinf(optimum))
            continue;
        each[out->count] = answer->simulated[i];
        out->value[out->count] = answer->simulated[i].value;
        out->optimum[out->count++] = optimum;
    }
}

void nb_simulated_permutations_report(
    const struct nb_permutations_answer *answer, struct nb_point *out)
{
    const size_t count = answer->simulated_count;
    struct nb_pool pool = { 0 };
    struct simulated_busy busy = { 0 };
    double least = INFINITY;
    if (count == 0)
        return;
    struct nb_interval *each = nb_pool_array(&pool, count, sizeof *each);
    busy.value = nb_pool_array(&pool, count, sizeof *busy.value);
    busy.optimum = nb_pool_array(&pool, count, sizeof *busy.optimum);
    if (nb_pool_check(&pool, "simulated", NULL) != NB_OK) {
        out->has_failed = true;
    } else {
        for (size_t i = 0; i < answer->bounds.count; i++)
            least = fmin(least, answer->bounds.any[i].upper);
        simulated_find_busy(answer, each, &busy);
        if (busy.count > 0) {
            simulated_add_means(answer, &busy, out);
            simulated_add_least(answer, &busy, least, out);
        }
        simulated_note(answer, out);
    }
    nb_pool_release(&pool);
}
