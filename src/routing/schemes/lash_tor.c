/*
 * lash-tor: shortest paths in layers without cycles (layers.h). If no single
 * layer accepts a packet's path, the packet moves to a higher layer on the way.
 * Pairs for which all layers except the last are too few take Up*Down* paths in
 * the last one, unless it accepts the rest of their shortest path.
 *
 * With paths=K, the first K shortest paths of a pair are tried that a
 * breadth-first search from the source meets, which visits the routers of each
 * distance in random order. Each of them begins in the first layer, and the
 * first one in the fewest layers is taken.
 * Source: [SkeieEtAl2004]; balance=least: [Hanlon2009, section 2.3.4]; paths:
 * [Hanlon2009, sections 2.3.4 and 4.1.1].
 */
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "routing/layers.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"
#include "routing/tree_order.h"

#include <assert.h>
#include <string.h>

/* The result for a pair. */
enum lash_tor_way { LASH_TOR_NO_PAIR, LASH_TOR_UNDEFINED, LASH_TOR_SHORTEST };

/* Paths from a source to a router: the last channel, and which of the paths to
 * the router before it. */
struct lash_tor_leg {
    uint32_t channel, before;
};

struct lash_tor_work {
    const struct nb_topology *topology;
    size_t paths; /* drawn for each pair; 0: one path by number */
    uint64_t seed;
    /* The paths from one source, by a breadth-first search: */
    struct lash_tor_leg *leg; /* [router * paths + path] */
    uint32_t *path_count;     /* [router] */
    uint32_t *hops;           /* [router] */
    uint32_t *queue;          /* [router] */
    struct nb_routing updown; /* its paths are taken in the last layer */
    struct nb_layers layers;
    struct nb_pool pool;
    uint32_t *next; /* [destination * router_count + router]; owned */
    /* [destination * router_count + source] */
    uint8_t *way;
    size_t *first;  /* first of its classes, one per hop of its shortest path */
    uint8_t *class; /* owned */
    size_t class_count, class_room;
    uint32_t *chosen; /* the channels of drawn paths, as class; owned */
    size_t chosen_room;
    uint32_t *path;  /* [router_count] */
    uint8_t *layer;  /* [router_count] by hop */
    uint64_t *share; /* [layer] pairs that use only this layer */
    /* [destination * router_count + source] one bit per layer that does not
     * accept its shortest path, and never will, since layers only gain
     * turns. */
    uint64_t *refused;
};

/* Recalls the drawn path that was chosen for a pair. */
static size_t lash_tor_recall(const struct lash_tor_work *work, size_t pair,
                              uint32_t destination)
{
    const uint32_t *chosen = work->chosen + work->first[pair];
    size_t length = 0;
    do
        work->path[length] = chosen[length];
    while (work->topology->channels[chosen[length++]].target != destination);
    return length;
}

static size_t lash_tor_follow(const struct lash_tor_work *work, uint32_t source,
                              uint32_t destination)
{
    const struct nb_topology *topology = work->topology;
    if (work->paths > 0)
        return lash_tor_recall(
            work, destination * topology->router_count + source, destination);
    const size_t length = nb_table_hops_follow(
        topology, work->next + destination * topology->router_count, source,
        destination, work->path);
    assert(length > 0);
    return length;
}

/* Divides the path among layers below an end, as few as a greedy search finds:
 * one that accepts all of it, unless paths are drawn; else from the first layer
 * on as much as each accepts. False if there are too few. */
static bool lash_tor_divide(struct lash_tor_work *work, size_t length,
                            size_t end)
{
    size_t at = 0;
    for (size_t l = 0; l < end && work->paths == 0; l++)
        if (nb_layers_accept(&work->layers, l, work->path, length)) {
            memset(work->layer, (int)l, length);
            return true;
        }
    for (size_t l = 0; l < end && at < length; l++) {
        size_t taken = 1;
        while (at + taken < length &&
               nb_layers_accept(&work->layers, l, work->path + at, taken + 1))
            taken++;
        memset(work->layer + at, (int)l, taken);
        at += taken;
    }
    return at == length;
}

/* Adds the parts of the path to their layers, and stores their classes. */
static enum nb_status lash_tor_keep(struct lash_tor_work *work, size_t pair,
                                    size_t length, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_reserve(&work->class, &work->class_room,
                      work->class_count + length, sizeof *work->class,
                      "layers of paths", err));
    if (work->paths > 0) {
        NB_TRY(nb_reserve(&work->chosen, &work->chosen_room,
                          work->class_count + length, sizeof *work->chosen,
                          "layers of paths", err));
        memcpy(work->chosen + work->class_count, work->path,
               length * sizeof *work->path);
    }
    for (size_t first = 0, end; first < length; first = end) {
        end = first + 1;
        while (end < length && work->layer[end] == work->layer[first])
            end++;
        nb_layers_add(&work->layers, work->layer[first], work->path + first,
                      end - first);
        if (end - first == length)
            work->share[work->layer[0]]++;
    }
    work->way[pair] = LASH_TOR_SHORTEST;
    work->first[pair] = work->class_count;
    memcpy(work->class + work->class_count, work->layer, length);
    work->class_count += length;
done:
    return status;
}

/* Divides the undefined pairs among layers below an end, by their paths by
 * number. */
static enum nb_status lash_tor_divide_numbered(struct lash_tor_work *work,
                                               size_t end, struct nb_error *err)
{
    const uint32_t n = (uint32_t)work->topology->router_count;
    enum nb_status status = NB_OK;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t pair = (size_t)d * n + s;
            if (work->way[pair] != LASH_TOR_UNDEFINED)
                continue;
            NB_TRY(nb_run_check_stop(err));
            const size_t length = lash_tor_follow(work, s, d);
            if (lash_tor_divide(work, length, end))
                NB_TRY(lash_tor_keep(work, pair, length, err));
        }
done:
    return status;
}

/* Appends the paths that lead over a channel. */
static void lash_tor_extend(struct lash_tor_work *work, uint32_t channel)
{
    const uint32_t from = work->topology->channels[channel].source;
    const uint32_t to = work->topology->channels[channel].target;
    uint32_t *count = &work->path_count[to];
    for (uint32_t i = 0; i < work->path_count[from] && *count < work->paths;
         i++)
        work->leg[to * work->paths + (*count)++] =
            (struct lash_tor_leg){ channel, i };
}

/* Finds the paths from a source. Those of a second pass are the same. */
static void lash_tor_draw(struct lash_tor_work *work, uint32_t source)
{
    const struct nb_topology *topology = work->topology;
    struct nb_random random;
    size_t first = 0, tail = 0;
    nb_random_init(&random, work->seed, source);
    for (size_t r = 0; r < topology->router_count; r++) {
        work->hops[r] = NB_NONE;
        work->path_count[r] = 0;
    }
    work->queue[tail++] = source;
    work->hops[source] = 0;
    work->path_count[source] = 1;
    for (size_t end; first < tail; first = end) {
        end = tail;
        for (size_t i = first; i < end; i++) {
            const size_t j = i + nb_random_below(&random, end - i);
            const uint32_t r = work->queue[j];
            work->queue[j] = work->queue[i];
            for (uint32_t c = topology->out_start[r];
                 c < topology->out_start[r + 1]; c++) {
                const uint32_t to = topology->channels[c].target;
                if (work->hops[to] == NB_NONE) {
                    work->hops[to] = work->hops[r] + 1;
                    work->queue[tail++] = to;
                }
                if (work->hops[to] == work->hops[r] + 1)
                    lash_tor_extend(work, c);
            }
        }
    }
}

/* Lists the channels of a path from the source; returns their number. */
static size_t lash_tor_trace(struct lash_tor_work *work, uint32_t destination,
                             uint32_t number)
{
    const size_t length = work->hops[destination];
    uint32_t at = destination;
    for (size_t h = length; h-- > 0;) {
        const struct lash_tor_leg *leg = &work->leg[at * work->paths + number];
        work->path[h] = leg->channel;
        at = work->topology->channels[leg->channel].source;
        number = leg->before;
    }
    return length;
}

/* Divides the path that needs the fewest layers, the first of them; returns its
 * length, 0 if there are too few layers for all of them. */
static size_t lash_tor_choose(struct lash_tor_work *work, uint32_t destination,
                              size_t end)
{
    const size_t length = work->hops[destination];
    uint32_t best = NB_NONE;
    size_t least = end;
    for (uint32_t i = 0; i < work->path_count[destination] && least > 0; i++) {
        lash_tor_trace(work, destination, i);
        if (lash_tor_divide(work, length, end) &&
            work->layer[length - 1] < least) {
            least = work->layer[length - 1];
            best = i;
        }
    }
    if (best == NB_NONE)
        return 0;
    lash_tor_trace(work, destination, best);
    lash_tor_divide(work, length, end);
    return length;
}

/* Divides the undefined pairs among layers below an end, source after source,
 * by drawn paths. */
static enum nb_status lash_tor_divide_drawn(struct lash_tor_work *work,
                                            size_t end, struct nb_error *err)
{
    const uint32_t n = (uint32_t)work->topology->router_count;
    enum nb_status status = NB_OK;
    for (uint32_t s = 0; s < n; s++) {
        if (work->topology->terminals[s] == 0)
            continue;
        lash_tor_draw(work, s);
        for (uint32_t d = 0; d < n; d++) {
            const size_t pair = (size_t)d * n + s;
            if (work->way[pair] != LASH_TOR_UNDEFINED)
                continue;
            NB_TRY(nb_run_check_stop(err));
            const size_t length = lash_tor_choose(work, d, end);
            if (length > 0)
                NB_TRY(lash_tor_keep(work, pair, length, err));
        }
    }
done:
    return status;
}

static enum nb_status lash_tor_divide_all(struct lash_tor_work *work,
                                          size_t end, struct nb_error *err)
{
    return work->paths > 0 ? lash_tor_divide_drawn(work, end, err)
                           : lash_tor_divide_numbered(work, end, err);
}

/* The last layer takes the Up*Down* paths of the remaining pairs, which is
 * possible as long as it has no other paths. */
static void lash_tor_add_updown(struct lash_tor_work *work, size_t last)
{
    const uint32_t n = (uint32_t)work->topology->router_count;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++)
            if (work->way[(size_t)d * n + s] == LASH_TOR_UNDEFINED)
                nb_layers_add(
                    &work->layers, last, work->path,
                    nb_table_ways_path(&work->updown, s, d, work->path, NULL));
}

/* Limit on the words of layers that are read for turns added by balancing. */
static const double lash_tor_balance_words = 0x1p32;

/* Adds the path to a layer if the layer accepts it; returns whether it does.
 * Once the added turns have taken too long, no more are added. */
static bool lash_tor_move(struct lash_tor_work *work, size_t layer,
                          size_t length, double *words)
{
    const size_t turns =
        nb_layers_lack(&work->layers, layer, work->path, length);
    if (turns == 0)
        return true;
    if (*words < 0 ||
        !nb_layers_accept(&work->layers, layer, work->path, length))
        return false;
    *words -= (double)turns * (double)work->layers.row_count *
              (double)work->layers.words;
    nb_layers_add(&work->layers, layer, work->path, length);
    return true;
}

/* Moves pairs that use only one layer to the layer with the fewest of them,
 * until no pair moves. The turns of a pair remain in the layer that it
 * leaves. */
static void lash_tor_balance(struct lash_tor_work *work, size_t count)
{
    const uint32_t n = (uint32_t)work->topology->router_count;
    double words = lash_tor_balance_words;
    bool is_moved = true;
    while (is_moved) {
        is_moved = false;
        for (uint32_t d = 0; d < n && !nb_run_is_stopped(); d++)
            for (uint32_t s = 0; s < n; s++) {
                const size_t pair = (size_t)d * n + s;
                size_t least = 0;
                if (work->way[pair] != LASH_TOR_SHORTEST)
                    continue;
                uint8_t *class = work->class + work->first[pair];
                for (size_t l = 1; l < count; l++)
                    least = work->share[l] < work->share[least] ? l : least;
                /* First the checks that need no path: most pairs stay where
                 * they are. */
                if (work->share[least] + 1 >= work->share[class[0]] ||
                    (work->refused[pair] >> least & 1) != 0)
                    continue;
                const size_t length = lash_tor_follow(work, s, d);
                if (class[0] != class[length - 1])
                    continue;
                if (!lash_tor_move(work, least, length, &words)) {
                    work->refused[pair] |= UINT64_C(1) << least;
                    continue;
                }
                work->share[class[0]]--;
                work->share[least]++;
                memset(class, (int)least, length);
                is_moved = true;
            }
    }
}

static enum nb_status lash_tor_make_tables(struct lash_tor_work *work,
                                           struct nb_routing *out, size_t last,
                                           struct nb_error *err)
{
    const uint32_t n = (uint32_t)work->topology->router_count;
    struct nb_table_ways_work tables = { 0 };
    enum nb_status status;
    NB_TRY(nb_table_ways_open(&tables, work->topology, err));
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t pair = (size_t)d * n + s;
            const uint8_t *class = work->layer;
            size_t length;
            if (work->way[pair] == LASH_TOR_NO_PAIR)
                continue;
            if (work->way[pair] == LASH_TOR_SHORTEST) {
                length = lash_tor_follow(work, s, d);
                class = work->class + work->first[pair];
            } else {
                length =
                    nb_table_ways_path(&work->updown, s, d, work->path, NULL);
                memset(work->layer, (int)last, length);
                out->is_minimal = false;
            }
            NB_TRY(nb_table_ways_add(&tables, s, d, work->path, class, length,
                                     err));
        }
    NB_TRY(nb_table_ways_close(&tables, out, err));
done:
    nb_table_ways_release(&tables);
    return status;
}

static enum nb_status lash_tor_init(struct lash_tor_work *work,
                                    const struct nb_routing *out, size_t count,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const struct nb_specification *given = &out->specification;
    const size_t n = topology->router_count;
    struct nb_text updown = { 0 };
    struct nb_tree_order order = { 0 };
    enum nb_status status;
    NB_TRY(nb_table_ways_require(topology, err));
    NB_TRY(nb_memory_require(
        (double)n * (double)n *
            (sizeof *work->way + sizeof *work->first + sizeof *work->refused),
        "layers of paths", err));
    work->way = nb_pool_array(&work->pool, n * n, sizeof *work->way);
    work->first = nb_pool_array(&work->pool, n * n, sizeof *work->first);
    work->refused = nb_pool_array(&work->pool, n * n, sizeof *work->refused);
    work->path = nb_pool_array(&work->pool, n, sizeof *work->path);
    work->layer = nb_pool_array(&work->pool, n, sizeof *work->layer);
    work->share = nb_pool_array(&work->pool, count, sizeof *work->share);
    work->leg = nb_pool_array(&work->pool, n * work->paths, sizeof *work->leg);
    work->path_count = nb_pool_array(&work->pool, n, sizeof *work->path_count);
    work->hops = nb_pool_array(&work->pool, n, sizeof *work->hops);
    work->queue = nb_pool_array(&work->pool, n, sizeof *work->queue);
    NB_TRY(nb_pool_check(&work->pool, "layers of paths", err));
    /* So that errors name this scheme, not the one built below. */
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nb_tree_order_build(out, false, &order, err));
    NB_TRY(nb_table_ways_new(topology, &work->next, err));
    NB_TRY(nb_next_hops_by_number(topology, work->next, err));
    nb_text_print(&updown, "updown:root=%s,seed=%s,tree=%s",
                  nb_specification_text(given, "root"),
                  nb_specification_text(given, "seed"),
                  nb_specification_text(given, "tree"));
    NB_TRY(nb_text_check(&updown, err));
    NB_TRY(nb_routing_build(updown.bytes, topology, &work->updown, err));
    NB_TRY(nb_layers_init(topology, count, &work->layers, err));
    for (size_t l = 0; l < count; l++)
        NB_TRY(nb_layers_open(&work->layers, err));
    for (size_t d = 0; d < n; d++)
        for (size_t s = 0; s < n; s++)
            if (s != d && topology->terminals[s] > 0 &&
                topology->terminals[d] > 0)
                work->way[d * n + s] = LASH_TOR_UNDEFINED;
done:
    nb_tree_order_release(&order);
    nb_text_release(&updown);
    return status;
}

static enum nb_status lash_tor_build(struct nb_routing *out,
                                     struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const size_t count = (size_t)nb_specification_whole(given, "layers");
    struct lash_tor_work work = {
        .topology = out->topology,
        .paths = (size_t)nb_specification_whole(given, "paths"),
        .seed = (uint64_t)nb_specification_whole(given, "seed")
    };
    enum nb_status status;
    NB_TRY(lash_tor_init(&work, out, count, err));
    NB_TRY(lash_tor_divide_all(&work, count - 1, err));
    lash_tor_add_updown(&work, count - 1);
    NB_TRY(lash_tor_divide_all(&work, count, err));
    if (nb_specification_is(given, "balance", "least"))
        lash_tor_balance(&work, count);
    out->is_minimal = !out->topology->groups.counts_global_first;
    NB_TRY(lash_tor_make_tables(&work, out, count - 1, err));
done:
    nb_routing_release(&work.updown);
    nb_layers_release(&work.layers);
    nb_delete(work.next);
    nb_delete(work.class);
    nb_delete(work.chosen);
    nb_pool_release(&work.pool);
    return status;
}

static const struct nb_parameter lash_tor_parameters[] = {
    NB_PARAMETER_LAYERS("4"),
    NB_PARAMETER("balance", CHOICE, "least",
                 "least: move pairs of one layer to the layer with the fewest "
                 "pairs, where possible",
                 .detail = "If this takes too long, pairs move only to layers "
                           "that need no new turns for them.",
                 .choices = "none|least"),
    NB_PARAMETER(
        "paths", WHOLE, "0",
        "shortest paths drawn per pair; one in the fewest layers is taken; 0: "
        "one path, by number",
        .detail =
            "Drawn paths begin in the first layer, and pairs are taken source "
            "by source. The path by number is taken destination by "
            "destination, in one layer if some layer accepts all of it.",
        .least = 0, .most = 1000),
    NB_PARAMETER_ROOT,
    NB_PARAMETER_SEED("drawn paths and root=random"),
    NB_PARAMETER_TREE,
    { 0 },
};

const struct nb_routing_kind nb_routing_lash_tor = {
    .kind = { .name = "lash-tor",
              .summary = "layered shortest paths that may change layer",
              .detail =
                  "Paths may move to a higher layer on the way; where layers "
                  "run out, Up*/Down* is used. Needs a link in each "
                  "direction between neighbours.",
              .parameters = lash_tor_parameters },
    .examples = "lash-tor@ring:5 lash-tor:layers=1@mesh:3x3 "
                "lash-tor:layers=2@torus:4x4 "
                "lash-tor:layers=2,balance=none@torus:4x3 "
                "lash-tor@dragonfly:h=2,p=1 "
                "lash-tor:paths=5,layers=3@mesh:4x4 "
                "lash-tor:paths=2,layers=2,seed=3,root=random@torus:4x3 "
                "lash-tor:root=1@torus:4x3,fail=0-1+router:5",
    .is_by_terminal = true,
    .build = lash_tor_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
