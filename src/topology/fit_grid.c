/* Sizing of meshes and tori. */
#include "topology/fit.h"
#include "topology/grid_forms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { FIT_GRID_DIMENSIONS = 6 };

/* A choice of radices, descending. */
struct fit_grid {
    struct nb_fit_search *search;
    bool wraps;
    uint32_t dimensions;
    uint64_t terminals; /* per router */
    uint64_t least;     /* routers that hold the terminals required */
    uint32_t radix[FIT_GRID_DIMENSIONS];
};

/* The least k with k^exponent >= count. */
static uint64_t fit_grid_root(uint64_t count, uint32_t exponent)
{
    uint64_t k =
        (uint64_t)floor(pow((double)count, 1.0 / (double)exponent) - 1e-6);
    k = k < 1 ? 1 : k;
    while (pow((double)k, (double)exponent) < (double)count)
        k++;
    return k;
}

/* The largest number of ports towards other routers. */
static uint32_t fit_grid_ports(const struct fit_grid *grid)
{
    uint32_t ports = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        ports += grid->radix[d] > 2 ? 2 : 1;
    return ports;
}

static void fit_grid_offer(const struct fit_grid *grid, uint64_t routers)
{
    struct nb_fit out = {
        .terminals = routers * grid->terminals,
        .routers = routers,
        .switches = routers,
        .radix = (uint32_t)grid->terminals + fit_grid_ports(grid),
    };
    size_t used = (size_t)snprintf(out.specification, NB_FIT_TEXT,
                                   grid->wraps ? "torus:" : "mesh:");
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const uint32_t k = grid->radix[d];
        out.local_links += grid->wraps ? routers : routers / k * (k - 1);
        out.diameter += grid->wraps ? k / 2 : k - 1;
        used += (size_t)snprintf(out.specification + used, NB_FIT_TEXT - used,
                                 "%s%" PRIu32, d > 0 ? "x" : "", k);
    }
    if (grid->terminals > 1)
        snprintf(out.specification + used, NB_FIT_TEXT - used,
                 ",terminals=%" PRIu64, grid->terminals);
    nb_fit_set_rate(
        &out,
        nb_ratio_divide(nb_grid_capacity_along(grid->wraps, grid->radix[0]),
                        nb_ratio_make((nb_int128)grid->terminals, 1)));
    if (2 * out.local_links < NB_NONE)
        nb_fit_offer(grid->search, grid->dimensions, &out);
}

/* Whether any grid with these first radices might be wanted; a mesh has at
 * least half the links of a torus. */
static bool fit_grid_is_wanted(const struct fit_grid *grid)
{
    struct nb_fit bound = {
        .terminals = grid->search->demand.terminals,
        .routers = grid->least,
        .local_links = grid->wraps ? grid->dimensions * grid->least
                                   : grid->dimensions * grid->least / 2,
    };
    nb_fit_set_rate(
        &bound,
        nb_ratio_divide(nb_grid_capacity_along(grid->wraps, grid->radix[0]),
                        nb_ratio_make((nb_int128)grid->terminals, 1)));
    return nb_fit_is_wanted(grid->search, grid->dimensions, &bound);
}

/* Chooses radix d and those after it, none above the one before it. */
static void fit_grid_choose(struct fit_grid *grid, uint32_t d, uint64_t product)
{
    const uint32_t left = grid->dimensions - d;
    const uint64_t needed = (grid->least - 1) / product + 1;
    const uint64_t shortest = grid->wraps ? 3 : 2;
    const uint64_t half = d > 0 ? (grid->radix[0] + 1) / 2 : 0;
    uint64_t k = fit_grid_root(needed, left);
    k = k < shortest ? shortest : k;
    k = k < half ? half : k;
    const uint64_t before = d > 0 ? grid->radix[d - 1] : 2 * k;
    const uint64_t most = left == 1 && k < before ? k : before;
    for (; k <= most; k++) {
        grid->radix[d] = (uint32_t)k;
        if (d == 0 && !fit_grid_is_wanted(grid))
            return; /* longer ones carry less */
        if (d + 1 >= grid->dimensions || d + 1 >= FIT_GRID_DIMENSIONS)
            fit_grid_offer(grid, product * k);
        else
            fit_grid_choose(grid, d + 1, product * k);
    }
}

static enum nb_status fit_grid_search(struct nb_fit_search *search, bool wraps)
{
    const uint64_t terminals = search->demand.terminals;
    for (uint32_t n = 1; n <= FIT_GRID_DIMENSIONS; n++)
        for (uint64_t p = search->radix; p > 0; p--) {
            struct fit_grid grid = {
                .search = search,
                .wraps = wraps,
                .dimensions = n,
                .terminals = p,
                .least = (terminals - 1) / p + 1,
            };
            if (p + n > search->radix || grid.least >= NB_NONE / 2 / n)
                continue;
            fit_grid_choose(&grid, 0, 1);
        }
    return NB_OK;
}

enum nb_status nb_mesh_search(struct nb_fit_search *search,
                              struct nb_error *err)
{
    (void)err;
    return fit_grid_search(search, false);
}

enum nb_status nb_torus_search(struct nb_fit_search *search,
                               struct nb_error *err)
{
    (void)err;
    return fit_grid_search(search, true);
}
