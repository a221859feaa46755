/* Switch levels: the levels of a tree of switches, found from its cables. */
#ifndef NB_TOPOLOGY_SWITCH_LEVELS_H
#define NB_TOPOLOGY_SWITCH_LEVELS_H

#include "topology/topology.h"

/*
 * Levels are those that the file states, if it does. Else they are found.
 *
 * The leaves are level 0. Some are certain: switches with more than half the
 * hosts of the switch with the most. Others may have few hosts or none, and
 * switches above them may have some, so levels follow from the roots. For each
 * depth these are taken to be the switches at that distance from the certain
 * leaves that have no hosts and do not resemble a leaf, which means that they
 * join several pods. A switch is as far below the depth as it is from the
 * nearest root; then it moves to the level that suits most of its cables. The
 * depth is that with the fewest contradictions: cables that do not lead to the
 * next level, hosts above the leaves, and cables of leaves that have no host
 * and do not resemble any that has; the smallest among equals.
 *
 * hosts   [router]
 * level   [router] in: NB_NONE for what is no switch, else 0; out: the level of
 *         each switch
 * levels  out: their number; 1 if there are only leaves, 0 without switches
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_switch_levels_find(const struct nb_topology *topology,
                                     const uint64_t *hosts, uint32_t *level,
                                     uint32_t *levels, struct nb_error *err);

#endif
