#include "ask/table_read.h"

#include "core/memory.h"

#include <string.h>

struct nb_table_reader nb_table_reader_make(const struct nb_point *given,
                                            const struct nb_topology *topology,
                                            struct nb_error *err)
{
    return (struct nb_table_reader){
        .given = given,
        .topology = topology,
        .err = err,
        .prefix = "",
        .limits = { .channels = (int64_t)topology->channel_count,
                    .routers = (int64_t)topology->router_count,
                    .terminals = (int64_t)topology->terminal_count },
    };
}

void nb_read_sides(struct nb_table_reader *in, struct nb_sides *out)
{
    if (in->status == NB_OK)
        in->status = nb_sides_find(in->topology, out, in->err);
    in->limits.sides = (int64_t)out->count;
    in->limits.terminals = in->limits.sides * out->multiplicity;
}

/* Whether a table begins with all columns of its kind; names of routers may
 * follow. */
static bool read_is_same(const struct nb_table *given,
                         const struct nb_table *own)
{
    bool is_same = given->column_count >= own->column_count;
    for (size_t i = 0; i < own->column_count && is_same; i++)
        is_same = given->columns[i].type == own->columns[i].type &&
                  strcmp(given->columns[i].name, own->columns[i].name) == 0;
    for (size_t i = own->column_count; i < given->column_count; i++)
        is_same = is_same && given->columns[i].type == NB_CELL_TEXT;
    return is_same;
}

/* Begins with a table's first row. */
static void read_start(struct nb_table_reader *in,
                       const struct nb_table_kind *kind)
{
    struct nb_point own = { 0 };
    const size_t table = nb_table_start_as(
        &own, kind, (struct nb_table_variant){ .prefix = in->prefix });
    in->status = nb_point_check(&own, in->err);
    if (in->status == NB_OK) {
        in->kind = kind;
        in->row = 0;
        in->table = nb_point_table(in->given, own.tables[table].name);
        if (in->table == NULL || !read_is_same(in->table, &own.tables[table]))
            in->status =
                nb_fail(in->err, NB_REFUTED,
                        "the report has no table %s%s of %zu columns",
                        in->prefix, kind->name, own.tables[table].column_count);
    }
    nb_point_release(&own);
}

size_t nb_read_count(struct nb_table_reader *in,
                     const struct nb_table_kind *kind)
{
    if (in->status == NB_OK)
        read_start(in, kind);
    return in->status == NB_OK ? in->table->row_count : 0;
}

void nb_read_refute(struct nb_table_reader *in, const char *why)
{
    in->status =
        nb_fail(in->err, NB_REFUTED, "table %s, row %zu: %s", in->table->name,
                in->row, why != NULL ? why : "a number is out of its range");
}

bool nb_read_new(struct nb_table_reader *in, void *out_array, size_t count,
                 size_t size)
{
    if (in->status == NB_OK)
        in->status = nb_new(out_array, count, size, "a table", in->err);
    return in->status == NB_OK;
}

/* Stores a whole number, if it is within its range. */
static bool read_set(const struct nb_column_kind *column,
                     const struct nb_row_limits *limits, int64_t value,
                     void *row)
{
    const int64_t limit =
        *(const int64_t *)(const void *)((const char *)limits + column->limit);
    void *field = (char *)row + column->offset;
    if (value < column->least || value > limit + column->beyond)
        return false;
    if (column->size == sizeof(bool))
        *(bool *)field = value != 0;
    else if (column->size == sizeof(uint32_t))
        *(uint32_t *)field = (uint32_t)value;
    else
        *(int64_t *)field = value;
    return true;
}

/* Stores a cell, if it is permitted. */
static bool read_cell(const struct nb_column_kind *column,
                      enum nb_cell_type type, const union nb_cell *cell,
                      const struct nb_row_limits *limits, void *row)
{
    void *field = (char *)row + column->offset;
    switch (type) {
    case NB_CELL_WHOLE:
        return read_set(column, limits, cell->whole, row);
    case NB_CELL_NUMBER:
        *(double *)field = cell->number;
        break;
    case NB_CELL_RATIO:
        *(struct nb_ratio *)field = cell->ratio;
        return cell->ratio.numerator >= 0 &&
               (column->least == INT64_MIN || nb_ratio_is_known(cell->ratio));
    case NB_CELL_TEXT:
        *(const char **)field = cell->text;
        break;
    }
    return true;
}

bool nb_read_row(struct nb_table_reader *in, const struct nb_table_kind *kind,
                 void *row)
{
    const struct nb_column_kind *column = kind->columns;
    if (in->status == NB_OK && in->kind != kind)
        read_start(in, kind);
    if (in->status != NB_OK)
        return false;
    const struct nb_table *table = in->table;
    const union nb_cell *cell = table->cells + in->row * table->column_count;
    if (in->row == table->row_count) {
        in->kind = NULL;
        return false;
    }
    in->row++;
    for (size_t i = 0; column[i].size > 0 && in->status == NB_OK; i++)
        if (!read_cell(&column[i], table->columns[i].type, &cell[i],
                       &in->limits, row))
            nb_read_refute(in, NULL);
    return in->status == NB_OK;
}

void nb_read_only(struct nb_table_reader *in, const struct nb_table_kind *kind,
                  void *row)
{
    const size_t count = nb_read_count(in, kind);
    if (in->status == NB_OK && count != 1)
        in->status =
            nb_fail(in->err, NB_REFUTED, "table %s has %zu rows, not one",
                    in->table->name, count);
    nb_read_row(in, kind, row);
    in->kind = NULL;
}

void nb_read_rows(struct nb_table_reader *in, const struct nb_table_kind *kind,
                  void *out_rows, size_t *count, size_t size)
{
    char *rows = NULL;
    if (nb_read_new(in, &rows, nb_read_count(in, kind), size))
        memcpy(out_rows, &rows, sizeof rows);
    for (*count = 0; nb_read_row(in, kind, rows + *count * size);)
        ++*count;
}

/* What every bound begins with. */
struct focus_columns {
    uint32_t channel, source, target;
};

void nb_read_bounds(struct nb_table_reader *in,
                    const struct nb_table_kind *kind, void *out_rows,
                    size_t *count, size_t size)
{
    char *rows;
    nb_read_rows(in, kind, out_rows, count, size);
    memcpy(&rows, out_rows, sizeof rows);
    for (size_t b = 0; b < *count; b++) {
        struct focus_columns columns;
        memcpy(&columns, rows + b * size, sizeof columns);
        columns.source = in->topology->channels[columns.channel].source;
        columns.target = in->topology->channels[columns.channel].target;
        memcpy(rows + b * size, &columns, sizeof columns);
    }
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
    .name = "worst_channel",
    .columns = NB_COLUMNS(WORST_COLUMNS,
                          NB_COLUMN(struct worst_row, ratio,
                                    "load:ratio [packets/cycle]", NB_ANY)),
    .is_certificate = true
};
const struct nb_table_kind nb_worst_rate = {
    .name = "worst_channel",
    .columns = NB_COLUMNS(
        WORST_COLUMNS, NB_COLUMN(struct worst_row, ratio,
                                 "traffic_rate:ratio [packets/cycle/terminal]",
                                 NB_AMONG(0, INT64_MAX))),
    .is_certificate = true
};

void nb_table_add_worst(const struct nb_table_kind *worst,
                        const struct nb_topology *topology, uint32_t channel,
                        struct nb_ratio ratio, struct nb_point *out)
{
    const struct nb_channel *ends = &topology->channels[channel];
    NB_ROW(out, nb_table_start(out, worst), channel, ends->source, ends->target,
           ends->bandwidth, ratio);
}

size_t nb_read_worst(struct nb_table_reader *in,
                     const struct nb_table_kind *worst, const void *bounds,
                     size_t count, size_t size, struct nb_ratio *ratio)
{
    struct worst_row row = { 0 };
    nb_read_only(in, worst, &row);
    const size_t index = nb_bound_find(bounds, count, size, row.channel, 0);
    if (in->status == NB_OK && index == SIZE_MAX)
        nb_read_refute(in, NULL);
    if (ratio != NULL)
        *ratio = row.ratio;
    return index;
}

static const struct nb_column_kind pairs[] = {
    NB_FIELD(struct nb_pair_row, source, NB_BELOW(terminals)),
    NB_FIELD(struct nb_pair_row, destination, NB_BELOW(terminals)),
    { 0 },
};
const struct nb_table_kind nb_pairs_permutation = { .name = "permutation",
                                                    .columns = pairs,
                                                    .is_certificate = true };
const struct nb_table_kind nb_pairs_matching = { .name = "matching",
                                                 .columns = pairs,
                                                 .is_certificate = true };
