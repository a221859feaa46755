/* Shared by the files of scheme_paths.h: scheme_paths.c finds the graph of all
 * states and the limits on a pair's shares, scheme_search.c the cheapest
 * mixtures, and scheme_permits.c checks claims. */
#ifndef NB_OPTIMUM_SCHEME_WORK_H
#define NB_OPTIMUM_SCHEME_WORK_H

#include "optimum/scheme_paths.h"

/* The state in which a packet goes straight on when it is decided on. starts:
 * [most_starts] scratch, filled with the pair's. */
nb_route_state nb_scheme_straight(const struct nb_routing *routing,
                                  struct nb_start *starts, uint32_t source,
                                  uint32_t destination);

/* The node where a packet of one phase begins. */
uint32_t nb_scheme_node(const struct nb_scheme_paths *paths, uint32_t source,
                        uint32_t destination, size_t start);

/* Whether a packet that goes straight is decided on again after a hop. */
bool nb_scheme_turns(const struct nb_scheme_paths *paths,
                     nb_route_state straight, uint32_t channel,
                     uint32_t destination);

#endif
