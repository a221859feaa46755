/* netbound worst-case: the traffic that hurts a routing most, with proof. */
#include "ask/claims.h"
#include "ask/table_read.h"
#include "questions/optimum/optimum.h"
#include "questions/worst_case/sampled_answers.h"
#include "questions/worst_case/worst_case_tables.h"
#include "core/try.h"
#include "traffic/export.h"
#include "core/unit.h"

#define WORST(field) offsetof(struct nb_worst_case_question, field)

static const struct nb_parameter worst_options[] = {
    NB_OPTION_TOPOLOGY(WORST(topology)),
    NB_OPTION_ROUTING(WORST(routing)),
    NB_OPTION("unbalanced", WORST(unbalanced), MEASUREMENT, FLAG, "no",
              "let a destination receive up to 1 packet per cycle, at any "
              "injection rate",
              .apart = "sample-paths"),
    NB_OPTION_SATURATED(WORST(saturated)),
    NB_OPTION_SAMPLE_PATHS(WORST(sample_paths)),
    NB_OPTION_SEED(WORST(seed)),
    NB_OPTION_CLOCK(WORST(clock)),
    { 0 },
};

enum { WORST_PERMUTATION };

static const struct nb_parameter worst_outputs[] = {
    [WORST_PERMUTATION] = NB_COMMAND_OPTION(
        "permutation", OUTPUT, PATH, NULL,
        "write the worst permutation to this file (.csv, .json, Noxim .txt)",
        .accepts = nb_permutation_accepts),
    { 0 },
};

static void worst_report_matched(const struct nb_problem *problem,
                                 const struct nb_worst_case *worst,
                                 struct nb_point *out)
{
    static const char source[] = "TowlesDally2002, Theorem 2";
    const bool is_exact = nb_ratio_is_known(worst->throughput.exact);
    const char *method =
        is_exact ? "maximum-weight matching with dual certificate"
                 : "maximum-weight matching in doubles, bracketed by duals";
    nb_point_add_enclosure(out, "worst_case_channel_load", worst->load,
                           "packets/cycle", method, source);
    nb_problem_add_throughput(problem, out, "worst_case_throughput",
                              worst->throughput, nb_ratio_one, method, source);
    nb_problem_note_channel(problem, out, "worst_channel",
                            worst->bounds[worst->worst].channel);
    nb_worst_case_add_tables(&problem->topology, worst, out);
}

static void worst_report_unbalanced(const struct nb_problem *problem,
                                    const struct nb_unbalanced_case *unbalanced,
                                    struct nb_point *out)
{
    nb_problem_add_throughput(
        problem, out, "worst_case_throughput", unbalanced->rate, nb_ratio_one,
        nb_ratio_is_known(unbalanced->rate.exact)
            ? "parametric transportation problem with dual certificate"
            : "parametric transportation problem on rounded loads, bracketed",
        "TowlesDally2002, section 2.1");
    nb_point_note_overload(out, unbalanced->overload);
    nb_problem_note_channel(problem, out, "worst_channel",
                            unbalanced->bounds[unbalanced->worst].channel);
    nb_unbalanced_add_tables(&problem->topology, unbalanced, out);
}

static void worst_report_necessary(const struct nb_problem *problem,
                                   const struct nb_necessary_case *found,
                                   struct nb_point *out)
{
    static const char method[] = "maximum matching on "
                                 "necessary-shortest-path pairs with vertex "
                                 "cover";
    static const char source[] = "Singh2005, section A.2";
    nb_point_add_exact(out, "worst_case_channel_load",
                       nb_ratio_make(found->load, 1), "packets/cycle", method,
                       source);
    nb_problem_add_throughput(problem, out, "worst_case_throughput",
                              found->throughput, nb_ratio_one, method, source);
    nb_point_add_note(
        out, "bound",
        problem->topology.groups.counts_global_first
            ? "no minimal routing, adaptive or not, can guarantee more: for "
              "each matched pair, every path with the fewest global, then the "
              "fewest local channels crosses the worst channel"
            : "no minimal routing, adaptive or not, can guarantee more: every "
              "shortest path of each matched "
              "pair crosses the worst channel");
    if (found->load > 0)
        nb_problem_note_channel(problem, out, "worst_channel",
                                found->bounds[found->worst].channel);
    nb_necessary_add_tables(&problem->topology, found, out);
}

static void worst_case_report(const struct nb_worst_case_answer *answer,
                              struct nb_point *out)
{
    if (answer->problem.topology.router_count == 0) /* nothing was found */
        return;
    switch (answer->way) {
    case NB_WORST_MATCHED:
        worst_report_matched(&answer->problem, &answer->matched, out);
        break;
    case NB_WORST_UNBALANCED:
        worst_report_unbalanced(&answer->problem, &answer->unbalanced, out);
        break;
    case NB_WORST_NECESSARY:
        worst_report_necessary(&answer->problem, &answer->necessary, out);
        break;
    case NB_WORST_SAMPLED:
        nb_sampled_report_worst(answer, out);
        break;
    case NB_WORST_BOUNDED:
        nb_optimum_report(&answer->bound, out);
        break;
    }
    nb_problem_note_min(&answer->problem, out);
}

static enum nb_status
worst_refuse_adaptive(const struct nb_worst_case_question *request,
                      const struct nb_routing *routing, struct nb_error *err)
{
    const char *name = routing->kind->kind.name;
    if (request->sample_paths > 0)
        return nb_fail(
            err, NB_INVALID,
            "--sample-paths %lld: routing %s has no distribution to draw "
            "paths from (permitted: without --sample-paths)",
            (long long)request->sample_paths, name);
    if (!request->unbalanced)
        return NB_OK;
    return nb_fail(err, NB_USAGE,
                   "--unbalanced needs a scheme that is not adaptive, got "
                   "--routing %s (permitted: %s without --unbalanced)",
                   name, name);
}

void nb_worst_case_answer_release(struct nb_worst_case_answer *answer)
{
    nb_worst_case_release(&answer->matched);
    nb_unbalanced_case_release(&answer->unbalanced);
    nb_necessary_case_release(&answer->necessary);
    nb_sampled_case_release(&answer->sampled);
    nb_optimum_answer_release(&answer->bound);
    nb_problem_release(&answer->problem);
}

/* What the reader of verify is told about the loads that a check compared. */
static const char *worst_loads(bool all_channels)
{
    return all_channels ? "loads of every channel recomputed"
                        : "loads of every focus channel recomputed, the "
                          "scheme's symmetry taken as declared";
}

/* Each of these solves a case or, if an answer is given, reads its tables back,
 * checks them and says what was proved. */
static enum nb_status worst_match(const struct nb_routing *routing,
                                  const struct nb_run *run,
                                  const struct nb_point *given,
                                  struct nb_worst_case *out,
                                  struct nb_text *said, struct nb_error *err)
{
    bool all_channels;
    enum nb_status status;
    if (given == NULL)
        return nb_worst_case_find(routing, run, out, err);
    NB_TRY(nb_worst_case_read_tables(routing->topology, given, out, err));
    NB_TRY(nb_worst_case_check(routing, run, out, &all_channels, err));
    nb_text_print(said,
                  "the permutation reaches the load of channel %u, and duals "
                  "bound it; %s",
                  out->bounds[out->worst].channel, worst_loads(all_channels));
done:
    return status;
}

static enum nb_status
worst_unbalance(const struct nb_routing *routing, const struct nb_run *run,
                const struct nb_point *given, struct nb_unbalanced_case *out,
                struct nb_text *said, struct nb_error *err)
{
    bool all_channels;
    enum nb_status status;
    if (given == NULL)
        return nb_unbalanced_case_find(routing, out->overload, run, out, err);
    NB_TRY(nb_unbalanced_read_tables(routing->topology, given, out, err));
    NB_TRY(nb_unbalanced_case_check(routing, run, out, &all_channels, err));
    nb_text_print(said,
                  "the traffic fills channel %u, and duals bound its load; %s",
                  out->bounds[out->worst].channel, worst_loads(all_channels));
done:
    return status;
}

static enum nb_status worst_need(const struct nb_routing *routing,
                                 const struct nb_run *run,
                                 const struct nb_point *given,
                                 struct nb_necessary_case *out,
                                 struct nb_text *said, struct nb_error *err)
{
    enum nb_status status;
    if (given == NULL)
        return nb_necessary_case_find(routing, run, out, err);
    NB_TRY(nb_necessary_read_tables(routing->topology, given, out, err));
    NB_TRY(nb_necessary_case_check(routing, run, out, err));
    nb_text_print(
        said,
        "the matching reaches the load of channel %u, and covers bound it; "
        "shortest paths of every focus channel recomputed",
        out->bounds[out->worst].channel);
done:
    return status;
}

static enum nb_status
worst_case_prove(const struct nb_worst_case_question *request,
                 const struct nb_run *run, const struct nb_point *given,
                 struct nb_worst_case_answer *out, struct nb_text *said,
                 struct nb_error *err)
{
    const struct nb_network_names names = { .topology = request->topology,
                                            .routing = request->routing };
    const struct nb_routing *routing = &out->problem.routing;
    enum nb_status status = NB_OK;
    NB_TRY(nb_problem_open(&names, run, &out->problem, err));
    if (routing->kind->is_adaptive) {
        NB_TRY(worst_refuse_adaptive(request, routing, err));
        out->way = routing->is_minimal ? NB_WORST_NECESSARY : NB_WORST_BOUNDED;
    } else {
        out->way = request->sample_paths > 0 ? NB_WORST_SAMPLED
                   : request->unbalanced     ? NB_WORST_UNBALANCED
                                             : NB_WORST_MATCHED;
    }
    switch (out->way) {
    case NB_WORST_MATCHED:
        return worst_match(routing, run, given, &out->matched, said, err);
    case NB_WORST_UNBALANCED:
        out->unbalanced.overload = request->saturated;
        return worst_unbalance(routing, run, given, &out->unbalanced, said,
                               err);
    case NB_WORST_NECESSARY:
        return worst_need(routing, run, given, &out->necessary, said, err);
    case NB_WORST_SAMPLED:
        out->sample = nb_sampled_asked(request->sample_paths, request->seed);
        if (given != NULL)
            nb_text_print(said, "none: the sampled paths were drawn again");
        return nb_sampled_case_find(routing, &out->sample, run, &out->sampled,
                                    err);
    case NB_WORST_BOUNDED:
        return nb_optimum_bound(&names, request->clock, run, given, &out->bound,
                                said, err);
    }
done:
    return status;
}

NB_DEFINE_COMPUTE(worst_case);
NB_DEFINE_QUESTION(worst_case);
NB_DEFINE_RELEASE(worst_case);
NB_DEFINE_RECHECK(worst_case);

static enum nb_status worst_accept(const struct nb_question *question,
                                   struct nb_error *err)
{
    const struct nb_worst_case_question *request = question->request;
    const char *path = question->outputs[WORST_PERMUTATION];
    if (!request->unbalanced || path == NULL)
        return NB_OK;
    return nb_fail(err, NB_USAGE,
                   "--permutation %s: the worst unbalanced traffic is not a "
                   "permutation (see: --table traffic)",
                   path);
}

static enum nb_status worst_write(const struct nb_question *question,
                                  const struct nb_point *point,
                                  struct nb_error *err)
{
    const char *path = question->outputs[WORST_PERMUTATION];
    return path != NULL ? nb_table_write_permutation(point, path, err) : NB_OK;
}

static const struct nb_claim worst_claims[] = {
    { .quantities = "worst_case_channel_load worst_case_throughput "
                    "worst_case_throughput_absolute",
      .table = "bounds",
      .what = "that the search found no narrower bracket" },
    { .quantities = "adversary_throughput adversary_throughput_absolute",
      .unless = "",
      .what = "that the search found no worse permutation" },
    { 0 },
};

const struct nb_question_kind nb_question_kind_worst_case = {
    .form = {
        .name = "worst-case",
.summary = "exact worst-case throughput of a routing, with certificate",
        .example = "netbound worst-case --topology torus:8x8 --routing dor",
        .title = "<Worst case> of {routing} on {topology}",
        .options = worst_options,
        .outputs = worst_outputs,
        .tables = NB_TABLES(&nb_worst_load, &nb_worst_rate, &nb_pairs_permutation, &nb_worst_bounds, &nb_unbalanced_bounds, &nb_necessary_bounds, &nb_worst_duals, &nb_unbalanced_duals, &nb_worst_values, &nb_unbalanced_traffic, &nb_pairs_matching, &nb_necessary_covers, &nb_optimum_bottleneck, &nb_optimum_scheme_paths, &nb_optimum_lengths),
    },
    NB_CALLS_OF(worst_case),
    .release = worst_case_release,
    .recheck = worst_case_recheck,
    .accept = worst_accept,
    .write = worst_write,
    .claims = worst_claims,
};
