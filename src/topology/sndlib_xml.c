/* <network><networkStructure><nodes/><links/></networkStructure><demands/>
 * </network> of SNDlib. */
#include "topology/sndlib.h"

#include "core/try.h"
#include "core/xml.h"
#include "core/xml_node.h"

#include <string.h>

static size_t xml_line(const xmlNode *node)
{
    return (size_t)xmlGetLineNo(node);
}

/* The child element of that name; NULL if there is none. */
static xmlNodePtr xml_child(const xmlNode *parent, const char *name)
{
    xmlNodePtr node = NULL;
    while (parent != NULL && (node = nb_xml_next(parent, node)) != NULL)
        if (nb_xml_is(node, name))
            return node;
    return NULL;
}

/* Copies the text of a child. Errors: NB_INVALID if it has elements. */
static enum nb_status xml_keep(struct nb_sndlib *sndlib, const xmlNode *parent,
                               const char *name, const char **out,
                               struct nb_error *err)
{
    const xmlNode *node = xml_child(parent, name);
    *out = NULL;
    if (node == NULL)
        return NB_OK;
    const xmlNode *text = node->children;
    if (text == NULL || text->type != XML_TEXT_NODE || text->next != NULL)
        return nb_sndlib_fail(sndlib, xml_line(node), err,
                              "<%.60s> is empty or has elements (permitted: a "
                              "text)",
                              name);
    return nb_sndlib_keep(sndlib, (const char *)text->content,
                          strlen((const char *)text->content), out, err);
}

/* The same, for one that must be there. */
static enum nb_status xml_require(struct nb_sndlib *sndlib,
                                  const xmlNode *parent, const char *name,
                                  const char **out, struct nb_error *err)
{
    const enum nb_status status = xml_keep(sndlib, parent, name, out, err);
    if (status != NB_OK || *out != NULL)
        return status;
    return nb_sndlib_fail(sndlib, xml_line(parent), err, "<%.60s> has no <%s>",
                          (const char *)parent->name, name);
}

static enum nb_status xml_read_ends(struct nb_sndlib *sndlib,
                                    const xmlNode *node,
                                    struct nb_sndlib_item *item,
                                    struct nb_error *err)
{
    enum nb_status status;
    item->line = xml_line(node);
    NB_TRY(xml_require(sndlib, node, "source", &item->source, err));
    NB_TRY(xml_require(sndlib, node, "target", &item->target, err));
done:
    return status;
}

static enum nb_status xml_read_node(struct nb_sndlib *sndlib,
                                    const xmlNode *node, struct nb_error *err)
{
    struct nb_sndlib_item item = { .line = xml_line(node) };
    const char *id = nb_xml_attribute(node, "id");
    enum nb_status status;
    if (id == NULL)
        return nb_sndlib_fail(sndlib, item.line, err,
                              "<node> has no attribute \"id\"");
    NB_TRY(nb_sndlib_keep(sndlib, id, strlen(id), &item.name, err));
    NB_TRY(nb_sndlib_add(&sndlib->nodes, &item, err));
done:
    return status;
}

/* Gives a link the capacity in an element; NULL: none. */
static enum nb_status xml_read_module(struct nb_sndlib *sndlib,
                                      const xmlNode *module, bool is_added,
                                      struct nb_sndlib_item *link,
                                      struct nb_error *err)
{
    const char *capacity;
    enum nb_status status;
    if (module == NULL)
        return NB_OK;
    NB_TRY(xml_keep(sndlib, module, "capacity", &capacity, err));
    if (capacity != NULL)
        NB_TRY(nb_sndlib_set_capacity(sndlib, link, capacity, is_added,
                                      xml_line(module), err));
done:
    return status;
}

static enum nb_status xml_read_link(struct nb_sndlib *sndlib,
                                    const xmlNode *node, struct nb_error *err)
{
    const xmlNode *more = xml_child(node, "additionalModules");
    struct nb_sndlib_item link = { 0 };
    enum nb_status status;
    NB_TRY(xml_read_ends(sndlib, node, &link, err));
    NB_TRY(xml_read_module(sndlib, xml_child(node, "preInstalledModule"), false,
                           &link, err));
    for (xmlNodePtr module = NULL;
         more != NULL && (module = nb_xml_next(more, module)) != NULL;)
        NB_TRY(xml_read_module(sndlib, module, true, &link, err));
    NB_TRY(nb_sndlib_add(&sndlib->links, &link, err));
done:
    return status;
}

static enum nb_status xml_read_demand(struct nb_sndlib *sndlib,
                                      const xmlNode *node, struct nb_error *err)
{
    struct nb_sndlib_item demand = { 0 };
    enum nb_status status;
    NB_TRY(xml_read_ends(sndlib, node, &demand, err));
    NB_TRY(xml_require(sndlib, node, "demandValue", &demand.value, err));
    NB_TRY(xml_keep(sndlib, node, "routingUnit", &demand.unit, err));
    NB_TRY(nb_sndlib_add(&sndlib->demands, &demand, err));
done:
    return status;
}

/* Reads every element of that name in a list; NULL: there is no list. */
static enum nb_status
xml_read_list(struct nb_sndlib *sndlib, const xmlNode *list, const char *name,
              enum nb_status (*read)(struct nb_sndlib *sndlib,
                                     const xmlNode *node, struct nb_error *err),
              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (xmlNodePtr node = NULL;
         list != NULL && (node = nb_xml_next(list, node)) != NULL;)
        if (nb_xml_is(node, name))
            NB_TRY(read(sndlib, node, err));
done:
    return status;
}

static enum nb_status xml_read_root(struct nb_sndlib *sndlib,
                                    const xmlNode *root, struct nb_error *err)
{
    const xmlNode *structure =
        root != NULL ? xml_child(root, "networkStructure") : NULL;
    enum nb_status status;
    if (root == NULL || !nb_xml_is(root, "network") || structure == NULL)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it is no network of SNDlib (permitted: "
                       "<network> with <networkStructure>)",
                       sndlib->path);
    NB_TRY(xml_read_list(sndlib, xml_child(structure, "nodes"), "node",
                         xml_read_node, err));
    NB_TRY(xml_read_list(sndlib, xml_child(structure, "links"), "link",
                         xml_read_link, err));
    NB_TRY(xml_read_list(sndlib, xml_child(root, "demands"), "demand",
                         xml_read_demand, err));
done:
    return status;
}

enum nb_status nb_sndlib_read_xml(struct nb_sndlib *sndlib, const char *text,
                                  size_t length, struct nb_error *err)
{
    xmlDocPtr document = NULL;
    enum nb_status status;
    NB_TRY(nb_xml_parse(sndlib->path, text, length, &document, err));
    NB_TRY(xml_read_root(sndlib, xmlDocGetRootElement(document), err));
done:
    xmlFreeDoc(document);
    return status;
}
