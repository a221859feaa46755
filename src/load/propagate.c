/* Propagation of visits and flows over a route graph (declared in
 * route_graph.h): exactly in whole numbers, or in doubles with a bound. */
#include "load/route_graph.h"

#include <float.h>
#include <math.h>

/* Weighted sum over a node's hops, or -1 when it passes 2^126. */
static nb_int128 propagate_sum(const struct nb_route_graph *graph,
                               uint32_t node, uint32_t channel,
                               const int64_t *visits, int64_t denominator)
{
    nb_int128 sum = 0;
    for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1];
         h++) {
        int64_t value = visits[graph->hop_node[h]];
        if (graph->hop_channel[h] == channel)
            value += denominator;
        if (value == 0)
            continue;
        sum += (nb_int128)value * (nb_int128)graph->hop_weight[h];
        if (sum >> 126 != 0)
            return -1;
    }
    return sum;
}

/* The whole part of sum / total; the divisor is 1 or 2 almost always. */
static nb_int128 propagate_divide(nb_int128 sum, uint64_t total, uint64_t *rest)
{
    *rest = 0;
    if (total == 1 || sum == 0)
        return sum;
    if (sum >> 63 == 0) {
        *rest = (uint64_t)sum % total;
        return (nb_int128)((uint64_t)sum / total);
    }
    *rest = (uint64_t)(sum % total);
    return sum / total;
}

bool nb_route_graph_visits(const struct nb_route_graph *graph, uint32_t channel,
                           int64_t limit, int64_t *visits, int64_t *denominator)
{
    for (size_t i = 0; i < graph->upstream_count; i++) {
        const uint32_t node = graph->upstream[i];
        const nb_int128 sum =
            propagate_sum(graph, node, channel, visits, *denominator);
        const uint64_t total = graph->total[node];
        visits[node] = 0;
        if (sum < 0 || total == 0)
            return false;
        uint64_t rest;
        const nb_int128 quotient = propagate_divide(sum, total, &rest);
        if (quotient > limit)
            return false;
        visits[node] = (int64_t)quotient;
        if (rest != 0) { /* enlarge the denominator just enough, go again */
            const uint64_t factor = total / nb_gcd(rest, total);
            if (factor > (uint64_t)(limit / *denominator))
                return false;
            *denominator *= (int64_t)factor;
            i = SIZE_MAX;
        }
    }
    return true;
}

void nb_route_graph_visits_value(const struct nb_route_graph *graph,
                                 uint32_t channel, double *visits)
{
    for (size_t i = 0; i < graph->upstream_count; i++) {
        const uint32_t node = graph->upstream[i];
        double sum = 0, shares = 0;
        for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1];
             h++) {
            const double crosses = graph->hop_channel[h] == channel;
            sum += graph->hop_share[h] * (crosses + visits[graph->hop_node[h]]);
            shares += graph->hop_share[h];
        }
        visits[node] = fmax(sum / shares, NB_LEAST_PROBABILITY);
    }
}

uint64_t nb_route_graph_carry(const struct nb_route_graph *graph, int64_t *flow,
                              int64_t *load)
{
    for (size_t i = graph->node_count; i-- > 0;) {
        const uint32_t node = graph->order[i];
        const uint64_t total = graph->total[node];
        const size_t first = graph->hop_start[node];
        if (flow[node] == 0 || first == graph->hop_start[node + 1])
            continue;
        if (total == 0)
            return 0;
        for (size_t h = first; h < graph->hop_start[node + 1]; h++) {
            uint64_t rest;
            /* A part of the flow, so it fits as the flow did. */
            const int64_t part = (int64_t)propagate_divide(
                (nb_int128)flow[node] * (nb_int128)graph->hop_weight[h], total,
                &rest);
            if (rest != 0)
                return total / nb_gcd(rest, total);
            const uint32_t channel = graph->hop_channel[h];
            flow[graph->hop_node[h]] += part;
            load[channel] += part;
            if (flow[graph->hop_node[h]] >> 62 != 0 || load[channel] >> 62 != 0)
                return 0;
        }
    }
    return 1;
}

void nb_route_graph_carry_value(const struct nb_route_graph *graph,
                                double *flow, double *load)
{
    for (size_t i = graph->node_count; i-- > 0;) {
        const uint32_t node = graph->order[i];
        double shares = 0;
        if (flow[node] == 0)
            continue;
        for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1];
             h++)
            shares += graph->hop_share[h];
        for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1];
             h++) {
            const double part = fmax(flow[node] * graph->hop_share[h] / shares,
                                     NB_LEAST_PROBABILITY);
            flow[graph->hop_node[h]] += part;
            load[graph->hop_channel[h]] += part;
        }
    }
}

/* Roundings in one share: none for schemes of whole weights; where shares are
 * quotients of path counts, one on storing it as a double and those of the
 * two counts (an addition per hop and step) in long double. */
static double propagate_share_roundings(const struct nb_route_graph *graph)
{
    if (!graph->routing->needs_table)
        return 0;
    const double additions =
        (double)graph->longest * (double)graph->routing->most_hops;
    return 1 + (2 * additions + 1) * (double)(LDBL_EPSILON / DBL_EPSILON);
}

double nb_route_graph_error(const struct nb_route_graph *graph,
                            double more_additions)
{
    /* All terms are non-negative, so relative errors add up along a route:
     * at each of its nodes those of the share and of the sum of shares (one
     * addition per hop), one product, one quotient, and one addition per hop
     * out (visits) or per state and channel in (flows). */
    const struct nb_routing *routing = graph->routing;
    const struct nb_topology *topology = routing->topology;
    uint32_t most_in = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const uint32_t in = topology->in_start[r + 1] - topology->in_start[r];
        if (in > most_in)
            most_in = in;
    }
    const double in = (double)most_in * (double)routing->state_count;
    const double hops = (double)routing->most_hops;
    const double per_node = 2 * propagate_share_roundings(graph) + hops +
                            (in > hops ? in : hops) + 3;
    const double roundings =
        ((double)graph->longest + 1) * per_node + more_additions;
    const double relative = roundings * 0x1p-53;
    return relative < 0.5 ? relative / (1 - relative) : INFINITY;
}
