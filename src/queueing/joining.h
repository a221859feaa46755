/* Joining: a channel's queue that fewer packets join the longer it is, since
 * they choose shorter ones. */
#ifndef NB_QUEUEING_JOINING_H
#define NB_QUEUEING_JOINING_H

#include "core/public.h"

#include <stddef.h>

/*
 * Who joins in a slot (a service time): first packets from other routers, then
 * those of the router's own terminals, each depending on the queue's length
 * when it arrives; then one packet is served.
 */
struct nb_joining {
    size_t depth;          /* number of lengths distinguished; the last one
                            * includes all longer ones */
    const double *transit; /* [depth] packets per slot from other routers ... */
    const double *injected; /* [depth] ... and from terminals, if the queue
                             * keeps this length throughout */
    /* Shares of the transit by input, with sum 1: each input brings at most one
     * packet per slot. NULL: a Poisson number arrives, at times spread over the
     * slot. */
    const double *share; /* [input_count] */
    size_t input_count, source_count;
    /* [packets/slot] that a source sends, over any channel: the integer part of
     * this number, and one more packet with the probability of the fraction. */
    double source_rate;
};

/* The stationary state of a queue. */
struct nb_joining_law {
    double *transit;  /* [depth] P(length) seen by a packet in transit */
    double *injected; /* [depth] the same for one from a terminal */
    double mean;      /* packets left after service: by Little's law the total
                       * wait of all packets of a slot */
    double rate;      /* packets that join in a slot */
    double overflow;  /* P(longer than depth - 1), approximately; near 1 if the
                       * queue grows without bound */
};

/*
 * The stationary distribution, by the balance of flow across each length,
 *
 *     P(n + 1) P(nobody joins | n + 1) = sum_(m <= n) P(m) P(n + 2 - m or more
 *                                                           join | m).
 *
 * out  its arrays are the caller's
 *
 * Source: balance over a cut, [Kleinrock1975]; queues that are independent
 * except for who joins them, [Mitzenmacher2001].
 */
void nb_joining_find(const struct nb_joining *queue,
                     struct nb_joining_law *out);

#endif
