#include "routing/walker.h"

#include "core/memory.h"
#include "routing/two_phase.h"

#include <assert.h>

/* The state of the depth-first search. */
struct nb_walk_stack {
    uint32_t node;  /* [height] */
    uint32_t depth; /* [node] most hops onwards, among those visited */
    size_t cursor;  /* [node] the next hop to visit; WALKER_LEFT: none */
};

#define WALKER_LEFT SIZE_MAX

/* Initial room for nodes, unless there are fewer states. */
enum { WALKER_FIRST = 1 << 12 };

/* The maximum number of nodes for one destination. */
#define WALKER_NODES (UINT32_MAX / 2)

double nb_walker_bytes(const struct nb_routing *routing)
{
    const double routers = (double)routing->topology->router_count;
    const double nodes = (double)routing->state_count * routers;
    const double tables = !routing->needs_table    ? 0
                          : routing->phase != NULL ? routers
                                                   : 1;
    return nodes * (77 + 32 * (double)routing->most_hops) +
           tables * nb_route_table_bytes(routing->topology);
}

void nb_walker_release(struct nb_walker *walker)
{
    nb_delete(walker->node);
    nb_delete(walker->hop);
    nb_delete(walker->hop_classes);
    nb_delete(walker->order);
    nb_delete(walker->place);
    nb_delete(walker->memory);
    nb_delete(walker->stack);
    nb_delete(walker->starts);
    nb_delete(walker->turns);
    nb_route_tables_release(&walker->tables);
    *walker = (struct nb_walker){ 0 };
}

/* The first place to search for a node. With classes the places are scattered,
 * since otherwise nodes with a memory would collide with full rows of nodes
 * without. */
static size_t walker_hash(const struct nb_walker *walker, nb_route_state state,
                          uint32_t memory, uint32_t router)
{
    uint64_t key = state * walker->routing->topology->router_count + router;
    if (walker->classes != NULL || state >> 32 != 0) {
        key ^= memory * UINT64_C(0xbf58476d1ce4e5b9);
        key ^= key >> 32;
        key *= UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 32;
    }
    return key & (walker->place_count - 1);
}

size_t nb_walker_search(const struct nb_walker *walker, nb_route_state state,
                        uint32_t memory, uint32_t router)
{
    size_t at = walker_hash(walker, state, memory, router);
    for (; walker->place[at] != 0; at = (at + 1) & (walker->place_count - 1)) {
        const struct nb_walk_node *node = &walker->node[walker->place[at] - 1];
        if (node->router == router && node->state == state &&
            node->memory == memory)
            break;
    }
    return at;
}

/* Makes room for nodes and an end marker. */
static enum nb_status walker_make_nodes(struct nb_walker *walker, size_t room,
                                        struct nb_error *err)
{
    static const char what[] = "routes";
    enum nb_status status = NB_OK;
    NB_TRY(nb_grow(&walker->node, room, sizeof *walker->node, what, err));
    NB_TRY(nb_grow(&walker->order, room, sizeof *walker->order, what, err));
    NB_TRY(nb_grow(&walker->stack, room, sizeof *walker->stack, what, err));
    walker->node_room = room;
done:
    return status;
}

static enum nb_status walker_make_hops(struct nb_walker *walker, size_t room,
                                       struct nb_error *err)
{
    static const char what[] = "routes";
    enum nb_status status = NB_OK;
    NB_TRY(nb_grow(&walker->hop, room, sizeof *walker->hop, what, err));
    if (walker->classes != NULL) {
        NB_TRY(nb_grow(&walker->hop_classes, room, sizeof *walker->hop_classes,
                       what, err));
        NB_TRY(
            nb_grow(&walker->memory, room, sizeof *walker->memory, what, err));
    }
    walker->hop_room = room;
done:
    return status;
}

/* Makes a table with `count` places, a power of two, and inserts the existing
 * nodes. */
static enum nb_status walker_make_places(struct nb_walker *walker, size_t count,
                                         struct nb_error *err)
{
    uint32_t *place;
    const enum nb_status status =
        nb_new(&place, count, sizeof *place, "routes", err);
    if (status != NB_OK)
        return status;
    nb_delete(walker->place);
    walker->place = place;
    walker->place_count = count;
    walker->has_own_places = walker->classes == NULL &&
                             walker->routing->phase == NULL &&
                             walker->routing->state_count *
                                     walker->routing->topology->router_count <=
                                 count;
    for (uint32_t i = 0; i < walker->node_count; i++) {
        const struct nb_walk_node *node = &walker->node[i];
        place[nb_walker_place(walker, node->state, node->memory,
                              node->router)] = i + 1;
    }
    return NB_OK;
}

/* Makes room for one more node; half of the places stay empty. */
static enum nb_status walker_grow(struct nb_walker *walker,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (walker->node_count + 1 >= walker->node_room)
        NB_TRY(walker_make_nodes(walker, 2 * walker->node_room, err));
    if (2 * walker->node_count >= walker->place_count)
        NB_TRY(walker_make_places(walker, 2 * walker->place_count, err));
done:
    return status;
}

enum nb_status nb_walker_init(const struct nb_routing *routing,
                              const struct nb_vc_classes *classes,
                              struct nb_walker *out, struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    const size_t nodes = routing->state_count * n;
    const size_t first = nodes < WALKER_FIRST ? nodes : WALKER_FIRST;
    size_t places;
    enum nb_status status = NB_OK;
    *out = (struct nb_walker){ .routing = routing, .classes = classes };
    if (nodes > WALKER_NODES)
        return nb_fail(err, NB_INVALID,
                       "routing %s has %zu states (permitted: %u)",
                       routing->kind->kind.name, nodes, WALKER_NODES);
    NB_TRY(nb_new(&out->starts, routing->most_starts, sizeof *out->starts,
                  "routes", err));
    NB_TRY(nb_new(&out->turns, routing->most_starts, sizeof *out->turns,
                  "routes", err));
    NB_TRY(nb_route_tables_init(routing, routing->phase != NULL ? n : 1,
                                &out->tables, err));
    NB_TRY(walker_make_nodes(out, first + 2, err));
    NB_TRY(walker_make_hops(out, (first + 2) * routing->most_hops, err));
    for (places = 2; places < 2 * first;)
        places *= 2;
    NB_TRY(walker_make_places(out, places, err));
done:
    if (status != NB_OK)
        nb_walker_release(out);
    return status;
}

/* A scheme needs a channel that is missing. */
static enum nb_status walker_refuse_missing(const struct nb_walker *walker,
                                            uint32_t router,
                                            struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "routing %s needs a failed link out of router %u on the way "
                   "to %u (permitted on every network: routing min, "
                   "any-minimal in worst-case, and optimum)",
                   walker->routing->kind->kind.name, router,
                   walker->destination);
}

/* Finds the classes of the last `count` hops, and what a packet remembers after
 * them. */
static void walker_add_classes(struct nb_walker *walker,
                               const struct nb_walk_node *node,
                               nb_route_state state, size_t count)
{
    for (size_t h = walker->hop_count - count; h < walker->hop_count; h++) {
        walker->hop_classes[h] = 0;
        walker->memory[h] = 0;
        if (walker->hop[h].channel != NB_NONE)
            walker->hop_classes[h] = nb_vc_classes_find(
                walker->classes,
                &(struct nb_vc_hop){ state, node->memory, node->router,
                                     walker->destination,
                                     walker->hop[h].channel },
                &walker->memory[h]);
    }
}

/* Adds the hops of the last node for a packet in a state. Their node is, until
 * walker_follow, the router that they lead to. */
static enum nb_status walker_add_hops(struct nb_walker *walker,
                                      nb_route_state state,
                                      struct nb_error *err)
{
    const struct nb_routing *routing = walker->routing;
    const uint32_t *target = routing->topology->out_target;
    struct nb_walk_node *node = &walker->node[walker->node_count - 1];
    const struct nb_route_table *table;
    uint64_t total = node->total;
    bool is_exact = walker->hop_count == node->first || total > 0;
    enum nb_status status = NB_OK;
    if (walker->hop_count + routing->most_hops > walker->hop_room)
        NB_TRY(walker_make_hops(
            walker, 2 * (walker->hop_count + routing->most_hops), err));
    NB_TRY(nb_route_tables_find(&walker->tables, state, node->router,
                                walker->destination, &table, err));
    struct nb_hop *hop = &walker->hop[walker->hop_count];
    const size_t count = nb_route_step(routing, table, state, node->router,
                                       walker->destination, hop);
    for (size_t i = 0; i < count; i++) {
        const uint32_t channel = hop[i].channel;
        if (channel == NB_NONE && !walker->keeps_missing)
            NB_TRY(walker_refuse_missing(walker, node->router, err));
        hop[i].node = channel != NB_NONE ? target[channel] : NB_NONE;
        is_exact &= hop[i].weight != 0 &&
                    !__builtin_add_overflow(total, hop[i].weight, &total);
    }
    node->total = is_exact ? total : 0;
    walker->hop_count += count;
    node[1].first = walker->hop_count;
    if (walker->classes != NULL)
        walker_add_classes(walker, node, state, count);
done:
    return status;
}

/* Calls walker_add_hops for every other state in which packets may begin at the
 * last node's router. */
static enum nb_status walker_add_turns(struct nb_walker *walker,
                                       struct nb_error *err)
{
    const struct nb_routing *routing = walker->routing;
    const struct nb_walk_node node = walker->node[walker->node_count - 1];
    const size_t count = nb_route_starts(routing, node.router,
                                         walker->destination, walker->turns);
    enum nb_status status = NB_OK;
    for (size_t s = 0; s < count; s++)
        for (uint64_t q = 0;
             q < nb_start_ways(&walker->turns[s]) && status == NB_OK; q++) {
            const nb_route_state state =
                nb_route_begin(routing, &walker->turns[s], q, node.router,
                               walker->destination);
            if (state != node.state)
                status = walker_add_hops(walker, state, err);
        }
    return status;
}

/* Adds a node that is not in the table yet, with its hops. */
static enum nb_status walker_add_node(struct nb_walker *walker,
                                      nb_route_state state, uint32_t memory,
                                      uint32_t router, size_t height,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(walker_grow(walker, err));
    const uint32_t number = (uint32_t)walker->node_count++;
    const struct nb_walk_node *node = &walker->node[number];
    walker->node[number] = (struct nb_walk_node){
        .state = state,
        .first = walker->hop_count,
        .router = router,
        .memory = memory,
    };
    NB_TRY(walker_add_hops(walker, state, err));
    if (nb_two_phase_turns(walker->routing, state, router, walker->destination))
        NB_TRY(walker_add_turns(walker, err));
    walker->place[nb_walker_place(walker, state, memory, router)] = number + 1;
    walker->stack[number].cursor = node->first;
    walker->stack[number].depth = 0;
    walker->stack[height].node = number;
done:
    return status;
}

/* Updates the depth of a node from one that its hop leads to and that is
 * finished. */
static void walker_deepen(struct nb_walker *walker, uint32_t node,
                          uint32_t next)
{
    const uint32_t depth = walker->stack[next].depth + 1;
    if (depth > walker->stack[node].depth)
        walker->stack[node].depth = depth;
}

/* Finishes the node at the top: everything it leads to has been visited. */
static void walker_leave(struct nb_walker *walker, uint32_t node, size_t height,
                         size_t *ordered)
{
    const uint32_t depth = walker->stack[node].depth;
    walker->stack[node].cursor = WALKER_LEFT;
    walker->longest = depth > walker->longest ? depth : walker->longest;
    walker->order[(*ordered)++] = node;
    if (height > 0)
        walker_deepen(walker, walker->stack[height - 1].node, node);
}

/* Follows a hop of a node, to a new node above it or an existing one. */
static enum nb_status walker_follow(struct nb_walker *walker, uint32_t node,
                                    size_t h, size_t *height,
                                    struct nb_error *err)
{
    const nb_route_state state = walker->hop[h].next;
    const uint32_t router = walker->hop[h].node;
    const uint32_t memory = walker->classes != NULL ? walker->memory[h] : 0;
    enum nb_status status = NB_OK;
    if (router == NB_NONE)
        return NB_OK;
    uint32_t next = nb_walker_find(walker, state, memory, router);
    if (next == NB_NONE) {
        next = (uint32_t)walker->node_count;
        NB_TRY(
            walker_add_node(walker, state, memory, router, (*height)++, err));
    } else if (walker->stack[next].cursor == WALKER_LEFT) {
        walker_deepen(walker, node, next);
    } else {
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s loops through router "
                       "%u on the way to %u",
                       walker->routing->kind->kind.name, router,
                       walker->destination));
    }
    walker->hop[h].node = next;
done:
    return status;
}

/* Depth-first search from one new node; nodes are appended to order when they
 * are finished. */
static enum nb_status walker_visit(struct nb_walker *walker,
                                   const struct nb_walk_begin *begin,
                                   size_t *ordered, struct nb_error *err)
{
    size_t height = 1;
    enum nb_status status = walker_add_node(walker, begin->state, begin->memory,
                                            begin->router, 0, err);
    while (height > 0 && status == NB_OK) {
        const uint32_t node = walker->stack[height - 1].node;
        const size_t h = walker->stack[node].cursor;
        if (h == walker->node[node + 1].first) {
            walker_leave(walker, node, --height, ordered);
        } else {
            walker->stack[node].cursor = h + 1;
            status = walker_follow(walker, node, h, &height, err);
        }
    }
    return status;
}

static void walker_clear(struct nb_walker *walker, uint32_t destination)
{
    walker->destination = destination;
    walker->node_count = walker->hop_count = 0;
    walker->longest = 0;
    for (size_t i = 0; i < walker->place_count; i++)
        walker->place[i] = 0;
}

/* Adds a node in the only state for every router that packets reach, in reverse
 * order of a table's queue; a place that is not 0 marks such a router. Returns
 * with is_done false if a hop does not lead nearer. */
static enum nb_status walker_add_descent(struct nb_walker *walker,
                                         const struct nb_route_table *table,
                                         bool *is_done, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *is_done = true;
    for (size_t i = walker->routing->topology->router_count; i-- > 0;) {
        const uint32_t router = walker->tables.queue[i];
        if (walker->place[router] == 0)
            continue;
        const size_t first = walker->hop_count;
        NB_TRY(walker_add_node(walker, 0, 0, router, 0, err));
        for (size_t h = first; h < walker->hop_count; h++) {
            const uint32_t next = walker->hop[h].node;
            if (next == NB_NONE)
                continue;
            *is_done &= table->distance[next] < table->distance[router];
            walker->place[next] = 1;
        }
        if (!*is_done)
            return NB_OK;
    }
done:
    return status;
}

/* Replaces the routers that hops lead to by nodes, and appends nodes to order
 * from the last on. */
static void walker_end_descent(struct nb_walker *walker)
{
    size_t ordered = 0;
    for (uint32_t node = (uint32_t)walker->node_count; node-- > 0;) {
        uint32_t depth = 0;
        for (size_t h = walker->node[node].first;
             h < walker->node[node + 1].first; h++) {
            uint32_t *next = &walker->hop[h].node;
            if (*next == NB_NONE)
                continue;
            *next = walker->place[*next] - 1;
            const uint32_t on = walker->stack[*next].depth + 1;
            depth = on > depth ? on : depth;
        }
        walker->stack[node].depth = depth;
        walker->longest = depth > walker->longest ? depth : walker->longest;
        walker->order[ordered++] = node;
    }
}

/* If there is only one state and every hop leads nearer by the scheme's table,
 * the order of distances can be used without a search. */
static enum nb_status walker_descend(struct nb_walker *walker,
                                     const uint32_t *source,
                                     size_t source_count, bool *is_done,
                                     struct nb_error *err)
{
    const struct nb_routing *routing = walker->routing;
    const uint32_t destination = walker->destination;
    const size_t routers = routing->topology->router_count;
    const struct nb_route_table *table;
    size_t places = walker->place_count;
    enum nb_status status = NB_OK;
    *is_done = false;
    if (walker->classes != NULL || routing->phase != NULL ||
        walker->tables.count == 0 || routing->state_count > 1 ||
        routing->kind->start != NULL)
        return NB_OK;
    while (places < 2 * routers) /* so that marks are not lost when the table
                                  * grows */
        places *= 2;
    if (places > walker->place_count)
        NB_TRY(walker_make_places(walker, places, err));
    NB_TRY(nb_route_tables_find(&walker->tables, 0, destination, destination,
                                &table, err));
    for (size_t i = 0; i < source_count; i++)
        walker->place[source[i]] = 1;
    NB_TRY(walker_add_descent(walker, table, is_done, err));
    if (*is_done)
        walker_end_descent(walker);
    else
        walker_clear(walker, destination);
done:
    return status;
}

/* Visits everything reachable from where packets begin. */
static enum nb_status walker_begin(struct nb_walker *walker,
                                   const struct nb_walk_begin *begin,
                                   size_t *ordered, struct nb_error *err)
{
    return nb_walker_find(walker, begin->state, begin->memory, begin->router) ==
                   NB_NONE
               ? walker_visit(walker, begin, ordered, err)
               : NB_OK;
}

enum nb_status nb_walker_from(struct nb_walker *walker, uint32_t destination,
                              const struct nb_walk_begin *begin, size_t count,
                              struct nb_error *err)
{
    size_t ordered = 0;
    enum nb_status status = NB_OK;
    walker_clear(walker, destination);
    for (size_t i = 0; i < count && status == NB_OK; i++)
        status = walker_begin(walker, &begin[i], &ordered, err);
    return status;
}

enum nb_status nb_walker_go(struct nb_walker *walker, uint32_t destination,
                            const uint32_t *source, size_t source_count,
                            size_t first_class, size_t class_end,
                            struct nb_error *err)
{
    const struct nb_routing *routing = walker->routing;
    size_t ordered = 0;
    bool is_done;
    enum nb_status status = NB_OK;
    walker_clear(walker, destination);
    NB_TRY(walker_descend(walker, source, source_count, &is_done, err));
    for (size_t i = 0; i < source_count && !is_done; i++) {
        for (size_t class = first_class; class < class_end; class ++)
            NB_TRY(walker_begin(walker,
                                &(struct nb_walk_begin){ class, 0, source[i] },
                                &ordered, err));
        if (class_end > 0)
            continue;
        const size_t starts =
            nb_route_starts(routing, source[i], destination, walker->starts);
        for (size_t s = 0; s < starts; s++)
            for (uint64_t q = 0; q < nb_start_ways(&walker->starts[s]); q++)
                NB_TRY(walker_begin(
                    walker,
                    &(struct nb_walk_begin){
                        .state = nb_route_begin(routing, &walker->starts[s], q,
                                                source[i], destination),
                        .router = source[i] },
                    &ordered, err));
    }
    assert(is_done || ordered == walker->node_count);
done:
    return status;
}
