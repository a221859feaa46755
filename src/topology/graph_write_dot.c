/* DOT, as Graphviz reads it: routers by their numbers, since in an identifier
 * no backslash can be quoted; their names as labels. */
#include "topology/graph_write.h"

#include "core/try.h"

#include <inttypes.h>
#include <string.h>

/* A label: Graphviz takes backslashes for its own escapes, and &...; for
 * characters of HTML. */
static void dot_add_label(const char *name, struct nb_text *text)
{
    static const char special[] = "\"\\\n\r\t&";
    nb_text_print(text, "label=\"");
    while (*name != '\0') {
        const size_t plain = strcspn(name, special);
        nb_text_add(text, name, plain);
        name += plain;
        switch (*name) {
        case '\0':
            continue;
        case '&':
            nb_text_print(text, "&amp;");
            break;
        case '\n':
            nb_text_print(text, "\\n");
            break;
        case '\r':
        case '\t':
            nb_text_print(text, " ");
            break;
        default:
            nb_text_print(text, "\\%c", *name);
            break;
        }
        name++;
    }
    nb_text_print(text, "\"");
}

static void dot_add_router(const struct nb_topology *topology, uint32_t router,
                           struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    nb_text_print(text, "  %" PRIu32 " [", router);
    if (name != NULL) {
        dot_add_label(name, text);
        nb_text_print(text, ", ");
    }
    nb_text_print(text, "terminals=%" PRIu32 "];\n",
                  topology->terminals[router]);
}

enum nb_status nb_graph_write_dot(struct nb_graph_writer *writer,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    char bandwidth[NB_RATIO_TEXT];
    enum nb_status status;
    nb_text_print(text, "%s netbound {\n",
                  writer->is_mutual ? "graph" : "digraph");
    if (nb_ratio_is_known(topology->terminal_bandwidth)) {
        nb_ratio_print(topology->terminal_bandwidth, bandwidth);
        nb_text_print(text, "  terminal_bandwidth=\"%s\";\n", bandwidth);
    }
    for (uint32_t r = 0; r < topology->router_count; r++) {
        dot_add_router(topology, r, text);
        NB_TRY(nb_graph_check_length(writer, err));
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (!nb_graph_writes(writer, c))
            continue;
        nb_text_print(text, "  %" PRIu32 " %s %" PRIu32, channel->source,
                      writer->is_mutual ? "--" : "->", channel->target);
        nb_ratio_print(channel->bandwidth, bandwidth);
        if (nb_ratio_compare(channel->bandwidth, nb_ratio_one) != 0)
            nb_text_print(text, " [bandwidth=\"%s\", label=\"%s\"]", bandwidth,
                          bandwidth);
        nb_text_print(text, ";\n");
        NB_TRY(nb_graph_check_length(writer, err));
    }
    nb_text_print(text, "}\n");
done:
    return status;
}
