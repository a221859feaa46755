/* What a drawing shows, in words (declared in export/charts/drawing.h). */
#include "export/charts/drawing.h"

#include "report/printed.h"

#include <math.h>
#include <string.h>

/* The largest value and the first channel that has it; how many do, only if
 * the values of all are known. */
enum nb_status nb_drawing_describe(const struct nb_topology *topology,
                                   const struct nb_channel_values *values,
                                   xmlNodePtr chart, struct nb_error *err)
{
    struct nb_text text = { 0 };
    double largest = -INFINITY;
    size_t count = 0, first = 0;
    for (size_t c = 0; c < topology->channel_count; c++)
        if (values->value[c] > largest)
            largest = values->value[c];
    for (size_t c = topology->channel_count; c-- > 0;)
        if (values->value[c] >= largest * (1 - 1e-12)) {
            first = c;
            count++;
        }
    nb_drawing_print_count(topology->router_count, "router", &text);
    nb_text_print(&text, " and ");
    nb_drawing_print_count(topology->channel_count, "channel", &text);
    nb_text_print(&text, ".");
    if (count > 0 && values->name[0] != '\0') {
        nb_text_print(&text, " The largest %s,", values->name);
        nb_drawing_print_value("", largest, values->unit, &text);
        if (!values->is_complete)
            nb_text_print(&text, ", is found on the channel from ");
        else
            nb_text_print(&text,
                          count == 1 ? ", is that of %zu channel, from "
                                     : ", is that of %zu channels, the "
                                       "first of them from ",
                          count);
        nb_drawing_print_router(topology, topology->channels[first].source,
                                &text);
        nb_text_print(&text, " to ");
        nb_drawing_print_router(topology, topology->channels[first].target,
                                &text);
        nb_text_print(&text, ".");
    }
    return nb_drawing_set(chart, "description", &text, err);
}
