/* Necessary pairs of a channel by removing it: the slow, obvious answer. */
#ifndef NB_TESTS_SUPPORT_NECESSARY_MATRIX_H
#define NB_TESTS_SUPPORT_NECESSARY_MATRIX_H

#include "topology/topology.h"

enum { NECESSARY_ROUTERS = 128 };

/*
 * Whether the distance from router i to router j grows without the channel.
 *
 * matrix  out, [router_count^2], [i * router_count + j]; at most
 *         NECESSARY_ROUTERS routers
 */
void necessary_matrix(const struct nb_topology *topology, uint32_t channel,
                      bool *matrix);

/* The same over all terminals in order of their routers, as 0 and 1. matrix:
 * out, [terminal_count^2] */
void necessary_matrix_terminals(const struct nb_topology *topology,
                                uint32_t channel, int64_t *matrix);

#endif
