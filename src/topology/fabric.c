#include "topology/fabric.h"

#include "core/memory.h"
#include "topology/index.h"

#include <stdlib.h>

void nb_fabric_release(struct nb_fabric *fabric)
{
    if (fabric == NULL)
        return;
    nb_delete(fabric->node);
    nb_delete(fabric->port);
    nb_delete(fabric->start);
    nb_delete(fabric->guid);
    nb_delete(fabric);
}

static int fabric_compare_guids(const void *left, const void *right)
{
    const struct nb_fabric_guid *a = left, *b = right;
    if (a->guid != b->guid)
        return a->guid < b->guid ? -1 : 1;
    if (a->is_derived != b->is_derived)
        return a->is_derived ? 1 : -1;
    if (a->port != b->port)
        return a->port < b->port ? -1 : 1;
    return (a->router > b->router) - (a->router < b->router);
}

void nb_fabric_rank(struct nb_fabric *fabric)
{
    for (size_t p = 0; p < fabric->port_count; p++) {
        struct nb_fabric_port *port = &fabric->port[p];
        port->rank =
            port->target == port->router || port->has_failed ? NB_NONE : 0;
        for (size_t q = fabric->start[port->router];
             q < p && port->rank != NB_NONE; q++)
            port->rank += fabric->port[q].target == port->target &&
                          !fabric->port[q].has_failed;
    }
}

static void fabric_add_guid(struct nb_fabric *fabric, struct nb_fabric_guid one)
{
    if (one.guid != 0)
        fabric->guid[fabric->guid_count++] = one;
}

/* Adds the port's own GUID and, for a host, the one that the simulator ibsim
 * uses instead, since it ignores GUIDs of ports: the node's plus the port's
 * number. */
static void fabric_add_guids_of(struct nb_fabric *fabric,
                                const struct nb_fabric_port *port)
{
    const struct nb_fabric_node *node = &fabric->node[port->router];
    fabric_add_guid(fabric, (struct nb_fabric_guid){ port->guid, port->router,
                                                     port->port, false });
    if (!node->is_switch && node->guid != 0)
        fabric_add_guid(
            fabric, (struct nb_fabric_guid){ node->guid + port->port,
                                             port->router, port->port, true });
}

enum nb_status nb_fabric_index(struct nb_fabric *fabric, struct nb_error *err)
{
    const size_t nodes = fabric->node_count, ports = fabric->port_count;
    uint32_t *order = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&order, ports, sizeof *order, "ports", err));
    NB_TRY(
        nb_new(&fabric->start, nodes + 1, sizeof *fabric->start, "ports", err));
    nb_index_by(&fabric->port->router, sizeof *fabric->port, ports, nodes,
                fabric->start, order);
    nb_fabric_rank(fabric);
    NB_TRY(nb_new(&fabric->guid, nodes + 2 * ports, sizeof *fabric->guid,
                  "GUIDs", err));
    for (uint32_t r = 0; r < nodes; r++)
        fabric_add_guid(fabric, (struct nb_fabric_guid){ fabric->node[r].guid,
                                                         r, 0, false });
    for (size_t p = 0; p < ports; p++)
        fabric_add_guids_of(fabric, &fabric->port[p]);
    qsort(fabric->guid, fabric->guid_count, sizeof *fabric->guid,
          fabric_compare_guids);
done:
    nb_delete(order);
    return status;
}

enum nb_status nb_fabric_cut(struct nb_fabric *fabric, const uint32_t *number,
                             struct nb_error *err)
{
    size_t nodes = 0, ports = 0;
    for (size_t r = 0; r < fabric->node_count; r++)
        if (number[r] != NB_NONE)
            fabric->node[nodes++] = fabric->node[r];
    for (size_t p = 0; p < fabric->port_count; p++) {
        struct nb_fabric_port port = fabric->port[p];
        if (number[port.router] == NB_NONE)
            continue;
        port.router = number[port.router];
        port.target = number[port.target];
        fabric->port[ports++] = port;
    }
    fabric->node_count = nodes;
    fabric->port_count = ports;
    nb_delete(fabric->start);
    nb_delete(fabric->guid);
    fabric->start = NULL;
    fabric->guid = NULL;
    fabric->guid_count = 0;
    return nb_fabric_index(fabric, err);
}

const struct nb_fabric_port *nb_fabric_find(const struct nb_fabric *fabric,
                                            uint32_t router, uint32_t port)
{
    for (uint32_t p = fabric->start[router]; p < fabric->start[router + 1]; p++)
        if (fabric->port[p].port == port)
            return &fabric->port[p];
    return NULL;
}

uint32_t nb_fabric_channel(const struct nb_topology *topology,
                           const struct nb_fabric_port *port)
{
    return port->rank == NB_NONE ? NB_NONE
                                 : nb_channel_find(topology, port->router,
                                                   port->target, port->rank);
}

const struct nb_fabric_port *
nb_fabric_port_of(const struct nb_topology *topology, uint32_t channel)
{
    const struct nb_fabric *fabric = topology->fabric;
    const struct nb_channel *at = &topology->channels[channel];
    if (fabric == NULL)
        return NULL;
    const uint32_t rank = nb_channel_rank(topology, channel);
    for (uint32_t p = fabric->start[at->source];
         p < fabric->start[at->source + 1]; p++)
        if (fabric->port[p].target == at->target &&
            fabric->port[p].rank == rank)
            return &fabric->port[p];
    return NULL;
}

/* The first of the sorted entries with this GUID or a greater one. */
static size_t fabric_search_guid(const struct nb_fabric *fabric, uint64_t guid)
{
    size_t low = 0, end = fabric->guid_count;
    while (low < end) {
        const size_t middle = low + (end - low) / 2;
        if (fabric->guid[middle].guid < guid)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

uint32_t nb_fabric_find_guid(const struct nb_fabric *fabric, uint64_t guid)
{
    const size_t first = fabric_search_guid(fabric, guid);
    return first < fabric->guid_count && fabric->guid[first].guid == guid
               ? fabric->guid[first].router
               : NB_NONE;
}

uint32_t nb_fabric_find_port_guid(const struct nb_fabric *fabric, uint64_t guid)
{
    for (size_t i = fabric_search_guid(fabric, guid);
         i < fabric->guid_count && fabric->guid[i].guid == guid; i++)
        if (fabric->guid[i].port > 0 && !fabric->guid[i].is_derived)
            return fabric->guid[i].router;
    return nb_fabric_find_guid(fabric, guid);
}

const struct nb_fabric_port *nb_fabric_door(const struct nb_fabric *fabric,
                                            uint32_t router)
{
    for (uint32_t p = fabric->start[router]; p < fabric->start[router + 1]; p++)
        if (fabric->port[p].rank != NB_NONE)
            return &fabric->port[p];
    return NULL;
}

bool nb_fabric_has_several_lids(const struct nb_fabric *fabric)
{
    for (size_t p = 0; p < fabric->port_count; p++)
        if (!fabric->node[fabric->port[p].router].is_switch &&
            fabric->port[p].lmc > 0)
            return true;
    return false;
}

uint32_t nb_fabric_lid(const struct nb_fabric *fabric, uint32_t router)
{
    if (fabric->node[router].is_switch)
        return fabric->node[router].lid;
    const struct nb_fabric_port *door = nb_fabric_door(fabric, router);
    return door != NULL ? door->lid : 0;
}
