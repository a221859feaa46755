/*
 * nue: uses any given number of layers, however small. Every destination is in
 * one layer, and every router has one next hop to it. Paths are searched
 * backwards from the destination, the cheapest first, over turns that close no
 * cycle with those of its layer; the price of a channel grows with its load.
 * The turns of a spanning tree always belong to a layer: routers that the
 * search does not reach go along the tree, with all routers on their way, and
 * the others are searched again. Sweeps take out the paths to one destination
 * after another and search them again, in its layer and in another one. With
 * root=auto this is done for one root after another, while that takes little
 * time. The next hops with the least load are kept. [DomkeHoeflerMatsuoka2016]
 * searches backwards from where the search ends, and divides destinations by
 * their location; this does not.
 */
#include "core/memory.h"
#include "core/near_heap.h"
#include "core/parallel.h"
#include "routing/acyclic.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct nue_work {
    const struct nb_topology *topology;
    struct nb_tree_order order;
    uint32_t *roots; /* [root_count] to try */
    size_t root_count;
    struct nb_acyclic_turns turns;
    uint64_t steps; /* channels visited by searches */
    size_t layer_count;
    struct nb_acyclic layer[NB_MOST_VC_CLASSES];
    struct nb_pool pool;
    uint32_t *ascending; /* [channel] channels up the tree, then those down it,
                          * so that turns from up to down ascend */
    bool *is_tree;     /* [channel] the first between a router and its parent */
    bool *is_end;      /* [router] it has one neighbour: no cycle passes it */
    double *inverse;   /* [channel] 1 / bandwidth */
    double *load;      /* [channel] packets / bandwidth */
    uint8_t *layer_of; /* [destination] */
    uint32_t *next;    /* [destination * router_count + router] */
    /* The best so far: its greatest load, next hops, and layers, as next. */
    double least;
    uint32_t *best;
    uint8_t *best_layer;
    /* The search for one destination. */
    uint32_t *found; /* [router] next channel; NB_NONE: not met */
    uint32_t *met;   /* [router] in the order in which they were met */
    size_t met_count;
    double *price;            /* [channel] */
    double *cost;             /* [router] to the destination */
    uint32_t *tree_next;      /* [router] next channel along the tree */
    uint32_t *tree;           /* [router] from the destination outwards */
    bool *is_forced;          /* [router] it goes along the tree */
    double *flow;             /* [router] */
    struct nb_near_heap heap; /* [channel] */
};

enum {
    NUE_PATIENCE = 3,    /* sweeps in a row that do not lower the load */
    NUE_STEPS = 1 << 25, /* after these nothing else is tried */
};

/* The price of a hop, where 1 is that of the greatest load. */
#define NUE_HOP 0.2

static void nue_mark_tree(struct nue_work *work)
{
    const struct nb_topology *topology = work->topology;
    memset(work->is_tree, 0, topology->channel_count);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t parent = work->order.parent[r];
        if (parent == NB_NONE)
            continue;
        work->is_tree[nb_channel_find(topology, r, parent, 0)] = true;
        work->is_tree[nb_channel_find(topology, parent, r, 0)] = true;
    }
}

static int nue_compare(const void *left, const void *right, void *context)
{
    const struct nue_work *work = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct nb_channel *one = &work->topology->channels[a];
    const struct nb_channel *other = &work->topology->channels[b];
    const bool is_up = nb_is_up(&work->order, one);
    const uint64_t rank = work->order.rank[one->source];
    const uint64_t above = work->order.rank[other->source];
    if (is_up != nb_is_up(&work->order, other))
        return is_up ? -1 : 1;
    if (rank != above)
        return (rank > above) == is_up ? -1 : 1;
    return (a > b) - (a < b);
}

static void nue_sort_channels(struct nue_work *work)
{
    const size_t m = work->topology->channel_count;
    for (uint32_t c = 0; c < m; c++)
        work->ascending[c] = c;
    if (m > 0)
        qsort_r(work->ascending, m, sizeof *work->ascending, nue_compare, work);
}

/* Opens a layer anew, with all turns of the tree. */
static enum nb_status nue_open_layer(struct nue_work *work, size_t layer,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    struct nb_acyclic *turns = &work->layer[layer];
    nb_acyclic_release(turns);
    const enum nb_status status =
        nb_acyclic_init(&work->turns, work->ascending, turns, err);
    for (uint32_t c = 0; c < topology->channel_count && status == NB_OK; c++) {
        const uint32_t r = topology->channels[c].target;
        for (uint32_t o = topology->out_start[r];
             o < topology->out_start[r + 1] && work->is_tree[c]; o++)
            if (work->is_tree[o] &&
                topology->channels[o].target != topology->channels[c].source)
                nb_acyclic_add(turns, c, o);
    }
    return status;
}

/* Whether all channels out of a router lead to the same one. */
static bool nue_has_one_neighbour(const struct nb_topology *topology,
                                  uint32_t router)
{
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        if (topology->out_target[c] !=
            topology->out_target[topology->out_start[router]])
            return false;
    return true;
}

static enum nb_status nue_init(struct nue_work *work,
                               const struct nb_routing *routing,
                               struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    work->roots = nb_pool_array(pool, n, sizeof *work->roots);
    work->ascending = nb_pool_array(pool, m, sizeof *work->ascending);
    work->is_tree = nb_pool_array(pool, m, sizeof *work->is_tree);
    work->is_end = nb_pool_array(pool, n, sizeof *work->is_end);
    work->inverse = nb_pool_array(pool, m, sizeof *work->inverse);
    work->load = nb_pool_array(pool, m, sizeof *work->load);
    work->layer_of = nb_pool_array(pool, n, sizeof *work->layer_of);
    work->found = nb_pool_array(pool, n, sizeof *work->found);
    work->met = nb_pool_array(pool, n, sizeof *work->met);
    work->price = nb_pool_array(pool, m, sizeof *work->price);
    work->cost = nb_pool_array(pool, n, sizeof *work->cost);
    work->tree_next = nb_pool_array(pool, n, sizeof *work->tree_next);
    work->tree = nb_pool_array(pool, n, sizeof *work->tree);
    work->is_forced = nb_pool_array(pool, n, sizeof *work->is_forced);
    work->flow = nb_pool_array(pool, n, sizeof *work->flow);
    work->heap.near = nb_pool_array(pool, m, sizeof *work->heap.near);
    NB_TRY(nb_pool_check(pool, "next hops", err));
    NB_TRY(nb_table_ways_new(topology, &work->next, err));
    NB_TRY(nb_table_ways_new(topology, &work->best, err));
    NB_TRY(nb_new(&work->best_layer, n * n, 1, "layers", err));
    NB_TRY(nb_tree_order_build(routing, true, &work->order, err));
    work->root_count = nb_tree_order_roots(routing, &work->order, work->roots);
    NB_TRY(nb_acyclic_turns_init(topology, &work->turns, err));
    work->layer_count =
        (size_t)nb_specification_whole(&routing->specification, "layers");
    work->least = INFINITY;
    for (uint32_t r = 0; r < n; r++)
        work->is_end[r] = nue_has_one_neighbour(topology, r);
    for (size_t c = 0; c < m; c++)
        work->inverse[c] = 1 / nb_ratio_value(topology->channels[c].bandwidth);
done:
    return status;
}

/* Finds paths along the tree. */
static void nue_follow_tree(struct nue_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    size_t tail = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        work->tree_next[r] = NB_NONE;
    work->tree[tail++] = destination;
    for (size_t head = 0; head < tail; head++) {
        const uint32_t r = work->tree[head];
        for (uint32_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++) {
            const uint32_t c = topology->in_channel[i];
            const uint32_t from = topology->channels[c].source;
            if (!work->is_tree[c] || from == destination ||
                work->tree_next[from] != NB_NONE)
                continue;
            work->tree_next[from] = c;
            work->tree[tail++] = from;
        }
    }
}

/* Whether a packet waits for a turn that may be part of a cycle. */
static bool nue_turns(const struct nue_work *work, uint32_t channel,
                      uint32_t destination)
{
    return work->topology->channels[channel].target != destination &&
           !work->is_end[work->topology->channels[channel].source];
}

/* Lets a router take a channel, if its turn closes no cycle. */
static bool nue_take(struct nue_work *work, size_t layer, uint32_t channel,
                     uint32_t destination)
{
    const struct nb_channel *at = &work->topology->channels[channel];
    const uint32_t after = work->found[at->target];
    if (at->target != destination &&
        work->topology->channels[after].target == at->source)
        return false;
    if (nue_turns(work, channel, destination) &&
        !nb_acyclic_add(&work->layer[layer], channel, after))
        return false;
    work->found[at->source] = channel;
    work->met[work->met_count++] = at->source;
    work->cost[at->source] = work->cost[at->target] + work->price[channel];
    return true;
}

/* Offers the channels that lead to a router. */
static void nue_offer(struct nue_work *work, uint32_t router)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t c = topology->in_channel[i];
        if (work->found[topology->channels[c].source] == NB_NONE)
            nb_near_heap_push(
                &work->heap,
                (struct nb_near){ work->cost[router] + work->price[c], c });
    }
}

/* Takes out the paths found, with their turns. */
static void nue_forget(struct nue_work *work, size_t layer,
                       uint32_t destination)
{
    for (size_t i = 0; i < work->met_count; i++) {
        const uint32_t c = work->found[work->met[i]];
        if (nue_turns(work, c, destination))
            nb_acyclic_remove(&work->layer[layer], c,
                              work->found[work->topology->channels[c].target]);
    }
    work->met_count = 0;
}

/* Searches once; routers that are forced go along the tree. */
static void nue_search_once(struct nue_work *work, size_t layer,
                            uint32_t destination)
{
    const size_t n = work->topology->router_count;
    for (size_t r = 0; r < n; r++)
        work->found[r] = NB_NONE;
    work->met_count = work->heap.count = 0;
    work->cost[destination] = 0;
    work->found[destination] = 0; /* met; no channel */
    for (size_t i = 1; i < n; i++)
        if (work->is_forced[work->tree[i]])
            nue_take(work, layer, work->tree_next[work->tree[i]], destination);
    nue_offer(work, destination);
    for (size_t i = 0; i < work->met_count; i++)
        nue_offer(work, work->met[i]);
    while (work->heap.count > 0) {
        const uint32_t c = nb_near_heap_pop(&work->heap).item;
        work->steps++;
        const uint32_t from = work->topology->channels[c].source;
        if (work->found[from] == NB_NONE &&
            nue_take(work, layer, c, destination))
            nue_offer(work, from);
    }
}

/* Forces the routers that have terminals but were not met, and those on their
 * way along the tree; false: there are none. */
static bool nue_force(struct nue_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    bool is_any = false;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (work->found[r] != NB_NONE || topology->terminals[r] == 0)
            continue;
        is_any = true;
        for (uint32_t at = r; at != destination && !work->is_forced[at];
             at = topology->channels[work->tree_next[at]].target)
            work->is_forced[at] = true;
    }
    return is_any;
}

/* Finds a next hop of every router that has terminals or is passed. Ends, since
 * each time more routers are forced, and the turns of the tree close no
 * cycle. */
static void nue_search(struct nue_work *work, size_t layer,
                       uint32_t destination)
{
    memset(work->is_forced, 0, work->topology->router_count);
    nue_follow_tree(work, destination);
    nue_search_once(work, layer, destination);
    while (nue_force(work, destination)) {
        nue_forget(work, layer, destination);
        nue_search_once(work, layer, destination);
    }
}

/* Adds the packets that take the paths found to the loads, or removes them. */
static void nue_count(struct nue_work *work, uint32_t destination, double sign)
{
    const struct nb_topology *topology = work->topology;
    for (size_t r = 0; r < topology->router_count; r++)
        work->flow[r] =
            (double)topology->terminals[r] * topology->terminals[destination];
    for (size_t i = work->met_count; i-- > 0;) {
        const uint32_t r = work->met[i], c = work->found[r];
        work->load[c] += sign * work->flow[r] * work->inverse[c];
        work->flow[topology->channels[c].target] += work->flow[r];
    }
}

/* The price of a channel: a hop, and the fourth power of its load. */
static void nue_set_prices(struct nue_work *work)
{
    const double most = nb_load_most(work->topology, work->load);
    for (size_t c = 0; c < work->topology->channel_count; c++) {
        const double share = work->load[c] / (most > 0 ? most : 1);
        work->price[c] =
            NUE_HOP + share * share * share * share * work->inverse[c];
    }
}

/* Recalls the next hops to a destination, and lists routers so that each comes
 * after its next one. */
static void nue_recall(struct nue_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    uint32_t *before = work->tree; /* routers that go to this one, not listed */
    size_t tail = 0;
    memcpy(work->found, work->next + destination * n, n * sizeof *work->found);
    memset(before, 0, n * sizeof *before);
    for (uint32_t r = 0; r < n; r++)
        if (work->found[r] != NB_NONE)
            before[topology->channels[work->found[r]].target]++;
    for (uint32_t r = 0; r < n; r++)
        if (work->found[r] != NB_NONE && before[r] == 0)
            work->met[tail++] = r;
    for (size_t head = 0; head < tail; head++) {
        const uint32_t to =
            topology->channels[work->found[work->met[head]]].target;
        if (--before[to] == 0 && to != destination)
            work->met[tail++] = to;
    }
    for (size_t i = 0; i < tail / 2; i++) {
        const uint32_t other = work->met[i];
        work->met[i] = work->met[tail - 1 - i];
        work->met[tail - 1 - i] = other;
    }
    work->met_count = tail;
}

/* The sum over terminals of what their packets to the destination cost. */
static double nue_total(const struct nue_work *work)
{
    double total = 0;
    for (size_t i = 0; i < work->met_count; i++)
        total +=
            work->topology->terminals[work->met[i]] * work->cost[work->met[i]];
    return total;
}

/* Searches in a layer, and in another one if there are several; keeps the
 * cheaper paths. */
static void nue_find(struct nue_work *work, uint32_t destination, size_t layer,
                     size_t other)
{
    const size_t n = work->topology->router_count;
    nue_set_prices(work);
    nue_search(work, layer, destination);
    if (other != layer) {
        const double total = nue_total(work);
        nue_forget(work, layer, destination);
        nue_search(work, other, destination);
        if (nue_total(work) >= total) {
            nue_forget(work, other, destination);
            nue_search(work, layer, destination);
            other = layer;
        }
    }
    work->layer_of[destination] = (uint8_t)other;
    work->found[destination] = NB_NONE;
    memcpy(work->next + destination * n, work->found, n * sizeof *work->next);
    nue_count(work, destination, 1);
}

/* Finds paths to all destinations, in one layer after another. */
static void nue_begin(struct nue_work *work)
{
    const struct nb_topology *topology = work->topology;
    size_t count = 0;
    memset(work->load, 0, topology->channel_count * sizeof *work->load);
    for (uint32_t d = 0; d < topology->router_count && !nb_run_is_stopped();
         d++)
        if (topology->terminals[d] > 0) {
            const size_t layer = count++ % work->layer_count;
            nue_find(work, d, layer, layer);
        }
}

/* Finds the paths to every destination again; the other layer that is tried
 * differs from sweep to sweep. */
static void nue_sweep(struct nue_work *work, size_t sweep)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t d = 0; d < topology->router_count && !nb_run_is_stopped();
         d++) {
        const size_t layer = work->layer_of[d];
        if (topology->terminals[d] == 0)
            continue;
        nue_recall(work, d);
        nue_count(work, d, -1);
        nue_forget(work, layer, d);
        nue_find(work, d, layer, (layer + 1 + sweep) % work->layer_count);
    }
}

/* Keeps the paths if they are the best so far; whether they are. */
static bool nue_keep(struct nue_work *work)
{
    const size_t n = work->topology->router_count;
    const double most = nb_load_most(work->topology, work->load);
    if (most >= work->least)
        return false;
    work->least = most;
    memcpy(work->best, work->next, n * n * sizeof *work->best);
    for (size_t d = 0; d < n; d++)
        memset(work->best_layer + d * n, work->layer_of[d], n);
    return true;
}

static bool nue_has_time(const struct nue_work *work)
{
    return work->steps + work->turns.looked < NUE_STEPS;
}

/* Does all this for one tree. */
static enum nb_status nue_run(struct nue_work *work, size_t sweeps,
                              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    nue_mark_tree(work);
    nue_sort_channels(work);
    for (size_t l = 0; l < work->layer_count; l++)
        NB_TRY(nue_open_layer(work, l, err));
    nue_begin(work);
    NB_TRY(nb_run_check_stop(err));
    nue_keep(work);
    size_t patience = NUE_PATIENCE;
    for (size_t sweep = 0; sweep < sweeps && patience > 0 && nue_has_time(work);
         sweep++) {
        nue_sweep(work, sweep);
        NB_TRY(nb_run_check_stop(err));
        patience = nue_keep(work) ? NUE_PATIENCE : patience - 1;
    }
done:
    return status;
}

static void nue_release(struct nue_work *work)
{
    nb_delete(work->next);
    nb_delete(work->best);
    nb_delete(work->best_layer);
    for (size_t l = 0; l < work->layer_count; l++)
        nb_acyclic_release(&work->layer[l]);
    nb_acyclic_turns_release(&work->turns);
    nb_tree_order_release(&work->order);
    nb_pool_release(&work->pool);
}

static enum nb_status nue_build(struct nb_routing *out, struct nb_error *err)
{
    struct nue_work work = { .topology = out->topology };
    const size_t sweeps =
        (size_t)nb_specification_whole(&out->specification, "sweeps");
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nue_init(&work, out, err));
    NB_TRY(nue_run(&work, sweeps, err));
    for (size_t i = 1; i < work.root_count && nue_has_time(&work); i++) {
        nb_tree_order_release(&work.order);
        NB_TRY(nb_tree_order_from(out, work.roots[i], &work.order, err));
        NB_TRY(nue_run(&work, sweeps, err));
    }
    NB_TRY(nb_table_ways_build(out, work.best, work.best_layer, err));
done:
    nue_release(&work);
    return status;
}

static const struct nb_parameter nue_parameters[] = {
    NB_PARAMETER_LAYERS("1"),
    NB_PARAMETER_ROOT,
    NB_PARAMETER_TREE,
    NB_PARAMETER_SWEEPS("8"),
    { 0 },
};

const struct nb_routing_kind nb_routing_nue = {
    .kind = { .name = "nue",
              .summary = "short paths of turns that close no cycle",
              .detail =
                  "Needs no more layers than are given. Needs a link in each "
                  "direction between neighbours.",
              .parameters = nue_parameters },
    .examples = "nue@ring:5 nue@mesh:3x3 nue:layers=2@torus:4x4 "
                "nue:layers=3,root=2@hypercube:3 nue@fattree:k=2,n=3 "
                "nue:layers=2@dragonfly:h=2,p=1 "
                "nue@torus:4x3,fail=0-1+router:5",
    .is_by_terminal = true,
    .build = nue_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
