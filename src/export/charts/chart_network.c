/* Networks drawn, their channels coloured (declared in
 * export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "core/memory.h"
#include "export/charts/placing.h"
#include "report/printed.h"

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

static enum nb_status network_add_wires(const struct nb_topology *topology,
                                        const struct nb_placing *placing,
                                        const struct nb_channel_values *values,
                                        uint32_t channel, xmlNodePtr chart,
                                        struct nb_error *err)
{
    const struct nb_channel *way = &topology->channels[channel];
    const double value = values->value[channel];
    struct nb_wire wires[NB_PLACING_WIRES];
    const size_t count = nb_placing_wires(topology, placing, channel, wires);
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count && status == NB_OK; i++) {
        xmlNodePtr node = nb_view_add(chart, "wire");
        struct nb_text title = { 0 };
        nb_view_place(node, "x1", wires[i].from.x);
        nb_view_place(node, "y1", wires[i].from.y);
        nb_view_place(node, "x2", wires[i].to.x);
        nb_view_place(node, "y2", wires[i].to.y);
        nb_view_print(node, "bend", "%.3f", wires[i].bend);
        nb_view_print(node, "level", "%d",
                      values->name[0] == '\0'
                          ? 0
                          : nb_drawing_level(value, values->most));
        nb_text_print(&title, "channel %u, ", channel);
        nb_drawing_print_router(topology, way->source, &title);
        nb_text_print(&title, " to ");
        nb_drawing_print_router(topology, way->target, &title);
        if (!isnan(value) && values->name[0] != '\0') {
            nb_text_print(&title, ": ");
            nb_drawing_print_value(values->name, value, values->unit, &title);
        }
        status = nb_drawing_set(node, "title", &title, err);
    }
    return status;
}

/* "router 5, group 1, at (1, 2), 4 terminals" */
static void network_print_router(const struct nb_topology *topology,
                                 uint32_t router, struct nb_text *title)
{
    const struct nb_grid *grid =
        topology->grid.dimensions > 0 ? &topology->grid : &topology->hyperx;
    const uint32_t terminals = topology->terminals[router];
    nb_drawing_print_router(topology, router, title);
    if (grid->dimensions > 1)
        for (size_t d = 0; d < grid->dimensions; d++)
            nb_text_print(title, "%s%u%s", d == 0 ? ", at (" : ", ",
                          nb_grid_coordinate(grid, router, d),
                          d + 1 == grid->dimensions ? ")" : "");
    else if (topology->groups.count > 0 &&
             topology->groups.of[router] != NB_NONE)
        nb_text_print(title, ", group %u", topology->groups.of[router]);
    nb_text_print(title, ", %u terminal%s", terminals,
                  terminals == 1 ? "" : "s");
}

/* The router's name or number; number: room for it. */
static const char *network_label(const struct nb_topology *topology,
                                 uint32_t router, char number[16])
{
    const char *name = nb_router_name(topology, router);
    snprintf(number, 16, "%u", router);
    return name != NULL ? name : number;
}

/* Whether there is room for the labels of all routers. Numbers stand in the
 * circles, names may reach beyond. */
static bool network_has_room(const struct nb_topology *topology,
                             const struct nb_placing *placing)
{
    const double letter = 6.2; /* how wide */
    const double room =
        topology->names != NULL ? placing->step + 12 : 2 * placing->radius;
    size_t longest = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        char number[16];
        const size_t length = strlen(network_label(topology, r, number));
        longest = length > longest ? length : longest;
    }
    return letter * (double)longest <= room;
}

static enum nb_status network_add_routers(const struct nb_topology *topology,
                                          const struct nb_placing *placing,
                                          xmlNodePtr chart,
                                          struct nb_error *err)
{
    const bool has_room = network_has_room(topology, placing);
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < topology->router_count && status == NB_OK; r++) {
        xmlNodePtr node = nb_view_add(chart, "router");
        struct nb_text title = { 0 };
        char number[16];
        nb_view_place(node, "x", placing->router[r].x);
        nb_view_place(node, "y", placing->router[r].y);
        nb_view_place(node, "r", placing->radius);
        if (has_room)
            nb_view_set(node, "label", network_label(topology, r, number));
        network_print_router(topology, r, &title);
        status = nb_drawing_set(node, "title", &title, err);
    }
    return status;
}

static void network_add_scale(const struct nb_drawing *drawing,
                              const struct nb_channel_values *values,
                              xmlNodePtr chart)
{
    if (values->name[0] == '\0')
        return;
    if (drawing->table->row_count > 1) {
        nb_drawing_add_scale(chart, values->name, values->unit, values->most);
        return;
    }
    xmlNodePtr scale =
        nb_drawing_start_scale(chart, values->name, values->unit);
    char number[NB_PRINTED];
    nb_print_number(values->most, number);
    nb_drawing_add_step(scale, 0, "other channels");
    nb_drawing_add_step(scale, NB_DRAWING_LEVELS, number);
}

static enum nb_status network_draw(const struct nb_drawing *drawing,
                                   const char *title,
                                   const struct nb_topology *topology,
                                   const struct nb_placing *placing,
                                   const struct nb_channel_values *values,
                                   struct nb_error *err)
{
    xmlNodePtr chart;
    enum nb_status status;
    NB_TRY(nb_drawing_start(drawing, "network", title, placing->height, &chart,
                            err));
    nb_view_set(chart, "x", "source target");
    nb_view_set(chart, "y", values->name);
    nb_view_set(chart, "note",
                topology->grid.wraps && placing->form == NB_PLACED_GRID
                    ? "each channel keeps to the right of its way; those that "
                      "leave at the end of a line come in at its other end"
                    : "each channel keeps to the right of its way");
    NB_TRY(nb_drawing_describe(topology, values, chart, err));
    for (uint32_t c = 0; c < topology->channel_count; c++)
        NB_TRY(network_add_wires(topology, placing, values, c, chart, err));
    NB_TRY(network_add_routers(topology, placing, chart, err));
    network_add_scale(drawing, values, chart);
done:
    return status;
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

enum nb_status nb_drawing_add_network(const struct nb_drawing *drawing,
                                      struct nb_error *err)
{
    const struct nb_table *table = drawing->table;
    const struct network_look *look = network_find(table);
    struct nb_topology topology = { 0 };
    struct nb_placing placing = { 0 };
    struct nb_channel_values values = { 0 };
    bool is_known;
    enum nb_status status = NB_OK;
    if (look == NULL || table->row_count == 0)
        return NB_OK;
    const size_t column = look->column != NULL
                              ? nb_table_column(table, look->column)
                              : table->column_count - 1;
    NB_TRY(nb_drawing_find_network(drawing, &topology, &is_known, err));
    if (!is_known ||
        (look->is_complete && table->row_count != topology.channel_count))
        goto done;
    NB_TRY(nb_drawing_read_channels(&topology, table, column, &is_known,
                                    &values, err));
    if (!is_known || (!look->is_complete && !(values.most > 0)))
        goto done;
    NB_TRY(network_place(&topology, &placing, err));
    if (placing.step > 0)
        NB_TRY(network_draw(drawing, look->title, &topology, &placing, &values,
                            err));
    else if (values.name[0] != '\0' && table->row_count > 1)
        NB_TRY(nb_drawing_add_parts(drawing, look->title, &topology, &values,
                                    err));
done:
    nb_delete(values.value);
    nb_placing_release(&placing);
    nb_topology_release(&topology);
    return status;
}
