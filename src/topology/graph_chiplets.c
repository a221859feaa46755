/* Networks of chiplets in the JSON of RapidChiplet: a list of links, each with
 * two ends, "ep1" and "ep2". */
#include "topology/graph.h"

#include "core/json.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

bool nb_graph_is_chiplets(const struct json_t *root)
{
    return json_object_get(json_array_get(root, 0), "ep1") != NULL;
}

/*
 * Adds the router at an end: a chiplet is called by its number, a router in the
 * interposer, which has no terminals, "irouter-0".
 *
 * end  {"type": "chiplet", "outer_id": 0, "inner_id": 2}
 */
static enum nb_status chiplets_read_end(struct nb_graph *graph, size_t link,
                                        const json_t *end, const char **name,
                                        struct nb_error *err)
{
    enum { ROOM = 32 };
    const char *type = json_string_value(json_object_get(end, "type"));
    const json_t *id = json_object_get(end, "outer_id");
    const json_int_t number = json_integer_value(id);
    const bool is_chiplet = type != NULL && strcmp(type, "chiplet") == 0;
    char shown[NB_JSON_SHOWN];
    enum nb_status status;
    nb_json_show(id, shown);
    if ((!is_chiplet && (type == NULL || strcmp(type, "irouter") != 0)) ||
        !json_is_integer(id) || number < 0 || number >= NB_NONE)
        return nb_graph_fail(
            graph, link, NB_INVALID, err,
            "an end of type \"%.20s\" with outer_id %s is not permitted "
            "(permitted: \"ep1\" and \"ep2\" with \"type\", chiplet or "
            "irouter, and \"outer_id\", a whole number)",
            type != NULL ? type : "", shown);
    char *text = nb_pool_array(&graph->texts, ROOM, 1);
    NB_TRY(nb_pool_check(&graph->texts, "names", err));
    snprintf(text, ROOM, "%s%" JSON_INTEGER_FORMAT,
             is_chiplet ? "" : "irouter-", number);
    NB_TRY(
        nb_graph_router_add(graph, link, text, is_chiplet ? NB_NONE : 0, err));
    *name = text;
done:
    return status;
}

enum nb_status nb_graph_read_chiplets(const struct json_t *root,
                                      struct nb_graph *graph,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    graph->list = "link";
    for (size_t i = 0; i < json_array_size(root); i++) {
        const json_t *link = json_array_get(root, i);
        struct nb_graph_edge edge = { .line = i };
        NB_TRY(chiplets_read_end(graph, i, json_object_get(link, "ep1"),
                                 &edge.source, err));
        NB_TRY(chiplets_read_end(graph, i, json_object_get(link, "ep2"),
                                 &edge.target, err));
        NB_TRY(nb_graph_add(graph, &edge, err));
    }
    nb_graph_names_number(&graph->names);
done:
    return status;
}
