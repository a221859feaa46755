/* Route graph: every state a packet for one destination can be in, and the
 * ways between them; what analysis propagates probabilities over. */
#ifndef NB_LOAD_ROUTE_GRAPH_H
#define NB_LOAD_ROUTE_GRAPH_H

#include "core/ratio.h"
#include "routing/routing.h"

/*
 * Nodes are (state, router) pairs that some source reaches. order lists them
 * so that each comes after all nodes it leads to. Owns its arrays, which are
 * used again for the next destination.
 * Source: the routing-state transition graph of [TowlesDally2002, 3.5].
 */
struct nb_route_graph {
    const struct nb_routing *routing;
    uint32_t destination;
    size_t node_count;
    size_t hop_count;
    uint32_t *router;  /* [node] */
    uint32_t *state;   /* [node] */
    uint32_t *order;   /* [node_count] */
    size_t *hop_start; /* [node + 1] */
    uint64_t *total;   /* [node] sum of weights; 0: not exact */
    uint32_t *hop_channel;
    uint32_t *hop_node; /* the node the hop leads to */
    uint64_t *hop_weight;
    double *hop_share;
    uint32_t longest;  /* most hops of any route */
    uint32_t *node_of; /* [state * router_count + router] */
    /* Hops by the node they lead to: in_node[in_start[node] ..] are the
     * nodes they come from. */
    size_t *in_start; /* [node + 1] */
    uint32_t *in_node;
    size_t upstream_count;
    uint32_t *upstream; /* nodes, see nb_route_graph_find_upstream */
    /* Scratch of the construction and the search. */
    bool *is_seen;
    size_t *cursor;
    uint32_t *stack;
    uint32_t *depth;
    uint32_t *queue;
    struct nb_hop *hops;
    struct nb_start *starts; /* [most_starts] */
    struct nb_route_table table;
};

/* In doubles nothing positive is carried on below this, so that rounding is
 * relative everywhere: a value above NB_LEAST_RELATIVE is right within its
 * relative error, one below it only from above. */
#define NB_LEAST_PROBABILITY 0x1p-1000
#define NB_LEAST_RELATIVE    0x1p-900

/* Bytes that a graph of this scheme takes, for nb_memory_require. */
double nb_route_graph_bytes(const struct nb_routing *routing);

/* routing must have one phase. Errors: NB_NO_MEMORY. */
enum nb_status nb_route_graph_init(const struct nb_routing *routing,
                                   struct nb_route_graph *graph,
                                   struct nb_error *err);
void nb_route_graph_release(struct nb_route_graph *graph);

/*
 * Builds the graph of all routes from the given sources to a destination.
 *
 * first_class  packets start in every state from this
 * class_end    up to below this, as the phases of a two-phase scheme do that
 *              keep a direction class; 0: as the scheme says
 *
 * Errors: NB_INVALID if the scheme can go round in a circle, naming a router;
 * NB_OVERFLOW if a router has more shortest paths than a long double holds.
 */
enum nb_status nb_route_graph_build(struct nb_route_graph *graph,
                                    uint32_t destination,
                                    const uint32_t *source, size_t source_count,
                                    size_t first_class, size_t class_end,
                                    struct nb_error *err);

/*
 * The nodes from which a channel can still be crossed, in an order where each
 * comes after those of them it leads to. The graph keeps the list (upstream,
 * upstream_count) until the next call.
 */
void nb_route_graph_find_upstream(struct nb_route_graph *graph,
                                  uint32_t channel);

/*
 * Expected crossings of a channel from each upstream node on (from all others
 * it is 0): with w the weights of a node's hops and W their sum,
 *
 *     f(node) = sum_hop w/W ([hop crosses channel] + f(next))
 *
 * exactly, as whole numbers over a denominator found on the way.
 *
 * graph        after nb_route_graph_find_upstream for the channel
 * visits       [node], in: 0; out: f * denominator
 * denominator  in: a first guess >= 1 (1 is always right); out: a multiple of
 *              it for which every f * denominator is whole
 *
 * Returns false if the denominator would pass limit or a weight is not exact.
 */
bool nb_route_graph_visits(const struct nb_route_graph *graph, uint32_t channel,
                           int64_t limit, int64_t *visits,
                           int64_t *denominator);

/* The same in doubles: relative error of every visit at most
 * nb_route_graph_error. */
void nb_route_graph_visits_value(const struct nb_route_graph *graph,
                                 uint32_t channel, double *visits);

/*
 * Carries flows from the nodes on to the destination:
 *
 *     flow(next) += flow(node) w/W,   load(channel) += flow(node) w/W
 *
 * flow         in: flow injected at each node, [node_count]; spent
 * load         in/out, [channel_count]
 *
 * Returns the factor >= 2 by which all flows must be multiplied to stay
 * whole, 1 when done, or 0 if a weight is not exact or a sum leaves 62 bits.
 * After any answer but 1, flow and load are spoilt.
 */
uint64_t nb_route_graph_carry(const struct nb_route_graph *graph, int64_t *flow,
                              int64_t *load);

/* The same in doubles. */
void nb_route_graph_carry_value(const struct nb_route_graph *graph,
                                double *flow, double *load);

/* Bound on the relative error of the double functions on this graph, adding
 * up more_additions further terms included. */
double nb_route_graph_error(const struct nb_route_graph *graph,
                            double more_additions);

#endif
