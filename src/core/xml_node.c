#include "core/xml_node.h"

#include "core/locale.h"

#include <stdarg.h>
#include <string.h>

enum nb_status nb_xml_fail(const char *file, const xmlNode *node,
                           struct nb_error *err, const char *format, ...)
{
    char message[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    nb_vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c != '\0'; c++)
        if (nb_is_control(*c))
            *c = ' ';
    return nb_fail(err, NB_INVALID, "%.200s:%ld: %s", file, xmlGetLineNo(node),
                   message);
}

bool nb_xml_is(const xmlNode *node, const char *name)
{
    return strcmp((const char *)node->name, name) == 0;
}

xmlNodePtr nb_xml_next(const xmlNode *parent, const xmlNode *node)
{
    xmlNodePtr next = node == NULL ? parent->children : node->next;
    while (next != NULL && next->type != XML_ELEMENT_NODE)
        next = next->next;
    return next;
}

/* The parser makes one node of all characters of a text or a value. */
static const char *node_characters(const xmlNode *children)
{
    return children != NULL ? (const char *)children->content : "";
}

const char *nb_xml_attribute(const xmlNode *node, const char *name)
{
    const xmlAttr *attribute = node->properties;
    while (attribute != NULL &&
           (attribute->ns != NULL ||
            strcmp((const char *)attribute->name, name) != 0))
        attribute = attribute->next;
    return attribute != NULL ? node_characters(attribute->children) : NULL;
}

const char *nb_xml_text(const xmlNode *node)
{
    return node_characters(node->children);
}
