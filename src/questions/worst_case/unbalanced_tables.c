/* Unbalanced worst cases as tables (declared in worst_case_tables.h). */
#include "questions/worst_case/worst_case_tables.h"

#include "ask/table_read.h"
#include "core/memory.h"

#define UNBALANCED_MOST ((int64_t)1 << 62) /* denominator, sum of duals */

const struct nb_table_kind nb_unbalanced_bounds = {
    .name = "bounds",
    .columns = NB_COLUMNS(NB_BOUND_COLUMNS(struct nb_unbalanced_bound,
                                           NB_AMONG(1, UNBALANCED_MOST)),
                          NB_COLUMN(struct nb_unbalanced_bound, rate,
                                    "rate:ratio [packets/cycle/terminal]",
                                    NB_AMONG(0, INT64_MAX))),
    .is_certificate = true
};

const struct nb_table_kind nb_unbalanced_duals = {
    .name = "duals",
    .columns = NB_COLUMNS(NB_DUAL_COLUMNS(NB_UP_TO(dual))),
    .is_certificate = true
};

struct unbalanced_row {
    struct nb_unbalanced_flow flow;
    uint32_t source, destination;
};
const struct nb_table_kind nb_unbalanced_traffic = {
    .name = "traffic",
    .columns = NB_COLUMNS(
        NB_COLUMN(struct unbalanced_row, flow.row, "source_side",
                  NB_BELOW(sides)),
        NB_COLUMN(struct unbalanced_row, flow.column, "destination_side",
                  NB_BELOW(sides)),
        NB_FIELD(struct unbalanced_row, source, NB_BELOW(routers)),
        NB_FIELD(struct unbalanced_row, destination, NB_BELOW(routers)),
        NB_COLUMN(struct unbalanced_row, flow.amount,
                  "rate:ratio [packets/cycle/terminal]",
                  NB_AMONG(0, INT64_MAX))),
    .is_certificate = true
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

static void unbalanced_read_duals(struct nb_table_reader *in,
                                  struct nb_unbalanced_case *out)
{
    struct nb_dual_row row;
    size_t b = 0;
    for (size_t i = 0; i < out->bound_count && in->status == NB_OK; i++)
        if (out->bounds[i].has_duals)
            in->status = nb_unbalanced_bound_reserve(&out->bounds[i],
                                                     out->sides.count, in->err);
    while (nb_read_row(in, &nb_unbalanced_duals, &row)) {
        b = nb_bound_find(NB_BOUNDS(out), row.channel, b);
        if (b == SIZE_MAX || !out->bounds[b].has_duals) {
            nb_read_refute(in, NULL);
        } else {
            out->bounds[b].row[row.side] = row.row;
            out->bounds[b].column[row.side] = row.column;
        }
    }
}

static void unbalanced_read_traffic(struct nb_table_reader *in,
                                    struct nb_unbalanced_case *out)
{
    struct unbalanced_row row;
    nb_read_new(in, &out->flows, nb_read_count(in, &nb_unbalanced_traffic),
                sizeof *out->flows);
    while (nb_read_row(in, &nb_unbalanced_traffic, &row)) {
        out->flows[out->flow_count++] = row.flow;
        if (nb_ratio_is_infinite(row.flow.amount))
            nb_read_refute(in, NULL);
    }
}

enum nb_status nb_unbalanced_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_unbalanced_case *out,
                                         struct nb_error *err)
{
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    nb_read_sides(&in, &out->sides);
    if (in.status == NB_OK)
        in.limits.dual = UNBALANCED_MOST / in.limits.sides;
    nb_read_bounds(&in, &nb_unbalanced_bounds, &out->bounds, &out->bound_count,
                   sizeof *out->bounds);
    unbalanced_read_duals(&in, out);
    unbalanced_read_traffic(&in, out);
    out->worst =
        nb_read_worst(&in, &nb_worst_rate, NB_BOUNDS(out), &out->flow_rate);
    if (in.status == NB_OK && out->bounds[out->worst].is_exact)
        out->rate.exact = out->bounds[out->worst].rate;
    return in.status;
}
