#include "routing/tree_order.h"

#include "core/memory.h"
#include "core/random.h"
#include "topology/cabling.h"
#include "topology/metrics.h"
#include "topology/search.h"

#include <string.h>

void nb_tree_order_release(struct nb_tree_order *order)
{
    nb_delete(order->is_root);
    nb_delete(order->level);
    nb_delete(order->rank);
    nb_delete(order->parent);
    *order = (struct nb_tree_order){ 0 };
}

/* The state of a search for the order. */
struct order_work {
    const struct nb_topology *topology;
    struct nb_tree_order *order;
    struct nb_pool pool;
    uint32_t *distance; /* [router] */
    uint32_t *queue;    /* [router] */
};

/* Computes distances from the nearest root, and lists the routers that have one
 * in their order; returns their number. */
static size_t order_find_levels(struct order_work *work)
{
    const struct nb_topology *topology = work->topology;
    uint32_t *level = work->order->level;
    size_t roots = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        level[r] = work->order->is_root[r] ? 0 : NB_NONE;
        if (work->order->is_root[r])
            work->queue[roots++] = r;
    }
    return nb_search_along(topology, work->queue, roots, nb_search_distance,
                           level);
}

/* Whether a channel leads from one router to another. */
static bool order_leads(const struct nb_topology *topology, uint32_t from,
                        uint32_t to)
{
    for (uint32_t c = topology->out_start[from];
         c < topology->out_start[from + 1]; c++)
        if (topology->channels[c].target == to)
            return true;
    return false;
}

/* Computes the roots above each router, with channels up and down between them:
 * bit i of its row is the i-th root. The queue lists `count` routers by level,
 * the roots first. */
static void order_find_above(const struct order_work *work, size_t count,
                             size_t words, uint64_t *above)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t *level = work->order->level;
    for (size_t i = 0; i < count; i++) {
        const uint32_t r = work->queue[i];
        if (level[r] == 0)
            above[r * words + i / 64] |= UINT64_C(1) << i % 64;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            if (level[to] != level[r] + 1 || !order_leads(topology, to, r))
                continue;
            for (size_t w = 0; w < words; w++)
                above[to * words + w] |= above[r * words + w];
        }
    }
}

/* Whether one row has a bit in common with each of the other rows. */
static bool order_meets_all(const uint64_t *row, size_t count, size_t words)
{
    bool meets = true;
    for (size_t i = 1; i < count && meets; i++) {
        meets = false;
        for (size_t w = 0; w < words && !meets; w++)
            meets = (row[w] & row[i * words + w]) != 0;
    }
    return meets;
}

/* Finds the levels, and whether any two routers with terminals have a root
 * above both. */
static enum nb_status order_find_ways_down(struct order_work *work,
                                           struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t listed = order_find_levels(work);
    bool *has_ways = &work->order->has_ways_down;
    size_t roots = 0, count = 0;
    uint64_t *above = NULL;
    enum nb_status status;
    for (size_t r = 0; r < n; r++)
        roots += work->order->is_root[r];
    const size_t words = (roots + 63) / 64;
    NB_TRY(nb_new(&above, n * words, sizeof *above, "roots", err));
    order_find_above(work, listed, words, above);
    /* Keeps one row of those in a row that are equal, as of the hosts of a
     * switch. */
    for (size_t r = 0; r < n; r++) {
        const uint64_t *row = above + r * words;
        if (work->topology->terminals[r] == 0 ||
            (count > 0 && memcmp(row, above + (count - 1) * words,
                                 words * sizeof *row) == 0))
            continue;
        memmove(above + count++ * words, row, words * sizeof *row);
    }
    *has_ways = roots > 0;
    for (size_t i = 0; i < count && *has_ways; i++)
        *has_ways = order_meets_all(above + i * words, count - i, words);
done:
    nb_delete(above);
    return status;
}

/* Takes the switches of the highest level for roots if the switches form a
 * tree; else none. */
static enum nb_status order_take_top(struct order_work *work,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    struct nb_cabling cabling = { 0 };
    const enum nb_status status = nb_cabling_find(topology, &cabling, err);
    for (uint32_t r = 0; r < topology->router_count && status == NB_OK; r++)
        work->order->is_root[r] = cabling.levels > 1 &&
                                  cabling.level[r] == cabling.levels - 1 &&
                                  !nb_router_has_failed(topology, r);
    nb_cabling_release(&cabling);
    return status;
}

/* The greatest distance between a router and those with terminals. */
static uint32_t order_eccentricity(struct order_work *work, uint32_t router)
{
    const struct nb_topology *topology = work->topology;
    uint32_t most = 0;
    nb_distances_to(topology, router, work->distance, work->queue);
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0 && work->distance[r] > most)
            most = work->distance[r];
    return most;
}

static uint32_t order_degree(const struct nb_topology *topology,
                             uint32_t router)
{
    return topology->out_start[router + 1] - topology->out_start[router];
}

/* Marks the routers whose greatest distance is least, and returns the first of
 * those with the most channels. */
static uint32_t order_find_middle(struct order_work *work)
{
    const struct nb_topology *topology = work->topology;
    bool *is_root = work->order->is_root;
    bool has_switches = false;
    uint32_t best = NB_NONE, least = NB_NONE;
    for (uint32_t r = 0; r < topology->router_count; r++)
        has_switches = has_switches || (topology->terminals[r] == 0 &&
                                        !nb_router_has_failed(topology, r));
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (nb_router_has_failed(topology, r) ||
            (has_switches && topology->terminals[r] > 0))
            continue;
        const uint32_t most = order_eccentricity(work, r);
        for (uint32_t s = 0; s < r && most < least; s++)
            is_root[s] = false;
        is_root[r] = most <= least;
        if (most < least || (most == least && order_degree(topology, r) >
                                                  order_degree(topology, best)))
            best = r;
        least = most < least ? most : least;
    }
    return best;
}

/* Finds the roots of root=auto. */
static enum nb_status order_find_auto(struct order_work *work, bool is_single,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    struct nb_tree_order *order = work->order;
    uint32_t middle = NB_NONE;
    enum nb_status status = NB_OK;
    for (int top = 1; top >= 0 && !order->has_ways_down; top--) {
        if (is_single && top)
            continue;
        if (top)
            NB_TRY(order_take_top(work, err));
        else
            middle = order_find_middle(work);
        NB_TRY(order_find_ways_down(work, err));
    }
    if (!is_single && order->has_ways_down)
        return NB_OK;
    for (uint32_t r = 0; r < topology->router_count; r++)
        order->is_root[r] = r == middle;
done:
    return status;
}

/* Draws a root among the routers that have not failed. */
static void order_draw_root(struct order_work *work, uint64_t seed)
{
    const struct nb_topology *topology = work->topology;
    struct nb_random random;
    uint32_t count = 0;
    nb_random_init(&random, seed, 0);
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (!nb_router_has_failed(topology, r))
            work->queue[count++] = r;
    if (count > 0)
        work->order->is_root[work->queue[nb_random_below(&random, count)]] =
            true;
}

static enum nb_status order_find_roots(struct order_work *work,
                                       const struct nb_routing *routing,
                                       bool is_single, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const char *name = nb_specification_text(&routing->specification, "root");
    bool *is_root = work->order->is_root;
    if (strcmp(name, "auto") == 0)
        return order_find_auto(work, is_single, err);
    if (strcmp(name, "random") == 0) {
        order_draw_root(work, (uint64_t)nb_specification_whole(
                                  &routing->specification, "seed"));
        return NB_OK;
    }
    if (is_single && strchr(name, '+') != NULL)
        return nb_fail(err, NB_INVALID,
                       "routing %s: root=%.200s names several roots "
                       "(permitted: one)",
                       routing->kind->kind.name, name);
    while (*name != '\0') {
        const size_t length = strcspn(name, "+");
        const uint32_t root = nb_router_find(topology, name, length);
        if (root == NB_NONE || nb_router_has_failed(topology, root))
            return nb_fail(err, NB_INVALID,
                           "routing %s: root=%.*s is not a router (permitted: "
                           "names or numbers of routers that have not failed, "
                           "joined by +; auto or random)",
                           routing->kind->kind.name, (int)length, name);
        is_root[root] = true;
        name += length + (name[length] == '+');
    }
    return NB_OK;
}

/* Ranks by level and number; the parent is the neighbour of least rank. */
static void order_rank_by_level(struct nb_tree_order *order,
                                const struct nb_topology *topology)
{
    for (uint32_t r = 0; r < topology->router_count; r++) {
        order->parent[r] = NB_NONE;
        order->rank[r] = (uint64_t)order->level[r] << 32 | r;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            if (to < order->parent[r] &&
                order->level[to] + 1 == order->level[r])
                order->parent[r] = to;
        }
    }
}

/* Ranks in the order in which a depth-first search meets routers. */
static void order_rank_by_depth(struct order_work *work)
{
    const struct nb_topology *topology = work->topology;
    struct nb_tree_order *order = work->order;
    uint32_t *cursor = work->distance, *stack = work->queue;
    size_t height = 1;
    uint64_t met = 1;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        order->rank[r] = UINT64_MAX;
        order->parent[r] = NB_NONE;
        cursor[r] = topology->out_start[r];
    }
    stack[0] = 0;
    while (!order->is_root[stack[0]])
        stack[0]++;
    order->rank[stack[0]] = 0;
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

/* root: NB_NONE: those of the scheme's parameter. */
static enum nb_status order_build(const struct nb_routing *routing,
                                  uint32_t root, bool is_single,
                                  struct nb_tree_order *out,
                                  struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const char *what = "spanning tree";
    struct order_work work = { .topology = routing->topology, .order = out };
    enum nb_status status;
    *out = (struct nb_tree_order){ 0 };
    work.distance = nb_pool_array(&work.pool, n, sizeof *work.distance);
    work.queue = nb_pool_array(&work.pool, n, sizeof *work.queue);
    NB_TRY(nb_pool_check(&work.pool, what, err));
    NB_TRY(nb_new(&out->is_root, n, sizeof *out->is_root, what, err));
    NB_TRY(nb_new(&out->level, n, sizeof *out->level, what, err));
    NB_TRY(nb_new(&out->rank, n, sizeof *out->rank, what, err));
    NB_TRY(nb_new(&out->parent, n, sizeof *out->parent, what, err));
    if (root == NB_NONE)
        NB_TRY(order_find_roots(&work, routing, is_single, err));
    else
        out->is_root[root] = true;
    NB_TRY(order_find_ways_down(&work, err));
    if (nb_specification_is(&routing->specification, "tree", "dfs"))
        order_rank_by_depth(&work);
    else
        order_rank_by_level(out, routing->topology);
done:
    nb_pool_release(&work.pool);
    return status;
}

enum nb_status nb_tree_order_build(const struct nb_routing *routing,
                                   bool is_single, struct nb_tree_order *out,
                                   struct nb_error *err)
{
    return order_build(routing, NB_NONE, is_single, out, err);
}

enum nb_status nb_tree_order_from(const struct nb_routing *routing,
                                  uint32_t root, struct nb_tree_order *out,
                                  struct nb_error *err)
{
    return order_build(routing, root, true, out, err);
}

/* The greatest power of 2 that is not above a number, which is not 0. */
static uint32_t order_stride(uint32_t number)
{
    uint32_t power = 1;
    while (power <= number / 2)
        power *= 2;
    return power;
}

/* Whether a router may be tried as a root. */
static bool order_may_begin(const struct nb_topology *topology, uint32_t router,
                            bool has_switches)
{
    return !nb_router_has_failed(topology, router) &&
           order_degree(topology, router) > 1 &&
           !(has_switches && topology->terminals[router] > 0);
}

size_t nb_tree_order_roots(const struct nb_routing *routing,
                           const struct nb_tree_order *order, uint32_t *roots)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    bool has_switches = false;
    size_t count = 0;
    for (uint32_t r = 0; r < n; r++)
        if (order->is_root[r])
            roots[count++] = r;
    if (count != 1 ||
        !nb_specification_is(&routing->specification, "root", "auto"))
        return 1;
    for (uint32_t r = 0; r < n; r++)
        has_switches = has_switches || (topology->terminals[r] == 0 &&
                                        !nb_router_has_failed(topology, r));
    /* Those far apart by number come first: by halved strides, where even
     * multiples of a stride were met before. */
    const uint32_t widest = order_stride(n);
    for (uint32_t stride = widest; stride > 0; stride /= 2)
        for (uint32_t r = 0; r < n; r += stride)
            if ((stride == widest || r / stride % 2 == 1) && r != roots[0] &&
                order_may_begin(topology, r, has_switches))
                roots[count++] = r;
    return count;
}

void nb_tree_order_prohibit(const struct nb_tree_order *order, bool tree_alone,
                            struct nb_turns *turns)
{
    const struct nb_topology *topology = turns->topology;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t from = topology->channels[c].source;
        const uint32_t at = topology->channels[c].target;
        if (tree_alone)
            turns->is_usable[c] =
                order->parent[from] == at || order->parent[at] == from;
        for (uint32_t o = topology->out_start[at];
             o < topology->out_start[at + 1]; o++) {
            if (!nb_is_up(order, &topology->channels[c]) &&
                nb_is_up(order, &topology->channels[o]))
                turns->is_permitted[nb_turn(turns, c, o)] = false;
        }
    }
}
