#include "routing/quadrant.h"

bool nb_grid_turns(const struct nb_grid *grid, size_t dimension)
{
    return grid->wraps && grid->radix[dimension] > 2;
}

bool nb_grid_ends(const struct nb_grid *grid, size_t dimension)
{
    return !grid->wraps && grid->radix[dimension] > 2;
}

size_t nb_grid_class_count(const struct nb_grid *grid)
{
    size_t count = 1;
    for (size_t d = 0; d < grid->dimensions; d++)
        count <<= nb_grid_turns(grid, d);
    return count;
}

void nb_quadrant_find(const struct nb_grid *grid, nb_route_state class,
                      uint32_t source, uint32_t destination,
                      struct nb_quadrant *out)
{
    out->grid = grid;
    out->size = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d];
        const uint32_t from = source % k, to = destination % k;
        source /= k;
        destination /= k;
        out->source[d] = from;
        out->is_plus[d] = to > from;
        if (nb_grid_turns(grid, d)) {
            out->is_plus[d] = class % 2;
            class /= 2;
        }
        if (to == from)
            out->hops[d] = 0;
        else if (out->is_plus[d])
            out->hops[d] = to > from ? to - from : to + k - from;
        else
            out->hops[d] = from > to ? from - to : from + k - to;
        out->size *= out->hops[d] + 1;
    }
}

uint32_t nb_quadrant_router(const struct nb_quadrant *quadrant, uint64_t index)
{
    const struct nb_grid *grid = quadrant->grid;
    uint32_t router = 0, stride = 1;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d], side = quadrant->hops[d] + 1;
        const uint32_t hops = (uint32_t)(index % side);
        index /= side;
        const uint32_t at = quadrant->is_plus[d]
                                ? quadrant->source[d] + hops
                                : quadrant->source[d] + k - hops;
        router += at % k * stride;
        stride *= k;
    }
    return router;
}

size_t nb_quadrant_mesh_count(const struct nb_grid *grid)
{
    size_t count = 1;
    for (size_t d = 0; d < grid->dimensions; d++)
        count <<= nb_grid_ends(grid, d);
    return count;
}

void nb_quadrant_places(const struct nb_grid *grid, nb_route_state class,
                        size_t mesh, uint32_t router, bool is_backward,
                        uint32_t *places)
{
    size_t count = 1;
    places[0] = 0;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d];
        const bool ends = nb_grid_ends(grid, d);
        bool is_plus = true;
        if (nb_grid_turns(grid, d)) {
            is_plus = class % 2 != is_backward;
            class /= 2;
        } else if (ends) {
            is_plus = mesh % 2;
            mesh /= 2;
        }
        /* From the last block to the first, since all of them read the
         * first. */
        for (uint32_t hops = k; hops-- > 0;) {
            const uint32_t from = router % k;
            const uint32_t at =
                is_plus ? (from + hops) % k : (from + k - hops) % k;
            const bool is_beyond =
                ends && hops > (is_plus ? k - 1 - from : from);
            for (size_t p = 0; p < count; p++)
                places[hops * count + p] =
                    is_beyond || places[p] == NB_NONE
                        ? NB_NONE
                        : places[p] + at * (uint32_t)count;
        }
        router /= k;
        count *= k;
    }
}

size_t nb_quadrant_place(const struct nb_quadrant *quadrant, bool is_backward,
                         size_t *mesh)
{
    const struct nb_grid *grid = quadrant->grid;
    size_t place = 0, stride = 1, bit = 1;
    *mesh = 0;
    for (size_t d = 0; d < grid->dimensions; d++) {
        place += quadrant->hops[d] * stride;
        stride *= grid->radix[d];
        if (!nb_grid_ends(grid, d))
            continue;
        *mesh += quadrant->is_plus[d] != is_backward ? bit : 0;
        bit *= 2;
    }
    return place;
}

int64_t nb_quadrant_sides(const struct nb_routing *routing, size_t dimension,
                          int64_t limit)
{
    const struct nb_grid *grid = &routing->topology->grid;
    const uint32_t k = grid->radix[dimension];
    const bool is_short =
        nb_grid_turns(grid, dimension) && routing->directions->is_minimal;
    const uint32_t longest = is_short ? k / 2 + 1 : k;
    int64_t sides = 1;
    for (uint32_t side = 2; side <= longest; side++)
        sides = nb_unite(sides, side, limit);
    return sides;
}
