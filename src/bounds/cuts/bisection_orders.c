/* Orders of the routers, near ones together (declared in bisection_work.h). */
#include "bounds/cuts/bisection_work.h"

#include "core/memory.h"
#include "core/random.h"
#include "topology/metrics.h"

#include <stdlib.h>

enum {
    ORDERS_RANDOM = 4,
    ORDERS_STEPS = 100, /* of the power iteration */
};

struct orders_key {
    double key;
    uint32_t router;
};

static int orders_compare(const void *left, const void *right)
{
    const struct orders_key *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->router < b->router ? -1 : 1;
}

/* The coordinates that a network may have. */
static const struct nb_grid *orders_grid(const struct nb_topology *topology)
{
    return topology->hyperx.dimensions > 0 ? &topology->hyperx
                                           : &topology->grid;
}

static void orders_by_random(size_t index, size_t count, double *key)
{
    struct nb_random random;
    nb_random_init(&random, 1, index);
    for (size_t r = 0; r < count; r++)
        key[r] = nb_random_unit(&random);
}

/* As breadth-first search from a router reaches them: router 0, or the last
 * that is reached from there. */
static enum nb_status orders_by_distance(const struct nb_topology *topology,
                                         bool from_last, double *key,
                                         struct nb_error *err)
{
    const size_t routers = topology->router_count;
    uint32_t *distance = NULL;
    uint32_t *queue = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&distance, routers, sizeof *distance, "distances", err));
    NB_TRY(nb_new(&queue, routers, sizeof *queue, "distances", err));
    nb_distances_to(topology, 0, distance, queue);
    if (from_last)
        nb_distances_to(topology, queue[routers - 1], distance, queue);
    for (size_t i = 0; i < routers; i++)
        key[queue[i]] = (double)i;
done:
    nb_delete(distance);
    nb_delete(queue);
    return status;
}

/* x -> (c - L) x / c with the Laplacian L and c twice the greatest weight at
 * a router, less its mean: what remains are the slowest modes. */
static void orders_smooth(const struct bisection_graph *graph, double most,
                          double *x, double *next)
{
    const struct nb_topology *topology = graph->topology;
    const size_t routers = topology->router_count;
    double mean = 0;
    for (size_t r = 0; r < routers; r++)
        next[r] = x[r];
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const double flow = graph->weight[c] / (2 * most) *
                            (x[channel->source] - x[channel->target]);
        next[channel->source] -= flow;
        next[channel->target] += flow;
    }
    for (size_t r = 0; r < routers; r++)
        mean += next[r] / (double)routers;
    for (size_t r = 0; r < routers; r++)
        x[r] = next[r] - mean;
}

/* By the eigenvector of the second eigenvalue, roughly: [Fiedler1973]. */
static enum nb_status orders_by_mode(const struct bisection_graph *graph,
                                     double *key, struct nb_error *err)
{
    const struct nb_topology *topology = graph->topology;
    double most = 0;
    double *next = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&next, topology->router_count, sizeof *next, "search", err));
    for (size_t c = 0; c < topology->channel_count; c++) {
        next[topology->channels[c].source] += graph->weight[c];
        next[topology->channels[c].target] += graph->weight[c];
    }
    for (size_t r = 0; r < topology->router_count; r++)
        most = next[r] > most ? next[r] : most;
    orders_by_random(0, topology->router_count, key);
    for (int step = 0; step < ORDERS_STEPS; step++)
        orders_smooth(graph, most, key, next);
done:
    nb_delete(next);
    return status;
}

/* Keys of the index-th order: router numbers (all keys 0), groups, each
 * dimension, distances twice, the slowest mode, random numbers. */
static enum nb_status orders_find_keys(const struct bisection_graph *graph,
                                       size_t index, double *key,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = graph->topology;
    const struct nb_grid *grid = orders_grid(topology);
    const size_t routers = topology->router_count;
    if (index == 0)
        return NB_OK;
    index--;
    if (topology->groups.count > 0 && index-- == 0) {
        for (size_t r = 0; r < routers; r++)
            key[r] = topology->groups.of[r];
        return NB_OK;
    }
    if (index < grid->dimensions) {
        for (size_t r = 0; r < routers; r++)
            key[r] = nb_grid_coordinate(grid, (uint32_t)r, index);
        return NB_OK;
    }
    index -= grid->dimensions;
    if (index < 2)
        return orders_by_distance(topology, index == 1, key, err);
    if (index == 2)
        return orders_by_mode(graph, key, err);
    orders_by_random(index, routers, key);
    return NB_OK;
}

size_t nb_bisection_order_count(const struct nb_topology *topology)
{
    const size_t groups = topology->groups.count > 0;
    return 1 + groups + orders_grid(topology)->dimensions + 3 + ORDERS_RANDOM;
}

enum nb_status nb_bisection_order(const struct bisection_graph *graph,
                                  size_t index, uint32_t *order,
                                  struct nb_error *err)
{
    const size_t routers = graph->topology->router_count;
    double *key = NULL;
    struct orders_key *sorted = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&key, routers, sizeof *key, "search", err));
    NB_TRY(nb_new(&sorted, routers, sizeof *sorted, "search", err));
    NB_TRY(orders_find_keys(graph, index, key, err));
    for (size_t r = 0; r < routers; r++)
        sorted[r] = (struct orders_key){ key[r], (uint32_t)r };
    qsort(sorted, routers, sizeof *sorted, orders_compare);
    for (size_t r = 0; r < routers; r++)
        order[r] = sorted[r].router;
done:
    nb_delete(key);
    nb_delete(sorted);
    return status;
}
