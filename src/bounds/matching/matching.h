/* Maximum-weight perfect matching of a bipartite graph, with its proof. */
#ifndef NB_BOUNDS_MATCHING_H
#define NB_BOUNDS_MATCHING_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/* The largest number of rows. */
static const size_t nb_matching_size_limit = (size_t)1 << 30;

/* The largest weight of nb_matching_double: sums of 2^30 stay finite. */
static const double nb_matching_double_limit = 1e290;

/*
 * The permutation p of greatest total weight, and dual potentials proving it.
 *
 *     total = max_p sum_i weight(i, p(i))
 *           = min { sum_i r_i + sum_j c_j : r_i + c_j >= weight(i, j) }
 *
 * n              1 .. nb_matching_size_limit
 * weight         n x n, row-major, each in 0 .. (2^62 - 1) / n
 * has_weight     n; 0: all weights of the row are 0, and few of them are read;
 *                NULL: not known for any row
 * column_of_row  n, out; p
 * row_dual       n, out; r, each >= 0
 * column_dual    n, out; c, each >= 0
 * total          out
 *
 * Besides the matrix, at most half its size is used (for n of some hundreds or
 * more). The result depends only on the arguments.
 *
 * Errors: NB_INVALID if n or a weight is out of range (naming its place);
 * NB_NO_MEMORY.
 * Source: shortest augmenting paths, [JonkerVolgenant1987].
 */
enum nb_status nb_matching_integer(size_t n, const int64_t *weight,
                                   const uint8_t *has_weight,
                                   uint32_t *column_of_row, int64_t *row_dual,
                                   int64_t *column_dual, int64_t *total,
                                   struct nb_error *err);

/*
 * The same for doubles, each in 0 .. nb_matching_double_limit. Permutation,
 * duals and the equality of their sums are correct up to rounding, a few units
 * in the last place of the largest weight; where the sums are exact, so are
 * they.
 */
enum nb_status nb_matching_double(size_t n, const double *weight,
                                  const uint8_t *has_weight,
                                  uint32_t *column_of_row, double *row_dual,
                                  double *column_dual, double *total,
                                  struct nb_error *err);

#endif
