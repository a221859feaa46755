/* Symmetry: permutations that take a network to itself. */
#ifndef NB_TOPOLOGY_SYMMETRY_H
#define NB_TOPOLOGY_SYMMETRY_H

#include "core/public.h"
#include "topology/topology.h"

/*
 * Generators, each a permutation of the routers and of the channels that keeps
 * bandwidths and terminals. A reversal also reverses every path: with sigma its
 * permutation of the routers, a path from i to j becomes one from sigma(j) to
 * sigma(i), and its channel from a to b one from sigma(b) to sigma(a). There
 * are reversals where every channel has one back of the same bandwidth.
 *
 * Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_symmetry {
    size_t router_count;
    size_t channel_count;
    size_t generator_count;
    uint32_t *router;   /* [generator * router_count + router] */
    uint32_t *channel;  /* [generator * channel_count + channel] */
    bool *is_reversal;  /* [generator] */
    unsigned *known_as; /* [generator] nb_symmetry_class; 0: none */
};

NB_INTERNAL_BEGIN

/* The generators of the requested classes that the network's kind offers; none
 * where it offers none. Errors: NB_NO_MEMORY. */
enum nb_status nb_symmetry_offered(const struct nb_topology *topology,
                                   unsigned classes, struct nb_symmetry *out,
                                   struct nb_error *err);
void nb_symmetry_release(struct nb_symmetry *symmetry);

/*
 * Adds a generator that keeps bandwidths and terminals.
 *
 * map      [router] where it takes the routers
 * reverse  [channel] the channel back, for a reversal; else NULL
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_symmetry_add(struct nb_symmetry *symmetry,
                               const struct nb_topology *topology,
                               const uint32_t *map, const uint32_t *reverse,
                               unsigned known_as, struct nb_error *err);

/* Removes the generators for which keeps returns false. */
void nb_symmetry_select(struct nb_symmetry *symmetry,
                        bool (*keeps)(const struct nb_symmetry *symmetry,
                                      size_t generator, const void *context),
                        const void *context);

/* The channel that a permutation of the routers takes a channel to (among
 * parallel channels, the one of the same rank); NB_NONE if there is none of
 * equal bandwidth. */
uint32_t nb_channel_image(const struct nb_topology *topology,
                          const uint32_t *map, uint32_t channel);

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

NB_INTERNAL_END

#endif
