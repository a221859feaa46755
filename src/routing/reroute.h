/*
 * Reroute: empties the last of several layers of pairs, as repack (repack.h)
 * does, where the paths may change. A pair that no layer accepts may leave a
 * router of its path by another shortest path, if layers then accept all pairs
 * that pass that router to the same destination, and if no channel becomes
 * fuller than the fullest is. Only if there is no such router do other pairs
 * have to leave their layer.
 */
#ifndef NB_ROUTING_REROUTE_H
#define NB_ROUTING_REROUTE_H

#include "topology/topology.h"

/*
 * next    [destination * router_count + router] in: shortest paths; out: the
 *         same or others, with the same greatest load or less
 * layer   [destination * router_count + source] in: without cycles of
 *         dependencies within a layer; out: the same, with the last ones
 *         emptied
 * wanted  number of layers to search for longer; below that it goes on only
 *         while that takes little time
 * count   number of layers, in and out
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layers_reroute(const struct nb_topology *topology,
                                 uint32_t *next, uint8_t *layer, size_t wanted,
                                 size_t *count, struct nb_error *err);

#endif
