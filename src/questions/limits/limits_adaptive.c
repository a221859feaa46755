/* What choosing between policies can gain over the best single policy (declared
 * in limits_question.h). */
#include "questions/limits/limits_question.h"

#include "optimum/best_flow.h"
#include "optimum/scheme_paths.h"
#include "core/memory.h"
#include "core/try.h"

#include <math.h>
#include <string.h>

/* Relative gap between the ends of an adaptive bound: the smallest at which
 * 5,256 terminals take seconds instead of minutes. */
#define ADAPTIVE_GAP 0.01

/* The loads of table mixtures. */
static const double adaptive_loads[] = { 0.05, 0.1, 0.2, 0.3, 0.4, 0.5,
                                         0.6,  0.7, 0.8, 0.9, 1 };

static double adaptive_middle(struct nb_enclosure value)
{
    return nb_ratio_is_known(value.exact) ? nb_ratio_value(value.exact)
                                          : value.lower / 2 + value.upper / 2;
}

/* The index of the scheme of that name; their count if it is not listed. */
static size_t adaptive_find_scheme(const struct nb_limits_answer *answer,
                                   const char *name)
{
    size_t s = 0;
    while (s < answer->scheme_count && strcmp(answer->scheme[s], name) != 0)
        s++;
    return s;
}

/*
 * The largest fraction of packets that may take minimal paths, while the others
 * follow a policy, so that no channel exceeds its bandwidth: with u the rate on
 * minimal paths,
 *
 *     u a_c + (rate - u) b_c <= w_c for every channel c,   0 <= u <= rate
 *
 * for the loads a_c and b_c of both at rate 1. Returns u / rate to ten digits;
 * NAN if no u fits.
 */
static double adaptive_most_minimal(const struct nb_topology *topology,
                                    const struct nb_limits_case *minimal,
                                    const struct nb_limits_case *policy,
                                    double rate)
{
    double least = 0, most = rate;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const double a = minimal->loads.load[c].upper,
                     b = policy->loads.load[c].upper;
        const double room =
            nb_ratio_value(topology->channels[c].bandwidth) * (1 + 1e-12) -
            rate * b;
        if (a > b)
            most = fmin(most, room / (a - b));
        else if (a < b)
            least = fmax(least, -room / (b - a));
        else if (room < 0)
            return NAN;
    }
    /* Removes the slack that was added for rounding. */
    return least <= most && most >= 0 ? floor(most / rate * 1e10 + 0.5) / 1e10
                                      : NAN;
}

/* Finds the best mixture at a rate; returns false if there is none. */
static bool adaptive_mix(const struct nb_limits_answer *answer, size_t t,
                         double rate, struct nb_limits_mixture *out)
{
    const size_t min = adaptive_find_scheme(answer, "min");
    const struct nb_limits_case *minimal = answer->at[t][min];
    const double shortest =
        adaptive_middle(nb_limits_latency(minimal, &answer->delays));
    *out = (struct nb_limits_mixture){ .traffic = answer->traffic[t],
                                       .load = rate,
                                       .latency = INFINITY,
                                       .oblivious_latency = INFINITY };
    for (size_t s = 0; s < answer->scheme_count; s++) {
        const struct nb_limits_case *at = answer->at[t][s];
        const double length =
            adaptive_middle(nb_limits_latency(at, &answer->delays));
        const double most =
            adaptive_most_minimal(&answer->topology, minimal, at, rate);
        const double mixed = most * shortest + (1 - most) * length;
        if (at->throughput.upper >= rate && length < out->oblivious_latency) {
            out->oblivious = answer->scheme[s];
            out->oblivious_latency = length;
        }
        if (s == min || isnan(most) || mixed >= out->latency)
            continue;
        out->policy = answer->scheme[most < 1 ? s : min];
        out->minimal = most;
        out->latency = mixed;
    }
    return out->policy != NULL;
}

static enum nb_status adaptive_find_mixtures(struct nb_limits_answer *answer,
                                             struct nb_error *err)
{
    const double most =
        nb_ratio_value(nb_terminal_limit(&answer->topology, nb_ratio_one));
    enum nb_status status = NB_OK;
    if (adaptive_find_scheme(answer, "min") == answer->scheme_count)
        return NB_OK;
    for (size_t t = 0; t < answer->traffic_count; t++)
        for (size_t i = 0; i < sizeof adaptive_loads / sizeof *adaptive_loads &&
                           adaptive_loads[i] <= most;
             i++) {
            struct nb_limits_mixture mixture;
            if (!adaptive_mix(answer, t, adaptive_loads[i], &mixture))
                break;
            NB_TRY(nb_grow_one(&answer->mixture, answer->mixture_count,
                               sizeof mixture, "mixtures", err));
            answer->mixture[answer->mixture_count++] = mixture;
        }
done:
    return status;
}

/* Finds the most that the paths of one scheme can carry of one traffic. */
static enum nb_status adaptive_find_bound(const struct nb_limits_answer *answer,
                                          const struct nb_routing *routing,
                                          size_t t, struct nb_enclosure *bound,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = &answer->topology;
    struct nb_scheme_paths paths = { 0 };
    struct nb_path_class path_class;
    struct nb_traffic traffic = { 0 };
    struct nb_best_flow flow = { 0 };
    struct nb_traffic_sums sums;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_traffic_build(answer->traffic[t], topology, false, &traffic, err));
    NB_TRY(nb_traffic_sums_find(&traffic, topology, &sums, err));
    NB_TRY(nb_path_class_init_scheme(routing, &paths, &path_class, err));
    const struct nb_best_flow_question question = {
        .topology = topology,
        .traffic = &traffic,
        .path_class = &path_class,
        .gap = ADAPTIVE_GAP,
        .seconds = INFINITY,
    };
    NB_TRY(nb_best_flow_find(&question, answer->cases.run, &flow, err));
    *bound = nb_enclosure_least(
        flow.throughput,
        nb_enclosure_of_ratio(nb_terminal_limit(
            topology, nb_ratio_compare(sums.row, sums.column) > 0
                          ? sums.row
                          : sums.column)));
done:
    nb_best_flow_release(&flow);
    nb_traffic_release(&traffic);
    nb_scheme_paths_release(&paths);
    return status;
}

/* Finds bounds of the adaptive schemes that do not deflect, with the defaults
 * of their parameters. */
static enum nb_status adaptive_find_bounds(struct nb_limits_answer *answer,
                                           struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    enum nb_status status = NB_OK;
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const struct nb_routing_kind *kind = nb_routing_kinds[k];
        if (!kind->is_adaptive || kind->is_deflecting || kind->stands_for_any)
            continue;
        nb_routing_release(&routing);
        struct nb_error why = { 0 };
        const enum nb_status built = nb_routing_build(
            kind->kind.name, &answer->topology, &routing, &why);
        if (built == NB_NO_MEMORY)
            NB_TRY(nb_fail(err, built, "%s", why.message));
        if (built != NB_OK)
            continue; /* does not suit this network */
        for (size_t t = 0; t < answer->traffic_count; t++) {
            struct nb_limits_adaptive row = { .traffic = answer->traffic[t],
                                              .routing = kind->kind.name };
            NB_TRY(adaptive_find_bound(answer, &routing, t, &row.bound, err));
            for (size_t s = 0; s < answer->scheme_count; s++)
                row.oblivious =
                    fmax(row.oblivious, answer->at[t][s]->throughput.lower);
            NB_TRY(nb_grow_one(&answer->adaptive, answer->adaptive_count,
                               sizeof row, "bounds", err));
            answer->adaptive[answer->adaptive_count++] = row;
        }
    }
done:
    nb_routing_release(&routing);
    return status;
}

enum nb_status nb_limits_find_adaptive(struct nb_limits_answer *answer,
                                       struct nb_error *err)
{
    const enum nb_status status = adaptive_find_mixtures(answer, err);
    return status == NB_OK ? adaptive_find_bounds(answer, err) : status;
}

const struct nb_table_kind nb_limits_mixtures_table = {
    .name = "mixtures",
    .columns = NB_SPELLED(
        "traffic:text,load:number [packets/cycle/terminal],routing:text,"
        "minimal:number,zero_load_latency:number [ns],oblivious:text,"
        "oblivious_latency:number [ns],saving:number")
};

static void adaptive_report_mixtures(const struct nb_limits_answer *answer,
                                     struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_limits_mixtures_table);
    for (size_t i = 0; i < answer->mixture_count; i++) {
        const struct nb_limits_mixture *at = &answer->mixture[i];
        NB_ROW(out, table, at->traffic, at->load, at->policy, at->minimal,
               at->latency, at->oblivious != NULL ? at->oblivious : "none",
               at->oblivious_latency,
               isinf(at->oblivious_latency)
                   ? NAN
                   : 1 - at->latency / at->oblivious_latency);
    }
    if (answer->mixture_count > 0)
        nb_point_add_note(
            out, "mixtures",
            "for each load, the least latency without queues if a fixed share "
            "of all packets takes min, the others take the policy in column "
            "routing, and no channel exceeds its bandwidth; column oblivious: "
            "the best single policy; a scheme that knew the share would reach "
            "this latency");
}

const struct nb_table_kind nb_limits_adaptive_table = {
    .name = "adaptive",
    .columns = NB_SPELLED(
        "traffic:text,routing:text,bound:number [packets/cycle/terminal],"
        "bound_lower:number [packets/cycle/terminal],"
        "oblivious:number [packets/cycle/terminal],gain:number")
};

void nb_limits_report_adaptive(const struct nb_limits_answer *answer,
                               struct nb_point *out)
{
    if (!answer->request.adaptive)
        return;
    adaptive_report_mixtures(answer, out);
    const size_t table = nb_table_start(out, &nb_limits_adaptive_table);
    for (size_t i = 0; i < answer->adaptive_count; i++) {
        const struct nb_limits_adaptive *at = &answer->adaptive[i];
        NB_ROW(out, table, at->traffic, at->routing, at->bound.upper,
               at->bound.lower, at->oblivious,
               at->bound.upper / at->oblivious - 1);
    }
    if (answer->adaptive_count > 0)
        nb_point_add_note(
            out, "adaptive_bound",
            "the most that the paths of an adaptive scheme can carry, whatever "
            "it compares: at least bound_lower and at most bound (see: "
            "netbound optimum --routing); gain: how much bound exceeds the "
            "throughput of the best oblivious policy here, as a fraction of "
            "that");
}
