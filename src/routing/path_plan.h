/* Path plan: a table of paths as states and steps. */
#ifndef NB_ROUTING_PATH_PLAN_H
#define NB_ROUTING_PATH_PLAN_H

#include "routing/path_table.h"

/* One of a pair's paths: the state it begins in. */
struct nb_path_start {
    uint64_t weight;
    uint32_t state;
};

/* What is left of a path: its next channel and the state behind that. */
struct nb_path_rest {
    uint32_t channel;
    uint32_t next;
};

/*
 * A state is what is left of a path: of all different ends of paths from a
 * router to the destination its place in their list. So states are few, and
 * paths that go on alike are one from there on. At the destination it is 0.
 *
 * Pairs are numbered as in nb_path_table_index. All is one block.
 */
struct nb_path_plan {
    size_t state_count; /* most of one pair of routers, at least 1 */
    size_t most_starts; /* the same */
    size_t *start_of;   /* [pair + 1] into start: of paths from the router */
    size_t *rest_of;    /* [pair + 1] into rest: of paths through the router */
    struct nb_path_start *start;
    struct nb_path_rest *rest;
};

/*
 * table  sorted, no path twice
 * plan   out: owned by the caller, freed with nb_delete
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_path_plan_build(const struct nb_path_table *table,
                                  const struct nb_topology *topology,
                                  struct nb_path_plan **plan,
                                  struct nb_error *err);

#endif
