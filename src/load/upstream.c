/* The part of a route graph before a channel (declared in route_graph.h). */
#include "load/route_graph.h"

/* Depth-first search against the hops; a node enters the list when all nodes
 * before it have. */
static void upstream_visit(struct nb_route_graph *graph, uint32_t first)
{
    size_t height = 0;
    if (graph->is_seen[first])
        return;
    graph->is_seen[first] = true;
    graph->cursor[first] = graph->in_start[first];
    graph->stack[height++] = first;
    while (height > 0) {
        const uint32_t node = graph->stack[height - 1];
        if (graph->cursor[node] == graph->in_start[node + 1]) {
            graph->upstream[graph->upstream_count++] = node;
            height--;
            continue;
        }
        const uint32_t before = graph->in_node[graph->cursor[node]++];
        if (graph->is_seen[before])
            continue;
        graph->is_seen[before] = true;
        graph->cursor[before] = graph->in_start[before];
        graph->stack[height++] = before;
    }
}

static bool upstream_crosses(const struct nb_route_graph *graph, uint32_t node,
                             uint32_t channel)
{
    for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1]; h++)
        if (graph->hop_channel[h] == channel)
            return true;
    return false;
}

void nb_route_graph_find_upstream(struct nb_route_graph *graph,
                                  uint32_t channel)
{
    const struct nb_routing *routing = graph->routing;
    const size_t n = routing->topology->router_count;
    const uint32_t router = routing->topology->channels[channel].source;
    graph->upstream_count = 0;
    for (size_t state = 0; state < routing->state_count; state++) {
        const uint32_t node = graph->node_of[state * n + router];
        if (node != NB_NONE && upstream_crosses(graph, node, channel))
            upstream_visit(graph, node);
    }
    /* From the channel outwards: the order the search found, reversed. */
    for (size_t i = 0; i < graph->upstream_count / 2; i++) {
        const size_t other = graph->upstream_count - 1 - i;
        const uint32_t kept = graph->upstream[i];
        graph->upstream[i] = graph->upstream[other];
        graph->upstream[other] = kept;
    }
    for (size_t i = 0; i < graph->upstream_count; i++)
        graph->is_seen[graph->upstream[i]] = false;
}
