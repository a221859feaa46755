#include "routing/reroute.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "routing/acyclic.h"
#include "routing/moves.h"
#include "routing/next_hops.h"
#include "routing/vc_classes.h"

#include <math.h>
#include <string.h>

static const char reroute_what[] = "layers of paths";

/* Limits: on the pairs; on the routers whose packets change their path
 * together; and on the turns and channels visited, more where there are more
 * layers than wanted. */
enum {
    REROUTE_PAIRS = 1 << 20,
    REROUTE_TREE = 40,
    REROUTE_STEPS = 1 << 26,
    REROUTE_STEPS_MORE = 3 << 27,
};

#define REROUTE_OUT UINT8_MAX /* of a pair without a layer */

struct reroute_pair {
    uint32_t source, destination;
};

struct reroute_work {
    const struct nb_topology *topology;
    uint32_t *next;
    struct nb_acyclic_turns turns;
    struct nb_acyclic layer[NB_MOST_VC_CLASSES];
    uint32_t *weight[NB_MOST_VC_CLASSES]; /* [turn] the cost of the layer's
                                           * pairs that make it */
    size_t count;                         /* of layers open */
    /* Of a pair: [destination * router_count + source] */
    uint8_t *layer_of;
    uint32_t *cost; /* 1, and 1 more for each time it had to leave */
    bool *is_listed;
    struct reroute_pair *out; /* [out_count] pairs to place; some are already */
    size_t out_count;
    double *load;    /* [channel] packets of all pairs / bandwidth */
    double *ceiling; /* [channel] the most that it may become */
    uint32_t *path;  /* [router] */
    size_t length;   /* of that path */
    uint32_t *tree;  /* [tree_count] a router, and those that pass it */
    size_t tree_count;
    uint8_t *was;   /* [tree_count] their layers before */
    uint32_t *from; /* [channel] the one before it in a search */
    uint64_t steps;
    struct nb_random random;
    struct nb_pool pool;
};

static size_t reroute_number(const struct reroute_work *work, uint32_t source,
                             uint32_t destination)
{
    return (size_t)destination * work->topology->router_count + source;
}

/* Whether there is a pair: packets start and end at these routers. */
static bool reroute_is_pair(const struct reroute_work *work, uint32_t source,
                            uint32_t destination)
{
    return source != destination && work->topology->terminals[source] > 0 &&
           work->topology->terminals[destination] > 0;
}

/* Finds the path of a pair. */
static void reroute_follow(struct reroute_work *work, uint32_t source,
                           uint32_t destination)
{
    work->length = nb_next_hops_follow(
        work->topology, &work->next[reroute_number(work, 0, destination)],
        source, destination, work->path);
}

static size_t reroute_turn(const struct reroute_work *work, size_t hop)
{
    return nb_acyclic_turn(&work->turns, work->path[hop - 1], work->path[hop]);
}

/* Adds the turns of the path to a layer, up to one that closes a cycle. Returns
 * the hop that it leads to; the path's length: all were added. */
static size_t reroute_add(struct reroute_work *work, size_t layer)
{
    struct nb_acyclic *own = &work->layer[layer];
    size_t hop = 1;
    while (hop < work->length &&
           !nb_acyclic_closes(own, work->path[hop - 1], work->path[hop])) {
        nb_acyclic_add(own, work->path[hop - 1], work->path[hop]);
        hop++;
    }
    return hop;
}

/* Takes out the turns of the path before a hop. */
static void reroute_remove(struct reroute_work *work, size_t layer, size_t hop)
{
    while (hop-- > 1)
        nb_acyclic_remove(&work->layer[layer], work->path[hop - 1],
                          work->path[hop]);
}

/* Puts a pair into a layer to which the turns of its path were added. */
static void reroute_put(struct reroute_work *work, size_t pair, size_t layer)
{
    for (size_t hop = 1; hop < work->length; hop++)
        work->weight[layer][reroute_turn(work, hop)] += work->cost[pair];
    work->layer_of[pair] = (uint8_t)layer;
}

/* Takes a pair, whose path was found, out of its layer, if it has one. */
static void reroute_take(struct reroute_work *work, size_t pair)
{
    const uint8_t layer = work->layer_of[pair];
    if (layer == REROUTE_OUT)
        return;
    reroute_remove(work, layer, work->length);
    for (size_t hop = 1; hop < work->length; hop++)
        work->weight[layer][reroute_turn(work, hop)] -= work->cost[pair];
    work->layer_of[pair] = REROUTE_OUT;
}

static void reroute_list(struct reroute_work *work, uint32_t source,
                         uint32_t destination)
{
    const size_t pair = reroute_number(work, source, destination);
    if (!work->is_listed[pair])
        work->out[work->out_count++] =
            (struct reroute_pair){ source, destination };
    work->is_listed[pair] = true;
}

/* Whether all turns of the path are in a layer or follow its order, so that no
 * search is needed. */
static bool reroute_ascends(const struct reroute_work *work, size_t layer)
{
    const struct nb_acyclic *own = &work->layer[layer];
    bool ascends = true;
    for (size_t hop = 1; hop < work->length && ascends; hop++)
        ascends = own->place[work->path[hop - 1]] < own->place[work->path[hop]];
    return ascends;
}

/* Puts a pair, whose path was found, into a layer that accepts it: the first,
 * if the path follows its order, or the next ones. */
static bool reroute_fit(struct reroute_work *work, size_t pair, size_t first)
{
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < work->count; i++) {
            const size_t l = (first + i) % work->count;
            if (pass == 0 && !reroute_ascends(work, l))
                continue;
            const size_t hop = reroute_add(work, l);
            if (hop >= work->length) {
                reroute_put(work, pair, l);
                return true;
            }
            reroute_remove(work, l, hop);
        }
    return false;
}

/* Lists a router and those whose packets to a destination pass it; false if
 * these are more than `most`. */
static bool reroute_find_tree(struct reroute_work *work, uint32_t router,
                              uint32_t destination, size_t most)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t *next = &work->next[reroute_number(work, 0, destination)];
    work->tree[0] = router;
    work->tree_count = 1;
    for (size_t i = 0; i < work->tree_count; i++)
        for (uint32_t j = topology->in_start[work->tree[i]];
             j < topology->in_start[work->tree[i] + 1]; j++) {
            const uint32_t c = topology->in_channel[j];
            if (next[topology->channels[c].source] != c)
                continue;
            if (work->tree_count == most)
                return false;
            work->tree[work->tree_count++] = topology->channels[c].source;
        }
    work->steps += work->tree_count;
    return true;
}

/* Adds packets from a router to the loads of its path; false: a channel becomes
 * too full. */
static bool reroute_load(struct reroute_work *work, uint32_t router,
                         uint32_t destination, double packets)
{
    const struct nb_topology *topology = work->topology;
    bool fits = true;
    reroute_follow(work, router, destination);
    for (size_t h = 0; h < work->length; h++) {
        const uint32_t c = work->path[h];
        work->load[c] +=
            packets / nb_ratio_value(topology->channels[c].bandwidth);
        fits &= work->load[c] <= work->ceiling[c];
    }
    return fits;
}

/* The packets of the tree that was listed last. */
static double reroute_packets(const struct reroute_work *work,
                              uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    double packets = 0;
    for (size_t i = 0; i < work->tree_count; i++)
        packets += topology->terminals[work->tree[i]];
    return packets * topology->terminals[destination];
}

/* Takes all pairs of the tree out of their layers. */
static void reroute_take_tree(struct reroute_work *work, uint32_t destination)
{
    for (size_t i = 0; i < work->tree_count; i++) {
        const size_t pair = reroute_number(work, work->tree[i], destination);
        if (work->layer_of[pair] == REROUTE_OUT)
            continue;
        reroute_follow(work, work->tree[i], destination);
        reroute_take(work, pair);
    }
}

/* Finds layers for the tree's pairs after their paths changed; false: not for
 * one that had a layer, or for that of the source. */
static bool reroute_fit_tree(struct reroute_work *work, uint32_t source,
                             uint32_t destination)
{
    bool fits = true;
    for (size_t i = 0; i < work->tree_count && fits; i++) {
        const uint32_t s = work->tree[i];
        if (!reroute_is_pair(work, s, destination))
            continue;
        const bool is_needed = work->was[i] != REROUTE_OUT || s == source;
        const size_t first = work->was[i] != REROUTE_OUT
                                 ? work->was[i]
                                 : nb_random_next(&work->random) % work->count;
        reroute_follow(work, s, destination);
        fits = reroute_fit(work, reroute_number(work, s, destination), first) ||
               !is_needed;
    }
    return fits;
}

/* Puts the pairs of the tree back into their layers, after their paths changed
 * back. */
static void reroute_restore_tree(struct reroute_work *work,
                                 uint32_t destination)
{
    for (size_t i = 0; i < work->tree_count; i++) {
        if (work->was[i] == REROUTE_OUT)
            continue;
        reroute_follow(work, work->tree[i], destination);
        reroute_add(work, work->was[i]);
        reroute_put(work, reroute_number(work, work->tree[i], destination),
                    work->was[i]);
    }
}

/* Changes the next hop of a router, whose tree was listed, if layers then
 * accept all pairs of the tree. */
static bool reroute_change(struct reroute_work *work, uint32_t router,
                           struct reroute_pair pair, uint32_t channel)
{
    const uint32_t d = pair.destination;
    const double packets = reroute_packets(work, d);
    uint32_t *next = &work->next[reroute_number(work, router, d)];
    const uint32_t before = *next;
    reroute_load(work, router, d, -packets);
    *next = channel;
    bool fits = reroute_load(work, router, d, packets);
    if (fits) {
        *next = before;
        for (size_t i = 0; i < work->tree_count; i++)
            work->was[i] =
                work->layer_of[reroute_number(work, work->tree[i], d)];
        reroute_take_tree(work, d);
        *next = channel;
        fits = reroute_fit_tree(work, pair.source, d);
        if (fits)
            return true;
        reroute_take_tree(work, d);
        *next = before;
        reroute_restore_tree(work, d);
        *next = channel;
    }
    reroute_load(work, router, d, -packets);
    *next = before;
    reroute_load(work, router, d, packets);
    return false;
}

/* Whether a channel begins another shortest path than the next hop. */
static bool reroute_is_other(struct reroute_work *work, uint32_t router,
                             uint32_t destination, uint32_t channel)
{
    const uint32_t to = work->topology->channels[channel].target;
    if (channel == work->next[reroute_number(work, router, destination)])
        return false;
    reroute_follow(work, router, destination);
    const size_t length = work->length;
    reroute_follow(work, to, destination);
    return work->length + 1 == length &&
           (work->length > 0 || to == destination);
}

/* Places a pair by changing the next hop of a router of its path. */
static bool reroute_change_path(struct reroute_work *work,
                                struct reroute_pair pair)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t d = pair.destination;
    for (uint32_t r = pair.source; r != d;) {
        const uint32_t first = topology->out_start[r];
        const uint32_t outs = topology->out_start[r + 1] - first;
        const uint32_t drawn = (uint32_t)(nb_random_next(&work->random) % outs);
        if (!reroute_find_tree(work, r, d, REROUTE_TREE))
            return false;
        for (uint32_t i = 0; i < outs; i++) {
            const uint32_t c = first + (drawn + i) % outs;
            if (reroute_is_other(work, r, d, c) &&
                reroute_change(work, r, pair, c))
                return true;
        }
        r = topology->channels[work->next[reroute_number(work, r, d)]].target;
    }
    return false;
}

/* The cheapest turn, other than the path's own, of the cycle that the turn to a
 * hop would close, given those before it: to the channel that is returned, from
 * the one before it in work->from. */
static uint32_t reroute_weakest(struct reroute_work *work, size_t layer,
                                size_t hop, uint32_t *cost)
{
    const uint32_t from = work->path[hop - 1], to = work->path[hop];
    uint32_t weakest = NB_NONE;
    *cost = UINT32_MAX;
    work->steps +=
        nb_acyclic_find_path(&work->layer[layer], to, from, work->from);
    for (uint32_t c = from; c != to; c = work->from[c]) {
        bool is_own = false;
        for (size_t h = 1; h < hop && !is_own; h++)
            is_own = work->path[h - 1] == work->from[c] && work->path[h] == c;
        const uint32_t own =
            work->weight[layer]
                        [nb_acyclic_turn(&work->turns, work->from[c], c)];
        if (!is_own && own < *cost) {
            *cost = own;
            weakest = c;
        }
    }
    return weakest;
}

/* Lets all pairs of a layer that make a turn leave. */
static void reroute_evict(struct reroute_work *work, size_t layer,
                          uint32_t from, uint32_t to)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    const uint32_t router = topology->channels[from].source;
    const uint32_t middle = topology->channels[from].target;
    for (uint32_t d = 0; d < n; d++) {
        if (topology->terminals[d] == 0 ||
            work->next[reroute_number(work, router, d)] != from ||
            work->next[reroute_number(work, middle, d)] != to)
            continue;
        reroute_find_tree(work, router, d, n);
        for (size_t i = 0; i < work->tree_count; i++) {
            const size_t pair = reroute_number(work, work->tree[i], d);
            if (work->layer_of[pair] != layer)
                continue;
            reroute_follow(work, work->tree[i], d);
            reroute_take(work, pair);
            work->cost[pair]++;
            reroute_list(work, work->tree[i], d);
        }
    }
    work->steps += n / 16;
}

/* Puts a pair into the layer where the first cycle costs least; what is in its
 * way leaves. */
static void reroute_force(struct reroute_work *work, struct reroute_pair pair)
{
    const size_t first = nb_random_next(&work->random) % work->count;
    uint32_t least = UINT32_MAX, cost;
    size_t best = first, hop;
    reroute_follow(work, pair.source, pair.destination);
    for (size_t i = 0; i < work->count; i++) {
        const size_t l = (first + i) % work->count;
        hop = reroute_add(work, l);
        reroute_weakest(work, l, hop, &cost);
        reroute_remove(work, l, hop);
        if (cost < least) {
            least = cost;
            best = l;
        }
    }
    while ((hop = reroute_add(work, best)) < work->length) {
        const uint32_t to = reroute_weakest(work, best, hop, &cost);
        reroute_remove(work, best, hop);
        reroute_evict(work, best, work->from[to], to);
        reroute_follow(work, pair.source, pair.destination);
    }
    reroute_put(work, reroute_number(work, pair.source, pair.destination),
                best);
}

static void reroute_place(struct reroute_work *work, struct reroute_pair pair)
{
    reroute_follow(work, pair.source, pair.destination);
    if (!reroute_fit(work, reroute_number(work, pair.source, pair.destination),
                     nb_random_next(&work->random) % work->count) &&
        !reroute_change_path(work, pair))
        reroute_force(work, pair);
}

/* Empties the last layer; false: not within the limit of steps. */
static bool reroute_empty(struct reroute_work *work, size_t wanted)
{
    const uint32_t n = (uint32_t)work->topology->router_count;
    const size_t last = --work->count;
    const uint64_t limit = last < wanted ? REROUTE_STEPS : REROUTE_STEPS_MORE;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t pair = reroute_number(work, s, d);
            if (work->layer_of[pair] != last)
                continue;
            reroute_follow(work, s, d);
            reroute_take(work, pair);
            reroute_list(work, s, d);
        }
    while (work->out_count > 0 && work->steps + work->turns.looked < limit &&
           !nb_run_is_stopped()) {
        const size_t place = nb_random_next(&work->random) % work->out_count;
        const struct reroute_pair pair = work->out[place];
        const size_t number =
            reroute_number(work, pair.source, pair.destination);
        work->out[place] = work->out[--work->out_count];
        work->is_listed[number] = false;
        if (work->layer_of[number] == REROUTE_OUT)
            reroute_place(work, pair);
    }
    return work->out_count == 0;
}

static enum nb_status reroute_allocate(struct reroute_work *work, size_t ends,
                                       size_t count, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_pool *pool = &work->pool;
    enum nb_status status;
    NB_TRY(nb_acyclic_turns_init(topology, &work->turns, err));
    const size_t turns = work->turns.first[m];
    NB_TRY(nb_memory_require(
        (double)n * (double)n * (2 * sizeof(uint32_t) + 2) +
            (double)ends * (double)ends * sizeof *work->out +
            4.0 * (double)count * (double)turns * sizeof(uint32_t),
        reroute_what, err));
    work->next = nb_pool_array(pool, n * n, sizeof *work->next);
    work->layer_of = nb_pool_array(pool, n * n, sizeof *work->layer_of);
    work->cost = nb_pool_array(pool, n * n, sizeof *work->cost);
    work->is_listed = nb_pool_array(pool, n * n, sizeof *work->is_listed);
    work->out = nb_pool_array(pool, ends * ends, sizeof *work->out);
    work->load = nb_pool_array(pool, m, sizeof *work->load);
    work->ceiling = nb_pool_array(pool, m, sizeof *work->ceiling);
    work->path = nb_pool_array(pool, n, sizeof *work->path);
    work->tree = nb_pool_array(pool, n, sizeof *work->tree);
    work->was = nb_pool_array(pool, REROUTE_TREE, sizeof *work->was);
    work->from = nb_pool_array(pool, m, sizeof *work->from);
    for (size_t l = 0; l < count; l++)
        work->weight[l] = nb_pool_array(pool, turns, sizeof **work->weight);
    NB_TRY(nb_pool_check(pool, reroute_what, err));
    while (work->count < count)
        NB_TRY(nb_acyclic_init(&work->turns, NULL, &work->layer[work->count++],
                               err));
done:
    return status;
}

/* Begins with the given paths and layers. */
static void reroute_begin(struct reroute_work *work, const uint32_t *next,
                          const uint8_t *layer)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    memcpy(work->next, next, (size_t)n * n * sizeof *next);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t pair = reroute_number(work, s, d);
            work->cost[pair] = 1;
            work->layer_of[pair] = REROUTE_OUT;
            if (!reroute_is_pair(work, s, d))
                continue;
            reroute_load(work, s, d,
                         (double)topology->terminals[s] *
                             topology->terminals[d]);
            if (work->length == 0)
                continue;
            reroute_add(work, layer[pair]);
            reroute_put(work, pair, layer[pair]);
        }
    const double most = nb_load_most(topology, work->load);
    for (size_t c = 0; c < topology->channel_count; c++)
        work->ceiling[c] = fmax(work->load[c], most) * (1 + 1e-12);
}

enum nb_status nb_layers_reroute(const struct nb_topology *topology,
                                 uint32_t *next, uint8_t *layer, size_t wanted,
                                 size_t *count, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct reroute_work work = { .topology = topology };
    size_t ends = 0;
    enum nb_status status = NB_OK;
    for (size_t r = 0; r < n; r++)
        ends += topology->terminals[r] > 0;
    if (*count < 3 || ends * ends > REROUTE_PAIRS)
        return NB_OK;
    nb_random_init(&work.random, 1, 0);
    NB_TRY(reroute_allocate(&work, ends, *count, err));
    reroute_begin(&work, next, layer);
    while (work.count > 2 && reroute_empty(&work, wanted)) {
        nb_acyclic_release(&work.layer[work.count]);
        memcpy(next, work.next, n * n * sizeof *next);
        for (size_t k = 0; k < n * n; k++)
            layer[k] = work.layer_of[k] < work.count ? work.layer_of[k] : 0;
        *count = work.count;
    }
    status = nb_run_check_stop(err);
done:
    for (size_t l = 0; l < NB_MOST_VC_CLASSES; l++)
        nb_acyclic_release(&work.layer[l]);
    nb_acyclic_turns_release(&work.turns);
    nb_pool_release(&work.pool);
    return status;
}
