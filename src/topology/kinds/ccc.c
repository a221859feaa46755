/* Cube-connected cycles: each corner of an n-cube is a cycle of n routers,
 * one for each cube channel. Router number = corner * n + position. */
#include "topology/topology.h"

static enum nb_status ccc_build(const struct nb_specification *specification,
                                struct nb_topology *out, struct nb_error *err)
{
    const uint32_t n =
        (uint32_t)nb_specification_whole(specification, "dimension");
    const uint32_t routers = n << n;
    const enum nb_status status =
        nb_topology_reserve(out, routers, 3.0 * routers, err);
    if (status != NB_OK)
        return status;
    struct nb_channel *channel = out->channels;
    for (uint32_t r = 0; r < routers; r++) {
        const uint32_t corner = r / n, position = r % n;
        const uint32_t target[3] = {
            corner * n + (position + n - 1) % n,
            corner * n + (position + 1) % n,
            (corner ^ UINT32_C(1) << position) * n + position,
        };
        for (int i = 0; i < 3; i++, channel++) {
            channel->source = r;
            channel->target = target[i];
        }
    }
    return NB_OK;
}

static int64_t ccc_dimension(const struct nb_topology *topology)
{
    return nb_specification_whole(&topology->specification, "dimension");
}

static struct nb_closed_form ccc_diameter(const struct nb_topology *topology)
{
    const int64_t n = ccc_dimension(topology);
    return (struct nb_closed_form){ { n == 3 ? 6 : 2 * n + n / 2 - 2, 1 },
                                    "Fris1997" };
}

static struct nb_closed_form ccc_bisection(const struct nb_topology *topology)
{
    return (struct nb_closed_form){
        { INT64_C(1) << ccc_dimension(topology), 1 },
        "Manabe1984",
    };
}

/* Exchange of corners along bit 0, rotation and reflection of the bits. */
static unsigned ccc_symmetry(const struct nb_topology *topology, size_t index,
                             uint32_t *router_map)
{
    const uint32_t n = (uint32_t)ccc_dimension(topology);
    if (index > 2)
        return 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t corner = r / n, position = r % n;
        uint32_t image = 0;
        for (uint32_t bit = 0; bit < n; bit++) {
            const uint32_t moved[3] = { bit, (bit + 1) % n, n - 1 - bit };
            image |= (corner >> bit & 1) << moved[index];
        }
        const uint32_t place[3] = { position, (position + 1) % n,
                                    n - 1 - position };
        router_map[r] = (index == 0 ? image ^ 1 : image) * n + place[index];
    }
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter ccc_parameters[] = {
    NB_PARAMETER("dimension", WHOLE, NULL, "n: there are n 2^n routers",
                 .is_leading = true, .least = 3,
                 .most = 25), /* channel numbers are below 2^32 */
    { 0 },
};

const struct nb_topology_kind nb_topology_ccc = {
    .kind = { .name = "ccc",
              .summary = "cube-connected cycles",
              .detail = "A hypercube with a cycle of routers at each corner.",
              .family = NB_FAMILY_GRAPHS,
              .parameters = ccc_parameters },
    .examples = "ccc:4 ccc:3 ccc:5,terminals=2 ccc:6,bandwidth=3/2",
    .build = ccc_build,
    .diameter = ccc_diameter,
    .bisection = ccc_bisection,
    .symmetry = ccc_symmetry,
};
