/*
 * Replies: what terminals owe for the requests that they take, and the room
 * that they have for it. For src/sim only.
 *
 * A terminal takes a request if it has room for the reply, and reserves it from
 * then on; otherwise the request waits where its engine keeps it. The reply is
 * born when the last flit of the request arrives, and frees its place when it
 * has left its terminal. Replies are always taken.
 */
#ifndef NB_SIM_REPLIES_H
#define NB_SIM_REPLIES_H

#include "core/delete.h"
#include "core/status.h"

#include <stdint.h>

struct nb_network;
struct nb_simulation;

enum { NB_MESSAGE_REQUEST, NB_MESSAGE_REPLY, NB_MESSAGES };

/* Owns its arrays; zero-initialised: there are no replies. */
struct nb_replies {
    uint32_t room;  /* [packet] of each terminal */
    uint32_t *held; /* [terminal] places that replies take or reserve */
    /* [terminal] the requests that wait for room, linked by the packets' next;
     * NB_NONE: none */
    uint32_t *first, *last;
    /* The waiting requests that got room in this cycle, in that order. */
    uint32_t woken_first, woken_last;
    /* [due_count] replies to be born in cycle c at c modulo due_count, linked
     * in the same way, the last one first. */
    uint32_t *due;
    uint32_t due_count;
    struct nb_pool pool;
};

/* Without replies in the plan out stays empty. Errors: NB_NO_MEMORY. */
enum nb_status nb_replies_init(const struct nb_simulation *plan,
                               struct nb_replies *out, struct nb_error *err);
void nb_replies_release(struct nb_replies *replies);

/* Whether a packet is a request, which its terminal owes a reply for. */
bool nb_replies_owe(const struct nb_network *network, uint32_t packet);

/* A packet has come to its terminal: whether the terminal takes it. A request
 * without room waits there until nb_replies_wake returns it. */
bool nb_replies_take(struct nb_network *network, uint32_t packet);

/* A reply has left its terminal: its place is reserved for the request that has
 * waited longest. */
void nb_replies_leave(struct nb_network *network, uint32_t packet);

/* A packet that its terminal takes will be returned by nb_replies_wake, as
 * after a wait. */
void nb_replies_call(struct nb_network *network, uint32_t packet);

/* The next request that has got room; NB_NONE: no more. */
uint32_t nb_replies_wake(struct nb_network *network);

/* The last flit of a request arrives at this cycle, a later one or the current
 * one: its place among the packets becomes that of its reply. */
void nb_replies_answer(struct nb_network *network, uint32_t packet,
                       uint64_t cycle);

/* A reply that is born in this cycle; NB_NONE: no more. */
uint32_t nb_replies_draw(struct nb_network *network);

/* [flit] Total of all requests that wait for room. */
uint64_t nb_replies_count_flits(const struct nb_network *network);

#endif
