/*
 * rcar: random common ancestor. A packet goes up, over all channels evenly,
 * until its destination is below, then down, where there is only one path.
 * Source: [Singh2005, section 7.3].
 */
#include "routing/tree_ways.h"

static enum nb_status rcar_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_tree *tree = &out->topology->tree;
    if (tree->levels == 0)
        return nb_routing_refuse(
            out, "a fat tree (permitted: such as fattree:k=4,n=3)", err);
    /* Automorphisms that keep the leaves keep the levels. */
    out->symmetries = NB_ANY_SYMMETRY;
    out->state_count = 1;
    out->most_hops = tree->arity;
    out->is_minimal = true;
    return NB_OK;
}

static size_t rcar_step(const struct nb_routing *routing,
                        const struct nb_route_table *table,
                        nb_route_state state, uint32_t router,
                        uint32_t destination, struct nb_hop *hops)
{
    (void)table;
    const struct nb_topology *topology = routing->topology;
    return nb_tree_is_above(&topology->tree, router, destination)
               ? nb_tree_way_down(topology, router, destination, state, hops)
               : nb_tree_ways_up(topology, router, state, hops);
}

const struct nb_routing_kind nb_routing_rcar = {
    .kind = { .name = "rcar",
              .summary = "up to a random common ancestor, then down",
.detail = "Fat trees.",
.family = NB_FAMILY_TREES,},
    .examples = "rcar@fattree:k=2,n=2 rcar@fattree:k=2,n=3 "
                "rcar@fattree:k=3,n=2,bandwidth=3/2 "
                "rcar@fattree:k=2,n=3,fail=router:3",
    .build = rcar_build,
    .step = rcar_step,
};
