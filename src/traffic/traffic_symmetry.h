/* Traffic symmetry: permutations that take a network and a traffic to
 * themselves. */
#ifndef NB_TRAFFIC_TRAFFIC_SYMMETRY_H
#define NB_TRAFFIC_TRAFFIC_SYMMETRY_H

#include "core/public.h"
#include "topology/symmetry.h"
#include "traffic/traffic.h"

NB_INTERNAL_BEGIN

/* The generators offered, of the requested classes, that keep the traffic.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_symmetry_keeping(const struct nb_topology *topology,
                                   unsigned classes,
                                   const struct nb_traffic *traffic,
                                   struct nb_symmetry *out,
                                   struct nb_error *err);

/*
 * The generators a topology offers (those that a search finds, if it offers
 * none) and the plain reversal. With a traffic, only those that keep it:
 * rate(i, j) equals the rate of the image of the pair; for those that do not,
 * their powers and their products with one other generator that do.
 *
 * If the goal of a question is convex in the routing and the same for every
 * image of a routing, it suffices to consider routings that the group keeps:
 * the mean of a best routing's images is one of them, and no worse. So it does
 * not matter how much of the group is found. Automorphisms permute the channels
 * and keep the set of all admissible traffics, uniform traffic, and a traffic
 * that they preserve. A reversal takes a traffic to its moved transpose: it
 * keeps any set defined by the same bounds on rows and columns, and uniform
 * traffic; a given traffic is checked. If the goal depends on traffics that the
 * group does not keep, such as a sample, it belongs to the question, and the
 * group must be whole (nb_automorphisms_find).
 *
 * traffic  NULL: no traffic to keep
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_symmetry_find(const struct nb_topology *topology,
                                const struct nb_traffic *traffic,
                                struct nb_symmetry *out, struct nb_error *err);

/*
 * The same for a routing scheme that keeps some classes of automorphisms:
 * without reversals, which no scheme declares; generators that are not offered
 * are used only if it keeps any automorphism.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_symmetry_find_kept(const struct nb_topology *topology,
                                     unsigned classes,
                                     const struct nb_traffic *traffic,
                                     struct nb_symmetry *out,
                                     struct nb_error *err);

NB_INTERNAL_END

#endif
