/* Torus: routers on a grid whose lines are closed into cycles. A line of two
 * routers has one channel each way, not two. */
#include "topology/grid_forms.h"

static enum nb_status torus_build(const struct nb_specification *specification,
                                  struct nb_topology *out, struct nb_error *err)
{
    return nb_grid_read(specification, true, out, err);
}

static const struct nb_parameter torus_parameters[] = {
    NB_PARAMETER("radices", RADICES, NULL,
                 "routers along each dimension, such as 8x8; radix 2 has one "
                 "channel each way, not two",
                 .is_leading = true, .least = 2, .most = 1e9),
    { 0 },
};

const struct nb_topology_kind nb_topology_torus = {
    .kind = { .name = "torus",
              .summary = "a grid with wrap-around channels, 1 to 6 dimensions",
              .family = NB_FAMILY_GRIDS,
              .parameters = torus_parameters },
    .examples = "torus:8x8 torus:2 torus:3x3 torus:4x4 torus:5x3 torus:4x5 "
                "torus:3x6 torus:4x2x2 torus:2x3 torus:5x2 torus:2x2x2x2 "
                "torus:3x3x2 torus:4x3x2,terminals=2 torus:9x2,bandwidth=0.5 "
                "torus:4x4,bandwidth=2+1 "
                "torus:2x3x2x3x2x2",
    .build = torus_build,
    .diameter = nb_grid_diameter,
    .mean_distance = nb_grid_mean_distance,
    .bisection = nb_grid_bisection,
    .capacity = nb_grid_capacity,
    .search = nb_torus_search,
    .symmetry = nb_grid_symmetry,
};
