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

/* How many lists there are: one if shared, else one for each router, that of
 * a router without terminals being empty. */
size_t nb_group_list_count(const struct nb_group_request *request);

/*
 * Where each list starts, one after another.
 *
 * start  out: [lists + 1]
 *
 * Errors: NB_INVALID if a router named has no terminals.
 */
enum nb_status nb_group_lists_count(const struct nb_group_request *request,
                                    size_t *start, struct nb_error *err);

/*
 * The lists, each sorted by group, then router.
 *
 * start  of nb_group_lists_count
 * list   out: [start[lists]]
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_group_lists_fill(const struct nb_group_request *request,
                                   const size_t *start, uint32_t *list,
                                   struct nb_error *err);

#endif
