/* netbound optimum --average: the oblivious routing that does best on a sample
 * of permutations. */
#include "bounds/optimum/best_average.h"
#include "questions/optimum/optimum_report.h"
#include "questions/optimum/optimum_tables.h"
#include "questions/table_read.h"
#include "core/memory.h"

#include <stdio.h>

static const char average_source[] = "TowlesDallyBoyd2003";

static const struct nb_certificate average_weights = {
    "weights",
    NB_COLUMNS(
        NB_FIELD(struct nb_average_weight, permutation, NB_BELOW(permutations)),
        NB_FIELD(struct nb_average_weight, channel, NB_BELOW(channels)),
        NB_FIELD(struct nb_average_weight, weight,
                 NB_AMONG(1, INT64_C(1) << 40)))
};

static struct nb_average_question average_ask(const struct nb_optimum *optimum)
{
    return (struct nb_average_question){
        .topology = &optimum->problem.topology,
        .path_class = &optimum->class,
        .count = nb_optimum_whole(optimum, "count", NB_OPTIMUM_COUNT),
        .seed = nb_optimum_whole(optimum, "seed", 1),
        .seconds = optimum->seconds,
    };
}

static enum nb_status average_read(const struct nb_average_question *question,
                                   const struct nb_point *given,
                                   struct nb_best_average *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = question->topology;
    struct nb_certificate_limits limits = nb_table_limits(topology, NULL);
    enum nb_status status;
    limits.permutations = (int64_t)question->count;
    NB_TRY(nb_optimum_read_paths(topology, "", given, &out->paths, err));
    NB_TRY(nb_certificate_read_all(&average_weights, "", given, &limits,
                                   &out->weights, &out->weight_count,
                                   sizeof *out->weights, err));
done:
    return status;
}

static void average_note_sample(const struct nb_average_question *question,
                                const struct nb_best_average *best,
                                struct nb_point *out)
{
    char text[300];
    snprintf(text, sizeof text,
             "permutations 0 to %zu of seed %llu, those of netbound "
             "permutations; the best of routings that %s keeps",
             question->count - 1, (unsigned long long)question->seed,
             best->kept_by);
    nb_point_add_note(out, "sample", text);
    if (best->is_group_partial)
        nb_point_add_note(out, "automorphisms",
                          "the search for them was given up before its end: "
                          "the routings are those that the ones found keep");
    if (best->idle_count == 0)
        return;
    snprintf(text, sizeof text,
             "%zu of the permutations load no channel: their throughput is "
             "infinite, and mean_throughput is that of the others",
             best->idle_count);
    nb_point_add_note(out, "idle_permutations", text);
}

static enum nb_status average_add(const struct nb_optimum *optimum,
                                  const struct nb_average_question *question,
                                  const struct nb_best_average *best,
                                  struct nb_point *out, struct nb_error *err)
{
    static const char method[] = "harmonic mean over the sample, by a linear "
                                 "program over orbits of pairs and channels, "
                                 "with primal and dual";
    const struct nb_problem *problem = &optimum->problem;
    const bool is_exact = nb_ratio_is_known(best->mean_load.exact);
    enum nb_status status = NB_OK;
    nb_problem_add_throughput(
        problem, out, "optimal_average_throughput",
        nb_enclosure_divide(nb_enclosure_of_whole(1), best->mean_load),
        nb_ratio_one, method, average_source);
    nb_optimum_add_throughput(problem, out, "mean_throughput",
                              best->mean_throughput,
                              "mean over the sample, of the routing found", "");
    nb_optimum_add_throughput(problem, out, "min_throughput",
                              best->least_throughput,
                              "least of the sample, of the routing found", "");
    nb_point_add_enclosure(out, "mean_hops", best->mean_hops, "hops",
                           "of the routing found, uniform traffic", "");
    nb_optimum_add_gap(out, "optimal_average_throughput_absolute", method,
                       average_source);
    average_note_sample(question, best, out);
    nb_optimum_note_size(best->pair_orbits, out);
    if (best->is_too_large && !is_exact)
        nb_point_add_note(out, "too_large",
                          "the linear program would be too large; the bracket "
                          "is what shortest paths, paths by way of every "
                          "router, and hops prove");
    if (best->was_stopped && !is_exact)
        nb_optimum_note_stop(optimum, out);
    NB_TRY(
        nb_optimum_add_paths(question->topology, "", &best->paths, out, err));
    nb_certificate_write(&average_weights, "", best->weights,
                         best->weight_count, sizeof *best->weights, out);
done:
    return status;
}

static enum nb_status average_answer(const struct nb_optimum *optimum,
                                     struct nb_point *out, struct nb_error *err)
{
    const struct nb_average_question question = average_ask(optimum);
    struct nb_best_average best = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_best_average_find(&question, &optimum->question->run, &best, err));
    NB_TRY(average_add(optimum, &question, &best, out, err));
done:
    nb_best_average_release(&best);
    return status;
}

static enum nb_status average_check(const struct nb_optimum *optimum,
                                    const struct nb_point *given,
                                    struct nb_point *out, struct nb_text *said,
                                    struct nb_error *err)
{
    const struct nb_average_question question = average_ask(optimum);
    struct nb_best_average claimed = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(average_read(&question, given, &claimed, err));
    NB_TRY(nb_best_average_check(&question, &claimed, err));
    claimed.was_stopped = nb_optimum_was_stopped(optimum, given);
    NB_TRY(average_add(optimum, &question, &claimed, out, err));
    nb_text_print(said,
                  "paths of %zu pairs reach, and weights of channels bound, "
                  "the average over %zu permutations, drawn again",
                  claimed.pair_orbits, question.count);
done:
    nb_best_average_release(&claimed);
    return status;
}

static enum nb_status average_symmetry(const struct nb_optimum *optimum,
                                       const struct nb_point *given,
                                       struct nb_symmetry *out,
                                       struct nb_error *err)
{
    const struct nb_average_question question = average_ask(optimum);
    (void)given;
    return nb_best_average_symmetry(&question, out, err);
}

const struct nb_optimum_goal nb_optimum_average = {
    .option = "average",
    .permitted = "count seed schemes routing-table",
    .answer = average_answer,
    .check = average_check,
    .symmetry = average_symmetry,
};
