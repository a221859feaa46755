/* Matchings and starts of the adversary (declared in adversary_work.h). */
#include "bounds/optimum/adversary_work.h"

#include "bounds/matching/matching.h"
#include "bounds/worst_case/necessary_case.h"
#include "core/memory.h"

enum nb_status nb_adversary_work_init(struct nb_adversary_work *work,
                                      struct nb_error *err)
{
    const size_t n = work->sides->count;
    const size_t channels = work->question->topology->channel_count;
    enum nb_status status;
    NB_TRY(nb_path_search_init(work->question->class, &work->search, err));
    NB_TRY(
        nb_new(&work->length, channels, sizeof *work->length, "lengths", err));
    NB_TRY(
        nb_new(&work->weight, n * n, sizeof *work->weight, "distances", err));
    NB_TRY(nb_new(&work->row, n, sizeof *work->row, "duals", err));
    NB_TRY(nb_new(&work->column, n, sizeof *work->column, "duals", err));
done:
    return status;
}

void nb_adversary_work_release(struct nb_adversary_work *work)
{
    nb_adversary_end_release(&work->best);
    nb_path_search_release(&work->search);
    nb_delete(work->length);
    nb_delete(work->weight);
    nb_delete(work->row);
    nb_delete(work->column);
    *work = (struct nb_adversary_work){ 0 };
}

/* Fills weight; returns the greatest. Sides of one router are neighbours. */
static int64_t adversary_measure(struct nb_adversary_work *work,
                                 const int64_t *length)
{
    const size_t n = work->sides->count;
    const uint32_t *router = work->sides->router;
    int64_t most = 0;
    for (size_t t = 0; t < n; t++) {
        if (t == 0 || router[t] != router[t - 1])
            nb_path_search_run(&work->search, router[t], length);
        for (size_t s = 0; s < n; s++) {
            const int64_t distance =
                nb_path_search_distance(&work->search, router[s]);
            work->weight[s * n + t] = distance;
            most = distance > most ? distance : most;
        }
    }
    return most;
}

enum nb_status nb_adversary_match(struct nb_adversary_work *work,
                                  const int64_t *length, uint32_t *permutation,
                                  struct nb_error *err)
{
    const size_t n = work->sides->count;
    const int64_t limit = (((int64_t)1 << 62) - 1) / (int64_t)n;
    const int64_t most = adversary_measure(work, length);
    int64_t total;
    unsigned shift = 0;
    while (most >> shift > limit)
        shift++;
    for (size_t k = 0; k < n * n && shift > 0; k++)
        work->weight[k] >>= shift;
    return nb_matching_integer(n, work->weight, permutation, work->row,
                               work->column, &total, err);
}

/* Sources and destinations left over are joined in order. */
static enum nb_status adversary_complete(size_t n, uint32_t *permutation,
                                         struct nb_error *err)
{
    bool *is_taken = NULL;
    uint32_t next = 0;
    const enum nb_status status =
        nb_new(&is_taken, n, sizeof *is_taken, "destinations", err);
    if (status != NB_OK)
        return status;
    for (size_t s = 0; s < n; s++)
        if (permutation[s] != NB_NONE)
            is_taken[permutation[s]] = true;
    for (size_t s = 0; s < n; s++) {
        if (permutation[s] != NB_NONE)
            continue;
        while (is_taken[next])
            next++;
        permutation[s] = next++;
    }
    nb_delete(is_taken);
    return NB_OK;
}

/* The pairs of the necessary bound. */
static enum nb_status adversary_necessary(const struct nb_adversary_work *work,
                                          uint32_t *permutation,
                                          struct nb_error *err)
{
    const size_t n = work->sides->count;
    struct nb_routing routing = { 0 };
    struct nb_necessary_case bound = { 0 };
    enum nb_status status;
    NB_TRY(nb_routing_build("any-minimal", work->question->topology, &routing,
                            err));
    NB_TRY(nb_necessary_case_find(&routing, &work->run, &bound, err));
    for (size_t s = 0; s < n; s++)
        permutation[s] = bound.match[s];
    NB_TRY(adversary_complete(n, permutation, err));
done:
    nb_necessary_case_release(&bound);
    nb_routing_release(&routing);
    return status;
}

enum nb_status nb_adversary_start(struct nb_adversary_work *work, size_t start,
                                  uint32_t *permutation, struct nb_error *err)
{
    const size_t n = work->sides->count;
    nb_random_init(&work->random, work->question->seed, start);
    if (start == 0) {
        for (size_t c = 0; c < work->question->topology->channel_count; c++)
            work->length[c] = 1;
        return nb_adversary_match(work, work->length, permutation, err);
    }
    if (start == 1 && work->question->class->paths == NB_PATHS_MINIMAL)
        return adversary_necessary(work, permutation, err);
    if (start == 1)
        for (size_t s = 0; s < n; s++)
            permutation[s] = (uint32_t)(n - 1 - s);
    else
        nb_random_permutation(&work->random, (uint32_t)n, permutation);
    return NB_OK;
}
