/* Hosts: a network in which each terminal is a node of its own, as in a file of
 * a fabric. */
#ifndef NB_TOPOLOGY_HOSTS_H
#define NB_TOPOLOGY_HOSTS_H

#include "topology/topology.h"

NB_INTERNAL_BEGIN

/*
 * Makes a host of every terminal: routers keep their numbers and have no
 * terminals; hosts follow in the order of terminals, each with one terminal and
 * two channels, of the bandwidth of terminals, to and from its router. Groups
 * and failures are kept; coordinates, levels, symmetries and closed forms are
 * those of routers and are not.
 *
 * topology  in: the network; out: the network with hosts
 *
 * Errors: NB_INVALID and NB_NO_MEMORY if it is too large.
 */
enum nb_status nb_hosts_expand(struct nb_topology *topology,
                               struct nb_error *err);

NB_INTERNAL_END

#endif
