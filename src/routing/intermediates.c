#include "routing/intermediates.h"

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

/* Its index-th router. */
static uint32_t part_router(const struct nb_part *part, uint32_t index)
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

/* Whether a router with terminals is in the part. */
static bool part_has(const struct nb_part *part, uint32_t router)
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

uint32_t nb_intermediates_router(const struct nb_intermediates *set,
                                 uint64_t index)
{
    const struct nb_intermediate_piece *piece = set->piece;
    if (set->is_part)
        return part_router(&set->part, (uint32_t)index);
    for (; index >= piece->count; piece++)
        index -= piece->count;
    return piece->router[index];
}

/* Finds the index at which a piece has a router, or would have it. */
static size_t intermediates_place(const struct nb_intermediates *set,
                                  const struct nb_intermediate_piece *piece,
                                  uint32_t router)
{
    const uint32_t *group = set->group;
    const uint32_t of = group != NULL ? group[router] : 0;
    size_t first = 0, end = piece->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const uint32_t at = piece->router[middle];
        const uint32_t its = group != NULL ? group[at] : 0;
        if (its < of || (its == of && at < router))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

uint64_t nb_intermediates_times(const struct nb_intermediates *set,
                                uint32_t router)
{
    uint64_t times = 0;
    if (set->is_part)
        return part_has(&set->part, router);
    for (size_t i = 0; i < NB_INTERMEDIATE_PIECES; i++) {
        const struct nb_intermediate_piece *piece = &set->piece[i];
        size_t at = intermediates_place(set, piece, router);
        for (; at < piece->count && piece->router[at] == router; at++)
            times++;
    }
    return times;
}

bool nb_intermediates_same(const struct nb_intermediates *one,
                           const struct nb_intermediates *other)
{
    if (one->is_part || other->is_part)
        return false;
    for (size_t i = 0; i < NB_INTERMEDIATE_PIECES; i++)
        if (one->piece[i].router != other->piece[i].router ||
            one->piece[i].count != other->piece[i].count)
            return false;
    return true;
}

bool nb_intermediates_have(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, uint32_t router)
{
    struct nb_intermediates set;
    nb_intermediates_find(routing, source, destination, &set);
    return nb_intermediates_times(&set, router) > 0;
}
