/* Propagation: visits and flows over the routes to one router, exactly in whole
 * numbers or in doubles with a bound. */
#ifndef NB_LOAD_PROPAGATE_H
#define NB_LOAD_PROPAGATE_H

#include "routing/walker.h"

/* In doubles no positive value below this is carried further, so that rounding
 * is relative everywhere: a value above NB_LEAST_RELATIVE is correct within its
 * relative error; a smaller one is only an upper bound. */
#define NB_LEAST_PROBABILITY 0x1p-1000
#define NB_LEAST_RELATIVE    0x1p-900

/*
 * The nodes from which a channel can still be crossed. Owns its arrays, which
 * are reused; zero-initialised is valid and empty.
 */
struct nb_upstream {
    size_t count;
    uint32_t *node; /* [count] each after its successors among them */
    /* Hops by the node at their end: before[start[node] ..] are the node's
     * predecessors. */
    size_t *start; /* [node + 1] */
    uint32_t *before;
    bool *is_seen; /* scratch by node */
    size_t *cursor;
    uint32_t *stack;
    size_t room, hop_room;
};

/* Copies a walker's results. Errors: NB_NO_MEMORY. */
enum nb_status nb_upstream_take(struct nb_upstream *upstream,
                                const struct nb_walker *walker,
                                struct nb_error *err);
void nb_upstream_release(struct nb_upstream *upstream);

/* Lists the nodes before a channel, until the next call. One phase, no
 * classes. */
void nb_upstream_find(struct nb_upstream *upstream,
                      const struct nb_walker *walker, uint32_t channel);

/*
 * Expected crossings of a channel from each upstream node on (0 from any
 * other): with w the weights of a node's hops and W their sum,
 *
 *     f(node) = sum_hop w/W ([hop crosses channel] + f(next))
 *
 * exactly, as whole numbers over a denominator found on the way.
 *
 * upstream     after nb_upstream_find for the channel
 * visits       [node], in: 0; out: f * denominator
 * denominator  in: a first guess >= 1 (1 is always right); out: a multiple of
 *              it for which every f * denominator is whole
 *
 * Returns false if the denominator would exceed limit or a weight is not exact.
 */
bool nb_walk_visits(const struct nb_walker *walker,
                    const struct nb_upstream *upstream, uint32_t channel,
                    int64_t limit, int64_t *visits, int64_t *denominator);

/* The same in doubles: relative error of every visit at most
 * nb_walk_error. */
void nb_walk_visits_value(const struct nb_walker *walker,
                          const struct nb_upstream *upstream, uint32_t channel,
                          double *visits);

/*
 * Carries flows from the nodes on to the destination:
 *
 *     part(hop) = flow(node) w/W,   flow(next) += part(hop)
 *
 * flow         in: flow injected at each node, [node_count]; overwritten
 * part         out, [hop_count]: contribution of each hop to its channel's load
 * denominator  in/out: of flows and parts, enlarged as needed to keep them
 *              whole
 *
 * Returns false if a weight is not exact or a flow does not fit in 62 bits;
 * flow and part are then invalid.
 */
bool nb_walk_carry(const struct nb_walker *walker, int64_t *flow, int64_t *part,
                   int64_t *denominator);

/* The same in doubles, into the loads: load in/out, [channel_count]. */
void nb_walk_carry_value(const struct nb_walker *walker, double *flow,
                         double *load);

/* Bound on the relative error of the double functions on this graph, including
 * more_additions further additions. */
double nb_walk_error(const struct nb_walker *walker, double more_additions);

#endif
