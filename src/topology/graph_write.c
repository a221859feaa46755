#include "topology/graph_write.h"

#include "topology/bandwidths.h"
#include "core/decimal.h"
#include "core/locale.h"
#include "core/memory.h"
#include "core/text.h"
#include "topology/edge_words.h"
#include "topology/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A network being written. */
struct graph_writer {
    const struct nb_topology *topology;
    const char *path; /* for messages */
    /* Whether every channel has an opposite of the same bandwidth. */
    bool is_mutual;
    bool has_groups;     /* and each has a router that has not failed */
    struct nb_text text; /* owned */
};

/* Whether the channel gets a line: each does in a directed graph, else only the
 * one from the lower number. */
static bool graph_writes(const struct graph_writer *writer, size_t channel)
{
    const struct nb_channel *at = &writer->topology->channels[channel];
    return !writer->is_mutual || at->source < at->target;
}

/* Refuses a text that is too large to be read back. */
static enum nb_status graph_check_length(const struct graph_writer *writer,
                                         struct nb_error *err)
{
    if (writer->text.length <= NB_GRAPH_BYTES)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s: a network of %zu routers and %zu channels "
                   "takes more than %d bytes, the most that is read back",
                   writer->path, writer->topology->router_count,
                   writer->topology->channel_count, NB_GRAPH_BYTES);
}

static enum nb_status anynet_check_bandwidths(const struct graph_writer *writer,
                                              struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    const struct nb_ratio of_terminals = topology->terminal_bandwidth;
    char bandwidth[NB_RATIO_TEXT] = NB_GRAPH_UNLIMITED;
    if (nb_ratio_is_known(of_terminals)
            ? nb_ratio_compare(of_terminals, nb_ratio_one) != 0
            : nb_terminals_are_shared(topology)) {
        if (nb_ratio_is_known(of_terminals))
            nb_ratio_print(of_terminals, bandwidth);
        return nb_fail(err, NB_INVALID,
                       "%.200s: anynet cannot hold the bandwidth %s of "
                       "the terminals' channels (permitted: 1)",
                       writer->path, bandwidth);
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (nb_ratio_compare(channel->bandwidth, nb_ratio_one) == 0)
            continue;
        nb_ratio_print(channel->bandwidth, bandwidth);
        return nb_fail(err, NB_INVALID,
                       "%.200s: anynet cannot hold the bandwidth %s of "
                       "channel %zu from router %" PRIu32 " to router %" PRIu32
                       " (permitted: 1)",
                       writer->path, bandwidth, c, channel->source,
                       channel->target);
    }
    return NB_OK;
}

/* BookSim keeps one link from a router to another, and adds its opposite. */
static enum nb_status anynet_check_links(const struct graph_writer *writer,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    uint32_t *seen = NULL; /* [target]: the last source of a channel to it */
    enum nb_status status;
    NB_TRY(nb_new(&seen, topology->router_count, sizeof *seen, "links", err));
    for (size_t r = 0; r < topology->router_count; r++)
        seen[r] = NB_NONE;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (seen[channel->target] == channel->source)
            NB_TRY(nb_fail(err, NB_INVALID,
                           "%.200s: anynet cannot hold two channels from "
                           "router %" PRIu32 " to router %" PRIu32
                           " (permitted: one)",
                           writer->path, channel->source, channel->target));
        seen[channel->target] = channel->source;
    }
    if (!writer->is_mutual)
        status = nb_fail(err, NB_INVALID,
                         "%.200s: anynet cannot hold channels without an "
                         "opposite (permitted: one each way)",
                         writer->path);
done:
    nb_delete(seen);
    return status;
}

static enum nb_status anynet_write(struct graph_writer *writer,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    size_t node = 0;
    uint32_t *number = NULL, count = 0; /* failed routers have no number */
    enum nb_status status;
    NB_TRY(anynet_check_bandwidths(writer, err));
    NB_TRY(anynet_check_links(writer, err));
    NB_TRY(nb_new(&number, topology->router_count, sizeof *number, "routers",
                  err));
    for (uint32_t r = 0; r < topology->router_count; r++)
        number[r] = nb_router_has_failed(topology, r) ? NB_NONE : count++;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (number[r] == NB_NONE)
            continue;
        nb_text_print(text, "router %" PRIu32, number[r]);
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            nb_text_print(text, " node %zu", node++);
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            if (graph_writes(writer, c))
                nb_text_print(text, " router %" PRIu32,
                              number[topology->channels[c].target]);
        nb_text_print(text, "\n");
        NB_TRY(graph_check_length(writer, err));
    }
done:
    nb_delete(number);
    return status;
}

/* A label: Graphviz interprets backslashes as its own escapes and &...; as HTML
 * characters. */
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

static enum nb_status dot_write(struct graph_writer *writer,
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
        if (nb_router_has_failed(topology, r))
            continue;
        dot_add_router(topology, r, text);
        NB_TRY(graph_check_length(writer, err));
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (!graph_writes(writer, c))
            continue;
        nb_text_print(text, "  %" PRIu32 " %s %" PRIu32, channel->source,
                      writer->is_mutual ? "--" : "->", channel->target);
        nb_ratio_print(channel->bandwidth, bandwidth);
        if (nb_ratio_compare(channel->bandwidth, nb_ratio_one) != 0)
            nb_text_print(text, " [bandwidth=\"%s\", label=\"%s\"]", bandwidth,
                          bandwidth);
        nb_text_print(text, ";\n");
        NB_TRY(graph_check_length(writer, err));
    }
    nb_text_print(text, "}\n");
done:
    return status;
}

static enum nb_status edges_check_names(const struct graph_writer *writer,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    for (uint32_t r = 0; r < topology->router_count && topology->names; r++)
        if (!nb_edge_is_plain(nb_router_name(topology, r)))
            return nb_fail(
                err, NB_INVALID,
                "%.200s: an edge list cannot hold the name "
                "\"%.60s\" of router %" PRIu32
                " (permitted: one word that does not begin with "
                "# %% ( { \" or //, nor name a column, as source; any "
                "other in .graphml)",
                writer->path, nb_router_name(topology, r), r);
    return NB_OK;
}

/* The first router that has not failed. */
static uint32_t edges_first(const struct nb_topology *topology)
{
    uint32_t first = 0;
    while (nb_router_has_failed(topology, first))
        first++;
    return first;
}

static enum nb_status edges_check_terminals(const struct graph_writer *writer,
                                            struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    const uint32_t *terminals = topology->terminals;
    const uint32_t first = edges_first(topology);
    for (uint32_t r = first; r < topology->router_count; r++)
        if (terminals[r] != terminals[first] &&
            !nb_router_has_failed(topology, r))
            return nb_fail(
                err, NB_INVALID,
                "%.200s: an edge list cannot hold that router "
                "%" PRIu32 " has %" PRIu32 " terminals and router %" PRIu32
                " has %" PRIu32 " (permitted: equal numbers; any in .graphml "
                "and .anynet)",
                writer->path, first, terminals[first], r, terminals[r]);
    return NB_OK;
}

/* Writes the parameters with which topology file: reads the same network. */
static void edges_add_head(struct graph_writer *writer)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    char bandwidth[NB_RATIO_TEXT];
    nb_text_print(
        text, NB_GRAPH_READ_WITH "format=edges,directed=%s,terminals=%" PRIu32,
        writer->is_mutual ? "no" : "yes",
        topology->terminals[edges_first(topology)]);
    if (nb_ratio_is_known(topology->terminal_bandwidth)) {
        nb_ratio_print(topology->terminal_bandwidth, bandwidth);
        nb_text_print(text, ",terminal-bandwidth=%s", bandwidth);
    } else if (nb_terminals_are_shared(topology)) {
        nb_text_print(text, ",terminal-bandwidth=%s", NB_GRAPH_UNLIMITED);
    }
    nb_text_print(text, "\n");
}

static void edges_add_router(const struct nb_topology *topology,
                             uint32_t router, char separator,
                             struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    if (name != NULL)
        nb_text_print(text, "%s%c", name, separator);
    else
        nb_text_print(text, "%" PRIu32 "%c", router, separator);
}

static enum nb_status edges_write(struct graph_writer *writer,
                                  struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    const char separator =
        nb_is_same_word(strrchr(writer->path, '.'), ".csv") ? ',' : ' ';
    enum nb_status status;
    NB_TRY(edges_check_names(writer, err));
    NB_TRY(edges_check_terminals(writer, err));
    edges_add_head(writer);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        char bandwidth[NB_RATIO_TEXT];
        if (!graph_writes(writer, c))
            continue;
        edges_add_router(topology, channel->source, separator, text);
        edges_add_router(topology, channel->target, separator, text);
        nb_ratio_print(channel->bandwidth, bandwidth);
        nb_text_print(text, "%s\n", bandwidth);
        NB_TRY(graph_check_length(writer, err));
    }
done:
    return status;
}

/* Whether every channel's bandwidth is a decimal, which other programs read as
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

/* The value of an attribute; blanks are written as references, since a parser
 * would otherwise turn them into spaces. */
static void graphml_add_text(const char *value, struct nb_text *text)
{
    while (*value != '\0') {
        const size_t plain = strcspn(value, "&<>\"\t\r\n");
        nb_text_add(text, value, plain);
        value += plain;
        if (*value != '\0')
            nb_text_print(text, "&#%d;", *value++);
    }
}

static void graphml_add_name(const struct nb_topology *topology,
                             uint32_t router, struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    if (name == NULL)
        nb_text_print(text, "%" PRIu32, router);
    else
        graphml_add_text(name, text);
}

static void graphml_add_key(const char *name, const char *domain,
                            const char *type, struct nb_text *text)
{
    nb_text_print(text,
                  "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" "
                  "attr.type=\"%s\"/>\n",
                  name, domain, name, type);
}

/* like  the topology that it is; empty: none */
static void graphml_add_head(const struct graph_writer *writer,
                             const struct nb_text *like, struct nb_text *text)
{
    const struct nb_topology *topology = writer->topology;
    char bandwidth[NB_RATIO_TEXT];
    const struct nb_ratio of_terminals = topology->terminal_bandwidth;
    /* Shared channels would have bandwidth 1 if the file said nothing. */
    const bool has_bandwidth =
        nb_ratio_is_known(of_terminals) || nb_terminals_are_shared(topology);
    nb_text_print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<graphml "
                        "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    if (has_bandwidth)
        graphml_add_key(NB_GRAPH_TERMINAL_BANDWIDTH, "graph",
                        nb_ratio_is_known(of_terminals) &&
                                nb_decimal_print(of_terminals, bandwidth)
                            ? "double"
                            : "string",
                        text);
    if (like->length > 0)
        graphml_add_key(NB_GRAPH_TOPOLOGY, "graph", "string", text);
    graphml_add_key("terminals", "node", "int", text);
    if (writer->has_groups)
        graphml_add_key("group", "node", "int", text);
    graphml_add_key("bandwidth", "edge",
                    graphml_is_decimal(topology) ? "double" : "string", text);
    nb_text_print(text, "<graph edgedefault=\"directed\">\n");
    if (has_bandwidth) {
        if (nb_ratio_is_known(of_terminals))
            graphml_print(of_terminals, bandwidth);
        else
            snprintf(bandwidth, sizeof bandwidth, "%s", NB_GRAPH_UNLIMITED);
        nb_text_print(text, "<data key=\"%s\">%s</data>\n",
                      NB_GRAPH_TERMINAL_BANDWIDTH, bandwidth);
    }
    if (like->length == 0)
        return;
    nb_text_print(text, "<data key=\"" NB_GRAPH_TOPOLOGY "\">");
    graphml_add_text(like->bytes, text);
    nb_text_print(text, "</data>\n");
}

static void graphml_add_router(const struct graph_writer *writer,
                               uint32_t router, struct nb_text *text)
{
    const struct nb_topology *topology = writer->topology;
    nb_text_print(text, "<node id=\"");
    graphml_add_name(topology, router, text);
    nb_text_print(text, "\"><data key=\"terminals\">%" PRIu32 "</data>",
                  topology->terminals[router]);
    if (writer->has_groups && topology->groups.of[router] != NB_NONE)
        nb_text_print(text, "<data key=\"group\">%" PRIu32 "</data>",
                      topology->groups.of[router]);
    nb_text_print(text, "</node>\n");
}

static size_t graphml_count(const struct nb_topology *topology, uint32_t from,
                            uint32_t to)
{
    size_t count = 0;
    for (uint32_t c = topology->out_start[from];
         c < topology->out_start[from + 1]; c++)
        count += topology->out_target[c] == to;
    return count;
}

/* An edge that readers could take for a link both ways, because as many do not
 * lead back, says that it is directed. */
static const char *graphml_direction(const struct nb_topology *topology,
                                     const struct nb_channel *channel)
{
    return graphml_count(topology, channel->source, channel->target) ==
                   graphml_count(topology, channel->target, channel->source)
               ? ""
               : " directed=\"true\"";
}

static enum nb_status graphml_write(struct graph_writer *writer,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = writer->topology;
    struct nb_text *text = &writer->text;
    struct nb_text like = { 0 };
    enum nb_status status;
    nb_graph_print_like(topology, &like);
    NB_TRY(nb_text_check(&like, err));
    graphml_add_head(writer, &like, text);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (nb_router_has_failed(topology, r))
            continue;
        graphml_add_router(writer, r, text);
        NB_TRY(graph_check_length(writer, err));
    }
    for (size_t c = 0; c < topology->channel_count; c++) {
        char bandwidth[NB_RATIO_TEXT];
        graphml_print(topology->channels[c].bandwidth, bandwidth);
        nb_text_print(text, "<edge source=\"");
        graphml_add_name(topology, topology->channels[c].source, text);
        nb_text_print(text, "\" target=\"");
        graphml_add_name(topology, topology->channels[c].target, text);
        nb_text_print(text, "\"%s><data key=\"bandwidth\">%s</data></edge>\n",
                      graphml_direction(topology, &topology->channels[c]),
                      bandwidth);
        NB_TRY(graph_check_length(writer, err));
    }
    nb_text_print(text, "</graph>\n</graphml>\n");
done:
    nb_text_release(&like);
    return status;
}

static enum nb_status fabric_write(struct graph_writer *writer,
                                   struct nb_error *err)
{
    return nb_graph_write_fabric(writer->topology, writer->path, &writer->text,
                                 err);
}

static const struct graph_format {
    const char *ending;
    enum nb_status (*write)(struct graph_writer *writer, struct nb_error *err);
} graph_formats[] = {
    { ".graphml", graphml_write }, { ".xml", graphml_write },
    { ".dot", dot_write },         { ".gv", dot_write },
    { ".csv", edges_write },       { ".txt", edges_write },
    { ".anynet", anynet_write },   { ".ibnetdiscover", fabric_write },
};

enum { GRAPH_FORMATS = sizeof graph_formats / sizeof *graph_formats };

static enum nb_status graph_find_format(const char *path,
                                        const struct graph_format **out,
                                        struct nb_error *err)
{
    const char *ending = strrchr(path, '.');
    struct nb_text endings = { 0 };
    for (size_t i = 0; i < GRAPH_FORMATS && ending != NULL; i++)
        if (nb_is_same_word(ending, graph_formats[i].ending)) {
            *out = &graph_formats[i];
            return NB_OK;
        }
    for (size_t i = 0; i < GRAPH_FORMATS; i++)
        nb_text_print(&endings, "%s%s", i > 0 ? ", " : "",
                      graph_formats[i].ending);
    enum nb_status status = nb_text_check(&endings, err);
    if (status == NB_OK)
        status = nb_fail(err, NB_INVALID,
                         "the ending of \"%.200s\" names no format for "
                         "networks (permitted: %s)",
                         path, endings.bytes);
    nb_text_release(&endings);
    return status;
}

enum nb_status nb_graph_accepts(const char *path, struct nb_error *err)
{
    const struct graph_format *format;
    return graph_find_format(path, &format, err);
}

/* A channel as one direction of a link. */
struct graph_side {
    uint32_t low, high;
    struct nb_ratio bandwidth;
    bool is_upward; /* from low to high */
};

static int graph_compare_joints(const void *left, const void *right)
{
    const struct graph_side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return nb_ratio_compare(a->bandwidth, b->bandwidth);
}

static enum nb_status graph_find_mutual(const struct nb_topology *topology,
                                        bool *out, struct nb_error *err)
{
    const size_t count = topology->channel_count;
    struct graph_side *sides = NULL;
    const enum nb_status status =
        nb_new(&sides, count, sizeof *sides, "channels", err);
    if (status != NB_OK)
        return status;
    for (size_t c = 0; c < count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const bool is_upward = channel->source < channel->target;
        sides[c] =
            (struct graph_side){ is_upward ? channel->source : channel->target,
                                 is_upward ? channel->target : channel->source,
                                 channel->bandwidth, is_upward };
    }
    qsort(sides, count, sizeof *sides, graph_compare_joints);
    int64_t balance = 0; /* of equal sides: upward minus downward */
    *out = true;
    for (size_t c = 0; c < count; c++) {
        balance += sides[c].is_upward ? 1 : -1;
        if (c + 1 < count &&
            graph_compare_joints(&sides[c], &sides[c + 1]) == 0)
            continue;
        *out = *out && balance == 0;
        balance = 0;
    }
    nb_delete(sides);
    return NB_OK;
}

enum nb_status nb_graph_write(const struct nb_topology *topology,
                              const char *path, struct nb_error *err)
{
    struct graph_writer writer = { .topology = topology, .path = path };
    const struct graph_format *format = NULL;
    enum nb_status status;
    NB_TRY(nb_topology_check(topology, err));
    NB_TRY(graph_find_format(path, &format, err));
    NB_TRY(graph_find_mutual(topology, &writer.is_mutual, err));
    writer.has_groups = nb_graph_has_groups(topology);
    NB_TRY(format->write(&writer, err));
    NB_TRY(nb_text_check(&writer.text, err));
    NB_TRY(graph_check_length(&writer, err));
    NB_TRY(nb_file_write(path, writer.text.bytes, writer.text.length, err));
done:
    nb_text_release(&writer.text);
    return status;
}
