#include "topology/grid_forms.h"

#include <string.h>

struct nb_closed_form nb_grid_diameter(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    int64_t hops = 0;
    for (size_t d = 0; d < grid->dimensions; d++)
        hops += grid->wraps ? grid->radix[d] / 2 : grid->radix[d] - 1;
    return (struct nb_closed_form){ { hops, 1 }, "counting" };
}

struct nb_closed_form nb_grid_mean_distance(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    struct nb_ratio mean = nb_ratio_zero;
    for (size_t d = 0; d < grid->dimensions; d++) {
        const nb_int128 k = grid->radix[d];
        struct nb_ratio along;
        if (!grid->wraps)
            along = nb_ratio_make(k * k - 1, 3 * k);
        else if (k % 2 == 0)
            along = nb_ratio_make(k, 4);
        else
            along = nb_ratio_make(k * k - 1, 4 * k);
        mean = nb_ratio_add(mean, along);
    }
    return (struct nb_closed_form){ mean, "DallyTowles2004" };
}

struct nb_ratio nb_grid_capacity_along(bool wraps, uint32_t radix)
{
    const nb_int128 k = radix;
    if (wraps && k == 2)
        return nb_ratio_make(2, 1);
    const nb_int128 ways = wraps ? 8 : 4;
    if (k % 2 == 0)
        return nb_ratio_make(ways, k);
    return nb_ratio_make(ways * k, k * k - 1);
}

static struct nb_ratio forms_capacity_along(const struct nb_grid *grid,
                                            size_t dimension)
{
    return nb_grid_capacity_along(grid->wraps, grid->radix[dimension]);
}

/* The dimension with the least capacity; an even one if tied. */
static size_t forms_narrowest(const struct nb_grid *grid)
{
    size_t narrowest = 0;
    for (size_t d = 1; d < grid->dimensions; d++) {
        const int order =
            nb_ratio_compare(forms_capacity_along(grid, d),
                             forms_capacity_along(grid, narrowest));
        if (order < 0 || (order == 0 && grid->radix[d] % 2 == 0))
            narrowest = d;
    }
    return narrowest;
}

struct nb_closed_form nb_grid_capacity(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    return (struct nb_closed_form){
        forms_capacity_along(grid, forms_narrowest(grid)),
        "DallyTowles2004",
    };
}

static void forms_sort_descending(uint32_t *radix, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint32_t moved = radix[i];
        size_t place = i;
        for (; place > 0 && radix[place - 1] < moved; place--)
            radix[place] = radix[place - 1];
        radix[place] = moved;
    }
}

/* C_1 + ... + C_e. */
static int64_t forms_array_cut(const struct nb_grid *grid, size_t router_count)
{
    uint32_t radix[NB_MAX_GRID];
    int64_t rest = (int64_t)router_count;
    int64_t cut = 0;
    memcpy(radix, grid->radix, sizeof radix);
    forms_sort_descending(radix, grid->dimensions);
    for (size_t i = 0; i < grid->dimensions; i++) {
        rest /= radix[i];
        cut += rest;
        if (radix[i] % 2 == 0)
            break;
    }
    return cut;
}

static bool forms_has_pairs(const struct nb_grid *grid)
{
    for (size_t d = 0; d < grid->dimensions; d++)
        if (grid->radix[d] == 2)
            return true;
    return false;
}

struct nb_closed_form nb_grid_bisection(const struct nb_topology *topology)
{
    const struct nb_grid *grid = &topology->grid;
    const int64_t routers = (int64_t)topology->router_count;
    const int64_t cut = forms_array_cut(grid, topology->router_count);
    if (!grid->wraps)
        return (struct nb_closed_form){ nb_ratio_make(2 * (nb_int128)cut, 1),
                                        "Azizoglu2004" };
    if (!forms_has_pairs(grid))
        return (struct nb_closed_form){
            nb_ratio_make(4 * (nb_int128)cut, 1),
            "ArjonaAroca2014",
        };
    const size_t narrowest = forms_narrowest(grid);
    if (grid->radix[narrowest] % 2 != 0)
        return (struct nb_closed_form){ { 0, 0 }, NULL };
    return (struct nb_closed_form){
        nb_ratio_multiply(nb_ratio_make(routers, 2),
                          forms_capacity_along(grid, narrowest)),
        "middle cut attained by dimension-order routing",
    };
}

enum nb_status nb_grid_read(const struct nb_specification *specification,
                            bool wraps, struct nb_topology *out,
                            struct nb_error *err)
{
    uint32_t radix[NB_MAX_DIMENSIONS];
    size_t dimensions = 0;
    const enum nb_status status = nb_whole_list_read(
        nb_specification_text(specification, "radices"), "radices", 'x', 2,
        (int64_t)1e9, NB_MAX_DIMENSIONS, radix, &dimensions, err);
    if (status != NB_OK)
        return status;
    return nb_grid_build(dimensions, radix, wraps, out, err);
}
