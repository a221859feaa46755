/* XML embedded in the program: schemas and style sheets, which may consist of
 * several files. */
#ifndef NB_CORE_XML_EMBEDDED_H
#define NB_CORE_XML_EMBEDDED_H

#include "core/embedded.h"
#include "core/status.h"

#include <libxml/tree.h>

/* Parses a file; the caller frees the document. Errors: NB_NO_MEMORY. */
enum nb_status nb_xml_embedded_read(const struct nb_embedded *file,
                                    xmlDocPtr *out, struct nb_error *err);

/*
 * Replaces an include element by the top-level elements of another file.
 *
 * attribute  the attribute that names the file; folders before the name are
 *            ignored
 *
 * Errors: NB_INVALID if there is no such file; NB_NO_MEMORY.
 */
enum nb_status nb_xml_include(xmlNodePtr include, const char *attribute,
                              const struct nb_embedded *files,
                              struct nb_error *err);

#endif
