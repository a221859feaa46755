/*
 * Walker: every way that packets for one router can take. Loads, counts of
 * virtual channels and the search for what waits for itself all read the nodes
 * and hops that it finds.
 */
#ifndef NB_ROUTING_WALKER_H
#define NB_ROUTING_WALKER_H

#include "routing/route_tables.h"
#include "routing/vc_classes.h"

/* What a packet is at a router: its routing state and what the rule of
 * virtual-channel classes lets it remember, 0 where classes are not asked
 * for. */
struct nb_walk_node {
    nb_route_state state;
    uint64_t total; /* sum of the weights of its hops; 0: not exact */
    size_t first;   /* its hops: from this up to the next node's first */
    uint32_t router;
    uint32_t memory;
};

/*
 * The nodes that some source reaches, and nothing of those that none does.
 * order lists them so that each comes after all nodes it leads to. Owns its
 * arrays, which are used again for the next destination.
 * Source: the routing-state transition graph of [TowlesDally2002, 3.5].
 */
struct nb_walker {
    const struct nb_routing *routing;
    const struct nb_vc_classes *classes; /* NULL: not asked for */
    /* Hops over failed links, of channel and node NB_NONE and no class, are
     * listed and not followed; else they are refused. Set after init. */
    bool keeps_missing;
    uint32_t destination;
    size_t node_count, hop_count;
    struct nb_walk_node *node; /* [node_count + 1]; the last one for first */
    struct nb_hop *hop;        /* [hop_count] as step lists them */
    uint64_t *hop_classes;     /* [hop_count] to wait in behind the channel;
                                * NULL: not asked for */
    uint32_t *order;           /* [node_count] */
    uint32_t longest;          /* most hops of any route */
    size_t node_room;          /* never less than before */
    struct nb_start *starts;   /* [most_starts] scratch, for callers too */
    struct nb_start *turns;    /* [most_starts] the same, of those on the way */

    size_t hop_room;
    uint32_t *place; /* [place_count] hash table: node + 1; 0: none */
    size_t place_count;
    bool has_own_places; /* each node that can be has a place that no other
                          * can have: its state's row, its router's column */
    uint32_t *memory;    /* [hop_room] behind a hop; NULL as hop_classes */
    struct nb_walk_stack *stack; /* [node_room] scratch by node */
    struct nb_route_tables tables;
};

/* Bytes at most for the routes of one phase to one router, classes aside, for
 * nb_memory_require. */
double nb_walker_bytes(const struct nb_routing *routing);

/* classes: NULL, or of this routing; borrowed, as is the routing. Errors:
 * NB_NO_MEMORY; NB_INVALID for too many states. */
enum nb_status nb_walker_init(const struct nb_routing *routing,
                              const struct nb_vc_classes *classes,
                              struct nb_walker *out, struct nb_error *err);
void nb_walker_release(struct nb_walker *walker);

/*
 * Finds all routes from the given sources to a destination.
 *
 * first_class  packets start in every state from this
 * class_end    up to below this, as the phases of a two-phase scheme do that
 *              keep a direction class; 0: as the scheme says, through every
 *              intermediate router
 *
 * Errors: NB_INVALID if the scheme can go round in a circle, naming a router,
 * or needs a failed link (unrouted.h says more of these);
 * NB_OVERFLOW if a router has more shortest paths than a long double holds;
 * NB_NO_MEMORY.
 */
enum nb_status nb_walker_go(struct nb_walker *walker, uint32_t destination,
                            const uint32_t *source, size_t source_count,
                            size_t first_class, size_t class_end,
                            struct nb_error *err);

/* Where packets are to be followed from. */
struct nb_walk_begin {
    nb_route_state state;
    uint32_t memory, router;
};

/* The same from given nodes on, whoever may come there. Errors: as
 * nb_walker_go. */
enum nb_status nb_walker_from(struct nb_walker *walker, uint32_t destination,
                              const struct nb_walk_begin *begin, size_t count,
                              struct nb_error *err);

/* The place that a node has in the table or, if it is new, will have. */
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

/* Where packets from a source begin by one of its starts, with one phase. */
static inline uint32_t nb_walker_start(const struct nb_walker *walker,
                                       const struct nb_start *start,
                                       uint32_t source)
{
    return nb_walker_find(walker, start->state, 0, source);
}

#endif
