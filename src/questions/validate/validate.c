/* netbound validate: predictions compared with simulations of the same
 * network. */
#include "questions/validate/validate.h"

#include "core/suggest.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VALIDATE(field) offsetof(struct nb_validate_question, field)

_Static_assert(VALIDATE(simulated) == 0,
               "options shared with simulate need its struct at the beginning");

static const struct nb_parameter validate_options[] = {
    NB_OPTIONS_SIMULATED("", ": half of the limit"),
    NB_OPTION(
        "check", VALIDATE(check), MEASUREMENT, WORD, "",
        "predictions to compare, joined by +; default loads+saturation+latency",
        .detail = "loads, saturation, latency, queues, delay, reorder, split, "
                  "percentiles, adaptive, completion or virtual-networks. With "
                  "--batch: completion.",
        .is_first = true),
    NB_OPTION(
        "tolerance", VALIDATE(tolerance), MEASUREMENT, NUMBER, "",
        "relative error allowed to a prediction; default 0.01 to 0.05, by kind",
        .detail = "Default 0.01 for loads, 0.02 for saturation, 0.03 for "
                  "distributions, 0.05 for latencies, splits and adaptive "
                  "schemes; for percentiles at least a cycle.",
        .is_first = true, .least = 1e-6, .most = 1, .unit = "fraction"),
    NB_OPTION(
        "claim", VALIDATE(claim), MEASUREMENT, WORD, "",
        "also check your own upper bounds, such as mean_latency=5, joined by +",
        .detail = "On any quantity of simulate, such as mean_latency=5.",
        .is_first = true),
    NB_OPTION("small", VALIDATE(small), MEASUREMENT, WHOLE, "",
              "a: a packet is small if its key is in the lowest fraction a "
              "log2 N / C; default 32",
              .detail = "For the check virtual-networks of a batch, where C "
                        "packets pass the busiest switch.",
              .least = 1, .most = 300, .with = "batch"),
    { 0 },
};

/* The checks: where each applies, and whether it is a default. */
static const struct validate_check {
    const char *name;
    bool is_default;
    bool needs_loads; /* expected loads, of an oblivious scheme */
    bool needs_adaptive;
    bool is_of_batch;   /* for packets sent at once; else for a rate .. */
    bool is_of_both;    /* .. or for either */
    bool needs_virtual; /* Randall's router on a butterfly of k=2 */
    bool needs_tree;    /* a fat tree under rrr */
    bool needs_single;  /* packets of one flit */
    bool needs_depths, needs_reorder; /* of the simulation */
    nb_validation_check *run;
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
    { "percentiles", .needs_loads = true, .needs_single = true,
      .run = nb_validate_percentiles },
    { "adaptive", .needs_adaptive = true, .needs_single = true,
      .run = nb_validate_adaptive },
    { "completion", .is_default = true, .is_of_batch = true,
      .run = nb_validate_completion },
    { "virtual-networks", .is_default = true, .is_of_both = true,
      .needs_virtual = true, .run = nb_validate_virtual },
};
enum { VALIDATE_CHECKS = sizeof validate_checks / sizeof *validate_checks };

/* Why a check on fat trees does not apply; NULL: it does. */
static const char *
validate_refusal_of_tree(const struct nb_validate_answer *answer)
{
    const struct nb_simulation *plan = &answer->simulation.plan;
    if (plan->topology->tree.levels == 0 || nb_has_failures(plan->topology) ||
        strcmp(plan->routing->kind->kind.name, "rrr") != 0)
        return "it applies to fat trees with random roots (permitted: "
               "--topology fattree:k=16,n=3 --routing rrr)";
    if (plan->router.model != NB_ROUTER_IDEAL)
        return "it applies to unbounded queues (permitted: --router ideal)";
    if (plan->injection.is_burst_one)
        return "packets of a burst separate at the first switch (permitted: "
               "spread=packet)";
    return NULL;
}

/* Whether a network is a butterfly of switches with two inputs. */
static bool validate_is_binary(const struct nb_topology *like)
{
    const char *kind = like->kind->kind.name;
    return strcmp(kind, "butterfly-graph") == 0 ||
           (strcmp(kind, "butterfly") == 0 &&
            nb_specification_whole(&like->specification, "k") == 2);
}

/* Why a check does not apply to the virtual router, or only to it; NULL: it may
 * apply. */
static const char *
validate_refusal_of_virtual(const struct nb_validate_answer *answer,
                            const struct validate_check *check)
{
    const struct nb_simulation *plan = &answer->simulation.plan;
    const struct nb_topology *like = nb_topology_like(plan->topology);
    const bool is_virtual = plan->router.model == NB_ROUTER_VIRTUAL;
    if (is_virtual && !check->needs_virtual && !check->is_of_batch)
        return "virtual networks on a levelled network have no other "
               "prediction (permitted: virtual-networks, completion)";
    if (check->needs_virtual &&
        (!is_virtual || plan->virtual_router.sharing != NB_SHARE_ROUTER ||
         !validate_is_binary(like)))
        return "it applies to Randall's theorems (permitted: --router virtual "
               "with --sharing router on butterfly-graph or butterfly:k=2)";
    return NULL;
}

/* Why the predictions for adaptive schemes do not apply; NULL: they do. */
static const char *
validate_refusal_of_adaptive(const struct nb_simulation *plan)
{
    if (!plan->routing->kind->is_adaptive)
        return "it applies to schemes that choose by queues (permitted: such "
               "as --routing ugal)";
    if (plan->injection.kind != NB_INJECT_BERNOULLI)
        return "it predicts packets that are sent one by one (permitted: "
               "--arrivals bernoulli)";
    if (plan->router.congestion == NB_CONGESTION_WAITING)
        return "it predicts queues that include the packet in transmission "
               "(permitted: --congestion output)";
    if (plan->router.slot_order == NB_SLOT_RANDOM)
        return "it predicts queues that packets in transit join first "
               "(permitted: --slot-order transit)";
    return NULL;
}

/* Why the check does not apply; NULL: it does. */
static const char *validate_refusal(const struct nb_validate_answer *answer,
                                    const struct validate_check *check)
{
    const struct nb_injection *injection = &answer->simulation.plan.injection;
    const bool is_batch = injection->kind == NB_INJECT_BATCH;
    const char *virtual = validate_refusal_of_virtual(answer, check);
    if (injection->kind == NB_INJECT_TRACE)
        return "a trace has no prediction (permitted: --claim)";
    if (virtual != NULL)
        return virtual;
    if (check->is_of_batch && !is_batch)
        return "it needs packets sent at once (permitted: --batch)";
    if (!check->is_of_batch && !check->is_of_both && is_batch)
        return "it needs a rate (permitted with --batch: completion)";
    if (check->needs_loads && answer->loads.channel_count == 0)
        return "an adaptive scheme has no expected loads (permitted: "
               "adaptive, split, completion, --claim)";
    const char *adaptive =
        check->needs_adaptive
            ? validate_refusal_of_adaptive(&answer->simulation.plan)
            : NULL;
    if (adaptive != NULL)
        return adaptive;
    if (check->needs_single && injection->flits > 1)
        return "it applies to packets of one flit (permitted: --flits 1)";
    return check->needs_tree ? validate_refusal_of_tree(answer) : NULL;
}

/* Whether check is among the names joined by +. */
static bool validate_names(const char *names, const char *check)
{
    return nb_word_is_in(names, '+', check, strlen(check));
}

/* Refuses names that are not those of checks. */
static enum nb_status validate_check_names(const char *names,
                                           struct nb_error *err)
{
    char permitted[180] = "";
    size_t used = 0;
    for (size_t i = 0; i < VALIDATE_CHECKS; i++)
        used +=
            (size_t)snprintf(permitted + used, sizeof permitted - used, "%s%s",
                             i > 0 ? "+" : "", validate_checks[i].name);
    for (const char *at = names; at != NULL; at = strchr(at, '+')) {
        at += *at == '+';
        const size_t length = strcspn(at, "+");
        if (nb_word_is_in(permitted, '+', at, length))
            continue;
        struct nb_suggestion near = { .typed = at, .length = length };
        char meant[NB_SUGGESTED];
        nb_suggest_words(&near, permitted, '+');
        return nb_fail(err, NB_INVALID,
                       "check \"%.*s\" is not permitted%s (permitted: one or "
                       "more of %s)",
                       (int)(length < 60 ? length : 60), at,
                       nb_suggestion_print(&near, "", meant), permitted);
    }
    return NB_OK;
}

/* Chooses checks; refuses a check that is asked for and does not apply. */
static enum nb_status
validate_choose(const struct nb_validate_question *request,
                struct nb_validate_answer *answer, bool chosen[VALIDATE_CHECKS],
                struct nb_error *err)
{
    const char *first = NULL;
    struct nb_simulation *plan = &answer->simulation.plan;
    bool has_any = request->claim != NULL;
    for (size_t i = 0; i < VALIDATE_CHECKS; i++) {
        const struct validate_check *check = &validate_checks[i];
        const char *refusal = validate_refusal(answer, check);
        chosen[i] = request->check != NULL
                        ? validate_names(request->check, check->name)
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

/* Finds the largest rate at which all queues are stable: those of channels
 * between routers and, where they are limited, of those to terminals. Sources
 * have no channel of their own here. */
static enum nb_status validate_find_limit(const struct nb_run *run,
                                          struct nb_validate_answer *out,
                                          struct nb_error *err)
{
    struct nb_problem *problem = &out->simulation.problem;
    struct nb_traffic_sums sums;
    enum nb_status status = NB_OK;
    NB_TRY(nb_problem_find_loads(problem, run, &out->loads, err));
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology, &sums,
                                err));
    out->channel_limit = out->loads.throughput;
    out->limit = nb_enclosure_least(
        out->channel_limit, nb_problem_terminal_limit(problem, sums.column));
done:
    return status;
}

/* Sets the rate to half of the limit; to a multiple of 2^-20 if that is not a
 * ratio. */
static enum nb_status validate_set_rate(struct nb_validate_answer *out,
                                        struct nb_error *err)
{
    const double unit = 0x1p20;
    struct nb_simulate_question *request = &out->simulation.request;
    const int64_t flits = request->flits > 0 ? request->flits : 1;
    if (isinf(out->limit.upper))
        return nb_fail(err, NB_USAGE,
                       "nothing limits this traffic, so its limit cannot be "
                       "halved (permitted: --rate)");
    request->rate =
        nb_ratio_multiply(out->limit.exact, nb_ratio_make(1, 2 * flits));
    if (!nb_ratio_is_known(request->rate))
        request->rate = nb_ratio_make(
            (nb_int128)(out->limit.lower / 2 / (double)flits * unit),
            (nb_int128)unit);
    return NB_OK;
}

/* Opens the network, finds its limit if the scheme has expected loads, sets a
 * rate if none is given, and plans the simulation. */
static enum nb_status validate_open(const struct nb_validate_question *request,
                                    const struct nb_run *run,
                                    struct nb_validate_answer *out,
                                    struct nb_error *err)
{
    struct nb_simulate_question simulated = request->simulated;
    struct nb_simulate_answer *simulation = &out->simulation;
    const bool has_injection = nb_ratio_is_known(simulated.load) ||
                               nb_ratio_is_known(simulated.rate) ||
                               simulated.batch > 0 || simulated.trace != NULL;
    enum nb_status status = NB_OK;
    simulated.find = simulated.pair = NULL;
    simulated.depths = simulated.reorder = false;
    simulated.window = 0;
    if (simulated.traffic == NULL)
        simulated.traffic = "uniform";
    if (simulated.arrivals == NULL)
        simulated.arrivals = "bernoulli";
    out->tolerance = nb_ratio_value(request->tolerance);
    NB_TRY(nb_simulate_open(&simulated, run, simulation, err));
    if (!simulation->problem.routing.kind->is_adaptive &&
        simulated.trace == NULL)
        NB_TRY(validate_find_limit(run, out, err));
    if (!has_injection && out->loads.channel_count > 0)
        NB_TRY(validate_set_rate(out, err));
    else if (!has_injection)
        simulation->request.load = nb_ratio_make(1, 2);
    NB_TRY(nb_simulate_plan(simulation, err));
    if (request->small > 0)
        simulation->plan.virtual_router.small = (uint32_t)request->small;
    out->small = simulation->plan.virtual_router.small;
    out->cycles = simulation->plan.cycles;
done:
    return status;
}

enum { CLAIMS_NAME = 60 };

/* Short names of quantities. */
static const char *const claims_aliases[][2] = {
    { "throughput", "accepted_throughput" },
    { "throughput_min", "accepted_throughput_min" },
};

static enum nb_status claims_fail(const struct nb_point *simulated,
                                  const char *claim, size_t length,
                                  struct nb_error *err)
{
    const char *equals = memchr(claim, '=', length);
    struct nb_suggestion near = {
        .typed = claim,
        .length = equals != NULL ? (size_t)(equals - claim) : length,
    };
    char meant[NB_SUGGESTED];
    struct nb_text names = { 0 };
    for (size_t i = 0; i < simulated->quantity_count; i++) {
        const char *name = simulated->quantities[i].name;
        nb_text_print(&names, "%s%s", i > 0 ? ", " : "", name);
        nb_suggest(&near, name, strlen(name));
    }
    const enum nb_status status =
        nb_fail(err, NB_INVALID,
                "claim \"%.*s\" is not permitted%s (permitted: NAME=VALUE, "
                "joined by +, of %.300s...)",
                (int)(length < CLAIMS_NAME ? length : CLAIMS_NAME), claim,
                nb_suggestion_print(&near, "", meant),
                names.bytes != NULL ? names.bytes : "");
    nb_text_release(&names);
    return status;
}

/* Adds one "NAME=VALUE" of length characters. */
static enum nb_status claims_add(struct nb_validate_answer *answer,
                                 const struct nb_point *simulated,
                                 const char *claim, size_t length,
                                 struct nb_error *err)
{
    const char *equals = memchr(claim, '=', length);
    const struct nb_quantity *quantity = NULL;
    char name[CLAIMS_NAME] = "", value[CLAIMS_NAME] = "", item[80];
    struct nb_ratio most = { 0, 0 };
    if (equals != NULL && length < CLAIMS_NAME) {
        memcpy(name, claim, (size_t)(equals - claim));
        memcpy(value, equals + 1, length - (size_t)(equals + 1 - claim));
        for (size_t i = 0; i < sizeof claims_aliases / sizeof *claims_aliases;
             i++)
            if (strcmp(name, claims_aliases[i][0]) == 0)
                snprintf(name, sizeof name, "%s", claims_aliases[i][1]);
        quantity = nb_point_quantity(simulated, name);
    }
    if (quantity == NULL || nb_ratio_read(value, &most, NULL) != NB_OK)
        return claims_fail(simulated, claim, length, err);
    snprintf(item, sizeof item, "claim, %s", name);
    nb_validation_add(answer, item, NB_VALIDATE_BOUND,
                      (struct nb_interval){ nb_ratio_value(most), -INFINITY,
                                            nb_ratio_value(most) },
                      (struct nb_interval){ quantity->value, quantity->lower,
                                            quantity->upper },
                      0);
    return NB_OK;
}

/* Adds the user's own upper bounds on quantities of simulate. */
static enum nb_status validate_claims(const char *claim,
                                      const struct nb_run *run,
                                      struct nb_validate_answer *answer,
                                      struct nb_error *err)
{
    struct nb_point simulated = { 0 };
    enum nb_status status = NB_OK;
    if (claim == NULL)
        return NB_OK;
    NB_TRY(nb_validation_simulate(answer, run, err));
    nb_simulate_report(&answer->simulation, &simulated);
    NB_TRY(nb_point_check(&simulated, err));
    while (claim != NULL) {
        const size_t length = strcspn(claim, "+");
        NB_TRY(claims_add(answer, &simulated, claim, length, err));
        claim = claim[length] == '+' ? claim + length + 1 : NULL;
    }
done:
    nb_point_release(&simulated);
    return status;
}

static enum nb_status
validate_compute(const struct nb_validate_question *request,
                 const struct nb_run *run, struct nb_validate_answer *out,
                 struct nb_error *err)
{
    bool chosen[VALIDATE_CHECKS];
    enum nb_status status = NB_OK;
    NB_TRY(validate_check_names(request->check, err));
    NB_TRY(validate_open(request, run, out, err));
    NB_TRY(validate_choose(request, out, chosen, err));
    for (size_t i = 0; i < VALIDATE_CHECKS; i++)
        if (chosen[i])
            NB_TRY(validate_checks[i].run(out, run, err));
    NB_TRY(validate_claims(request->claim, run, out, err));
    if (out->has_failed)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a validation"));
    for (size_t i = 0; i < out->items.count; i++)
        out->counts[nb_validation_judge(&out->items.item[i])]++;
done:
    return status;
}

void nb_validate_answer_release(struct nb_validate_answer *answer)
{
    struct nb_simulation_result *each = answer->replication;
    for (size_t i = 0; each != NULL && i < answer->simulation.plan.replications;
         i++)
        nb_simulation_result_release(&each[i]);
    nb_delete(each);
    nb_delete(answer->items.item);
    nb_delete(answer->channels.item);
    nb_delete(answer->tails.item);
    nb_channel_loads_release(&answer->loads);
    nb_simulate_answer_release(&answer->simulation);
    *answer = (struct nb_validate_answer){ 0 };
}

static void validate_report(const struct nb_validate_answer *answer,
                            struct nb_point *out)
{
    nb_validate_add_answer(answer, out);
}

NB_DEFINE_QUESTION(validate);
NB_DEFINE_RELEASE(validate);

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
        .summary = "predictions compared with simulations",
        .example = "netbound validate --topology torus:4x4 --routing val",
        .title = "Prediction and simulation[ of {traffic} traffic][ by {routing}] on {topology}",
        .options = validate_options,
        .main_table = "validation",
        .tables = NB_TABLES(
            &nb_validate_validation_table, &nb_validate_channels_table,
            &nb_validate_hops_table, &nb_validate_ccdf_table),
    },
    NB_CALLS_OF(validate),
    .release = validate_release,
    .print = validate_print,
    .judge = validate_judge,
};
