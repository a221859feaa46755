#include "export/style_functions.h"

#include "core/apart.h"
#include "export/escape.h"

#include <libxml/xpathInternals.h>
#include <libxslt/extensions.h>

#define STYLE_NAMESPACE BAD_CAST "urn:netbound:style"

/* Pops the only argument as text, pushes it escaped. */
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
    if (text.has_failed) /* no error would come through libxslt */
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

void nb_style_functions_register(xsltTransformContextPtr context)
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
