#include "load/load_symmetry.h"

#include "core/memory.h"
#include "core/sets.h"
#include "load/focus.h"

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

/* The generators that keep the traffic as well, moved to the front. */
static size_t symmetry_keep(const struct nb_traffic *traffic, size_t n,
                            uint32_t *maps, size_t count)
{
    size_t kept = 0;
    for (size_t g = 0; g < count; g++) {
        if (!symmetry_keeps_traffic(traffic, maps + g * n))
            continue;
        for (size_t r = 0; r < n; r++)
            maps[kept * n + r] = maps[g * n + r];
        kept++;
    }
    return kept;
}

static void symmetry_conclude(const struct nb_topology *topology,
                              uint32_t *size, struct nb_load_symmetry *out)
{
    for (uint32_t r = 0; r < topology->router_count; r++) {
        out->router[r] = nb_sets_find(out->router, r);
        size[out->router[r]]++;
    }
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0 && out->router[r] == r) {
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
    uint32_t *maps = NULL, *size = NULL;
    size_t count = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_load_symmetry){ 0 };
    NB_TRY(nb_new(&out->destination, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->alike, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->orbit, m, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->orbit_size, m, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&out->router, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&size, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_symmetries_find(routing, NB_ANY_SYMMETRY, &maps, &count, err));
    count = symmetry_keep(traffic, n, maps, count);
    symmetry_spread(topology, maps, count, out->router, out->orbit);
    symmetry_conclude(topology, size, out);
done:
    nb_delete(maps);
    nb_delete(size);
    if (status != NB_OK)
        nb_load_symmetry_release(out);
    return status;
}

void nb_load_symmetry_release(struct nb_load_symmetry *symmetry)
{
    nb_delete(symmetry->destination);
    nb_delete(symmetry->alike);
    nb_delete(symmetry->router);
    nb_delete(symmetry->orbit);
    nb_delete(symmetry->orbit_size);
    *symmetry = (struct nb_load_symmetry){ 0 };
}
