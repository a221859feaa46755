/* Distances and cuts of a topology found by search. They check the closed
 * forms, and replace them where there is none. */
#ifndef NB_TOPOLOGY_METRICS_H
#define NB_TOPOLOGY_METRICS_H

#include "topology/topology.h"

NB_PUBLIC_BEGIN

/* Results of breadth-first search from every router. */
struct nb_distance_summary {
    uint32_t diameter;    /* [hop] over routers with terminals */
    struct nb_ratio mean; /* [hop] over ordered pairs of terminals, self
                           * included */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_distance_search(const struct nb_topology *topology,
                                  struct nb_distance_summary *out,
                                  struct nb_error *err);

enum { NB_BISECTION_ROUTERS = 22 }; /* the largest network searched */
/*
 * The least bandwidth between two halves of the terminals (differing by one if
 * their number is odd; routers are not divided), both directions, by trying
 * every division.
 *
 * Errors: NB_INVALID above NB_BISECTION_ROUTERS routers; NB_OVERFLOW.
 */
enum nb_status nb_bisection_search(const struct nb_topology *topology,
                                   struct nb_ratio *out, struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Hops from every router to one router (against the channels' direction); all
 * NB_NONE if the network has no such router.
 *
 * distance  [hop]  out, [router_count]; NB_NONE where no path leads there
 * queue            out, [router_count]: the routers in order of distance, those
 *                  without a path last
 */
void nb_distances_to(const struct nb_topology *topology, uint32_t target,
                     uint32_t *distance, uint32_t *queue);

/*
 * Hops of packets from a router to itself: 0, except in a network whose packets
 * cross it one way.
 *
 * distance  [router] nb_distances_to, or like it, that router
 */
uint32_t nb_distance_to_self(const struct nb_topology *topology,
                             uint32_t router, const uint32_t *distance);

/*
 * Looks for a router that another one cannot reach; failed ones are ignored.
 * Needs the index and at least one router that has not failed.
 *
 * from, to  out: no path leads from one to the other; both NB_NONE if the
 *           network is strongly connected
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_topology_find_unreached(const struct nb_topology *topology,
                                          uint32_t *from, uint32_t *to,
                                          struct nb_error *err);

NB_INTERNAL_END

#endif
