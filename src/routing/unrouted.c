#include "routing/unrouted.h"

#include "core/memory.h"
#include "routing/walker.h"

#include <inttypes.h>
#include <string.h>

/* After the first pair that is not routed, others are counted until the walker
 * has visited this many nodes. */
enum { UNROUTED_NODES = 1 << 22 };

/* A hop that is missing. */
struct unrouted_hop {
    bool is_known;
    nb_route_state state; /* of the scheme being walked */
    uint32_t router, destination;
    size_t hop; /* index among those of the step */
};

/* The pairs found so far, and a missing hop of the first one. */
struct unrouted {
    const struct nb_routing *given;
    const struct nb_routing *routing; /* the scheme walked: the same, or its
                                       * phase */
    struct nb_walker walker;
    struct nb_pool pool;
    uint32_t *source; /* [source_count] those that send to the destination */
    uint64_t *rate;   /* [router] their rates */
    size_t source_count;
    bool *is_dead; /* [node] a failed link is needed there or further on */
    size_t node_room;
    uint64_t asked, found;
    uint64_t nodes;    /* visited by walks */
    bool is_partial;   /* not all pairs were checked */
    uint32_t first[2]; /* the first pair: source and destination */
    struct unrouted_hop missing;
    /* If the intermediate router may be anywhere, a missing hop by [router]: of
     * phases that begin there and of phases that end there; else NULL. */
    struct unrouted_hop *from, *to;
};

/* Sources of a destination: by traffic, or all routers with terminals. */
static enum nb_status unrouted_find_sources(struct unrouted *work,
                                            const struct nb_traffic *traffic,
                                            uint32_t destination,
                                            struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const bool keeps_self = work->given->leaves_source;
    enum nb_status status = NB_OK;
    work->source_count = 0;
    if (topology->terminals[destination] == 0)
        return NB_OK;
    if (traffic != NULL)
        NB_TRY(
            nb_traffic_column(traffic, topology, destination, work->rate, err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0 && (r != destination || keeps_self) &&
            (traffic == NULL || work->rate[r] > 0))
            work->source[work->source_count++] = r;
done:
    return status;
}

/* A missing hop on some path from a dead node. */
static struct unrouted_hop unrouted_find_hop(const struct unrouted *work,
                                             uint32_t node)
{
    const struct nb_walker *walker = &work->walker;
    size_t h = walker->node[node].first;
    while (walker->hop[h].channel != NB_NONE) {
        const uint32_t next = walker->hop[h].node;
        h = work->is_dead[next] ? walker->node[next].first : h + 1;
        node = work->is_dead[next] ? next : node;
    }
    return (struct unrouted_hop){
        .is_known = true,
        .state = walker->node[node].state,
        .router = walker->node[node].router,
        .destination = walker->destination,
        .hop = h - walker->node[node].first,
    };
}

/* Counts a pair that is not routed; the first one is kept. */
static void unrouted_count(struct unrouted *work, uint32_t source,
                           uint32_t destination, struct unrouted_hop missing)
{
    if (work->found++ > 0)
        return;
    work->first[0] = source;
    work->first[1] = destination;
    work->missing = missing;
}

/* Checks whether any start of a pair leads to a failed link. */
static void unrouted_add_pair(struct unrouted *work, uint32_t source,
                              uint32_t destination)
{
    struct nb_walker *walker = &work->walker;
    const struct nb_routing *routing = work->routing;
    const size_t starts =
        nb_route_starts(routing, source, destination, walker->starts);
    work->asked++;
    for (size_t s = 0; s < starts; s++)
        for (uint64_t q = 0; q < nb_start_ways(&walker->starts[s]); q++) {
            const nb_route_state state = nb_route_begin(
                routing, &walker->starts[s], q, source, destination);
            const uint32_t node = nb_walker_find(walker, state, 0, source);
            if (!work->is_dead[node])
                continue;
            const struct unrouted_hop hop = unrouted_find_hop(work, node);
            if (work->from == NULL)
                unrouted_count(work, source, destination, hop);
            else
                work->from[source] = work->to[destination] = hop;
            return;
        }
}

static enum nb_status unrouted_walk(struct unrouted *work, uint32_t destination,
                                    struct nb_error *err)
{
    struct nb_walker *walker = &work->walker;
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_go(walker, destination, work->source, work->source_count,
                        0, 0, err));
    work->nodes += walker->node_count;
    if (work->node_room < walker->node_room)
        NB_TRY(nb_grow(&work->is_dead, walker->node_room, sizeof *work->is_dead,
                       "routes", err));
    work->node_room = walker->node_room;
    for (size_t k = 0; k < walker->node_count; k++) {
        const uint32_t at = walker->order[k];
        const struct nb_walk_node *node = &walker->node[at];
        work->is_dead[at] = false;
        for (size_t h = node[0].first; h < node[1].first; h++)
            work->is_dead[at] = work->is_dead[at] ||
                                walker->hop[h].channel == NB_NONE ||
                                work->is_dead[walker->hop[h].node];
    }
    for (size_t i = 0; i < work->source_count; i++)
        unrouted_add_pair(work, work->source[i], destination);
done:
    return status;
}

/* Builds the whole network: the specification without its failures. */
static enum nb_status unrouted_build_whole(const struct nb_topology *topology,
                                           struct nb_topology *out,
                                           struct nb_error *err)
{
    struct nb_specification whole = topology->specification;
    struct nb_text text = { 0 };
    size_t kept = 0;
    for (size_t i = 0; i < whole.count; i++)
        if (strncmp(whole.setting[i].parameter->name, "fail", 4) != 0)
            whole.setting[kept++] = whole.setting[i];
    whole.count = kept;
    nb_specification_print(&whole, &text);
    enum nb_status status = nb_text_check(&text, err);
    if (status == NB_OK)
        status = nb_topology_build(text.bytes, out, err);
    nb_text_release(&text);
    return status;
}

/* Finds where the missing hop leads: the scheme has it on the whole network. */
static enum nb_status unrouted_find_target(const struct unrouted *work,
                                           uint32_t *target,
                                           struct nb_error *err)
{
    struct nb_topology whole = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_text name = { 0 };
    struct nb_hop *hops = NULL;
    enum nb_status status;
    nb_specification_print(&work->routing->specification, &name);
    NB_TRY(nb_text_check(&name, err));
    NB_TRY(unrouted_build_whole(work->routing->topology, &whole, err));
    NB_TRY(nb_routing_build(name.bytes, &whole, &routing, err));
    NB_TRY(nb_new(&hops, routing.most_hops, sizeof *hops, "routes", err));
    nb_route_step(&routing, NULL, work->missing.state, work->missing.router,
                  work->missing.destination, hops);
    *target = whole.channels[hops[work->missing.hop].channel].target;
done:
    nb_delete(hops);
    nb_text_release(&name);
    nb_routing_release(&routing);
    nb_topology_release(&whole);
    return status;
}

static enum nb_status unrouted_refuse(const struct unrouted *work,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const bool has_gaps = work->routing->has_gaps;
    struct nb_text text = { 0 };
    uint32_t target = NB_NONE;
    enum nb_status status = NB_OK;
    if (!has_gaps)
        NB_TRY(unrouted_find_target(work, &target, err));
    nb_text_print(
        &text,
        "routing %s, %s, cannot route %s%" PRIu64 " of %" PRIu64
        " pairs of routers; the first, from ",
        work->given->kind->kind.name,
        has_gaps ? "whose tables end or loop" : "which does not avoid failures",
        work->is_partial ? "at least " : "", work->found, work->asked);
    nb_router_print(topology, work->first[0], &text);
    nb_text_print(&text, " to ");
    nb_router_print(topology, work->first[1], &text);
    if (!has_gaps) {
        nb_text_print(&text, ", may need the failed link ");
        nb_router_print(topology, work->missing.router, &text);
        nb_text_print(&text, "-");
        nb_router_print(topology, target, &text);
    }
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_fail(err, NB_INVALID,
                   "%s (permitted on every network: routing min, any-minimal "
                   "in worst-case, and optimum)",
                   text.bytes));
done:
    nb_text_release(&text);
    return status;
}

static enum nb_status unrouted_init(struct unrouted *work, struct nb_error *err)
{
    const size_t n = work->routing->topology->router_count;
    enum nb_status status;
    work->source = nb_pool_array(&work->pool, n, sizeof *work->source);
    work->rate = nb_pool_array(&work->pool, n, sizeof *work->rate);
    NB_TRY(nb_pool_check(&work->pool, "pairs", err));
    NB_TRY(nb_walker_init(work->routing, NULL, &work->walker, err));
    work->walker.keeps_missing = true;
done:
    return status;
}

/* Checks every pair of a phase, and then the pairs that pass through any
 * router: the first phases of a pair all begin at its source, the second phases
 * end at its destination. */
static enum nb_status unrouted_go_anywhere(struct unrouted *work,
                                           const struct nb_traffic *traffic,
                                           struct nb_error *err)
{
    const size_t n = work->given->topology->router_count;
    enum nb_status status = NB_OK;
    work->from = nb_pool_array(&work->pool, n, sizeof *work->from);
    work->to = nb_pool_array(&work->pool, n, sizeof *work->to);
    NB_TRY(nb_pool_check(&work->pool, "pairs", err));
    for (uint32_t d = 0; d < n; d++) {
        NB_TRY(unrouted_find_sources(work, NULL, d, err));
        if (work->source_count > 0)
            NB_TRY(unrouted_walk(work, d, err));
    }
    work->asked = 0;
    for (uint32_t d = 0; d < n; d++) {
        NB_TRY(unrouted_find_sources(work, traffic, d, err));
        work->asked += work->source_count;
        for (size_t i = 0; i < work->source_count; i++) {
            const uint32_t s = work->source[i];
            const struct unrouted_hop hop =
                work->from[s].is_known ? work->from[s] : work->to[d];
            if (hop.is_known)
                unrouted_count(work, s, d, hop);
        }
    }
done:
    return status;
}

static enum nb_status unrouted_go(struct unrouted *work,
                                  const struct nb_traffic *traffic,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t d = 0; d < work->given->topology->router_count; d++) {
        NB_TRY(unrouted_find_sources(work, traffic, d, err));
        work->is_partial = work->found > 0 && work->nodes > UNROUTED_NODES;
        if (work->is_partial)
            work->asked += work->source_count;
        else if (work->source_count > 0)
            NB_TRY(unrouted_walk(work, d, err));
    }
done:
    return status;
}

enum nb_status nb_routes_require(const struct nb_routing *routing,
                                 const struct nb_traffic *traffic,
                                 struct nb_error *err)
{
    struct unrouted work = { .given = routing, .routing = routing };
    enum nb_status status = nb_routing_check(routing, err);
    if (status != NB_OK)
        return status;
    if ((!nb_has_failures(routing->topology) && !routing->has_gaps) ||
        routing->needs_table)
        return NB_OK;
    const bool is_anywhere = routing->intermediate == NB_ANYWHERE;
    if (is_anywhere)
        work.routing = routing->phase;
    NB_TRY(unrouted_init(&work, err));
    NB_TRY(is_anywhere ? unrouted_go_anywhere(&work, traffic, err)
                       : unrouted_go(&work, traffic, err));
    if (work.found > 0)
        NB_TRY(unrouted_refuse(&work, err));
done:
    nb_walker_release(&work.walker);
    nb_pool_release(&work.pool);
    nb_delete(work.is_dead);
    return status;
}
