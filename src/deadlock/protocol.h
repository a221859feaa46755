/* Protocol: whether packets can wait for each other in a cycle where each
 * packet that a destination accepts makes it send another one. */
#ifndef NB_DEADLOCK_PROTOCOL_H
#define NB_DEADLOCK_PROTOCOL_H

#include "deadlock/deadlock.h"

NB_PUBLIC_BEGIN

enum { NB_MOST_MESSAGES = 64 };

/* A router and a vertex of the routes: one in which a packet may be held when
 * it reaches its destination there, or one that a packet from there may wait
 * for. */
struct nb_protocol_end {
    uint32_t router, vertex;
};

/*
 * Messages 0 .. messages - 1: a destination accepts a packet of message m if it
 * has room for a packet of message m + 1; the last message is always accepted.
 * Message m travels on virtual network m modulo networks. Each network has all
 * classes of the scheme for itself.
 *
 * The graph has vertices channel * networks * classes.count + network *
 * classes.count + class. Its arcs are those of struct nb_dependencies in each
 * network that a message uses, and arcs from each vertex in which a packet is
 * held when it reaches its destination to each vertex that the next message
 * from there may wait for. Owns its parts; borrows the routing. Do not copy:
 * parts point to each other.
 */
struct nb_protocol {
    unsigned messages, networks;
    struct nb_vc_classes classes; /* of the scheme, in each network .. */
    struct nb_vc_classes all;     /* .. and those of all networks; borrows */
    struct nb_dependencies routes;
    size_t last_count, first_count;
    struct nb_protocol_end *last, *first; /* ascending by router, vertex */
    struct nb_dependencies graph;
    struct nb_deadlock_proof proof; /* of graph */
    enum nb_deadlock_verdict verdict;
    unsigned used;   /* classes in each network that packets may use */
    unsigned needed; /* smallest number of networks without a cycle; 0: cycles
                      * with any number */
};

/*
 * Walks all routes as wholes and looks for a cycle.
 *
 * messages  1 .. NB_MOST_MESSAGES
 * networks  at least 1; all classes together at most NB_MOST_VC_CLASSES
 *
 * Errors: NB_INVALID for other numbers; those of nb_deadlock_find.
 * Source: [SongPinkston2003]; arcs within a message as in nb_deadlock_find.
 */
enum nb_status nb_protocol_find(const struct nb_routing *routing,
                                unsigned messages, unsigned networks,
                                const struct nb_run *run,
                                struct nb_protocol *out, struct nb_error *err);

void nb_protocol_release(struct nb_protocol *protocol);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Builds the same from a given proof, which is checked by walking all routes
 * again, as by nb_deadlock_check.
 *
 * given  ownership is taken, also on failure
 *
 * Errors: NB_REFUTED, saying what does not hold; those of nb_protocol_find.
 */
enum nb_status nb_protocol_check(const struct nb_routing *routing,
                                 unsigned messages, unsigned networks,
                                 const struct nb_run *run,
                                 struct nb_deadlock_proof *given,
                                 struct nb_protocol *out, struct nb_error *err);

NB_INTERNAL_END

#endif
