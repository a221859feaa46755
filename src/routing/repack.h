/*
 * Repack: empties the last of several layers of pairs, again and again. Each of
 * its pairs goes to another layer that accepts its path. If none does, and
 * paths may change, the pair may leave a router of its path by another shortest
 * path, if layers then accept all pairs that pass that router to the same
 * destination, and if no channel becomes fuller than the fullest is. Else its
 * path closes cycles: in the layer where that costs least, the pairs that make
 * one turn of each cycle have to leave, and look for a layer in turn. A pair
 * costs more each time it has to leave, so that the same ones do not change
 * places forever.
 */
#ifndef NB_ROUTING_REPACK_H
#define NB_ROUTING_REPACK_H

#include "routing/layers.h"

/*
 * next    [destination * router_count + router] without loops; where paths may
 *         change, in: shortest paths, out: the same or others, with the same
 *         greatest load or less
 * layer   [destination * router_count + source] in: without cycles of
 *         dependencies within a layer; out: the same, with the last ones
 *         emptied
 * wanted  number of layers to search for longer; below that it goes on only
 *         while it is quick
 * count   number of layers, in and out
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_layers_repack(const struct nb_topology *topology,
                                enum nb_layers_paths paths, uint32_t *next,
                                uint8_t *layer, size_t wanted, size_t *count,
                                struct nb_error *err);

#endif
