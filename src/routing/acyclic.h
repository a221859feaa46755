/*
 * Acyclic: turns between channels that close no cycle. Each is counted, so that
 * paths can be taken out again. The channels are kept in an order that the
 * turns ascend; if a new one does not, the channels between its two ends are
 * reordered, or it closes a cycle. Taking turns out leaves the order valid.
 * Source: [PearceKelly2007].
 */
#ifndef NB_ROUTING_ACYCLIC_H
#define NB_ROUTING_ACYCLIC_H

#include "core/memory.h"
#include "topology/turns.h"

/* A turn from a channel to one out of its target. */
struct nb_acyclic_arc {
    uint32_t from, to;
};

/* What several sets of turns of one network share. Owns its arrays. */
struct nb_acyclic_turns {
    const struct nb_topology *topology;
    size_t *first; /* [channel + 1] the channel's first turn: each to a channel
                    * out of its target */
    uint64_t looked; /* turns and channels visited, in total */
    /* Channels that get new places: before index `ahead` those that the new
     * turn leads to; from there up to `behind` those that lead to it. */
    uint32_t *moved;  /* [channel] */
    uint32_t *places; /* [channel] scratch */
    bool *is_moved;   /* [channel] */
    size_t ahead, behind;
    /* [channel] twice the number of the search from both ends that met it last,
     * plus 1 if from behind */
    uint64_t *met;
    uint64_t searches;
    struct nb_pool pool;
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_acyclic {
    struct nb_acyclic_turns *turns; /* borrowed */
    uint32_t *uses;                 /* [turn] times that it was added */
    uint32_t *place;                /* [channel] its place in the order */
    uint32_t *channel;              /* [place] */
    /* [turn] removals so far + 1 when it was last refused; 0: never. Until the
     * next removal it would be refused again. */
    uint32_t *refused;
    uint32_t removals;
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_acyclic_turns_init(const struct nb_topology *topology,
                                     struct nb_acyclic_turns *out,
                                     struct nb_error *err);
void nb_acyclic_turns_release(struct nb_acyclic_turns *turns);

/* The turn from a channel to one out of its target. */
static inline size_t nb_acyclic_turn(const struct nb_acyclic_turns *turns,
                                     uint32_t from, uint32_t to)
{
    return nb_turn_number(turns->topology, turns->first, from, to);
}

/*
 * An empty set.
 *
 * turns  must outlive it
 * order  [channel] all channels, in an order that most turns will ascend, which
 *        saves time; NULL: by number
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_acyclic_init(struct nb_acyclic_turns *turns,
                               const uint32_t *order, struct nb_acyclic *out,
                               struct nb_error *err);
void nb_acyclic_release(struct nb_acyclic *acyclic);

/* Adds a turn; false, and nothing changes, if it closes a cycle. */
bool nb_acyclic_add(struct nb_acyclic *acyclic, uint32_t from, uint32_t to);

/* Whether adding a turn would close a cycle. The search begins at both ends:
 * where there is a cycle, it ends sooner than that of nb_acyclic_add. */
bool nb_acyclic_closes(struct nb_acyclic *acyclic, uint32_t from, uint32_t to);

/*
 * Finds a shortest path of turns from one channel to another; there must be
 * one. Returns the number of channels visited.
 *
 * before  [channel] out: the one before it in the path; NB_NONE: not visited
 */
size_t nb_acyclic_find_path(struct nb_acyclic *acyclic, uint32_t from,
                            uint32_t to, uint32_t *before);

/* Takes out a turn that was added. */
void nb_acyclic_remove(struct nb_acyclic *acyclic, uint32_t from, uint32_t to);

/* The same for several turns: adds all or none. arc: [count] */
bool nb_acyclic_add_all(struct nb_acyclic *acyclic,
                        const struct nb_acyclic_arc *arc, size_t count);
void nb_acyclic_remove_all(struct nb_acyclic *acyclic,
                           const struct nb_acyclic_arc *arc, size_t count);

#endif
