/* Shortest ways: the step of schemes that may take any shortest path. */
#ifndef NB_ROUTING_SHORTEST_WAYS_H
#define NB_ROUTING_SHORTEST_WAYS_H

#include "routing/routing.h"

/* As build and step of struct nb_routing_kind: every channel on a shortest
 * path, as route tables count them, in the one state. */
enum nb_status nb_shortest_ways_build(struct nb_routing *out,
                                      struct nb_error *err);
size_t nb_shortest_ways_step(const struct nb_routing *routing,
                             const struct nb_route_table *table,
                             nb_route_state state, uint32_t router,
                             uint32_t destination, struct nb_hop *hops);

#endif
