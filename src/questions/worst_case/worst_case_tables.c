#include "questions/worst_case/worst_case_tables.h"

#include "ask/table_read.h"

#include "core/memory.h"
#include "traffic/export.h"

#include <string.h>

const struct nb_table_kind nb_worst_bounds = {
    "bounds",
    NB_COLUMNS(
        NB_BOUND_COLUMNS(struct nb_channel_bound, NB_AMONG(0, INT64_MAX)),
        NB_COLUMN(struct nb_channel_bound, load.exact,
                  "load:ratio [packets/cycle]", NB_ANY),
        NB_COLUMN(struct nb_channel_bound, load.upper,
                  "upper:number [packets/cycle]", NB_ANY)),
    true
};

const struct nb_table_kind nb_worst_duals = {
    "duals", NB_COLUMNS(NB_DUAL_COLUMNS(NB_ANY)), true
};

/* For channels whose bounds are not exact. */
const struct nb_table_kind nb_worst_values = {
    "duals_value",
    NB_COLUMNS(
        NB_FIELD(struct nb_dual_row, channel, NB_BELOW(channels)),
        NB_FIELD(struct nb_dual_row, side, NB_BELOW(sides)),
        NB_COLUMN(struct nb_dual_row, row_value, "row_dual:number", NB_ANY),
        NB_COLUMN(struct nb_dual_row, column_value, "column_dual:number",
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
    for (uint32_t t = 0; t < topology->terminal_count; t++)
        NB_ROW(out, table, t, destination[t]);
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

void nb_worst_case_add_tables(const struct nb_topology *topology,
                              const struct nb_worst_case *worst,
                              struct nb_point *out)
{
    const size_t sides = worst->sides.count;
    nb_table_add_worst(&nb_worst_load, topology,
                       worst->bounds[worst->worst].channel, worst->load.exact,
                       out);
    NB_WRITE_ROWS(out, &nb_worst_bounds, worst->bounds, worst->bound_count);
    const size_t whole = nb_table_start(out, &nb_worst_duals);
    const size_t value = nb_table_start(out, &nb_worst_values);
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        if (bound->has_duals && bound->is_exact)
            nb_table_add_duals(whole, bound->channel, sides, bound->row,
                               bound->column, out);
        for (size_t i = 0; i < sides && bound->has_duals && !bound->is_exact;
             i++)
            if (bound->row_value[i] != 0 || bound->column_value[i] != 0)
                NB_ROW(out, value, bound->channel, i, bound->row_value[i],
                       bound->column_value[i]);
    }
    nb_table_add_permutation(topology, &worst->sides, worst->permutation, out);
}

static enum nb_status tables_read_bounds(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         const struct nb_row_limits *limits,
                                         struct nb_worst_case *out,
                                         struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_table_read_bounds(&nb_worst_bounds, given, topology, limits,
                                &out->bounds, &out->bound_count,
                                sizeof *out->bounds, err));
    for (size_t b = 0; b < out->bound_count; b++) {
        struct nb_channel_bound *bound = &out->bounds[b];
        if (bound->is_exact && bound->denominator == 0)
            NB_TRY(nb_table_refute(nb_worst_bounds.name, b, err));
        if (bound->has_duals)
            NB_TRY(nb_channel_bound_reserve(bound, out->sides.count, err));
    }
done:
    return status;
}

/* Reads the duals of bounds that are exact, or of those that are not. */
static enum nb_status tables_read_duals(const struct nb_table_kind *kind,
                                        const struct nb_point *given,
                                        const struct nb_row_limits *limits,
                                        struct nb_worst_case *out,
                                        struct nb_error *err)
{
    const bool is_exact = kind == &nb_worst_duals;
    const struct nb_table *table;
    size_t b = 0;
    enum nb_status status;
    NB_TRY(nb_table_find(kind, "", given, &table, err));
    for (size_t r = 0; r < table->row_count; r++) {
        struct nb_dual_row row;
        NB_TRY(nb_table_read_row(kind, table, r, limits, &row, err));
        b = nb_bound_find(out->bounds, out->bound_count, sizeof *out->bounds,
                          row.channel, b);
        if (b == SIZE_MAX || out->bounds[b].is_exact != is_exact ||
            !out->bounds[b].has_duals)
            NB_TRY(nb_table_refute(table->name, r, err));
        if (is_exact) {
            out->bounds[b].row[row.side] = row.row;
            out->bounds[b].column[row.side] = row.column;
        } else {
            out->bounds[b].row_value[row.side] = row.row_value;
            out->bounds[b].column_value[row.side] = row.column_value;
        }
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
            NB_TRY(nb_table_refute(table->name, first[s], err));
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
    struct nb_row_limits limits;
    enum nb_status status;
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    limits = nb_table_limits(topology, &out->sides);
    NB_TRY(tables_read_bounds(topology, given, &limits, out, err));
    NB_TRY(tables_read_duals(&nb_worst_duals, given, &limits, out, err));
    NB_TRY(tables_read_duals(&nb_worst_values, given, &limits, out, err));
    NB_TRY(tables_read_permutation(topology, given, &limits, out, err));
    NB_TRY(nb_table_read_worst(&nb_worst_load, given, &limits, out->bounds,
                               out->bound_count, sizeof *out->bounds,
                               &out->worst, NULL, err));
done:
    return status;
}
