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

/* The simulated permutations that load a channel. */
struct simulated_busy {
    size_t count;
    double *value, *optimum;    /* [count] */
    double below, above;        /* mean distance of a value's interval */
    double mean_optimum;        /* of the same permutations */
    struct nb_interval minimum; /* of the values and of the ends */
};

/* The arrays of out have room for all simulated permutations. */
static void simulated_find_busy(const struct nb_permutations_answer *answer,
                                struct simulated_busy *out)
{
    const struct nb_enclosure *optimum = answer->bounds.any;
    size_t b = 0;
    out->minimum = (struct nb_interval){ INFINITY, INFINITY, INFINITY };
    for (size_t i = 0; i < answer->simulated_count; i++)
        out->count += !isinf(optimum[i].upper);
    for (size_t i = 0; i < answer->simulated_count; i++) {
        const struct nb_interval each = answer->simulated[i];
        if (isinf(optimum[i].upper))
            continue;
        out->below += (each.value - each.lower) / (double)out->count;
        out->above += (each.upper - each.value) / (double)out->count;
        out->mean_optimum += optimum[i].upper / (double)out->count;
        out->minimum.value = fmin(out->minimum.value, each.value);
        out->minimum.lower = fmin(out->minimum.lower, each.lower);
        out->minimum.upper = fmin(out->minimum.upper, each.upper);
        out->value[b] = each.value;
        out->optimum[b++] = optimum[i].upper;
    }
}

/* Adds NAME_absolute, NAME where the capacity is finite, and NAME_share. */
static void simulated_add(const struct nb_permutations_answer *answer,
                          struct nb_point *out, const char *name,
                          struct nb_interval absolute, struct nb_interval share)
{
    const struct nb_enclosure rate = answer->problem.capacity.rate;
    const double capacity = rate.lower / 2 + rate.upper / 2;
    const struct nb_interval fraction = { absolute.value / capacity,
                                          absolute.lower / capacity,
                                          absolute.upper / capacity };
    char longer[64];
    snprintf(longer, sizeof longer, "%s_share", name);
    nb_problem_add_estimate(&answer->problem, out, name, absolute, fraction,
                            simulated_method, simulated_source);
    nb_point_add_interval(out, longer, nb_interval_cut(share, 1), "1",
                          simulated_method, simulated_source);
}

/* The interval of an estimate, wider by the uncertainty of each value. */
static struct nb_interval simulated_interval(struct nb_estimate estimate,
                                             double below, double above)
{
    return (struct nb_interval){
        .value = estimate.mean,
        .lower = estimate.mean - estimate.half_width - below,
        .upper = estimate.mean + estimate.half_width + above,
    };
}

/* The mean and the minimum, with their shares: of the mean optimum of the same
 * permutations, and of the minimum optimum of all. The minimum is an upper
 * bound on that of all. */
static void simulated_add_busy(const struct nb_permutations_answer *answer,
                               struct simulated_busy busy, struct nb_point *out)
{
    const struct nb_interval mean = simulated_interval(
        nb_estimate_mean(busy.value, busy.count, 0.95), busy.below, busy.above);
    const struct nb_interval share = simulated_interval(
        nb_estimate_ratio(busy.value, busy.optimum, busy.count, 0.95),
        busy.below / busy.mean_optimum, busy.above / busy.mean_optimum);
    double optimum = INFINITY;
    for (size_t i = 0; i < answer->bounds.count; i++)
        optimum = fmin(optimum, answer->bounds.any[i].upper);
    if (answer->simulated_count < answer->bounds.count)
        busy.minimum.lower = 0;
    simulated_add(answer, out, "mean_simulated",
                  nb_interval_cut(mean, INFINITY), share);
    simulated_add(answer, out, "min_simulated", busy.minimum,
                  nb_interval_scale(busy.minimum, 1 / optimum));
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

void nb_simulated_permutations_report(
    const struct nb_permutations_answer *answer, struct nb_point *out)
{
    const size_t count = answer->simulated_count;
    struct nb_pool pool = { 0 };
    struct simulated_busy busy = { 0 };
    if (count == 0)
        return;
    busy.value = nb_pool_array(&pool, count, sizeof *busy.value);
    busy.optimum = nb_pool_array(&pool, count, sizeof *busy.optimum);
    if (nb_pool_check(&pool, "simulated", NULL) == NB_OK) {
        simulated_find_busy(answer, &busy);
        if (busy.count > 0)
            simulated_add_busy(answer, busy, out);
        simulated_note(answer, out);
    } else {
        out->has_failed = true;
    }
    nb_pool_release(&pool);
}
