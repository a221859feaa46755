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

/* Shares are whole multiples of 1 / unit up to this unit; beyond it they are
 * rounded up to multiples of its inverse. The unit covers all levels
 * together. */
enum { SCHEME_UNIT_BITS = 20 };

/* The maximum number of decisions on a packet that goes straight from a
 * node. */
static uint32_t scheme_depth(const struct nb_scheme_paths *paths, uint32_t node,
                             nb_route_state straight, uint32_t destination)
{
    uint32_t most = 0;
    for (size_t h = paths->first[node]; h < paths->first[node + 1]; h++) {
        const struct nb_scheme_hop *hop = &paths->hop[h];
        if (!nb_scheme_turns(paths, straight, hop->channel, destination))
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
                scheme_depth(paths, nb_scheme_node(paths, s, d, 0),
                             nb_scheme_straight(routing, starts, s, d), d);
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

/* Whether each of m routers gets an equal share of every router's packets; if
 * each terminal has a fixed one, only if m divides the number of terminals. */
static bool scheme_is_even(const struct nb_scheme_paths *paths, size_t m)
{
    const struct nb_topology *topology = paths->routing->topology;
    if (!paths->routing->is_by_port)
        return true;
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] % m != 0)
            return false;
    return true;
}

/*
 * The increase of f by each of m routers drawn from, in units: exact where
 * m^draws divides the unit, else rounded up, and never less than the next
 * one's.
 */
static void scheme_gains(const struct nb_scheme_paths *paths, size_t m,
                         int64_t *gain)
{
    const uint64_t draws = paths->routing->draws;
    const int64_t power = scheme_power(m, draws, scheme_most_unit(paths));
    if (paths->routing->kind->is_asked_again || !scheme_is_even(paths, m)) {
        gain[0] = paths->level_unit; /* the rest, zeroed, add nothing */
        return;
    }
    for (size_t k = 0; k < m; k++) {
        if (power > 0 && paths->level_unit % power == 0) {
            gain[k] = (scheme_power(m - k, draws, INT64_MAX) -
                       scheme_power(m - k - 1, draws, INT64_MAX)) *
                      (paths->level_unit / power);
            continue;
        }
        const double n = (double)m, left = n - (double)k;
        const double unit = (double)paths->level_unit;
        const double fall =
            pow(left / n, (double)draws) - pow((left - 1) / n, (double)draws);
        /* The margin exceeds the rounding errors of quotients and powers. */
        const double margin = unit * ((double)draws + 3) * 0x1p-51;
        gain[k] = (int64_t)ceil(unit * fall + margin);
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

/* Makes shares of this number of routers whole, or rounds them. */
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

/* Sets levels, level_unit, unit, is_rounded and gain of paths that were walked.
 * Errors: NB_NO_MEMORY. */
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
