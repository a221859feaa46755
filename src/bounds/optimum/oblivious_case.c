#include "bounds/optimum/oblivious_case.h"

#include "core/memory.h"
#include "core/sets.h"
#include "load/pair_loads.h"
#include "traffic/traffic_symmetry.h"

#include <math.h>

/* Flows before symmetry among channels is counted; the simplex method takes
 * some twenty minutes for as many. */
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
                       "optimal routing at a load up to %g (permitted: 0 and "
                       "more)",
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
    /* Sources and destinations must be held to the same sums, and layers be
     * the same from both ends. */
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

/* A reversal makes rows of columns. */
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

/* Cells of every pair from those of the pair that it was reached from. */
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

/* Other ways to the same pair make its channels alike (Schreier's lemma): sets
 * of cells. */
static enum nb_status case_join_cells(struct nb_oblivious_case *here,
                                      struct nb_error *err)
{
    const struct nb_symmetry *symmetry = &here->symmetry;
    const struct nb_orbits *pairs = &here->pairs;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    uint32_t *set = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&set, cells, sizeof *set, "channels alike", err));
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

/* Lists the first pairs, and where each pair finds its own. */
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

/* Counts the channels of every listed pair that are alike. */
static enum nb_status case_count_alike(struct nb_oblivious_case *here,
                                       struct nb_error *err)
{
    const size_t m = here->topology->channel_count;
    here->alike =
        nb_pool_array(&here->pool, here->pair_count * m, sizeof(uint32_t));
    const enum nb_status status =
        nb_pool_check(&here->pool, "channels alike", err);
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
