#include "routing/routing.h"

#include "core/memory.h"
#include "routing/strays.h"
#include "routing/two_phase.h"
#include "topology/bandwidths.h"

#include <assert.h>
#include <string.h>

const struct nb_kind *nb_routing_kind_at(size_t index)
{
    return nb_routing_kinds[index] != NULL ? &nb_routing_kinds[index]->kind
                                           : NULL;
}

enum nb_status nb_routing_build(const char *specification,
                                const struct nb_topology *topology,
                                struct nb_routing *out, struct nb_error *err)
{
    size_t index;
    enum nb_status status = NB_OK;
    *out = (struct nb_routing){ .topology = topology };
    NB_TRY(nb_topology_check(topology, err));
    NB_TRY(nb_specification_read(specification, "routing", nb_routing_kind_at,
                                 NULL, &out->specification, &index, err));
    out->kind = nb_routing_kinds[index];
    out->most_starts = 1;
    out->start_total = 1;
    if (topology->kind->is_one_way && strcmp(out->kind->kind.name, "min") != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s is not permitted on topology %s, where "
                       "every pair has one path (permitted: min)",
                       out->kind->kind.name, topology->kind->kind.name));
    NB_TRY(out->kind->build(out, err));
done:
    if (status != NB_OK)
        nb_routing_release(out);
    return nb_fail_in(status, err, "routing");
}

enum nb_status nb_routing_needs_hosts(const char *specification,
                                      const struct nb_topology *topology,
                                      bool *out, struct nb_error *err)
{
    struct nb_specification given = { 0 };
    size_t index;
    *out = false;
    if (!nb_terminals_are_shared(topology))
        return NB_OK;
    const enum nb_status status =
        nb_specification_read(specification, "routing", nb_routing_kind_at,
                              NULL, &given, &index, err);
    if (status == NB_OK)
        *out = nb_routing_kinds[index]->is_by_terminal;
    nb_specification_release(&given);
    return status == NB_NO_MEMORY ? status : NB_OK;
}

enum nb_status nb_routing_check(const struct nb_routing *routing,
                                struct nb_error *err)
{
    if (routing != NULL && routing->kind != NULL)
        return nb_topology_check(routing->topology, err);
    return nb_fail(err, NB_INVALID,
                   "a routing without a scheme (permitted: one that "
                   "nb_routing_build made)");
}

void nb_routing_release(struct nb_routing *routing)
{
    if (routing->directions != NULL && routing->directions != routing->phase) {
        nb_routing_release(routing->directions);
        nb_delete(routing->directions);
    }
    if (routing->phase != NULL)
        nb_routing_release(routing->phase);
    nb_delete(routing->phase);
    nb_delete(routing->endpoint);
    for (size_t set = 0; set < NB_MOST_SETS; set++)
        nb_delete(routing->ways[set]);
    nb_strays_release(routing->strays);
    nb_delete(routing->plan);
    nb_specification_release(&routing->specification);
    *routing = (struct nb_routing){ 0 };
}

size_t nb_route_starts(const struct nb_routing *routing, uint32_t source,
                       uint32_t destination, struct nb_start *starts)
{
    if (routing->phase != NULL)
        return nb_two_phase_starts(routing, source, destination, starts);
    starts[0] = (struct nb_start){ .state = 0, .weight = 1 };
    const size_t count =
        routing->kind->start != NULL
            ? routing->kind->start(routing, source, destination, starts)
            : 1;
    for (size_t i = 0; i < count; i++)
        starts[i].intermediates = 0;
    return count;
}

nb_route_state nb_route_begin(const struct nb_routing *routing,
                              const struct nb_start *start, uint64_t index,
                              uint32_t source, uint32_t destination)
{
    return routing->phase != NULL
               ? nb_two_phase_begin(routing, start, index, source, destination)
               : start->state;
}

uint32_t nb_route_target(const struct nb_routing *routing, nb_route_state state,
                         uint32_t router, uint32_t destination)
{
    return routing->phase != NULL
               ? nb_two_phase_target(state, router, destination)
               : destination;
}

size_t nb_route_step(const struct nb_routing *routing,
                     const struct nb_route_table *table, nb_route_state state,
                     uint32_t router, uint32_t destination, struct nb_hop *hops)
{
    return routing->phase != NULL
               ? nb_two_phase_step(routing, table, state, router, destination,
                                   hops)
               : routing->kind->step(routing, table, state, router, destination,
                                     hops);
}

enum nb_status nb_routing_refuse(const struct nb_routing *routing,
                                 const char *wanted, struct nb_error *err)
{
    struct nb_text topology = { 0 };
    nb_specification_print(&routing->topology->specification, &topology);
    enum nb_status status = nb_text_check(&topology, err);
    if (status == NB_OK)
        status =
            nb_fail(err, NB_INVALID, "routing %s: topology %.60s is not %s",
                    routing->kind->kind.name, topology.bytes, wanted);
    nb_text_release(&topology);
    return status;
}

enum nb_status nb_routing_refuse_adaptive(const struct nb_routing *routing,
                                          struct nb_error *err)
{
    if (!routing->kind->is_adaptive)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "routing %s may adapt to the state of the network, so its "
                   "loads are not known (permitted here: oblivious schemes%s)",
                   routing->kind->kind.name,
                   routing->is_minimal ? "; worst-case bounds this one" : "");
}

void nb_routing_add_count(struct nb_routing *routing, const char *name,
                          uint64_t count)
{
    assert(routing->count_count < NB_MOST_ROUTE_COUNTS);
    routing->counts[routing->count_count++] =
        (struct nb_route_count){ .name = name, .count = count };
}

size_t nb_most_degree(const struct nb_topology *topology)
{
    size_t most = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const size_t degree =
            topology->out_start[r + 1] - topology->out_start[r];
        most = degree > most ? degree : most;
    }
    return most;
}

const struct nb_routing *nb_route_alike(const struct nb_routing *routing)
{
    const bool is_on_the_way = routing->intermediate == NB_IN_QUADRANT &&
                               routing->directions == routing->phase &&
                               routing->topology->grid.dimensions == 1;
    return is_on_the_way ? routing->phase : routing;
}
