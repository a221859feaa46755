#include "bounds/optimum/scheme_paths.h"

#include "core/memory.h"
#include "routing/intermediates.h"
#include "routing/two_phase.h"
#include "routing/walker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares are whole multiples of 1 / unit up to this unit; beyond it they are
 * multiples of its inverse, rounded up. Of several levels, all together. */
enum { SCHEME_UNIT_BITS = 20 };

/* A greatest length, and what a pair's total stays below. */
enum { SCHEME_LENGTH_BITS = 40, SCHEME_TOTAL_BITS = 62 };

/* The scheme that walks: itself or its phase. */
static const struct nb_routing *scheme_base(const struct nb_routing *routing)
{
    return routing->phase != NULL ? routing->phase : routing;
}

static enum nb_status scheme_refuse(const struct nb_routing *routing,
                                    struct nb_error *err)
{
    const struct nb_routing_kind *kind = routing->kind;
    if (!kind->is_adaptive)
        return nb_fail(err, NB_INVALID,
                       "routing %s is oblivious: its throughput is exact "
                       "(permitted here: adaptive schemes; load has this one)",
                       kind->kind.name);
    if (routing->phase == NULL ||
        (kind->cost != NULL && routing->find_intermediates != NULL))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "routing %s draws intermediate routers that it does not "
                   "compare, or from quadrants (permitted here: schemes of one "
                   "phase, or that compare routers drawn)",
                   kind->kind.name);
}

/* In which state a packet that is asked about goes straight on. */
static nb_route_state scheme_straight(const struct nb_routing *routing,
                                      struct nb_start *starts, uint32_t source,
                                      uint32_t destination)
{
    nb_route_starts(routing, source, destination, starts);
    return nb_route_begin(routing, &starts[0], 0, source, destination);
}

/* Where the starts of the pairs of one destination begin. */
static void scheme_note_starts(struct nb_scheme_paths *paths,
                               struct nb_walker *walker, uint32_t destination,
                               size_t first, const uint32_t *place)
{
    const struct nb_routing *base = walker->routing;
    const struct nb_topology *topology = base->topology;
    const size_t n = topology->router_count;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t *start =
            paths->start + (destination * n + s) * paths->most_starts;
        for (size_t i = 0; i < paths->most_starts; i++)
            start[i] = NB_NONE;
        if (s == destination || topology->terminals[s] == 0)
            continue;
        const size_t count =
            nb_route_starts(base, s, destination, walker->starts);
        for (size_t i = 0; i < count; i++)
            start[i] = (uint32_t)first +
                       place[nb_walker_start(walker, &walker->starts[i], s)];
    }
}

/* Takes over what the walker found, in its order. place: [node_count] scratch.
 */
static enum nb_status scheme_take(struct nb_scheme_paths *paths,
                                  struct nb_walker *walker, uint32_t *place,
                                  struct nb_error *err)
{
    static const char what[] = "paths of a scheme";
    const size_t first = paths->node_count;
    size_t hops = first > 0 ? paths->first[first] : 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_reserve(&paths->first, &paths->node_room,
                      first + walker->node_count + 1, sizeof *paths->first,
                      what, err));
    NB_TRY(nb_reserve(&paths->hop, &paths->hop_room, hops + walker->hop_count,
                      sizeof *paths->hop, what, err));
    if (first + walker->node_count >= NB_NONE)
        NB_TRY(nb_fail(err, NB_NO_MEMORY,
                       "%zu states of packets (permitted: below 2^32 - 1)",
                       first + walker->node_count));
    for (size_t i = 0; i < walker->node_count; i++) {
        const uint32_t from = walker->order[i];
        place[from] = (uint32_t)i;
        paths->first[paths->node_count++] = hops;
        for (size_t h = walker->node[from].first;
             h < walker->node[from + 1].first; h++)
            paths->hop[hops++] = (struct nb_scheme_hop){
                walker->hop[h].channel,
                (uint32_t)first + place[walker->hop[h].node],
            };
    }
    paths->first[paths->node_count] = hops;
    if (walker->longest > paths->longest)
        paths->longest = walker->longest;
    scheme_note_starts(paths, walker, walker->destination, first, place);
done:
    return status;
}

static enum nb_status scheme_walk(struct nb_scheme_paths *paths,
                                  struct nb_error *err)
{
    const struct nb_routing *base = scheme_base(paths->routing);
    const struct nb_topology *topology = base->topology;
    const size_t n = topology->router_count;
    struct nb_walker walker = { 0 };
    struct nb_pool pool = { 0 };
    uint32_t *source = nb_pool_array(&pool, n, sizeof *source);
    uint32_t *place =
        nb_pool_array(&pool, n * base->state_count, sizeof *place);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "paths of a scheme", err));
    NB_TRY(nb_walker_init(base, NULL, &walker, err));
    for (uint32_t t = 0; t < n; t++) {
        size_t count = 0;
        if (topology->terminals[t] == 0)
            continue;
        for (uint32_t s = 0; s < n; s++)
            if (s != t && topology->terminals[s] > 0)
                source[count++] = s;
        NB_TRY(nb_walker_go(&walker, t, source, count, 0, 0, err));
        NB_TRY(scheme_take(paths, &walker, place, err));
    }
    if (base != paths->routing)
        paths->longest *= paths->routing->is_progressive ? 3 : 2;
done:
    nb_walker_release(&walker);
    nb_pool_release(&pool);
    return status;
}

/* Where a packet of one phase begins. */
static uint32_t scheme_node(const struct nb_scheme_paths *paths,
                            uint32_t source, uint32_t destination, size_t start)
{
    return paths
        ->start[((size_t)destination * paths->routing->topology->router_count +
                 source) *
                    paths->most_starts +
                start];
}

/* Whether a packet that goes straight is asked about again after a hop. */
static bool scheme_turns(const struct nb_scheme_paths *paths,
                         nb_route_state straight, uint32_t channel,
                         uint32_t destination)
{
    const struct nb_routing *routing = paths->routing;
    return routing->is_progressive &&
           nb_two_phase_turns(routing, straight,
                              routing->topology->channels[channel].target,
                              destination);
}

/* How often a packet that goes straight from a node is asked about at most. */
static uint32_t scheme_depth(const struct nb_scheme_paths *paths, uint32_t node,
                             nb_route_state straight, uint32_t destination)
{
    uint32_t most = 0;
    for (size_t h = paths->first[node]; h < paths->first[node + 1]; h++) {
        const struct nb_scheme_hop *hop = &paths->hop[h];
        if (!scheme_turns(paths, straight, hop->channel, destination))
            continue;
        const uint32_t depth =
            scheme_depth(paths, hop->node, straight, destination);
        most = depth > most ? depth : most;
    }
    return 1 + most;
}

static void scheme_count_levels(struct nb_scheme_paths *paths,
                                struct nb_start *starts)
{
    const struct nb_routing *routing = paths->routing;
    const struct nb_topology *topology = routing->topology;
    paths->levels = 1;
    for (uint32_t d = 0; d < topology->router_count; d++)
        for (uint32_t s = 0;
             routing->is_progressive && s < topology->router_count; s++) {
            if (s == d)
                continue;
            const uint32_t depth =
                scheme_depth(paths, scheme_node(paths, s, d, 0),
                             scheme_straight(routing, starts, s, d), d);
            paths->levels = depth > paths->levels ? depth : paths->levels;
        }
}

/* The greatest level_unit. */
static int64_t scheme_most_unit(const struct nb_scheme_paths *paths)
{
    return (int64_t)1 << (SCHEME_UNIT_BITS / paths->levels);
}

/* count^draws, draws > 0; 0 above the limit. */
static int64_t scheme_power(uint64_t count, uint64_t draws, int64_t limit)
{
    int64_t power = count > 0;
    for (uint64_t i = 0; power > 0 && i < draws; i++) {
        if (power > limit / (int64_t)count)
            return 0;
        power *= (int64_t)count;
    }
    return power;
}

/*
 * What each of m routers drawn from adds to f, in units: exact where m^draws
 * divides the unit, else rounded up, and never less than what the next one
 * adds.
 */
static void scheme_gains(const struct nb_scheme_paths *paths, size_t m,
                         int64_t *gain)
{
    const uint64_t draws = paths->routing->draws;
    const int64_t power = scheme_power(m, draws, scheme_most_unit(paths));
    if (paths->routing->kind->is_asked_again) {
        gain[0] = paths->level_unit; /* the others, zeroed, add nothing */
        return;
    }
    for (size_t k = 0; k < m; k++) {
        if (power > 0 && paths->level_unit % power == 0) {
            gain[k] = (scheme_power(m - k, draws, INT64_MAX) -
                       scheme_power(m - k - 1, draws, INT64_MAX)) *
                      (paths->level_unit / power);
            continue;
        }
        /* The margin is above all that the powers are rounded by. */
        const long double fall =
            powl((long double)(m - k) / (long double)m, (long double)draws) -
            powl((long double)(m - k - 1) / (long double)m, (long double)draws);
        gain[k] = (int64_t)ceill((long double)paths->level_unit * fall + 1e-9L);
    }
    for (size_t k = m - 1; k-- > 0;)
        gain[k] = gain[k] > gain[k + 1] ? gain[k] : gain[k + 1];
}

/* Calls visit with the number of routers that each pair draws from. */
static enum nb_status
scheme_visit_sizes(struct nb_scheme_paths *paths, struct nb_start *starts,
                   enum nb_status (*visit)(struct nb_scheme_paths *paths,
                                           uint64_t size, struct nb_error *err),
                   struct nb_error *err)
{
    const struct nb_topology *topology = paths->routing->topology;
    for (uint32_t d = 0; d < topology->router_count; d++)
        for (uint32_t s = 0; s < topology->router_count; s++) {
            if (s == d || topology->terminals[s] == 0 ||
                topology->terminals[d] == 0)
                continue;
            const size_t count = nb_route_starts(paths->routing, s, d, starts);
            const enum nb_status status =
                visit(paths, starts[count - 1].intermediates, err);
            if (status != NB_OK)
                return status;
        }
    return NB_OK;
}

/* Makes shares of so many routers whole, or gives up. */
static enum nb_status scheme_unite(struct nb_scheme_paths *paths, uint64_t size,
                                   struct nb_error *err)
{
    (void)err;
    const int64_t power =
        scheme_power(size, paths->routing->draws, scheme_most_unit(paths));
    if (!paths->is_rounded)
        paths->level_unit =
            nb_unite(paths->level_unit, power, scheme_most_unit(paths));
    if (paths->level_unit == 0) {
        paths->is_rounded = true;
        paths->level_unit = scheme_most_unit(paths);
    }
    return NB_OK;
}

static enum nb_status scheme_add_gains(struct nb_scheme_paths *paths,
                                       uint64_t size, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (paths->gain[size] != NULL)
        return NB_OK;
    paths->gain[size] = nb_pool_array(&paths->pool, size, sizeof(int64_t));
    NB_TRY(nb_pool_check(&paths->pool, "shares of intermediate routers", err));
    scheme_gains(paths, size, paths->gain[size]);
done:
    return status;
}

static enum nb_status scheme_find_shares(struct nb_scheme_paths *paths,
                                         struct nb_error *err)
{
    const struct nb_routing *routing = paths->routing;
    struct nb_start *starts = NULL;
    enum nb_status status = NB_OK;
    paths->levels = 1;
    paths->level_unit = paths->unit =
        routing->kind->cost != NULL ? 1 : (int64_t)routing->start_total;
    if (routing->phase == NULL)
        return NB_OK;
    NB_TRY(
        nb_new(&starts, routing->most_starts, sizeof *starts, "starts", err));
    paths->gain = nb_pool_array(&paths->pool, routing->most_intermediates + 1,
                                sizeof *paths->gain);
    NB_TRY(nb_pool_check(&paths->pool, "shares of intermediate routers", err));
    scheme_count_levels(paths, starts);
    if (!routing->kind->is_asked_again)
        NB_TRY(scheme_visit_sizes(paths, starts, scheme_unite, err));
    for (uint32_t level = 0; level < paths->levels; level++)
        paths->unit *= paths->level_unit;
    NB_TRY(scheme_visit_sizes(paths, starts, scheme_add_gains, err));
done:
    nb_delete(starts);
    return status;
}

/* As long as a pair's total permits: unit times hops of them. */
static void scheme_limit_lengths(struct nb_scheme_paths *paths)
{
    int exponent;
    frexp((double)paths->unit * (double)paths->longest, &exponent);
    const int bits = SCHEME_TOTAL_BITS - exponent;
    paths->most_length =
        (int64_t)1 << (bits < SCHEME_LENGTH_BITS ? bits : SCHEME_LENGTH_BITS);
}

enum nb_status nb_scheme_paths_init(const struct nb_routing *routing,
                                    struct nb_scheme_paths *out,
                                    struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const size_t most_starts = scheme_base(routing)->most_starts;
    enum nb_status status;
    *out = (struct nb_scheme_paths){ .routing = routing,
                                     .most_starts = most_starts };
    NB_TRY(scheme_refuse(routing, err));
    NB_TRY(nb_memory_require((double)n * (double)n * (double)most_starts *
                                 sizeof *out->start,
                             "paths of a scheme", err));
    out->start =
        nb_pool_array(&out->pool, n * n * most_starts, sizeof *out->start);
    NB_TRY(nb_pool_check(&out->pool, "paths of a scheme", err));
    NB_TRY(scheme_walk(out, err));
    NB_TRY(scheme_find_shares(out, err));
    scheme_limit_lengths(out);
done:
    if (status != NB_OK)
        nb_scheme_paths_release(out);
    return status;
}

void nb_scheme_paths_release(struct nb_scheme_paths *paths)
{
    nb_delete(paths->first);
    nb_delete(paths->hop);
    nb_pool_release(&paths->pool);
    *paths = (struct nb_scheme_paths){ 0 };
}

/* The cheapest mixtures. */

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

/* From a router through another; of two phases each has one start. */
static struct nb_scheme_way
scheme_through(const struct nb_scheme_search *search, uint32_t source,
               uint32_t router, uint32_t start)
{
    const struct nb_scheme_paths *paths = search->paths;
    struct nb_scheme_way way = { .start = start,
                                 .through = router,
                                 .node = NB_NONE };
    if (source != router) {
        way.node = scheme_node(paths, source, router, 0);
        way.distance += search->distance[way.node];
    }
    if (router != search->destination)
        way.distance +=
            search
                ->distance[scheme_node(paths, router, search->destination, 0)];
    return way;
}

static int scheme_compare(const void *left, const void *right)
{
    const struct nb_scheme_way *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return (a->through > b->through) - (a->through < b->through);
}

/* Starts drawn by weight; or, if any may be chosen, the shortest way. */
static void fill_starts(struct nb_scheme_search *search, uint32_t source,
                        size_t count)
{
    const struct nb_scheme_paths *paths = search->paths;
    const bool is_chosen = paths->routing->kind->cost != NULL;
    const int64_t scale = paths->unit / (int64_t)paths->routing->start_total;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node =
            scheme_node(paths, source, search->destination, i);
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

/* The routers that are drawn from at a router, each once, if the way through
 * them is shorter than straight / scale; times: how often each is in the set.
 * way: out. */
static size_t fill_list(struct nb_scheme_search *search, uint32_t router,
                        uint32_t start, int64_t straight, int64_t scale,
                        struct nb_scheme_way *way)
{
    const struct nb_routing *routing = search->paths->routing;
    struct nb_intermediates set;
    size_t count = 0;
    routing->find_intermediates(routing, router, search->destination, &set);
    for (uint64_t i = 0; i < set.count; i++) {
        const uint32_t through = nb_intermediates_router(&set, i);
        if (search->times[through]++ > 0)
            continue;
        way[count] = scheme_through(search, router, through, start);
        count += way[count].distance * scale < straight;
    }
    return count;
}

/* Forgets how often routers are in the set. */
static void fill_forget(struct nb_scheme_search *search, uint32_t router)
{
    const struct nb_routing *routing = search->paths->routing;
    struct nb_intermediates set;
    routing->find_intermediates(routing, router, search->destination, &set);
    for (uint64_t i = 0; i < set.count; i++)
        search->times[nb_intermediates_router(&set, i)] = 0;
}

/*
 * Fills the ways of packets that are asked about at a router, from the shortest
 * up, in units of level_unit; what is left goes straight.
 *
 * straight  what that costs, times scale; INT64_MAX: it is no candidate
 * way       out
 * left      out
 *
 * Returns how many ways there are.
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
    for (; count<listed && * left> 0; count++) {
        struct nb_scheme_way *now = &way[count];
        for (uint32_t t = 0; t < search->times[now->through]; t++)
            now->units += gain[taken++];
        now->units = now->units < *left ? now->units : *left;
        *left -= now->units;
    }
    while (count > 0 && way[count - 1].units == 0)
        count--; /* those that draws add nothing for */
    fill_forget(search, router);
    return count;
}

/* level_unit to the power of the levels below one. */
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
 * What it costs to go straight on from a router, times fill_scale(level).
 *
 * hop  out: the first hop, by its place; NULL: not wanted
 */
static int64_t fill_straight(struct nb_scheme_search *search, uint32_t router,
                             nb_route_state straight, uint32_t level,
                             size_t *hop)
{
    const struct nb_scheme_paths *paths = search->paths;
    const uint32_t destination = search->destination;
    const uint32_t node = scheme_node(paths, router, destination, 0);
    const int64_t scale = fill_scale(paths, level);
    int64_t least = INT64_MAX;
    for (size_t h = paths->first[node]; h < paths->first[node + 1]; h++) {
        const struct nb_scheme_hop *on = &paths->hop[h];
        const uint32_t to =
            paths->routing->topology->channels[on->channel].target;
        const int64_t cost =
            search->length[on->channel] * scale +
            (scheme_turns(paths, straight, on->channel, destination)
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

/* What it costs to be asked about at a router, times level_unit
 * fill_scale(level). */
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
 * The ways of a pair of a progressive scheme: those through routers drawn at
 * the source, then those of packets that went straight through routers drawn
 * at the next one that asks, and so on.
 */
static void fill_progressive(struct nb_scheme_search *search, uint32_t source)
{
    const struct nb_scheme_paths *paths = search->paths;
    const nb_route_state straight = scheme_straight(
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
            scheme_turns(paths, straight, hop->channel, search->destination))
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

/* The same of a scheme that is asked once, at the source. */
static void fill_two_phases(struct nb_scheme_search *search, uint32_t source)
{
    const struct nb_scheme_paths *paths = search->paths;
    struct nb_scheme_way straight = { .distance = INT64_MAX,
                                      .through = NB_NONE };
    if (search->starts[0].intermediates == 0) {
        straight.node = scheme_node(paths, source, search->destination, 0);
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

/* The shortest path from a node; NB_NONE: no hop at all. */
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
            scheme_node(search->paths, way->through, search->destination, 0),
            channel + length);
    return length;
}

/* What may be claimed. */

/* Whether channels lead from a node to an end by hops that are listed. Of one
 * channel there may be hops to several states. */
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

/* The same of one phase from router to router. */
static bool permits_phase(const struct nb_scheme_paths *paths, uint32_t source,
                          uint32_t destination, size_t start, size_t length,
                          const uint32_t *channel)
{
    if (source == destination)
        return length == 0;
    return permits_hops(paths, scheme_node(paths, source, destination, start),
                        length, channel);
}

/* The router that a path has come to after so many hops. */
static uint32_t permits_router(const struct nb_scheme_search *search,
                               const struct nb_table_path *path, uint32_t hops,
                               const uint32_t *channel)
{
    const struct nb_channel *channels =
        search->paths->routing->topology->channels;
    return hops == 0 ? path->source : channels[channel[hops - 1]].target;
}

/* At how many routers after the source a packet on a path, going straight, is
 * asked about: those after its first so many hops. */
static uint32_t permits_asked(struct nb_scheme_search *search,
                              const struct nb_table_path *path,
                              const uint32_t *channel)
{
    const struct nb_routing *routing = search->paths->routing;
    const uint32_t most = path->turn > 0 ? path->turn : path->length;
    uint32_t hops = 0;
    if (!routing->is_progressive)
        return 0;
    const nb_route_state straight = scheme_straight(
        routing, search->starts, path->source, path->destination);
    const bool is_straight = search->starts[path->start].intermediates == 0;
    while (
        hops < (is_straight ? most : path->turn) &&
        scheme_turns(search->paths, straight, channel[hops], path->destination))
        hops++;
    return hops;
}

/* Whether its hops before it turns are straight, up to routers that ask. */
static bool permits_turn(struct nb_scheme_search *search,
                         const struct nb_table_path *path,
                         const uint32_t *channel)
{
    const struct nb_scheme_paths *paths = search->paths;
    uint32_t node = scheme_node(paths, path->source, path->destination, 0);
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
    routing->find_intermediates(routing, at, path->destination, &set);
    return routing->topology->terminals[through] > 0 &&
           nb_intermediates_times(&set, through) > 0 &&
           permits_phase(paths, at, through, 0, path->leg - path->turn,
                         channel + path->turn) &&
           permits_phase(paths, through, path->destination, 0,
                         path->length - path->leg, channel + path->leg);
}

/* Each start's share is that of its weight. */
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

/* By share for each time that the router is in the set, greatest first; way's
 * distance is how often it is. */
static int shares_compare(const void *left, const void *right)
{
    const struct nb_scheme_way *a = left, *b = right;
    const nb_int128 one = (nb_int128)a->units * b->distance;
    const nb_int128 other = (nb_int128)b->units * a->distance;
    if (one != other)
        return one > other ? -1 : 1;
    return (a->through > b->through) - (a->through < b->through);
}

/* The routers that paths go through which turn at one, with the weights of each
 * together. */
static size_t shares_list(struct nb_scheme_search *search, uint32_t at,
                          const struct nb_table_path *path, size_t count,
                          const uint32_t *channel)
{
    const struct nb_routing *routing = search->paths->routing;
    struct nb_scheme_way *way = search->way;
    struct nb_intermediates set;
    size_t ways = 0;
    routing->find_intermediates(routing, at, path->destination, &set);
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

/* What of a pair's packets, by weight, is asked about at a router. */
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

/* Of sets of so many routers, as f is concave, those of the greatest shares for
 * each time that they are listed are the first to pass f. */
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

/* The same at every router where packets of the pair are asked about. */
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
