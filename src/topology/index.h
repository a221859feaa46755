/* Index: channels in order, and lists by router. */
#ifndef NB_TOPOLOGY_INDEX_H
#define NB_TOPOLOGY_INDEX_H

#include "topology/topology.h"

/*
 * Lists the numbers 0 .. count - 1 by key; numbers with the same key stay in
 * order.
 *
 * key     [count] each `stride` bytes after the one before; numbers with keys
 *         of groups or more are left out
 * groups  keys are below
 * start   out, [groups + 1], zeroed: key k's are order[start[k]] ..
 *         order[start[k + 1] - 1]
 * order   out, [count]
 */
void nb_index_by(const uint32_t *key, size_t stride, size_t count,
                 size_t groups, uint32_t *start, uint32_t *order);

/*
 * Sorts the channels by source (those of one router keep their order, and
 * grid.channel follows) and makes out_start, out_target, in_start, in_channel
 * and in_source. Does nothing if the index exists.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_topology_index(struct nb_topology *topology,
                                 struct nb_error *err);

/* Removes the index, for channels that change. */
void nb_index_drop(struct nb_topology *topology);

/* Updates the slots of a grid to new channel numbers.
 *
 * place  [channel_count] the new number; NB_NONE: removed */
void nb_index_renumber_grid(struct nb_topology *topology,
                            const uint32_t *place);

#endif
