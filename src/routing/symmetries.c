#include "routing/symmetries.h"

#include "core/memory.h"

#include <string.h>

/* The first of a router's channels that leads to a target or, where they come
 * by target, beyond; out_start[router + 1] if there is none. */
static uint32_t symmetries_find_target(const struct nb_topology *topology,
                                       uint32_t router, uint32_t target)
{
    uint32_t low = topology->out_start[router];
    uint32_t end = topology->out_start[router + 1];
    while (topology->targets_ascend && low < end) {
        const uint32_t middle = low + (end - low) / 2;
        if (topology->channels[middle].target < target)
            low = middle + 1;
        else
            end = middle;
    }
    while (low < end && topology->channels[low].target != target)
        low++;
    return low;
}

uint32_t nb_channel_image(const struct nb_topology *topology,
                          const uint32_t *map, uint32_t channel)
{
    const struct nb_channel *from = &topology->channels[channel];
    const uint32_t source = map[from->source], target = map[from->target];
    uint32_t rank = 0;
    for (uint32_t c =
             symmetries_find_target(topology, from->source, from->target);
         c < channel; c++)
        rank += topology->channels[c].target == from->target;
    for (uint32_t c = symmetries_find_target(topology, source, target);
         c < topology->out_start[source + 1]; c++) {
        const struct nb_channel *to = &topology->channels[c];
        if (to->target != target || rank-- > 0)
            continue;
        const bool is_alike =
            nb_ratio_compare(to->bandwidth, from->bandwidth) == 0;
        return is_alike ? c : NB_NONE;
    }
    return NB_NONE;
}

static bool symmetries_keep(const struct nb_topology *topology,
                            const uint32_t *map)
{
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] != topology->terminals[map[r]])
            return false;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (nb_channel_image(topology, map, c) == NB_NONE)
            return false;
    return true;
}

enum nb_status nb_symmetries_find(const struct nb_routing *routing,
                                  unsigned classes, uint32_t **maps,
                                  size_t *count, struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    uint32_t *map = NULL;
    unsigned class;
    enum nb_status status = NB_OK;
    *maps = NULL;
    *count = 0;
    if (topology->kind->symmetry == NULL)
        return NB_OK;
    NB_TRY(nb_new(&map, n, sizeof *map, "symmetry", err));
    for (size_t i = 0;
         (class = topology->kind->symmetry(topology, i, map)) != 0; i++) {
        if ((class & classes & routing->symmetries) == 0 ||
            !symmetries_keep(topology, map))
            continue;
        NB_TRY(nb_grow(maps, (*count + 1) * n, sizeof **maps, "symmetry", err));
        memcpy(*maps + *count * n, map, n * sizeof *map);
        ++*count;
    }
done:
    nb_delete(map);
    if (status != NB_OK) {
        nb_delete(*maps);
        *maps = NULL;
    }
    return status;
}
