/* Attributes: the texts and the declared values of GraphML's elements. All
 * texts returned live as long as the document. */
#ifndef NB_TOPOLOGY_GRAPH_ATTRIBUTES_H
#define NB_TOPOLOGY_GRAPH_ATTRIBUTES_H

#include "topology/graph.h"

enum { NB_GRAPHML_KEYS = 16 }; /* most that are looked for */

enum nb_graphml_domain {
    NB_GRAPHML_EDGE,  /* bandwidth */
    NB_GRAPHML_NODE,  /* terminals */
    NB_GRAPHML_GRAPH, /* terminal_bandwidth */
};

/* A <key> that declares an attribute looked for; there may be several, since
 * networkx declares one for each type of value. */
struct nb_graphml_key {
    enum nb_graphml_domain domain;
    const char *id;
    const char *initial; /* of <default>; NULL: none */
};

/* A document being read into a graph; owns neither. */
struct nb_graphml {
    xmlDocPtr document;
    struct nb_graph *graph;
    struct nb_graphml_key key[NB_GRAPHML_KEYS];
    size_t key_count;
    bool is_directed; /* edges that do not say themselves */
};

/* Whether a node is an element of this name, in any namespace. */
bool nb_graphml_is(const xmlNode *node, const char *name);

/* The line on which an element begins. */
size_t nb_graphml_line(const xmlNode *node);

/* As nb_xml_attribute. Errors: NB_INVALID if the element lacks it. */
enum nb_status nb_graphml_require(const struct nb_graphml *reader,
                                  const xmlNode *node, const char *name,
                                  const char **out, struct nb_error *err);

/*
 * Notes every <key> under the root that declares an attribute.
 *
 * attribute  its attr.name
 * usual      the name that a file need not declare
 *
 * Errors: NB_INVALID if another name than the usual is not declared, or one
 * is declared more often than NB_GRAPHML_KEYS allows.
 */
enum nb_status nb_graphml_read_keys(struct nb_graphml *reader, xmlNode *root,
                                    enum nb_graphml_domain domain,
                                    const char *attribute, const char *usual,
                                    struct nb_error *err);

/* The value that a node, an edge or the graph has for the domain's attribute,
 * NULL if it has none; line: out, where the value stands. */
const char *nb_graphml_value(const struct nb_graphml *reader, xmlNode *node,
                             enum nb_graphml_domain domain, size_t *line);

#endif
