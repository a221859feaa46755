/* Places on grids and around circles of groups (placing_forms.h). */
#include "export/charts/placing_forms.h"

#include <math.h>

/* From a router to the next in the dimension. */
static void grid_vectors(const struct nb_grid *grid,
                         struct nb_place vector[NB_MAX_GRID])
{
    /* Along the slanted lines, and how far one reaches. */
    const struct nb_place aslant = { 0.8, -0.62 };
    const double depth = grid->dimensions > 2 ? (double)grid->radix[2] - 1 : 0;
    const struct nb_place reach = { depth * aslant.x, -depth * aslant.y };
    const double gap = depth > 0 ? 1.1 : 1;
    const bool is_tall = grid->dimensions == 2 &&
                         (double)grid->radix[1] > 2 * (double)grid->radix[0];
    vector[is_tall ? 1 : 0] = (struct nb_place){ reach.x + gap, 0 };
    if (grid->dimensions > 1)
        vector[is_tall ? 0 : 1] = (struct nb_place){ 0, reach.y + gap };
    if (grid->dimensions > 2)
        vector[2] = aslant;
    /* The extent of a block of the dimensions before. */
    double wide = vector[0].x * (grid->radix[0] - 1.0) + reach.x;
    double high =
        vector[grid->dimensions > 1].y * (grid->radix[1] - 1.0) + reach.y;
    for (size_t d = 3; d < grid->dimensions; d++) {
        const bool is_beside = wide <= 1.4 * high;
        const double space = 1.7;
        vector[d] = is_beside ? (struct nb_place){ wide + space, 0 }
                              : (struct nb_place){ 0, high + space };
        wide += vector[d].x * (grid->radix[d] - 1.0);
        high += vector[d].y * (grid->radix[d] - 1.0);
    }
}

void nb_place_grid(const struct nb_grid *grid, size_t count,
                   struct nb_place *place)
{
    struct nb_place vector[NB_MAX_GRID] = { 0 };
    uint32_t coordinate[NB_MAX_GRID];
    grid_vectors(grid, vector);
    for (uint32_t r = 0; r < count; r++) {
        nb_grid_split(grid, r, coordinate);
        place[r] = (struct nb_place){ 0, 0 };
        for (size_t d = 0; d < grid->dimensions; d++) {
            place[r].x += vector[d].x * coordinate[d];
            place[r].y += vector[d].y * coordinate[d];
        }
    }
}

/* The members of a group with terminals, or without. */
static uint32_t grid_count(const struct nb_topology *topology, uint32_t group,
                           bool has_terminals)
{
    const struct nb_groups *groups = &topology->groups;
    uint32_t count = 0;
    for (uint32_t i = groups->start[group]; i < groups->start[group + 1]; i++)
        count += (topology->terminals[groups->member[i]] > 0) == has_terminals;
    return count;
}

/* Places the members of a group around 0, outward to the right; returns the
 * radius of a circle that holds them. */
static double grid_place_group(const struct nb_topology *topology,
                               uint32_t group, struct nb_place *place)
{
    const struct nb_groups *groups = &topology->groups;
    const uint32_t first = groups->start[group];
    const uint32_t size = groups->start[group + 1] - first;
    const uint32_t outer = grid_count(topology, group, true);
    const uint32_t inner = size - outer;
    const double ring = size > 1 ? 0.5 / sin(M_PI / size) : 0;
    const uint32_t longest = outer > inner ? outer : inner;
    double index[2] = { 0, 0 };
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t router = groups->member[first + i];
        /* The first toward the group before: palmtree joins it with that. */
        const double angle = -2 * M_PI * (i + 0.5) / size;
        place[router].x = ring * cos(angle);
        place[router].y = ring * sin(angle);
        if (outer == 0 || inner == 0)
            continue;
        const bool is_outer = topology->terminals[router] > 0;
        place[router].x = is_outer ? 0.7 : -0.7;
        place[router].y =
            index[is_outer]++ - ((is_outer ? outer : inner) - 1.0) / 2;
    }
    return outer == 0 || inner == 0 ? ring : hypot(0.7, (longest - 1.0) / 2);
}

void nb_place_groups(const struct nb_topology *topology, struct nb_place *place)
{
    const struct nb_groups *groups = &topology->groups;
    double largest = 0;
    for (uint32_t g = 0; g < groups->count; g++)
        largest = fmax(largest, grid_place_group(topology, g, place));
    /* Groups are 1.2 apart, and leave room for the channels between them. */
    const double radius =
        fmax((largest + 0.6) / sin(M_PI / groups->count), 1.5 * largest + 1);
    for (uint32_t g = 0; g < groups->count; g++) {
        const double angle = 2 * M_PI * g / groups->count - M_PI / 2;
        const double x = cos(angle), y = sin(angle);
        for (uint32_t i = groups->start[g]; i < groups->start[g + 1]; i++) {
            struct nb_place *moved = &place[groups->member[i]];
            const struct nb_place own = *moved;
            moved->x = x * (radius + own.x) - y * own.y;
            moved->y = y * (radius + own.x) + x * own.y;
        }
    }
}
