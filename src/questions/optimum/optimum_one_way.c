/* The optimum of a network in which every pair of terminals has one path: what
 * min reaches (declared in optimum.h). */
#include "core/try.h"
#include "questions/optimum/optimum.h"

enum nb_status
nb_optimum_one_way_accepts(const struct nb_optimum_answer *answer,
                           struct nb_error *err)
{
    const struct nb_optimum_question *request = &answer->request;
    const struct nb_topology_kind *kind = answer->problem.topology.kind;
    const char *refused = answer->goal == NB_OPTIMUM_ADVERSARY ? "--adversary"
                          : request->locality                  ? "--locality"
                          : nb_ratio_is_known(request->at)     ? "--at"
                          : answer->paths == NB_PATHS_TWO_TURN
                              ? "--paths two-turn"
                              : NULL;
    if (!kind->is_one_way || refused == NULL)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%s is not permitted on topology %s, where every pair of "
                   "terminals has one path (permitted: --traffic, "
                   "--worst-case, --average)",
                   refused, kind->kind.name);
}

/* Needs no certificate: checking the answer is computing it again. */
static enum nb_status one_way_find(const struct nb_optimum *optimum,
                                   struct nb_error *err)
{
    struct nb_optimum_answer *answer = optimum->answer;
    struct nb_routing routing = { 0 };
    enum nb_status status;
    NB_TRY(nb_routing_build("min", &answer->problem.topology, &routing, err));
    if (answer->goal == NB_OPTIMUM_TRAFFIC)
        NB_TRY(nb_traffic_sums_find(&answer->problem.traffic,
                                    &answer->problem.topology, &answer->sums,
                                    err));
    NB_TRY(nb_optimum_scheme(optimum, &routing, &answer->throughput, err));
    if (optimum->given != NULL)
        nb_text_print(optimum->said,
                      "the one path of every pair, computed again");
done:
    nb_routing_release(&routing);
    return status;
}

static void one_way_report(const struct nb_optimum_answer *answer,
                           struct nb_point *out)
{
    static const char *const names[] = {
        [NB_OPTIMUM_TRAFFIC] = "optimal_throughput",
        [NB_OPTIMUM_WORST_CASE] = "optimal_worst_case_throughput",
        [NB_OPTIMUM_AVERAGE] = "optimal_average_throughput",
    };
    nb_optimum_add_best(answer, out, names[answer->goal],
                        "that of min: every pair has one path", "");
    if (answer->goal == NB_OPTIMUM_TRAFFIC)
        nb_problem_note_rate(&answer->sums, out);
    if (answer->goal == NB_OPTIMUM_AVERAGE)
        nb_point_note(out, "sample",
                      "permutations 0 to %lld of seed %lld, as in netbound "
                      "permutations",
                      (long long)answer->request.count - 1,
                      (long long)answer->request.seed);
    if (answer->request.unbalanced)
        nb_point_note_overload(out, answer->request.saturated);
    nb_point_add_note(out, "one_path",
                      "every pair of terminals has one path, so no routing "
                      "does better than min");
}

const struct nb_optimum_way nb_optimum_one_way = { .find = one_way_find,
                                                   .report = one_way_report };
