#include "bounds/optimum/oblivious_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

#include <math.h>

/* Whether a pair of routers has terminals and differs. */
static bool check_is_pair(const struct nb_oblivious_case *here, uint32_t source,
                          uint32_t destination)
{
    const size_t n = here->topology->router_count;
    return source < n && destination < n && source != destination &&
           here->orbits.place[source] != NB_NONE &&
           here->orbits.place[destination] != NB_NONE;
}

/* The paths of one pair, first .. end - 1 of the table. */
static enum nb_status check_pair(const struct nb_path_table *paths,
                                 size_t first, size_t end,
                                 struct nb_path_search *search, int64_t *flow,
                                 int64_t *sum, struct nb_error *err)
{
    const struct nb_table_path *pair = &paths->path[first];
    *sum = 0;
    for (size_t p = first; p < end; p++) {
        const struct nb_table_path *path = &paths->path[p];
        if (path->weight < 1 ||
            path->weight > (uint64_t)(NB_OBLIVIOUS_MOST - *sum))
            return nb_fail(err, NB_REFUTED,
                           "a path from router %u to router %u has the weight "
                           "%llu (permitted: 1 or more, at most 2^40 together)",
                           pair->source, pair->destination,
                           (unsigned long long)path->weight);
        if (!nb_path_search_permits(search, path->source, path->length,
                                    paths->channel + path->first))
            return nb_fail(err, NB_REFUTED,
                           "a path from router %u to router %u is none that "
                           "is permitted",
                           pair->source, pair->destination);
        *sum += (int64_t)path->weight;
        for (size_t i = 0; i < path->length; i++)
            flow[paths->channel[path->first + i]] += (int64_t)path->weight;
    }
    return NB_OK;
}

/* What alike channels carry together, at each of them. */
static void check_add_alike(const struct nb_oblivious_case *here, size_t index,
                            int64_t *flow)
{
    const size_t m = here->topology->channel_count;
    const uint32_t *name = here->orbits.crossing + here->pair[index] * m;
    for (size_t c = 0; c < m; c++)
        if (name[c] % m != c)
            flow[name[c] % m] += flow[c];
    for (size_t c = 0; c < m; c++)
        flow[c] = flow[name[c] % m];
}

enum nb_status nb_oblivious_check_paths(const struct nb_oblivious_case *here,
                                        const struct nb_path_table *paths,
                                        int64_t *flow, int64_t *denominator,
                                        struct nb_error *err)
{
    const size_t m = here->topology->channel_count, e = here->orbits.e;
    struct nb_path_search search = { 0 };
    bool *is_given = NULL;
    size_t given = 0, end;
    enum nb_status status = NB_OK;
    *denominator = 0;
    NB_TRY(nb_path_search_init(here->question->class, &search, err));
    NB_TRY(nb_new(&is_given, here->pair_count, sizeof *is_given, "pairs", err));
    for (size_t first = 0; first < paths->path_count; first = end, given++) {
        const struct nb_table_path *path = &paths->path[first];
        int64_t sum;
        if (!check_is_pair(here, path->source, path->destination))
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "a path leads from router %u to router %u",
                           path->source, path->destination));
        const size_t pair = here->orbits.place[path->source] * e +
                            here->orbits.place[path->destination];
        const size_t index = here->index[pair];
        if (here->orbits.pair[pair] != pair || is_given[index])
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "the paths from router %u to router %u are given "
                           "twice, or follow from those of a pair alike",
                           path->source, path->destination));
        is_given[index] = true;
        for (end = first; end < paths->path_count &&
                          paths->path[end].source == path->source &&
                          paths->path[end].destination == path->destination;
             end++)
            ;
        nb_path_search_run(&search, path->destination, NULL);
        NB_TRY(check_pair(paths, first, end, &search, flow + index * m, &sum,
                          err));
        if (first > 0 && sum != *denominator)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "the weights of the paths from router %u to router "
                           "%u add up to %lld, others to %lld",
                           path->source, path->destination, (long long)sum,
                           (long long)*denominator));
        *denominator = sum;
        check_add_alike(here, index, flow + index * m);
    }
    if (given != here->pair_count)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "paths are given for %zu pairs, not for one of each of "
                       "the %zu kinds",
                       given, here->pair_count));
done:
    nb_path_search_release(&search);
    nb_delete(is_given);
    return status;
}

/* One channel's duals: above every load, and what they bound it by, per
 * bandwidth. */
static enum nb_status check_dual(const struct nb_oblivious_case *here,
                                 const struct nb_oblivious_dual *dual,
                                 const int64_t *load, int64_t denominator,
                                 struct nb_enclosure *bound,
                                 struct nb_error *err)
{
    const size_t e = here->orbits.e;
    const uint32_t *router = here->orbits.endpoint;
    nb_int128 rows = 0, columns = 0;
    for (size_t i = 0; i < e; i++) {
        const nb_int128 terminals = here->topology->terminals[router[i]];
        const int64_t row = dual->row[router[i]];
        const int64_t column = dual->column[router[i]];
        if (row < 0 || column < 0 || row > (int64_t)1 << 61 ||
            column > (int64_t)1 << 61)
            return nb_fail(err, NB_REFUTED,
                           "channel %u: a dual of router %u is out of range",
                           dual->channel, router[i]);
        rows += terminals * row;
        columns += terminals * column;
    }
    for (size_t p = 0; p < e * e; p++)
        if (dual->row[router[p / e]] + dual->column[router[p % e]] < load[p])
            return nb_fail(err, NB_REFUTED,
                           "channel %u: the duals lie below the load of "
                           "packets from router %u to router %u",
                           dual->channel, router[p / e], router[p % e]);
    const struct nb_enclosure sum = nb_enclosure_add(
        nb_enclosure_multiply(nb_whole_quotient(rows, denominator),
                              nb_enclosure_of_ratio(here->question->rate)),
        nb_whole_quotient(columns, denominator));
    *bound = nb_enclosure_divide(
        sum, nb_enclosure_of_ratio(
                 here->topology->channels[dual->channel].bandwidth));
    return NB_OK;
}

struct nb_enclosure nb_oblivious_mean_hops(const struct nb_oblivious_case *here,
                                           const struct nb_path_table *paths,
                                           int64_t denominator)
{
    const struct nb_oblivious_orbits *orbits = &here->orbits;
    const uint64_t terminals = orbits->terminal_count;
    nb_int128 sum = 0;
    for (size_t p = 0; p < paths->path_count; p++) {
        const struct nb_table_path *path = &paths->path[p];
        const size_t pair = orbits->place[path->source] * orbits->e +
                            orbits->place[path->destination];
        sum += (nb_int128)orbits->pair_size[pair] *
               here->topology->terminals[path->source] *
               here->topology->terminals[path->destination] * path->weight *
               path->length;
    }
    return denominator == 0
               ? nb_enclosure_of_whole(0)
               : nb_whole_quotient(sum, (nb_int128)terminals * terminals *
                                            denominator);
}

enum nb_status nb_oblivious_check_routing(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *load,
                                          struct nb_enclosure *mean_hops,
                                          struct nb_error *err)
{
    const size_t m = here->topology->channel_count, e = here->orbits.e;
    int64_t *flow = NULL, *cell = NULL, denominator;
    size_t next = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&flow, here->pair_count * m, sizeof *flow, "flows", err));
    NB_TRY(nb_new(&cell, e * e, sizeof *cell, "loads", err));
    NB_TRY(
        nb_oblivious_check_paths(here, &claim->paths, flow, &denominator, err));
    *load = nb_enclosure_of_whole(0);
    for (uint32_t c = 0; c < m; c++) {
        struct nb_enclosure bound;
        if (here->orbits.channel[c] != c)
            continue;
        if (next == claim->dual_count || claim->duals[next].channel != c)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "channel %u: there are no duals for it", c));
        nb_oblivious_channel_loads(here, flow, c, cell);
        NB_TRY(check_dual(here, &claim->duals[next++], cell,
                          denominator > 0 ? denominator : 1, &bound, err));
        *load = nb_enclosure_most(*load, bound);
    }
    if (next != claim->dual_count)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "channel %u: it has duals of its own, but is like "
                       "another",
                       claim->duals[next].channel));
    *mean_hops = nb_oblivious_mean_hops(here, &claim->paths, denominator);
done:
    nb_delete(flow);
    nb_delete(cell);
    return status;
}

struct nb_enclosure nb_oblivious_span(struct nb_enclosure lower,
                                      struct nb_enclosure upper)
{
    const bool is_met = nb_ratio_is_known(lower.exact) &&
                        nb_ratio_is_known(upper.exact) &&
                        nb_ratio_compare(lower.exact, upper.exact) == 0;
    return is_met ? upper
                  : (struct nb_enclosure){ .lower = lower.lower,
                                           .upper = upper.upper };
}

bool nb_oblivious_keeps(const struct nb_oblivious_question *question,
                        struct nb_enclosure load)
{
    return nb_ratio_is_known(load.exact)
               ? nb_ratio_compare(load.exact, question->most_load) <= 0
               : load.upper <= nb_enclosure_of_ratio(question->most_load).lower;
}

void nb_oblivious_conclude(const struct nb_oblivious_case *here,
                           struct nb_enclosure load,
                           struct nb_enclosure mean_hops,
                           struct nb_enclosure lower,
                           struct nb_best_oblivious *out)
{
    const struct nb_oblivious_question *question = here->question;
    const struct nb_enclosure none = nb_enclosure_of_whole(0);
    out->pair_orbits = here->pair_count;
    out->is_too_large = here->is_too_large;
    if (question->goal == NB_LEAST_WORST_LOAD) {
        out->load = nb_oblivious_span(lower, load);
        out->mean_hops = mean_hops;
        return;
    }
    out->load = nb_oblivious_span(none, load);
    if (!nb_oblivious_keeps(question, load))
        mean_hops = nb_enclosure_of_ratio(nb_ratio_infinity);
    out->mean_hops = nb_oblivious_span(lower, mean_hops);
}

enum nb_status
nb_best_oblivious_check(const struct nb_oblivious_question *question,
                        struct nb_best_oblivious *claimed, struct nb_error *err)
{
    struct nb_oblivious_case here = { 0 };
    struct nb_enclosure load, mean_hops, lower;
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_case_init(question, &here, err));
    NB_TRY(nb_oblivious_check_routing(&here, claimed, &load, &mean_hops, err));
    NB_TRY(nb_oblivious_check_weights(&here, claimed, &lower, err));
    nb_oblivious_conclude(&here, load, mean_hops, lower, claimed);
done:
    nb_oblivious_case_release(&here);
    return status;
}
