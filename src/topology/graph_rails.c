/* Planes and rails of a fabric whose hosts have several ports (declared in
 * graph.h). */
#include "topology/graph.h"

#include "core/memory.h"
#include "topology/fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A port of a host. */
struct rails_port {
    const char *machine; /* the first word of its description */
    size_t length;       /* of that word */
    uint32_t router;
    uint32_t leaf, part; /* the switch, and the part of the network; NB_NONE:
                          * no cable */
};

/* Owns pool. */
struct rails {
    const struct nb_graph *graph;
    struct rails_port *port; /* [count] by machine, then router */
    size_t count;
    uint32_t *above;   /* [router] of the same part; itself: the first */
    uint32_t *rail_of; /* [switch] the place of its hosts' ports + 1; 0: none */
    size_t machines;   /* with as many ports as any */
    size_t ports;      /* of each of them */
    struct nb_pool pool;
};

static uint32_t rails_root(struct rails *rails, uint32_t router)
{
    while (rails->above[router] != router) {
        rails->above[router] = rails->above[rails->above[router]];
        router = rails->above[router];
    }
    return router;
}

static int rails_compare_machines(const struct rails_port *a,
                                  const struct rails_port *b)
{
    const size_t length = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->machine, b->machine, length);
    return order != 0 ? order
                      : (a->length > b->length) - (a->length < b->length);
}

static int rails_compare(const void *left, const void *right)
{
    const struct rails_port *a = left, *b = right;
    const int order = rails_compare_machines(a, b);
    return order != 0 ? order
                      : (a->router > b->router) - (a->router < b->router);
}

/* Lists the ports of hosts with a description. */
static enum nb_status rails_list(struct rails *rails, struct nb_error *err)
{
    const struct nb_graph *graph = rails->graph;
    const struct nb_fabric *fabric = graph->fabric;
    const size_t n = graph->names.count;
    enum nb_status status;
    rails->port = nb_pool_array(&rails->pool, n, sizeof *rails->port);
    rails->above = nb_pool_array(&rails->pool, n, sizeof *rails->above);
    rails->rail_of = nb_pool_array(&rails->pool, n, sizeof *rails->rail_of);
    NB_TRY(nb_pool_check(&rails->pool, "ports", err));
    for (uint32_t r = 0; r < n; r++)
        rails->above[r] = r;
    for (size_t p = 0; p < fabric->port_count; p++)
        rails->above[rails_root(rails, fabric->port[p].router)] =
            rails_root(rails, fabric->port[p].target);
    for (size_t i = 0; i < n; i++) {
        const struct nb_name *name = &graph->names.entry[i];
        const struct nb_fabric_node *node = &fabric->node[name->number];
        const struct nb_fabric_port *door =
            nb_fabric_door(fabric, name->number);
        if (node->is_switch || graph->terminals[i] == 0 || door == NULL ||
            node->description == 0)
            continue;
        rails->port[rails->count++] = (struct rails_port){
            .machine = name->text,
            .length = strcspn(name->text, " "),
            .router = name->number,
            .leaf = door->target,
            .part = rails_root(rails, name->number),
        };
    }
    if (rails->count > 1)
        qsort(rails->port, rails->count, sizeof *rails->port, rails_compare);
done:
    return status;
}

/* The end of the ports of a machine, from the first one on. */
static size_t rails_end(const struct rails *rails, size_t first)
{
    size_t end = first + 1;
    while (end < rails->count &&
           rails_compare_machines(&rails->port[first], &rails->port[end]) == 0)
        end++;
    return end;
}

/* Whether ports are those of one machine: names that adapters have by default
 * begin alike, too, but then several adapters have the same. */
static bool rails_is_machine(const struct rails *rails, size_t first,
                             size_t end)
{
    const struct nb_fabric_node *node = rails->graph->fabric->node;
    for (size_t i = first; i < end; i++)
        for (size_t j = first; j < i; j++) {
            const struct rails_port *a = &rails->port[i], *b = &rails->port[j];
            const uint32_t length = node[a->router].description;
            if (node[b->router].description == length &&
                memcmp(a->machine, b->machine, length) == 0 &&
                node[a->router].guid != node[b->router].guid)
                return false;
        }
    return true;
}

/* Finds the most ports of a machine, and how many have as many. */
static void rails_count(struct rails *rails)
{
    enum { MOST = 64 }; /* ports of a machine */
    for (size_t first = 0, end; first < rails->count; first = end) {
        end = rails_end(rails, first);
        const size_t ports =
            end - first <= MOST && rails_is_machine(rails, first, end)
                ? end - first
                : 1;
        if (ports > rails->ports)
            rails->machines = 0;
        if (ports >= rails->ports) {
            rails->ports = ports;
            rails->machines++;
        }
    }
}

/* Whether the machines' ports are in parts, or at switches, that only ports of
 * the same place share. */
static bool rails_are_apart(struct rails *rails, bool by_part)
{
    memset(rails->rail_of, 0,
           rails->graph->names.count * sizeof *rails->rail_of);
    for (size_t first = 0, end; first < rails->count; first = end) {
        end = rails_end(rails, first);
        for (size_t i = first; i < end && end - first == rails->ports; i++) {
            const struct rails_port *port = &rails->port[i];
            const uint32_t place = (uint32_t)(i - first) + 1;
            uint32_t *of = &rails->rail_of[by_part ? port->part : port->leaf];
            if (*of != 0 && *of != place)
                return false;
            *of = place;
        }
    }
    return true;
}

enum nb_status nb_graph_note_rails(struct nb_graph *graph, struct nb_error *err)
{
    struct rails rails = { .graph = graph };
    enum nb_status status = NB_OK;
    if (graph->fabric == NULL)
        return NB_OK;
    NB_TRY(rails_list(&rails, err));
    rails_count(&rails);
    if (rails.ports < 2)
        goto done;
    if (rails.machines > 1 && rails_are_apart(&rails, true))
        nb_graph_note(graph, "planes",
                      "%zu planes of %zu hosts, which no switch joins: port k "
                      "of each host is in plane k",
                      rails.ports, rails.machines);
    else if (rails.machines > 1 && rails_are_apart(&rails, false))
        nb_graph_note(graph, "rails",
                      "%zu rails of %zu hosts: port k of each host is at the "
                      "switches of rail k; each port counts as a host",
                      rails.ports, rails.machines);
    else
        nb_graph_note(graph, "rails",
                      "hosts with %zu ports: %zu, not in rails; each port "
                      "counts as a host",
                      rails.ports, rails.machines);
done:
    nb_pool_release(&rails.pool);
    return status;
}
