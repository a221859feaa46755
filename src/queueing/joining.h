/* Joining: a channel's queue to which packets come the less the longer it
 * is, since they choose the shorter ones. */
#ifndef NB_QUEUEING_JOINING_H
#define NB_QUEUEING_JOINING_H

#include "core/public.h"

#include <stddef.h>

NB_PUBLIC_BEGIN

/*
 * Who joins in a slot (a service time): first packets from other routers, then
 * those of the router's own terminals, each by what the queue holds when it
 * comes; then one packet is served.
 */
struct nb_joining {
    size_t depth;          /* lengths told apart; the last one stands for all
                            * that are longer */
    const double *transit; /* [depth] packets per slot from other routers ... */
    const double *injected; /* [depth] ... and from terminals, if the queue had
                             * this length throughout */
    /* Of the transit by input, sum 1: each input brings one packet in a slot at
     * most. NULL: a Poisson number comes, at times
     * spread over the slot. */
    const double *share; /* [input_count] */
    size_t input_count, source_count;
    /* [packets/slot] that a source sends, by whatever channel: as many whole
     * ones as there are in it, and one more with the probability that is
     * left. */
    double source_rate;
};

/* What a queue is like. */
struct nb_joining_law {
    double *transit;  /* [depth] P(length) that a packet in transit meets */
    double *injected; /* [depth] and one from a terminal */
    double mean;      /* packets left after service: by Little's law the waits
                       * of all packets of a slot */
    double rate;      /* packets that join in a slot */
    double overflow;  /* P(longer than depth - 1), about; near 1 where the queue
                       * grows without end */
};

/*
 * The stationary law, by the balance of what crosses each length,
 *
 *     P(n + 1) P(nobody joins | n + 1) = sum_(m <= n) P(m) P(n + 2 - m or more
 *                                                           join | m).
 *
 * out  its arrays are the caller's
 *
 * Source: balance over a cut, [Kleinrock1975]; queues that are independent but
 * for whom they are joined by, [Mitzenmacher2001].
 */
void nb_joining_find(const struct nb_joining *queue,
                     struct nb_joining_law *out);

NB_PUBLIC_END

#endif
