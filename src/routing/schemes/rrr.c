/*
 * rrr: random root. Every packet, even one to a terminal of its own leaf
 * switch, goes up to a root, over all channels evenly at every level, then
 * down, where there is only one path.
 * Source: [Singh2005, section 7.3].
 */
#include "routing/tree_ways.h"

enum { RRR_UP, RRR_DOWN, RRR_STATES };

static enum nb_status rrr_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_tree *tree = &out->topology->tree;
    if (tree->levels == 0)
        return nb_routing_refuse(
            out, "a fat tree (permitted: such as fattree:k=4,n=3)", err);
    /* Automorphisms that keep the leaves keep the levels. */
    out->symmetries = NB_ANY_SYMMETRY;
    out->state_count = RRR_STATES;
    out->most_hops = tree->arity;
    out->leaves_source = true;
    return NB_OK;
}

static size_t rrr_step(const struct nb_routing *routing,
                       const struct nb_route_table *table, nb_route_state state,
                       uint32_t router, uint32_t destination,
                       struct nb_hop *hops)
{
    (void)table;
    const struct nb_topology *topology = routing->topology;
    return state == RRR_UP && !nb_tree_is_root(&topology->tree, router)
               ? nb_tree_ways_up(topology, router, RRR_UP, hops)
               : nb_tree_way_down(topology, router, destination, RRR_DOWN,
                                  hops);
}

const struct nb_routing_kind nb_routing_rrr = {
    .kind = { .name = "rrr",
              .summary = "always up to a random root, then down",
.detail = "Fat trees.",
.family = NB_FAMILY_TREES,},
    .examples = "rrr@fattree:k=2,n=2 rrr@fattree:k=2,n=3 "
                "rrr@fattree:k=3,n=2,bandwidth=3/2 "
                "rrr@fattree:k=2,n=3,fail=router:3",
    .build = rrr_build,
    .step = rrr_step,
};
