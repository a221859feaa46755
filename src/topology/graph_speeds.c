/* Speeds of a fabric's cables that are not known (declared in graph.h). */
#include "topology/graph.h"

#include "topology/fabric.h"

void nb_graph_note_speeds(struct nb_graph *graph)
{
    const struct nb_fabric *fabric = graph->fabric;
    const char *first = NULL;
    size_t count = 0;
    for (size_t p = 0; fabric != NULL && p < fabric->port_count; p++) {
        const struct nb_fabric_port *port = &fabric->port[p];
        if (port->speed[0] == '\0' || nb_ratio_is_known(port->gigabits))
            continue;
        first = first != NULL ? first : port->speed;
        count++;
    }
    if (first != NULL)
        nb_graph_note(graph, "unknown_speeds",
                      "cable ends of unknown speed, such as \"%s\", which get "
                      "that of parameter bandwidth: %zu",
                      first, count);
}
