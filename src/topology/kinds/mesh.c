/* Mesh: routers on a grid, channels both ways between neighbours. */
#include "topology/grid_forms.h"

static enum nb_status mesh_build(const struct nb_specification *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    return nb_grid_read(specification, false, out, err);
}

static const struct nb_parameter mesh_parameters[] = {
    NB_PARAMETER("radices", RADICES, NULL,
                 "routers along each dimension, such as 8x8",
                 .is_leading = true, .least = 2, .most = 1e9),
    { 0 },
};

const struct nb_topology_kind nb_topology_mesh = {
    .kind = { .name = "mesh",
              .summary = "a grid without wrap-around, 1 to 6 dimensions",
              .family = NB_FAMILY_GRIDS,
              .parameters = mesh_parameters },
    .examples = "mesh:8x8 mesh:2 mesh:7 mesh:3x3 mesh:4x4 mesh:5x3 mesh:3x6 "
                "mesh:2x3x3 mesh:4x2x2,terminals=4 mesh:5x4,bandwidth=1/3 "
                "mesh:3x3x2,bandwidth=1+2+3/2 "
                "mesh:2x3x2x3x2x2",
    .build = mesh_build,
    .diameter = nb_grid_diameter,
    .mean_distance = nb_grid_mean_distance,
    .bisection = nb_grid_bisection,
    .capacity = nb_grid_capacity,
    .search = nb_mesh_search,
    .symmetry = nb_grid_symmetry,
};
