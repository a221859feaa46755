/* netbound optimum --traffic: the largest throughput of this traffic under any
 * routing; and --adversary: a permutation with low optimal throughput. */
#include "questions/optimum/optimum.h"
#include "questions/worst_case/worst_case_tables.h"
#include "core/memory.h"
#include "traffic/traffic_symmetry.h"

#include <math.h>
#include <string.h>

/* The certificate: paths (of the representative pairs only) and lengths
 * (channels of length > 0). */
struct flow_length {
    uint32_t channel;
    int64_t length;
};
const struct nb_table_kind nb_optimum_lengths = {
    .name = "lengths",
    .columns = NB_COLUMNS(
        NB_FIELD(struct flow_length, channel, NB_BELOW(channels)),
        NB_FIELD(struct flow_length, length, NB_AMONG(0, INT64_C(1) << 40))),
    .is_certificate = true
};

const struct nb_table_kind nb_optimum_bottleneck = {
    .name = "bottleneck",
    .columns = NB_SPELLED("channel,source,target,length:ratio")
};

static const struct nb_table_kind *flow_paths(enum nb_paths paths)
{
    return paths == NB_PATHS_SCHEME ? &nb_optimum_scheme_paths
                                    : &nb_optimum_paths;
}

void nb_optimum_add_flow(const struct nb_topology *topology,
                         enum nb_paths paths, const struct nb_best_flow *best,
                         struct nb_point *out)
{
    nb_optimum_add_paths(topology, flow_paths(paths), "", &best->paths, out);
    const size_t lengths = nb_table_start(out, &nb_optimum_lengths);
    for (size_t c = 0; c < topology->channel_count; c++)
        if (best->length[c] > 0)
            NB_ROW(out, lengths, c, best->length[c]);
}

/* Adds the certificate; and the table bottleneck: the same channels, lengths as
 * fractions of the longest; no rows if nothing limits the throughput. */
static void flow_add_tables(const struct nb_optimum_answer *answer,
                            const struct nb_best_flow *best,
                            struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    int64_t longest = 0;
    nb_optimum_add_flow(topology, answer->paths, best, out);
    for (size_t c = 0; c < topology->channel_count; c++)
        longest = best->length[c] > longest ? best->length[c] : longest;
    const size_t table = nb_table_start(out, &nb_optimum_bottleneck);
    const bool is_unlimited = nb_ratio_is_infinite(best->throughput.exact);
    for (size_t c = 0; c < topology->channel_count && !is_unlimited; c++)
        if (best->length[c] > 0)
            NB_ROW(out, table, c, topology->channels[c].source,
                   topology->channels[c].target,
                   nb_ratio_make(best->length[c], longest));
}

enum nb_status nb_optimum_read_flow(const struct nb_topology *topology,
                                    enum nb_paths paths,
                                    const struct nb_point *given,
                                    struct nb_best_flow *out,
                                    struct nb_error *err)
{
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    struct flow_length row;
    nb_optimum_read_paths(&in, flow_paths(paths), &out->paths);
    nb_read_new(&in, &out->length, topology->channel_count,
                sizeof *out->length);
    while (nb_read_row(&in, &nb_optimum_lengths, &row))
        out->length[row.channel] = row.length;
    return in.status;
}

/* No routing carries more uniform traffic than the capacity, where the capacity
 * is a maximum over all routings. */
static struct nb_enclosure
flow_throughput(const struct nb_optimum_answer *answer)
{
    const struct nb_capacity *capacity = &answer->problem.capacity;
    struct nb_enclosure throughput = answer->flow.throughput;
    if (!nb_ratio_is_known(throughput.exact) && capacity->is_most &&
        strcmp(answer->request.traffic, "uniform") == 0)
        throughput.upper = fmin(throughput.upper, capacity->rate.upper);
    return throughput;
}

static enum nb_status flow_find(const struct nb_optimum *optimum,
                                struct nb_error *err)
{
    struct nb_optimum_answer *answer = optimum->answer;
    const struct nb_problem *problem = &answer->problem;
    const struct nb_ratio gap = answer->request.gap;
    const struct nb_best_flow_question question = {
        .topology = &problem->topology,
        .traffic = &problem->traffic,
        .path_class = &optimum->class,
        .gap = nb_ratio_is_known(gap) ? nb_ratio_value(gap) : 0,
        .seconds = answer->seconds,
    };
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology,
                                &answer->sums, err));
    if (optimum->given == NULL) {
        NB_TRY(nb_best_flow_find(&question, optimum->run, &answer->flow, err));
        answer->was_stopped = answer->flow.was_stopped;
    } else {
        NB_TRY(nb_optimum_read_flow(&problem->topology, answer->paths,
                                    optimum->given, &answer->flow, err));
        NB_TRY(nb_best_flow_check(&question, &answer->flow, err));
        nb_text_print(
            optimum->said,
            "paths of %zu pair%s reach the throughput, and lengths of "
            "the channels bound it",
            answer->flow.pair_orbits, answer->flow.pair_orbits == 1 ? "" : "s");
    }
    answer->throughput = flow_throughput(answer);
done:
    return status;
}

static void flow_report(const struct nb_optimum_answer *answer,
                        struct nb_point *out)
{
    const bool is_exact = nb_ratio_is_known(answer->flow.throughput.exact);
    const bool is_bound = answer->request.routing != NULL;
    const char *method = is_exact ? "maximum concurrent flow: paths attain "
                                    "the bound that lengths of the channels "
                                    "give"
                                  : "maximum concurrent flow, bracketed from "
                                    "below by paths and from above by "
                                    "lengths, hops, or the channels of a "
                                    "router";
    const char *source = is_exact ? "FordFulkerson1958" : "GargKonemann2007";
    nb_optimum_add_best(answer, out,
                        is_bound ? "adaptive_bound" : "optimal_throughput",
                        method, source);
    nb_point_add_enclosure(out, "mean_hops", answer->flow.mean_hops, "hops",
                           "of the routing found", "");
    nb_optimum_add_gap(out,
                       is_bound ? "adaptive_bound_absolute"
                                : "optimal_throughput_absolute",
                       method, source);
    if (is_bound) {
        nb_point_rely_on_upper(out, "adaptive_bound");
        nb_optimum_note_bound(answer, out);
    }
    nb_problem_note_rate(&answer->sums, out);
    nb_optimum_note_size(answer->flow.pair_orbits, out);
    if (answer->was_stopped && !is_exact)
        nb_optimum_note_stop(answer, out);
    flow_add_tables(answer, &answer->flow, out);
}

static enum nb_status flow_symmetry(const struct nb_optimum *optimum,
                                    struct nb_symmetry *out,
                                    struct nb_error *err)
{
    const struct nb_problem *problem = &optimum->answer->problem;
    return nb_symmetry_find(&problem->topology, &problem->traffic, out, err);
}

const struct nb_optimum_way nb_optimum_traffic = { flow_find, flow_report,
                                                   flow_symmetry };

/* Fails unless what was read is a permutation. */
static void adversary_require(struct nb_table_reader *in,
                              const struct nb_sides *sides,
                              const uint32_t *permutation)
{
    bool *is_taken = NULL;
    nb_read_new(in, &is_taken, sides->count, sizeof *is_taken);
    for (size_t s = 0; s < sides->count && in->status == NB_OK; s++) {
        in->row = s * sides->multiplicity + 1;
        if (is_taken[permutation[s]])
            nb_read_refute(in, NULL);
        is_taken[permutation[s]] = true;
    }
    nb_delete(is_taken);
}

/* Reads the claim back and checks it. */
static enum nb_status adversary_prove(const struct nb_optimum *optimum,
                                      struct nb_adversary *out,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = &optimum->answer->problem.topology;
    struct nb_table_reader in =
        nb_table_reader_make(optimum->given, topology, err);
    struct nb_traffic traffic = { 0 };
    const struct nb_best_flow_question question = {
        .topology = topology,
        .traffic = &traffic,
        .path_class = &optimum->class,
        .seconds = optimum->answer->seconds,
        .ignores_symmetry = true,
    };
    enum nb_status status = NB_OK;
    nb_read_sides(&in, &out->sides);
    nb_read_permutation(&in, &out->sides, &out->permutation);
    adversary_require(&in, &out->sides, out->permutation);
    NB_TRY(in.status);
    NB_TRY(nb_adversary_traffic(topology, &out->sides, out->permutation,
                                &traffic, err));
    NB_TRY(nb_optimum_read_flow(topology, optimum->answer->paths,
                                optimum->given, &out->best, err));
    NB_TRY(nb_best_flow_check(&question, &out->best, err));
done:
    nb_traffic_release(&traffic);
    return status;
}

static enum nb_status adversary_find(const struct nb_optimum *optimum,
                                     struct nb_error *err)
{
    struct nb_optimum_answer *answer = optimum->answer;
    const struct nb_adversary_question question = {
        .topology = &answer->problem.topology,
        .path_class = &optimum->class,
        .seed = (uint64_t)answer->request.seed,
        .starts = (size_t)answer->request.starts,
        .seconds = answer->seconds,
    };
    enum nb_status status = NB_OK;
    if (optimum->given == NULL) {
        NB_TRY(nb_adversary_find(&question, optimum->run, &answer->adversary,
                                 err));
        answer->was_stopped = answer->adversary.was_stopped;
    } else {
        NB_TRY(adversary_prove(optimum, &answer->adversary, err));
        nb_text_print(optimum->said,
                      "paths reach the throughput of the permutation, "
                      "and lengths of the channels bound it");
    }
    answer->throughput = answer->adversary.best.throughput;
    if (answer->paths == NB_PATHS_MINIMAL)
        NB_TRY(nb_optimum_matching_bound(optimum, &answer->necessary, err));
done:
    return status;
}

static void adversary_report(const struct nb_optimum_answer *answer,
                             struct nb_point *out)
{
    static const char method[] = "local search over permutations; paths and "
                                 "lengths prove the throughput of the one "
                                 "found";
    static const char source[] = "FordFulkerson1958";
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_adversary *found = &answer->adversary;
    nb_optimum_add_best(answer, out, "adversary_throughput", method, source);
    nb_point_rely_on_upper(out, "adversary_throughput");
    if (answer->paths == NB_PATHS_MINIMAL)
        nb_optimum_add_throughput(&answer->problem, out, "necessary_throughput",
                                  answer->necessary,
                                  "maximum matching on necessary-shortest-path "
                                  "pairs with vertex cover",
                                  "Singh2005, section A.2");
    nb_optimum_add_gap(out, "adversary_throughput_absolute", method, source);
    nb_point_add_note(out, "bound",
                      answer->request.routing != NULL
                          ? "an upper bound on the worst case of the scheme, "
                            "not a lower bound; duality_gap is that of the "
                            "permutation found, and a worse one may exist"
                          : "an upper bound on the worst case of every "
                            "routing on these paths, including adaptive ones; "
                            "duality_gap is that of the permutation found, "
                            "and a worse one may exist");
    if (answer->was_stopped)
        nb_optimum_note_stop(answer, out);
    nb_table_add_permutation(topology, &found->sides, found->permutation, out);
    flow_add_tables(answer, &found->best, out);
}

const struct nb_optimum_way nb_optimum_adversary = { .find = adversary_find,
                                                     .report =
                                                         adversary_report };
