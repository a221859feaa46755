/* XML node: reading elements. */
#ifndef NB_CORE_XML_NODE_H
#define NB_CORE_XML_NODE_H

#include "core/status.h"

#include <libxml/tree.h>
#include <stdbool.h>

/* Records NB_INVALID with "FILE:LINE: " before the message, which is kept to
 * one line whatever values it quotes. */
enum nb_status nb_xml_fail(const char *file, const xmlNode *node,
                           struct nb_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

bool nb_xml_is(const xmlNode *node, const char *name);

/* The next child element of parent after node, the first after NULL; NULL at
 * the end. */
xmlNodePtr nb_xml_next(const xmlNode *parent, const xmlNode *node);

/* An attribute without namespace; NULL if it is missing. It belongs to the
 * document. */
const char *nb_xml_attribute(const xmlNode *node, const char *name);
/* The same for the text of an element that contains nothing else, as a schema
 * guarantees. */
const char *nb_xml_text(const xmlNode *node);

#endif
