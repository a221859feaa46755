/* netbound optimum --traffic: the largest throughput of this traffic under any
 * routing; and --adversary: a permutation with low optimal throughput. */
#include "questions/optimum/optimum.h"
#include "ask/table_read.h"
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
static const struct nb_table_kind flow_lengths = {
    "lengths",
    NB_COLUMNS(
        NB_FIELD(struct flow_length, channel, NB_BELOW(channels)),
        NB_FIELD(struct flow_length, length, NB_AMONG(0, INT64_C(1) << 40))),
    true
};

#define FLOW_BOTTLENECK "channel,source,target,length:ratio"

void nb_optimum_add_flow(const struct nb_topology *topology,
                         enum nb_paths paths, const struct nb_best_flow *best,
                         struct nb_point *out)
{
    if (paths == NB_PATHS_SCHEME)
        nb_optimum_add_ways(topology, &best->paths, out);
    else
        nb_optimum_add_paths(topology, "", &best->paths, out);
    const size_t lengths = nb_table_start(out, &flow_lengths);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct flow_length row = { (uint32_t)c, best->length[c] };
        if (row.length > 0)
            nb_table_add_fields(out, lengths, &flow_lengths, &row);
    }
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
    const size_t table =
        nb_point_add_table(out, "bottleneck", false, FLOW_BOTTLENECK);
    const bool is_unlimited = nb_ratio_is_infinite(best->throughput.exact);
    for (size_t c = 0; c < topology->channel_count; c++) {
        if (best->length[c] == 0 || is_unlimited)
            continue;
        nb_table_add_whole(out, table, (int64_t)c);
        nb_table_add_whole(out, table, topology->channels[c].source);
        nb_table_add_whole(out, table, topology->channels[c].target);
        nb_table_add_ratio(out, table, nb_ratio_make(best->length[c], longest));
    }
}

enum nb_status nb_optimum_read_flow(const struct nb_topology *topology,
                                    enum nb_paths paths,
                                    const struct nb_point *given,
                                    struct nb_best_flow *out,
                                    struct nb_error *err)
{
    const struct nb_row_limits limits = nb_table_limits(topology, NULL);
    const struct nb_table *table;
    enum nb_status status;
    NB_TRY(nb_table_find(&flow_lengths, "", given, &table, err));
    NB_TRY(paths == NB_PATHS_SCHEME
               ? nb_optimum_read_ways(topology, given, &out->paths, err)
               : nb_optimum_read_paths(topology, "", given, &out->paths, err));
    NB_TRY(nb_new(&out->length, topology->channel_count, sizeof *out->length,
                  "lengths", err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct flow_length row;
        NB_TRY(nb_table_read_row(&flow_lengths, table, r, &limits, &row, err));
        out->length[row.channel] = row.length;
    }
done:
    return status;
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
                                const struct nb_point *given,
                                struct nb_text *said, struct nb_error *err)
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
    if (given == NULL) {
        NB_TRY(nb_best_flow_find(&question, optimum->run, &answer->flow, err));
        answer->was_stopped = answer->flow.was_stopped;
    } else {
        NB_TRY(nb_optimum_read_flow(&problem->topology, answer->paths, given,
                                    &answer->flow, err));
        NB_TRY(nb_best_flow_check(&question, &answer->flow, err));
        nb_text_print(
            said,
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

/* The permutation of sides, from the table permutation of terminals. Only the
 * first terminal of each side is read. permutation: out, [sides->count].
 * Errors: NB_REFUTED, also if it is not a permutation. */
static enum nb_status adversary_read(const struct nb_sides *sides,
                                     const struct nb_point *given,
                                     uint32_t *permutation,
                                     struct nb_error *err)
{
    const size_t p = sides->multiplicity, count = sides->count;
    const struct nb_row_limits limits = { .terminals = (int64_t)(count * p) };
    const struct nb_table *table;
    bool *is_taken = NULL;
    enum nb_status status;
    NB_TRY(nb_table_find(&nb_pairs_permutation, "", given, &table, err));
    if (table->row_count != count * p)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "table permutation has %zu rows for %zu terminals",
                       table->row_count, count * p));
    NB_TRY(nb_new(&is_taken, count, sizeof *is_taken, "permutation", err));
    for (size_t s = 0; s < count; s++) {
        /* Terminals are numbered router by router, as sides are. */
        struct nb_pair_row pair;
        NB_TRY(nb_table_read_row(&nb_pairs_permutation, table, s * p, &limits,
                                 &pair, err));
        permutation[s] = pair.destination / sides->multiplicity;
        if (is_taken[permutation[s]])
            NB_TRY(nb_table_refute(table->name, s * p, err));
        is_taken[permutation[s]] = true;
    }
done:
    nb_delete(is_taken);
    return status;
}

/* Reads the claim back and checks it. */
static enum nb_status adversary_prove(const struct nb_optimum *optimum,
                                      const struct nb_point *given,
                                      struct nb_adversary *out,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = &optimum->answer->problem.topology;
    struct nb_traffic traffic = { 0 };
    const struct nb_best_flow_question question = {
        .topology = topology,
        .traffic = &traffic,
        .path_class = &optimum->class,
        .seconds = optimum->answer->seconds,
        .ignores_symmetry = true,
    };
    enum nb_status status = NB_OK;
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    NB_TRY(nb_new(&out->permutation, out->sides.count, sizeof *out->permutation,
                  "permutation", err));
    NB_TRY(adversary_read(&out->sides, given, out->permutation, err));
    NB_TRY(nb_adversary_traffic(topology, &out->sides, out->permutation,
                                &traffic, err));
    NB_TRY(nb_optimum_read_flow(topology, optimum->answer->paths, given,
                                &out->best, err));
    NB_TRY(nb_best_flow_check(&question, &out->best, err));
done:
    nb_traffic_release(&traffic);
    return status;
}

static enum nb_status adversary_find(const struct nb_optimum *optimum,
                                     const struct nb_point *given,
                                     struct nb_text *said, struct nb_error *err)
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
    if (given == NULL) {
        NB_TRY(nb_adversary_find(&question, optimum->run, &answer->adversary,
                                 err));
        answer->was_stopped = answer->adversary.was_stopped;
    } else {
        NB_TRY(adversary_prove(optimum, given, &answer->adversary, err));
        nb_text_print(said, "paths reach the throughput of the permutation, "
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
                                                     .tell = adversary_report };
