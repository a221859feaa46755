/*
 * Levelled: the engine of networks whose channels all lead from one level to
 * the next, shared by virtual networks in one of five ways. A channel carries
 * one packet per cycle; a packet makes one hop per cycle, and waits behind a
 * channel in a queue of a few places. For src/sim only. Source: [Randall1994,
 * chapter 2].
 */
#ifndef NB_SIM_ROUTERS_LEVELLED_H
#define NB_SIM_ROUTERS_LEVELLED_H

#include "sim/network.h"
#include "topology/levels.h"

/* All keys of packets are smaller. */
#define NB_LEVELLED_END UINT64_MAX

/* The two logical networks of the virtual router. */
enum { NB_REST, NB_ACTIVE, NB_LOGICAL };

enum nb_flight_end { NB_FLYING, NB_ARRIVED, NB_DROPPED };

/* A packet that was sent in this round. */
struct nb_flight {
    uint64_t key;
    uint32_t packet;
    uint32_t output;  /* channel of its next hop */
    uint32_t source;  /* router */
    uint32_t network; /* virtual */
    size_t place;     /* index among the packets at its source */
    uint16_t hops;    /* number made .. */
    uint16_t back;    /* .. and made by its acknowledgement */
    enum nb_flight_end end;
};

/* A packet at its source. */
struct nb_waiting {
    uint64_t key;
    uint32_t packet; /* NB_NONE: delivered */
    uint32_t output; /* channel of its first hop; NB_NONE: not drawn yet */
};

/* The packets at a router with terminals. Those of a round in each logical
 * network are a heap by key; those already sent follow it. */
struct nb_stand {
    struct nb_waiting *waiting; /* [count] owned */
    size_t count, capacity;
    size_t first[NB_LOGICAL]; /* where each heap begins */
    size_t left[NB_LOGICAL];  /* number of them not yet sent */
    uint32_t born;            /* in this round, linked by next, or NB_NONE */
};

/* Owns its arrays. */
struct nb_rounds {
    uint64_t length;        /* [cycle] */
    uint64_t forward;       /* [cycle] of the round, in which packets move */
    uint64_t cycle;         /* of the round under way */
    uint64_t number;        /* the round's number */
    uint32_t active;        /* virtual network; NB_NONE: none */
    uint64_t after;         /* name from which tokens are ordered */
    struct nb_stand *stand; /* [router] */
    uint64_t *bound;  /* [channel][NB_LOGICAL] what follows has a greater key */
    uint8_t *last;    /* [channel] logical network that used it last */
    uint32_t *token;  /* [router] virtual network whose token has reached it
                       * .. */
    uint32_t *taken;  /* [router] .. and, with terminals, at the end of the
                       * wave */
    bool *is_wanted;  /* [networks] some terminal sent its token */
    uint32_t *waited; /* [networks] rounds since it asked to be active */
    struct nb_flight *flight; /* of this round */
    size_t flight_count, flight_capacity;
    uint32_t *crossed; /* flights, in the order in which they used a channel */
    size_t crossed_count, crossed_capacity;
    size_t *until; /* [forward] number of crossed up to each cycle */
};

/* The quantities of the theorems. */
struct nb_theorems {
    uint64_t *pending;   /* [networks] packets that wait as a round ends */
    uint64_t *backlog;   /* [networks] pending as the window began */
    uint64_t *delivered; /* [networks] in the window */
    uint64_t begin;      /* [cycle] of the window */
    uint32_t rounds;     /* of the window that ended */
    uint64_t limit;      /* keys below it are small */
    uint32_t *through;   /* [router] packets that are still to pass it */
};

/* Owns its arrays; for the ways of sharing wire by wire. */
struct nb_in_turn {
    uint32_t *head, *tail; /* [router][networks] what waits there */
    uint64_t *is_waiting;  /* [router][words] a bit for each network */
    size_t words;
    uint32_t *next;       /* [channel] network that is the first to send */
    uint32_t *share;      /* [channel][networks] places held: only with
                           * channels */
    uint32_t *pool;       /* [channel] places that are not reserved */
    struct nb_hold *best; /* [maximum number of channels out of a router] */
};

/* The position of a packet that is to be sent. */
struct nb_hold {
    uint64_t rank;   /* the least is sent */
    uint32_t packet; /* NB_NONE: none */
    uint32_t queue;  /* NB_NONE: its source */
    uint32_t place;  /* in the queue */
};

/* The engine's state; owns its arrays. */
struct nb_levelled {
    struct nb_levels levels;
    const struct nb_virtual *plan;
    uint32_t lanes;     /* queues behind a channel */
    uint32_t room;      /* [packet] places of a queue */
    uint32_t *standing; /* [queue][room] packets or, in rounds, flights */
    uint32_t *count;    /* [queue] places taken .. */
    uint32_t *held;     /* [queue] .. and with those freed in this cycle */
    uint32_t *freed;    /* [freed_count] queues with a place freed in this
                         * cycle */
    uint32_t *freed_of; /* [freed_count] virtual network of that packet */
    size_t freed_count;
    uint32_t astray;  /* a packet that would go on from another terminal's
                       * router; NB_NONE: none */
    uint32_t *wanted; /* [queue of the network] packets that will use it */
    size_t waiting;   /* packets at sources */
    struct nb_rounds rounds;
    struct nb_theorems theorems;
    struct nb_in_turn turns;
    struct nb_pool pool; /* of all arrays except growing ones */
};

static inline bool nb_levelled_has_rounds(const struct nb_levelled *levelled)
{
    return levelled->plan->sharing == NB_SHARE_ROUTER ||
           levelled->plan->sharing == NB_SHARE_SLICES;
}

/* The virtual network of a packet. */
static inline uint32_t nb_levelled_network(const struct nb_network *network,
                                           uint32_t packet)
{
    return network->packets.memory[packet];
}

static inline bool nb_levelled_refuses(const struct nb_levelled *levelled,
                                       uint32_t virtual_network)
{
    return levelled->plan->refused != NULL &&
           levelled->plan->refused[virtual_network];
}

static inline bool nb_levelled_is_last(const struct nb_network *network,
                                       const struct nb_levelled *levelled,
                                       uint32_t channel)
{
    return levelled->levels
               .level[network->topology->channels[channel].target] == 0;
}

/* The channel of a packet's next hop from a router that is not its last. */
uint32_t nb_levelled_route(struct nb_network *network, uint32_t packet,
                           uint32_t router);

/* A packet or flight joins a queue, which has room, and later leaves it; its
 * place is free from the next cycle on. */
void nb_levelled_put(struct nb_network *network, uint32_t queue,
                     uint32_t standing);
uint32_t nb_levelled_take(struct nb_levelled *levelled, uint32_t queue,
                          uint32_t place, uint32_t virtual_network);

/* A cycle has ended: packets that left make room. */
void nb_levelled_settle(struct nb_levelled *levelled);

/* A packet has used its last channel between routers in this cycle. */
void nb_levelled_deliver(struct nb_network *network, uint32_t packet);

/* Rounds. */
enum nb_status nb_rounds_init(struct nb_network *network, struct nb_error *err);
void nb_rounds_release(struct nb_network *network);
void nb_rounds_inject(struct nb_network *network, uint32_t packet);
enum nb_status nb_rounds_move(struct nb_network *network, struct nb_error *err);

/* One cycle of Ranade's merging at all routers. */
enum nb_status nb_merge_cycle(struct nb_network *network, struct nb_error *err);

/* The key of the next packet to leave a router with terminals in a logical
 * network; NB_LEVELLED_END: none. */
static inline uint64_t nb_rounds_key(const struct nb_rounds *rounds,
                                     uint32_t router, uint32_t logical)
{
    const struct nb_stand *stand = &rounds->stand[router];
    return stand->left[logical] == 0
               ? NB_LEVELLED_END
               : stand->waiting[stand->first[logical]].key;
}

/* The channel of that packet. */
uint32_t nb_rounds_output(struct nb_network *network, uint32_t router,
                          uint32_t logical);
/* Sends that packet: *out is its flight. Errors: NB_NO_MEMORY. */
enum nb_status nb_rounds_send(struct nb_network *network, uint32_t router,
                              uint32_t logical, uint32_t *out,
                              struct nb_error *err);
/* A flight uses a channel in this cycle. Errors: NB_NO_MEMORY. */
enum nb_status nb_rounds_cross(struct nb_network *network, uint32_t flight,
                               uint32_t channel, struct nb_error *err);
/* A flight has come to its terminal. */
void nb_rounds_arrive(struct nb_network *network, uint32_t flight);

/* A cycle of the wave of tokens, which takes levels + 1. */
void nb_tokens_begin(struct nb_network *network);
void nb_tokens_cycle(struct nb_network *network, uint32_t level);
/* Errors: NB_INVALID if terminals do not agree. */
enum nb_status nb_tokens_end(struct nb_network *network, struct nb_error *err);

/* For the router's rounds: one has ended, or the next has been dealt. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_theorems_init(struct nb_network *network,
                                struct nb_error *err);
void nb_theorems_end(struct nb_network *network);
enum nb_status nb_theorems_begin(struct nb_network *network,
                                 struct nb_error *err);

/* Sharing in turn. */
enum nb_status nb_in_turn_init(struct nb_network *network,
                               struct nb_error *err);
void nb_in_turn_inject(struct nb_network *network, uint32_t packet);
void nb_in_turn_move(struct nb_network *network);

#endif
