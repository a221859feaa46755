/*
 * lash: one shortest path for each pair, by forwarding tables; pairs are
 * assigned to layers without cycles (layers.h). Among shortest paths, the one
 * to the neighbour whose number differs least is taken, so that few layers are
 * needed where numbers follow coordinates.
 * Source: [SkeieLysneTheiss2002].
 */
#include "core/memory.h"
#include "routing/layers.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"

static enum nb_status lash_build(struct nb_routing *out, struct nb_error *err)
{
    uint32_t *next = NULL;
    enum nb_status status;
    NB_TRY(nb_table_ways_new(out->topology, &next, err));
    NB_TRY(nb_next_hops_by_number(out->topology, next, err));
    out->is_minimal = !out->topology->groups.counts_global_first;
    NB_TRY(nb_layers_build(out, next, NB_LAYERS_KEEP_PATHS, err));
done:
    nb_delete(next);
    return status;
}

static const struct nb_parameter lash_parameters[] = {
    NB_PARAMETER_LAYERS("64"),
    { 0 },
};

const struct nb_routing_kind nb_routing_lash = {
    .kind = { .name = "lash",
              .summary = "layered shortest paths, one per pair",
              .detail = "Distributes the pairs over layers of virtual "
                        "channels, each free of deadlock.",
              .parameters = lash_parameters },
    .examples = "lash@ring:5 lash@mesh:3x3 lash@torus:4x4 lash@hypercube:3 "
                "lash@fattree:k=2,n=3 lash@dragonfly:h=2,p=1 "
                "lash@torus:4x3,fail=0-1+router:5",
    .is_by_terminal = true,
    .build = lash_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
