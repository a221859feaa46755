/* Routings of the program's flows and of none (declared in
 * best_average_work.h). */
#include "bounds/optimum/best_average_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

/* How near a double must be to a ratio to be taken for it; 0: plain rounding,
 * which always gives something. */
static const double flows_tolerance[] = { 1e-11, 1e-8, 1e-6, 0 };
enum { FLOWS_TRIES = sizeof flows_tolerance / sizeof flows_tolerance[0] };

/* The greatest denominator of flows. */
#define FLOWS_LIMIT ((int64_t)1 << 38)

bool nb_average_is_met(const struct nb_average_found *found)
{
    return nb_ratio_is_known(found->best.mean_load.exact) &&
           nb_ratio_is_known(found->lower.exact) &&
           nb_ratio_compare(found->best.mean_load.exact, found->lower.exact) ==
               0;
}

/* Keeps paths, which are taken over, if they are better than what there is. */
static enum nb_status flows_offer_paths(struct nb_average_found *found,
                                        const struct nb_run *run,
                                        struct nb_path_table *paths,
                                        struct nb_error *err)
{
    struct nb_best_average offer = { .paths = *paths };
    enum nb_status status = NB_OK;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(nb_average_check_paths(found->average, run, &offer, err));
    if (!found->has_routing ||
        offer.mean_load.upper < found->best.mean_load.upper) {
        nb_path_table_release(&found->best.paths);
        offer.weights = found->best.weights;
        offer.weight_count = found->best.weight_count;
        found->best = offer;
        found->has_routing = true;
        offer = (struct nb_best_average){ 0 };
    }
done:
    nb_path_table_release(&offer.paths);
    return status;
}

enum nb_status nb_average_take_flows(const struct nb_average_program *program,
                                     const struct nb_run *run,
                                     struct nb_average_found *found,
                                     struct nb_error *err)
{
    const size_t count = program->first;
    struct nb_path_table paths = { 0 };
    int64_t *whole = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&whole, count, sizeof *whole, "flows", err));
    for (size_t t = 0; t < FLOWS_TRIES && !nb_average_is_met(found); t++) {
        int64_t denominator = FLOWS_LIMIT;
        if (flows_tolerance[t] > 0)
            denominator = nb_whole_find(count, program->flow,
                                        flows_tolerance[t], FLOWS_LIMIT, whole);
        else
            nb_whole_round(count, program->flow, (double)denominator, whole);
        if (denominator == 0)
            continue;
        NB_TRY(nb_oblivious_peel(&program->flows, whole, denominator, &paths,
                                 err));
        NB_TRY(flows_offer_paths(found, run, &paths, err));
    }
done:
    nb_delete(whole);
    nb_path_table_release(&paths);
    return status;
}

enum nb_status nb_average_plain_paths(const struct nb_run *run,
                                      struct nb_average_found *found,
                                      struct nb_error *err)
{
    const struct nb_oblivious_case *here = &found->average->here;
    struct nb_path_table paths = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_short_paths(here, 1, &paths, err));
    NB_TRY(flows_offer_paths(found, run, &paths, err));
    if (here->question->class->paths == NB_PATHS_ANY) {
        NB_TRY(nb_oblivious_way_paths(here, 1, &paths, err));
        NB_TRY(flows_offer_paths(found, run, &paths, err));
    }
done:
    nb_path_table_release(&paths);
    return status;
}
