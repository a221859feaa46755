#include "routing/table_ways.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <assert.h>
#include <inttypes.h>

/* The next hop of a packet, and its state after it. */
struct nb_table_ways_entry {
    uint32_t channel;
    uint16_t next;
    uint8_t class;
};

/* An entry found so far for the current destination. */
struct nb_table_ways_made {
    struct nb_table_ways_entry entry;
    uint32_t router;
    uint32_t before; /* the previous one of the router; NB_NONE: none */
    uint16_t state;
};

enum { TABLE_MOST_STATES = UINT16_MAX - 1 };

/*
 * A state is the index of the rest of the packet's path among all different
 * rests of paths from a router to the destination. A packet that is not routed
 * is in the state after the last one. The arrays are owned by the routing's
 * ways.
 */
struct table_plan {
    unsigned class_count;
    unsigned ways;           /* most paths of a pair */
    uint64_t total;          /* weight of all paths of a pair */
    const uint16_t *ways_to; /* [destination] paths; NULL: 1 */
    const size_t *first;     /* [pair + 1] into entry */
    const uint16_t *start;   /* [pair * ways + way] */
    const struct nb_table_ways_entry *entry;
};

static const char table_what[] = "tables of a routing";

/* What is held at the same time: next hops, the tables, and room for twice the
 * number of entries, because of how the array grows. */
static enum nb_status table_require(const struct nb_topology *topology,
                                    double entries, struct nb_error *err)
{
    const double pairs =
        (double)topology->router_count * (double)topology->router_count;
    return nb_memory_require(
        pairs * (sizeof(uint32_t) + sizeof(size_t) + sizeof(uint16_t)) +
            2 * entries * sizeof(struct nb_table_ways_entry),
        table_what, err);
}

enum nb_status nb_table_ways_require(const struct nb_topology *topology,
                                     struct nb_error *err)
{
    size_t destinations = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        destinations += topology->terminals[r] > 0;
    return table_require(
        topology, (double)destinations * (double)topology->router_count, err);
}

/* Allocates for `ways` paths of each pair. */
static enum nb_status table_open(struct nb_table_ways_work *out,
                                 struct nb_error *err)
{
    const size_t n = out->topology->router_count, pairs = n * n;
    const size_t starts = pairs * out->ways;
    enum nb_status status;
    NB_TRY(nb_table_ways_require(out->topology, err));
    NB_TRY(nb_memory_require((double)starts * sizeof *out->start, table_what,
                             err));
    NB_TRY(nb_new(&out->first, pairs + 1, sizeof *out->first, table_what, err));
    NB_TRY(nb_new(&out->start, starts, sizeof *out->start, table_what, err));
    NB_TRY(nb_new(&out->count, n, sizeof *out->count, table_what, err));
    NB_TRY(nb_new(&out->last, n, sizeof *out->last, table_what, err));
    for (size_t k = 0; k < starts; k++)
        out->start[k] = UINT16_MAX;
    for (size_t r = 0; r < n; r++)
        out->last[r] = NB_NONE;
done:
    return status;
}

enum nb_status nb_table_ways_open(struct nb_table_ways_work *out,
                                  const struct nb_topology *topology,
                                  struct nb_error *err)
{
    *out = (struct nb_table_ways_work){
        .topology = topology, .class_count = 1, .ways = 1, .total = 1
    };
    return table_open(out, err);
}

#define TABLE_TOTAL ((int64_t)1 << 16) /* maximum weight of a pair's paths */

enum nb_status nb_table_ways_open_many(struct nb_table_ways_work *out,
                                       const struct nb_topology *topology,
                                       const uint16_t *ways_to,
                                       struct nb_error *err)
{
    const size_t n = topology->router_count;
    int64_t total = 1;
    enum nb_status status;
    *out = (struct nb_table_ways_work){ .topology = topology,
                                        .class_count = 1,
                                        .ways = 1 };
    NB_TRY(nb_new(&out->ways_to, n, sizeof *out->ways_to, table_what, err));
    for (size_t d = 0; d < n && total > 0; d++) {
        out->ways_to[d] = ways_to[d];
        out->ways = ways_to[d] > out->ways ? ways_to[d] : out->ways;
        total = nb_unite(total, ways_to[d], TABLE_TOTAL);
    }
    if (total == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "the least common multiple of the numbers of addresses "
                       "exceeds 2^16 (permitted: up to %" PRId64 ")",
                       TABLE_TOTAL));
    out->total = (uint64_t)total;
    NB_TRY(table_open(out, err));
done:
    return status;
}

void nb_table_ways_release(struct nb_table_ways_work *work)
{
    nb_delete(work->ways_to);
    nb_delete(work->first);
    nb_delete(work->start);
    nb_delete(work->entry);
    nb_delete(work->made);
    nb_delete(work->count);
    nb_delete(work->last);
    *work = (struct nb_table_ways_work){ 0 };
}

/* Sorts the current destination's entries by router, and moves on to the next
 * destination. */
static enum nb_status table_end_destination(struct nb_table_ways_work *work,
                                            struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    size_t *first = work->first + work->destination * n;
    const size_t count = work->entry_count + work->made_count;
    enum nb_status status = NB_OK;
    if (count > work->entry_room)
        NB_TRY(table_require(work->topology, (double)count, err));
    NB_TRY(nb_reserve(&work->entry, &work->entry_room, count,
                      sizeof *work->entry, table_what, err));
    for (size_t r = 0; r < n; r++) {
        first[r + 1] = first[r] + work->count[r];
        work->most_states = work->count[r] > work->most_states
                                ? work->count[r]
                                : work->most_states;
        work->count[r] = 0;
        work->last[r] = NB_NONE;
    }
    for (size_t i = 0; i < work->made_count; i++)
        work->entry[first[work->made[i].router] + work->made[i].state] =
            work->made[i].entry;
    work->entry_count = count;
    work->made_count = 0;
    work->destination++;
done:
    return status;
}

/* The state of a packet at a router that continues like this; added if new. */
static enum nb_status table_find_state(struct nb_table_ways_work *work,
                                       uint32_t router,
                                       struct nb_table_ways_entry entry,
                                       uint16_t *state, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t i = work->last[router]; i != NB_NONE;
         i = work->made[i].before) {
        const struct nb_table_ways_entry *other = &work->made[i].entry;
        if (other->channel != entry.channel || other->next != entry.next ||
            other->class != entry.class)
            continue;
        *state = work->made[i].state;
        return NB_OK;
    }
    if (work->count[router] == TABLE_MOST_STATES)
        return nb_fail(err, NB_OVERFLOW,
                       "paths to router %u leave router %u in more than %d "
                       "ways",
                       work->destination, router, TABLE_MOST_STATES);
    NB_TRY(nb_reserve(&work->made, &work->made_room, work->made_count + 1,
                      sizeof *work->made, table_what, err));
    *state = (uint16_t)work->count[router]++;
    work->made[work->made_count] =
        (struct nb_table_ways_made){ .entry = entry,
                                     .router = router,
                                     .before = work->last[router],
                                     .state = *state };
    work->last[router] = (uint32_t)work->made_count++;
done:
    return status;
}

enum nb_status nb_table_ways_add_way(struct nb_table_ways_work *work,
                                     uint32_t source, uint32_t destination,
                                     unsigned way, const uint32_t *channel,
                                     const uint8_t *class, size_t length,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    uint16_t state = 0;
    enum nb_status status = NB_OK;
    assert(destination >= work->destination && length < topology->router_count);
    NB_TRY(nb_run_check_stop(err));
    while (work->destination < destination)
        NB_TRY(table_end_destination(work, err));
    for (size_t h = length; h > 0; h--) {
        const uint32_t c = channel[h - 1];
        const struct nb_table_ways_entry entry = {
            .channel = c,
            .next = state,
            .class = class != NULL ? class[h - 1] : 0,
        };
        if (entry.class >= work->class_count)
            work->class_count = entry.class + 1u;
        NB_TRY(table_find_state(work, topology->channels[c].source, entry,
                                &state, err));
    }
    const size_t pair = destination * topology->router_count + source;
    work->start[pair * work->ways + way] = state;
done:
    return status;
}

enum nb_status nb_table_ways_add(struct nb_table_ways_work *work,
                                 uint32_t source, uint32_t destination,
                                 const uint32_t *channel, const uint8_t *class,
                                 size_t length, struct nb_error *err)
{
    return nb_table_ways_add_way(work, source, destination, 0, channel, class,
                                 length, err);
}

enum nb_status nb_table_ways_close(struct nb_table_ways_work *work,
                                   struct nb_routing *out, struct nb_error *err)
{
    struct table_plan *plan;
    enum nb_status status = NB_OK;
    while (work->destination < work->topology->router_count)
        NB_TRY(table_end_destination(work, err));
    NB_TRY(nb_grow(&work->entry, work->entry_count, sizeof *work->entry,
                   table_what, err));
    NB_TRY(nb_new(&plan, 1, sizeof *plan, table_what, err));
    *plan = (struct table_plan){ .class_count = work->class_count,
                                 .ways = work->ways,
                                 .total = work->total,
                                 .ways_to = work->ways_to,
                                 .first = work->first,
                                 .start = work->start,
                                 .entry = work->entry };
    /* Moved, since a copy would take the same memory again. */
    out->plan = plan;
    out->ways[0] = work->first;
    out->ways[1] = work->start;
    out->ways[2] = work->entry;
    out->ways[3] = work->ways_to;
    work->ways_to = NULL;
    work->first = NULL;
    work->start = NULL;
    work->entry = NULL;
    out->state_count = work->most_states + 1;
    out->most_hops = 1;
    out->most_starts = work->ways;
    out->start_total = work->total;
    if (out->vc_rule == NULL)
        out->vc_rule = "layer";
done:
    return status;
}

enum nb_status nb_table_ways_new(const struct nb_topology *topology,
                                 uint32_t **next, struct nb_error *err)
{
    const size_t n = topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_table_ways_require(topology, err));
    NB_TRY(nb_new(next, n * n, sizeof **next, table_what, err));
    for (size_t k = 0; k < n * n; k++)
        (*next)[k] = NB_NONE;
done:
    return status;
}

size_t nb_table_hops_follow(const struct nb_topology *topology,
                            const uint32_t *next, uint32_t source,
                            uint32_t destination, uint32_t *path)
{
    uint32_t at = source;
    size_t length = 0;
    while (at != destination) {
        if (next[at] == NB_NONE || length == topology->router_count)
            return 0;
        path[length++] = next[at];
        at = topology->channels[next[at]].target;
    }
    return length;
}

enum nb_status nb_table_ways_build(struct nb_routing *out, const uint32_t *next,
                                   const uint8_t *layer, struct nb_error *err)
{
    const struct nb_topology *topology = out->topology;
    const size_t n = topology->router_count;
    struct nb_table_ways_work work = { 0 };
    struct nb_pool pool = { 0 };
    uint32_t *path = nb_pool_array(&pool, n, sizeof *path);
    uint8_t *class = nb_pool_array(&pool, n, sizeof *class);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, table_what, err));
    NB_TRY(nb_table_ways_open(&work, topology, err));
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n && topology->terminals[d] > 0; s++) {
            if (topology->terminals[s] == 0 || s == d)
                continue;
            const size_t length =
                nb_table_hops_follow(topology, next + d * n, s, d, path);
            for (size_t h = 0; h < length && layer != NULL; h++)
                class[h] = layer[d * n + s];
            if (length > 0)
                NB_TRY(
                    nb_table_ways_add(&work, s, d, path, class, length, err));
        }
    NB_TRY(nb_table_ways_close(&work, out, err));
done:
    nb_table_ways_release(&work);
    nb_pool_release(&pool);
    return status;
}

size_t nb_table_ways_start(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination, struct nb_start *starts)
{
    const struct table_plan *plan = routing->plan;
    const size_t pair = destination * routing->topology->router_count + source;
    const unsigned ways =
        plan->ways_to != NULL ? plan->ways_to[destination] : 1;
    const uint16_t *start = plan->start + pair * plan->ways;
    size_t count = 0;
    for (unsigned way = 0; way < ways; way++) {
        const nb_route_state state =
            start[way] != UINT16_MAX
                ? start[way]
                : plan->first[pair + 1] - plan->first[pair];
        size_t i = 0;
        while (i < count && starts[i].state != state)
            i++;
        if (i == count)
            starts[count++] = (struct nb_start){ .state = state };
        starts[i].weight += plan->total / ways;
    }
    return count;
}

/* A packet's next hop; NULL: it is not routed. */
static const struct nb_table_ways_entry *
table_entry(const struct table_plan *plan, size_t pair, nb_route_state state)
{
    const size_t at = plan->first[pair] + state;
    return at < plan->first[pair + 1] ? &plan->entry[at] : NULL;
}

size_t nb_table_ways_step(const struct nb_routing *routing,
                          const struct nb_route_table *table,
                          nb_route_state state, uint32_t router,
                          uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    if (router == destination)
        return 0;
    const struct nb_table_ways_entry *entry = table_entry(
        routing->plan, destination * routing->topology->router_count + router,
        state);
    hops[0] =
        (struct nb_hop){ .channel = entry != NULL ? entry->channel : NB_NONE,
                         .next = entry != NULL ? entry->next : 0,
                         .weight = 1,
                         .share = 1 };
    return 1;
}

size_t nb_table_ways_follow(const struct nb_routing *routing,
                            nb_route_state state, uint32_t source,
                            uint32_t destination, uint32_t *channel,
                            uint8_t *class)
{
    const struct nb_topology *topology = routing->topology;
    size_t length = 0;
    for (uint32_t at = source; at != destination;) {
        const struct nb_table_ways_entry *entry = table_entry(
            routing->plan, destination * topology->router_count + at, state);
        if (entry == NULL)
            return 0;
        if (channel != NULL)
            channel[length] = entry->channel;
        if (class != NULL)
            class[length] = entry->class;
        length++;
        state = entry->next;
        at = topology->channels[entry->channel].target;
    }
    return length;
}

size_t nb_table_ways_path(const struct nb_routing *routing, uint32_t source,
                          uint32_t destination, uint32_t *channel,
                          uint8_t *class)
{
    struct nb_start start;
    assert(routing->most_starts == 1);
    nb_table_ways_start(routing, source, destination, &start);
    return nb_table_ways_follow(routing, start.state, source, destination,
                                channel, class);
}

bool nb_is_table_ways(const struct nb_routing *routing)
{
    return routing->kind->step == nb_table_ways_step;
}

unsigned nb_table_ways_layers(const struct nb_routing *routing)
{
    const struct table_plan *plan = routing->plan;
    return plan->class_count;
}

unsigned nb_table_ways_layer(const struct nb_routing *routing,
                             nb_route_state state, uint32_t router,
                             uint32_t destination)
{
    const struct nb_table_ways_entry *entry = table_entry(
        routing->plan, destination * routing->topology->router_count + router,
        state);
    return router != destination && entry != NULL ? entry->class : 0;
}

static void ways_count_path(const uint8_t *class, size_t length,
                            struct nb_table_ways_paths *out)
{
    out->pairs += length > 0;
    for (size_t h = 1; h < length; h++) {
        out->dependencies++;
        if (class[h] == class[h - 1])
            out->within[class[h]]++;
        else
            out->transitions++;
    }
}

enum nb_status nb_table_ways_count(const struct nb_routing *routing,
                                   struct nb_table_ways_paths *out,
                                   struct nb_error *err)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    struct nb_pool pool = { 0 };
    enum nb_status status;
    *out = (struct nb_table_ways_paths){
        .layers = nb_is_table_ways(routing) ? nb_table_ways_layers(routing) : 0,
    };
    if (out->layers < 2)
        return NB_OK;
    uint8_t *class = nb_pool_array(&pool, n, sizeof *class);
    struct nb_start *starts =
        nb_pool_array(&pool, routing->most_starts, sizeof *starts);
    NB_TRY(nb_pool_check(&pool, "paths", err));
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++) {
            const size_t count =
                s != d ? nb_route_starts(routing, s, d, starts) : 0;
            for (size_t i = 0; i < count; i++)
                ways_count_path(class,
                                nb_table_ways_follow(routing, starts[i].state,
                                                     s, d, NULL, class),
                                out);
        }
done:
    nb_pool_release(&pool);
    return status;
}

bool nb_layers_suit(const struct nb_routing *routing,
                    const struct nb_route_shape *shape)
{
    (void)shape;
    return nb_is_table_ways(routing);
}

enum nb_status nb_layers_set(struct nb_vc_classes *out,
                             const struct nb_route_shape *shape,
                             uint64_t *count, struct nb_error *err)
{
    (void)shape, (void)err;
    *count = nb_table_ways_layers(out->routing);
    return NB_OK;
}

uint64_t nb_layers_find(const struct nb_vc_classes *classes,
                        const struct nb_vc_hop *hop, uint32_t *next)
{
    *next = hop->memory;
    return UINT64_C(1) << nb_table_ways_layer(classes->routing, hop->state,
                                              hop->router, hop->destination);
}
