#include "routing/routing.h"

#include "core/memory.h"
#include "routing/two_phase.h"
#include "topology/metrics.h"

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
    NB_TRY(nb_specification_read(specification, "routing", nb_routing_kind_at,
                                 NULL, &out->specification, &index, err));
    out->kind = nb_routing_kinds[index];
    out->most_starts = 1;
    out->start_total = 1;
    NB_TRY(out->kind->build(out, err));
done:
    if (status != NB_OK)
        nb_routing_release(out);
    return status;
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
        starts[i].way_points = 1;
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
    const bool is_on_the_way = routing->way_point == NB_IN_QUADRANT &&
                               routing->directions == routing->phase &&
                               routing->topology->grid.dimensions == 1;
    return is_on_the_way ? routing->phase : routing;
}

enum nb_status nb_route_table_init(const struct nb_topology *topology,
                                   struct nb_route_table *table,
                                   struct nb_error *err)
{
    const size_t n = topology->router_count;
    enum nb_status status = NB_OK;
    *table = (struct nb_route_table){ .target = NB_NONE };
    NB_TRY(
        nb_new(&table->distance, n, sizeof *table->distance, "distances", err));
    NB_TRY(nb_new(&table->paths, n, sizeof *table->paths, "path counts", err));
    NB_TRY(nb_new(&table->paths_value, n, sizeof *table->paths_value,
                  "path counts", err));
done:
    if (status != NB_OK)
        nb_route_table_release(table);
    return status;
}

void nb_route_table_release(struct nb_route_table *table)
{
    nb_delete(table->distance);
    nb_delete(table->paths);
    nb_delete(table->paths_value);
    *table = (struct nb_route_table){ 0 };
}

/* Sums the counts of the next routers; an exact sum above 2^62 becomes 0. */
static void route_count_paths(const struct nb_topology *topology,
                              struct nb_route_table *table, uint32_t router)
{
    uint64_t paths = 0;
    long double value = 0;
    bool fits = true;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        const uint32_t next = topology->channels[c].target;
        if (table->distance[next] + 1 != table->distance[router])
            continue;
        fits = fits && table->paths[next] != 0;
        paths += table->paths[next];
        fits = fits && paths <= (uint64_t)1 << 62;
        value += table->paths_value[next];
    }
    table->paths[router] = fits ? paths : 0;
    table->paths_value[router] = fits ? (long double)paths : value;
}

void nb_route_table_fill(const struct nb_topology *topology, uint32_t target,
                         struct nb_route_table *table, uint32_t *queue)
{
    if (table->target == target)
        return;
    nb_distances_to(topology, target, table->distance, queue);
    table->target = target;
    /* The search leaves the routers in queue by distance from the target. */
    table->paths[target] = 1;
    table->paths_value[target] = 1;
    for (size_t i = 1; i < topology->router_count; i++)
        route_count_paths(topology, table, queue[i]);
}
