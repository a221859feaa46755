/* Hypercube: 2^n routers, channels both ways where numbers differ in one
 * bit. As a grid: a mesh with every radix 2, whose closed forms it shares. */
#include "topology/grid_forms.h"

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

static const struct nb_parameter hypercube_parameters[] = {
    { .name = "dimension",
      .help = "n: there are 2^n routers",
      .type = NB_WHOLE,
      .is_leading = true,
      .least = 1,
      .most = 20 },
    { 0 },
};

const struct nb_topology_kind nb_topology_hypercube = {
    .kind = { .name = "hypercube",
              .summary = "2^n routers joined where numbers differ in one bit",
              .parameters = hypercube_parameters },
    .examples =
        "hypercube:6 hypercube:1 hypercube:3 "
        "hypercube:4,terminals=2,bandwidth=7 hypercube:3,bandwidth=1+1+2",
    .build = hypercube_build,
    .diameter = nb_grid_diameter,
    .mean_distance = nb_grid_mean_distance,
    .bisection = nb_grid_bisection,
    .capacity = nb_grid_capacity,
    .symmetry = nb_grid_symmetry,
};
