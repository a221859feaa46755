/* Vertex orbits: routers that symmetry makes alike, and how. */
#ifndef NB_LOAD_VERTEX_ORBITS_H
#define NB_LOAD_VERTEX_ORBITS_H

#include "routing/routing.h"
#include "topology/orbits.h"

NB_PUBLIC_BEGIN

/*
 * Under the automorphisms that keep bandwidths, terminals and the scheme,
 * what is known for one destination is known for its whole orbit ("relative
 * routing"): if g takes r to j,
 *
 *     gamma_c(i, j) = gamma_(g^-1 c)(g^-1 i, r).
 *
 * Owns its parts; zero-initialised is valid and empty.
 * Source: [TowlesDally2002, section 4.2].
 */
struct nb_vertex_orbits {
    struct nb_symmetry symmetry;
    struct nb_orbits routers;
    uint32_t *map; /* [router * router_count + r] where an automorphism that
                    * takes the first of its orbit to router takes r; NULL:
                    * all orbits are single routers */
};

/* Bytes it takes, for nb_memory_require. */
double nb_vertex_orbits_bytes(const struct nb_topology *topology);

/* Under the automorphisms of the classes asked for. Errors: NB_NO_MEMORY. */
enum nb_status nb_vertex_orbits_find(const struct nb_routing *routing,
                                     unsigned classes,
                                     struct nb_vertex_orbits *out,
                                     struct nb_error *err);
void nb_vertex_orbits_release(struct nb_vertex_orbits *orbits);

NB_PUBLIC_END

#endif
