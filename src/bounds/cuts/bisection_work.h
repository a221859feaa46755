/* Shared by the bisection's search: orders of the routers to start from, and
 * the improvement of a division. */
#ifndef NB_BOUNDS_BISECTION_WORK_H
#define NB_BOUNDS_BISECTION_WORK_H

#include "core/status.h"
#include "topology/topology.h"

/* What the search knows of the network; weights only steer it. */
struct bisection_graph {
    const struct nb_topology *topology;
    double *weight; /* [channel] bandwidth, in multiples of what divides all */
};

/* A division of the routers in two. */
struct bisection_division {
    bool *is_inside;   /* [router_count] */
    int64_t imbalance; /* terminals inside - terminals outside */
    double cut;        /* weight between the sides, both directions */
};

/* The number of orders for this network. */
size_t nb_bisection_order_count(const struct nb_topology *topology);

/*
 * The index-th order.
 *
 * order  out, [router_count]: the routers
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_bisection_order(const struct bisection_graph *graph,
                                  size_t index, uint32_t *order,
                                  struct nb_error *err);

/* Puts routers inside, in this order, while they fit half of the terminals. */
void nb_bisection_divide(const struct bisection_graph *graph,
                         const uint32_t *order,
                         struct bisection_division *division);

/*
 * Moves routers from one side to the other while that makes the halves more
 * equal or, as equal, the cut smaller: passes in which every router moves once
 * at most, that of the greatest gain first, and which end at their best
 * division. In networks of very many routers nothing is moved.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_bisection_improve(const struct bisection_graph *graph,
                                    struct bisection_division *division,
                                    struct nb_error *err);

/* Whether a is better: halves more equal, or as equal and the cut smaller. */
bool nb_bisection_is_better(int64_t imbalance_a, double cut_a,
                            int64_t imbalance_b, double cut_b);

#endif
