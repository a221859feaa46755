/* Grid ways: the channels that lead along one dimension of a grid. */
#ifndef NB_ROUTING_GRID_WAYS_H
#define NB_ROUTING_GRID_WAYS_H

#include "topology/topology.h"

/*
 * The channels from a router towards a coordinate in the shorter direction:
 * one, two at a tie (distance exactly k/2 on a ring of even k > 2), none at the
 * coordinate itself.
 *
 * channel  out, [2]
 *
 * Returns their number.
 */
size_t nb_grid_ways(const struct nb_grid *grid, uint32_t router,
                    size_t dimension, uint32_t coordinate, uint32_t *channel);

/* The channel that leaves a router in one direction of a dimension. */
uint32_t nb_grid_way(const struct nb_grid *grid, uint32_t router,
                     size_t dimension, bool is_plus);

/* Hops from one coordinate of a dimension to another in the plus direction of
 * a torus, 0 .. radix - 1. */
uint32_t nb_grid_ahead(const struct nb_grid *grid, size_t dimension,
                       uint32_t from, uint32_t to);

#endif
