/* Exports by XSLT (declared in export/export.h). */
#include "export/export.h"
#include "export/view.h"

#include "core/apart.h"
#include "core/try.h"
#include "core/xml_embedded.h"
#include "core/xml_memory.h"
#include "export/escape.h"

#include <libxml/xpathInternals.h>
#include <libxslt/extensions.h>
#include <libxslt/security.h>
#include <libxslt/transform.h>
#include <libxslt/xsltInternals.h>
#include <libxslt/xsltutils.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT_XSL      "http://www.w3.org/1999/XSL/Transform"
#define STYLE_NAMESPACE BAD_CAST "urn:netbound:style"

/* Pops the only argument as text and pushes it escaped. */
static void style_escape(xmlXPathParserContextPtr parser, int count,
                         void (*escape)(const char *plain,
                                        struct nb_text *text))
{
    struct nb_text text = { 0 };
    if (count != 1) {
        xmlXPathSetArityError(parser);
        return;
    }
    xmlChar *plain = xmlXPathPopString(parser);
    escape((const char *)plain, &text);
    if (text.has_failed) /* libxslt would not report an error */
        nb_apart_end_without_memory();
    valuePush(parser, xmlXPathNewCString(text.bytes != NULL ? text.bytes : ""));
    xmlFree(plain);
    nb_text_release(&text);
}

static void style_json(xmlXPathParserContextPtr parser, int count)
{
    style_escape(parser, count, nb_escape_json);
}

static void style_latex(xmlXPathParserContextPtr parser, int count)
{
    style_escape(parser, count, nb_escape_latex);
}

static void style_markdown(xmlXPathParserContextPtr parser, int count)
{
    style_escape(parser, count, nb_escape_markdown);
}

static void style_python(xmlXPathParserContextPtr parser, int count)
{
    style_escape(parser, count, nb_escape_python);
}

/* Extension functions for style sheets, xmlns:nb="urn:netbound:style":
 * nb:json(text), nb:latex(text), nb:markdown(text), nb:python(text), which
 * escape as described in escape.h. Used within nb_run_apart. */
static void style_register(xsltTransformContextPtr context)
{
    static const struct {
        const char *name;
        xmlXPathFunction function;
    } functions[] = {
        { "json", style_json },
        { "latex", style_latex },
        { "markdown", style_markdown },
        { "python", style_python },
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        xsltRegisterExtFunction(context, BAD_CAST functions[i].name,
                                STYLE_NAMESPACE, functions[i].function);
}

static const struct nb_embedded *export_find(const struct nb_embedded *files,
                                             const char *name)
{
    for (; files->name != NULL; files++)
        if (strcmp(files->name, name) == 0)
            return files;
    return NULL;
}

static bool export_is(const xmlNode *node, const char *name,
                      const char *namespace)
{
    return node->type == XML_ELEMENT_NODE && node->ns != NULL &&
           xmlStrEqual(node->name, BAD_CAST name) &&
           xmlStrEqual(node->ns->href, BAD_CAST namespace);
}

/* A number of rows, or yes or no; a missing value means no. */
static size_t export_want(const xmlNode *wants, const char *name)
{
    xmlChar *value = xmlGetNoNsProp(wants, BAD_CAST name);
    size_t number = 0;
    if (value != NULL)
        number = strcmp((const char *)value, "yes") == 0
                     ? SIZE_MAX
                     : strtoul((const char *)value, NULL, 10);
    xmlFree(value);
    return number;
}

/* Loads the included parts, and reads what the style sheet wants. */
static enum nb_status export_prepare(xmlDocPtr document,
                                     struct nb_view_wants *wants,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *wants = (struct nb_view_wants){ 0 };
    xmlNodePtr next = xmlDocGetRootElement(document)->children;
    while (next != NULL && status == NB_OK) {
        xmlNodePtr node = next;
        next = node->next;
        if (export_is(node, "include", EXPORT_XSL))
            status = nb_xml_include(node, "href", nb_style_parts, err);
        else if (export_is(node, "wants", "urn:netbound:view"))
            *wants = (struct nb_view_wants){
                .rows = export_want(node, "rows"),
                .hidden = export_want(node, "hidden") > 0,
                .charts = export_want(node, "charts") > 0,
                .csv = export_want(node, "csv"),
                .formulas = export_want(node, "formulas") > 0,
            };
    }
    return status;
}

static enum nb_status export_compile(const char *style, xsltStylesheetPtr *out,
                                     struct nb_view_wants *wants,
                                     struct nb_error *err)
{
    char name[64];
    xmlDocPtr document = NULL;
    enum nb_status status = NB_OK;
    snprintf(name, sizeof name, "%.50s.xsl", style);
    const struct nb_embedded *file = export_find(nb_styles, name);
    if (file == NULL)
        NB_TRY(
            nb_fail(err, NB_INVALID, "no such style sheet: \"%.60s\"", style));
    NB_TRY(nb_xml_embedded_read(file, &document, err));
    NB_TRY(export_prepare(document, wants, err));
    *out = xsltParseStylesheetDoc(document);
    if (*out == NULL)
        NB_TRY(nb_fail(err, NB_INVALID, "\"%s\" is not a style sheet", name));
    document = NULL; /* now owned by the style sheet */
done:
    xmlFreeDoc(document);
    return status;
}

/* Messages of libxslt and xsl:message; the first sentence is kept. */
static void export_note(void *context, const char *format, ...)
{
    struct nb_error *said = context;
    struct nb_text text = { 0 };
    va_list arguments;
    va_start(arguments, format);
    nb_text_print_list(&text, format, arguments);
    va_end(arguments);
    if (!text.has_failed && text.bytes[strcspn(text.bytes, "\n")] != '\0')
        text.bytes[strcspn(text.bytes, "\n")] = '\0';
    if (!text.has_failed && *text.bytes != '\0')
        nb_fail(said, NB_INVALID, "%s", text.bytes);
    nb_text_release(&text);
}

static enum nb_status export_transform(xsltStylesheetPtr sheet, xmlDocPtr view,
                                       struct nb_text *text,
                                       struct nb_error *err)
{
    struct nb_error said = { 0 };
    xsltTransformContextPtr context = xsltNewTransformContext(sheet, view);
    xsltSecurityPrefsPtr closed = xsltNewSecurityPrefs();
    xmlDocPtr made = NULL;
    xmlChar *bytes = NULL;
    int length = 0;
    enum nb_status status = NB_OK;
    /* A style sheet may read only the view. */
    for (int i = XSLT_SECPREF_READ_FILE; i <= XSLT_SECPREF_WRITE_NETWORK; i++)
        xsltSetSecurityPrefs(closed, (xsltSecurityOption)i, xsltSecurityForbid);
    xsltSetCtxtSecurityPrefs(closed, context);
    xsltSetTransformErrorFunc(context, &said, export_note);
    style_register(context);
    made = xsltApplyStylesheetUser(sheet, view, NULL, NULL, NULL, context);
    if (made == NULL || context->state != XSLT_STATE_OK)
        NB_TRY(nb_fail(err, NB_INVALID, "%s",
                       said.message[0] != '\0' ? said.message
                                               : "the style sheet failed"));
    xsltSaveResultToString(&bytes, &length, made, sheet);
    nb_text_add(text, (const char *)bytes, (size_t)length);
    NB_TRY(nb_text_check(text, err));
done:
    xmlFree(bytes);
    xmlFreeDoc(made);
    xsltFreeTransformContext(context);
    xsltFreeSecurityPrefs(closed);
    return status;
}

struct export_task {
    const char *style;
    const struct nb_exhibit *exhibits;
    size_t count;
};

/* Runs in a process of its own, which ends if an allocation of libxml2 or
 * libxslt fails: libxslt would continue with a part of the style sheet, or
 * crash. */
static enum nb_status export_work(void *context, struct nb_text *text,
                                  struct nb_error *err)
{
    const struct export_task *task = context;
    struct nb_xml_guard guard;
    xsltStylesheetPtr sheet = NULL;
    xmlDocPtr view = NULL;
    struct nb_view_wants wants;
    enum nb_status status;
    nb_xml_end_without_memory();
    nb_xml_enter(&guard);
    xsltSetGenericErrorFunc(NULL, xmlGenericError); /* also silent */
    NB_TRY(export_compile(task->style, &sheet, &wants, err));
    NB_TRY(nb_view_build(task->exhibits, task->count, &wants, &view, err));
    NB_TRY(export_transform(sheet, view, text, err));
done:
    xmlFreeDoc(view);
    xsltFreeStylesheet(sheet);
    return status;
}

enum nb_status nb_export_write(const char *style,
                               const struct nb_exhibit *exhibits, size_t count,
                               struct nb_text *text, struct nb_error *err)
{
    struct export_task task = { style, exhibits, count };
    char what[64];
    if (count == 0)
        return nb_fail(err, NB_INVALID,
                       "an export of 0 reports (permitted: 1 and more)");
    for (size_t i = 0; i < count; i++)
        if (exhibits[i].report == NULL ||
            exhibits[i].report->model.command == NULL)
            return nb_fail(err, NB_INVALID,
                           "report %zu of %zu is empty (permitted: one from "
                           "nb_ask or nb_report_read_file)",
                           i + 1, count);
    snprintf(what, sizeof what, "the export to %.40s", style);
    return nb_run_apart(what, export_work, &task, text, err);
}
