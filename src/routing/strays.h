/*
 * Strays: packets that forwarding tables lead round or drop. They never arrive,
 * so they are on no route; but they hold buffers where they pass, and other
 * packets wait behind them.
 */
#ifndef NB_ROUTING_STRAYS_H
#define NB_ROUTING_STRAYS_H

#include "topology/topology.h"

struct nb_stray_hop {
    uint32_t channel;
    uint8_t class;
};

/* The way of one packet. A way round is followed until it repeats a channel
 * after the same channel. */
struct nb_stray {
    uint32_t source, destination;
    size_t first, length; /* its hops: hop[first] .. */
};

/* Owns its arrays; borrows the topology. Only packets that wait for a channel
 * as none before them does are kept. */
struct nb_strays {
    const struct nb_topology *topology;
    size_t count, room;
    struct nb_stray *stray;
    size_t hop_count, hop_room;
    struct nb_stray_hop *hop;
    size_t *turn;   /* [channel + 1] the channel's first turn */
    uint64_t *seen; /* [turn * NB_STRAY_CLASSES + class] classes waited for */
};

enum { NB_STRAY_CLASSES = 16 };

/*
 * Adds a packet.
 *
 * strays   NULL: made by the first packet
 * channel  [length] from the source on
 * class    [length] below NB_STRAY_CLASSES
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_strays_add(struct nb_strays **strays,
                             const struct nb_topology *topology,
                             uint32_t source, uint32_t destination,
                             const uint32_t *channel, const uint8_t *class,
                             size_t length, struct nb_error *err);

/* Frees the struct as well; accepts NULL. */
void nb_strays_release(struct nb_strays *strays);

#endif
