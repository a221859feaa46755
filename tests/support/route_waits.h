/* Route waits: the slow, obvious answer of dependencies. The packets of one
 * pair after another are followed through every state they can be in. */
#ifndef NB_TESTS_SUPPORT_ROUTE_WAITS_H
#define NB_TESTS_SUPPORT_ROUTE_WAITS_H

#include "dependencies.h"
#include "walk.h"

#include "routing/vc_classes.h"

/* A packet's state, what its rule of classes remembers, and its router. */
struct route_node {
    nb_route_state state;
    uint32_t memory, router;
    size_t first, end; /* its hops */
    uint32_t longest;  /* hops from here to the destination, at most */
};

struct route_hop {
    uint32_t channel;
    size_t node;     /* that it leads to */
    uint64_t held;   /* classes that are vertices for a packet behind it */
    uint64_t wanted; /* classes that a packet may always fall back on */
    uint64_t set;    /* classes that it may use */
};

/* The routes of one pair. The first `begun` nodes are those in which packets
 * begin. */
struct route_pair {
    struct walk walk;
    const struct nb_vc_classes *classes;
    uint32_t source, destination;
    struct route_node *node;
    struct route_hop *hop;
    size_t begun, node_count, node_room, hop_count, hop_room;
};

/* Borrows the classes. Fails the test if memory is short. */
void route_pair_open(struct route_pair *pair,
                     const struct nb_vc_classes *classes, const char *name);
void route_pair_close(struct route_pair *pair);
/* Follows the packets of a pair; forgets those before. Fails the test if they
 * can loop. */
void route_pair_follow(struct route_pair *pair, uint32_t source,
                       uint32_t destination);

/*
 * Calls a function for each hop from a node whose classes a packet may have to
 * wait for: the hops of the node and, where one of them has no class to fall
 * back on, those that follow it. end: the packet may have reached its
 * destination by then.
 */
void route_pair_wait(const struct route_pair *pair, size_t node,
                     void (*wait)(void *context, const struct route_hop *hop),
                     void *context, bool *end);

/* What all pairs show, as struct nb_dependencies and struct nb_protocol_end
 * define it. */
struct route_waits {
    struct nb_vc_classes classes;
    struct dependencies graph; /* of vertices channel * count + class */
    bool *is_last;  /* [router * vertices + vertex] a packet is held in it when
                     * it reaches its destination there */
    bool *is_first; /* [router * vertices + vertex] a packet from there may
                     * wait for it */
    uint64_t used;
    bool chooses_class, chooses_hop, lacks_escape;
    uint32_t longest;
};

void route_waits_open(struct route_waits *waits,
                      const struct nb_routing *routing, const char *name);
void route_waits_close(struct route_waits *waits);

#endif
