/* GraphML, as igraph and networkx write it. All texts live as long as the
 * document. */
#include "topology/graph.h"

#include "core/memory.h"
#include "core/utf8.h"
#include "core/xml_node.h"

#include <libxml/dict.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPHML_KEYS = 16 }; /* largest number of keys per attribute */

enum graphml_domain {
    GRAPHML_EDGE,  /* bandwidth */
    GRAPHML_NODE,  /* terminals */
    GRAPHML_GROUP, /* of a node */
    GRAPHML_LABEL, /* of a node */
    GRAPHML_GRAPH, /* terminal_bandwidth */
    GRAPHML_LIKE,  /* topology, of the graph */
};

/* A <key> that declares a wanted attribute; there may be several, since
 * networkx declares one for each type of value. */
struct graphml_key {
    enum graphml_domain domain;
    const char *id;
    const char *initial; /* of <default>; NULL: none */
};

/* A document being read into a graph; owns neither. */
struct graphml {
    xmlDocPtr document;
    struct nb_graph *graph;
    struct graphml_key key[GRAPHML_KEYS];
    size_t key_count;
    bool is_directed; /* for edges that do not specify it */
};

/* Whether a node is an element of this name, in any namespace. */
static bool graphml_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE &&
           strcmp((const char *)node->name, name) == 0;
}

/* The text of an element without surrounding space: a copy in the document's
 * dictionary, which lives as long as the document. */
static const char *graphml_content(xmlDocPtr document, xmlNode *node)
{
    static const char space[] = " \t\r\n";
    xmlChar *content = xmlNodeGetContent(node);
    if (content == NULL)
        return "";
    char *text = (char *)content;
    const size_t skipped = strspn(text, space);
    size_t length = strlen(text + skipped);
    while (length > 0 && strchr(space, text[skipped + length - 1]) != NULL)
        length--;
    memmove(text, text + skipped, length);
    text[length] = '\0';
    const xmlChar *kept = xmlDictLookup(document->dict, content, -1);
    xmlFree(content);
    return kept != NULL ? (const char *)kept : "";
}

/* The line where an element begins. */
static size_t graphml_line(const xmlNode *node)
{
    return (size_t)xmlGetLineNo(node);
}

/* As nb_xml_attribute. Errors: NB_INVALID if the element lacks it. */
static enum nb_status graphml_require(const struct graphml *reader,
                                      const xmlNode *node, const char *name,
                                      const char **out, struct nb_error *err)
{
    *out = nb_xml_attribute(node, name);
    if (*out != NULL)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: <%.60s> has no attribute \"%s\"",
                   reader->graph->path, graphml_line(node),
                   (const char *)node->name, name);
}

static const char *graphml_word(enum graphml_domain domain)
{
    return domain == GRAPHML_EDGE    ? "edge"
           : domain == GRAPHML_NODE  ? "node"
           : domain == GRAPHML_GROUP ? "node"
           : domain == GRAPHML_LABEL ? "node"
                                     : "graph";
}

/* Whether a <key> declares the attribute for the domain. */
static bool graphml_declares(const xmlNode *node, enum graphml_domain domain,
                             const char *attribute)
{
    const char *name = nb_xml_attribute(node, "attr.name");
    const char *where = nb_xml_attribute(node, "for");
    return name != NULL && strcmp(name, attribute) == 0 &&
           (where == NULL || strcmp(where, "all") == 0 ||
            strcmp(where, graphml_word(domain)) == 0);
}

static enum nb_status graphml_add(struct graphml *reader, xmlNode *node,
                                  enum graphml_domain domain,
                                  struct nb_error *err)
{
    struct graphml_key key = { .domain = domain };
    if (reader->key_count == GRAPHML_KEYS)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: bandwidth, terminals and others are "
                       "declared too often (permitted: %d keys)",
                       reader->graph->path, graphml_line(node), GRAPHML_KEYS);
    for (xmlNode *child = node->children; child != NULL; child = child->next)
        if (graphml_is(child, "default"))
            key.initial = graphml_content(reader->document, child);
    const enum nb_status status =
        graphml_require(reader, node, "id", &key.id, err);
    reader->key[reader->key_count++] = key;
    return status;
}

/*
 * Records every <key> under the root that declares an attribute.
 *
 * attribute  its attr.name
 * usual      the name that a file need not declare
 *
 * Errors: NB_INVALID if a name other than the usual one is not declared, or the
 * attribute is declared more than GRAPHML_KEYS times.
 */
static enum nb_status graphml_read_keys(struct graphml *reader, xmlNode *root,
                                        enum graphml_domain domain,
                                        const char *attribute,
                                        const char *usual, struct nb_error *err)
{
    const size_t before = reader->key_count;
    enum nb_status status = NB_OK;
    for (xmlNode *node = root->children; node != NULL; node = node->next)
        if (graphml_is(node, "key") &&
            graphml_declares(node, domain, attribute))
            NB_TRY(graphml_add(reader, node, domain, err));
    /* The usual attribute is optional; one given by name is not. */
    if (reader->key_count == before && strcmp(attribute, usual) != 0)
        status = nb_fail(err, NB_INVALID,
                         "%.200s: no <key> declares the %s attribute "
                         "\"%.60s\"",
                         reader->graph->path, graphml_word(domain), attribute);
done:
    return status;
}

/* Whether any <key> declares the attribute for nodes. */
static bool graphml_has_key(const xmlNode *root, const char *attribute)
{
    for (const xmlNode *node = root->children; node != NULL; node = node->next)
        if (graphml_is(node, "key") &&
            graphml_declares(node, GRAPHML_NODE, attribute))
            return true;
    return false;
}

/* The value of the attribute at a node, an edge or the graph, NULL if there is
 * none; line: out, where the value is. */
static const char *graphml_value(const struct graphml *reader, xmlNode *node,
                                 enum graphml_domain domain, size_t *line)
{
    const char *initial = NULL;
    *line = graphml_line(node);
    for (size_t k = 0; k < reader->key_count; k++) {
        const struct graphml_key *key = &reader->key[k];
        if (key->domain != domain)
            continue;
        for (xmlNode *data = node->children; data; data = data->next) {
            if (!graphml_is(data, "data"))
                continue;
            const char *id = nb_xml_attribute(data, "key");
            if (id != NULL && strcmp(id, key->id) == 0) {
                *line = graphml_line(data);
                return graphml_content(reader->document, data);
            }
        }
        if (initial == NULL)
            initial = key->initial;
    }
    return initial;
}

static enum nb_status graphml_read_terminals(struct graphml *reader,
                                             xmlNode *node, uint32_t *out,
                                             struct nb_error *err)
{
    size_t line;
    struct nb_ratio count;
    const char *text = graphml_value(reader, node, GRAPHML_NODE, &line);
    *out = NB_NONE;
    if (text == NULL)
        return NB_OK;
    /* Both writers print whole numbers of floating type as 4.0 or 4. */
    const bool is_permitted = nb_ratio_read(text, &count, NULL) == NB_OK &&
                              count.denominator == 1 && count.numerator >= 0 &&
                              count.numerator <= NB_GRAPH_TERMINALS;
    if (!is_permitted)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: terminals \"%.60s\" is not "
                       "permitted (permitted: a whole number from 0 to %d)",
                       reader->graph->path, line, text, NB_GRAPH_TERMINALS);
    *out = (uint32_t)count.numerator;
    return NB_OK;
}

static enum nb_status graphml_read_group(struct graphml *reader, xmlNode *node,
                                         uint32_t *out, struct nb_error *err)
{
    size_t line;
    struct nb_ratio group;
    const char *text = graphml_value(reader, node, GRAPHML_GROUP, &line);
    *out = NB_NONE;
    if (text == NULL)
        return NB_OK;
    const bool is_permitted = nb_ratio_read(text, &group, NULL) == NB_OK &&
                              group.denominator == 1 && group.numerator >= 0 &&
                              group.numerator < NB_GRAPH_GROUPS;
    if (!is_permitted)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: group \"%.60s\" is not permitted "
                       "(permitted: a whole number from 0 to %d, or another "
                       "group-attribute)",
                       reader->graph->path, line, text, NB_GRAPH_GROUPS - 1);
    *out = (uint32_t)group.numerator;
    return NB_OK;
}

static bool graphml_has(const struct graphml *reader,
                        enum graphml_domain domain)
{
    for (size_t k = 0; k < reader->key_count; k++)
        if (reader->key[k].domain == domain)
            return true;
    return false;
}

/* A node without a label that can be printed is called by its id. */
static void graphml_read_label(const struct graphml *reader, xmlNode *node,
                               struct nb_name *out)
{
    size_t line;
    const char *text = graphml_value(reader, node, GRAPHML_LABEL, &line);
    if (text != NULL && *text != '\0' && nb_utf8_is_text(text, ""))
        out->label = text;
}

static int graphml_compare_shown(const void *left, const void *right)
{
    const struct nb_name *const *a = left, *const *b = right;
    return strcmp(nb_name_shown(*a), nb_name_shown(*b));
}

/* Sorts names by what they are called, and marks those that are not alone;
 * returns the number of marks. */
static size_t graphml_mark_shared(struct nb_name **order, size_t count,
                                  bool *is_shared)
{
    size_t marked = 0;
    qsort(order, count, sizeof *order, graphml_compare_shown);
    for (size_t i = 0; i < count; i++) {
        is_shared[i] =
            (i > 0 && graphml_compare_shown(&order[i - 1], &order[i]) == 0) ||
            (i + 1 < count &&
             graphml_compare_shown(&order[i], &order[i + 1]) == 0);
        marked += is_shared[i];
    }
    return marked;
}

/* Adds the id to labels that several nodes have; if that does not tell them
 * apart, no label is used. */
static enum nb_status graphml_part_labels(struct nb_graph *graph,
                                          struct nb_error *err)
{
    const size_t n = graph->names.count;
    struct nb_pool pool = { 0 };
    struct nb_name **order = nb_pool_array(&pool, n, sizeof *order);
    bool *is_shared = nb_pool_array(&pool, n, sizeof *is_shared);
    enum nb_status status;
    NB_TRY(nb_pool_check(&pool, "names", err));
    for (size_t i = 0; i < n; i++)
        order[i] = &graph->names.entry[i];
    if (graphml_mark_shared(order, n, is_shared) == 0)
        goto done;
    for (size_t i = 0; i < n; i++) {
        struct nb_name *name = order[i];
        if (!is_shared[i] || name->label == NULL)
            continue;
        const size_t room = strlen(name->label) + strlen(name->text) + 4;
        char *label = nb_pool_array(&graph->texts, room, 1);
        NB_TRY(nb_pool_check(&graph->texts, "names", err));
        snprintf(label, room, "%s (%s)", name->label, name->text);
        name->label = label;
    }
    if (graphml_mark_shared(order, n, is_shared) > 0)
        for (size_t i = 0; i < n; i++)
            order[i]->label = NULL;
done:
    nb_pool_release(&pool);
    return status;
}

static enum nb_status graphml_read_node(struct graphml *reader, xmlNode *node,
                                        struct nb_error *err)
{
    struct nb_graph *graph = reader->graph;
    const char *id;
    enum nb_status status;
    NB_TRY(graphml_require(reader, node, "id", &id, err));
    for (xmlNode *child = node->children; child != NULL; child = child->next)
        if (graphml_is(child, "graph"))
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: node \"%.60s\" contains a "
                           "graph (permitted: one graph, not nested)",
                           graph->path, graphml_line(child), id);
    NB_TRY(nb_graph_names_add(graph, graphml_line(node), id, err));
    NB_TRY(nb_grow(&graph->terminals, graph->names.capacity,
                   sizeof *graph->terminals, "terminals", err));
    NB_TRY(graphml_read_terminals(
        reader, node, &graph->terminals[graph->names.count - 1], err));
    graphml_read_label(reader, node,
                       &graph->names.entry[graph->names.count - 1]);
    if (!graphml_has(reader, GRAPHML_GROUP))
        goto done;
    NB_TRY(nb_grow(&graph->group, graph->names.capacity, sizeof *graph->group,
                   "groups", err));
    NB_TRY(graphml_read_group(reader, node,
                              &graph->group[graph->names.count - 1], err));
done:
    return status;
}

/* Reads a word that is one of two. */
static enum nb_status graphml_read_choice(const struct graphml *reader,
                                          xmlNode *node, const char *name,
                                          const char *no, const char *yes,
                                          bool *out, struct nb_error *err)
{
    const char *value = nb_xml_attribute(node, name);
    if (value == NULL) /* keep the caller's default */
        return NB_OK;
    if (strcmp(value, no) != 0 && strcmp(value, yes) != 0)
        return nb_fail(err, NB_INVALID,
                       "%.200s:%zu: %s=\"%.60s\" is not permitted "
                       "(permitted: %s, %s)",
                       reader->graph->path, graphml_line(node), name, value, no,
                       yes);
    *out = strcmp(value, yes) == 0;
    return NB_OK;
}

static enum nb_status graphml_read_edge(struct graphml *reader, xmlNode *node,
                                        struct nb_error *err)
{
    struct nb_graph_edge edge = {
        .line = graphml_line(node),
        .is_directed = reader->is_directed,
    };
    size_t line;
    enum nb_status status;
    NB_TRY(graphml_require(reader, node, "source", &edge.source, err));
    NB_TRY(graphml_require(reader, node, "target", &edge.target, err));
    NB_TRY(graphml_read_choice(reader, node, "directed", "false", "true",
                               &edge.is_directed, err));
    edge.is_stated = nb_xml_attribute(node, "directed") != NULL;
    const char *bandwidth = graphml_value(reader, node, GRAPHML_EDGE, &line);
    if (bandwidth != NULL)
        NB_TRY(nb_graph_bandwidth(reader->graph, line, bandwidth,
                                  &edge.bandwidth, err));
    NB_TRY(nb_graph_add(reader->graph, &edge, err));
done:
    return status;
}

static enum nb_status graphml_read_graph(struct graphml *reader, xmlNode *graph,
                                         struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(graphml_read_choice(reader, graph, "edgedefault", "undirected",
                               "directed", &reader->is_directed, err));
    size_t line;
    const char *bandwidth = graphml_value(reader, graph, GRAPHML_GRAPH, &line);
    if (bandwidth != NULL)
        NB_TRY(
            nb_graph_terminal_bandwidth(reader->graph, line, bandwidth, err));
    reader->graph->like =
        graphml_value(reader, graph, GRAPHML_LIKE, &reader->graph->like_line);
    for (xmlNode *node = graph->children; node != NULL; node = node->next) {
        if (graphml_is(node, "node"))
            NB_TRY(graphml_read_node(reader, node, err));
        else if (graphml_is(node, "edge"))
            NB_TRY(graphml_read_edge(reader, node, err));
        else if (graphml_is(node, "hyperedge"))
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: <hyperedge> is not permitted "
                           "(permitted: edges between two nodes)",
                           reader->graph->path, graphml_line(node));
    }
    nb_graph_names_number(&reader->graph->names);
    const char *repeated = reader->graph->names.repeated;
    if (repeated != NULL)
        status =
            nb_fail(err, NB_INVALID, "%.200s: node id \"%.60s\" is repeated",
                    reader->graph->path, repeated);
done:
    return status;
}

/* A directed edge by the numbers of the routers that it joins. */
struct graphml_way {
    uint32_t low, high;
    bool is_up; /* from low to high */
    size_t edge;
};

static int graphml_compare_ways(const void *left, const void *right)
{
    const struct graphml_way *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->is_up != b->is_up)
        return a->is_up ? -1 : 1;
    return (a->edge > b->edge) - (a->edge < b->edge);
}

/* Of the edges of two routers, reads those both ways that have no counterpart:
 * the first ones one way against the first ones the other way. */
static void graphml_join_two(struct nb_graph *graph,
                             const struct graphml_way *way, size_t count)
{
    size_t up = 0;
    while (up < count && way[up].is_up)
        up++;
    const size_t both = up < count - up ? up : count - up;
    for (size_t i = 0; i < count; i++)
        if ((i < up ? i : i - up) >= both) {
            graph->edges[way[i].edge].is_directed = false;
            graph->joined++;
        }
}

/* Reads directed edges without a counterpart both ways, unless the edge itself
 * says that it is directed: edgedefault is what a program writes by default. */
static enum nb_status graphml_join(struct nb_graph *graph, struct nb_error *err)
{
    struct graphml_way *way = NULL;
    size_t count = 0;
    enum nb_status status = NB_OK;
    if (graph->edge_count == 0)
        return NB_OK;
    NB_TRY(nb_new(&way, graph->edge_count, sizeof *way, "links", err));
    for (size_t e = 0; e < graph->edge_count; e++) {
        const struct nb_graph_edge *edge = &graph->edges[e];
        const uint32_t a = nb_graph_names_find(&graph->names, edge->source);
        const uint32_t b = nb_graph_names_find(&graph->names, edge->target);
        if (edge->is_directed && !edge->is_stated && a != NB_NONE &&
            b != NB_NONE)
            way[count++] =
                (struct graphml_way){ a < b ? a : b, a < b ? b : a, a < b, e };
    }
    if (count > 0)
        qsort(way, count, sizeof *way, graphml_compare_ways);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && way[end].low == way[first].low &&
               way[end].high == way[first].high)
            end++;
        graphml_join_two(graph, way + first, end - first);
    }
done:
    nb_delete(way);
    return status;
}

/* The one <graph> of the document. */
static enum nb_status graphml_find_graph(const char *path, xmlNode *root,
                                         xmlNode **out, struct nb_error *err)
{
    *out = NULL;
    if (root == NULL || !graphml_is(root, "graphml"))
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" is not GraphML: its root is <%.60s>", path,
                       root == NULL ? "" : (const char *)root->name);
    for (xmlNode *node = root->children; node != NULL; node = node->next) {
        if (!graphml_is(node, "graph"))
            continue;
        if (*out != NULL)
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: a second <graph> is not "
                           "permitted (permitted: one)",
                           path, graphml_line(node));
        *out = node;
    }
    if (*out == NULL)
        return nb_fail(err, NB_INVALID, "%.200s: it has no <graph>", path);
    return NB_OK;
}

enum nb_status nb_graph_read_graphml(xmlDocPtr document, const char *bandwidth,
                                     const char *terminals, const char *group,
                                     bool joins, struct nb_graph *graph,
                                     struct nb_error *err)
{
    static const struct {
        enum graphml_domain domain;
        const char *name;
    } graphs[] = { { GRAPHML_GRAPH, NB_GRAPH_TERMINAL_BANDWIDTH },
                   { GRAPHML_LIKE, NB_GRAPH_TOPOLOGY } };
    struct graphml reader = { .document = document, .graph = graph };
    xmlNode *root = xmlDocGetRootElement(document);
    xmlNode *node;
    enum nb_status status;
    /* The parser's limit on names is lifted; the file's size was limited
     * already. */
    xmlDictSetLimit(document->dict, 0);
    NB_TRY(graphml_find_graph(graph->path, root, &node, err));
    NB_TRY(graphml_read_keys(&reader, root, GRAPHML_EDGE, bandwidth,
                             "bandwidth", err));
    if (strcmp(terminals, "terminals") == 0 &&
        !graphml_has_key(root, terminals))
        NB_TRY(graphml_read_keys(&reader, root, GRAPHML_NODE, "endpoints",
                                 "endpoints", err));
    else
        NB_TRY(graphml_read_keys(&reader, root, GRAPHML_NODE, terminals,
                                 "terminals", err));
    NB_TRY(
        graphml_read_keys(&reader, root, GRAPHML_GROUP, group, "group", err));
    NB_TRY(
        graphml_read_keys(&reader, root, GRAPHML_LABEL, "label", "label", err));
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        NB_TRY(graphml_read_keys(&reader, root, graphs[i].domain,
                                 graphs[i].name, graphs[i].name, err));
    NB_TRY(graphml_read_graph(&reader, node, err));
    NB_TRY(graphml_part_labels(graph, err));
    if (joins && graph->like == NULL)
        NB_TRY(graphml_join(graph, err));
done:
    return status;
}
