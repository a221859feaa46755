#include "bounds/matching/transport_work.h"

#include "core/memory.h"

#include <stdbool.h>
#include <string.h>

/*
 * The searches below advance a node's cursor to a tight arc that leads one
 * hop farther and can carry more; they return its end, or nb_transport_unseen.
 * Cursors of rows run over their entries, of columns over their users, then
 * both to the hub (at end); that of the hub over columns, then rows.
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
 * The flow an arc found by transport_find_arc changes: pushing along arcs of
 * rows and from the hub to columns raises it without limit, pushing along the
 * others, which are walked backwards, lowers it to 0 at most.
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
 * Sends along path[0 .. depth] what excess, deficit and backward arcs allow.
 * Returns the depth to go on from: the start of the first arc exhausted, or
 * the end of the path.
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

/* Sends a node's excess along layered tight arcs as long as any path is
 * left; dead ends are never entered twice. */
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

/* A blocking flow: afterwards every deficit left is farther, or as far by
 * more hops, so there are finitely many rounds. */
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

/* No flow but the hub's into the columns, where the duals allow that much. */
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
        nb_transport_list_users(transport);
        nb_transport_label(transport);
        nb_transport_update_duals(transport);
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
    const struct {
        void *block;
        size_t count, size;
    } blocks[] = {
        { &t->flow, entries, sizeof *t->flow },
        { &t->row_dual, n, sizeof *t->row_dual },
        { &t->column_dual, n, sizeof *t->column_dual },
        { &work->balance, nodes, sizeof *work->balance },
        { &work->kept, n, sizeof *work->kept },
        { &work->filled, n, sizeof *work->filled },
        { &work->row_of_entry, entries, sizeof *work->row_of_entry },
        { &work->user_start, n + 1, sizeof *work->user_start },
        { &work->user, entries, sizeof *work->user },
        { &work->distance, nodes, sizeof *work->distance },
        { &work->hops, nodes, sizeof *work->hops },
        { &work->heap, nodes, sizeof *work->heap },
        { &work->heap_position, nodes, sizeof *work->heap_position },
        { &work->cursor, nodes, sizeof *work->cursor },
        { &work->path, nodes, sizeof *work->path },
    };
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        NB_TRY(nb_new(blocks[b].block, blocks[b].count, blocks[b].size,
                      "transportation", err));
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
    struct nb_transport_work *work = transport->work;
    if (work != NULL) {
        void *const blocks[] = {
            work->balance,    work->kept,   work->filled,   work->row_of_entry,
            work->user_start, work->user,   work->distance, work->hops,
            work->heap,       work->cursor, work->path,     work->heap_position,
        };
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            nb_delete(blocks[b]);
        nb_delete(work);
    }
    nb_delete(transport->flow);
    nb_delete(transport->row_dual);
    nb_delete(transport->column_dual);
    *transport = (struct nb_transport){ 0 };
}
