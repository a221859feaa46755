/* netbound optimum --adversary: a permutation that leaves the best routing
 * little. */
#include "bounds/optimum/adversary.h"
#include "questions/optimum/optimum_report.h"
#include "questions/optimum/optimum_tables.h"
#include "questions/worst_case/worst_case_tables.h"
#include "core/memory.h"

#define ADVERSARY_STARTS 4

/* What no minimal routing can pass, from matching: beside it. */
static enum nb_status adversary_add_necessary(const struct nb_optimum *optimum,
                                              struct nb_point *out,
                                              struct nb_error *err)
{
    struct nb_enclosure bound;
    enum nb_status status = NB_OK;
    if (optimum->class.paths != NB_PATHS_MINIMAL)
        return NB_OK;
    NB_TRY(nb_optimum_matching_bound(optimum, &bound, err));
    nb_optimum_add_throughput(&optimum->problem, out, "necessary_throughput",
                              bound,
                              "maximum matching on necessary-shortest-path "
                              "pairs with vertex cover",
                              "Singh2005, section A.2");
done:
    return status;
}

static enum nb_status adversary_add(const struct nb_optimum *optimum,
                                    const struct nb_adversary *found,
                                    struct nb_point *out, struct nb_error *err)
{
    static const char method[] = "local search over permutations, the one "
                                 "found with paths and lengths";
    const struct nb_problem *problem = &optimum->problem;
    const struct nb_topology *topology = &problem->topology;
    enum nb_status status = NB_OK;
    nb_problem_add_throughput(problem, out, "adversary_throughput",
                              found->best.throughput, nb_ratio_one, method,
                              "FordFulkerson1958");
    NB_TRY(adversary_add_necessary(optimum, out, err));
    nb_optimum_add_gap(out, "adversary_throughput_absolute", method,
                       "FordFulkerson1958");
    nb_point_add_note(out, "bound",
                      "an upper bound on the worst case of every routing with "
                      "these paths, adaptive ones included; a worse "
                      "permutation may exist");
    if (found->was_stopped)
        nb_optimum_note_stop(optimum, out);
    nb_table_add_permutation(topology, &found->sides, found->permutation, out);
    NB_TRY(nb_optimum_add_flow(topology, &found->best, out, err));
done:
    return status;
}

static enum nb_status adversary_answer(const struct nb_optimum *optimum,
                                       struct nb_point *out,
                                       struct nb_error *err)
{
    const struct nb_adversary_question question = {
        .topology = &optimum->problem.topology,
        .path_class = &optimum->class,
        .seed = nb_optimum_whole(optimum, "seed", 1),
        .starts = nb_optimum_whole(optimum, "starts", ADVERSARY_STARTS),
        .seconds = optimum->seconds,
    };
    struct nb_adversary found = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_adversary_find(&question, &optimum->question->run, &found, err));
    NB_TRY(adversary_add(optimum, &found, out, err));
done:
    nb_adversary_release(&found);
    return status;
}

static enum nb_status adversary_check(const struct nb_optimum *optimum,
                                      const struct nb_point *given,
                                      struct nb_point *out,
                                      struct nb_text *said,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = &optimum->problem.topology;
    struct nb_adversary claimed = { 0 };
    struct nb_traffic traffic = { 0 };
    const struct nb_best_flow_question question = {
        .topology = topology,
        .traffic = &traffic,
        .path_class = &optimum->class,
        .seconds = optimum->seconds,
        .ignores_symmetry = true,
    };
    enum nb_status status = NB_OK;
    NB_TRY(nb_sides_find(topology, &claimed.sides, err));
    NB_TRY(nb_new(&claimed.permutation, claimed.sides.count,
                  sizeof *claimed.permutation, "permutation", err));
    NB_TRY(nb_optimum_read_permutation(&claimed.sides, given,
                                       claimed.permutation, err));
    NB_TRY(nb_adversary_traffic(topology, &claimed.sides, claimed.permutation,
                                &traffic, err));
    NB_TRY(nb_optimum_read_flow(topology, given, &claimed.best, err));
    NB_TRY(nb_best_flow_check(&question, &claimed.best, err));
    claimed.was_stopped = nb_optimum_was_stopped(optimum, given);
    NB_TRY(adversary_add(optimum, &claimed, out, err));
    nb_text_print(said, "paths carry, and lengths of the channels bound, the "
                        "throughput of the permutation");
done:
    nb_traffic_release(&traffic);
    nb_adversary_release(&claimed);
    return status;
}

const struct nb_optimum_goal nb_optimum_adversary = {
    .option = "adversary",
    .permitted = "starts seed permutation",
    .answer = adversary_answer,
    .check = adversary_check,
};
