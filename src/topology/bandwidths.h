/* Bandwidths: sets them from the parameters of a network. */
#ifndef NB_TOPOLOGY_BANDWIDTHS_H
#define NB_TOPOLOGY_BANDWIDTHS_H

#include "topology/topology.h"

/*
 * Sets the bandwidth of every channel that the kind left without one: that of
 * local-bandwidth or global-bandwidth where the kind has them and they are
 * given, else that of the parameter bandwidth: one number, or one per dimension
 * of a network with coordinates, or one per level of a tree, from the leaves
 * up. Terminals' channels get terminal-bandwidth, unless a file gave theirs;
 * where it is not given, 1 if has_own_terminals or a router has several
 * terminals, else unlimited.
 *
 * topology  with its routers, channels, terminals and groups, not yet indexed
 *
 * Errors: NB_INVALID for a wrong number of bandwidths, or a bandwidth of
 * terminals that is not above 0; NB_NO_MEMORY.
 */
enum nb_status nb_bandwidths_set(struct nb_topology *topology,
                                 struct nb_error *err);

/* Whether a router has several terminals. */
bool nb_terminals_are_shared(const struct nb_topology *topology);

#endif
