#include "routing/route_tables.h"

#include "core/memory.h"

#include <float.h>

enum nb_status nb_route_tables_init(const struct nb_routing *routing,
                                    size_t most, struct nb_route_tables *out,
                                    struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    enum nb_status status = NB_OK;
    *out = (struct nb_route_tables){ .routing = routing };
    if (!routing->needs_table)
        return NB_OK;
    out->count = most < n ? most : n;
    NB_TRY(nb_new(&out->table, out->count, sizeof *out->table, "route tables",
                  err));
    NB_TRY(nb_new(&out->queue, n, sizeof *out->queue, "route tables", err));
done:
    if (status != NB_OK)
        nb_route_tables_release(out);
    return status;
}

void nb_route_tables_release(struct nb_route_tables *tables)
{
    for (size_t t = 0; t < tables->count && tables->table != NULL; t++)
        nb_route_table_release(&tables->table[t]);
    nb_delete(tables->table);
    nb_delete(tables->queue);
    *tables = (struct nb_route_tables){ 0 };
}

enum nb_status nb_route_tables_find(struct nb_route_tables *tables,
                                    nb_route_state state, uint32_t router,
                                    uint32_t destination,
                                    const struct nb_route_table **out,
                                    struct nb_error *err)
{
    const struct nb_routing *routing = tables->routing;
    enum nb_status status = NB_OK;
    *out = NULL;
    if (tables->count == 0)
        return NB_OK;
    const uint32_t target =
        nb_route_target(routing, state, router, destination);
    struct nb_route_table *table = &tables->table[target % tables->count];
    if (table->distance == NULL)
        NB_TRY(nb_route_table_init(routing->topology, table, err));
    nb_route_table_fill(routing->topology, target, table, tables->queue);
    if (!(table->paths_value[router] <= LDBL_MAX))
        NB_TRY(nb_fail(err, NB_OVERFLOW,
                       "router %u has more than %Lg shortest paths to router "
                       "%u",
                       router, LDBL_MAX, target));
    *out = table;
done:
    return status;
}
