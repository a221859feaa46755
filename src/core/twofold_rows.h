/* Twofold rows: sums of products of many twofold numbers, several at a time. */
#ifndef NB_CORE_TWOFOLD_ROWS_H
#define NB_CORE_TWOFOLD_ROWS_H

#include "core/public.h"
#include "core/twofold.h"

#include <stddef.h>

NB_INTERNAL_BEGIN

/* Each product of numbers that are not negative adds at most this relative
 * error to the sums below. */
#define NB_TWOFOLD_ROWS_ERROR 0x1p-100

/*
 * out[b] += sum over a < inner of factor[a] rows[a * step + b] / unit, b < n.
 *
 * step  may be negative
 * unit  a power of two: where rows and factors are stored as multiples of it,
 *       so is the result
 * out   not in rows
 */
void nb_twofold_sums(size_t inner, const struct nb_twofold *factor,
                     const struct nb_twofold *rows, ptrdiff_t step, size_t n,
                     double unit, struct nb_twofold *out);

/* out[b] += sum over a < inner of factors[a * factors_step + b] times
 * rows[a * step + b] / unit, b < n. */
void nb_twofold_dots(size_t inner, const struct nb_twofold *factors,
                     ptrdiff_t factors_step, const struct nb_twofold *rows,
                     ptrdiff_t step, size_t n, double unit,
                     struct nb_twofold *out);

/*
 * sum[n] = first[n] + sum over m < terms, m <= n, of x[m] sum[n - m] / unit,
 * begin <= n < end, in place.
 *
 * first  NULL: all 0
 */
void nb_twofold_convolve(const struct nb_twofold *x, size_t terms,
                         const struct nb_twofold *first, size_t begin,
                         size_t end, double unit, struct nb_twofold *sum);

NB_INTERNAL_END

#endif
