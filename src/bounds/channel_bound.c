/* What solving and checking a worst case share (declared in worst_case.h). */
#include "bounds/worst_case.h"

#include "core/memory.h"
#include "load/propagate.h"

#include <float.h>
#include <math.h>

/* A value after up to ten operations on non-negative doubles, each of which
 * errs by 2^-53, moved outward. The last term matters among subnormal numbers
 * only. */
static double bound_up(double value)
{
    return value * (1 + 10 * 0x1p-53) + 0x1p-1074;
}

static double bound_down(double value)
{
    return value * (1 - 10 * 0x1p-53);
}

/* The same for sums of n non-negative doubles, added up as long doubles. */
static double bound_sum_up(long double sum, size_t n)
{
    return bound_up((double)(sum * (1 + ((long double)n + 1) * LDBL_EPSILON)));
}

static double bound_sum_down(long double sum, size_t n)
{
    return bound_down(
        (double)(sum * (1 - ((long double)n + 1) * LDBL_EPSILON)));
}

struct nb_pair_loads nb_pair_loads_widen(const struct nb_pair_loads *loads)
{
    struct nb_pair_loads wide = *loads;
    wide.relative_error = 4 * loads->relative_error + 0x1p-48;
    return wide;
}

double nb_pair_load_upper(const struct nb_pair_loads *loads, size_t i, size_t j)
{
    const double value = nb_pair_load_value(loads, i, j);
    return value > 0 ? bound_up(value * (1 + loads->relative_error)) : 0;
}

double nb_pair_load_lower(const struct nb_pair_loads *loads, size_t i, size_t j)
{
    const double value = nb_pair_load_value(loads, i, j);
    if (value < NB_LEAST_RELATIVE)
        return 0;
    return bound_down(value * (1 - loads->relative_error));
}

/* Sums of the greatest cells of rows and of columns, met row by row; a
 * separable matrix has its greatest cells where its terms are greatest. */
struct bound_maxima {
    nb_int128 row, column;               /* exact */
    long double row_value, column_value; /* not exact: of upper bounds */
};

static bool bound_is_less(const struct nb_pair_loads *loads, size_t i, size_t j,
                          size_t k, size_t l)
{
    return loads->is_exact ? nb_pair_load_weight(loads, i, j) <
                                 nb_pair_load_weight(loads, k, l)
                           : nb_pair_load_value(loads, i, j) <
                                 nb_pair_load_value(loads, k, l);
}

static void bound_separable_maxima(const struct nb_pair_loads *loads,
                                   struct bound_maxima *out)
{
    const size_t n = loads->n;
    size_t most_row = 0, most_column = 0;
    for (size_t i = 1; i < n; i++) {
        if (bound_is_less(loads, most_row, 0, i, 0))
            most_row = i;
        if (bound_is_less(loads, 0, most_column, 0, i))
            most_column = i;
    }
    for (size_t i = 0; i < n; i++) {
        if (loads->is_exact) {
            out->row += nb_pair_load_weight(loads, i, most_column);
            out->column += nb_pair_load_weight(loads, most_row, i);
        } else {
            out->row_value += nb_pair_load_upper(loads, i, most_column);
            out->column_value += nb_pair_load_upper(loads, most_row, i);
        }
    }
}

static void bound_dense_maxima(const struct nb_pair_loads *loads,
                               int64_t *column, struct bound_maxima *out)
{
    const size_t n = loads->n;
    for (size_t i = 0; i < n; i++) {
        const int64_t *row = loads->weight + i * n;
        int64_t most = 0;
        for (size_t j = 0; j < n; j++) {
            most = row[j] > most ? row[j] : most;
            column[j] = row[j] > column[j] ? row[j] : column[j];
        }
        out->row += most;
    }
    for (size_t j = 0; j < n; j++)
        out->column += column[j];
}

static void bound_dense_maxima_value(const struct nb_pair_loads *loads,
                                     double *column, struct bound_maxima *out)
{
    const size_t n = loads->n;
    const double up = 1 + loads->relative_error;
    for (size_t i = 0; i < n; i++) {
        const double *row = loads->value + i * n;
        double most = 0;
        for (size_t j = 0; j < n; j++) {
            most = row[j] > most ? row[j] : most;
            column[j] = row[j] > column[j] ? row[j] : column[j];
        }
        out->row_value += bound_up(most * up);
    }
    for (size_t j = 0; j < n; j++)
        out->column_value += bound_up(column[j] * up);
}

/* total * multiplicity / denominator, and doubles around it. */
static struct nb_ratio bound_make(nb_int128 total, uint32_t multiplicity,
                                  int64_t denominator, double *lower,
                                  double *upper)
{
    const nb_int128 whole = total * (nb_int128)multiplicity;
    const struct nb_ratio exact = nb_ratio_make(whole, denominator);
    if (nb_ratio_is_known(exact)) {
        nb_ratio_bracket(exact, lower, upper);
    } else {
        const double value = (double)whole / (double)denominator;
        *lower = bound_down(value);
        *upper = bound_up(value);
    }
    return exact;
}

enum nb_status nb_bound_by_maxima(const struct nb_pair_loads *loads,
                                  uint32_t multiplicity, struct nb_ratio *exact,
                                  double *upper, struct nb_error *err)
{
    struct bound_maxima maxima = { 0 };
    int64_t *column = NULL;
    double *column_value = NULL, lower;
    enum nb_status status = NB_OK;
    if (loads->is_separable) {
        bound_separable_maxima(loads, &maxima);
    } else if (loads->is_exact) {
        NB_TRY(nb_new(&column, loads->n, sizeof *column, "maxima", err));
        bound_dense_maxima(loads, column, &maxima);
    } else {
        NB_TRY(nb_new(&column_value, loads->n, sizeof *column_value, "maxima",
                      err));
        bound_dense_maxima_value(loads, column_value, &maxima);
    }
    *exact = (struct nb_ratio){ 0, 0 };
    if (loads->is_exact)
        *exact =
            bound_make(maxima.row < maxima.column ? maxima.row : maxima.column,
                       multiplicity, loads->denominator, &lower, upper);
    else
        *upper = bound_sum_up(fminl(maxima.row_value, maxima.column_value) *
                                  multiplicity,
                              loads->n);
done:
    nb_delete(column);
    nb_delete(column_value);
    return status;
}

void nb_bound_by_duals(const struct nb_channel_bound *bound, size_t sides,
                       uint32_t multiplicity, struct nb_ratio *exact,
                       double *upper)
{
    nb_int128 whole = 0;
    long double value = 0;
    for (size_t i = 0; i < sides; i++) {
        if (bound->is_exact)
            whole += (nb_int128)bound->row[i] + bound->column[i];
        else
            value += (long double)bound->row_value[i] + bound->column_value[i];
    }
    *exact = (struct nb_ratio){ 0, 0 };
    if (bound->is_exact) {
        double lower;
        *exact =
            bound_make(whole, multiplicity, bound->denominator, &lower, upper);
    } else {
        *upper = bound_sum_up(value * multiplicity, 2 * sides);
    }
}

void nb_load_of_permutation(const struct nb_pair_loads *loads,
                            const uint32_t *permutation, uint32_t multiplicity,
                            struct nb_ratio *exact, double *lower,
                            double *upper)
{
    nb_int128 whole = 0;
    long double low = 0, high = 0;
    for (size_t i = 0; i < loads->n; i++) {
        if (loads->is_exact) {
            whole += nb_pair_load_weight(loads, i, permutation[i]);
        } else {
            low += nb_pair_load_lower(loads, i, permutation[i]);
            high += nb_pair_load_upper(loads, i, permutation[i]);
        }
    }
    *exact = (struct nb_ratio){ 0, 0 };
    if (loads->is_exact) {
        *exact =
            bound_make(whole, multiplicity, loads->denominator, lower, upper);
    } else {
        *lower = bound_sum_down(low * multiplicity, loads->n);
        *upper = bound_sum_up(high * multiplicity, loads->n);
    }
}

/* load / bandwidth where it is known exactly. */
static struct nb_ratio bound_share(const struct nb_topology *topology,
                                   const struct nb_channel_bound *bound)
{
    return nb_ratio_divide(bound->load,
                           topology->channels[bound->channel].bandwidth);
}

bool nb_channel_bound_is_worse(const struct nb_topology *topology,
                               const struct nb_channel_bound *a,
                               const struct nb_channel_bound *b)
{
    const struct nb_ratio share_a = bound_share(topology, a);
    const struct nb_ratio share_b = bound_share(topology, b);
    const double band_a =
        nb_ratio_value(topology->channels[a->channel].bandwidth);
    const double band_b =
        nb_ratio_value(topology->channels[b->channel].bandwidth);
    if (nb_ratio_is_known(share_a) && nb_ratio_is_known(share_b))
        return nb_ratio_compare(share_a, share_b) > 0;
    return a->lower / band_a > b->lower / band_b;
}

void nb_worst_case_conclude(const struct nb_topology *topology,
                            struct nb_worst_case *worst)
{
    double most_upper = 0;
    bool is_exact = true;
    worst->worst = SIZE_MAX;
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        const double band =
            nb_ratio_value(topology->channels[bound->channel].bandwidth);
        most_upper = fmax(most_upper, bound->upper / band);
        is_exact = is_exact && nb_ratio_is_known(bound_share(topology, bound));
        if (!nb_channel_bound_has_duals(bound))
            continue;
        if (worst->worst == SIZE_MAX ||
            nb_channel_bound_is_worse(topology, bound,
                                      &worst->bounds[worst->worst]))
            worst->worst = b;
    }
    const struct nb_channel_bound *most = &worst->bounds[worst->worst];
    const struct nb_ratio bandwidth =
        topology->channels[most->channel].bandwidth;
    if (is_exact) {
        worst->load = most->load;
        worst->load_lower = most->lower;
        worst->load_upper = most->upper;
        worst->throughput = nb_ratio_divide(bandwidth, most->load);
        nb_ratio_bracket(worst->throughput, &worst->throughput_lower,
                         &worst->throughput_upper);
        return;
    }
    /* The worst may be any channel whose bracket reaches as high. Each of the
     * quotients, products and bandwidths rounds. */
    const double band = nb_ratio_value(bandwidth);
    worst->load = worst->throughput = (struct nb_ratio){ 0, 0 };
    worst->load_lower = most->lower;
    worst->load_upper = most_upper * band * (1 + 0x1p-50);
    worst->throughput_lower = 1 / most_upper * (1 - 0x1p-50);
    worst->throughput_upper = band / most->lower * (1 + 0x1p-50);
}
