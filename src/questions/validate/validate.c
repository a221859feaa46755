/* netbound validate: predictions beside simulations of the same network. */
#include "questions/simulate/simulate_tables.h"
#include "questions/validate/validate.h"
#include "core/try.h"

#include <stdio.h>
#include <string.h>

static const struct nb_parameter validate_options[] = {
    NB_OPTION_TOPOLOGY,
    NB_OPTION_ROUTING,
    { .name = "traffic",
      .help = "who sends to whom, such as transpose (see: netbound list "
              "traffics); uniform unless given",
      .type = NB_WORD,
      .initial = "" },
    { .name = "allow-inadmissible",
      .help = "accept traffic from a file with rows or columns above 1",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "check",
      .help = "what is compared: loads, saturation, latency, queues, delay, "
              "reorder, split or completion, several joined by +; loads, "
              "saturation and latency unless given, with --batch completion",
      .type = NB_WORD,
      .initial = "" },
    { .name = "tolerance",
      .help = "relative error up to which a prediction agrees; unless given "
              "0.01 for loads, 0.02 for saturation, 0.03 for distributions, "
              "0.05 for "
              "mean latencies and splits",
      .type = NB_NUMBER,
      .initial = "",
      .least = 1e-6,
      .most = 1,
      .unit = "fraction" },
    { .name = "claim",
      .help = "also an upper bound of your own on a quantity of simulate, such "
              "as throughput=0.25 or mean_latency=5, several joined by +",
      .type = NB_WORD,
      .initial = "" },
    NB_OPTIONS_INJECTION,
    NB_OPTIONS_ROUTER,
    NB_OPTIONS_MEASUREMENT,
    { 0 },
};

/* Where a check may be asked for, and whether it is asked for there where none
 * is named. */
static const struct validate_check {
    const char *name;
    bool is_default;
    bool needs_loads;  /* the expected ones of an oblivious scheme */
    bool is_of_batch;  /* of packets that come at once, else by a rate */
    bool needs_tree;   /* a fat tree under rrr */
    bool needs_single; /* packets of one flit */
    bool needs_depths, needs_reorder; /* of the simulation */
    enum nb_status (*run)(struct nb_validation *validation,
                          struct nb_error *err);
} validate_checks[] = {
    { "loads", .is_default = true, .needs_loads = true,
      .run = nb_validate_loads },
    { "saturation", .is_default = true, .needs_loads = true,
      .run = nb_validate_saturation },
    { "latency", .is_default = true, .needs_loads = true, .needs_single = true,
      .run = nb_validate_latency },
    { "queues", .needs_tree = true, .needs_single = true, .needs_depths = true,
      .run = nb_validate_queues },
    { "delay", .needs_tree = true, .needs_single = true,
      .run = nb_validate_delay },
    { "reorder", .needs_tree = true, .needs_single = true,
      .needs_reorder = true, .run = nb_validate_reorder },
    { "split", .needs_single = true, .run = nb_validate_split },
    { "completion", .is_default = true, .is_of_batch = true,
      .run = nb_validate_completion },
};
enum { VALIDATE_CHECKS = sizeof validate_checks / sizeof *validate_checks };

/* Why a fat tree's check does not apply; NULL: it does. */
static const char *validate_refusal_of_tree(const struct nb_validation *work)
{
    const struct nb_simulation *plan = &work->asked.plan;
    if (plan->topology->tree.levels == 0 ||
        strcmp(plan->routing->kind->kind.name, "rrr") != 0)
        return "it is of a fat tree with random roots (permitted: --topology "
               "fattree:k=16,n=3 --routing rrr)";
    if (plan->router.model != NB_ROUTER_IDEAL)
        return "it is of unbounded queues (permitted: --router ideal)";
    if (plan->injection.is_burst_one)
        return "packets of a burst part at the first switch (permitted: "
               "spread=packet)";
    return NULL;
}

/* Why the check does not apply; NULL: it does. */
static const char *validate_refusal(const struct nb_validation *validation,
                                    const struct validate_check *check)
{
    const struct nb_injection *injection = &validation->asked.plan.injection;
    const bool is_batch = injection->kind == NB_INJECT_BATCH;
    if (injection->kind == NB_INJECT_TRACE)
        return "a trace has no prediction (permitted: --claim)";
    if (check->is_of_batch && !is_batch)
        return "it needs packets that come at once (permitted: --batch)";
    if (!check->is_of_batch && is_batch)
        return "it needs a rate (permitted with --batch: completion)";
    if (check->needs_loads && validation->loads.channel_count == 0)
        return "an adaptive scheme has no expected loads (permitted for it: "
               "split, completion, --claim)";
    if (check->needs_single && injection->flits > 1)
        return "it is of packets of one flit (permitted: --flits 1)";
    return check->needs_tree ? validate_refusal_of_tree(validation) : NULL;
}

/* Whether check is among the names joined by +. */
static bool validate_names(const char *names, const char *check)
{
    return nb_word_is_in(names, '+', check, strlen(check));
}

/* Every name is that of a check. */
static enum nb_status validate_check_names(const char *names,
                                           struct nb_error *err)
{
    char permitted[120] = "";
    size_t used = 0;
    for (size_t i = 0; i < VALIDATE_CHECKS; i++)
        used +=
            (size_t)snprintf(permitted + used, sizeof permitted - used, "%s%s",
                             i > 0 ? "+" : "", validate_checks[i].name);
    for (const char *at = names; at != NULL; at = strchr(at, '+')) {
        at += *at == '+';
        const size_t length = strcspn(at, "+");
        if (!nb_word_is_in(permitted, '+', at, length))
            return nb_fail(err, NB_INVALID,
                           "check \"%.*s\" is not permitted (permitted: one or "
                           "more of %s)",
                           (int)(length < 60 ? length : 60), at, permitted);
    }
    return NB_OK;
}

/* Chooses checks, and refuses what is asked for and does not apply. */
static enum nb_status validate_choose(struct nb_validation *validation,
                                      bool chosen[VALIDATE_CHECKS],
                                      struct nb_error *err)
{
    const struct nb_model *model = validation->question->model;
    const char *names = nb_model_get(model, "check");
    const char *first = NULL;
    struct nb_simulation *plan = &validation->asked.plan;
    bool has_any = nb_model_get(model, "claim") != NULL;
    for (size_t i = 0; i < VALIDATE_CHECKS; i++) {
        const struct validate_check *check = &validate_checks[i];
        const char *refusal = validate_refusal(validation, check);
        chosen[i] = names != NULL ? validate_names(names, check->name)
                                  : check->is_default && refusal == NULL;
        if (chosen[i] && refusal != NULL)
            return nb_fail(err, NB_INVALID, "check %s: %s", check->name,
                           refusal);
        if (first == NULL)
            first = refusal;
        has_any = has_any || chosen[i];
        plan->has_depths |= chosen[i] && check->needs_depths;
        plan->has_reorder |= chosen[i] && check->needs_reorder;
    }
    if (!has_any)
        return nb_fail(err, NB_INVALID, "no check applies: %s", first);
    return NB_OK;
}

/* How it was simulated, once for all items of one simulation. */
static void validate_note(const struct nb_validation *validation,
                          struct nb_point *out)
{
    const struct nb_simulate_question *asked = &validation->asked;
    char text[160];
    if (asked->plan.injection.kind == NB_INJECT_BATCH ||
        asked->plan.injection.kind == NB_INJECT_TRACE)
        return;
    snprintf(text, sizeof text,
             "%.6g flits/cycle/terminal, %u replications of %llu cycles",
             nb_simulate_load(asked), asked->plan.replications,
             (unsigned long long)asked->plan.cycles);
    nb_point_add_note(out, "simulation", text);
    if (!validation->has_result)
        return;
    snprintf(text, sizeof text, "%s: %s",
             nb_stability_names[validation->result.stability],
             validation->result.evidence);
    nb_point_add_note(out, "stability", text);
}

static enum nb_status validate_answer(const struct nb_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    struct nb_validation validation = { .question = question, .out = out };
    const char *names = nb_model_get(question->model, "check");
    bool chosen[VALIDATE_CHECKS];
    enum nb_status status = NB_OK;
    if (names != NULL)
        NB_TRY(validate_check_names(names, err));
    NB_TRY(nb_validation_read(&validation, err));
    NB_TRY(validate_choose(&validation, chosen, err));
    validation.table = nb_point_add_table(
        out, "validation", false,
        "item:text,kind:text,prediction:number,lower:number,upper:number,"
        "simulated:number,sim_lower:number,sim_upper:number,error:number,"
        "verdict:text");
    for (size_t i = 0; i < VALIDATE_CHECKS; i++)
        if (chosen[i])
            NB_TRY(validate_checks[i].run(&validation, err));
    NB_TRY(nb_validate_claims(&validation, err));
    nb_validation_add_counts(&validation);
    validate_note(&validation, out);
    NB_TRY(nb_simulate_note_router(&validation.asked, out, err));
done:
    nb_validation_release(&validation);
    return status;
}

static enum nb_status validate_print(const struct nb_point *point,
                                     const struct nb_look *look,
                                     struct nb_text *text, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_point_print_table(point, "validation", look, text, err));
    NB_TRY(nb_point_print_table(point, "hops", look, text, err));
done:
    return status;
}

/* A bound that a simulation violates refutes the model. */
static enum nb_status validate_judge(const struct nb_point *point,
                                     struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(point, "validation");
    const char *violated = nb_validation_verdict_names[NB_VALIDATED_VIOLATED];
    for (size_t row = 0; row < table->row_count; row++) {
        const union nb_cell *cell = &table->cells[row * table->column_count];
        if (strcmp(cell[table->column_count - 1].text, violated) == 0)
            return nb_fail(err, NB_REFUTED,
                           "a bound is violated: %s, %.6g, simulated %.6g "
                           "(%.6g to %.6g)",
                           cell[0].text, cell[2].number, cell[5].number,
                           cell[6].number, cell[7].number);
    }
    return NB_OK;
}

const struct nb_question_kind nb_question_kind_validate = {
    .form = {
        .name = "validate",
        .summary = "predictions beside simulations of the same network",
        .example = "netbound validate --topology torus:4x4 --routing val",
        .options = validate_options,
        .main_table = "validation",
        .tables = "validation channels hops ccdf",
    },
    .answer = validate_answer,
    .print = validate_print,
    .judge = validate_judge,
};
