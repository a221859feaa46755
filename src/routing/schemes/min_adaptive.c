/*
 * min-adaptive: shortest paths; every router takes the channel with the
 * shortest queue. Grids use star channels, so that every packet may wait for
 * every channel that brings it nearer; other networks, and grids with failures,
 * use what vc_classes.h gives them. Source: [Singh2005, sections 4.1.1 and
 * 6.3-6.5].
 */
#include "routing/shortest_ways.h"

static enum nb_status min_adaptive_build(struct nb_routing *out,
                                         struct nb_error *err)
{
    if (out->topology->grid.dimensions > 0 && !nb_has_failures(out->topology))
        out->vc_rule = "star";
    return nb_shortest_ways_build(out, err);
}

const struct nb_routing_kind nb_routing_min_adaptive = {
    .kind = { .name = "min-adaptive",
              .aliases = "min-ad minad",
              .summary = "shortest queue, minimal",
.detail = "Takes the shortest queue among the channels of shortest " "paths.",},
    .examples = "min-adaptive@ring:5 min-adaptive@torus:4x3 "
                "min-adaptive@mesh:3x3 min-adaptive@hypercube:3 "
                "min-adaptive@complete:5 min-adaptive@ccc:3 "
                "min-adaptive@fattree:k=2,n=2 min-adaptive@dragonfly:h=1 "
                "min-adaptive@hyperx:3x3,p=1 "
                "min-adaptive@torus:4x3,fail=0-1+router:5 "
                "min-adaptive@dragonfly:h=1,fail=random:1 "
                "min-adaptive@hyperx:3x3,p=1,fail=0-1 "
                "min-adaptive@fattree:k=2,n=3,fail=random:2",
    .is_adaptive = true,
    .build = min_adaptive_build,
    .step = nb_shortest_ways_step,
};
