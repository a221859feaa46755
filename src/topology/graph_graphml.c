/* GraphML, as igraph and networkx write it. */
#include "topology/graph_attributes.h"

#include "core/memory.h"
#include "core/xml_node.h"

#include <libxml/dict.h>
#include <string.h>

static enum nb_status graphml_read_terminals(struct nb_graphml *reader,
                                             xmlNode *node, uint32_t *out,
                                             struct nb_error *err)
{
    size_t line;
    struct nb_ratio count;
    const char *text = nb_graphml_value(reader, node, NB_GRAPHML_NODE, &line);
    *out = NB_NONE;
    if (text == NULL)
        return NB_OK;
    /* Both writers print whole numbers of floating type as 4.0 or 4. */
    const bool is_permitted = nb_ratio_read(text, &count, NULL) == NB_OK &&
                              count.denominator == 1 && count.numerator >= 0 &&
                              count.numerator <= NB_GRAPH_TERMINALS;
    if (!is_permitted)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" line %zu: terminals \"%.60s\" is not "
                       "permitted (permitted: a whole number from 0 to %d)",
                       reader->graph->path, line, text, NB_GRAPH_TERMINALS);
    *out = (uint32_t)count.numerator;
    return NB_OK;
}

static enum nb_status graphml_read_node(struct nb_graphml *reader,
                                        xmlNode *node, struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const char *id;
    enum nb_status status;
    NB_TRY(nb_graphml_require(reader, node, "id", &id, err));
    for (xmlNode *child = node->children; child != NULL; child = child->next)
        if (nb_graphml_is(child, "graph"))
            return nb_fail(err, NB_INVALID,
                           "\"%.200s\" line %zu: node \"%.60s\" contains a "
                           "graph (permitted: one graph, not nested)",
                           graph->path, nb_graphml_line(child), id);
    NB_TRY(nb_graph_names_add(graph, nb_graphml_line(node), id, err));
    NB_TRY(nb_grow(&graph->terminals, graph->names.capacity,
                   sizeof *graph->terminals, "terminals", err));
    NB_TRY(graphml_read_terminals(
        reader, node, &graph->terminals[graph->names.count - 1], err));
done:
    return status;
}

/* Reads a word that is one of two. */
static enum nb_status graphml_read_choice(const struct nb_graphml *reader,
                                          xmlNode *node, const char *name,
                                          const char *no, const char *yes,
                                          bool *out, struct nb_error *err)
{
    const char *value = nb_xml_attribute(node, name);
    if (value == NULL) /* the caller's default stands */
        return NB_OK;
    if (strcmp(value, no) != 0 && strcmp(value, yes) != 0)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" line %zu: %s=\"%.60s\" is not permitted "
                       "(permitted: %s, %s)",
                       reader->graph->path, nb_graphml_line(node), name, value,
                       no, yes);
    *out = strcmp(value, yes) == 0;
    return NB_OK;
}

static enum nb_status graphml_read_edge(struct nb_graphml *reader,
                                        xmlNode *node, struct nb_error *err)
{
    struct nb_graph_edge edge = {
        .line = nb_graphml_line(node),
        .is_directed = reader->is_directed,
    };
    size_t line;
    enum nb_status status;
    NB_TRY(nb_graphml_require(reader, node, "source", &edge.source, err));
    NB_TRY(nb_graphml_require(reader, node, "target", &edge.target, err));
    NB_TRY(graphml_read_choice(reader, node, "directed", "false", "true",
                               &edge.is_directed, err));
    const char *bandwidth =
        nb_graphml_value(reader, node, NB_GRAPHML_EDGE, &line);
    if (bandwidth != NULL)
        NB_TRY(nb_graph_bandwidth(reader->graph, line, bandwidth,
                                  &edge.bandwidth, err));
    NB_TRY(nb_graph_add(reader->graph, &edge, err));
done:
    return status;
}

static enum nb_status graphml_read_graph(struct nb_graphml *reader,
                                         xmlNode *graph, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(graphml_read_choice(reader, graph, "edgedefault", "undirected",
                               "directed", &reader->is_directed, err));
    size_t line;
    const char *bandwidth =
        nb_graphml_value(reader, graph, NB_GRAPHML_GRAPH, &line);
    if (bandwidth != NULL)
        NB_TRY(nb_graph_bandwidth(reader->graph, line, bandwidth,
                                  &reader->graph->terminal_bandwidth, err));
    for (xmlNode *node = graph->children; node != NULL; node = node->next) {
        if (nb_graphml_is(node, "node"))
            NB_TRY(graphml_read_node(reader, node, err));
        else if (nb_graphml_is(node, "edge"))
            NB_TRY(graphml_read_edge(reader, node, err));
        else if (nb_graphml_is(node, "hyperedge"))
            return nb_fail(err, NB_INVALID,
                           "\"%.200s\" line %zu: <hyperedge> is not permitted "
                           "(permitted: edges between two nodes)",
                           reader->graph->path, nb_graphml_line(node));
    }
    const char *repeated = nb_graph_names_number(&reader->graph->names);
    if (repeated != NULL)
        status = nb_fail(err, NB_INVALID,
                         "\"%.200s\": node id \"%.60s\" is repeated",
                         reader->graph->path, repeated);
done:
    return status;
}

/* The one <graph> of the document. */
static enum nb_status graphml_find_graph(const char *path, xmlNode *root,
                                         xmlNode **out, struct nb_error *err)
{
    *out = NULL;
    if (root == NULL || !nb_graphml_is(root, "graphml"))
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" is not GraphML: its root is <%.60s>", path,
                       root == NULL ? "" : (const char *)root->name);
    for (xmlNode *node = root->children; node != NULL; node = node->next) {
        if (!nb_graphml_is(node, "graph"))
            continue;
        if (*out != NULL)
            return nb_fail(err, NB_INVALID,
                           "\"%.200s\" line %zu: a second <graph> is not "
                           "permitted (permitted: one)",
                           path, nb_graphml_line(node));
        *out = node;
    }
    if (*out == NULL)
        return nb_fail(err, NB_INVALID, "\"%.200s\" has no <graph>", path);
    return NB_OK;
}

enum nb_status nb_graph_read_graphml(xmlDocPtr document, const char *bandwidth,
                                     const char *terminals,
                                     struct nb_graph *graph,
                                     struct nb_error *err)
{
    struct nb_graphml reader = { .document = document, .graph = graph };
    xmlNode *root = xmlDocGetRootElement(document);
    xmlNode *node;
    enum nb_status status;
    /* The parser's limit on names; the file's size was limited already. */
    xmlDictSetLimit(document->dict, 0);
    NB_TRY(graphml_find_graph(graph->path, root, &node, err));
    NB_TRY(nb_graphml_read_keys(&reader, root, NB_GRAPHML_EDGE, bandwidth,
                                "bandwidth", err));
    NB_TRY(nb_graphml_read_keys(&reader, root, NB_GRAPHML_NODE, terminals,
                                "terminals", err));
    NB_TRY(nb_graphml_read_keys(&reader, root, NB_GRAPHML_GRAPH,
                                NB_GRAPH_TERMINAL_BANDWIDTH,
                                NB_GRAPH_TERMINAL_BANDWIDTH, err));
    NB_TRY(graphml_read_graph(&reader, node, err));
done:
    return status;
}
