/*
 * Layers: virtual-channel classes, in each of which the dependencies of
 * channels have no cycle, so that paths that keep to their layers cannot wait
 * for each other in a circle [DallySeitz1987]. Of each layer it is known which
 * channels depend on which over any number of hops, so that whether a path
 * would close a cycle is read off: it would if one of its channels leads to an
 * earlier one.
 */
#ifndef NB_ROUTING_LAYERS_H
#define NB_ROUTING_LAYERS_H

#include "routing/routing.h"
#include "routing/vc_classes.h"

/* Two bits for each pair of channels; owned by struct nb_layers. */
struct nb_layer {
    uint64_t *after;  /* [channel in a cycle][word] those that it leads to */
    uint64_t *before; /* [channel in a cycle][word] those that lead to it */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_layers {
    const struct nb_topology *topology;
    uint32_t *row; /* [channel] its number among those that may be in a cycle;
                    * NB_NONE: not those to and from routers of one neighbour */
    size_t row_count;
    size_t words; /* of a row of bits */
    size_t count; /* of layers */
    struct nb_layer layer[NB_MOST_VC_CLASSES];
};

/* No layer yet. Errors: NB_NO_MEMORY, also if so many layers, which will be
 * open at once, would not fit. */
enum nb_status nb_layers_init(const struct nb_topology *topology, size_t open,
                              struct nb_layers *out, struct nb_error *err);
void nb_layers_release(struct nb_layers *layers);

/* One layer more, below NB_MOST_VC_CLASSES, without paths. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_layers_open(struct nb_layers *layers, struct nb_error *err);

/* Whether a layer could take a path, or a part of one, without a cycle. */
bool nb_layers_accept(const struct nb_layers *layers, size_t layer,
                      const uint32_t *channel, size_t length);

/* How many turns of a path join channels that do not follow each other yet in
 * a layer; 0: the layer accepts the path and stays as it is. */
size_t nb_layers_lack(const struct nb_layers *layers, size_t layer,
                      const uint32_t *channel, size_t length);

/* Adds it to a layer that accepts it. */
void nb_layers_add(struct nb_layers *layers, size_t layer,
                   const uint32_t *channel, size_t length);

/*
 * Gives a scheme next hops and deals the pairs of routers with terminals out to
 * as few layers as it finds, at most as many as its parameter layers: each in
 * the first one that accepts its path, pairs in several orders as long as that
 * takes little time, and what needs the fewest is kept.
 *
 * next  [destination * router_count + router], without circles
 *
 * Errors: NB_INVALID if more layers are needed; NB_NO_MEMORY.
 */
enum nb_status nb_layers_build(struct nb_routing *out, const uint32_t *next,
                               struct nb_error *err);

#endif
