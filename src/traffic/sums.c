/* Sums of a traffic matrix (declared in traffic/traffic.h). */
#include "traffic/traffic.h"

#include "core/memory.h"

#include <inttypes.h>

enum nb_status nb_traffic_column(const struct nb_traffic *traffic,
                                 const struct nb_topology *topology,
                                 uint32_t target, uint64_t *rate,
                                 struct nb_error *err)
{
    /* Not nb_traffic_check, which would look at all demands for every
     * column. */
    if (traffic->router_count != topology->router_count ||
        target >= topology->router_count)
        return nb_fail(err, NB_INVALID,
                       "router %" PRIu32 " of a traffic of %zu routers on a "
                       "network of %zu (permitted: equal "
                       "numbers)",
                       target, traffic->router_count, topology->router_count);
    for (size_t i = 0; i < traffic->router_count; i++)
        rate[i] = 0;
    for (size_t d = traffic->column_start[target];
         d < traffic->column_start[target + 1]; d++)
        rate[traffic->demands[d].source] = traffic->demands[d].weight;
    for (size_t i = 0; i < traffic->router_count; i++) {
        const nb_uint128 pairs = nb_traffic_even(traffic, topology, i, target);
        /* pairs < 2^64, background < 2^62: 128 bits do not overflow. */
        const nb_uint128 sum = pairs * traffic->background + rate[i];
        if (sum > INT64_MAX)
            return nb_fail(err, NB_OVERFLOW,
                           "the traffic from router %zu to router %" PRIu32
                           " does not fit in 63 bits",
                           i, target);
        rate[i] = (uint64_t)sum;
    }
    return NB_OK;
}

/* sum / (denominator terminals), kept in *largest if it is larger. */
static enum nb_status
sums_update(const struct nb_traffic *traffic, const char *what, size_t router,
            nb_uint128 sum, uint32_t terminals, struct nb_ratio *largest,
            uint32_t *largest_router, struct nb_error *err)
{
    struct nb_ratio ratio = { 0, 0 };
    if (sum >> 127 == 0)
        ratio = nb_ratio_make((nb_int128)sum,
                              (nb_int128)traffic->denominator * terminals);
    if (!nb_ratio_is_known(ratio))
        return nb_fail(err, NB_OVERFLOW,
                       "the %s sum of router %zu does not fit in 63 bits", what,
                       router);
    if (nb_ratio_compare(ratio, *largest) > 0) {
        *largest = ratio;
        *largest_router = (uint32_t)router;
    }
    return NB_OK;
}

enum nb_status nb_traffic_sums_find(const struct nb_traffic *traffic,
                                    const struct nb_topology *topology,
                                    struct nb_traffic_sums *out,
                                    struct nb_error *err)
{
    nb_uint128 *row = NULL, *column = NULL;
    enum nb_status status;
    *out = (struct nb_traffic_sums){ { -1, 1 }, NB_NONE, { -1, 1 }, NB_NONE };
    NB_TRY(nb_traffic_check(traffic, topology, err));
    const size_t routers = traffic->router_count;
    const uint32_t *terminals = topology->terminals;
    NB_TRY(nb_new(&row, routers, sizeof *row, "row sums", err));
    NB_TRY(nb_new(&column, routers, sizeof *column, "column sums", err));
    for (size_t i = 0; i < routers; i++)
        row[i] = column[i] = (nb_uint128)traffic->background *
                             nb_traffic_even_row(traffic, topology, i);
    for (size_t d = 0; d < traffic->demand_count; d++) {
        row[traffic->demands[d].source] += traffic->demands[d].weight;
        column[traffic->demands[d].target] += traffic->demands[d].weight;
    }
    for (size_t i = 0; i < routers; i++) {
        if (terminals[i] == 0)
            continue; /* patterns give routers without terminals no traffic */
        NB_TRY(sums_update(traffic, "row", i, row[i], terminals[i], &out->row,
                           &out->row_router, err));
        NB_TRY(sums_update(traffic, "column", i, column[i], terminals[i],
                           &out->column, &out->column_router, err));
    }
done:
    nb_delete(row);
    nb_delete(column);
    return status;
}
