/* Positive matrices: products, solves and stationary vectors that only add,
 * multiply and divide, so that every entry keeps its relative accuracy. */
#ifndef NB_QUEUEING_POSITIVE_H
#define NB_QUEUEING_POSITIVE_H

#include <stddef.h>

/* Matrices are stored row by row. */

/* out = out + factor * row, of n entries. */
void nb_positive_add(size_t n, long double factor, const long double *row,
                     long double *out);

/* out = out + row * matrix. row  [inner], matrix  [inner x n], out  [n] */
void nb_positive_row_times(size_t inner, size_t n, const long double *row,
                           const long double *matrix, long double *out);

/* out = left * right; out must differ from both. left  [rows x inner], right
 * [inner x n], out  [rows x n] */
void nb_positive_multiply(size_t rows, size_t inner, size_t n,
                          const long double *left, const long double *right,
                          long double *out);

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
void nb_positive_factor(size_t n, size_t width, long double *u,
                        long double *exit);

/* x (I - u) = row, in place. row  [n] */
void nb_positive_solve_row(size_t n, size_t width, const long double *factors,
                           long double *row);

/* (I - u) x = columns, in place. columns  [n x count] */
void nb_positive_solve(size_t n, size_t width, const long double *factors,
                       size_t count, long double *columns);

/* The stationary vector of a stochastic matrix, summing to 1.
 *
 * matrix  [n x n] overwritten
 * out     [n] */
void nb_positive_stationary(size_t n, long double *matrix, long double *out);

#endif
