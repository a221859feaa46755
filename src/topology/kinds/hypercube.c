/* Hypercube: 2^n routers, channels both ways where numbers differ in one
 * bit. As a grid: a mesh with every radix 2, whose closed forms it shares. */
#include "topology/fit.h"
#include "topology/grid_forms.h"

#include <inttypes.h>
#include <stdio.h>

static enum nb_status
hypercube_build(const struct nb_specification *specification,
                struct nb_topology *out, struct nb_error *err)
{
    const size_t dimension =
        (size_t)nb_specification_whole(specification, "dimension");
    uint32_t radix[NB_MAX_GRID];
    for (size_t d = 0; d < dimension; d++)
        radix[d] = 2;
    return nb_grid_build(dimension, radix, false, out, err);
}

enum { HYPERCUBE_MOST = 20 }; /* dimensions */

/* Every dimension with the fewest terminals per router; one family. */
static enum nb_status hypercube_search(struct nb_fit_search *search,
                                       struct nb_error *err)
{
    (void)err;
    for (uint32_t n = 1; n <= HYPERCUBE_MOST; n++) {
        const uint64_t routers = UINT64_C(1) << n;
        const uint64_t p = (search->demand.terminals - 1) / routers + 1;
        struct nb_fit fit = {
            .terminals = routers * p,
            .routers = routers,
            .switches = routers,
            .local_links = routers / 2 * n,
            .radix = (uint32_t)(p + n),
            .diameter = n,
        };
        snprintf(fit.specification, NB_FIT_TEXT,
                 p > 1 ? "hypercube:%" PRIu32 ",terminals=%" PRIu64
                       : "hypercube:%" PRIu32,
                 n, p);
        nb_fit_set_rate(&fit, nb_ratio_make(2, (nb_int128)p));
        if (p <= search->radix)
            nb_fit_offer(search, 0, &fit);
    }
    return NB_OK;
}

static const struct nb_parameter hypercube_parameters[] = {
    NB_PARAMETER("dimension", WHOLE, NULL, "n: there are 2^n routers",
                 .is_leading = true, .least = 1, .most = HYPERCUBE_MOST),
    { 0 },
};

const struct nb_topology_kind nb_topology_hypercube = {
    .kind = { .name = "hypercube",
              .summary =
                  "2^n routers, joined if their numbers differ in one bit",
              .family = NB_FAMILY_GRIDS,
              .parameters = hypercube_parameters },
    .examples =
        "hypercube:6 hypercube:1 hypercube:3 "
        "hypercube:4,terminals=2,bandwidth=7 hypercube:3,bandwidth=1+1+2",
    .build = hypercube_build,
    .diameter = nb_grid_diameter,
    .mean_distance = nb_grid_mean_distance,
    .bisection = nb_grid_bisection,
    .capacity = nb_grid_capacity,
    .search = hypercube_search,
    .symmetry = nb_grid_symmetry,
};
