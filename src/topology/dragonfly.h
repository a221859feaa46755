/* Sizes of a Dragonfly, and what follows from the sizes only. */
#ifndef NB_TOPOLOGY_DRAGONFLY_H
#define NB_TOPOLOGY_DRAGONFLY_H

#include "topology/fit.h"
#include "topology/global_links.h"

struct nb_dragonfly_shape {
    uint64_t terminals; /* of a router */
    /* Routers of a group: `columns` in each of `rows` lines, with every line
     * and every column complete; one row: a complete group. */
    uint64_t columns, rows;
    struct nb_global_links links;
};

/* Global channels per router if every router bears the same number and one link
 * joins any two groups, which is the largest Dragonfly; else 0. */
uint64_t nb_dragonfly_largest(const struct nb_dragonfly_shape *shape);

/* diameter [hop]: out; 0 where it is not proved. Errors: NB_NO_MEMORY. */
enum nb_status nb_dragonfly_diameter(const struct nb_dragonfly_shape *shape,
                                     uint32_t *diameter, struct nb_error *err);

/*
 * As nb_topology_kind.fit; palmtree only, h and s at most 1023.
 *
 * demand.terminals = 0: the greatest balanced h (h terminals and h global
 * channels at each of 2h routers, 4h - 1 ports) with complete groups and the
 * most groups; then the greatest s with s x s routers, s terminals and s global
 * channels each (4s - 2 ports) and the most groups. Otherwise every balanced h,
 * ascending, with the fewest groups that hold the terminals and whose diameter
 * is known; if their capacity is below 1, also the next larger number of groups
 * with capacity 1. Then the least s.
 *
 * Shortest paths are those with the fewest global channels, as in routing. The
 * capacity is unknown where a router has two links to a group and adding up the
 * loads takes more than NB_FIT_STEPS.
 */
enum nb_status nb_dragonfly_fit(const struct nb_fit_demand *demand,
                                size_t index, struct nb_fit *out,
                                struct nb_error *err);

/*
 * As nb_topology_kind.search: palmtrees of complete groups with any number of
 * routers, terminals, global channels, groups and links between two groups; of
 * two networks that differ only in h, that with the least h.
 */
enum nb_status nb_dragonfly_search(struct nb_fit_search *search,
                                   struct nb_error *err);

#endif
