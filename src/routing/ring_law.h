/* Ring distributions: the probabilities of the two directions round a ring. */
#ifndef NB_ROUTING_RING_LAW_H
#define NB_ROUTING_RING_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * On a ring of k routers, at distance D <= k/2, the shorter direction has
 * probability
 *
 *     NB_RING_EVEN   (k - D) / k: both directions carry the same load
 *     NB_RING_BEST   (k - D) / k          k odd
 *                    (k - 1 - D) / (k - 2)    k even
 *
 * Both have the best worst case, the load k/4 (k even) or (k^2 - 1)/(4k) (k
 * odd), which is half of capacity. Of all distributions with it, NB_RING_BEST
 * has the least mean hops under uniform traffic, (k - 1)/3 (k even) or (k^2 -
 * 1)/(3k) (k odd). With radix 2 there is only one direction.
 *
 * Source: NB_RING_EVEN [Singh2005, section 3.1]; NB_RING_BEST is proved in
 * ring_law.c. A distribution with its properties is announced as WRD in
 * [RamanujamLin2009].
 */
enum nb_ring_law { NB_RING_EVEN, NB_RING_BEST };

/* One direction, chosen with probability weight / nb_ring_total. */
struct nb_ring_way {
    bool is_plus;
    uint64_t weight; /* > 0 */
};

/* The sum of the weights, for any distance. */
uint64_t nb_ring_total(enum nb_ring_law distribution, uint32_t k);

/*
 * The directions that a packet may take.
 *
 * ahead  [hop]  distance in the plus direction, 0 .. k - 1; 0: it stays,
 *               which is reported as one direction
 * ways          out, [2]
 *
 * Returns their number, 1 or 2.
 */
size_t nb_ring_ways(enum nb_ring_law distribution, uint32_t k, uint32_t ahead,
                    struct nb_ring_way *ways);

#endif
