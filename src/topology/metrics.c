#include "topology/metrics.h"

#include "core/memory.h"
#include "topology/orbits.h"
#include "topology/search.h"

void nb_distances_to(const struct nb_topology *topology, uint32_t target,
                     uint32_t *distance, uint32_t *queue)
{
    const size_t routers = topology->router_count;
    size_t head = 0, tail = 0;
    for (size_t r = 0; r < routers; r++)
        distance[r] = NB_NONE;
    if (target >= topology->router_count)
        return;
    distance[target] = 0;
    queue[tail++] = target;
    /* Whether a router is new is unpredictable, so the loop has no branch on
     * it. */
    while (head < tail && tail < routers) {
        const uint32_t router = queue[head++], next = distance[router] + 1;
        for (uint32_t i = topology->in_start[router];
             i < topology->in_start[router + 1] && tail < routers; i++) {
            const uint32_t source = topology->in_source[i];
            const bool is_new = distance[source] == NB_NONE;
            distance[source] = is_new ? next : distance[source];
            queue[tail] = source;
            tail += is_new;
        }
    }
    for (uint32_t r = 0; tail < topology->router_count; r++)
        if (distance[r] == NB_NONE) /* failed, or not connected */
            queue[tail++] = r;
}

enum nb_status nb_topology_find_unreached(const struct nb_topology *topology,
                                          uint32_t *from, uint32_t *to,
                                          struct nb_error *err)
{
    const size_t routers = topology->router_count;
    struct nb_pool pool = { 0 };
    *from = *to = NB_NONE;
    uint32_t *from_first = nb_pool_array(&pool, routers, sizeof *from_first);
    uint32_t *to_first = nb_pool_array(&pool, routers, sizeof *to_first);
    uint32_t *queue = nb_pool_array(&pool, routers, sizeof *queue);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "search", err));
    uint32_t first = 0;
    while (nb_router_has_failed(topology, first))
        first++;
    nb_distances_to(topology, first, to_first, queue);
    for (uint32_t r = 0; r < routers; r++)
        from_first[r] = r == first ? 0 : NB_NONE;
    queue[0] = first;
    nb_search_along(topology, queue, 1, nb_search_distance, from_first);
    for (uint32_t r = 0; r < routers && *from == NB_NONE; r++) {
        if (nb_router_has_failed(topology, r))
            continue;
        if (from_first[r] == NB_NONE) {
            *from = first;
            *to = r;
        } else if (to_first[r] == NB_NONE) {
            *from = r;
            *to = first;
        }
    }
done:
    nb_pool_release(&pool);
    return status;
}

uint32_t nb_distance_to_self(const struct nb_topology *topology,
                             uint32_t router, const uint32_t *distance)
{
    uint32_t least = NB_NONE;
    if (!topology->kind->is_one_way)
        return 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t rest = distance[topology->out_target[c]];
        least = rest != NB_NONE && rest + 1 < least ? rest + 1 : least;
    }
    return least;
}

/* For the least router of each orbit under automorphisms, the terminals of the
 * whole orbit; 0 at other routers. */
static enum nb_status metrics_find_alike(const struct nb_topology *topology,
                                         uint64_t *alike, struct nb_error *err)
{
    struct nb_symmetry symmetry = { 0 };
    struct nb_orbits routers = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_symmetry_offered(topology, NB_ANY_SYMMETRY, &symmetry, err));
    NB_TRY(nb_orbits_of_routers(&symmetry, &routers, err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        alike[nb_orbits_least(&routers, r)] += topology->terminals[r];
done:
    nb_symmetry_release(&symmetry);
    nb_orbits_release(&routers);
    return status;
}

enum nb_status nb_distance_search(const struct nb_topology *topology,
                                  struct nb_distance_summary *out,
                                  struct nb_error *err)
{
    struct nb_pool pool = { 0 };
    nb_int128 total = 0;
    enum nb_status status;
    *out = (struct nb_distance_summary){ 0 };
    NB_TRY(nb_topology_check(topology, err));
    const size_t routers = topology->router_count;
    const nb_int128 terminals = (nb_int128)topology->terminal_count;
    uint32_t *distance = nb_pool_array(&pool, routers, sizeof *distance);
    uint32_t *queue = nb_pool_array(&pool, routers, sizeof *queue);
    uint64_t *alike = nb_pool_array(&pool, routers, sizeof *alike);
    NB_TRY(nb_pool_check(&pool, "distances", err));
    NB_TRY(metrics_find_alike(topology, alike, err));
    for (size_t target = 0; target < routers; target++) {
        if (alike[target] == 0)
            continue;
        nb_int128 into = 0;
        nb_distances_to(topology, (uint32_t)target, distance, queue);
        distance[target] =
            nb_distance_to_self(topology, (uint32_t)target, distance);
        for (size_t r = 0; r < routers; r++) {
            if (topology->terminals[r] == 0)
                continue;
            into += (nb_int128)topology->terminals[r] * distance[r];
            if (distance[r] > out->diameter)
                out->diameter = distance[r];
        }
        total += into * (nb_int128)alike[target];
    }
    out->mean = nb_ratio_make(total, terminals * terminals);
done:
    nb_pool_release(&pool);
    return status;
}

/* Bandwidth between two routers, both directions, over one denominator. */
struct metrics_cuts {
    int64_t denominator;
    int64_t between[NB_BISECTION_ROUTERS][NB_BISECTION_ROUTERS];
};

static enum nb_status metrics_fail_overflow(struct nb_error *err)
{
    return nb_fail(err, NB_OVERFLOW,
                   "bisection: the bandwidths' sum over a common denominator "
                   "does not fit in 62 bits");
}

static enum nb_status metrics_add_up(const struct nb_topology *topology,
                                     struct metrics_cuts *cuts,
                                     struct nb_error *err)
{
    const nb_int128 limit = (nb_int128)1 << 62;
    nb_int128 denominator = 1, sum = 0;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const int64_t other = topology->channels[c].bandwidth.denominator;
        const uint64_t common = nb_gcd((uint64_t)denominator, (uint64_t)other);
        denominator *= other / (int64_t)common;
        if (denominator >= limit)
            return metrics_fail_overflow(err);
    }
    *cuts = (struct metrics_cuts){ .denominator = (int64_t)denominator };
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const nb_int128 weight = channel->bandwidth.numerator *
                                 (denominator / channel->bandwidth.denominator);
        sum += weight;
        if (sum >= limit)
            return metrics_fail_overflow(err);
        cuts->between[channel->source][channel->target] += (int64_t)weight;
        cuts->between[channel->target][channel->source] += (int64_t)weight;
    }
    return NB_OK;
}

/* Moves one router to the other side; returns the change of the cut. */
static int64_t metrics_move(const struct metrics_cuts *cuts,
                            size_t router_count, bool *is_inside, size_t moved)
{
    int64_t change = 0;
    for (size_t r = 0; r < router_count; r++)
        change += is_inside[r] == is_inside[moved] ? cuts->between[moved][r]
                                                   : -cuts->between[moved][r];
    is_inside[moved] = !is_inside[moved];
    /* between[r][r] is 0: no channel joins a router with itself. */
    return change;
}

enum nb_status nb_bisection_search(const struct nb_topology *topology,
                                   struct nb_ratio *out, struct nb_error *err)
{
    struct metrics_cuts cuts = { 0 };
    bool is_inside[NB_BISECTION_ROUTERS] = { false };
    enum nb_status status = nb_topology_check(topology, err);
    if (status != NB_OK)
        return status;
    const size_t routers = topology->router_count;
    if (routers > NB_BISECTION_ROUTERS)
        return nb_fail(err, NB_INVALID,
                       "bisection search over %zu routers is not permitted "
                       "(permitted: at most %d)",
                       routers, NB_BISECTION_ROUTERS);
    status = metrics_add_up(topology, &cuts, err);
    if (status != NB_OK)
        return status;
    int64_t cut = 0, least = 0;
    int64_t imbalance = (int64_t)topology->terminal_count;
    int64_t least_imbalance = imbalance;
    /* A Gray code: each division differs from the last in one router. The last
     * router stays outside, since the halves may be exchanged. */
    for (uint32_t step = 1; step < UINT32_C(1) << (routers - 1); step++) {
        const size_t moved = (size_t)__builtin_ctz(step);
        const int64_t weight = 2 * (int64_t)topology->terminals[moved];
        imbalance += is_inside[moved] ? weight : -weight;
        cut += metrics_move(&cuts, routers, is_inside, moved);
        const int64_t size = imbalance < 0 ? -imbalance : imbalance;
        if (size < least_imbalance ||
            (size == least_imbalance && cut < least)) {
            least_imbalance = size;
            least = cut;
        }
    }
    *out = nb_ratio_make(least, cuts.denominator);
    return NB_OK;
}
