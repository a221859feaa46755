/*
 * The channels of a layer are kept in an order that its dependencies ascend. If
 * a new dependency does not, the channels between its two ends are reordered
 * [PearceKelly2007], or the dependency closes a cycle. Removing dependencies
 * leaves the order valid.
 */
#include "deadlock/dealt.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "routing/vc_classes.h"
#include "routing/walker.h"

#include <stdlib.h>

/* Limit on the hops and dependencies visited, where those of a pair count once
 * for each layer tried: a second or two. */
#define DEALT_MOST ((uint64_t)1 << 26)

struct dealt_arc {
    uint32_t from, to;
    size_t turn; /* among all turns, each from a channel to one out of its
                  * target */
};

struct dealt_layer {
    bool *has;         /* [turn] */
    uint32_t *place;   /* [channel] its place in the order */
    uint32_t *channel; /* [place] */
};

struct dealt_work {
    const struct nb_topology *topology;
    struct nb_walker walker;
    size_t *turn; /* [channel + 1] the channel's first turn */
    unsigned layer_count;
    struct dealt_layer layer[NB_MOST_VC_CLASSES];
    /* The dependencies of a pair; those added to a layer last; and, by turn,
     * the number, from 1, of the last pair with this dependency. */
    struct dealt_arc *arc;
    size_t arc_count, arc_room, *taken, taken_count;
    uint32_t *had;
    uint64_t looked; /* hops and dependencies, in total */
    /* By node of a walk: the number of the pair that last reached it. */
    uint32_t *seen, *stack;
    size_t node_room;
    uint32_t pair;
    /* Channels that get new places: before index `ahead` those that the new
     * dependency leads to; from there up to `behind` those that lead to it. */
    uint32_t *moved;  /* [channel] */
    uint32_t *places; /* [channel] scratch */
    bool *is_moved;   /* [channel] */
    size_t ahead, behind;
    uint32_t *source;
    size_t source_count;
    struct nb_pool pool;
};

void nb_dealt_release(struct nb_dealt *dealt)
{
    nb_delete(dealt->layer);
    *dealt = (struct nb_dealt){ 0 };
}

/* Opens one more layer, without dependencies. */
static enum nb_status dealt_open(struct dealt_work *work, struct nb_error *err)
{
    const size_t channels = work->topology->channel_count;
    struct dealt_layer *layer = &work->layer[work->layer_count];
    layer->has = nb_pool_array(&work->pool, work->turn[channels], sizeof(bool));
    layer->place = nb_pool_array(&work->pool, channels, sizeof(uint32_t));
    layer->channel = nb_pool_array(&work->pool, channels, sizeof(uint32_t));
    const enum nb_status status = nb_pool_check(&work->pool, "layers", err);
    for (uint32_t c = 0; c < channels && status == NB_OK; c++)
        layer->place[c] = layer->channel[c] = c;
    work->layer_count++;
    return status;
}

/* Records the channels below a place that a channel leads to; false if one of
 * them is at that place. */
static bool dealt_go_ahead(struct dealt_work *work,
                           const struct dealt_layer *layer, uint32_t channel,
                           uint32_t below)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t first =
        topology->out_start[topology->channels[channel].target];
    for (size_t t = work->turn[channel]; t < work->turn[channel + 1]; t++) {
        const uint32_t next = first + (uint32_t)(t - work->turn[channel]);
        if (!layer->has[t] || layer->place[next] > below ||
            work->is_moved[next])
            continue;
        if (layer->place[next] == below)
            return false;
        work->is_moved[next] = true;
        work->moved[work->ahead++] = next;
    }
    return true;
}

/* Records the channels above a place that lead to a channel. */
static void dealt_go_back(struct dealt_work *work,
                          const struct dealt_layer *layer, uint32_t channel,
                          uint32_t above)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t router = topology->channels[channel].source;
    for (size_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t before = topology->in_channel[i];
        const size_t t =
            work->turn[before] + channel - topology->out_start[router];
        if (!layer->has[t] || layer->place[before] <= above ||
            work->is_moved[before])
            continue;
        work->is_moved[before] = true;
        work->moved[work->behind++] = before;
    }
}

static int dealt_compare(const void *one, const void *other)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Redistributes the places of the recorded channels: first those that lead to
 * the dependency, then those that it leads to, each in their old order. */
static void dealt_reorder(struct dealt_work *work, struct dealt_layer *layer)
{
    const size_t ahead = work->ahead, count = work->behind;
    uint32_t *places = work->places, *sorted = work->moved;
    for (size_t i = 0; i < count; i++)
        places[i] = layer->place[sorted[i]];
    qsort(places, ahead, sizeof *places, dealt_compare);
    qsort(places + ahead, count - ahead, sizeof *places, dealt_compare);
    for (size_t i = 0; i < count; i++)
        sorted[i] = layer->channel[places[i]];
    qsort(places, count, sizeof *places, dealt_compare);
    for (size_t i = 0; i < count; i++) {
        const uint32_t channel = sorted[(ahead + i) % count];
        layer->place[channel] = places[i];
        layer->channel[places[i]] = channel;
    }
}

/* Adds a dependency to a layer; false, and not added, if it closes a cycle. */
static bool dealt_insert(struct dealt_work *work, struct dealt_layer *layer,
                         const struct dealt_arc *arc)
{
    const uint32_t below = layer->place[arc->from];
    const uint32_t above = layer->place[arc->to];
    bool is_free = below != above;
    if (below > above) {
        work->moved[0] = arc->to;
        work->is_moved[arc->to] = true;
        work->ahead = 1;
        for (size_t i = 0; i < work->ahead && is_free; i++)
            is_free = dealt_go_ahead(work, layer, work->moved[i], below);
        work->behind = work->ahead;
        work->looked += work->ahead;
        if (is_free) {
            work->moved[work->behind++] = arc->from;
            work->is_moved[arc->from] = true;
        }
        for (size_t i = work->ahead; i < work->behind; i++)
            dealt_go_back(work, layer, work->moved[i], above);
        if (is_free)
            dealt_reorder(work, layer);
        for (size_t i = 0; i < work->behind; i++)
            work->is_moved[work->moved[i]] = false;
    }
    layer->has[arc->turn] = is_free;
    return is_free;
}

/* Adds the dependencies of a pair to a layer, all or none. */
static bool dealt_accept(struct dealt_work *work, struct dealt_layer *layer)
{
    bool is_free = true;
    work->taken_count = 0;
    for (size_t i = 0; i < work->arc_count && is_free; i++, work->looked++) {
        if (layer->has[work->arc[i].turn])
            continue;
        is_free = dealt_insert(work, layer, &work->arc[i]);
        if (is_free)
            work->taken[work->taken_count++] = work->arc[i].turn;
    }
    for (size_t i = 0; i < work->taken_count && !is_free; i++)
        layer->has[work->taken[i]] = false;
    return is_free;
}

/* Records the dependencies between a hop and those that follow it. */
static enum nb_status dealt_note(struct dealt_work *work, size_t hop,
                                 struct nb_error *err)
{
    const struct nb_walker *walker = &work->walker;
    const struct nb_topology *topology = work->topology;
    const uint32_t from = walker->hop[hop].channel;
    const uint32_t node = walker->hop[hop].node;
    enum nb_status status = NB_OK;
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        const uint32_t to = walker->hop[h].channel;
        if (to == NB_NONE)
            continue;
        const size_t turn =
            work->turn[from] + to -
            topology->out_start[topology->channels[from].target];
        if (work->had[turn] == work->pair)
            continue;
        work->had[turn] = work->pair;
        NB_TRY(nb_reserve(&work->arc, &work->arc_room, work->arc_count + 1,
                          sizeof *work->arc, "layers", err));
        work->arc[work->arc_count++] = (struct dealt_arc){ from, to, turn };
    }
done:
    return status;
}

static void dealt_come(struct dealt_work *work, uint32_t node, size_t *height)
{
    if (work->seen[node] == work->pair)
        return;
    work->seen[node] = work->pair;
    work->stack[(*height)++] = node;
}

/* Collects all dependencies of a pair. Its destination must have been
 * walked. */
static enum nb_status dealt_collect(struct dealt_work *work, uint32_t source,
                                    struct nb_error *err)
{
    struct nb_walker *walker = &work->walker;
    size_t height = 0;
    enum nb_status status = NB_OK;
    work->pair++;
    work->arc_count = 0;
    const size_t starts = nb_route_starts(walker->routing, source,
                                          walker->destination, walker->starts);
    for (size_t s = 0; s < starts; s++)
        dealt_come(work, nb_walker_start(walker, &walker->starts[s], source),
                   &height);
    while (height > 0) {
        const uint32_t node = work->stack[--height];
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++, work->looked++) {
            if (walker->hop[h].node == NB_NONE)
                continue;
            NB_TRY(dealt_note(work, h, err));
            dealt_come(work, walker->hop[h].node, &height);
        }
    }
done:
    return status;
}

/* Finds the first layer that accepts the pair's dependencies, opening a new one
 * if needed; or tries only the given layer. */
static enum nb_status dealt_place(struct dealt_work *work, bool is_given,
                                  uint8_t *layer, bool *is_placed,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t first = is_given ? *layer : 0;
    *is_placed = false;
    for (size_t l = first; l < NB_MOST_VC_CLASSES && !*is_placed; l++) {
        const bool is_new = l >= work->layer_count;
        while (l >= work->layer_count)
            NB_TRY(dealt_open(work, err));
        *is_placed = dealt_accept(work, &work->layer[l]);
        *layer = (uint8_t)l;
        if (is_given || is_new)
            break;
    }
done:
    return status;
}

static enum nb_status dealt_make_nodes(struct dealt_work *work,
                                       struct nb_error *err)
{
    const size_t room = work->walker.node_room;
    enum nb_status status = NB_OK;
    if (room <= work->node_room)
        return NB_OK;
    NB_TRY(nb_grow(&work->seen, room, sizeof *work->seen, "layers", err));
    NB_TRY(nb_grow(&work->stack, room, sizeof *work->stack, "layers", err));
    for (size_t i = work->node_room; i < room; i++)
        work->seen[i] = 0;
    work->node_room = room;
done:
    return status;
}

static enum nb_status dealt_init(const struct nb_routing *routing,
                                 struct dealt_work *out, struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    const size_t channels = topology->channel_count;
    enum nb_status status = NB_OK;
    *out = (struct dealt_work){ .topology = topology };
    struct nb_pool *pool = &out->pool;
    out->turn = nb_pool_array(pool, channels + 1, sizeof *out->turn);
    NB_TRY(nb_pool_check(pool, "layers", err));
    for (size_t c = 0; c < channels; c++) {
        const uint32_t target = topology->channels[c].target;
        out->turn[c + 1] = out->turn[c] + topology->out_start[target + 1] -
                           topology->out_start[target];
    }
    out->had = nb_pool_array(pool, out->turn[channels], sizeof *out->had);
    out->taken = nb_pool_array(pool, out->turn[channels], sizeof *out->taken);
    out->moved = nb_pool_array(pool, channels, sizeof *out->moved);
    out->places = nb_pool_array(pool, channels, sizeof *out->places);
    out->is_moved = nb_pool_array(pool, channels, sizeof *out->is_moved);
    out->source = nb_pool_array(pool, n, sizeof *out->source);
    NB_TRY(nb_pool_check(pool, "layers", err));
    for (uint32_t r = 0; r < n; r++)
        if (topology->terminals[r] > 0)
            out->source[out->source_count++] = r;
    NB_TRY(nb_walker_init(routing, NULL, &out->walker, err));
    out->walker.keeps_missing = true;
done:
    return status;
}

/* Assigns all pairs to layers, or checks a given assignment. */
static enum nb_status dealt_run(const struct nb_routing *routing, bool is_given,
                                uint8_t *layer, unsigned *count, bool *holds,
                                struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    struct dealt_work work = { 0 };
    enum nb_status status = NB_OK;
    *holds = true;
    NB_TRY(dealt_init(routing, &work, err));
    for (size_t d = 0; d < work.source_count && *holds; d++) {
        NB_TRY(nb_walker_go(&work.walker, work.source[d], work.source,
                            work.source_count, 0, 0, err));
        NB_TRY(dealt_make_nodes(&work, err));
        for (size_t s = 0; s < work.source_count && *holds; s++) {
            uint8_t *at = &layer[work.source[d] * n + work.source[s]];
            NB_TRY(nb_run_check_stop(err));
            NB_TRY(dealt_collect(&work, work.source[s], err));
            NB_TRY(dealt_place(&work, is_given, at, holds, err));
            *holds = *holds && (is_given || work.looked < DEALT_MOST);
        }
    }
    *count = *holds ? work.layer_count : 0;
done:
    nb_walker_release(&work.walker);
    nb_delete(work.arc);
    nb_delete(work.seen);
    nb_delete(work.stack);
    nb_pool_release(&work.pool);
    return status;
}

enum nb_status nb_dealt_find(const struct nb_routing *routing,
                             struct nb_dealt *out, struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    bool holds;
    enum nb_status status;
    *out = (struct nb_dealt){ 0 };
    NB_TRY(nb_new(&out->layer, n * n, sizeof *out->layer, "layers", err));
    NB_TRY(dealt_run(routing, false, out->layer, &out->count, &holds, err));
done:
    if (status != NB_OK)
        nb_dealt_release(out);
    return status;
}

enum nb_status nb_dealt_check(const struct nb_routing *routing,
                              const struct nb_dealt *given, bool *holds,
                              struct nb_error *err)
{
    unsigned count;
    const enum nb_status status =
        dealt_run(routing, true, given->layer, &count, holds, err);
    *holds = *holds && count == given->count;
    return status;
}
