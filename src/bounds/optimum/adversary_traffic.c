/* The traffic of a permutation of sides (declared in adversary.h). */
#include "bounds/optimum/adversary.h"

#include "core/memory.h"

/* Adds a demand to the last column, ordered by source; pairs met again add
 * up. */
static enum nb_status adversary_add(struct nb_traffic *traffic, size_t first,
                                    struct nb_demand demand,
                                    struct nb_error *err)
{
    size_t place = traffic->demand_count;
    while (place > first && traffic->demands[place - 1].source > demand.source)
        place--;
    if (place > first && traffic->demands[place - 1].source == demand.source) {
        traffic->demands[place - 1].weight += demand.weight;
        return NB_OK;
    }
    const enum nb_status status = nb_traffic_add(
        traffic, demand.source, demand.target, demand.weight, err);
    if (status != NB_OK)
        return status;
    for (size_t d = traffic->demand_count - 1; d > place; d--)
        traffic->demands[d] = traffic->demands[d - 1];
    traffic->demands[place] = demand;
    return NB_OK;
}

enum nb_status nb_adversary_traffic(const struct nb_topology *topology,
                                    const struct nb_sides *sides,
                                    const uint32_t *permutation,
                                    struct nb_traffic *out,
                                    struct nb_error *err)
{
    const size_t routers = topology->router_count;
    uint32_t *sender = NULL;
    size_t t = 0;
    enum nb_status status;
    *out = (struct nb_traffic){ .router_count = routers, .denominator = 1 };
    NB_TRY(nb_new(&sender, sides->count, sizeof *sender, "senders", err));
    NB_TRY(nb_new(&out->column_start, routers + 1, sizeof *out->column_start,
                  "columns of demands", err));
    for (uint32_t s = 0; s < sides->count; s++)
        sender[permutation[s]] = s;
    for (uint32_t r = 0; r < routers; r++) {
        for (; t < sides->count && sides->router[t] == r; t++)
            NB_TRY(adversary_add(out, out->column_start[r],
                                 (struct nb_demand){ sides->router[sender[t]],
                                                     r, sides->multiplicity },
                                 err));
        out->column_start[r + 1] = out->demand_count;
    }
done:
    nb_delete(sender);
    if (status != NB_OK)
        nb_traffic_release(out);
    return status;
}
