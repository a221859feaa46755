/* Focus channels: one channel for each set that symmetry makes alike. */
#ifndef NB_LOAD_FOCUS_H
#define NB_LOAD_FOCUS_H

#include "routing/symmetries.h"

/*
 * The orbits of channels under the automorphisms of the topology that keep
 * bandwidths, terminals and the routing scheme. Owns its arrays;
 * zero-initialised is valid and empty.
 * Source: [TowlesDally2002, section 4.1].
 */
struct nb_focus {
    const struct nb_topology *topology;
    size_t focus_count;
    uint32_t *focus;      /* [focus_count] least channel of each orbit */
    uint32_t *orbit_size; /* [focus_count] */
    uint32_t *orbit;      /* [channel] index into focus */
    /* How a channel was reached: generator applied to parent; the focus
     * channel itself has parent NB_NONE. */
    uint32_t *parent;    /* [channel] */
    uint32_t *generator; /* [channel] */
    size_t generator_count;
    uint32_t *maps; /* [generator * router_count + router] */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_focus_find(const struct nb_routing *routing,
                             struct nb_focus *out, struct nb_error *err);

void nb_focus_release(struct nb_focus *focus);

/* An automorphism that takes channel's focus channel to channel:
 * router_map[r] is where it takes router r. scratch: [router_count]. */
void nb_focus_map(const struct nb_focus *focus, uint32_t channel,
                  uint32_t *router_map, uint32_t *scratch);

#endif
