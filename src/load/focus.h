/* Focus channels: one channel for each orbit of channels under symmetry. */
#ifndef NB_LOAD_FOCUS_H
#define NB_LOAD_FOCUS_H

#include "core/delete.h"
#include "routing/routing.h"
#include "topology/orbits.h"

/*
 * The orbits of channels under the automorphisms of the topology that keep
 * bandwidths, terminals and the routing scheme; the focus channels are their
 * first ones. Owns its parts; zero-initialised is valid and empty.
 * Source: [TowlesDally2002, section 4.1].
 */
struct nb_focus {
    const struct nb_topology *topology;
    struct nb_symmetry symmetry;
    struct nb_orbits channels;
};

/* Called with a channel and such an automorphism. */
typedef enum nb_status nb_focus_visit(void *context, uint32_t channel,
                                      const uint32_t *router_map,
                                      struct nb_error *err);

NB_INTERNAL_BEGIN

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_focus_find(const struct nb_routing *routing,
                             struct nb_focus *out, struct nb_error *err);

void nb_focus_release(struct nb_focus *focus);

/* An automorphism that maps channel's focus channel to channel: router_map[r]
 * is the image of router r. scratch: [router_count]. */
void nb_focus_map(const struct nb_focus *focus, uint32_t channel,
                  uint32_t *router_map, uint32_t *scratch);

/* Visits all channels of an orbit, each one generator away from one visited
 * before, so that each map takes at most one composition. Errors: NB_NO_MEMORY;
 * those of visit. */
enum nb_status nb_focus_walk(const struct nb_focus *focus, size_t orbit,
                             nb_focus_visit *visit, void *context,
                             struct nb_error *err);

NB_INTERNAL_END

#endif
