#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "walk.h"

#include "ratio_checks.h"
#include "topology_checks.h"

#include "core/memory.h"
#include "routing/two_phase.h"

#include <math.h>
#include <stdlib.h>

void walk_open(struct walk *walk, const struct nb_routing *routing,
               const char *name)
{
    const size_t n = routing->topology->router_count;
    *walk = (struct walk){ .routing = routing, .name = name };
    walk->queue = nb_new_array(n + 1, sizeof *walk->queue);
    walk->tables = nb_new_array(n, sizeof *walk->tables);
    walk->hops = nb_new_array(routing->most_hops, sizeof *walk->hops);
    walk->starts = nb_new_array(routing->most_starts, sizeof *walk->starts);
    assert_true(walk->queue != NULL && walk->tables != NULL &&
                walk->hops != NULL && walk->starts != NULL);
}

void walk_close(struct walk *walk)
{
    for (size_t r = 0; r < walk->routing->topology->router_count; r++)
        nb_route_table_release(&walk->tables[r]);
    nb_delete(walk->tables);
    nb_delete(walk->queue);
    nb_delete(walk->hops);
    nb_delete(walk->starts);
    nb_delete(walk->now);
    nb_delete(walk->next);
    *walk = (struct walk){ 0 };
}

static const struct nb_route_table *walk_table(struct walk *walk,
                                               nb_route_state state,
                                               uint32_t router,
                                               uint32_t destination)
{
    const struct nb_routing *routing = walk->routing;
    if (!routing->needs_table)
        return NULL;
    const uint32_t target =
        nb_route_target(routing, state, router, destination);
    TOPOLOGY_CHECK(target < routing->topology->router_count, "%s", walk->name);
    struct nb_route_table *table = &walk->tables[target];
    if (table->distance == NULL) {
        assert_int_equal(nb_route_table_init(routing->topology, table, NULL),
                         NB_OK);
        nb_route_table_fill(routing->topology, target, table, walk->queue);
    }
    return table;
}

size_t walk_step(struct walk *walk, nb_route_state state, uint32_t router,
                 uint32_t destination)
{
    const struct nb_routing *routing = walk->routing;
    const struct nb_hop *hops = walk->hops;
    const size_t count =
        nb_route_step(routing, walk_table(walk, state, router, destination),
                      state, router, destination, walk->hops);
    TOPOLOGY_CHECK(count <= routing->most_hops, "%s: %zu hops", walk->name,
                   count);
    TOPOLOGY_CHECK(count > 0 || router == destination,
                   "%s: stranded at %u on the way to %u", walk->name, router,
                   destination);
    for (size_t i = 0; i < count; i++) {
        TOPOLOGY_CHECK(
            hops[i].channel < routing->topology->channel_count &&
                routing->topology->channels[hops[i].channel].source == router,
            "%s: from %u to %u over channel %u", walk->name, router,
            destination, hops[i].channel);
        TOPOLOGY_CHECK(
            routing->state_count == 0 || hops[i].next < routing->state_count,
            "%s: state %llu", walk->name, (unsigned long long)hops[i].next);
        const double share =
            hops[i].share * (double)hops[0].weight / hops[0].share;
        TOPOLOGY_CHECK(
            hops[i].weight > 0 &&
                fabs(share - (double)hops[i].weight) <= 1e-12 * share,
            "%s: from %u to %u: weight %llu, share %g", walk->name, router,
            destination, (unsigned long long)hops[i].weight, hops[i].share);
        for (size_t j = 0; j < i; j++)
            TOPOLOGY_CHECK(hops[i].channel != hops[j].channel ||
                               hops[i].next != hops[j].next,
                           "%s: from %u to %u: channel %u twice", walk->name,
                           router, destination, hops[i].channel);
    }
    return count;
}

static void walk_add(struct walk *walk, nb_route_state state, uint32_t router,
                     struct nb_ratio probability)
{
    if (walk->next_count == walk->next_capacity) {
        walk->next_capacity = 2 * walk->next_capacity + 16;
        assert_int_equal(nb_grow(&walk->next, walk->next_capacity,
                                 sizeof *walk->next, "walk", NULL),
                         NB_OK);
    }
    walk->next[walk->next_count++] =
        (struct walk_place){ state, router, probability };
}

static int walk_compare(const void *left, const void *right)
{
    const struct walk_place *a = left, *b = right;
    if (a->router != b->router)
        return a->router < b->router ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

/* The places reached become the next ones to go on from, equal ones merged. */
static void walk_turn(struct walk *walk)
{
    struct walk_place *place = walk->next;
    size_t count = 0;
    if (walk->next_count > 1)
        qsort(place, walk->next_count, sizeof *place, walk_compare);
    for (size_t i = 0; i < walk->next_count; i++) {
        if (count > 0 && walk_compare(&place[count - 1], &place[i]) == 0)
            place[count - 1].probability = nb_ratio_add(
                place[count - 1].probability, place[i].probability);
        else
            place[count++] = place[i];
    }
    const size_t capacity = walk->now_capacity;
    walk->next = walk->now;
    walk->now = place;
    walk->now_count = count;
    walk->now_capacity = walk->next_capacity;
    walk->next_capacity = capacity;
    walk->next_count = 0;
}

/* A packet that may also turn at a router begins there in some share. */
static void walk_arrive(struct walk *walk, nb_route_state state,
                        uint32_t router, uint32_t destination,
                        struct nb_ratio probability)
{
    const struct nb_routing *routing = walk->routing;
    if (!nb_two_phase_turns(routing, state, router, destination)) {
        walk_add(walk, state, router, probability);
        return;
    }
    const size_t count =
        nb_route_starts(routing, router, destination, walk->starts);
    for (size_t s = 0; s < count; s++) {
        const uint64_t ways = nb_start_ways(&walk->starts[s]);
        for (uint64_t w = 0; w < ways; w++)
            walk_add(
                walk,
                nb_route_begin(routing, &walk->starts[s], w, router,
                               destination),
                router,
                nb_ratio_divide(probability,
                                nb_ratio_make((nb_int128)(count * ways), 1)));
    }
}

static void walk_begin(struct walk *walk, uint32_t source, uint32_t destination)
{
    const struct nb_routing *routing = walk->routing;
    const size_t count =
        nb_route_starts(routing, source, destination, walk->starts);
    uint64_t total = 0;
    TOPOLOGY_CHECK(count > 0 && count <= routing->most_starts, "%s",
                   walk->name);
    walk->next_count = 0;
    for (size_t s = 0; s < count; s++) {
        const struct nb_start *start = &walk->starts[s];
        total += start->weight;
        TOPOLOGY_CHECK(start->weight > 0 && nb_start_ways(start) > 0, "%s",
                       walk->name);
        for (uint64_t w = 0; w < nb_start_ways(start); w++)
            walk_add(walk,
                     nb_route_begin(routing, start, w, source, destination),
                     source,
                     nb_ratio_divide(
                         nb_ratio_make(start->weight, routing->start_total),
                         nb_ratio_make(nb_start_ways(start), 1)));
    }
    TOPOLOGY_CHECK(total == routing->start_total, "%s: weights of %llu",
                   walk->name, (unsigned long long)total);
    walk_turn(walk);
}

struct nb_ratio walk_pair(struct walk *walk, uint32_t source,
                          uint32_t destination, struct nb_ratio *crossings,
                          uint32_t *longest)
{
    const struct nb_topology *topology = walk->routing->topology;
    struct nb_ratio arrived = nb_ratio_zero, all = nb_ratio_zero;
    uint32_t time = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        crossings[c] = nb_ratio_zero;
    walk_begin(walk, source, destination);
    for (; walk->now_count > 0; time++) {
        TOPOLOGY_CHECK(time <= 2 * topology->router_count,
                       "%s: never from %u to %u", walk->name, source,
                       destination);
        for (size_t i = 0; i < walk->now_count; i++) {
            const struct walk_place at = walk->now[i];
            const size_t count =
                walk_step(walk, at.state, at.router, destination);
            uint64_t total = 0;
            for (size_t h = 0; h < count; h++)
                total += walk->hops[h].weight;
            if (count == 0)
                arrived = nb_ratio_add(arrived, at.probability);
            for (size_t h = 0; h < count; h++) {
                const struct nb_hop *hop = &walk->hops[h];
                const struct nb_ratio part = nb_ratio_multiply(
                    at.probability, nb_ratio_make(hop->weight, total));
                crossings[hop->channel] =
                    nb_ratio_add(crossings[hop->channel], part);
                all = nb_ratio_add(all, part);
                walk_arrive(walk, hop->next,
                            topology->channels[hop->channel].target,
                            destination, part);
            }
        }
        walk_turn(walk);
    }
    TOPOLOGY_CHECK(ratio_same(arrived, nb_ratio_one), "%s: from %u to %u: %g",
                   walk->name, source, destination, nb_ratio_value(arrived));
    if (longest != NULL)
        *longest = time - 1;
    return all;
}

bool walk_has_pair(const struct nb_routing *routing, uint32_t source,
                   uint32_t destination)
{
    const uint32_t *terminals = routing->topology->terminals;
    return terminals[source] > 0 && terminals[destination] > 0;
}

struct nb_ratio *walk_all_pairs(const struct nb_routing *routing,
                                const char *name)
{
    const size_t n = routing->topology->router_count;
    const size_t channels = routing->topology->channel_count;
    struct walk walk;
    struct nb_ratio *all = nb_new_array(n * n * channels, sizeof *all);
    assert_non_null(all);
    walk_open(&walk, routing, name);
    for (size_t i = 0; i < n * n * channels; i++)
        all[i] = nb_ratio_zero;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (walk_has_pair(routing, i, j))
                walk_pair(&walk, i, j, all + (i * n + j) * channels, NULL);
    walk_close(&walk);
    return all;
}

void walk_shortest(const struct nb_topology *topology, uint32_t target,
                   uint32_t *hops)
{
    const size_t n = topology->router_count;
    uint32_t *global = nb_new_array(n, sizeof *global);
    assert_non_null(global);
    for (size_t r = 0; r < n; r++)
        global[r] = hops[r] = r == target ? 0 : NB_NONE / 2;
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t c = 0; c < topology->channel_count; c++) {
            const struct nb_channel *at = &topology->channels[c];
            const uint32_t g =
                global[at->target] + (topology->groups.counts_global_first &&
                                      nb_channel_is_global(topology, c));
            const uint32_t h = hops[at->target] + 1;
            if (g > global[at->source] ||
                (g == global[at->source] && h >= hops[at->source]))
                continue;
            global[at->source] = g;
            hops[at->source] = h;
            changes = true;
        }
    }
    nb_delete(global);
}
