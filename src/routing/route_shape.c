#include "routing/route_shape.h"

#include "core/memory.h"
#include "core/sets.h"
#include "routing/intermediates.h"
#include "topology/search.h"
#include "topology/symmetry.h"
#include "routing/walker.h"

static const struct nb_route_shape shape_none = {
    NB_NO_ROUTE, NB_NO_ROUTE, NB_NO_ROUTE, NB_NO_ROUTE,
    NB_NO_ROUTE, NB_NO_ROUTE, true,
};

/* The routes onwards from a node. */
struct shape_node {
    struct nb_route_shape most;
    bool rises; /* some route goes away from the terminals again */
};

struct shape_work {
    const struct nb_routing *routing; /* as given */
    struct nb_walker walker;
    uint32_t *source; /* routers with terminals */
    size_t source_count;
    uint32_t *height;    /* [router] hops from the nearest router with
                          * terminals */
    uint32_t *orbit;     /* [router] orbits of routers: core/sets.h */
    struct nb_pool pool; /* owns all arrays by router */
    size_t room;
    struct shape_node *node;
};

/* Raises a maximum to another plus `more` hops, if such routes exist. */
static void shape_raise(int32_t *to, int32_t from, int32_t more)
{
    if (from != NB_NO_ROUTE && from + more > *to)
        *to = from + more;
}

/* Extends the routes of the node `on` by a hop that leads to it. */
static void shape_add_hop(struct nb_route_shape *to,
                          const struct nb_route_shape *on, bool is_global)
{
    shape_raise(&to->hops, on->hops, 1);
    shape_raise(&to->global, on->global, is_global);
    shape_raise(&to->after, on->after, 0);
    if (is_global) {
        shape_raise(&to->before, 0, 0);
        shape_raise(&to->after, on->alone, 0);
    } else {
        shape_raise(&to->before, on->before, 1);
        shape_raise(&to->alone, on->alone, 1);
    }
}

/* Follows the routes from every node. `all`, of the whole phase, gains between
 * and is_up_down. */
static void shape_follow(struct shape_work *work, struct nb_route_shape *all)
{
    const struct nb_walker *walker = &work->walker;
    const struct nb_topology *topology = work->routing->topology;
    for (size_t k = 0; k < walker->node_count; k++) {
        const struct nb_walk_node *node = &walker->node[walker->order[k]];
        struct shape_node *at = &work->node[walker->order[k]];
        *at = (struct shape_node){ .most = shape_none };
        if (node[0].first == node[1].first)
            at->most.hops = at->most.global = at->most.alone = 0;
        for (size_t h = node[0].first; h < node[1].first; h++) {
            const struct nb_hop *hop = &walker->hop[h];
            const struct shape_node *on = &work->node[hop->node];
            const uint32_t target = topology->channels[hop->channel].target;
            const bool is_up =
                work->height[target] > work->height[node->router];
            shape_add_hop(&at->most, &on->most,
                          nb_channel_is_global(topology, hop->channel));
            at->rises = at->rises || is_up || on->rises;
            all->is_up_down = all->is_up_down && (is_up || !on->rises);
        }
        shape_raise(&all->between, at->most.before, 0);
    }
}

/* Whether packets from the source can have this intermediate router: on the way
 * to the router itself, within a part, or to another group. At least one of
 * three groups is neither the source's nor the router's, and all such groups
 * are equivalent. */
static bool shape_is_intermediate(const struct nb_routing *routing,
                                  uint32_t source, uint32_t router)
{
    const struct nb_groups *groups = &routing->topology->groups;
    if (routing->intermediate != NB_IN_SET ||
        nb_intermediates_have(routing, source, router, router))
        return true;
    for (uint32_t g = 0; g < groups->count && g < 3; g++)
        if (nb_intermediates_have(routing, source,
                                  groups->member[groups->start[g]], router))
            return true;
    return false;
}

static void shape_merge(struct nb_route_shape *to,
                        const struct nb_route_shape *from)
{
    shape_raise(&to->hops, from->hops, 0);
    shape_raise(&to->global, from->global, 0);
    shape_raise(&to->before, from->before, 0);
    shape_raise(&to->after, from->after, 0);
    shape_raise(&to->alone, from->alone, 0);
}

/* All routes of one phase to one router, which represents its orbit. */
static enum nb_status shape_reach(struct shape_work *work, uint32_t destination,
                                  struct nb_route_shape *out,
                                  struct nb_error *err)
{
    struct nb_walker *walker = &work->walker;
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_go(walker, destination, work->source, work->source_count,
                        0, 0, err));
    if (work->room < walker->node_room)
        NB_TRY(nb_grow(&work->node, walker->node_room, sizeof *work->node,
                       "lengths of routes", err));
    work->room = walker->node_room;
    shape_follow(work, &out[1]);
    for (size_t i = 0; i < work->source_count; i++) {
        const uint32_t source = work->source[i];
        const size_t count = nb_route_starts(walker->routing, source,
                                             destination, walker->starts);
        const bool is_first =
            shape_is_intermediate(work->routing, source, destination);
        for (size_t s = 0; s < count; s++) {
            const struct shape_node *at = &work->node[nb_walker_start(
                walker, &walker->starts[s], source)];
            shape_merge(&out[1], &at->most);
            if (is_first)
                shape_merge(&out[0], &at->most);
        }
    }
done:
    return status;
}

/* Computes heights; returns whether every channel leads up or down. */
static bool shape_climb(struct shape_work *work, uint32_t *queue)
{
    const struct nb_topology *topology = work->routing->topology;
    for (uint32_t r = 0; r < topology->router_count; r++)
        work->height[r] = topology->terminals[r] > 0 ? 0 : NB_NONE;
    for (size_t i = 0; i < work->source_count; i++)
        queue[i] = work->source[i];
    nb_search_along(topology, queue, work->source_count, nb_search_distance,
                    work->height);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (work->height[topology->channels[c].source] ==
            work->height[topology->channels[c].target])
            return false;
    return true;
}

/* Finds the orbits of routers under the scheme's symmetries. */
static enum nb_status shape_find_alike(struct shape_work *work,
                                       struct nb_error *err)
{
    const size_t n = work->routing->topology->router_count;
    struct nb_symmetry symmetry = { 0 };
    const enum nb_status status = nb_symmetry_offered(
        work->routing->topology, work->routing->symmetries, &symmetry, err);
    nb_sets_init(work->orbit, n);
    for (size_t g = 0; status == NB_OK && g < symmetry.generator_count; g++)
        for (uint32_t r = 0; r < n; r++)
            nb_sets_join(work->orbit, r, symmetry.router[g * n + r]);
    nb_symmetry_release(&symmetry);
    return status;
}

static enum nb_status shape_init(struct shape_work *work,
                                 struct nb_route_shape *out,
                                 struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    enum nb_status status = NB_OK;
    struct nb_pool *pool = &work->pool;
    work->source = nb_pool_array(pool, n, sizeof *work->source);
    work->height = nb_pool_array(pool, n, sizeof *work->height);
    work->orbit = nb_pool_array(pool, n, sizeof *work->orbit);
    uint32_t *queue = nb_pool_array(pool, n, sizeof *queue);
    NB_TRY(nb_pool_check(pool, "lengths of routes", err));
    for (uint32_t r = 0; r < n; r++)
        if (topology->terminals[r] > 0)
            work->source[work->source_count++] = r;
    NB_TRY(shape_find_alike(work, err));
    NB_TRY(nb_walker_init(routing->phase != NULL ? routing->phase : routing,
                          NULL, &work->walker, err));
    out[0] = out[1] = shape_none;
    out[1].is_up_down = shape_climb(work, queue);
done:
    return status;
}

enum nb_status nb_route_shape_find(const struct nb_routing *routing,
                                   struct nb_route_shape *out,
                                   struct nb_error *err)
{
    struct shape_work work = { .routing = routing };
    enum nb_status status = NB_OK;
    NB_TRY(shape_init(&work, out, err));
    for (size_t i = 0; i < work.source_count; i++)
        if (nb_sets_find(work.orbit, work.source[i]) == work.source[i])
            NB_TRY(shape_reach(&work, work.source[i], out, err));
    out[0].between = out[1].between;
    out[0].is_up_down = out[1].is_up_down;
done:
    nb_walker_release(&work.walker);
    nb_pool_release(&work.pool);
    nb_delete(work.node);
    return status;
}

static uint32_t shape_count(int32_t hops)
{
    return hops == NB_NO_ROUTE ? 0 : (uint32_t)hops;
}

uint32_t nb_route_late(const struct nb_routing *routing,
                       const struct nb_route_shape *shape)
{
    return routing->is_progressive ? shape_count(shape->between) : 0;
}

enum nb_status nb_virtual_channels_find(const struct nb_routing *given,
                                        struct nb_virtual_channels *out,
                                        struct nb_error *err)
{
    const struct nb_routing *routing = nb_route_alike(given);
    struct nb_route_shape shape[2];
    uint32_t all = 0;
    const enum nb_status status = nb_route_shape_find(routing, shape, err);
    *out = (struct nb_virtual_channels){ .is_by_place = true };
    for (int p = routing->phase != NULL ? 0 : 1; p < 2 && status == NB_OK;
         p++) {
        const uint32_t late = p == 0 ? nb_route_late(routing, shape) : 0;
        const uint32_t around =
            shape_count(shape[p].before) + late + shape_count(shape[p].after);
        const uint32_t alone = shape_count(shape[p].alone) + late;
        out->local += around > alone ? around : alone;
        out->global += shape_count(shape[p].global);
        out->is_by_place = out->is_by_place && shape[p].global <= 1;
        all += shape_count(shape[p].hops) + late;
    }
    if (!out->is_by_place)
        out->local = out->global = all;
    return status;
}
