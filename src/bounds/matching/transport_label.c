/* Least reduced costs in the network (declared in transport_work.h). */
#include "bounds/matching/transport_work.h"

#include <stdbool.h>
#include <string.h>

/* Whether node a is nearer than node b. */
static bool transport_is_nearer(const struct nb_transport_work *work,
                                uint32_t a, uint32_t b)
{
    if (work->distance[a] != work->distance[b])
        return work->distance[a] < work->distance[b];
    return work->hops[a] < work->hops[b];
}

static void transport_heap_place(struct nb_transport_work *work, uint32_t node,
                                 uint32_t position)
{
    work->heap[position] = node;
    work->heap_position[node] = position;
}

/* Moves a node that came nearer, or is new at the end, to its place. */
static void transport_heap_raise(struct nb_transport_work *work, uint32_t node)
{
    uint32_t hole = work->heap_position[node];
    while (hole > 0) {
        const uint32_t parent = work->heap[(hole - 1) / 2];
        if (!transport_is_nearer(work, node, parent))
            break;
        transport_heap_place(work, parent, hole);
        hole = (hole - 1) / 2;
    }
    transport_heap_place(work, node, hole);
}

/* Removes and settles the nearest node; the heap is not empty. */
static uint32_t transport_heap_pop(struct nb_transport_work *work)
{
    const uint32_t nearest = work->heap[0];
    const uint32_t last = work->heap[--work->heap_count];
    const uint32_t count = work->heap_count;
    uint32_t hole = 0;
    while (2 * hole + 1 < count) {
        uint32_t child = 2 * hole + 1;
        if (child + 1 < count &&
            transport_is_nearer(work, work->heap[child + 1], work->heap[child]))
            child++;
        if (!transport_is_nearer(work, work->heap[child], last))
            break;
        transport_heap_place(work, work->heap[child], hole);
        hole = child;
    }
    if (count > 0)
        transport_heap_place(work, last, hole);
    work->heap_position[nearest] = nb_transport_settled;
    return nearest;
}

/* Offers node a path; a settled node's own is never worse. */
static inline void transport_relax(struct nb_transport_work *work, size_t node,
                                   int64_t distance, uint32_t hops)
{
    const int64_t known = work->distance[node];
    if (distance > known || (distance == known && hops >= work->hops[node]))
        return;
    work->distance[node] = distance;
    work->hops[node] = hops;
    if (work->heap_position[node] == nb_transport_unseen)
        work->heap_position[node] = work->heap_count++;
    transport_heap_raise(work, (uint32_t)node);
}

/*
 * Offers paths through a settled node to its neighbours. Nothing leaves 64
 * bits: with W the largest weight, distance + u <= 2 W at a row (one reached
 * through a column has u = w - v, and the column is no farther than the hub
 * plus v; the hub is no farther than the u of a row with excess), so
 * distance + u + v <= 3 W < 2^63 for n >= 2; for n = 1 the one row has excess
 * itself or the hub is at 0, and the sum is at most 2 W.
 */
static void transport_expand(struct nb_transport *t, uint32_t node)
{
    struct nb_transport_work *work = t->work;
    const size_t n = t->n;
    const int64_t distance = work->distance[node];
    const uint32_t hops = work->hops[node] + 1;
    if (node < n) {
        const int64_t base = distance + t->row_dual[node];
        for (size_t e = t->row_start[node]; e < t->row_start[node + 1]; e++) {
            const uint32_t j = t->column[e];
            transport_relax(work, n + j,
                            base + t->column_dual[j] - t->weight[e], hops);
        }
        transport_relax(work, 2 * n, base, hops);
    } else if (node < 2 * n) {
        const size_t j = node - n;
        for (size_t k = work->user_start[j]; k < work->user_start[j + 1]; k++)
            transport_relax(work, work->row_of_entry[work->user[k]], distance,
                            hops);
        if (work->filled[j] > 0)
            transport_relax(work, 2 * n, distance, hops);
    } else {
        for (size_t k = 0; k < n; k++) {
            transport_relax(work, n + k, distance + t->column_dual[k], hops);
            if (work->kept[k] > 0)
                transport_relax(work, k, distance, hops);
        }
    }
}

/* Lists the entries with flow by column (a counting sort). */
void nb_transport_list_users(struct nb_transport *t)
{
    struct nb_transport_work *work = t->work;
    const size_t n = t->n, entries = t->row_start[n];
    size_t *start = work->user_start;
    memset(start, 0, (n + 1) * sizeof *start);
    for (size_t e = 0; e < entries; e++)
        start[t->column[e]] += t->flow[e] > 0;
    for (size_t j = 1; j <= n; j++)
        start[j] += start[j - 1];
    for (size_t e = entries; e-- > 0;)
        if (t->flow[e] > 0)
            work->user[--start[t->column[e]]] = e;
}

/*
 * Labels nodes with their distance, and hops among equally short paths, from
 * the nodes with excess until all with a deficit are settled. The others,
 * which are at least as far as the last of these, get its distance and no
 * hops. Every deficit is reached: an excess is at a row or
 * the hub, rows lead to the hub and the hub to every column.
 */
void nb_transport_label(struct nb_transport *t)
{
    struct nb_transport_work *work = t->work;
    const size_t nodes = 2 * t->n + 1;
    size_t deficits = 0;
    work->heap_count = 0;
    for (size_t node = 0; node < nodes; node++) {
        work->distance[node] = INT64_MAX;
        work->hops[node] = UINT32_MAX;
        work->heap_position[node] = nb_transport_unseen;
    }
    for (size_t node = 0; node < nodes; node++) {
        if (work->balance[node] > 0)
            transport_relax(work, node, 0, 0);
        deficits += work->balance[node] < 0;
    }
    int64_t farthest = 0;
    while (deficits > 0) {
        const uint32_t node = transport_heap_pop(work);
        farthest = work->distance[node];
        deficits -= work->balance[node] < 0;
        if (deficits > 0)
            transport_expand(t, node);
    }
    for (size_t node = 0; node < nodes; node++) {
        if (work->heap_position[node] != nb_transport_settled) {
            work->distance[node] = farthest;
            work->hops[node] = UINT32_MAX;
        }
    }
}

/* Adds the distances to the potentials: shortest paths become tight. */
void nb_transport_update_duals(struct nb_transport *t)
{
    const int64_t *distance = t->work->distance;
    const int64_t hub = distance[2 * t->n];
    for (size_t k = 0; k < t->n; k++) {
        t->row_dual[k] += distance[k] - hub;
        t->column_dual[k] += hub - distance[t->n + k];
    }
}
