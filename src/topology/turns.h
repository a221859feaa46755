/* Turns: from a channel to one out of its target, numbered channel by channel
 * in their order. */
#ifndef NB_TOPOLOGY_TURNS_H
#define NB_TOPOLOGY_TURNS_H

#include "topology/topology.h"

/* first  [channel_count + 1] the number of each channel's first turn, and their
 *        total: out */
static inline void nb_turn_numbers(const struct nb_topology *topology,
                                   size_t *first)
{
    first[0] = 0;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const uint32_t target = topology->channels[c].target;
        first[c + 1] = first[c] + topology->out_start[target + 1] -
                       topology->out_start[target];
    }
}

static inline size_t nb_turn_number(const struct nb_topology *topology,
                                    const size_t *first, uint32_t from,
                                    uint32_t to)
{
    return first[from] + to -
           topology->out_start[topology->channels[from].target];
}

#endif
