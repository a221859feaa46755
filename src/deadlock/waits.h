/* Waits: what dependencies are gathered in while routes are walked. */
#ifndef NB_DEADLOCK_WAITS_H
#define NB_DEADLOCK_WAITS_H

#include "deadlock/dependencies.h"
#include "routing/walker.h"

/* Vertices that one waits for: a hash table. */
struct nb_waits_far {
    uint32_t *to; /* [room] a vertex + 1; 0: none. Owned */
    uint32_t count, room;
};

/* What one thread needs to walk. */
struct nb_waits_scratch {
    struct nb_walker walker;
    struct nb_walk_begin *begin; /* [router_count] or more */
    size_t begin_room;
    /* With escapes: nodes seen on from a hop, by its number; those to look at
     * next; and arcs between channels that do not follow each other. */
    uint32_t *seen, *stack; /* [node_room] */
    bool *is_cut; /* [node_room] some way on from the node is missing */
    size_t node_room;
    struct nb_waits_far *far; /* [vertex_count] */
    uint32_t longest[2];      /* most hops of a route, of a phase */
};

/* A turn is a channel with one that leaves its target. Shared by all threads,
 * which only ever add bits. */
struct nb_waits {
    const struct nb_vc_classes *classes;
    const struct nb_topology *topology;
    size_t class_count, vertex_count;
    size_t *turn;     /* [channel + 1] the channel's first turn */
    uint64_t *waits;  /* [turn * class_count + class] classes waited for */
    uint32_t *source; /* routers with terminals */
    size_t source_count;
    uint64_t used;
    bool chooses_class, chooses_hop, lacks_escape;
    uint64_t unrouted; /* pairs of which some way is missing */
    size_t thread_count;
    struct nb_waits_scratch *scratch; /* [thread_count] */
    struct nb_pool pool;
};

/* Adds what packets held in classes behind a channel wait for. */
void nb_waits_add(struct nb_waits *waits, uint32_t channel, uint64_t held,
                  uint32_t next, uint64_t wanted);

/* Adds what the nodes and hops of a walk tell. phase: 0, or 1 of the second
 * one walked by itself. Errors: NB_NO_MEMORY. */
enum nb_status nb_waits_add_walk(struct nb_waits *waits,
                                 struct nb_waits_scratch *scratch, int phase,
                                 struct nb_error *err);

/* Whether both phases of a scheme can be walked by themselves. */
bool nb_waits_has_phases(const struct nb_waits *waits);

/* Walks both phases by themselves. is_wider: out, as of struct
 * nb_dependencies. */
enum nb_status nb_waits_walk_phases(struct nb_waits *waits,
                                    const struct nb_run *run, bool *is_wider,
                                    struct nb_error *err);

#endif
