/*
 * Repack: empties the last of several layers of pairs, again and again. Each of
 * its pairs goes to another layer that accepts its path. If none does, its path
 * closes cycles: in the layer where that costs least, the pairs that make one
 * turn of each cycle have to leave, and look for a layer in turn. A pair costs
 * more each time it has to leave, so that the same ones do not change places
 * forever.
 */
#ifndef NB_ROUTING_REPACK_H
#define NB_ROUTING_REPACK_H

#include "topology/topology.h"

/*
 * next        [destination * router_count + router], without loops
 * layer       [destination * router_count + source] in: without cycles of
 *             dependencies within a layer; out: the same, with the last ones
 *             emptied
 * is_patient  whether to search for longer while there are more than
 *             NB_COMMON_LANES
 * count       number of layers, in and out
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layers_repack(const struct nb_topology *topology,
                                const uint32_t *next, uint8_t *layer,
                                bool is_patient, size_t *count,
                                struct nb_error *err);

#endif
