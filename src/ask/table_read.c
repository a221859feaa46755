#include "ask/table_read.h"

#include "core/try.h"

#include <string.h>

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

/* What every bound begins with. */
struct focus_columns {
    uint32_t channel, source, target;
};

enum nb_status nb_table_read_bounds(const struct nb_table_kind *kind,
                                    const struct nb_point *given,
                                    const struct nb_topology *topology,
                                    const struct nb_row_limits *limits,
                                    void *out_rows, size_t *count, size_t size,
                                    struct nb_error *err)
{
    const enum nb_status status =
        nb_table_read_all(kind, "", given, limits, out_rows, count, size, err);
    char *rows;
    memcpy(&rows, out_rows, sizeof rows);
    for (size_t b = 0; b < *count && status == NB_OK; b++) {
        struct focus_columns columns;
        memcpy(&columns, rows + b * size, sizeof columns);
        columns.source = topology->channels[columns.channel].source;
        columns.target = topology->channels[columns.channel].target;
        memcpy(rows + b * size, &columns, sizeof columns);
    }
    return status;
}

size_t nb_bound_find(const void *bounds, size_t count, size_t size,
                     uint32_t channel, size_t near)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = (near + i) % count;
        if (*(const uint32_t *)(const void *)((const char *)bounds +
                                              at * size) == channel)
            return at;
    }
    return SIZE_MAX;
}

void nb_table_add_duals(size_t table, uint32_t channel, size_t sides,
                        const int64_t *row, const int64_t *column,
                        struct nb_point *out)
{
    for (size_t i = 0; i < sides; i++)
        if (row[i] != 0 || column[i] != 0)
            NB_ROW(out, table, channel, i, row[i], column[i]);
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
    NB_ROW(out, nb_table_start(out, worst), channel, ends->source, ends->target,
           ends->bandwidth, ratio);
}

enum nb_status nb_table_read_worst(const struct nb_table_kind *worst,
                                   const struct nb_point *given,
                                   const struct nb_row_limits *limits,
                                   const void *bounds, size_t count,
                                   size_t size, size_t *index,
                                   struct nb_ratio *ratio, struct nb_error *err)
{
    const struct nb_table *table;
    struct worst_row row;
    enum nb_status status;
    NB_TRY(nb_table_find(worst, "", given, &table, err));
    if (table->row_count != 1)
        NB_TRY(nb_fail(err, NB_REFUTED, "the report names %zu worst channels",
                       table->row_count));
    NB_TRY(nb_table_read_row(worst, table, 0, limits, &row, err));
    *index = nb_bound_find(bounds, count, size, row.channel, 0);
    if (*index == SIZE_MAX)
        NB_TRY(nb_table_refute(worst->name, 0, err));
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
