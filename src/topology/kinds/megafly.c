/*
 * Megafly, or Dragonfly+: groups of leaf routers, each joined with every spine
 * of its group; the spines bear the global links, as the routers of a Dragonfly
 * do. Only leaves have terminals. A balanced Megafly has equal numbers of
 * spines, leaves, terminals per leaf and global channels per spine. Router
 * number = group * leaves + leaf; after all leaves come the spines, groups *
 * leaves + group * spines + spine. The terminals' own channels have bandwidth
 * 1.
 * Source: [Benito2020, section 2.2], which names it.
 */
#include "topology/megafly.h"

#include "core/try.h"

static enum nb_status megafly_read(const struct nb_specification *specification,
                                   struct nb_megafly_shape *out,
                                   struct nb_error *err)
{
    const uint64_t h = (uint64_t)nb_specification_whole(specification, "h");
    const uint64_t p = (uint64_t)nb_specification_whole(specification, "p");
    const uint64_t leaves =
        (uint64_t)nb_specification_whole(specification, "leaves");
    const uint64_t spines =
        (uint64_t)nb_specification_whole(specification, "spines");
    *out = (struct nb_megafly_shape){ .terminals = p == 0 ? h : p,
                                      .leaves = leaves == 0 ? h : leaves };
    return nb_global_links_read(specification, spines == 0 ? h : spines, h,
                                &out->links, err);
}

/* For a network that has been built. */
static struct nb_megafly_shape megafly_shape(const struct nb_topology *topology)
{
    struct nb_megafly_shape shape = { 0 };
    megafly_read(&topology->specification, &shape, NULL);
    return shape;
}

/* Makes the channels between all leaves and spines of a group, both ways. */
static struct nb_channel *megafly_join(const struct nb_megafly_shape *shape,
                                       uint32_t group,
                                       struct nb_channel *channel)
{
    const struct nb_global_links *links = &shape->links;
    const uint32_t leaves = (uint32_t)shape->leaves;
    const uint32_t spines = (uint32_t)links->routers;
    const uint32_t leaf = group * leaves;
    const uint32_t spine = (uint32_t)links->groups * leaves + group * spines;
    for (uint32_t i = 0; i < leaves; i++)
        for (uint32_t j = 0; j < spines; j++, channel += 2) {
            channel[0].source = channel[1].target = leaf + i;
            channel[0].target = channel[1].source = spine + j;
        }
    return channel;
}

static enum nb_status
megafly_build(const struct nb_specification *specification,
              struct nb_topology *out, struct nb_error *err)
{
    struct nb_megafly_shape shape;
    const struct nb_global_links *links = &shape.links;
    enum nb_status status;
    NB_TRY(megafly_read(specification, &shape, err));
    const double groups = (double)links->groups;
    const double leaves = (double)shape.leaves;
    const double spines = (double)links->routers;
    NB_TRY(nb_topology_reserve(
        out, groups * (leaves + spines),
        groups * (2 * leaves * spines + (double)nb_global_links_count(links)),
        err));
    NB_TRY(nb_groups_reserve(out, (uint32_t)links->groups, err));
    out->groups.counts_global_first = true;
    out->nest.levels = 1;
    out->nest.size[0] = (uint32_t)shape.leaves;
    const uint32_t first = (uint32_t)(groups * leaves);
    for (uint32_t r = 0; r < out->router_count; r++) {
        const bool is_leaf = r < first;
        out->terminals[r] = is_leaf ? (uint32_t)shape.terminals : 0;
        out->groups.of[r] = is_leaf ? r / (uint32_t)shape.leaves
                                    : (r - first) / (uint32_t)links->routers;
    }
    struct nb_channel *channel = out->channels;
    for (uint32_t g = 0; g < links->groups; g++)
        channel = megafly_join(&shape, g, channel);
    NB_TRY(nb_global_links_join(links, first, channel, err));
done:
    return status;
}

/* Leaf, spine, spine, leaf between groups; no path is shorter, and no other
 * path has three hops. */
static struct nb_closed_form
megafly_diameter(const struct nb_topology *topology)
{
    (void)topology;
    return (struct nb_closed_form){ { 3, 1 }, "counting" };
}

/* Three hops to other groups, two to other leaves of the same group. */
static struct nb_closed_form
megafly_mean_distance(const struct nb_topology *topology)
{
    const struct nb_megafly_shape shape = megafly_shape(topology);
    const nb_int128 leaves = shape.leaves, groups = shape.links.groups;
    return (struct nb_closed_form){ nb_ratio_make(3 * leaves * (groups - 1) +
                                                      2 * (leaves - 1),
                                                  leaves * groups),
                                    "counting" };
}

static struct nb_closed_form
megafly_capacity(const struct nb_topology *topology)
{
    const struct nb_megafly_shape shape = megafly_shape(topology);
    return (struct nb_closed_form){ nb_megafly_capacity(&shape), "counting" };
}

/*
 * An exchange of two leaves (index 0) and a step of all leaves by one (1),
 * which generate all permutations. They act on group 0 where the rotation of
 * palmtree takes it to the other groups; else on all groups at once, as one
 * generator per group would be too many. The generators of the global links
 * follow.
 */
static unsigned megafly_symmetry(const struct nb_topology *topology,
                                 size_t index, uint32_t *router_map)
{
    const struct nb_megafly_shape shape = megafly_shape(topology);
    const struct nb_global_links *links = &shape.links;
    const uint32_t leaves = (uint32_t)shape.leaves;
    const uint32_t spines = (uint32_t)links->routers;
    const uint32_t first = (uint32_t)links->groups * leaves;
    const size_t own = leaves > 1 ? 2 : 0; /* generators within groups */
    const bool rotates = nb_global_links_symmetry(links, 0) == NB_ROTATION;
    const enum nb_group_move move =
        index < own ? NB_NO_MOVE : nb_global_links_symmetry(links, index - own);
    if (index >= own && move == NB_NO_MOVE)
        return 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t leaf = r % leaves, group = r / leaves;
        if (r >= first)
            router_map[r] =
                first + nb_global_links_move(links, move, r - first);
        else if (index >= own)
            router_map[r] = nb_global_links_move(links, move, group * spines) /
                                spines * leaves +
                            leaf;
        else if (rotates && group > 0)
            router_map[r] = r;
        else
            router_map[r] = r - leaf +
                            (index == 1 ? (leaf + 1) % leaves
                                        : (leaf < 2 ? 1 - leaf : leaf));
    }
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter megafly_parameters[] = {
    NB_PARAMETER("h", WHOLE, NULL, "maximum global channels per spine",
                 .is_leading = true, .least = 1, .most = 1e6),
    NB_PARAMETER("p", WHOLE, "0", "terminals per leaf; 0: h", .least = 0,
                 .most = 1e6),
    NB_PARAMETER("leaves", WHOLE, "0", "leaves per group; 0: h", .least = 0,
                 .most = 1e9),
    NB_PARAMETER("spines", WHOLE, "0", "spines per group; 0: h", .least = 0,
                 .most = 1e9),
    NB_GLOBAL_LINK_PARAMETERS,
    { 0 },
};

const struct nb_topology_kind nb_topology_megafly = {
    .kind = { .name = "megafly",
              .aliases = "dragonfly+",
              .summary = "groups of leaves and spines",
              .detail = "Global links join spines of every two groups "
                        "(Dragonfly+); terminals= is not accepted.",
              .family = NB_FAMILY_GROUPS,
              .parameters = megafly_parameters },
    .examples = "megafly:2 megafly:1,leaves=3,spines=2 "
                "megafly:2,p=1,leaves=3,bandwidth=2/3 "
                "megafly:2,global-bandwidth=3 megafly:2,groups=3 "
                "megafly:1,spines=4,leaves=2,groups=4 "
                "megafly:3,leaves=2,spines=2,groups=4 "
                "megafly:2,groups=4,arrangement=consecutive "
                "megafly:2,groups=4,arrangement=random,seed=3",
    .has_own_terminals = true,
    .build = megafly_build,
    .diameter = megafly_diameter,
    .mean_distance = megafly_mean_distance,
    .capacity = megafly_capacity,
    .fit = nb_megafly_fit,
    .symmetry = megafly_symmetry,
};
