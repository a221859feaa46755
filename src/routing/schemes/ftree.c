/*
 * ftree: d-mod-k on fat trees, also those read from files. A packet goes up
 * until its destination lies below, and then down. The choice among the
 * channels up from a router is the destination's number, divided by the product
 * of the numbers of channels up on the levels below, modulo the number of
 * channels; among several channels down, it is the number itself modulo their
 * number. Destinations are numbered along the leaves. Channels up to where no
 * way leads down to the destination, because cables are missing, do not count.
 * Source: [ZahaviEtAl2010].
 */
#include "core/memory.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"
#include "topology/search.h"

#include <stdlib.h>
#include <string.h>

struct ftree_work {
    const struct nb_topology *topology;
    const struct nb_tree_order *order;
    struct nb_pool pool;
    uint32_t *next;        /* [destination * router_count + router]; owned */
    uint32_t *destination; /* [destination_count] along the leaves */
    size_t destination_count;
    uint32_t *divisor; /* [level] */
    bool *is_above;    /* [router] the destination lies below */
    bool *has_way;     /* [router] the same, or a channel leads up to one that
                        * has a way */
    bool *mark;        /* [router] of a search: is_above or has_way */
    uint32_t *queue;   /* [router] */
};

/* Orders by parent, then number. */
static int ftree_compare(const void *left, const void *right, void *context)
{
    const struct nb_tree_order *order = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (order->parent[a] != order->parent[b])
        return order->parent[a] < order->parent[b] ? -1 : 1;
    return (a > b) - (a < b);
}

/* 1 if a channel leads to the level above, -1 to the level below, 0
 * otherwise. */
static int ftree_rise(const struct ftree_work *work, uint32_t channel)
{
    const struct nb_channel *c = &work->topology->channels[channel];
    const uint32_t from = work->order->level[c->source];
    const uint32_t to = work->order->level[c->target];
    return to + 1 == from ? 1 : from + 1 == to ? -1 : 0;
}

/* The number of channels up on a level is that of its router with the most. */
static void ftree_find_divisors(struct ftree_work *work)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    uint32_t *ways = work->queue;
    for (size_t l = 0; l < n; l++)
        ways[l] = 1;
    for (size_t r = 0; r < n; r++) {
        uint32_t count = 0;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            count += ftree_rise(work, c) > 0;
        if (work->order->level[r] != NB_NONE &&
            count > ways[work->order->level[r]])
            ways[work->order->level[r]] = count;
    }
    work->divisor[n - 1] = 1;
    for (size_t l = n - 1; l > 0; l--)
        if (__builtin_mul_overflow(work->divisor[l], ways[l],
                                   &work->divisor[l - 1]))
            work->divisor[l - 1] = UINT32_MAX;
}

static enum nb_status ftree_init(struct ftree_work *work, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    enum nb_status status;
    work->destination =
        nb_pool_array(&work->pool, n, sizeof *work->destination);
    work->divisor = nb_pool_array(&work->pool, n, sizeof *work->divisor);
    work->is_above = nb_pool_array(&work->pool, n, sizeof *work->is_above);
    work->has_way = nb_pool_array(&work->pool, n, sizeof *work->has_way);
    work->queue = nb_pool_array(&work->pool, n, sizeof *work->queue);
    NB_TRY(nb_pool_check(&work->pool, "next hops", err));
    NB_TRY(nb_table_ways_new(topology, &work->next, err));
    for (uint32_t r = 0; r < n; r++)
        if (topology->terminals[r] > 0)
            work->destination[work->destination_count++] = r;
    qsort_r(work->destination, work->destination_count,
            sizeof *work->destination, ftree_compare, (void *)work->order);
    ftree_find_divisors(work);
done:
    return status;
}

/* Marks a router above or below the last one. */
static bool ftree_visit(void *context, uint32_t channel, uint32_t near,
                        uint32_t router)
{
    const struct ftree_work *work = context;
    (void)near;
    if (ftree_rise(work, channel) >= 0 || work->mark[router])
        return false;
    work->mark[router] = true;
    return true;
}

/* Marks the routers above the destination, and those with a way there: all
 * those below a router that has one. */
static void ftree_find_ways(struct ftree_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    work->mark = work->is_above;
    for (size_t r = 0; r < topology->router_count; r++)
        work->is_above[r] = r == destination;
    work->queue[0] = destination;
    const size_t count =
        nb_search_against(topology, work->queue, 1, ftree_visit, work);
    work->mark = work->has_way;
    memcpy(work->has_way, work->is_above,
           topology->router_count * sizeof *work->has_way);
    nb_search_along(topology, work->queue, count, ftree_visit, work);
}

/* The chosen channel out of a router: one that leads down to the destination if
 * it lies below, else one that leads up; NB_NONE if there is none. */
static uint32_t ftree_choose(const struct ftree_work *work, uint32_t router,
                             size_t number)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t level = work->order->level[router];
    size_t count = 0, place;
    if (!work->is_above[router])
        number /= work->divisor[level];
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1 && count == 0)
            return NB_NONE;
        place = pass == 1 ? number % count : 0;
        for (uint32_t c = topology->out_start[router];
             c < topology->out_start[router + 1]; c++) {
            const bool is_way =
                work->is_above[router]
                    ? ftree_rise(work, c) < 0 &&
                          work->is_above[topology->channels[c].target]
                    : ftree_rise(work, c) > 0 &&
                          work->has_way[topology->channels[c].target];
            count += is_way && pass == 0;
            if (is_way && pass == 1 && place-- == 0)
                return c;
        }
    }
    return NB_NONE;
}

static void ftree_fill(struct ftree_work *work, size_t number)
{
    const size_t n = work->topology->router_count;
    const uint32_t d = work->destination[number];
    ftree_find_ways(work, d);
    for (uint32_t r = 0; r < n; r++)
        if (r != d && work->order->level[r] != NB_NONE)
            work->next[d * n + r] = ftree_choose(work, r, number);
}

static enum nb_status ftree_build(struct nb_routing *out, struct nb_error *err)
{
    struct nb_tree_order order = { 0 };
    struct ftree_work work = { .topology = out->topology, .order = &order };
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_tree_order_build(out, false, &order, err));
    if (!order.has_ways_down)
        NB_TRY(nb_routing_refuse(
            out,
            "a fat tree (permitted: a network in which any two routers with "
            "terminals have a root above both; root=... names the roots)",
            err));
    NB_TRY(ftree_init(&work, err));
    for (size_t i = 0; i < work.destination_count; i++)
        ftree_fill(&work, i);
    NB_TRY(nb_table_ways_build(out, work.next, NULL, err));
done:
    nb_delete(work.next);
    nb_pool_release(&work.pool);
    nb_tree_order_release(&order);
    return status;
}

static const struct nb_parameter ftree_parameters[] = {
    NB_PARAMETER_ROOT,
    NB_PARAMETER_SEED("root=random"),
    { 0 },
};

const struct nb_routing_kind nb_routing_ftree = {
    .kind = { .name = "ftree",
              .aliases = "d-mod-k",
              .summary = "up by destination number, then down",
              .detail =
                  "Goes up by the digits of the destination's number "
                  "(d-mod-k), then down. Also takes fat trees from files.",
              .family = NB_FAMILY_TREES,
              .parameters = ftree_parameters },
    .examples =
        "ftree@fattree:k=2,n=3 ftree@fattree:k=3,n=2 ftree@clos:4x4,up=2",
    .is_by_terminal = true,
    .build = ftree_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
