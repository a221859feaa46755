#include "deadlock/order.h"

#include "core/memory.h"

#include <stdlib.h>

/* Scratch of one search. */
struct order_work {
    const struct nb_dependencies *graph;
    size_t *waited; /* [vertex] arcs to it from vertices not yet numbered */
    uint32_t *queue;
    uint32_t *before; /* [vertex] the vertex from which a search reached it */
    size_t *depth;    /* [vertex] */
    size_t *seen;     /* [vertex] the last search that reached it, from 1 */
    size_t searches;
    struct nb_pool pool;
};

void nb_order_release(struct nb_order *order)
{
    nb_delete(order->number);
    nb_delete(order->cycle);
    *order = (struct nb_order){ 0 };
}

/* Numbers each vertex once all that wait for it are numbered. Returns the
 * number of numbered vertices. */
static size_t order_number(struct order_work *work, struct nb_order *out)
{
    const struct nb_dependencies *graph = work->graph;
    size_t head = 0, tail = 0;
    for (size_t a = 0; a < graph->count; a++)
        work->waited[graph->to[a]]++;
    for (size_t v = 0; v < graph->vertex_count; v++)
        if (work->waited[v] == 0) {
            out->number[v] = 1;
            work->queue[tail++] = (uint32_t)v;
        }
    while (head < tail) {
        const uint32_t v = work->queue[head++];
        const uint32_t next = out->number[v] + 1;
        out->longest = next - 1 > out->longest ? next - 1 : out->longest;
        for (size_t a = graph->first[v]; a < graph->first[v + 1]; a++) {
            const uint32_t to = graph->to[a];
            if (out->number[to] < next)
                out->number[to] = next;
            if (--work->waited[to] == 0)
                work->queue[tail++] = to;
        }
    }
    return tail;
}

/* Searches for a cycle through a vertex, over greater unnumbered vertices, with
 * fewer steps than the best so far. Returns its length, or 0. */
static size_t order_search(struct order_work *work, uint32_t from, size_t best)
{
    const struct nb_dependencies *graph = work->graph;
    size_t head = 0, tail = 0;
    work->queue[tail++] = from;
    work->seen[from] = ++work->searches;
    work->depth[from] = 0;
    while (head < tail) {
        const uint32_t v = work->queue[head++];
        if (work->depth[v] + 1 >= best)
            return 0;
        for (size_t a = graph->first[v]; a < graph->first[v + 1]; a++) {
            const uint32_t to = graph->to[a];
            if (to == from) {
                work->before[from] = v;
                return work->depth[v] + 1;
            }
            if (to < from || work->waited[to] == 0 ||
                work->seen[to] == work->searches)
                continue;
            work->seen[to] = work->searches;
            work->depth[to] = work->depth[v] + 1;
            work->before[to] = v;
            work->queue[tail++] = to;
        }
    }
    return 0;
}

static enum nb_status order_find_cycle(struct order_work *work,
                                       struct nb_order *out,
                                       struct nb_error *err)
{
    uint32_t least = 0;
    size_t best = SIZE_MAX;
    enum nb_status status;
    for (uint32_t v = 0; v < work->graph->vertex_count; v++) {
        if (work->waited[v] == 0)
            continue;
        const size_t length = order_search(work, v, best);
        if (length > 0) {
            best = length;
            least = v;
        }
    }
    order_search(work, least, best + 1);
    NB_TRY(nb_new(&out->cycle, best, sizeof *out->cycle, "cycle", err));
    out->length = best;
    for (size_t i = best; i-- > 0;) {
        least = work->before[least];
        out->cycle[i] = least;
    }
done:
    return status;
}

static enum nb_status order_find(const struct nb_dependencies *dependencies,
                                 bool has_cycle, struct nb_order *out,
                                 struct nb_error *err)
{
    const size_t count = dependencies->vertex_count;
    struct order_work work = { .graph = dependencies };
    enum nb_status status = NB_OK;
    *out = (struct nb_order){ 0 };
    work.waited = nb_pool_array(&work.pool, count, sizeof *work.waited);
    work.queue = nb_pool_array(&work.pool, count, sizeof *work.queue);
    work.before = nb_pool_array(&work.pool, count, sizeof *work.before);
    work.depth = nb_pool_array(&work.pool, count, sizeof *work.depth);
    work.seen = nb_pool_array(&work.pool, count, sizeof *work.seen);
    NB_TRY(nb_pool_check(&work.pool, "numbering", err));
    NB_TRY(nb_new(&out->number, count, sizeof *out->number, "numbering", err));
    out->is_free = order_number(&work, out) == count;
    for (size_t v = 0; v < count; v++)
        if (out->number[v] == 1 &&
            dependencies->first[v] == dependencies->first[v + 1])
            out->number[v] = 0;
    if (!out->is_free) {
        nb_delete(out->number);
        out->number = NULL;
        if (has_cycle)
            NB_TRY(order_find_cycle(&work, out, err));
    }
done:
    nb_pool_release(&work.pool);
    if (status != NB_OK)
        nb_order_release(out);
    return status;
}

enum nb_status nb_order_find(const struct nb_dependencies *dependencies,
                             struct nb_order *out, struct nb_error *err)
{
    return order_find(dependencies, true, out, err);
}

enum nb_status nb_order_number(const struct nb_dependencies *dependencies,
                               struct nb_order *out, struct nb_error *err)
{
    return order_find(dependencies, false, out, err);
}

enum nb_status nb_order_check(const struct nb_dependencies *dependencies,
                              const uint32_t *number, bool *holds,
                              uint32_t *vertex, struct nb_error *err)
{
    const size_t count = dependencies->vertex_count;
    uint32_t *least; /* 1 + the greatest number of a vertex that leads to it */
    enum nb_status status;
    NB_TRY(nb_new(&least, count, sizeof *least, "numbering", err));
    for (uint32_t v = 0; v < count; v++)
        for (size_t a = dependencies->first[v]; a < dependencies->first[v + 1];
             a++) {
            const uint32_t to = dependencies->to[a];
            if (least[to] <= number[v])
                least[to] = number[v] + 1;
            if (least[v] == 0)
                least[v] = 1;
        }
    *holds = true;
    for (uint32_t v = 0; v < count && *holds; v++) {
        *holds = number[v] == least[v];
        *vertex = v;
    }
    nb_delete(least);
done:
    return status;
}

static int order_compare(const void *one, const void *other)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

enum nb_status nb_dependencies_merge(const struct nb_dependencies *dependencies,
                                     struct nb_dependencies *out,
                                     struct nb_error *err)
{
    const size_t classes = dependencies->classes->count;
    const size_t channels = dependencies->vertex_count / classes;
    enum nb_status status = NB_OK;
    *out = (struct nb_dependencies){ .vertex_count = channels };
    NB_TRY(nb_new(&out->first, channels + 1, sizeof *out->first, "dependencies",
                  err));
    NB_TRY(nb_new(&out->to, dependencies->count, sizeof *out->to,
                  "dependencies", err));
    for (size_t c = 0; c < channels; c++) {
        uint32_t *to = out->to + out->count;
        size_t count = 0, kept = 0;
        for (size_t a = dependencies->first[c * classes];
             a < dependencies->first[(c + 1) * classes]; a++)
            to[count++] = dependencies->to[a] / (uint32_t)classes;
        qsort(to, count, sizeof *to, order_compare);
        for (size_t i = 0; i < count; i++)
            if (i == 0 || to[i] != to[i - 1])
                to[kept++] = to[i];
        out->count += kept;
        out->first[c + 1] = out->count;
    }
done:
    if (status != NB_OK)
        nb_dependencies_release(out);
    return status;
}
