#include "routing/layers.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "routing/next_hops.h"
#include "routing/repack.h"
#include "routing/table_ways.h"
#include "core/random.h"
#include "topology/turns.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char layers_what[] = "layers of paths";

/* Whether the channel can be part of a turn on both sides: one channel leads
 * into it and one leads out of it, and neither leads back. */
static bool layers_has_turns(const struct nb_topology *topology, uint32_t c)
{
    const uint32_t source = topology->channels[c].source;
    const uint32_t target = topology->channels[c].target;
    bool follows = false, is_followed = false;
    for (uint32_t i = topology->in_start[source];
         i < topology->in_start[source + 1] && !follows; i++)
        follows = topology->channels[topology->in_channel[i]].source != target;
    for (uint32_t o = topology->out_start[target];
         o < topology->out_start[target + 1] && !is_followed; o++)
        is_followed = topology->channels[o].target != source;
    return follows && is_followed;
}

enum nb_status nb_layers_init(const struct nb_topology *topology, size_t open,
                              struct nb_layers *out, struct nb_error *err)
{
    const size_t m = topology->channel_count;
    enum nb_status status;
    *out = (struct nb_layers){ .topology = topology };
    NB_TRY(nb_new(&out->row, m, sizeof *out->row, layers_what, err));
    for (uint32_t c = 0; c < m; c++)
        out->row[c] = layers_has_turns(topology, c) ? (uint32_t)out->row_count++
                                                    : NB_NONE;
    out->words = (out->row_count + 63) / 64;
    NB_TRY(nb_memory_require(2.0 * (double)open * (double)out->row_count *
                                 (double)out->words * sizeof(uint64_t),
                             layers_what, err));
done:
    return status;
}

static void layers_close(struct nb_layers *layers)
{
    struct nb_layer *layer = &layers->layer[--layers->count];
    nb_delete(layer->after);
    nb_delete(layer->before);
    *layer = (struct nb_layer){ 0 };
}

void nb_layers_release(struct nb_layers *layers)
{
    while (layers->count > 0)
        layers_close(layers);
    nb_delete(layers->row);
    *layers = (struct nb_layers){ 0 };
}

enum nb_status nb_layers_open(struct nb_layers *layers, struct nb_error *err)
{
    const size_t words = layers->row_count * layers->words;
    struct nb_layer *layer = &layers->layer[layers->count++];
    enum nb_status status;
    NB_TRY(
        nb_new(&layer->after, words, sizeof *layer->after, layers_what, err));
    NB_TRY(
        nb_new(&layer->before, words, sizeof *layer->before, layers_what, err));
done:
    return status;
}

static bool layers_has_bit(const uint64_t *row, uint32_t bit)
{
    return (row[bit / 64] >> bit % 64 & 1) != 0;
}

bool nb_layers_accept(const struct nb_layers *layers, size_t layer,
                      const uint32_t *channel, size_t length)
{
    const uint64_t *after = layers->layer[layer].after;
    for (size_t j = 1; j < length; j++) {
        const uint32_t to = layers->row[channel[j]];
        if (to == NB_NONE)
            continue;
        for (size_t i = 0; i < j; i++) {
            const uint32_t from = layers->row[channel[i]];
            if (from != NB_NONE &&
                (from == to ||
                 layers_has_bit(after + to * layers->words, from)))
                return false;
        }
    }
    return true;
}

/* For each channel of a set whose row lacks channel `one`: adds `one` and all
 * of another set to its row. */
static void layers_unite(const struct nb_layers *layers, uint64_t *rows,
                         const uint64_t *set, const uint64_t *gained,
                         uint32_t one)
{
    for (size_t w = 0; w < layers->words; w++)
        for (uint64_t left = set[w]; left != 0; left &= left - 1) {
            const size_t r = 64 * w + (unsigned)__builtin_ctzll(left);
            uint64_t *row = rows + r * layers->words;
            if (layers_has_bit(row, one))
                continue;
            for (size_t v = 0; v < layers->words; v++)
                row[v] |= gained[v];
        }
}

/* `from` and all that leads to it now lead to `to` and all that `to` leads to.
 * A channel is in its own rows only during this function. */
static void layers_join(struct nb_layers *layers, struct nb_layer *layer,
                        uint32_t from, uint32_t to)
{
    uint64_t *after = layer->after + to * layers->words;
    uint64_t *before = layer->before + from * layers->words;
    after[to / 64] |= UINT64_C(1) << to % 64;
    before[from / 64] |= UINT64_C(1) << from % 64;
    layers_unite(layers, layer->after, before, after, to);
    layers_unite(layers, layer->before, after, before, from);
    after[to / 64] &= ~(UINT64_C(1) << to % 64);
    before[from / 64] &= ~(UINT64_C(1) << from % 64);
}

/* Whether a layer lacks the turn from one channel to another. */
static bool layers_lacks(const struct nb_layers *layers, size_t layer,
                         uint32_t from_channel, uint32_t to_channel)
{
    const uint64_t *after = layers->layer[layer].after;
    const uint32_t from = layers->row[from_channel];
    const uint32_t to = layers->row[to_channel];
    return from != NB_NONE && to != NB_NONE &&
           !layers_has_bit(after + from * layers->words, to);
}

size_t nb_layers_lack(const struct nb_layers *layers, size_t layer,
                      const uint32_t *channel, size_t length)
{
    size_t count = 0;
    for (size_t h = 1; h < length; h++)
        count += layers_lacks(layers, layer, channel[h - 1], channel[h]);
    return count;
}

void nb_layers_add(struct nb_layers *layers, size_t layer,
                   const uint32_t *channel, size_t length)
{
    struct nb_layer *own = &layers->layer[layer];
    for (size_t h = 1; h < length; h++)
        if (layers_lacks(layers, layer, channel[h - 1], channel[h]))
            layers_join(layers, own, layers->row[channel[h - 1]],
                        layers->row[channel[h]]);
}

/* A pair and its sort key. */
struct deal_pair {
    uint32_t source, destination;
    uint64_t key;
};

struct deal_work {
    const struct nb_topology *topology;
    const uint32_t *next;
    struct nb_layers layers; /* one at a time */
    struct deal_pair *pair;  /* [pair_count] */
    size_t pair_count;
    size_t listed;  /* pairs in the current order */
    uint32_t *path; /* [router_count] */
    /* For deal_break: the turn from a channel to one out of the router where it
     * ends has number first[channel] + the index of the second channel at its
     * router. */
    size_t *first;    /* [channel + 1] */
    uint32_t *uses;   /* [turn] paths that make it */
    size_t *user_of;  /* [turn + 1] into user */
    uint32_t *user;   /* indices of the pairs in the list; owned */
    bool *is_out;     /* [pair] */
    uint8_t *colour;  /* [channel] enum deal_colour */
    uint32_t *cursor; /* [channel] the next channel to visit */
    uint32_t *stack;  /* [channel_count] */
    uint32_t *done;   /* [done_count] the finished channels */
    size_t done_count;
    uint8_t *layer; /* [destination * router_count + source] in this order */
};

static size_t deal_follow(struct deal_work *work, const struct deal_pair *pair)
{
    const struct nb_topology *topology = work->topology;
    const size_t length = nb_table_hops_follow(
        topology,
        work->next + (size_t)pair->destination * topology->router_count,
        pair->source, pair->destination, work->path);
    assert(length > 0);
    return length;
}

static size_t deal_turn(const struct deal_work *work, uint32_t from,
                        uint32_t to)
{
    return nb_turn_number(work->topology, work->first, from, to);
}

static int deal_compare(const void *left, const void *right)
{
    const struct deal_pair *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    return (a->source > b->source) - (a->source < b->source);
}

/* The orders that are tried: by destination and source, each layer beginning
 * with what deal_break leaves; the same without deal_break; short paths first;
 * long paths first; then long paths first, those of equal length in random
 * order. */
enum deal_order { DEAL_BROKEN, DEAL_PLAIN, DEAL_SHORT, DEAL_LONG, DEAL_DRAWN };

/* Lists the pairs in an order. */
static void deal_list(struct deal_work *work, unsigned order)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    struct nb_random random;
    nb_random_init(&random, order, 0);
    work->pair_count = 0;
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            struct deal_pair pair = { .source = s, .destination = d };
            if (s == d || topology->terminals[s] == 0 ||
                topology->terminals[d] == 0)
                continue;
            const uint64_t length = deal_follow(work, &pair);
            if (order == DEAL_SHORT)
                pair.key = length;
            else if (order >= DEAL_LONG)
                pair.key = (uint64_t)(n - length) << 32;
            if (order >= DEAL_DRAWN)
                pair.key |= nb_random_next(&random) >> 32;
            work->pair[work->pair_count++] = pair;
        }
    work->listed = work->pair_count;
    if (order > DEAL_PLAIN)
        qsort(work->pair, work->pair_count, sizeof *work->pair, deal_compare);
}

/* Counts the paths that make each turn, and lists them. */
static enum nb_status deal_list_users(struct deal_work *work,
                                      struct nb_error *err)
{
    const size_t turns = work->first[work->topology->channel_count];
    enum nb_status status;
    memset(work->uses, 0, turns * sizeof *work->uses);
    for (size_t k = 0; k < work->pair_count; k++) {
        const size_t length = deal_follow(work, &work->pair[k]);
        for (size_t h = 1; h < length; h++)
            work->uses[deal_turn(work, work->path[h - 1], work->path[h])]++;
        work->is_out[k] = false;
    }
    for (size_t t = 0; t < turns; t++)
        work->user_of[t + 1] = work->user_of[t] + work->uses[t];
    nb_delete(work->user);
    work->user = NULL;
    NB_TRY(nb_memory_require((double)work->user_of[turns] * sizeof *work->user,
                             layers_what, err));
    NB_TRY(nb_new(&work->user, work->user_of[turns], sizeof *work->user,
                  layers_what, err));
    for (size_t k = work->pair_count; k-- > 0;) {
        const size_t length = deal_follow(work, &work->pair[k]);
        for (size_t h = 1; h < length; h++)
            work->user[--work->user_of[deal_turn(work, work->path[h - 1],
                                                 work->path[h]) +
                                       1]] = (uint32_t)k;
    }
    /* Each entry is now the end of the previous turn: one place too far. */
    memmove(work->user_of, work->user_of + 1, turns * sizeof *work->user_of);
    work->user_of[turns] = 0;
    for (size_t t = 0; t < turns; t++)
        work->user_of[turns] += work->uses[t];
done:
    return status;
}

/* Removes all paths that make a turn. */
static void deal_take_out(struct deal_work *work, size_t turn)
{
    for (size_t i = work->user_of[turn]; i < work->user_of[turn + 1]; i++) {
        const uint32_t k = work->user[i];
        if (work->is_out[k])
            continue;
        work->is_out[k] = true;
        const size_t length = deal_follow(work, &work->pair[k]);
        for (size_t h = 1; h < length; h++)
            work->uses[deal_turn(work, work->path[h - 1], work->path[h])]--;
    }
}

enum deal_colour { DEAL_NEW, DEAL_OPEN, DEAL_DONE };

/* The last channel on the stack leads back to one on the stack: removes the
 * paths of that turn of the cycle that has the fewest. Returns the height of
 * the remaining stack; the channels taken from it are visited again, each from
 * where it stopped. */
static size_t deal_cut(struct deal_work *work, size_t height, uint32_t back)
{
    size_t weakest = deal_turn(work, work->stack[height - 1], back);
    for (size_t i = height - 1; work->stack[i] != back; i--) {
        const size_t turn = deal_turn(work, work->stack[i - 1], work->stack[i]);
        if (work->uses[turn] < work->uses[weakest])
            weakest = turn;
    }
    deal_take_out(work, weakest);
    for (size_t i = 1; i < height; i++) {
        if (work->uses[deal_turn(work, work->stack[i - 1], work->stack[i])] > 0)
            continue;
        for (size_t j = i; j < height; j++) {
            work->colour[work->stack[j]] = DEAL_NEW;
            if (j + 1 < height)
                work->cursor[work->stack[j]] = work->stack[j + 1];
        }
        work->cursor[work->stack[height - 1]] = back;
        return i;
    }
    return height;
}

/* Depth-first search from a channel; cuts every cycle that it meets. */
static void deal_search(struct deal_work *work, uint32_t channel)
{
    const struct nb_topology *topology = work->topology;
    size_t height = 1;
    work->stack[0] = channel;
    work->colour[channel] = DEAL_OPEN;
    while (height > 0) {
        const uint32_t c = work->stack[height - 1];
        const uint32_t o = work->cursor[c];
        if (o == topology->out_start[topology->channels[c].target + 1]) {
            work->colour[c] = DEAL_DONE;
            work->done[work->done_count++] = c;
            height--;
            continue;
        }
        work->cursor[c]++;
        if (work->uses[deal_turn(work, c, o)] == 0)
            continue;
        if (work->colour[o] == DEAL_OPEN) {
            height = deal_cut(work, height, o);
        } else if (work->colour[o] == DEAL_NEW) {
            work->colour[o] = DEAL_OPEN;
            work->stack[height++] = o;
        }
    }
}

/* Computes what leads to what over the remaining turns, in one pass in each
 * direction. */
static void deal_close(struct deal_work *work)
{
    const struct nb_topology *topology = work->topology;
    struct nb_layers *layers = &work->layers;
    const struct nb_layer *layer = &layers->layer[0];
    const size_t words = layers->words;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < work->done_count; i++) {
            const uint32_t c =
                work->done[pass == 0 ? i : work->done_count - 1 - i];
            const uint32_t r = topology->channels[c].target;
            const uint32_t from = layers->row[c];
            for (uint32_t o = topology->out_start[r];
                 o < topology->out_start[r + 1] && from != NB_NONE; o++) {
                const uint32_t to = layers->row[o];
                if (to == NB_NONE || work->uses[deal_turn(work, c, o)] == 0)
                    continue;
                uint64_t *row = pass == 0 ? layer->after + from * words
                                          : layer->before + to * words;
                const uint64_t *gained = pass == 0
                                             ? layer->after + to * words
                                             : layer->before + from * words;
                const uint32_t one = pass == 0 ? to : from;
                for (size_t v = 0; v < words; v++)
                    row[v] |= gained[v];
                row[one / 64] |= UINT64_C(1) << one % 64;
            }
        }
}

/*
 * Begins a layer with all pairs except those removed to cut cycles: in each
 * cycle that a search meets, those of the turn with the fewest paths. Removed
 * pairs stay listed. This is much faster than adding path after path.
 * Source: [DomkeHoeflerNagel2011].
 */
static enum nb_status deal_break(struct deal_work *work, uint8_t number,
                                 struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count;
    size_t kept = 0;
    enum nb_status status;
    NB_TRY(deal_list_users(work, err));
    work->done_count = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        work->colour[c] = DEAL_NEW;
        work->cursor[c] = topology->out_start[topology->channels[c].target];
    }
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        NB_TRY(nb_run_check_stop(err));
        if (work->colour[c] == DEAL_NEW)
            deal_search(work, c);
    }
    deal_close(work);
    for (size_t k = 0; k < work->pair_count; k++)
        if (work->is_out[k])
            work->pair[kept++] = work->pair[k];
        else
            work->layer[work->pair[k].destination * n + work->pair[k].source] =
                number;
    work->pair_count = kept;
done:
    return status;
}

/* Fills one layer with the pairs that it accepts; the others stay listed. */
static void deal_fill(struct deal_work *work, uint8_t number)
{
    const size_t n = work->topology->router_count;
    size_t kept = 0;
    for (size_t k = 0; k < work->pair_count && !nb_run_is_stopped(); k++) {
        const struct deal_pair pair = work->pair[k];
        const size_t length = deal_follow(work, &pair);
        if (nb_layers_accept(&work->layers, 0, work->path, length)) {
            nb_layers_add(&work->layers, 0, work->path, length);
            work->layer[pair.destination * n + pair.source] = number;
        } else {
            work->pair[kept++] = pair;
        }
    }
    work->pair_count = kept;
}

/* count: out, number of layers; most + 1 if there would be more. */
static enum nb_status deal_try(struct deal_work *work, unsigned order,
                               size_t most, size_t *count, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    deal_list(work, order);
    for (*count = 0; work->pair_count > 0 && *count <= most; ++*count) {
        NB_TRY(nb_layers_open(&work->layers, err));
        if (order == DEAL_BROKEN)
            NB_TRY(deal_break(work, (uint8_t)*count, err));
        deal_fill(work, (uint8_t)*count);
        layers_close(&work->layers);
        NB_TRY(nb_run_check_stop(err));
    }
done:
    return status;
}

/* The number of orders, and the total number of pairs up to which orders are
 * tried. */
enum { DEAL_ORDERS = 8, DEAL_PAIRS = 1 << 19 };

static enum nb_status deal_init(struct deal_work *work, struct nb_pool *pool,
                                struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    size_t ends = 0;
    enum nb_status status;
    for (size_t r = 0; r < n; r++)
        ends += topology->terminals[r] > 0;
    NB_TRY(
        nb_memory_require((double)ends * (double)ends *
                                  (sizeof *work->pair + sizeof *work->is_out) +
                              2.0 * (double)n * (double)n * sizeof *work->layer,
                          layers_what, err));
    work->pair = nb_pool_array(pool, ends * ends, sizeof *work->pair);
    work->is_out = nb_pool_array(pool, ends * ends, sizeof *work->is_out);
    work->layer = nb_pool_array(pool, n * n, sizeof *work->layer);
    work->path = nb_pool_array(pool, n, sizeof *work->path);
    work->first = nb_pool_array(pool, m + 1, sizeof *work->first);
    work->colour = nb_pool_array(pool, m, sizeof *work->colour);
    work->cursor = nb_pool_array(pool, m, sizeof *work->cursor);
    work->stack = nb_pool_array(pool, m, sizeof *work->stack);
    work->done = nb_pool_array(pool, m, sizeof *work->done);
    NB_TRY(nb_pool_check(pool, layers_what, err));
    nb_turn_numbers(topology, work->first);
    work->uses = nb_pool_array(pool, work->first[m], sizeof *work->uses);
    work->user_of =
        nb_pool_array(pool, work->first[m] + 1, sizeof *work->user_of);
    NB_TRY(nb_pool_check(pool, layers_what, err));
    NB_TRY(nb_layers_init(topology, 1, &work->layers, err));
done:
    return status;
}

/* Keeps the order that needs the fewest layers. count: out;
 * NB_MOST_VC_CLASSES + 1 if more are needed. */
static enum nb_status deal_all(struct deal_work *work, uint8_t *layer,
                               size_t *count, struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    size_t tried = 0;
    enum nb_status status = NB_OK;
    *count = NB_MOST_VC_CLASSES + 1;
    for (unsigned order = 0;
         order < DEAL_ORDERS && tried<DEAL_PAIRS && * count> 1; order++) {
        size_t needed;
        NB_TRY(deal_try(work, order, *count - 1, &needed, err));
        if (needed < *count)
            memcpy(layer, work->layer, n * n * sizeof *layer);
        *count = needed < *count ? needed : *count;
        tried += work->listed;
    }
done:
    return status;
}

/* Reports how many layers would be enough. */
static enum nb_status deal_refuse(const struct nb_routing *routing, size_t most,
                                  size_t count, struct nb_error *err)
{
    const char *name = routing->kind->kind.name;
    if (count > NB_MOST_VC_CLASSES)
        return nb_fail(err, NB_INVALID,
                       "routing %s: no division into %d layers was found for "
                       "this network (permitted: up to %d, as for nue, sr or "
                       "updown)",
                       name, NB_MOST_VC_CLASSES, NB_MOST_VC_CLASSES);
    return nb_fail(err, NB_INVALID,
                   "routing %s: layers=%zu is too few for this network "
                   "(permitted: %zu to %d)",
                   name, most, count, NB_MOST_VC_CLASSES);
}

enum nb_status nb_layers_build(struct nb_routing *out, uint32_t *next,
                               enum nb_layers_paths paths, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const size_t n = topology->router_count;
    const size_t most =
        (size_t)nb_specification_whole(&out->specification, "layers");
    const size_t wanted = most < NB_COMMON_LANES ? most : NB_COMMON_LANES;
    struct deal_work work = { .topology = topology, .next = next };
    struct nb_pool pool = { 0 };
    uint8_t *layer;
    size_t count;
    enum nb_status status;
    NB_TRY(deal_init(&work, &pool, err));
    layer = nb_pool_array(&pool, n * n, sizeof *layer);
    NB_TRY(nb_pool_check(&pool, layers_what, err));
    NB_TRY(deal_all(&work, layer, &count, err));
    const bool may_change = paths == NB_LAYERS_CHANGE_PATHS && count > wanted;
    NB_TRY(nb_layers_repack(topology, NB_LAYERS_KEEP_PATHS, next, layer,
                            paths == NB_LAYERS_KEEP_PATHS ? NB_COMMON_LANES
                                                          : NB_MOST_VC_CLASSES,
                            &count, err));
    if (may_change)
        NB_TRY(nb_layers_repack(topology, paths, next, layer, wanted, &count,
                                err));
    if (count > most)
        NB_TRY(deal_refuse(out, most, count, err));
    NB_TRY(nb_table_ways_build(out, next, layer, err));
done:
    nb_layers_release(&work.layers);
    nb_delete(work.user);
    nb_pool_release(&pool);
    return status;
}
