#include "routing/intermediates.h"

uint32_t nb_intermediates_router(const struct nb_intermediates *set,
                                 uint64_t index)
{
    const struct nb_intermediate_piece *piece = set->piece;
    if (set->is_part)
        return nb_part_router(&set->part, (uint32_t)index);
    for (; index >= piece->count; piece++)
        index -= piece->count;
    return piece->router[index];
}

/* Where a piece has a router, or would have it. */
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
        return nb_part_has(&set->part, router);
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
    routing->find_intermediates(routing, source, destination, &set);
    return nb_intermediates_times(&set, router) > 0;
}
