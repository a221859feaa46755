/* LIDs of a fabric: no two switches or hosts share one (see graph.h). */
#include "topology/graph.h"

#include "core/memory.h"
#include "topology/fabric.h"

#include <inttypes.h>

/* Takes the LIDs of a router; refuses those that another one has. owner: [LID]
 * the router + 1; 0: none */
static enum nb_status lids_take(const struct nb_graph *graph, uint32_t *owner,
                                uint32_t router, uint32_t lid, uint32_t lmc,
                                struct nb_error *err)
{
    const uint64_t end = lid + ((uint64_t)1 << lmc);
    for (uint64_t l = lid; l > 0 && l < end && l <= NB_FABRIC_LIDS; l++) {
        if (owner[l] != 0 && owner[l] != router + 1)
            return nb_fail(err, NB_INVALID,
                           "%.200s: \"%.60s\" and \"%.60s\" have LID %" PRIu64
                           " (permitted: each LID at one switch or host)",
                           graph->path,
                           nb_graph_names_of(&graph->names, owner[l] - 1),
                           nb_graph_names_of(&graph->names, router), l);
        owner[l] = router + 1;
    }
    return NB_OK;
}

enum nb_status nb_graph_check_lids(const struct nb_graph *graph,
                                   struct nb_error *err)
{
    const struct nb_fabric *fabric = graph->fabric;
    uint32_t *owner = NULL;
    enum nb_status status = NB_OK;
    if (fabric == NULL)
        return NB_OK;
    NB_TRY(nb_new(&owner, NB_FABRIC_LIDS + 1, sizeof *owner, "LIDs", err));
    for (uint32_t r = 0; r < fabric->node_count; r++)
        if (fabric->node[r].is_switch)
            NB_TRY(lids_take(graph, owner, r, fabric->node[r].lid,
                             fabric->node[r].lmc, err));
    for (size_t p = 0; p < fabric->port_count; p++) {
        const struct nb_fabric_port *port = &fabric->port[p];
        if (!fabric->node[port->router].is_switch)
            NB_TRY(lids_take(graph, owner, port->router, port->lid, port->lmc,
                             err));
    }
done:
    nb_delete(owner);
    return status;
}
