/* Symmetries: the automorphisms of a network that a scheme keeps. */
#ifndef NB_ROUTING_SYMMETRIES_H
#define NB_ROUTING_SYMMETRIES_H

#include "routing/routing.h"

/* The channel that a symmetry takes channel to (of parallel channels the one
 * of the same rank); NB_NONE if there is none of equal bandwidth. */
uint32_t nb_channel_image(const struct nb_topology *topology,
                          const uint32_t *map, uint32_t channel);

/*
 * The generators of the automorphisms that keep bandwidths, terminals and the
 * routing scheme, of the classes asked for.
 *
 * maps   out: [*count * router_count], where each takes the routers; owned by
 *        the caller (nb_delete)
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_symmetries_find(const struct nb_routing *routing,
                                  unsigned classes, uint32_t **maps,
                                  size_t *count, struct nb_error *err);

#endif
