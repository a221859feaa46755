/*
 * Layers: virtual-channel classes without cycles of dependencies between
 * channels. Paths that stay in their layers cannot wait for each other in a
 * cycle [DallySeitz1987]. Each layer stores which channels depend on which over
 * any number of hops, so it takes only a lookup to see whether a path would
 * close a cycle: it would if one of its channels leads to an earlier one.
 */
#ifndef NB_ROUTING_LAYERS_H
#define NB_ROUTING_LAYERS_H

#include "routing/routing.h"
#include "routing/vc_classes.h"

/* Data lanes that InfiniBand switches usually have. */
#define NB_COMMON_LANES 8

/* Two bits for each pair of channels; owned by struct nb_layers. */
struct nb_layer {
    uint64_t *after;  /* [channel in a cycle][word] channels that it leads to */
    uint64_t *before; /* [channel in a cycle][word] channels that lead to it */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_layers {
    const struct nb_topology *topology;
    uint32_t *row; /* [channel] its number among those that may be in a cycle;
                    * NB_NONE: channels to and from routers with one
                    * neighbour */
    size_t row_count;
    size_t words; /* words of a row of bits */
    size_t count; /* of layers */
    struct nb_layer layer[NB_MOST_VC_CLASSES];
};

/* Creates no layer yet. Errors: NB_NO_MEMORY, also if `open` layers, the number
 * that will be open at the same time, would not fit. */
enum nb_status nb_layers_init(const struct nb_topology *topology, size_t open,
                              struct nb_layers *out, struct nb_error *err);
void nb_layers_release(struct nb_layers *layers);

/* Opens one more layer, without paths; there must be less than
 * NB_MOST_VC_CLASSES. Errors: NB_NO_MEMORY. */
enum nb_status nb_layers_open(struct nb_layers *layers, struct nb_error *err);

/* Whether a layer can take a path, or a part of one, without a cycle. */
bool nb_layers_accept(const struct nb_layers *layers, size_t layer,
                      const uint32_t *channel, size_t length);

/* The number of turns of a path that are not in a layer yet; 0: the layer
 * accepts the path and does not change. */
size_t nb_layers_lack(const struct nb_layers *layers, size_t layer,
                      const uint32_t *channel, size_t length);

/* Adds the path to a layer that accepts it. */
void nb_layers_add(struct nb_layers *layers, size_t layer,
                   const uint32_t *channel, size_t length);

/* Whether a scheme's shortest paths may become other shortest paths. */
enum nb_layers_paths { NB_LAYERS_KEEP_PATHS, NB_LAYERS_CHANGE_PATHS };

/*
 * Gives a scheme next hops and assigns the pairs of routers with terminals to
 * as few layers as it can find, at most as many as its parameter layers
 * permits. Each pair goes to the first layer that accepts its path; pairs are
 * tried in several orders while that takes little time, and the last layers of
 * the best result are emptied (repack.h). If the best order needs more than
 * permitted or than NB_COMMON_LANES, paths may change to empty more. A note
 * says so if more layers than NB_COMMON_LANES are needed.
 *
 * next  [destination * router_count + router], without loops; out: those given
 *       to the scheme
 *
 * Errors: NB_INVALID if more layers are needed; NB_NO_MEMORY.
 */
enum nb_status nb_layers_build(struct nb_routing *out, uint32_t *next,
                               enum nb_layers_paths paths,
                               struct nb_error *err);

#endif
