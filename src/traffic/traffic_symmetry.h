/* Traffic symmetry: what takes a network and a traffic to themselves. */
#ifndef NB_TRAFFIC_TRAFFIC_SYMMETRY_H
#define NB_TRAFFIC_TRAFFIC_SYMMETRY_H

#include "core/public.h"
#include "topology/symmetry.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/* Of the generators offered, of the classes asked for, those that keep the
 * traffic. Errors: NB_NO_MEMORY. */
enum nb_status nb_symmetry_keeping(const struct nb_topology *topology,
                                   unsigned classes,
                                   const struct nb_traffic *traffic,
                                   struct nb_symmetry *out,
                                   struct nb_error *err);

/*
 * The generators a topology offers, or those that a search finds where it
 * offers none, and the plain reversal. With a traffic those that keep it,
 * rate(i, j) being that of the image of the pair; of those that do not, powers
 * and products with one more that do.
 *
 * A question whose goal is convex in the routing and the same for every image
 * of a routing loses nothing by asking for routings that the group keeps: the
 * mean of a best routing's images is one of them, and no worse. So it does not
 * matter how much of the group is found. Automorphisms permute the channels,
 * and take the set of all admissible traffics, uniform traffic, and a traffic
 * that they keep to itself. A reversal takes a traffic to its transpose moved:
 * also the set of those whose rows and columns are held to the same sums, and
 * uniform traffic; and a traffic where that is checked. Where a goal is of
 * traffics that the group does not keep, as of a sample, it belongs to the
 * question and must be whole (nb_automorphisms_find).
 *
 * traffic  NULL: none to be kept
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_symmetry_find(const struct nb_topology *topology,
                                const struct nb_traffic *traffic,
                                struct nb_symmetry *out, struct nb_error *err);

/*
 * The same for a routing scheme that keeps some classes of automorphisms:
 * without reversals, which none declares, and of generators that are not
 * offered only if it keeps any.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_symmetry_find_kept(const struct nb_topology *topology,
                                     unsigned classes,
                                     const struct nb_traffic *traffic,
                                     struct nb_symmetry *out,
                                     struct nb_error *err);

NB_PUBLIC_END

#endif
