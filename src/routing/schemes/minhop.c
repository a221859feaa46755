/*
 * minhop: one shortest path for each pair, with next hops by router and
 * destination as in forwarding tables, that divide the load when all terminals
 * send to all (next_hops.h). Nothing prevents packets from waiting for each
 * other in a cycle.
 */
#include "core/memory.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"

static enum nb_status minhop_build(struct nb_routing *out, struct nb_error *err)
{
    uint32_t *next = NULL;
    enum nb_status status;
    NB_TRY(nb_table_ways_new(out->topology, &next, err));
    NB_TRY(nb_next_hops_by_load(
        out->topology, NULL,
        (unsigned)nb_specification_whole(&out->specification, "sweeps"), next,
        NULL, err));
    out->vc_rule = "any";
    out->is_minimal = !out->topology->groups.counts_global_first;
    NB_TRY(nb_table_ways_build(out, next, NULL, err));
done:
    nb_delete(next);
    return status;
}

static const struct nb_parameter minhop_parameters[] = {
    NB_PARAMETER_SWEEPS("1"),
    { 0 },
};

const struct nb_routing_kind nb_routing_minhop = {
    .kind = { .name = "minhop",
              .summary = "balanced shortest-path tables",
              .detail =
                  "One shortest path per pair, from forwarding tables that "
                  "divide the load of uniform traffic.",
              .parameters = minhop_parameters },
    .examples = "minhop@ring:5 minhop@mesh:3x3 minhop@hypercube:3 "
                "minhop@fattree:k=2,n=3 minhop@dragonfly:h=2,p=1 "
                "minhop:sweeps=3@hyperx:3x3,p=1 "
                "minhop@torus:4x3,fail=0-1+router:5",
    .is_by_terminal = true,
    .build = minhop_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
