#include "routing/shortest_ways.h"

enum nb_status nb_shortest_ways_build(struct nb_routing *out,
                                      struct nb_error *err)
{
    (void)err;
    /* Each dimension of a HyperX takes one hop, in any order. */
    if (!nb_has_failures(out->topology))
        out->vc_levels = (unsigned)out->topology->hyperx.dimensions;
    out->most_hops = nb_most_degree(out->topology);
    out->symmetries = NB_ANY_SYMMETRY; /* defined by the graph only */
    out->state_count = 1;
    out->needs_table = true;
    out->is_minimal = true;
    return NB_OK;
}

size_t nb_shortest_ways_step(const struct nb_routing *routing,
                             const struct nb_route_table *table,
                             nb_route_state state, uint32_t router,
                             uint32_t destination, struct nb_hop *hops)
{
    (void)destination;
    const struct nb_topology *topology = routing->topology;
    size_t count = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        if (nb_is_on_the_way(topology, table, c))
            hops[count++] = (struct nb_hop){
                .channel = c, .next = state, .weight = 1, .share = 1
            };
    return count;
}
