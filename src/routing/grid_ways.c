#include "routing/grid_ways.h"

uint32_t nb_grid_way(const struct nb_grid *grid, uint32_t router,
                     size_t dimension, bool is_plus)
{
    return grid->channel[(router * grid->dimensions + dimension) * 2 + is_plus];
}

uint32_t nb_grid_ahead(const struct nb_grid *grid, size_t dimension,
                       uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + (grid->radix[dimension] - from);
}

size_t nb_grid_ways(const struct nb_grid *grid, uint32_t router,
                    size_t dimension, uint32_t coordinate, uint32_t *channel)
{
    const uint32_t from = nb_grid_coordinate(grid, router, dimension);
    const uint32_t k = grid->radix[dimension];
    const uint32_t ahead = nb_grid_ahead(grid, dimension, from, coordinate);
    if (ahead == 0)
        return 0;
    const bool is_plus = grid->wraps ? ahead <= k - ahead : coordinate > from;
    channel[0] = nb_grid_way(grid, router, dimension, is_plus);
    if (!grid->wraps || k == 2 || ahead != k - ahead)
        return 1;
    channel[1] = nb_grid_way(grid, router, dimension, false);
    return 2;
}
