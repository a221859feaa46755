/* Protocol: whether packets of a scheme can come to wait for each other where
 * each one taken by its destination has another one sent from there. */
#ifndef NB_DEADLOCK_PROTOCOL_H
#define NB_DEADLOCK_PROTOCOL_H

#include "deadlock/deadlock.h"

NB_PUBLIC_BEGIN

enum { NB_MOST_MESSAGES = 64 };

/* A vertex of routes at a router: one in which a packet may be held as it comes
 * to its destination there, or one that a packet from there may wait for. */
struct nb_protocol_end {
    uint32_t router, vertex;
};

/*
 * Messages 0 .. messages - 1: a packet of message m is taken by its destination
 * if that has room for a packet of message m + 1, and the last message always.
 * Message m travels on virtual network m modulo networks, each of which has
 * all classes of the scheme by itself.
 *
 * The graph has vertices channel * networks * classes.count + network *
 * classes.count + class; arcs as of struct nb_dependencies in each network that
 * a message uses, and from those in which a packet is held as it comes to a
 * router to those that the next message from there may wait for. Owns its
 * parts; borrows the routing. Not to be copied: parts point to each other.
 */
struct nb_protocol {
    unsigned messages, networks;
    struct nb_vc_classes classes; /* of the scheme, in each network .. */
    struct nb_vc_classes all;     /* .. and count those of all; borrows */
    struct nb_dependencies routes;
    size_t last_count, first_count;
    struct nb_protocol_end *last, *first; /* ascending by router, vertex */
    struct nb_dependencies graph;
    struct nb_deadlock_proof proof; /* of graph */
    enum nb_deadlock_verdict verdict;
    unsigned used; /* classes in each network that some packet may be in */
    unsigned
        needed; /* fewest networks without a cycle; 0: no number has none */
};

/*
 * Walks all routes as wholes and looks for a cycle.
 *
 * messages  1 .. NB_MOST_MESSAGES
 * networks  1 and more; so that all classes are NB_MOST_VC_CLASSES at most
 *
 * Errors: NB_INVALID for other numbers; as nb_deadlock_find.
 * Source: [SongPinkston2003]; arcs within a message as in nb_deadlock_find.
 */
enum nb_status nb_protocol_find(const struct nb_routing *routing,
                                unsigned messages, unsigned networks,
                                const struct nb_run *run,
                                struct nb_protocol *out, struct nb_error *err);

/*
 * Builds the same from a given proof, which is checked by walking all routes
 * again, as nb_deadlock_check.
 *
 * given  taken over, also on failure
 *
 * Errors: NB_REFUTED, saying what does not hold; as nb_protocol_find.
 */
enum nb_status nb_protocol_check(const struct nb_routing *routing,
                                 unsigned messages, unsigned networks,
                                 const struct nb_run *run,
                                 struct nb_deadlock_proof *given,
                                 struct nb_protocol *out, struct nb_error *err);
void nb_protocol_release(struct nb_protocol *protocol);

NB_PUBLIC_END

#endif
