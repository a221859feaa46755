/* Placement: how hosts of a job are spread over a tree of switches. */
#ifndef NB_TOPOLOGY_PLACEMENT_H
#define NB_TOPOLOGY_PLACEMENT_H

#include "topology/cabling.h"

/* The hosts of a job at one level, where a part is what remains connected
 * without the levels above. */
struct nb_placement_level {
    uint64_t parts;       /* with hosts of the job */
    uint64_t least_parts; /* with enough hosts for the job: the largest ones;
                           * at least those that one of its hosts has ports
                           * in */
    uint64_t most_hosts;  /* of the job in one part */
    uint64_t pairs;       /* ordered pairs of hosts that meet at this level, and
                           * not below */
};

/* Owns its array. */
struct nb_placement {
    struct nb_placement_level *level;
    size_t count;
};

/*
 * The parts of level 0 are single switches. Without a tree of switches, level 1
 * is the network.
 *
 * ends  the network with the terminals of the job only
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_placement_find(const struct nb_topology *topology,
                                 const struct nb_cabling *cabling,
                                 const struct nb_topology *ends,
                                 struct nb_placement *out,
                                 struct nb_error *err);
void nb_placement_release(struct nb_placement *placement);

#endif
