#include "traffic/rows.h"

#include "core/memory.h"

#define ROWS_MOST ((uint64_t)1 << 62)

static enum nb_status rows_overflow(struct nb_error *err)
{
    return nb_fail(err, NB_OVERFLOW,
                   "multiples of what routers send do not fit in 62 bits");
}

enum nb_status nb_traffic_rows(const struct nb_traffic *traffic,
                               const struct nb_topology *topology,
                               uint64_t *row, struct nb_error *err)
{
    const size_t n = topology->router_count;
    uint64_t *column = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&column, n, sizeof *column, "rates", err));
    for (size_t i = 0; i < n; i++)
        row[i] = 0;
    for (uint32_t j = 0; j < n; j++) {
        NB_TRY(nb_traffic_column(traffic, topology, j, column, err));
        for (size_t i = 0; i < n; i++)
            if (__builtin_add_overflow(row[i], column[i], &row[i]) ||
                row[i] >= ROWS_MOST)
                NB_TRY(rows_overflow(err));
    }
done:
    nb_delete(column);
    return status;
}

/* Adds the demands to one router; column: scratch, [router_count]. */
static enum nb_status rows_add(const struct nb_traffic *traffic,
                               const struct nb_topology *topology,
                               const struct nb_ratio *factor, int64_t common,
                               uint32_t target, uint64_t *column,
                               struct nb_traffic *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_column(traffic, topology, target, column, err));
    for (uint32_t i = 0; i < topology->router_count; i++) {
        const nb_int128 times =
            (nb_int128)factor[i].numerator * (common / factor[i].denominator);
        if (times > INT64_MAX ||
            times * (nb_int128)column[i] >= (nb_int128)ROWS_MOST)
            NB_TRY(rows_overflow(err));
        NB_TRY(nb_traffic_add(out, i, target,
                              (uint64_t)(times * (nb_int128)column[i]), err));
    }
done:
    return status;
}

enum nb_status nb_traffic_times(const struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                const struct nb_ratio *factor,
                                struct nb_traffic *out, struct nb_error *err)
{
    const size_t n = topology->router_count;
    uint64_t *column = NULL;
    int64_t common = 1;
    enum nb_status status = NB_OK;
    *out = (struct nb_traffic){ .router_count = n };
    for (size_t i = 0; i < n && common > 0; i++)
        common = nb_unite(common, factor[i].denominator, INT64_MAX / 2);
    if (common == 0 ||
        __builtin_mul_overflow(traffic->denominator, (uint64_t)common,
                               &out->denominator) ||
        out->denominator >= ROWS_MOST)
        NB_TRY(rows_overflow(err));
    NB_TRY(nb_new(&column, n, sizeof *column, "rates", err));
    NB_TRY(nb_new(&out->column_start, n + 1, sizeof *out->column_start,
                  "columns of demands", err));
    for (uint32_t j = 0; j < n; j++) {
        NB_TRY(
            rows_add(traffic, topology, factor, common, j, column, out, err));
        out->column_start[j + 1] = out->demand_count;
    }
    uint64_t shared = out->denominator;
    for (size_t d = 0; d < out->demand_count; d++)
        shared = nb_gcd(shared, out->demands[d].weight);
    out->denominator /= shared;
    for (size_t d = 0; d < out->demand_count; d++)
        out->demands[d].weight /= shared;
done:
    nb_delete(column);
    if (status != NB_OK)
        nb_traffic_release(out);
    return status;
}
