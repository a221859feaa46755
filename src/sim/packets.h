/* Packets under way: structures of arrays, made once. */
#ifndef NB_SIM_PACKETS_H
#define NB_SIM_PACKETS_H

#include "core/delete.h"
#include "core/status.h"
#include "routing/routing.h"

enum { NB_TIE_BITS = 20 };

/* Owns its arrays, [capacity] each. A packet is an index into them. */
struct nb_packets {
    uint32_t capacity;
    uint32_t count; /* in use */
    uint32_t fresh; /* never used from here on */
    uint32_t free;  /* the first of the freed ones, linked by next */

    uint64_t *age; /* birth << NB_TIE_BITS + random bits: smaller is older */
    nb_route_state *state; /* of its routing */
    uint32_t *source;      /* terminal */
    uint32_t *target;      /* terminal */
    uint32_t *number;      /* among those of its pair of terminals: for
                            * reordering */
    uint32_t *memory;      /* what vc_classes.h makes it remember */
    uint32_t *next;        /* in its current list */
    uint32_t *child;   /* in its current heap; credit: of a request that waits
                        * for room, the input where it waits */
    uint64_t *asked;   /* of a reply: the cycle of its request's birth */
    uint8_t *message;  /* NB_MESSAGE_REQUEST .. */
    uint16_t *hops;    /* number made */
    uint16_t *far;     /* number made over channels with their own latency
                        * (global_latency) */
    uint16_t *flits;   /* 0: the place is free */
    uint16_t *start;   /* index of its start */
    uint16_t *blocked; /* as in set of struct nb_routing_kind, or more */
    struct nb_pool pool;
};

enum nb_status nb_packets_init(uint32_t capacity, struct nb_packets *out,
                               struct nb_error *err);
void nb_packets_release(struct nb_packets *packets);

/* A place for a packet; NB_NONE if all are taken. */
static inline uint32_t nb_packets_take(struct nb_packets *packets)
{
    const uint32_t packet = packets->free;
    if (packet != NB_NONE)
        packets->free = packets->next[packet];
    else if (packets->fresh == packets->capacity)
        return NB_NONE;
    packets->count++;
    return packet != NB_NONE ? packet : packets->fresh++;
}

static inline void nb_packets_give(struct nb_packets *packets, uint32_t packet)
{
    packets->flits[packet] = 0;
    packets->next[packet] = packets->free;
    packets->free = packet;
    packets->count--;
}

static inline uint64_t nb_packets_birth(const struct nb_packets *packets,
                                        uint32_t packet)
{
    return packets->age[packet] >> NB_TIE_BITS;
}

#endif
