/*
 * dfsssp: one shortest path for each pair, by forwarding tables that divide the
 * load when all terminals send to all (next_hops.h); pairs are assigned to
 * layers without cycles (layers.h). The algorithm of the paper sums loads of
 * channels along a path; this one sums powers of them. The paper's paths are
 * fixed before it finds layers; here they change if that leaves too many layers
 * (repack.h).
 * Source: [DomkeHoeflerNagel2011].
 */
#include "core/memory.h"
#include "routing/layers.h"
#include "routing/next_hops.h"
#include "routing/parameters.h"
#include "routing/table_ways.h"

static enum nb_status dfsssp_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    uint32_t *next = NULL;
    enum nb_status status;
    NB_TRY(nb_table_ways_new(out->topology, &next, err));
    NB_TRY(nb_next_hops_by_load(
        out->topology, NULL, (unsigned)nb_specification_whole(given, "sweeps"),
        next, NULL, err));
    out->is_minimal = !out->topology->groups.counts_global_first;
    NB_TRY(nb_layers_build(out, next, NB_LAYERS_CHANGE_PATHS, err));
done:
    nb_delete(next);
    return status;
}

static const struct nb_parameter dfsssp_parameters[] = {
    NB_PARAMETER_LAYERS("64"),
    NB_PARAMETER_SWEEPS("4"),
    { 0 },
};

const struct nb_routing_kind nb_routing_dfsssp = {
    .kind = { .name = "dfsssp",
              .summary =
                  "balanced shortest-path tables, in deadlock-free layers",
              .detail =
                  "One shortest path per pair, from forwarding tables that "
                  "divide the load of uniform traffic. If these need more than "
                  "8 layers or more than permitted, paths change, without "
                  "raising the greatest load.",
              .parameters = dfsssp_parameters },
    .examples = "dfsssp@ring:5 dfsssp@mesh:3x3 dfsssp@torus:4x4 "
                "dfsssp:sweeps=0@hypercube:3 dfsssp@fattree:k=2,n=3 "
                "dfsssp@dragonfly:h=2,p=1 dfsssp@hyperx:3x3,p=1 "
                "dfsssp@torus:4x3,fail=0-1+router:5",
    .is_by_terminal = true,
    .build = dfsssp_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
