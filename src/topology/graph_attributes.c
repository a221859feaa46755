#include "topology/graph_attributes.h"

#include "core/try.h"
#include "core/xml_node.h"

#include <libxml/dict.h>
#include <string.h>

bool nb_graphml_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE &&
           strcmp((const char *)node->name, name) == 0;
}

/* The text of an element without the space around it: a copy in the document's
 * dictionary, which lives as long as the document. */
static const char *graph_attributes_content(xmlDocPtr document, xmlNode *node)
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

size_t nb_graphml_line(const xmlNode *node)
{
    return (size_t)xmlGetLineNo(node);
}

enum nb_status nb_graphml_require(const struct nb_graphml *reader,
                                  const xmlNode *node, const char *name,
                                  const char **out, struct nb_error *err)
{
    *out = nb_xml_attribute(node, name);
    if (*out != NULL)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "\"%.200s\" line %zu: <%.60s> has no attribute \"%s\"",
                   reader->graph->path, nb_graphml_line(node),
                   (const char *)node->name, name);
}

static const char *graph_attributes_word(enum nb_graphml_domain domain)
{
    return domain == NB_GRAPHML_EDGE   ? "edge"
           : domain == NB_GRAPHML_NODE ? "node"
                                       : "graph";
}

/* Whether a <key> declares the attribute for the domain. */
static bool graph_attributes_declares(const xmlNode *node,
                                      enum nb_graphml_domain domain,
                                      const char *attribute)
{
    const char *name = nb_xml_attribute(node, "attr.name");
    const char *where = nb_xml_attribute(node, "for");
    return name != NULL && strcmp(name, attribute) == 0 &&
           (where == NULL || strcmp(where, "all") == 0 ||
            strcmp(where, graph_attributes_word(domain)) == 0);
}

static enum nb_status graph_attributes_add(struct nb_graphml *reader,
                                           xmlNode *node,
                                           enum nb_graphml_domain domain,
                                           struct nb_error *err)
{
    struct nb_graphml_key key = { .domain = domain };
    if (reader->key_count == NB_GRAPHML_KEYS)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" line %zu: bandwidth and terminals are "
                       "declared too often (permitted: %d keys)",
                       reader->graph->path, nb_graphml_line(node),
                       NB_GRAPHML_KEYS);
    for (xmlNode *child = node->children; child != NULL; child = child->next)
        if (nb_graphml_is(child, "default"))
            key.initial = graph_attributes_content(reader->document, child);
    const enum nb_status status =
        nb_graphml_require(reader, node, "id", &key.id, err);
    reader->key[reader->key_count++] = key;
    return status;
}

enum nb_status nb_graphml_read_keys(struct nb_graphml *reader, xmlNode *root,
                                    enum nb_graphml_domain domain,
                                    const char *attribute, const char *usual,
                                    struct nb_error *err)
{
    const size_t before = reader->key_count;
    enum nb_status status = NB_OK;
    for (xmlNode *node = root->children; node != NULL; node = node->next)
        if (nb_graphml_is(node, "key") &&
            graph_attributes_declares(node, domain, attribute))
            NB_TRY(graph_attributes_add(reader, node, domain, err));
    /* A file need not have the usual attribute, but one asked for. */
    if (reader->key_count == before && strcmp(attribute, usual) != 0)
        status = nb_fail(err, NB_INVALID,
                         "\"%.200s\": no <key> declares the %s attribute "
                         "\"%.60s\"",
                         reader->graph->path, graph_attributes_word(domain),
                         attribute);
done:
    return status;
}

const char *nb_graphml_value(const struct nb_graphml *reader, xmlNode *node,
                             enum nb_graphml_domain domain, size_t *line)
{
    const char *initial = NULL;
    *line = nb_graphml_line(node);
    for (size_t k = 0; k < reader->key_count; k++) {
        const struct nb_graphml_key *key = &reader->key[k];
        if (key->domain != domain)
            continue;
        for (xmlNode *data = node->children; data; data = data->next) {
            if (!nb_graphml_is(data, "data"))
                continue;
            const char *id = nb_xml_attribute(data, "key");
            if (id != NULL && strcmp(id, key->id) == 0) {
                *line = nb_graphml_line(data);
                return graph_attributes_content(reader->document, data);
            }
        }
        if (initial == NULL)
            initial = key->initial;
    }
    return initial;
}
