/* Unbalanced worst cases as tables (declared in worst_case_tables.h). */
#include "questions/worst_case/worst_case_tables.h"

#include "ask/table_read.h"
#include "core/memory.h"

#define UNBALANCED_MOST ((int64_t)1 << 62) /* denominator, sum of duals */

const struct nb_table_kind nb_unbalanced_bounds = {
    "bounds",
    NB_COLUMNS(NB_BOUND_COLUMNS(struct nb_unbalanced_bound,
                                NB_AMONG(1, UNBALANCED_MOST)),
               NB_COLUMN(struct nb_unbalanced_bound, rate,
                         "rate:ratio [packets/cycle/terminal]",
                         NB_AMONG(0, INT64_MAX))),
    true
};

const struct nb_table_kind nb_unbalanced_duals = {
    "duals", NB_COLUMNS(NB_DUAL_COLUMNS(NB_UP_TO(dual))), true
};

struct unbalanced_row {
    struct nb_unbalanced_flow flow;
    uint32_t source, destination;
};
const struct nb_table_kind nb_unbalanced_traffic = {
    "traffic",
    NB_COLUMNS(NB_COLUMN(struct unbalanced_row, flow.row, "source_side",
                         NB_BELOW(sides)),
               NB_COLUMN(struct unbalanced_row, flow.column, "destination_side",
                         NB_BELOW(sides)),
               NB_FIELD(struct unbalanced_row, source, NB_BELOW(routers)),
               NB_FIELD(struct unbalanced_row, destination, NB_BELOW(routers)),
               NB_COLUMN(struct unbalanced_row, flow.amount,
                         "rate:ratio [packets/cycle/terminal]",
                         NB_AMONG(0, INT64_MAX))),
    true
};

void nb_unbalanced_add_tables(const struct nb_topology *topology,
                              const struct nb_unbalanced_case *unbalanced,
                              struct nb_point *out)
{
    const uint32_t *router = unbalanced->sides.router;
    nb_table_add_worst(&nb_worst_rate, topology,
                       unbalanced->bounds[unbalanced->worst].channel,
                       unbalanced->flow_rate, out);
    NB_WRITE_ROWS(out, &nb_unbalanced_bounds, unbalanced->bounds,
                  unbalanced->bound_count);
    const size_t duals = nb_table_start(out, &nb_unbalanced_duals);
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &unbalanced->bounds[b];
        if (bound->has_duals)
            nb_table_add_duals(duals, bound->channel, unbalanced->sides.count,
                               bound->row, bound->column, out);
    }
    const size_t table = nb_table_start(out, &nb_unbalanced_traffic);
    for (size_t f = 0; f < unbalanced->flow_count; f++) {
        const struct nb_unbalanced_flow *flow = &unbalanced->flows[f];
        NB_ROW(out, table, flow->row, flow->column, router[flow->row],
               router[flow->column], flow->amount);
    }
}

static enum nb_status unbalanced_read_duals(const struct nb_point *given,
                                            const struct nb_row_limits *limits,
                                            struct nb_unbalanced_case *out,
                                            struct nb_error *err)
{
    const struct nb_table *table;
    size_t b = 0;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < out->bound_count; i++)
        if (out->bounds[i].has_duals)
            NB_TRY(nb_unbalanced_bound_reserve(&out->bounds[i],
                                               out->sides.count, err));
    NB_TRY(nb_table_find(&nb_unbalanced_duals, "", given, &table, err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct nb_dual_row row;
        NB_TRY(nb_table_read_row(&nb_unbalanced_duals, table, r, limits, &row,
                                 err));
        b = nb_bound_find(out->bounds, out->bound_count, sizeof *out->bounds,
                          row.channel, b);
        if (b == SIZE_MAX || !out->bounds[b].has_duals)
            NB_TRY(nb_table_refute(table->name, r, err));
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
    NB_TRY(nb_table_find(&nb_unbalanced_traffic, "", given, &table, err));
    NB_TRY(nb_new(&out->flows, table->row_count, sizeof *out->flows, "traffic",
                  err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct unbalanced_row row;
        NB_TRY(nb_table_read_row(&nb_unbalanced_traffic, table, r, limits, &row,
                                 err));
        if (nb_ratio_is_infinite(row.flow.amount))
            NB_TRY(nb_table_refute(table->name, r, err));
        out->flows[out->flow_count++] = row.flow;
    }
done:
    return status;
}

enum nb_status nb_unbalanced_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_unbalanced_case *out,
                                         struct nb_error *err)
{
    struct nb_row_limits limits;
    enum nb_status status;
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    limits = nb_table_limits(topology, &out->sides);
    limits.dual = UNBALANCED_MOST / limits.sides;
    NB_TRY(nb_table_read_bounds(&nb_unbalanced_bounds, given, topology, &limits,
                                &out->bounds, &out->bound_count,
                                sizeof *out->bounds, err));
    NB_TRY(unbalanced_read_duals(given, &limits, out, err));
    NB_TRY(unbalanced_read_traffic(given, &limits, out, err));
    NB_TRY(nb_table_read_worst(&nb_worst_rate, given, &limits, out->bounds,
                               out->bound_count, sizeof *out->bounds,
                               &out->worst, &out->flow_rate, err));
    if (out->bounds[out->worst].is_exact)
        out->rate.exact = out->bounds[out->worst].rate;
done:
    return status;
}
