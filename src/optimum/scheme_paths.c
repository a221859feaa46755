#include "optimum/scheme_work.h"

#include "core/memory.h"
#include "routing/two_phase.h"
#include "routing/walker.h"

#include <math.h>

/* Maximum length, and limit of a pair's total. */
enum { SCHEME_LENGTH_BITS = 40, SCHEME_TOTAL_BITS = 62 };

/* The scheme to walk: itself or its phase. */
static const struct nb_routing *scheme_base(const struct nb_routing *routing)
{
    return routing->phase != NULL ? routing->phase : routing;
}

static enum nb_status scheme_refuse(const struct nb_routing *routing,
                                    struct nb_error *err)
{
    const struct nb_routing_kind *kind = routing->kind;
    if (!kind->is_adaptive)
        return nb_fail(
            err, NB_INVALID,
            "routing %s is oblivious: its throughput is exact (permitted here: "
            "adaptive schemes; for this one: netbound load)",
            kind->kind.name);
    if (routing->phase == NULL ||
        (kind->cost != NULL && routing->find_intermediates != NULL))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "routing %s draws intermediate routers without comparing "
                   "them, or from quadrants (permitted here: schemes of one "
                   "phase, or schemes that compare the routers that they draw)",
                   kind->kind.name);
}

nb_route_state nb_scheme_straight(const struct nb_routing *routing,
                                  struct nb_start *starts, uint32_t source,
                                  uint32_t destination)
{
    nb_route_starts(routing, source, destination, starts);
    return nb_route_begin(routing, &starts[0], 0, source, destination);
}

uint32_t nb_scheme_node(const struct nb_scheme_paths *paths, uint32_t source,
                        uint32_t destination, size_t start)
{
    return paths
        ->start[((size_t)destination * paths->routing->topology->router_count +
                 source) *
                    paths->most_starts +
                start];
}

bool nb_scheme_turns(const struct nb_scheme_paths *paths,
                     nb_route_state straight, uint32_t channel,
                     uint32_t destination)
{
    const struct nb_routing *routing = paths->routing;
    return routing->is_progressive &&
           nb_two_phase_turns(routing, straight,
                              routing->topology->channels[channel].target,
                              destination);
}

/* Index of the first start of a pair among those of its destination. */
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

/* Copies the walker's results in its order. place: [node_count] scratch. */
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

/* The greatest length that keeps a pair's total, unit times hops of them, in
 * range. */
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
    NB_TRY(nb_scheme_find_shares(out, err));
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
