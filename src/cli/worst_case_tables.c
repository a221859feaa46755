#include "cli/worst_case_tables.h"

#include "cli/table_read.h"

#include "core/memory.h"

#include <string.h>

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

enum nb_status nb_worst_case_terminals(const struct nb_topology *topology,
                                       const struct nb_worst_case *worst,
                                       uint32_t *destination,
                                       struct nb_error *err)
{
    const struct nb_sides *sides = &worst->sides;
    uint32_t *first = NULL;
    const enum nb_status status =
        tables_first_terminals(topology, sides, &first, err);
    for (size_t s = 0; s < sides->count && status == NB_OK; s++)
        for (uint32_t t = 0; t < sides->multiplicity; t++)
            destination[first[s] + t] = first[worst->permutation[s]] + t;
    nb_delete(first);
    return status;
}

static enum nb_status tables_add_permutation(const struct nb_topology *topology,
                                             const struct nb_worst_case *worst,
                                             struct nb_point *out,
                                             struct nb_error *err)
{
    uint32_t *destination = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&destination, topology->terminal_count, sizeof *destination,
                  "permutation", err));
    NB_TRY(nb_worst_case_terminals(topology, worst, destination, err));
    const size_t table =
        nb_point_add_table(out, "permutation", true, "source,destination");
    for (size_t t = 0; t < topology->terminal_count; t++) {
        nb_table_add_whole(out, table, (int64_t)t);
        nb_table_add_whole(out, table, destination[t]);
    }
done:
    nb_delete(destination);
    return status;
}

static void tables_add_bounds(const struct nb_topology *topology,
                              const struct nb_worst_case *worst,
                              struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "bounds", true,
        "channel,source,target,orbit_size,has_duals,is_exact,denominator,"
        "load:ratio [packets/cycle],upper:number [packets/cycle]");
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        const struct nb_channel *c = &topology->channels[bound->channel];
        nb_table_add_whole(out, table, bound->channel);
        nb_table_add_whole(out, table, c->source);
        nb_table_add_whole(out, table, c->target);
        nb_table_add_whole(out, table, bound->orbit_size);
        nb_table_add_whole(out, table, nb_channel_bound_has_duals(bound));
        nb_table_add_whole(out, table, bound->is_exact);
        nb_table_add_whole(out, table, bound->denominator);
        nb_table_add_ratio(out, table, bound->load);
        nb_table_add_number(out, table, bound->upper);
    }
}

static void tables_add_duals(const struct nb_worst_case *worst,
                             struct nb_point *out)
{
    const size_t whole = nb_point_add_table(
        out, "duals", true, "channel,side,row_dual,column_dual");
    for (size_t b = 0; b < worst->bound_count; b++) {
        const struct nb_channel_bound *bound = &worst->bounds[b];
        for (size_t i = 0; i < worst->sides.count && bound->row != NULL; i++) {
            if (bound->row[i] == 0 && bound->column[i] == 0)
                continue;
            nb_table_add_whole(out, whole, bound->channel);
            nb_table_add_whole(out, whole, (int64_t)i);
            nb_table_add_whole(out, whole, bound->row[i]);
            nb_table_add_whole(out, whole, bound->column[i]);
        }
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

enum nb_status nb_worst_case_add_tables(const struct nb_topology *topology,
                                        const struct nb_worst_case *worst,
                                        struct nb_point *out,
                                        struct nb_error *err)
{
    const struct nb_channel_bound *most = &worst->bounds[worst->worst];
    const struct nb_channel *c = &topology->channels[most->channel];
    const size_t table = nb_point_add_table(
        out, "worst_channel", true,
        "channel,source,target,bandwidth:ratio [packets/cycle],"
        "load:ratio [packets/cycle]");
    nb_table_add_whole(out, table, most->channel);
    nb_table_add_whole(out, table, c->source);
    nb_table_add_whole(out, table, c->target);
    nb_table_add_ratio(out, table, c->bandwidth);
    nb_table_add_ratio(out, table, worst->load);
    tables_add_bounds(topology, worst, out);
    tables_add_duals(worst, out);
    return tables_add_permutation(topology, worst, out, err);
}

static enum nb_status tables_read_bounds(const struct nb_topology *topology,
                                         const struct nb_point *given,
                                         struct nb_worst_case *out,
                                         struct nb_error *err)
{
    const struct nb_table *table = nb_table_find(given, "bounds", 9, err);
    if (table == NULL)
        return NB_REFUTED;
    enum nb_status status = nb_new(&out->bounds, table->row_count,
                                   sizeof *out->bounds, "bounds", err);
    if (status != NB_OK)
        return status;
    out->bound_count = table->row_count;
    for (size_t b = 0; b < table->row_count && status == NB_OK; b++) {
        const union nb_cell *cell = table->cells + b * 9;
        const int64_t channel =
            nb_table_whole(table, b, 0, (int64_t)topology->channel_count - 1);
        const int64_t orbit =
            nb_table_whole(table, b, 3, (int64_t)topology->channel_count);
        const int64_t has_duals = nb_table_whole(table, b, 4, 1);
        const int64_t is_exact = nb_table_whole(table, b, 5, 1);
        const int64_t denominator = nb_table_whole(table, b, 6, INT64_MAX);
        if (channel < 0 || orbit < 0 || has_duals < 0 || is_exact < 0 ||
            denominator < is_exact || table->columns[7].type != NB_CELL_RATIO ||
            table->columns[8].type != NB_CELL_NUMBER)
            return nb_table_bad_row("bounds", b, err);
        out->bounds[b] = (struct nb_channel_bound){
            .channel = (uint32_t)channel,
            .orbit_size = (uint32_t)orbit,
            .is_exact = is_exact != 0,
            .denominator = denominator,
            .load = cell[7].ratio,
            .upper = cell[8].number,
        };
        if (has_duals != 0)
            status = nb_channel_bound_reserve(&out->bounds[b], out->sides.count,
                                              err);
    }
    return status;
}

/* The bound of a channel, searched from where the last row's was. */
static struct nb_channel_bound *tables_bound(struct nb_worst_case *out,
                                             int64_t channel, size_t *near)
{
    for (size_t i = 0; i < out->bound_count; i++) {
        struct nb_channel_bound *bound =
            &out->bounds[(*near + i) % out->bound_count];
        if (bound->channel == channel) {
            *near = (*near + i) % out->bound_count;
            return bound;
        }
    }
    return NULL;
}

static enum nb_status tables_read_duals(const struct nb_point *given,
                                        struct nb_worst_case *out,
                                        const char *name, bool is_exact,
                                        struct nb_error *err)
{
    const struct nb_table *table = nb_table_find(given, name, 4, err);
    const enum nb_cell_type type = is_exact ? NB_CELL_WHOLE : NB_CELL_NUMBER;
    size_t near = 0;
    if (table == NULL)
        return NB_REFUTED;
    for (size_t row = 0; row < table->row_count; row++) {
        const union nb_cell *cell = table->cells + row * 4;
        struct nb_channel_bound *bound =
            tables_bound(out, nb_table_whole(table, row, 0, UINT32_MAX), &near);
        const int64_t side =
            nb_table_whole(table, row, 1, (int64_t)out->sides.count - 1);
        if (bound == NULL || bound->is_exact != is_exact || side < 0 ||
            !nb_channel_bound_has_duals(bound) ||
            table->columns[2].type != type || table->columns[3].type != type)
            return nb_table_bad_row(name, row, err);
        if (is_exact) {
            bound->row[side] = cell[2].whole;
            bound->column[side] = cell[3].whole;
        } else {
            bound->row_value[side] = cell[2].number;
            bound->column_value[side] = cell[3].number;
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
    const struct nb_table *table = nb_table_find(given, "permutation", 2, err);
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
        const int64_t to = nb_table_whole(
            table, first[s], 1, (int64_t)topology->terminal_count - 1);
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
    enum nb_status status = NB_OK;
    size_t near = 0;
    *out = (struct nb_worst_case){ 0 };
    NB_TRY(nb_sides_find(topology, &out->sides, err));
    NB_TRY(tables_read_bounds(topology, given, out, err));
    NB_TRY(tables_read_duals(given, out, "duals", true, err));
    NB_TRY(tables_read_duals(given, out, "duals_value", false, err));
    NB_TRY(tables_read_permutation(topology, given, out, err));
    const struct nb_table *table =
        nb_table_find(given, "worst_channel", 5, err);
    if (table == NULL || table->row_count != 1)
        NB_TRY(nb_fail(err, NB_REFUTED, "the report names no worst channel"));
    if (out->bound_count == 0 ||
        tables_bound(out, nb_table_whole(table, 0, 0, UINT32_MAX), &near) ==
            NULL)
        NB_TRY(nb_table_bad_row("worst_channel", 0, err));
    out->worst = near;
done:
    if (status != NB_OK)
        nb_worst_case_release(out);
    return status;
}
