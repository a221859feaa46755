/* The best routing and weights met so far (declared in oblivious_work.h). */
#include "bounds/optimum/oblivious_work.h"

#include "core/memory.h"

static void found_release_routing(struct nb_best_oblivious *best)
{
    nb_path_table_release(&best->paths);
    for (size_t d = 0; d < best->dual_count; d++) {
        nb_delete(best->duals[d].row);
        nb_delete(best->duals[d].column);
    }
    nb_delete(best->duals);
    best->duals = NULL;
    best->dual_count = 0;
}

void nb_best_oblivious_release(struct nb_best_oblivious *best)
{
    found_release_routing(best);
    nb_delete(best->weights);
    *best = (struct nb_best_oblivious){ 0 };
}

/* Whether a routing answers the question better than the best so far. */
static bool found_is_better(const struct nb_oblivious_found *found,
                            struct nb_enclosure load,
                            struct nb_enclosure mean_hops)
{
    const struct nb_oblivious_question *question = found->here->question;
    if (!found->has_routing)
        return true;
    if (question->goal == NB_LEAST_WORST_LOAD)
        return load.upper < found->load.upper;
    const bool keeps = nb_oblivious_keeps(question, load);
    if (keeps != nb_oblivious_keeps(question, found->load))
        return keeps;
    return keeps ? mean_hops.upper < found->mean_hops.upper
                 : load.upper < found->load.upper;
}

enum nb_status nb_oblivious_offer_paths(struct nb_oblivious_found *found,
                                        struct nb_path_table *paths,
                                        struct nb_error *err)
{
    struct nb_best_oblivious offer = { .paths = *paths };
    struct nb_enclosure load, mean_hops;
    enum nb_status status = NB_OK;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(nb_oblivious_find_duals(found->here, &offer, err));
    NB_TRY(nb_oblivious_check_routing(found->here, &offer, &load, &mean_hops,
                                      err));
    if (found_is_better(found, load, mean_hops)) {
        found_release_routing(&found->best);
        found->best.paths = offer.paths;
        found->best.duals = offer.duals;
        found->best.dual_count = offer.dual_count;
        found->load = load;
        found->mean_hops = mean_hops;
        found->has_routing = true;
        offer = (struct nb_best_oblivious){ 0 };
    }
done:
    found_release_routing(&offer);
    return status;
}

enum nb_status nb_oblivious_offer_weights(struct nb_oblivious_found *found,
                                          const int64_t *whole, int64_t scale,
                                          struct nb_error *err)
{
    const struct nb_oblivious_case *here = found->here;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    struct nb_best_oblivious offer = { .weight_scale = scale };
    struct nb_enclosure lower;
    size_t count = 0;
    enum nb_status status = NB_OK;
    for (size_t cell = 0; cell < cells; cell++)
        count += whole[cell] > 0;
    NB_TRY(
        nb_new(&offer.weights, count, sizeof *offer.weights, "weights", err));
    for (size_t cell = 0; cell < cells; cell++) {
        const size_t pair = here->pair[cell / m];
        if (whole[cell] > 0)
            offer.weights[offer.weight_count++] = (struct nb_adversary_weight){
                .source = nb_oblivious_source(here, pair),
                .destination = nb_oblivious_destination(here, pair),
                .channel = (uint32_t)(cell % m),
                .weight = whole[cell],
            };
    }
    NB_TRY(nb_oblivious_check_weights(here, &offer, &lower, err));
    if (!found->has_weights || lower.lower > found->lower.lower) {
        nb_delete(found->best.weights);
        found->best.weights = offer.weights;
        found->best.weight_count = offer.weight_count;
        found->best.weight_scale = scale;
        found->lower = lower;
        found->has_weights = true;
        offer.weights = NULL;
    }
done:
    nb_delete(offer.weights);
    return status;
}

bool nb_oblivious_is_met(const struct nb_oblivious_found *found)
{
    const bool has_hops = found->here->question->goal == NB_LEAST_MEAN_HOPS;
    const struct nb_ratio upper =
        has_hops ? found->mean_hops.exact : found->load.exact;
    if (has_hops && !nb_oblivious_keeps(found->here->question, found->load))
        return false;
    return nb_ratio_is_known(upper) && nb_ratio_is_known(found->lower.exact) &&
           nb_ratio_compare(upper, found->lower.exact) == 0;
}
