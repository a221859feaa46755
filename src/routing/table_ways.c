#include "routing/table_ways.h"

#include "core/memory.h"

#include <assert.h>

/* The next hop of a packet, and its state behind it. */
struct nb_table_ways_entry {
    uint32_t channel;
    uint16_t next;
    uint8_t class;
};

/* One of the destination's, found so far. */
struct nb_table_ways_made {
    struct nb_table_ways_entry entry;
    uint32_t router;
    uint32_t before; /* another one of the router; NB_NONE: none */
    uint16_t state;
};

enum { TABLE_MOST_STATES = UINT16_MAX - 1 };

/*
 * A state is the place, among all different rests of paths from a router to
 * the destination, of what is left of the packet's path. A packet that is not
 * routed is in the state behind the last one. All is one block.
 */
struct table_plan {
    unsigned class_count;
    size_t *first;   /* [pair + 1] into entry */
    uint16_t *start; /* [pair] */
    struct nb_table_ways_entry *entry;
};

static const char table_what[] = "tables of a routing";

enum nb_status nb_table_ways_open(struct nb_table_ways_work *out,
                                  const struct nb_topology *topology,
                                  struct nb_error *err)
{
    const size_t n = topology->router_count, pairs = n * n;
    enum nb_status status;
    *out =
        (struct nb_table_ways_work){ .topology = topology, .class_count = 1 };
    NB_TRY(nb_memory_require((double)n * (double)n *
                                 (sizeof *out->first + sizeof *out->start),
                             table_what, err));
    NB_TRY(nb_new(&out->first, pairs + 1, sizeof *out->first, table_what, err));
    NB_TRY(nb_new(&out->start, pairs, sizeof *out->start, table_what, err));
    NB_TRY(nb_new(&out->count, n, sizeof *out->count, table_what, err));
    NB_TRY(nb_new(&out->last, n, sizeof *out->last, table_what, err));
    for (size_t k = 0; k < pairs; k++)
        out->start[k] = UINT16_MAX;
    for (size_t r = 0; r < n; r++)
        out->last[r] = NB_NONE;
done:
    return status;
}

void nb_table_ways_release(struct nb_table_ways_work *work)
{
    nb_delete(work->first);
    nb_delete(work->start);
    nb_delete(work->entry);
    nb_delete(work->made);
    nb_delete(work->count);
    nb_delete(work->last);
    *work = (struct nb_table_ways_work){ 0 };
}

/* Lists what was made for the destination by router, and goes on to the next
 * one. */
static enum nb_status table_end_destination(struct nb_table_ways_work *work,
                                            struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    size_t *first = work->first + work->destination * n;
    const enum nb_status status = nb_reserve(
        &work->entry, &work->entry_room, work->entry_count + work->made_count,
        sizeof *work->entry, table_what, err);
    if (status != NB_OK)
        return status;
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
    work->entry_count += work->made_count;
    work->made_count = 0;
    work->destination++;
    return NB_OK;
}

/* The state at a router of a packet that goes on like this. */
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
                       "paths to router %u go on from router %u in more than "
                       "%d ways",
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

enum nb_status nb_table_ways_add(struct nb_table_ways_work *work,
                                 uint32_t source, uint32_t destination,
                                 const uint32_t *channel, const uint8_t *class,
                                 size_t length, struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    uint16_t state = 0;
    enum nb_status status = NB_OK;
    assert(destination >= work->destination && length < topology->router_count);
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
    work->start[destination * topology->router_count + source] = state;
done:
    return status;
}

enum nb_status nb_table_ways_close(struct nb_table_ways_work *work,
                                   struct nb_routing *out, struct nb_error *err)
{
    const size_t n = work->topology->router_count, pairs = n * n;
    struct table_plan *plan;
    enum nb_status status = NB_OK;
    while (work->destination < n)
        NB_TRY(table_end_destination(work, err));
    NB_TRY(nb_new(&out->plan, 1,
                  sizeof *plan + (pairs + 1) * sizeof *plan->first +
                      work->entry_count * sizeof *plan->entry +
                      pairs * sizeof *plan->start,
                  table_what, err));
    plan = out->plan;
    plan->class_count = work->class_count;
    plan->first = (size_t *)(plan + 1);
    plan->entry = (struct nb_table_ways_entry *)(plan->first + pairs + 1);
    plan->start = (uint16_t *)(plan->entry + work->entry_count);
    for (size_t k = 0; k <= pairs; k++)
        plan->first[k] = work->first[k];
    for (size_t i = 0; i < work->entry_count; i++)
        plan->entry[i] = work->entry[i];
    for (size_t k = 0; k < pairs; k++)
        plan->start[k] = work->start[k];
    out->state_count = work->most_states + 1;
    out->most_hops = 1;
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
    NB_TRY(nb_memory_require((double)n * (double)n *
                                 (sizeof **next + sizeof(size_t) +
                                  sizeof(struct nb_table_ways_entry)),
                             table_what, err));
    NB_TRY(nb_new(next, n * n, sizeof **next, table_what, err));
    for (size_t k = 0; k < n * n; k++)
        (*next)[k] = NB_NONE;
done:
    return status;
}

/* Follows next hops; returns their number, 0 where they do not arrive. */
static size_t table_follow(const struct nb_topology *topology,
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
                table_follow(topology, next + d * n, s, d, path);
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
    const uint16_t state = plan->start[pair];
    starts[0].weight = 1;
    starts[0].state =
        state != UINT16_MAX ? state : plan->first[pair + 1] - plan->first[pair];
    return 1;
}

/* What a packet does next; NULL: it is not routed. */
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

size_t nb_table_ways_path(const struct nb_routing *routing, uint32_t source,
                          uint32_t destination, uint32_t *channel,
                          uint8_t *class)
{
    const struct nb_topology *topology = routing->topology;
    struct nb_start start;
    size_t length = 0;
    nb_table_ways_start(routing, source, destination, &start);
    nb_route_state state = start.state;
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
