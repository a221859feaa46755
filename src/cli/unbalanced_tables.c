#include "cli/unbalanced_tables.h"

#include "cli/table_read.h"
#include "core/memory.h"

static void unbalanced_add_bounds(const struct nb_topology *topology,
                                  const struct nb_unbalanced_case *unbalanced,
                                  struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "bounds", true,
        "channel,source,target,orbit_size,has_duals,is_exact,denominator,"
        "rate:ratio [packets/cycle/terminal]");
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &unbalanced->bounds[b];
        const struct nb_channel *c = &topology->channels[bound->channel];
        nb_table_add_whole(out, table, bound->channel);
        nb_table_add_whole(out, table, c->source);
        nb_table_add_whole(out, table, c->target);
        nb_table_add_whole(out, table, bound->orbit_size);
        nb_table_add_whole(out, table, bound->row != NULL);
        nb_table_add_whole(out, table, bound->is_exact);
        nb_table_add_whole(out, table, bound->denominator);
        nb_table_add_ratio(out, table, bound->rate);
    }
}

static void unbalanced_add_duals(const struct nb_unbalanced_case *unbalanced,
                                 struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "duals", true, "channel,side,row_dual,column_dual");
    for (size_t b = 0; b < unbalanced->bound_count; b++) {
        const struct nb_unbalanced_bound *bound = &unbalanced->bounds[b];
        for (size_t i = 0; bound->row != NULL && i < unbalanced->sides.count;
             i++) {
            if (bound->row[i] == 0 && bound->column[i] == 0)
                continue;
            nb_table_add_whole(out, table, bound->channel);
            nb_table_add_whole(out, table, (int64_t)i);
            nb_table_add_whole(out, table, bound->row[i]);
            nb_table_add_whole(out, table, bound->column[i]);
        }
    }
}

void nb_unbalanced_add_tables(const struct nb_topology *topology,
                              const struct nb_unbalanced_case *unbalanced,
                              struct nb_point *out)
{
    const struct nb_unbalanced_bound *most =
        &unbalanced->bounds[unbalanced->worst];
    const struct nb_channel *c = &topology->channels[most->channel];
    size_t table = nb_point_add_table(
        out, "worst_channel", true,
        "channel,source,target,bandwidth:ratio [packets/cycle],"
        "traffic_rate:ratio [packets/cycle/terminal]");
    nb_table_add_whole(out, table, most->channel);
    nb_table_add_whole(out, table, c->source);
    nb_table_add_whole(out, table, c->target);
    nb_table_add_ratio(out, table, c->bandwidth);
    nb_table_add_ratio(out, table, unbalanced->flow_rate);
    unbalanced_add_bounds(topology, unbalanced, out);
    unbalanced_add_duals(unbalanced, out);
    table =
        nb_point_add_table(out, "traffic", true,
                           "source_side,destination_side,source,destination,"
                           "rate:ratio [packets/cycle/terminal]");
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
                                             const struct nb_point *given,
                                             struct nb_unbalanced_case *out,
                                             struct nb_error *err)
{
    const struct nb_table *table = nb_table_find(given, "bounds", 8, err);
    const int64_t channels = (int64_t)topology->channel_count;
    if (table == NULL)
        return NB_REFUTED;
    enum nb_status status = nb_new(&out->bounds, table->row_count,
                                   sizeof *out->bounds, "bounds", err);
    for (size_t b = 0; status == NB_OK && b < table->row_count; b++) {
        struct nb_unbalanced_bound *bound = &out->bounds[b];
        const int64_t channel = nb_table_whole(table, b, 0, channels - 1);
        const int64_t orbit = nb_table_whole(table, b, 3, channels);
        const int64_t has_duals = nb_table_whole(table, b, 4, 1);
        const int64_t is_exact = nb_table_whole(table, b, 5, 1);
        bound->denominator = nb_table_whole(table, b, 6, (int64_t)1 << 62);
        bound->rate = nb_table_ratio(table, b, 7);
        if (channel < 0 || orbit < 0 || has_duals < 0 || is_exact < 0 ||
            bound->denominator < 1 || !nb_ratio_is_known(bound->rate))
            return nb_table_bad_row("bounds", b, err);
        bound->channel = (uint32_t)channel;
        bound->orbit_size = (uint32_t)orbit;
        bound->is_exact = is_exact != 0;
        out->bound_count = b + 1;
        if (has_duals == 0)
            continue;
        status = nb_new(&bound->row, out->sides.count, sizeof *bound->row,
                        "duals", err);
        if (status == NB_OK)
            status = nb_new(&bound->column, out->sides.count,
                            sizeof *bound->column, "duals", err);
    }
    return status;
}

static struct nb_unbalanced_bound *
unbalanced_find_bound(struct nb_unbalanced_case *out, int64_t channel,
                      size_t *near)
{
    for (size_t i = 0; i < out->bound_count; i++) {
        const size_t b = (*near + i) % out->bound_count;
        if (out->bounds[b].channel == channel) {
            *near = b;
            return &out->bounds[b];
        }
    }
    return NULL;
}

static enum nb_status unbalanced_read_duals(const struct nb_point *given,
                                            struct nb_unbalanced_case *out,
                                            struct nb_error *err)
{
    const struct nb_table *table = nb_table_find(given, "duals", 4, err);
    const int64_t most = ((int64_t)1 << 62) / (int64_t)out->sides.count;
    size_t near = 0;
    if (table == NULL)
        return NB_REFUTED;
    for (size_t r = 0; r < table->row_count; r++) {
        struct nb_unbalanced_bound *bound = unbalanced_find_bound(
            out, nb_table_whole(table, r, 0, UINT32_MAX), &near);
        const int64_t side =
            nb_table_whole(table, r, 1, (int64_t)out->sides.count - 1);
        const int64_t row = nb_table_whole(table, r, 2, most);
        const int64_t column = nb_table_whole(table, r, 3, most);
        if (bound == NULL || bound->row == NULL || side < 0 || row < 0 ||
            column < 0)
            return nb_table_bad_row("duals", r, err);
        bound->row[side] = row;
        bound->column[side] = column;
    }
    return NB_OK;
}

static enum nb_status unbalanced_read_traffic(const struct nb_point *given,
                                              struct nb_unbalanced_case *out,
                                              struct nb_error *err)
{
    const struct nb_table *table = nb_table_find(given, "traffic", 5, err);
    const int64_t last = (int64_t)out->sides.count - 1;
    if (table == NULL)
        return NB_REFUTED;
    const enum nb_status status = nb_new(&out->flows, table->row_count,
                                         sizeof *out->flows, "traffic", err);
    if (status != NB_OK)
        return status;
    for (size_t r = 0; r < table->row_count; r++) {
        const int64_t row = nb_table_whole(table, r, 0, last);
        const int64_t column = nb_table_whole(table, r, 1, last);
        const struct nb_ratio amount = nb_table_ratio(table, r, 4);
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
    const struct nb_table *table;
    size_t near = 0;
    enum nb_status status = NB_OK;
    *out = (struct nb_unbalanced_case){ 0 };
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    NB_TRY(unbalanced_read_bounds(topology, given, out, err));
    NB_TRY(unbalanced_read_duals(given, out, err));
    NB_TRY(unbalanced_read_traffic(given, out, err));
    table = nb_table_find(given, "worst_channel", 5, err);
    if (table == NULL || table->row_count != 1)
        NB_TRY(nb_fail(err, NB_REFUTED, "the report names no worst channel"));
    out->flow_rate = nb_table_ratio(table, 0, 4);
    if (!nb_ratio_is_known(out->flow_rate) ||
        unbalanced_find_bound(out, nb_table_whole(table, 0, 0, UINT32_MAX),
                              &near) == NULL)
        NB_TRY(nb_table_bad_row("worst_channel", 0, err));
    out->worst = near;
    if (out->bounds[near].is_exact)
        out->rate = out->bounds[near].rate;
done:
    if (status != NB_OK)
        nb_unbalanced_case_release(out);
    return status;
}
