#include "routing/repack.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "routing/acyclic.h"
#include "routing/layers.h"
#include "routing/next_hops.h"
#include "routing/vc_classes.h"

#include <string.h>

static const char repack_what[] = "layers of paths";

/* Limits: on the pairs; and on the turns and channels visited, more for a
 * patient search where the layers are more than the data lanes that InfiniBand
 * switches usually have. */
enum {
    REPACK_PAIRS = 1 << 20,
    REPACK_STEPS = 1 << 24,
    REPACK_STEPS_MORE = 1 << 30,
};

#define REPACK_OUT UINT8_MAX /* of a pair without a layer */

struct repack_pair {
    uint32_t source, destination;
    size_t arc;    /* its first turn in work->arc */
    uint32_t cost; /* 1, and 1 more for each time it had to leave */
    uint8_t layer;
};

struct repack_work {
    const struct nb_topology *topology;
    const uint32_t *next;
    bool is_patient;
    struct nb_acyclic_turns turns;
    struct nb_acyclic layer[NB_MOST_VC_CLASSES];
    size_t count; /* of layers open */
    /* The pairs with turns, and a last one that only ends the list. */
    struct repack_pair *pair; /* [pair_count + 1] */
    size_t pair_count;
    struct nb_acyclic_arc *arc; /* turns of all pairs */
    size_t *user_of;            /* [turn + 1] into user */
    uint32_t *user;             /* indices of pairs */
    uint32_t *out;              /* [out_count] pairs without a layer */
    size_t out_count;
    uint32_t *from; /* [channel] the one before it in a search */
    uint64_t steps;
    struct nb_random random;
    struct nb_pool pool;
};

static size_t repack_length(const struct repack_work *work, size_t pair)
{
    return work->pair[pair + 1].arc - work->pair[pair].arc;
}

static const struct nb_acyclic_arc *repack_arcs(const struct repack_work *work,
                                                size_t pair)
{
    return &work->arc[work->pair[pair].arc];
}

/* Lists the pairs that make turns; without room, only counts them and their
 * turns. */
static void repack_list(struct repack_work *work, const uint8_t *layer,
                        uint32_t *path, size_t *arcs)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    work->pair_count = *arcs = 0;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n && topology->terminals[d] > 0; s++) {
            if (s == d || topology->terminals[s] == 0)
                continue;
            const size_t length =
                nb_next_hops_follow(topology, work->next + d * n, s, d, path);
            if (length < 2)
                continue;
            if (work->pair != NULL)
                work->pair[work->pair_count] =
                    (struct repack_pair){ s, d, *arcs, 1, layer[d * n + s] };
            for (size_t h = 1; h < length && work->arc != NULL; h++)
                work->arc[*arcs + h - 1] =
                    (struct nb_acyclic_arc){ path[h - 1], path[h] };
            *arcs += length - 1;
            work->pair_count++;
        }
    if (work->pair != NULL)
        work->pair[work->pair_count].arc = *arcs;
}

/* Lists the pairs that make each turn. */
static void repack_list_users(struct repack_work *work)
{
    const size_t turns = work->turns.first[work->topology->channel_count];
    for (size_t a = 0; a < work->pair[work->pair_count].arc; a++)
        work->user_of[nb_acyclic_turn(&work->turns, work->arc[a].from,
                                      work->arc[a].to) +
                      1]++;
    for (size_t t = 0; t < turns; t++)
        work->user_of[t + 1] += work->user_of[t];
    for (size_t k = work->pair_count; k-- > 0;)
        for (size_t a = work->pair[k].arc; a < work->pair[k + 1].arc; a++)
            work->user[--work->user_of[nb_acyclic_turn(&work->turns,
                                                       work->arc[a].from,
                                                       work->arc[a].to) +
                                       1]] = (uint32_t)k;
    memmove(work->user_of, work->user_of + 1, turns * sizeof *work->user_of);
    work->user_of[turns] = work->pair[work->pair_count].arc;
}

static enum nb_status repack_init(struct repack_work *work,
                                  const uint8_t *layer, size_t count,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t m = topology->channel_count;
    struct nb_pool *pool = &work->pool;
    size_t arcs;
    uint32_t *path = nb_pool_array(pool, topology->router_count, sizeof *path);
    enum nb_status status;
    NB_TRY(nb_acyclic_turns_init(topology, &work->turns, err));
    NB_TRY(nb_pool_check(pool, repack_what, err));
    repack_list(work, layer, path, &arcs);
    NB_TRY(nb_memory_require((double)arcs * (sizeof *work->arc + 4) +
                                 (double)work->pair_count * 40,
                             repack_what, err));
    work->pair = nb_pool_array(pool, work->pair_count + 1, sizeof *work->pair);
    work->arc = nb_pool_array(pool, arcs, sizeof *work->arc);
    work->user = nb_pool_array(pool, arcs, sizeof *work->user);
    work->out = nb_pool_array(pool, work->pair_count, sizeof *work->out);
    work->user_of =
        nb_pool_array(pool, work->turns.first[m] + 1, sizeof *work->user_of);
    work->from = nb_pool_array(pool, m, sizeof *work->from);
    NB_TRY(nb_pool_check(pool, repack_what, err));
    repack_list(work, layer, path, &arcs);
    repack_list_users(work);
    while (work->count < count)
        NB_TRY(nb_acyclic_init(&work->turns, NULL, &work->layer[work->count++],
                               err));
    for (size_t k = 0; k < work->pair_count; k++)
        nb_acyclic_add_all(&work->layer[work->pair[k].layer],
                           repack_arcs(work, k), repack_length(work, k));
done:
    return status;
}

/* What it costs if all pairs of a layer that make a turn leave. */
static uint64_t repack_turn_cost(struct repack_work *work, size_t layer,
                                 size_t turn)
{
    uint64_t cost = 0;
    for (size_t i = work->user_of[turn]; i < work->user_of[turn + 1]; i++) {
        const struct repack_pair *pair = &work->pair[work->user[i]];
        cost += pair->layer == layer ? pair->cost : 0;
    }
    work->steps += work->user_of[turn + 1] - work->user_of[turn];
    return cost;
}

static bool repack_makes(const struct repack_work *work, size_t pair,
                         uint32_t from, uint32_t to)
{
    const struct nb_acyclic_arc *arc = repack_arcs(work, pair);
    bool makes = false;
    for (size_t a = 0; a < repack_length(work, pair) && !makes; a++)
        makes = arc[a].from == from && arc[a].to == to;
    return makes;
}

/* The cheapest turn, other than its own, of the cycle that a turn of a pair
 * would close, given the pair's turns before it. */
static size_t repack_weakest(struct repack_work *work, size_t pair,
                             size_t layer, struct nb_acyclic_arc turn,
                             uint64_t *cost)
{
    size_t weakest = 0;
    *cost = UINT64_MAX;
    /* the path that the turn would close to a cycle */
    work->steps += nb_acyclic_find_path(&work->layer[layer], turn.to, turn.from,
                                        work->from) +
                   work->topology->channel_count / 64;
    for (uint32_t c = turn.from; c != turn.to; c = work->from[c]) {
        if (repack_makes(work, pair, work->from[c], c))
            continue;
        const size_t one = nb_acyclic_turn(&work->turns, work->from[c], c);
        const uint64_t own = repack_turn_cost(work, layer, one);
        if (own < *cost) {
            *cost = own;
            weakest = one;
        }
    }
    return weakest;
}

/* Adds the turns of a pair up to one that closes a cycle; returns the number
 * added. */
static size_t repack_add(struct repack_work *work, size_t pair, size_t layer)
{
    const struct nb_acyclic_arc *arc = repack_arcs(work, pair);
    size_t added = 0;
    while (added < repack_length(work, pair) &&
           nb_acyclic_add(&work->layer[layer], arc[added].from, arc[added].to))
        added++;
    return added;
}

/* Lets all pairs of a layer that make a turn leave. */
static void repack_evict(struct repack_work *work, size_t layer, size_t turn)
{
    for (size_t i = work->user_of[turn]; i < work->user_of[turn + 1]; i++) {
        struct repack_pair *pair = &work->pair[work->user[i]];
        if (pair->layer != layer)
            continue;
        nb_acyclic_remove_all(&work->layer[layer],
                              repack_arcs(work, work->user[i]),
                              repack_length(work, work->user[i]));
        pair->layer = REPACK_OUT;
        pair->cost++;
        work->out[work->out_count++] = work->user[i];
    }
}

/* Puts a pair into a layer; what is in its way leaves. */
static void repack_force(struct repack_work *work, size_t pair, size_t layer)
{
    const struct nb_acyclic_arc *arc = repack_arcs(work, pair);
    size_t added;
    while ((added = repack_add(work, pair, layer)) <
           repack_length(work, pair)) {
        uint64_t cost;
        const size_t weakest =
            repack_weakest(work, pair, layer, arc[added], &cost);
        nb_acyclic_remove_all(&work->layer[layer], arc, added);
        repack_evict(work, layer, weakest);
    }
    work->pair[pair].layer = (uint8_t)layer;
}

/* Finds a layer for a pair: one that accepts it, else the one where the first
 * cycle costs least. */
static void repack_place(struct repack_work *work, size_t pair)
{
    const struct nb_acyclic_arc *arc = repack_arcs(work, pair);
    const size_t length = repack_length(work, pair);
    const size_t first = nb_random_next(&work->random) % work->count;
    uint64_t least = UINT64_MAX;
    size_t best = first;
    for (size_t i = 0; i < work->count; i++) {
        const size_t l = (first + i) % work->count;
        if (nb_acyclic_add_all(&work->layer[l], arc, length)) {
            work->pair[pair].layer = (uint8_t)l;
            return;
        }
    }
    for (size_t i = 0; i < work->count; i++) {
        const size_t l = (first + i) % work->count;
        const size_t added = repack_add(work, pair, l);
        uint64_t cost;
        repack_weakest(work, pair, l, arc[added], &cost);
        nb_acyclic_remove_all(&work->layer[l], arc, added);
        if (cost < least) {
            least = cost;
            best = l;
        }
    }
    repack_force(work, pair, best);
}

static bool repack_has_time(const struct repack_work *work)
{
    const uint64_t steps = work->steps + work->turns.looked;
    return steps < (work->is_patient && work->count >= NB_COMMON_LANES
                        ? REPACK_STEPS_MORE
                        : REPACK_STEPS);
}

/* Empties the last layer; false: not within the limit of steps. */
static bool repack_empty(struct repack_work *work)
{
    nb_acyclic_release(&work->layer[--work->count]);
    work->out_count = 0;
    for (size_t k = 0; k < work->pair_count; k++) {
        if (work->pair[k].layer != work->count)
            continue;
        work->pair[k].layer = REPACK_OUT;
        work->out[work->out_count++] = (uint32_t)k;
    }
    while (work->out_count > 0 && repack_has_time(work) &&
           !nb_run_is_stopped()) {
        const size_t place = nb_random_next(&work->random) % work->out_count;
        const uint32_t pair = work->out[place];
        work->out[place] = work->out[--work->out_count];
        repack_place(work, pair);
    }
    return work->out_count == 0;
}

enum nb_status nb_layers_repack(const struct nb_topology *topology,
                                const uint32_t *next, uint8_t *layer,
                                bool is_patient, size_t *count,
                                struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct repack_work work = { .topology = topology,
                                .next = next,
                                .is_patient = is_patient };
    size_t ends = 0;
    enum nb_status status = NB_OK;
    for (size_t r = 0; r < n; r++)
        ends += topology->terminals[r] > 0;
    if (*count < 3 || ends * ends > REPACK_PAIRS)
        return NB_OK;
    nb_random_init(&work.random, 1, 0);
    NB_TRY(repack_init(&work, layer, *count, err));
    while (work.count > 2 && repack_empty(&work)) {
        for (size_t k = 0; k < work.pair_count; k++)
            layer[work.pair[k].destination * n + work.pair[k].source] =
                work.pair[k].layer;
        *count = work.count;
    }
    for (size_t i = 0; i < n * n; i++) /* pairs without turns */
        layer[i] = layer[i] < *count ? layer[i] : 0;
    status = nb_run_check_stop(err);
done:
    while (work.count > 0)
        nb_acyclic_release(&work.layer[--work.count]);
    nb_acyclic_turns_release(&work.turns);
    nb_pool_release(&work.pool);
    return status;
}
