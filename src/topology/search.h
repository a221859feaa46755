/*
 * Search: breadth-first, over the routers of a network. What it looks for is up
 * to a visitor, which sees each channel out of a visited router (or into it).
 */
#ifndef NB_TOPOLOGY_SEARCH_H
#define NB_TOPOLOGY_SEARCH_H

#include "topology/topology.h"

/*
 * Whether the search enters a router: over a channel between it and `near`,
 * which was visited. The visitor marks the router, so that it refuses it the
 * next time.
 */
typedef bool nb_search_visitor(void *context, uint32_t channel, uint32_t near,
                               uint32_t router);

/*
 * Searches along the channels.
 *
 * queue  [router_count] the first `count` routers, which the caller marked;
 *        out: all routers visited, in that order
 *
 * Returns the number of routers visited.
 */
static inline size_t nb_search_along(const struct nb_topology *topology,
                                     uint32_t *queue, size_t count,
                                     nb_search_visitor *visit, void *context)
{
    for (size_t head = 0; head < count; head++) {
        const uint32_t near = queue[head];
        for (uint32_t c = topology->out_start[near];
             c < topology->out_start[near + 1]; c++)
            if (visit(context, c, near, topology->out_target[c]))
                queue[count++] = topology->out_target[c];
    }
    return count;
}

/* The same against the channels. */
static inline size_t nb_search_against(const struct nb_topology *topology,
                                       uint32_t *queue, size_t count,
                                       nb_search_visitor *visit, void *context)
{
    for (size_t head = 0; head < count; head++) {
        const uint32_t near = queue[head];
        for (uint32_t i = topology->in_start[near];
             i < topology->in_start[near + 1]; i++)
            if (visit(context, topology->in_channel[i], near,
                      topology->in_source[i]))
                queue[count++] = topology->in_source[i];
    }
    return count;
}

/* A visitor that sets distances. context: distance [router], NB_NONE where not
 * visited. */
static inline bool nb_search_distance(void *context, uint32_t channel,
                                      uint32_t near, uint32_t router)
{
    uint32_t *distance = context;
    (void)channel;
    if (distance[router] != NB_NONE)
        return false;
    distance[router] = distance[near] + 1;
    return true;
}

#endif
