/*
 * Walker: finds all routes that packets to one router can take. Loads, counts
 * of virtual channels and the search for cycles of dependencies all read the
 * nodes and hops that it finds.
 */
#ifndef NB_ROUTING_WALKER_H
#define NB_ROUTING_WALKER_H

#include "routing/route_tables.h"
#include "routing/vc_classes.h"

/* A packet at a router: its routing state and what the rule of virtual-channel
 * classes remembers, 0 without classes. */
struct nb_walk_node {
    nb_route_state state;
    uint64_t total; /* sum of the weights of its hops; 0: not exact */
    size_t first;   /* its hops: from this one up to the next node's first */
    uint32_t router;
    uint32_t memory;
};

/*
 * Exactly the nodes that some source reaches. order lists them so that each
 * comes after all nodes it leads to. Owns its arrays, which are reused for the
 * next destination.
 * Source: the routing-state transition graph of [TowlesDally2002, 3.5].
 */
struct nb_walker {
    const struct nb_routing *routing;
    const struct nb_vc_classes *classes; /* NULL: without classes */
    /* Hops over failed links, with channel and node NB_NONE and no class, are
     * listed but not followed; else they are refused. Set after init. */
    bool keeps_missing;
    uint32_t destination;
    size_t node_count, hop_count;
    struct nb_walk_node *node; /* [node_count + 1]; the last one only has
                                * first */
    struct nb_hop *hop;        /* [hop_count] as step lists them */
    uint64_t *hop_classes;     /* [hop_count] classes to wait in behind the
                                * channel; NULL: without classes */
    uint32_t *order;           /* [node_count] */
    uint32_t longest;          /* maximum hops of any route */
    size_t node_room;          /* never shrinks */
    struct nb_start *starts;   /* [most_starts] scratch, callers may use it
                                * too */
    struct nb_start *turns;    /* [most_starts] the same, for starts on the
                                * path */

    size_t hop_room;
    uint32_t *place; /* [place_count] hash table: node + 1; 0: none */
    size_t place_count;
    bool has_own_places; /* each possible node has a place of its own: row of
                          * its state, column of its router */
    uint32_t *memory;    /* [hop_room] after a hop; NULL like hop_classes */
    struct nb_walk_stack *stack; /* [node_room] scratch by node */
    struct nb_route_tables tables;
};

/* Upper bound on the bytes for the routes of one phase to one router, without
 * classes, for nb_memory_require. */
double nb_walker_bytes(const struct nb_routing *routing);

/* classes: NULL, or those of this routing; borrowed, as is the routing. Errors:
 * NB_NO_MEMORY; NB_INVALID for too many states. */
enum nb_status nb_walker_init(const struct nb_routing *routing,
                              const struct nb_vc_classes *classes,
                              struct nb_walker *out, struct nb_error *err);
void nb_walker_release(struct nb_walker *walker);

/*
 * Finds all routes from the given sources to a destination.
 *
 * first_class  packets start in every state from this one ..
 * class_end    .. to below this one, as in phases of a two-phase scheme that
 *              keep a direction class; 0: as the scheme specifies, through
 *              every intermediate router
 *
 * Errors: NB_INVALID if the scheme can loop, naming a router, or needs a failed
 * link (see unrouted.h); NB_NO_MEMORY.
 */
enum nb_status nb_walker_go(struct nb_walker *walker, uint32_t destination,
                            const uint32_t *source, size_t source_count,
                            size_t first_class, size_t class_end,
                            struct nb_error *err);

/* Where packets are followed from. */
struct nb_walk_begin {
    nb_route_state state;
    uint32_t memory, router;
};

/* The same from given nodes, whether or not packets reach them. Errors: those
 * of nb_walker_go. */
enum nb_status nb_walker_from(struct nb_walker *walker, uint32_t destination,
                              const struct nb_walk_begin *begin, size_t count,
                              struct nb_error *err);

/* The place of a node in the table, or the place that it would get. */
size_t nb_walker_search(const struct nb_walker *walker, nb_route_state state,
                        uint32_t memory, uint32_t router);
static inline size_t nb_walker_place(const struct nb_walker *walker,
                                     nb_route_state state, uint32_t memory,
                                     uint32_t router)
{
    return walker->has_own_places
               ? state * walker->routing->topology->router_count + router
               : nb_walker_search(walker, state, memory, router);
}

/* The node of a state and memory at a router; NB_NONE if no source reaches
 * it. */
static inline uint32_t nb_walker_find(const struct nb_walker *walker,
                                      nb_route_state state, uint32_t memory,
                                      uint32_t router)
{
    return walker->place[nb_walker_place(walker, state, memory, router)] - 1;
}

/* The node where packets from a source begin with one of its starts, for one
 * phase. */
static inline uint32_t nb_walker_start(const struct nb_walker *walker,
                                       const struct nb_start *start,
                                       uint32_t source)
{
    return nb_walker_find(walker, start->state, 0, source);
}

#endif
