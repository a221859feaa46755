/* Bandwidths: what the parameters of a network say of its channels. */
#ifndef NB_TOPOLOGY_BANDWIDTHS_H
#define NB_TOPOLOGY_BANDWIDTHS_H

#include "topology/topology.h"

/*
 * Gives the channels that the kind left without a bandwidth that of the
 * parameter bandwidth, one number or one for each dimension of a network with
 * coordinates or each level of a tree, from the leaves up; where the kind has
 * local-bandwidth and global-bandwidth and these are given, theirs. So do the
 * terminals' channels, unless a file has said it: terminal-bandwidth, or what
 * the kind has (has_own_terminals).
 *
 * topology  with its routers, channels, terminals and groups, not yet indexed
 *
 * Errors: NB_INVALID for another number of bandwidths or for one of the
 * terminals that is not above 0; NB_NO_MEMORY.
 */
enum nb_status nb_bandwidths_set(struct nb_topology *topology,
                                 struct nb_error *err);

#endif
