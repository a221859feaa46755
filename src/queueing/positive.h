/* Positive matrices: products, solves and stationary vectors that only add,
 * multiply and divide, so that entries keep their relative accuracy. */
#ifndef NB_QUEUEING_POSITIVE_H
#define NB_QUEUEING_POSITIVE_H

#include "queueing/distribution.h"

#include <stddef.h>

/* Matrices are stored row by row, all entries times NB_DISTRIBUTION_SCALE.
 * Those from 1e-430 to 1e15 are accurate. */

/* out = out + factor * row, of n entries. */
void nb_positive_add(size_t n, struct nb_twofold factor,
                     const struct nb_twofold *row, struct nb_twofold *out);

/* out = out + row * matrix. row  [inner], matrix  [inner x n], out  [n] */
void nb_positive_row_times(size_t inner, size_t n, const struct nb_twofold *row,
                           const struct nb_twofold *matrix,
                           struct nb_twofold *out);

/* out = left * right; out must differ from both. left  [rows x inner], right
 * [inner x n], out  [rows x n] */
void nb_positive_multiply(size_t rows, size_t inner, size_t n,
                          const struct nb_twofold *left,
                          const struct nb_twofold *right,
                          struct nb_twofold *out);

/*
 * Factors I - u for a substochastic n x n matrix u by elimination that never
 * subtracts: each diagonal entry is the sum of what leaves its row.
 *
 * u     [n x width] in: the matrix's first columns, all others being 0; out:
 *       the factors (its diagonal holds the pivots)
 * exit  [n] in: 1 - row sums of u, however small; out: overwritten
 *
 * Source: [GrassmannTaksarHeyman1985].
 */
void nb_positive_factor(size_t n, size_t width, struct nb_twofold *u,
                        struct nb_twofold *exit);

/* x (I - u) = row, in place. row  [n] */
void nb_positive_solve_row(size_t n, size_t width,
                           const struct nb_twofold *factors,
                           struct nb_twofold *row);

/* (I - u) x = columns, in place. columns  [n x count] */
void nb_positive_solve(size_t n, size_t width, const struct nb_twofold *factors,
                       size_t count, struct nb_twofold *columns);

/* The stationary vector of a stochastic matrix, summing to 1.
 *
 * matrix  [n x n] overwritten
 * out     [n] */
void nb_positive_stationary(size_t n, struct nb_twofold *matrix,
                            struct nb_twofold *out);

#endif
