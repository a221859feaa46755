/* Next hops: one shortest path for each pair of routers, by destination. */
#ifndef NB_ROUTING_NEXT_HOPS_H
#define NB_ROUTING_NEXT_HOPS_H

#include "routing/routing.h"

/* The cost of additional load on a channel, where both arguments are relative
 * to the mean load: a difference of eighth powers. */
static inline double nb_load_cost(double before, double more)
{
    double low = before * before, high = (before + more) * (before + more);
    low *= low;
    high *= high;
    return high * high - low * low;
}

/* The greatest load on channels that are not the only one out of or into a
 * router. load: [channel] */
double nb_load_most(const struct nb_topology *topology, const double *load);

/*
 * Next hops to the neighbour whose number differs least; among equals, over the
 * first channel. Where numbers follow coordinates, paths correct one dimension
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
 * Next hops that divide the load evenly when all terminals send to all. They
 * are found destination after destination; each sweep finds them again for each
 * destination, given those of the others. A path is chosen by what it adds to
 * the sum of all channels' costs,
 *
 *     (load / mean load)^8,    load = packets of all pairs / bandwidth.
 *
 * The result is that with the least maximum load, on channels that are not the
 * only one out of or into a router, among all sweeps and the next hops by
 * number.
 *
 * sweeps  0: take the first result
 * next    as above
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_next_hops_by_load(const struct nb_topology *topology,
                                    unsigned sweeps, uint32_t *next,
                                    struct nb_error *err);

/*
 * Follows next hops. Returns their number, or 0 if they do not arrive because
 * one of them is NB_NONE or they loop.
 *
 * next  [router] to the destination
 * path  [router_count] the channels: out
 */
size_t nb_next_hops_follow(const struct nb_topology *topology,
                           const uint32_t *next, uint32_t source,
                           uint32_t destination, uint32_t *path);

#endif
