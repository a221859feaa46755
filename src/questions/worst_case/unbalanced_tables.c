/* Unbalanced worst cases as tables (declared in worst_case_tables.h). */
#include "questions/worst_case/worst_case_tables.h"

#include "ask/table_read.h"
#include "core/memory.h"

#define UNBALANCED_MOST ((int64_t)1 << 62) /* denominator, sum of duals */

static const struct nb_table_kind unbalanced_bounds = {
    "bounds",
    NB_COLUMNS(NB_BOUND_COLUMNS(NB_AMONG(1, UNBALANCED_MOST)),
               NB_COLUMN(struct nb_bound_row, ratio,
                         "rate:ratio [packets/cycle/terminal]",
                         NB_AMONG(0, INT64_MAX))),
    true
};

static const struct nb_table_kind unbalanced_duals = {
    "duals", NB_COLUMNS(NB_DUAL_COLUMNS(NB_UP_TO(dual))), true
};

struct unbalanced_row {
    uint32_t source_side, destination_side, source, destination;
    struct nb_ratio rate;
};
static const struct nb_table_kind unbalanced_traffic = {
    "traffic",
    NB_COLUMNS(
        NB_FIELD(struct unbalanced_row, source_side, NB_BELOW(sides)),
        NB_FIELD(struct unbalanced_row, destination_side, NB_BELOW(sides)),
        NB_FIELD(struct unbalanced_row, source, NB_BELOW(routers)),
        NB_FIELD(struct unbalanced_row, destination, NB_BELOW(routers)),
        NB_COLUMN(struct unbalanced_row, rate,
                  "rate:ratio [packets/cycle/terminal]",
                  NB_AMONG(0, INT64_MAX))),
    true
};

static void unbalanced_add_bounds(const struct nb_topology *topology,
                                  const struct nb_unbalanced_case *unbalanced,
                                  struct nb_point *out)
{
    const size_t table = nb_table_start(out, &unbalanced_bounds);
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &unbalanced->bounds[b];
        const struct nb_bound_row row = {
            .channel = bound->channel,
            .orbit_size = bound->orbit_size,
            .has_duals = bound->row != NULL,
            .is_exact = bound->is_exact,
            .denominator = bound->denominator,
            .ratio = bound->rate,
        };
        nb_table_add_bound(&unbalanced_bounds, table, topology, row, out);
    }
}

static void unbalanced_add_duals(const struct nb_unbalanced_case *unbalanced,
                                 struct nb_point *out)
{
    const size_t table = nb_table_start(out, &unbalanced_duals);
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &unbalanced->bounds[b];
        if (bound->row != NULL)
            nb_table_add_duals(&unbalanced_duals, table, bound->channel,
                               unbalanced->sides.count, bound->row,
                               bound->column, out);
    }
}

void nb_unbalanced_add_tables(const struct nb_topology *topology,
                              const struct nb_unbalanced_case *unbalanced,
                              struct nb_point *out)
{
    const uint32_t *router = unbalanced->sides.router;
    nb_table_add_worst(&nb_worst_rate, topology,
                       unbalanced->bounds[unbalanced->worst].channel,
                       unbalanced->flow_rate, out);
    unbalanced_add_bounds(topology, unbalanced, out);
    unbalanced_add_duals(unbalanced, out);
    const size_t table = nb_table_start(out, &unbalanced_traffic);
    for (size_t f = 0; f < unbalanced->flow_count; f++) {
        const struct nb_unbalanced_flow *flow = &unbalanced->flows[f];
        const struct unbalanced_row row = { flow->row, flow->column,
                                            router[flow->row],
                                            router[flow->column],
                                            flow->amount };
        nb_table_add_fields(out, table, &unbalanced_traffic, &row);
    }
}

static enum nb_status unbalanced_read_bounds(const struct nb_table *table,
                                             const struct nb_row_limits *limits,
                                             struct nb_unbalanced_case *out,
                                             struct nb_error *err)
{
    const size_t n = out->sides.count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&out->bounds, table->row_count, sizeof *out->bounds, "bounds",
                  err));
    for (size_t b = 0; b < table->row_count; b++) {
        struct nb_unbalanced_bound *bound = &out->bounds[b];
        struct nb_bound_row row;
        NB_TRY(
            nb_table_read_row(&unbalanced_bounds, table, b, limits, &row, err));
        *bound = (struct nb_unbalanced_bound){
            .channel = row.channel,
            .orbit_size = row.orbit_size,
            .is_exact = row.is_exact,
            .denominator = row.denominator,
            .rate = row.ratio,
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
                                            const struct nb_row_limits *limits,
                                            struct nb_unbalanced_case *out,
                                            struct nb_error *err)
{
    const struct nb_table *table;
    size_t b = 0;
    enum nb_status status;
    NB_TRY(nb_table_find(&unbalanced_duals, "", given, &table, err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct nb_dual_row row;
        NB_TRY(
            nb_table_read_row(&unbalanced_duals, table, r, limits, &row, err));
        b = nb_table_find_channel(bounds, row.channel, b);
        if (b == SIZE_MAX || out->bounds[b].row == NULL)
            NB_TRY(nb_table_refute(table, r, err));
        out->bounds[b].row[row.side] = row.row;
        out->bounds[b].column[row.side] = row.column;
    }
done:
    return status;
}

static enum nb_status
unbalanced_read_traffic(const struct nb_point *given,
                        const struct nb_row_limits *limits,
                        struct nb_unbalanced_case *out, struct nb_error *err)
{
    const struct nb_table *table;
    enum nb_status status;
    NB_TRY(nb_table_find(&unbalanced_traffic, "", given, &table, err));
    NB_TRY(nb_new(&out->flows, table->row_count, sizeof *out->flows, "traffic",
                  err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct unbalanced_row row;
        NB_TRY(nb_table_read_row(&unbalanced_traffic, table, r, limits, &row,
                                 err));
        if (nb_ratio_is_infinite(row.rate))
            NB_TRY(nb_table_refute(table, r, err));
        out->flows[out->flow_count++] =
            (struct nb_unbalanced_flow){ row.source_side, row.destination_side,
                                         row.rate };
    }
done:
    return status;
}

enum nb_status nb_unbalanced_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_unbalanced_case *out,
                                         struct nb_error *err)
{
    const struct nb_table *bounds;
    struct nb_row_limits limits;
    enum nb_status status;
    NB_TRY(nb_table_find(&unbalanced_bounds, "", given, &bounds, err));
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    limits = nb_table_limits(topology, &out->sides);
    limits.dual = UNBALANCED_MOST / limits.sides;
    NB_TRY(unbalanced_read_bounds(bounds, &limits, out, err));
    NB_TRY(unbalanced_read_duals(given, bounds, &limits, out, err));
    NB_TRY(unbalanced_read_traffic(given, &limits, out, err));
    NB_TRY(nb_table_read_worst(&nb_worst_rate, given, bounds, &limits,
                               &out->worst, &out->flow_rate, err));
    if (out->bounds[out->worst].is_exact)
        out->rate.exact = out->bounds[out->worst].rate;
done:
    return status;
}
