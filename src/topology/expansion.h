/* Expansion: how well a network is connected, and how near its diameter is to
 * the least that its degree permits. */
#ifndef NB_TOPOLOGY_EXPANSION_H
#define NB_TOPOLOGY_EXPANSION_H

#include "core/enclosure.h"
#include "topology/topology.h"

/*
 * The least diameter of any network with n routers and d channels out of each:
 * the Moore bound.
 *
 *     n <= 1 + d + d (d-1) + .. + d (d-1)^(k-1)     if each is a link
 *     n <= 1 + d + d^2 + .. + d^k                   else
 *
 * routers  n, >= 1
 * degree   d, the largest number of channels out of a router
 * is_links whether every channel has an opposite
 *
 * Returns the least k; NB_NONE if there is none (degree 0, or 1 with links and
 * more than two routers).
 *
 * Source: [Hanlon2009, theorem 1].
 */
uint32_t nb_moore_diameter(double routers, uint32_t degree, bool is_links);

/* Whether every channel has an opposite: between any two routers, equal numbers
 * of channels each way. */
bool nb_has_links(const struct nb_topology *topology);

enum { NB_SPECTRUM_ROUTERS = 1500, NB_EXPANSION_ROUTERS = 20 };

/*
 * With w(U) half the number of channels, both ways, between the routers of U
 * and the rest (the number of links, where channels are links):
 *
 *     expansion     min over U of w(U) / min(|U|, n - |U|)
 *     spectral gap  the second least eigenvalue of the Laplacian of w; where
 *                   all degrees are equal, the degree minus the second
 *                   greatest eigenvalue of the adjacency matrix
 *
 *     gap / 2 <= expansion
 *
 * Bandwidths, terminals and failed routers do not count. The gap is bracketed
 * by the error of a tridiagonal form made by reflections. The expansion is
 * exact for up to NB_EXPANSION_ROUTERS routers; for more, it is bracketed by
 * half the gap and the best cut found, along an eigenvector or in order of
 * router number.
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

#endif
