/* Causes: for each dependency of a cycle, a pair and a path that produce it. */
#ifndef NB_DEADLOCK_CAUSES_H
#define NB_DEADLOCK_CAUSES_H

#include "deadlock/order.h"

/*
 * A packet that holds the class of one vertex and waits for that of another:
 * channel[held] of its path is the channel of the first vertex, channel[wanted]
 * that of the second.
 */
struct nb_cause {
    uint32_t from, to; /* vertices */
    uint32_t source, destination;
    size_t length;
    uint32_t *channel; /* [length] owned */
    size_t held, wanted;
    /* Number of channels of the packet that has reached its destination; the
     * rest are those of the next message from there, which it waits for room
     * for. 0: all channels are those of one packet. */
    size_t joint;
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_causes {
    size_t count;
    struct nb_cause *cause; /* [count] in the order of the cycle */
};

NB_INTERNAL_BEGIN

/*
 * Walks routes until every dependency of a cycle has a cause.
 *
 * is_whole  out: false if some dependency has no cause, which can happen where
 *           phases were walked separately (is_wider of struct nb_dependencies)
 *
 * Errors: those of nb_walker_go; NB_NO_MEMORY.
 */
enum nb_status nb_causes_find(const struct nb_vc_classes *classes,
                              const struct nb_order *order,
                              struct nb_causes *out, bool *is_whole,
                              struct nb_error *err);
void nb_causes_release(struct nb_causes *causes);

/*
 * Finds a packet that is held in the class of one vertex when it reaches a
 * router, and a packet from there that waits for the class of another vertex.
 *
 * out  empty, with count 0 of length, if there is none
 *
 * Errors: those of nb_walker_go; NB_NO_MEMORY.
 */
enum nb_status nb_cause_join(const struct nb_vc_classes *classes, uint32_t from,
                             uint32_t to, uint32_t router, struct nb_cause *out,
                             struct nb_error *err);

/*
 * Whether the scheme may send a packet of the pair along the path so that it
 * waits as the cause states. Walks the routes of the pair.
 *
 * Errors: those of nb_walker_go; NB_NO_MEMORY.
 */
enum nb_status nb_cause_check(const struct nb_vc_classes *classes,
                              const struct nb_cause *cause, bool *holds,
                              struct nb_error *err);

NB_INTERNAL_END

#endif
