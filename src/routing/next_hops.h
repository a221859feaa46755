/* Next hops: one shortest path for each pair of routers, by destination. */
#ifndef NB_ROUTING_NEXT_HOPS_H
#define NB_ROUTING_NEXT_HOPS_H

#include "routing/moves.h"
#include "routing/routing.h"

/* The cost of additional load on a channel, where both arguments are relative
 * to the mean load: a difference of eighth powers. */
static inline double nb_load_cost(double before, double more)
{
    return nb_eighth_power(before + more) - nb_eighth_power(before);
}

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

/* Permitted paths, where these depend only on the router and destination. */
struct nb_hop_rule {
    /* Computes the hops of each router to a destination, NB_NONE: no path; and
     * lists all routers by them. Both: [router] */
    void (*find)(void *context, uint32_t destination, uint32_t *hops,
                 uint32_t *queue);
    /* Whether a channel may be taken to that destination, if it leads to a
     * router with fewer hops. */
    bool (*permits)(const void *context, uint32_t channel);
    void *context;
};

/*
 * Next hops that divide the load evenly when all terminals send to all. They
 * are found destination after destination; each sweep finds them again for each
 * destination, given those of the others. A path is chosen by what it adds to
 * the sum of all channels' costs,
 *
 *     (load / mean load)^8,    load = packets of all pairs / bandwidth.
 *
 * Then, given all packets, each router chooses again by the exact costs of its
 * paths, so that packets for the same destination divide, too. The next hops
 * with the least maximum load (nb_load_most) of all sweeps and, without a rule,
 * of those by number are kept; moves (moves.h) lead on from there, while that
 * takes little time.
 *
 * rule    NULL, or which paths are permitted
 * sweeps  0: take the first result
 * next    as above
 * least   NULL, or out: their greatest load
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_next_hops_by_load(const struct nb_topology *topology,
                                    const struct nb_hop_rule *rule,
                                    unsigned sweeps, uint32_t *next,
                                    double *least, struct nb_error *err);

#endif
