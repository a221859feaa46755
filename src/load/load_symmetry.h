/* Load symmetry: savings by automorphisms that keep network, scheme and
 * traffic. */
#ifndef NB_LOAD_LOAD_SYMMETRY_H
#define NB_LOAD_LOAD_SYMMETRY_H

#include "core/memory.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/*
 * Under the automorphisms that keep bandwidths, terminals, scheme and traffic:
 * with L_d(c) the load of channel c by packets that a phase carries to router
 * d, L_gd(gc) = L_d(c), and channels of one orbit O have the same load,
 *
 *     load(c) = 1/|O| sum_(d represents an orbit) |orbit of d|
 *                     sum_(c' in O) L_d(c').
 *
 * Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_load_symmetry {
    struct nb_pool pool;
    size_t destination_count;
    uint32_t *destination; /* one router with terminals for each orbit */
    uint32_t *alike;       /* [destination_count] size of its orbit */
    uint32_t *orbit;       /* [channel] the least channel of its orbit */
    uint32_t *orbit_size;  /* [channel] of its orbit */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_load_symmetry_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     struct nb_load_symmetry *out,
                                     struct nb_error *err);
void nb_load_symmetry_release(struct nb_load_symmetry *symmetry);

#endif
