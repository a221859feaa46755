/* XML check: elements against a schema that the program carries, one by one as
 * they are parsed, in memory that does not grow with their number. */
#ifndef NB_CORE_XML_CHECK_H
#define NB_CORE_XML_CHECK_H

#include "core/embedded.h"
#include "core/status.h"

#include <libxml/parser.h>
#include <stdbool.h>

struct nb_xml_check;

/*
 * schema  the first file is the schema, which may include the others; each
 *         declares an element of its own name, as which a document begins
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_xml_check_new(const struct nb_embedded *schema,
                                struct nb_xml_check **out,
                                struct nb_error *err);
/* Before the parser whose names it was told; NULL is permitted. */
void nb_xml_check_free(struct nb_xml_check *check);

/* A start tag, as a parser's startElementNs tells it; NB_XML_DEPTH (xml.h)
 * elements may be open at once. */
void nb_xml_check_begin(struct nb_xml_check *check, const xmlChar *name,
                        const xmlChar *prefix, const xmlChar *uri,
                        int attributes, const xmlChar **attribute);
/* All characters up to the next tag at once: in many pieces each would cost
 * as much as all before it. */
void nb_xml_check_text(struct nb_xml_check *check, const xmlChar *text);
void nb_xml_check_end(struct nb_xml_check *check, const xmlChar *name,
                      const xmlChar *prefix, const xmlChar *uri);

/* Frees the schemas that are kept for further documents, and what libxml2
 * keeps: at the end of a program. */
void nb_xml_check_finish(void);

/* What is wrong, in one line: the first complaint; "" if there is none. */
const char *nb_xml_check_said(const struct nb_xml_check *check);

/*
 * Puts the top-level elements of another embedded file in the place of an
 * element that includes it.
 *
 * attribute  the one that names the file; folders before its name are ignored
 *
 * Errors: NB_INVALID if there is no such file; NB_NO_MEMORY.
 */
enum nb_status nb_xml_include(xmlNodePtr include, const char *attribute,
                              const struct nb_embedded *files,
                              struct nb_error *err);

#endif
