/* Vertex orbits: orbits of routers under symmetry, with the maps. */
#ifndef NB_LOAD_VERTEX_ORBITS_H
#define NB_LOAD_VERTEX_ORBITS_H

#include "routing/routing.h"
#include "topology/orbits.h"

/*
 * Under the automorphisms that keep bandwidths, terminals and the scheme, a
 * result for one destination holds for its whole orbit ("relative routing"): if
 * g maps r to j,
 *
 *     gamma_c(i, j) = gamma_(g^-1 c)(g^-1 i, r).
 *
 * Owns its parts; zero-initialised is valid and empty.
 * Source: [TowlesDally2002, section 4.2].
 */
struct nb_vertex_orbits {
    struct nb_symmetry symmetry;
    struct nb_orbits routers;
    uint32_t *map; /* [router * router_count + r] image of r under an
                    * automorphism that maps the first of its orbit to router;
                    * NULL: all orbits are single routers */
};

NB_INTERNAL_BEGIN

/* Its size in bytes, for nb_memory_require. */
double nb_vertex_orbits_bytes(const struct nb_topology *topology);

/* Under the automorphisms of the requested classes. Errors: NB_NO_MEMORY. */
enum nb_status nb_vertex_orbits_find(const struct nb_routing *routing,
                                     unsigned classes,
                                     struct nb_vertex_orbits *out,
                                     struct nb_error *err);
void nb_vertex_orbits_release(struct nb_vertex_orbits *orbits);

NB_INTERNAL_END

#endif
