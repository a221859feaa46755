/* Sizes of a Dragonfly, and what follows from them alone. */
#ifndef NB_TOPOLOGY_DRAGONFLY_H
#define NB_TOPOLOGY_DRAGONFLY_H

#include "topology/fit.h"
#include "topology/global_links.h"

struct nb_dragonfly_shape {
    uint64_t terminals; /* of a router */
    /* Routers of a group: `columns` in each of `rows` lines, every line and
     * every column complete; one row: a complete group. */
    uint64_t columns, rows;
    struct nb_global_links links;
};

/* Global channels of a router if all are joined with equally many and any two
 * groups by one link, which is the largest Dragonfly; else 0. */
uint64_t nb_dragonfly_largest(const struct nb_dragonfly_shape *shape);

/* diameter [hop]: out; 0 where it is not proved. Errors: NB_NO_MEMORY. */
enum nb_status nb_dragonfly_diameter(const struct nb_dragonfly_shape *shape,
                                     uint32_t *diameter, struct nb_error *err);

/*
 * As nb_topology_kind.fit, palmtree alone, h and s at most 1023.
 *
 * demand.terminals = 0: the greatest balanced h (h terminals and h global
 * channels at each of 2h routers, 4h - 1 ports) of complete groups and the
 * most groups; then the greatest s of s x s routers with s terminals and s
 * global channels each (4s - 2 ports) and the most groups. Otherwise every
 * balanced h, ascending, with the least groups that hold the terminals and
 * whose diameter is known, and if those do not have capacity 1 with the next
 * larger number that does; then the least s.
 *
 * Shortest paths are those of the fewest global channels, as routing takes
 * them. The capacity is left open where a router has two links to a group.
 */
enum nb_status nb_dragonfly_fit(const struct nb_fit_demand *demand,
                                size_t index, struct nb_fit *out,
                                struct nb_error *err);

/*
 * As nb_topology_kind.search: complete groups of any number of routers, with
 * any numbers of terminals and global channels, palmtree; groups as few as hold
 * the terminals and carry a capacity asked for. Networks whose diameter is not
 * known are left out, and those of open capacity as above.
 */
enum nb_status nb_dragonfly_search(struct nb_fit_search *search,
                                   struct nb_error *err);

#endif
