/*
 * nue: uses any given number of layers, however small. Every destination is in
 * one layer, and every router has one next hop to it. Paths are searched
 * backwards from the destination, the cheapest first, over turns that close no
 * cycle with those of its layer; the price of a channel grows with its load.
 * Then each router chooses again by the exact cost of its paths, so that
 * packets for one destination divide, too.
 *
 * The turns of escape paths always belong to a layer: routers that the search
 * does not reach take these, with all routers on their way, and the others are
 * searched again. Escape paths go up an order and then down: that of all levels
 * of a fat tree, whose shortest paths are all of this kind; elsewhere that of a
 * spanning tree, with another root for each layer.
 *
 * Sweeps take out the paths to one destination after another and search them
 * again, in its layer and in another one. With root=auto this is done for
 * several roots, while that takes little time. From the next hops with the
 * least load, moves of several destinations (moves.h) lead on; escape paths are
 * not needed any more. [DomkeHoeflerMatsuoka2016] searches backwards from where
 * the search ends, and divides destinations by their location; this does not.
 */
#include "core/memory.h"
#include "core/near_heap.h"
#include "core/parallel.h"
#include "routing/acyclic.h"
#include "routing/moves.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"
#include "topology/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUE_PATIENCE = 3,    /* sweeps in a row that do not lower the load */
    NUE_STEPS = 1 << 25, /* after these nothing else is tried */
};

/* The price of a hop, where 1 is that of the greatest load. */
#define NUE_HOP 0.2

/* A tree is not swept if its load is above the least so far by this factor. */
#define NUE_RACE 1.4

struct nue_layer {
    struct nb_acyclic turns;
    struct nb_tree_order order;
    uint32_t *by_rank; /* [router] */
    bool *is_escape;   /* [channel] the turns between these, except from down
                        * to up, always belong to the layer */
};

struct nue_work {
    const struct nb_topology *topology;
    struct nb_tree_order order; /* that of the scheme's parameters */
    uint32_t *roots;            /* [root_count] to try */
    size_t root_count;
    struct nb_acyclic_turns turns;
    uint64_t steps; /* channels visited by searches */
    size_t layer_count;
    struct nue_layer layer[NB_MOST_VC_CLASSES];
    struct nb_pool pool;
    uint32_t *ascending; /* [channel] of one layer: channels up the order, then
                          * those down it, so that turns from up to down
                          * ascend */
    bool *is_end;        /* [router] it has one neighbour: no cycle passes it */
    double *inverse;     /* [channel] 1 / bandwidth */
    double *load;        /* [channel] packets / bandwidth */
    double most;         /* the greatest load when prices were set; not 0 */
    bool improves;       /* whether routers choose again */
    bool has_escapes;    /* whether layers hold the turns of escape paths */
    uint8_t *layer_of;   /* [destination] */
    uint32_t *next;      /* [destination * router_count + router] */
    /* The best so far: its greatest load, next hops, and layers, as next. */
    double least;
    uint32_t *best;
    uint8_t *best_layer;
    size_t best_trial;
    /* The search for one destination. */
    uint32_t *found; /* [router] next channel; NB_NONE: not met */
    uint32_t *met;   /* [router] in the order in which they were met */
    size_t met_count;
    double *price;         /* [channel] */
    double *cost;          /* [router] to the destination */
    uint32_t *escape_next; /* [router] next channel of its path over escapes */
    uint32_t *escape;      /* [router] from the destination outwards */
    size_t escape_count;
    const struct nue_layer *searched; /* for escape paths */
    bool *is_forced;                  /* [router] it takes this path */
    double *flow;                     /* [router] */
    bool *unused;                     /* [router] no packet passes it */
    struct nb_near_heap heap;         /* [channel] */
    struct nb_acyclic_arc *arc; /* [arc_count] turns of one router's channel */
    size_t arc_count;
    struct nb_moves moves;
    uint8_t moved_from[NB_MOST_MOVED]; /* the layer of each moved destination */
    uint32_t *before; /* [router] routers that go to this one, not listed */
};

static bool nue_has_several_roots(const struct nb_topology *topology,
                                  const struct nb_tree_order *order)
{
    size_t roots = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        roots += order->is_root[r];
    return roots > 1;
}

/* All channels of a tree with several roots; else those of a spanning tree that
 * lie between routers with terminals. */
static void nue_mark_escapes(const struct nb_topology *topology,
                             struct nue_layer *layer)
{
    const uint32_t *parent = layer->order.parent;
    const bool takes_all = nue_has_several_roots(topology, &layer->order);
    memset(layer->is_escape, takes_all, topology->channel_count);
    for (uint32_t r = 0; r < topology->router_count && !takes_all; r++)
        for (uint32_t at = r;
             topology->terminals[r] > 0 && parent[at] != NB_NONE;
             at = parent[at]) {
            const uint32_t up = nb_channel_find(topology, at, parent[at], 0);
            if (layer->is_escape[up])
                break;
            layer->is_escape[up] = true;
            layer->is_escape[nb_channel_find(topology, parent[at], at, 0)] =
                true;
        }
}

struct nue_sorted {
    const struct nb_topology *topology;
    const struct nb_tree_order *order;
};

static int nue_compare(const void *left, const void *right, void *context)
{
    const struct nue_sorted *by = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const struct nb_channel *one = &by->topology->channels[a];
    const struct nb_channel *other = &by->topology->channels[b];
    const bool is_up = nb_is_up(by->order, one);
    const uint64_t rank = by->order->rank[one->source];
    const uint64_t above = by->order->rank[other->source];
    if (is_up != nb_is_up(by->order, other))
        return is_up ? -1 : 1;
    if (rank != above)
        return (rank > above) == is_up ? -1 : 1;
    return (a > b) - (a < b);
}

static int nue_compare_ranks(const void *left, const void *right, void *context)
{
    const struct nue_sorted *by = context;
    const uint64_t a = by->order->rank[*(const uint32_t *)left];
    const uint64_t b = by->order->rank[*(const uint32_t *)right];
    return (a > b) - (a < b);
}

static void nue_sort(struct nue_work *work, struct nue_layer *layer)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    struct nue_sorted by = { work->topology, &layer->order };
    for (uint32_t c = 0; c < m; c++)
        work->ascending[c] = c;
    if (m > 0)
        qsort_r(work->ascending, m, sizeof *work->ascending, nue_compare, &by);
    for (uint32_t r = 0; r < n; r++)
        layer->by_rank[r] = r;
    qsort_r(layer->by_rank, n, sizeof *layer->by_rank, nue_compare_ranks, &by);
}

/* Whether the turn from one channel to another always belongs to a layer. */
static bool nue_is_base(const struct nb_topology *topology,
                        const struct nue_layer *layer, uint32_t from,
                        uint32_t to)
{
    const struct nb_channel *one = &topology->channels[from];
    const struct nb_channel *other = &topology->channels[to];
    return layer->is_escape[from] && layer->is_escape[to] &&
           other->target != one->source &&
           (nb_is_up(&layer->order, one) || !nb_is_up(&layer->order, other));
}

/* Opens a layer anew, with the turns of escape paths from a root; NB_NONE: from
 * the roots of the scheme's parameters. */
static enum nb_status nue_open_layer(struct nue_work *work,
                                     const struct nb_routing *routing,
                                     struct nue_layer *layer, uint32_t root,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum nb_status status;
    nb_acyclic_release(&layer->turns);
    nb_tree_order_release(&layer->order);
    NB_TRY(root == NB_NONE
               ? nb_tree_order_build(routing, false, &layer->order, err)
               : nb_tree_order_from(routing, root, &layer->order, err));
    if (work->has_escapes)
        nue_mark_escapes(topology, layer);
    else
        memset(layer->is_escape, false, topology->channel_count);
    nue_sort(work, layer);
    NB_TRY(nb_acyclic_init(&work->turns, work->ascending, &layer->turns, err));
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t r = topology->channels[c].target;
        for (uint32_t o = topology->out_start[r];
             o < topology->out_start[r + 1]; o++)
            if (nue_is_base(topology, layer, c, o))
                nb_acyclic_add(&layer->turns, c, o);
    }
done:
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

static enum nb_status nue_make_arrays(struct nue_work *work,
                                      struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    struct nb_pool *pool = &work->pool;
    work->roots = nb_pool_array(pool, n, sizeof *work->roots);
    work->ascending = nb_pool_array(pool, m, sizeof *work->ascending);
    for (size_t l = 0; l < work->layer_count; l++) {
        struct nue_layer *layer = &work->layer[l];
        layer->by_rank = nb_pool_array(pool, n, sizeof *layer->by_rank);
        layer->is_escape = nb_pool_array(pool, m, sizeof *layer->is_escape);
    }
    work->is_end = nb_pool_array(pool, n, sizeof *work->is_end);
    work->inverse = nb_pool_array(pool, m, sizeof *work->inverse);
    work->load = nb_pool_array(pool, m, sizeof *work->load);
    work->layer_of = nb_pool_array(pool, n, sizeof *work->layer_of);
    work->found = nb_pool_array(pool, n, sizeof *work->found);
    work->met = nb_pool_array(pool, n, sizeof *work->met);
    work->price = nb_pool_array(pool, m, sizeof *work->price);
    work->cost = nb_pool_array(pool, n, sizeof *work->cost);
    work->escape_next = nb_pool_array(pool, n, sizeof *work->escape_next);
    work->escape = nb_pool_array(pool, n, sizeof *work->escape);
    work->is_forced = nb_pool_array(pool, n, sizeof *work->is_forced);
    work->flow = nb_pool_array(pool, n, sizeof *work->flow);
    work->unused = nb_pool_array(pool, n, sizeof *work->unused);
    work->heap.near = nb_pool_array(pool, m, sizeof *work->heap.near);
    work->before = nb_pool_array(pool, n, sizeof *work->before);
    work->arc = nb_pool_array(pool, m + 1, sizeof *work->arc);
    return nb_pool_check(pool, "next hops", err);
}

static enum nb_status nue_init(struct nue_work *work,
                               const struct nb_routing *routing,
                               struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    enum nb_status status;
    work->layer_count =
        (size_t)nb_specification_whole(&routing->specification, "layers");
    NB_TRY(nue_make_arrays(work, err));
    NB_TRY(nb_table_ways_new(topology, &work->next, err));
    NB_TRY(nb_table_ways_new(topology, &work->best, err));
    NB_TRY(nb_new(&work->best_layer, n * n, 1, "layers", err));
    NB_TRY(nb_tree_order_build(routing, false, &work->order, err));
    if (nue_has_several_roots(topology, &work->order) &&
        !work->order.has_ways_down)
        NB_TRY(nb_routing_refuse(routing,
                                 "a fat tree (permitted: one root, or several "
                                 "with one above any two "
                                 "routers with terminals)",
                                 err));
    work->root_count = nb_tree_order_roots(routing, &work->order, work->roots);
    NB_TRY(nb_acyclic_turns_init(topology, &work->turns, err));
    work->least = INFINITY;
    NB_TRY(nb_moves_init(topology, &work->moves, err));
    for (uint32_t r = 0; r < n; r++)
        work->is_end[r] = nue_has_one_neighbour(topology, r);
    for (size_t c = 0; c < topology->channel_count; c++)
        work->inverse[c] = 1 / nb_ratio_value(topology->channels[c].bandwidth);
done:
    return status;
}

/* Whether a router has an escape path to the destination. */
static bool nue_escapes(const struct nue_work *work, uint32_t router)
{
    return router == work->escape[0] || work->escape_next[router] != NB_NONE;
}

/* Extends the paths down over escapes of the layer that is searched. */
static bool nue_visit(void *context, uint32_t channel, uint32_t near,
                      uint32_t router)
{
    struct nue_work *work = context;
    const struct nue_layer *layer = work->searched;
    (void)near;
    if (!layer->is_escape[channel] || nue_escapes(work, router) ||
        nb_is_up(&layer->order, &work->topology->channels[channel]))
        return false;
    work->escape_next[router] = channel;
    return true;
}

/* Finds paths over escapes: down; for routers without a path down, up to lesser
 * ranks. */
static void nue_find_escapes(struct nue_work *work,
                             const struct nue_layer *layer,
                             uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    for (size_t r = 0; r < n; r++)
        work->escape_next[r] = NB_NONE;
    work->searched = layer;
    work->escape[0] = destination;
    work->escape_count =
        nb_search_against(topology, work->escape, 1, nue_visit, work);
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = layer->by_rank[i];
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1] && !nue_escapes(work, r); c++)
            if (layer->is_escape[c] &&
                nb_is_up(&layer->order, &topology->channels[c]) &&
                nue_escapes(work, topology->channels[c].target)) {
                work->escape_next[r] = c;
                work->escape[work->escape_count++] = r;
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
        !nb_acyclic_add(&work->layer[layer].turns, channel, after))
        return false;
    work->found[at->source] = channel;
    work->met[work->met_count++] = at->source;
    work->cost[at->source] = work->cost[at->target] + work->price[channel];
    return true;
}

/* Offers the channels that lead to a router, except those from ends. */
static void nue_offer(struct nue_work *work, uint32_t router)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t c = topology->in_channel[i];
        const uint32_t from = topology->channels[c].source;
        if (work->found[from] == NB_NONE && !work->is_end[from])
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
            nb_acyclic_remove(&work->layer[layer].turns, c,
                              work->found[work->topology->channels[c].target]);
    }
    work->met_count = 0;
}

/* Lets ends with terminals go to their neighbours that were met. */
static void nue_take_ends(struct nue_work *work, size_t layer,
                          uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (!work->is_end[r] || topology->terminals[r] == 0 ||
            work->found[r] != NB_NONE)
            continue;
        uint32_t best = topology->out_start[r];
        for (uint32_t c = best + 1; c < topology->out_start[r + 1]; c++)
            best = work->price[c] < work->price[best] ? c : best;
        if (work->found[topology->channels[best].target] != NB_NONE)
            nue_take(work, layer, best, destination);
    }
}

/* Searches once; routers that are forced take their escape paths. */
static void nue_search_once(struct nue_work *work, size_t layer,
                            uint32_t destination)
{
    const size_t n = work->topology->router_count;
    for (size_t r = 0; r < n; r++)
        work->found[r] = NB_NONE;
    work->met_count = work->heap.count = 0;
    work->cost[destination] = 0;
    work->found[destination] = 0; /* met; no channel */
    for (size_t i = 1; i < work->escape_count; i++)
        if (work->is_forced[work->escape[i]])
            nue_take(work, layer, work->escape_next[work->escape[i]],
                     destination);
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
    nue_take_ends(work, layer, destination);
}

/* The first router that has terminals but was not met; NB_NONE: there is
 * none. */
static uint32_t nue_find_missing(const struct nue_work *work)
{
    for (uint32_t r = 0; r < work->topology->router_count; r++)
        if (work->found[r] == NB_NONE && work->topology->terminals[r] > 0)
            return r;
    return NB_NONE;
}

/* Forces the routers that have terminals but were not met, and those on their
 * escape paths. */
static void nue_force(struct nue_work *work, size_t layer, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    if (work->escape_count == 0)
        nue_find_escapes(work, &work->layer[layer], destination);
    for (uint32_t r = 0; r < topology->router_count; r++)
        for (uint32_t at = r;
             topology->terminals[r] > 0 && work->found[r] == NB_NONE &&
             at != destination && !work->is_forced[at];
             at = topology->channels[work->escape_next[at]].target)
            work->is_forced[at] = true;
}

/* Finds a next hop of every router that has terminals or is passed; false:
 * there is none, which cannot happen with escapes. Ends, since each time more
 * routers are forced, and the turns of escape paths close no cycle. */
static bool nue_search(struct nue_work *work, size_t layer,
                       uint32_t destination)
{
    memset(work->is_forced, 0, work->topology->router_count);
    work->escape_count = 0;
    nue_search_once(work, layer, destination);
    while (nue_find_missing(work) != NB_NONE) {
        if (!work->has_escapes)
            return false;
        nue_force(work, layer, destination);
        nue_forget(work, layer, destination);
        nue_search_once(work, layer, destination);
    }
    return true;
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

/* The price of a channel: a hop, and the eighth power of its load. */
static void nue_set_prices(struct nue_work *work)
{

    const double most = nb_load_most(work->topology, work->load);
    work->most = most > 0 ? most : 1;
    for (size_t c = 0; c < work->topology->channel_count; c++) {
        const double share = work->load[c] / work->most;
        work->price[c] = NUE_HOP + nb_eighth_power(share) * work->inverse[c];
    }
}

/* Recalls the next hops to a destination, and lists routers so that each comes
 * after its next one. */
static void nue_recall(struct nue_work *work, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    uint32_t *before = work->before;
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

/* Takes the paths to a destination out. */
static void nue_take_out(struct nue_work *work, uint32_t destination)
{
    nue_recall(work, destination);
    nue_count(work, destination, -1);
    nue_forget(work, work->layer_of[destination], destination);
}

/* What packets on a channel cost in addition to what is there: the integral of
 * the price. */
static double nue_cost(const struct nue_work *work, uint32_t channel,
                       double packets)
{
    const double low = work->load[channel] / work->most;
    const double high = low + packets * work->inverse[channel] / work->most;
    const double rise =
        nb_eighth_power(high) * high - nb_eighth_power(low) * low;
    return NUE_HOP * packets + work->most * rise / 9;
}

/* Moves packets from a router to the destination on or off the paths found. */
static void nue_shift(struct nue_work *work, uint32_t router,
                      uint32_t destination, double packets)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t at = router; at != destination;
         at = topology->channels[work->found[at]].target) {
        work->load[work->found[at]] += packets * work->inverse[work->found[at]];
        if (at != router)
            work->flow[at] += packets;
    }
}

/* The cost of sending a router's packets over a channel, and from there over
 * the paths found; infinite if these lead back to the router, or nowhere, or if
 * it is not below a limit. */
static double nue_path_cost(struct nue_work *work, uint32_t router,
                            uint32_t channel, uint32_t destination,
                            double limit)
{
    const struct nb_topology *topology = work->topology;
    const double packets = work->flow[router];
    double cost = nue_cost(work, channel, packets);
    work->steps++;
    for (uint32_t at = topology->channels[channel].target; at != destination;
         at = topology->channels[work->found[at]].target) {
        if (at == router || work->found[at] == NB_NONE || cost >= limit)
            return INFINITY;
        cost += nue_cost(work, work->found[at], packets);
    }
    return cost;
}

/* Lists the turns into and out of the channel that a router takes. */
static void nue_list_turns(struct nue_work *work, uint32_t router,
                           uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t channel = work->found[router];
    struct nb_acyclic_arc *arc = work->arc;
    if (nue_turns(work, channel, destination))
        *arc++ = (struct nb_acyclic_arc){
            channel, work->found[topology->channels[channel].target]
        };
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t from = topology->in_channel[i];
        if (work->found[topology->channels[from].source] == from &&
            nue_turns(work, from, destination))
            *arc++ = (struct nb_acyclic_arc){ from, channel };
    }
    work->arc_count = (size_t)(arc - work->arc);
}

/* Lets a router take another channel, unless its turns close a cycle with those
 * that are there. */
static void nue_exchange(struct nue_work *work, struct nb_acyclic *layer,
                         uint32_t router, uint32_t channel,
                         uint32_t destination)
{
    const uint32_t old = work->found[router];
    work->found[router] = channel;
    nue_list_turns(work, router, destination);
    const bool is_free = nb_acyclic_add_all(layer, work->arc, work->arc_count);
    work->found[router] = old;
    if (!is_free)
        return;
    nue_list_turns(work, router, destination);
    nb_acyclic_remove_all(layer, work->arc, work->arc_count);
    work->found[router] = channel;
}

/* Sends a router's packets over the cheapest channel that closes no cycle. */
static void nue_choose_again(struct nue_work *work, size_t layer,
                             uint32_t router, uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t old = work->found[router];
    const double packets = work->flow[router];
    nue_shift(work, router, destination, -packets);
    double least =
        nue_path_cost(work, router, old, destination, INFINITY) * (1 - 1e-9);
    uint32_t best = old;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t to = topology->channels[c].target;
        const double cost =
            c == old || (work->is_end[to] && to != destination)
                ? INFINITY
                : nue_path_cost(work, router, c, destination, least);
        if (cost < least) {
            least = cost;
            best = c;
        }
    }
    if (best != old)
        nue_exchange(work, &work->layer[layer].turns, router, best,
                     destination);
    nue_shift(work, router, destination, packets);
}

/* Chooses again for one router after another, now that the loads contain the
 * packets of all others: packets for one destination then divide, too. */
static void nue_improve(struct nue_work *work, size_t layer,
                        uint32_t destination)
{
    for (size_t i = work->met_count; i-- > 0;) {
        const uint32_t r = work->met[i];
        if (!work->is_end[r])
            nue_choose_again(work, layer, r, destination);
    }
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

/* Takes out the hops of routers that no packet passes. */
static void nue_drop_unused(struct nue_work *work, size_t layer,
                            uint32_t destination)
{
    for (uint32_t r = 0; r < work->topology->router_count; r++) {
        const uint32_t c = work->found[r];
        if (c == NB_NONE || work->flow[r] > 0)
            continue;
        if (nue_turns(work, c, destination))
            nb_acyclic_remove(&work->layer[layer].turns, c,
                              work->found[work->topology->channels[c].target]);
        work->unused[r] = true;
    }
    for (uint32_t r = 0; r < work->topology->router_count; r++) {
        if (work->unused[r])
            work->found[r] = NB_NONE;
        work->unused[r] = false;
    }
}

/* Searches in a layer, and in another one if there are several; keeps the
 * cheaper paths. Returns its number; NB_NONE: neither has paths. */
static uint32_t nue_find_layer(struct nue_work *work, uint32_t destination,
                               uint32_t layer, uint32_t other)
{
    const bool is_found = nue_search(work, layer, destination);
    if (other == layer)
        return is_found ? layer : NB_NONE;
    const double total = is_found ? nue_total(work) : INFINITY;
    nue_forget(work, layer, destination);
    if (nue_search(work, other, destination) && nue_total(work) < total)
        return other;
    if (!is_found)
        return NB_NONE;
    nue_forget(work, other, destination);
    nue_search(work, layer, destination);
    return layer;
}

/* Finds the paths to a destination; false, and nothing changes: there are
 * none. */
static bool nue_find(struct nue_work *work, uint32_t destination, size_t layer,
                     size_t other)
{
    const size_t n = work->topology->router_count;
    nue_set_prices(work);
    const uint32_t at =
        nue_find_layer(work, destination, (uint32_t)layer, (uint32_t)other);
    if (at == NB_NONE) {
        nue_forget(work, other, destination);
        return false;
    }
    work->layer_of[destination] = (uint8_t)at;
    nue_count(work, destination, 1);
    work->found[destination] = NB_NONE;
    if (work->improves)
        nue_improve(work, at, destination);
    nue_drop_unused(work, at, destination);
    memcpy(work->next + destination * n, work->found, n * sizeof *work->next);
    return true;
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
        nue_take_out(work, d);
        nue_find(work, d, layer, (layer + 1 + sweep) % work->layer_count);
    }
}

/* Keeps the paths if they are the best so far; whether they are. */
static bool nue_keep(struct nue_work *work, size_t trial)
{
    const size_t n = work->topology->router_count;
    const double most = nb_load_most(work->topology, work->load);
    if (most >= work->least)
        return false;
    work->least = most;
    work->best_trial = trial;
    memcpy(work->best, work->next, n * n * sizeof *work->best);
    for (size_t d = 0; d < n; d++)
        memset(work->best_layer + d * n, work->layer_of[d], n);
    return true;
}

static bool nue_has_time(const struct nue_work *work, uint64_t steps)
{
    return work->steps + work->turns.looked < steps;
}

/* Gives a destination the paths that its row of next hops has. */
static void nue_put_back(struct nue_work *work, uint32_t destination)
{
    nue_recall(work, destination);
    for (size_t i = 0; i < work->met_count; i++) {
        const uint32_t c = work->found[work->met[i]];
        if (nue_turns(work, c, destination))
            nb_acyclic_add(&work->layer[work->layer_of[destination]].turns, c,
                           work->found[work->topology->channels[c].target]);
    }
    nue_count(work, destination, 1);
}

/* Searches the moved destinations; false if one has no paths, and all are
 * out. */
static bool nue_find_moved(struct nue_work *work)
{
    struct nb_moves *moves = &work->moves;
    for (size_t i = 0; i < moves->count; i++) {
        if (nue_find(work, moves->moved[i].destination, work->moved_from[i],
                     nb_moves_number(moves, work->layer_count)))
            continue;
        while (i-- > 0)
            nue_take_out(work, moves->moved[i].destination);
        return false;
    }
    return true;
}

/* Searches some destinations again together; keeps the new paths unless they
 * strain the network more. Whether they strain it less. */
static bool nue_move(struct nue_work *work)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    const double most = nb_load_most(topology, work->load);
    const double before = nb_load_strain(topology, work->load, most);
    struct nb_moves *moves = &work->moves;
    nb_moves_draw(moves, work->load, work->next);
    for (size_t i = 0; i < moves->count; i++) {
        work->moved_from[i] = work->layer_of[moves->moved[i].destination];
        nue_take_out(work, moves->moved[i].destination);
    }
    if (nue_find_moved(work)) {
        const double after = nb_load_strain(topology, work->load, most);
        if (after <= before)
            return after < before * (1 - 1e-9);
        for (size_t i = 0; i < moves->count; i++)
            nue_take_out(work, moves->moved[i].destination);
    }
    for (size_t i = 0; i < moves->count; i++) {
        const struct nb_moved *moved = &moves->moved[i];
        memcpy(work->next + moved->destination * n, moved->next,
               n * sizeof *moved->next);
        work->layer_of[moved->destination] = work->moved_from[i];
        nue_put_back(work, moved->destination);
    }
    return false;
}

/* Opens all layers, each with another root if there are several to try. */
static enum nb_status nue_open(struct nue_work *work,
                               const struct nb_routing *routing, size_t trial,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t l = 0; l < work->layer_count; l++)
        NB_TRY(nue_open_layer(work, routing, &work->layer[l],
                              work->root_count == 1
                                  ? NB_NONE
                                  : work->roots[(trial + l) % work->root_count],
                              err));
done:
    return status;
}

/* Does all this for one tree. */
static enum nb_status nue_run(struct nue_work *work,
                              const struct nb_routing *routing, size_t trial,
                              size_t sweeps, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nue_open(work, routing, trial, err));
    nue_begin(work);
    NB_TRY(nb_run_check_stop(err));
    nue_keep(work, trial);
    size_t patience =
        nb_load_most(work->topology, work->load) > NUE_RACE * work->least
            ? 0
            : NUE_PATIENCE;
    for (size_t sweep = 0;
         sweep < sweeps && patience > 0 && nue_has_time(work, NUE_STEPS / 2);
         sweep++) {
        nue_sweep(work, sweep);
        NB_TRY(nb_run_check_stop(err));
        patience = nue_keep(work, trial) ? NUE_PATIENCE : patience - 1;
    }
done:
    return status;
}

/* Goes back to the best paths, without the turns of escape paths, and moves
 * destinations while that helps. */
static enum nb_status nue_refine(struct nue_work *work,
                                 const struct nb_routing *routing,
                                 struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    size_t patience = NB_MOVES_VAIN;
    enum nb_status status;
    work->has_escapes = false;
    NB_TRY(nue_open(work, routing, work->best_trial, err));
    memset(work->load, 0, topology->channel_count * sizeof *work->load);
    memcpy(work->next, work->best, n * n * sizeof *work->next);
    for (uint32_t d = 0; d < n; d++) {
        work->layer_of[d] = work->best_layer[d * n];
        if (topology->terminals[d] > 0)
            nue_put_back(work, d);
    }
    while (patience-- > 0 && nue_has_time(work, NUE_STEPS) && work->least > 0) {
        if (nue_move(work))
            patience = NB_MOVES_VAIN;
        nue_keep(work, work->best_trial);
        NB_TRY(nb_run_check_stop(err));
    }
done:
    return status;
}

static void nue_release(struct nue_work *work)
{
    nb_delete(work->next);
    nb_delete(work->best);
    nb_delete(work->best_layer);
    for (size_t l = 0; l < work->layer_count; l++) {
        nb_acyclic_release(&work->layer[l].turns);
        nb_tree_order_release(&work->layer[l].order);
    }
    nb_acyclic_turns_release(&work->turns);
    nb_tree_order_release(&work->order);
    nb_moves_release(&work->moves);
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
    work.improves = sweeps > 0;
    work.has_escapes = true;
    NB_TRY(nue_init(&work, out, err));
    for (size_t i = 0;
         i < work.root_count && (i == 0 || nue_has_time(&work, NUE_STEPS / 2));
         i++)
        NB_TRY(nue_run(&work, out, i, sweeps, err));
    if (sweeps > 0 && nue_has_time(&work, NUE_STEPS))
        NB_TRY(nue_refine(&work, out, err));
    NB_TRY(nb_table_ways_build(out, work.best, work.best_layer, err));
done:
    nue_release(&work);
    return status;
}

static const struct nb_parameter nue_parameters[] = {
    NB_PARAMETER_LAYERS("1"),         NB_PARAMETER_ROOT,
    NB_PARAMETER_SEED("root=random"), NB_PARAMETER_TREE,
    NB_PARAMETER_SWEEPS("8"),         { 0 },
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
