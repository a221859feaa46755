/* Complete graph: a channel from every router to every other. */
#include "topology/topology.h"

static enum nb_status
complete_build(const struct nb_specification *specification,
               struct nb_topology *out, struct nb_error *err)
{
    const int64_t routers = nb_specification_whole(specification, "routers");
    const double count = (double)routers;
    const enum nb_status status =
        nb_topology_reserve(out, count, count * (count - 1), err);
    if (status != NB_OK)
        return status;
    size_t next = 0;
    for (uint32_t source = 0; source < routers; source++) {
        for (uint32_t target = 0; target < routers; target++) {
            if (source == target)
                continue;
            out->channels[next].source = source;
            out->channels[next++].target = target;
        }
    }
    return NB_OK;
}

static struct nb_closed_form
complete_diameter(const struct nb_topology *topology)
{
    (void)topology;
    return (struct nb_closed_form){ { 1, 1 }, "counting" };
}

static struct nb_closed_form
complete_mean_distance(const struct nb_topology *topology)
{
    const nb_int128 routers = (nb_int128)topology->router_count;
    return (struct nb_closed_form){ nb_ratio_make(routers - 1, routers),
                                    "counting" };
}

static struct nb_closed_form
complete_bisection(const struct nb_topology *topology)
{
    const nb_int128 small = (nb_int128)(topology->router_count / 2);
    const nb_int128 large = (nb_int128)topology->router_count - small;
    return (struct nb_closed_form){ nb_ratio_make(2 * small * large, 1),
                                    "counting" };
}

/* Uniform traffic at rate N sends one packet per cycle over every channel. */
static struct nb_closed_form
complete_capacity(const struct nb_topology *topology)
{
    return (struct nb_closed_form){
        nb_ratio_make((nb_int128)topology->router_count, 1), "counting"
    };
}

/* A transposition and the cycle generate all permutations. */
static unsigned complete_symmetry(const struct nb_topology *topology,
                                  size_t index, uint32_t *router_map)
{
    const size_t routers = topology->router_count;
    if (index > 1)
        return 0;
    for (size_t r = 0; r < routers; r++)
        router_map[r] = (uint32_t)(index == 1 ? (r + 1) % routers : r);
    if (index == 0) {
        router_map[0] = 1;
        router_map[1] = 0;
    }
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter complete_parameters[] = {
    NB_PARAMETER("routers", WHOLE, NULL, "number of routers",
                 .is_leading = true, .least = 2, .most = 1e9),
    { 0 },
};

const struct nb_topology_kind nb_topology_complete = {
    .kind = { .name = "complete",
              .summary = "a channel from every router to every other",
              .family = NB_FAMILY_GRAPHS,
              .parameters = complete_parameters },
    .examples = "complete:64 complete:2 complete:7 "
                "complete:10,terminals=2,bandwidth=2/7",
    .build = complete_build,
    .diameter = complete_diameter,
    .mean_distance = complete_mean_distance,
    .bisection = complete_bisection,
    .capacity = complete_capacity,
    .symmetry = complete_symmetry,
};
