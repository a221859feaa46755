/* XML limits: how much markup a document may have, before it is parsed. */
#ifndef NB_CORE_XML_LIMITS_H
#define NB_CORE_XML_LIMITS_H

#include "core/status.h"

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

/* Where in a document the scan is. Zero-initialised: before its beginning. */
struct nb_xml_scan {
    enum {
        NB_SCAN_TEXT,
        NB_SCAN_OPEN, /* after "<" */
        NB_SCAN_TAG,
        NB_SCAN_VALUE,
        NB_SCAN_CLOSE,
        NB_SCAN_SPECIAL, /* after "<!" */
        NB_SCAN_COMMENT,
        NB_SCAN_CDATA,
        NB_SCAN_PROCESSING,
        NB_SCAN_DOCTYPE /* the parser refuses it */
    } state;
    size_t line; /* from 0 */
    size_t depth;
    size_t attributes;
    size_t length;  /* of the name, text or value so far */
    char quote;     /* that the value began with */
    char before[2]; /* the last two bytes, the last one first */
};

/*
 * Scans the next bytes of a document whose markup is ASCII, as in UTF-8.
 *
 * name  what messages call the document
 *
 * Errors: NB_INVALID with line, number and limit where it has more than is
 * permitted.
 */
enum nb_status nb_xml_scan(struct nb_xml_scan *scan, const char *name,
                           const char *bytes, size_t length,
                           struct nb_error *err);

#endif
