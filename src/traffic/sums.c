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

/* What each router sends and receives, over the denominator. */
static void sums_of_routers(const struct nb_traffic *traffic,
                            const struct nb_topology *topology, nb_uint128 *row,
                            nb_uint128 *column)
{
    for (size_t i = 0; i < traffic->router_count; i++)
        row[i] = column[i] = (nb_uint128)traffic->background *
                             nb_traffic_even_row(traffic, topology, i);
    for (size_t d = 0; d < traffic->demand_count; d++) {
        row[traffic->demands[d].source] += traffic->demands[d].weight;
        column[traffic->demands[d].target] += traffic->demands[d].weight;
    }
}

/* From the sums of routers to those of their terminals: what no single terminal
 * has is divided evenly. Weights have 64 bits and routers less than 2^32
 * terminals, so that sums do not overflow. */
static void sums_divide(const struct nb_topology *topology,
                        const nb_uint128 *of_router, nb_uint128 *of_terminal)
{
    size_t next = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const uint32_t terminals = topology->terminals[r];
        nb_uint128 rest = of_router[r];
        for (uint32_t t = 0; t < terminals; t++)
            rest -= of_terminal[next + t];
        for (uint32_t t = 0; t < terminals; t++, next++)
            of_terminal[next] = of_terminal[next] * terminals + rest;
    }
}

enum nb_status nb_traffic_sum_terminals(const struct nb_traffic *traffic,
                                        const struct nb_topology *topology,
                                        nb_uint128 *row, nb_uint128 *column,
                                        struct nb_error *err)
{
    const struct nb_demands *singles = &traffic->singles;
    nb_uint128 *own = NULL, *into = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&own, traffic->router_count, sizeof *own, "sums", err));
    NB_TRY(nb_new(&into, traffic->router_count, sizeof *into, "sums", err));
    sums_of_routers(traffic, topology, own, into);
    for (size_t t = 0; t < topology->terminal_count; t++)
        row[t] = column[t] = 0;
    for (size_t d = 0; d < singles->count; d++) {
        row[singles->entry[d].source] += singles->entry[d].weight;
        column[singles->entry[d].target] += singles->entry[d].weight;
    }
    sums_divide(topology, own, row);
    sums_divide(topology, into, column);
done:
    nb_delete(own);
    nb_delete(into);
    return status;
}

/* The quotients of sums and the denominator times the terminals. */
static void sums_enclose(const struct nb_traffic *traffic,
                         const struct nb_topology *topology,
                         const nb_uint128 *sum, struct nb_enclosure *out)
{
    size_t next = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        const nb_int128 whole =
            (nb_int128)traffic->denominator * topology->terminals[r];
        for (uint32_t t = 0; t < topology->terminals[r]; t++, next++) {
            struct nb_enclosure rate = { { 0, 0 }, 0, 0 };
            if (t > 0 && sum[next] == sum[next - 1]) {
                out[next] = out[next - 1];
                continue;
            }
            if (sum[next] >> 127 == 0)
                rate.exact = nb_ratio_make((nb_int128)sum[next], whole);
            /* Three roundings: of both and of the quotient. */
            const double quotient = (double)sum[next] / (double)whole;
            rate.lower = quotient * (1 - 0x1p-50);
            rate.upper = quotient * (1 + 0x1p-50);
            if (nb_ratio_is_known(rate.exact))
                nb_ratio_bracket(rate.exact, &rate.lower, &rate.upper);
            out[next] = rate;
        }
    }
}

enum nb_status nb_traffic_terminal_rates(const struct nb_traffic *traffic,
                                         const struct nb_topology *topology,
                                         struct nb_enclosure *row,
                                         struct nb_enclosure *column,
                                         struct nb_error *err)
{
    const size_t count = topology->terminal_count;
    nb_uint128 *own = NULL, *into = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&own, count, sizeof *own, "sums", err));
    NB_TRY(nb_new(&into, count, sizeof *into, "sums", err));
    NB_TRY(nb_traffic_sum_terminals(traffic, topology, own, into, err));
    if (row != NULL)
        sums_enclose(traffic, topology, own, row);
    if (column != NULL)
        sums_enclose(traffic, topology, into, column);
done:
    nb_delete(own);
    nb_delete(into);
    return status;
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
    const uint32_t *terminals = topology->terminals;
    const size_t count = topology->terminal_count;
    NB_TRY(nb_new(&row, count, sizeof *row, "row sums", err));
    NB_TRY(nb_new(&column, count, sizeof *column, "column sums", err));
    NB_TRY(nb_traffic_sum_terminals(traffic, topology, row, column, err));
    const bool is_even = traffic->singles.count == 0; /* the first for all */
    for (size_t i = 0, t = 0; i < traffic->router_count; i++) {
        const size_t next = t + terminals[i];
        for (; t < next; t = is_even ? next : t + 1) {
            NB_TRY(sums_update(traffic, "row", i, row[t], terminals[i],
                               &out->row, &out->row_router, err));
            NB_TRY(sums_update(traffic, "column", i, column[t], terminals[i],
                               &out->column, &out->column_router, err));
        }
    }
done:
    nb_delete(row);
    nb_delete(column);
    return status;
}

struct nb_ratio nb_traffic_sums_most(const struct nb_traffic_sums *sums)
{
    return nb_ratio_compare(sums->row, sums->column) > 0 ? sums->row
                                                         : sums->column;
}
