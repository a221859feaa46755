/* Parts: the smallest piece of a network that holds two routers. */
#ifndef NB_ROUTING_PARTS_H
#define NB_ROUTING_PARTS_H

#include "topology/topology.h"

/*
 * Of a nest the routers of the smallest part of any level that holds both; of
 * a HyperX those that differ from either only in the dimensions in which the
 * two differ.
 */
struct nb_part {
    const struct nb_grid *hyperx; /* NULL: routers first .. first + size - 1 */
    uint32_t first;               /* HyperX: one of its routers */
    uint32_t size;
    bool is_free[NB_MAX_GRID]; /* HyperX: dimensions it extends in */
};

/* Whether a network is divided into parts. */
bool nb_has_parts(const struct nb_topology *topology);

/* The part of two routers with terminals; false if it is the whole network. */
bool nb_part_find(const struct nb_topology *topology, uint32_t one,
                  uint32_t other, struct nb_part *out);

/* Its index-th router, and whether a router with terminals is in it. */
uint32_t nb_part_router(const struct nb_part *part, uint32_t index);
bool nb_part_has(const struct nb_part *part, uint32_t router);

#endif
