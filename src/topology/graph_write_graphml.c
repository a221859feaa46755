/* GraphML: one directed edge for each channel, in the order of the channels,
 * so that reading numbers routers and channels alike. */
#include "core/decimal.h"
#include "core/try.h"
#include "topology/graph.h"
#include "topology/graph_write.h"

#include <inttypes.h>
#include <string.h>

/* Whether every channel's bandwidth is a decimal, which other programs take for
 * a double. */
static bool graphml_is_decimal(const struct nb_topology *topology)
{
    char text[NB_RATIO_TEXT];
    for (size_t c = 0; c < topology->channel_count; c++)
        if (!nb_decimal_print(topology->channels[c].bandwidth, text))
            return false;
    return true;
}

static void graphml_print(struct nb_ratio value, char text[NB_RATIO_TEXT])
{
    if (!nb_decimal_print(value, text))
        nb_ratio_print(value, text);
}

/* The value of an attribute; blanks as references, since a parser would
 * otherwise take them for spaces. */
static void graphml_add_name(const struct nb_topology *topology,
                             uint32_t router, struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    if (name == NULL) {
        nb_text_print(text, "%" PRIu32, router);
        return;
    }
    while (*name != '\0') {
        const size_t plain = strcspn(name, "&<>\"\t\r\n");
        nb_text_add(text, name, plain);
        name += plain;
        if (*name != '\0')
            nb_text_print(text, "&#%d;", *name++);
    }
}

static void graphml_add_key(const char *name, const char *domain,
                            const char *type, struct nb_text *text)
{
    nb_text_print(text,
                  "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" "
                  "attr.type=\"%s\"/>\n",
                  name, domain, name, type);
}

static void graphml_add_head(const struct nb_topology *topology,
                             struct nb_text *text)
{
    char bandwidth[NB_RATIO_TEXT];
    const struct nb_ratio of_terminals = topology->terminal_bandwidth;
    nb_text_print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<graphml "
                        "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    if (nb_ratio_is_known(of_terminals))
        graphml_add_key(NB_GRAPH_TERMINAL_BANDWIDTH, "graph",
                        nb_decimal_print(of_terminals, bandwidth) ? "double"
                                                                  : "string",
                        text);
    graphml_add_key("terminals", "node", "int", text);
    graphml_add_key("bandwidth", "edge",
                    graphml_is_decimal(topology) ? "double" : "string", text);
    nb_text_print(text, "<graph edgedefault=\"directed\">\n");
    if (nb_ratio_is_known(of_terminals)) {
        graphml_print(of_terminals, bandwidth);
        nb_text_print(text, "<data key=\"%s\">%s</data>\n",
                      NB_GRAPH_TERMINAL_BANDWIDTH, bandwidth);
    }
}

enum nb_status nb_graph_write_graphml(struct nb_graph_writer *writer,
                                      struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    enum nb_status status;
    graphml_add_head(topology, text);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        nb_text_print(text, "<node id=\"");
        graphml_add_name(topology, r, text);
        nb_text_print(text,
                      "\"><data key=\"terminals\">%" PRIu32 "</data></node>\n",
                      topology->terminals[r]);
        NB_TRY(nb_graph_check_length(writer, err));
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        char bandwidth[NB_RATIO_TEXT];
        graphml_print(topology->channels[c].bandwidth, bandwidth);
        nb_text_print(text, "<edge source=\"");
        graphml_add_name(topology, topology->channels[c].source, text);
        nb_text_print(text, "\" target=\"");
        graphml_add_name(topology, topology->channels[c].target, text);
        nb_text_print(text, "\"><data key=\"bandwidth\">%s</data></edge>\n",
                      bandwidth);
        NB_TRY(nb_graph_check_length(writer, err));
    }
    nb_text_print(text, "</graph>\n</graphml>\n");
done:
    return status;
}
