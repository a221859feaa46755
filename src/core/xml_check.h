/* XML check: checks elements against an embedded schema, one by one as they are
 * parsed, in memory that does not grow with their number. */
#ifndef NB_CORE_XML_CHECK_H
#define NB_CORE_XML_CHECK_H

#include "core/embedded.h"
#include "core/status.h"

#include <libxml/parser.h>
#include <stdbool.h>

struct nb_xml_check;

enum { NB_XML_DEPTH = 100 }; /* nested elements of every document */

/*
 * schema  the first file is the schema, which may include the others; each
 *         declares a root element named like the file
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_xml_check_new(const struct nb_embedded *schema,
                                struct nb_xml_check **out,
                                struct nb_error *err);
/* Free it before the parser, which owns the names it uses; NULL is
 * permitted. */
void nb_xml_check_free(struct nb_xml_check *check);

/* A start tag, with the arguments of a parser's startElementNs; at most
 * NB_XML_DEPTH elements may be open at once. */
void nb_xml_check_begin(struct nb_xml_check *check, const xmlChar *name,
                        const xmlChar *prefix, const xmlChar *uri,
                        int attributes, const xmlChar **attribute);
/* All characters up to the next tag in one call: each of many pieces would cost
 * as much as all before it. */
void nb_xml_check_text(struct nb_xml_check *check, const xmlChar *text);
void nb_xml_check_end(struct nb_xml_check *check, const xmlChar *name,
                      const xmlChar *prefix, const xmlChar *uri);

/* Frees the schemas kept for further documents, and the memory of libxml2; call
 * at the end of a program. */
void nb_xml_check_finish(void);

/* The first error, in one line; "" if there is none. */
const char *nb_xml_check_said(const struct nb_xml_check *check);

#endif
