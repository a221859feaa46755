#include "routing/channel_ways.h"

#include "routing/quadrant.h"

void nb_channel_ways(const struct nb_topology *topology, uint8_t *way)
{
    const struct nb_grid *grid = nb_coordinates(topology);
    for (size_t c = 0; c < topology->channel_count; c++) {
        uint32_t from[NB_MAX_GRID], to[NB_MAX_GRID];
        size_t d = 0;
        nb_grid_split(grid, topology->channels[c].source, from);
        nb_grid_split(grid, topology->channels[c].target, to);
        while (from[d] == to[d])
            d++;
        const bool is_wrap = nb_grid_turns(grid, d) && from[d] + 1 != to[d] &&
                             to[d] + 1 != from[d];
        const bool is_plus = is_wrap ? to[d] < from[d] : to[d] > from[d];
        way[c] = (uint8_t)(d + 1 + (is_plus ? NB_WAY_PLUS : 0) +
                           (is_wrap ? NB_WAY_WRAP : 0));
    }
}

unsigned nb_ring_classes(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    for (size_t d = 0; d < grid->dimensions; d++)
        if (nb_grid_turns(grid, d))
            return 2;
    return 1;
}
