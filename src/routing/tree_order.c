#include "routing/tree_order.h"

#include "core/memory.h"
#include "topology/metrics.h"

#include <string.h>

void nb_tree_order_release(struct nb_tree_order *order)
{
    nb_delete(order->rank);
    nb_delete(order->parent);
    *order = (struct nb_tree_order){ 0 };
}

/* The greatest distance of a router from one that can be the root; NB_NONE if
 * it cannot be that itself. */
static uint32_t order_eccentricity(const struct nb_topology *topology,
                                   uint32_t router, uint32_t *distance,
                                   uint32_t *queue)
{
    uint32_t most = 0;
    if (nb_router_has_failed(topology, router))
        return NB_NONE;
    nb_distances_to(topology, router, distance, queue);
    for (size_t r = 0; r < topology->router_count; r++)
        if (distance[r] != NB_NONE && distance[r] > most)
            most = distance[r];
    return most;
}

static uint32_t order_degree(const struct nb_topology *topology,
                             uint32_t router)
{
    return topology->out_start[router + 1] - topology->out_start[router];
}

static uint32_t order_find_middle(const struct nb_topology *topology,
                                  uint32_t *distance, uint32_t *queue)
{
    bool has_switches = false;
    uint32_t best = 0, least = NB_NONE;
    for (uint32_t r = 0; r < topology->router_count; r++)
        has_switches = has_switches || (topology->terminals[r] == 0 &&
                                        !nb_router_has_failed(topology, r));
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (has_switches && topology->terminals[r] > 0)
            continue;
        const uint32_t most = order_eccentricity(topology, r, distance, queue);
        if (most < least ||
            (most == least &&
             order_degree(topology, r) > order_degree(topology, best))) {
            least = most;
            best = r;
        }
    }
    return best;
}

static enum nb_status order_find_root(const struct nb_routing *routing,
                                      uint32_t *distance, uint32_t *queue,
                                      uint32_t *root, struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const char *name = nb_specification_text(&routing->specification, "root");
    *root = nb_router_find(topology, name, strlen(name));
    if (*root == NB_NONE && strcmp(name, "auto") == 0)
        *root = order_find_middle(topology, distance, queue);
    if (*root == NB_NONE || nb_router_has_failed(topology, *root))
        return nb_fail(err, NB_INVALID,
                       "routing %s: root=%.100s is no router (permitted: the "
                       "name or number of one that has not failed, or auto)",
                       routing->kind->kind.name, name);
    return NB_OK;
}

/* Ranks by distance and number; the parent is the one of least rank. */
static void order_search_breadth(const struct nb_topology *topology,
                                 const uint32_t *distance,
                                 struct nb_tree_order *order)
{
    const size_t n = topology->router_count;
    for (size_t r = 0; r < n; r++) {
        order->parent[r] = NB_NONE;
        order->rank[r] = (uint64_t)distance[r] * n + (r == order->root ? 0 : r);
        if (distance[r] == NB_NONE)
            continue;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            if (distance[to] + 1 == distance[r] && to < order->parent[r])
                order->parent[r] = to;
        }
    }
}

/* Ranks as they are met; queue is the stack, distance the place of the channel
 * to look at next. */
static void order_search_depth(const struct nb_topology *topology,
                               uint32_t *cursor, uint32_t *stack,
                               struct nb_tree_order *order)
{
    size_t height = 1;
    uint64_t met = 1;
    for (size_t r = 0; r < topology->router_count; r++) {
        order->rank[r] = UINT64_MAX;
        order->parent[r] = NB_NONE;
        cursor[r] = topology->out_start[r];
    }
    order->rank[order->root] = 0;
    stack[0] = order->root;
    while (height > 0) {
        const uint32_t r = stack[height - 1];
        if (cursor[r] == topology->out_start[r + 1]) {
            height--;
            continue;
        }
        const uint32_t to = topology->channels[cursor[r]++].target;
        if (order->rank[to] != UINT64_MAX)
            continue;
        order->rank[to] = met++;
        order->parent[to] = r;
        stack[height++] = to;
    }
}

enum nb_status nb_tree_order_build(const struct nb_routing *routing,
                                   struct nb_tree_order *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    const char *what = "spanning tree";
    uint32_t *distance = NULL, *queue = NULL;
    enum nb_status status;
    *out = (struct nb_tree_order){ 0 };
    NB_TRY(nb_new(&distance, n, sizeof *distance, what, err));
    NB_TRY(nb_new(&queue, n, sizeof *queue, what, err));
    NB_TRY(nb_new(&out->rank, n, sizeof *out->rank, what, err));
    NB_TRY(nb_new(&out->parent, n, sizeof *out->parent, what, err));
    NB_TRY(order_find_root(routing, distance, queue, &out->root, err));
    if (nb_specification_is(&routing->specification, "tree", "dfs")) {
        order_search_depth(topology, distance, queue, out);
    } else {
        nb_distances_to(topology, out->root, distance, queue);
        order_search_breadth(topology, distance, out);
    }
done:
    nb_delete(distance);
    nb_delete(queue);
    return status;
}
