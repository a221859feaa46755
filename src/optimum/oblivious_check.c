#include "optimum/oblivious_check.h"

#include "optimum/whole.h"
#include "core/memory.h"
#include "core/sets.h"
#include "load/pair_loads.h"
#include "traffic/traffic_symmetry.h"

#include <math.h>

/* The question and its orbits. */

/* Limit on flows before symmetry among channels is counted: the simplex method
 * takes some twenty minutes for that many. */
#define CASE_MOST_FLOWS 2.5e5

static bool case_turns_nothing(const struct nb_symmetry *symmetry,
                               size_t generator, const void *context)
{
    (void)context;
    return !symmetry->is_reversal[generator];
}

static enum nb_status
case_check_question(const struct nb_oblivious_question *question,
                    struct nb_error *err)
{
    const bool has_load = question->goal == NB_LEAST_MEAN_HOPS;
    enum nb_status status;
    NB_TRY(nb_path_class_check(question->path_class, question->topology, err));
    if (question->rate.numerator < 1 || question->rate.denominator < 1)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "optimal routing at the rate %g (permitted: above 0)",
                       nb_ratio_value(question->rate)));
    if (has_load && (question->most_load.numerator < 0 ||
                     !nb_ratio_is_known(question->most_load)))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "optimal routing at a load up to %g (permitted: at "
                       "least 0)",
                       nb_ratio_value(question->most_load)));
    if (isnan(question->seconds))
        status = nb_fail(err, NB_INVALID,
                         "optimal routing in %g seconds (permitted: a number, "
                         "or infinity)",
                         question->seconds);
done:
    return status;
}

enum nb_status
nb_best_oblivious_symmetry(const struct nb_oblivious_question *question,
                           struct nb_symmetry *out, struct nb_error *err)
{
    *out = (struct nb_symmetry){ 0 };
    enum nb_status status = case_check_question(question, err);
    if (status != NB_OK)
        return status;
    status = nb_symmetry_find(question->topology, NULL, out, err);
    /* Reversals require the same limits on sources and destinations, and layers
     * that are the same from both ends. */
    const bool has_reversals =
        question->path_class->layer_count == 1 && !question->is_unbalanced &&
        nb_ratio_compare(question->rate, nb_ratio_one) == 0;
    if (status == NB_OK && !has_reversals)
        nb_symmetry_select(out, case_turns_nothing, NULL);
    return status;
}

void nb_oblivious_case_release(struct nb_oblivious_case *here)
{
    nb_symmetry_release(&here->symmetry);
    nb_pool_release(&here->pool);
    nb_orbits_release(&here->pairs);
    nb_orbits_release(&here->channels);
    nb_orbits_release(&here->sides);
    *here = (struct nb_oblivious_case){ 0 };
}

static enum nb_status case_reserve(struct nb_oblivious_case *here,
                                   struct nb_error *err)
{
    const size_t n = here->topology->router_count;
    const size_t m = here->topology->channel_count;
    const size_t size = sizeof(uint32_t);
    const char *what = "orbits of pairs and channels";
    enum nb_status status = NB_OK;
    here->endpoint = nb_pool_array(&here->pool, n, size);
    here->place = nb_pool_array(&here->pool, n, size);
    NB_TRY(nb_pool_check(&here->pool, what, err));
    here->e = nb_endpoints(here->topology, here->endpoint);
    const size_t e = here->e;
    const double crossings = (double)e * (double)e * (double)m;
    NB_TRY(nb_memory_require(4 * crossings + 24.0 * (double)(e * e + 2 * e * m),
                             what, err));
    if (crossings >= (double)UINT32_MAX)
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "%zu routers with terminals and %zu channels are too "
                       "many (permitted: routers^2 channels < 2^32)",
                       e, m));
    here->pair = nb_pool_array(&here->pool, e * e, size);
    here->index = nb_pool_array(&here->pool, e * e, size);
    here->cell = nb_pool_array(&here->pool, e * e * m, size);
    NB_TRY(nb_pool_check(&here->pool, what, err));
    for (size_t r = 0; r < n; r++) {
        here->place[r] = NB_NONE;
        here->terminal_count += here->topology->terminals[r];
    }
    for (uint32_t i = 0; i < e; i++)
        here->place[here->endpoint[i]] = i;
done:
    return status;
}

static uint32_t case_pair_image(const void *context, size_t generator,
                                uint32_t pair)
{
    const struct nb_oblivious_case *here = context;
    uint32_t source = nb_oblivious_source(here, pair);
    uint32_t destination = nb_oblivious_destination(here, pair);
    nb_symmetry_pair(&here->symmetry, generator, &source, &destination);
    return (uint32_t)nb_oblivious_pair(here, source, destination);
}

/* A reversal exchanges rows and columns. */
static uint32_t case_side_image(const void *context, size_t generator,
                                uint32_t side)
{
    const struct nb_oblivious_case *here = context;
    const struct nb_symmetry *symmetry = &here->symmetry;
    const uint32_t e = (uint32_t)here->e, at = side % (2 * e);
    const uint32_t *router =
        symmetry->router + generator * symmetry->router_count;
    const uint32_t *channel =
        symmetry->channel + generator * symmetry->channel_count;
    const bool is_row = (at < e) != symmetry->is_reversal[generator];
    return channel[side / (2 * e)] * 2 * e + (is_row ? 0 : e) +
           here->place[router[here->endpoint[at % e]]];
}

/* Maps each pair's cells from the pair it was reached from. */
static void case_spread_cells(struct nb_oblivious_case *here)
{
    const struct nb_orbits *pairs = &here->pairs;
    const size_t m = here->topology->channel_count;
    for (size_t i = 0; i < pairs->size; i++) {
        const uint32_t pair = pairs->order[i], from = pairs->parent[pair];
        uint32_t *cell = here->cell + pair * m;
        if (here->index[pair] == NB_NONE)
            continue;
        const uint32_t *channel =
            here->symmetry.channel + pairs->generator[pair] * m;
        for (size_t c = 0; c < m; c++)
            if (from == NB_NONE)
                cell[c] = (uint32_t)(here->index[pair] * m + c);
            else
                cell[channel[c]] = here->cell[from * m + c];
    }
}

/* Any other generator that leads to the same pair identifies channels of the
 * pair (Schreier's lemma): joins their cells. */
static enum nb_status case_join_cells(struct nb_oblivious_case *here,
                                      struct nb_error *err)
{
    const struct nb_symmetry *symmetry = &here->symmetry;
    const struct nb_orbits *pairs = &here->pairs;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    uint32_t *set = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&set, cells, sizeof *set, "orbits of channels", err));
    nb_sets_init(set, cells);
    for (uint32_t pair = 0; pair < pairs->size; pair++) {
        if (here->index[pair] == NB_NONE)
            continue;
        for (size_t g = 0; g < symmetry->generator_count; g++) {
            const uint32_t to = case_pair_image(here, g, pair);
            const uint32_t *channel = symmetry->channel + g * m;
            if (pairs->parent[to] == pair && pairs->generator[to] == g)
                continue;
            for (size_t c = 0; c < m; c++)
                nb_sets_join(set, here->cell[pair * m + c],
                             here->cell[to * m + channel[c]]);
        }
    }
    for (size_t pair = 0; pair < pairs->size; pair++)
        for (size_t c = 0; c < m && here->index[pair] != NB_NONE; c++)
            here->cell[pair * m + c] =
                nb_sets_find(set, here->cell[pair * m + c]);
done:
    nb_delete(set);
    return status;
}

/* Lists the first pair of each orbit, and its index for each pair. */
static void case_list_pairs(struct nb_oblivious_case *here)
{
    const struct nb_orbits *pairs = &here->pairs;
    for (size_t i = 0; i < pairs->size; i++) {
        const uint32_t pair = pairs->order[i];
        const uint32_t first = nb_orbits_least(pairs, pair);
        here->index[pair] = pair / here->e == pair % here->e ? NB_NONE
                            : pair == first ? (uint32_t)here->pair_count
                                            : here->index[first];
        if (pair == first && here->index[pair] != NB_NONE)
            here->pair[here->pair_count++] = pair;
    }
}

/* Counts the channels in each orbit of every listed pair. */
static enum nb_status case_count_alike(struct nb_oblivious_case *here,
                                       struct nb_error *err)
{
    const size_t m = here->topology->channel_count;
    here->alike =
        nb_pool_array(&here->pool, here->pair_count * m, sizeof(uint32_t));
    const enum nb_status status =
        nb_pool_check(&here->pool, "orbits of channels", err);
    for (size_t k = 0; status == NB_OK && k < here->pair_count; k++) {
        const uint32_t *cell = here->cell + here->pair[k] * m;
        for (size_t c = 0; c < m; c++)
            here->alike[cell[c]]++;
        for (size_t c = 0; c < m; c++)
            here->alike[k * m + c] = here->alike[cell[c]];
    }
    return status;
}

enum nb_status
nb_oblivious_case_init(const struct nb_oblivious_question *question,
                       struct nb_oblivious_case *out, struct nb_error *err)
{
    struct nb_symmetry symmetry;
    const enum nb_status status =
        nb_best_oblivious_symmetry(question, &symmetry, err);
    *out = (struct nb_oblivious_case){ 0 };
    return status == NB_OK
               ? nb_oblivious_case_init_group(question, &symmetry, out, err)
               : status;
}

enum nb_status nb_oblivious_case_init_group(
    const struct nb_oblivious_question *question, struct nb_symmetry *symmetry,
    struct nb_oblivious_case *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_oblivious_case){ .question = question,
                                       .topology = question->topology,
                                       .symmetry = *symmetry };
    *symmetry = (struct nb_symmetry){ 0 };
    NB_TRY(case_reserve(out, err));
    const size_t e = out->e, m = out->topology->channel_count;
    const size_t generators = out->symmetry.generator_count;
    NB_TRY(nb_orbits_of_channels(&out->symmetry, &out->channels, err));
    NB_TRY(nb_orbits_find(e * e, generators, case_pair_image, out, &out->pairs,
                          err));
    NB_TRY(nb_orbits_find(m * 2 * e, generators, case_side_image, out,
                          &out->sides, err));
    case_list_pairs(out);
    case_spread_cells(out);
    NB_TRY(case_join_cells(out, err));
    NB_TRY(case_count_alike(out, err));
    out->is_too_large = (double)out->pair_count * (double)m *
                            question->path_class->layer_count >
                        CASE_MOST_FLOWS;
done:
    if (status != NB_OK)
        nb_oblivious_case_release(out);
    return status;
}

/* Sums of the adversary's weights. Owns its arrays; zero-initialised is valid
 * and empty. */
struct oblivious_sums {
    const struct nb_oblivious_case *here;
    struct nb_pool pool;
    /* [channel_count] at focus channels: the greatest row and column sums,
     * per terminal. */
    struct nb_enclosure *row, *column;
    nb_int128 distances; /* sum over all pairs, under weights and cost of
                          * hops */
    /* Scratch. */
    int64_t *weight; /* [pair_count * channel_count], at the least channel of
                      * its orbit */
    int64_t *row_sum, *column_sum; /* [e] */
    int64_t *length;               /* [channel_count] */
    struct nb_path_search search;
};

/* Whether two routers are different and both have terminals. */
static bool check_is_pair(const struct nb_oblivious_case *here, uint32_t source,
                          uint32_t destination)
{
    const size_t n = here->topology->router_count;
    return source < n && destination < n && source != destination &&
           here->place[source] != NB_NONE &&
           here->place[destination] != NB_NONE;
}

static enum nb_status weights_take(struct oblivious_sums *sums,
                                   const struct nb_adversary_weight *given,
                                   struct nb_error *err)
{
    const struct nb_oblivious_case *here = sums->here;
    const size_t m = here->topology->channel_count;
    if (!check_is_pair(here, given->source, given->destination) ||
        given->channel >= m || given->weight < 1 ||
        given->weight > NB_OBLIVIOUS_MOST)
        return nb_fail(err, NB_REFUTED,
                       "a weight for channel %u and packets from router %u to "
                       "router %u is out of range",
                       given->channel, given->source, given->destination);
    const size_t pair =
        nb_oblivious_pair(here, given->source, given->destination);
    int64_t *at = &sums->weight[here->cell[pair * m + given->channel]];
    if (*at != 0)
        return nb_fail(err, NB_REFUTED,
                       "two weights are given for channel %u and packets from "
                       "router %u to router %u",
                       given->channel, given->source, given->destination);
    *at = given->weight;
    return NB_OK;
}

/* The greatest sum / terminals over all routers. */
static struct nb_enclosure weights_most(const struct nb_oblivious_case *here,
                                        const int64_t *sum)
{
    struct nb_enclosure most = nb_enclosure_of_whole(0);
    for (size_t i = 0; i < here->e; i++) {
        const uint32_t terminals = here->topology->terminals[here->endpoint[i]];
        most = nb_enclosure_most(most, nb_whole_quotient(sum[i], terminals));
    }
    return most;
}

/* The greatest row and column sums of one channel's weights, per terminal. */
static void weights_sum_channel(struct oblivious_sums *sums, uint32_t channel)
{
    const struct nb_oblivious_case *here = sums->here;
    const size_t e = here->e, m = here->topology->channel_count;
    for (size_t i = 0; i < e; i++)
        sums->row_sum[i] = sums->column_sum[i] = 0;
    for (size_t p = 0; p < e * e; p++) {
        if (p / e == p % e)
            continue;
        const int64_t weight = sums->weight[here->cell[p * m + channel]];
        sums->row_sum[p / e] += weight;
        sums->column_sum[p % e] += weight;
    }
    sums->row[channel] = weights_most(here, sums->row_sum);
    sums->column[channel] = weights_most(here, sums->column_sum);
}

/* The sum of all pairs' distances; hop: for the goal NB_LEAST_MEAN_HOPS, the
 * cost of a hop per pair of terminals. */
static enum nb_status weights_distances(struct oblivious_sums *sums,
                                        int64_t hop, struct nb_error *err)
{
    const struct nb_oblivious_case *here = sums->here;
    const size_t m = here->topology->channel_count;
    for (size_t index = 0; index < here->pair_count; index++) {
        const size_t pair = here->pair[index];
        const uint32_t source = nb_oblivious_source(here, pair);
        const uint32_t destination = nb_oblivious_destination(here, pair);
        const nb_int128 each = (nb_int128)hop *
                               here->topology->terminals[source] *
                               here->topology->terminals[destination];
        for (uint32_t c = 0; c < m; c++) {
            const nb_int128 length =
                each + sums->weight[here->cell[pair * m + c]];
            if (length > NB_OBLIVIOUS_MOST)
                return nb_fail(err, NB_REFUTED,
                               "the weights for packets from router %u to "
                               "router %u pass 2^40",
                               source, destination);
            sums->length[c] = (int64_t)length;
        }
        nb_path_search_run(&sums->search, destination, sums->length);
        sums->distances += (nb_int128)nb_oblivious_pair_size(here, pair) *
                           nb_path_search_distance(&sums->search, source);
    }
    return NB_OK;
}

static void oblivious_sums_release(struct oblivious_sums *sums)
{
    nb_path_search_release(&sums->search);
    nb_pool_release(&sums->pool);
}

/* hop: additional cost of a hop per pair of terminals; 0: none. Errors:
 * NB_REFUTED; NB_NO_MEMORY. out: to be released even on failure. */
static enum nb_status oblivious_sums_find(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          int64_t hop,
                                          struct oblivious_sums *out,
                                          struct nb_error *err)
{
    const uint32_t m = (uint32_t)here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    struct nb_pool *pool = &out->pool;
    enum nb_status status = NB_OK;
    *out = (struct oblivious_sums){ .here = here };
    out->row = nb_pool_array(pool, m, sizeof *out->row);
    out->column = nb_pool_array(pool, m, sizeof *out->column);
    out->weight = nb_pool_array(pool, cells, sizeof *out->weight);
    out->row_sum = nb_pool_array(pool, here->e, sizeof *out->row_sum);
    out->column_sum = nb_pool_array(pool, here->e, sizeof *out->column_sum);
    out->length = nb_pool_array(pool, m, sizeof *out->length);
    NB_TRY(nb_pool_check(pool, "weights of the adversary", err));
    NB_TRY(nb_path_search_init(here->question->path_class, &out->search, err));
    for (size_t i = 0; i < claim->weight_count; i++)
        NB_TRY(weights_take(out, &claim->weights[i], err));
    NB_TRY(weights_distances(out, hop, err));
    for (uint32_t c = 0; c < m; c++)
        if (nb_orbits_least(&here->channels, c) == c)
            weights_sum_channel(out, c);
done:
    return status;
}

/* Bounds from the adversary's weights. */

/* Total bandwidth of a channel's orbit. */
static struct nb_enclosure
bounds_bandwidth(const struct nb_oblivious_case *here, uint32_t channel)
{
    return nb_enclosure_multiply(
        nb_enclosure_of_ratio(here->topology->channels[channel].bandwidth),
        nb_enclosure_of_whole(
            here->channels.length[here->channels.of[channel]]));
}

/* sum_c b_c w_c at a rate, w_c = max(row sum / rate, column sum). */
static struct nb_enclosure bounds_total(const struct oblivious_sums *sums,
                                        struct nb_enclosure rate)
{
    const struct nb_oblivious_case *here = sums->here;
    struct nb_enclosure total = nb_enclosure_of_whole(0);
    for (uint32_t c = 0; c < here->topology->channel_count; c++) {
        if (nb_orbits_least(&here->channels, c) != c)
            continue;
        const struct nb_enclosure most = nb_enclosure_most(
            nb_enclosure_divide(sums->row[c], rate), sums->column[c]);
        total = nb_enclosure_add(
            total, nb_enclosure_multiply(bounds_bandwidth(here, c), most));
    }
    return total;
}

enum nb_status nb_oblivious_check_weights(const struct nb_oblivious_case *here,
                                          const struct nb_best_oblivious *claim,
                                          struct nb_enclosure *lower,
                                          struct nb_error *err)
{
    const struct nb_oblivious_question *question = here->question;
    const bool has_hops = question->goal == NB_LEAST_MEAN_HOPS;
    const int64_t scale = has_hops ? claim->weight_scale : 0;
    const nb_int128 terminals = (nb_int128)here->terminal_count;
    struct oblivious_sums sums = { 0 };
    enum nb_status status = NB_OK;
    if (has_hops && (scale < 1 || scale > NB_OBLIVIOUS_MOST))
        return nb_fail(err, NB_REFUTED,
                       "the scale of the weights is %lld (permitted: 1 to "
                       "2^40)",
                       (long long)scale);
    NB_TRY(oblivious_sums_find(here, claim, scale, &sums, err));
    const struct nb_enclosure total =
        bounds_total(&sums, nb_enclosure_of_ratio(question->rate));
    *lower = nb_enclosure_of_whole(0);
    if (has_hops) {
        const struct nb_enclosure kept = nb_enclosure_divide(
            nb_enclosure_multiply(nb_enclosure_of_ratio(question->most_load),
                                  total),
            nb_whole_quotient(scale, 1));
        *lower = nb_enclosure_divide(
            nb_enclosure_excess(nb_whole_quotient(sums.distances, scale), kept),
            nb_whole_quotient(terminals * terminals, 1));
    } else if (!nb_enclosure_is_zero(total)) {
        *lower =
            nb_enclosure_divide(nb_whole_quotient(sums.distances, 1), total);
    }
done:
    oblivious_sums_release(&sums);
    return status;
}

/* The rate at which the total, which falls with the rate, equals the distances:
 * the root of the piece that contains it. */
static struct nb_enclosure bounds_root(const struct oblivious_sums *sums,
                                       struct nb_enclosure distances)
{
    const struct nb_oblivious_case *here = sums->here;
    double low = 0, high = 0x1p60;
    for (int step = 0; step < 200; step++) {
        const double middle = low < 1 && high > 4 ? 2 : low / 2 + high / 2;
        const struct nb_enclosure there =
            bounds_total(sums, nb_enclosure_of_double(middle));
        *(there.lower > distances.lower ? &low : &high) = middle;
    }
    struct nb_enclosure rows = nb_enclosure_of_whole(0), columns = rows;
    for (uint32_t c = 0; c < here->topology->channel_count; c++) {
        if (nb_orbits_least(&here->channels, c) != c)
            continue;
        const bool is_row = sums->row[c].lower > high * sums->column[c].lower;
        struct nb_enclosure *sum = is_row ? &rows : &columns;
        *sum = nb_enclosure_add(
            *sum,
            nb_enclosure_multiply(bounds_bandwidth(here, c),
                                  is_row ? sums->row[c] : sums->column[c]));
    }
    return nb_enclosure_divide(rows, nb_enclosure_excess(distances, columns));
}

/* Whether the total at a rate is certainly at most the distances. */
static bool bounds_proves(const struct oblivious_sums *sums,
                          struct nb_enclosure rate,
                          struct nb_enclosure distances)
{
    const struct nb_enclosure there = bounds_total(sums, rate);
    const bool is_exact = nb_ratio_is_known(rate.exact) &&
                          nb_ratio_is_known(there.exact) &&
                          nb_ratio_is_known(distances.exact);
    return is_exact ? nb_ratio_compare(there.exact, distances.exact) <= 0
                    : there.upper <= distances.lower;
}

enum nb_status nb_oblivious_weights_rate(const struct nb_oblivious_case *here,
                                         const struct nb_best_oblivious *claim,
                                         struct nb_enclosure *upper,
                                         struct nb_error *err)
{
    const struct nb_enclosure infinite =
        nb_enclosure_of_ratio(nb_ratio_infinity);
    struct oblivious_sums sums = { 0 };
    enum nb_status status = NB_OK;
    *upper = infinite;
    NB_TRY(oblivious_sums_find(here, claim, 0, &sums, err));
    const struct nb_enclosure distances = nb_whole_quotient(sums.distances, 1);
    if (nb_enclosure_compare(bounds_total(&sums, infinite), distances) >= 0)
        goto done;
    const struct nb_enclosure root = bounds_root(&sums, distances);
    if (bounds_proves(&sums, root, distances))
        *upper = root;
    /* If the root is inexact, a slightly greater rate is certain. */
    for (int digits = 45; digits > 20 && isinf(upper->upper); digits -= 5) {
        const struct nb_enclosure more =
            nb_enclosure_of_double(root.upper * (1 + ldexp(1, -digits)));
        if (bounds_proves(&sums, more, distances))
            *upper = more;
    }
done:
    oblivious_sums_release(&sums);
    return status;
}

/* The index of a path's pair; fails if it already has paths. */
static enum nb_status check_give(const struct nb_oblivious_case *here,
                                 const struct nb_table_path *path,
                                 bool *is_given, size_t *index,
                                 struct nb_error *err)
{
    if (!check_is_pair(here, path->source, path->destination))
        return nb_fail(err, NB_REFUTED,
                       "a path leads from router %u to router %u", path->source,
                       path->destination);
    const size_t pair =
        nb_oblivious_pair(here, path->source, path->destination);
    *index = here->index[pair];
    if (here->pair[*index] != pair || is_given[*index])
        return nb_fail(err, NB_REFUTED,
                       "the paths from router %u to router %u are given "
                       "twice, or follow from those of another pair",
                       path->source, path->destination);
    is_given[*index] = true;
    return NB_OK;
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
                           "%llu (permitted: at least 1, at most 2^40 "
                           "together)",
                           pair->source, pair->destination,
                           (unsigned long long)path->weight);
        if (!nb_path_search_permits(search, path->source, path->length,
                                    paths->channel + path->first))
            return nb_fail(err, NB_REFUTED,
                           "a path from router %u to router %u is not "
                           "permitted",
                           pair->source, pair->destination);
        *sum += (int64_t)path->weight;
        for (size_t i = 0; i < path->length; i++)
            flow[paths->channel[path->first + i]] += (int64_t)path->weight;
    }
    return NB_OK;
}

/* Sums the load over each orbit of channels, and writes it to each of them. */
static void check_add_alike(const struct nb_oblivious_case *here, size_t index,
                            int64_t *flow)
{
    const size_t m = here->topology->channel_count;
    const uint32_t *cell = here->cell + here->pair[index] * m;
    for (size_t c = 0; c < m; c++)
        if (cell[c] % m != c)
            flow[cell[c] % m] += flow[c];
    for (size_t c = 0; c < m; c++)
        flow[c] = flow[cell[c] % m];
}

enum nb_status nb_oblivious_check_paths(const struct nb_oblivious_case *here,
                                        const struct nb_path_table *paths,
                                        int64_t *flow, int64_t *denominator,
                                        struct nb_error *err)
{
    const size_t m = here->topology->channel_count;
    struct nb_path_search search = { 0 };
    bool *is_given = NULL;
    size_t given = 0, end;
    enum nb_status status = NB_OK;
    *denominator = 0;
    NB_TRY(nb_path_search_init(here->question->path_class, &search, err));
    NB_TRY(nb_new(&is_given, here->pair_count, sizeof *is_given, "pairs", err));
    for (size_t first = 0; first < paths->path_count; first = end, given++) {
        const struct nb_table_path *path = &paths->path[first];
        int64_t sum;
        size_t index = 0;
        NB_TRY(check_give(here, path, is_given, &index, err));
        end = nb_path_table_end(paths, first);
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
                       "the %zu orbits",
                       given, here->pair_count));
done:
    nb_path_search_release(&search);
    nb_delete(is_given);
    return status;
}

void nb_oblivious_channel_loads(const struct nb_oblivious_case *here,
                                const int64_t *flow, uint32_t channel,
                                int64_t *load)
{
    const size_t e = here->e, m = here->topology->channel_count;
    for (size_t i = 0; i < e; i++)
        for (size_t j = 0; j < e; j++) {
            const size_t at = here->cell[(i * e + j) * m + channel];
            if (i == j)
                continue;
            const int64_t alike = here->alike[at];
            load[i * e + j] = flow[at] / alike + (flow[at] % alike > 0);
        }
}

/* Checks one channel's duals against every load; gives the bound they prove,
 * per bandwidth. */
static enum nb_status check_dual(const struct nb_oblivious_case *here,
                                 const struct nb_oblivious_dual *dual,
                                 const int64_t *load, int64_t denominator,
                                 struct nb_enclosure *bound,
                                 struct nb_error *err)
{
    const size_t e = here->e;
    const uint32_t *router = here->endpoint;
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
    const uint64_t terminals = here->terminal_count;
    nb_int128 sum = 0;
    for (size_t p = 0; p < paths->path_count; p++) {
        const struct nb_table_path *path = &paths->path[p];
        const size_t pair =
            nb_oblivious_pair(here, path->source, path->destination);
        sum += (nb_int128)nb_oblivious_pair_size(here, pair) *
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
    const size_t m = here->topology->channel_count, e = here->e;
    struct nb_pool pool = { 0 };
    int64_t *flow = nb_pool_array(&pool, here->pair_count * m, sizeof *flow);
    int64_t *cell = nb_pool_array(&pool, e * e, sizeof *cell);
    int64_t denominator;
    size_t next = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_pool_check(&pool, "loads", err));
    NB_TRY(
        nb_oblivious_check_paths(here, &claim->paths, flow, &denominator, err));
    *load = nb_enclosure_of_whole(0);
    for (uint32_t c = 0; c < m; c++) {
        struct nb_enclosure bound;
        if (nb_orbits_least(&here->channels, c) != c)
            continue;
        if (next == claim->dual_count || claim->duals[next].channel != c)
            NB_TRY(nb_fail(err, NB_REFUTED, "channel %u: its duals are missing",
                           c));
        nb_oblivious_channel_loads(here, flow, c, cell);
        NB_TRY(check_dual(here, &claim->duals[next++], cell,
                          denominator > 0 ? denominator : 1, &bound, err));
        *load = nb_enclosure_most(*load, bound);
    }
    if (next != claim->dual_count)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "channel %u: its orbit has duals already",
                       claim->duals[next].channel));
    *mean_hops = nb_oblivious_mean_hops(here, &claim->paths, denominator);
done:
    nb_pool_release(&pool);
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
