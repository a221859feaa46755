/* XML: the one way in which files from outside are parsed. */
#ifndef NB_CORE_XML_H
#define NB_CORE_XML_H

#include "core/embedded.h"
#include "core/status.h"

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

/* What any document that is read may have at most. libxml2 compares each
 * attribute of an element with all others, before any hook of it is called:
 * 160,000 of them would take minutes. */
enum {
    NB_XML_ATTRIBUTES = 100, /* of one element */
    NB_XML_DEPTH = 100,      /* elements within each other */
    NB_XML_NAME = 1000,      /* bytes of a name */
    NB_XML_TEXT = 1 << 23    /* bytes of a text between tags, or a value */
};

/*
 * Parses XML held in memory. Nothing but these bytes is ever read: there is
 * no network, no external entity, and a document type declaration is
 * refused where it begins, before any entity in it is expanded. The limits
 * above hold. Permitted encodings are those whose markup is ASCII
 * and which need no tables: UTF-8, US-ASCII and ISO-8859-1.
 *
 * name    what messages call the document; usually its path
 * bytes   [length]
 * out     out; the caller frees it with xmlFreeDoc
 *
 * Errors: NB_INVALID with the first complaint and its line; NB_NO_MEMORY.
 */
enum nb_status nb_xml_parse(const char *name, const char *bytes, size_t length,
                            xmlDocPtr *out, struct nb_error *err);

/* A document parsed piece by piece, by the rules of nb_xml_parse. */
struct nb_xml_stream;

/*
 * What is told of its elements, while it is parsed: begin when the tag with
 * its attributes was read, end when its content was, too. Then it may be taken
 * out of the tree (nb_xml_forget), which so stays small. Either may be NULL.
 *
 * With a schema, begin is told only of elements whose place and attributes it
 * permits, and end of those whose content it does. Comments are then left out
 * of the tree; processing instructions within the document are refused, and so
 * are comments in a text.
 */
struct nb_xml_handler {
    enum nb_status (*begin)(void *context, xmlNodePtr element,
                            struct nb_error *err);
    enum nb_status (*end)(void *context, xmlNodePtr element,
                          struct nb_error *err);
    void *context;
    const struct nb_embedded *schema; /* of nb_xml_check_new; NULL: none */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_xml_stream_new(const char *name,
                                 const struct nb_xml_handler *handler,
                                 struct nb_xml_stream **out,
                                 struct nb_error *err);
/*
 * Parses further bytes; with none, the document's end. Nothing more may be
 * fed after an error.
 *
 * Errors: as nb_xml_parse; those of the handler.
 */
enum nb_status nb_xml_stream_feed(struct nb_xml_stream *stream,
                                  const char *bytes, size_t length,
                                  struct nb_error *err);
/* The document, with what was not taken out of it; the caller frees it. */
xmlDocPtr nb_xml_stream_take(struct nb_xml_stream *stream);
/* NULL is permitted. */
void nb_xml_stream_free(struct nb_xml_stream *stream);

/* Takes all children out of the tree, once the last of them has ended. */
void nb_xml_forget(xmlNodePtr parent);

#endif
