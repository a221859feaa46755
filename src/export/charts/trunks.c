#include "export/charts/trunks.h"

#include "core/memory.h"
#include "export/charts/drawing.h"
#include "topology/index.h"

#include <string.h>

/* The row of a switch, by its router; rows ascend by router. */
static uint32_t trunks_find(const struct nb_table *switches, int64_t router)
{
    const size_t column = nb_table_column(switches, "router");
    size_t first = 0, end = switches->row_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (nb_drawing_whole(switches, middle, column, INT32_MAX) < router)
            first = middle + 1;
        else
            end = middle;
    }
    return router >= 0 && first < switches->row_count &&
                   nb_drawing_whole(switches, first, column, INT32_MAX) ==
                       router
               ? (uint32_t)first
               : NB_NONE;
}

static uint32_t trunks_end(const struct nb_table *switches,
                           const struct nb_table *channels, size_t row,
                           const char *column)
{
    return trunks_find(switches,
                       nb_drawing_whole(channels, row,
                                        nb_table_column(channels, column),
                                        INT32_MAX));
}

/* Numbers the channels between switches, by their source. count: how many. */
static enum nb_status trunks_number(const struct nb_table *switches,
                                    const struct nb_table *channels,
                                    uint32_t *number, size_t *count,
                                    struct nb_error *err)
{
    uint32_t *next; /* [switch] the number of its next channel */
    const enum nb_status status =
        nb_new(&next, switches->row_count + 1, sizeof *next, "channels", err);
    if (status != NB_OK)
        return status;
    for (size_t row = 0; row < channels->row_count; row++) {
        const uint32_t source = trunks_end(switches, channels, row, "source");
        const uint32_t target = trunks_end(switches, channels, row, "target");
        const bool is_trunk =
            source != NB_NONE && target != NB_NONE && source != target;
        number[row] = is_trunk ? source : NB_NONE;
        if (is_trunk)
            next[source + 1]++;
    }
    for (size_t i = 0; i < switches->row_count; i++)
        next[i + 1] += next[i];
    *count = next[switches->row_count];
    for (size_t row = 0; row < channels->row_count; row++)
        if (number[row] != NB_NONE)
            number[row] = next[number[row]]++;
    nb_delete(next);
    return NB_OK;
}

static void trunks_set_channels(const struct nb_table *switches,
                                const struct nb_table *channels,
                                const uint32_t *number, struct nb_topology *out)
{
    const size_t speed = nb_table_column(channels, "bandwidth");
    const bool has_speed = speed < channels->column_count &&
                           channels->columns[speed].type == NB_CELL_RATIO;
    for (size_t row = 0; row < channels->row_count; row++) {
        if (number[row] == NB_NONE)
            continue;
        const union nb_cell *cell =
            &channels->cells[row * channels->column_count + speed];
        out->channels[number[row]] = (struct nb_channel){
            .source = trunks_end(switches, channels, row, "source"),
            .target = trunks_end(switches, channels, row, "target"),
            .bandwidth = has_speed && nb_ratio_value(cell->ratio) > 0
                             ? cell->ratio
                             : nb_ratio_one
        };
    }
}

static enum nb_status trunks_set_names(const struct nb_table *switches,
                                       struct nb_topology *out,
                                       struct nb_error *err)
{
    const size_t column = nb_table_column(switches, "name");
    const size_t hosts = nb_table_column(switches, "hosts");
    size_t length = 0;
    enum nb_status status;
    for (size_t i = 0; i < switches->row_count; i++)
        length += strlen(nb_table_text(switches, i, column)) + 1;
    NB_TRY(nb_new(&out->names, length, 1, "names", err));
    NB_TRY(nb_new(&out->name_start, switches->row_count,
                  sizeof *out->name_start, "names", err));
    length = 0;
    for (size_t i = 0; i < switches->row_count; i++) {
        const char *name = nb_table_text(switches, i, column);
        const int64_t terminals =
            nb_drawing_whole(switches, i, hosts, INT32_MAX);
        out->name_start[i] = length;
        memcpy(out->names + length, name, strlen(name) + 1);
        length += strlen(name) + 1;
        out->terminals[i] = terminals > 0 ? (uint32_t)terminals : 0;
        out->terminal_count += out->terminals[i];
    }
done:
    return status;
}

enum nb_status nb_trunks_build(const struct nb_point *point,
                               struct nb_topology *out, uint32_t **number,
                               struct nb_error *err)
{
    const struct nb_table *switches = nb_point_table(point, "switches");
    const struct nb_table *channels = nb_point_table(point, "channels");
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    size_t count;
    *number = NULL;
    if (switches == NULL || channels == NULL)
        return NB_OK;
    NB_TRY(
        nb_new(number, channels->row_count, sizeof **number, "channels", err));
    NB_TRY(trunks_number(switches, channels, *number, &count, err));
    const bool has_others = count > 0 && count < channels->row_count;
    if (has_others)
        status = nb_topology_reserve(out, (double)switches->row_count,
                                     (double)count, &inner);
    if (!has_others || status != NB_OK) {
        nb_delete(*number);
        *number = NULL;
        return status == NB_NO_MEMORY ? nb_fail_again(err, status, &inner)
                                      : NB_OK;
    }
    trunks_set_channels(switches, channels, *number, out);
    NB_TRY(trunks_set_names(switches, out, err));
    NB_TRY(nb_topology_index(out, err));
done:
    return status;
}
