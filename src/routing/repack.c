#include "routing/repack.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "routing/acyclic.h"
#include "routing/moves.h"
#include "routing/table_ways.h"

#include <math.h>
#include <string.h>

static const char repack_what[] = "layers of paths";

/* Limits: on the pairs; and on the routers whose packets change their path
 * together. */
enum { REPACK_PAIRS = 1 << 20, REPACK_TREE = 40 };

/* Limits on the turns and channels visited: [paths], [whether there are more
 * layers than wanted]. */
static const uint64_t repack_steps[2][2] = {
    [NB_LAYERS_KEEP_PATHS] = { 1 << 23, 1 << 30 },
    [NB_LAYERS_CHANGE_PATHS] = { 1 << 26, 3 << 27 },
};

#define REPACK_OUT UINT8_MAX /* of a pair without a layer */

struct repack_pair {
    uint32_t source, destination;
};

struct repack_work {
    const struct nb_topology *topology;
    enum nb_layers_paths paths;
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
    struct repack_pair *out; /* [out_count] pairs to place; some are already */
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

static size_t repack_number(const struct repack_work *work, uint32_t source,
                            uint32_t destination)
{
    return (size_t)destination * work->topology->router_count + source;
}

/* Whether there is a pair: packets start and end at these routers. */
static bool repack_is_pair(const struct repack_work *work, uint32_t source,
                           uint32_t destination)
{
    return source != destination && work->topology->terminals[source] > 0 &&
           work->topology->terminals[destination] > 0;
}

/* Finds the path of a pair. */
static void repack_follow(struct repack_work *work, uint32_t source,
                          uint32_t destination)
{
    work->length = nb_table_hops_follow(
        work->topology, &work->next[repack_number(work, 0, destination)],
        source, destination, work->path);
}

static size_t repack_turn(const struct repack_work *work, size_t hop)
{
    return nb_acyclic_turn(&work->turns, work->path[hop - 1], work->path[hop]);
}

/* Adds the turns of the path to a layer, up to one that closes a cycle. Returns
 * the hop that it leads to; the path's length: all were added. */
static size_t repack_add(struct repack_work *work, size_t layer)
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
static void repack_remove(struct repack_work *work, size_t layer, size_t hop)
{
    while (hop-- > 1)
        nb_acyclic_remove(&work->layer[layer], work->path[hop - 1],
                          work->path[hop]);
}

/* Puts a pair into a layer to which the turns of its path were added. */
static void repack_put(struct repack_work *work, size_t pair, size_t layer)
{
    for (size_t hop = 1; hop < work->length; hop++)
        work->weight[layer][repack_turn(work, hop)] += work->cost[pair];
    work->layer_of[pair] = (uint8_t)layer;
}

/* Takes a pair, whose path was found, out of its layer, if it has one. */
static void repack_take(struct repack_work *work, size_t pair)
{
    const uint8_t layer = work->layer_of[pair];
    if (layer == REPACK_OUT)
        return;
    repack_remove(work, layer, work->length);
    for (size_t hop = 1; hop < work->length; hop++)
        work->weight[layer][repack_turn(work, hop)] -= work->cost[pair];
    work->layer_of[pair] = REPACK_OUT;
}

static void repack_list(struct repack_work *work, uint32_t source,
                        uint32_t destination)
{
    const size_t pair = repack_number(work, source, destination);
    if (!work->is_listed[pair])
        work->out[work->out_count++] =
            (struct repack_pair){ source, destination };
    work->is_listed[pair] = true;
}

/* Whether all turns of the path are in a layer or follow its order, so that no
 * search is needed. */
static bool repack_ascends(const struct repack_work *work, size_t layer)
{
    const struct nb_acyclic *own = &work->layer[layer];
    bool ascends = true;
    for (size_t hop = 1; hop < work->length && ascends; hop++)
        ascends = own->place[work->path[hop - 1]] < own->place[work->path[hop]];
    return ascends;
}

/* Puts a pair, whose path was found, into a layer that accepts it: the first,
 * if the path follows its order, or the next ones. */
static bool repack_fit(struct repack_work *work, size_t pair, size_t first)
{
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < work->count; i++) {
            const size_t l = (first + i) % work->count;
            if (pass == 0 && !repack_ascends(work, l))
                continue;
            const size_t hop = repack_add(work, l);
            if (hop >= work->length) {
                repack_put(work, pair, l);
                return true;
            }
            repack_remove(work, l, hop);
        }
    return false;
}

/* Lists a router and those whose packets to a destination pass it; false if
 * these are more than `most`. */
static bool repack_find_tree(struct repack_work *work, uint32_t router,
                             uint32_t destination, size_t most)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t *next = &work->next[repack_number(work, 0, destination)];
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
static bool repack_load(struct repack_work *work, uint32_t router,
                        uint32_t destination, double packets)
{
    const struct nb_topology *topology = work->topology;
    bool fits = true;
    repack_follow(work, router, destination);
    for (size_t h = 0; h < work->length; h++) {
        const uint32_t c = work->path[h];
        work->load[c] +=
            packets / nb_ratio_value(topology->channels[c].bandwidth);
        fits &= work->load[c] <= work->ceiling[c];
    }
    return fits;
}

/* The packets of the tree that was listed last. */
static double repack_packets(const struct repack_work *work,
                             uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    double packets = 0;
    for (size_t i = 0; i < work->tree_count; i++)
        packets += topology->terminals[work->tree[i]];
    return packets * topology->terminals[destination];
}

/* Takes all pairs of the tree out of their layers. */
static void repack_take_tree(struct repack_work *work, uint32_t destination)
{
    for (size_t i = 0; i < work->tree_count; i++) {
        const size_t pair = repack_number(work, work->tree[i], destination);
        if (work->layer_of[pair] == REPACK_OUT)
            continue;
        repack_follow(work, work->tree[i], destination);
        repack_take(work, pair);
    }
}

/* Finds layers for the tree's pairs after their paths changed; false: not for
 * one that had a layer, or for that of the source. */
static bool repack_fit_tree(struct repack_work *work, uint32_t source,
                            uint32_t destination)
{
    bool fits = true;
    for (size_t i = 0; i < work->tree_count && fits; i++) {
        const uint32_t s = work->tree[i];
        if (!repack_is_pair(work, s, destination))
            continue;
        const bool is_needed = work->was[i] != REPACK_OUT || s == source;
        const size_t first = work->was[i] != REPACK_OUT
                                 ? work->was[i]
                                 : nb_random_next(&work->random) % work->count;
        repack_follow(work, s, destination);
        fits = repack_fit(work, repack_number(work, s, destination), first) ||
               !is_needed;
    }
    return fits;
}

/* Puts the pairs of the tree back into their layers, after their paths changed
 * back. */
static void repack_restore_tree(struct repack_work *work, uint32_t destination)
{
    for (size_t i = 0; i < work->tree_count; i++) {
        if (work->was[i] == REPACK_OUT)
            continue;
        repack_follow(work, work->tree[i], destination);
        repack_add(work, work->was[i]);
        repack_put(work, repack_number(work, work->tree[i], destination),
                   work->was[i]);
    }
}

/* Changes the next hop of a router, whose tree was listed, if layers then
 * accept all pairs of the tree. */
static bool repack_change(struct repack_work *work, uint32_t router,
                          struct repack_pair pair, uint32_t channel)
{
    const uint32_t d = pair.destination;
    const double packets = repack_packets(work, d);
    uint32_t *next = &work->next[repack_number(work, router, d)];
    const uint32_t before = *next;
    repack_load(work, router, d, -packets);
    *next = channel;
    bool fits = repack_load(work, router, d, packets);
    if (fits) {
        *next = before;
        for (size_t i = 0; i < work->tree_count; i++)
            work->was[i] =
                work->layer_of[repack_number(work, work->tree[i], d)];
        repack_take_tree(work, d);
        *next = channel;
        fits = repack_fit_tree(work, pair.source, d);
        if (fits)
            return true;
        repack_take_tree(work, d);
        *next = before;
        repack_restore_tree(work, d);
        *next = channel;
    }
    repack_load(work, router, d, -packets);
    *next = before;
    repack_load(work, router, d, packets);
    return false;
}

/* Whether a channel begins another shortest path than the next hop. */
static bool repack_is_other(struct repack_work *work, uint32_t router,
                            uint32_t destination, uint32_t channel)
{
    const uint32_t to = work->topology->channels[channel].target;
    if (channel == work->next[repack_number(work, router, destination)])
        return false;
    repack_follow(work, router, destination);
    const size_t length = work->length;
    repack_follow(work, to, destination);
    return work->length + 1 == length &&
           (work->length > 0 || to == destination);
}

/* Places a pair by changing the next hop of a router of its path. */
static bool repack_change_path(struct repack_work *work,
                               struct repack_pair pair)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t d = pair.destination;
    for (uint32_t r = pair.source; r != d;) {
        const uint32_t first = topology->out_start[r];
        const uint32_t outs = topology->out_start[r + 1] - first;
        const uint32_t drawn = (uint32_t)(nb_random_next(&work->random) % outs);
        if (!repack_find_tree(work, r, d, REPACK_TREE))
            return false;
        for (uint32_t i = 0; i < outs; i++) {
            const uint32_t c = first + (drawn + i) % outs;
            if (repack_is_other(work, r, d, c) &&
                repack_change(work, r, pair, c))
                return true;
        }
        r = topology->channels[work->next[repack_number(work, r, d)]].target;
    }
    return false;
}

/* The cheapest turn, other than the path's own, of the cycle that the turn to a
 * hop would close, given those before it: to the channel that is returned, from
 * the one before it in work->from. */
static uint32_t repack_weakest(struct repack_work *work, size_t layer,
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
static void repack_evict(struct repack_work *work, size_t layer, uint32_t from,
                         uint32_t to)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    const uint32_t router = topology->channels[from].source;
    const uint32_t middle = topology->channels[from].target;
    for (uint32_t d = 0; d < n; d++) {
        if (topology->terminals[d] == 0 ||
            work->next[repack_number(work, router, d)] != from ||
            work->next[repack_number(work, middle, d)] != to)
            continue;
        repack_find_tree(work, router, d, n);
        for (size_t i = 0; i < work->tree_count; i++) {
            const size_t pair = repack_number(work, work->tree[i], d);
            if (work->layer_of[pair] != layer)
                continue;
            repack_follow(work, work->tree[i], d);
            repack_take(work, pair);
            work->cost[pair]++;
            repack_list(work, work->tree[i], d);
        }
    }
    work->steps += n / 16;
}

/* Puts a pair into the layer where the first cycle costs least; what is in its
 * way leaves. */
static void repack_force(struct repack_work *work, struct repack_pair pair)
{
    const size_t first = nb_random_next(&work->random) % work->count;
    uint32_t least = UINT32_MAX, cost;
    size_t best = first, hop;
    repack_follow(work, pair.source, pair.destination);
    for (size_t i = 0; i < work->count; i++) {
        const size_t l = (first + i) % work->count;
        hop = repack_add(work, l);
        repack_weakest(work, l, hop, &cost);
        repack_remove(work, l, hop);
        if (cost < least) {
            least = cost;
            best = l;
        }
    }
    while ((hop = repack_add(work, best)) < work->length) {
        const uint32_t to = repack_weakest(work, best, hop, &cost);
        repack_remove(work, best, hop);
        repack_evict(work, best, work->from[to], to);
        repack_follow(work, pair.source, pair.destination);
    }
    repack_put(work, repack_number(work, pair.source, pair.destination), best);
}

static void repack_place(struct repack_work *work, struct repack_pair pair)
{
    repack_follow(work, pair.source, pair.destination);
    if (!repack_fit(work, repack_number(work, pair.source, pair.destination),
                    nb_random_next(&work->random) % work->count) &&
        (work->paths == NB_LAYERS_KEEP_PATHS ||
         !repack_change_path(work, pair)))
        repack_force(work, pair);
}

/* Empties the last layer; false: not within the limit of steps. */
static bool repack_empty(struct repack_work *work, size_t wanted)
{
    const uint32_t n = (uint32_t)work->topology->router_count;
    const size_t last = --work->count;
    const uint64_t limit = repack_steps[work->paths][last >= wanted];
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t pair = repack_number(work, s, d);
            if (work->layer_of[pair] != last)
                continue;
            repack_follow(work, s, d);
            repack_take(work, pair);
            repack_list(work, s, d);
        }
    while (work->out_count > 0 && work->steps + work->turns.looked < limit &&
           !nb_run_is_stopped()) {
        const size_t place = nb_random_next(&work->random) % work->out_count;
        const struct repack_pair pair = work->out[place];
        const size_t number =
            repack_number(work, pair.source, pair.destination);
        work->out[place] = work->out[--work->out_count];
        work->is_listed[number] = false;
        if (work->layer_of[number] == REPACK_OUT)
            repack_place(work, pair);
    }
    return work->out_count == 0;
}

static enum nb_status repack_allocate(struct repack_work *work, size_t ends,
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
        repack_what, err));
    work->next = nb_pool_array(pool, n * n, sizeof *work->next);
    work->layer_of = nb_pool_array(pool, n * n, sizeof *work->layer_of);
    work->cost = nb_pool_array(pool, n * n, sizeof *work->cost);
    work->is_listed = nb_pool_array(pool, n * n, sizeof *work->is_listed);
    work->out = nb_pool_array(pool, ends * ends, sizeof *work->out);
    work->load = nb_pool_array(pool, m, sizeof *work->load);
    work->ceiling = nb_pool_array(pool, m, sizeof *work->ceiling);
    work->path = nb_pool_array(pool, n, sizeof *work->path);
    work->tree = nb_pool_array(pool, n, sizeof *work->tree);
    work->was = nb_pool_array(pool, REPACK_TREE, sizeof *work->was);
    work->from = nb_pool_array(pool, m, sizeof *work->from);
    for (size_t l = 0; l < count; l++)
        work->weight[l] = nb_pool_array(pool, turns, sizeof **work->weight);
    NB_TRY(nb_pool_check(pool, repack_what, err));
    while (work->count < count)
        NB_TRY(nb_acyclic_init(&work->turns, NULL, &work->layer[work->count++],
                               err));
done:
    return status;
}

/* Begins with the given paths and layers. */
static void repack_begin(struct repack_work *work, const uint32_t *next,
                         const uint8_t *layer)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    memcpy(work->next, next, (size_t)n * n * sizeof *next);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t pair = repack_number(work, s, d);
            work->cost[pair] = 1;
            work->layer_of[pair] = REPACK_OUT;
            if (!repack_is_pair(work, s, d))
                continue;
            repack_load(work, s, d,
                        (double)topology->terminals[s] *
                            topology->terminals[d]);
            if (work->length == 0)
                continue;
            repack_add(work, layer[pair]);
            repack_put(work, pair, layer[pair]);
        }
    const double most = nb_load_most(topology, work->load);
    for (size_t c = 0; c < topology->channel_count; c++)
        work->ceiling[c] = fmax(work->load[c], most) * (1 + 1e-12);
}

enum nb_status nb_layers_repack(const struct nb_topology *topology,
                                enum nb_layers_paths paths, uint32_t *next,
                                uint8_t *layer, size_t wanted, size_t *count,
                                struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct repack_work work = { .topology = topology, .paths = paths };
    size_t ends = 0;
    enum nb_status status = NB_OK;
    for (size_t r = 0; r < n; r++)
        ends += topology->terminals[r] > 0;
    if (*count < 3 || *count > NB_MOST_VC_CLASSES || ends * ends > REPACK_PAIRS)
        return NB_OK;
    nb_random_init(&work.random, 1, 0);
    NB_TRY(repack_allocate(&work, ends, *count, err));
    repack_begin(&work, next, layer);
    while (work.count > 2 && repack_empty(&work, wanted)) {
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
