/* Pods: the parts into which a tree of switches falls without its top level. */
#ifndef NB_TOPOLOGY_PODS_H
#define NB_TOPOLOGY_PODS_H

#include "topology/topology.h"

/*
 * Numbers the connected components of the switches of some levels, in the order
 * of their first routers. Directions of channels do not matter. Those below the
 * top level are pods; those of the two highest levels are planes.
 *
 * level  [router] NB_NONE: not a switch
 * first, last  levels; first > last: none
 * part   [router] out: its component, from 0; NB_NONE: not on these levels
 * count  out: components
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_pods_find(const struct nb_topology *topology,
                            const uint32_t *level, uint32_t first,
                            uint32_t last, uint32_t *part, uint32_t *count,
                            struct nb_error *err);

#endif
