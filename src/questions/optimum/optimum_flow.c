/* netbound optimum --traffic: the most that any routing carries of it. */
#include "bounds/optimum/best_flow.h"
#include "topology/symmetry.h"
#include "questions/optimum/optimum_report.h"
#include "questions/optimum/optimum_tables.h"
#include "core/try.h"
#include "traffic/traffic_symmetry.h"

#include <math.h>
#include <string.h>

static struct nb_best_flow_question flow_ask(const struct nb_optimum *optimum)
{
    const struct nb_ratio gap = nb_optimum_number(optimum, "gap");
    return (struct nb_best_flow_question){
        .topology = &optimum->problem.topology,
        .traffic = &optimum->problem.traffic,
        .path_class = &optimum->class,
        .gap = nb_ratio_is_known(gap) ? nb_ratio_value(gap) : 0,
        .seconds = optimum->seconds,
    };
}

/* No routing carries more uniform traffic than the capacity, where that is the
 * most there is. */
static struct nb_enclosure flow_throughput(const struct nb_optimum *optimum,
                                           const struct nb_best_flow *best)
{
    const struct nb_capacity *capacity = &optimum->problem.capacity;
    const char *traffic = nb_model_get(optimum->question->model, "traffic");
    struct nb_enclosure throughput = best->throughput;
    if (!nb_ratio_is_known(throughput.exact) && capacity->is_most &&
        strcmp(traffic, "uniform") == 0)
        throughput.upper = fmin(throughput.upper, capacity->rate.upper);
    return throughput;
}

static enum nb_status flow_add(const struct nb_optimum *optimum,
                               const struct nb_best_flow *best,
                               struct nb_point *out, struct nb_error *err)
{
    const struct nb_problem *problem = &optimum->problem;
    const bool is_exact = nb_ratio_is_known(best->throughput.exact);
    const char *method = is_exact ? "maximum concurrent flow: paths reach what "
                                    "lengths of the channels permit"
                                  : "maximum concurrent flow, between what "
                                    "paths reach and lengths permit, or hops, "
                                    "or the channels of a router";
    const char *source = is_exact ? "FordFulkerson1958" : "GargKonemann2007";
    struct nb_traffic_sums sums;
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_sums_find(&problem->traffic, &problem->topology, &sums,
                                err));
    nb_problem_add_throughput(
        problem, out, "optimal_throughput", flow_throughput(optimum, best),
        nb_ratio_compare(sums.row, sums.column) > 0 ? sums.row : sums.column,
        method, source);
    nb_point_add_enclosure(out, "mean_hops", best->mean_hops, "hops",
                           "of the routing found", "");
    nb_optimum_add_gap(out, "optimal_throughput_absolute", method, source);
    nb_problem_note_rate(&sums, out);
    nb_optimum_note_size(best->pair_orbits, out);
    if (best->was_stopped && !is_exact)
        nb_optimum_note_stop(optimum, out);
    NB_TRY(nb_optimum_add_flow(&problem->topology, best, out, err));
done:
    return status;
}

static enum nb_status flow_answer(const struct nb_optimum *optimum,
                                  struct nb_point *out, struct nb_error *err)
{
    const struct nb_best_flow_question question = flow_ask(optimum);
    struct nb_best_flow best = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_best_flow_find(&question, &optimum->question->run, &best, err));
    NB_TRY(flow_add(optimum, &best, out, err));
done:
    nb_best_flow_release(&best);
    return status;
}

static enum nb_status flow_check(const struct nb_optimum *optimum,
                                 const struct nb_point *given,
                                 struct nb_point *out, struct nb_text *said,
                                 struct nb_error *err)
{
    const struct nb_best_flow_question question = flow_ask(optimum);
    struct nb_best_flow claimed = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_read_flow(question.topology, given, &claimed, err));
    NB_TRY(nb_best_flow_check(&question, &claimed, err));
    claimed.was_stopped = nb_optimum_was_stopped(optimum, given);
    NB_TRY(flow_add(optimum, &claimed, out, err));
    nb_text_print(said,
                  "paths of %zu pairs carry, and lengths of the channels "
                  "bound, the throughput",
                  claimed.pair_orbits);
done:
    nb_best_flow_release(&claimed);
    return status;
}

static enum nb_status flow_symmetry(const struct nb_optimum *optimum,
                                    const struct nb_point *given,
                                    struct nb_symmetry *out,
                                    struct nb_error *err)
{
    (void)given;
    return nb_symmetry_find(&optimum->problem.topology,
                            &optimum->problem.traffic, out, err);
}

const struct nb_optimum_goal nb_optimum_traffic = {
    .option = "traffic",
    .permitted = "allow-inadmissible gap schemes routing-table",
    .answer = flow_answer,
    .check = flow_check,
    .symmetry = flow_symmetry,
};
