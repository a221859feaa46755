/* Delay traffic: the queues and the paths of a traffic in a fat tree. */
#ifndef NB_QUESTIONS_DELAY_DELAY_TRAFFIC_H
#define NB_QUESTIONS_DELAY_DELAY_TRAFFIC_H

#include "questions/delay/delay_paths.h"
#include "load/tree_flows.h"

/*
 * Queues by kinds: those of the same height and direction whose inputs send at
 * the same rates are alike. Owns its arrays; zero-initialised is valid.
 */
struct nb_delay_kinds {
    struct nb_tree_flows flows;
    uint32_t *of; /* [2 * subtrees] see nb_delay_kinds_at */
    size_t count;
    struct nb_delay_kind {
        enum nb_tree_direction direction;
        uint32_t height, subtree; /* the first of this kind */
        bool is_only;             /* of the height and direction */
    } * kinds;
};

/* Which of them is the kind of the channels between a subtree of this height
 * that has the leaf and what is above (height 0, down: to its terminals). */
uint32_t nb_delay_kinds_at(const struct nb_delay_kinds *kinds,
                           enum nb_tree_direction direction, uint32_t height,
                           uint32_t leaf);

/*
 * Finds the paths of all pairs, and adds them up by the kinds of queues that
 * they pass: one mixture for each height at which packets turn.
 *
 * queues    [kinds->count]  by kind
 * paths     out, queues among them; path h - 1 turns at height h, or the only
 *           one at the roots
 *
 * Errors: NB_INVALID if there are no packets; NB_OVERFLOW; NB_NO_MEMORY.
 */
enum nb_status nb_delay_ways_find(const struct nb_delay_kinds *kinds,
                                  const struct nb_topology *topology,
                                  const struct nb_traffic *traffic,
                                  struct nb_delay_paths *paths,
                                  struct nb_error *err);

#endif
