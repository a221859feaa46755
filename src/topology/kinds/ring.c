/* Ring: N routers in a cycle, one channel each way between neighbours. */
#include "topology/grid_forms.h"

static enum nb_status ring_build(const struct nb_specification *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    const uint32_t routers =
        (uint32_t)nb_specification_whole(specification, "routers");
    return nb_grid_build(1, &routers, true, out, err);
}

static const struct nb_parameter ring_parameters[] = {
    NB_PARAMETER("routers", WHOLE, NULL, "routers in the cycle",
                 .is_leading = true, .least = 3, .most = 1e9),
    { 0 },
};

const struct nb_topology_kind nb_topology_ring = {
    .kind = { .name = "ring",
              .summary = "routers in a cycle, one channel each way",
              .family = NB_FAMILY_GRIDS,
              .parameters = ring_parameters },
    .examples = "ring:3 ring:8 ring:11 ring:16,terminals=3,bandwidth=5/2",
    .build = ring_build,
    .diameter = nb_grid_diameter,
    .mean_distance = nb_grid_mean_distance,
    .bisection = nb_grid_bisection,
    .capacity = nb_grid_capacity,
    .symmetry = nb_grid_symmetry,
};
