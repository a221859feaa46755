/* Tree ways: up and down a fat tree (struct nb_tree). */
#ifndef NB_ROUTING_TREE_WAYS_H
#define NB_ROUTING_TREE_WAYS_H

#include "routing/routing.h"

/* Whether the router is a root, at the highest level. */
bool nb_tree_is_root(const struct nb_tree *tree, uint32_t router);

/* Whether a leaf lies below a router or is that router. */
bool nb_tree_is_above(const struct nb_tree *tree, uint32_t router,
                      uint32_t leaf);

/*
 * All hops up from a router that is not a root, with equal weights.
 *
 * next  the state after the hop
 * hops  out, [arity]
 *
 * Returns their number.
 */
size_t nb_tree_ways_up(const struct nb_topology *topology, uint32_t router,
                       nb_route_state next, struct nb_hop *hops);

/* The only hop down from a router to a leaf below it, in the same form; none
 * from a leaf. hops: out, [1]. */
size_t nb_tree_way_down(const struct nb_topology *topology, uint32_t router,
                        uint32_t leaf, nb_route_state next,
                        struct nb_hop *hops);

#endif
