#include "bounds/matching/transport.h"

#include "bounds/matching/node_heap.h"
#include "core/memory.h"
#include "core/ratio.h"

#include <stdbool.h>
#include <string.h>

/*
 * The network. Nodes are the rows 0 .. n-1, the columns n .. 2n-1 and a hub
 * 2n that takes what rows keep and fills what columns lack, both at profit 0.
 * So every row sends exactly its supply, every column receives exactly its
 * demand, and no arc needs a capacity:
 *
 *     row i -> column j   cost -w_ij   reduced cost u_i + v_j - w_ij
 *     row i -> hub        cost 0       reduced cost u_i
 *     hub -> column j     cost 0       reduced cost v_j
 *
 * An arc with flow may be walked backwards; its reduced cost is 0. Nodes with
 * more than they may hold (balance > 0) send to nodes with less (< 0) along
 * paths of least reduced cost until every balance is 0.
 */
struct nb_transport_work {
    struct nb_pool pool;      /* of all arrays, including the caller's */
    nb_int128 *balance;       /* 2n + 1 */
    int64_t *kept;            /* n; flow from each row to the hub */
    int64_t *filled;          /* n; flow from the hub to each column */
    uint32_t *row_of_entry;   /* one per entry */
    size_t *user_start;       /* n + 1; where each column starts in user */
    size_t *user;             /* the entries with flow before labelling */
    int64_t *distance;        /* 2n + 1; least reduced cost from an excess */
    uint32_t *hops;           /* 2n + 1; least arcs among these paths */
    struct nb_node_heap heap; /* 2n + 1; of seen nodes; place of others:
                               * nb_transport_unseen or _settled */
    size_t *cursor;           /* 2n + 1; the arc looked at next */
    uint32_t *path;           /* 2n + 1 */
};

/* Places of nodes not seen yet, and of settled nodes. */
static const uint32_t nb_transport_unseen = UINT32_MAX;
static const uint32_t nb_transport_settled = UINT32_MAX - 1;

/* Least reduced costs in the network. */

/* Offers a path to the node; it never improves a settled node's path. */
static inline void transport_relax(struct nb_transport_work *work, size_t node,
                                   int64_t distance, uint32_t hops)
{
    const int64_t known = work->distance[node];
    if (distance > known || (distance == known && hops >= work->hops[node]))
        return;
    work->distance[node] = distance;
    work->hops[node] = hops;
    const uint32_t place = work->heap.place[node];
    nb_node_heap_raise(&work->heap, (uint32_t)node,
                       place == nb_transport_unseen ? work->heap.count++
                                                    : place);
}

/*
 * Offers paths through a settled node to its neighbours. Nothing overflows 64
 * bits: with W the largest weight, distance + u <= 2 W at a row (one reached
 * through a column has u = w - v, and the column is no farther than the hub
 * plus v; the hub is no farther than the u of a row with excess), so distance +
 * u + v <= 3 W < 2^63 for n >= 2; for n = 1 the one row has excess itself or
 * the hub is at 0, and the sum is at most 2 W.
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
static void transport_list_users(struct nb_transport *t)
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
 * Labels nodes with their distance, the least reduced cost from any excess, and
 * with hops among equally short paths, until all nodes with a deficit are
 * settled. The rest, which are at least as far as the last settled one, get its
 * distance and no hops. Every deficit is reached: an excess is at a row or the
 * hub, rows lead to the hub and the hub to every column.
 */
static void transport_label(struct nb_transport *t)
{
    struct nb_transport_work *work = t->work;
    const size_t nodes = 2 * t->n + 1;
    size_t deficits = 0;
    work->heap.count = 0;
    for (size_t node = 0; node < nodes; node++) {
        work->distance[node] = INT64_MAX;
        work->hops[node] = UINT32_MAX;
        work->heap.place[node] = nb_transport_unseen;
    }
    for (size_t node = 0; node < nodes; node++) {
        if (work->balance[node] > 0)
            transport_relax(work, node, 0, 0);
        deficits += work->balance[node] < 0;
    }
    int64_t farthest = 0;
    while (deficits > 0) {
        const uint32_t node = nb_node_heap_pop(&work->heap);
        work->heap.place[node] = nb_transport_settled;
        farthest = work->distance[node];
        deficits -= work->balance[node] < 0;
        if (deficits > 0)
            transport_expand(t, node);
    }
    for (size_t node = 0; node < nodes; node++) {
        if (work->heap.place[node] != nb_transport_settled) {
            work->distance[node] = farthest;
            work->hops[node] = UINT32_MAX;
        }
    }
}

/* Moves the duals so that the paths found have reduced cost 0: adds the
 * distances to the potentials. */
static void transport_update_duals(struct nb_transport *t)
{
    const int64_t *distance = t->work->distance;
    const int64_t hub = distance[2 * t->n];
    for (size_t k = 0; k < t->n; k++) {
        t->row_dual[k] += distance[k] - hub;
        t->column_dual[k] += hub - distance[t->n + k];
    }
}

/*
 * The searches below advance a node's cursor to a tight arc that leads one hop
 * farther and can carry more; they return its end, or nb_transport_unseen.
 * Cursors of rows run over their entries, those of columns over their users,
 * then both to the hub (at end); that of the hub over columns, then rows.
 */
static uint32_t transport_find_hub(const struct nb_transport *t, uint32_t node,
                                   size_t end, bool is_open)
{
    const struct nb_transport_work *work = t->work;
    const bool is_next = work->hops[2 * t->n] == work->hops[node] + 1;
    return is_open && is_next && work->cursor[node] == end
               ? (uint32_t)(2 * t->n)
               : nb_transport_unseen;
}

static uint32_t transport_find_from_row(const struct nb_transport *t,
                                        uint32_t row)
{
    const struct nb_transport_work *work = t->work;
    const uint32_t next = work->hops[row] + 1;
    const size_t end = t->row_start[row + 1];
    size_t *cursor = &work->cursor[row];
    for (; *cursor < end; ++*cursor) {
        const uint32_t j = t->column[*cursor];
        if (work->hops[t->n + j] == next &&
            t->row_dual[row] + t->column_dual[j] == t->weight[*cursor])
            return (uint32_t)t->n + j;
    }
    return transport_find_hub(t, row, end, t->row_dual[row] == 0);
}

static uint32_t transport_find_from_column(const struct nb_transport *t,
                                           uint32_t node)
{
    const struct nb_transport_work *work = t->work;
    const size_t j = node - t->n, end = work->user_start[j + 1];
    size_t *cursor = &work->cursor[node];
    for (; *cursor < end; ++*cursor) {
        const uint32_t row = work->row_of_entry[work->user[*cursor]];
        if (work->hops[row] == work->hops[node] + 1 &&
            t->flow[work->user[*cursor]] > 0)
            return row;
    }
    return transport_find_hub(t, node, end, work->filled[j] > 0);
}

static uint32_t transport_find_from_hub(const struct nb_transport *t)
{
    const struct nb_transport_work *work = t->work;
    const size_t n = t->n;
    const uint32_t next = work->hops[2 * n] + 1;
    size_t *cursor = &work->cursor[2 * n];
    for (; *cursor < n; ++*cursor)
        if (work->hops[n + *cursor] == next && t->column_dual[*cursor] == 0)
            return (uint32_t)(n + *cursor);
    for (; *cursor < 2 * n; ++*cursor)
        if (work->hops[*cursor - n] == next && work->kept[*cursor - n] > 0)
            return (uint32_t)(*cursor - n);
    return nb_transport_unseen;
}

static uint32_t transport_find_arc(const struct nb_transport *t, uint32_t node)
{
    if (node < t->n)
        return transport_find_from_row(t, node);
    return node < 2 * t->n ? transport_find_from_column(t, node)
                           : transport_find_from_hub(t);
}

/*
 * The flow on an arc found by transport_find_arc: pushing along arcs of rows
 * and from the hub to columns raises it without limit; pushing along other
 * arcs, which are walked backwards, lowers it, at most to 0.
 */
static int64_t *transport_arc_flow(const struct nb_transport *t, uint32_t node,
                                   bool *is_backward)
{
    const struct nb_transport_work *work = t->work;
    const size_t n = t->n, cursor = work->cursor[node];
    *is_backward = node >= n;
    if (node < n)
        return cursor < t->row_start[node + 1] ? &t->flow[cursor]
                                               : &work->kept[node];
    if (node < 2 * n)
        return cursor < work->user_start[node - n + 1]
                   ? &t->flow[work->user[cursor]]
                   : &work->filled[node - n];
    *is_backward = cursor >= n;
    return *is_backward ? &work->kept[cursor - n] : &work->filled[cursor];
}

/*
 * Sends along path[0 .. depth] the amount that excess, deficit and backward
 * arcs allow. Returns the depth to continue from: the start of the first arc
 * exhausted, or the end of the path.
 */
static uint32_t transport_send(struct nb_transport *t, uint32_t depth)
{
    struct nb_transport_work *work = t->work;
    const uint32_t *path = work->path;
    nb_int128 amount = work->balance[path[0]];
    bool is_backward;
    if (amount > -work->balance[path[depth]])
        amount = -work->balance[path[depth]];
    for (uint32_t k = 0; k < depth; k++) {
        const int64_t *flow = transport_arc_flow(t, path[k], &is_backward);
        if (is_backward && amount > *flow)
            amount = *flow;
    }
    uint32_t first_exhausted = depth;
    for (uint32_t k = depth; k-- > 0;) {
        int64_t *flow = transport_arc_flow(t, path[k], &is_backward);
        *flow += (int64_t)(is_backward ? -amount : amount);
        if (is_backward && *flow == 0)
            first_exhausted = k;
    }
    work->balance[path[0]] -= amount;
    work->balance[path[depth]] += amount;
    return first_exhausted;
}

/* Sends a node's excess along layered tight arcs as long as a path is left;
 * dead ends are never entered twice. */
static void transport_drain(struct nb_transport *t, uint32_t source)
{
    struct nb_transport_work *work = t->work;
    uint32_t depth = 0;
    work->path[0] = source;
    while (work->balance[source] > 0) {
        const uint32_t node = work->path[depth];
        if (work->balance[node] < 0) {
            depth = transport_send(t, depth);
            continue;
        }
        const uint32_t next = transport_find_arc(t, node);
        if (next != nb_transport_unseen) {
            work->path[++depth] = next;
        } else {
            if (depth == 0)
                return;
            work->cursor[work->path[--depth]]++;
        }
    }
}

/* A blocking flow: afterwards every remaining deficit is farther, or equally
 * far by more hops, so there are finitely many rounds. */
static void transport_block(struct nb_transport *t)
{
    struct nb_transport_work *work = t->work;
    const size_t n = t->n;
    memcpy(work->cursor, t->row_start, n * sizeof *work->cursor);
    memcpy(work->cursor + n, work->user_start, n * sizeof *work->cursor);
    work->cursor[2 * n] = 0;
    for (uint32_t node = 0; node < n; node++)
        transport_drain(t, node);
    transport_drain(t, (uint32_t)(2 * n));
}

/* No flow except from the hub into the columns, if the duals allow that. */
static void transport_reset(struct nb_transport *t, int64_t supply,
                            int64_t demand)
{
    struct nb_transport_work *work = t->work;
    const size_t n = t->n;
    memset(t->flow, 0, t->row_start[n] * sizeof *t->flow);
    memset(work->kept, 0, n * sizeof *work->kept);
    work->balance[2 * n] = 0;
    for (size_t k = 0; k < n; k++) {
        const bool is_filled = t->column_dual[k] == 0;
        work->filled[k] = is_filled ? demand : 0;
        work->balance[k] = supply;
        work->balance[n + k] = is_filled ? 0 : -demand;
        work->balance[2 * n] += (is_filled ? 0 : demand) - supply;
    }
}

static bool transport_has_excess(const struct nb_transport *t)
{
    for (size_t k = 0; k < t->n; k++)
        if (t->work->balance[k] > 0)
            return true;
    return t->work->balance[2 * t->n] > 0;
}

void nb_transport_solve(struct nb_transport *transport, int64_t supply,
                        int64_t demand)
{
    transport_reset(transport, supply, demand);
    while (transport_has_excess(transport)) {
        transport_list_users(transport);
        transport_label(transport);
        transport_update_duals(transport);
        transport_block(transport);
    }
}

static enum nb_status transport_allocate(struct nb_transport *t,
                                         struct nb_error *err)
{
    enum nb_status status;
    const size_t n = t->n, nodes = 2 * n + 1, entries = t->row_start[n];
    NB_TRY(nb_new(&t->work, 1, sizeof *t->work, "transportation", err));
    struct nb_transport_work *work = t->work;
    struct nb_pool *pool = &work->pool;
    t->flow = nb_pool_array(pool, entries, sizeof *t->flow);
    t->row_dual = nb_pool_array(pool, n, sizeof *t->row_dual);
    t->column_dual = nb_pool_array(pool, n, sizeof *t->column_dual);
    work->balance = nb_pool_array(pool, nodes, sizeof *work->balance);
    work->kept = nb_pool_array(pool, n, sizeof *work->kept);
    work->filled = nb_pool_array(pool, n, sizeof *work->filled);
    work->row_of_entry = nb_pool_array(pool, entries, sizeof(uint32_t));
    work->user_start = nb_pool_array(pool, n + 1, sizeof(size_t));
    work->user = nb_pool_array(pool, entries, sizeof(size_t));
    work->distance = nb_pool_array(pool, nodes, sizeof(int64_t));
    work->hops = nb_pool_array(pool, nodes, sizeof(uint32_t));
    work->heap = (struct nb_node_heap){
        .distance = work->distance,
        .hops = work->hops,
        .node = nb_pool_array(pool, nodes, sizeof(uint32_t)),
        .place = nb_pool_array(pool, nodes, sizeof(uint32_t)),
    };
    work->cursor = nb_pool_array(pool, nodes, sizeof(size_t));
    work->path = nb_pool_array(pool, nodes, sizeof(uint32_t));
    NB_TRY(nb_pool_check(pool, "transportation", err));
done:
    return status;
}

enum nb_status nb_transport_init(struct nb_transport *out, size_t n,
                                 const size_t *row_start,
                                 const uint32_t *column, const int64_t *weight,
                                 struct nb_error *err)
{
    enum nb_status status;
    *out = (struct nb_transport){
        .n = n, .row_start = row_start, .column = column, .weight = weight
    };
    NB_TRY(transport_allocate(out, err));
    for (size_t i = 0; i < n; i++) {
        for (size_t e = row_start[i]; e < row_start[i + 1]; e++) {
            out->work->row_of_entry[e] = (uint32_t)i;
            if (out->row_dual[i] < weight[e])
                out->row_dual[i] = weight[e];
        }
    }
done:
    if (status != NB_OK)
        nb_transport_release(out);
    return status;
}

void nb_transport_release(struct nb_transport *transport)
{
    if (transport->work != NULL)
        nb_pool_release(&transport->work->pool);
    nb_delete(transport->work);
    *transport = (struct nb_transport){ 0 };
}
