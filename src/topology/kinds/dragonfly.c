/*
 * Dragonfly: groups of routers that are complete graphs or HyperX networks of
 * two dimensions; every two groups are joined by the same number of global
 * links. Router number = group * a + index; in a group of columns x rows
 * routers, index = column + columns * row. The terminals' own channels have
 * bandwidth 1.
 * Source: [Benito2020, section 2.2].
 */
#include "topology/dragonfly.h"

#include "core/try.h"

static enum nb_status
dragonfly_read(const struct nb_specification *specification,
               struct nb_dragonfly_shape *out, struct nb_error *err)
{
    const uint64_t h = (uint64_t)nb_specification_whole(specification, "h");
    const uint64_t p = (uint64_t)nb_specification_whole(specification, "p");
    const char *text = nb_specification_text(specification, "a");
    uint32_t lines[2] = { 0 };
    size_t count;
    const enum nb_status status =
        nb_whole_list_read(text, "a", 'x', 0, 1000000, 2, lines, &count, err);
    if (status != NB_OK)
        return status;
    if (count == 1) {
        lines[0] = lines[0] == 0 ? 2 * (uint32_t)h : lines[0];
        lines[1] = 1;
    }
    if (lines[0] == 0 || lines[1] == 0)
        return nb_fail(err, NB_INVALID,
                       "a \"%.60s\" is not permitted (permitted: the number of "
                       "routers in a complete group, 0 for 2 h; or columns x "
                       "rows of a HyperX group; at least 1)",
                       text);
    *out = (struct nb_dragonfly_shape){ .terminals = p == 0 ? h : p,
                                        .columns = lines[0],
                                        .rows = lines[1] };
    return nb_global_links_read(specification, out->columns * out->rows, h,
                                &out->links, err);
}

/* For a network that has been built. */
static struct nb_dragonfly_shape
dragonfly_shape(const struct nb_topology *topology)
{
    struct nb_dragonfly_shape shape = { 0 };
    dragonfly_read(&topology->specification, &shape, NULL);
    return shape;
}

/* Makes the channels from a router to those of its row, then of its column. */
static struct nb_channel *dragonfly_join(const struct nb_dragonfly_shape *shape,
                                         uint32_t router,
                                         struct nb_channel *channel)
{
    const uint32_t columns = (uint32_t)shape->columns;
    const uint32_t rows = (uint32_t)shape->rows;
    const uint32_t index = router % (columns * rows);
    const uint32_t column = index % columns, row = index / columns;
    for (uint32_t i = 0; i < columns; i++)
        if (i != column) {
            channel->source = router;
            channel++->target = router - column + i;
        }
    for (uint32_t i = 0; i < rows; i++)
        if (i != row) {
            channel->source = router;
            channel++->target = router - columns * row + columns * i;
        }
    return channel;
}

static enum nb_status
dragonfly_build(const struct nb_specification *specification,
                struct nb_topology *out, struct nb_error *err)
{
    struct nb_dragonfly_shape shape;
    enum nb_status status;
    NB_TRY(dragonfly_read(specification, &shape, err));
    const double groups = (double)shape.links.groups;
    const double routers = groups * (double)shape.links.routers;
    NB_TRY(nb_topology_reserve(
        out, routers,
        routers * (double)(shape.columns - 1 + shape.rows - 1) +
            groups * (double)nb_global_links_count(&shape.links),
        err));
    NB_TRY(nb_groups_reserve(out, (uint32_t)shape.links.groups, err));
    out->groups.counts_global_first = true;
    out->nest.levels = 1;
    out->nest.size[0] = (uint32_t)shape.links.routers;
    struct nb_channel *channel = out->channels;
    for (uint32_t r = 0; r < out->router_count; r++) {
        out->terminals[r] = (uint32_t)shape.terminals;
        out->groups.of[r] = r / out->nest.size[0];
        channel = dragonfly_join(&shape, r, channel);
    }
    NB_TRY(nb_global_links_join(&shape.links, 0, channel, err));
done:
    return status;
}

static struct nb_closed_form
dragonfly_diameter(const struct nb_topology *topology)
{
    const struct nb_dragonfly_shape shape = dragonfly_shape(topology);
    uint32_t diameter = 0;
    const bool is_told =
        nb_dragonfly_diameter(&shape, &diameter, NULL) == NB_OK;
    return (struct nb_closed_form){ { diameter, diameter > 0 },
                                    is_told ? "counting" : NULL };
}

/*
 * The largest palmtree of complete groups, h global channels at each router.
 * From a router, a - 1 routers are 1 hop away. Over its own link to a group,
 * one router is 1 hop away and a - 1 are 2; over the link of another router,
 * one is 2 hops away and a - 1 are 3. However, two global hops lead from router
 * j of a group to router j of each of the h - 1 groups before and after, one
 * hop less for 0 < j < a - 1.
 */
static struct nb_closed_form
dragonfly_mean_distance(const struct nb_topology *topology)
{
    const struct nb_dragonfly_shape shape = dragonfly_shape(topology);
    const nb_int128 h = nb_dragonfly_largest(&shape);
    const nb_int128 a = shape.links.routers;
    if (h == 0 || (shape.columns > 1 && shape.rows > 1) ||
        shape.links.arrangement != NB_PALMTREE)
        return (struct nb_closed_form){ { 0, 0 }, "" };
    const nb_int128 hops =
        (a - 1) + h * (2 * a - 1) + (a - 1) * h * (3 * a - 1);
    const nb_int128 saved = a > 2 ? 2 * (a - 2) * (h - 1) : 0;
    const nb_int128 groups = (nb_int128)shape.links.groups;
    return (struct nb_closed_form){
        nb_ratio_make(a * hops - saved, a * a * groups), "counting"
    };
}

/*
 * Any two groups exchange a p / groups packets per unit rate, each with a
 * global hop; split evenly over the links between the two groups, they load
 * each link no more than the mean of the global links under any routing. With
 * shortest paths to and from these links, columns after rows, no local channel
 * carries more than lines p / groups (1/a + 2 most / trunking), from `lines`
 * routers or to them; where that is not more, the global channels are the
 * limit.
 */
static struct nb_closed_form
dragonfly_capacity(const struct nb_topology *topology)
{
    const struct nb_dragonfly_shape shape = dragonfly_shape(topology);
    const nb_int128 a = shape.links.routers;
    const nb_int128 trunking = shape.links.trunking;
    const nb_int128 most = nb_global_links_most(&shape.links);
    const nb_int128 by_row = shape.columns > 1 ? shape.rows : 0;
    const nb_int128 by_column = shape.rows > 1 ? shape.columns : 0;
    const nb_int128 lines = by_row > by_column ? by_row : by_column;
    if (lines * (trunking + 2 * a * most) > a * a)
        return (struct nb_closed_form){ { 0, 0 }, "" };
    return (struct nb_closed_form){
        nb_ratio_make((nb_int128)shape.links.groups * trunking,
                      a * (nb_int128)shape.terminals),
        "counting"
    };
}

static unsigned dragonfly_symmetry(const struct nb_topology *topology,
                                   size_t index, uint32_t *router_map)
{
    const struct nb_dragonfly_shape shape = dragonfly_shape(topology);
    const enum nb_group_move move =
        nb_global_links_symmetry(&shape.links, index);
    if (move == NB_NO_MOVE)
        return 0;
    for (uint32_t r = 0; r < topology->router_count; r++)
        router_map[r] = nb_global_links_move(&shape.links, move, r);
    return NB_OTHER_SYMMETRY;
}

static const struct nb_parameter dragonfly_parameters[] = {
    NB_PARAMETER("h", WHOLE, NULL,
                 "maximum number of global channels per router",
                 .is_leading = true, .least = 1, .most = 1e6),
    NB_PARAMETER("p", WHOLE, "0", "terminals per router; 0 stands for h",
                 .least = 0, .most = 1e6),
    NB_PARAMETER("a", RADICES, "0",
                 "routers per group: 12 (complete) or columns x rows, 16x16 "
                 "(HyperX); 0 stands for 2 h",
                 .least = 0, .most = 1e6),
    NB_GLOBAL_LINK_PARAMETERS,
    { 0 },
};

const struct nb_topology_kind nb_topology_dragonfly = {
    .kind = { .name = "dragonfly",
              .summary = "complete or HyperX groups joined by global links",
              .detail =
                  "Global links join every two groups. Parameter p sets the "
                  "terminals per router; terminals= is not accepted.",
              .family = NB_FAMILY_GROUPS,
              .parameters = dragonfly_parameters },
    .examples = "dragonfly:1 dragonfly:2 dragonfly:1,a=4,p=2 "
                "dragonfly:3,a=1,bandwidth=3/2 dragonfly:2,local-bandwidth=2 "
                "dragonfly:2,groups=4 "
                "dragonfly:1,a=4,groups=4 dragonfly:2,groups=2,a=3 "
                "dragonfly:1,a=3x3,groups=6 dragonfly:1,a=2x3 "
                "dragonfly:1,a=3,arrangement=consecutive "
                "dragonfly:2,groups=5,arrangement=absolute "
                "dragonfly:2,groups=5,arrangement=random,seed=4",
    .has_own_terminals = true,
    .build = dragonfly_build,
    .diameter = dragonfly_diameter,
    .mean_distance = dragonfly_mean_distance,
    .capacity = dragonfly_capacity,
    .fit = nb_dragonfly_fit,
    .search = nb_dragonfly_search,
    .symmetry = dragonfly_symmetry,
};
