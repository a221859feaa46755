#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lane_follower.h"

#include "topology_checks.h"

#include <string.h>

static uint64_t lane_follower_highest(uint64_t classes)
{
    return UINT64_C(1) << (63 - __builtin_clzll(classes));
}

/* The classes that a packet may always fall back on. */
static uint64_t lane_follower_escape(const struct nb_lanes *lanes,
                                     uint64_t classes)
{
    const uint64_t free = UINT64_C(1) << (lanes->count - 1);
    return lanes->kind == NB_LANE_STAR ? classes & ~free
                                       : lane_follower_highest(classes);
}

/*
 * What a packet holds waits for the escape of its next hop. With stars it
 * need not take the escape, so that the star classes it held before may still
 * wait for it many hops later.
 */
static void lane_follower_depend(struct lane_follower *follower,
                                 uint32_t channel, uint64_t escape)
{
    const size_t count = follower->lanes.count;
    const bool has_past = follower->lanes.kind == NB_LANE_STAR;
    size_t i = follower->length;
    while (i > 0 && (has_past || i == follower->length)) {
        i--;
        for (size_t held = 0; held < count; held++)
            for (size_t wanted = 0; wanted < count; wanted++)
                if ((follower->held[i] >> held & 1) != 0 &&
                    (escape >> wanted & 1) != 0)
                    dependencies_add(&follower->graph,
                                     follower->channel[i] * count + held,
                                     channel * count + wanted);
    }
}

/* Every way on from a router; each is a route of its own. */
static void lane_follower_on(struct lane_follower *follower, uint32_t memory,
                             nb_route_state state, uint32_t router)
{
    const struct nb_lanes *lanes = &follower->lanes;
    const struct nb_topology *topology = lanes->routing->topology;
    struct nb_hop hops[LANE_FOLLOWER_WAYS];
    const size_t count =
        walk_step(&follower->walk, state, router, follower->destination);
    bool has_escape = count == 0;
    assert_true(count <= LANE_FOLLOWER_WAYS &&
                follower->length < LANE_FOLLOWER_HOPS);
    memcpy(hops, follower->walk.hops, count * sizeof *hops);
    for (size_t h = 0; h < count; h++) {
        uint32_t next = memory;
        const uint64_t classes =
            nb_lanes_find(lanes, memory, state, router, follower->destination,
                          hops[h].channel, &next);
        const uint64_t all = UINT64_MAX >> (NB_MOST_LANES - lanes->count);
        TOPOLOGY_CHECK(classes != 0 && (classes & ~all) == 0,
                       "%s: classes %llx of %u", follower->name,
                       (unsigned long long)classes, lanes->count);
        const uint64_t escape = lane_follower_escape(lanes, classes);
        has_escape = has_escape || escape != 0;
        follower->used |= classes;
        lane_follower_depend(follower, hops[h].channel, escape);
        follower->channel[follower->length] = hops[h].channel;
        follower->held[follower->length++] =
            lanes->kind == NB_LANE_STAR ? escape : classes;
        lane_follower_on(follower, next, hops[h].next,
                         topology->channels[hops[h].channel].target);
        follower->length--;
    }
    TOPOLOGY_CHECK(has_escape, "%s: none of the star classes from %u to %u",
                   follower->name, router, follower->destination);
}

static void lane_follower_pair(struct lane_follower *follower, uint32_t source,
                               uint32_t destination)
{
    const struct nb_routing *routing = follower->lanes.routing;
    struct nb_start starts[LANE_FOLLOWER_WAYS];
    const size_t count = nb_route_starts(routing, source, destination, starts);
    assert_true(count <= LANE_FOLLOWER_WAYS);
    follower->destination = destination;
    for (size_t s = 0; s < count; s++)
        for (uint64_t w = 0; w < starts[s].way_points; w++)
            lane_follower_on(
                follower, 0,
                nb_route_begin(routing, &starts[s], w, source, destination),
                source);
}

void lane_follower_open(struct lane_follower *follower,
                        const struct nb_routing *routing, const char *name)
{
    struct nb_error error = { 0 };
    *follower = (struct lane_follower){ .name = name };
    walk_open(&follower->walk, routing, name);
    TOPOLOGY_CHECK(nb_lanes_build(routing, &follower->lanes, &error) == NB_OK,
                   "%s: %s", name, error.message);
    TOPOLOGY_CHECK(follower->lanes.count >= 1 &&
                       follower->lanes.count <= NB_MOST_LANES,
                   "%s: %u", name, follower->lanes.count);
    dependencies_open(&follower->graph,
                      routing->topology->channel_count * follower->lanes.count);
}

void lane_follower_close(struct lane_follower *follower)
{
    dependencies_close(&follower->graph);
    nb_lanes_release(&follower->lanes);
    walk_close(&follower->walk);
}

void lane_follower_all(struct lane_follower *follower)
{
    const struct nb_routing *routing = follower->lanes.routing;
    const uint32_t n = (uint32_t)routing->topology->router_count;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (walk_has_pair(routing, i, j))
                lane_follower_pair(follower, i, j);
}
