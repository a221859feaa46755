#include "topology/dragonfly.h"

#include "core/memory.h"

#include <string.h>

uint64_t nb_dragonfly_largest(const struct nb_dragonfly_shape *shape)
{
    const uint64_t least = nb_global_links_least(&shape->links);
    const bool is_largest = shape->links.trunking == 1 &&
                            nb_global_links_most(&shape->links) == least;
    return is_largest ? least : 0;
}

/* Approximate limit of steps for the two-hop search. */
static const uint64_t dragonfly_search_limit = (uint64_t)1 << 26;

/* The group that a link of a palmtree's group leads to. */
static uint64_t dragonfly_lead(const struct nb_global_links *links,
                               uint64_t group, uint64_t link)
{
    const uint64_t away = link % (links->groups - 1) + 1;
    return (group + links->groups - away) % links->groups;
}

/* Whether two hops lead from router j of group 0 to all others. owner: the
 * router of each link; is_near: scratch for all routers. */
static bool dragonfly_sees_all(const struct nb_global_links *links, uint64_t j,
                               const uint32_t *owner, bool *is_near)
{
    const uint64_t a = links->routers, count = nb_global_links_count(links);
    memset(is_near, 0, a * links->groups);
    memset(is_near, 1, a);
    for (uint64_t l = 0; l < count; l++) {
        const uint64_t group = dragonfly_lead(links, 0, l);
        const uint64_t end = owner[count - 1 - l];
        is_near[group * a + end] = true;
        if (owner[l] != j)
            continue;
        memset(is_near + group * a, 1, a);
        for (uint64_t on = nb_global_links_before(links, end);
             on < nb_global_links_before(links, end + 1); on++)
            is_near[dragonfly_lead(links, group, on) * a +
                    owner[count - 1 - on]] = true;
    }
    return memchr(is_near, 0, a * links->groups) == NULL;
}

/* Finds 2 or 3 hops by trying two from every router of a palmtree's group; 0 if
 * that takes too long. */
static enum nb_status dragonfly_search(const struct nb_global_links *links,
                                       uint32_t *diameter, struct nb_error *err)
{
    const uint64_t a = links->routers, count = nb_global_links_count(links);
    uint32_t *owner = NULL;
    bool *is_near = NULL;
    enum nb_status status;
    *diameter = 0;
    if (links->arrangement != NB_PALMTREE ||
        a * links->groups > dragonfly_search_limit / (a + 1))
        return NB_OK;
    NB_TRY(nb_new(&owner, count, sizeof *owner, "global links", err));
    NB_TRY(
        nb_new(&is_near, a * links->groups, sizeof *is_near, "routers", err));
    *diameter = 2;
    for (uint64_t j = 0, l = 0; j < a; j++)
        for (; l < nb_global_links_before(links, j + 1); l++)
            owner[l] = (uint32_t)j;
    for (uint64_t j = 0; j < a && *diameter == 2; j++)
        if (!dragonfly_sees_all(links, j, owner, is_near))
            *diameter = 3;
done:
    nb_delete(owner);
    nb_delete(is_near);
    return status;
}

/*
 * Complete groups: one hop in a group, one between groups and one more lead
 * everywhere. Two suffice if every router has a link to every group; groups - 1
 * consecutive links lead to all groups. Two do not suffice if there are more
 * routers than two hops can reach.
 */
static enum nb_status
dragonfly_complete_diameter(const struct nb_dragonfly_shape *shape,
                            uint32_t *diameter, struct nb_error *err)
{
    const struct nb_global_links *links = &shape->links;
    const nb_uint128 a = links->routers;
    const nb_uint128 most = nb_global_links_most(links);
    const nb_uint128 routers = a * links->groups;
    const uint64_t least = nb_global_links_least(links);
    const bool sees_all =
        links->groups == 2
            ? least > 0
            : links->arrangement != NB_RANDOM && least >= links->groups - 1;
    *diameter = 0;
    if (a == 1)
        *diameter = 1;
    else if (sees_all)
        *diameter = routers > a + most ? 2 : 0;
    else if (routers > a + 2 * most * (a - 1) + most * most)
        *diameter = 3;
    else if (routers > a + most)
        return dragonfly_search(links, diameter, err);
    return NB_OK;
}

/*
 * Five hops suffice, two in each group. They are needed in the largest palmtree
 * whose rows and columns are at least 3 but not both 3. With h channels at each
 * router, two global hops with a local path from j to j' between them lead from
 * group 0 to h (j' - j) + o, |o| < h, and end at the router that the local hops
 * would reach without them; three end at its mirror image. Let the first
 * coordinate be the column and
 *
 *     source (0, 0) of group 0,  target (1, 1) of group -(h u + h),
 *
 * where u is the router (1, 1), in a row or column of 3 (2, 1) or (1, 2), that
 * bears the link to that group; the link ends at the mirror image of u. A path
 * over that link needs two hops on either side, as u differs from the source
 * and from the target's mirror image in both coordinates. A path over three
 * links needs two local hops, as the target's mirror image differs from the
 * source in both; one over four links needs at least one. Over two links with
 * two local hops, j' - j is 0, 1, columns or columns + 1, and they lead to that
 * group only if u + j' - j is -1, routers - 1 or routers, which it never is.
 */
static uint32_t dragonfly_grid_diameter(const struct nb_dragonfly_shape *shape)
{
    const bool is_proved = shape->links.arrangement == NB_PALMTREE &&
                           nb_dragonfly_largest(shape) > 0 &&
                           shape->columns >= 3 && shape->rows >= 3 &&
                           shape->columns + shape->rows > 6;
    return is_proved ? 5 : 0;
}

enum nb_status nb_dragonfly_diameter(const struct nb_dragonfly_shape *shape,
                                     uint32_t *diameter, struct nb_error *err)
{
    if (shape->columns == 1 || shape->rows == 1)
        return dragonfly_complete_diameter(shape, diameter, err);
    *diameter = dragonfly_grid_diameter(shape);
    return NB_OK;
}
