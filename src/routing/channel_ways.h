/* Channel ways: the dimension and direction of every channel of a grid or a
 * HyperX, as rules of virtual-channel classes remember them. */
#ifndef NB_ROUTING_CHANNEL_WAYS_H
#define NB_ROUTING_CHANNEL_WAYS_H

#include "topology/topology.h"

/* A channel's byte. */
enum {
    NB_WAY_DIMENSION = 31, /* dimension + 1 */
    NB_WAY_PLUS = 32,      /* direction */
    NB_WAY_WRAP = 64,      /* a wrap-around channel */
};

/* Computes the byte of every channel, [channel_count]. */
void nb_channel_ways(const struct nb_topology *topology, uint8_t *way);

/* The number of classes that break the cycle of a ring of wrap-around channels:
 * 1 if there are no such channels, else 2, the second one behind the
 * wrap-around channel. */
unsigned nb_ring_classes(const struct nb_topology *topology);

#endif
