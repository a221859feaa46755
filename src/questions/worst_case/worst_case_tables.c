#include "questions/worst_case/worst_case_tables.h"

#include "ask/table_read.h"

#include "core/memory.h"
#include "traffic/export.h"

#include <string.h>

static const struct nb_table_kind tables_bounds = {
    "bounds",
    NB_COLUMNS(NB_BOUND_COLUMNS(NB_AMONG(0, INT64_MAX)),
               NB_COLUMN(struct nb_bound_row, ratio,
                         "load:ratio [packets/cycle]", NB_ANY),
               NB_COLUMN(struct nb_bound_row, upper,
                         "upper:number [packets/cycle]", NB_ANY)),
    true
};

static const struct nb_table_kind tables_duals = {
    "duals", NB_COLUMNS(NB_DUAL_COLUMNS(NB_ANY)), true
};

/* For channels whose bounds are not exact. */
struct tables_value_row {
    uint32_t channel, side;
    double row, column;
};
static const struct nb_table_kind tables_values = {
    "duals_value",
    NB_COLUMNS(
        NB_FIELD(struct tables_value_row, channel, NB_BELOW(channels)),
        NB_FIELD(struct tables_value_row, side, NB_BELOW(sides)),
        NB_COLUMN(struct tables_value_row, row, "row_dual:number", NB_ANY),
        NB_COLUMN(struct tables_value_row, column, "column_dual:number",
                  NB_ANY)),
    true
};

/* The first terminal of each side; sides of one router are consecutive. */
static enum nb_status tables_first_terminals(const struct nb_topology *topology,
                                             const struct nb_sides *sides,
                                             uint32_t **out,
                                             struct nb_error *err)
{
    const enum nb_status status =
        nb_new(out, sides->count, sizeof **out, "terminals", err);
    uint32_t terminal = 0;
    size_t side = 0;
    for (uint32_t r = 0; r < topology->router_count && status == NB_OK; r++) {
        for (uint32_t t = 0; side < sides->count && sides->router[side] == r;
             t++)
            (*out)[side++] = terminal + t;
        terminal += topology->terminals[r];
    }
    return status;
}

void nb_table_add_permutation(const struct nb_topology *topology,
                              const struct nb_sides *sides,
                              const uint32_t *permutation, struct nb_point *out)
{
    uint32_t *first = NULL, *destination = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&destination, topology->terminal_count, sizeof *destination,
                  "permutation", NULL));
    NB_TRY(tables_first_terminals(topology, sides, &first, NULL));
    for (size_t s = 0; s < sides->count; s++)
        for (uint32_t t = 0; t < sides->multiplicity; t++)
            destination[first[s] + t] = first[permutation[s]] + t;
    const size_t table = nb_table_start(out, &nb_pairs_permutation);
    for (uint32_t t = 0; t < topology->terminal_count; t++) {
        const struct nb_pair_row pair = { t, destination[t] };
        nb_table_add_fields(out, table, &nb_pairs_permutation, &pair);
    }
done:
    out->has_failed |= status != NB_OK;
    nb_delete(first);
    nb_delete(destination);
}

enum nb_status nb_table_write_permutation(const struct nb_point *point,
                                          const char *path,
                                          struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(point, "permutation");
    uint32_t *destination = NULL;
    enum nb_status status = NB_OK;
    if (table == NULL)
        return NB_OK;
    NB_TRY(nb_new(&destination, table->row_count, sizeof *destination,
                  "permutation", err));
    for (size_t t = 0; t < table->row_count; t++)
        destination[t] = (uint32_t)table->cells[2 * t + 1].whole;
    NB_TRY(nb_permutation_write(path, table->row_count, destination, err));
done:
    nb_delete(destination);
    return status;
}

static void tables_add_bounds(const struct nb_topology *topology,
                              const struct nb_worst_case *worst,
                              struct nb_point *out)
{
    const size_t table = nb_table_start(out, &tables_bounds);
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        const struct nb_bound_row row = {
            .channel = bound->channel,
            .orbit_size = bound->orbit_size,
            .has_duals = nb_channel_bound_has_duals(bound),
            .is_exact = bound->is_exact,
            .denominator = bound->denominator,
            .ratio = bound->load.exact,
            .upper = bound->load.upper,
        };
        nb_table_add_bound(&tables_bounds, table, topology, row, out);
    }
}

static void tables_add_values(const struct nb_channel_bound *bound,
                              size_t sides, size_t table, struct nb_point *out)
{
    for (size_t i = 0; i < sides; i++) {
        const struct tables_value_row row = { bound->channel, (uint32_t)i,
                                              bound->row_value[i],
                                              bound->column_value[i] };
        if (row.row != 0 || row.column != 0)
            nb_table_add_fields(out, table, &tables_values, &row);
    }
}

static void tables_add_duals(const struct nb_worst_case *worst,
                             struct nb_point *out)
{
    const size_t whole = nb_table_start(out, &tables_duals);
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        if (bound->row != NULL)
            nb_table_add_duals(&tables_duals, whole, bound->channel,
                               worst->sides.count, bound->row, bound->column,
                               out);
    }
    const size_t value = nb_table_start(out, &tables_values);
    for (size_t b = 0; b < worst->bound_count; b++)
        if (worst->bounds[b].row_value != NULL)
            tables_add_values(&worst->bounds[b], worst->sides.count, value,
                              out);
}

void nb_worst_case_add_tables(const struct nb_topology *topology,
                              const struct nb_worst_case *worst,
                              struct nb_point *out)
{
    nb_table_add_worst(&nb_worst_load, topology,
                       worst->bounds[worst->worst].channel, worst->load.exact,
                       out);
    tables_add_bounds(topology, worst, out);
    tables_add_duals(worst, out);
    nb_table_add_permutation(topology, &worst->sides, worst->permutation, out);
}

static enum nb_status tables_read_bounds(const struct nb_table *table,
                                         const struct nb_row_limits *limits,
                                         struct nb_worst_case *out,
                                         struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_new(&out->bounds, table->row_count, sizeof *out->bounds, "bounds",
                  err));
    out->bound_count = table->row_count;
    for (size_t b = 0; b < table->row_count; b++) {
        struct nb_bound_row row;
        NB_TRY(nb_table_read_row(&tables_bounds, table, b, limits, &row, err));
        if (row.is_exact && row.denominator == 0)
            NB_TRY(nb_table_refute(table, b, err));
        out->bounds[b] = (struct nb_channel_bound){
            .channel = row.channel,
            .orbit_size = row.orbit_size,
            .is_exact = row.is_exact,
            .denominator = row.denominator,
            .load = { .exact = row.ratio, .upper = row.upper },
        };
        if (row.has_duals)
            NB_TRY(nb_channel_bound_reserve(&out->bounds[b], out->sides.count,
                                            err));
    }
done:
    return status;
}

/* Finds the bound of the channel of a row of duals, searching from near on. */
static enum nb_status tables_find_bound(const struct nb_table *bounds,
                                        const struct nb_table *duals,
                                        size_t row, uint32_t channel,
                                        bool is_exact,
                                        const struct nb_worst_case *worst,
                                        size_t *near, struct nb_error *err)
{
    *near = nb_table_find_channel(bounds, channel, *near);
    if (*near == SIZE_MAX || worst->bounds[*near].is_exact != is_exact ||
        !nb_channel_bound_has_duals(&worst->bounds[*near]))
        return nb_table_refute(duals, row, err);
    return NB_OK;
}

static enum nb_status tables_read_duals(const struct nb_point *given,
                                        const struct nb_table *bounds,
                                        const struct nb_row_limits *limits,
                                        struct nb_worst_case *out,
                                        struct nb_error *err)
{
    const struct nb_table *table;
    size_t b = 0;
    enum nb_status status;
    NB_TRY(nb_table_find(&tables_duals, "", given, &table, err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct nb_dual_row row;
        NB_TRY(nb_table_read_row(&tables_duals, table, r, limits, &row, err));
        NB_TRY(tables_find_bound(bounds, table, r, row.channel, true, out, &b,
                                 err));
        out->bounds[b].row[row.side] = row.row;
        out->bounds[b].column[row.side] = row.column;
    }
    NB_TRY(nb_table_find(&tables_values, "", given, &table, err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct tables_value_row row;
        NB_TRY(nb_table_read_row(&tables_values, table, r, limits, &row, err));
        NB_TRY(tables_find_bound(bounds, table, r, row.channel, false, out, &b,
                                 err));
        out->bounds[b].row_value[row.side] = row.row;
        out->bounds[b].column_value[row.side] = row.column;
    }
done:
    return status;
}

/* The permutation of sides, from that of terminals: each side sends to the side
 * whose first terminal its own first terminal sends to. */
static enum nb_status
tables_read_permutation(const struct nb_topology *topology,
                        const struct nb_point *given,
                        const struct nb_row_limits *limits,
                        struct nb_worst_case *out, struct nb_error *err)
{
    const struct nb_table *table;
    uint32_t *first = NULL, *side_of = NULL;
    enum nb_status status;
    NB_TRY(nb_table_find(&nb_pairs_permutation, "", given, &table, err));
    if (table->row_count != topology->terminal_count)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "table permutation has %zu rows for %zu terminals",
                       table->row_count, topology->terminal_count));
    NB_TRY(nb_new(&out->permutation, out->sides.count, sizeof *out->permutation,
                  "permutation", err));
    NB_TRY(nb_new(&side_of, topology->terminal_count, sizeof *side_of,
                  "permutation", err));
    NB_TRY(tables_first_terminals(topology, &out->sides, &first, err));
    for (size_t t = 0; t < topology->terminal_count; t++)
        side_of[t] = NB_NONE;
    for (size_t s = 0; s < out->sides.count; s++)
        side_of[first[s]] = (uint32_t)s;
    for (size_t s = 0; s < out->sides.count; s++) {
        struct nb_pair_row pair;
        NB_TRY(nb_table_read_row(&nb_pairs_permutation, table, first[s], limits,
                                 &pair, err));
        if (side_of[pair.destination] == NB_NONE)
            NB_TRY(nb_table_refute(table, first[s], err));
        out->permutation[s] = side_of[pair.destination];
    }
done:
    nb_delete(first);
    nb_delete(side_of);
    return status;
}

enum nb_status nb_worst_case_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_worst_case *out,
                                         struct nb_error *err)
{
    const struct nb_table *bounds;
    struct nb_row_limits limits;
    enum nb_status status;
    NB_TRY(nb_table_find(&tables_bounds, "", given, &bounds, err));
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    limits = nb_table_limits(topology, &out->sides);
    NB_TRY(tables_read_bounds(bounds, &limits, out, err));
    NB_TRY(tables_read_duals(given, bounds, &limits, out, err));
    NB_TRY(tables_read_permutation(topology, given, &limits, out, err));
    NB_TRY(nb_table_read_worst(&nb_worst_load, given, bounds, &limits,
                               &out->worst, NULL, err));
done:
    return status;
}
