#include "load/propagate.h"

#include "core/memory.h"
#include "core/twofold.h"

#include <math.h>

enum nb_status nb_upstream_take(struct nb_upstream *upstream,
                                const struct nb_walker *walker,
                                struct nb_error *err)
{
    static const char what[] = "routes";
    const size_t nodes = walker->node_count, hops = walker->hop_count;
    enum nb_status status = NB_OK;
    if (upstream->room < walker->node_room) {
        const size_t room = walker->node_room;
        NB_TRY(nb_grow(&upstream->node, room, sizeof(uint32_t), what, err));
        NB_TRY(nb_grow(&upstream->start, room, sizeof(size_t), what, err));
        NB_TRY(nb_grow(&upstream->is_seen, room, sizeof(bool), what, err));
        NB_TRY(nb_grow(&upstream->cursor, room, sizeof(size_t), what, err));
        NB_TRY(nb_grow(&upstream->stack, room, sizeof(uint32_t), what, err));
        upstream->room = room;
    }
    if (upstream->hop_room < hops)
        NB_TRY(nb_grow(&upstream->before, hops, sizeof(uint32_t), what, err));
    upstream->hop_room = hops > upstream->hop_room ? hops : upstream->hop_room;
    for (size_t i = 0; i <= nodes; i++)
        upstream->start[i] = 0;
    for (size_t h = 0; h < hops; h++)
        upstream->start[walker->hop[h].node + 1]++;
    for (size_t i = 0; i < nodes; i++) {
        upstream->start[i + 1] += upstream->start[i];
        upstream->cursor[i] = upstream->start[i];
        upstream->is_seen[i] = false;
    }
    for (uint32_t node = 0; node < nodes; node++)
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++)
            upstream->before[upstream->cursor[walker->hop[h].node]++] = node;
done:
    return status;
}

void nb_upstream_release(struct nb_upstream *upstream)
{
    nb_delete(upstream->node);
    nb_delete(upstream->start);
    nb_delete(upstream->before);
    nb_delete(upstream->is_seen);
    nb_delete(upstream->cursor);
    nb_delete(upstream->stack);
    *upstream = (struct nb_upstream){ 0 };
}

/* Depth-first search against the hops; a node enters the list after all its
 * predecessors. */
static void upstream_visit(struct nb_upstream *upstream, uint32_t first)
{
    size_t height = 0;
    if (upstream->is_seen[first])
        return;
    upstream->is_seen[first] = true;
    upstream->cursor[first] = upstream->start[first];
    upstream->stack[height++] = first;
    while (height > 0) {
        const uint32_t node = upstream->stack[height - 1];
        if (upstream->cursor[node] == upstream->start[node + 1]) {
            upstream->node[upstream->count++] = node;
            height--;
            continue;
        }
        const uint32_t before = upstream->before[upstream->cursor[node]++];
        if (upstream->is_seen[before])
            continue;
        upstream->is_seen[before] = true;
        upstream->cursor[before] = upstream->start[before];
        upstream->stack[height++] = before;
    }
}

static bool upstream_crosses(const struct nb_walker *walker, uint32_t node,
                             uint32_t channel)
{
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++)
        if (walker->hop[h].channel == channel)
            return true;
    return false;
}

void nb_upstream_find(struct nb_upstream *upstream,
                      const struct nb_walker *walker, uint32_t channel)
{
    const struct nb_routing *routing = walker->routing;
    const uint32_t router = routing->topology->channels[channel].source;
    upstream->count = 0;
    for (size_t state = 0; state < routing->state_count; state++) {
        const uint32_t node = nb_walker_find(walker, state, 0, router);
        if (node != NB_NONE && upstream_crosses(walker, node, channel))
            upstream_visit(upstream, node);
    }
    /* From the channel outwards: the reverse of the search's order. */
    for (size_t i = 0; i < upstream->count / 2; i++) {
        const size_t other = upstream->count - 1 - i;
        const uint32_t kept = upstream->node[i];
        upstream->node[i] = upstream->node[other];
        upstream->node[other] = kept;
    }
    for (size_t i = 0; i < upstream->count; i++)
        upstream->is_seen[upstream->node[i]] = false;
}

/* Weighted sum over a node's hops, or -1 if it exceeds 2^126. */
static nb_int128 propagate_sum(const struct nb_walker *walker, uint32_t node,
                               uint32_t channel, const int64_t *visits,
                               int64_t denominator)
{
    nb_int128 sum = 0;
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        int64_t value = visits[walker->hop[h].node];
        if (walker->hop[h].channel == channel)
            value += denominator;
        if (value == 0)
            continue;
        sum += (nb_int128)value * (nb_int128)walker->hop[h].weight;
        if (sum >> 126 != 0)
            return -1;
    }
    return sum;
}

/* The whole part of sum / total; the divisor is nearly always 1 or 2, and a
 * shift takes a tenth of the time of a division. */
static nb_int128 propagate_divide(nb_int128 sum, uint64_t total, uint64_t *rest)
{
    if ((total & (total - 1)) == 0) {
        *rest = (uint64_t)sum & (total - 1);
        return sum >> __builtin_ctzll(total);
    }
    if (sum >> 63 == 0) {
        *rest = (uint64_t)sum % total;
        return (nb_int128)((uint64_t)sum / total);
    }
    *rest = (uint64_t)(sum % total);
    return sum / total;
}

bool nb_walk_visits(const struct nb_walker *walker,
                    const struct nb_upstream *upstream, uint32_t channel,
                    int64_t limit, int64_t *visits, int64_t *denominator)
{
    for (size_t i = 0; i < upstream->count; i++) {
        const uint32_t node = upstream->node[i];
        const nb_int128 sum =
            propagate_sum(walker, node, channel, visits, *denominator);
        const uint64_t total = walker->node[node].total;
        visits[node] = 0;
        if (sum < 0 || total == 0)
            return false;
        uint64_t rest;
        const nb_int128 quotient = propagate_divide(sum, total, &rest);
        if (quotient > limit)
            return false;
        visits[node] = (int64_t)quotient;
        if (rest != 0) { /* enlarge the denominator as little as possible, and
                          * repeat */
            const uint64_t factor = total / nb_gcd(rest, total);
            if (factor > (uint64_t)(limit / *denominator))
                return false;
            *denominator *= (int64_t)factor;
            i = SIZE_MAX;
        }
    }
    return true;
}

void nb_walk_visits_value(const struct nb_walker *walker,
                          const struct nb_upstream *upstream, uint32_t channel,
                          double *visits)
{
    for (size_t i = 0; i < upstream->count; i++) {
        const uint32_t node = upstream->node[i];
        double sum = 0, shares = 0;
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++) {
            const double crosses = walker->hop[h].channel == channel;
            sum +=
                walker->hop[h].share * (crosses + visits[walker->hop[h].node]);
            shares += walker->hop[h].share;
        }
        visits[node] = fmax(sum / shares, NB_LEAST_PROBABILITY);
    }
}

static bool carry_multiply(int64_t *value, size_t count, int64_t factor)
{
    const int64_t most = INT64_MAX / 2 / factor;
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        fits &= value[i] <= most;
        value[i] = (int64_t)((uint64_t)value[i] * (uint64_t)factor);
    }
    return fits;
}

/* Multiplies the denominator of all flows, carried or not yet carried, by a
 * factor. */
static bool carry_refine(const struct nb_walker *walker, uint64_t factor,
                         int64_t *flow, int64_t *part, int64_t *denominator)
{
    return factor <= (uint64_t)INT64_MAX &&
           !__builtin_mul_overflow(*denominator, (int64_t)factor,
                                   denominator) &&
           carry_multiply(flow, walker->node_count, (int64_t)factor) &&
           carry_multiply(part, walker->hop_count, (int64_t)factor);
}

/* The part of a node's flow that takes a hop of this weight; false if it is not
 * whole, with the factor that is missing. */
static bool carry_divide(int64_t flow, uint64_t weight, uint64_t total,
                         int64_t *part, uint64_t *factor)
{
    uint64_t rest;
    *part = (int64_t)propagate_divide((nb_int128)flow * (nb_int128)weight,
                                      total, &rest);
    if (rest != 0)
        *factor = total / nb_gcd(rest, total);
    return rest == 0;
}

bool nb_walk_carry(const struct nb_walker *walker, int64_t *flow, int64_t *part,
                   int64_t *denominator)
{
    const struct nb_hop *hop = walker->hop;
    for (size_t h = 0; h < walker->hop_count; h++)
        part[h] = 0;
    for (size_t i = walker->node_count; i-- > 0;) {
        const uint32_t node = walker->order[i];
        const size_t end = walker->node[node + 1].first;
        const uint64_t total = walker->node[node].total;
        for (size_t h = walker->node[node].first; h < end && flow[node] != 0;
             h++) {
            uint64_t factor;
            if (total == 0)
                return false;
            if (!carry_divide(flow[node], hop[h].weight, total, &part[h],
                              &factor) &&
                !(carry_refine(walker, factor, flow, part, denominator) &&
                  carry_divide(flow[node], hop[h].weight, total, &part[h],
                               &factor)))
                return false;
            /* A part of the flow, so it fits as the flow does. */
            int64_t *next = &flow[hop[h].node];
            *next += part[h];
            if (*next >> 62 != 0)
                return false;
        }
    }
    return true;
}

void nb_walk_carry_value(const struct nb_walker *walker, double *flow,
                         double *load)
{
    for (size_t i = walker->node_count; i-- > 0;) {
        const uint32_t node = walker->order[i];
        double shares = 0;
        if (flow[node] == 0)
            continue;
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++)
            shares += walker->hop[h].share;
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++) {
            const double part = fmax(flow[node] * walker->hop[h].share / shares,
                                     NB_LEAST_PROBABILITY);
            flow[walker->hop[h].node] += part;
            load[walker->hop[h].channel] += part;
        }
    }
}

/* Roundings in one share: none for schemes of whole weights; where shares are
 * quotients of path counts, one for storing it as a double, and those of the
 * two counts (an addition per hop and step) as twofold numbers. */
static double propagate_share_roundings(const struct nb_walker *walker)
{
    if (!walker->routing->needs_table)
        return 0;
    const double additions =
        (double)walker->longest * (double)walker->routing->most_hops;
    return 1 + (2 * additions + 1) * (NB_TWOFOLD_ERROR / 0x1p-53);
}

double nb_walk_error(const struct nb_walker *walker, double more_additions)
{
    /* All terms are non-negative, so relative errors add up along a route: at
     * each of its nodes those of the share and of the sum of shares (one
     * addition per hop), one product, one quotient, and one addition per hop
     * out (visits) or per state and channel in (flows). */
    const struct nb_routing *routing = walker->routing;
    const struct nb_topology *topology = routing->topology;
    uint32_t most_in = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const uint32_t in = topology->in_start[r + 1] - topology->in_start[r];
        if (in > most_in)
            most_in = in;
    }
    const double in = (double)most_in * (double)routing->state_count;
    const double hops = (double)routing->most_hops;
    const double per_node = 2 * propagate_share_roundings(walker) + hops +
                            (in > hops ? in : hops) + 3;
    const double roundings =
        ((double)walker->longest + 1) * per_node + more_additions;
    const double relative = roundings * 0x1p-53;
    return relative < 0.5 ? relative / (1 - relative) : INFINITY;
}
