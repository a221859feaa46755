#include "load/load_symmetry.h"

#include "core/memory.h"
#include "topology/orbits.h"
#include "traffic/traffic_symmetry.h"

static void symmetry_conclude(const struct nb_topology *topology,
                              const struct nb_orbits *routers,
                              const struct nb_orbits *channels,
                              struct nb_load_symmetry *out)
{
    for (size_t k = 0; k < routers->count; k++) {
        const uint32_t first = routers->first[k];
        if (topology->terminals[first] == 0)
            continue;
        out->destination[out->destination_count] = first;
        out->alike[out->destination_count++] = routers->length[k];
    }
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        out->orbit[c] = nb_orbits_least(channels, c);
        out->orbit_size[c] = channels->length[channels->of[c]];
    }
}

enum nb_status nb_load_symmetry_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     struct nb_load_symmetry *out,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_pool *pool = &out->pool;
    struct nb_symmetry symmetry = { 0 };
    struct nb_orbits routers = { 0 }, channels = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_load_symmetry){ 0 };
    out->destination = nb_pool_array(pool, n, sizeof(uint32_t));
    out->alike = nb_pool_array(pool, n, sizeof(uint32_t));
    out->orbit = nb_pool_array(pool, m, sizeof(uint32_t));
    out->orbit_size = nb_pool_array(pool, m, sizeof(uint32_t));
    NB_TRY(nb_pool_check(pool, "symmetry of loads", err));
    NB_TRY(nb_symmetry_keeping(topology, routing->symmetries, traffic,
                               &symmetry, err));
    NB_TRY(nb_orbits_of_routers(&symmetry, &routers, err));
    NB_TRY(nb_orbits_of_channels(&symmetry, &channels, err));
    symmetry_conclude(topology, &routers, &channels, out);
done:
    nb_symmetry_release(&symmetry);
    nb_orbits_release(&routers);
    nb_orbits_release(&channels);
    if (status != NB_OK)
        nb_load_symmetry_release(out);
    return status;
}

void nb_load_symmetry_release(struct nb_load_symmetry *symmetry)
{
    nb_pool_release(&symmetry->pool);
    *symmetry = (struct nb_load_symmetry){ 0 };
}
