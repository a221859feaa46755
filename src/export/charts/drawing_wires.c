/* Networks drawn channel by channel (declared in export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "core/try.h"
#include "report/printed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum nb_status wires_add_channel(const struct nb_topology *topology,
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
                          : nb_drawing_level(value, values->scale));
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
static void wires_print_router(const struct nb_topology *topology,
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
static const char *wires_label(const struct nb_topology *topology,
                               uint32_t router, char number[16])
{
    const char *name = nb_router_name(topology, router);
    snprintf(number, 16, "%u", router);
    return name != NULL ? name : number;
}

/* Whether there is room for the labels of all routers. Numbers stand in the
 * circles, names may reach beyond. */
static bool wires_has_room(const struct nb_topology *topology,
                           const struct nb_placing *placing)
{
    const double letter = 6.2; /* how wide */
    const double room =
        topology->names != NULL ? placing->step + 12 : 2 * placing->radius;
    size_t longest = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        char number[16];
        const size_t length = strlen(wires_label(topology, r, number));
        longest = length > longest ? length : longest;
    }
    return letter * (double)longest <= room;
}

static enum nb_status wires_add_routers(const struct nb_topology *topology,
                                        const struct nb_placing *placing,
                                        xmlNodePtr chart, struct nb_error *err)
{
    const bool has_room = wires_has_room(topology, placing);
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < topology->router_count && status == NB_OK; r++) {
        xmlNodePtr node = nb_view_add(chart, "router");
        struct nb_text title = { 0 };
        char number[16];
        nb_view_place(node, "x", placing->router[r].x);
        nb_view_place(node, "y", placing->router[r].y);
        nb_view_place(node, "r", placing->radius);
        if (has_room)
            nb_view_set(node, "label", wires_label(topology, r, number));
        wires_print_router(topology, r, &title);
        status = nb_drawing_set(node, "title", &title, err);
    }
    return status;
}

static void wires_add_scale(const struct nb_drawing *drawing,
                            const struct nb_channel_values *values,
                            xmlNodePtr chart)
{
    if (values->name[0] == '\0')
        return;
    if (drawing->table->row_count > 1) {
        nb_drawing_add_scale(chart, values->name, values->unit, values->scale);
        return;
    }
    xmlNodePtr scale =
        nb_drawing_start_scale(chart, values->name, values->unit);
    char number[NB_PRINTED];
    nb_print_number(values->most, number);
    nb_drawing_add_step(scale, 0, "other channels");
    nb_drawing_add_step(scale, NB_DRAWING_LEVELS, number);
}

enum nb_status nb_drawing_add_wires(const struct nb_drawing *drawing,
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
    nb_view_set(chart, "y", values->column);
    nb_view_set(chart, "note",
                topology->grid.wraps && placing->form == NB_PLACED_GRID
                    ? "each channel keeps to the right of its way; those that "
                      "leave at the end of a line come in at its other end"
                    : "each channel keeps to the right of its way");
    NB_TRY(nb_drawing_describe(topology, values, chart, err));
    for (uint32_t c = 0; c < topology->channel_count; c++)
        NB_TRY(wires_add_channel(topology, placing, values, c, chart, err));
    NB_TRY(wires_add_routers(topology, placing, chart, err));
    wires_add_scale(drawing, values, chart);
done:
    return status;
}
