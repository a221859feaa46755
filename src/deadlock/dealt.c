#include "deadlock/dealt.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "routing/acyclic.h"
#include "routing/vc_classes.h"
#include "routing/walker.h"

/* Limit on the hops and dependencies visited, where those of a pair count once
 * for each layer tried: a second or two. */
#define DEALT_MOST ((uint64_t)1 << 26)

struct dealt_work {
    struct nb_walker walker;
    struct nb_acyclic_turns turns;
    unsigned layer_count;
    struct nb_acyclic layer[NB_MOST_VC_CLASSES];
    /* The dependencies of a pair; and, by turn, the number, from 1, of the last
     * pair with this dependency. */
    struct nb_acyclic_arc *arc;
    size_t arc_count, arc_room;
    uint32_t *had;
    uint64_t looked; /* hops visited, in total */
    /* By node of a walk: the number of the pair that last reached it. */
    uint32_t *seen, *stack;
    size_t node_room;
    uint32_t pair;
    uint32_t *source;
    size_t source_count;
    struct nb_pool pool;
};

void nb_dealt_release(struct nb_dealt *dealt)
{
    nb_delete(dealt->layer);
    *dealt = (struct nb_dealt){ 0 };
}

/* Records the dependencies between a hop and those that follow it. */
static enum nb_status dealt_note(struct dealt_work *work, size_t hop,
                                 struct nb_error *err)
{
    const struct nb_walker *walker = &work->walker;
    const uint32_t from = walker->hop[hop].channel;
    const uint32_t node = walker->hop[hop].node;
    enum nb_status status = NB_OK;
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        const uint32_t to = walker->hop[h].channel;
        if (to == NB_NONE)
            continue;
        const size_t turn = nb_acyclic_turn(&work->turns, from, to);
        if (work->had[turn] == work->pair)
            continue;
        work->had[turn] = work->pair;
        NB_TRY(nb_reserve(&work->arc, &work->arc_room, work->arc_count + 1,
                          sizeof *work->arc, "layers", err));
        work->arc[work->arc_count++] = (struct nb_acyclic_arc){ from, to };
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
            NB_TRY(nb_acyclic_init(&work->turns, NULL,
                                   &work->layer[work->layer_count++], err));
        *is_placed =
            nb_acyclic_add_all(&work->layer[l], work->arc, work->arc_count);
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
    *out = (struct dealt_work){ 0 };
    struct nb_pool *pool = &out->pool;
    NB_TRY(nb_acyclic_turns_init(topology, &out->turns, err));
    out->had =
        nb_pool_array(pool, out->turns.first[channels], sizeof *out->had);
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
            *holds = *holds &&
                     (is_given || work.looked + work.turns.looked < DEALT_MOST);
        }
    }
    *count = *holds ? work.layer_count : 0;
done:
    nb_walker_release(&work.walker);
    for (unsigned l = 0; l < work.layer_count; l++)
        nb_acyclic_release(&work.layer[l]);
    nb_acyclic_turns_release(&work.turns);
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
