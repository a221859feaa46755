#include "bounds/worst_case/unbalanced_matrix.h"

#include "core/memory.h"

#include <inttypes.h>

static const size_t matrix_size_limit = (size_t)1 << 30;

enum nb_status nb_unbalanced_check_bound(size_t n, struct nb_ratio bound,
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

/* A larger weight might take sums of n duals to 2^62 or more. */
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

/* last_row  n, zeroed; one more than the last row with an entry there */
static enum nb_status
matrix_check_row(const struct nb_unbalanced_matrix *matrix, size_t i,
                 size_t *last_row, struct nb_error *err)
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

enum nb_status
nb_unbalanced_check_entries(const struct nb_unbalanced_matrix *matrix,
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

enum nb_status nb_unbalanced_compress(size_t n, const int64_t *weight,
                                      struct nb_unbalanced_entries *entries,
                                      struct nb_error *err)
{
    enum nb_status status;
    size_t count = 0;
    for (size_t k = 0; k < n * n; k++)
        count += weight[k] != 0;
    NB_TRY(nb_new(&entries->row_start, n + 1, sizeof *entries->row_start,
                  "row starts", err));
    NB_TRY(nb_new(&entries->column, count, sizeof *entries->column, "columns",
                  err));
    NB_TRY(nb_new(&entries->weight, count, sizeof *entries->weight, "weights",
                  err));
    count = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const int64_t w = weight[i * n + j];
            NB_TRY(matrix_check_weight(n, i, j, w, err));
            if (w != 0) {
                entries->column[count] = (uint32_t)j;
                entries->weight[count++] = w;
            }
        }
        entries->row_start[i + 1] = count;
    }
done:
    return status;
}

void nb_unbalanced_entries_release(struct nb_unbalanced_entries *entries)
{
    nb_delete(entries->row_start);
    nb_delete(entries->column);
    nb_delete(entries->weight);
    *entries = (struct nb_unbalanced_entries){ 0 };
}
