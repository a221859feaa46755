/* The results of a validation, for a report. */
#include "questions/validate/validate.h"

#include "core/locale.h"

#include "report/tree.h"

#include <math.h>
#include <stdio.h>

static const char *const report_kinds[] = { "bound", "exact", "approximation" };

static const char *report_verdict(const struct nb_validation_item *item)
{
    return nb_validation_verdict_names[nb_validation_judge(item)];
}

/* A number and its interval. */
static void report_add_interval(struct nb_interval interval, size_t table,
                                struct nb_point *out)
{
    NB_ROW(out, table, interval.value, interval.lower, interval.upper);
}

const struct nb_table_kind nb_validate_validation_table = {
    .name = "validation",
    .columns = NB_SPELLED(
        "item:text,kind:text,prediction:number,lower:number,upper:number,"
        "simulated:number,sim_lower:number,sim_upper:number,error:number,"
        "verdict:text")
};

static void report_add_items(const struct nb_validation_items *items,
                             struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_validate_validation_table);
    for (size_t i = 0; i < items->count; i++) {
        const struct nb_validation_item *item = &items->item[i];
        NB_ROW(out, table, item->name, report_kinds[item->kind]);
        report_add_interval(item->predicted, table, out);
        report_add_interval(item->simulated, table, out);
        NB_ROW(out, table, nb_validation_error(item), report_verdict(item));
    }
}

const struct nb_table_kind nb_validate_channels_table = {
    .name = "channels",
    .columns =
        NB_SPELLED("channel,way:text,predicted:number [flits/cycle],"
                   "simulated:number [flits/cycle],lower:number [flits/cycle],"
                   "upper:number [flits/cycle],error:number,verdict:text")
};

static void report_add_channels(const struct nb_validation_items *channels,
                                struct nb_point *out)
{
    if (channels->count == 0)
        return;
    const size_t table = nb_table_start(out, &nb_validate_channels_table);
    for (size_t i = 0; i < channels->count; i++) {
        const struct nb_validation_item *item = &channels->item[i];
        NB_ROW(out, table, i, item->name, item->predicted.value);
        report_add_interval(item->simulated, table, out);
        NB_ROW(out, table, nb_validation_error(item), report_verdict(item));
    }
}

const struct nb_table_kind nb_validate_hops_table = {
    .name = "hops",
    .columns =
        NB_SPELLED("hop:text,predicted:number [flits],simulated:number [flits],"
                   "lower:number [flits],upper:number [flits],error:number,"
                   "converged:text")
};

static void report_add_hops(const struct nb_validate_answer *answer,
                            struct nb_point *out)
{
    char class[32];
    if (answer->hops == 0)
        return;
    const size_t table = nb_table_start(out, &nb_validate_hops_table);
    for (size_t hop = 0; hop < answer->hops; hop++) {
        const struct nb_validation_item *item =
            &answer->items.item[answer->first_hop + hop];
        nb_queue_class_name(&answer->simulation.problem.topology, hop, class);
        NB_ROW(out, table, class, item->predicted.value);
        report_add_interval(item->simulated, table, out);
        NB_ROW(out, table, nb_validation_error(item),
               nb_validation_converged(item));
    }
    nb_point_add_note(
        out, "hops",
        "depths at probability 1e-3, interpolated between whole numbers in the "
        "logarithm of the tail; converged: the whole 99 % interval is within "
        "the tolerance of the predicted depth");
}

const struct nb_table_kind nb_validate_ccdf_table = {
    .name = "ccdf",
    .columns = NB_SPELLED("law:text,value,predicted:number,simulated:number,"
                          "lower:number,upper:number")
};

static void report_add_tails(const struct nb_validation_items *tails,
                             struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_validate_ccdf_table);
    for (size_t i = 0; i < tails->count; i++) {
        const struct nb_validation_item *item = &tails->item[i];
        NB_ROW(out, table, item->name, item->value, item->predicted.value);
        report_add_interval(item->simulated, table, out);
    }
}

/* Notes that some of the checks need. */
static void report_note_checks(const struct nb_validate_answer *answer,
                               struct nb_point *out)
{
    if (answer->leaves_saturation)
        nb_point_add_note(out, "saturation",
                          "not checked, because the sources cannot saturate "
                          "the network");
    if (answer->tested[0] > 0) {
        nb_point_note(
            out, "saturation",
            "tested at only two loads, the predicted limit minus and plus "
            "the tolerance, %.6g and %.6g: if the first is stable and the "
            "second saturated, the limit lies between them, and the value "
            "is their middle",
            answer->tested[0], answer->tested[1]);
    }
    if (answer->leaves_window)
        nb_point_add_note(out, "window",
                          "not checked, because every virtual network "
                          "delivered within V + 1 rounds all the packets it "
                          "had when they began (try a higher --load)");
    if (answer->small_left > 0) {
        nb_point_note(
            out, "small",
            "rounds left %llu small packets undelivered, so promises that "
            "assume long enough rounds may fail (try a larger --round or "
            "a smaller --small)",
            (unsigned long long)answer->small_left);
    }
    if (answer->stream > 0 && answer->stream < 1) {
        nb_point_note(
            out, "reorder",
            "predicted for a stream with a terminal's whole load; here "
            "one destination gets at most %.6g of it, so fewer packets "
            "overtake each other (a permutation has whole streams)",
            answer->stream);
    }
}

static void report_add_count(struct nb_point *out, const char *name,
                             size_t count)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)count, 1), "",
                       "count", "");
}

/* Adds how many items there are of each verdict. */
static void report_add_counts(const struct nb_validate_answer *answer,
                              struct nb_point *out)
{
    const size_t *counts = answer->counts;
    report_add_count(out, "checks", answer->items.count);
    report_add_count(out, "agreeing",
                     counts[NB_VALIDATED_AGREES] + counts[NB_VALIDATED_HOLDS]);
    report_add_count(out, "uncertain", counts[NB_VALIDATED_UNCERTAIN]);
    report_add_count(out, "differing", counts[NB_VALIDATED_DIFFERS]);
    report_add_count(out, "violated", counts[NB_VALIDATED_VIOLATED]);
}

/* Notes the simulation, once for all items that share it. */
static void report_note_simulation(const struct nb_validate_answer *answer,
                                   struct nb_point *out)
{
    const struct nb_simulate_answer *simulation = &answer->simulation;
    const enum nb_injection_kind kind = simulation->plan.injection.kind;
    if (kind == NB_INJECT_BATCH || kind == NB_INJECT_TRACE)
        return;
    nb_point_note(out, "simulation",
                  "%.6g flits/cycle/terminal, %u replications of %llu cycles",
                  nb_simulate_load(simulation), simulation->plan.replications,
                  (unsigned long long)simulation->plan.cycles);
    if (!answer->has_result)
        return;
    nb_point_note(out, "stability", "%s: %s",
                  nb_stability_names[simulation->result.stability],
                  simulation->result.evidence);
}

void nb_validate_add_answer(const struct nb_validate_answer *answer,
                            struct nb_point *out)
{
    for (size_t i = 0; i < answer->quantity_count; i++) {
        const struct nb_validation_quantity *one = &answer->quantities[i];
        if (isnan(one->found.value))
            continue; /* nothing was observed */
        const struct nb_quantity numbers = { .value = one->found.value,
                                             .lower = one->found.lower,
                                             .upper = one->found.upper };
        nb_point_add_quantity(out, &numbers, one->name, one->unit,
                              one->is_bound ? "maximum concurrent flow over "
                                              "the scheme's paths"
                                            : NB_SIMULATE_METHOD,
                              one->is_bound ? "FordFulkerson1958"
                                            : NB_SIMULATE_SOURCE);
    }
    report_add_counts(answer, out);
    report_add_items(&answer->items, out);
    if (answer->leaves_loads)
        nb_point_add_note(out, "loads",
                          "not checked, because the network is saturated at "
                          "this load");
    report_add_channels(&answer->channels, out);
    report_note_checks(answer, out);
    report_add_hops(answer, out);
    if (answer->has_tails)
        report_add_tails(&answer->tails, out);
    report_note_simulation(answer, out);
    nb_problem_note_worst(&answer->simulation.problem, out);
    nb_simulate_note_router(&answer->simulation, out);
}
