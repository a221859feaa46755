/*
 * Heap: packets by age, the oldest first, linked by their own next and child: a
 * pairing heap, which adds a packet in a few steps and needs no memory of its
 * own. Source: [Fredman1986].
 */
#ifndef NB_SIM_HEAP_H
#define NB_SIM_HEAP_H

#include "sim/packets.h"

/* Joins two heaps; the next of their roots is not preserved. */
static inline uint32_t nb_heap_join(const struct nb_packets *packets,
                                    uint32_t a, uint32_t b)
{
    /* Which is older is unpredictable: no branch. */
    const uint32_t mask = -(uint32_t)(packets->age[a] < packets->age[b]);
    const uint32_t root = b ^ ((a ^ b) & mask), other = a ^ b ^ root;
    packets->next[other] = packets->child[root];
    packets->child[root] = other;
    return root;
}

/* root: NB_NONE if empty. Returns the new root. */
static inline uint32_t nb_heap_push(const struct nb_packets *packets,
                                    uint32_t root, uint32_t packet)
{
    packets->child[packet] = NB_NONE;
    return root == NB_NONE ? packet : nb_heap_join(packets, root, packet);
}

/* Removes the root; returns the new one, NB_NONE if that was the last. */
static inline uint32_t nb_heap_pop(const struct nb_packets *packets,
                                   uint32_t root)
{
    uint32_t rest = packets->child[root], pairs = NB_NONE, joined = NB_NONE;
    while (rest != NB_NONE) { /* in pairs, from the first on */
        uint32_t pair = rest;
        rest = packets->next[pair];
        if (rest != NB_NONE) {
            const uint32_t second = rest;
            rest = packets->next[second];
            pair = nb_heap_join(packets, pair, second);
        }
        packets->next[pair] = pairs;
        pairs = pair;
    }
    while (pairs != NB_NONE) { /* all of them, from the last on */
        const uint32_t pair = pairs;
        pairs = packets->next[pair];
        joined = joined == NB_NONE ? pair : nb_heap_join(packets, joined, pair);
    }
    return joined;
}

#endif
