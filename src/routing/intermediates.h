/* Intermediate routers: where a packet of a pair may go first, for example
 * within the smallest part of the network that contains both ends. */
#ifndef NB_ROUTING_INTERMEDIATES_H
#define NB_ROUTING_INTERMEDIATES_H

#include "routing/routing.h"

/*
 * A part of a network. In a nest: the routers of the smallest part, at any
 * level, that contains both. In a HyperX: the routers that differ from either
 * only in the dimensions in which the two differ.
 */
struct nb_part {
    const struct nb_grid *hyperx; /* NULL: routers first .. first + size - 1 */
    uint32_t first;               /* HyperX: one of its routers */
    uint32_t size;
    bool is_free[NB_MAX_GRID]; /* HyperX: dimensions it spans */
};

/* Whether a network is divided into parts. */
bool nb_has_parts(const struct nb_topology *topology);

/* Finds the part of two routers with terminals; false if it is the whole
 * network. */
bool nb_part_find(const struct nb_topology *topology, uint32_t one,
                  uint32_t other, struct nb_part *out);

enum { NB_INTERMEDIATE_PIECES = 3 };

/*
 * The intermediate routers of a pair. One is drawn evenly; a router may be
 * listed several times. Source, destination and all of them have terminals.
 * They are either a part of the network, or pieces of lists, one after the
 * other. A scheme's function of struct nb_routing fills it in; its contents
 * remain the scheme's.
 */
struct nb_intermediates {
    uint64_t count; /* >= 1 */
    bool is_part;
    struct nb_part part;
    struct nb_intermediate_piece {
        const uint32_t *router; /* by group, then router */
        size_t count;
    } piece[NB_INTERMEDIATE_PIECES];
    const uint32_t *group; /* [router]; NULL: lists are sorted by router only */
};

/* All routers that a pair may have: its last set. */
static inline void nb_intermediates_find(const struct nb_routing *routing,
                                         uint32_t source, uint32_t destination,
                                         struct nb_intermediates *out)
{
    routing->find_intermediates(routing, routing->sets - 1, source, destination,
                                out);
}

/* The index-th of them. */
uint32_t nb_intermediates_router(const struct nb_intermediates *set,
                                 uint64_t index);

/* How many of the indices give this router, which has terminals. */
uint64_t nb_intermediates_times(const struct nb_intermediates *set,
                                uint32_t router);

/* Whether two sets are known to be the same. */
bool nb_intermediates_same(const struct nb_intermediates *one,
                           const struct nb_intermediates *other);

/* Whether a router is among those of a pair: NB_IN_SET. */
bool nb_intermediates_have(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, uint32_t router);

#endif
