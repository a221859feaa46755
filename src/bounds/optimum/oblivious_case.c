#include "bounds/optimum/oblivious_case.h"

#include "core/memory.h"
#include "core/sets.h"
#include "load/pair_loads.h"

#include <math.h>

static void oblivious_orbits_release(struct nb_oblivious_orbits *orbits)
{
    nb_delete(orbits->endpoint);
    nb_delete(orbits->place);
    nb_delete(orbits->pair);
    nb_delete(orbits->crossing);
    nb_delete(orbits->side);
    nb_delete(orbits->channel);
    nb_delete(orbits->pair_size);
    nb_delete(orbits->channel_size);
    *orbits = (struct nb_oblivious_orbits){ 0 };
}

static enum nb_status orbits_reserve(struct nb_oblivious_orbits *orbits,
                                     struct nb_error *err)
{
    const size_t n = orbits->topology->router_count;
    const size_t m = orbits->topology->channel_count;
    const size_t size = sizeof(uint32_t);
    const char *what = "orbits of pairs and channels";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&orbits->endpoint, n, size, what, err));
    NB_TRY(nb_new(&orbits->place, n, size, what, err));
    orbits->e = nb_endpoints(orbits->topology, orbits->endpoint);
    const size_t e = orbits->e;
    const double crossings = (double)e * (double)e * (double)m;
    NB_TRY(
        nb_memory_require(4 * (crossings + 2.0 * (double)(e * m)), what, err));
    if (crossings >= (double)UINT32_MAX)
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "%zu routers with terminals and %zu channels are too "
                       "many (permitted: routers^2 channels < 2^32)",
                       e, m));
    NB_TRY(nb_new(&orbits->pair, e * e, size, what, err));
    NB_TRY(nb_new(&orbits->pair_size, e * e, size, what, err));
    NB_TRY(nb_new(&orbits->crossing, e * e * m, size, what, err));
    NB_TRY(nb_new(&orbits->side, 2 * e * m, size, what, err));
    NB_TRY(nb_new(&orbits->channel, m, size, what, err));
    NB_TRY(nb_new(&orbits->channel_size, m, size, what, err));
done:
    return status;
}

/* Joins every pair, and its crossings, with their images. */
static void orbits_join_pairs(struct nb_oblivious_orbits *orbits,
                              const struct nb_symmetry *symmetry, size_t g)
{
    const size_t e = orbits->e, m = orbits->topology->channel_count;
    const uint32_t *map = symmetry->channel + g * m;
    for (size_t i = 0; i < e; i++) {
        for (size_t j = 0; j < e; j++) {
            uint32_t source = orbits->endpoint[i];
            uint32_t target = orbits->endpoint[j];
            nb_symmetry_pair(symmetry, g, &source, &target);
            const size_t from = i * e + j;
            const size_t to = orbits->place[source] * e + orbits->place[target];
            nb_sets_join(orbits->pair, (uint32_t)from, (uint32_t)to);
            for (size_t c = 0; c < m && i != j; c++)
                nb_sets_join(orbits->crossing, (uint32_t)(from * m + c),
                             (uint32_t)(to * m + map[c]));
        }
    }
}

/* Joins every channel, and its sides, with their images: a reversal makes
 * rows of columns. */
static void orbits_join_sides(struct nb_oblivious_orbits *orbits,
                              const struct nb_symmetry *symmetry, size_t g)
{
    const size_t e = orbits->e, m = orbits->topology->channel_count;
    const uint32_t *map = symmetry->channel + g * m;
    const uint32_t *router = symmetry->router + g * symmetry->router_count;
    const size_t turn = symmetry->is_reversal[g] ? e : 0;
    for (size_t c = 0; c < m; c++) {
        nb_sets_join(orbits->channel, (uint32_t)c, map[c]);
        for (size_t i = 0; i < e; i++) {
            const size_t to = orbits->place[router[orbits->endpoint[i]]];
            const size_t from = c * 2 * e, image = map[c] * 2 * e;
            nb_sets_join(orbits->side, (uint32_t)(from + i),
                         (uint32_t)(image + turn + to));
            nb_sets_join(orbits->side, (uint32_t)(from + e + i),
                         (uint32_t)(image + e - turn + to));
        }
    }
}

/* Every number gets the name of its set. */
static void orbits_name(uint32_t *set, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        set[i] = nb_sets_find(set, i);
}

/* Errors: NB_NO_MEMORY, before anything is allocated where they do not fit;
 * NB_OVERFLOW if there are 2^32 crossings or more. */
static enum nb_status oblivious_orbits_find(const struct nb_topology *topology,
                                            const struct nb_symmetry *symmetry,
                                            struct nb_oblivious_orbits *out,
                                            struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_oblivious_orbits){ .topology = topology };
    NB_TRY(orbits_reserve(out, err));
    const size_t e = out->e, m = topology->channel_count;
    for (size_t r = 0; r < topology->router_count; r++) {
        out->place[r] = NB_NONE;
        out->terminal_count += topology->terminals[r];
    }
    for (uint32_t i = 0; i < e; i++)
        out->place[out->endpoint[i]] = i;
    nb_sets_init(out->pair, e * e);
    nb_sets_init(out->crossing, e * e * m);
    nb_sets_init(out->side, 2 * e * m);
    nb_sets_init(out->channel, m);
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        orbits_join_pairs(out, symmetry, g);
        orbits_join_sides(out, symmetry, g);
    }
    orbits_name(out->pair, e * e);
    orbits_name(out->crossing, e * e * m);
    orbits_name(out->side, 2 * e * m);
    orbits_name(out->channel, m);
    for (size_t p = 0; p < e * e; p++)
        out->pair_size[out->pair[p]]++;
    for (size_t c = 0; c < m; c++)
        out->channel_size[out->channel[c]]++;
done:
    if (status != NB_OK)
        oblivious_orbits_release(out);
    return status;
}

/* Flows before symmetry among channels is counted; the simplex method takes
 * some twenty minutes for as many. */
#define CASE_MOST_FLOWS 2.5e5

/* Keeps the generators that turn no paths round. */
static void case_drop_reversals(struct nb_symmetry *symmetry)
{
    const size_t n = symmetry->router_count, m = symmetry->channel_count;
    size_t kept = 0;
    for (size_t g = 0; g < symmetry->generator_count; g++) {
        if (symmetry->is_reversal[g])
            continue;
        for (size_t r = 0; r < n; r++)
            symmetry->router[kept * n + r] = symmetry->router[g * n + r];
        for (size_t c = 0; c < m; c++)
            symmetry->channel[kept * m + c] = symmetry->channel[g * m + c];
        symmetry->is_reversal[kept++] = false;
    }
    symmetry->generator_count = kept;
}

static enum nb_status
case_check_question(const struct nb_oblivious_question *question,
                    struct nb_error *err)
{
    const bool has_load = question->goal == NB_LEAST_MEAN_HOPS;
    enum nb_status status;
    NB_TRY(nb_path_class_check(question->class, question->topology, err));
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
        question->class->layer_count == 1 && !question->is_unbalanced &&
        nb_ratio_compare(question->rate, nb_ratio_one) == 0;
    if (status == NB_OK && !has_reversals)
        case_drop_reversals(out);
    return status;
}

/* Counts the channels of a pair that are alike. */
static void case_count_alike(struct nb_oblivious_case *here, size_t index)
{
    const size_t m = here->topology->channel_count;
    uint32_t *alike = here->alike + index * m;
    const uint32_t *name = here->orbits.crossing + here->pair[index] * m;
    for (size_t c = 0; c < m; c++)
        alike[name[c] % m]++;
    for (size_t c = 0; c < m; c++)
        alike[c] = alike[name[c] % m];
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
    const char *what = "kinds of pairs";
    enum nb_status status = NB_OK;
    *out = (struct nb_oblivious_case){ .question = question,
                                       .topology = question->topology,
                                       .symmetry = *symmetry };
    *symmetry = (struct nb_symmetry){ 0 };
    NB_TRY(oblivious_orbits_find(out->topology, &out->symmetry, &out->orbits,
                                 err));
    const size_t e = out->orbits.e, m = out->topology->channel_count;
    NB_TRY(nb_new(&out->pair, e * e, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->index, e * e, sizeof(uint32_t), what, err));
    for (uint32_t p = 0; p < e * e; p++) {
        if (p / e == p % e || out->orbits.pair[p] != p)
            continue;
        out->index[p] = (uint32_t)out->pair_count;
        out->pair[out->pair_count++] = p;
    }
    out->is_too_large =
        (double)out->pair_count * (double)m * question->class->layer_count >
        CASE_MOST_FLOWS;
    NB_TRY(
        nb_new(&out->alike, out->pair_count * m, sizeof(uint32_t), what, err));
    for (size_t index = 0; index < out->pair_count; index++)
        case_count_alike(out, index);
done:
    if (status != NB_OK)
        nb_oblivious_case_release(out);
    return status;
}

void nb_oblivious_case_release(struct nb_oblivious_case *here)
{
    nb_symmetry_release(&here->symmetry);
    oblivious_orbits_release(&here->orbits);
    nb_delete(here->pair);
    nb_delete(here->index);
    nb_delete(here->alike);
    *here = (struct nb_oblivious_case){ 0 };
}
