/*
 * nue: uses any given number of layers, however small. Destinations are
 * assigned to the layers. In each layer, paths to a destination are searched
 * backwards from it over turns that do not close a cycle with those used so
 * far, which are at first all turns of a spanning tree. From routers that the
 * search does not reach, a packet goes along the tree.
 * [DomkeHoeflerMatsuoka2016] searches again from such routers and divides
 * destinations by their location; this does not.
 */
#include "core/memory.h"
#include "routing/layers.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <assert.h>
#include <string.h>

struct nue_work {
    const struct nb_topology *topology;
    struct nb_tree_order order;
    struct nb_layers layers;
    struct nb_table_ways_work tables;
    struct nb_pool pool;
    bool *is_tree;       /* [channel] the first between a router and its
                          * parent */
    double *load;        /* [channel] packets / bandwidth so far */
    uint32_t *next;      /* [router] next channel in the search; NB_NONE:
                          * none */
    uint32_t *tree_next; /* [router] next channel along the tree */
    uint32_t *hops;      /* [router] hops in the search; NB_NONE: not met */
    uint32_t *queue;     /* [router] */
    double *flow;        /* [router] */
    uint32_t *path;      /* [router_count] */
    uint8_t *class;      /* [router_count] */
};

static void nue_mark_tree(struct nue_work *work)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const uint32_t parent = work->order.parent[r];
        if (parent == NB_NONE)
            continue;
        work->is_tree[nb_channel_find(topology, r, parent, 0)] = true;
        work->is_tree[nb_channel_find(topology, parent, r, 0)] = true;
    }
}

/* Opens a layer, with all turns of the tree. */
static enum nb_status nue_open_layer(struct nue_work *work,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const enum nb_status status = nb_layers_open(&work->layers, err);
    if (status != NB_OK)
        return status;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const uint32_t r = topology->channels[c].target;
        for (uint32_t o = topology->out_start[r];
             o < topology->out_start[r + 1] && work->is_tree[c]; o++)
            if (work->is_tree[o] &&
                topology->channels[o].target != topology->channels[c].source)
                nb_layers_add(&work->layers, work->layers.count - 1,
                              (const uint32_t[]){ c, o }, 2);
    }
    return NB_OK;
}

static enum nb_status nue_init(struct nue_work *work,
                               const struct nb_routing *routing,
                               struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    const size_t layers =
        (size_t)nb_specification_whole(&routing->specification, "layers");
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    work->is_tree = nb_pool_array(pool, m, sizeof *work->is_tree);
    work->load = nb_pool_array(pool, m, sizeof *work->load);
    work->next = nb_pool_array(pool, n, sizeof *work->next);
    work->tree_next = nb_pool_array(pool, n, sizeof *work->tree_next);
    work->hops = nb_pool_array(pool, n, sizeof *work->hops);
    work->queue = nb_pool_array(pool, n, sizeof *work->queue);
    work->flow = nb_pool_array(pool, n, sizeof *work->flow);
    work->path = nb_pool_array(pool, n, sizeof *work->path);
    work->class = nb_pool_array(pool, n, sizeof *work->class);
    NB_TRY(nb_pool_check(pool, "next hops", err));
    NB_TRY(nb_tree_order_build(routing, true, &work->order, err));
    nue_mark_tree(work);
    NB_TRY(nb_table_ways_open(&work->tables, work->topology, err));
    NB_TRY(nb_layers_init(work->topology, layers, &work->layers, err));
    for (size_t l = 0; l < layers; l++)
        NB_TRY(nue_open_layer(work, err));
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
    work->queue[tail++] = destination;
    for (size_t head = 0; head < tail; head++) {
        const uint32_t r = work->queue[head];
        for (uint32_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++) {
            const uint32_t c = topology->in_channel[i];
            const uint32_t from = topology->channels[c].source;
            if (!work->is_tree[c] || from == destination ||
                work->tree_next[from] != NB_NONE)
                continue;
            work->tree_next[from] = c;
            work->queue[tail++] = from;
        }
    }
}

/* Among the channels from a router to those already met whose turn closes no
 * cycle, the one with the fewest hops, then the least load; NB_NONE if there is
 * none. */
static uint32_t nue_choose(const struct nue_work *work, size_t layer,
                           uint32_t router)
{
    const struct nb_topology *topology = work->topology;
    uint32_t best = NB_NONE;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t to = topology->channels[c].target;
        if (work->hops[to] == NB_NONE)
            continue;
        if (best != NB_NONE) {
            const uint32_t least = work->hops[topology->channels[best].target];
            if (work->hops[to] > least ||
                (work->hops[to] == least && work->load[c] >= work->load[best]))
                continue;
        }
        if (work->hops[to] == 0 ||
            (topology->channels[work->next[to]].target != router &&
             nb_layers_accept(&work->layers, layer,
                              (const uint32_t[]){ c, work->next[to] }, 2)))
            best = c;
    }
    return best;
}

/* Breadth-first search from the destination; returns the number of routers met,
 * which are listed in queue. */
static size_t nue_search(struct nue_work *work, size_t layer,
                         uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    size_t tail = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        work->hops[r] = NB_NONE;
    work->hops[destination] = 0;
    work->queue[tail++] = destination;
    for (size_t head = 0; head < tail; head++) {
        const uint32_t r = work->queue[head];
        for (uint32_t i = topology->in_start[r]; i < topology->in_start[r + 1];
             i++) {
            const uint32_t from =
                topology->channels[topology->in_channel[i]].source;
            if (work->hops[from] != NB_NONE)
                continue;
            const uint32_t c = nue_choose(work, layer, from);
            if (c == NB_NONE)
                continue;
            const uint32_t to = topology->channels[c].target;
            work->next[from] = c;
            work->hops[from] = work->hops[to] + 1;
            work->queue[tail++] = from;
            if (to != destination)
                nb_layers_add(&work->layers, layer,
                              (const uint32_t[]){ c, work->next[to] }, 2);
        }
    }
    return tail;
}

/* Adds the packets that take the paths found to the loads. */
static void nue_count(struct nue_work *work, uint32_t destination, size_t met)
{
    const struct nb_topology *topology = work->topology;
    for (size_t r = 0; r < topology->router_count; r++)
        work->flow[r] =
            (double)topology->terminals[r] * topology->terminals[destination];
    for (size_t i = met; i-- > 1;) {
        const uint32_t r = work->queue[i];
        const struct nb_channel *c = &topology->channels[work->next[r]];
        work->load[work->next[r]] +=
            work->flow[r] / nb_ratio_value(c->bandwidth);
        work->flow[c->target] += work->flow[r];
    }
}

static enum nb_status nue_add_paths(struct nue_work *work, size_t layer,
                                    uint32_t destination, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum nb_status status = NB_OK;
    for (uint32_t s = 0; s < topology->router_count; s++) {
        const uint32_t *next =
            work->hops[s] != NB_NONE ? work->next : work->tree_next;
        if (topology->terminals[s] == 0 || s == destination)
            continue;
        const size_t length =
            nb_next_hops_follow(topology, next, s, destination, work->path);
        assert(length > 0);
        memset(work->class, (int)layer, length);
        NB_TRY(nb_table_ways_add(&work->tables, s, destination, work->path,
                                 work->class, length, err));
    }
done:
    return status;
}

static enum nb_status nue_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    struct nue_work work = { .topology = topology };
    size_t destinations = 0;
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nue_init(&work, out, err));
    for (uint32_t d = 0; d < topology->router_count; d++) {
        if (topology->terminals[d] == 0)
            continue;
        const size_t layer = destinations++ % work.layers.count;
        nue_follow_tree(&work, d);
        nue_count(&work, d, nue_search(&work, layer, d));
        NB_TRY(nue_add_paths(&work, layer, d, err));
    }
    NB_TRY(nb_table_ways_close(&work.tables, out, err));
done:
    nb_table_ways_release(&work.tables);
    nb_layers_release(&work.layers);
    nb_tree_order_release(&work.order);
    nb_pool_release(&work.pool);
    return status;
}

static const struct nb_parameter nue_parameters[] = {
    NB_PARAMETER_LAYERS("1"),
    NB_PARAMETER_ROOT,
    NB_PARAMETER_TREE,
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
