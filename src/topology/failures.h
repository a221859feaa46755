/* Failures: links and routers that a network has lost. */
#ifndef NB_TOPOLOGY_FAILURES_H
#define NB_TOPOLOGY_FAILURES_H

#include "topology/topology.h"

/*
 * For nb_topology_build, after the index: takes away what the parameters fail
 * and fail-seed say, and makes the index anew. The routers that are left keep
 * their numbers, coordinates, groups and names; a slot of a grid whose channel
 * failed is NB_NONE.
 *
 * fail  terms joined by +: A-B, the link between two routers, both directions
 *       and all channels parallel to it; A[1]-B[2], of a fabric the cable
 *       between two ports alone; router:A, a router with its links and
 *       terminals, and with a switch of a fabric its hosts; random:N or
 * random:P%, so many links, or the share of all that there were rounded to the
 * nearest whole number, drawn evenly and without replacement from those that
 * the other terms leave; global: and local: in the place of random: of links
 * between groups and within them. Of a fabric links are cables, and random:
 * those between switches. Of one seed more links are those of fewer and others.
 *
 * Errors: NB_INVALID naming the term; NB_NO_MEMORY.
 */
enum nb_status nb_failures_apply(struct nb_topology *topology,
                                 struct nb_error *err);

/* Refuses a value of fail that no network could take. Errors: NB_INVALID
 * naming the term. */
enum nb_status nb_failures_accepts(const char *fail, struct nb_error *err);

/* Builds the network as it was before anything failed. Errors: as
 * nb_topology_build. */
enum nb_status nb_failures_undo(const struct nb_topology *topology,
                                struct nb_topology *out, struct nb_error *err);

void nb_failures_release(struct nb_failures *failures);

/* Appends the failed links, "0-1, 5-6 and 3 more", by names where there are
 * some, and ports of cables; at most so many. */
void nb_failures_print(const struct nb_topology *topology, size_t most,
                       struct nb_text *text);

#endif
