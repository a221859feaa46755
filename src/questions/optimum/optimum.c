/* netbound optimum: the best that any routing can do, with proof. */
#include "questions/optimum/optimum.h"
#include "ask/claims.h"

#include "optimum/path_orbits.h"
#include "core/memory.h"
#include "questions/worst_case/worst_case_tables.h"
#include "traffic/export.h"
#include "topology/symmetry.h"
#include "core/unit.h"

#include <math.h>
#include <string.h>

enum { OPTIMUM_ROWS = 10 }; /* bottleneck is printed up to this many rows */

#define OPTIMUM(field) offsetof(struct nb_optimum_question, field)

static const struct nb_parameter optimum_options[] = {
    NB_OPTION_TOPOLOGY(OPTIMUM(topology)),
    NB_OPTION("traffic", OPTIMUM(traffic), TRAFFIC, WORD, "",
              "find the best throughput for this traffic, such as transpose",
              .detail = "See: netbound list traffics.", .is_first = true,
              .apart = "worst-case average adversary",
              .either = "worst-case average adversary"),
    NB_OPTION("worst-case", OPTIMUM(worst_case), MEASUREMENT, FLAG, "no",
              "find the oblivious routing with the best worst-case throughput",
              .is_first = true, .apart = "average adversary"),
    NB_OPTION("average", OPTIMUM(average), MEASUREMENT, FLAG, "no",
              "find the oblivious routing with the best mean over random "
              "permutations",
              .is_first = true, .apart = "adversary"),
    NB_OPTION(
        "adversary", OPTIMUM(adversary), MEASUREMENT, FLAG, "no",
        "search for a permutation that even the best routing carries badly",
        .detail =
            "A local search. The result bounds adaptive routings as well.",
        .is_first = true),
    NB_OPTION("routing", OPTIMUM(routing), NETWORK, WORD, "",
              "an adaptive scheme: find the best throughput of any split over "
              "its paths",
              .detail = "The split may use only shares that the scheme can "
                        "give to its paths.",
              .is_first = true, .apart = "worst-case average schemes stretch"),
    NB_OPTION("paths", OPTIMUM(paths), NETWORK, CHOICE, "any",
              "paths that the routing may use",
              .detail =
                  "minimal: the shortest, as routing min takes them.\nscheme: "
                  "only those of --routing, which is then required.",
              .is_first = true, .beside = "routing=scheme",
              .choices = "any|minimal|two-turn|scheme"),
    NB_OPTION(
        "stretch", OPTIMUM(stretch), NETWORK, NUMBER, "",
        "with --paths any: maximum path length, as a multiple of the shortest",
        .least = 1, .most = 1e6),
    NB_OPTION(
        "allow-inadmissible", OPTIMUM(allow_inadmissible), TRAFFIC, FLAG, "no",
        "accept a traffic matrix with rows or columns that sum to more than 1",
        .with = "traffic"),
    NB_OPTION("gap", OPTIMUM(gap), RUN, NUMBER, "",
              "with --traffic: stop at this relative width of the bracket; "
              "default: exact if possible",
              .most = 0.99, .unit = "fraction", .with = "traffic"),
    NB_OPTION("unbalanced", OPTIMUM(unbalanced), MEASUREMENT, FLAG, "no",
              "with --worst-case: let a destination receive up to 1 packet per "
              "cycle, at any injection rate",
              .with = "worst-case"),
    NB_OPTION_SATURATED(OPTIMUM(saturated)),
    NB_OPTION("locality", OPTIMUM(locality), MEASUREMENT, FLAG, "no",
              "with --worst-case: also report the fewest mean hops at that "
              "throughput",
              .with = "worst-case"),
    NB_OPTION("at", OPTIMUM(at), MEASUREMENT, NUMBER, "",
              "with --worst-case: like --locality, but at this fraction of the "
              "best throughput; default 1",
              .least = 1e-3, .most = 1, .unit = "fraction",
              .with = "worst-case"),
    NB_OPTION("schemes", OPTIMUM(schemes), MEASUREMENT, FLAG, "no",
              "also report the known oblivious schemes, in table schemes, for "
              "comparison",
              .with = "traffic worst-case average"),
    NB_OPTION("count", OPTIMUM(count), MEASUREMENT, WHOLE, "100",
              "with --average: number of permutations to draw", .least = 1,
              .most = 1e5, .with = "average"),
    NB_OPTION("starts", OPTIMUM(starts), MEASUREMENT, WHOLE, "4",
              "with --adversary: number of searches, each from another random "
              "permutation",
              .least = 1, .most = 1e6, .with = "adversary"),
    NB_OPTION("seed", OPTIMUM(seed), MEASUREMENT, WHOLE, "1",
              "with --adversary or --average: seed of the permutations",
              .most = 0x1p53, .with = "average adversary"),
    NB_OPTION(
        "time-limit", OPTIMUM(time_limit), RUN, NUMBER, "",
        "stop after this many seconds and report the bounds proved so far",
        .least = 1e-3, .most = 1e9, .unit = "s"),
    NB_OPTION_CLOCK(OPTIMUM(clock)),
    { 0 },
};

enum { OPTIMUM_ROUTING_TABLE, OPTIMUM_PERMUTATION };

static const struct nb_parameter optimum_outputs[] = {
    [OPTIMUM_ROUTING_TABLE] = NB_COMMAND_OPTION(
        "routing-table", OUTPUT, PATH, NULL,
        "write the routing found to this file, for --routing file:FILE",
        .detail =
            "Pairs that the traffic does not use get one shortest path each.",
        .with = "traffic worst-case average"),
    [OPTIMUM_PERMUTATION] = NB_COMMAND_OPTION(
        "permutation", OUTPUT, PATH, NULL,
        "with --adversary: write the permutation to this file (.csv, .json, "
        "Noxim .txt)",
        .accepts = nb_permutation_accepts, .with = "adversary"),
    { 0 },
};

static const struct nb_optimum_way *const optimum_ways[] = {
    [NB_OPTIMUM_TRAFFIC] = &nb_optimum_traffic,
    [NB_OPTIMUM_WORST_CASE] = &nb_optimum_worst_case,
    [NB_OPTIMUM_AVERAGE] = &nb_optimum_average,
    [NB_OPTIMUM_ADVERSARY] = &nb_optimum_adversary,
};

static const struct nb_optimum_way *
optimum_way(const struct nb_optimum_answer *answer)
{
    return answer->problem.topology.kind->is_one_way
               ? &nb_optimum_one_way
               : optimum_ways[answer->goal];
}

void nb_optimum_answer_release(struct nb_optimum_answer *answer)
{
    nb_best_flow_release(&answer->flow);
    nb_best_average_release(&answer->average);
    nb_adversary_release(&answer->adversary);
    nb_best_unbalanced_release(&answer->worst);
    nb_best_oblivious_release(&answer->least);
    nb_delete(answer->schemes);
    nb_problem_release(&answer->problem);
    *answer = (struct nb_optimum_answer){ 0 };
}

static enum nb_status
optimum_choose_paths(const struct nb_optimum_question *request,
                     enum nb_paths *out, struct nb_error *err)
{
    static const char *const names[] = { "any", "minimal", "two-turn",
                                         "scheme" };
    const char *name = names[request->paths];
    char stretch[NB_RATIO_TEXT];
    *out = request->paths;
    if (request->routing != NULL && *out != NB_PATHS_SCHEME)
        return nb_fail(err, NB_USAGE,
                       "--paths %s is not permitted with --routing %s, which "
                       "has its own (permitted: scheme)",
                       name, request->routing);
    if (request->routing == NULL && *out == NB_PATHS_SCHEME)
        return nb_fail(err, NB_USAGE,
                       "--paths scheme is not permitted without --routing "
                       "(permitted: any, minimal, two-turn)");
    if (!nb_ratio_is_known(request->stretch))
        return NB_OK;
    nb_ratio_print(request->stretch, stretch);
    if (*out != NB_PATHS_ANY)
        return nb_fail(err, NB_USAGE,
                       "--stretch %s is not permitted with --paths %s "
                       "(permitted with: --paths any)",
                       stretch, name);
    *out = NB_PATHS_STRETCH;
    return NB_OK;
}

/* Opens the network and sets which paths may be used. */
static enum nb_status optimum_open(const struct nb_optimum_question *request,
                                   const struct nb_run *run,
                                   struct nb_optimum_answer *answer,
                                   struct nb_optimum *out, struct nb_error *err)
{
    const struct nb_network_names names = {
        .topology = request->topology,
        .traffic = request->traffic,
        .routing = request->routing,
        .allows_inadmissible = request->allow_inadmissible,
    };
    enum nb_status status = NB_OK;
    *answer = (struct nb_optimum_answer){
        .request = *request,
        .goal = request->traffic != NULL ? NB_OPTIMUM_TRAFFIC
                : request->worst_case    ? NB_OPTIMUM_WORST_CASE
                : request->average       ? NB_OPTIMUM_AVERAGE
                                         : NB_OPTIMUM_ADVERSARY,
        .seconds = nb_ratio_is_known(request->time_limit)
                       ? nb_ratio_value(request->time_limit)
                       : INFINITY,
        .sums = { .row = nb_ratio_one, .column = nb_ratio_one },
    };
    *out = (struct nb_optimum){ .run = run, .answer = answer };
    NB_TRY(optimum_choose_paths(request, &answer->paths, err));
    NB_TRY(nb_problem_open(&names, run, &answer->problem, err));
    NB_TRY(nb_optimum_one_way_accepts(answer, err));
    if (answer->paths != NB_PATHS_SCHEME) {
        NB_TRY(nb_path_class_init(&answer->problem.topology, answer->paths,
                                  request->stretch, &out->class, err));
    } else {
        NB_TRY(nb_path_class_init_scheme(&answer->problem.routing, &out->scheme,
                                         &out->class, err));
        answer->paths = out->class.paths;
        answer->has_rounded_shares = out->scheme.is_rounded;
    }
done:
    return status;
}

/* Whether the report says that the time limit stopped the work. Tables cannot
 * prove that, so it is copied. */
static bool optimum_was_stopped(const struct nb_optimum_answer *answer,
                                const struct nb_point *given)
{
    for (size_t i = 0; i < given->note_count && !isinf(answer->seconds); i++)
        if (strcmp(given->notes[i].name, NB_OPTIMUM_STOPPED) == 0)
            return true;
    return false;
}

static enum nb_status optimum_prove(const struct nb_optimum_question *request,
                                    const struct nb_run *run,
                                    const struct nb_point *given,
                                    struct nb_optimum_answer *out,
                                    struct nb_text *said, struct nb_error *err)
{
    struct nb_optimum optimum = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(optimum_open(request, run, out, &optimum, err));
    optimum.given = given;
    optimum.said = said;
    NB_TRY(optimum_way(out)->find(&optimum, err));
    if (given != NULL)
        out->was_stopped = optimum_was_stopped(out, given);
    NB_TRY(nb_optimum_find_schemes(&optimum, err));
done:
    nb_scheme_paths_release(&optimum.scheme);
    return status;
}

enum nb_status nb_optimum_bound(const struct nb_network_names *names,
                                struct nb_ratio clock, const struct nb_run *run,
                                const struct nb_point *given,
                                struct nb_optimum_answer *out,
                                struct nb_text *said, struct nb_error *err)
{
    const struct nb_optimum_question request = {
        .topology = names->topology,
        .clock = clock,
        .traffic = names->traffic,
        .adversary = names->traffic == NULL,
        .routing = names->routing,
        .allow_inadmissible = names->allows_inadmissible,
        .paths = NB_PATHS_SCHEME,
        .count = 100,
        .starts = 4,
        .seed = 1,
    };
    return nb_optimum_recheck(&request, run, given, out, said, err);
}

static void optimum_report(const struct nb_optimum_answer *answer,
                           struct nb_point *out)
{
    if (answer->problem.topology.router_count == 0) /* nothing was found */
        return;
    optimum_way(answer)->report(answer, out);
    nb_optimum_add_schemes(answer, out);
}

NB_DEFINE_COMPUTE(optimum);
NB_DEFINE_QUESTION(optimum);
NB_DEFINE_RELEASE(optimum);
NB_DEFINE_RECHECK(optimum);

static enum nb_status optimum_accept(const struct nb_question *question,
                                     struct nb_error *err)
{
    const struct nb_optimum_question *request = question->request;
    if (request->routing == NULL ||
        question->outputs[OPTIMUM_ROUTING_TABLE] == NULL)
        return NB_OK;
    return nb_fail(err, NB_USAGE,
                   "--routing-table is not permitted with --routing %s, "
                   "whose mixture of paths is not a routing (permitted: "
                   "one of the two)",
                   request->routing);
}

static enum nb_status write_routing(const struct nb_question *question,
                                    const struct nb_point *point,
                                    const char *path, struct nb_error *err)
{
    struct nb_optimum_answer answer = { 0 };
    struct nb_optimum optimum = { 0 };
    struct nb_symmetry symmetry = { 0 };
    struct nb_path_table given = { 0 }, all = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(optimum_open(question->request, &question->run, &answer, &optimum,
                        err));
    const struct nb_topology *topology = &answer.problem.topology;
    if (topology->kind->is_one_way)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "--routing-table is not permitted on topology %s, which "
                       "only min routes",
                       topology->kind->kind.name));
    NB_TRY(optimum_ways[answer.goal]->symmetry(&optimum, &symmetry, err));
    struct nb_table_reader in = nb_table_reader_make(point, topology, err);
    nb_optimum_read_paths(&in, &nb_optimum_paths, &given);
    NB_TRY(in.status);
    NB_TRY(nb_path_orbits_spread(&symmetry, topology, &given, &all, err));
    NB_TRY(nb_path_orbits_complete(&optimum.class, &all, err));
    NB_TRY(nb_path_table_write(&all, topology, path, err));
done:
    nb_path_table_release(&all);
    nb_path_table_release(&given);
    nb_symmetry_release(&symmetry);
    nb_scheme_paths_release(&optimum.scheme);
    nb_optimum_answer_release(&answer);
    return status;
}

static enum nb_status optimum_write(const struct nb_question *question,
                                    const struct nb_point *point,
                                    struct nb_error *err)
{
    const char *const *outputs = question->outputs;
    enum nb_status status = NB_OK;
    if (outputs[OPTIMUM_ROUTING_TABLE] != NULL)
        NB_TRY(write_routing(question, point, outputs[OPTIMUM_ROUTING_TABLE],
                             err));
    if (outputs[OPTIMUM_PERMUTATION] != NULL)
        NB_TRY(nb_table_write_permutation(point, outputs[OPTIMUM_PERMUTATION],
                                          err));
done:
    return status;
}

/* Prints the tables schemes and, if short, bottleneck; none in a sweep. */
static enum nb_status optimum_print(const struct nb_point *point,
                                    const struct nb_look *look,
                                    struct nb_text *text, struct nb_error *err)
{
    const struct nb_table *bottleneck = nb_point_table(point, "bottleneck");
    enum nb_status status = NB_OK;
    if (point->setting_count > 0) /* it would be unclear which point they belong
                                   * to */
        return NB_OK;
    if (bottleneck != NULL && bottleneck->row_count > 0 &&
        bottleneck->row_count <= OPTIMUM_ROWS)
        NB_TRY(nb_point_print_table(point, "bottleneck", look, text, err));
    if (nb_point_table(point, "schemes") != NULL)
        NB_TRY(nb_point_print_table(point, "schemes", look, text, err));
done:
    return status;
}

static const struct nb_claim optimum_claims[] = {
    { .notes = NB_OPTIMUM_STOPPED,
      .what = "that the time limit stopped the search" },
    { .quantities = "optimal_throughput optimal_throughput_absolute "
                    "adaptive_bound adaptive_bound_absolute "
                    "optimal_worst_case_throughput "
                    "optimal_worst_case_throughput_absolute "
                    "optimal_average_throughput "
                    "optimal_average_throughput_absolute "
                    "least_mean_hops locality",
      .what = "that the search found no narrower bracket" },
    { .quantities = "required_worst_case_throughput "
                    "required_worst_case_throughput_absolute "
                    "least_mean_hops locality",
      .unless = "optimal_worst_case_throughput_absolute",
      .what = "that the search found no better worst case to require" },
    { .quantities = "adversary_throughput adversary_throughput_absolute",
      .unless = "",
      .what = "that the search found no worse permutation" },
    { 0 },
};

const struct nb_question_kind nb_question_kind_optimum = {
    .form = {
        .name = "optimum",
.summary = "best throughput of any routing, with certificate",
        .example = "netbound optimum --topology torus:4x4 --traffic transpose "
                   "--paths minimal",
        .title = "routing?<Bound> on {routing}[?, {traffic} traffic] on {topology}|traffic?<Best throughput> of {traffic} traffic on {topology}|worst-case?<Best worst case> on {topology}|average?<Best average> over random permutations on {topology}|adversary?<Adversary> of the best routing on {topology}|<Optimum> on {topology}",
        .options = optimum_options,
        .outputs = optimum_outputs,
        .tables = NB_TABLES(&nb_optimum_bottleneck, &nb_optimum_paths, &nb_optimum_scheme_paths, &nb_optimum_lengths, &nb_optimum_average_weights, &nb_optimum_weights, &nb_optimum_weight_scale, &nb_optimum_duals, &nb_optimum_weights_above, &nb_optimum_rates, &nb_pairs_permutation, &nb_optimum_schemes),
        .prefixed_tables = "optimal_paths optimal_duals optimal_weights",
    },
    NB_CALLS_OF(optimum),
    .release = optimum_release,
    .recheck = optimum_recheck,
    .accept = optimum_accept,
    .write = optimum_write,
    .claims = optimum_claims,
    .print = optimum_print,
};
