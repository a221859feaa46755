#include "routing/parts.h"

bool nb_has_parts(const struct nb_topology *topology)
{
    return topology->nest.levels > 0 || topology->hyperx.dimensions > 1;
}

static bool part_find_box(const struct nb_grid *hyperx, uint32_t one,
                          uint32_t other, struct nb_part *out)
{
    bool is_whole = true;
    *out = (struct nb_part){ .hyperx = hyperx, .first = one, .size = 1 };
    for (size_t d = 0; d < hyperx->dimensions; d++) {
        out->is_free[d] = nb_grid_coordinate(hyperx, one, d) !=
                          nb_grid_coordinate(hyperx, other, d);
        out->size *= out->is_free[d] ? hyperx->radix[d] : 1;
        is_whole = is_whole && out->is_free[d];
    }
    return !is_whole;
}

bool nb_part_find(const struct nb_topology *topology, uint32_t one,
                  uint32_t other, struct nb_part *out)
{
    const struct nb_nest *nest = &topology->nest;
    if (topology->hyperx.dimensions > 0)
        return part_find_box(&topology->hyperx, one, other, out);
    for (size_t level = 0; level < nest->levels; level++) {
        const uint32_t size = nest->size[level];
        if (one / size != other / size)
            continue;
        *out = (struct nb_part){ .first = one / size * size, .size = size };
        return true;
    }
    return false;
}

uint32_t nb_part_router(const struct nb_part *part, uint32_t index)
{
    uint32_t coordinate[NB_MAX_GRID];
    if (part->hyperx == NULL)
        return part->first + index;
    nb_grid_split(part->hyperx, part->first, coordinate);
    for (size_t d = 0; d < part->hyperx->dimensions; d++) {
        if (!part->is_free[d])
            continue;
        coordinate[d] = index % part->hyperx->radix[d];
        index /= part->hyperx->radix[d];
    }
    return nb_grid_join(part->hyperx, coordinate);
}

bool nb_part_has(const struct nb_part *part, uint32_t router)
{
    if (part->hyperx == NULL)
        return router >= part->first && router - part->first < part->size;
    for (size_t d = 0; d < part->hyperx->dimensions; d++)
        if (!part->is_free[d] &&
            nb_grid_coordinate(part->hyperx, router, d) !=
                nb_grid_coordinate(part->hyperx, part->first, d))
            return false;
    return true;
}
