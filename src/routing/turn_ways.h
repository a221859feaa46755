/*
 * Turn ways: paths under turn prohibition. A turn leads from a channel into a
 * router to one out of it. Paths are shortest paths of permitted turns. They
 * are found in the dual graph, whose vertices are channels and whose edges are
 * turns, and executed as tables (table_ways.h).
 */
#ifndef NB_ROUTING_TURN_WAYS_H
#define NB_ROUTING_TURN_WAYS_H

#include "routing/table_ways.h"
#include "topology/turns.h"

/* Owns its arrays; zero-initialised is valid and empty. Going back to the
 * router that a packet comes from is not a turn and never permitted. */
struct nb_turns {
    const struct nb_topology *topology;
    bool *is_usable;    /* [channel] */
    size_t *first;      /* [channel + 1] */
    bool *is_permitted; /* [first[channel] + index of the second channel among
                         * those out of its router] */
};

/* Makes everything usable and permitted. Errors: NB_NO_MEMORY. */
enum nb_status nb_turns_init(const struct nb_topology *topology,
                             struct nb_turns *out, struct nb_error *err);
void nb_turns_release(struct nb_turns *turns);

/* The index in is_permitted of the turn from a channel to one out of the router
 * where it ends. */
static inline size_t nb_turn(const struct nb_turns *turns, uint32_t from,
                             uint32_t to)
{
    return nb_turn_number(turns->topology, turns->first, from, to);
}

/* The number of turns between usable channels, without turning back, and how
 * many of them are prohibited. */
void nb_turns_count(const struct nb_turns *turns, size_t *all,
                    size_t *prohibited);

/* For builders: the same as counts of a scheme, "turns" and
 * "prohibited_turns". */
void nb_turns_tell(const struct nb_turns *turns, struct nb_routing *out);

/*
 * Gives a scheme one shortest permitted path for each pair. Among paths of
 * equal length, the choice is by what a path adds to the costs of channels
 * (next_hops.h), one destination after another.
 *
 * sweeps  times that the paths of a destination are chosen again, given all its
 *         packets, so that these divide, too
 * most    NULL, or out: as nb_load_most, when all terminals send to all
 *
 * Errors: NB_INVALID if a pair has no permitted path; NB_NO_MEMORY.
 */
enum nb_status nb_turn_ways_build(struct nb_routing *out,
                                  const struct nb_turns *turns, unsigned sweeps,
                                  double *most, struct nb_error *err);

/* For builders: NB_INVALID because a pair has no permitted path. */
enum nb_status nb_turn_ways_refuse(const struct nb_topology *topology,
                                   uint32_t source, uint32_t destination,
                                   struct nb_error *err);

/* For builders: NB_INVALID unless every channel has one in the other
 * direction. */
enum nb_status nb_turns_require_links(const struct nb_routing *routing,
                                      struct nb_error *err);

#endif
