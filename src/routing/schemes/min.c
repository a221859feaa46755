/*
 * min: every shortest path equally likely, on any topology; in a Dragonfly or
 * Megafly, those with the fewest global channels, then local ones. A router
 * draws the next hop in proportion to the number of shortest paths behind it,
 * which makes every path from source to destination equally likely.
 */
#include "routing/route_tables.h"
#include "routing/shortest_ways.h"

/* The second state is that of packets to their own router, where these cross
 * the network: they begin where they end. */
enum { MIN_ON_THE_WAY, MIN_TO_SELF, MIN_STATES };

static enum nb_status min_build(struct nb_routing *out, struct nb_error *err)
{
    const bool has_classes =
        nb_specification_is(&out->specification, "classes", "hop");
    if (has_classes)
        out->vc_rule = "hop";
    else if (out->topology->grid.dimensions > 0)
        out->vc_rule = "any";
    const enum nb_status status = nb_shortest_ways_build(out, err);
    out->leaves_source = out->topology->kind->is_one_way;
    if (out->leaves_source)
        out->state_count = MIN_STATES;
    return status;
}

static size_t min_start(const struct nb_routing *routing, uint32_t source,
                        uint32_t destination, struct nb_start *starts)
{
    if (routing->leaves_source && source == destination)
        starts[0].state = MIN_TO_SELF;
    return 1;
}

/* Divides exact weights by their common factor, which makes most of them
 * small. */
static void min_reduce(struct nb_hop *hops, size_t count)
{
    uint64_t common = hops[0].weight;
    for (size_t i = 1; i < count && common > 1; i++)
        common = nb_gcd(common, hops[i].weight);
    for (size_t i = 0; i < count && common > 1; i++) {
        hops[i].weight /= common;
        hops[i].share = (double)hops[i].weight;
    }
}

/* Shares of hops whose weights do not all fit. */
static void min_divide(const struct nb_topology *topology,
                       const struct nb_route_table *table, uint32_t router,
                       struct nb_hop *hops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hops[i].weight = 0;
        hops[i].share = nb_route_share(
            table, router, topology->channels[hops[i].channel].target);
    }
}

/* Where packets cross one way, a router with terminals has one channel. */
static size_t min_leave(const struct nb_topology *topology, uint32_t router,
                        struct nb_hop *hops)
{
    hops[0] = (struct nb_hop){ .channel = topology->out_start[router],
                               .next = MIN_ON_THE_WAY,
                               .weight = 1,
                               .share = 1 };
    return 1;
}

static size_t min_step(const struct nb_routing *routing,
                       const struct nb_route_table *table, nb_route_state state,
                       uint32_t router, uint32_t destination,
                       struct nb_hop *hops)
{
    const struct nb_topology *topology = routing->topology;
    const uint32_t end = topology->out_start[router + 1];
    (void)destination;
    if (state == MIN_TO_SELF)
        return min_leave(topology, router, hops);
    size_t count = 0;
    bool is_exact = true;
    for (uint32_t c = topology->out_start[router]; c < end; c += 64)
        for (uint64_t left = nb_ways_of(table, c, end); left != 0;
             left &= left - 1) {
            const uint32_t channel = c + (uint32_t)__builtin_ctzll(left);
            const uint64_t paths = table->paths[topology->out_target[channel]];
            is_exact &= paths != 0;
            hops[count++] = (struct nb_hop){ .channel = channel,
                                             .next = MIN_ON_THE_WAY,
                                             .weight = paths,
                                             .share = (double)paths };
        }
    if (!is_exact)
        min_divide(topology, table, router, hops, count);
    else if (count > 0)
        min_reduce(hops, count);
    return count;
}

static const struct nb_parameter min_parameters[] = {
    NB_PARAMETER("classes", CHOICE, "none",
                 "virtual-channel classes; hop: one more class per hop; none: "
                 "those of the network",
                 .also = "lanes",
                 .detail = "The classes of the network (none) do not prevent "
                           "deadlock on rings, tori, meshes and hypercubes.",
                 .choices = "none|hop"),
    { 0 },
};

const struct nb_routing_kind nb_routing_min = {
    .kind = { .name = "min",
              .aliases = "minimal",
              .summary = "every shortest path equally likely",
              .detail =
                  "Shortest paths have the fewest hops, also after failures. "
                  "Only in a Dragonfly or Megafly do they have the fewest "
                  "global channels and, among these, the fewest local ones, "
                  "as machines route there: a path through a third group may "
                  "have fewer hops.",
              .parameters = min_parameters },
    .examples =
        "min@ring:5 min@torus:4x3 min@mesh:3x3 min@hypercube:3 "
        "min@complete:5 min@ccc:3 min@fattree:k=2,n=3 "
        "min@dragonfly:h=2,p=1 min@hyperx:3x3,p=1 "
        "min:classes=hop@torus:4x3 min:classes=hop@mesh:3x3 "
        "min@torus:4x3,fail=0-1+router:5 min@dragonfly:h=2,fail=random:3 "
        "min@fattree:k=2,n=3,fail=router:3 min@hyperx:3x3,p=1,fail=0-1 "
        "min@hyperx:4x4,p=1,fail=0-1+2-6 "
        "min@clos:2x2,up=2,parallel=2,fail=0-2[2]",
    .build = min_build,
    .start = min_start,
    .step = min_step,
};
