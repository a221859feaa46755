/* netbound optimum --average: the oblivious routing with the best mean over a
 * sample of permutations. */
#include "questions/optimum/optimum.h"
#include "core/try.h"

const struct nb_table_kind nb_optimum_average_weights = {
    .name = "weights",
    .columns = NB_COLUMNS(
        NB_FIELD(struct nb_average_weight, permutation, NB_BELOW(permutations)),
        NB_FIELD(struct nb_average_weight, channel, NB_BELOW(channels)),
        NB_FIELD(struct nb_average_weight, weight,
                 NB_AMONG(1, INT64_C(1) << 40))),
    .is_certificate = true
};

static struct nb_average_question average_ask(const struct nb_optimum *optimum)
{
    return (struct nb_average_question){
        .topology = &optimum->answer->problem.topology,
        .path_class = &optimum->class,
        .count = (size_t)optimum->answer->request.count,
        .seed = (uint64_t)optimum->answer->request.seed,
        .seconds = optimum->answer->seconds,
    };
}

static enum nb_status average_read(const struct nb_average_question *question,
                                   const struct nb_point *given,
                                   struct nb_best_average *out,
                                   struct nb_error *err)
{
    struct nb_table_reader in =
        nb_table_reader_make(given, question->topology, err);
    in.limits.permutations = (int64_t)question->count;
    nb_optimum_read_paths(&in, &nb_optimum_paths, &out->paths);
    nb_read_rows(&in, &nb_optimum_average_weights, &out->weights,
                 &out->weight_count, sizeof *out->weights);
    return in.status;
}

static enum nb_status average_find(const struct nb_optimum *optimum,
                                   struct nb_error *err)
{
    const struct nb_average_question question = average_ask(optimum);
    struct nb_optimum_answer *answer = optimum->answer;
    struct nb_best_average *best = &answer->average;
    enum nb_status status = NB_OK;
    if (optimum->given == NULL) {
        NB_TRY(nb_best_average_find(&question, optimum->run, best, err));
        answer->was_stopped = best->was_stopped;
    } else {
        NB_TRY(average_read(&question, optimum->given, best, err));
        NB_TRY(nb_best_average_check(&question, best, err));
        nb_text_print(
            optimum->said,
            "paths of %zu pair%s reach the average over %zu permutations, and "
            "weights of channels bound it; the permutations were drawn again",
            best->pair_orbits, best->pair_orbits == 1 ? "" : "s",
            question.count);
    }
    answer->throughput =
        nb_enclosure_divide(nb_enclosure_of_whole(1), best->mean_load);
done:
    return status;
}

static void average_note_sample(const struct nb_optimum_answer *answer,
                                struct nb_point *out)
{
    const struct nb_best_average *best = &answer->average;
    nb_point_note(out, "sample",
                  "permutations 0 to %lld of seed %lld, as in netbound "
                  "permutations; the best of the routings invariant under %s",
                  (long long)answer->request.count - 1,
                  (long long)answer->request.seed, best->kept_by);
    if (best->is_group_partial)
        nb_point_add_note(out, "automorphisms",
                          "the search for automorphisms was cut short: the "
                          "routings are those invariant under the ones found");
    if (best->idle_count > 0)
        nb_point_note(
            out, "idle_permutations",
            "%zu of the permutations load no channel: their throughput is "
            "infinite, and mean_throughput is over the others",
            best->idle_count);
}

static void average_report(const struct nb_optimum_answer *answer,
                           struct nb_point *out)
{
    static const char method[] = "harmonic mean over the sample, by a linear "
                                 "program over orbits of pairs and channels, "
                                 "with primal and dual";
    static const char source[] = "TowlesDallyBoyd2003";
    const struct nb_problem *problem = &answer->problem;
    const struct nb_best_average *best = &answer->average;
    const bool is_exact = nb_ratio_is_known(best->mean_load.exact);
    nb_optimum_add_best(answer, out, "optimal_average_throughput", method,
                        source);
    nb_optimum_add_throughput(problem, out, "mean_throughput",
                              best->mean_throughput,
                              "mean over the sample, of the routing found", "");
    nb_optimum_add_throughput(
        problem, out, "min_throughput", best->least_throughput,
        "minimum over the sample, of the routing found", "");
    nb_point_add_enclosure(out, "mean_hops", best->mean_hops, "hops",
                           "of the routing found, uniform traffic", "");
    nb_optimum_add_gap(out, "optimal_average_throughput_absolute", method,
                       source);
    average_note_sample(answer, out);
    nb_optimum_note_size(best->pair_orbits, out);
    if (best->is_too_large && !is_exact)
        nb_point_add_note(out, "too_large",
                          "the linear program would be too large; the bracket "
                          "is proved by shortest paths, paths through every "
                          "router, and hops");
    if (answer->was_stopped && !is_exact)
        nb_optimum_note_stop(answer, out);
    nb_optimum_add_paths(&problem->topology, &nb_optimum_paths, "",
                         &best->paths, out);
    NB_WRITE_ROWS(out, &nb_optimum_average_weights, best->weights,
                  best->weight_count);
}

static enum nb_status average_symmetry(const struct nb_optimum *optimum,
                                       struct nb_symmetry *out,
                                       struct nb_error *err)
{
    const struct nb_average_question question = average_ask(optimum);
    return nb_best_average_symmetry(&question, out, err);
}

const struct nb_optimum_way nb_optimum_average = { average_find, average_report,
                                                   average_symmetry };
