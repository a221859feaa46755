#include "ask/table_read.h"

#include "core/try.h"

struct nb_row_limits nb_table_limits(const struct nb_topology *topology,
                                     const struct nb_sides *sides)
{
    struct nb_row_limits limits = {
        .channels = (int64_t)topology->channel_count,
        .routers = (int64_t)topology->router_count,
    };
    if (sides != NULL) {
        limits.sides = (int64_t)sides->count;
        limits.terminals = limits.sides * sides->multiplicity;
    }
    return limits;
}

void nb_table_add_bound(const struct nb_table_kind *bounds, size_t table,
                        const struct nb_topology *topology,
                        struct nb_bound_row row, struct nb_point *out)
{
    row.source = topology->channels[row.channel].source;
    row.target = topology->channels[row.channel].target;
    nb_table_add_fields(out, table, bounds, &row);
}

size_t nb_table_find_channel(const struct nb_table *table, uint32_t channel,
                             size_t near)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const size_t row = (near + i) % table->row_count;
        if (table->cells[row * table->column_count].whole == channel)
            return row;
    }
    return SIZE_MAX;
}

void nb_table_add_duals(const struct nb_table_kind *duals, size_t table,
                        uint32_t channel, size_t sides, const int64_t *row,
                        const int64_t *column, struct nb_point *out)
{
    for (size_t i = 0; i < sides; i++) {
        const struct nb_dual_row dual = { channel, (uint32_t)i, row[i],
                                          column[i] };
        if (row[i] != 0 || column[i] != 0)
            nb_table_add_fields(out, table, duals, &dual);
    }
}

struct worst_row {
    uint32_t channel, source, target;
    struct nb_ratio bandwidth, ratio;
};
#define WORST_COLUMNS                                                          \
    NB_FIELD(struct worst_row, channel, NB_BELOW(channels)),                   \
        NB_FIELD(struct worst_row, source, NB_BELOW(routers)),                 \
        NB_FIELD(struct worst_row, target, NB_BELOW(routers)),                 \
        NB_COLUMN(struct worst_row, bandwidth,                                 \
                  "bandwidth:ratio [packets/cycle]", NB_ANY)

const struct nb_table_kind nb_worst_load = {
    "worst_channel",
    NB_COLUMNS(WORST_COLUMNS, NB_COLUMN(struct worst_row, ratio,
                                        "load:ratio [packets/cycle]", NB_ANY)),
    true
};
const struct nb_table_kind nb_worst_rate = {
    "worst_channel",
    NB_COLUMNS(WORST_COLUMNS,
               NB_COLUMN(struct worst_row, ratio,
                         "traffic_rate:ratio [packets/cycle/terminal]",
                         NB_AMONG(0, INT64_MAX))),
    true
};

void nb_table_add_worst(const struct nb_table_kind *worst,
                        const struct nb_topology *topology, uint32_t channel,
                        struct nb_ratio ratio, struct nb_point *out)
{
    const struct nb_channel *ends = &topology->channels[channel];
    const struct worst_row row = { channel, ends->source, ends->target,
                                   ends->bandwidth, ratio };
    nb_table_add_fields(out, nb_table_start(out, worst), worst, &row);
}

enum nb_status nb_table_read_worst(const struct nb_table_kind *worst,
                                   const struct nb_point *given,
                                   const struct nb_table *bounds,
                                   const struct nb_row_limits *limits,
                                   size_t *index, struct nb_ratio *ratio,
                                   struct nb_error *err)
{
    const struct nb_table *table;
    struct worst_row row;
    enum nb_status status;
    NB_TRY(nb_table_find(worst, "", given, &table, err));
    if (table->row_count != 1)
        NB_TRY(nb_fail(err, NB_REFUTED, "the report names %zu worst channels",
                       table->row_count));
    NB_TRY(nb_table_read_row(worst, table, 0, limits, &row, err));
    *index = nb_table_find_channel(bounds, row.channel, 0);
    if (*index == SIZE_MAX)
        NB_TRY(nb_table_refute(table, 0, err));
    if (ratio != NULL)
        *ratio = row.ratio;
done:
    return status;
}

static const struct nb_column_kind pairs[] = {
    NB_FIELD(struct nb_pair_row, source, NB_BELOW(terminals)),
    NB_FIELD(struct nb_pair_row, destination, NB_BELOW(terminals)),
    { 0 },
};
const struct nb_table_kind nb_pairs_permutation = { "permutation", pairs,
                                                    true };
const struct nb_table_kind nb_pairs_matching = { "matching", pairs, true };
