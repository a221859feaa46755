/* What solving and checking unbalanced worst cases share (declared in
 * unbalanced_case.h). */
#include "bounds/worst_case/unbalanced_case.h"

#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"

#include <math.h>

/* Largest weight of n x n matrices that nb_unbalanced_rate takes. */
static int64_t weights_limit(size_t n)
{
    return (((int64_t)1 << 62) - 1) / (int64_t)n;
}

/* Whether weights are in range and rates found from them fit. */
static bool weights_fit(const struct nb_pair_loads *loads,
                        struct nb_ratio bandwidth, uint32_t multiplicity)
{
    const int64_t limit = weights_limit(loads->n);
    const struct nb_ratio bound =
        nb_case_bound(bandwidth, loads->denominator, multiplicity);
    int64_t rows = 0;
    for (size_t i = 0; i < loads->n; i++) {
        int64_t most = 0;
        for (size_t j = 0; j < loads->n; j++) {
            const int64_t weight = nb_pair_load_weight(loads, i, j);
            most = weight > most ? weight : most;
        }
        if (most > limit)
            return false;
        rows += most;
    }
    return nb_ratio_is_known(bound) &&
           (nb_int128)rows * bound.denominator <= INT64_MAX;
}

enum nb_status nb_case_weights_copy(const struct nb_pair_loads *loads,
                                    struct nb_ratio bandwidth,
                                    uint32_t multiplicity,
                                    struct nb_case_weights *out,
                                    struct nb_error *err)
{
    const size_t n = loads->n;
    *out =
        (struct nb_case_weights){ .n = n, .denominator = loads->denominator };
    if (!loads->is_exact || !weights_fit(loads, bandwidth, multiplicity))
        return NB_OK;
    out->weight = loads->weight;
    if (!loads->is_separable)
        return NB_OK;
    const enum nb_status status =
        nb_new(&out->owned, n * n, sizeof *out->owned, "weights", err);
    for (size_t i = 0; i < n && status == NB_OK; i++)
        for (size_t j = 0; j < n; j++)
            out->owned[i * n + j] = nb_pair_load_weight(loads, i, j);
    out->weight = out->owned;
    return status;
}

/* Channels alike have the same loads, but their computed values differ by up
 * to the relative error each; the rest covers the roundings here. */
static double weights_value(const struct nb_pair_loads *loads, size_t i,
                            size_t j, enum nb_case_rounding rounding)
{
    if (rounding == NB_CASE_DOWN)
        return nb_pair_load_lower(loads, i, j);
    const double upper = nb_pair_load_upper(loads, i, j);
    return rounding == NB_CASE_UP
               ? upper
               : upper * (1 + 4 * loads->relative_error + 0x1p-48);
}

int64_t nb_case_scale(const struct nb_pair_loads *loads)
{
    double most = 0;
    int exponent;
    for (size_t i = 0; i < loads->n; i++)
        for (size_t j = 0; j < loads->n; j++)
            most = fmax(most, weights_value(loads, i, j, NB_CASE_WELL_UP));
    /* Twice the scale must leave n (most + 1) below 2^62. */
    frexp(most * (double)loads->n, &exponent);
    const int shift = 60 - exponent;
    return (int64_t)1 << (shift < 0 ? 0 : shift > 60 ? 60 : shift);
}

enum nb_status nb_case_weights_round(const struct nb_pair_loads *loads,
                                     int64_t denominator,
                                     enum nb_case_rounding rounding,
                                     struct nb_case_weights *out,
                                     struct nb_error *err)
{
    const size_t n = loads->n;
    *out = (struct nb_case_weights){ .n = n, .denominator = denominator };
    const enum nb_status status =
        nb_new(&out->owned, n * n, sizeof *out->owned, "weights", err);
    out->weight = out->owned;
    for (size_t i = 0; i < n && status == NB_OK; i++) {
        for (size_t j = 0; j < n; j++) {
            /* The product is exact: a power of two. */
            const double value =
                weights_value(loads, i, j, rounding) * (double)denominator;
            out->owned[i * n + j] =
                (int64_t)(rounding == NB_CASE_DOWN ? floor(value)
                                                   : ceil(value));
        }
    }
    return status;
}

void nb_case_weights_release(struct nb_case_weights *weights)
{
    nb_delete(weights->owned);
    *weights = (struct nb_case_weights){ 0 };
}

int64_t nb_case_row_maxima(const struct nb_case_weights *weights)
{
    int64_t sum = 0;
    for (size_t i = 0; i < weights->n; i++) {
        int64_t most = 0;
        for (size_t j = 0; j < weights->n; j++)
            if (weights->weight[i * weights->n + j] > most)
                most = weights->weight[i * weights->n + j];
        sum += most;
    }
    return sum;
}

int64_t nb_case_column_maxima(const struct nb_case_weights *weights,
                              int64_t *scratch)
{
    const size_t n = weights->n;
    int64_t sum = 0;
    for (size_t j = 0; j < n; j++)
        scratch[j] = 0;
    for (size_t k = 0; k < n * n; k++)
        if (weights->weight[k] > scratch[k % n])
            scratch[k % n] = weights->weight[k];
    for (size_t j = 0; j < n; j++)
        sum += scratch[j];
    return sum;
}

struct nb_ratio nb_case_bound(struct nb_ratio bandwidth, int64_t denominator,
                              uint32_t multiplicity)
{
    return nb_ratio_make((nb_int128)bandwidth.numerator * denominator,
                         (nb_int128)bandwidth.denominator * multiplicity);
}

struct nb_ratio nb_case_whole_bound(struct nb_ratio bandwidth,
                                    int64_t denominator, uint32_t multiplicity,
                                    enum nb_case_rounding rounding)
{
    /* A bound of 2^62 is above every load, so larger ones say no more. */
    const nb_int128 most = (nb_int128)1 << 62;
    const nb_int128 top = (nb_int128)bandwidth.numerator * denominator;
    const nb_int128 bottom = (nb_int128)bandwidth.denominator * multiplicity;
    nb_int128 whole = top / bottom;
    if (rounding != NB_CASE_DOWN && top % bottom != 0)
        whole++;
    return (struct nb_ratio){ (int64_t)(whole < most ? whole : most), 1 };
}

static struct nb_ratio weights_rate(struct nb_ratio bound, int64_t rows,
                                    int64_t columns, enum nb_overload overload)
{
    if (!nb_ratio_is_known(bound))
        return bound;
    const nb_int128 left =
        (nb_int128)bound.numerator - (nb_int128)columns * bound.denominator;
    if (rows == 0)
        return left < 0 || (left == 0 && overload == NB_OVERLOAD_MEETS)
                   ? (struct nb_ratio){ -1, 1 }
                   : nb_ratio_infinity;
    return nb_ratio_make(left, (nb_int128)rows * bound.denominator);
}

struct nb_ratio nb_case_rate(struct nb_ratio bandwidth, int64_t denominator,
                             uint32_t multiplicity, int64_t rows,
                             int64_t columns, enum nb_overload overload)
{
    const struct nb_ratio rate =
        weights_rate(nb_case_bound(bandwidth, denominator, multiplicity), rows,
                     columns, overload);
    return nb_ratio_is_known(rate)
               ? rate
               : weights_rate(nb_case_whole_bound(bandwidth, denominator,
                                                  multiplicity, NB_CASE_DOWN),
                              rows, columns, overload);
}

void nb_unbalanced_case_conclude(struct nb_unbalanced_case *unbalanced)
{
    struct nb_unbalanced_case *u = unbalanced;
    u->worst = SIZE_MAX;
    for (size_t b = 0; b < u->bound_count; b++) {
        if (u->bounds[b].row == NULL)
            continue;
        if (u->worst == SIZE_MAX ||
            nb_ratio_compare(u->bounds[b].rate, u->bounds[u->worst].rate) < 0)
            u->worst = b;
    }
    const struct nb_unbalanced_bound *least = &u->bounds[u->worst];
    double unused;
    u->rate = least->is_exact ? least->rate : (struct nb_ratio){ 0, 0 };
    nb_ratio_bracket(least->rate, &u->rate_lower, &u->rate_upper);
    if (!least->is_exact)
        nb_ratio_bracket(u->flow_rate, &unused, &u->rate_upper);
}
