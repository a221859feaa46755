#include "questions/worst_case/worst_case_tables.h"

#include "questions/table_read.h"

#include "core/memory.h"
#include "traffic/export.h"

#include <string.h>

#define TABLES_BOUNDS                                                          \
    NB_BOUND_HEADER "load:ratio [packets/cycle],upper:number [packets/cycle]"
enum { BOUNDS_LOAD = NB_BOUND_WIDTH, BOUNDS_UPPER, BOUNDS_WIDTH };

#define TABLES_PERMUTATION "source,destination"
enum { PERMUTATION_SOURCE, PERMUTATION_DESTINATION, PERMUTATION_WIDTH };

/* The first terminal of each side; sides of one router follow each other. */
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
    const size_t table =
        nb_point_add_table(out, "permutation", true, TABLES_PERMUTATION);
    uint32_t *first = NULL, *destination = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&destination, topology->terminal_count, sizeof *destination,
                  "permutation", NULL));
    NB_TRY(tables_first_terminals(topology, sides, &first, NULL));
    for (size_t s = 0; s < sides->count; s++)
        for (uint32_t t = 0; t < sides->multiplicity; t++)
            destination[first[s] + t] = first[permutation[s]] + t;
    for (size_t t = 0; t < topology->terminal_count; t++) {
        nb_table_add_whole(out, table, (int64_t)t);
        nb_table_add_whole(out, table, destination[t]);
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
        destination[t] =
            (uint32_t)table
                ->cells[t * PERMUTATION_WIDTH + PERMUTATION_DESTINATION]
                .whole;
    NB_TRY(nb_permutation_write(path, table->row_count, destination, err));
done:
    nb_delete(destination);
    return status;
}

static void tables_add_bounds(const struct nb_topology *topology,
                              const struct nb_worst_case *worst,
                              struct nb_point *out)
{
    const size_t table = nb_point_add_table(out, "bounds", true, TABLES_BOUNDS);
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        const struct nb_bound_row row = { bound->channel, bound->orbit_size,
                                          nb_channel_bound_has_duals(bound),
                                          bound->is_exact, bound->denominator };
        nb_table_add_bound(out, table, topology, &row);
        nb_table_add_ratio(out, table, bound->load);
        nb_table_add_number(out, table, bound->upper);
    }
}

static void tables_add_duals(const struct nb_worst_case *worst,
                             struct nb_point *out)
{
    const size_t whole =
        nb_point_add_table(out, "duals", true, NB_DUALS_HEADER);
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        if (bound->row != NULL)
            nb_table_add_duals(out, whole, bound->channel, worst->sides.count,
                               bound->row, bound->column);
    }
    const size_t value =
        nb_point_add_table(out, "duals_value", true,
                           "channel,side,row_dual:number,column_dual:number");
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        for (size_t i = 0; i < worst->sides.count && bound->row_value != NULL;
             i++) {
            if (bound->row_value[i] == 0 && bound->column_value[i] == 0)
                continue;
            nb_table_add_whole(out, value, bound->channel);
            nb_table_add_whole(out, value, (int64_t)i);
            nb_table_add_number(out, value, bound->row_value[i]);
            nb_table_add_number(out, value, bound->column_value[i]);
        }
    }
}

void nb_worst_case_add_tables(const struct nb_topology *topology,
                              const struct nb_worst_case *worst,
                              struct nb_point *out)
{
    nb_table_add_worst(out, NB_WORST_HEADER "load:ratio [packets/cycle]",
                       topology, worst->bounds[worst->worst].channel,
                       worst->load);
    tables_add_bounds(topology, worst, out);
    tables_add_duals(worst, out);
    nb_table_add_permutation(topology, &worst->sides, worst->permutation, out);
}

static enum nb_status tables_read_bounds(const struct nb_topology *topology,
                                         const struct nb_table *table,
                                         struct nb_worst_case *out,
                                         struct nb_error *err)
{
    enum nb_status status = nb_new(&out->bounds, table->row_count,
                                   sizeof *out->bounds, "bounds", err);
    if (status != NB_OK)
        return status;
    out->bound_count = table->row_count;
    for (size_t b = 0; b < table->row_count && status == NB_OK; b++) {
        const union nb_cell *cell = table->cells + b * BOUNDS_WIDTH;
        struct nb_bound_row row;
        if (!nb_table_read_bound(table, b, topology, &row) ||
            table->columns[BOUNDS_LOAD].type != NB_CELL_RATIO ||
            table->columns[BOUNDS_UPPER].type != NB_CELL_NUMBER)
            return nb_table_bad_row(table->name, b, err);
        out->bounds[b] = (struct nb_channel_bound){
            .channel = row.channel,
            .orbit_size = row.orbit_size,
            .is_exact = row.is_exact,
            .denominator = row.denominator,
            .load = cell[BOUNDS_LOAD].ratio,
            .upper = cell[BOUNDS_UPPER].number,
        };
        if (row.has_duals)
            status = nb_channel_bound_reserve(&out->bounds[b], out->sides.count,
                                              err);
    }
    return status;
}

static enum nb_status tables_read_duals(const struct nb_point *given,
                                        const struct nb_table *bounds,
                                        struct nb_worst_case *out,
                                        const char *name, bool is_exact,
                                        struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, name, NB_DUALS_WIDTH, err);
    const enum nb_cell_type type = is_exact ? NB_CELL_WHOLE : NB_CELL_NUMBER;
    const int64_t last = (int64_t)out->sides.count - 1;
    size_t b = 0;
    if (table == NULL)
        return NB_REFUTED;
    for (size_t r = 0; r < table->row_count; r++) {
        const union nb_cell *cell = table->cells + r * NB_DUALS_WIDTH;
        b = nb_table_find_row(
            bounds, NB_BOUND_CHANNEL,
            nb_table_whole(table, r, NB_DUALS_CHANNEL, UINT32_MAX), b);
        const int64_t side = nb_table_whole(table, r, NB_DUALS_SIDE, last);
        struct nb_channel_bound *bound = b != SIZE_MAX ? &out->bounds[b] : NULL;
        if (bound == NULL || bound->is_exact != is_exact || side < 0 ||
            !nb_channel_bound_has_duals(bound) ||
            table->columns[NB_DUALS_ROW].type != type ||
            table->columns[NB_DUALS_COLUMN].type != type)
            return nb_table_bad_row(name, r, err);
        if (is_exact) {
            bound->row[side] = cell[NB_DUALS_ROW].whole;
            bound->column[side] = cell[NB_DUALS_COLUMN].whole;
        } else {
            bound->row_value[side] = cell[NB_DUALS_ROW].number;
            bound->column_value[side] = cell[NB_DUALS_COLUMN].number;
        }
    }
    return NB_OK;
}

/* The sides' permutation from the terminals': the side whose first terminal
 * the first terminal of each side sends to. */
static enum nb_status
tables_read_permutation(const struct nb_topology *topology,
                        const struct nb_point *given, struct nb_worst_case *out,
                        struct nb_error *err)
{
    const struct nb_table *table =
        nb_table_find(given, "permutation", PERMUTATION_WIDTH, err);
    uint32_t *first = NULL, *side_of = NULL;
    enum nb_status status = table != NULL ? NB_OK : NB_REFUTED;
    NB_TRY(status);
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
        const int64_t to =
            nb_table_whole(table, first[s], PERMUTATION_DESTINATION,
                           (int64_t)topology->terminal_count - 1);
        if (to < 0 || side_of[to] == NB_NONE)
            NB_TRY(nb_table_bad_row("permutation", first[s], err));
        out->permutation[s] = side_of[to];
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
    const struct nb_table *bounds =
        nb_table_find(given, "bounds", BOUNDS_WIDTH, err);
    enum nb_status status = bounds != NULL ? NB_OK : NB_REFUTED;
    NB_TRY(status);
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    NB_TRY(tables_read_bounds(topology, bounds, out, err));
    NB_TRY(tables_read_duals(given, bounds, out, "duals", true, err));
    NB_TRY(tables_read_duals(given, bounds, out, "duals_value", false, err));
    NB_TRY(tables_read_permutation(topology, given, out, err));
    NB_TRY(nb_table_read_worst(given, bounds, &out->worst, NULL, err));
done:
    return status;
}
