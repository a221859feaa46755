/*
 * any-minimal: whatever takes shortest paths, be its choice among them random,
 * fixed or dependent on queues. The step lists all that may be chosen.
 */
#include "routing/routing.h"

static enum nb_status any_minimal_build(struct nb_routing *out,
                                        struct nb_error *err)
{
    (void)err;
    out->most_hops = nb_most_degree(out->topology);
    out->symmetries = NB_ANY_SYMMETRY; /* defined by the graph alone */
    out->state_count = 1;
    out->needs_table = true;
    out->is_minimal = true;
    return NB_OK;
}

static size_t any_minimal_step(const struct nb_routing *routing,
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

const struct nb_routing_kind nb_routing_any_minimal = {
    .kind = { .name = "any-minimal",
              .summary = "any choice among shortest paths, adaptive ones too; "
                         "only worst-case bounds it" },
    .examples = "any-minimal@ring:5 any-minimal@torus:4x3 any-minimal@mesh:3x3 "
                "any-minimal@hypercube:3 any-minimal@complete:5 "
                "any-minimal@ccc:3",
    .is_adaptive = true,
    .build = any_minimal_build,
    .step = any_minimal_step,
};
