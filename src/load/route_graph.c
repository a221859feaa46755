#include "load/route_graph.h"

#include "core/memory.h"

#include <float.h>

/* In node_of: not seen yet; in depth: still being visited. */
#define GRAPH_UNSEEN UINT32_MAX

double nb_route_graph_bytes(const struct nb_routing *routing)
{
    const double nodes =
        (double)routing->state_count * (double)routing->topology->router_count;
    return nodes * (77 + 28 * (double)routing->most_hops);
}

enum nb_status nb_route_graph_init(const struct nb_routing *routing,
                                   struct nb_route_graph *graph,
                                   struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const size_t nodes = routing->state_count * n;
    const size_t hops = nodes * routing->most_hops;
    const char *what = "route graph";
    enum nb_status status = NB_OK;
    *graph = (struct nb_route_graph){ .routing = routing };
    if (nodes > UINT32_MAX / 2)
        return nb_fail(err, NB_INVALID,
                       "routing %s has %zu states (permitted: %u)",
                       routing->kind->kind.name, nodes, UINT32_MAX / 2);
    NB_TRY(nb_new(&graph->router, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->state, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->order, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->hop_start, nodes + 1, sizeof(size_t), what, err));
    NB_TRY(nb_new(&graph->total, nodes, sizeof(uint64_t), what, err));
    NB_TRY(nb_new(&graph->hop_channel, hops, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->hop_node, hops, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->hop_weight, hops, sizeof(uint64_t), what, err));
    NB_TRY(nb_new(&graph->hop_share, hops, sizeof(double), what, err));
    NB_TRY(nb_new(&graph->node_of, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->in_start, nodes + 1, sizeof(size_t), what, err));
    NB_TRY(nb_new(&graph->in_node, hops, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->upstream, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->is_seen, nodes, sizeof(bool), what, err));
    NB_TRY(nb_new(&graph->cursor, nodes, sizeof(size_t), what, err));
    NB_TRY(nb_new(&graph->stack, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->depth, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->queue, n, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&graph->hops, routing->most_hops, sizeof *graph->hops, what,
                  err));
    NB_TRY(nb_new(&graph->starts, routing->most_starts, sizeof *graph->starts,
                  what, err));
    if (routing->needs_table)
        NB_TRY(nb_route_table_init(routing->topology, &graph->table, err));
done:
    if (status != NB_OK)
        nb_route_graph_release(graph);
    return status;
}

void nb_route_graph_release(struct nb_route_graph *graph)
{
    nb_delete(graph->router);
    nb_delete(graph->state);
    nb_delete(graph->order);
    nb_delete(graph->hop_start);
    nb_delete(graph->total);
    nb_delete(graph->hop_channel);
    nb_delete(graph->hop_node);
    nb_delete(graph->hop_weight);
    nb_delete(graph->hop_share);
    nb_delete(graph->node_of);
    nb_delete(graph->in_start);
    nb_delete(graph->in_node);
    nb_delete(graph->upstream);
    nb_delete(graph->is_seen);
    nb_delete(graph->cursor);
    nb_delete(graph->stack);
    nb_delete(graph->depth);
    nb_delete(graph->queue);
    nb_delete(graph->hops);
    nb_delete(graph->starts);
    nb_route_table_release(&graph->table);
    *graph = (struct nb_route_graph){ 0 };
}

/* Adds the node (state, router) with its hops; hop_node holds the place of
 * the next state in node_of until graph_visit sees that node. */
static uint32_t graph_add_node(struct nb_route_graph *graph, size_t place)
{
    const struct nb_routing *routing = graph->routing;
    const size_t n = routing->topology->router_count;
    const uint32_t node = (uint32_t)graph->node_count++;
    const uint32_t router = (uint32_t)(place % n);
    const size_t count =
        nb_route_step(routing, routing->needs_table ? &graph->table : NULL,
                      place / n, router, graph->destination, graph->hops);
    uint64_t total = 0;
    bool is_exact = true;
    for (size_t i = 0; i < count; i++) {
        const struct nb_hop *hop = &graph->hops[i];
        const uint32_t next = routing->topology->channels[hop->channel].target;
        const size_t h = graph->hop_count++;
        graph->hop_channel[h] = hop->channel;
        graph->hop_node[h] = (uint32_t)(hop->next * n + next);
        graph->hop_weight[h] = hop->weight;
        graph->hop_share[h] = hop->share;
        is_exact = is_exact && hop->weight != 0 &&
                   !__builtin_add_overflow(total, hop->weight, &total);
    }
    graph->router[node] = router;
    graph->state[node] = (uint32_t)(place / n);
    graph->total[node] = is_exact ? total : 0;
    graph->hop_start[node + 1] = graph->hop_count;
    graph->cursor[node] = graph->hop_start[node];
    graph->depth[node] = GRAPH_UNSEEN; /* until all it leads to is done */
    graph->node_of[place] = node;
    return node;
}

/* Depth-first search from one place; nodes enter order when left. */
static enum nb_status graph_visit(struct nb_route_graph *graph, size_t place,
                                  size_t *ordered, struct nb_error *err)
{
    size_t height = 0;
    graph->stack[height++] = graph_add_node(graph, place);
    while (height > 0) {
        const uint32_t node = graph->stack[height - 1];
        if (graph->cursor[node] == graph->hop_start[node + 1]) {
            uint32_t depth = 0;
            for (size_t h = graph->hop_start[node]; h < graph->cursor[node];
                 h++)
                if (graph->depth[graph->hop_node[h]] + 1 > depth)
                    depth = graph->depth[graph->hop_node[h]] + 1;
            graph->depth[node] = depth;
            if (depth > graph->longest)
                graph->longest = depth;
            graph->order[(*ordered)++] = node;
            height--;
            continue;
        }
        const size_t h = graph->cursor[node]++;
        const size_t next = graph->hop_node[h];
        if (graph->node_of[next] == GRAPH_UNSEEN)
            graph->stack[height++] = graph_add_node(graph, next);
        else if (graph->depth[graph->node_of[next]] == GRAPH_UNSEEN)
            return nb_fail(err, NB_INVALID,
                           "routing %s goes round in a circle through router "
                           "%u on the way to %u",
                           graph->routing->kind->kind.name,
                           graph->router[graph->node_of[next]],
                           graph->destination);
        graph->hop_node[h] = graph->node_of[next];
    }
    return NB_OK;
}

/* Lists the hops by the node they lead to. */
static void graph_turn(struct nb_route_graph *graph)
{
    for (size_t i = 0; i <= graph->node_count; i++)
        graph->in_start[i] = 0;
    for (size_t h = 0; h < graph->hop_count; h++)
        graph->in_start[graph->hop_node[h] + 1]++;
    for (size_t i = 0; i < graph->node_count; i++)
        graph->in_start[i + 1] += graph->in_start[i];
    for (size_t i = 0; i < graph->node_count; i++)
        graph->cursor[i] = graph->in_start[i];
    for (uint32_t node = 0; node < graph->node_count; node++)
        for (size_t h = graph->hop_start[node]; h < graph->hop_start[node + 1];
             h++)
            graph->in_node[graph->cursor[graph->hop_node[h]]++] = node;
}

static enum nb_status graph_fill_table(struct nb_route_graph *graph,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = graph->routing->topology;
    nb_route_table_fill(topology, graph->destination, &graph->table,
                        graph->queue);
    for (size_t r = 0; r < topology->router_count; r++)
        if (!(graph->table.paths_value[r] <= LDBL_MAX))
            return nb_fail(err, NB_OVERFLOW,
                           "router %zu has more than %Lg shortest paths to "
                           "router %u",
                           r, LDBL_MAX, graph->destination);
    return NB_OK;
}

/* Everything that leads on from one start. */
static enum nb_status graph_start(struct nb_route_graph *graph, uint32_t source,
                                  nb_route_state state, size_t *ordered,
                                  struct nb_error *err)
{
    const size_t place =
        state * graph->routing->topology->router_count + source;
    return graph->node_of[place] == GRAPH_UNSEEN
               ? graph_visit(graph, place, ordered, err)
               : NB_OK;
}

enum nb_status nb_route_graph_build(struct nb_route_graph *graph,
                                    uint32_t destination,
                                    const uint32_t *source, size_t source_count,
                                    size_t first_class, size_t class_end,
                                    struct nb_error *err)
{
    const struct nb_routing *routing = graph->routing;
    const size_t n = routing->topology->router_count;
    size_t ordered = 0;
    enum nb_status status = NB_OK;
    graph->destination = destination;
    graph->node_count = graph->hop_count = 0;
    graph->longest = 0;
    for (size_t i = 0; i < routing->state_count * n; i++)
        graph->node_of[i] = GRAPH_UNSEEN;
    if (routing->needs_table)
        NB_TRY(graph_fill_table(graph, err));
    for (size_t i = 0; i < source_count; i++) {
        for (size_t class = first_class; class < class_end; class ++)
            NB_TRY(graph_start(graph, source[i], class, &ordered, err));
        if (class_end > 0)
            continue;
        const size_t starts =
            nb_route_starts(routing, source[i], destination, graph->starts);
        for (size_t s = 0; s < starts; s++)
            NB_TRY(graph_start(graph, source[i], graph->starts[s].state,
                               &ordered, err));
    }
    graph_turn(graph);
done:
    return status;
}
