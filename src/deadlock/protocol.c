#include "deadlock/protocol.h"

#include "core/memory.h"
#include "routing/walker.h"

#include <stdlib.h>

/* Collects the ends of routes from the walks to one destination after
 * another. */
struct protocol_walk {
    struct nb_protocol *out;
    struct nb_walker walker;
    uint32_t *source; /* routers with terminals */
    size_t source_count;
    bool *is_last;   /* [vertex] of the current destination */
    uint64_t *seen;  /* [node] */
    uint32_t *stack; /* [node] */
    uint64_t look;   /* number of the current search; nodes visited by it have
                      * it in seen */
    size_t node_room;
    size_t last_room, first_room;
    struct nb_pool pool;
};

static enum nb_status protocol_keep(struct nb_protocol_end **ends,
                                    size_t *count, size_t *room,
                                    uint32_t router, size_t vertex,
                                    struct nb_error *err)
{
    const enum nb_status status =
        nb_reserve(ends, room, *count + 1, sizeof **ends, "dependencies", err);
    if (status == NB_OK)
        (*ends)[(*count)++] =
            (struct nb_protocol_end){ router, (uint32_t)vertex };
    return status;
}

static enum nb_status protocol_make_nodes(struct protocol_walk *work,
                                          struct nb_error *err)
{
    const size_t room = work->walker.node_room;
    enum nb_status status = NB_OK;
    if (room <= work->node_room)
        return NB_OK;
    NB_TRY(nb_grow(&work->seen, room, sizeof *work->seen, "dependencies", err));
    NB_TRY(
        nb_grow(&work->stack, room, sizeof *work->stack, "dependencies", err));
    for (size_t i = work->node_room; i < room; i++)
        work->seen[i] = 0;
    work->node_room = room;
done:
    return status;
}

static void protocol_push(struct protocol_walk *work, uint32_t node,
                          size_t *height)
{
    if (node == NB_NONE || work->seen[node] == work->look)
        return;
    work->seen[node] = work->look;
    work->stack[(*height)++] = node;
}

/* Whether a packet reaches its destination from a node over hops that have
 * nothing to fall back on. */
static bool protocol_ends(struct protocol_walk *work, uint32_t node)
{
    const struct nb_walker *walker = &work->walker;
    size_t height = 0;
    work->look++;
    protocol_push(work, node, &height);
    while (height > 0) {
        const uint32_t at = work->stack[--height];
        const size_t first = walker->node[at].first;
        const size_t end = walker->node[at + 1].first;
        if (first == end)
            return true;
        for (size_t h = first; h < end; h++)
            if (walker->hop[h].channel != NB_NONE &&
                nb_vc_classes_escape(&work->out->classes,
                                     walker->hop_classes[h]) == 0)
                protocol_push(work, walker->hop[h].node, &height);
    }
    return false;
}

/* Stores the vertices in which packets are held when they reach the
 * destination. */
static enum nb_status protocol_look_last(struct protocol_walk *work,
                                         struct nb_error *err)
{
    struct nb_protocol *out = work->out;
    const struct nb_walker *walker = &work->walker;
    const unsigned classes = out->classes.count;
    enum nb_status status = NB_OK;
    const size_t before = out->last_count;
    for (size_t h = 0; h < walker->hop_count; h++) {
        const struct nb_hop *hop = &walker->hop[h];
        uint64_t held = walker->hop_classes[h];
        if (held != 0 && out->classes.rule->escape != NULL)
            held = nb_vc_classes_escape(&out->classes, held);
        if (hop->channel == NB_NONE || held == 0 ||
            !protocol_ends(work, hop->node))
            continue;
        for (; held != 0; held &= held - 1) {
            const size_t vertex =
                (size_t)hop->channel * classes + (size_t)__builtin_ctzll(held);
            if (!work->is_last[vertex])
                NB_TRY(protocol_keep(&out->last, &out->last_count,
                                     &work->last_room, walker->destination,
                                     vertex, err));
            work->is_last[vertex] = true;
        }
    }
done:
    for (size_t i = before; i < out->last_count; i++)
        work->is_last[out->last[i].vertex] = false;
    return status;
}

/* Stores the classes that the hops of a node offer to wait for; the search goes
 * on behind hops that offer none. */
static enum nb_status protocol_look_hops(struct protocol_walk *work,
                                         uint32_t source, uint32_t node,
                                         size_t *height, struct nb_error *err)
{
    struct nb_protocol *out = work->out;
    const struct nb_walker *walker = &work->walker;
    enum nb_status status = NB_OK;
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        const struct nb_hop *hop = &walker->hop[h];
        if (hop->channel == NB_NONE)
            continue;
        uint64_t wanted =
            nb_vc_classes_escape(&out->classes, walker->hop_classes[h]);
        if (wanted == 0)
            protocol_push(work, hop->node, height);
        for (; wanted != 0; wanted &= wanted - 1)
            NB_TRY(protocol_keep(&out->first, &out->first_count,
                                 &work->first_room, source,
                                 (size_t)hop->channel * out->classes.count +
                                     (size_t)__builtin_ctzll(wanted),
                                 err));
    }
done:
    return status;
}

/* Stores the vertices that a source's packets may wait for before they
 * leave. */
static enum nb_status protocol_look_first(struct protocol_walk *work,
                                          uint32_t source, struct nb_error *err)
{
    struct nb_walker *walker = &work->walker;
    const struct nb_routing *routing = walker->routing;
    const size_t starts =
        nb_route_starts(routing, source, walker->destination, walker->starts);
    size_t height = 0;
    enum nb_status status = NB_OK;
    work->look++;
    for (size_t s = 0; s < starts; s++)
        for (uint64_t q = 0; q < nb_start_ways(&walker->starts[s]); q++) {
            protocol_push(
                work,
                nb_walker_find(walker,
                               nb_route_begin(routing, &walker->starts[s], q,
                                              source, walker->destination),
                               0, source),
                &height);
            while (height > 0)
                NB_TRY(protocol_look_hops(work, source, work->stack[--height],
                                          &height, err));
        }
done:
    return status;
}

static int protocol_compare_ends(const void *one, const void *other)
{
    const struct nb_protocol_end *a = one, *b = other;
    return a->router != b->router
               ? (a->router > b->router) - (a->router < b->router)
               : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* Sorts the ends and removes duplicates. */
static void protocol_sort(struct nb_protocol_end *ends, size_t *count)
{
    size_t kept = 0;
    if (*count == 0)
        return;
    qsort(ends, *count, sizeof *ends, protocol_compare_ends);
    for (size_t i = 1; i < *count; i++)
        if (protocol_compare_ends(&ends[kept], &ends[i]) != 0)
            ends[++kept] = ends[i];
    *count = kept + 1;
}

static enum nb_status protocol_init(struct nb_protocol *out,
                                    struct protocol_walk *work,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = out->classes.routing->topology;
    enum nb_status status = NB_OK;
    work->source = nb_pool_array(&work->pool, topology->router_count,
                                 sizeof *work->source);
    work->is_last =
        nb_pool_array(&work->pool, topology->channel_count * out->classes.count,
                      sizeof *work->is_last);
    NB_TRY(nb_pool_check(&work->pool, "dependencies", err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            work->source[work->source_count++] = r;
    NB_TRY(nb_walker_init(out->classes.routing, &out->classes, &work->walker,
                          err));
    work->walker.keeps_missing = true;
done:
    return status;
}

/* Finds the ends of all routes. */
static enum nb_status protocol_walk_ends(struct nb_protocol *out,
                                         struct nb_error *err)
{
    struct protocol_walk work = { .out = out };
    enum nb_status status = NB_OK;
    NB_TRY(protocol_init(out, &work, err));
    for (size_t d = 0; d < work.source_count; d++) {
        NB_TRY(nb_walker_go(&work.walker, work.source[d], work.source,
                            work.source_count, 0, 0, err));
        NB_TRY(protocol_make_nodes(&work, err));
        NB_TRY(protocol_look_last(&work, err));
        for (size_t s = 0; s < work.source_count; s++)
            NB_TRY(protocol_look_first(&work, work.source[s], err));
        protocol_sort(out->first, &out->first_count);
    }
    protocol_sort(out->last, &out->last_count);
done:
    nb_walker_release(&work.walker);
    nb_delete(work.seen);
    nb_delete(work.stack);
    nb_pool_release(&work.pool);
    return status;
}

/* An arc as one number, by which arcs are sorted. */
static uint64_t protocol_arc(uint64_t from, uint64_t to)
{
    return from << 32 | to;
}

static int protocol_compare_arcs(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

struct protocol_arcs {
    uint64_t *arc;
    size_t count, room;
};

static enum nb_status protocol_add(struct protocol_arcs *arcs, uint64_t arc,
                                   struct nb_error *err)
{
    const enum nb_status status =
        nb_reserve(&arcs->arc, &arcs->room, arcs->count + 1, sizeof *arcs->arc,
                   "dependencies", err);
    if (status == NB_OK)
        arcs->arc[arcs->count++] = arc;
    return status;
}

/* The vertex, in a network, of a vertex of the routes. */
static uint64_t protocol_vertex(const struct nb_protocol *protocol,
                                unsigned networks, unsigned network,
                                uint32_t vertex)
{
    const unsigned classes = protocol->classes.count;
    return ((uint64_t)(vertex / classes) * networks + network) * classes +
           vertex % classes;
}

/* Adds what packets wait for within a network. */
static enum nb_status protocol_add_routes(const struct nb_protocol *protocol,
                                          unsigned networks, unsigned network,
                                          struct protocol_arcs *arcs,
                                          struct nb_error *err)
{
    const struct nb_dependencies *routes = &protocol->routes;
    enum nb_status status = NB_OK;
    for (uint32_t v = 0; v < routes->vertex_count; v++)
        for (size_t a = routes->first[v]; a < routes->first[v + 1]; a++)
            NB_TRY(protocol_add(
                arcs,
                protocol_arc(protocol_vertex(protocol, networks, network, v),
                             protocol_vertex(protocol, networks, network,
                                             routes->to[a])),
                err));
done:
    return status;
}

/* Adds what packets at their destinations wait for in the network of the next
 * message. */
static enum nb_status protocol_add_turns(const struct nb_protocol *protocol,
                                         unsigned networks, unsigned network,
                                         unsigned next,
                                         struct protocol_arcs *arcs,
                                         struct nb_error *err)
{
    size_t begin = 0;
    enum nb_status status = NB_OK;
    for (size_t l = 0; l < protocol->last_count; l++) {
        const struct nb_protocol_end *last = &protocol->last[l];
        while (begin < protocol->first_count &&
               protocol->first[begin].router < last->router)
            begin++;
        for (size_t f = begin; f < protocol->first_count &&
                               protocol->first[f].router == last->router;
             f++)
            NB_TRY(protocol_add(
                arcs,
                protocol_arc(
                    protocol_vertex(protocol, networks, network, last->vertex),
                    protocol_vertex(protocol, networks, next,
                                    protocol->first[f].vertex)),
                err));
    }
done:
    return status;
}

/* Builds the graph of the arcs. */
static enum nb_status protocol_freeze(const struct nb_protocol *protocol,
                                      unsigned networks,
                                      struct protocol_arcs *arcs,
                                      struct nb_dependencies *out,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = protocol->routes;
    out->classes = &protocol->all;
    out->vertex_count = protocol->routes.vertex_count * networks;
    out->first = NULL;
    out->to = NULL;
    out->count = 0;
    if (arcs->count > 0)
        qsort(arcs->arc, arcs->count, sizeof *arcs->arc, protocol_compare_arcs);
    NB_TRY(nb_new(&out->first, out->vertex_count + 1, sizeof *out->first,
                  "dependencies", err));
    NB_TRY(nb_new(&out->to, arcs->count, sizeof *out->to, "dependencies", err));
    for (size_t a = 0; a < arcs->count; a++) {
        if (a > 0 && arcs->arc[a] == arcs->arc[a - 1])
            continue;
        out->to[out->count++] = (uint32_t)arcs->arc[a];
        out->first[(arcs->arc[a] >> 32) + 1] = out->count;
    }
    for (size_t v = 0; v < out->vertex_count; v++)
        if (out->first[v + 1] < out->first[v])
            out->first[v + 1] = out->first[v];
done:
    if (status != NB_OK)
        nb_dependencies_release(out);
    return status;
}

static enum nb_status protocol_build(const struct nb_protocol *protocol,
                                     unsigned networks,
                                     struct nb_dependencies *out,
                                     struct nb_error *err)
{
    struct protocol_arcs arcs = { 0 };
    enum nb_status status = NB_OK;
    if ((double)protocol->routes.vertex_count * networks >= UINT32_MAX)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%.0f virtual-channel classes of channels in %u virtual "
                       "networks (permitted: below %u)",
                       (double)protocol->routes.vertex_count * networks,
                       networks, UINT32_MAX));
    for (unsigned v = 0; v < networks && v < protocol->messages; v++)
        NB_TRY(protocol_add_routes(protocol, networks, v, &arcs, err));
    /* Later messages use the same networks again. */
    for (unsigned m = 0; m + 1 < protocol->messages && m < networks; m++)
        NB_TRY(protocol_add_turns(protocol, networks, m, (m + 1) % networks,
                                  &arcs, err));
    NB_TRY(protocol_freeze(protocol, networks, &arcs, out, err));
done:
    nb_delete(arcs.arc);
    return status;
}

/* Finds two packets that cause a dependency between two messages. */
static enum nb_status protocol_find_joint(const struct nb_protocol *protocol,
                                          uint32_t from, uint32_t to,
                                          struct nb_cause *out,
                                          struct nb_error *err)
{
    for (size_t l = 0; l < protocol->last_count; l++) {
        const struct nb_protocol_end *last = &protocol->last[l];
        const struct nb_protocol_end wanted = { last->router, to };
        if (last->vertex == from &&
            bsearch(&wanted, protocol->first, protocol->first_count,
                    sizeof wanted, protocol_compare_ends) != NULL)
            return nb_cause_join(&protocol->classes, from, to, last->router,
                                 out, err);
    }
    return NB_OK;
}

/* The vertex of the routes for a vertex of the graph; network: out. */
static uint32_t protocol_plain(const struct nb_protocol *protocol,
                               uint32_t vertex, unsigned *network)
{
    const unsigned classes = protocol->classes.count;
    *network = vertex / classes % protocol->networks;
    return vertex / protocol->all.count * classes + vertex % classes;
}

/* Finds causes for a cycle of the graph, whose vertices they name: first single
 * packets, then pairs of messages for the dependencies that remain. */
static enum nb_status protocol_find_causes(struct nb_protocol *out,
                                           struct nb_error *err)
{
    const struct nb_order *order = &out->proof.order;
    struct nb_order plain = { .length = order->length };
    struct nb_causes *causes = &out->proof.causes;
    bool is_whole;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_new(&plain.cycle, order->length, sizeof *plain.cycle, "cycle", err));
    for (size_t i = 0; i < order->length; i++) {
        unsigned network;
        plain.cycle[i] = protocol_plain(out, order->cycle[i], &network);
    }
    NB_TRY(nb_causes_find(&out->classes, &plain, causes, &is_whole, err));
    for (size_t i = 0; i < order->length; i++) {
        struct nb_cause *cause = &causes->cause[i];
        unsigned from, to;
        protocol_plain(out, order->cycle[i], &from);
        protocol_plain(out, order->cycle[(i + 1) % order->length], &to);
        if (from != to || cause->channel == NULL) {
            const uint32_t held = cause->from, wanted = cause->to;
            nb_delete(cause->channel);
            *cause = (struct nb_cause){ 0 };
            NB_TRY(protocol_find_joint(out, held, wanted, cause, err));
        }
        cause->from = order->cycle[i];
        cause->to = order->cycle[(i + 1) % order->length];
    }
done:
    nb_delete(plain.cycle);
    return status;
}

static void protocol_conclude(struct nb_protocol *out)
{
    const struct nb_dependencies *graph = &out->graph;
    const bool is_free = out->proof.order.is_free;
    out->verdict = is_free && !graph->lacks_escape ? NB_DEADLOCK_FREE
                   : graph->chooses_class || graph->chooses_hop || is_free
                       ? NB_DEADLOCK_UNKNOWN
                       : NB_DEADLOCK_POSSIBLE;
}

/* The smallest number of networks whose graph has no cycle. With one network
 * for each message only the routes themselves can have cycles. */
static enum nb_status protocol_find_needed(struct nb_protocol *out,
                                           struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->needed = 0;
    for (unsigned v = 1; v <= out->messages && out->needed == 0; v++) {
        struct nb_dependencies graph = { 0 };
        struct nb_order order = { 0 };
        status = protocol_build(out, v, &graph, err);
        if (status == NB_OK)
            status = nb_order_number(&graph, &order, err);
        if (status == NB_OK && order.is_free && !graph.lacks_escape)
            out->needed = v;
        nb_order_release(&order);
        nb_dependencies_release(&graph);
        NB_TRY(status);
    }
done:
    return status;
}

/* Everything except the proof. */
static enum nb_status protocol_open(const struct nb_routing *routing,
                                    unsigned messages, unsigned networks,
                                    const struct nb_run *run,
                                    struct nb_protocol *out,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->messages = messages;
    out->networks = networks;
    if (messages < 1 || messages > NB_MOST_MESSAGES)
        NB_TRY(nb_fail(err, NB_INVALID, "%u messages (permitted: 1 to %d)",
                       messages, NB_MOST_MESSAGES));
    NB_TRY(nb_vc_classes_build(routing, &out->classes, err));
    if (networks < 1 || networks > NB_MOST_VC_CLASSES / out->classes.count)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%u virtual networks of %u classes (permitted: 1 to %u "
                       "networks, %d classes in all)",
                       networks, out->classes.count,
                       NB_MOST_VC_CLASSES / out->classes.count,
                       NB_MOST_VC_CLASSES));
    out->all = out->classes;
    out->all.count *= networks;
    NB_TRY(nb_dependencies_find(&out->classes, true, run, &out->routes, err));
    out->used = (unsigned)__builtin_popcountll(out->routes.used);
    NB_TRY(protocol_walk_ends(out, err));
    NB_TRY(protocol_build(out, networks, &out->graph, err));
    NB_TRY(protocol_find_needed(out, err));
done:
    return status;
}

enum nb_status nb_protocol_find(const struct nb_routing *routing,
                                unsigned messages, unsigned networks,
                                const struct nb_run *run,
                                struct nb_protocol *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_protocol){ 0 };
    NB_TRY(protocol_open(routing, messages, networks, run, out, err));
    NB_TRY(nb_order_find(&out->graph, &out->proof.order, err));
    if (!out->proof.order.is_free)
        NB_TRY(protocol_find_causes(out, err));
    protocol_conclude(out);
done:
    if (status != NB_OK)
        nb_protocol_release(out);
    return status;
}

/* Converts a cause to one of the routes. Its networks must be those of
 * consecutive messages, or a single network. */
static enum nb_status protocol_check_cause(const struct nb_protocol *protocol,
                                           const struct nb_cause *given,
                                           bool *holds, struct nb_error *err)
{
    struct nb_cause plain = *given;
    unsigned from, to;
    plain.from = protocol_plain(protocol, given->from, &from);
    plain.to = protocol_plain(protocol, given->to, &to);
    *holds =
        nb_dependencies_have(&protocol->graph, given->from, given->to) &&
        (given->joint > 0 ? to == (from + 1) % protocol->networks : to == from);
    return *holds ? nb_cause_check(&protocol->classes, &plain, holds, err)
                  : NB_OK;
}

static enum nb_status protocol_check_circle(const struct nb_protocol *protocol,
                                            struct nb_error *err)
{
    const struct nb_causes *causes = &protocol->proof.causes;
    struct nb_order found = { 0 };
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < causes->count; i++) {
        bool holds;
        NB_TRY(protocol_check_cause(protocol, &causes->cause[i], &holds, err));
        if (!holds)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "no packet from %u to %u waits as row %zu of the "
                           "cycle says",
                           causes->cause[i].source,
                           causes->cause[i].destination, i + 1));
    }
    NB_TRY(nb_order_find(&protocol->graph, &found, err));
    if (found.is_free || found.length != protocol->proof.order.length)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "a cycle of %zu dependencies is not the shortest one",
                       protocol->proof.order.length));
done:
    nb_order_release(&found);
    return status;
}

static enum nb_status protocol_check_numbers(const struct nb_protocol *protocol,
                                             struct nb_error *err)
{
    bool holds;
    uint32_t vertex;
    const enum nb_status status = nb_order_check(
        &protocol->graph, protocol->proof.order.number, &holds, &vertex, err);
    if (status != NB_OK || holds)
        return status;
    return nb_fail(err, NB_REFUTED,
                   "the number of channel %u in class %u is not one more than "
                   "the greatest that leads to it",
                   vertex / protocol->all.count, vertex % protocol->all.count);
}

enum nb_status nb_protocol_check(const struct nb_routing *routing,
                                 unsigned messages, unsigned networks,
                                 const struct nb_run *run,
                                 struct nb_deadlock_proof *given,
                                 struct nb_protocol *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_protocol){ .proof = *given };
    *given = (struct nb_deadlock_proof){ 0 };
    NB_TRY(protocol_open(routing, messages, networks, run, out, err));
    NB_TRY(out->proof.order.is_free ? protocol_check_numbers(out, err)
                                    : protocol_check_circle(out, err));
    protocol_conclude(out);
done:
    if (status != NB_OK)
        nb_protocol_release(out);
    return status;
}

void nb_protocol_release(struct nb_protocol *protocol)
{
    nb_deadlock_proof_release(&protocol->proof);
    nb_dependencies_release(&protocol->graph);
    nb_dependencies_release(&protocol->routes);
    nb_delete(protocol->last);
    nb_delete(protocol->first);
    nb_vc_classes_release(&protocol->classes);
    *protocol = (struct nb_protocol){ 0 };
}
