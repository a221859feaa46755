/* GraphML, as igraph and networkx write it. All texts live as long as the
 * document. */
#include "topology/formats.h"

#include "core/lines.h"
#include "core/try.h"
#include "core/xml.h"
#include "core/xml_memory.h"
#include "core/xml_node.h"
#include "topology/sndlib.h"

#include <libxml/dict.h>
#include <libxml/hash.h>
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
    xmlHashTable *ids; /* of all keys */
    bool is_directed;  /* for edges that do not specify it */
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

/* Whether any <key> declares the attribute for nodes or for edges. */
static bool graphml_has_key(const xmlNode *root, enum graphml_domain domain,
                            const char *attribute)
{
    for (const xmlNode *node = root->children; node != NULL; node = node->next)
        if (graphml_is(node, "key") &&
            graphml_declares(node, domain, attribute))
            return true;
    return false;
}

/* The value of the attribute at a node, an edge or the graph. */
static struct nb_graph_value graphml_value(const struct graphml *reader,
                                           xmlNode *node,
                                           enum graphml_domain domain)
{
    const char *initial = NULL;
    for (size_t k = 0; k < reader->key_count; k++) {
        const struct graphml_key *key = &reader->key[k];
        if (key->domain != domain)
            continue;
        for (xmlNode *data = node->children; data; data = data->next) {
            if (!graphml_is(data, "data"))
                continue;
            const char *id = nb_xml_attribute(data, "key");
            if (id != NULL && strcmp(id, key->id) == 0)
                return (struct nb_graph_value){
                    graphml_content(reader->document, data), graphml_line(data)
                };
        }
        if (initial == NULL)
            initial = key->initial;
    }
    return (struct nb_graph_value){ initial, graphml_line(node) };
}

static enum nb_status graphml_refuse_data(const struct graphml *reader,
                                          const xmlNode *data, const char *id,
                                          const char *permitted,
                                          struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: <data key=\"%.60s\"> is not permitted here "
                   "(permitted: %s)",
                   reader->graph->path, graphml_line(data), id, permitted);
}

/* Refuses data without a <key>, and a second value of an attribute. */
static enum nb_status graphml_check_data(const struct graphml *reader,
                                         const xmlNode *node,
                                         struct nb_error *err)
{
    unsigned long long seen = 0; /* bit k: key k */
    enum nb_status status = NB_OK;
    const char *id;
    for (const xmlNode *data = node->children; data; data = data->next) {
        if (!graphml_is(data, "data"))
            continue;
        NB_TRY(graphml_require(reader, data, "key", &id, err));
        if (xmlHashLookup(reader->ids, (const xmlChar *)id) == NULL)
            return graphml_refuse_data(reader, data, id,
                                       "the id of a <key> of the file", err);
        for (size_t k = 0; k < reader->key_count; k++) {
            if (strcmp(id, reader->key[k].id) != 0)
                continue;
            if ((seen >> k & 1) != 0)
                return graphml_refuse_data(reader, data, id, "each key once",
                                           err);
            seen |= 1ULL << k;
        }
    }
done:
    return status;
}

/* Collects the ids of all keys, and finds a weight that is not read. */
static void graphml_read_ids(struct graphml *reader, xmlNode *root)
{
    reader->ids = xmlHashCreate(0);
    for (size_t i = NB_GRAPH_WEIGHTS; i-- > 0;)
        if (graphml_has_key(root, GRAPHML_EDGE, nb_graph_weights[i]))
            reader->graph->unread = nb_graph_weights[i];
    for (xmlNode *node = root->children; node != NULL; node = node->next) {
        const char *id =
            graphml_is(node, "key") ? nb_xml_attribute(node, "id") : NULL;
        if (id != NULL)
            xmlHashAddEntry(reader->ids, (const xmlChar *)id, node);
    }
}

static enum nb_status graphml_read_node(struct graphml *reader, xmlNode *node,
                                        struct nb_error *err)
{
    struct nb_graph_node own = {
        .line = graphml_line(node),
        .terminals = graphml_value(reader, node, GRAPHML_NODE),
        .group = graphml_value(reader, node, GRAPHML_GROUP),
        .label = graphml_value(reader, node, GRAPHML_LABEL).text,
    };
    enum nb_status status;
    NB_TRY(graphml_require(reader, node, "id", &own.name, err));
    NB_TRY(graphml_check_data(reader, node, err));
    for (xmlNode *child = node->children; child != NULL; child = child->next)
        if (graphml_is(child, "graph"))
            return nb_fail(err, NB_INVALID,
                           "%.200s:%zu: node \"%.60s\" contains a "
                           "graph (permitted: one graph, not nested)",
                           reader->graph->path, graphml_line(child), own.name);
    NB_TRY(nb_graph_node_add(reader->graph, &own, err));
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
    enum nb_status status;
    NB_TRY(graphml_require(reader, node, "source", &edge.source, err));
    NB_TRY(graphml_require(reader, node, "target", &edge.target, err));
    NB_TRY(graphml_check_data(reader, node, err));
    NB_TRY(graphml_read_choice(reader, node, "directed", "false", "true",
                               &edge.is_directed, err));
    edge.is_stated = nb_xml_attribute(node, "directed") != NULL;
    const struct nb_graph_value bandwidth =
        graphml_value(reader, node, GRAPHML_EDGE);
    if (bandwidth.text != NULL)
        NB_TRY(nb_graph_bandwidth(reader->graph, bandwidth.line, bandwidth.text,
                                  &edge.bandwidth, err));
    NB_TRY(nb_graph_add(reader->graph, &edge, err));
done:
    return status;
}

static enum nb_status graphml_read_graph(struct graphml *reader, xmlNode *graph,
                                         struct nb_error *err)
{
    enum nb_status status;
    reader->graph->directed_by = "edgedefault";
    NB_TRY(graphml_check_data(reader, graph, err));
    NB_TRY(graphml_read_choice(reader, graph, "edgedefault", "undirected",
                               "directed", &reader->is_directed, err));
    const struct nb_graph_value bandwidth =
        graphml_value(reader, graph, GRAPHML_GRAPH);
    if (bandwidth.text != NULL)
        NB_TRY(nb_graph_terminal_bandwidth(reader->graph, bandwidth.line,
                                           bandwidth.text, err));
    const struct nb_graph_value like =
        graphml_value(reader, graph, GRAPHML_LIKE);
    reader->graph->like = like.text;
    reader->graph->like_line = like.line;
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
done:
    return status;
}

/* The one <graph> of the document. */
static enum nb_status graphml_find_graph(const char *path, xmlNode *root,
                                         xmlNode **out, struct nb_error *err)
{
    *out = NULL;
    if (root != NULL && graphml_is(root, "gexf"))
        return nb_fail(err, NB_INVALID,
                       "%.200s: its format, GEXF, is not read (permitted: XML "
                       "of GraphML or SNDlib)",
                       path);
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

static enum nb_status
graphml_read_document(xmlDocPtr document,
                      const struct nb_graph_options *options,
                      struct nb_graph *graph, struct nb_error *err)
{
    static const struct {
        enum graphml_domain domain;
        const char *name;
    } graphs[] = { { GRAPHML_GRAPH, NB_GRAPH_TERMINAL_BANDWIDTH },
                   { GRAPHML_LIKE, NB_GRAPH_TOPOLOGY } };
    const struct nb_graph_attributes *attributes = &options->attributes;
    struct graphml reader = { .document = document, .graph = graph };
    xmlNode *root = xmlDocGetRootElement(document);
    xmlNode *node = NULL;
    enum nb_status status;
    /* The parser's limit on names is lifted; the file's size was limited
     * already. */
    xmlDictSetLimit(document->dict, 0);
    NB_TRY(graphml_find_graph(graph->path, root, &node, err));
    NB_TRY(graphml_read_keys(&reader, root, GRAPHML_EDGE, attributes->bandwidth,
                             "bandwidth", err));
    if (strcmp(attributes->terminals, "terminals") == 0 &&
        !graphml_has_key(root, GRAPHML_NODE, attributes->terminals))
        NB_TRY(graphml_read_keys(&reader, root, GRAPHML_NODE, "endpoints",
                                 "endpoints", err));
    else
        NB_TRY(graphml_read_keys(&reader, root, GRAPHML_NODE,
                                 attributes->terminals, "terminals", err));
    NB_TRY(graphml_read_keys(&reader, root, GRAPHML_GROUP, attributes->group,
                             "group", err));
    NB_TRY(
        graphml_read_keys(&reader, root, GRAPHML_LABEL, "label", "label", err));
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        NB_TRY(graphml_read_keys(&reader, root, graphs[i].domain,
                                 graphs[i].name, graphs[i].name, err));
    graphml_read_ids(&reader, root);
    NB_TRY(graphml_read_graph(&reader, node, err));
    NB_TRY(nb_graph_finish_nodes(graph, options->directions, err));
done:
    xmlHashFree(reader.ids, NULL);
    return status;
}

/* XML by its first character, after a byte order mark. */
static bool graphml_may_be(const char *text)
{
    text += nb_lines_mark(text);
    return text[strspn(text, " \t\r\n")] == '<';
}

static bool graphml_is_xml(const char *text)
{
    return graphml_may_be(text) && !nb_sndlib_is(text);
}

static void graphml_free(void *document)
{
    xmlFreeDoc(document);
}

static enum nb_status graphml_read(char *text, size_t length,
                                   const struct nb_graph_options *options,
                                   struct nb_graph *graph, struct nb_error *err)
{
    struct nb_xml_guard guard;
    xmlDocPtr document = NULL;
    enum nb_status status;
    if (length > 0 && !graphml_may_be(text))
        return nb_fail(
            err, NB_INVALID,
            "%.200s:1: it is not XML (permitted: GraphML, or another "
            "format)",
            graph->path);
    NB_TRY(nb_xml_parse(graph->path, text, length, &document, err));
    graph->document = document;
    graph->free_document = graphml_free;
    nb_xml_enter(&guard);
    status = graphml_read_document(document, options, graph, &guard.error);
    status = nb_xml_leave(&guard, status, graph->path, err);
done:
    return status;
}

/*
 * A document with one graph. Attributes are found by attr.name; if the file
 * declares no "terminals", "endpoints" is read, the name in the simulator SST.
 * The graph's own attribute terminal_bandwidth is that of the terminals'
 * channels, topology what nb_graph_place reads.
 *
 * Sources: the GraphML primer, http://graphml.graphdrawing.org/; topoAny of
 * merlin in github.com/sstsimulator/sst-elements.
 */
const struct nb_graph_format nb_graph_format_graphml = {
    .name = "graphml",
    .title = "GraphML",
    .endings = ".graphml",
    .is = graphml_is_xml,
    .has_link_attributes = true,
    .has_node_attributes = true,
    .read = graphml_read,
};
