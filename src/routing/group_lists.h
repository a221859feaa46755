/* Group lists: the routers that the policies of Valiant's phase A name (used
 * by group_ways.c alone). */
#ifndef NB_ROUTING_GROUP_LISTS_H
#define NB_ROUTING_GROUP_LISTS_H

#include "topology/topology.h"

struct nb_group_request {
    const char *name; /* of the scheme, for messages */
    const struct nb_topology *topology;
    bool is_shared;     /* lgl: one list, of all routers with terminals */
    bool enters_groups; /* -gl: all routers of the groups, not their ends */
    bool leaves_group;  /* lg-: by all channels of the source's group */
    bool has_own_group;
};

/*
 * The lists, one after another, each sorted by group, then router.
 *
 * start  out: [sources + 1], of one shared list 2; router by router, those
 *        without terminals having none; owned by the caller
 * list   out: [start[sources]]; owned by the caller
 *
 * Errors: NB_INVALID if a router named has no terminals; NB_NO_MEMORY.
 */
enum nb_status nb_group_lists_find(const struct nb_group_request *request,
                                   size_t **start, uint32_t **list,
                                   struct nb_error *err);

#endif
