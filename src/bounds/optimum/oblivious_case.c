#include "bounds/optimum/oblivious_work.h"

#include "core/memory.h"

#include <math.h>

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
    NB_TRY(nb_oblivious_orbits_find(out->topology, &out->symmetry, &out->orbits,
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
    nb_oblivious_orbits_release(&here->orbits);
    nb_delete(here->pair);
    nb_delete(here->index);
    nb_delete(here->alike);
    *here = (struct nb_oblivious_case){ 0 };
}
