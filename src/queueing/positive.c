#include "queueing/positive.h"

#include "core/twofold_rows.h"
#include "queueing/scaled.h"

#include <math.h>
#include <string.h>

void nb_positive_add(size_t n, struct nb_twofold factor,
                     const struct nb_twofold *row, struct nb_twofold *out)
{
    if (factor.high != 0)
        nb_twofold_sums(1, &factor, row, 1, n, NB_DISTRIBUTION_SCALE, out);
}

void nb_positive_row_times(size_t inner, size_t n, const struct nb_twofold *row,
                           const struct nb_twofold *matrix,
                           struct nb_twofold *out)
{
    nb_twofold_sums(inner, row, matrix, (ptrdiff_t)n, n, NB_DISTRIBUTION_SCALE,
                    out);
}

void nb_positive_multiply(size_t rows, size_t inner, size_t n,
                          const struct nb_twofold *left,
                          const struct nb_twofold *right,
                          struct nb_twofold *out)
{
    memset(out, 0, rows * n * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        nb_positive_row_times(inner, n, left + i * inner, right, out + i * n);
}

static void positive_divide(struct nb_twofold *value, struct nb_twofold divisor)
{
    *value = nb_scaled_divide(*value, divisor);
}

void nb_positive_factor(size_t n, size_t width, struct nb_twofold *u,
                        struct nb_twofold *exit)
{
    for (size_t s = 0; s < width; s++) {
        const struct nb_twofold *const pivot = u + s * width + s;
        struct nb_twofold leaves = exit[s];
        for (size_t b = 1; b < width - s; b++)
            leaves = nb_twofold_add(leaves, pivot[b]);
        u[s * width + s] = leaves;
        for (size_t i = s + 1; i < n; i++) {
            struct nb_twofold *const row = u + i * width + s;
            positive_divide(row, leaves);
            exit[i] =
                nb_twofold_add(exit[i], nb_scaled_multiply(*row, exit[s]));
            nb_positive_add(width - s - 1, *row, pivot + 1, row + 1);
        }
    }
}

/* I - u = L R with L unit lower (its entries below the diagonal stored with
 * opposite signs) and R upper (pivots, and entries with opposite signs). Rows
 * of R from width on are those of I: all that enters them leaves. */

void nb_positive_solve_row(size_t n, size_t width,
                           const struct nb_twofold *factors,
                           struct nb_twofold *row)
{
    for (size_t s = 0; s < width; s++) { /* y R = row */
        const struct nb_twofold *const pivot = factors + s * width + s;
        positive_divide(&row[s], *pivot);
        nb_positive_add(width - s - 1, row[s], pivot + 1, row + s + 1);
    }
    for (size_t i = n; i-- > 1;) /* x L = y */
        nb_positive_add(i < width ? i : width, row[i], factors + i * width,
                        row);
}

void nb_positive_solve(size_t n, size_t width, const struct nb_twofold *factors,
                       size_t count, struct nb_twofold *columns)
{
    for (size_t i = 1; i < n; i++) /* L y = columns */
        nb_positive_row_times(i < width ? i : width, count, factors + i * width,
                              columns, columns + i * count);
    for (size_t i = width; i-- > 0;) { /* R x = y */
        nb_positive_row_times(width - i - 1, count, factors + i * width + i + 1,
                              columns + (i + 1) * count, columns + i * count);
        for (size_t b = 0; b < count; b++)
            positive_divide(&columns[i * count + b], factors[i * width + i]);
    }
}

/* Divides numbers by the power of two next to size. */
static void positive_shrink(struct nb_twofold *numbers, size_t n, double size)
{
    int power;
    frexp(size, &power);
    for (size_t i = 0; i < n; i++)
        numbers[i] = nb_twofold_shift(numbers[i], ldexp(1, -power));
}

void nb_positive_stationary(size_t n, struct nb_twofold *matrix,
                            struct nb_twofold *out)
{
    for (size_t s = n; s-- > 1;) {
        struct nb_twofold leaves = { 0, 0 };
        for (size_t b = 0; b < s; b++)
            leaves = nb_twofold_add(leaves, matrix[s * n + b]);
        for (size_t i = 0; i < s; i++) {
            positive_divide(&matrix[i * n + s], leaves);
            nb_positive_add(s, matrix[i * n + s], matrix + s * n,
                            matrix + i * n);
        }
    }
    /* Not scaled: the greatest so far is kept near 1. */
    struct nb_twofold sum = { 0, 0 };
    out[0] = nb_twofold_from(1);
    for (size_t s = 1; s < n; s++) {
        out[s] = nb_twofold_from(0);
        for (size_t i = 0; i < s; i++)
            out[s] = nb_twofold_add(
                out[s], nb_scaled_multiply(out[i], matrix[i * n + s]));
        if (out[s].high > 1)
            positive_shrink(out, s + 1, out[s].high);
    }
    for (size_t s = 0; s < n; s++)
        sum = nb_twofold_add(sum, out[s]);
    for (size_t s = 0; s < n; s++)
        positive_divide(&out[s], sum);
}
