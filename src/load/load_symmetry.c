#include "load/load_symmetry.h"

#include "core/memory.h"
#include "core/sets.h"
#include "load/focus.h"

#include <string.h>

static bool symmetry_keeps_traffic(const struct nb_traffic *traffic,
                                   const uint32_t *map)
{
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        if (nb_traffic_demand(traffic, map[demand->source],
                              map[demand->target]) != demand->weight)
            return false;
    }
    return true;
}

/* Every router and channel at its own; then joined with their images. */
static void symmetry_spread(const struct nb_topology *topology,
                            const uint32_t *maps, size_t count,
                            uint32_t *router, uint32_t *channel)
{
    nb_sets_init(router, topology->router_count);
    nb_sets_init(channel, topology->channel_count);
    for (size_t g = 0; g < count; g++) {
        const uint32_t *map = maps + g * topology->router_count;
        for (uint32_t r = 0; r < topology->router_count; r++)
            nb_sets_join(router, r, map[r]);
        for (uint32_t c = 0; c < topology->channel_count; c++)
            nb_sets_join(channel, c, nb_channel_image(topology, map, c));
    }
}

enum nb_status nb_traffic_symmetries_find(const struct nb_routing *routing,
                                          const struct nb_traffic *traffic,
                                          uint32_t **maps, size_t *count,
                                          struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    size_t found;
    const enum nb_status status =
        nb_symmetries_find(routing, NB_ANY_SYMMETRY, maps, &found, err);
    *count = 0;
    for (size_t g = 0; status == NB_OK && g < found; g++) {
        if (!symmetry_keeps_traffic(traffic, *maps + g * n))
            continue;
        memmove(*maps + *count * n, *maps + g * n, n * sizeof **maps);
        ++*count;
    }
    return status;
}

static void symmetry_conclude(const struct nb_topology *topology,
                              uint32_t *router, uint32_t *size,
                              struct nb_load_symmetry *out)
{
    for (uint32_t r = 0; r < topology->router_count; r++)
        size[nb_sets_find(router, r)]++;
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0 && router[r] == r) {
            out->destination[out->destination_count] = r;
            out->alike[out->destination_count++] = size[r];
        }
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        out->orbit[c] = nb_sets_find(out->orbit, c);
        out->orbit_size[out->orbit[c]]++;
    }
    for (uint32_t c = 0; c < topology->channel_count; c++)
        out->orbit_size[c] = out->orbit_size[out->orbit[c]];
}

enum nb_status nb_load_symmetry_find(const struct nb_routing *routing,
                                     const struct nb_traffic *traffic,
                                     struct nb_load_symmetry *out,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    const char *what = "symmetry of loads";
    uint32_t *maps = NULL, *router = NULL, *size = NULL;
    size_t count = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_load_symmetry){ 0 };
    NB_TRY(nb_new(&out->destination, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->alike, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->orbit, m, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->orbit_size, m, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&router, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&size, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_traffic_symmetries_find(routing, traffic, &maps, &count, err));
    symmetry_spread(topology, maps, count, router, out->orbit);
    symmetry_conclude(topology, router, size, out);
done:
    nb_delete(maps);
    nb_delete(router);
    nb_delete(size);
    if (status != NB_OK)
        nb_load_symmetry_release(out);
    return status;
}

void nb_load_symmetry_release(struct nb_load_symmetry *symmetry)
{
    nb_delete(symmetry->destination);
    nb_delete(symmetry->alike);
    nb_delete(symmetry->orbit);
    nb_delete(symmetry->orbit_size);
    *symmetry = (struct nb_load_symmetry){ 0 };
}
