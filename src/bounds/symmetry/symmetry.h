/* Symmetry: what takes a network, and perhaps a traffic, to itself. */
#ifndef NB_BOUNDS_SYMMETRY_H
#define NB_BOUNDS_SYMMETRY_H

#include "bounds/symmetry/automorphisms.h"
#include "traffic/traffic.h"

/*
 * Generators, each a permutation of the routers and of the channels that keeps
 * bandwidths and terminals. A reversal also turns every path round: with sigma
 * its permutation of the routers, a path from i to j becomes one from sigma(j)
 * to sigma(i), and its channel from a to b one from sigma(b) to sigma(a); there
 * are reversals where every channel has one back of the same bandwidth.
 *
 * Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_symmetry {
    size_t router_count;
    size_t channel_count;
    size_t generator_count;
    uint32_t *router;  /* [generator * router_count + router] */
    uint32_t *channel; /* [generator * channel_count + channel] */
    bool *is_reversal; /* [generator] */
};

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
 * question and must be whole (nb_symmetry_find_automorphisms).
 *
 * traffic  NULL: none to be kept
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_symmetry_find(const struct nb_topology *topology,
                                const struct nb_traffic *traffic,
                                struct nb_symmetry *out, struct nb_error *err);

/* All automorphisms, without reversals, by search alone, so that they do not
 * depend on how a network was given. is_whole: out, as of
 * nb_automorphisms_find. Errors: NB_NO_MEMORY. */
enum nb_status nb_symmetry_find_automorphisms(
    const struct nb_topology *topology, enum nb_automorphism_kind kind,
    struct nb_symmetry *out, bool *is_whole, struct nb_error *err);
void nb_symmetry_release(struct nb_symmetry *symmetry);

/* Where a generator takes the pair (source, destination). */
static inline void nb_symmetry_pair(const struct nb_symmetry *symmetry,
                                    size_t generator, uint32_t *source,
                                    uint32_t *destination)
{
    const uint32_t *map = symmetry->router + generator * symmetry->router_count;
    const uint32_t from = map[*source], to = map[*destination];
    const bool is_reversal = symmetry->is_reversal[generator];
    *source = is_reversal ? to : from;
    *destination = is_reversal ? from : to;
}

#endif
