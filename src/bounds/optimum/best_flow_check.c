/* Checking a claimed best flow (declared in best_flow.h). */
#include "bounds/optimum/best_flow_work.h"

#include "core/memory.h"

#include <inttypes.h>
#include <math.h>

/* A claim with the orbits that it is about. */
struct flow_claim {
    const struct nb_best_flow *claimed;
    struct nb_flow_orbits orbits;
    uint32_t *orbit;   /* [path] */
    int64_t *distance; /* [orbit]; -1: has no paths yet */
    int64_t sum;       /* of the weights of a pair */
};

/* Lengths in range, and the same along each line. */
static enum nb_status claim_lengths(const struct flow_claim *claim,
                                    struct nb_error *err)
{
    const struct nb_flow_orbits *orbits = &claim->orbits;
    const int64_t *length = claim->claimed->length;
    int64_t most = 0;
    for (uint32_t c = 0; c < orbits->topology->channel_count; c++) {
        const uint32_t first = orbits->line[orbits->line_of[c]].channel;
        if (length[c] < 0 || length[c] > (int64_t)1 << 40)
            return nb_fail(err, NB_REFUTED,
                           "channel %u: length %" PRId64
                           "; permitted: 0 .. 2^40",
                           c, length[c]);
        if (length[c] != length[first])
            return nb_fail(err, NB_REFUTED,
                           "channel %u: length %" PRId64 ", but %" PRId64
                           " of channel %u, which is alike",
                           c, length[c], length[first], first);
        most = length[c] > most ? length[c] : most;
    }
    return most > 0 ? NB_OK : nb_fail(err, NB_REFUTED, "all lengths are 0");
}

static enum nb_status claim_refute_pair(const struct nb_table_path *path,
                                        const char *reason,
                                        struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED, "paths from router %u to %u: %s",
                   path->source, path->destination, reason);
}

/* Whether two paths are of one pair. */
static bool claim_is_same_pair(const struct nb_table_path *a,
                               const struct nb_table_path *b)
{
    return a->source == b->source && a->destination == b->destination;
}

/* Whether the channels of two paths, one before the other in a sorted table,
 * are in order and not the same. */
static bool claim_ascends(const struct nb_path_table *table, size_t p)
{
    const struct nb_table_path *a = &table->path[p], *b = a + 1;
    for (uint32_t h = 0; h < a->length && h < b->length; h++)
        if (table->channel[a->first + h] != table->channel[b->first + h])
            return table->channel[a->first + h] < table->channel[b->first + h];
    return a->length < b->length;
}

/* Paths [begin, end) of one pair; search was run for its destination. */
static enum nb_status claim_pair(struct flow_claim *claim,
                                 const struct nb_path_search *search,
                                 size_t begin, size_t end, struct nb_error *err)
{
    const struct nb_path_table *table = &claim->claimed->paths;
    const struct nb_table_path *first = &table->path[begin];
    const uint32_t orbit =
        nb_flow_orbit_find(&claim->orbits, first->source, first->destination);
    int64_t sum = 0;
    if (orbit == NB_NONE)
        return claim_refute_pair(first, "the pair has no traffic", err);
    if (claim->distance[orbit] >= 0)
        return claim_refute_pair(first, "a pair alike has paths, too", err);
    for (size_t p = begin; p < end; p++) {
        const struct nb_table_path *path = &table->path[p];
        if (!nb_path_search_permits(search, path->source, path->length,
                                    table->channel + path->first))
            return claim_refute_pair(path, "one is not permitted", err);
        if (p + 1 < end && !claim_ascends(table, p))
            return claim_refute_pair(path,
                                     "one is given twice, or they are "
                                     "not sorted",
                                     err);
        if (path->weight < 1 || path->weight > (uint64_t)1 << 53)
            return claim_refute_pair(path, "a weight is not in 1 .. 2^53", err);
        sum += (int64_t)path->weight;
        if (sum > (int64_t)1 << 53)
            return claim_refute_pair(path, "the weights pass 2^53", err);
        claim->orbit[p] = orbit;
    }
    if (begin > 0 && sum != claim->sum)
        return claim_refute_pair(first,
                                 "the sum of the weights is not that "
                                 "of other pairs",
                                 err);
    claim->sum = sum;
    claim->distance[orbit] = nb_path_search_distance(search, first->source);
    return NB_OK;
}

static enum nb_status claim_paths(struct flow_claim *claim,
                                  struct nb_path_search *search,
                                  struct nb_error *err)
{
    const struct nb_path_table *table = &claim->claimed->paths;
    const size_t n = claim->orbits.topology->router_count;
    for (size_t begin = 0, end; begin < table->path_count; begin = end) {
        const struct nb_table_path *first = &table->path[begin];
        if (first->source >= n || first->destination >= n)
            return claim_refute_pair(first, "no such router", err);
        if (begin == 0 || first->destination != search->destination)
            nb_path_search_run(search, first->destination,
                               claim->claimed->length);
        for (end = begin + 1; end < table->path_count &&
                              claim_is_same_pair(first, &table->path[end]);)
            end++;
        const enum nb_status status =
            claim_pair(claim, search, begin, end, err);
        if (status != NB_OK)
            return status;
    }
    for (size_t o = 0; o < claim->orbits.pair_count; o++)
        if (claim->distance[o] < 0)
            return nb_fail(err, NB_REFUTED,
                           "router %u sends to %u, but neither they nor a "
                           "pair alike have paths",
                           claim->orbits.pair[o].source,
                           claim->orbits.pair[o].destination);
    return NB_OK;
}

/* Both ends, and mean hops. Lengths that do not prove the lower end to be the
 * best are helped by what needs none. */
static enum nb_status claim_conclude(const struct flow_claim *claim,
                                     struct nb_path_search *search,
                                     struct nb_best_flow *out,
                                     struct nb_error *err)
{
    const struct nb_flow_orbits *orbits = &claim->orbits;
    struct nb_enclosure carried, bound, plain;
    enum nb_status status = NB_OK;
    NB_TRY(nb_flow_carried(orbits, &out->paths, claim->orbit, claim->sum,
                           &carried, &out->mean_hops, err));
    bound = orbits->pair_count == 0
                ? carried
                : nb_flow_bound(orbits, out->length, claim->distance);
    const bool is_exact = nb_ratio_is_known(carried.exact) &&
                          nb_ratio_is_known(bound.exact) &&
                          nb_ratio_compare(carried.exact, bound.exact) == 0;
    out->throughput = carried;
    if (!is_exact) {
        NB_TRY(nb_flow_plain_bound(orbits, search, &plain, err));
        out->throughput = nb_enclosure_of_bracket((struct nb_bracket){
            carried.lower, fmin(bound.upper, plain.upper) });
    }
    out->pair_orbits = orbits->pair_count;
    out->channel_orbits = orbits->line_count;
done:
    return status;
}

enum nb_status nb_best_flow_check(const struct nb_best_flow_question *question,
                                  struct nb_best_flow *claimed,
                                  struct nb_error *err)
{
    struct flow_claim claim = { .claimed = claimed, .sum = 1 };
    struct nb_path_search search = { 0 };
    enum nb_status status;
    NB_TRY(nb_flow_check_question(question, err));
    NB_TRY(nb_flow_orbits_init(question, &claim.orbits, err));
    const size_t pairs = claim.orbits.pair_count;
    NB_TRY(nb_new(&claim.orbit, claimed->paths.path_count, sizeof(uint32_t),
                  "orbits of paths", err));
    NB_TRY(nb_new(&claim.distance, pairs, sizeof(int64_t), "distances", err));
    for (size_t o = 0; o < pairs; o++)
        claim.distance[o] = -1;
    NB_TRY(nb_path_search_init(question->class, &search, err));
    NB_TRY(claim_lengths(&claim, err));
    NB_TRY(claim_paths(&claim, &search, err));
    NB_TRY(claim_conclude(&claim, &search, claimed, err));
done:
    nb_path_search_release(&search);
    nb_flow_orbits_release(&claim.orbits);
    nb_delete(claim.orbit);
    nb_delete(claim.distance);
    return status;
}
