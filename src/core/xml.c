#include "core/xml.h"

#include "core/text.h"

#include <libxml/parser.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* What the parser's hooks report to; reached through ctxt->_private. */
struct xml_watch {
    const char *name;
    struct nb_error *err;
    bool has_failed;
};

/* Called at the head of a document type declaration, before what it
 * declares is read. */
static void xml_refuse_doctype(void *context, const xmlChar *root,
                               const xmlChar *external_id,
                               const xmlChar *system_id)
{
    xmlParserCtxtPtr parser = context;
    struct xml_watch *watch = parser->_private;
    (void)root;
    (void)external_id;
    (void)system_id;
    if (!watch->has_failed)
        nb_fail(watch->err, NB_INVALID,
                "\"%.200s\" line %d: a document type declaration is not "
                "permitted (permitted: XML without <!DOCTYPE>)",
                watch->name, parser->input != NULL ? parser->input->line : 0);
    watch->has_failed = true;
    xmlStopParser(parser);
}

/* Keeps the first error and keeps all of them off stderr. */
static void xml_note_error(void *context, xmlErrorPtr error)
{
    xmlParserCtxtPtr parser = context;
    struct xml_watch *watch = parser->_private;
    if (error->level < XML_ERR_ERROR || watch->has_failed)
        return;
    watch->has_failed = true;
    const char *text = error->message != NULL ? error->message : "not XML";
    nb_fail(watch->err, NB_INVALID, "\"%.200s\" line %d: %.*s", watch->name,
            error->line, (int)strcspn(text, "\r\n"), text);
}

enum nb_status nb_xml_parse(const char *name, const char *bytes, size_t length,
                            xmlDocPtr *out, struct nb_error *err)
{
    struct xml_watch watch = { .name = name, .err = err };
    xmlDocPtr document = NULL;
    xmlParserCtxtPtr parser = NULL;
    enum nb_status status = NB_OK;
    *out = NULL;
    if (length == 0)
        return nb_fail(err, NB_INVALID, "\"%.200s\" is empty: not XML", name);
    if (length > INT_MAX)
        return nb_fail(err, NB_INVALID,
                       "\"%.200s\" has %zu bytes (permitted: at most %d)", name,
                       length, INT_MAX);
    parser = xmlNewParserCtxt();
    if (parser == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for an XML parser");
    parser->_private = &watch;
    parser->sax->internalSubset = xml_refuse_doctype;
    parser->sax->serror = xml_note_error;
    document = xmlCtxtReadMemory(parser, bytes, (int)length, NULL, NULL,
                                 XML_PARSE_NONET | XML_PARSE_NOCDATA |
                                     XML_PARSE_BIG_LINES);
    const bool is_accepted =
        document != NULL && !watch.has_failed && parser->wellFormed &&
        document->intSubset == NULL && document->extSubset == NULL;
    if (is_accepted) {
        *out = document;
        document = NULL;
    } else { /* err keeps the first complaint, if there was one */
        status = nb_fail(err, NB_INVALID, "\"%.200s\" is not XML", name);
    }
    xmlFreeDoc(document);
    xmlFreeParserCtxt(parser);
    return status;
}

enum nb_status nb_xml_read(const char *path, size_t limit, xmlDocPtr *out,
                           struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    *out = NULL;
    NB_TRY(nb_text_read_file(path, limit, &text, err));
    NB_TRY(nb_xml_parse(path, text.bytes, text.length, out, err));
done:
    nb_text_release(&text);
    return status;
}
