/* Distances and cuts of a topology found by search, beside which the closed
 * forms are checked and which stand in where there is none. */
#ifndef NB_TOPOLOGY_METRICS_H
#define NB_TOPOLOGY_METRICS_H

#include "topology/topology.h"

NB_PUBLIC_BEGIN

/*
 * Hops from every router to one router (against the channels' direction);
 * nothing but NB_NONE to a router that the network does not have.
 *
 * distance  [hop]  out, [router_count]; NB_NONE where there is no way
 * queue            out, [router_count]: the routers in order of distance, last
 *                  those without a way
 */
void nb_distances_to(const struct nb_topology *topology, uint32_t target,
                     uint32_t *distance, uint32_t *queue);

/* What breadth-first search from every router finds. */
struct nb_distance_summary {
    uint32_t diameter;    /* [hop] over routers with terminals */
    struct nb_ratio mean; /* [hop] over ordered pairs of terminals, self
                           * included */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_distance_search(const struct nb_topology *topology,
                                  struct nb_distance_summary *out,
                                  struct nb_error *err);

enum { NB_BISECTION_ROUTERS = 22 }; /* most that the search takes */
/*
 * The least bandwidth between two halves of the terminals (differing by one
 * if their number is odd; routers are not divided), both directions, by
 * trying every division.
 *
 * Errors: NB_INVALID above NB_BISECTION_ROUTERS routers; NB_OVERFLOW.
 */
enum nb_status nb_bisection_search(const struct nb_topology *topology,
                                   struct nb_ratio *out, struct nb_error *err);

NB_PUBLIC_END

#endif
