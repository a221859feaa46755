#include "questions/worst_case/worst_case_tables.h"

#include "ask/table_read.h"

#include "core/memory.h"
#include "traffic/export.h"

#include <string.h>

const struct nb_table_kind nb_worst_bounds = {
    .name = "bounds",
    .columns = NB_COLUMNS(
        NB_BOUND_COLUMNS(struct nb_channel_bound, NB_AMONG(0, INT64_MAX)),
        NB_COLUMN(struct nb_channel_bound, load.exact,
                  "load:ratio [packets/cycle]", NB_ANY),
        NB_COLUMN(struct nb_channel_bound, load.upper,
                  "upper:number [packets/cycle]", NB_ANY)),
    .is_certificate = true
};

const struct nb_table_kind nb_worst_duals = { .name = "duals",
                                              .columns = NB_COLUMNS(
                                                  NB_DUAL_COLUMNS(NB_ANY)),
                                              .is_certificate = true };

/* For channels whose bounds are not exact. */
const struct nb_table_kind nb_worst_values = {
    .name = "duals_value",
    .columns = NB_COLUMNS(
        NB_FIELD(struct nb_dual_row, channel, NB_BELOW(channels)),
        NB_FIELD(struct nb_dual_row, side, NB_BELOW(sides)),
        NB_COLUMN(struct nb_dual_row, row_value, "row_dual:number", NB_ANY),
        NB_COLUMN(struct nb_dual_row, column_value, "column_dual:number",
                  NB_ANY)),
    .is_certificate = true
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

static void tables_read_bounds(struct nb_table_reader *in,
                               struct nb_worst_case *out)
{
    nb_read_bounds(in, &nb_worst_bounds, &out->bounds, &out->bound_count,
                   sizeof *out->bounds);
    for (size_t b = 0; b < out->bound_count && in->status == NB_OK; b++) {
        struct nb_channel_bound *bound = &out->bounds[b];
        in->row = b + 1;
        if (bound->is_exact && bound->denominator == 0)
            nb_read_refute(in, NULL);
        else if (bound->has_duals)
            in->status =
                nb_channel_bound_reserve(bound, out->sides.count, in->err);
    }
}

/* Reads the duals of bounds that are exact, or of those that are not. */
static void tables_read_duals(struct nb_table_reader *in,
                              const struct nb_table_kind *kind,
                              struct nb_worst_case *out)
{
    const bool is_exact = kind == &nb_worst_duals;
    struct nb_dual_row row;
    size_t b = 0;
    while (nb_read_row(in, kind, &row)) {
        b = nb_bound_find(NB_BOUNDS(out), row.channel, b);
        if (b == SIZE_MAX || out->bounds[b].is_exact != is_exact ||
            !out->bounds[b].has_duals) {
            nb_read_refute(in, NULL);
        } else if (is_exact) {
            out->bounds[b].row[row.side] = row.row;
            out->bounds[b].column[row.side] = row.column;
        } else {
            out->bounds[b].row_value[row.side] = row.row_value;
            out->bounds[b].column_value[row.side] = row.column_value;
        }
    }
}

void nb_read_permutation(struct nb_table_reader *in,
                         const struct nb_sides *sides, uint32_t **out)
{
    const size_t terminals = in->topology->terminal_count;
    struct nb_pair_row pair;
    uint32_t *first = NULL, *side_of = NULL;
    const size_t count = nb_read_count(in, &nb_pairs_permutation);
    if (in->status == NB_OK && count != terminals)
        in->status = nb_fail(in->err, NB_REFUTED,
                             "table permutation has %zu rows for %zu terminals",
                             count, terminals);
    nb_read_new(in, out, sides->count, sizeof **out);
    nb_read_new(in, &side_of, terminals, sizeof *side_of);
    if (in->status == NB_OK)
        in->status =
            tables_first_terminals(in->topology, sides, &first, in->err);
    for (size_t t = 0; t < terminals && in->status == NB_OK; t++)
        side_of[t] = NB_NONE;
    for (size_t s = 0; s < sides->count && in->status == NB_OK; s++)
        side_of[first[s]] = (uint32_t)s;
    while (nb_read_row(in, &nb_pairs_permutation, &pair)) {
        const uint32_t source = side_of[in->row - 1];
        const uint32_t target = side_of[pair.destination];
        if (source == NB_NONE)
            continue; /* not the first terminal of a side */
        if (target == NB_NONE)
            nb_read_refute(in, NULL);
        else
            (*out)[source] = target;
    }
    nb_delete(first);
    nb_delete(side_of);
}

enum nb_status nb_worst_case_read_tables(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_worst_case *out,
                                         struct nb_error *err)
{
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    nb_read_sides(&in, &out->sides);
    tables_read_bounds(&in, out);
    tables_read_duals(&in, &nb_worst_duals, out);
    tables_read_duals(&in, &nb_worst_values, out);
    nb_read_permutation(&in, &out->sides, &out->permutation);
    out->worst = nb_read_worst(&in, &nb_worst_load, NB_BOUNDS(out), NULL);
    return in.status;
}
