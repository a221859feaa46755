/* Builds the traffic that a specification names (declared in traffic.h). */
#include "traffic/traffic.h"

#include "core/memory.h"
#include "traffic/self.h"

const struct nb_kind *nb_traffic_kind_at(size_t index)
{
    const struct nb_traffic_kind *kind = nb_traffic_kinds[index];
    return kind != NULL ? &kind->kind : NULL;
}

/* Lists the routers that have terminals, in order. */
static enum nb_status build_find_endpoints(const struct nb_topology *topology,
                                           uint32_t **endpoint, size_t *count,
                                           struct nb_error *err)
{
    const enum nb_status status = nb_new(endpoint, topology->router_count,
                                         sizeof **endpoint, "endpoints", err);
    if (status != NB_OK)
        return status;
    *count = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        if (topology->terminals[r] > 0)
            (*endpoint)[(*count)++] = (uint32_t)r;
    if (*count == 0)
        return nb_fail(err, NB_INVALID,
                       "the network has 0 terminals (permitted: at least 1)");
    return NB_OK;
}

/* The network as a pattern sees it: for patterns by place, failed routers keep
 * their original terminals. Borrows all arrays. */
static struct nb_topology build_network(const struct nb_topology *topology,
                                        const struct nb_traffic_kind *kind)
{
    struct nb_topology network = *topology;
    if (!kind->is_by_place || !nb_has_failures(topology))
        return network;
    network.terminals = topology->failures.terminals;
    network.terminal_count = 0;
    for (size_t r = 0; r < network.router_count; r++)
        network.terminal_count += network.terminals[r];
    return network;
}

/* Removes traffic from or to routers without terminals. Terminals are numbered
 * without those of failed routers. */
static enum nb_status build_drop_failed(const struct nb_topology *topology,
                                        const struct nb_topology *network,
                                        struct nb_traffic *traffic,
                                        struct nb_error *err)
{
    struct nb_demands *singles = &traffic->singles;
    uint32_t *number = NULL; /* [terminal of network]; NB_NONE: failed */
    size_t kept = 0, terminal = 0;
    uint32_t next = 0;
    enum nb_status status;
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand demand = traffic->demands[d];
        if (topology->terminals[demand.source] > 0 &&
            topology->terminals[demand.target] > 0)
            traffic->demands[kept++] = demand;
    }
    traffic->demand_count = kept;
    NB_TRY(nb_new(&number, network->terminal_count, sizeof *number, "terminals",
                  err));
    for (size_t r = 0; r < topology->router_count; r++)
        for (uint32_t t = 0; t < network->terminals[r]; t++)
            number[terminal++] = topology->terminals[r] > 0 ? next++ : NB_NONE;
    kept = 0;
    for (size_t d = 0; d < singles->count; d++) {
        struct nb_demand demand = singles->entry[d];
        demand.source = number[demand.source];
        demand.target = number[demand.target];
        if (demand.source != NB_NONE && demand.target != NB_NONE)
            singles->entry[kept++] = demand;
    }
    singles->count = kept;
done:
    nb_delete(number);
    return status;
}

const struct nb_parameter nb_traffic_parameters[] = {
    NB_PARAMETER(
        "self", FLAG, "yes",
        "whether terminals send to themselves where the pattern says so",
        .detail = "no: their other destinations take that share."),
    { 0 },
};

enum nb_status nb_traffic_build(const char *specification,
                                const struct nb_topology *topology,
                                bool allow_inadmissible, struct nb_traffic *out,
                                struct nb_error *err)
{
    return nb_traffic_build_for(specification, topology, allow_inadmissible,
                                NULL, out, err);
}

enum nb_status nb_traffic_build_for(const char *specification,
                                    const struct nb_topology *topology,
                                    bool allow_inadmissible,
                                    const struct nb_worst_traffic *worst,
                                    struct nb_traffic *out,
                                    struct nb_error *err)
{
    uint32_t *endpoint = NULL;
    size_t endpoint_count, index;
    enum nb_status status;
    *out = (struct nb_traffic){ .denominator = 1 };
    NB_TRY(nb_topology_check(topology, err));
    out->router_count = topology->router_count;
    NB_TRY(nb_specification_read(specification, "traffic", nb_traffic_kind_at,
                                 nb_traffic_parameters, &out->specification,
                                 &index, err));
    const struct nb_topology network =
        build_network(topology, nb_traffic_kinds[index]);
    NB_TRY(build_find_endpoints(&network, &endpoint, &endpoint_count, err));
    const struct nb_traffic_request request = {
        .topology = &network,
        .specification = &out->specification,
        .endpoint = endpoint,
        .endpoint_count = endpoint_count,
        .allow_inadmissible = allow_inadmissible,
        .worst = worst,
    };
    NB_TRY(nb_traffic_kinds[index]->build(&request, out, err));
    if (nb_has_failures(topology))
        NB_TRY(build_drop_failed(topology, &network, out, err));
    if (nb_specification_is(&out->specification, "self", "no"))
        NB_TRY(nb_traffic_omit_self(out, topology, err));
    NB_TRY(nb_traffic_collect(out, topology, err));
    NB_TRY(nb_traffic_finish(out, err));
done:
    nb_delete(endpoint);
    if (status != NB_OK)
        nb_traffic_release(out);
    return nb_fail_in(status, err, "traffic");
}
