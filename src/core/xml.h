/* XML: the only way to parse files from outside. */
#ifndef NB_CORE_XML_H
#define NB_CORE_XML_H

#include "core/embedded.h"
#include "core/status.h"

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

/* Limits of every document, besides NB_XML_DEPTH (xml_check.h). libxml2
 * compares each attribute of an element with all others before it calls any
 * hook: 160,000 of them would take minutes. */
enum {
    NB_XML_ATTRIBUTES = 100, /* per element */
    NB_XML_NAME = 1000,      /* bytes of a name */
    NB_XML_TEXT = 1 << 23    /* bytes of a text between tags, or a value */
};

/*
 * Parses XML held in memory. Nothing else is read: no network, no external
 * entity; a document type declaration is refused where it begins, before any
 * entity in it is expanded. The limits above hold. Permitted encodings are
 * those whose markup is ASCII and which need no tables: UTF-8, US-ASCII and
 * ISO-8859-1.
 *
 * name    the document's name in messages; usually its path
 * bytes   [length]
 * out     out; the caller frees it with xmlFreeDoc
 *
 * Errors: NB_INVALID with the first message and its line; NB_NO_MEMORY.
 */
enum nb_status nb_xml_parse(const char *name, const char *bytes, size_t length,
                            xmlDocPtr *out, struct nb_error *err);

/* A document parsed piece by piece, by the rules of nb_xml_parse. */
struct nb_xml_stream;

/*
 * Called for each element during parsing: begin after the tag with its
 * attributes, end after the content. Then the element may be removed from the
 * tree (nb_xml_forget), which keeps the tree small. Either may be NULL.
 *
 * With a schema, begin is called only for elements whose place and attributes
 * are valid, and end only for those with valid content. Comments are then left
 * out of the tree; processing instructions within the document are refused, and
 * so are comments within a text.
 */
struct nb_xml_handler {
    enum nb_status (*begin)(void *context, xmlNodePtr element,
                            struct nb_error *err);
    enum nb_status (*end)(void *context, xmlNodePtr element,
                          struct nb_error *err);
    void *context;
    const struct nb_embedded *schema; /* from nb_xml_check_new; NULL: none */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_xml_stream_new(const char *name,
                                 const struct nb_xml_handler *handler,
                                 struct nb_xml_stream **out,
                                 struct nb_error *err);
/*
 * Parses the next bytes; length 0 ends the document. Feed nothing more after an
 * error.
 *
 * Errors: those of nb_xml_parse and of the handler.
 */
enum nb_status nb_xml_stream_feed(struct nb_xml_stream *stream,
                                  const char *bytes, size_t length,
                                  struct nb_error *err);
/* The document, without what was removed from it; the caller frees it. */
xmlDocPtr nb_xml_stream_take(struct nb_xml_stream *stream);
/* NULL is permitted. */
void nb_xml_stream_free(struct nb_xml_stream *stream);

/* Removes all children from the tree, once the last of them has ended. */
void nb_xml_forget(xmlNodePtr parent);

#endif
