/* Group plan: what the builder of group ways (group_ways.h) leaves to the way
 * sets made from it. */
#ifndef NB_ROUTING_GROUP_PLAN_H
#define NB_ROUTING_GROUP_PLAN_H

#include "routing/routing.h"

/*
 * Lists of way-points, sorted by group, then router: one for all sources, or
 * one for each. What is excluded by group are contiguous pieces of a list.
 */
struct nb_group_plan {
    bool is_restricted;
    bool has_own_group; /* the source's group is not excluded */
    bool has_its_group; /* nor the destination's */
    bool is_shared;     /* lgl: one list for all */
    const size_t *start;
    const uint32_t *list;
};

/* The way sets of a routing whose plan is a struct nb_group_plan. */
extern const struct nb_way_set nb_group_way_set;

#endif
