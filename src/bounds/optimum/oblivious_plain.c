/* What proves something without a solution (declared in oblivious_work.h). */
#include "bounds/optimum/oblivious_work.h"

#include "core/memory.h"
#include "topology/metrics.h"

/* A multiple of the numbers of channels alike that are common, so that their
 * shares are whole. */
enum { PLAIN_WEIGHT = 720720 };

/* Hops of every pair, and the most of them. */
static enum nb_status plain_distances(const struct nb_oblivious_case *here,
                                      uint32_t *distance, uint32_t *most,
                                      struct nb_error *err)
{
    const size_t n = here->topology->router_count;
    uint32_t *away = NULL, *queue = NULL;
    enum nb_status status = NB_OK;
    *most = 0;
    NB_TRY(nb_new(&away, n, sizeof *away, "distances", err));
    NB_TRY(nb_new(&queue, n, sizeof *queue, "distances", err));
    for (size_t index = 0; index < here->pair_count; index++) {
        const size_t pair = here->pair[index];
        nb_distances_to(here->topology, nb_oblivious_destination(here, pair),
                        away, queue);
        distance[index] = away[nb_oblivious_source(here, pair)];
        *most = distance[index] > *most ? distance[index] : *most;
    }
done:
    nb_delete(away);
    nb_delete(queue);
    return status;
}

/* Weight 1 on all crossings of pairs at least so far apart. */
static void plain_fill(const struct nb_oblivious_case *here,
                       const uint32_t *distance, uint32_t least, int64_t *whole)
{
    const size_t m = here->topology->channel_count;
    for (size_t index = 0; index < here->pair_count; index++)
        for (uint32_t c = 0; c < m; c++)
            whole[index * m + c] =
                distance[index] >= least &&
                nb_oblivious_crossing(&here->orbits, here->pair[index], c) %
                        m ==
                    c;
}

enum nb_status nb_oblivious_plain_weights(struct nb_oblivious_found *found,
                                          struct nb_error *err)
{
    const struct nb_oblivious_case *here = found->here;
    const size_t m = here->topology->channel_count;
    uint32_t *distance = NULL, most;
    int64_t *whole = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&whole, here->pair_count * m, sizeof *whole, "weights", err));
    if (here->question->goal == NB_LEAST_MEAN_HOPS) {
        NB_TRY(nb_oblivious_offer_weights(found, whole, 1, err));
        goto done;
    }
    NB_TRY(nb_new(&distance, here->pair_count, sizeof *distance, "distances",
                  err));
    NB_TRY(plain_distances(here, distance, &most, err));
    plain_fill(here, distance, most, whole);
    NB_TRY(nb_oblivious_offer_weights(found, whole, 1, err));
    plain_fill(here, distance, 0, whole);
    NB_TRY(nb_oblivious_offer_weights(found, whole, 1, err));
done:
    nb_delete(distance);
    nb_delete(whole);
    return status;
}

enum nb_status nb_oblivious_known_paths(struct nb_oblivious_found *found,
                                        struct nb_error *err)
{
    const struct nb_path_table *known = found->here->question->known;
    struct nb_path_table paths = { 0 };
    enum nb_status status = NB_OK;
    for (size_t p = 0; p < known->path_count; p++) {
        const struct nb_table_path *path = &known->path[p];
        NB_TRY(nb_path_table_add(&paths, path->source, path->destination,
                                 path->weight, known->channel + path->first,
                                 path->length, err));
    }
    NB_TRY(nb_oblivious_offer_paths(found, &paths, err));
done:
    nb_path_table_release(&paths);
    return status;
}

enum nb_status nb_oblivious_plain_paths(struct nb_oblivious_found *found,
                                        struct nb_error *err)
{
    const struct nb_oblivious_question *question = found->here->question;
    struct nb_path_table paths = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_short_paths(found->here, PLAIN_WEIGHT, &paths, err));
    NB_TRY(nb_oblivious_offer_paths(found, &paths, err));
    if (question->class->paths == NB_PATHS_ANY) {
        NB_TRY(nb_oblivious_way_paths(found->here, PLAIN_WEIGHT, &paths, err));
        NB_TRY(nb_oblivious_offer_paths(found, &paths, err));
    }
done:
    nb_path_table_release(&paths);
    return status;
}
