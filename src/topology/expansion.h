/* Expansion: how well the routers of a network hang together, and how near its
 * diameter is to the least that its degree permits. */
#ifndef NB_TOPOLOGY_EXPANSION_H
#define NB_TOPOLOGY_EXPANSION_H

#include "core/enclosure.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/*
 * The least diameter of any network with so many routers and channels out of
 * each: the Moore bound.
 *
 *     n <= 1 + d + d (d-1) + .. + d (d-1)^(k-1)     where each is a link
 *     n <= 1 + d + d^2 + .. + d^k                   else
 *
 * routers  n, >= 1
 * degree   d, the most channels out of a router
 * is_links whether every channel has an opposite
 *
 * Returns the least k; NB_NONE if there is none (degree 0, or 1 with links and
 * more than two routers).
 *
 * Source: [Hanlon2009, theorem 1].
 */
uint32_t nb_moore_diameter(double routers, uint32_t degree, bool is_links);

/* Whether every channel has an opposite, as many between any two routers. */
bool nb_has_links(const struct nb_topology *topology);

enum { NB_SPECTRUM_ROUTERS = 1500, NB_EXPANSION_ROUTERS = 20 };

/*
 * With w(U) half the number of channels between the routers U and the others,
 * either way, which is the number of links where channels are links:
 *
 *     expansion     min over U of w(U) / min(|U|, n - |U|)
 *     spectral gap  the second least eigenvalue of the Laplacian of w; the
 *                   degree less the second greatest one of the adjacency matrix
 *                   where all degrees are equal
 *
 *     gap / 2 <= expansion
 *
 * Bandwidths and terminals do not count, and nor do failed routers. The gap is
 * bracketed by the error of a tridiagonal form made by reflections; the
 * expansion is exact up to NB_EXPANSION_ROUTERS routers, above them between
 * half the gap and the best cut found, along an eigenvector or the numbers of
 * routers.
 *
 * gap        out
 * expansion  out
 *
 * Errors: NB_INVALID above NB_SPECTRUM_ROUTERS routers or for fewer than 2;
 * NB_NO_MEMORY.
 * Source: [HooryLinialWigderson2006].
 */
enum nb_status nb_expansion_find(const struct nb_topology *topology,
                                 struct nb_enclosure *gap,
                                 struct nb_enclosure *expansion,
                                 struct nb_error *err);

NB_PUBLIC_END

#endif
