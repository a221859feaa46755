/* Levels: networks whose channels all lead to the next level. */
#ifndef NB_TOPOLOGY_LEVELS_H
#define NB_TOPOLOGY_LEVELS_H

#include "core/delete.h"
#include "topology/topology.h"

/*
 * The routers of a levelled network: those of level 0 have terminals, send to
 * level 1 and receive from the last level; the levels between are switches.
 * Owns its arrays; zero-initialised is empty.
 */
struct nb_levels {
    uint32_t depth;  /* levels of switches, >= 1 */
    uint32_t *level; /* [router] 0 also for one without channels */
    uint32_t *order; /* [router] from the last level to level 0 */
    uint32_t *start; /* [depth + 2] where level depth - i begins in order */
    struct nb_pool pool;
};

/*
 * Errors: NB_INVALID naming a channel that does not lead to the next level;
 * NB_NO_MEMORY.
 */
enum nb_status nb_levels_find(const struct nb_topology *topology,
                              struct nb_levels *out, struct nb_error *err);
void nb_levels_release(struct nb_levels *levels);

#endif
