#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "route_waits.h"

#include "topology_checks.h"

#include "core/memory.h"
#include "routing/two_phase.h"

void route_pair_open(struct route_pair *pair,
                     const struct nb_vc_classes *classes, const char *name)
{
    *pair = (struct route_pair){ .classes = classes };
    walk_open(&pair->walk, classes->routing, name);
}

void route_pair_close(struct route_pair *pair)
{
    walk_close(&pair->walk);
    nb_delete(pair->node);
    nb_delete(pair->hop);
    *pair = (struct route_pair){ 0 };
}

/* The number of a node, which is new unless it was reached before. */
static size_t pair_node(struct route_pair *pair, nb_route_state state,
                        uint32_t memory, uint32_t router)
{
    for (size_t i = pair->node_count; i-- > 0;)
        if (pair->node[i].router == router && pair->node[i].state == state &&
            pair->node[i].memory == memory)
            return i;
    assert_int_equal(nb_reserve(&pair->node, &pair->node_room,
                                pair->node_count + 1, sizeof *pair->node,
                                "nodes", NULL),
                     NB_OK);
    pair->node[pair->node_count] = (struct route_node){ .state = state,
                                                        .memory = memory,
                                                        .router = router };
    return pair->node_count++;
}

/* Without a function of the rule, the highest class is the one to fall back
 * on, and every class is a vertex. */
static void pair_add_hop(struct route_pair *pair, size_t node,
                         nb_route_state state, const struct nb_hop *step)
{
    const struct nb_vc_classes *classes = pair->classes;
    const struct route_node at = pair->node[node];
    uint32_t memory = 0;
    const uint64_t set = nb_vc_classes_find(
        classes,
        &(struct nb_vc_hop){ state, at.memory, at.router, pair->destination,
                             step->channel },
        &memory);
    const size_t next =
        pair_node(pair, step->next, memory,
                  classes->routing->topology->channels[step->channel].target);
    TOPOLOGY_CHECK(set != 0 && (classes->count == NB_MOST_VC_CLASSES ||
                                set >> classes->count == 0),
                   "%s: classes %llx", pair->walk.name,
                   (unsigned long long)set);
    uint64_t wanted = UINT64_C(1) << 63;
    while (classes->rule->escape == NULL && (set & wanted) == 0)
        wanted >>= 1;
    if (classes->rule->escape != NULL)
        wanted = classes->rule->escape(classes, set);
    assert_int_equal(nb_reserve(&pair->hop, &pair->hop_room,
                                pair->hop_count + 1, sizeof *pair->hop, "hops",
                                NULL),
                     NB_OK);
    pair->hop[pair->hop_count++] = (struct route_hop){
        .channel = step->channel,
        .node = next,
        .held = classes->rule->escape != NULL ? wanted : set,
        .wanted = wanted,
        .set = set,
    };
}

static void pair_step(struct route_pair *pair, size_t node,
                      nb_route_state state)
{
    const size_t count = walk_step(&pair->walk, state, pair->node[node].router,
                                   pair->destination);
    for (size_t h = 0; h < count; h++) {
        const struct nb_hop step = pair->walk.hops[h];
        pair_add_hop(pair, node, state, &step);
    }
}

/* Calls a function for each state in which packets may begin at a router. */
static void pair_begin(struct route_pair *pair, uint32_t router,
                       void (*begin)(struct route_pair *pair, size_t node,
                                     nb_route_state state),
                       size_t node)
{
    const struct nb_routing *routing = pair->classes->routing;
    const size_t count =
        nb_route_starts(routing, router, pair->destination, pair->walk.starts);
    for (size_t s = 0; s < count; s++)
        for (uint64_t w = 0; w < nb_start_ways(&pair->walk.starts[s]); w++)
            begin(pair, node,
                  nb_route_begin(routing, &pair->walk.starts[s], w, router,
                                 pair->destination));
}

static void pair_add_begun(struct route_pair *pair, size_t node,
                           nb_route_state state)
{
    (void)node;
    pair_node(pair, state, 0, pair->source);
}

/* Finds the longest route from each node, once those it leads to are known. */
static void pair_measure(struct route_pair *pair)
{
    bool changes = true;
    for (size_t round = 0; changes; round++) {
        TOPOLOGY_CHECK(round <= pair->node_count, "%s: a loop on the way to %u",
                       pair->walk.name, pair->destination);
        changes = false;
        for (size_t i = pair->node_count; i-- > 0;)
            for (size_t h = pair->node[i].first; h < pair->node[i].end; h++) {
                const uint32_t own = pair->node[pair->hop[h].node].longest + 1;
                if (own <= pair->node[i].longest)
                    continue;
                pair->node[i].longest = own;
                changes = true;
            }
    }
}

void route_pair_follow(struct route_pair *pair, uint32_t source,
                       uint32_t destination)
{
    pair->source = source;
    pair->destination = destination;
    pair->node_count = pair->hop_count = 0;
    pair_begin(pair, source, pair_add_begun, 0);
    pair->begun = pair->node_count;
    for (size_t i = 0; i < pair->node_count; i++) {
        const struct route_node at = pair->node[i];
        pair->node[i].first = pair->hop_count;
        if (i >= pair->begun &&
            nb_two_phase_turns(pair->classes->routing, at.state, at.router,
                               destination))
            pair_begin(pair, at.router, pair_step, i);
        else
            pair_step(pair, i, at.state);
        pair->node[i].end = pair->hop_count;
    }
    pair_measure(pair);
}

static void pair_wait(const struct route_pair *pair, size_t node,
                      void (*wait)(void *context, const struct route_hop *hop),
                      void *context, bool *end, bool *is_seen)
{
    const struct route_node *at = &pair->node[node];
    if (is_seen[node])
        return;
    is_seen[node] = true;
    *end = *end || at->first == at->end;
    for (size_t h = at->first; h < at->end; h++)
        if (pair->hop[h].wanted != 0)
            wait(context, &pair->hop[h]);
        else
            pair_wait(pair, pair->hop[h].node, wait, context, end, is_seen);
}

void route_pair_wait(const struct route_pair *pair, size_t node,
                     void (*wait)(void *context, const struct route_hop *hop),
                     void *context, bool *end)
{
    bool *is_seen = nb_new_array(pair->node_count, sizeof *is_seen);
    assert_non_null(is_seen);
    *end = false;
    pair_wait(pair, node, wait, context, end, is_seen);
    nb_delete(is_seen);
}

/* Where what a packet waits for is noted. */
struct waits_note {
    struct route_waits *waits;
    bool *row; /* [vertex] */
};

static void waits_note(void *context, const struct route_hop *hop)
{
    const struct waits_note *note = context;
    const size_t count = note->waits->classes.count;
    for (size_t c = 0; c < count; c++)
        if ((hop->wanted >> c & 1) != 0)
            note->row[hop->channel * count + c] = true;
}

static void waits_add_hop(struct route_waits *waits,
                          const struct route_pair *pair,
                          const struct route_hop *hop)
{
    const size_t vertices = waits->graph.count;
    for (size_t c = 0; c < waits->classes.count; c++) {
        const size_t vertex = hop->channel * waits->classes.count + c;
        struct waits_note note = { waits,
                                   waits->graph.arc + vertex * vertices };
        bool is_end;
        if ((hop->held >> c & 1) == 0)
            continue;
        route_pair_wait(pair, hop->node, waits_note, &note, &is_end);
        if (is_end)
            waits->is_last[pair->destination * vertices + vertex] = true;
    }
}

static void waits_add_pair(struct route_waits *waits,
                           const struct route_pair *pair)
{
    const size_t vertices = waits->graph.count;
    for (size_t i = 0; i < pair->node_count; i++) {
        const struct route_node *at = &pair->node[i];
        bool has_escape = at->first == at->end;
        for (size_t h = at->first; h < at->end; h++) {
            const struct route_hop *hop = &pair->hop[h];
            waits->used |= hop->set;
            waits->chooses_class |= (hop->set & (hop->set - 1)) != 0;
            has_escape |= hop->wanted != 0;
            waits_add_hop(waits, pair, hop);
        }
        waits->lacks_escape |= !has_escape;
        waits->chooses_hop |= waits->classes.routing->kind->is_adaptive &&
                              at->end - at->first > 1;
        if (at->longest > waits->longest)
            waits->longest = at->longest;
    }
    for (size_t i = 0; i < pair->begun; i++) {
        struct waits_note note = { waits,
                                   waits->is_first + pair->source * vertices };
        bool is_end;
        route_pair_wait(pair, i, waits_note, &note, &is_end);
    }
}

void route_waits_open(struct route_waits *waits,
                      const struct nb_routing *routing, const char *name)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    struct route_pair pair;
    *waits = (struct route_waits){ 0 };
    assert_int_equal(nb_vc_classes_build(routing, &waits->classes, NULL),
                     NB_OK);
    const size_t vertices =
        routing->topology->channel_count * waits->classes.count;
    dependencies_open(&waits->graph, vertices);
    waits->is_last = nb_new_array(n * vertices, sizeof *waits->is_last);
    waits->is_first = nb_new_array(n * vertices, sizeof *waits->is_first);
    assert_true(waits->is_last != NULL && waits->is_first != NULL);
    route_pair_open(&pair, &waits->classes, name);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t s = 0; s < n; s++)
            if (walk_has_pair(routing, s, d)) {
                route_pair_follow(&pair, s, d);
                waits_add_pair(waits, &pair);
            }
    route_pair_close(&pair);
}

void route_waits_close(struct route_waits *waits)
{
    dependencies_close(&waits->graph);
    nb_vc_classes_release(&waits->classes);
    nb_delete(waits->is_last);
    nb_delete(waits->is_first);
    *waits = (struct route_waits){ 0 };
}
