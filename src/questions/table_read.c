#include "questions/table_read.h"

const struct nb_table *nb_table_find(const struct nb_point *given,
                                     const char *name, size_t columns,
                                     struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(given, name);
    if (table != NULL && table->column_count == columns)
        return table;
    nb_fail(err, NB_REFUTED, "the report has no table %s of %zu columns", name,
            columns);
    return NULL;
}

int64_t nb_table_whole(const struct nb_table *table, size_t row, size_t column,
                       int64_t most)
{
    if (table->columns[column].type != NB_CELL_WHOLE)
        return -1;
    const int64_t value =
        table->cells[row * table->column_count + column].whole;
    return value >= 0 && value <= most ? value : -1;
}

struct nb_ratio nb_table_ratio(const struct nb_table *table, size_t row,
                               size_t column)
{
    struct nb_ratio value = { 0, 0 };
    if (table->columns[column].type == NB_CELL_RATIO)
        value = table->cells[row * table->column_count + column].ratio;
    return value.numerator >= 0 ? value : (struct nb_ratio){ 0, 0 };
}

enum nb_status nb_table_bad_row(const char *table, size_t row,
                                struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED,
                   "table %s, row %zu: a number is out of "
                   "its range",
                   table, row + 1);
}

size_t nb_table_find_row(const struct nb_table *table, size_t column,
                         int64_t value, size_t near)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const size_t row = (near + i) % table->row_count;
        if (table->columns[column].type == NB_CELL_WHOLE &&
            table->cells[row * table->column_count + column].whole == value)
            return row;
    }
    return SIZE_MAX;
}

/* A channel and its ends. */
static void table_add_channel(struct nb_point *out, size_t table,
                              const struct nb_topology *topology,
                              uint32_t channel)
{
    nb_table_add_whole(out, table, channel);
    nb_table_add_whole(out, table, topology->channels[channel].source);
    nb_table_add_whole(out, table, topology->channels[channel].target);
}

void nb_table_add_bound(struct nb_point *out, size_t table,
                        const struct nb_topology *topology,
                        const struct nb_bound_row *bound)
{
    table_add_channel(out, table, topology, bound->channel);
    nb_table_add_whole(out, table, bound->orbit_size);
    nb_table_add_whole(out, table, bound->has_duals);
    nb_table_add_whole(out, table, bound->is_exact);
    nb_table_add_whole(out, table, bound->denominator);
}

bool nb_table_read_bound(const struct nb_table *table, size_t row,
                         const struct nb_topology *topology,
                         struct nb_bound_row *out)
{
    const int64_t channels = (int64_t)topology->channel_count;
    const int64_t channel =
        nb_table_whole(table, row, NB_BOUND_CHANNEL, channels - 1);
    const int64_t orbit = nb_table_whole(table, row, NB_BOUND_ORBIT, channels);
    const int64_t has_duals = nb_table_whole(table, row, NB_BOUND_HAS_DUALS, 1);
    const int64_t is_exact = nb_table_whole(table, row, NB_BOUND_IS_EXACT, 1);
    const int64_t denominator =
        nb_table_whole(table, row, NB_BOUND_DENOMINATOR, INT64_MAX);
    *out = (struct nb_bound_row){ (uint32_t)channel, (uint32_t)orbit,
                                  has_duals == 1, is_exact == 1, denominator };
    return channel >= 0 && orbit >= 0 && has_duals >= 0 && is_exact >= 0 &&
           denominator >= is_exact;
}

void nb_table_add_duals(struct nb_point *out, size_t table, uint32_t channel,
                        size_t sides, const int64_t *row, const int64_t *column)
{
    for (size_t i = 0; i < sides; i++) {
        if (row[i] == 0 && column[i] == 0)
            continue;
        nb_table_add_whole(out, table, channel);
        nb_table_add_whole(out, table, (int64_t)i);
        nb_table_add_whole(out, table, row[i]);
        nb_table_add_whole(out, table, column[i]);
    }
}

void nb_table_add_worst(struct nb_point *out, const char *header,
                        const struct nb_topology *topology, uint32_t channel,
                        struct nb_ratio ratio)
{
    const size_t table = nb_point_add_table(out, "worst_channel", true, header);
    table_add_channel(out, table, topology, channel);
    nb_table_add_ratio(out, table, topology->channels[channel].bandwidth);
    nb_table_add_ratio(out, table, ratio);
}

enum nb_status nb_table_read_worst(const struct nb_point *given,
                                   const struct nb_table *bounds, size_t *worst,
                                   struct nb_ratio *ratio, struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "worst_channel", NB_WORST_WIDTH, err);
    if (table == NULL)
        return NB_REFUTED;
    if (table->row_count != 1)
        return nb_fail(err, NB_REFUTED, "the report names %zu worst channels",
                       table->row_count);
    *worst = nb_table_find_row(
        bounds, NB_BOUND_CHANNEL,
        nb_table_whole(table, 0, NB_WORST_CHANNEL, UINT32_MAX), 0);
    if (*worst == SIZE_MAX)
        return nb_table_bad_row(table->name, 0, err);
    if (ratio != NULL)
        *ratio = nb_table_ratio(table, 0, NB_WORST_RATIO);
    return NB_OK;
}
