/* Unbalanced worst cases as tables (declared in worst_case_tables.h). */
#include "questions/worst_case/worst_case_tables.h"

#include "questions/table_read.h"
#include "core/memory.h"

#define UNBALANCED_BOUNDS NB_BOUND_HEADER "rate:ratio [packets/cycle/terminal]"
enum { BOUNDS_RATE = NB_BOUND_WIDTH, BOUNDS_WIDTH };

#define UNBALANCED_WORST                                                       \
    NB_WORST_HEADER "traffic_rate:ratio [packets/cycle/terminal]"

#define UNBALANCED_TRAFFIC                                                     \
    "source_side,destination_side,source,destination,"                         \
    "rate:ratio [packets/cycle/terminal]"
enum {
    TRAFFIC_SOURCE_SIDE,
    TRAFFIC_DESTINATION_SIDE,
    TRAFFIC_SOURCE,
    TRAFFIC_DESTINATION,
    TRAFFIC_RATE,
    TRAFFIC_WIDTH,
};

static void unbalanced_add_bounds(const struct nb_topology *topology,
                                  const struct nb_unbalanced_case *unbalanced,
                                  struct nb_point *out)
{
    const size_t table =
        nb_point_add_table(out, "bounds", true, UNBALANCED_BOUNDS);
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &unbalanced->bounds[b];
        const struct nb_bound_row row = { bound->channel, bound->orbit_size,
                                          bound->row != NULL, bound->is_exact,
                                          bound->denominator };
        nb_table_add_bound(out, table, topology, &row);
        nb_table_add_ratio(out, table, bound->rate);
    }
}

static void unbalanced_add_duals(const struct nb_unbalanced_case *unbalanced,
                                 struct nb_point *out)
{
    const size_t table =
        nb_point_add_table(out, "duals", true, NB_DUALS_HEADER);
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &unbalanced->bounds[b];
        if (bound->row != NULL)
            nb_table_add_duals(out, table, bound->channel,
                               unbalanced->sides.count, bound->row,
                               bound->column);
    }
}

void nb_unbalanced_add_tables(const struct nb_topology *topology,
                              const struct nb_unbalanced_case *unbalanced,
                              struct nb_point *out)
{
    nb_table_add_worst(out, UNBALANCED_WORST, topology,
                       unbalanced->bounds[unbalanced->worst].channel,
                       unbalanced->flow_rate);
    unbalanced_add_bounds(topology, unbalanced, out);
    unbalanced_add_duals(unbalanced, out);
    const size_t table =
        nb_point_add_table(out, "traffic", true, UNBALANCED_TRAFFIC);
    for (size_t f = 0; f < unbalanced->flow_count; f++) {
        const struct nb_unbalanced_flow *flow = &unbalanced->flows[f];
        nb_table_add_whole(out, table, flow->row);
        nb_table_add_whole(out, table, flow->column);
        nb_table_add_whole(out, table, unbalanced->sides.router[flow->row]);
        nb_table_add_whole(out, table, unbalanced->sides.router[flow->column]);
        nb_table_add_ratio(out, table, flow->amount);
    }
}

static enum nb_status unbalanced_read_bounds(const struct nb_topology *topology,
                                             const struct nb_table *table,
                                             struct nb_unbalanced_case *out,
                                             struct nb_error *err)
{
    const size_t n = out->sides.count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->bounds, table->row_count, sizeof *out->bounds, "bounds",
                  err));
    for (size_t b = 0; b < table->row_count; b++) {
        struct nb_unbalanced_bound *bound = &out->bounds[b];
        const struct nb_ratio rate = nb_table_ratio(table, b, BOUNDS_RATE);
        struct nb_bound_row row;
        if (!nb_table_read_bound(table, b, topology, &row) ||
            row.denominator < 1 || row.denominator > (int64_t)1 << 62 ||
            !nb_ratio_is_known(rate))
            return nb_table_bad_row(table->name, b, err);
        *bound = (struct nb_unbalanced_bound){
            .channel = row.channel,
            .orbit_size = row.orbit_size,
            .is_exact = row.is_exact,
            .denominator = row.denominator,
            .rate = rate,
        };
        out->bound_count = b + 1;
        if (!row.has_duals)
            continue;
        NB_TRY(nb_new(&bound->row, n, sizeof *bound->row, "duals", err));
        NB_TRY(nb_new(&bound->column, n, sizeof *bound->column, "duals", err));
    }
done:
    return status;
}

static enum nb_status unbalanced_read_duals(const struct nb_point *given,
                                            const struct nb_table *bounds,
                                            struct nb_unbalanced_case *out,
                                            struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "duals", NB_DUALS_WIDTH, err);
    const int64_t most = ((int64_t)1 << 62) / (int64_t)out->sides.count;
    const int64_t last = (int64_t)out->sides.count - 1;
    size_t b = 0;
    if (table == NULL)
        return NB_REFUTED;
    for (size_t r = 0; r < table->row_count; r++) {
        b = nb_table_find_row(
            bounds, NB_BOUND_CHANNEL,
            nb_table_whole(table, r, NB_DUALS_CHANNEL, UINT32_MAX), b);
        const int64_t side = nb_table_whole(table, r, NB_DUALS_SIDE, last);
        const int64_t row = nb_table_whole(table, r, NB_DUALS_ROW, most);
        const int64_t column = nb_table_whole(table, r, NB_DUALS_COLUMN, most);
        if (b == SIZE_MAX || out->bounds[b].row == NULL || side < 0 ||
            row < 0 || column < 0)
            return nb_table_bad_row("duals", r, err);
        out->bounds[b].row[side] = row;
        out->bounds[b].column[side] = column;
    }
    return NB_OK;
}

static enum nb_status unbalanced_read_traffic(const struct nb_point *given,
                                              struct nb_unbalanced_case *out,
                                              struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "traffic", TRAFFIC_WIDTH, err);
    const int64_t last = (int64_t)out->sides.count - 1;
    if (table == NULL)
        return NB_REFUTED;
    const enum nb_status status = nb_new(&out->flows, table->row_count,
                                         sizeof *out->flows, "traffic", err);
    if (status != NB_OK)
        return status;
    for (size_t r = 0; r < table->row_count; r++) {
        const int64_t row = nb_table_whole(table, r, TRAFFIC_SOURCE_SIDE, last);
        const int64_t column =
            nb_table_whole(table, r, TRAFFIC_DESTINATION_SIDE, last);
        const struct nb_ratio amount = nb_table_ratio(table, r, TRAFFIC_RATE);
        if (row < 0 || column < 0 || !nb_ratio_is_known(amount) ||
            nb_ratio_is_infinite(amount))
            return nb_table_bad_row("traffic", r, err);
        out->flows[out->flow_count++] =
            (struct nb_unbalanced_flow){ (uint32_t)row, (uint32_t)column,
                                         amount };
    }
    return NB_OK;
}

enum nb_status nb_unbalanced_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_unbalanced_case *out,
                                         struct nb_error *err)
{
    const struct nb_table *bounds =
        nb_table_find(given, "bounds", BOUNDS_WIDTH, err);
    enum nb_status status = bounds != NULL ? NB_OK : NB_REFUTED;
    NB_TRY(status);
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    NB_TRY(unbalanced_read_bounds(topology, bounds, out, err));
    NB_TRY(unbalanced_read_duals(given, bounds, out, err));
    NB_TRY(unbalanced_read_traffic(given, out, err));
    NB_TRY(
        nb_table_read_worst(given, bounds, &out->worst, &out->flow_rate, err));
    if (!nb_ratio_is_known(out->flow_rate))
        NB_TRY(nb_table_bad_row("worst_channel", 0, err));
    if (out->bounds[out->worst].is_exact)
        out->rate = out->bounds[out->worst].rate;
done:
    return status;
}
