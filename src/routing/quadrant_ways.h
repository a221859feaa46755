/*
 * Quadrant ways: schemes on rings and tori. From what they see of the network
 * they choose at the source a direction for every dimension. Then, of the
 * dimensions with distance left, they take the one with the shortest queue. A
 * state is the direction class (quadrant.h).
 * Source: [Singh2005, sections 4.1, 5.1 and 5.5].
 */
#ifndef NB_ROUTING_QUADRANT_WAYS_H
#define NB_ROUTING_QUADRANT_WAYS_H

#include "routing/routing.h"

/* One way to begin. Bit d of the masks belongs to dimension d. */
struct nb_quadrant_start {
    uint32_t hops;
    uint8_t class;
    uint8_t moves;   /* dimensions with distance */
    uint8_t is_plus; /* their directions */
    uint8_t first;   /* index of the first start with the same hops */
    uint8_t alike;   /* number of starts with the same hops; 0: there is no such
                      * start */
};

/* The first member of the plan of every such scheme. */
struct nb_quadrant_ways {
    size_t class_count;
    /* [displacement * class_count + index] by hops, then by class; the
     * displacement is the router that would be the destination if the source
     * were router 0. */
    const struct nb_quadrant_start *start;
};

/* The first member of the memory of every such scheme. */
struct nb_quadrant_memory {
    uint64_t cycle; /* the last cycle that ended */
};

/* For builders on any grid: declares what the step needs, with a start for each
 * direction class. */
void nb_quadrant_ways_declare(struct nb_routing *out);

/*
 * For builders: sets everything in out except is_minimal.
 *
 * plan_size  size of the scheme's plan, which is zeroed except for its
 *            struct nb_quadrant_ways
 *
 * Errors: NB_INVALID if the network is neither a ring nor a torus;
 * NB_NO_MEMORY.
 */
enum nb_status nb_quadrant_ways_build(struct nb_routing *out, size_t plan_size,
                                      struct nb_error *err);

/* As start, step and observe of struct nb_routing_kind. There is one start for
 * every choice of directions in the dimensions with distance. */
size_t nb_quadrant_ways_start(const struct nb_routing *routing, uint32_t source,
                              uint32_t destination, struct nb_start *starts);
size_t nb_quadrant_ways_step(const struct nb_routing *routing,
                             const struct nb_route_table *table,
                             nb_route_state state, uint32_t router,
                             uint32_t destination, struct nb_hop *hops);
void nb_quadrant_ways_observe(const struct nb_routing *routing,
                              const struct nb_view *view, uint64_t cycle);

/* The index-th start from source to destination. */
const struct nb_quadrant_start *
nb_quadrant_ways_find(const struct nb_routing *routing, uint32_t source,
                      uint32_t destination, size_t index);

/*
 * As cost of struct nb_routing_kind. Compares first `primary`, 0 ..
 * NB_QUADRANT_MOST_PRIMARY (larger values count as this), then the hops; equal
 * starts are chosen at random, evenly over time. So at distance exactly k/2,
 * where both directions are shortest and no queue differs, each is taken half
 * the time.
 */
#define NB_QUADRANT_MOST_PRIMARY (((uint64_t)1 << 40) - 1)
uint64_t nb_quadrant_ways_cost(const struct nb_routing *routing,
                               const struct nb_view *view, uint32_t source,
                               uint32_t destination, size_t index,
                               uint64_t primary);

#endif
