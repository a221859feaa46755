#include "optimum/scheme_work.h"

#include "routing/intermediates.h"

#include <stdlib.h>
#include <string.h>

/* Whether channels lead from a node to an end by listed hops. One channel may
 * have hops to several states. */
static bool permits_hops(const struct nb_scheme_paths *paths, uint32_t node,
                         size_t length, const uint32_t *channel)
{
    const size_t end = paths->first[node + 1];
    if (length == 0)
        return paths->first[node] == end;
    for (size_t h = paths->first[node]; h < end; h++)
        if (paths->hop[h].channel == channel[0] &&
            permits_hops(paths, paths->hop[h].node, length - 1, channel + 1))
            return true;
    return false;
}

/* The same for one phase from router to router. */
static bool permits_phase(const struct nb_scheme_paths *paths, uint32_t source,
                          uint32_t destination, size_t start, size_t length,
                          const uint32_t *channel)
{
    if (source == destination)
        return length == 0;
    return permits_hops(paths,
                        nb_scheme_node(paths, source, destination, start),
                        length, channel);
}

/* The router that a path reaches after this number of hops. */
static uint32_t permits_router(const struct nb_scheme_search *search,
                               const struct nb_table_path *path, uint32_t hops,
                               const uint32_t *channel)
{
    const struct nb_channel *channels =
        search->paths->routing->topology->channels;
    return hops == 0 ? path->source : channels[channel[hops - 1]].target;
}

/* The number of routers after the source at which a packet that goes straight
 * along a path is decided on again: those after each of its first hops. */
static uint32_t permits_asked(struct nb_scheme_search *search,
                              const struct nb_table_path *path,
                              const uint32_t *channel)
{
    const struct nb_routing *routing = search->paths->routing;
    const uint32_t most = path->turn > 0 ? path->turn : path->length;
    uint32_t hops = 0;
    if (!routing->is_progressive)
        return 0;
    const nb_route_state straight = nb_scheme_straight(
        routing, search->starts, path->source, path->destination);
    const bool is_straight = search->starts[path->start].intermediates == 0;
    while (hops < (is_straight ? most : path->turn) &&
           nb_scheme_turns(search->paths, straight, channel[hops],
                           path->destination))
        hops++;
    return hops;
}

/* Whether the hops before the turn are straight, through routers that
 * decide. */
static bool permits_turn(struct nb_scheme_search *search,
                         const struct nb_table_path *path,
                         const uint32_t *channel)
{
    const struct nb_scheme_paths *paths = search->paths;
    uint32_t node = nb_scheme_node(paths, path->source, path->destination, 0);
    if (path->turn > path->leg ||
        permits_asked(search, path, channel) != path->turn)
        return false;
    for (uint32_t h = 0; h < path->turn; h++) {
        size_t at = paths->first[node];
        while (at < paths->first[node + 1] &&
               paths->hop[at].channel != channel[h])
            at++;
        if (at == paths->first[node + 1])
            return false;
        node = paths->hop[at].node;
    }
    return true;
}

bool nb_scheme_search_permits(struct nb_scheme_search *search,
                              const struct nb_table_path *path,
                              const uint32_t *channel)
{
    const struct nb_scheme_paths *paths = search->paths;
    const struct nb_routing *routing = paths->routing;
    const size_t count = nb_route_starts(routing, path->source,
                                         path->destination, search->starts);
    struct nb_intermediates set;
    for (uint32_t h = 0; h < path->length; h++)
        if (channel[h] >= routing->topology->channel_count)
            return false;
    if (path->start >= count || path->leg > path->length)
        return false;
    if (search->starts[path->start].intermediates == 0)
        return path->leg == path->length && path->turn == 0 &&
               permits_phase(paths, path->source, path->destination,
                             path->start, path->length, channel);
    if (!permits_turn(search, path, channel))
        return false;
    const uint32_t at = permits_router(search, path, path->turn, channel);
    const uint32_t through = permits_router(search, path, path->leg, channel);
    nb_intermediates_find(routing, at, path->destination, &set);
    return routing->topology->terminals[through] > 0 &&
           nb_intermediates_times(&set, through) > 0 &&
           permits_phase(paths, at, through, 0, path->leg - path->turn,
                         channel + path->turn) &&
           permits_phase(paths, through, path->destination, 0,
                         path->length - path->leg, channel + path->leg);
}

/* Whether each start's share equals that of its weight. */
static bool shares_by_weight(struct nb_scheme_search *search,
                             const struct nb_table_path *path, size_t count,
                             nb_int128 sum)
{
    const struct nb_routing *routing = search->paths->routing;
    const size_t starts = nb_route_starts(routing, path->source,
                                          path->destination, search->starts);
    for (size_t i = 0; i < starts; i++) {
        nb_int128 weight = 0;
        for (size_t p = 0; p < count; p++)
            if (path[p].start == i)
                weight += (nb_int128)path[p].weight;
        if (weight * (nb_int128)routing->start_total !=
            sum * (nb_int128)search->starts[i].weight)
            return false;
    }
    return true;
}

/* Orders by share per occurrence of the router in the set, greatest first; the
 * number of occurrences is in way's distance. */
static int shares_compare(const void *left, const void *right)
{
    const struct nb_scheme_way *a = left, *b = right;
    const nb_int128 one = (nb_int128)a->units * b->distance;
    const nb_int128 other = (nb_int128)b->units * a->distance;
    if (one != other)
        return one > other ? -1 : 1;
    return (a->through > b->through) - (a->through < b->through);
}

/* Lists the routers that paths turning at one router go through, with the sum
 * of each one's weights. */
static size_t shares_list(struct nb_scheme_search *search, uint32_t at,
                          const struct nb_table_path *path, size_t count,
                          const uint32_t *channel)
{
    const struct nb_routing *routing = search->paths->routing;
    struct nb_scheme_way *way = search->way;
    struct nb_intermediates set;
    size_t ways = 0;
    nb_intermediates_find(routing, at, path->destination, &set);
    nb_route_starts(routing, path->source, path->destination, search->starts);
    for (size_t p = 0; p < count; p++) {
        const uint32_t *of = channel + path[p].first;
        if (search->starts[path[p].start].intermediates == 0 ||
            permits_router(search, &path[p], path[p].turn, of) != at)
            continue;
        const uint32_t through =
            permits_router(search, &path[p], path[p].leg, of);
        if (search->times[through] == 0) {
            way[ways++] = (struct nb_scheme_way){
                .through = through,
                .distance = (int64_t)nb_intermediates_times(&set, through),
            };
            search->times[through] = (uint32_t)ways;
        }
        way[search->times[through] - 1].units += (int64_t)path[p].weight;
    }
    for (size_t w = 0; w < ways; w++)
        search->times[way[w].through] = 0;
    return ways;
}

/* The weight of a pair's packets that are decided on at a router. */
static nb_int128 shares_asked(struct nb_scheme_search *search, uint32_t at,
                              const struct nb_table_path *path, size_t count,
                              const uint32_t *channel)
{
    nb_int128 sum = 0;
    for (size_t p = 0; p < count; p++) {
        const uint32_t *of = channel + path[p].first;
        const uint32_t most = permits_asked(search, &path[p], of);
        for (uint32_t h = 0; h <= most; h++)
            if (permits_router(search, &path[p], h, of) == at)
                sum += (nb_int128)path[p].weight;
    }
    return sum;
}

/* Since f is concave, among sets of a given size those with the greatest shares
 * per occurrence are the first to exceed f. */
static bool shares_by_draws(struct nb_scheme_search *search, uint32_t at,
                            const struct nb_table_path *path, size_t count,
                            const uint32_t *channel)
{
    const struct nb_scheme_paths *paths = search->paths;
    const nb_int128 sum = shares_asked(search, at, path, count, channel);
    const size_t ways = shares_list(search, at, path, count, channel);
    const size_t starts =
        nb_route_starts(paths->routing, at, path->destination, search->starts);
    const int64_t *gain = paths->gain[search->starts[starts - 1].intermediates];
    nb_int128 weight = 0, permitted = 0;
    size_t taken = 0;
    qsort(search->way, ways, sizeof *search->way, shares_compare);
    for (size_t w = 0; w < ways; w++) {
        weight += search->way[w].units;
        for (int64_t t = 0; t < search->way[w].distance; t++)
            permitted += gain[taken++];
        if (weight * paths->level_unit > permitted * sum)
            return false;
    }
    return true;
}

/* The same at every router where packets of the pair are decided on. */
static bool shares_at_all(struct nb_scheme_search *search,
                          const struct nb_table_path *path, size_t count,
                          const uint32_t *channel)
{
    const size_t n = search->paths->routing->topology->router_count;
    bool is_permitted = true;
    for (size_t p = 0; p < count; p++) {
        const uint32_t *of = channel + path[p].first;
        const uint32_t most = permits_asked(search, &path[p], of);
        for (uint32_t h = 0; h <= most && is_permitted; h++) {
            const uint32_t at = permits_router(search, &path[p], h, of);
            is_permitted = search->is_done[at] ||
                           shares_by_draws(search, at, path, count, channel);
            search->is_done[at] = true;
        }
    }
    memset(search->is_done, 0, n * sizeof *search->is_done);
    return is_permitted;
}

bool nb_scheme_search_permits_shares(struct nb_scheme_search *search,
                                     const struct nb_table_path *path,
                                     size_t count, const uint32_t *channel)
{
    const struct nb_routing *routing = search->paths->routing;
    nb_int128 sum = 0;
    for (size_t p = 0; p < count; p++)
        sum += (nb_int128)path[p].weight;
    if (routing->kind->cost == NULL)
        return shares_by_weight(search, path, count, sum);
    return routing->phase == NULL ||
           shares_at_all(search, path, count, channel);
}
