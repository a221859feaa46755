#include "optimum/scheme_work.h"

#include "core/memory.h"
#include "routing/intermediates.h"

#include <stdlib.h>
#include <string.h>

enum nb_status nb_scheme_search_init(const struct nb_scheme_paths *paths,
                                     struct nb_scheme_search *out,
                                     struct nb_error *err)
{
    const struct nb_routing *routing = paths->routing;
    const struct nb_topology *topology = routing->topology;
    struct nb_pool *pool = &out->pool;
    enum nb_status status = NB_OK;
    *out = (struct nb_scheme_search){ .paths = paths };
    NB_TRY(nb_memory_require((double)paths->node_count * 12,
                             "lengths of a scheme's paths", err));
    out->length =
        nb_pool_array(pool, topology->channel_count, sizeof *out->length);
    out->distance =
        nb_pool_array(pool, paths->node_count, sizeof *out->distance);
    out->onward = nb_pool_array(pool, paths->node_count, sizeof *out->onward);
    out->starts =
        nb_pool_array(pool, routing->most_starts, sizeof *out->starts);
    out->times =
        nb_pool_array(pool, topology->router_count, sizeof *out->times);
    out->is_done =
        nb_pool_array(pool, topology->router_count, sizeof *out->is_done);
    out->chain = nb_pool_array(pool, paths->longest, sizeof *out->chain);
    out->way =
        nb_pool_array(pool,
                      (paths->levels + 1) *
                          (routing->most_starts + routing->most_intermediates),
                      sizeof *out->way);
    NB_TRY(nb_pool_check(pool, "lengths of a scheme's paths", err));
done:
    if (status != NB_OK)
        nb_scheme_search_release(out);
    return status;
}

void nb_scheme_search_release(struct nb_scheme_search *search)
{
    nb_pool_release(&search->pool);
    *search = (struct nb_scheme_search){ 0 };
}

void nb_scheme_search_run(struct nb_scheme_search *search, uint32_t destination,
                          const int64_t *length)
{
    const struct nb_scheme_paths *paths = search->paths;
    const size_t bytes =
        paths->routing->topology->channel_count * sizeof *length;
    search->destination = destination;
    if (search->has_lengths && memcmp(search->length, length, bytes) == 0)
        return;
    memcpy(search->length, length, bytes);
    search->has_lengths = true;
    for (size_t node = 0; node < paths->node_count; node++) {
        const size_t end = paths->first[node + 1];
        int64_t least = paths->first[node] == end ? 0 : INT64_MAX;
        for (size_t h = paths->first[node]; h < end; h++) {
            const struct nb_scheme_hop *hop = &paths->hop[h];
            const int64_t distance =
                search->distance[hop->node] + length[hop->channel];
            if (distance >= least)
                continue;
            least = distance;
            search->onward[node] = (uint32_t)(h - paths->first[node]);
        }
        search->distance[node] = least;
    }
}

/* From a router through another; with two phases each has one start. */
static struct nb_scheme_way
scheme_through(const struct nb_scheme_search *search, uint32_t source,
               uint32_t router, uint32_t start)
{
    const struct nb_scheme_paths *paths = search->paths;
    struct nb_scheme_way way = { .start = start,
                                 .through = router,
                                 .node = NB_NONE };
    if (source != router) {
        way.node = nb_scheme_node(paths, source, router, 0);
        way.distance += search->distance[way.node];
    }
    if (router != search->destination)
        way.distance += search->distance[nb_scheme_node(
            paths, router, search->destination, 0)];
    return way;
}

static int scheme_compare(const void *left, const void *right)
{
    const struct nb_scheme_way *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->through > b->through) - (a->through < b->through);
}

/* Starts drawn by weight; or, if any may be chosen, the shortest path. */
static void fill_starts(struct nb_scheme_search *search, uint32_t source,
                        size_t count)
{
    const struct nb_scheme_paths *paths = search->paths;
    const bool is_chosen = paths->routing->kind->cost != NULL;
    const int64_t scale = paths->unit / (int64_t)paths->routing->start_total;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node =
            nb_scheme_node(paths, source, search->destination, i);
        const struct nb_scheme_way way = {
            .units = is_chosen ? paths->unit
                               : (int64_t)search->starts[i].weight * scale,
            .distance = search->distance[node],
            .start = i,
            .through = NB_NONE,
            .node = node,
        };
        if (!is_chosen || search->way_count == 0)
            search->way[search->way_count++] = way;
        else if (way.distance < search->way[0].distance)
            search->way[0] = way;
    }
}

/* Lists the routers drawn at a router, each once, if the path through them is
 * shorter than straight / scale; times: how often each is in the set. way:
 * out. */
static size_t fill_list(struct nb_scheme_search *search, uint32_t router,
                        uint32_t start, int64_t straight, int64_t scale,
                        struct nb_scheme_way *way)
{
    const struct nb_routing *routing = search->paths->routing;
    struct nb_intermediates set;
    size_t count = 0;
    nb_intermediates_find(routing, router, search->destination, &set);
    for (uint64_t i = 0; i < set.count; i++) {
        const uint32_t through = nb_intermediates_router(&set, i);
        if (search->times[through]++ > 0)
            continue;
        way[count] = scheme_through(search, router, through, start);
        count += way[count].distance * scale < straight;
    }
    return count;
}

/* Resets the number of times that routers are in the set. */
static void fill_forget(struct nb_scheme_search *search, uint32_t router)
{
    const struct nb_routing *routing = search->paths->routing;
    struct nb_intermediates set;
    nb_intermediates_find(routing, router, search->destination, &set);
    for (uint64_t i = 0; i < set.count; i++)
        search->times[nb_intermediates_router(&set, i)] = 0;
}

/*
 * Fills the paths of packets decided on at a router, from the shortest up, in
 * units of level_unit; the rest goes straight.
 *
 * straight  cost of going straight, times scale; INT64_MAX: not a candidate
 * way       out
 * left      out
 *
 * Returns the number of paths.
 */
static size_t fill_drawn(struct nb_scheme_search *search, uint32_t router,
                         int64_t straight, int64_t scale,
                         struct nb_scheme_way *way, int64_t *left)
{
    const struct nb_scheme_paths *paths = search->paths;
    const size_t starts = nb_route_starts(paths->routing, router,
                                          search->destination, search->starts);
    const uint32_t drawn = search->starts[0].intermediates > 0 ? 0 : 1;
    const int64_t *gain = paths->gain[search->starts[starts - 1].intermediates];
    const size_t listed =
        fill_list(search, router, drawn, straight, scale, way);
    uint64_t taken = 0;
    size_t count = 0;
    *left = paths->level_unit;
    qsort(way, listed, sizeof *way, scheme_compare);
    for (; *left > 0 && count < listed; count++) {
        struct nb_scheme_way *now = &way[count];
        for (uint32_t t = 0; t < search->times[now->through]; t++)
            now->units += gain[taken++];
        now->units = now->units < *left ? now->units : *left;
        *left -= now->units;
    }
    while (count > 0 && way[count - 1].units == 0)
        count--; /* those without any gain from draws */
    fill_forget(search, router);
    return count;
}

/* level_unit to the power of the number of levels below this one. */
static int64_t fill_scale(const struct nb_scheme_paths *paths, uint32_t level)
{
    int64_t scale = 1;
    while (++level < paths->levels)
        scale *= paths->level_unit;
    return scale;
}

static int64_t fill_asked(struct nb_scheme_search *search, uint32_t router,
                          nb_route_state straight, uint32_t level);

/*
 * Cost of going straight from a router, times fill_scale(level).
 *
 * hop  out: the first hop, by its place; NULL: not wanted
 */
static int64_t fill_straight(struct nb_scheme_search *search, uint32_t router,
                             nb_route_state straight, uint32_t level,
                             size_t *hop)
{
    const struct nb_scheme_paths *paths = search->paths;
    const uint32_t destination = search->destination;
    const uint32_t node = nb_scheme_node(paths, router, destination, 0);
    const int64_t scale = fill_scale(paths, level);
    int64_t least = INT64_MAX;
    for (size_t h = paths->first[node]; h < paths->first[node + 1]; h++) {
        const struct nb_scheme_hop *on = &paths->hop[h];
        const uint32_t to =
            paths->routing->topology->channels[on->channel].target;
        const int64_t cost =
            search->length[on->channel] * scale +
            (nb_scheme_turns(paths, straight, on->channel, destination)
                 ? fill_asked(search, to, straight, level + 1)
                 : search->distance[on->node] * scale);
        if (cost >= least)
            continue;
        least = cost;
        if (hop != NULL)
            *hop = h;
    }
    return least;
}

/* Cost of a decision at a router, times level_unit fill_scale(level). */
static int64_t fill_asked(struct nb_scheme_search *search, uint32_t router,
                          nb_route_state straight, uint32_t level)
{
    const int64_t scale = fill_scale(search->paths, level);
    struct nb_scheme_way *way = search->way + search->way_count;
    const int64_t on = fill_straight(search, router, straight, level, NULL);
    int64_t left, sum = 0;
    const size_t count = fill_drawn(search, router, on, scale, way, &left);
    for (size_t w = 0; w < count; w++)
        sum += way[w].units * way[w].distance * scale;
    return sum + left * on;
}

/*
 * The paths of a pair under a progressive scheme: those through routers drawn
 * at the source, then, for packets that went straight, those through routers
 * drawn at the next router that decides, and so on.
 */
static void fill_progressive(struct nb_scheme_search *search, uint32_t source)
{
    const struct nb_scheme_paths *paths = search->paths;
    const nb_route_state straight = nb_scheme_straight(
        paths->routing, search->starts, source, search->destination);
    int64_t mass = 1, before = 0, left;
    uint32_t router = source;
    for (uint32_t level = 0;; level++) {
        const int64_t scale = fill_scale(paths, level);
        struct nb_scheme_way *way = search->way + search->way_count;
        size_t h = 0;
        const int64_t on = fill_straight(search, router, straight, level, &h);
        const size_t count = fill_drawn(search, router, on, scale, way, &left);
        for (size_t w = 0; w < count; w++) {
            way[w].units *= mass * scale;
            way[w].distance += before;
            way[w].turn = level;
        }
        search->way_count += count;
        mass *= left;
        const struct nb_scheme_hop *hop = &paths->hop[h];
        search->chain[level] = hop->channel;
        before += search->length[hop->channel];
        router = paths->routing->topology->channels[hop->channel].target;
        if (left > 0 &&
            nb_scheme_turns(paths, straight, hop->channel, search->destination))
            continue;
        if (left > 0)
            search->way[search->way_count++] = (struct nb_scheme_way){
                .units = mass * scale,
                .distance = before + search->distance[hop->node],
                .turn = level + 1,
                .through = NB_NONE,
                .node = hop->node,
            };
        return;
    }
}

/* The same for a scheme that decides once, at the source. */
static void fill_two_phases(struct nb_scheme_search *search, uint32_t source)
{
    const struct nb_scheme_paths *paths = search->paths;
    struct nb_scheme_way straight = { .distance = INT64_MAX,
                                      .through = NB_NONE };
    if (search->starts[0].intermediates == 0) {
        straight.node = nb_scheme_node(paths, source, search->destination, 0);
        straight.distance = search->distance[straight.node];
    }
    search->way_count = fill_drawn(search, source, straight.distance, 1,
                                   search->way, &straight.units);
    if (straight.units > 0)
        search->way[search->way_count++] = straight;
}

int64_t nb_scheme_search_fill(struct nb_scheme_search *search, uint32_t source)
{
    const struct nb_routing *routing = search->paths->routing;
    int64_t total = 0;
    search->way_count = 0;
    if (source == search->destination)
        return 0;
    const size_t count =
        nb_route_starts(routing, source, search->destination, search->starts);
    if (routing->phase == NULL)
        fill_starts(search, source, count);
    else if (routing->is_progressive)
        fill_progressive(search, source);
    else
        fill_two_phases(search, source);
    for (size_t w = 0; w < search->way_count; w++)
        total += search->way[w].units * search->way[w].distance;
    return total;
}

/* The shortest path from a node; NB_NONE: no hop. */
static size_t scheme_follow(const struct nb_scheme_search *search,
                            uint32_t node, uint32_t *channel)
{
    const struct nb_scheme_paths *paths = search->paths;
    size_t length = 0;
    while (node != NB_NONE && paths->first[node] < paths->first[node + 1]) {
        const struct nb_scheme_hop *hop =
            &paths->hop[paths->first[node] + search->onward[node]];
        channel[length++] = hop->channel;
        node = hop->node;
    }
    return length;
}

size_t nb_scheme_search_path(const struct nb_scheme_search *search,
                             const struct nb_scheme_way *way, uint32_t *channel,
                             uint32_t *leg)
{
    size_t length = way->turn;
    memcpy(channel, search->chain, length * sizeof *channel);
    length += scheme_follow(search, way->node, channel + length);
    *leg = (uint32_t)length;
    if (way->through != NB_NONE && way->through != search->destination)
        length += scheme_follow(
            search,
            nb_scheme_node(search->paths, way->through, search->destination, 0),
            channel + length);
    return length;
}
