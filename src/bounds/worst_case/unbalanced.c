#include "bounds/worst_case/unbalanced.h"

#include "bounds/matching/transport.h"
#include "core/memory.h"
#include "core/ratio.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* As in nb_unbalanced_rate_sparse; the arrays are borrowed. */
struct unbalanced_matrix {
    size_t n;
    const size_t *row_start;
    const uint32_t *column;
    const int64_t *weight;
};

static const size_t matrix_size_limit = (size_t)1 << 30;

/* Errors: NB_INVALID if n or the bound is outside the range of
 * nb_unbalanced_rate. */
static enum nb_status unbalanced_check_bound(size_t n, struct nb_ratio bound,
                                             struct nb_error *err)
{
    if (n < 1 || n > matrix_size_limit)
        return nb_fail(err, NB_INVALID,
                       "an unbalanced worst case of %zu sources; permitted: "
                       "1 .. %zu",
                       n, matrix_size_limit);
    if (bound.numerator < 0 || bound.denominator < 0 ||
        !nb_ratio_is_known(bound))
        return nb_fail(err, NB_INVALID,
                       "a bound of %" PRId64 "/%" PRId64
                       " on a channel's load; permitted: 0 .. inf",
                       bound.numerator, bound.denominator);
    return NB_OK;
}

/* With a larger weight, sums of n duals might reach 2^62. */
static enum nb_status matrix_check_weight(size_t n, size_t row, size_t column,
                                          int64_t weight, struct nb_error *err)
{
    const int64_t limit = (((int64_t)1 << 62) - 1) / (int64_t)n;
    if (weight >= 0 && weight <= limit)
        return NB_OK;
    return nb_fail(err, weight < 0 ? NB_INVALID : NB_OVERFLOW,
                   "weight %" PRId64 " at (%zu, %zu); permitted: 0 .. %" PRId64,
                   weight, row, column, limit);
}

/* last_row  n, zeroed; one more than the last row with an entry in the
 * column */
static enum nb_status matrix_check_row(const struct unbalanced_matrix *matrix,
                                       size_t i, size_t *last_row,
                                       struct nb_error *err)
{
    const size_t n = matrix->n, end = matrix->row_start[i + 1];
    for (size_t e = matrix->row_start[i]; e < end; e++) {
        const uint32_t j = matrix->column[e];
        if (j >= n)
            return nb_fail(err, NB_INVALID,
                           "row %zu: column %" PRIu32 "; permitted: 0 .. %zu",
                           i, j, n - 1);
        if (last_row[j] == i + 1)
            return nb_fail(err, NB_INVALID,
                           "row %zu: two entries in column %" PRIu32
                           "; permitted: one",
                           i, j);
        last_row[j] = i + 1;
        const enum nb_status status =
            matrix_check_weight(n, i, j, matrix->weight[e], err);
        if (status != NB_OK)
            return status;
    }
    return NB_OK;
}

/* The form and range of the entries. Errors: those of
 * nb_unbalanced_rate_sparse. */
static enum nb_status
unbalanced_check_entries(const struct unbalanced_matrix *matrix,
                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t *last_row = NULL;
    for (size_t i = 0; i <= matrix->n; i++) {
        const size_t start = matrix->row_start[i];
        const size_t least = i > 0 ? matrix->row_start[i - 1] : 0;
        if (start < least || (i == 0 && start != 0))
            return nb_fail(err, NB_INVALID,
                           "row %zu starts at entry %zu; permitted: %s%zu", i,
                           start, i == 0 ? "" : "at least ", least);
    }
    NB_TRY(
        nb_new(&last_row, matrix->n, sizeof *last_row, "rows of columns", err));
    for (size_t i = 0; i < matrix->n; i++)
        NB_TRY(matrix_check_row(matrix, i, last_row, err));
done:
    nb_delete(last_row);
    return status;
}

/*
 * The non-zero entries of a dense matrix, all in range.
 *
 * weight  [n * n], row-major
 * pool    owner of their arrays
 *
 * Errors: those of nb_unbalanced_rate.
 */
static enum nb_status unbalanced_compress(size_t n, const int64_t *weight,
                                          struct nb_pool *pool,
                                          struct unbalanced_matrix *out,
                                          struct nb_error *err)
{
    enum nb_status status;
    size_t count = 0;
    for (size_t k = 0; k < n * n; k++)
        count += weight[k] != 0;
    size_t *row_start = nb_pool_array(pool, n + 1, sizeof *row_start);
    uint32_t *column = nb_pool_array(pool, count, sizeof *column);
    int64_t *entry = nb_pool_array(pool, count, sizeof *entry);
    NB_TRY(nb_pool_check(pool, "entries of a matrix", err));
    count = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const int64_t w = weight[i * n + j];
            NB_TRY(matrix_check_weight(n, i, j, w, err));
            if (w != 0) {
                column[count] = (uint32_t)j;
                entry[count++] = w;
            }
        }
        row_start[i + 1] = count;
    }
    *out = (struct unbalanced_matrix){ n, row_start, column, entry };
done:
    return status;
}

/* Whether a channel whose greatest load is `most`, 0 <= most < 2^62, is never
 * saturated. */
static bool unbalanced_is_safe(int64_t most, struct nb_ratio bound,
                               enum nb_overload overload)
{
    const int order = nb_ratio_compare((struct nb_ratio){ most, 1 }, bound);
    return overload == NB_OVERLOAD_MEETS ? order < 0 : order <= 0;
}

static int64_t unbalanced_sum(size_t n, const int64_t *value)
{
    int64_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += value[k];
    return sum;
}

/* The rate at which the duals' line alpha sum(u) + sum(v) equals the bound. */
static struct nb_ratio unbalanced_meet(const struct nb_transport *transport,
                                       struct nb_ratio bound)
{
    const int64_t slope = unbalanced_sum(transport->n, transport->row_dual);
    const int64_t start = unbalanced_sum(transport->n, transport->column_dual);
    return nb_ratio_make((nb_int128)bound.numerator -
                             (nb_int128)start * bound.denominator,
                         (nb_int128)slope * bound.denominator);
}

/*
 * Newton's method on T, which is concave, piecewise linear and 0 at 0. Any
 * feasible duals give a line alpha U + V >= T(alpha), U = sum(u), V = sum(v);
 * those optimal at alpha_k make it touch T there. The next alpha_k+1 is where
 * that line reaches B. Hence T(alpha_k+1) <= B: from the first step on all
 * alpha_k are at most the answer, and as T(alpha_k) <= B, they never decrease.
 * If alpha_k+1 = alpha_k then T(alpha_k) = B, the end. Otherwise T(alpha_k+1) =
 * B, the end after one more solution, or the new line is below the last at
 * alpha_k+1 but not at alpha_k, so U has decreased; U is a positive integer, so
 * the iteration is finite. (With g_k = B - T(alpha_k), even g_k+1/g_k +
 * U_k+1/U_k <= 1: the number of steps is logarithmic in the weights.) U = 0
 * makes v feasible on its own, so V >= sum of column maxima, while V <=
 * T(alpha_k) <= B. Since the caller ensures that the column maxima sum to B or
 * more, T(alpha_k) = B = V, which is also the end, and the line before proves
 * it.
 *
 * The first line is that of T at 0, u = row maxima and v = 0.
 */
static enum nb_status unbalanced_iterate(struct nb_transport *transport,
                                         struct nb_ratio bound,
                                         struct nb_unbalanced *result,
                                         struct nb_error *err)
{
    const size_t size = transport->n * sizeof *result->row_dual;
    struct nb_ratio last = nb_ratio_zero;
    result->rate = nb_ratio_zero; /* B = 0 and no load */
    while (unbalanced_sum(transport->n, transport->row_dual) > 0) {
        result->rate = unbalanced_meet(transport, bound);
        if (!nb_ratio_is_known(result->rate))
            return nb_fail(err, NB_OVERFLOW,
                           "the unbalanced rate for a load of %" PRId64
                           "/%" PRId64 " is no ratio of 64-bit integers",
                           bound.numerator, bound.denominator);
        memcpy(result->row_dual, transport->row_dual, size);
        memcpy(result->column_dual, transport->column_dual, size);
        if (nb_ratio_compare(result->rate, last) == 0)
            break;
        last = result->rate;
        nb_transport_solve(transport, last.numerator, last.denominator);
    }
    return NB_OK;
}

static enum nb_status unbalanced_copy_flows(const struct nb_transport *from,
                                            struct nb_unbalanced *to,
                                            struct nb_error *err)
{
    enum nb_status status;
    size_t count = 0;
    for (size_t e = 0; e < from->row_start[from->n]; e++)
        count += from->flow[e] > 0 && from->weight[e] > 0;
    NB_TRY(nb_new(&to->flows, count, sizeof *to->flows, "flows", err));
    for (size_t i = 0; i < from->n; i++)
        for (size_t e = from->row_start[i]; e < from->row_start[i + 1]; e++)
            if (from->flow[e] > 0 && from->weight[e] > 0)
                to->flows[to->flow_count++] = (struct nb_unbalanced_flow){
                    (uint32_t)i, from->column[e],
                    nb_ratio_make(from->flow[e], to->rate.denominator)
                };
done:
    return status;
}

/* The finite rate, its duals and flows; the duals of result are allocated. */
static enum nb_status unbalanced_find(const struct unbalanced_matrix *matrix,
                                      struct nb_ratio bound,
                                      struct nb_unbalanced *result,
                                      struct nb_error *err)
{
    enum nb_status status;
    struct nb_transport transport = { 0 };
    NB_TRY(nb_transport_init(&transport, matrix->n, matrix->row_start,
                             matrix->column, matrix->weight, err));
    NB_TRY(unbalanced_iterate(&transport, bound, result, err));
    NB_TRY(unbalanced_copy_flows(&transport, result, err));
done:
    nb_transport_release(&transport);
    return status;
}

/* The answer for checked entries. */
static enum nb_status unbalanced_solve(const struct unbalanced_matrix *matrix,
                                       struct nb_ratio bound,
                                       enum nb_overload overload,
                                       struct nb_unbalanced *out,
                                       struct nb_error *err)
{
    enum nb_status status;
    const size_t n = matrix->n;
    struct nb_unbalanced result = { .rate = nb_ratio_infinity, .n = n };
    NB_TRY(nb_new(&result.row_dual, n, sizeof *result.row_dual, "duals", err));
    NB_TRY(nb_new(&result.column_dual, n, sizeof *result.column_dual, "duals",
                  err));
    /* T is largest when every column takes all from its greatest weight. */
    int64_t *maximum = result.column_dual;
    for (size_t e = 0; e < matrix->row_start[n]; e++)
        if (maximum[matrix->column[e]] < matrix->weight[e])
            maximum[matrix->column[e]] = matrix->weight[e];
    if (!unbalanced_is_safe(unbalanced_sum(n, maximum), bound, overload))
        NB_TRY(unbalanced_find(matrix, bound, &result, err));
    *out = result;
    result = (struct nb_unbalanced){ 0 };
done:
    nb_unbalanced_release(&result);
    return status;
}

enum nb_status nb_unbalanced_rate(size_t n, const int64_t *weight,
                                  struct nb_ratio bound,
                                  enum nb_overload overload,
                                  struct nb_unbalanced *out,
                                  struct nb_error *err)
{
    enum nb_status status;
    struct nb_pool pool = { 0 };
    struct unbalanced_matrix matrix;
    NB_TRY(unbalanced_check_bound(n, bound, err));
    NB_TRY(unbalanced_compress(n, weight, &pool, &matrix, err));
    NB_TRY(unbalanced_solve(&matrix, bound, overload, out, err));
done:
    nb_pool_release(&pool);
    return status;
}

enum nb_status
nb_unbalanced_rate_sparse(size_t n, const size_t *row_start,
                          const uint32_t *column, const int64_t *weight,
                          struct nb_ratio bound, enum nb_overload overload,
                          struct nb_unbalanced *out, struct nb_error *err)
{
    enum nb_status status;
    const struct unbalanced_matrix matrix = { n, row_start, column, weight };
    NB_TRY(unbalanced_check_bound(n, bound, err));
    NB_TRY(unbalanced_check_entries(&matrix, err));
    NB_TRY(unbalanced_solve(&matrix, bound, overload, out, err));
done:
    return status;
}

void nb_unbalanced_release(struct nb_unbalanced *unbalanced)
{
    nb_delete(unbalanced->row_dual);
    nb_delete(unbalanced->column_dual);
    nb_delete(unbalanced->flows);
    *unbalanced = (struct nb_unbalanced){ 0 };
}
