/*
 * chaos: shortest paths; every router takes the channel with the shortest
 * queue. If all channels on shortest paths are full, a packet enters its
 * router's shared queue; packets of a full shared queue are deflected. Step
 * lists the shortest paths; the chaos router does the rest
 * (src/sim/routers/chaos.c). Source: [KonstantinidouSnyder1990], [Singh2005,
 * section 2.5 and chapter 4].
 */
#include "routing/shortest_ways.h"

#include "core/try.h"

/* The number of channels into each router equals that out of it, so that there
 * is a path onwards from wherever packets are deflected to. */
static enum nb_status chaos_check(const struct nb_routing *routing,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->out_start[r + 1] - topology->out_start[r] !=
            topology->in_start[r + 1] - topology->in_start[r])
            return nb_routing_refuse(routing,
                                     "one with equal in- and out-degree at "
                                     "every router (permitted: such as torus, "
                                     "mesh or hypercube)",
                                     err);
    return NB_OK;
}

static enum nb_status chaos_build(struct nb_routing *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(chaos_check(out, err));
    NB_TRY(nb_shortest_ways_build(out, err));
    out->is_minimal = false;
done:
    return status;
}

const struct nb_routing_kind nb_routing_chaos = {
    .kind = { .name = "chaos",
              .summary = "shortest queue, or deflection from a full router",
.detail = "Chooses among shortest paths; a full router deflects " "packets. Needs --router chaos.",},
    .examples = "chaos@ring:5 chaos@torus:4x3 chaos@mesh:3x3 "
                "chaos@hypercube:3 chaos@complete:5 chaos@ccc:3 "
                "chaos@fattree:k=2,n=2 chaos@dragonfly:h=1 "
                "chaos@hyperx:3x3,p=1 chaos@torus:4x3,fail=0-1+router:5",
    .is_adaptive = true,
    .is_deflecting = true,
    .build = chaos_build,
    .step = nb_shortest_ways_step,
};
