/* Failures: links and routers that a network has lost. */
#ifndef NB_TOPOLOGY_FAILURES_H
#define NB_TOPOLOGY_FAILURES_H

#include "topology/topology.h"

/*
 * For nb_topology_build, after the index: removes what the parameters fail and
 * fail-seed select, and makes the index again. The remaining routers keep their
 * numbers, coordinates, groups and names; a slot of a grid whose channel failed
 * becomes NB_NONE.
 *
 * fail  terms joined by +:
 *
 *     A-B            all links between two routers, both directions
 *     A-B[2]         the second of them, as struct nb_failed_link numbers them;
 *                    not in a fabric
 *     A[1]-B[2]      only the cable between two ports of a fabric
 *     router:A       a router with its links and terminals; a switch of a
 *                    fabric also with its hosts
 *     random:N       N links, drawn evenly and without replacement from those
 *                    that the terms above leave
 *     random:P%      likewise that share of all links, rounded to the nearest
 *                    whole number
 *     global:, local:  like random:, from links between groups or within them
 *     connected:     like random:, but a link that is drawn stays if its ends
 *                    would be separated; so no router is cut off
 *
 * A link is a cable, one of several where parallel channels join two routers.
 * In a fabric, random: draws from cables between switches. With the same seed,
 * drawing more links adds to those drawn before.
 *
 * Errors: NB_INVALID naming the term; NB_NO_MEMORY.
 */
enum nb_status nb_failures_apply(struct nb_topology *topology,
                                 struct nb_error *err);

/* Refuses a value of fail that no network accepts. Errors: NB_INVALID naming
 * the term. */
enum nb_status nb_failures_accepts(const char *fail, struct nb_error *err);

void nb_failures_release(struct nb_failures *failures);

/* Appends the first `most` failed links and the number of the rest, "0-1,
 * 5-6[2] and 3 more", with routers' names if they have any, as the parameter
 * names them. */
void nb_failures_print(const struct nb_topology *topology, size_t most,
                       struct nb_text *text);

#endif
