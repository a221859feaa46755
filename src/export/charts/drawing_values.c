/* What tables say of channels (declared in export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

double nb_drawing_value(const struct nb_table *table, size_t row, size_t column)
{
    const double value = nb_table_number(table, row, column);
    if (!isnan(value))
        return value;
    return nb_table_number(table, row, nb_table_column(table, "lower")) / 2 +
           nb_table_number(table, row, nb_table_column(table, "upper")) / 2;
}

static bool values_is_even(const struct nb_topology *topology)
{
    for (size_t c = 1; c < topology->channel_count; c++)
        if (nb_ratio_compare(topology->channels[c].bandwidth,
                             topology->channels[0].bandwidth) != 0)
            return false;
    return true;
}

/* What the values are: a load is compared with the bandwidth where that
 * differs from channel to channel, and equal bandwidths are nothing to show. */
static void values_name(const struct nb_topology *topology,
                        const struct nb_table *table, size_t column,
                        struct nb_channel_values *out)
{
    const bool is_even = values_is_even(topology);
    out->name = out->column = table->columns[column].name;
    out->unit = table->columns[column].unit;
    if (is_even && strcmp(out->name, "bandwidth") == 0)
        out->name = out->column = "";
    if (is_even || strcmp(out->name, "load") != 0)
        return;
    out->name = "load/bandwidth";
    out->unit = "";
    for (size_t c = 0; c < topology->channel_count; c++)
        out->value[c] /= nb_ratio_value(topology->channels[c].bandwidth);
}

enum nb_status nb_drawing_read_channels(const struct nb_topology *topology,
                                        const struct nb_table *table,
                                        size_t column, bool *is_fitting,
                                        struct nb_channel_values *out,
                                        struct nb_error *err)
{
    const size_t count = topology->channel_count;
    const size_t channel = nb_table_column(table, "channel");
    const size_t source = nb_table_column(table, "source");
    const size_t target = nb_table_column(table, "target");
    const enum nb_status status =
        nb_new(&out->value, count, sizeof *out->value, "channels", err);
    *is_fitting = true;
    for (size_t c = 0; c < count && status == NB_OK; c++)
        out->value[c] = NAN;
    for (size_t row = 0;
         row < table->row_count && *is_fitting && status == NB_OK; row++) {
        const int64_t c = nb_drawing_whole(table, row, channel, count);
        *is_fitting = c >= 0 &&
                      nb_drawing_whole(table, row, source, SIZE_MAX) ==
                          topology->channels[c].source &&
                      nb_drawing_whole(table, row, target, SIZE_MAX) ==
                          topology->channels[c].target;
        if (*is_fitting)
            out->value[c] = nb_drawing_value(table, row, column);
    }
    if (status != NB_OK || !*is_fitting)
        return status;
    values_name(topology, table, column, out);
    out->is_complete = true;
    for (size_t c = 0; c < count; c++) {
        if (isfinite(out->value[c]))
            out->most = fmax(out->most, out->value[c]);
        out->is_complete = out->is_complete && !isnan(out->value[c]);
    }
    out->scale = out->most;
    return NB_OK;
}
