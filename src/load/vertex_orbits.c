#include "load/vertex_orbits.h"

#include "core/memory.h"

double nb_vertex_orbits_bytes(const struct nb_topology *topology)
{
    const double n = (double)topology->router_count;
    return topology->kind->symmetry != NULL ? 4 * n * n : 0;
}

/* Images of all routers under the automorphisms that map the first router of an
 * orbit to each member. */
static void orbits_map(struct nb_vertex_orbits *orbits)
{
    const struct nb_orbits *routers = &orbits->routers;
    const size_t n = routers->size;
    for (size_t i = 0; i < n; i++) {
        const uint32_t to = routers->order[i], from = routers->parent[to];
        const uint32_t *generator =
            orbits->symmetry.router + routers->generator[to] * n;
        for (uint32_t r = 0; r < n; r++)
            orbits->map[to * n + r] =
                from == NB_NONE ? r : generator[orbits->map[from * n + r]];
    }
}

enum nb_status nb_vertex_orbits_find(const struct nb_routing *routing,
                                     unsigned classes,
                                     struct nb_vertex_orbits *out,
                                     struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    enum nb_status status = NB_OK;
    *out = (struct nb_vertex_orbits){ 0 };
    NB_TRY(nb_symmetry_offered(routing->topology, classes & routing->symmetries,
                               &out->symmetry, err));
    NB_TRY(nb_orbits_of_routers(&out->symmetry, &out->routers, err));
    if (out->symmetry.generator_count > 0) {
        NB_TRY(
            nb_new(&out->map, n * n, sizeof(uint32_t), "vertex orbits", err));
        orbits_map(out);
    }
done:
    if (status != NB_OK)
        nb_vertex_orbits_release(out);
    return status;
}

void nb_vertex_orbits_release(struct nb_vertex_orbits *orbits)
{
    nb_symmetry_release(&orbits->symmetry);
    nb_orbits_release(&orbits->routers);
    nb_delete(orbits->map);
    *orbits = (struct nb_vertex_orbits){ 0 };
}
