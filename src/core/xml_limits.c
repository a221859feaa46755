#include "core/xml_limits.h"

#include <stdbool.h>
#include <string.h>

static enum nb_status scan_refuse(const struct nb_xml_scan *scan,
                                  const char *name, const char *what,
                                  size_t count, size_t most,
                                  struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "\"%.200s\" line %zu: %s %zu is not permitted (permitted: "
                   "at most %zu)",
                   name, scan->line + 1, what, count, most);
}

/* Counts a character of a name, text or value. */
static enum nb_status scan_lengthen(struct nb_xml_scan *scan, const char *name,
                                    const char *what, size_t most,
                                    struct nb_error *err)
{
    if (++scan->length <= most)
        return NB_OK;
    return scan_refuse(scan, name, what, scan->length, most, err);
}

static void scan_to_text(struct nb_xml_scan *scan)
{
    scan->state = NB_SCAN_TEXT;
    scan->length = 0;
}

/* Within a start tag, beginning with the first character of its name. */
static enum nb_status scan_tag(struct nb_xml_scan *scan, const char *name,
                               char c, struct nb_error *err)
{
    if (c == '>') {
        scan->depth += scan->before[0] != '/';
        scan_to_text(scan);
        if (scan->depth > NB_XML_DEPTH)
            return scan_refuse(scan, name, "an element at depth", scan->depth,
                               NB_XML_DEPTH, err);
    } else if (c == '"' || c == '\'') {
        scan->state = NB_SCAN_VALUE;
        scan->quote = c;
        scan->length = 0;
    } else if (c == '=') {
        scan->length = 0;
        if (++scan->attributes > NB_XML_ATTRIBUTES)
            return scan_refuse(scan, name, "attribute", scan->attributes,
                               NB_XML_ATTRIBUTES, err);
    } else if (strchr(" \t\r\n/", c) != NULL) {
        scan->length = 0;
    } else {
        return scan_lengthen(scan, name, "a name whose length in bytes is",
                             NB_XML_NAME, err);
    }
    return NB_OK;
}

/* After "<". */
static enum nb_status scan_open(struct nb_xml_scan *scan, const char *name,
                                char c, struct nb_error *err)
{
    scan->length = 0;
    scan->attributes = 0;
    scan->state = c == '/'   ? NB_SCAN_CLOSE
                  : c == '?' ? NB_SCAN_PROCESSING
                  : c == '!' ? NB_SCAN_SPECIAL
                             : NB_SCAN_TAG;
    return scan->state == NB_SCAN_TAG ? scan_tag(scan, name, c, err) : NB_OK;
}

/* After "<!": which of the three it is. */
static void scan_special(struct nb_xml_scan *scan, char c)
{
    static const char cdata[] = "[CDATA[";
    const size_t at = scan->length++;
    if (c == '-' && at == 1 && scan->before[0] == '-')
        scan->state = NB_SCAN_COMMENT;
    else if (!(c == '-' && at == 0) && c != cdata[at])
        scan->state = NB_SCAN_DOCTYPE;
    else if (at == sizeof cdata - 2)
        scan->state = NB_SCAN_CDATA;
    if (scan->state != NB_SCAN_SPECIAL)
        scan->length = 0;
}

/* Whether a character ends what "<!--", "<![CDATA[" or "<?" began. */
static bool scan_ends(const struct nb_xml_scan *scan, char c)
{
    const char last = scan->state == NB_SCAN_COMMENT ? '-'
                      : scan->state == NB_SCAN_CDATA ? ']'
                                                     : '?';
    const size_t least = scan->state == NB_SCAN_PROCESSING ? 1 : 2;
    return c == '>' && scan->length >= least && scan->before[0] == last &&
           (least == 1 || scan->before[1] == last);
}

static enum nb_status scan_character(struct nb_xml_scan *scan, const char *name,
                                     char c, struct nb_error *err)
{
    static const char text[] = "a text whose length in bytes is";
    switch (scan->state) {
    case NB_SCAN_TEXT:
        if (c != '<')
            return scan_lengthen(scan, name, text, NB_XML_TEXT, err);
        scan->state = NB_SCAN_OPEN;
        return NB_OK;
    case NB_SCAN_OPEN:
        return scan_open(scan, name, c, err);
    case NB_SCAN_TAG:
        return scan_tag(scan, name, c, err);
    case NB_SCAN_VALUE:
        if (c != scan->quote)
            return scan_lengthen(scan, name, text, NB_XML_TEXT, err);
        scan->state = NB_SCAN_TAG;
        scan->length = 0;
        return NB_OK;
    case NB_SCAN_CLOSE:
        if (c == '>') {
            scan->depth -= scan->depth > 0;
            scan_to_text(scan);
        }
        return NB_OK;
    case NB_SCAN_SPECIAL:
        scan_special(scan, c);
        return NB_OK;
    case NB_SCAN_COMMENT:
    case NB_SCAN_CDATA:
    case NB_SCAN_PROCESSING:
        if (scan_ends(scan, c)) {
            scan_to_text(scan);
            return NB_OK;
        }
        return scan_lengthen(scan, name, text, NB_XML_TEXT, err);
    case NB_SCAN_DOCTYPE:
        return NB_OK;
    }
    return NB_OK;
}

enum nb_status nb_xml_scan(struct nb_xml_scan *scan, const char *name,
                           const char *bytes, size_t length,
                           struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < length && status == NB_OK; i++) {
        status = scan_character(scan, name, bytes[i], err);
        scan->line += bytes[i] == '\n';
        scan->before[1] = scan->before[0];
        scan->before[0] = bytes[i];
    }
    return status;
}
