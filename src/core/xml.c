#include "core/xml.h"

#include "core/locale.h"
#include "core/memory.h"
#include "core/xml_check.h"
#include "core/xml_memory.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <string.h>

/* State of the scan of a document. Zero-initialised: before its beginning. */
struct xml_scan {
    enum {
        SCAN_TEXT,
        SCAN_OPEN, /* after "<" */
        SCAN_TAG,
        SCAN_VALUE,
        SCAN_CLOSE,
        SCAN_SPECIAL, /* after "<!" */
        SCAN_COMMENT,
        SCAN_CDATA,
        SCAN_PROCESSING,
        SCAN_DOCTYPE /* the parser refuses it */
    } state;
    size_t line; /* from 0 */
    size_t depth;
    size_t attributes;
    size_t length;  /* of the current name, text or value, so far */
    char quote;     /* that opened the value */
    char before[2]; /* the last two bytes, the latest first */
};

/* The parser's hooks find it in ctxt->_private. */
struct nb_xml_stream {
    const char *name;
    struct nb_xml_handler handler;
    xmlParserCtxtPtr parser;
    struct xml_scan scan;
    struct nb_xml_check *check; /* NULL: none */
    size_t fed;
    enum nb_status status; /* the first failure */
    struct nb_error *err;  /* of the current call */
};

static enum nb_status scan_refuse(const struct xml_scan *scan, const char *name,
                                  const char *what, size_t count, size_t most,
                                  struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "%.200s:%zu: %s %zu is not permitted (permitted: "
                   "at most %zu)",
                   name, scan->line + 1, what, count, most);
}

/* Counts a character of a name, text or value. */
static enum nb_status scan_lengthen(struct xml_scan *scan, const char *name,
                                    const char *what, size_t most,
                                    struct nb_error *err)
{
    if (++scan->length <= most)
        return NB_OK;
    return scan_refuse(scan, name, what, scan->length, most, err);
}

static void scan_to_text(struct xml_scan *scan)
{
    scan->state = SCAN_TEXT;
    scan->length = 0;
}

/* Within a start tag, beginning with the first character of its name. */
static enum nb_status scan_tag(struct xml_scan *scan, const char *name, char c,
                               struct nb_error *err)
{
    if (c == '>') {
        scan->depth += scan->before[0] != '/';
        scan_to_text(scan);
        if (scan->depth > NB_XML_DEPTH)
            return scan_refuse(scan, name, "an element at depth", scan->depth,
                               NB_XML_DEPTH, err);
    } else if (c == '"' || c == '\'') {
        scan->state = SCAN_VALUE;
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
static enum nb_status scan_open(struct xml_scan *scan, const char *name, char c,
                                struct nb_error *err)
{
    scan->length = 0;
    scan->attributes = 0;
    scan->state = c == '/'   ? SCAN_CLOSE
                  : c == '?' ? SCAN_PROCESSING
                  : c == '!' ? SCAN_SPECIAL
                             : SCAN_TAG;
    return scan->state == SCAN_TAG ? scan_tag(scan, name, c, err) : NB_OK;
}

/* After "<!": distinguishes comment, CDATA and document type. */
static void scan_special(struct xml_scan *scan, char c)
{
    static const char cdata[] = "[CDATA[";
    const size_t at = scan->length++;
    if (c == '-' && at == 1 && scan->before[0] == '-')
        scan->state = SCAN_COMMENT;
    else if (!(c == '-' && at == 0) && c != cdata[at])
        scan->state = SCAN_DOCTYPE;
    else if (at == sizeof cdata - 2)
        scan->state = SCAN_CDATA;
    if (scan->state != SCAN_SPECIAL)
        scan->length = 0;
}

/* Whether a character ends what "<!--", "<![CDATA[" or "<?" began. */
static bool scan_ends(const struct xml_scan *scan, char c)
{
    const char last = scan->state == SCAN_COMMENT ? '-'
                      : scan->state == SCAN_CDATA ? ']'
                                                  : '?';
    const size_t least = scan->state == SCAN_PROCESSING ? 1 : 2;
    return c == '>' && scan->length >= least && scan->before[0] == last &&
           (least == 1 || scan->before[1] == last);
}

static enum nb_status scan_character(struct xml_scan *scan, const char *name,
                                     char c, struct nb_error *err)
{
    static const char text[] = "a text whose length in bytes is";
    switch (scan->state) {
    case SCAN_TEXT:
        if (c != '<')
            return scan_lengthen(scan, name, text, NB_XML_TEXT, err);
        scan->state = SCAN_OPEN;
        return NB_OK;
    case SCAN_OPEN:
        return scan_open(scan, name, c, err);
    case SCAN_TAG:
        return scan_tag(scan, name, c, err);
    case SCAN_VALUE:
        if (c != scan->quote)
            return scan_lengthen(scan, name, text, NB_XML_TEXT, err);
        scan->state = SCAN_TAG;
        scan->length = 0;
        return NB_OK;
    case SCAN_CLOSE:
        if (c == '>') {
            scan->depth -= scan->depth > 0;
            scan_to_text(scan);
        }
        return NB_OK;
    case SCAN_SPECIAL:
        scan_special(scan, c);
        return NB_OK;
    case SCAN_COMMENT:
    case SCAN_CDATA:
    case SCAN_PROCESSING:
        if (scan_ends(scan, c)) {
            scan_to_text(scan);
            return NB_OK;
        }
        return scan_lengthen(scan, name, text, NB_XML_TEXT, err);
    case SCAN_DOCTYPE:
        return NB_OK;
    }
    return NB_OK;
}

/*
 * Scans the next bytes of a document whose markup is ASCII, as in UTF-8.
 *
 * name  the document's name in messages
 *
 * Errors: NB_INVALID with line, number and limit if it exceeds one.
 */
static enum nb_status xml_scan(struct xml_scan *scan, const char *name,
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

static void xml_stop(struct nb_xml_stream *stream, enum nb_status status)
{
    stream->status = status;
    xmlStopParser(stream->parser);
}

/* Called at the start of a document type declaration, before its contents are
 * read. */
static void xml_refuse_doctype(void *context, const xmlChar *root,
                               const xmlChar *external_id,
                               const xmlChar *system_id)
{
    xmlParserCtxtPtr parser = context;
    struct nb_xml_stream *stream = parser->_private;
    (void)root;
    (void)external_id;
    (void)system_id;
    if (stream->status == NB_OK)
        xml_stop(stream,
                 nb_fail(stream->err, NB_INVALID,
                         "%.200s:%d: a document type declaration is "
                         "not permitted (permitted: XML without <!DOCTYPE>)",
                         stream->name,
                         parser->input != NULL ? parser->input->line : 0));
}

/* Keeps the first error and keeps all of them off stderr. */
static void xml_note_error(void *context, xmlErrorPtr error)
{
    xmlParserCtxtPtr parser = context;
    struct nb_xml_stream *stream = parser->_private;
    if (error->level < XML_ERR_ERROR || stream->status != NB_OK)
        return;
    const char *text = error->message != NULL ? error->message : "not XML";
    if (error->code == XML_ERR_INTERNAL_ERROR)
        text = "it is not well-formed (permitted: XML); an element, comment or "
               "entity is written wrongly here";
    if (error->code == XML_ERR_DOCUMENT_EMPTY) /* no tag where one is due */
        text = parser->input != NULL && *parser->input->cur == '{'
                   ? "it is JSON; only XML can be read back (permitted: "
                     "output of --format xml)"
                   : "it is not XML, as reports, models and .graphml networks "
                     "are";
    stream->status =
        nb_fail(stream->err, NB_INVALID, "%.200s:%d: %.*s", stream->name,
                error->line, (int)strcspn(text, "\r\n"), text);
}

/* Called after the XML declaration. An encoding with markup that is not ASCII
 * would hide it from the scan for limits. */
static void xml_check_encoding(void *context)
{
    static const char *const permitted[] = { "UTF-8", "US-ASCII",
                                             "ISO-8859-1" };
    xmlParserCtxtPtr parser = context;
    struct nb_xml_stream *stream = parser->_private;
    const char *encoding = (const char *)parser->encoding;
    bool is_permitted = encoding == NULL;
    for (size_t i = 0; i < 3 && !is_permitted; i++)
        is_permitted = nb_is_same_word(encoding, permitted[i]);
    if (is_permitted)
        xmlSAX2StartDocument(context);
    else if (stream->status == NB_OK)
        xml_stop(stream, nb_fail(stream->err, NB_INVALID,
                                 "%.200s:1: encoding \"%.60s\" is not "
                                 "permitted (permitted: UTF-8, US-ASCII, "
                                 "ISO-8859-1)",
                                 stream->name, encoding));
}

static void xml_refuse_here(struct nb_xml_stream *stream, const char *what)
{
    if (stream->status == NB_OK)
        xml_stop(stream,
                 nb_fail(stream->err, NB_INVALID, "%.200s:%d: %s", stream->name,
                         stream->parser->input->line, what));
}

static bool xml_is_blank(const xmlNode *node)
{
    const char *text = (const char *)node->content;
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* The text directly before a tag or comment; NULL: none. */
static const xmlNode *xml_last_text(const xmlNode *parent)
{
    const xmlNode *last = parent != NULL ? parent->last : NULL;
    return last != NULL && last->type == XML_TEXT_NODE ? last : NULL;
}

static void xml_drop_comment(void *context, const xmlChar *value)
{
    xmlParserCtxtPtr parser = context;
    const xmlNode *text = xml_last_text(parser->node);
    (void)value;
    if (text != NULL && !xml_is_blank(text))
        xml_refuse_here(parser->_private,
                        "a comment in a text is not permitted (permitted: "
                        "comments between elements)");
}

static void xml_refuse_processing(void *context, const xmlChar *target,
                                  const xmlChar *data)
{
    xmlParserCtxtPtr parser = context;
    (void)target;
    (void)data;
    if (parser->node != NULL)
        xml_refuse_here(parser->_private,
                        "a processing instruction is not permitted "
                        "(permitted: elements)");
}

/* Gives the schema the text before a tag, except white space between elements:
 * the validator would collect that of all rows of a table. */
static void xml_check_text(struct nb_xml_stream *stream, bool is_whole)
{
    const xmlNode *text = xml_last_text(stream->parser->node);
    if (text != NULL && (!xml_is_blank(text) || (is_whole && !text->prev)))
        nb_xml_check_text(stream->check, text->content);
}

/* Stops if the schema reported an error or ran out of memory. */
static void xml_check_hear(struct nb_xml_stream *stream)
{
    const char *said = nb_xml_check_said(stream->check);
    if (nb_xml_has_run_out())
        xml_stop(stream, NB_NO_MEMORY); /* nb_xml_leave reports it */
    else if (said[0] != '\0')
        xml_refuse_here(stream, said);
}

/* Calls the handler for an element, if libxml2 could allocate it. */
static void xml_tell(struct nb_xml_stream *stream, xmlNodePtr element,
                     enum nb_status (*tell)(void *context, xmlNodePtr element,
                                            struct nb_error *err))
{
    enum nb_status status = NB_OK;
    if (stream->status != NB_OK)
        return;
    if (nb_xml_has_run_out())
        status = NB_NO_MEMORY; /* nb_xml_leave reports it */
    else if (tell != NULL && element != NULL)
        status = tell(stream->handler.context, element, stream->err);
    if (status != NB_OK)
        xml_stop(stream, status);
}

static void xml_begin(void *context, const xmlChar *name, const xmlChar *prefix,
                      const xmlChar *uri, int namespaces,
                      const xmlChar **namespace, int attributes, int defaulted,
                      const xmlChar **attribute)
{
    xmlParserCtxtPtr parser = context;
    struct nb_xml_stream *stream = parser->_private;
    if (stream->check != NULL) {
        xml_check_text(stream, false);
        nb_xml_check_begin(stream->check, name, prefix, uri, attributes,
                           attribute);
        xml_check_hear(stream);
        if (stream->status != NB_OK)
            return; /* the stopped parser has freed attribute */
    }
    xmlSAX2StartElementNs(context, name, prefix, uri, namespaces, namespace,
                          attributes, defaulted, attribute);
    xml_tell(stream, parser->node, stream->handler.begin);
}

static void xml_end(void *context, const xmlChar *name, const xmlChar *prefix,
                    const xmlChar *uri)
{
    xmlParserCtxtPtr parser = context;
    struct nb_xml_stream *stream = parser->_private;
    xmlNodePtr element = parser->node;
    if (stream->check != NULL) {
        xml_check_text(stream, true);
        nb_xml_check_end(stream->check, name, prefix, uri);
        xml_check_hear(stream);
    }
    xmlSAX2EndElementNs(context, name, prefix, uri);
    xml_tell(stream, element, stream->handler.end);
}

static void xml_hook(struct nb_xml_stream *stream)
{
    xmlSAXHandlerPtr sax = stream->parser->sax;
    xmlCtxtUseOptions(stream->parser, XML_PARSE_NONET | XML_PARSE_NOCDATA |
                                          XML_PARSE_BIG_LINES);
    stream->parser->_private = stream;
    sax->internalSubset = xml_refuse_doctype;
    sax->serror = xml_note_error;
    sax->startDocument = xml_check_encoding;
    sax->startElementNs = xml_begin;
    sax->endElementNs = xml_end;
    if (stream->check != NULL) {
        sax->comment = xml_drop_comment;
        sax->processingInstruction = xml_refuse_processing;
    }
}

enum nb_status nb_xml_stream_new(const char *name,
                                 const struct nb_xml_handler *handler,
                                 struct nb_xml_stream **out,
                                 struct nb_error *err)
{
    struct nb_xml_stream *stream = NULL;
    struct nb_xml_guard guard;
    enum nb_status status;
    NB_TRY(nb_new(&stream, 1, sizeof *stream, "XML", err));
    stream->name = name;
    stream->handler = *handler;
    if (handler->schema != NULL)
        NB_TRY(nb_xml_check_new(handler->schema, &stream->check, err));
    nb_xml_enter(&guard);
    if (!nb_xml_has_run_out()) /* libxml2 is ready */
        stream->parser = xmlCreatePushParserCtxt(NULL, NULL, NULL, 0, NULL);
    NB_TRY(nb_xml_leave(&guard, NB_OK, name, err));
    xml_hook(stream);
done:
    if (status != NB_OK) {
        nb_xml_stream_free(stream);
        stream = NULL;
    }
    *out = stream;
    return status;
}

/* UTF-16 shows in the first two bytes: a byte order mark, or a zero. */
static enum nb_status xml_check_start(const struct nb_xml_stream *stream,
                                      const char *bytes, size_t length,
                                      struct nb_error *err)
{
    if (length < 2 || (memcmp(bytes, "\xFF\xFE", 2) != 0 &&
                       memcmp(bytes, "\xFE\xFF", 2) != 0 && bytes[0] != '\0' &&
                       bytes[1] != '\0'))
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "%.200s:1: UTF-16, or not XML (permitted: UTF-8)",
                   stream->name);
}

/* For a truncated document the parser would report extra content. */
static enum nb_status xml_check_end(const struct nb_xml_stream *stream,
                                    struct nb_error *err)
{
    const xmlNode *open = stream->parser->node;
    if (open == NULL)
        return NB_OK;
    return nb_fail(err, NB_INVALID, "%.200s:%zu: it ends within <%.60s>",
                   stream->name, stream->scan.line + 1, open->name);
}

static enum nb_status xml_feed(struct nb_xml_stream *stream, const char *bytes,
                               size_t length, struct nb_error *err)
{
    enum { PIECE = 1 << 16 };
    enum nb_status status = NB_OK;
    stream->err = err;
    if (length == 0 && stream->fed == 0)
        return nb_fail(err, NB_INVALID, "%.200s: it is empty: not XML",
                       stream->name);
    if (stream->fed == 0)
        NB_TRY(xml_check_start(stream, bytes, length, err));
    if (length == 0)
        NB_TRY(xml_check_end(stream, err));
    do {
        const size_t piece = length < PIECE ? length : PIECE;
        NB_TRY(xml_scan(&stream->scan, stream->name, bytes, piece, err));
        xmlParseChunk(stream->parser, bytes, (int)piece, length == 0);
        if (stream->status == NB_OK && !stream->parser->wellFormed)
            stream->status =
                nb_fail(err, NB_INVALID, "\"%.200s\" is not XML", stream->name);
        NB_TRY(stream->status);
        stream->fed += piece;
        bytes += piece;
        length -= piece;
    } while (length > 0);
done:
    return status;
}

enum nb_status nb_xml_stream_feed(struct nb_xml_stream *stream,
                                  const char *bytes, size_t length,
                                  struct nb_error *err)
{
    struct nb_xml_guard guard;
    nb_xml_enter(&guard);
    const enum nb_status status = xml_feed(stream, bytes, length, &guard.error);
    return nb_xml_leave(&guard, status, stream->name, err);
}

xmlDocPtr nb_xml_stream_take(struct nb_xml_stream *stream)
{
    xmlDocPtr document = stream->parser->myDoc;
    stream->parser->myDoc = NULL;
    return document;
}

void nb_xml_stream_free(struct nb_xml_stream *stream)
{
    if (stream == NULL)
        return;
    nb_xml_check_free(stream->check);
    if (stream->parser != NULL)
        xmlFreeDoc(nb_xml_stream_take(stream));
    xmlFreeParserCtxt(stream->parser);
    nb_delete(stream);
}

void nb_xml_forget(xmlNodePtr parent)
{
    for (xmlNodePtr node; (node = parent->children) != NULL;) {
        xmlUnlinkNode(node);
        xmlFreeNode(node);
    }
}

enum nb_status nb_xml_parse(const char *name, const char *bytes, size_t length,
                            xmlDocPtr *out, struct nb_error *err)
{
    static const struct nb_xml_handler nothing = { 0 };
    struct nb_xml_stream *stream = NULL;
    enum nb_status status;
    *out = NULL;
    NB_TRY(nb_xml_stream_new(name, &nothing, &stream, err));
    NB_TRY(nb_xml_stream_feed(stream, bytes, length, err));
    if (length > 0)
        NB_TRY(nb_xml_stream_feed(stream, "", 0, err));
    *out = nb_xml_stream_take(stream);
done:
    nb_xml_stream_free(stream);
    return status;
}
