/*
 * any-minimal: represents any scheme that takes shortest paths, whether its
 * choice among them is random, fixed or dependent on queues. The step lists all
 * hops that may be chosen.
 */
#include "routing/shortest_ways.h"

const struct nb_routing_kind nb_routing_any_minimal = {
    .kind = { .name = "any-minimal",
              .summary = "any choice among shortest paths; only in worst-case",
.detail = "Adaptive or not.",},
    .examples = "any-minimal@ring:5 any-minimal@torus:4x3 any-minimal@mesh:3x3 "
                "any-minimal@hypercube:3 any-minimal@complete:5 "
                "any-minimal@ccc:3 "
                "any-minimal@torus:4x3,fail=router:5",
    .is_adaptive = true,
    .stands_for_any = true,
    .build = nb_shortest_ways_build,
    .step = nb_shortest_ways_step,
};
