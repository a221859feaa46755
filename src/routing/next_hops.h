/* Next hops: of each pair of routers one shortest path, by destination. */
#ifndef NB_ROUTING_NEXT_HOPS_H
#define NB_ROUTING_NEXT_HOPS_H

#include "routing/routing.h"

/* What more load costs a channel, both in parts of the mean: the difference of
 * eighth powers. */
static inline double nb_load_cost(double before, double more)
{
    double low = before * before, high = (before + more) * (before + more);
    low *= low;
    high *= high;
    return high * high - low * low;
}

/*
 * Next hops over the channel to the router whose number differs least, of these
 * the first. Where numbers follow coordinates, paths correct one dimension
 * after another.
 *
 * next  [destination * router_count + router] of nb_table_ways_new: out, for
 *       destinations with terminals
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_next_hops_by_number(const struct nb_topology *topology,
                                      uint32_t *next, struct nb_error *err);

/*
 * Next hops that divide evenly what all terminals send to all. They are found
 * destination after destination, and in every sweep anew for each with the
 * others' as they are. A path is chosen by what it adds to the sum of all
 * channels' costs,
 *
 *     (load / mean load)^8,    load = packets of all pairs / bandwidth.
 *
 * What is kept is what has the least greatest load, on channels other than the
 * only ones to or from a router, among all sweeps and those by number.
 *
 * sweeps  0: the first ones found are taken
 * next    as above
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_next_hops_by_load(const struct nb_topology *topology,
                                    unsigned sweeps, uint32_t *next,
                                    struct nb_error *err);

/*
 * Follows next hops; returns their number, 0 where they do not arrive: one of
 * them is NB_NONE, or they go round in a circle.
 *
 * next  [router] to the destination
 * path  [router_count] the channels: out
 */
size_t nb_next_hops_follow(const struct nb_topology *topology,
                           const uint32_t *next, uint32_t source,
                           uint32_t destination, uint32_t *path);

#endif
