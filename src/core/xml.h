/* XML: the one way in which files from outside are parsed. */
#ifndef NB_CORE_XML_H
#define NB_CORE_XML_H

#include "core/status.h"

#include <libxml/tree.h>
#include <stddef.h>

/*
 * Parses XML held in memory. Nothing but these bytes is ever read: there is
 * no network, no external entity, and a document type declaration is
 * refused where it begins, before any entity in it is expanded. The limits
 * of libxml2 on depth and length stay in force.
 *
 * name    what messages call the document; usually its path
 * bytes   [length]
 * out     out; the caller frees it with xmlFreeDoc
 *
 * Errors: NB_INVALID with the first complaint and its line.
 */
enum nb_status nb_xml_parse(const char *name, const char *bytes, size_t length,
                            xmlDocPtr *out, struct nb_error *err);

/*
 * Parses a file as nb_xml_parse does.
 *
 * limit  [byte]  a larger file is refused
 *
 * Errors: NB_IO if it cannot be read; NB_INVALID if it is larger than limit,
 * or as nb_xml_parse.
 */
enum nb_status nb_xml_read(const char *path, size_t limit, xmlDocPtr *out,
                           struct nb_error *err);

#endif
