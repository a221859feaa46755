/* Channel matrices: the loads of one channel over all terminals, as input for
 * slower solvers. */
#ifndef NB_TESTS_SUPPORT_CHANNEL_MATRIX_H
#define NB_TESTS_SUPPORT_CHANNEL_MATRIX_H

#include "routing/routing.h"

enum { MATRIX_SIDES = 64 };

/*
 * From the walks of every pair.
 *
 * all     the crossings of walk_all_pairs
 * matrix  out, [terminal_count^2], at most MATRIX_SIDES^2: terminals in order
 *         of their routers, row by row, over the denominator returned
 */
int64_t channel_matrix(const struct nb_ratio *all,
                       const struct nb_topology *topology, uint32_t channel,
                       int64_t *matrix);

/* The pair loads of a network with at most one terminal at each router, in
 * doubles; returns their number of rows. matrix: out, [MATRIX_SIDES^2]. */
size_t channel_matrix_values(const struct nb_routing *routing, uint32_t channel,
                             double *matrix);

#endif
