/* Networks drawn, their channels coloured (declared in
 * export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

/* Tables of channels that are drawn, and what of them. */
static const struct network_look {
    const char *table;
    const char *column; /* NULL: the last one */
    const char *title;
    bool is_complete; /* it has a row for every channel */
} network_looks[] = {
    { "channels", "load", "Load of the channels", true },
    { "channels", "utilisation", "Utilisation of the channels", true },
    { "channels", "bandwidth", "The network", true },
    { "bottleneck", "length", "Channels that limit the throughput", false },
    { "worst_channel", NULL, "The worst channel", false },
};

/* A network that is drawn. */
struct network {
    const struct nb_drawing *drawing;
    const struct network_look *look; /* NULL: it cannot be */
    struct nb_topology topology;
    struct nb_channel_values values;
};

/* How the table is drawn; NULL: not at all. */
static const struct network_look *network_find(const struct nb_table *table)
{
    for (size_t i = 0; i < sizeof network_looks / sizeof *network_looks; i++) {
        const struct network_look *look = &network_looks[i];
        if (strcmp(look->table, table->name) == 0 &&
            (look->column == NULL ||
             nb_table_column(table, look->column) < table->column_count))
            return look;
    }
    return NULL;
}

/* Places the network if it is not too large to be drawn channel by channel.
 * Places too near to each other are given back: step = 0. */
static enum nb_status network_place(const struct nb_topology *topology,
                                    struct nb_placing *out,
                                    struct nb_error *err)
{
    const double least = 5; /* from router to router */
    if (topology->channel_count > NB_DRAWING_WIRES)
        return NB_OK;
    const enum nb_status status =
        nb_placing_build(topology, NB_DRAWING_WIDTH, out, err);
    if (status == NB_OK && out->step < least)
        nb_placing_release(out);
    return status;
}

size_t nb_drawing_network_column(const struct nb_table *table)
{
    const struct network_look *look = network_find(table);
    if (look == NULL || table->column_count == 0)
        return table->column_count;
    return look->column != NULL ? nb_table_column(table, look->column)
                                : table->column_count - 1;
}

/* Reads the network and its values if the table fits it. */
static enum nb_status network_open(struct network *network,
                                   struct nb_error *err)
{
    const struct nb_drawing *drawing = network->drawing;
    const struct nb_table *table = drawing->table;
    const struct network_look *look = network_find(table);
    struct nb_topology *topology = &network->topology;
    bool is_known;
    enum nb_status status = NB_OK;
    if (look == NULL || table->row_count == 0)
        return NB_OK;
    NB_TRY(nb_drawing_find_network(drawing, topology, &is_known, err));
    if (!is_known ||
        (look->is_complete && table->row_count != topology->channel_count))
        goto done;
    NB_TRY(nb_drawing_read_channels(topology, table,
                                    nb_drawing_network_column(table), &is_known,
                                    &network->values, err));
    if (is_known && (look->is_complete || network->values.most > 0))
        network->look = look;
done:
    return status;
}

static enum nb_status network_add(const struct network *network,
                                  struct nb_error *err)
{
    const struct nb_drawing *drawing = network->drawing;
    const struct nb_topology *topology = &network->topology;
    struct nb_placing placing = { 0 };
    enum nb_status status;
    if (network->look == NULL)
        return NB_OK;
    NB_TRY(network_place(topology, &placing, err));
    if (placing.step > 0)
        NB_TRY(nb_drawing_add_wires(drawing, network->look->title, topology,
                                    &placing, &network->values, err));
    else if (network->values.name[0] != '\0' && drawing->table->row_count > 1)
        NB_TRY(nb_drawing_add_parts(drawing, network->look->title, topology,
                                    &network->values, err));
done:
    nb_placing_release(&placing);
    return status;
}

/* Whether two networks can be compared by their colours. */
static bool network_are_alike(const struct network *one,
                              const struct network *other)
{
    return one->look != NULL && other->look != NULL &&
           one->drawing->table->row_count > 1 &&
           other->drawing->table->row_count > 1 &&
           one->values.name[0] != '\0' &&
           strcmp(one->values.name, other->values.name) == 0;
}

/* Gives networks that can be compared one scale. Returns whether all can. */
static bool network_share_scale(struct network *networks, size_t count)
{
    bool is_one = count > 1;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            const bool is_alike = network_are_alike(&networks[i], &networks[j]);
            is_one = is_one && is_alike;
            if (is_alike)
                networks[i].values.scale =
                    fmax(networks[i].values.scale, networks[j].values.most);
        }
    return is_one;
}

enum nb_status nb_drawing_add_networks(const struct nb_drawing *drawings,
                                       size_t count, struct nb_error *err)
{
    struct network networks[NB_DRAWING_POINTS] = { 0 };
    xmlNodePtr first = NULL;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count; i++) {
        networks[i].drawing = &drawings[i];
        NB_TRY(network_open(&networks[i], err));
    }
    const bool is_one = network_share_scale(networks, count);
    for (size_t i = 0; i < count; i++) {
        NB_TRY(network_add(&networks[i], err));
        if (i == 0)
            first = xmlGetLastChild(drawings[0].parent);
    }
    if (is_one)
        NB_TRY(nb_drawing_add_note(first, err, "all points have one scale"));
done:
    for (size_t i = 0; i < count; i++) {
        nb_delete(networks[i].values.value);
        nb_topology_release(&networks[i].topology);
    }
    return status;
}
