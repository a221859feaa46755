#include "queueing/positive.h"

#include <string.h>

void nb_positive_add(size_t n, long double factor, const long double *row,
                     long double *out)
{
    if (factor == 0)
        return;
    for (size_t b = 0; b < n; b++)
        out[b] += factor * row[b];
}

/* Four sums at a time stay in registers; storing extended numbers is slow. */
void nb_positive_row_times(size_t inner, size_t n, const long double *row,
                           const long double *matrix, long double *out)
{
    size_t b = 0;
    for (; b + 4 <= n; b += 4) {
        long double s0 = out[b], s1 = out[b + 1];
        long double s2 = out[b + 2], s3 = out[b + 3];
        for (size_t a = 0; a < inner; a++) {
            const long double factor = row[a];
            const long double *const part = matrix + a * n + b;
            s0 += factor * part[0];
            s1 += factor * part[1];
            s2 += factor * part[2];
            s3 += factor * part[3];
        }
        out[b] = s0;
        out[b + 1] = s1;
        out[b + 2] = s2;
        out[b + 3] = s3;
    }
    for (; b < n; b++)
        for (size_t a = 0; a < inner; a++)
            out[b] += row[a] * matrix[a * n + b];
}

void nb_positive_multiply(size_t rows, size_t inner, size_t n,
                          const long double *left, const long double *right,
                          long double *out)
{
    memset(out, 0, rows * n * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        nb_positive_row_times(inner, n, left + i * inner, right, out + i * n);
}

void nb_positive_factor(size_t n, size_t width, long double *u,
                        long double *exit)
{
    for (size_t s = 0; s < width; s++) {
        long double leaves = exit[s];
        for (size_t b = s + 1; b < width; b++)
            leaves += u[s * width + b];
        u[s * width + s] = leaves;
        for (size_t i = s + 1; i < n; i++) {
            const long double factor = u[i * width + s] / leaves;
            u[i * width + s] = factor;
            exit[i] += factor * exit[s];
            for (size_t b = s + 1; b < width; b++)
                u[i * width + b] += factor * u[s * width + b];
        }
    }
}

/* I - u = L R with L unit lower (its entries below the diagonal stored with
 * opposite signs) and R upper (pivots, and entries with opposite signs). Rows
 * of R from width on are those of I: all that enters them leaves. */

void nb_positive_solve_row(size_t n, size_t width, const long double *factors,
                           long double *row)
{
    for (size_t s = 0; s < width; s++) { /* y R = row */
        row[s] /= factors[s * width + s];
        for (size_t b = s + 1; b < width; b++)
            row[b] += row[s] * factors[s * width + b];
    }
    for (size_t i = n; i-- > 1;) /* x L = y */
        nb_positive_add(i < width ? i : width, row[i], factors + i * width,
                        row);
}

void nb_positive_solve(size_t n, size_t width, const long double *factors,
                       size_t count, long double *columns)
{
    for (size_t i = 1; i < n; i++) /* L y = columns */
        nb_positive_row_times(i < width ? i : width, count, factors + i * width,
                              columns, columns + i * count);
    for (size_t i = width; i-- > 0;) { /* R x = y */
        nb_positive_row_times(width - i - 1, count, factors + i * width + i + 1,
                              columns + (i + 1) * count, columns + i * count);
        for (size_t b = 0; b < count; b++)
            columns[i * count + b] /= factors[i * width + i];
    }
}

void nb_positive_stationary(size_t n, long double *matrix, long double *out)
{
    for (size_t s = n; s-- > 1;) {
        long double leaves = 0;
        for (size_t b = 0; b < s; b++)
            leaves += matrix[s * n + b];
        for (size_t i = 0; i < s; i++) {
            matrix[i * n + s] /= leaves;
            for (size_t b = 0; b < s; b++)
                matrix[i * n + b] += matrix[i * n + s] * matrix[s * n + b];
        }
    }
    long double sum = out[0] = 1;
    for (size_t s = 1; s < n; s++) {
        out[s] = 0;
        for (size_t i = 0; i < s; i++)
            out[s] += out[i] * matrix[i * n + s];
        sum += out[s];
    }
    for (size_t s = 0; s < n; s++)
        out[s] /= sum;
}
