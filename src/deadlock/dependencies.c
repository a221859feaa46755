#include "deadlock/dependencies.h"

#include "core/memory.h"
#include "routing/intermediates.h"
#include "routing/strays.h"
#include "routing/table_ways.h"
#include "routing/two_phase.h"
#include "routing/walker.h"
#include "topology/fabric.h"
#include "topology/turns.h"

#include <inttypes.h>
#include <stdlib.h>

/* The vertices that one vertex waits for: a hash table. */
struct waits_far {
    uint32_t *to; /* [room] a vertex + 1; 0: none. Owned */
    uint32_t count, room;
};

/* One thread's data for walking. */
struct waits_scratch {
    struct nb_walker walker;
    struct nb_walk_begin *begin; /* [router_count] or more */
    size_t begin_room;
    /* With escapes: by node, the last hop from which it was visited; the nodes
     * to visit next; and arcs between channels that are not adjacent. */
    uint32_t *seen, *stack; /* [node_room] */
    bool *is_cut; /* [node_room] a route onwards from the node is missing */
    size_t node_room;
    struct waits_far *far; /* [vertex_count] */
    uint32_t longest[2];   /* maximum hops of a route, by phase */
};

/* A turn is a channel and one that leaves its target. Shared by all threads,
 * which only add bits. */
struct waits {
    const struct nb_vc_classes *classes;
    const struct nb_topology *topology;
    size_t class_count, vertex_count;
    size_t *turn;     /* [channel + 1] the channel's first turn */
    uint64_t *waits;  /* [turn * class_count + class] classes waited for */
    uint32_t *source; /* routers with terminals */
    size_t source_count;
    uint64_t used;
    bool chooses_class, chooses_hop, lacks_escape;
    uint64_t unrouted; /* pairs for which a route is missing */
    size_t thread_count;
    struct waits_scratch *scratch; /* [thread_count] */
    struct nb_pool pool;
};

static void waits_set(uint64_t *word, uint64_t bits)
{
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != bits)
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

static void waits_say(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELAXED);
}

/* Adds what packets wait for that are held in classes behind a channel. */
static void waits_add(struct waits *waits, uint32_t channel, uint64_t held,
                      uint32_t next, uint64_t wanted)
{
    const size_t turn =
        nb_turn_number(waits->topology, waits->turn, channel, next);
    uint64_t *at = waits->waits + turn * waits->class_count;
    for (; held != 0; held &= held - 1)
        waits_set(&at[__builtin_ctzll(held)], wanted);
}

/* The classes of a hop that are vertices for the packets held there. */
static uint64_t waits_held(const struct waits *waits, uint64_t set)
{
    return set != 0 && waits->classes->rule->escape != NULL
               ? nb_vc_classes_escape(waits->classes, set)
               : set;
}

/* Puts a vertex into a table that has an empty place; returns whether it is
 * new. */
static bool far_put(uint32_t *table, uint32_t room, uint32_t entry)
{
    const uint32_t hash = entry * UINT32_C(0x9e3779b1);
    uint32_t at = (uint32_t)((uint64_t)hash * room >> 32);
    while (table[at] != 0 && table[at] != entry)
        at = (at + 1) & (room - 1);
    const bool is_new = table[at] == 0;
    table[at] = entry;
    return is_new;
}

/* Doubles the size of a table. */
static enum nb_status far_grow(struct waits_far *far, struct nb_error *err)
{
    const uint32_t room = far->room == 0 ? 8 : 2 * far->room;
    uint32_t *table;
    const enum nb_status status =
        nb_new(&table, room, sizeof *table, "dependencies", err);
    if (status != NB_OK)
        return status;
    for (uint32_t i = 0; i < far->room; i++)
        if (far->to[i] != 0)
            far_put(table, room, far->to[i]);
    nb_delete(far->to);
    far->to = table;
    far->room = room;
    return NB_OK;
}

/* Adds a vertex; there are less than UINT32_MAX of them. Half of the places
 * stay empty. */
static enum nb_status far_add(struct waits_far *far, uint32_t to,
                              struct nb_error *err)
{
    if (2 * far->count >= far->room) {
        const enum nb_status status = far_grow(far, err);
        if (status != NB_OK)
            return status;
    }
    far->count += far_put(far->to, far->room, to + 1);
    return NB_OK;
}

/* Adds arcs between channels that are not adjacent. */
static enum nb_status waits_add_far(const struct waits *waits,
                                    struct waits_scratch *scratch,
                                    uint32_t channel, uint64_t held,
                                    uint32_t next, uint64_t wanted,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (; held != 0; held &= held - 1) {
        struct waits_far *far = &scratch->far[channel * waits->class_count +
                                              (size_t)__builtin_ctzll(held)];
        for (uint64_t rest = wanted; rest != 0; rest &= rest - 1)
            NB_TRY(far_add(far,
                           (uint32_t)(next * waits->class_count +
                                      (size_t)__builtin_ctzll(rest)),
                           err));
    }
done:
    return status;
}

/* Adds arcs for packets that hold a class behind a hop's channel and wait at a
 * node that they reached only by hops over other classes. */
static enum nb_status waits_add_node(struct waits *waits,
                                     struct waits_scratch *scratch,
                                     size_t held_by, uint64_t held,
                                     uint32_t node, size_t *height,
                                     struct nb_error *err)
{
    const struct nb_walker *walker = &scratch->walker;
    const uint32_t channel = walker->hop[held_by].channel;
    const bool is_next =
        walker->node[node].router == waits->topology->channels[channel].target;
    enum nb_status status = NB_OK;
    for (size_t h = walker->node[node].first;
         h < walker->node[node + 1].first && status == NB_OK; h++) {
        const struct nb_hop *hop = &walker->hop[h];
        if (hop->channel == NB_NONE)
            continue;
        const uint64_t wanted =
            nb_vc_classes_escape(waits->classes, walker->hop_classes[h]);
        if (wanted == 0) {
            if (scratch->seen[hop->node] != held_by + 1)
                scratch->stack[(*height)++] = hop->node;
            scratch->seen[hop->node] = (uint32_t)held_by + 1;
        } else if (is_next) {
            waits_add(waits, channel, held, hop->channel, wanted);
        } else {
            status = waits_add_far(waits, scratch, channel, held, hop->channel,
                                   wanted, err);
        }
    }
    return status;
}

/*
 * Adds arcs for packets held behind a hop's channel. The search ends at hops
 * that have an escape: the packet waits for that escape, and the escape for all
 * that comes later, since a packet reaches the same node whatever its class
 * was.
 */
static enum nb_status waits_add_escapes(struct waits *waits,
                                        struct waits_scratch *scratch,
                                        size_t held_by, uint64_t held,
                                        struct nb_error *err)
{
    size_t height = 0;
    enum nb_status status = NB_OK;
    scratch->stack[height++] = scratch->walker.hop[held_by].node;
    while (height > 0 && status == NB_OK)
        status = waits_add_node(waits, scratch, held_by, held,
                                scratch->stack[--height], &height, err);
    return status;
}

/* Without escapes, every hop has a class to fall back on: its highest one. */
static void waits_add_hop(struct waits *waits, const struct nb_walker *walker,
                          size_t held_by)
{
    const uint32_t node = walker->hop[held_by].node;
    if (node == NB_NONE)
        return;
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++)
        if (walker->hop[h].channel != NB_NONE)
            waits_add(
                waits, walker->hop[held_by].channel,
                walker->hop_classes[held_by], walker->hop[h].channel,
                nb_vc_classes_escape(waits->classes, walker->hop_classes[h]));
}

/* Records what the hops of a node permit. */
static void waits_look(struct waits *waits, const struct nb_walker *walker,
                       uint32_t node)
{
    const size_t first = walker->node[node].first;
    const size_t end = walker->node[node + 1].first;
    bool has_escape = first == end;
    for (size_t h = first; h < end; h++) {
        const uint64_t set = walker->hop_classes[h];
        has_escape = has_escape || set == 0 ||
                     nb_vc_classes_escape(waits->classes, set) != 0;
        waits_set(&waits->used, set);
        if ((set & (set - 1)) != 0)
            waits_say(&waits->chooses_class);
    }
    if (waits->classes->routing->kind->is_adaptive && end - first > 1)
        waits_say(&waits->chooses_hop);
    if (!has_escape)
        waits_say(&waits->lacks_escape);
}

/* Whether a route onwards from a node is missing; is_cut holds the answer for
 * the nodes that it leads to. */
static bool waits_is_cut(const struct nb_walker *walker, uint32_t node,
                         const bool *is_cut)
{
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++)
        if (walker->hop[h].node == NB_NONE || is_cut[walker->hop[h].node])
            return true;
    return false;
}

/* Whether a route of a pair is missing. */
static bool waits_is_unrouted(struct waits_scratch *scratch, uint32_t source)
{
    const struct nb_walker *walker = &scratch->walker;
    const uint32_t destination = walker->destination;
    const struct nb_routing *routing = walker->routing;
    const size_t starts =
        nb_route_starts(routing, source, destination, walker->starts);
    for (size_t s = 0; s < starts; s++)
        for (uint64_t q = 0; q < nb_start_ways(&walker->starts[s]); q++) {
            const nb_route_state state = nb_route_begin(
                routing, &walker->starts[s], q, source, destination);
            if (scratch->is_cut[nb_walker_find(walker, state, 0, source)])
                return true;
        }
    return false;
}

/* Counts the sources of the last walk for which a route is missing. */
static void waits_count_unrouted(struct waits *waits,
                                 struct waits_scratch *scratch)
{
    const struct nb_walker *walker = &scratch->walker;
    bool is_any = false;
    for (size_t i = 0; i < walker->node_count; i++) {
        const uint32_t node = walker->order[i];
        scratch->is_cut[node] = waits_is_cut(walker, node, scratch->is_cut);
        is_any = is_any || scratch->is_cut[node];
    }
    for (size_t i = 0; i < waits->source_count && is_any; i++)
        if (waits_is_unrouted(scratch, waits->source[i]))
            __atomic_fetch_add(&waits->unrouted, 1, __ATOMIC_RELAXED);
}

static enum nb_status waits_make_nodes(struct waits_scratch *scratch,
                                       struct nb_error *err)
{
    const size_t room = scratch->walker.node_room;
    enum nb_status status = NB_OK;
    if (room <= scratch->node_room)
        return NB_OK;
    NB_TRY(nb_grow(&scratch->seen, room, sizeof *scratch->seen, "dependencies",
                   err));
    NB_TRY(nb_grow(&scratch->stack, room, sizeof *scratch->stack,
                   "dependencies", err));
    NB_TRY(nb_grow(&scratch->is_cut, room, sizeof *scratch->is_cut,
                   "dependencies", err));
    scratch->node_room = room;
done:
    return status;
}

enum {
    WAITS_AHEAD = 8,     /* hops */
    WAITS_LINE = 16,     /* entries of a table fetched together */
    WAITS_FETCHED = 128, /* maximum number of entries */
};

/* Prefetches the table of a hop that comes soon: all tables together exceed the
 * caches, and each hop has its own. */
static void waits_fetch_far(const struct waits *waits,
                            const struct waits_scratch *scratch, size_t hop)
{
    const struct nb_walker *walker = &scratch->walker;
    const uint64_t held = waits_held(waits, walker->hop_classes[hop]);
    if (held == 0)
        return;
    const struct waits_far *far =
        &scratch->far[walker->hop[hop].channel * waits->class_count +
                      (size_t)__builtin_ctzll(held)];
    for (uint32_t i = 0; i < far->room && i < WAITS_FETCHED; i += WAITS_LINE)
        __builtin_prefetch(&far->to[i]);
}

/* Adds what the nodes and hops of a walk show. phase: 0, or 1 for a second
 * phase walked by itself. Errors: NB_NO_MEMORY. */
static enum nb_status waits_add_walk(struct waits *waits,
                                     struct waits_scratch *scratch, int phase,
                                     struct nb_error *err)
{
    const struct nb_walker *walker = &scratch->walker;
    const bool has_escapes = waits->classes->rule->escape != NULL;
    enum nb_status status = NB_OK;
    if (walker->longest > scratch->longest[phase])
        scratch->longest[phase] = walker->longest;
    for (uint32_t node = 0; node < walker->node_count; node++)
        waits_look(waits, walker, node);
    if (!has_escapes) {
        for (size_t h = 0; h < walker->hop_count; h++)
            waits_add_hop(waits, walker, h);
        return NB_OK;
    }
    NB_TRY(waits_make_nodes(scratch, err));
    for (size_t i = 0; i < walker->node_count; i++)
        scratch->seen[i] = 0;
    for (size_t h = 0; h < walker->hop_count; h++) {
        const uint64_t held = waits_held(waits, walker->hop_classes[h]);
        if (h + WAITS_AHEAD < walker->hop_count)
            waits_fetch_far(waits, scratch, h + WAITS_AHEAD);
        if (held != 0 && walker->hop[h].node != NB_NONE)
            NB_TRY(waits_add_escapes(waits, scratch, h, held, err));
    }
done:
    return status;
}

static enum nb_status waits_walk_destination(void *context, int thread,
                                             size_t index, struct nb_error *err)
{
    struct waits *waits = context;
    struct waits_scratch *scratch = &waits->scratch[thread];
    enum nb_status status = NB_OK;
    scratch->walker.keeps_missing = true;
    NB_TRY(nb_walker_go(&scratch->walker, waits->source[index], waits->source,
                        waits->source_count, 0, 0, err));
    NB_TRY(waits_make_nodes(scratch, err));
    waits_count_unrouted(waits, scratch);
    NB_TRY(waits_add_walk(waits, scratch, 0, err));
done:
    return status;
}

unsigned nb_waits_stray_class(const struct nb_vc_classes *classes,
                              const struct nb_strays *strays,
                              const struct nb_stray *stray, size_t hop)
{
    if (classes->rule->find == nb_layers_find)
        return strays->hop[stray->first + hop].class;
    return hop < classes->count ? (unsigned)hop : classes->count - 1;
}

/* Adds what packets wait for that do not arrive. */
static void waits_add_strays(struct waits *waits)
{
    const struct nb_strays *strays = waits->classes->routing->strays;
    for (size_t i = 0; strays != NULL && i < strays->count; i++) {
        const struct nb_stray *stray = &strays->stray[i];
        const struct nb_stray_hop *hop = &strays->hop[stray->first];
        uint64_t before = 0;
        for (size_t h = 0; h < stray->length; h++) {
            const uint64_t set =
                UINT64_C(1)
                << nb_waits_stray_class(waits->classes, strays, stray, h);
            waits->used |= set;
            if (h > 0)
                waits_add(waits, hop[h - 1].channel, before, hop[h].channel,
                          set);
            before = set;
        }
        if (stray->length > waits->scratch[0].longest[0])
            waits->scratch[0].longest[0] = (uint32_t)stray->length;
    }
}

static void waits_release(struct waits *waits)
{
    for (size_t t = 0; waits->scratch != NULL && t < waits->thread_count; t++) {
        struct waits_scratch *scratch = &waits->scratch[t];
        nb_walker_release(&scratch->walker);
        nb_delete(scratch->begin);
        nb_delete(scratch->seen);
        nb_delete(scratch->stack);
        nb_delete(scratch->is_cut);
        for (size_t v = 0; scratch->far != NULL && v < waits->vertex_count; v++)
            nb_delete(scratch->far[v].to);
        nb_delete(scratch->far);
    }
    nb_pool_release(&waits->pool);
}

static enum nb_status waits_init(const struct nb_vc_classes *classes,
                                 const struct nb_run *run, struct waits *out,
                                 struct nb_error *err)
{
    const struct nb_topology *topology = classes->routing->topology;
    const size_t n = topology->router_count;
    enum nb_status status = NB_OK;
    *out = (struct waits){
        .classes = classes,
        .topology = topology,
        .class_count = classes->count,
        .vertex_count = topology->channel_count * classes->count,
        .thread_count = (size_t)nb_run_threads(run, n),
    };
    out->turn = nb_pool_array(&out->pool, topology->channel_count + 1,
                              sizeof *out->turn);
    out->source = nb_pool_array(&out->pool, n, sizeof *out->source);
    out->scratch =
        nb_pool_array(&out->pool, out->thread_count, sizeof *out->scratch);
    NB_TRY(nb_pool_check(&out->pool, "dependencies", err));
    nb_turn_numbers(topology, out->turn);
    const size_t turns = out->turn[topology->channel_count];
    NB_TRY(nb_memory_require(8 * (double)turns * (double)out->class_count,
                             "dependencies", err));
    out->waits =
        nb_pool_array(&out->pool, turns * out->class_count, sizeof *out->waits);
    NB_TRY(nb_pool_check(&out->pool, "dependencies", err));
    for (uint32_t r = 0; r < n; r++)
        if (topology->terminals[r] > 0)
            out->source[out->source_count++] = r;
    for (size_t t = 0; t < out->thread_count; t++) {
        struct waits_scratch *scratch = &out->scratch[t];
        NB_TRY(
            nb_walker_init(classes->routing, classes, &scratch->walker, err));
        if (classes->rule->escape != NULL)
            NB_TRY(nb_new(&scratch->far, out->vertex_count,
                          sizeof *scratch->far, "dependencies", err));
    }
done:
    return status;
}

/* Merges all threads' arcs between non-adjacent channels into the first
 * thread's tables. */
static enum nb_status waits_unite_far(struct waits *waits, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t t = 1; t < waits->thread_count; t++) {
        const struct waits_far *far = waits->scratch[t].far;
        for (size_t v = 0; far != NULL && v < waits->vertex_count; v++)
            for (uint32_t i = 0; i < far[v].room; i++)
                if (far[v].to[i] != 0)
                    NB_TRY(far_add(&waits->scratch[0].far[v], far[v].to[i] - 1,
                                   err));
    }
done:
    return status;
}

static int waits_compare_vertices(const void *one, const void *other)
{
    const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* Lists the arcs of a vertex in ascending order; with out NULL they are only
 * counted. */
static size_t waits_list(const struct waits *waits, size_t vertex,
                         uint32_t *out)
{
    const struct nb_topology *topology = waits->topology;
    const uint32_t channel = (uint32_t)(vertex / waits->class_count);
    const size_t class = vertex % waits->class_count;
    const uint32_t next =
        topology->out_start[topology->channels[channel].target];
    const struct waits_far *far = waits->scratch[0].far;
    size_t count = 0;
    for (size_t t = waits->turn[channel]; t < waits->turn[channel + 1]; t++)
        for (uint64_t rest = waits->waits[t * waits->class_count + class];
             rest != 0; rest &= rest - 1, count++)
            if (out != NULL)
                out[count] = (uint32_t)((next + t - waits->turn[channel]) *
                                            waits->class_count +
                                        (size_t)__builtin_ctzll(rest));
    if (far == NULL || far[vertex].count == 0)
        return count;
    if (out == NULL)
        return count + far[vertex].count;
    for (uint32_t i = 0; i < far[vertex].room; i++)
        if (far[vertex].to[i] != 0)
            out[count++] = far[vertex].to[i] - 1;
    qsort(out, count, sizeof *out, waits_compare_vertices);
    return count;
}

/* The maximum number of hops of a route, over both phases. */
static uint32_t waits_longest(const struct waits *waits)
{
    uint32_t longest[2] = { 0 };
    for (size_t t = 0; t < waits->thread_count; t++)
        for (int phase = 0; phase < 2; phase++) {
            const uint32_t own = waits->scratch[t].longest[phase];
            longest[phase] = own > longest[phase] ? own : longest[phase];
        }
    return longest[0] + longest[1];
}

/* Builds the graph of everything that was added. */
static enum nb_status waits_freeze(const struct waits *waits,
                                   struct nb_dependencies *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->classes = waits->classes;
    out->used = waits->used;
    out->unrouted = waits->unrouted;
    out->longest = waits_longest(waits);
    out->is_circling = waits->classes->routing->circling > 0;
    out->chooses_class = waits->chooses_class;
    out->chooses_hop = waits->chooses_hop;
    out->lacks_escape = waits->lacks_escape;
    out->vertex_count = waits->vertex_count;
    NB_TRY(nb_new(&out->first, out->vertex_count + 1, sizeof *out->first,
                  "dependencies", err));
    for (size_t v = 0; v < out->vertex_count; v++)
        out->first[v + 1] = out->first[v] + waits_list(waits, v, NULL);
    out->count = out->first[out->vertex_count];
    NB_TRY(nb_new(&out->to, out->count, sizeof *out->to, "dependencies", err));
    for (size_t v = 0; v < out->vertex_count; v++)
        waits_list(waits, v, out->to + out->first[v]);
done:
    return status;
}

/*
 * Two-phase schemes, phase by phase: first the routes to every intermediate
 * router, then those from there to every destination. The classes that packets
 * hold when they reach an intermediate router are stored by what the packets
 * remember there. They wait for the first hops of the second phase.
 */

/* With fewer routers than this, routes through a quadrant are walked as wholes:
 * that is fast enough and adds no dependencies. */
enum { PHASES_ROUTERS = 100 };

/* The states in which packets reach an intermediate router: what they remember
 * (0 is always included), their directions, and, by channel into the router,
 * the classes in which they are then held. */
struct phases_end {
    size_t count;
    uint32_t *memory;    /* [count] */
    uint32_t *direction; /* [count] direction class, 0 where there are none */
    uint64_t *held;      /* [count * channels into the router] */
};

struct phases_work {
    struct waits *waits;
    size_t n;
    bool is_anywhere; /* or treated so: all pairs */
    uint32_t *turn;   /* [turn_count] intermediate routers */
    size_t turn_count;
    uint32_t directions;    /* direction classes that both phases keep */
    uint8_t *first;         /* [source * n + intermediate] taken */
    uint8_t *second;        /* [destination * n + intermediate] the same */
    struct phases_end *end; /* [router] */
    struct nb_pool pool;
};

/* Whether the two phases of a scheme can be walked separately. */
static bool phases_exist(const struct waits *waits)
{
    const struct nb_routing *routing = waits->classes->routing;
    return !nb_has_failures(waits->topology) && routing->phase != NULL &&
           !routing->phase->leaves_source && !routing->leaves_source &&
           !routing->is_progressive &&
           (routing->intermediate != NB_IN_QUADRANT ||
            waits->topology->router_count >= PHASES_ROUTERS) &&
           waits->classes->rule->escape == NULL;
}

static bool phases_takes(const struct phases_work *work, const uint8_t *marks,
                         uint32_t router, uint32_t intermediate)
{
    return work->is_anywhere || marks[router * work->n + intermediate] != 0;
}

static void phases_mark(uint8_t *mark)
{
    __atomic_store_n(mark, 1, __ATOMIC_RELAXED);
}

/* Marks the intermediate routers of all pairs of a source. Packets that go
 * straight begin the second phase at their source. */
static enum nb_status phases_mark_source(void *context, int thread,
                                         size_t index, struct nb_error *err)
{
    struct phases_work *work = context;
    const struct nb_routing *routing = work->waits->classes->routing;
    const uint32_t source = work->waits->source[index];
    struct nb_intermediates set;
    (void)thread, (void)err;
    for (size_t i = 0; i < work->waits->source_count; i++) {
        const uint32_t destination = work->waits->source[i];
        if (routing->direct > 0)
            phases_mark(&work->second[destination * work->n + source]);
        for (size_t s = 0; s < routing->sets; s++) {
            routing->find_intermediates(routing, s, source, destination, &set);
            for (uint64_t q = 0; q < set.count; q++) {
                const uint32_t router = nb_intermediates_router(&set, q);
                phases_mark(&work->first[source * work->n + router]);
                phases_mark(&work->second[destination * work->n + router]);
            }
        }
    }
    return NB_OK;
}

/* Finds the index of a direction class and memory in the list of an
 * intermediate router, adding it if new. */
static enum nb_status phases_find_memory(struct phases_end *end,
                                         uint32_t direction, uint32_t memory,
                                         size_t inputs, size_t *out,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (*out = 0; *out < end->count; ++*out)
        if (end->memory[*out] == memory && end->direction[*out] == direction)
            return NB_OK;
    NB_TRY(nb_grow(&end->direction, end->count + 1, sizeof *end->direction,
                   "dependencies", err));
    NB_TRY(nb_grow(&end->memory, end->count + 1, sizeof *end->memory,
                   "dependencies", err));
    NB_TRY(nb_grow(&end->held, (end->count + 1) * inputs, sizeof *end->held,
                   "dependencies", err));
    end->direction[end->count] = direction;
    end->memory[end->count++] = memory;
    for (size_t i = 0; i < inputs; i++)
        end->held[*out * inputs + i] = 0;
done:
    return status;
}

/* The index of a channel among those into its target. */
static size_t phases_input(const struct nb_topology *topology, uint32_t channel)
{
    const uint32_t target = topology->channels[channel].target;
    size_t i = topology->in_start[target];
    while (topology->in_channel[i] != channel)
        i++;
    return i - topology->in_start[target];
}

/* Stores the classes held by packets that have reached the intermediate
 * router. */
static enum nb_status phases_keep(struct phases_work *work,
                                  const struct nb_walker *walker,
                                  uint32_t direction, struct nb_error *err)
{
    const struct nb_topology *topology = work->waits->topology;
    const uint32_t router = walker->destination;
    const size_t inputs =
        topology->in_start[router + 1] - topology->in_start[router];
    const bool forgets = work->waits->classes->rule->forgets_phase;
    struct phases_end *end = &work->end[router];
    size_t at;
    enum nb_status status = NB_OK;
    NB_TRY(phases_find_memory(end, direction, 0, inputs, &at, err));
    for (size_t h = 0; h < walker->hop_count; h++) {
        if (walker->hop[h].node == NB_NONE)
            continue;
        const struct nb_walk_node *node = &walker->node[walker->hop[h].node];
        if (node->router != router)
            continue;
        NB_TRY(phases_find_memory(end, direction, forgets ? 0 : node->memory,
                                  inputs, &at, err));
        end->held[at * inputs +
                  phases_input(topology, walker->hop[h].channel)] |=
            walker->hop_classes[h];
    }
done:
    return status;
}

/* Walks the first phases to an intermediate router, for one direction class. */
static enum nb_status phases_walk_to(struct phases_work *work,
                                     struct waits_scratch *scratch,
                                     uint32_t router, uint32_t direction,
                                     struct nb_error *err)
{
    struct waits *waits = work->waits;
    size_t count = 0;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < waits->source_count; i++) {
        const uint32_t source = waits->source[i];
        if (source != router && phases_takes(work, work->first, source, router))
            scratch->begin[count++] = (struct nb_walk_begin){
                .state = nb_two_phase_through(waits->classes->routing,
                                              direction, source, router),
                .router = source,
            };
    }
    NB_TRY(
        nb_walker_from(&scratch->walker, router, scratch->begin, count, err));
    NB_TRY(waits_add_walk(waits, scratch, 0, err));
    NB_TRY(phases_keep(work, &scratch->walker, direction, err));
done:
    return status;
}

static enum nb_status phases_walk_first(void *context, int thread, size_t index,
                                        struct nb_error *err)
{
    struct phases_work *work = context;
    struct waits *waits = work->waits;
    struct waits_scratch *scratch = &waits->scratch[thread];
    enum nb_status status = NB_OK;
    scratch->walker.keeps_missing =
        true; /* directions that do not lead there */
    NB_TRY(nb_reserve(&scratch->begin, &scratch->begin_room,
                      waits->source_count, sizeof *scratch->begin,
                      "dependencies", err));
    for (uint32_t d = 0; d < work->directions; d++)
        NB_TRY(phases_walk_to(work, scratch, work->turn[index], d, err));
done:
    return status;
}

/* Lists the nodes at which second phases begin. */
static enum nb_status phases_begin(const struct phases_work *work,
                                   struct waits_scratch *scratch,
                                   uint32_t destination, size_t *count,
                                   struct nb_error *err)
{
    const struct waits *waits = work->waits;
    enum nb_status status = NB_OK;
    *count = 0;
    for (size_t i = 0; i < work->turn_count; i++) {
        const uint32_t router = work->turn[i];
        const struct phases_end *end = &work->end[router];
        if (router == destination ||
            !phases_takes(work, work->second, destination, router))
            continue;
        NB_TRY(nb_reserve(&scratch->begin, &scratch->begin_room,
                          *count + end->count, sizeof *scratch->begin,
                          "dependencies", err));
        for (size_t m = 0; m < end->count; m++)
            scratch->begin[(*count)++] = (struct nb_walk_begin){
                .state = nb_two_phase_through(
                    waits->classes->routing, end->direction[m], router, router),
                .memory = end->memory[m],
                .router = router,
            };
    }
done:
    return status;
}

/* Classes held where a second phase begins wait for its first hops. memory: its
 * index in the router's list. */
static void phases_join(const struct phases_work *work,
                        const struct nb_walker *walker,
                        const struct nb_walk_begin *begin, size_t memory)
{
    const struct nb_topology *topology = work->waits->topology;
    const uint32_t first = topology->in_start[begin->router];
    const size_t inputs = topology->in_start[begin->router + 1] - first;
    const uint64_t *held = work->end[begin->router].held + memory * inputs;
    const uint32_t node =
        nb_walker_find(walker, begin->state, begin->memory, begin->router);
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        const uint64_t wanted =
            nb_vc_classes_escape(work->waits->classes, walker->hop_classes[h]);
        for (size_t i = 0; i < inputs; i++)
            waits_add(work->waits, topology->in_channel[first + i], held[i],
                      walker->hop[h].channel, wanted);
    }
}

/* Walks the second phases to a destination. */
static enum nb_status phases_walk_second(void *context, int thread,
                                         size_t index, struct nb_error *err)
{
    struct phases_work *work = context;
    struct waits *waits = work->waits;
    struct waits_scratch *scratch = &waits->scratch[thread];
    size_t count, memory = 0;
    enum nb_status status = NB_OK;
    NB_TRY(phases_begin(work, scratch, waits->source[index], &count, err));
    NB_TRY(nb_walker_from(&scratch->walker, waits->source[index],
                          scratch->begin, count, err));
    NB_TRY(waits_add_walk(waits, scratch, 1, err));
    for (size_t b = 0; b < count; b++) {
        const bool is_same =
            b > 0 && scratch->begin[b].router == scratch->begin[b - 1].router;
        memory = is_same ? memory + 1 : 0;
        phases_join(work, &scratch->walker, &scratch->begin[b], memory);
    }
done:
    return status;
}

/* Lists the intermediate routers: those with terminals or, once each, the
 * switches of hosts. */
static void phases_list_turns(struct phases_work *work, bool at_switches)
{
    const struct waits *waits = work->waits;
    for (size_t i = 0; i < waits->source_count; i++) {
        const uint32_t router =
            at_switches ? nb_turn_router(waits->topology, waits->source[i])
                        : waits->source[i];
        bool is_new = true;
        for (size_t k = 0; at_switches && k < work->turn_count && is_new; k++)
            is_new = work->turn[k] != router;
        if (is_new)
            work->turn[work->turn_count++] = router;
    }
}

static enum nb_status phases_init(struct waits *waits, struct phases_work *out,
                                  struct nb_error *err)
{
    const struct nb_routing *routing = waits->classes->routing;
    const size_t n = waits->topology->router_count;
    *out = (struct phases_work){
        .waits = waits,
        .n = n,
        .is_anywhere = routing->intermediate != NB_IN_SET,
        .directions = routing->directions == routing->phase
                          ? (uint32_t)routing->class_count
                          : 1,
    };
    const size_t pairs = out->is_anywhere ? 0 : n * n;
    out->first = nb_pool_array(&out->pool, pairs, sizeof *out->first);
    out->second = nb_pool_array(&out->pool, pairs, sizeof *out->second);
    out->end = nb_pool_array(&out->pool, n, sizeof *out->end);
    out->turn = nb_pool_array(&out->pool, n, sizeof *out->turn);
    const enum nb_status status =
        nb_pool_check(&out->pool, "dependencies", err);
    if (status == NB_OK)
        phases_list_turns(out, nb_two_phase_turns_at_switches(routing));
    return status;
}

/* Walks the two phases separately. is_wider: out, as in struct
 * nb_dependencies. */
static enum nb_status phases_walk(struct waits *waits, const struct nb_run *run,
                                  bool *is_wider, struct nb_error *err)
{
    const size_t count = waits->source_count;
    struct phases_work work;
    enum nb_status status = NB_OK;
    NB_TRY(phases_init(waits, &work, err));
    *is_wider = waits->classes->routing->intermediate != NB_ANYWHERE;
    if (!work.is_anywhere)
        NB_TRY(nb_run_tasks(run, "intermediate routers", count,
                            phases_mark_source, &work, err));
    NB_TRY(nb_run_tasks(run, "first phases", work.turn_count, phases_walk_first,
                        &work, err));
    NB_TRY(nb_run_tasks(run, "second phases", count, phases_walk_second, &work,
                        err));
done:
    for (size_t r = 0; work.end != NULL && r < work.n; r++) {
        nb_delete(work.end[r].memory);
        nb_delete(work.end[r].direction);
        nb_delete(work.end[r].held);
    }
    nb_pool_release(&work.pool);
    return status;
}

enum nb_status nb_dependencies_find(const struct nb_vc_classes *classes,
                                    bool is_exact, const struct nb_run *run,
                                    struct nb_dependencies *out,
                                    struct nb_error *err)
{
    const double vertices = (double)classes->count *
                            (double)classes->routing->topology->channel_count;
    struct waits waits = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_dependencies){ 0 };
    if (vertices >= UINT32_MAX)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.0f virtual-channel classes of channels (permitted: "
                       "below %" PRIu32 ")",
                       vertices, UINT32_MAX));
    NB_TRY(waits_init(classes, run, &waits, err));
    if (!is_exact && phases_exist(&waits))
        NB_TRY(phases_walk(&waits, run, &out->is_wider, err));
    else
        NB_TRY(nb_run_tasks(run, "dependencies", waits.source_count,
                            waits_walk_destination, &waits, err));
    waits_add_strays(&waits);
    NB_TRY(waits_unite_far(&waits, err));
    NB_TRY(waits_freeze(&waits, out, err));
done:
    waits_release(&waits);
    if (status != NB_OK)
        nb_dependencies_release(out);
    return status;
}

void nb_dependencies_release(struct nb_dependencies *dependencies)
{
    nb_delete(dependencies->first);
    nb_delete(dependencies->to);
    *dependencies = (struct nb_dependencies){ 0 };
}

bool nb_dependencies_have(const struct nb_dependencies *dependencies,
                          uint32_t from, uint32_t to)
{
    return bsearch(&to, dependencies->to + dependencies->first[from],
                   dependencies->first[from + 1] - dependencies->first[from],
                   sizeof to, waits_compare_vertices) != NULL;
}
