#include "sim/routes.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The maximum number of entries and hops kept; pages that are not written cost
 * nothing. */
#define ROUTES_ENTRIES ((size_t)1 << 27)
#define ROUTES_KEPT    ((size_t)1 << 26)
enum { ROUTES_COMPARED = 64 }; /* lists of a router that a new one may repeat */

enum nb_status nb_routes_init(const struct nb_routing *routing,
                              struct nb_routes *out, struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const char *what = "routes";
    enum nb_status status = NB_OK;
    *out = (struct nb_routes){
        .routing = routing,
        .phase = routing->phase != NULL ? routing->phase : routing,
        .is_adaptive = routing->kind->is_adaptive,
        .has_phases = routing->phase != NULL,
        .router_count = n,
    };
    out->state_count = out->phase->state_count;
    assert(out->state_count <= UINT32_MAX);
    const double entries = (double)n * (double)n * (double)out->state_count;
    struct nb_pool *pool = &out->pool;
    out->starts =
        nb_pool_array(pool, routing->most_starts, sizeof *out->starts);
    out->hops = nb_pool_array(pool, routing->most_hops, sizeof *out->hops);
    out->list = nb_pool_array(pool, routing->most_hops + 1, sizeof *out->list);
    out->queue = nb_pool_array(pool, n + 1, sizeof *out->queue);
    out->first = nb_pool_array(pool, n, sizeof *out->first);
    NB_TRY(nb_pool_check(pool, what, err));
    if (out->phase->needs_table)
        NB_TRY(nb_route_table_init(routing->topology, &out->table, err));
    out->table.target = NB_NONE;
    if (entries > (double)ROUTES_ENTRIES)
        goto done;
    out->entry_count = (size_t)entries;
    NB_TRY(
        nb_new(&out->entry, out->entry_count, sizeof *out->entry, what, err));
    out->kept_capacity = out->entry_count * (routing->most_hops + 1) + 1;
    if (out->kept_capacity > ROUTES_KEPT)
        out->kept_capacity = ROUTES_KEPT;
    NB_TRY(
        nb_new(&out->kept, out->kept_capacity, sizeof *out->kept, what, err));
    out->kept_count = 1; /* place 0 means not asked for */
done:
    if (status != NB_OK)
        nb_routes_release(out);
    return status;
}

void nb_routes_release(struct nb_routes *routes)
{
    nb_pool_release(&routes->pool);
    nb_delete(routes->entry);
    nb_delete(routes->kept);
    nb_route_table_release(&routes->table);
    *routes = (struct nb_routes){ 0 };
}

/* A start of the pair with its intermediate router drawn. */
static struct nb_candidate routes_candidate(const struct nb_routes *routes,
                                            uint32_t source,
                                            uint32_t destination, size_t index,
                                            struct nb_random *random)
{
    const struct nb_start *start = &routes->starts[index];
    const uint64_t way = start->intermediates < 2 ? 0
                         : routes->routing->is_by_port
                             ? routes->port % start->intermediates
                             : nb_random_below(random, start->intermediates);
    const nb_route_state state =
        nb_route_begin(routes->routing, start, way, source, destination);
    return (struct nb_candidate){
        .start = start,
        .index = index,
        .state = state,
        .target = nb_route_target(routes->routing, state, source, destination),
    };
}

static struct nb_candidate
routes_cheapest(const struct nb_routes *routes, const struct nb_view *view,
                uint32_t source, uint32_t destination, size_t count,
                uint32_t blocked, struct nb_random *random)
{
    const struct nb_routing *routing = routes->routing;
    const bool has_set = view != NULL && routing->kind->set != NULL;
    const size_t set = has_set ? routing->kind->set(routing, view, source,
                                                    destination, blocked)
                               : 0;
    struct nb_candidate best = { 0 };
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        if (has_set && routes->starts[i].intermediates > 0 &&
            routes->starts[i].set != set)
            continue;
        const struct nb_candidate candidate =
            routes_candidate(routes, source, destination, i, random);
        const uint64_t cost =
            view == NULL ? 0
                         : routing->kind->cost(routing, view, source,
                                               destination, &candidate);
        if (best.start != NULL && cost >= least)
            continue;
        least = cost;
        best = candidate;
    }
    return best;
}

nb_route_state nb_routes_begin(struct nb_routes *routes,
                               const struct nb_view *view, uint32_t source,
                               uint32_t destination, uint32_t blocked,
                               struct nb_random *random, size_t *chosen)
{
    const struct nb_routing *routing = routes->routing;
    const struct nb_start *start = routes->starts;
    const size_t count =
        nb_route_starts(routing, source, destination, routes->starts);
    struct nb_candidate candidate;
    if (routing->kind->cost != NULL) {
        candidate = routes_cheapest(routes, view, source, destination, count,
                                    blocked, random);
    } else {
        size_t i = 0;
        if (count > 1) {
            uint64_t drawn = nb_random_below(random, routing->start_total);
            for (; drawn >= start[i].weight; i++)
                drawn -= start[i].weight;
        }
        candidate = routes_candidate(routes, source, destination, i, random);
    }
    *chosen = candidate.index;
    return candidate.state;
}

struct nb_way nb_routes_shortest(struct nb_routes *routes,
                                 const struct nb_view *view,
                                 nb_route_state state, uint32_t router,
                                 uint32_t destination)
{
    const struct nb_routes_hop *list;
    struct nb_way best = { .channel = NB_NONE, .queue = UINT32_MAX };
    const size_t count =
        nb_routes_list(routes, state, router, destination, &list);
    size_t least = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t queue = view->queue(view->network, list[i].channel);
        if (queue >= best.queue)
            continue;
        least = i;
        best.queue = queue;
    }
    if (count == 0)
        return (struct nb_way){ .channel = NB_NONE };
    best.channel = list[least].channel;
    best.next =
        nb_routes_next(routes, state, router, destination, &list[least]);
    return best;
}

/* Asks the step function and writes the list to out, [1 + most_hops]. Weights
 * that do not fit are rounded to multiples of 1/2^31 of their sum; no run is
 * long enough to show the difference. */
static size_t routes_ask(struct nb_routes *routes, nb_route_state state,
                         uint32_t router, uint32_t target,
                         struct nb_routes_hop *out)
{
    const struct nb_routing *phase = routes->phase;
    const size_t count =
        phase->kind->step(phase, phase->needs_table ? &routes->table : NULL,
                          state, router, target, routes->hops);
    double shares = 0;
    bool is_exact = true;
    for (size_t i = 0; i < count; i++) {
        is_exact = is_exact && routes->hops[i].weight > 0 &&
                   routes->hops[i].weight < UINT32_MAX / count;
        shares += routes->hops[i].share;
    }
    double share = 0;
    uint64_t weight = 0;
    for (size_t i = 0; i < count; i++) {
        share += routes->hops[i].share;
        weight += routes->hops[i].weight;
        out[i + 1] = (struct nb_routes_hop){
            .next = (uint32_t)routes->hops[i].next,
            .channel = routes->hops[i].channel,
            .weight = (uint32_t)(is_exact ? weight
                                          : (uint64_t)llround(share / shares *
                                                              0x1p31)),
        };
    }
    out[0].channel = (uint32_t)count;
    return count;
}

static size_t routes_entry(const struct nb_routes *routes, nb_route_state state,
                           uint32_t router, uint32_t target)
{
    return (target * routes->router_count + router) * routes->state_count +
           state;
}

/* Finds an equal list that the router keeps already; 0: none. Most destinations
 * share one with others, so few lists remain and stay in the caches. */
static size_t routes_same(const struct nb_routes *routes, uint32_t router,
                          const struct nb_routes_hop *list)
{
    const size_t bytes = list[0].channel * sizeof *list;
    size_t place = routes->first[router];
    for (int i = 0; i < ROUTES_COMPARED && place != 0; i++) {
        const struct nb_routes_hop *kept = routes->kept + place;
        if (kept[0].channel == list[0].channel &&
            memcmp(kept + 1, list + 1, bytes) == 0)
            return place;
        place = kept[0].next;
    }
    return 0;
}

/* Asks for a list and keeps it if there is room. */
static const struct nb_routes_hop *routes_keep(struct nb_routes *routes,
                                               nb_route_state state,
                                               uint32_t router, uint32_t target)
{
    struct nb_routes_hop *list = routes->list;
    const size_t count = routes_ask(routes, state, router, target, list) + 1;
    if (routes->entry == NULL)
        return list;
    size_t place = routes_same(routes, router, list);
    if (place == 0 && routes->kept_count + count > routes->kept_capacity)
        return list;
    if (place == 0) {
        place = routes->kept_count;
        routes->kept_count += count;
        list[0].next = routes->first[router];
        routes->first[router] = (uint32_t)place;
        memcpy(routes->kept + place, list, count * sizeof *list);
    }
    routes->entry[routes_entry(routes, state, router, target)] =
        (uint32_t)place;
    return routes->kept + place;
}

/* Switches the routing table to the target and, if packets on the way have only
 * one state, keeps the lists of all routers while the table is for this
 * target. */
static void routes_fill(struct nb_routes *routes, uint32_t target)
{
    const struct nb_topology *topology = routes->routing->topology;
    if (routes->table.target == target)
        return;
    nb_route_table_fill(topology, target, &routes->table, routes->queue);
    if (routes->entry == NULL ||
        (routes->phase->state_count > 1 && !routes->phase->leaves_source))
        return;
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (routes->entry[routes_entry(routes, 0, r, target)] == 0)
            routes_keep(routes, 0, r, target);
}

const struct nb_routes_hop *nb_routes_find(struct nb_routes *routes,
                                           nb_route_state state,
                                           uint32_t router, uint32_t target)
{
    if (routes->phase->needs_table)
        routes_fill(routes, target);
    if (routes->entry != NULL) {
        const size_t entry = routes_entry(routes, state, router, target);
        if (routes->entry[entry] != 0)
            return routes->kept + routes->entry[entry];
    }
    return routes_keep(routes, state, router, target);
}
