/* Waits: where dependencies are collected while routes are walked. */
#ifndef NB_DEADLOCK_WAITS_H
#define NB_DEADLOCK_WAITS_H

#include "deadlock/dependencies.h"
#include "routing/strays.h"
#include "routing/walker.h"

/* The vertices that one vertex waits for: a hash table. */
struct nb_waits_far {
    uint32_t *to; /* [room] a vertex + 1; 0: none. Owned */
    uint32_t count, room;
};

/* One thread's data for walking. */
struct nb_waits_scratch {
    struct nb_walker walker;
    struct nb_walk_begin *begin; /* [router_count] or more */
    size_t begin_room;
    /* With escapes: by node, the last hop from which it was visited; the nodes
     * to visit next; and arcs between channels that are not adjacent. */
    uint32_t *seen, *stack; /* [node_room] */
    bool *is_cut; /* [node_room] a route onwards from the node is missing */
    size_t node_room;
    struct nb_waits_far *far; /* [vertex_count] */
    uint32_t longest[2];      /* maximum hops of a route, by phase */
};

/* A turn is a channel and one that leaves its target. Shared by all threads,
 * which only add bits. */
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
    uint64_t unrouted; /* pairs for which a route is missing */
    size_t thread_count;
    struct nb_waits_scratch *scratch; /* [thread_count] */
    struct nb_pool pool;
};

/* Adds what packets wait for that are held in classes behind a channel. */
void nb_waits_add(struct nb_waits *waits, uint32_t channel, uint64_t held,
                  uint32_t next, uint64_t wanted);

/* Adds what the nodes and hops of a walk show. phase: 0, or 1 for a second
 * phase walked by itself. Errors: NB_NO_MEMORY. */
enum nb_status nb_waits_add_walk(struct nb_waits *waits,
                                 struct nb_waits_scratch *scratch, int phase,
                                 struct nb_error *err);

/* The class in which a stray waits behind one of its hops: that of the tables
 * if classes are lanes, else that of the hop's number, where the last class
 * takes all later hops. */
unsigned nb_waits_stray_class(const struct nb_vc_classes *classes,
                              const struct nb_strays *strays,
                              const struct nb_stray *stray, size_t hop);

/* Whether the two phases of a scheme can be walked separately. */
bool nb_waits_has_phases(const struct nb_waits *waits);

/* Walks the two phases separately. is_wider: out, as in struct
 * nb_dependencies. */
enum nb_status nb_waits_walk_phases(struct nb_waits *waits,
                                    const struct nb_run *run, bool *is_wider,
                                    struct nb_error *err);

#endif
